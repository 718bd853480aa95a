/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/ctc.h"

#include <math.h>

/* The best class of a step, and its probability; -1: a number is NaN. */
static int
best_class (const float *logits, guint classes, double *probability)
{
  guint best = 0;
  double sum = 0;

  for (guint c = 0; c < classes; c++) {
    if (isnan (logits[c]))
      return -1;
    if (logits[c] > logits[best])
      best = c;
  }
  for (guint c = 0; c < classes; c++)
    sum += exp ((double) logits[c] - logits[best]);
  *probability = 1 / sum;
  return (int) best;
}

gboolean
pt_ctc_read (const float *logits, guint steps, guint classes, const gunichar *characters,
             GString *text, double *confidence)
{
  double product = 1;
  guint n = 0;
  int last = -1;

  for (guint i = 0; i < steps; i++) {
    double probability;
    int best = best_class (logits + (gsize) i * classes, classes, &probability);

    if (best < 0)
      return FALSE;
    if (best > 0) {
      product *= probability;
      n++;
    }
    if (best > 0 && best != last)
      g_string_append_unichar (text, characters[best - 1]);
    last = best;
  }
  /* Infinite logits have no probability. */
  *confidence = n > 0 && isfinite (product) ? pow (product, 2 / sqrt (n)) : 0;
  return TRUE;
}
