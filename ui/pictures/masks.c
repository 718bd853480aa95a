/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/masks.h"

#include <string.h>

/* Pixels of all textures of masks together, of four bytes each. */
#define MAX_PIXELS ((guint64) 16 * 1024 * 1024)
/* Of 255: how much of the colour covers the picture. */
#define ALPHA 110
#define N_CLASSES 256

struct _PterisMasks {
  GdkTexture **objects; /* n of them; elements may be NULL */
  graphene_rect_t *rects;
  guint n;
  guint8 *classes; /* of each pixel of the textures of segments */
  guint width, height;
  GdkTexture *segments, *styled;
  GdkTexture *one; /* of the class @index alone */
  guint index;
};

/* ---- textures ---- */

/* How many pixels of the picture become one in each direction. */
static guint
find_step (guint64 n_pixels)
{
  guint step = 1;

  while (n_pixels / step / step > MAX_PIXELS)
    step++;
  return step;
}

/* Premultiplied with ALPHA. */
static void
put (guint8 *pixel, guint32 colour)
{
  for (guint c = 0; c < 3; c++)
    pixel[c] = (guint8) (((colour >> (16 - 8 * c)) & 0xff) * ALPHA / 255);
  pixel[3] = ALPHA;
}

/* Takes @pixels. */
static GdkTexture *
make_texture (guint8 *pixels, guint width, guint height, GdkMemoryFormat format, guint pixel_size)
{
  gsize stride = (gsize) width * pixel_size;
  g_autoptr (GBytes) bytes = g_bytes_new_take (pixels, stride * height);

  return gdk_memory_texture_new ((int) width, (int) height, format, bytes, stride);
}

/* ---- objects ---- */

/* Draws what @runs has inside; see PtMask. Only every @step-th row and column is looked at. */
static void
draw_runs (const PtMask *mask, guint step, guint width, guint8 *pixels, guint32 colour)
{
  guint64 at = 0, n = (guint64) mask->width * mask->height;

  for (guint i = 0; i < mask->n_runs; i++) {
    guint64 end = MIN (at + mask->runs[i], n);

    if (i % 2 == 0)
      at = end;
    while (at < end) {
      guint64 row = at / mask->width, first = at % mask->width;
      guint64 last = MIN (mask->width, first + (end - at));

      if (row % step == 0)
        for (guint64 x = (first + step - 1) / step; x * step < last; x++)
          put (pixels + 4 * (row / step * width + x), colour);
      at += last - first;
    }
  }
}

static GdkTexture *
make_object (const PtMask *mask, guint step, guint32 colour)
{
  guint width = (mask->width + step - 1) / step, height = (mask->height + step - 1) / step;
  guint8 *pixels = g_try_malloc0_n ((gsize) width * height, 4);

  if (pixels == NULL)
    return NULL;
  draw_runs (mask, step, width, pixels, colour);
  return make_texture (pixels, width, height, GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, 4);
}

static void
make_objects (PterisMasks *self, const PtLookPicture *picture)
{
  guint64 n_pixels = 0;
  guint step;

  self->n = picture->n_objects;
  self->objects = g_new0 (GdkTexture *, self->n + 1);
  self->rects = g_new0 (graphene_rect_t, self->n + 1);
  for (guint i = 0; i < self->n; i++)
    n_pixels += (guint64) picture->objects[i].mask.width * picture->objects[i].mask.height;
  step = find_step (n_pixels);
  for (guint i = 0; i < self->n; i++) {
    const PtMask *mask = &picture->objects[i].mask;

    if (mask->width == 0 || mask->height == 0)
      continue;
    self->objects[i] = make_object (mask, step, pt_look_colour (i));
    /* The last pixels of a coarse texture reach beyond the mask. */
    self->rects[i] = GRAPHENE_RECT_INIT ((float) mask->x, (float) mask->y,
                                         (float) ((mask->width + step - 1) / step * step),
                                         (float) ((mask->height + step - 1) / step * step));
  }
}

GdkTexture *
pteris_masks_get_object (PterisMasks *self, guint i, graphene_rect_t *rect)
{
  if (i >= self->n)
    return NULL;
  *rect = self->rects[i];
  return self->objects[i];
}

/* ---- segments ---- */

/* @only: the class that is drawn; N_CLASSES: all. Class 0 is the background. */
static GdkTexture *
draw_classes (PterisMasks *self, guint only)
{
  gsize n = (gsize) self->width * self->height;
  guint8 *pixels = g_try_malloc0_n (n, 4);

  for (gsize i = 0; i < n && pixels != NULL; i++)
    if (self->classes[i] != 0 && (only == N_CLASSES || self->classes[i] == only))
      put (pixels + 4 * i, pt_look_colour (self->classes[i] - 1u));
  return pixels != NULL ? make_texture (pixels, self->width, self->height,
                                        GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, 4)
                        : NULL;
}

static void
make_segments (PterisMasks *self, const PtLookPicture *picture)
{
  guint step = find_step ((guint64) picture->width * picture->height * 4);

  self->width = picture->width / step;
  self->height = picture->height / step;
  self->classes = self->width > 0 && self->height > 0
                      ? g_try_malloc_n ((gsize) self->width, self->height)
                      : NULL;
  if (self->classes == NULL)
    return;
  for (guint y = 0; y < self->height; y++)
    for (guint x = 0; x < self->width; x++)
      self->classes[(gsize) y * self->width + x] =
          picture->segments[(gsize) y * step * picture->width + (gsize) x * step];
  self->segments = draw_classes (self, N_CLASSES);
}

GdkTexture *
pteris_masks_get_segments (PterisMasks *self)
{
  return self->segments;
}

GdkTexture *
pteris_masks_get_class (PterisMasks *self, guint index)
{
  if (self->classes == NULL || index == 0 || index >= N_CLASSES)
    return NULL;
  if (self->one == NULL || self->index != index) {
    g_clear_object (&self->one);
    self->one = draw_classes (self, index);
    self->index = index;
  }
  return self->one;
}

/* ---- all of it ---- */

GdkTexture *
pteris_masks_get_styled (PterisMasks *self)
{
  return self->styled;
}

static void
make_styled (PterisMasks *self, const PtLookPicture *picture)
{
  gsize size = (gsize) picture->width * picture->height * 3;
  guint8 *pixels = g_try_malloc (size);

  if (pixels == NULL)
    return;
  memcpy (pixels, picture->styled, size);
  self->styled = make_texture (pixels, picture->width, picture->height, GDK_MEMORY_R8G8B8, 3);
}

PterisMasks *
pteris_masks_new (const PtLookPicture *picture)
{
  PterisMasks *self = g_new0 (PterisMasks, 1);

  make_objects (self, picture);
  if (picture->segments != NULL)
    make_segments (self, picture);
  if (picture->styled != NULL)
    make_styled (self, picture);
  return self;
}

void
pteris_masks_free (PterisMasks *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n; i++)
    g_clear_object (&self->objects[i]);
  g_free (self->objects);
  g_free (self->rects);
  g_free (self->classes);
  g_clear_object (&self->segments);
  g_clear_object (&self->styled);
  g_clear_object (&self->one);
  g_free (self);
}
