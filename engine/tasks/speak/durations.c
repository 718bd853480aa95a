/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/durations.h"

#include <math.h>

#include "engine/base/set-error.h"

/* No token lasts longer than this before its duration is scaled: seven hours. */
#define MAX_DURATION (1 << 20)
/* Silence is where the mean of this many samples, less the threshold each, is below it. */
#define WINDOW 10
#define THRESHOLD 0.005f

/* How much of a tick a token gained or lost by rounding. */
typedef struct {
  float rest;
  guint token;
} Rest;

/* The largest rest first, of equal ones that of the later token. */
static int
compare_rests (gconstpointer a, gconstpointer b)
{
  const Rest *x = a, *y = b;

  if (x->rest < y->rest || x->rest > y->rest)
    return x->rest > y->rest ? -1 : 1;
  return x->token > y->token ? -1 : x->token < y->token;
}

static void
scale (gint64 *durations, gsize n, gint64 total, gint64 target)
{
  float factor = (float) target / (float) total;
  gboolean shrinks = factor < 1;
  g_autofree Rest *rests = g_new (Rest, n);
  gint64 sum = 0;

  for (gsize i = 0; i < n; i++) {
    float exact = factor * (float) durations[i];
    float whole = shrinks ? ceilf (exact) : floorf (exact);

    rests[i] = (Rest){ shrinks ? whole - exact : exact - whole, (guint) i };
    durations[i] = (gint64) whole;
    sum += durations[i];
  }
  qsort (rests, n, sizeof *rests, compare_rests);
  for (gsize i = 0; i < n && sum != target; i++) {
    gint64 step = sum < target ? 1 : -1;

    if (durations[rests[i].token] + step < 0)
      continue;
    durations[rests[i].token] += step;
    sum += step;
  }
}

gboolean
pt_durations_fit (gint64 *durations, gsize n, guint least, guint most, GError **error)
{
  gint64 total = 0, target;

  for (gsize i = 0; i < n; i++) {
    if (durations[i] < 0 || durations[i] > MAX_DURATION)
      return pt_fail (error, PT_ERROR_FORMAT,
                      "The model gave a phoneme a duration of %" G_GINT64_FORMAT
                      " ticks: its files are damaged. Download or export it again.",
                      durations[i]);
    total += durations[i];
  }
  if (total == 0)
    return pt_fail (error, PT_ERROR_FORMAT,
                    "The model gave no phoneme any duration: its files are damaged. Download or "
                    "export it again.");
  target = CLAMP (total, (gint64) MIN (least, most), (gint64) most);
  if (target != total)
    scale (durations, n, total, target);
  return TRUE;
}

static float
loudness (float sample)
{
  return fmaxf (0, fabsf (sample) - THRESHOLD);
}

/* The sample, counted from the first or from the last one, where sound begins; n - 1 if it never
 * does. */
static gsize
find_sound (const float *samples, gsize n, gboolean from_end)
{
  float sum = 0;

  for (gsize i = 0; i < n; i++) {
    sum += loudness (samples[from_end ? n - 1 - i : i]);
    if (i >= WINDOW)
      sum -= loudness (samples[from_end ? n - 1 - (i - WINDOW) : i - WINDOW]);
    if (i + 1 >= WINDOW && sum / WINDOW >= THRESHOLD)
      return i;
  }
  return n - 1;
}

void
pt_trim_silence (const float *samples, gsize n, gsize *begin, gsize *end)
{
  const gsize margin = PT_SPEAK_MARGIN_MS * (PT_SPEAK_RATE / 1000);
  gsize first, last;

  *begin = *end = 0;
  if (n == 0)
    return;
  first = find_sound (samples, n, FALSE);
  last = n - 1 - find_sound (samples, n, TRUE);
  first = first > margin ? first - margin : 0;
  last = MIN (last + margin, n - 1);
  *begin = first;
  *end = last >= first ? last + 1 : first;
}
