/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/mel.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <pteris/audio.h>

#include <gmodule.h>

/*
 * Decodes a recording of any format and rate and computes a mel spectrogram. At most ten seconds
 * are read: a few bytes can stand for hours of silence.
 */

#define BLOCK (PT_MEL_RATE / 4)
#define MAX_BLOCKS 40
#define N_BANDS 80

G_MODULE_EXPORT const char *__asan_default_options (void);
G_MODULE_EXPORT const char *__lsan_default_suppressions (void);

/* For the suppressions. */
const char *
__asan_default_options (void)
{
  return "fast_unwind_on_malloc=0";
}

/* libsndfile forgets the first when an Ogg file breaks off. GLib never frees a table of names that
 * has become too small: GStreamer has many. */
const char *
__lsan_default_suppressions (void)
{
  return "leak:vorbis_info_init\nleak:_dl_init\nleak:g_quark_from_static_string\n"
         "leak:g_quark_from_string\nleak:g_intern_static_string\nleak:g_intern_string";
}

static void
transform (const float *samples, gsize n)
{
  static PtMel *mel;
  static float out[N_BANDS * (BLOCK / PT_MEL_HOP)];

  if (mel == NULL)
    mel = pt_mel_new (N_BANDS);
  pt_mel_compute (mel, fuzz_pool (), samples, n, BLOCK, out);
  for (gsize i = 0; i < G_N_ELEMENTS (out); i++)
    g_assert (isfinite (out[i]));
}

static void
read_all (PtAudioReader *reader)
{
  g_autofree float *samples = g_new (float, BLOCK);

  fuzz_touch (&(double){ pt_audio_reader_duration (reader) }, sizeof (double));
  for (guint i = 0; i < MAX_BLOCKS; i++) {
    GError *error = NULL;
    gssize n = pt_audio_reader_read (reader, samples, BLOCK, NULL, &error);

    if (n < 0) {
      fuzz_check_error (error);
      return;
    }
    transform (samples, (gsize) n);
    if (n < BLOCK)
      return;
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (PtAudioReader) reader = NULL;
  GError *error = NULL;

  reader = pt_audio_reader_open (fuzz_file (data, size), PT_MEL_RATE, NULL, &error);
  if (reader == NULL)
    fuzz_check_error (error);
  else
    read_all (reader);
  return 0;
}
