/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pteris/audio.h>

#include "engine/base/allocate.h"

#define BLOCK 4096

/* A peak under way. */
typedef struct {
  PtWaveform *waveform;
  guint64 n_samples; /* read so far */
  guint64 per_peak;  /* samples of a peak */
  guint64 n;         /* samples in this one */
  float peak;
} Gauge;

/* Merges pairs of peaks, which bounds the memory for long recordings. */
static void
halve (Gauge *gauge)
{
  PtWaveform *waveform = gauge->waveform;

  waveform->n /= 2;
  for (guint i = 0; i < waveform->n; i++)
    waveform->peaks[i] = MAX (waveform->peaks[2 * i], waveform->peaks[2 * i + 1]);
  gauge->per_peak *= 2;
}

static void
end_peak (Gauge *gauge)
{
  PtWaveform *waveform = gauge->waveform;

  waveform->peaks[waveform->n++] = (guint8) lroundf (255 * CLAMP (gauge->peak, 0, 1));
  gauge->n = 0;
  gauge->peak = 0;
  if (waveform->n == PT_WAVEFORM_MAX)
    halve (gauge);
}

static void
add (Gauge *gauge, const float *samples, gsize n)
{
  gauge->n_samples += n;
  for (gsize i = 0; i < n; i++) {
    gauge->peak = MAX (gauge->peak, fabsf (samples[i]));
    if (++gauge->n >= gauge->per_peak)
      end_peak (gauge);
  }
}

PtWaveform *
pt_waveform_read (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtAudioReader) reader = pt_audio_reader_open (path, 0, cancellable, error);
  g_autoptr (PtWaveform) waveform = g_new0 (PtWaveform, 1);
  Gauge gauge = { .waveform = waveform };
  float block[BLOCK];
  gssize n;

  if (reader == NULL)
    return NULL;
  waveform->peaks = pt_allocate (PT_WAVEFORM_MAX, 1, error);
  if (waveform->peaks == NULL)
    return NULL;
  gauge.per_peak = MAX (1, pt_audio_reader_rate (reader) / PT_WAVEFORM_RATE);
  do {
    n = pt_audio_reader_read (reader, block, BLOCK, cancellable, error);
    /* The part before a damaged place is kept. */
    if (n < 0 && (waveform->n == 0 || g_cancellable_is_cancelled (cancellable)))
      return NULL;
    if (n > 0)
      add (&gauge, block, (gsize) n);
  } while (n == BLOCK);
  if (error != NULL)
    g_clear_error (error);
  if (gauge.n > 0)
    end_peak (&gauge);
  waveform->duration = (double) gauge.n_samples / pt_audio_reader_rate (reader);
  waveform->peaks = g_realloc (waveform->peaks, MAX (waveform->n, 1));
  return g_steal_pointer (&waveform);
}

void
pt_waveform_free (PtWaveform *waveform)
{
  g_free (waveform->peaks);
  g_free (waveform);
}
