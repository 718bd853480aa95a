/* SPDX-License-Identifier: BSD-3-Clause */

/* Encodes pictures for Gemma 4 (docs/formats/protocols.md, section 4.4): they keep their shape and
 * are cut into patches of 16 by 16 pixels, of which nine become an embedding. */

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/operator.h"
#include "engine/tasks/llm/media-private.h"
#include "engine/vision/resize.h"

#define PATCH 16
#define POOL 3
#define CELL (PATCH * POOL)
#define CHANNELS 3
#define VALUES (PATCH * PATCH * CHANNELS)
/* No model takes more patches. */
#define MAX_PATCHES (1 << 16)

typedef struct {
  PtMediaEncoder base;
  PtMethod *method;
  guint n_patches; /* patches that the method takes; some may be empty */
  guint n_rows;    /* embeddings that it returns; some may not count */
  gboolean says;   /* it also returns a mask of the embeddings that count */
} PatchEncoder;

static gboolean
unlike_gemma (GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "“vision_encoder” of the model must take patches [1, n, 768] with their places "
                  "[1, n, 2], and give embeddings [1, m, width].");
}

static gboolean
read_shapes (PatchEncoder *self, GError **error)
{
  const PtTensorSpec *patches = pt_media_tensor (pt_method_input_spec (self->method, 0));
  const PtTensorSpec *places = pt_media_tensor (pt_method_input_spec (self->method, 1));
  guint n_outputs = pt_method_n_outputs (self->method);
  const PtTensorSpec *rows =
      n_outputs > 0 ? pt_media_tensor (pt_method_output_spec (self->method, 0)) : NULL;
  const PtTensorSpec *mask =
      n_outputs > 1 ? pt_media_tensor (pt_method_output_spec (self->method, 1)) : NULL;

  if (patches == NULL || places == NULL || rows == NULL || patches->rank != 3 ||
      patches->sizes[0] != 1 || patches->sizes[2] != VALUES || !pt_media_is_float (patches) ||
      patches->sizes[1] < POOL * POOL || patches->sizes[1] > MAX_PATCHES || places->rank != 3 ||
      places->dtype != PT_DTYPE_I64 || places->sizes[0] != 1 ||
      places->sizes[1] != patches->sizes[1] || places->sizes[2] != 2 || rows->rank < 2 ||
      rows->numel == 0 || !pt_media_is_float (rows))
    return unlike_gemma (error);
  self->base.dtype = rows->dtype;
  self->base.width = (gsize) rows->sizes[rows->rank - 1];
  self->n_patches = (guint) patches->sizes[1];
  self->n_rows = (guint) (rows->numel / self->base.width);
  self->says = mask != NULL && mask->dtype == PT_DTYPE_BOOL && mask->numel == self->n_rows;
  if (n_outputs > 2 || (n_outputs == 2 && !self->says))
    return unlike_gemma (error);
  return TRUE;
}

/* ---- size ---- */

/* Chooses the size that a picture gets: sides of whole cells, close to the picture's shape, with as
 * many patches as the method takes. */
static gboolean
choose_size (const PatchEncoder *self, const PtImage *image, guint *width, guint *height)
{
  double w = image->width, h = image->height;
  double f = sqrt (self->n_patches * (double) (PATCH * PATCH) / (h * w));
  guint most = self->n_patches / (POOL * POOL);

  *height = (guint) (f * h / CELL) * CELL;
  *width = (guint) (f * w / CELL) * CELL;
  if (*height == 0 && *width == 0)
    return FALSE;
  if (*height == 0) {
    *height = CELL;
    *width = (guint) MIN (floor (w / h), most) * CELL;
  } else if (*width == 0) {
    *width = CELL;
    *height = (guint) MIN (floor (h / w), most) * CELL;
  }
  return TRUE;
}

static PtImage *
read_image (const PatchEncoder *self, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtImage) image = pt_image_read (path, cancellable, NULL, error);
  guint width, height;

  if (image == NULL)
    return NULL;
  if (!choose_size (self, image, &width, &height)) {
    unlike_gemma (error);
    return NULL;
  }
  if (width == image->width && height == image->height)
    return g_steal_pointer (&image);
  return pt_image_resize (image, width, height, PT_FILTER_BICUBIC, error);
}

static gboolean
look (PtMediaEncoder *base, const char *path, guint most, PtMediaFacts *facts,
      GCancellable *cancellable, GError **error)
{
  const PatchEncoder *self = (const PatchEncoder *) base;
  g_autoptr (PtImage) image = read_image (self, path, cancellable, error);

  if (image == NULL)
    return FALSE;
  facts->n = self->says ? image->width / CELL * (image->height / CELL) : self->n_rows;
  if (facts->n > most)
    return pt_fail (error, PT_ERROR_CONTEXT_FULL,
                    "An image needs %u tokens, and the model's context holds %u: it was exported "
                    "with too short a context.",
                    facts->n, most);
  return pt_media_hash_file (path, &facts->digest, error);
}

/* ---- patches ---- */

/* Cuts a picture into patches, and writes the column and row of each. A patch has its pixels row by
 * row, channel last, from 0 to 1. */
static void
cut (const PtImage *image, float *patches, gint64 *places)
{
  guint across = image->width / PATCH, down = image->height / PATCH;

  for (guint y = 0; y < down; y++)
    for (guint x = 0; x < across; x++) {
      float *patch = patches + ((gsize) y * across + x) * VALUES;
      gint64 *place = places + ((gsize) y * across + x) * 2;

      place[0] = x;
      place[1] = y;
      for (guint row = 0; row < PATCH; row++) {
        const guint8 *pixels =
            image->pixels + ((gsize) (y * PATCH + row) * image->width + x * PATCH) * CHANNELS;

        for (guint i = 0; i < PATCH * CHANNELS; i++)
          patch[row * PATCH * CHANNELS + i] = (float) pixels[i] / 255.0f;
      }
    }
}

/* Copies the embeddings that count. */
static gboolean
take_rows (const PatchEncoder *self, guint n, guint8 *rows, GError **error)
{
  const PtTensor *all = pt_in_tensor (pt_method_output (self->method, 0), "the embeddings", error);
  const PtTensor *mask = NULL;
  gsize size = self->base.width * pt_dtype_size (self->base.dtype);
  guint taken = 0;

  if (self->says)
    mask = pt_in_tensor (pt_method_output (self->method, 1), "the mask", error);
  if (all == NULL || (self->says && mask == NULL))
    return FALSE;
  if (mask == NULL)
    return pt_media_take_rows (&self->base, self->method, n, rows, error);
  for (gsize i = 0; i < MIN (mask->numel, all->numel / self->base.width); i++) {
    if (!((const guint8 *) mask->data)[i])
      continue;
    if (taken < n)
      memcpy (rows + taken * size, (const guint8 *) all->data + i * size, size);
    taken++;
  }
  return taken == n ||
         pt_fail (error, PT_ERROR_DELEGATE,
                  "“vision_encoder” of the model returned %u embeddings for an image of %u.", taken,
                  n);
}

static gboolean
run (PatchEncoder *self, const PtImage *image, guint n, gpointer rows, GCancellable *cancellable,
     GError **error)
{
  const gint64 sizes[3] = { 1, self->n_patches, VALUES },
               place_sizes[3] = { 1, self->n_patches, 2 };
  g_autofree float *patches = pt_allocate (self->n_patches, VALUES * sizeof (float), error);
  g_autofree gpointer input = pt_allocate (self->n_patches, VALUES * sizeof (float), error);
  g_autofree gint64 *places = g_new (gint64, 2 * self->n_patches);
  PtTensor tensor;

  if (patches == NULL || input == NULL)
    return FALSE;
  for (guint i = 0; i < 2 * self->n_patches; i++)
    places[i] = -1;
  cut (image, patches, places);
  return pt_media_set_input (self->method, 0, 3, sizes, patches, input, error) &&
         pt_tensor_init (&tensor, PT_DTYPE_I64, 3, place_sizes, NULL, places, error) &&
         pt_method_set_input_tensor (self->method, 1, &tensor, error) &&
         pt_method_execute (self->method, cancellable, error) && take_rows (self, n, rows, error);
}

static gboolean
encode (PtMediaEncoder *base, const char *path, guint n, gpointer rows, GCancellable *cancellable,
        GError **error)
{
  PatchEncoder *self = (PatchEncoder *) base;
  g_autoptr (PtImage) image = read_image (self, path, cancellable, error);

  return image != NULL && run (self, image, n, rows, cancellable, error);
}

static void
patch_encoder_free (PtMediaEncoder *base)
{
  g_free (base);
}

PtMediaEncoder *
pt_patch_encoder_new (PtModule *module, GError **error)
{
  g_autofree PatchEncoder *self = g_new0 (PatchEncoder, 1);

  self->base = (PtMediaEncoder){
    .kind = PT_MODEL_IMAGES, .look = look, .encode = encode, .free = patch_encoder_free
  };
  self->method = pt_module_method (module, "vision_encoder", error);
  if (self->method == NULL || !read_shapes (self, error))
    return NULL;
  return &((PatchEncoder *) g_steal_pointer (&self))->base;
}
