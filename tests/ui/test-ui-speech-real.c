/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <sndfile.h>

#include "tests/ui/window-test.h"
#include "ui/window/application.h"
#include "ui/speech/recordings.h"
#include "ui/speech/transcript-queue.h"

/*
 * The window over the real engine with the starter model for speech, where that is: in the folder
 * PTERIS_MODELS, else in the user's own. Skipped otherwise.
 */

static char *self_path;

static gboolean
has_model (void)
{
  g_autoptr (GPtrArray) models = pt_library_scan (NULL);

  for (guint i = 0; models != NULL && i < models->len; i++)
    if (g_str_equal (((PtModelInfo *) models->pdata[i])->task, "transcribe"))
      return TRUE;
  g_test_skip ("there is no speech model");
  return FALSE;
}

static char *
speech (void)
{
  return g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
}

/* The same words again and again, for more than a minute. */
static char *
make_long (void)
{
  g_autofree char *source = speech ();
  char *path = g_build_filename (g_get_user_data_dir (), "long.wav", NULL);
  SF_INFO info = { 0 };
  SNDFILE *in = sf_open (source, SFM_READ, &info), *out;
  sf_count_t n = info.frames;
  g_autofree short *frames = g_new (short, (gsize) info.frames *(gsize) info.channels);

  g_assert_cmpint (sf_readf_short (in, frames, n), ==, n);
  out = sf_open (path, SFM_WRITE, &info);
  for (guint i = 0; i < 8; i++)
    g_assert_cmpint (sf_writef_short (out, frames, n), ==, n);
  sf_close (in);
  sf_close (out);
  return path;
}

static PterisTranscript *
newest (PterisWindow *window)
{
  g_autoptr (PterisTranscript) transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);

  return transcript; /* the list holds it */
}

static guint
n_segments (PterisTranscript *transcript)
{
  return g_list_model_get_n_items (pteris_transcript_get_segments (transcript));
}

static void
drop (PterisWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GSList list = { .data = file };

  pteris_window_open_files (window, &list);
  wait_until (newest (window) != NULL &&
              g_str_equal (pteris_transcript_get_path (newest (window)), g_file_peek_path (file)));
}

static gboolean
is_done (PterisTranscript *transcript)
{
  g_assert_cmpstr (pteris_transcript_get_error (transcript, NULL), ==, NULL);
  return pteris_transcript_get_state (transcript) == PTERIS_TRANSCRIPT_DONE;
}

static void
test_drop (void)
{
  g_autofree char *path = speech ();
  PterisWindow *window;

  if (!has_model ())
    return;
  window = open_window ();
  drop (window, path);
  wait_until (is_done (newest (window)));
  wait_until (says (window->transcribe_page, "ask not what your country can do for you"));
  wait_until (says (window->transcribe_page, "English"));
  close_window (window);
}

static void
use_model (PterisWindow *window)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (window->library));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (window->library), i);

    if (pteris_model_get_task (model) == PTERIS_TASK_TRANSCRIBE)
      pteris_window_pick_model (window, model);
  }
  wait_until (pteris_engine_client_get_state (speech_engine (window)) == PTERIS_MODEL_READY);
}

/* Killed in the middle: what had been on the screen is there, once, and the rest comes. */
static void
test_killed (void)
{
  g_autofree char *path = NULL, *text = NULL;
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GDataInputStream) output = NULL;
  g_autoptr (GError) error = NULL;
  PterisTranscript *transcript;
  PterisWindow *window;
  guint shown = 0, country = 0;

  if (!has_model ())
    return;
  path = make_long ();
  child =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, self_path, "--child", path, NULL);
  g_assert_no_error (error);
  output = g_data_input_stream_new (g_subprocess_get_stdout_pipe (child));
  while (shown == 0) {
    g_autofree char *line = g_data_input_stream_read_line (output, NULL, NULL, &error);

    g_assert_no_error (error);
    g_assert_nonnull (line);
    if (g_str_has_prefix (line, "SHOWN "))
      shown = (guint) g_ascii_strtoull (line + 6, NULL, 10);
  }
  g_subprocess_send_signal (child, SIGKILL);
  g_subprocess_wait (child, NULL, NULL);

  window = open_window ();
  wait_until (newest (window) != NULL);
  transcript = newest (window);
  g_assert_cmpstr (pteris_transcript_get_path (transcript), ==, path);
  pteris_transcript_load (transcript);
  wait_until (pteris_transcript_is_loaded (transcript));
  g_assert_cmpint (pteris_transcript_get_state (transcript), ==, PTERIS_TRANSCRIPT_PAUSED);
  g_assert_cmpuint (n_segments (transcript), >=, shown);
  /* A model that crashed is not loaded automatically. */
  use_model (window);
  pteris_transcript_queue_enqueue (window->queue, transcript);
  wait_until (is_done (transcript));
  text = pteris_transcript_format_plain (transcript);
  for (const char *at = strstr (text, "country"); at != NULL; at = strstr (at + 1, "country"))
    country++;
  /* Twice in each of the eight. */
  g_assert_cmpuint (country, >=, 15);
  g_assert_cmpuint (country, <=, 17);
  close_window (window);
}

#ifdef PT_HAVE_GSTREAMER
static void
test_dictation (void)
{
  g_autofree char *path = speech ();
  g_autofree char *source =
      g_strdup_printf ("filesrc location=\"%s\" ! wavparse ! identity sync=true", path);
  g_autofree char *text = NULL;
  PterisTranscript *transcript;
  PterisWindow *window;
  guint n;

  if (!has_model ())
    return;
  g_setenv ("PTERIS_AUDIO_SOURCE", source, TRUE);
  window = open_window ();
  n = g_list_model_get_n_items (G_LIST_MODEL (window->queue));
  gtk_widget_activate_action (GTK_WIDGET (window->transcribe_page), "page.record", NULL);
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->queue)) > n);
  transcript = newest (window);
  wait_until (n_segments (transcript) > 0 || is_done (transcript));
  /* During the recording. */
  g_assert_cmpint (pteris_transcript_get_state (transcript), ==, PTERIS_TRANSCRIPT_RUNNING);
  wait_until (is_done (transcript));
  text = pteris_transcript_format_plain (transcript);
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "fellow Americans"));
  g_assert_nonnull (strstr (text, "country"));
  close_window (window);
}
#endif

/* ---- what is killed ---- */

/* Two are enough: this process goes no further, and waits for its end. */
static void
on_segments (GListModel *segments)
{
  guint n = g_list_model_get_n_items (segments);

  if (n < 2)
    return;
  pteris_store_flush ();
  printf ("SHOWN %u\n", n);
  fflush (stdout);
  g_usleep (PATIENCE_S * G_USEC_PER_SEC);
}

static int
run_child (const char *path)
{
  PterisWindow *window = open_window ();

  drop (window, path);
  g_signal_connect (pteris_transcript_get_segments (newest (window)), "items-changed",
                    G_CALLBACK (on_segments), NULL);
  settle (PATIENCE_S * 1000);
  return 1;
}

/* The folder of the starter models. GLib would cache the user's home folder instead of the test's.
 */
static char *
models_folder (void)
{
  const char *chosen = g_getenv ("PTERIS_MODELS"), *data = g_getenv ("XDG_DATA_HOME");

  if (chosen != NULL)
    return g_strdup (chosen);
  if (data != NULL)
    return g_build_filename (data, "pteris", "models", NULL);
  return g_build_filename (g_get_home_dir (), ".local", "share", "pteris", "models", NULL);
}

int
main (int argc, char **argv)
{
  g_autofree char *models = models_folder ();
  g_autofree char *home = g_strdup (g_getenv ("PTERIS_TEST_HOME"));
  g_autoptr (GError) error = NULL;
  gboolean is_child = argc > 2 && g_str_equal (argv[1], "--child");
  int status;

  self_path = g_strdup (argv[0]);
  g_setenv ("PTERIS_MODELS", models, TRUE);
  if (home == NULL)
    home = g_dir_make_tmp ("pteris-real-XXXXXX", NULL);
  g_setenv ("PTERIS_TEST_HOME", home, TRUE);
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  gtk_test_init (&argc, &argv, NULL);
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  g_assert_no_error (error);
  if (is_child)
    return run_child (argv[2]);
  g_test_add_func ("/speech-real/drop", test_drop);
  g_test_add_func ("/speech-real/killed", test_killed);
#ifdef PT_HAVE_GSTREAMER
  g_test_add_func ("/speech-real/dictation", test_dictation);
#endif
  status = g_test_run ();
  g_object_unref (application);
  g_free (self_path);
  return status;
}
