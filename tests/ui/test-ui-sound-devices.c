/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <glib/gstdio.h>

#include "tests/ui/fake-sound.h"
#include "tests/ui/wait.h"
#include "ui/settings.h"
#include "ui/sound/player.h"
#include "ui/sound/recorder.h"
#include "ui/sound/sound-choice.h"
#include "ui/sound/wav-file.h"

/* Devices that are chosen, gone, lost, or refuse; all of them are plugged in by the tests. */

#define RATE 16000

static char *folder;

static void
plug_usual (void)
{
  fake_sound_unplug_all ();
  fake_sound_plug (PTERIS_SOUND_MICROPHONE, "array", "Microphone Array", TRUE, FAKE_SOUND_WORKS);
  fake_sound_plug (PTERIS_SOUND_MICROPHONE, "usb", "J\xc3\xbcrgen's USB", FALSE, FAKE_SOUND_WORKS);
  fake_sound_plug (PTERIS_SOUND_OUTPUT, "speakers", "Speakers", FALSE, FAKE_SOUND_WORKS);
  fake_sound_plug (PTERIS_SOUND_OUTPUT, "headset", "Headset", TRUE, FAKE_SOUND_WORKS);
}

static void
choose (PterisSoundUse use, PterisSoundKind kind, const char *id, const char *name)
{
  g_autoptr (PterisSoundDevice) device = pteris_sound_device_new (kind, id, name, FALSE, NULL);

  pteris_sound_choice_set (use, device);
}

static const PterisSoundDevice *
nth_of (GPtrArray *devices, guint i)
{
  return devices->pdata[i];
}

static void
test_list (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) microphones = NULL, outputs = NULL, played = NULL;
  g_autofree char *loopback = fake_sound_loopback_id ("headset");

  plug_usual ();
  g_assert_true (pteris_sound_prepare (&error));
  microphones = pteris_sound_list (PTERIS_SOUND_MICROPHONE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (microphones->len, ==, 2);
  g_assert_cmpstr (nth_of (microphones, 0)->id, ==, "array");
  g_assert_true (nth_of (microphones, 0)->is_default);
  g_assert_cmpstr (nth_of (microphones, 1)->name, ==, "J\xc3\xbcrgen's USB");
  g_assert_false (nth_of (microphones, 1)->is_default);

  outputs = pteris_sound_list (PTERIS_SOUND_OUTPUT, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (outputs->len, ==, 2);
  g_assert_cmpint (nth_of (outputs, 0)->kind, ==, PTERIS_SOUND_OUTPUT);
  g_assert_true (nth_of (outputs, 1)->is_default);

  /* What an output plays has the output's name, on both systems. */
  played = pteris_sound_list (PTERIS_SOUND_COMPUTER, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (played->len, ==, 2);
  g_assert_cmpstr (nth_of (played, 1)->id, ==, loopback);
  g_assert_cmpstr (nth_of (played, 1)->name, ==, "Headset");
  g_assert_true (nth_of (played, 1)->is_default);
  g_assert_false (nth_of (played, 0)->is_default);
}

static void
test_remembered (void)
{
  g_autoptr (PterisSoundDevice) before = pteris_sound_choice_get (PTERIS_SOUND_RECORDS);
  g_autoptr (PterisSoundDevice) chosen = NULL, again = NULL, output = NULL;

  g_assert_cmpint (before->kind, ==, PTERIS_SOUND_MICROPHONE);
  g_assert_null (before->id);
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_COMPUTER, "a:b", "Speakers");
  chosen = pteris_sound_choice_get (PTERIS_SOUND_RECORDS);
  g_assert_cmpint (chosen->kind, ==, PTERIS_SOUND_COMPUTER);
  g_assert_cmpstr (chosen->id, ==, "a:b");
  g_assert_cmpstr (chosen->name, ==, "Speakers");
  choose (PTERIS_SOUND_PLAYS, PTERIS_SOUND_OUTPUT, "speakers", "Speakers");
  output = pteris_sound_choice_get (PTERIS_SOUND_PLAYS);
  g_assert_cmpstr (output->id, ==, "speakers");
  /* A setting that makes no sense is the default. */
  pteris_settings_set_string (PTERIS_SETTING_RECORD_FROM, "output:speakers");
  again = pteris_sound_choice_get (PTERIS_SOUND_RECORDS);
  g_assert_cmpint (again->kind, ==, PTERIS_SOUND_MICROPHONE);
  g_assert_null (again->id);
}

/* ---- recording ---- */

/* Records until there is half a second, or an error. Free with g_object_unref(). */
static PterisRecorder *
record (const char *path)
{
  PterisRecorder *recorder = pteris_recorder_new ();

  g_remove (path);
  pteris_recorder_start (recorder, path);
  wait_until (pteris_recorder_get_error (recorder) != NULL ||
              pteris_recorder_get_seconds (recorder) > 0.5);
  return recorder;
}

static void
test_chosen (void)
{
  g_autofree char *path = g_build_filename (folder, "chosen.wav", NULL);
  PterisRecorder *recorder;

  plug_usual ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_MICROPHONE, "usb", "J\xc3\xbcrgen's USB");
  recorder = record (path);
  g_assert_cmpstr (pteris_recorder_get_error (recorder), ==, NULL);
  g_assert_cmpstr (pteris_recorder_get_note (recorder), ==, NULL);
  g_assert_cmpfloat (fake_sound_seconds ("usb"), >, 0.4);
  g_assert_cmpfloat (fake_sound_seconds ("array"), ==, 0);
  g_assert_false (pteris_recorder_is_silent (recorder));
  g_object_unref (recorder);
  g_assert_cmpuint (fake_sound_n_open (), ==, 0);
}

/* The remembered microphone is at home: the default one records, and that is said. */
static void
test_gone (void)
{
  g_autofree char *path = g_build_filename (folder, "gone.wav", NULL);
  PterisRecorder *recorder;

  plug_usual ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_MICROPHONE, "elsewhere", "Studio");
  recorder = record (path);
  g_assert_cmpstr (pteris_recorder_get_error (recorder), ==, NULL);
  g_assert_cmpstr (pteris_recorder_get_note (recorder), ==,
                   "“Studio” is not connected. The default microphone is used.");
  g_object_unref (recorder);

  /* The next time it is there, and nothing is said. */
  fake_sound_plug (PTERIS_SOUND_MICROPHONE, "elsewhere", "Studio", FALSE, FAKE_SOUND_WORKS);
  recorder = record (path);
  g_assert_cmpstr (pteris_recorder_get_note (recorder), ==, NULL);
  g_assert_cmpfloat (fake_sound_seconds ("elsewhere"), >, 0.4);
  g_object_unref (recorder);
}

/* What the default output plays, without choosing which. */
static void
test_computer (void)
{
  g_autofree char *path = g_build_filename (folder, "computer.wav", NULL);
  g_autofree char *loopback = fake_sound_loopback_id ("headset");
  PterisRecorder *recorder;

  plug_usual ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_COMPUTER, NULL, NULL);
  recorder = record (path);
  g_assert_cmpstr (pteris_recorder_get_error (recorder), ==, NULL);
  g_assert_cmpint (pteris_recorder_get_kind (recorder), ==, PTERIS_SOUND_COMPUTER);
  g_assert_cmpfloat (fake_sound_seconds (loopback), >, 0.4);
  g_object_unref (recorder);

  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_COMPUTER, "elsewhere", "Hall");
  recorder = record (path);
  g_assert_cmpstr (pteris_recorder_get_note (recorder), ==,
                   "“Hall” is not connected. What the default output plays is recorded.");
  g_object_unref (recorder);
}

#ifdef PT_HAVE_GSTREAMER
/* The sound service goes on with another device when one is gone. */
static void
test_moved (void)
{
  g_autofree char *path = g_build_filename (folder, "moved.wav", NULL);
  PterisRecorder *recorder;

  plug_usual ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_COMPUTER, NULL, NULL);
  recorder = record (path);
  fake_sound_move ("speakers.monitor");
  g_assert_cmpint (pteris_recorder_get_state (recorder), !=, PTERIS_RECORDER_IDLE);
  /* A microphone is not what the user wanted to record. */
  fake_sound_move ("array");
  wait_until (pteris_recorder_get_error (recorder) != NULL);
  g_assert_nonnull (strstr (pteris_recorder_get_error (recorder), "the device was disconnected"));
  g_object_unref (recorder);

  /* But one microphone in place of another. */
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_MICROPHONE, "usb", "USB");
  recorder = record (path);
  fake_sound_move ("array");
  wait_until (pteris_recorder_get_error (recorder) != NULL ||
              pteris_recorder_get_seconds (recorder) > 1);
  g_assert_cmpstr (pteris_recorder_get_error (recorder), ==, NULL);
  g_object_unref (recorder);
}
#endif

/* A pause of what is played is as long in the recording. */
static void
test_quiet (void)
{
  g_autofree char *path = g_build_filename (folder, "quiet.wav", NULL);
  PterisRecorder *recorder;

  fake_sound_unplug_all ();
  fake_sound_plug (PTERIS_SOUND_OUTPUT, "speakers", "Speakers", TRUE, FAKE_SOUND_QUIET);
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_COMPUTER, NULL, NULL);
  recorder = record (path);
  g_assert_cmpstr (pteris_recorder_get_error (recorder), ==, NULL);
  wait_until (pteris_recorder_is_silent (recorder));
  g_object_unref (recorder);
}

/* ---- what fails ---- */

typedef struct {
  FakeSoundFault fault;
  PterisSoundKind kind; /* that is recorded, or PTERIS_SOUND_OUTPUT: played */
  const char *says[2];  /* the cause, and what to do next */
} Failure;

#ifdef G_OS_WIN32
#define ALLOW "Open Settings → Privacy & security → Microphone"
#define LOST "disconnected or turned off. Connect it again or choose another one"
#else
#define ALLOW "Allow sound for Pteris in the system's privacy settings"
#define LOST "the device was disconnected"
#endif

static const Failure FAILURES[] = {
  { FAKE_SOUND_REFUSES_FORMAT,
    PTERIS_SOUND_MICROPHONE,
    { "No microphone available: the device refuses the format", "Choose another one" } },
  { FAKE_SOUND_DENIED, PTERIS_SOUND_MICROPHONE, { "No microphone available: ", ALLOW } },
  { FAKE_SOUND_BUSY,
    PTERIS_SOUND_MICROPHONE,
    { "another program uses the device alone", "Close that program" } },
  { FAKE_SOUND_LOST, PTERIS_SOUND_MICROPHONE, { "The microphone is no longer available: ", LOST } },
  { FAKE_SOUND_LOST,
    PTERIS_SOUND_COMPUTER,
    { "What the computer plays can no longer be recorded: ", LOST } },
  { FAKE_SOUND_REFUSES_FORMAT,
    PTERIS_SOUND_COMPUTER,
    { "What the computer plays cannot be recorded: ", "Choose another one" } },
  { FAKE_SOUND_LOST, PTERIS_SOUND_OUTPUT, { "The recording cannot be played: ", LOST } },
  { FAKE_SOUND_REFUSES_FORMAT,
    PTERIS_SOUND_OUTPUT,
    { "The recording cannot be played: the device refuses", "Choose another one" } },
  { FAKE_SOUND_BUSY,
    PTERIS_SOUND_OUTPUT,
    { "another program uses the device alone", "Close that program" } },
};

static char *
make_tone (void)
{
  char *path = g_build_filename (folder, "tone.wav", NULL);
  g_autofree gint16 *samples = g_new (gint16, 2 * RATE);
  PterisWavFile *file;

  g_remove (path);
  file = pteris_wav_create (path, RATE, NULL);
  for (gsize i = 0; i < 2 * RATE; i++)
    samples[i] = i % 80 < 40 ? 500 : -500;
  g_assert_true (pteris_wav_append (file, samples, 2 * RATE, NULL));
  pteris_wav_close (file);
  return path;
}

static void
fail_to_play (const Failure *failure)
{
  g_autofree char *path = make_tone ();
  PterisPlayer *player = pteris_player_new ();
  const char *error;

  choose (PTERIS_SOUND_PLAYS, PTERIS_SOUND_OUTPUT, "bad", "Bad");
  pteris_player_set_path (player, path);
  pteris_player_play (player);
  wait_until (pteris_player_get_error (player) != NULL);
  error = pteris_player_get_error (player);
  g_assert_nonnull (strstr (error, failure->says[0]));
  g_assert_nonnull (strstr (error, failure->says[1]));
  g_assert_false (pteris_player_is_playing (player));
  g_object_unref (player);
}

static void
fail_to_record (const Failure *failure)
{
  g_autofree char *path = g_build_filename (folder, "failed.wav", NULL);
  g_autofree char *id =
      failure->kind == PTERIS_SOUND_COMPUTER ? fake_sound_loopback_id ("bad") : g_strdup ("bad");
  PterisRecorder *recorder = pteris_recorder_new ();
  const char *error;

  choose (PTERIS_SOUND_RECORDS, failure->kind, id, "Bad");
  g_remove (path);
  pteris_recorder_start (recorder, path);
  wait_until (pteris_recorder_get_error (recorder) != NULL);
  error = pteris_recorder_get_error (recorder);
  g_assert_nonnull (strstr (error, failure->says[0]));
  g_assert_nonnull (strstr (error, failure->says[1]));
  g_assert_cmpint (pteris_recorder_get_state (recorder), ==, PTERIS_RECORDER_IDLE);
  /* What was recorded is kept, and nothing else. */
  if (failure->fault == FAKE_SOUND_LOST) {
    g_assert_cmpfloat (pteris_recorder_get_seconds (recorder), >, 0.3);
    g_assert_nonnull (strstr (error, "The audio recorded so far is kept."));
  }
  g_assert_cmpint (g_file_test (path, G_FILE_TEST_EXISTS), ==, failure->fault == FAKE_SOUND_LOST);
  g_object_unref (recorder);
}

static void
test_failure (gconstpointer data)
{
  const Failure *failure = data;

  plug_usual ();
  fake_sound_plug (failure->kind == PTERIS_SOUND_MICROPHONE ? PTERIS_SOUND_MICROPHONE
                                                            : PTERIS_SOUND_OUTPUT,
                   "bad", "Bad", FALSE, failure->fault);
  if (failure->kind == PTERIS_SOUND_OUTPUT)
    fail_to_play (failure);
  else
    fail_to_record (failure);
  wait_until (fake_sound_n_open () == 0);
}

/* ---- no device at all ---- */

static void
test_no_device (void)
{
  g_autofree char *path = g_build_filename (folder, "none.wav", NULL);
  PterisRecorder *recorder;

  fake_sound_unplug_all ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_COMPUTER, NULL, NULL);
  recorder = record (path);
  g_assert_nonnull (strstr (pteris_recorder_get_error (recorder),
                            "What the computer plays cannot be recorded: no "));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_object_unref (recorder);
#ifdef G_OS_WIN32
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_MICROPHONE, NULL, NULL);
  recorder = record (path);
  g_assert_nonnull (strstr (pteris_recorder_get_error (recorder),
                            "No microphone available: none is connected. Connect one, or turn it"));
  g_object_unref (recorder);
#endif
}

/* ---- playing ---- */

static void
test_output (void)
{
  g_autofree char *path = make_tone ();
  PterisPlayer *player = pteris_player_new ();

  plug_usual ();
  choose (PTERIS_SOUND_PLAYS, PTERIS_SOUND_OUTPUT, "speakers", "Speakers");
  pteris_player_set_path (player, path);
  pteris_player_play (player);
  wait_until (!pteris_player_is_playing (player));
  g_assert_cmpstr (pteris_player_get_error (player), ==, NULL);
  g_assert_cmpstr (pteris_player_get_note (player), ==, NULL);
  g_assert_cmpfloat_with_epsilon (pteris_player_get_position (player), 2, 0.01);
  /* All of it, on this one. */
  g_assert_cmpfloat (fake_sound_seconds ("speakers"), >, 1.9);
  g_assert_cmpfloat (fake_sound_seconds ("speakers"), <, 2.2);
  g_assert_cmpfloat (fake_sound_seconds ("headset"), ==, 0);

  choose (PTERIS_SOUND_PLAYS, PTERIS_SOUND_OUTPUT, "elsewhere", "Hall");
  pteris_player_play (player);
  wait_until (pteris_player_get_position (player) > 0.2 &&
              pteris_player_get_position (player) < 1.9);
  g_assert_cmpstr (pteris_player_get_note (player), ==,
                   "“Hall” is not connected. The default output is used.");
  g_object_unref (player);
  wait_until (fake_sound_n_open () == 0);
}

int
main (int argc, char **argv)
{
  int status;

  g_setenv ("PTERIS_AUDIO_SOURCE", "audiotestsrc is-live=true", TRUE);
  g_setenv ("PTERIS_AUDIO_SINK", "fakesink sync=true", TRUE);
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  fake_sound_begin ();
  g_test_add_func ("/sound-devices/list", test_list);
  g_test_add_func ("/sound-devices/remembered", test_remembered);
  g_test_add_func ("/sound-devices/chosen", test_chosen);
  g_test_add_func ("/sound-devices/gone", test_gone);
  g_test_add_func ("/sound-devices/computer", test_computer);
  g_test_add_func ("/sound-devices/quiet", test_quiet);
#ifdef PT_HAVE_GSTREAMER
  g_test_add_func ("/sound-devices/moved", test_moved);
#endif
  for (guint i = 0; i < G_N_ELEMENTS (FAILURES); i++) {
    g_autofree char *name = g_strdup_printf ("/sound-devices/failure/%u", i);

    g_test_add_data_func (name, &FAILURES[i], test_failure);
  }
  g_test_add_func ("/sound-devices/no-device", test_no_device);
  g_test_add_func ("/sound-devices/output", test_output);
  status = g_test_run ();
  g_free (folder);
  return status;
}
