/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/speech-test.h"

#include <math.h>
#include <string.h>

#include <sndfile.h>

#include "tests/ui/fake-sound.h"
#include "ui/speech/dictation.h"
#include "ui/speech/recorder-bar.h"
#include "ui/speech/recordings.h"
#include "ui/sound/sound-choice.h"
#include "ui/sound/wav-file.h"

/* The microphone, and files that a killed program leaves behind. */

#define RATE 24000
#define MICROPHONE "audiotestsrc is-live=true"

static double
readable_seconds (const char *path)
{
  SF_INFO info = { 0 };
  SNDFILE *file = sf_open (path, SFM_READ, &info);

  g_assert_nonnull (file);
  sf_close (file);
  return (double) info.frames / info.samplerate;
}

static void
test_wav (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-wav-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.wav", NULL);
  g_autofree char *other = g_build_filename (folder, "b.wav", NULL);
  g_autofree gint16 *samples = g_new0 (gint16, RATE);
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  PterisWavFile *file = pteris_wav_create (path, RATE, &error);
  gsize size;

  g_assert_no_error (error);
  for (guint i = 0; i < 5; i++)
    g_assert_true (pteris_wav_append (file, samples, RATE / 2, NULL));
  /* As another program reads the file at any moment: less than a second is missing. */
  g_assert_cmpfloat (readable_seconds (path), >=, 1.5);
  g_assert_cmpfloat (pteris_wav_seconds (file), ==, 2.5);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  g_assert_cmpuint (size, ==, 44 + 5 * RATE);
  pteris_wav_close (file);
  g_assert_cmpfloat (readable_seconds (path), ==, 2.5);

  /* Killed in the middle of a sample, with a header that knows nothing yet. */
  memset (bytes + 40, 0, 4);
  g_assert_true (g_file_set_contents (other, bytes, (gssize) size - 1, NULL));
  g_assert_true (pteris_wav_repair (other));
  g_assert_cmpfloat_with_epsilon (readable_seconds (other), 2.5, 1e-3);
  /* A file with another header is not changed. */
  bytes[22] = 2;
  g_assert_true (g_file_set_contents (other, bytes, (gssize) size, NULL));
  g_assert_false (pteris_wav_repair (other));
  g_assert_false (pteris_wav_repair ("/nowhere.wav"));
  /* And nothing is written over. */
  g_assert_null (pteris_wav_create (path, RATE, &error));
  g_assert_nonnull (error);
}

#ifdef HAS_SOUND
/* One microphone, which is the default. */
static void
plug_microphone (FakeSoundFault fault)
{
  g_autoptr (PterisSoundDevice) device =
      pteris_sound_device_new (PTERIS_SOUND_MICROPHONE, "desk", "Desk", FALSE, NULL);

  fake_sound_unplug_all ();
  fake_sound_plug (PTERIS_SOUND_MICROPHONE, "desk", "Desk", TRUE, fault);
  pteris_sound_choice_set (PTERIS_SOUND_RECORDS, device);
}

static void
record (PterisWindow *window)
{
  pteris_window_show_page (window, "transcribe");
  gtk_widget_activate_action (GTK_WIDGET (window->transcribe_page), "page.record", NULL);
}

static PterisRecorderBar *
bar_of (PterisWindow *window)
{
  return PTERIS_RECORDER_BAR (nth (window->transcribe_page, PTERIS_TYPE_RECORDER_BAR, 0));
}

/* Text comes while it records; all that is said is in the file and, in the end, in the text. */
static void
test_dictation (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;
  double before;

  forget_everything ();
  fake.n_segments = 1000;
  fake.live = TRUE;
  window = open_window ();
  plug_microphone (FAKE_SOUND_WORKS);
  record (window);
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (says (bar_of (window), "Recording · 0:0") ||
              pteris_transcript_get_error (transcript, NULL) != NULL);
  g_assert_cmpstr (pteris_transcript_get_error (transcript, NULL), ==, NULL);
  wait_until (n_segments (transcript) >= 1);
  g_assert_cmpint (pteris_transcript_get_state (transcript), ==, PTERIS_TRANSCRIPT_RUNNING);
  before = readable_seconds (pteris_transcript_get_path (transcript));
  g_assert_cmpfloat (before, >, 2);

  /* Paused: nothing is added. */
  g_signal_emit_by_name (nth (bar_of (window), GTK_TYPE_BUTTON, 0), "clicked");
  wait_until (says (bar_of (window), "Recording paused"));
  g_signal_emit_by_name (nth (bar_of (window), GTK_TYPE_BUTTON, 0), "clicked");
  wait_until (says (bar_of (window), "Recording · "));
  g_signal_emit_by_name (nth (bar_of (window), GTK_TYPE_BUTTON, 1), "clicked");
  wait_until (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_DONE);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (bar_of (window))));
  g_assert_cmpfloat (readable_seconds (pteris_transcript_get_path (transcript)), >=, before);
  g_assert_cmpuint (n_segments (transcript), >=, 1);
  close_window (window);

  /* It is kept. */
  g_clear_object (&transcript);
  window = open_window ();
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (n_segments (transcript) >= 1);
  g_assert_cmpint (pteris_transcript_get_state (transcript), ==, PTERIS_TRANSCRIPT_DONE);
  close_window (window);
}

static void
begin_to_hear (PterisTranscript *transcript)
{
  wait_until (n_segments (transcript) >= 1 ||
              pteris_transcript_get_error (transcript, NULL) != NULL);
  g_assert_cmpstr (pteris_transcript_get_error (transcript, NULL), ==, NULL);
}

/* A model that streams: the text appears and grows during the recording. */
static void
test_streaming (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;

  forget_everything ();
  fake.n_segments = 2;
  fake.streams = TRUE;
  fake.step_ms = 60;
  window = open_window ();
  plug_microphone (FAKE_SOUND_WORKS);
  record (window);
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  begin_to_hear (transcript);
  /* A part of the first sentence, then all of it and a part of the next. */
  wait_until (n_segments (transcript) == 2);
  g_assert_true (pteris_transcript_is_live (transcript));
  g_assert_cmpint (pteris_transcript_get_state (transcript), ==, PTERIS_TRANSCRIPT_RUNNING);
  wait_until (says (window->transcribe_page, "And so, my fellow Americans."));
  g_signal_emit_by_name (nth (bar_of (window), GTK_TYPE_BUTTON, 1), "clicked");
  wait_until (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_DONE);
  /* Text that did not become a segment is dropped. */
  wait_until (n_segments (transcript) <= 2);
  g_assert_cmpuint (n_segments (transcript), >=, 1);
  close_window (window);
}

/* The model's process ends in the middle: the recording goes on until it is stopped, and nothing
 * is loaded again before the user asks for it. */
static void
test_crashed (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;
  double before;
  guint n, n_loads;

  forget_everything ();
  fake.n_segments = 2;
  fake.streams = TRUE;
  fake.step_ms = 60;
  fake.crash_at = 9;
  window = open_window ();
  plug_microphone (FAKE_SOUND_WORKS);
  record (window);
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  begin_to_hear (transcript);
  wait_until (says (bar_of (window), "Recording without transcription · 0:0"));
  n_loads = fake.n_loads;
  n = n_segments (transcript);
  before = readable_seconds (pteris_transcript_get_path (transcript));
  wait_until (readable_seconds (pteris_transcript_get_path (transcript)) > before + 1);
  g_assert_true (pteris_transcript_is_live (transcript));
  g_assert_null (pteris_transcript_get_error (transcript, NULL));

  g_signal_emit_by_name (nth (bar_of (window), GTK_TYPE_BUTTON, 1), "clicked");
  wait_until (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_PAUSED);
  g_assert_true (says (window->transcribe_page, "The process of “whisper” crashed."));
  g_assert_cmpuint (n_segments (transcript), ==, n);
  g_assert_cmpuint (fake.n_loads, ==, n_loads);
  fake.crash_at = 0;
  fake.streams = FALSE;
  pteris_transcript_queue_enqueue (window->queue, transcript);
  wait_until (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_DONE);
  close_window (window);
}

/* The window is closed, or the program killed, in the middle: the file is whole, the text goes on
 * when asked for. */
static void
test_broken_off (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  g_autofree char *path = NULL;
  PterisWindow *window;
  guint n;

  forget_everything ();
  fake.n_segments = 1000;
  fake.live = TRUE;
  window = open_window ();
  plug_microphone (FAKE_SOUND_WORKS);
  record (window);
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  begin_to_hear (transcript);
  path = g_strdup (pteris_transcript_get_path (transcript));
  n = n_segments (transcript);
  close_window (window);
  g_clear_object (&transcript);
  g_assert_cmpfloat (readable_seconds (path), >, 2);

  fake.n_segments = 2;
  window = open_window ();
  wait_until (count (pteris_transcript_queue_get_line (window->queue)) == 1);
  g_assert_cmpint (pteris_transcript_get_state (in_line (window, 0)), ==, PTERIS_TRANSCRIPT_PAUSED);
  pteris_transcript_queue_enqueue (window->queue, in_line (window, 0));
  wait_until (pteris_transcript_get_state (in_line (window, 0)) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (in_line (window, 0)), >=, n);
  close_window (window);
}

static void
press (gpointer root, const char *label)
{
  GtkWidget *button = gtk_widget_get_ancestor (find_label (root, label), GTK_TYPE_BUTTON);

  g_assert_nonnull (button);
  g_signal_emit_by_name (button, "clicked");
}

/* The microphone is unplugged: the recording so far is kept and transcribed, and there is a
   message. */
static void
test_vanishes (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;

  forget_everything ();
  fake.n_segments = 1000;
  fake.live = TRUE;
  window = open_window ();
  plug_microphone (FAKE_SOUND_LOST);
  record (window);
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (says (bar_of (window), "The microphone is no longer available: "));
  wait_until (pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (transcript), >=, 1);
  g_assert_cmpfloat (readable_seconds (pteris_transcript_get_path (transcript)), >, 0.3);

  /* Until somebody has seen it. */
  g_assert_true (says (bar_of (window), "Try Again"));
  gtk_widget_activate_action (GTK_WIDGET (bar_of (window)), "recorder.forget-error", NULL);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (bar_of (window))));
  close_window (window);
}

/* A muted microphone, or a silent element of the system. */
static void
test_silent (void)
{
  g_autofree char *path = NULL;
  PterisWindow *window;

  forget_everything ();
  fake.live = TRUE;
  window = open_window ();
  plug_microphone (FAKE_SOUND_QUIET);
  record (window);
  wait_until (count (window->queue) == 1);
  path = g_strdup (pteris_transcript_get_path (pteris_transcript_view_get_transcript (
      PTERIS_TRANSCRIPT_VIEW (nth (window->transcribe_page, PTERIS_TYPE_TRANSCRIPT_VIEW, 0)))));
  wait_until (says (bar_of (window), "No sound comes from the microphone."));
  g_assert_true (says (bar_of (window), "Recording · "));
  g_signal_emit_by_name (nth (bar_of (window), GTK_TYPE_BUTTON, 1), "clicked");
  wait_until (says (bar_of (window), "No sound came from the microphone."));
  g_assert_cmpuint (count (window->queue), ==, 0);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  close_window (window);
}

#endif

#ifdef PT_HAVE_GSTREAMER
/* The device opens but delivers no samples. */
static void
test_stalled (void)
{
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  pteris_settings_set_string (PTERIS_SETTING_RECORD_FROM, NULL);
  g_setenv ("PTERIS_AUDIO_SOURCE", "audiotestsrc is-live=true ! valve drop=true", TRUE);
  record (window);
  wait_until (says (bar_of (window), "Starting the microphone"));
  wait_until (says (bar_of (window), "it gives no audio."));
  g_assert_cmpuint (count (window->queue), ==, 0);
  close_window (window);
}
#endif

/* Without a microphone there is an error and no recording, and it can be tried again. */
static void
test_no_microphone (void)
{
  PterisWindow *window;

#ifdef HAS_SOUND
  fake_sound_unplug_all ();
#endif
  pteris_settings_set_string (PTERIS_SETTING_RECORD_FROM, NULL);
  g_setenv ("PTERIS_AUDIO_SOURCE", "filesrc location=/nowhere ! wavparse", TRUE);
  forget_everything ();
  fake.live = TRUE;
  window = open_window ();
  pteris_window_show_page (window, "transcribe");
  gtk_widget_activate_action (GTK_WIDGET (window->transcribe_page), "page.record", NULL);
#ifdef HAS_SOUND
  wait_until (says (window->transcribe_page, "No microphone available"));
#else
  wait_until (says (window->transcribe_page, "built without GStreamer"));
#endif
  g_assert_cmpuint (count (window->queue), ==, 0);
  g_assert_true (says (window->transcribe_page, "Try Again"));
  g_setenv ("PTERIS_AUDIO_SOURCE", MICROPHONE, TRUE);
#ifdef HAS_SOUND
  plug_microphone (FAKE_SOUND_WORKS);
  press (window->transcribe_page, "Try Again");
  wait_until (says (bar_of (window), "Recording · 0:0"));
  g_assert_false (says (bar_of (window), "No microphone available"));
  g_assert_cmpuint (count (window->queue), ==, 1);
#endif
  close_window (window);
}

static void
add_tests (void)
{
  g_test_add_func ("/speech/wav", test_wav);
#ifdef HAS_SOUND
  g_test_add_func ("/speech/dictation", test_dictation);
  g_test_add_func ("/speech/streaming", test_streaming);
  g_test_add_func ("/speech/crashed", test_crashed);
  g_test_add_func ("/speech/broken-off", test_broken_off);
  g_test_add_func ("/speech/vanishes", test_vanishes);
  g_test_add_func ("/speech/silent", test_silent);
#endif
#ifdef PT_HAVE_GSTREAMER
  g_test_add_func ("/speech/stalled", test_stalled);
#endif
  g_test_add_func ("/speech/no-microphone", test_no_microphone);
}

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_AUDIO_SOURCE", MICROPHONE, TRUE);
  g_setenv ("PTERIS_AUDIO_SINK", "fakesink sync=true", TRUE);
#ifdef HAS_SOUND
  fake_sound_begin ();
#endif
  return run_speech_tests ("pteris-speech-record-XXXXXX", add_tests, argc, argv);
}
