/* SPDX-License-Identifier: BSD-3-Clause */

/* Masks of objects, and maps with a class for each pixel. */

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/vision/look-maps.h"
#include "engine/tasks/vision/look-objects.h"

#define HALF 0.5f

/* Between which two numbers of a mask a pixel lies. */
typedef struct {
  guint first, second;
  float part; /* of the second */
} Between;

static Between
place (guint pixel, guint n_pixels, guint n)
{
  double at = (pixel + 0.5) * n / n_pixels - 0.5, first = floor (at);

  return (Between){ (guint) CLAMP (first, 0, n - 1.0), (guint) CLAMP (first + 1, 0, n - 1.0),
                    (float) (at - first) };
}

static float
mix (float a, float b, float part)
{
  return a + (b - a) * part;
}

/* The pixels whose centres are in the box, as a rectangle within the picture. FALSE: none. */
static gboolean
limit (const PtObject *object, const PtObjectRule *rule, PtMask *mask)
{
  double left = CLAMP (ceil (object->x1 - 0.5), 0, rule->width);
  double top = CLAMP (ceil (object->y1 - 0.5), 0, rule->height);
  double right = CLAMP (ceil (object->x2 - 0.5), left, rule->width);
  double bottom = CLAMP (ceil (object->y2 - 0.5), top, rule->height);

  if (right <= left || bottom <= top)
    return FALSE;
  *mask = (PtMask){ (guint) left, (guint) top, (guint) (right - left), (guint) (bottom - top) };
  return TRUE;
}

/* Probabilities of the logits; FALSE: one is NaN. */
static gboolean
take_sigmoid (const float *values, gsize n, float *out)
{
  for (gsize i = 0; i < n; i++) {
    if (isnan (values[i]))
      return FALSE;
    out[i] = 1 / (1 + expf (-values[i]));
  }
  return TRUE;
}

/* Appends the pixels of a row of @mask to @runs; @inside: the state of the last pixel. */
static void
add_row (const float *shares, guint width, const PtObjectRule *rule, guint height, guint y,
         PtMask *mask, GArray *runs, gboolean *inside)
{
  Between down = place (y, rule->height, height);
  const float *upper = shares + (gsize) down.first * width;
  const float *lower = shares + (gsize) down.second * width;

  for (guint x = 0; x < mask->width; x++) {
    Between across = place (mask->x + x, rule->width, width);
    float share = mix (mix (upper[across.first], upper[across.second], across.part),
                       mix (lower[across.first], lower[across.second], across.part), down.part);
    gboolean is_in = share > HALF;

    mask->area += is_in;
    if (is_in != *inside) {
      guint32 none = 0;

      g_array_append_val (runs, none);
      *inside = is_in;
    }
    g_array_index (runs, guint32, runs->len - 1)++;
  }
}

gboolean
pt_look_mask (const float *values, guint width, guint height, const PtObjectRule *rule,
              PtHeap *heap, gsize *budget, PtObject *object, GError **error)
{
  g_autofree float *shares = NULL;
  g_autoptr (GArray) runs = NULL;
  gboolean inside = FALSE;
  PtMask mask;

  if (width == 0 || height == 0 || !limit (object, rule, &mask))
    return TRUE;
  shares = pt_allocate ((gsize) width * height, sizeof (float), error);
  if (shares == NULL)
    return FALSE;
  if (!take_sigmoid (values, (gsize) width * height, shares))
    return pt_look_fail_damaged (error);
  runs = g_array_new (FALSE, TRUE, sizeof (guint32));
  g_array_set_size (runs, 1);
  for (guint y = 0; y < mask.height; y++) {
    add_row (shares, width, rule, height, mask.y + y, &mask, runs, &inside);
    if (runs->len > *budget)
      return pt_fail (error, PT_ERROR_MEMORY,
                      "The masks of the model's objects are too large for a picture of %u × %u "
                      "pixels. Use a smaller picture.",
                      rule->width, rule->height);
  }
  *budget -= runs->len;
  mask.runs = pt_heap_take_array (heap, g_steal_pointer (&runs), &mask.n_runs);
  object->mask = mask;
  return TRUE;
}

/* ---- a class for each pixel ---- */

gboolean
pt_look_best_classes (const PtLookOutput *scores, guint8 **out, guint *width, guint *height,
                      GError **error)
{
  guint rank = scores->rank;
  gint64 n = rank == 3 ? scores->sizes[0] : 1;
  gsize size;

  if (rank < 2 || rank > 3 || scores->n == 0 || n > PT_LOOK_MAX_SEGMENTS)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This segmentation model is not supported: its result must have up to %d "
                    "classes for each pixel.",
                    PT_LOOK_MAX_SEGMENTS);
  if (!pt_look_output_check (scores, error))
    return FALSE;
  *height = (guint) scores->sizes[rank - 2];
  *width = (guint) scores->sizes[rank - 1];
  size = (gsize) *width * *height;
  *out = pt_allocate (size, 1, error);
  for (gsize i = 0; *out != NULL && i < size; i++) {
    gint64 best = 0;

    if (n == 1)
      best = scores->values[i] > HALF;
    for (gint64 c = 1; c < n; c++)
      if (scores->values[(gsize) c * size + i] > scores->values[(gsize) best * size + i])
        best = c;
    (*out)[i] = (guint8) best;
  }
  return *out != NULL;
}

void
pt_look_stretch_classes (const guint8 *from, guint width, guint height, guint8 *to, guint to_width,
                         guint to_height)
{
  for (guint y = 0; y < to_height; y++) {
    const guint8 *row = from + (gsize) ((guint64) y * height / to_height) * width;

    for (guint x = 0; x < to_width; x++)
      *to++ = row[(guint64) x * width / to_width];
  }
}

static int
compare_regions (gconstpointer a, gconstpointer b)
{
  const PtRegion *x = a, *y = b;

  if (x->pixels != y->pixels)
    return x->pixels > y->pixels ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

const PtRegion *
pt_look_count_classes (const guint8 *segments, gsize n_pixels, PtHeap *heap, guint *n)
{
  GArray *regions = g_array_new (FALSE, TRUE, sizeof (PtRegion));
  guint64 counts[PT_LOOK_MAX_SEGMENTS] = { 0 };

  for (gsize i = 0; i < n_pixels; i++)
    counts[segments[i]]++;
  for (guint i = 0; i < PT_LOOK_MAX_SEGMENTS; i++) {
    PtRegion region = { .index = i,
                        .pixels = counts[i],
                        .share = (double) counts[i] / (double) n_pixels };

    if (counts[i] > 0)
      g_array_append_val (regions, region);
  }
  g_array_sort (regions, compare_regions);
  return pt_heap_take_array (heap, regions, n);
}

/* ---- another picture ---- */

gboolean
pt_look_paint (const PtLookOutput *planes, guint8 **out, guint *width, guint *height,
               GError **error)
{
  gsize size;

  if (planes->rank != 3 || planes->sizes[0] != 3 || planes->n == 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This model is not supported: its result must be a picture.");
  if (!pt_look_output_check (planes, error))
    return FALSE;
  *height = (guint) planes->sizes[1];
  *width = (guint) planes->sizes[2];
  size = (gsize) *width * *height;
  *out = pt_allocate (size, 3, error);
  for (gsize i = 0; *out != NULL && i < size; i++)
    for (guint c = 0; c < 3; c++)
      (*out)[3 * i + c] = (guint8) (CLAMP (planes->values[c * size + i], 0, 1) * 255 + 0.5f);
  return *out != NULL;
}
