/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/estimate.h"

#include <string.h>

#include "ui/i18n.h"

/* Planned memory, KV cache and workspaces of models of this kind, beside their weights. */
#define WORKING_SHARE 0.2
#define WORKING_BYTES (200 * 1000 * 1000)
/* Decode reaches this part of the rate of plain reads. */
#define DECODE_SHARE 0.7

#define CHUNK_BYTES (16u << 20) /* a thread's; larger than the caches of a core */
#define PASSES 4
#define MAX_THREADS 8

guint64
pteris_estimate_memory (guint64 bytes)
{
  return bytes + (guint64) ((double) bytes * WORKING_SHARE) + WORKING_BYTES;
}

char *
pteris_estimate_fit (guint64 bytes, const PtMemory *memory, PtFit *fit)
{
  /* Weights that do not fit would be read from the disk for every token: too slow to suggest. */
  PtNeeds needs = { .working = pteris_estimate_memory (bytes) };
  gboolean gpu;

  *fit = bytes > 0 ? pt_fit_judge (&needs, memory, &gpu) : PT_FIT_UNKNOWN;
  switch (*fit) {
  case PT_FIT_WELL: return g_strdup (_ ("Fits this computer."));
  case PT_FIT_TIGHT: return g_strdup (_ ("Runs here, but little memory will be left."));
  case PT_FIT_NOT_NOW: return g_strdup (_ ("Needs memory that other programs use now."));
  case PT_FIT_NEVER: return g_strdup (_ ("Needs more memory than this computer has."));
  case PT_FIT_UNKNOWN: break;
  }
  return NULL;
}

guint64
pteris_estimate_largest (const PtMemory *memory)
{
  guint64 least = 0, most = G_GUINT64_CONSTANT (1) << 40;

  /* The largest size that pt_fit_judge() calls good, by halving. */
  while (most - least > 1000 * 1000) {
    guint64 middle = least + (most - least) / 2;
    PtFit fit;
    g_autofree char *text = pteris_estimate_fit (middle, memory, &fit);

    if (fit == PT_FIT_WELL)
      least = middle;
    else
      most = middle;
  }
  return least;
}

double
pteris_estimate_speed (guint64 bytes, double read_rate)
{
  return bytes > 0 ? DECODE_SHARE * read_rate / (double) bytes : 0;
}

/* ---- the rate of reads ---- */

static gpointer
read_chunk (gpointer data)
{
  const guint64 *words = data;
  const gsize n = CHUNK_BYTES / sizeof *words;
  guint64 sums[4] = { 0 };

  for (guint pass = 0; pass < PASSES; pass++)
    for (gsize i = 0; i + 4 <= n; i += 4)
      for (guint j = 0; j < 4; j++)
        sums[j] += words[i + j] ^ pass;
  return GSIZE_TO_POINTER ((gsize) (sums[0] + sums[1] + sums[2] + sums[3]));
}

static double
measure (void)
{
  guint n_threads = CLAMP (g_get_num_processors (), 1, MAX_THREADS);
  g_autofree guint8 *bytes = g_try_malloc ((gsize) CHUNK_BYTES * n_threads);
  GThread *threads[MAX_THREADS];
  gint64 start;
  volatile gsize sum = 0; /* keeps the loops */
  double seconds;

  if (bytes == NULL)
    return 0;
  memset (bytes, 1, (gsize) CHUNK_BYTES * n_threads);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < n_threads; i++)
    threads[i] = g_thread_new ("read-rate", read_chunk, bytes + (gsize) i * CHUNK_BYTES);
  for (guint i = 0; i < n_threads; i++)
    sum += GPOINTER_TO_SIZE (g_thread_join (threads[i]));
  seconds = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  return seconds > 0 ? (double) CHUNK_BYTES * n_threads * PASSES / seconds : 0;
}

static void
measure_again (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  static GMutex mutex;
  static double rate;
  double *copy = g_new (double, 1);

  g_mutex_lock (&mutex);
  /* Other work on this computer only makes it slower. */
  rate = MAX (rate, measure ());
  *copy = rate;
  g_mutex_unlock (&mutex);
  g_task_return_pointer (task, copy, g_free);
}

void
pteris_read_rate_async (GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);

  g_task_run_in_thread (task, measure_again);
}

double
pteris_read_rate_finish (GAsyncResult *result)
{
  g_autofree double *rate = g_task_propagate_pointer (G_TASK (result), NULL);

  return rate != NULL ? *rate : 0;
}
