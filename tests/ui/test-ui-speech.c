/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/speech-test.h"
#include "ui/history/history-row.h"
#include "ui/speech/queue-strip.h"
#include "ui/speech/recordings.h"
#include "ui/speech/segment-list.h"
#include "ui/speech/segment-row.h"
#include "ui/history/history-store.h"
#include "ui/speech/transcript-export.h"

/* The queue of recordings, the history of transcripts, and what becomes files. */

static PterisTranscriptState
state (PterisTranscript *transcript)
{
  return pteris_transcript_get_state (transcript);
}

static void
on_exported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (pteris_transcript_export_finish (PTERIS_TRANSCRIPT (source), result, &error));
  g_assert_no_error (error);
  *(gboolean *) user_data = TRUE;
}

static void
on_refused (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  g_assert_false (pteris_transcript_export_finish (PTERIS_TRANSCRIPT (source), result, &error));
  *(GError **) user_data = error;
}

/* A recording is never overwritten by text, even if the user chooses its name. */
static void
check_no_overwrite (PterisTranscript *transcript)
{
  static const char SOUND[] = "RIFF\x24\0\0\0WAVEfmt ";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "other.wav", NULL);
  g_autoptr (GFile) target = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  gsize size;

  g_assert_true (g_file_set_contents (path, SOUND, sizeof SOUND, NULL));
  pteris_transcript_export_async (transcript, target, PT_SUBTITLE_SRT, on_refused, &error);
  wait_until (error != NULL);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_assert_nonnull (strstr (error->message, "“other.wav” exists"));
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  g_assert_cmpmem (bytes, size, SOUND, sizeof SOUND);
  g_remove (path);
}

static void
test_transcribe (void)
{
  PterisWindow *window;
  g_autoptr (PterisTranscript) transcript = NULL;
  g_autoptr (GFile) target = NULL;
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "out.srt", NULL);
  g_autofree char *text = NULL;
  gboolean exported = FALSE;

  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "transcribe");
  g_assert_nonnull (nth (window->transcribe_page, PTERIS_TYPE_SEGMENT_ROW, 1));
  g_assert_true (says (window->transcribe_page, "0:05.0 – 0:09.6"));
  g_assert_true (says (window->transcribe_page, "ask what you can do for your country."));
  g_assert_true (says (window->transcribe_page, "English · 10 s of audio in 1.2 s"));

  target = g_file_new_for_path (path);
  pteris_transcript_export_async (transcript, target, PT_SUBTITLE_SRT, on_exported, &exported);
  wait_until (exported);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "1\n00:00:00,000 --> 00:00:04,600\nAnd so, my fellow"));
  check_no_overwrite (transcript);
  close_window (window);
}

static guint
n_labels (PterisWindow *window, const char *text)
{
  GtkWidget *label;
  guint n = 0;

  for (guint i = 0; (label = nth (window, GTK_TYPE_LABEL, i)) != NULL; i++)
    n +=
        gtk_widget_get_mapped (label) && g_str_equal (gtk_label_get_text (GTK_LABEL (label)), text);
  return n;
}

/* The row of the sidebar that says @title. */
static gboolean
is_marked (PterisWindow *window, const char *title)
{
  GtkWidget *label = find_label (window->sidebar, title);
  GtkWidget *row = label != NULL ? gtk_widget_get_ancestor (label, PTERIS_TYPE_HISTORY_ROW) : NULL;

  return row != NULL && gtk_widget_has_css_class (row, "current");
}

/* A recording is named in the list and above its text; a finished queue is one line. The shown
   transcript is marked. */
static void
test_page (void)
{
  const char *const paths[] = { "/r/a.mp3", "/r/b.mp3", "/r/c.mp3", NULL };
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;
  GtkWidget *strip, *list;

  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  strip = nth (window->transcribe_page, PTERIS_TYPE_QUEUE_STRIP, 0);
  list = nth (strip, GTK_TYPE_LIST_BOX, 0);
  g_assert_false (gtk_widget_get_visible (strip));
  g_assert_cmpuint (n_labels (window, "kennedy.wav"), ==, 2);
  g_assert_true (is_marked (window, "kennedy.wav"));
  g_assert_true (says (window->transcribe_page, "Export SRT"));

  fake.hold = TRUE;
  open_paths (window, paths);
  wait_until (count (window->queue) == 4 && n_segments (in_line (window, 1)) == 2);
  g_assert_true (gtk_widget_get_visible (strip));
  wait_until (gtk_widget_get_mapped (list));
  g_assert_true (says (strip, "1 of 4 done"));
  g_assert_true (is_marked (window, "a.mp3"));
  g_assert_false (is_marked (window, "kennedy.wav"));
  fake.hold = FALSE;
  pteris_transcript_queue_pause_all (window->queue);
  wait_until (pteris_transcript_queue_get_running (window->queue) == NULL);
  pteris_transcript_queue_resume_all (window->queue);
  wait_until (says (strip, "4 recordings done"));
  wait_until (!gtk_widget_get_mapped (list));
  g_assert_cmpuint (n_labels (window, "a.mp3"), ==, 2);
  /* It can be unfolded. */
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (nth (strip, GTK_TYPE_TOGGLE_BUTTON, 0)), TRUE);
  wait_until (gtk_widget_get_mapped (list));
  pteris_transcript_queue_clear_done (window->queue);
  g_assert_false (gtk_widget_get_visible (strip));
  close_window (window);
}

/* The last segment is on the screen when it comes, however many lines it has. */
static void
test_follows (void)
{
  const char *const paths[] = { "/recordings/long.mp3", NULL };
  GtkAdjustment *adjustment;
  PterisWindow *window;

  forget_everything ();
  fake.n_segments = 60;
  fake.step_ms = 10;
  window = open_window ();
  gtk_window_set_default_size (GTK_WINDOW (window), 480, 720);
  open_paths (window, paths);
  wait_until (count (window->queue) == 1 && state (in_line (window, 0)) == PTERIS_TRANSCRIPT_DONE);
  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (nth (
      nth (window->transcribe_page, PTERIS_TYPE_SEGMENT_LIST, 0), GTK_TYPE_SCROLLED_WINDOW, 0)));
  wait_until (gtk_adjustment_get_upper (adjustment) >
              2 * gtk_adjustment_get_page_size (adjustment));
  wait_until (gtk_adjustment_get_value (adjustment) + gtk_adjustment_get_page_size (adjustment) >=
              gtk_adjustment_get_upper (adjustment) - 1);
  /* After scrolling up, the view does not move. */
  gtk_adjustment_set_value (adjustment, 100);
  settle (100);
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), <,
                     gtk_adjustment_get_page_size (adjustment));
  close_window (window);
}

static double
left_of (PterisWindow *window, GType type)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (nth (window->transcribe_page, type, 0),
                                            GTK_WIDGET (window->transcribe_page), &bounds));
  return bounds.origin.x;
}

/* In a wide window the queue is beside the text. */
static void
test_wide (void)
{
  const char *const paths[] = { "/r/a.mp3", "/r/b.mp3", NULL };
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 2 && state (in_line (window, 1)) == PTERIS_TRANSCRIPT_DONE);
  wait_until (left_of (window, PTERIS_TYPE_TRANSCRIPT_VIEW) == 0);
  g_assert_cmpfloat (left_of (window, PTERIS_TYPE_QUEUE_STRIP), ==, 0);
  gtk_widget_set_size_request (GTK_WIDGET (window->transcribe_page), 1300, -1);
  wait_until (left_of (window, PTERIS_TYPE_QUEUE_STRIP) >= 860);
  gtk_widget_set_direction (GTK_WIDGET (window->transcribe_page), GTK_TEXT_DIR_RTL);
  wait_until (left_of (window, PTERIS_TYPE_QUEUE_STRIP) == 0);
  g_assert_cmpfloat (left_of (window, PTERIS_TYPE_TRANSCRIPT_VIEW), >, 300);
  close_window (window);
}

/* A file that is not a recording: the error offers another file, not another model, and no text. */
static void
test_no_recording (void)
{
  const char *const paths[] = { "/r/a.mp3", NULL };
  PterisTranscript *transcript;
  PterisWindow *window;

  forget_everything ();
  fake.fail_transcribe = 1;
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 1 &&
              state (in_line (window, 0)) == PTERIS_TRANSCRIPT_FAILED);
  transcript = in_line (window, 0);
  pteris_transcript_fail (transcript, PT_ERROR_FORMAT, "“a.mp3” is damaged.");
  wait_until (says (window->transcribe_page, "“a.mp3” is damaged."));
  g_assert_true (says (window->transcribe_page, "Open Another Recording…"));
  g_assert_false (says (window->transcribe_page, "Open Another Model…"));
  g_assert_false (says (window->transcribe_page, "The transcript appears here."));
  close_window (window);
}

static void
test_stop (void)
{
  const char *const paths[] = { "/recordings/long.mp3", NULL };
  PterisWindow *window;

  forget_everything ();
  fake.hold = TRUE;
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 1 && n_segments (in_line (window, 0)) == 2);
  act (window, "stop", NULL);
  wait_until (state (in_line (window, 0)) == PTERIS_TRANSCRIPT_STOPPED);
  g_assert_cmpuint (n_segments (in_line (window, 0)), ==, 2);
  close_window (window);
}

static void
on_finished (PterisTranscriptQueue *queue, guint n_done, guint n_failed, guint *figures)
{
  figures[0]++;
  figures[1] = n_done;
  figures[2] = n_failed;
}

/* A hundred recordings; one of them is damaged. */
static void
test_hundred (void)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  guint finished[3] = { 0 };
  PterisWindow *window;

  for (guint i = 0; i < 100; i++)
    g_ptr_array_add (paths, g_strdup_printf ("/recordings/%u.mp3", i));
  g_ptr_array_add (paths, NULL);
  forget_everything ();
  fake.step_ms = 1;
  fake.fail_transcribe = 3;
  window = open_window ();
  g_signal_connect (window->queue, "finished", G_CALLBACK (on_finished), finished);
  open_paths (window, (const char *const *) paths->pdata);
  wait_until (finished[0] == 1);
  g_assert_cmpuint (finished[1], ==, 99);
  g_assert_cmpuint (finished[2], ==, 1);
  g_assert_cmpint (state (in_line (window, 2)), ==, PTERIS_TRANSCRIPT_FAILED);
  g_assert_true (says (window->transcribe_page, "99 of 100 done · 1 failed"));
  pteris_transcript_queue_clear_done (window->queue);
  g_assert_cmpuint (count (pteris_transcript_queue_get_line (window->queue)), ==, 1);
  g_assert_cmpuint (count (window->queue), ==, 100);

  /* And it is tried again. */
  pteris_transcript_queue_enqueue (window->queue, in_line (window, 0));
  wait_until (finished[0] == 2);
  g_assert_cmpint (state (in_line (window, 0)), ==, PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (in_line (window, 0)), ==, 2);
  close_window (window);
}

/* A running transcription is paused and continued; waiting ones run meanwhile. */
static void
test_pause (void)
{
  const char *const paths[] = { "/recordings/a.mp3", "/recordings/b.mp3", NULL };
  PterisTranscript *first, *second;
  PterisWindow *window;

  forget_everything ();
  fake.n_segments = 4;
  fake.step_ms = 40;
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 2 && n_segments (in_line (window, 0)) == 2);
  first = in_line (window, 0);
  second = in_line (window, 1);
  pteris_transcript_queue_pause (window->queue, first);
  wait_until (state (first) == PTERIS_TRANSCRIPT_PAUSED);
  g_assert_true (says (window->transcribe_page, "Paused · "));
  fake.step_ms = 2;
  wait_until (state (second) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (second), ==, 4);
  g_assert_cmpuint (n_segments (first), <, 4);
  pteris_transcript_queue_enqueue (window->queue, first);
  wait_until (state (first) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (first), ==, 4);
  g_assert_cmpfloat (fake.audio_start, >=, 9);
  /* No segment is repeated or missing, and the detected language is kept. */
  g_assert_cmpstr (text_at (first, 2), ==,
                   "My fellow citizens of the world, ask not what America will do for you,");
  g_assert_cmpstr (fake.language, ==, "en");

  /* All at once. */
  fake.step_ms = 40;
  open_paths (window, paths);
  wait_until (count (window->queue) == 4 &&
              state (in_line (window, 2)) == PTERIS_TRANSCRIPT_RUNNING);
  pteris_transcript_queue_pause_all (window->queue);
  wait_until (pteris_transcript_queue_get_running (window->queue) == NULL);
  g_assert_cmpint (state (in_line (window, 3)), ==, PTERIS_TRANSCRIPT_PAUSED);
  settle (50);
  g_assert_cmpint (state (in_line (window, 2)), ==, PTERIS_TRANSCRIPT_PAUSED);
  fake.step_ms = 2;
  pteris_transcript_queue_resume_all (window->queue);
  wait_until (state (in_line (window, 3)) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpint (state (in_line (window, 2)), ==, PTERIS_TRANSCRIPT_DONE);
  close_window (window);
}

static void
test_order (void)
{
  const char *const paths[] = { "/r/a.mp3", "/r/b.mp3", "/r/c.mp3", NULL };
  g_autoptr (PterisTranscript) last = NULL;
  PterisWindow *window;

  forget_everything ();
  fake.hold = TRUE;
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 3 && n_segments (in_line (window, 0)) == 2);
  last = g_object_ref (in_line (window, 2));
  pteris_transcript_queue_move (window->queue, last, 1);
  g_assert_true (in_line (window, 1) == last);
  /* Moves with the keyboard, not beyond the end. */
  g_assert_true (last == in_line (window, 1));
  pteris_transcript_queue_move (window->queue, last, 99);
  g_assert_true (in_line (window, 2) == last);
  pteris_transcript_queue_move (window->queue, last, 0);
  g_assert_true (in_line (window, 0) == last);

  /* Deleted, and brought back, where it stood. */
  act_on (window, "delete-transcript", last);
  g_assert_cmpuint (count (window->queue), ==, 2);
  g_assert_cmpuint (count (pteris_transcript_queue_get_line (window->queue)), ==, 2);
  pteris_transcript_queue_put_back (window->queue, last);
  g_assert_true (in_line (window, 0) == last);
  close_window (window);
}

/* After the end of the program, however it came: what was not done is paused, with all that was
 * found, in the order of before. */
static void
test_restart (void)
{
  const char *const paths[] = { "/r/a.mp3", "/r/b.mp3", "/r/c.mp3", NULL };
  PterisTranscript *first;
  PterisWindow *window;

  forget_everything ();
  fake.n_segments = 3;
  fake.hold = TRUE;
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 3 && n_segments (in_line (window, 0)) == 3);
  pteris_transcript_queue_move (window->queue, in_line (window, 2), 1);
  close_window (window);

  fake.hold = FALSE;
  fake.n_segments = 4;
  window = open_window ();
  wait_until (count (pteris_transcript_queue_get_line (window->queue)) == 3);
  first = in_line (window, 0);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (state (in_line (window, i)), ==, PTERIS_TRANSCRIPT_PAUSED);
  g_assert_cmpstr (pteris_transcript_get_title (in_line (window, 1)), ==, "c.mp3");
  pteris_transcript_queue_enqueue (window->queue, first);
  wait_until (state (first) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (first), ==, 4);
  g_assert_cmpfloat (fake.audio_start, >=, 14);
  g_assert_cmpint (state (in_line (window, 1)), ==, PTERIS_TRANSCRIPT_PAUSED);
  close_window (window);
}

/* A recording that is opened with the window is added before the history is read; it is listed
   once. */
static void
test_at_start (void)
{
  const char *const old_paths[] = { "/s/old.mp3", NULL }, *const paths[] = { "/s/new.mp3", NULL };
  PterisTranscript *old;
  PterisWindow *window;

  forget_everything ();
  fake.n_segments = 2;
  window = open_window ();
  open_paths (window, old_paths);
  wait_until (count (window->queue) == 1);
  old = in_line (window, 0);
  wait_until (state (old) == PTERIS_TRANSCRIPT_DONE);
  close_window (window);

  window = pteris_window_new (application);
  open_paths (window, paths);
  gtk_window_present (GTK_WINDOW (window));
  wait_until (count (window->queue) == 2);
  settle (200);
  g_assert_cmpuint (count (window->queue), ==, 2);
  close_window (window);
}

/* ---- folders ---- */

static char *
make_file (const char *folder, const char *name)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_mkdir_with_parents (parent, 0700);
  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
  return path;
}

static void
test_folder (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-folder-XXXXXX", NULL);
  static const char *const names[] = { "10.wav",        "2.wav",  "notes.txt", "deep/er/c.M4A",
                                       ".hidden/d.wav", ".e.wav", "deep/f.mkv" };
  g_autofree char *loop = g_build_filename (folder, "deep", "loop", NULL);
  const char *const paths[] = { folder, NULL };
  PterisWindow *window;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_free (make_file (folder, names[i]));
#ifndef G_OS_WIN32
  g_assert_cmpint (symlink (folder, loop), ==, 0);
#endif
  forget_everything ();
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 4);
  g_assert_cmpstr (pteris_transcript_get_title (in_line (window, 0)), ==, "2.wav");
  g_assert_cmpstr (pteris_transcript_get_title (in_line (window, 1)), ==, "10.wav");
  settle (100);
  g_assert_cmpuint (count (window->queue), ==, 4);
  close_window (window);
}

/* ---- other settings ---- */

/* The old text is there until the new one is, and after it by undo. */
static void
test_again (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  pteris_transcript_edit (transcript, 0, "Mine", 0, 4);
  fake.n_segments = 3;
  fake.step_ms = 30;
  pteris_transcript_set_choices (transcript, "de", TRUE);
  pteris_transcript_queue_enqueue (window->queue, transcript);
  wait_until (state (transcript) == PTERIS_TRANSCRIPT_RUNNING &&
              pteris_transcript_get_until (transcript) > 4);
  g_assert_cmpuint (n_segments (transcript), ==, 2);
  g_assert_cmpstr (text_at (transcript, 0), ==, "Mine");
  g_assert_cmpstr (fake.language, ==, "de");
  g_assert_true (fake.translate);

  /* Given up: as if nothing had been. */
  pteris_transcript_queue_stop (window->queue, transcript);
  wait_until (state (transcript) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (transcript), ==, 2);

  /* Paused over a restart, and finished. */
  pteris_transcript_queue_enqueue (window->queue, transcript);
  wait_until (pteris_transcript_get_until (transcript) > 4);
  close_window (window);
  g_clear_object (&transcript);
  fake.step_ms = 2;
  window = open_window ();
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  g_assert_true (pteris_transcript_is_redo (transcript));
  pteris_transcript_queue_enqueue (window->queue, transcript);
  wait_until (state (transcript) == PTERIS_TRANSCRIPT_DONE);
  g_assert_cmpuint (n_segments (transcript), ==, 3);
  g_assert_true (g_str_has_prefix (text_at (transcript, 0), "And so"));
  pteris_transcript_undo (transcript);
  g_assert_cmpstr (text_at (transcript, 0), ==, "Mine");

  /* An error loses nothing either. */
  fake.fail_transcribe = fake.n_transcribes + 1;
  pteris_transcript_queue_enqueue (window->queue, transcript);
  wait_until (pteris_transcript_get_error (transcript, NULL) != NULL);
  g_assert_cmpstr (text_at (transcript, 0), ==, "Mine");
  close_window (window);
}

/* ---- files ---- */

static void
on_all_exported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  *(int *) user_data = pteris_transcripts_export_finish (result, &error);
  g_assert_no_error (error);
}

static void
test_export_all (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-export-XXXXXX", NULL);
  g_autofree char *second = g_build_filename (folder, "kennedy (2).vtt", NULL);
  g_autofree char *first = make_file (folder, "kennedy.vtt");
  g_autoptr (GFile) target = g_file_new_for_path (folder);
  g_autofree char *text = NULL, *old = NULL;
  g_autoptr (PterisTranscript) a = NULL, b = NULL;
  PterisWindow *window;
  int n = 0;

  forget_everything ();
  window = open_window ();
  a = transcribe_one (window);
  b = transcribe_one (window);
  pteris_transcript_set_title (b, "A/B: Kennedy");
  close_window (window);
  g_clear_object (&a);
  g_clear_object (&b);

  /* Exports transcripts of earlier days, too, whose segments are not in memory. */
  window = open_window ();
  wait_until (count (window->queue) == 2);
  pteris_transcripts_export_async (G_LIST_MODEL (window->queue), target, PT_SUBTITLE_VTT, NULL,
                                   on_all_exported, &n);
  wait_until (n == 2);
  g_assert_true (g_file_get_contents (second, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "WEBVTT"));
  g_assert_nonnull (strstr (text, "ask what you can do"));
  g_assert_true (g_file_get_contents (first, &old, NULL, NULL));
  g_assert_cmpstr (old, ==, "x");
  g_clear_pointer (&text, g_free);
  text = g_build_filename (folder, "A-B- Kennedy.vtt", NULL);
  g_assert_true (g_file_test (text, G_FILE_TEST_EXISTS));
  close_window (window);
}

/* ---- the history ---- */

/* The number of listed ones. */
static guint
n_found (PterisWindow *window, const char *query)
{
  g_autoptr (GPtrArray) hits = pteris_store_search (query, "transcript", NULL);
  guint n = 0;

  g_assert_nonnull (hits);
  for (guint i = 0; i < hits->len; i++)
    n +=
        pteris_transcript_queue_find (window->queue, ((PterisHit *) hits->pdata[i])->owner) != NULL;
  return n;
}

static void
test_history (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  pteris_transcript_set_title (transcript, "  Inauguration ");
  pteris_transcript_edit (transcript, 0, "Ferns unfurl", 0, 4);
  g_assert_cmpuint (n_found (window, "inaug"), ==, 1);
  g_assert_cmpuint (n_found (window, "ferns"), ==, 1);
  g_assert_cmpuint (n_found (window, "fellow"), ==, 0);
  close_window (window);
  g_clear_object (&transcript);

  window = open_window ();
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  g_assert_cmpstr (pteris_transcript_get_title (transcript), ==, "Inauguration");
  pteris_window_show_page (window, "transcribe");
  wait_until (says (window->sidebar, "Inauguration") && says (window->sidebar, "Today"));
  gtk_editable_set_text (GTK_EDITABLE (nth (window->sidebar, GTK_TYPE_SEARCH_ENTRY, 1)), "fern");
  wait_until (!says (window->sidebar, "Today"));
  g_assert_true (says (window->sidebar, "Inauguration"));
  gtk_editable_set_text (GTK_EDITABLE (nth (window->sidebar, GTK_TYPE_SEARCH_ENTRY, 1)), "oaks");
  wait_until (says (window->sidebar, "No matching transcripts."));
  act_on (window, "open-transcript", transcript);
  wait_until (n_segments (transcript) == 2);
  g_assert_cmpstr (text_at (transcript, 0), ==, "Ferns unfurl");
  act_on (window, "delete-transcript", transcript);
  close_window (window);
  g_clear_object (&transcript);

  window = open_window ();
  settle (100);
  g_assert_cmpuint (count (window->queue), ==, 0);
  g_assert_cmpuint (n_found (window, "ferns"), ==, 0);
  close_window (window);
}

static void
add_tests (void)
{
  g_test_add_func ("/speech/transcribe", test_transcribe);
  g_test_add_func ("/speech/page", test_page);
  g_test_add_func ("/speech/follows", test_follows);
  g_test_add_func ("/speech/wide", test_wide);
  g_test_add_func ("/speech/no-recording", test_no_recording);
  g_test_add_func ("/speech/stop", test_stop);
  g_test_add_func ("/speech/hundred", test_hundred);
  g_test_add_func ("/speech/pause", test_pause);
  g_test_add_func ("/speech/order", test_order);
  g_test_add_func ("/speech/restart", test_restart);
  g_test_add_func ("/speech/at-start", test_at_start);
  g_test_add_func ("/speech/folder", test_folder);
  g_test_add_func ("/speech/again", test_again);
  g_test_add_func ("/speech/export-all", test_export_all);
  g_test_add_func ("/speech/history", test_history);
}

int
main (int argc, char **argv)
{
  return run_speech_tests ("pteris-speech-XXXXXX", add_tests, argc, argv);
}
