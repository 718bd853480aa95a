/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-rules.h"

#include <math.h>

#include "engine/kernels/vector.h"
#include "engine/text/loop.h"

#define BLOCK 512
#define MIN_LOOP 20
#define MAX_PERIOD 64

static void
forbid (float *logits, gint32 from, gint32 to)
{
  gint32 i;

  for (i = from; i < to; i++)
    logits[i] = -INFINITY;
}

static void
forbid_listed (float *logits, const GArray *ids)
{
  guint i;

  for (i = 0; i < ids->len; i++)
    logits[g_array_index (ids, gint32, i)] = -INFINITY;
}

double
pt_whisper_log_sum_exp (const float *x, gsize n)
{
  float highest = n > 0 ? pt_vector_max (n, x) : -INFINITY;
  float block[BLOCK];
  double sum = 0;
  gsize i;

  if (!(highest > -INFINITY))
    return -INFINITY;
  for (i = 0; i < n; i += BLOCK) {
    gsize count = MIN (BLOCK, n - i);

    pt_vector_binary_scalar (PT_BINARY_SUB, count, x + i, highest, FALSE, -100.0f, 0.0f, block);
    pt_vector_unary (PT_UNARY_EXP, count, block, block);
    sum += (double) pt_vector_sum (count, block);
  }
  return (double) highest + log (sum);
}

/* Forbids timestamps that may not come next: they must not decrease, and no segment is empty. */
static void
forbid_past (const PtWhisperTokens *tokens, const gint32 *sampled, guint n, gboolean closes,
             float *logits)
{
  guint i;

  for (i = n; i-- > 0;) {
    if (sampled[i] < tokens->first_timestamp)
      continue;
    forbid (logits, tokens->first_timestamp, closes ? sampled[i] : sampled[i] + 1);
    return;
  }
}

static void
filter_timestamps (const PtWhisperTokens *tokens, const gint32 *sampled, guint n, float *logits)
{
  gint32 first = tokens->first_timestamp;
  gint32 end = first + (gint32) tokens->n_timestamps;
  gboolean was = n >= 1 && sampled[n - 1] >= first;
  gboolean before = n < 2 || sampled[n - 2] >= first;

  if (was && before)
    forbid (logits, first, end); /* behind the first timestamp of a segment: text */
  else if (was)
    forbid (logits, 0, tokens->eot); /* behind the last timestamp of a segment: the next timestamp,
                                        or the end token */
  forbid_past (tokens, sampled, n, was && !before, logits);
  if (n == 0) {
    forbid (logits, 0, first);
    forbid (logits, MIN (end, first + (gint32) tokens->max_initial + 1), end);
    return;
  }
  /* Timestamps together are more probable than any text: forbid text. */
  if (pt_whisper_log_sum_exp (logits + first, tokens->n_timestamps) >
      (double) pt_vector_max ((gsize) tokens->eot + 1, logits))
    forbid (logits, 0, first);
}

void
pt_whisper_filter (const PtWhisperTokens *tokens, const gint32 *sampled, guint n, float *logits)
{
  gint32 end = tokens->first_timestamp + (gint32) tokens->n_timestamps;

  forbid_listed (logits, tokens->suppress);
  forbid (logits, tokens->eot + 1, tokens->first_timestamp); /* special tokens */
  forbid (logits, end, (gint32) tokens->n_ids);
  if (n == 0)
    forbid_listed (logits, tokens->begin_suppress);
  if (tokens->n_timestamps > 0)
    filter_timestamps (tokens, sampled, n, logits);
}

gint32
pt_whisper_pick (const float *logits, guint n_ids, gint32 fallback, double *log_probability)
{
  float highest = pt_vector_max (n_ids, logits);
  guint i;

  *log_probability = -INFINITY;
  if (!isfinite (highest))
    return fallback;
  for (i = 0; i < n_ids; i++) {
    if (logits[i] == highest) {
      *log_probability = (double) highest - pt_whisper_log_sum_exp (logits, n_ids);
      return (gint32) i;
    }
  }
  return fallback;
}

gint32
pt_whisper_sample (const float *logits, guint n_ids, gint32 fallback, double temperature,
                   double random, float *probabilities, double *log_probability)
{
  double total = pt_whisper_log_sum_exp (logits, n_ids);
  double sum = 0;
  gint32 id = fallback;
  guint i;

  *log_probability = -INFINITY;
  if (!isfinite (total))
    return fallback;
  pt_vector_binary_scalar (PT_BINARY_MUL, n_ids, logits, (float) (1 / temperature), FALSE,
                           -INFINITY, INFINITY, probabilities);
  pt_vector_softmax (n_ids, probabilities, probabilities);
  for (i = 0; i < n_ids && sum <= random; i++) {
    sum += (double) probabilities[i];
    if (probabilities[i] > 0)
      id = (gint32) i;
  }
  *log_probability = (double) logits[id] - total;
  return id;
}

/* The number of repetitions that make a loop: short periods are normal speech ("no, no, no"). */
static guint
rounds_of_loop (guint period)
{
  if (period < 4)
    return (MIN_LOOP + period - 1) / period;
  return period < 8 ? 5 : period < 16 ? 4 : 3;
}

guint
pt_whisper_find_loop (const gint32 *text, guint n)
{
  return pt_loop_find (text, n, MAX_PERIOD, rounds_of_loop);
}
