/* SPDX-License-Identifier: BSD-3-Clause */

/* What is told of the numbers in an output. */

#include <math.h>

#include "engine/tasks/run/run-private.h"

#define N_SAMPLE_VALUES 8
/* Classifiers have scores for a row of classes. */
#define N_TOP 5
#define MIN_CLASSES 3
#define MAX_CLASSES 1000000

static json_t *
finite_or_null (double number)
{
  return isfinite (number) ? json_real (number) : json_null ();
}

/* --- the best of a row --- */

typedef struct {
  gsize index;
  double score;
} Best;

static gboolean
is_row (const PtTensor *tensor)
{
  if (tensor->rank == 0 || tensor->numel < MIN_CLASSES || tensor->numel > MAX_CLASSES)
    return FALSE;
  return (gsize) tensor->sizes[tensor->rank - 1] == tensor->numel &&
         (tensor->dtype == PT_DTYPE_F32 || tensor->dtype == PT_DTYPE_F16 ||
          tensor->dtype == PT_DTYPE_BF16 || tensor->dtype == PT_DTYPE_F64);
}

static guint
find_best (const PtTensor *tensor, Best *best)
{
  guint n = 0;

  for (gsize i = 0; i < tensor->numel; i++) {
    double score = pt_run_number (tensor, i);
    guint at = n;

    if (isnan (score) || (n == N_TOP && score <= best[N_TOP - 1].score))
      continue;
    if (n < N_TOP)
      n++;
    else
      at = N_TOP - 1;
    for (; at > 0 && best[at - 1].score < score; at--)
      best[at] = best[at - 1];
    best[at] = (Best){ i, score };
  }
  return n;
}

/* Scores that are shares of 1 are shares already; of all others a softmax makes them. */
static double
share_of (const PtTensor *tensor, double score, double high)
{
  double sum = 0, exponentials = 0;
  gboolean are_shares = TRUE;

  for (gsize i = 0; i < tensor->numel; i++) {
    double number = pt_run_number (tensor, i);

    sum += number;
    exponentials += exp (number - high);
    are_shares = are_shares && number >= 0 && number <= 1;
  }
  return are_shares && fabs (sum - 1) < 1e-3 ? score : exp (score - high) / exponentials;
}

static void
add_top (json_t *object, const PtTensor *tensor)
{
  Best best[N_TOP];
  guint n = find_best (tensor, best);
  json_t *array = json_array ();

  for (guint i = 0; i < n; i++)
    json_array_append_new (
        array, json_pack ("{s:I, s:o, s:o}", "index", (json_int_t) best[i].index, "value",
                          finite_or_null (best[i].score), "share",
                          finite_or_null (share_of (tensor, best[i].score, best[0].score))));
  json_object_set_new (object, "top", array);
}

/* --- all numbers --- */

void
pt_run_add_statistics (json_t *object, const PtTensor *tensor)
{
  json_t *values = json_array ();
  double low = INFINITY, high = -INFINITY, mean = 0, square = 0;
  gsize i, n = 0;

  for (i = 0; i < tensor->numel; i++) {
    double number = pt_run_number (tensor, i);

    if (i < N_SAMPLE_VALUES)
      json_array_append_new (values, finite_or_null (number));
    low = MIN (low, number);
    high = MAX (high, number);
    if (isfinite (number)) {
      double distance = number - mean;

      n++;
      mean += distance / (double) n;
      square += distance * (number - mean);
    }
  }
  json_object_set_new (object, "min", finite_or_null (low));
  json_object_set_new (object, "max", finite_or_null (high));
  json_object_set_new (object, "mean", n > 0 ? json_real (mean) : json_null ());
  json_object_set_new (object, "deviation",
                       n > 0 ? json_real (sqrt (square / (double) n)) : json_null ());
  json_object_set_new (object, "not_finite", json_integer ((json_int_t) (tensor->numel - n)));
  json_object_set_new (object, "values", values);
  if (is_row (tensor))
    add_top (object, tensor);
}
