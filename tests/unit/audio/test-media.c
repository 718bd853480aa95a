/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <pteris/audio.h>

#include <glib/gstdio.h>

#include "tests/unit/under-wine.h"

/* Formats read by GStreamer, reading from a start position, and waveforms. */

#define RATE 16000

static char *
data_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "audio", name, NULL);
}

/* FALSE, and the test is skipped, where plug-ins are missing; which the message must say. */
static gboolean
can_read (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtAudioReader) reader = NULL;

  /* Some of its decoders never answer; test-media-foundation-win32 has one that does. */
  if (under_wine ()) {
    g_test_skip ("Media Foundation of Wine");
    return FALSE;
  }
  reader = pt_audio_reader_open (path, RATE, NULL, &error);
  if (reader != NULL)
    return TRUE;
#ifdef PT_HAVE_GSTREAMER
  g_test_message ("%s", error->message);
  g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "install the package gstreamer1.0-"));
  g_test_skip ("a plug-in of GStreamer is missing");
#elif defined(G_OS_WIN32)
  g_test_message ("%s", error->message);
  g_assert_true (g_error_matches (error, PT_ERROR, PT_ERROR_FORMAT) ||
                 g_error_matches (error, PT_ERROR, PT_ERROR_UNSUPPORTED));
  g_test_skip ("Media Foundation has no decoder");
#else
  g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "convert it"));
  g_test_skip ("built without GStreamer");
#endif
  return FALSE;
}

static guint
count (const char *path, double start, float *peak)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtAudioReader) reader = pt_audio_reader_open_at (path, start, RATE, NULL, &error);
  float block[1000];
  guint all = 0;
  gssize n;

  g_assert_no_error (error);
  *peak = 0;
  do {
    n = pt_audio_reader_read (reader, block, G_N_ELEMENTS (block), NULL, &error);
    g_assert_no_error (error);
    for (gssize i = 0; i < n; i++)
      *peak = MAX (*peak, fabsf (block[i]));
    all += (guint) n;
  } while (n == G_N_ELEMENTS (block));
  return all;
}

/* Two seconds of a tone. */
static void
test_tone (gconstpointer name)
{
  g_autofree char *path = data_path (name);
  float peak;

  if (!can_read (path))
    return;
  g_assert_cmpfloat (fabs (count (path, 0, &peak) / (double) RATE - 2), <, 0.15);
  g_assert_cmpfloat (peak, >, 0.5f);
  g_assert_cmpfloat (peak, <, 1.5f);
  g_assert_cmpfloat (fabs (count (path, 1.5, &peak) / (double) RATE - 0.5), <, 0.15);
  g_assert_cmpfloat (peak, >, 0.5f);
  g_assert_cmpuint (count (path, 100, &peak), ==, 0);
}

/* Cut off at any place: an error that says so, or sound and then an error; never silence. */
static void
test_cut (void)
{
  g_autofree char *whole = data_path ("tone.m4a");
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "pteris-cut.m4a", NULL);
  g_autofree char *bytes = NULL;
  gsize size;

  if (!can_read (whole))
    return;
  g_assert_true (g_file_get_contents (whole, &bytes, &size, NULL));
  for (gsize n = 64; n < size; n += size / 7) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtAudioReader) reader = NULL;
    float block[1000];
    gssize got = 1;

    g_assert_true (g_file_set_contents (path, bytes, (gssize) n, NULL));
    reader = pt_audio_reader_open (path, RATE, NULL, &error);
    while (reader != NULL && got > 0 && error == NULL)
      got = pt_audio_reader_read (reader, block, G_N_ELEMENTS (block), NULL, &error);
    g_assert_nonnull (error);
    g_test_message ("%u bytes: %s", (guint) n, error->message);
  }
  g_remove (path);
}

static void
test_stop (void)
{
  g_autofree char *path = data_path ("tone.m4a");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  if (!can_read (path))
    return;
  g_cancellable_cancel (cancellable);
  g_assert_null (pt_audio_reader_open (path, RATE, cancellable, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
}

/* Exactly the samples that follow, in a format that can jump and in one that cannot. */
static void
test_start (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtAudioReader) whole = pt_audio_reader_open (path, 0, NULL, &error);
  g_autoptr (PtAudioReader) part = pt_audio_reader_open_at (path, 2, 0, NULL, &error);
  guint rate = pt_audio_reader_rate (whole);
  g_autofree float *a = g_new (float, 3 * rate);
  g_autofree float *b = g_new (float, rate);

  g_assert_no_error (error);
  g_assert_cmpuint (rate, ==, pt_audio_reader_rate (part));
  g_assert_cmpint (pt_audio_reader_read (whole, a, 3 * rate, NULL, &error), ==, 3 * rate);
  g_assert_cmpint (pt_audio_reader_read (part, b, rate, NULL, &error), ==, rate);
  g_assert_cmpmem (a + 2 * rate, rate * sizeof (float), b, rate * sizeof (float));
  g_assert_cmpfloat (fabs (pt_audio_reader_duration (part) - 11), <, 0.01);
}

static void
test_waveform (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtWaveform) waveform = pt_waveform_read (path, NULL, &error);
  g_autoptr (PtWaveform) none = NULL;
  guint loudest = 0;

  g_assert_no_error (error);
  g_assert_cmpfloat (fabs (waveform->duration - 11), <, 0.01);
  g_assert_cmpuint (waveform->n, ==, 11 * PT_WAVEFORM_RATE);
  for (guint i = 0; i < waveform->n; i++)
    loudest = MAX (loudest, waveform->peaks[i]);
  g_assert_cmpuint (loudest, >, 100);
  none = pt_waveform_read ("/nowhere/at all.wav", NULL, &error);
  g_assert_null (none);
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/audio/media/m4a", "tone.m4a", test_tone);
  g_test_add_data_func ("/audio/media/webm", "tone.webm", test_tone);
  g_test_add_func ("/audio/media/cut", test_cut);
  g_test_add_func ("/audio/media/stop", test_stop);
  g_test_add_func ("/audio/media/start", test_start);
  g_test_add_func ("/audio/media/waveform", test_waveform);
  return g_test_run ();
}
