/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/speech-test.h"

#include <math.h>

#include "ui/parts/format.h"
#include "ui/sound/player-bar.h"
#include "ui/speech/segment-list.h"
#include "ui/speech/segment-row.h"
#include "ui/speech/transcript-search.h"
#include "ui/sound/waveform-view.h"

/* Correcting a transcript, finding in it, listening to it. */

static PterisSegmentRow *
row_at (PterisWindow *window, guint i)
{
  return PTERIS_SEGMENT_ROW (nth (window->transcribe_page, PTERIS_TYPE_SEGMENT_ROW, i));
}

static GtkTextView *
editor_of (PterisSegmentRow *row)
{
  return GTK_TEXT_VIEW (nth (row, GTK_TYPE_TEXT_VIEW, 0));
}

/* Rows come with the next frame. */
static void
wait_for_row (PterisWindow *window, guint i, const char *text)
{
  wait_until (row_at (window, i) != NULL && says (row_at (window, i), text));
}

static PterisSegment *
segment_at (PterisTranscript *transcript, guint i)
{
  g_autoptr (PterisSegment) segment =
      g_list_model_get_item (pteris_transcript_get_segments (transcript), i);

  return segment;
}

/* ---- the steps ---- */

static void
test_steps (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;
  g_autofree char *plain = NULL;

  forget_everything ();
  fake.n_segments = 3;
  window = open_window ();
  transcript = transcribe_one (window);

  pteris_transcript_edit (transcript, 1, "  one two three ", 4.9, 9.5);
  g_assert_cmpstr (text_at (transcript, 1), ==, "one two three");
  g_assert_true (pteris_transcript_split (transcript, 1, "one two three", 8));
  g_assert_cmpuint (n_segments (transcript), ==, 4);
  g_assert_cmpstr (text_at (transcript, 1), ==, "one two");
  g_assert_cmpstr (text_at (transcript, 2), ==, "three");
  g_assert_cmpfloat (pteris_segment_get_start (segment_at (transcript, 2)), >, 6);
  g_assert_cmpfloat (pteris_segment_get_end (segment_at (transcript, 2)), ==, 9.5);
  g_assert_false (pteris_transcript_split (transcript, 1, "one", 0));
  g_assert_true (pteris_transcript_merge (transcript, 1));
  g_assert_cmpstr (text_at (transcript, 1), ==, "one two three");
  g_assert_false (pteris_transcript_merge (transcript, 2));
  pteris_transcript_remove (transcript, 0);
  g_assert_cmpuint (n_segments (transcript), ==, 2);
  /* A segment without text is deleted; times keep a minimum distance. */
  pteris_transcript_edit (transcript, 0, "  ", 0, 1);
  g_assert_cmpuint (n_segments (transcript), ==, 1);
  pteris_transcript_edit (transcript, 0, "x", 5, 2);
  g_assert_cmpfloat (pteris_segment_get_end (segment_at (transcript, 0)), >, 5);

  for (guint i = 0; i < 6; i++)
    pteris_transcript_undo (transcript);
  g_assert_false (pteris_transcript_can_undo (transcript));
  g_assert_cmpuint (n_segments (transcript), ==, 3);
  g_assert_cmpstr (text_at (transcript, 1), ==, "ask what you can do for your country.");
  for (guint i = 0; i < 6; i++)
    pteris_transcript_redo (transcript);
  g_assert_cmpstr (text_at (transcript, 0), ==, "x");
  pteris_transcript_undo (transcript);
  plain = pteris_transcript_format_plain (transcript);
  g_assert_true (g_str_has_prefix (plain, "My fellow citizens"));
  close_window (window);
  g_clear_object (&transcript);

  /* All of it is kept. */
  window = open_window ();
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (n_segments (transcript) == 1);
  g_assert_true (g_str_has_prefix (text_at (transcript, 0), "My fellow citizens"));
  close_window (window);
}

static void
test_clock (void)
{
  static const struct {
    const char *text;
    double seconds; /* -1: none */
  } CASES[] = { { "75", 75 },    { "1:15.5", 75.5 }, { "1:02:03,4", 3723.4 },
                { " 0:00 ", 0 }, { "1:60", -1 },     { "", -1 },
                { "a:b", -1 },   { "1:2:3:4", -1 },  { "-1", -1 },
                { "nan", -1 },   { "1e9", -1 } };

  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    double seconds = -1;

    g_assert_cmpint (pteris_parse_clock (CASES[i].text, &seconds), ==, CASES[i].seconds >= 0);
    g_assert_cmpfloat_with_epsilon (seconds, CASES[i].seconds, 1e-9);
  }
}

/* ---- in place ---- */

static void
test_in_place (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;
  GtkTextBuffer *buffer;
  GtkTextIter middle;

  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  gtk_widget_activate_action (GTK_WIDGET (row_at (window, 0)), "segment.edit", NULL);
  g_assert_true (pteris_segment_row_is_editing (row_at (window, 0)));
  wait_until (gtk_widget_has_focus (GTK_WIDGET (editor_of (row_at (window, 0)))));
  buffer = gtk_text_view_get_buffer (editor_of (row_at (window, 0)));
  gtk_text_buffer_set_text (buffer, "First half, second half", -1);
  gtk_text_buffer_get_iter_at_offset (buffer, &middle, 11);
  gtk_text_buffer_place_cursor (buffer, &middle);
  gtk_widget_activate_action (GTK_WIDGET (row_at (window, 0)), "segment.split", NULL);
  g_assert_cmpuint (n_segments (transcript), ==, 3);
  g_assert_cmpstr (text_at (transcript, 0), ==, "First half,");
  g_assert_cmpstr (text_at (transcript, 1), ==, "second half");
  wait_for_row (window, 1, "second half");

  /* Going elsewhere keeps what was written. */
  gtk_widget_activate_action (GTK_WIDGET (row_at (window, 1)), "segment.edit", NULL);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (editor_of (row_at (window, 1))), "Kept", -1);
  gtk_widget_grab_focus (nth (window->transcribe_page, PTERIS_TYPE_WAVEFORM_VIEW, 0));
  wait_until (g_str_equal (text_at (transcript, 1), "Kept"));
  wait_for_row (window, 1, "Kept");
  gtk_widget_activate_action (GTK_WIDGET (row_at (window, 1)), "segment.merge-previous", NULL);
  g_assert_cmpstr (text_at (transcript, 0), ==, "First half, Kept");
  do_in_view (window, "transcript.undo", NULL);
  g_assert_cmpuint (n_segments (transcript), ==, 3);
  wait_for_row (window, 0, "First half,");
  gtk_widget_activate_action (GTK_WIDGET (row_at (window, 0)), "segment.delete", NULL);
  g_assert_cmpstr (text_at (transcript, 0), ==, "Kept");
  wait_for_row (window, 0, "Kept");
  wait_until (!says (window->transcribe_page, "First half,"));
  do_in_view (window, "transcript.show", "s", "plain");
  wait_until (!gtk_widget_get_mapped (GTK_WIDGET (row_at (window, 0))));
  close_window (window);
}

/* Times are shown in tenths of a second; opening the editor must neither round them nor add a step
   of undo. */
static void
test_untouched (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  pteris_transcript_edit (transcript, 1, "Exact times", 4.9678, 9.5432);
  wait_for_row (window, 1, "Exact times");
  gtk_widget_activate_action (GTK_WIDGET (row_at (window, 1)), "segment.edit", NULL);
  g_assert_true (pteris_segment_row_is_editing (row_at (window, 1)));
  gtk_widget_grab_focus (nth (window->transcribe_page, PTERIS_TYPE_WAVEFORM_VIEW, 0));
  wait_until (!pteris_segment_row_is_editing (row_at (window, 1)));
  settle (50); /* what it leaves behind comes later */
  g_assert_cmpfloat (pteris_segment_get_start (segment_at (transcript, 1)), ==, 4.9678);
  g_assert_cmpfloat (pteris_segment_get_end (segment_at (transcript, 1)), ==, 9.5432);
  pteris_transcript_undo (transcript);
  g_assert_false (pteris_transcript_can_undo (transcript));
  close_window (window);
}

static double
left_of (PterisWindow *window, const char *text)
{
  GtkWidget *label = find_label (window->transcribe_page, text);
  graphene_rect_t bounds;

  return label != NULL && gtk_widget_compute_bounds (label, GTK_WIDGET (window), &bounds)
             ? bounds.origin.x
             : -1;
}

/* All texts are aligned, however long the times and the names of speakers are. */
static void
test_columns (void)
{
  static const int WIDTHS[] = { 1080, 360 };
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;

  forget_everything ();
  fake.n_segments = 3;
  window = open_window ();
  transcript = transcribe_one (window);
  pteris_transcript_edit (transcript, 0, "A", 0, 4);
  pteris_transcript_edit (transcript, 1, "A word", 3599, 3601);
  pteris_transcript_edit (
      transcript, 2,
      "Many words, which are more than one line of the window can hold, so that "
      "they have to be broken somewhere, and once more for good measure",
      36000, 36004);
  for (guint i = 0; i < G_N_ELEMENTS (WIDTHS); i++) {
    gtk_window_set_default_size (GTK_WINDOW (window), WIDTHS[i], 720);
    wait_until (left_of (window, "Many words") > 0 &&
                left_of (window, "A") == left_of (window, "Many words"));
    wait_until (left_of (window, "A word") == left_of (window, "Many words"));
    wait_until (
        says (window->transcribe_page, i == 0 ? "59:59.0 – 1:00:01.0" : "\u206659:59.0\u2069"));
  }
  close_window (window);
}

static int
least_width (PterisWindow *window)
{
  int width;

  gtk_widget_measure (GTK_WIDGET (window->transcribe_page), GTK_ORIENTATION_HORIZONTAL, -1, &width,
                      NULL, NULL, NULL);
  return width;
}

/* Text twice as large fits into a narrow window, also while one searches and edits. */
static void
test_large (void)
{
  GtkSettings *settings = gtk_settings_get_default ();
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;
  int dpi;

  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  wait_for_row (window, 1, "");
  do_in_view (window, "transcript.find", NULL);
  gtk_widget_activate_action (GTK_WIDGET (row_at (window, 1)), "segment.edit", NULL);
  wait_until (gtk_widget_has_focus (GTK_WIDGET (editor_of (row_at (window, 1)))));
  wait_until (least_width (window) <= 460);
  close_window (window);
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
}

/* The word that the model was not sure of is underlined, when asked for, until somebody edits it.
 */
static void
test_doubts (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;
  PangoAttrList *list;
  GtkLabel *label;
  guint n;

  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  g_assert_nonnull (pteris_segment_get_doubts (segment_at (transcript, 1), &n));
  g_assert_cmpuint (n, ==, 1);
  do_in_view (window, "transcript.marks", "b", TRUE);
  label = GTK_LABEL (find_label (window->transcribe_page, "ask what you can do"));
  list = gtk_label_get_attributes (label);
  g_assert_nonnull (list);
  close_window (window);
  g_clear_object (&transcript);

  window = open_window ();
  wait_until (count (window->queue) == 1);
  transcript = g_list_model_get_item (G_LIST_MODEL (window->queue), 0);
  wait_until (n_segments (transcript) == 2);
  pteris_segment_get_doubts (segment_at (transcript, 1), &n);
  g_assert_cmpuint (n, ==, 1);
  pteris_transcript_edit (transcript, 1, "sure", 5, 9);
  pteris_segment_get_doubts (segment_at (transcript, 1), &n);
  g_assert_cmpuint (n, ==, 0);
  close_window (window);
}

static void
test_search (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisTranscriptSearch *search;
  PterisWindow *window;
  PterisMatch match;

  forget_everything ();
  fake.n_segments = 4;
  window = open_window ();
  transcript = transcribe_one (window);
  do_in_view (window, "transcript.find", NULL);
  search =
      PTERIS_TRANSCRIPT_SEARCH (nth (window->transcribe_page, PTERIS_TYPE_TRANSCRIPT_SEARCH, 0));
  gtk_editable_set_text (GTK_EDITABLE (nth (search, GTK_TYPE_SEARCH_ENTRY, 0)), "FELLOW");
  wait_until (pteris_transcript_search_get_match (search, &match));
  g_assert_cmpuint (match.position, ==, 0);
  wait_until (says (search, "1 of 2"));
  g_assert_cmpuint (pteris_transcript_replace_all (transcript, "fellow", "dear (\\1) fellow"), ==,
                    2);
  g_assert_true (g_str_has_prefix (text_at (transcript, 2), "My dear (\\1) fellow citizens"));
  wait_until (says (search, "1 of 2"));
  do_in_view (window, "transcript.undo", NULL);
  g_assert_true (g_str_has_prefix (text_at (transcript, 2), "My fellow citizens"));
  g_assert_true (g_str_has_prefix (text_at (transcript, 0), "And so, my fellow"));
  g_assert_cmpuint (pteris_transcript_replace_all (transcript, "ferns", ""), ==, 0);
  close_window (window);
}

/* ---- listening ---- */

#ifdef HAS_SOUND
static void
test_playing (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  const char *const paths[] = { path, NULL };
  PterisSegmentList *list;
  PterisWindow *window;
  PterisPlayer *player;

  forget_everything ();
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 1 && n_segments (in_line (window, 0)) == 2);
  wait_until (pteris_transcript_get_state (in_line (window, 0)) == PTERIS_TRANSCRIPT_DONE);
  wait_for_row (window, 1, "");
  player = pteris_player_bar_get_player (
      PTERIS_PLAYER_BAR (nth (window->transcribe_page, PTERIS_TYPE_PLAYER_BAR, 0)));
  list = PTERIS_SEGMENT_LIST (nth (window->transcribe_page, PTERIS_TYPE_SEGMENT_LIST, 0));
  /* Slowly: there is time to look. */
  pteris_player_set_speed (player, 0.5);
  pteris_player_play (player);
  wait_until (pteris_player_get_position (player) > 0.3 ||
              pteris_player_get_error (player) != NULL);
  if (pteris_player_get_error (player) != NULL) {
    g_test_skip (pteris_player_get_error (player));
    close_window (window);
    return;
  }
  g_assert_cmpfloat (fabs (pteris_player_get_duration (player) - 11), <, 0.1);
  g_assert_nonnull (nth (window->transcribe_page, PTERIS_TYPE_SEGMENT_ROW, 0));

  /* A click on a segment plays it and marks it. */
  g_signal_emit_by_name (row_at (window, 1), "seek", 5.0);
  wait_until (pteris_player_get_position (player) > 5.2);
  g_assert_cmpfloat (pteris_player_get_position (player), <, 9);
  g_assert_true (pteris_segment_list_is_following (list));
  g_assert_true (gtk_widget_has_css_class (
                     gtk_widget_get_first_child (GTK_WIDGET (row_at (window, 1))), "playing") ||
                 gtk_widget_has_css_class (gtk_widget_get_next_sibling (gtk_widget_get_first_child (
                                               GTK_WIDGET (row_at (window, 1)))),
                                           "playing"));
  pteris_player_pause (player);
  g_assert_false (pteris_player_is_playing (player));

  /* Seeks to the end, and plays again from the beginning. */
  pteris_player_seek (player, 10.5);
  pteris_player_play (player);
  wait_until (!pteris_player_is_playing (player));
  g_assert_cmpfloat (pteris_player_get_position (player), >, 10.9);
  pteris_player_play (player);
  wait_until (pteris_player_get_position (player) > 0.1 && pteris_player_get_position (player) < 5);
  close_window (window);
}
#endif

/* A missing recording gives an error; the text is kept. */
static void
test_no_file (void)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  transcript = transcribe_one (window);
  pteris_player_bar_toggle (
      PTERIS_PLAYER_BAR (nth (window->transcribe_page, PTERIS_TYPE_PLAYER_BAR, 0)));
#ifdef HAS_SOUND
  wait_until (says (window->transcribe_page, "its file no longer exists"));
#else
  wait_until (says (window->transcribe_page, "built without GStreamer"));
#endif
  g_assert_true (says (window->transcribe_page, "And so, my fellow"));
  close_window (window);
}

/* Of recordings, that are kept. */
static guint
n_pictures (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "pteris", "waveforms", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Pictures are made once. */
static void
test_waveform (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "jfk.wav", NULL);
  const char *const paths[] = { path, NULL };
  PterisWindow *window;

  forget_everything ();
  window = open_window ();
  open_paths (window, paths);
  wait_until (count (window->queue) == 1);
  wait_until (pteris_transcript_get_state (in_line (window, 0)) == PTERIS_TRANSCRIPT_DONE);
  wait_until (n_pictures () == 1);
  close_window (window);
  fake.n_waveforms = 0;
  window = open_window ();
  wait_until (count (window->queue) == 1);
  settle (200);
  g_assert_cmpint (g_atomic_int_get (&fake.n_waveforms), ==, 0);
  close_window (window);
}

static void
add_tests (void)
{
  g_test_add_func ("/speech/steps", test_steps);
  g_test_add_func ("/speech/clock", test_clock);
  g_test_add_func ("/speech/in-place", test_in_place);
  g_test_add_func ("/speech/untouched", test_untouched);
  g_test_add_func ("/speech/columns", test_columns);
  g_test_add_func ("/speech/large", test_large);
  g_test_add_func ("/speech/doubts", test_doubts);
  g_test_add_func ("/speech/search", test_search);
#ifdef HAS_SOUND
  g_test_add_func ("/speech/playing", test_playing);
#endif
  g_test_add_func ("/speech/no-file", test_no_file);
  g_test_add_func ("/speech/waveform", test_waveform);
}

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_AUDIO_SINK", "fakesink sync=true", TRUE);
  return run_speech_tests ("pteris-speech-edit-XXXXXX", add_tests, argc, argv);
}
