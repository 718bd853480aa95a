/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/look-objects.h"

#include <math.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

#define CORNERS 4
/* Objects that are compared with each other. */
#define MAX_CANDIDATES 4096
/* Higher numbers are no classes. */
#define MAX_LABEL 100000
#define MAX_POINTS 1000
/* Lengths in the masks of a picture, 256 MiB. */
#define MAX_RUNS ((gsize) 64 << 20)
#define MIN_VISIBILITY 0.5

/* A row of the outputs that is an object. */
typedef struct {
  double box[CORNERS]; /* in pixels of the picture */
  double score;
  guint label;
  guint row;
} Candidate;

/* ---- shapes ---- */

static gboolean
fail_shape (const char *what, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "This model is not supported: its %s do not belong to its boxes.", what);
}

/* Whether @output has @rank dimensions, of which the first is @q. A single row has lost its first
 * dimension of 1. */
static gboolean
has_rows (const PtLookOutput *output, guint rank, gint64 q)
{
  if (output->rank == rank)
    return output->sizes[0] == q;
  return q == 1 && output->rank + 1 == rank;
}

static gboolean
check_shapes (const PtObjectOutputs *o, gint64 *q, GError **error)
{
  const PtLookOutput *boxes = o->boxes;

  if (boxes->n % CORNERS != 0 || (boxes->n > 0 && (boxes->rank < 1 || boxes->rank > 2)) ||
      (boxes->rank > 0 && boxes->sizes[boxes->rank - 1] != CORNERS))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This model is not supported: its boxes must have four corners.");
  *q = (gint64) (boxes->n / CORNERS);
  if ((gint64) o->scores->n != *q || !has_rows (o->scores, 1, *q))
    return fail_shape ("scores", error);
  if (o->labels != NULL && ((gint64) o->labels->n != *q || !has_rows (o->labels, 1, *q)))
    return fail_shape ("classes", error);
  if (o->points != NULL && *q > 0 &&
      (!has_rows (o->points, 3, *q) || o->points->n == 0 ||
       o->points->sizes[o->points->rank - 1] < 2 || o->points->sizes[o->points->rank - 1] > 3 ||
       o->points->sizes[o->points->rank - 2] > MAX_POINTS))
    return fail_shape ("points", error);
  if (o->masks != NULL && *q > 0 && (!has_rows (o->masks, 3, *q) || o->masks->n == 0))
    return fail_shape ("masks", error);
  return TRUE;
}

gboolean
pt_look_split_pairs (const PtLookOutput *pairs, PtLookOutput *scores, PtLookOutput *labels,
                     GError **error)
{
  gsize q = pairs->n / 2;

  if (pairs->rank < 1 || pairs->rank > 2 || pairs->sizes[pairs->rank - 1] != 2)
    return fail_shape ("scores and classes", error);
  *scores = *labels = (PtLookOutput){ .rank = 1, .sizes = { (gint64) q }, .n = q };
  scores->values = pt_allocate (q, sizeof (float), error);
  labels->values = scores->values != NULL ? pt_allocate (q, sizeof (float), error) : NULL;
  for (gsize i = 0; labels->values != NULL && i < q; i++) {
    scores->values[i] = pairs->values[2 * i];
    labels->values[i] = pairs->values[2 * i + 1];
  }
  return labels->values != NULL;
}

/* ---- candidates ---- */

static gboolean
read_label (const PtObjectOutputs *o, gsize row, guint *out, GError **error)
{
  float label = o->labels != NULL ? o->labels->values[row] : 0;

  if (!(label > -0.5f && label < MAX_LABEL))
    return pt_fail (error, PT_ERROR_INTERNAL,
                    "The model's output names a class %g, which cannot be: its files are damaged, "
                    "or it is of another kind. Download or export it again.",
                    (double) label);
  *out = (guint) MAX (label + 0.5f, 0);
  return TRUE;
}

/* Rows below the threshold are not looked at: programs may fill them with anything. Boxes whose
 * sides are negative are left out. */
static gboolean
read_candidates (const PtObjectOutputs *o, const PtObjectRule *rule, GArray *found, GError **error)
{
  double scale[2] = { (double) rule->width / rule->input_width,
                      (double) rule->height / rule->input_height };

  for (gsize row = 0; row < o->scores->n; row++) {
    Candidate one = { .score = o->scores->values[row], .row = (guint) row };

    if (isnan (one.score))
      return pt_look_fail_damaged (error);
    if (one.score < rule->threshold)
      continue;
    for (guint i = 0; i < CORNERS; i++) {
      one.box[i] = o->boxes->values[row * CORNERS + i] * scale[i % 2];
      if (!isfinite (one.box[i]))
        return pt_look_fail_damaged (error);
    }
    if (!read_label (o, row, &one.label, error))
      return FALSE;
    if (one.box[2] >= one.box[0] && one.box[3] >= one.box[1])
      g_array_append_val (found, one);
  }
  return TRUE;
}

static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a, *y = b;

  if (x->score > y->score || x->score < y->score)
    return x->score > y->score ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

static double
area (const double *box)
{
  return (box[2] - box[0]) * (box[3] - box[1]);
}

/* The part of both boxes that they have in common: intersection over union. */
static double
overlap (const double *a, const double *b)
{
  double width = MIN (a[2], b[2]) - MAX (a[0], b[0]);
  double height = MIN (a[3], b[3]) - MAX (a[1], b[1]);
  double common = MAX (width, 0) * MAX (height, 0);
  double all = area (a) + area (b) - common;

  return all > 0 ? common / all : 0;
}

/* Leaves out what overlaps too much with a better object of its class. */
static void
suppress (GArray *found, double most)
{
  guint kept = 0;

  for (guint i = 0; i < found->len; i++) {
    Candidate one = g_array_index (found, Candidate, i);
    gboolean is_new = TRUE;

    for (guint k = 0; k < kept && is_new; k++) {
      const Candidate *better = &g_array_index (found, Candidate, k);

      is_new = better->label != one.label || overlap (better->box, one.box) <= most;
    }
    if (is_new)
      g_array_index (found, Candidate, kept++) = one;
  }
  g_array_set_size (found, kept);
}

/* ---- objects ---- */

static const char *
label_of (const PtObjectRule *rule, guint index, PtHeap *heap)
{
  if (rule->labels != NULL)
    return index < g_strv_length (rule->labels) ? pt_heap_text (heap, rule->labels[index]) : NULL;
  return pt_class_name (rule->names, index);
}

static gboolean
read_points (const PtLookOutput *points, const PtObjectRule *rule, guint row, PtHeap *heap,
             PtObject *object, GError **error)
{
  guint numbers = (guint) points->sizes[points->rank - 1];
  guint n = (guint) points->sizes[points->rank - 2];
  const float *values = points->values + (gsize) row * n * numbers;
  PtKeypoint *out = pt_heap_new0 (heap, PtKeypoint, n);

  for (guint i = 0; i < n; i++, values += numbers) {
    double visibility = numbers > 2 ? values[2] : 1;

    if (isnan (visibility))
      return pt_look_fail_damaged (error);
    out[i].name = n == PT_N_COCO_KEYPOINTS ? pt_keypoint_name (i) : NULL;
    out[i].visibility = visibility;
    out[i].is_found = visibility >= MIN_VISIBILITY;
    if (!out[i].is_found)
      continue;
    out[i].x = values[0] * (double) rule->width / rule->input_width;
    out[i].y = values[1] * (double) rule->height / rule->input_height;
    if (!isfinite (out[i].x) || !isfinite (out[i].y))
      return pt_look_fail_damaged (error);
  }
  object->points = out;
  object->n_points = n;
  return TRUE;
}

static gboolean
make_objects (const PtObjectOutputs *o, const PtObjectRule *rule, const GArray *found, PtHeap *heap,
              PtObject *out, GError **error)
{
  gsize budget = MAX_RUNS;

  for (guint i = 0; i < found->len; i++) {
    const Candidate *one = &g_array_index (found, Candidate, i);
    PtObject *object = &out[i];

    *object =
        (PtObject){ one->box[0], one->box[1], one->box[2], one->box[3], one->score, one->label };
    object->label = o->labels != NULL ? label_of (rule, one->label, heap) : "person";
    if (o->points != NULL && !read_points (o->points, rule, one->row, heap, object, error))
      return FALSE;
    if (o->masks != NULL) {
      guint width = (guint) o->masks->sizes[o->masks->rank - 1];
      guint height = (guint) o->masks->sizes[o->masks->rank - 2];

      if (!pt_look_mask (o->masks->values + (gsize) one->row * width * height, width, height, rule,
                         heap, &budget, object, error))
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
pt_look_objects (const PtObjectOutputs *outputs, const PtObjectRule *rule, PtHeap *heap,
                 const PtObject **out, guint *n, GError **error)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Candidate));
  PtObject *objects;
  gint64 q;

  if (!check_shapes (outputs, &q, error) || !read_candidates (outputs, rule, found, error))
    return FALSE;
  g_array_sort (found, compare_candidates);
  g_array_set_size (found, MIN (found->len, MAX_CANDIDATES));
  if (rule->overlap > 0)
    suppress (found, rule->overlap);
  g_array_set_size (found, MIN (found->len, PT_LOOK_MAX_OBJECTS));
  objects = pt_heap_new0 (heap, PtObject, MAX (found->len, 1));
  *out = objects;
  *n = found->len;
  return make_objects (outputs, rule, found, heap, objects, error);
}
