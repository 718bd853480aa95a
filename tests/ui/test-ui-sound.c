/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <glib/gstdio.h>

#include "tests/ui/wait.h"
#include "ui/sound/player.h"
#include "ui/sound/recorder.h"
#include "ui/sound/sound.h"
#include "ui/sound/wav-file.h"

/*
 * With GStreamer the sound goes to test elements, on Windows to the system's devices; without
 * devices there must be an error.
 */

#define RATE 16000

static char *
make_wav (const char *folder, double seconds)
{
  char *path = g_build_filename (folder, "t\xc3\xb6ne.wav", NULL);
  gsize n = (gsize) (seconds * RATE);
  g_autofree gint16 *samples = g_new0 (gint16, n);
  PterisWavFile *file = pteris_wav_create (path, RATE, NULL);

  for (gsize i = 0; i < n; i++)
    samples[i] = i % 80 < 40 ? 500 : -500;
  g_assert_true (pteris_wav_append (file, samples, n, NULL));
  pteris_wav_close (file);
  return path;
}

static void
test_player (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autofree char *path = make_wav (folder, 3);
  PterisPlayer *player = pteris_player_new ();

  pteris_player_set_path (player, path);
  pteris_player_play (player);
  g_assert_true (pteris_player_is_playing (player));
  wait_until (pteris_player_get_error (player) != NULL ||
              pteris_player_get_position (player) > 0.2);
  if (pteris_player_get_error (player) != NULL) {
    g_test_skip (pteris_player_get_error (player));
    g_assert_false (pteris_player_is_playing (player));
  } else {
    g_assert_cmpfloat_with_epsilon (pteris_player_get_duration (player), 3, 0.01);
    pteris_player_pause (player);
    g_assert_false (pteris_player_is_playing (player));
    pteris_player_seek (player, 2);
    pteris_player_set_speed (player, 2);
    pteris_player_play (player);
    wait_until (!pteris_player_is_playing (player));
    g_assert_null (pteris_player_get_error (player));
    g_assert_cmpfloat_with_epsilon (pteris_player_get_position (player), 3, 0.01);
  }
  g_object_unref (player);
  g_remove (path);
  g_rmdir (folder);
}

static void
test_missing (void)
{
  PterisPlayer *player = pteris_player_new ();

  pteris_player_set_path (player, "/nowhere.wav");
  pteris_player_play (player);
  g_assert_false (pteris_player_is_playing (player));
  g_assert_nonnull (pteris_player_get_error (player));
  g_object_unref (player);
}

/* Left in the middle of everything. */
static void
test_abandoned (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autofree char *path = make_wav (folder, 3);

  for (guint i = 0; i < 20; i++) {
    PterisPlayer *player = pteris_player_new ();

    pteris_player_set_path (player, path);
    pteris_player_play (player);
    pteris_player_seek (player, i % 3);
    g_usleep (i * 1000);
    g_object_unref (player);
  }
  g_usleep (G_USEC_PER_SEC / 2); /* their threads */
  g_remove (path);
  g_rmdir (folder);
}

static void
test_recorder (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "spoken.wav", NULL);
  PterisRecorder *recorder = pteris_recorder_new ();
  double seconds;

  pteris_recorder_start (recorder, path);
  wait_until (pteris_recorder_get_error (recorder) != NULL ||
              pteris_recorder_get_seconds (recorder) > 0.3);
  if (pteris_recorder_get_error (recorder) != NULL) {
    g_test_skip (pteris_recorder_get_error (recorder));
    g_assert_cmpint (pteris_recorder_get_state (recorder), ==, PTERIS_RECORDER_IDLE);
  } else {
    wait_until (pteris_recorder_get_state (recorder) == PTERIS_RECORDER_RECORDING);
    pteris_recorder_set_paused (recorder, TRUE);
    seconds = pteris_recorder_get_seconds (recorder);
    g_usleep (G_USEC_PER_SEC / 5);
    g_assert_cmpfloat (pteris_recorder_get_seconds (recorder), ==, seconds);
    pteris_recorder_set_paused (recorder, FALSE);
    wait_until (pteris_recorder_get_seconds (recorder) > seconds + 0.2);
    pteris_recorder_stop (recorder);
    g_assert_cmpint (pteris_recorder_get_state (recorder), ==, PTERIS_RECORDER_IDLE);
  }
  g_object_unref (recorder);
  g_remove (path);
  g_rmdir (folder);
}

#ifdef PT_HAVE_GSTREAMER
/* Everything that could be heard is out of the way but PulseAudio's, which is nowhere. */
#define NO_HARDWARE                                                                        \
  "alsasink:NONE,alsasrc:NONE,pipewiresink:NONE,pipewiresrc:NONE,jackaudiosink:NONE,"      \
  "jackaudiosrc:NONE,osssink:NONE,osssrc:NONE,oss4sink:NONE,oss4src:NONE,openalsink:NONE," \
  "openalsrc:NONE"

static const struct {
  const char *ranks, *server;
  const char *unplayed, *unrecorded; /* in the errors of a player and a recorder */
} NO_SOUND[] = {
  { NO_HARDWARE, "unix:/nowhere", "no loudspeaker or headphones are connected, or the sound",
    "none is connected, or the sound service" },
  { NO_HARDWARE, NULL, "has no sound service. Install the package p",
    "has no sound service. Install the package p" },
  { NO_HARDWARE ",pulsesink:NONE,pulsesrc:NONE", NULL,
    "no plug-in for the sound of this computer. Install the package g",
    "no plug-in for the sound of this computer. Install the package g" },
};

/* In a separate process: GStreamer looks for plug-ins when it starts. */
static void
test_no_sound (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *folder = NULL, *path = NULL, *spoken = NULL;
  PterisRecorder *recorder;
  PterisPlayer *player;

  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_passed ();
    return;
  }
  g_setenv ("GST_PLUGIN_FEATURE_RANK", NO_SOUND[i].ranks, TRUE);
  g_setenv ("XDG_RUNTIME_DIR", "/nowhere", TRUE);
  g_setenv ("PATH", "/nowhere", TRUE);
  g_unsetenv ("PTERIS_AUDIO_SOURCE");
  g_unsetenv ("PTERIS_AUDIO_SINK");
  g_unsetenv ("PULSE_SERVER");
  if (NO_SOUND[i].server != NULL)
    g_setenv ("PULSE_SERVER", NO_SOUND[i].server, TRUE);
  folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  path = make_wav (folder, 3);
  spoken = g_build_filename (folder, "spoken.wav", NULL);

  player = pteris_player_new ();
  pteris_player_set_path (player, path);
  pteris_player_play (player);
  wait_until (pteris_player_get_error (player) != NULL);
  g_assert_nonnull (strstr (pteris_player_get_error (player), NO_SOUND[i].unplayed));
  g_assert_false (pteris_player_is_playing (player));

  recorder = pteris_recorder_new ();
  pteris_recorder_start (recorder, spoken);
  wait_until (pteris_recorder_get_error (recorder) != NULL);
  g_assert_nonnull (strstr (pteris_recorder_get_error (recorder), NO_SOUND[i].unrecorded));
  g_assert_cmpint (pteris_recorder_get_state (recorder), ==, PTERIS_RECORDER_IDLE);
  g_assert_false (g_file_test (spoken, G_FILE_TEST_EXISTS));

  g_object_unref (player);
  g_object_unref (recorder);
  g_remove (path);
  g_rmdir (folder);
}

static gpointer
prepare (gpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (pteris_sound_prepare (&error));
  g_assert_no_error (error);
  return NULL;
}

/* Several lists of devices at once, at the first start and without a plug-in for devices. */
static void
test_prepare (void)
{
  g_autofree char *folder = NULL, *registry = NULL;
  GThread *threads[8];

  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_passed ();
    return;
  }
  folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  registry = g_build_filename (folder, "registry.bin", NULL);
  g_setenv ("GST_REGISTRY", registry, TRUE);
  g_setenv ("GST_PLUGIN_FEATURE_RANK", NO_SOUND[2].ranks, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("prepare", prepare, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_remove (registry);
  g_rmdir (folder);
}
#endif

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_AUDIO_SOURCE", "audiotestsrc is-live=true", TRUE);
  g_setenv ("PTERIS_AUDIO_SINK", "fakesink sync=true", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sound/player", test_player);
  g_test_add_func ("/sound/missing", test_missing);
  g_test_add_func ("/sound/abandoned", test_abandoned);
  g_test_add_func ("/sound/recorder", test_recorder);
#ifdef PT_HAVE_GSTREAMER
  g_test_add_func ("/sound/prepare", test_prepare);
  g_test_add_data_func ("/sound/no-device", GUINT_TO_POINTER (0), test_no_sound);
  g_test_add_data_func ("/sound/no-service", GUINT_TO_POINTER (1), test_no_sound);
  g_test_add_data_func ("/sound/no-plug-in", GUINT_TO_POINTER (2), test_no_sound);
#endif
  return g_test_run ();
}
