/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/logprobs.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/vector.h"

static void
convert (gconstpointer logits, PtDType dtype, gsize n, float *values)
{
  if (dtype == PT_DTYPE_F16)
    pt_vector_f16_to_f32 (n, logits, values);
  else if (dtype == PT_DTYPE_BF16)
    pt_vector_bf16_to_f32 (n, logits, values);
  else
    memcpy (values, logits, n * sizeof *values);
}

/* Puts the token in its place among @top, which is sorted. Ids arrive in ascending order, so that
 * of equals the first one stays in front. */
static void
rank (PtRankedToken *top, guint *n, guint most, gint32 id, double value)
{
  guint at = *n;

  if (*n == most && (most == 0 || value <= top[most - 1].logprob))
    return;
  if (*n < most)
    (*n)++;
  else
    at--;
  for (; at > 0 && top[at - 1].logprob < value; at--)
    top[at] = top[at - 1];
  top[at] = (PtRankedToken){ id, value };
}

/* Without a finite maximum, @log_sum is that of how many values equal it. */
static double
normalize (double value, double max, double log_sum)
{
  if (isinf (max))
    return value >= max ? -log_sum : -INFINITY;
  return value - max - log_sum;
}

double
pt_logprobs_rank (gconstpointer logits, PtDType dtype, gsize n, gint32 id, float *scratch,
                  PtRankedToken *top, guint *n_top)
{
  guint most = *n_top;
  float max = -INFINITY;
  double sum = 0, log_sum;

  *n_top = 0;
  convert (logits, dtype, n, scratch);
  for (gsize i = 0; i < n; i++) {
    if (isnan (scratch[i]))
      scratch[i] = -INFINITY;
    max = MAX (max, scratch[i]);
  }
  for (gsize i = 0; i < n; i++)
    sum += isinf (max) ? (double) (scratch[i] >= max) : (double) expf (scratch[i] - max);
  log_sum = log (sum);
  for (gsize i = 0; i < n; i++)
    rank (top, n_top, most, (gint32) i, (double) scratch[i]);
  for (guint i = 0; i < *n_top; i++)
    top[i].logprob = normalize (top[i].logprob, (double) max, log_sum);
  return normalize ((double) scratch[id], (double) max, log_sum);
}
