/* SPDX-License-Identifier: BSD-3-Clause */

/* Statistics of the numbers in an output. */

#include <math.h>

#include "engine/tasks/run/run-private.h"

/* Classifiers have scores for a row of classes. */
#define MIN_CLASSES 3
#define MAX_CLASSES 1000000

/* ---- the best of a row ---- */

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

    if (isnan (score) || (n == PT_RUN_MAX_TOP && score <= best[PT_RUN_MAX_TOP - 1].score))
      continue;
    if (n < PT_RUN_MAX_TOP)
      n++;
    else
      at = PT_RUN_MAX_TOP - 1;
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
add_top (PtRunOutput *output, const PtTensor *tensor)
{
  Best best[PT_RUN_MAX_TOP];

  output->valid |= PT_RUN_OUTPUT_TOP;
  output->n_top = find_best (tensor, best);
  for (guint i = 0; i < output->n_top; i++)
    output->top[i] = (PtRunBest){ best[i].index, best[i].score,
                                  share_of (tensor, best[i].score, best[0].score) };
}

/* ---- all numbers ---- */

void
pt_run_add_statistics (PtRunOutput *output, const PtTensor *tensor)
{
  double low = INFINITY, high = -INFINITY, mean = 0, square = 0;
  gsize i, n = 0;

  for (i = 0; i < tensor->numel; i++) {
    double number = pt_run_number (tensor, i);

    if (i < PT_RUN_MAX_VALUES)
      output->values[output->n_values++] = number;
    low = MIN (low, number);
    high = MAX (high, number);
    if (isfinite (number)) {
      double distance = number - mean;

      n++;
      mean += distance / (double) n;
      square += distance * (number - mean);
    }
  }
  output->valid |= PT_RUN_OUTPUT_NUMBERS;
  output->min = low;
  output->max = high;
  output->mean = n > 0 ? mean : NAN;
  output->deviation = n > 0 ? sqrt (square / (double) n) : NAN;
  output->not_finite = tensor->numel - n;
  if (is_row (tensor))
    add_top (output, tensor);
}
