/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/speech-test.h"

#include "tests/ui/fake-sound.h"
#include "ui/sound/sound-choice.h"
#include "ui/speech/recorder-bar.h"
#include "ui/window/preferences.h"

/* Where devices of sound are chosen, and what is said of one that is gone. */

static void
plug_usual (void)
{
  fake_sound_unplug_all ();
  fake_sound_plug (PTERIS_SOUND_MICROPHONE, "desk", "Desk_1", TRUE, FAKE_SOUND_WORKS);
  fake_sound_plug (PTERIS_SOUND_OUTPUT, "speakers", "Speakers", TRUE, FAKE_SOUND_WORKS);
  fake_sound_plug (PTERIS_SOUND_OUTPUT, "headset", "Headset", FALSE, FAKE_SOUND_WORKS);
}

static char *
chosen (PterisSoundUse use)
{
  g_autoptr (PterisSoundDevice) device = pteris_sound_choice_get (use);

  return pteris_sound_choice_to_string (device);
}

static void
choose (PterisSoundUse use, PterisSoundKind kind, const char *id, const char *name)
{
  g_autoptr (PterisSoundDevice) device = pteris_sound_device_new (kind, id, name, FALSE, NULL);

  pteris_sound_choice_set (use, device);
}

static PterisRecorderBar *
bar_of (PterisWindow *window)
{
  return PTERIS_RECORDER_BAR (nth (window->transcribe_page, PTERIS_TYPE_RECORDER_BAR, 0));
}

/* The tooltip of the part of the button that records. */
static const char *
tooltip_of (AdwSplitButton *button)
{
  return gtk_widget_get_tooltip_text (gtk_widget_get_first_child (GTK_WIDGET (button)));
}

/* The menu beside the button that records. */
static void
test_menu (void)
{
  PterisWindow *window;
  AdwSplitButton *button;
  GtkWidget *popover;
  g_autofree char *choice = NULL, *loopback = fake_sound_loopback_id ("headset");
  g_autofree char *wanted = g_strconcat ("computer:", loopback, NULL);

  forget_everything ();
  plug_usual ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_MICROPHONE, NULL, NULL);
  window = open_window ();
  pteris_window_show_page (window, "transcribe");
  button = ADW_SPLIT_BUTTON (nth (window->transcribe_page, ADW_TYPE_SPLIT_BUTTON, 0));
  popover = GTK_WIDGET (adw_split_button_get_popover (button));
  g_assert_cmpstr (tooltip_of (button), ==, "Record from Microphone");
  g_assert_cmpstr (adw_split_button_get_dropdown_tooltip (button), ==, "What to Record");
  adw_split_button_popup (button);
  wait_until (says (popover, "What “Headset” Plays"));
  g_assert_true (says (popover, "Default Microphone"));
  g_assert_true (says (popover, "Desk_1"));
  g_assert_true (says (popover, "What the Computer Plays"));

  gtk_widget_activate (gtk_widget_get_parent (find_label (popover, "What “Headset” Plays")));
  choice = chosen (PTERIS_SOUND_RECORDS);
  g_assert_cmpstr (choice, ==, wanted);
  g_assert_cmpstr (tooltip_of (button), ==, "Record What the Computer Plays");

  gtk_widget_activate_action (GTK_WIDGET (window->transcribe_page), "page.record", NULL);
  wait_until (says (bar_of (window), "Recording what the computer plays · 0:0"));
  wait_until (fake_sound_seconds (loopback) > 0);
  close_window (window);
}

/* A device that is gone stays chosen; the default one records, and the page says so. */
static void
test_gone (void)
{
  PterisWindow *window;
  AdwSplitButton *button;
  GtkWidget *popover;
  g_autofree char *choice = NULL;

  forget_everything ();
  plug_usual ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_MICROPHONE, "elsewhere", "Studio");
  window = open_window ();
  pteris_window_show_page (window, "transcribe");
  button = ADW_SPLIT_BUTTON (nth (window->transcribe_page, ADW_TYPE_SPLIT_BUTTON, 0));
  popover = GTK_WIDGET (adw_split_button_get_popover (button));
  adw_split_button_popup (button);
  wait_until (says (popover, "Studio (not connected)"));
  gtk_popover_popdown (GTK_POPOVER (popover));

  gtk_widget_activate_action (GTK_WIDGET (window->transcribe_page), "page.record", NULL);
  wait_until (says (bar_of (window), "“Studio” is not connected. The default microphone is used."));
  wait_until (says (bar_of (window), "Recording · 0:0"));
  choice = chosen (PTERIS_SOUND_RECORDS);
  g_assert_cmpstr (choice, ==, "microphone:elsewhere");
  close_window (window);
}

/* The computer plays nothing: it is said, and no empty recording is kept. */
static void
test_nothing_played (void)
{
  PterisWindow *window;

  forget_everything ();
  fake.live = TRUE;
  fake_sound_unplug_all ();
  fake_sound_plug (PTERIS_SOUND_OUTPUT, "speakers", "Speakers", TRUE, FAKE_SOUND_QUIET);
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_COMPUTER, NULL, NULL);
  window = open_window ();
  pteris_window_show_page (window, "transcribe");
  gtk_widget_activate_action (GTK_WIDGET (window->transcribe_page), "page.record", NULL);
  wait_until (says (bar_of (window), "The computer plays nothing that can be heard."));
  g_signal_emit_by_name (nth (bar_of (window), GTK_TYPE_BUTTON, 1), "clicked");
  wait_until (says (bar_of (window), "The computer played nothing that could be recorded."));
  g_assert_cmpuint (count (window->queue), ==, 0);
  close_window (window);
}

static AdwComboRow *
row_of (GtkWindow *preferences, const char *title)
{
  for (guint i = 0;; i++) {
    GtkWidget *row = nth (preferences, ADW_TYPE_COMBO_ROW, i);

    g_assert_nonnull (row);
    if (g_str_equal (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), title))
      return ADW_COMBO_ROW (row);
  }
}

static const char *
text_of (AdwComboRow *row, guint i)
{
  return gtk_string_list_get_string (GTK_STRING_LIST (adw_combo_row_get_model (row)), i);
}

/* The number of @text among the choices of @row; the number of them when it is not there. */
static guint
place_of (AdwComboRow *row, const char *text)
{
  guint i = 0;

  while (text_of (row, i) != NULL && !g_str_equal (text_of (row, i), text))
    i++;
  return i;
}

static void
test_preferences (void)
{
  PterisWindow *window;
  GtkWindow *preferences;
  AdwComboRow *record, *play;
  g_autofree char *recorded = NULL, *played = NULL;

  forget_everything ();
  plug_usual ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_MICROPHONE, "desk", "Desk_1");
  choose (PTERIS_SOUND_PLAYS, PTERIS_SOUND_OUTPUT, "elsewhere", "Hall");
  window = open_window ();
  preferences = GTK_WINDOW (pteris_preferences_new (
      GTK_WINDOW (window), window->library, window->machine, window->meaning, window->updates));
  gtk_window_present (preferences);
  record = row_of (preferences, "Record From");
  play = row_of (preferences, "Play On");
  wait_until (text_of (play, place_of (play, "Hall (not connected)")) != NULL);
  wait_until (text_of (record, place_of (record, "What “Speakers” Plays")) != NULL);
  g_assert_cmpuint (adw_combo_row_get_selected (record), ==, place_of (record, "Desk_1"));
  g_assert_cmpuint (adw_combo_row_get_selected (play), ==, place_of (play, "Hall (not connected)"));

  adw_combo_row_set_selected (record, place_of (record, "What the Computer Plays"));
  adw_combo_row_set_selected (play, place_of (play, "Headset"));
  recorded = chosen (PTERIS_SOUND_RECORDS);
  played = chosen (PTERIS_SOUND_PLAYS);
  g_assert_cmpstr (recorded, ==, "computer:");
  g_assert_cmpstr (played, ==, "output:headset");
  gtk_window_destroy (preferences);
  close_window (window);
}

/* The lists follow what is plugged in and unplugged while the preferences are open. */
static void
test_come_and_go (void)
{
  PterisWindow *window;
  GtkWindow *preferences;
  AdwComboRow *record, *play;

  forget_everything ();
  plug_usual ();
  choose (PTERIS_SOUND_RECORDS, PTERIS_SOUND_MICROPHONE, NULL, NULL);
  choose (PTERIS_SOUND_PLAYS, PTERIS_SOUND_OUTPUT, "headset", "Headset");
  window = open_window ();
  wait_until (fake_sound_n_watching () == 0);
  preferences = GTK_WINDOW (pteris_preferences_new (
      GTK_WINDOW (window), window->library, window->machine, window->meaning, window->updates));
  gtk_window_present (preferences);
  record = row_of (preferences, "Record From");
  play = row_of (preferences, "Play On");
  wait_until (text_of (play, place_of (play, "Headset")) != NULL);
  wait_until (text_of (record, place_of (record, "What “Headset” Plays")) != NULL);
  wait_until (fake_sound_n_watching () > 0);

  fake_sound_plug (PTERIS_SOUND_MICROPHONE, "studio", "Studio", FALSE, FAKE_SOUND_WORKS);
  wait_until (text_of (record, place_of (record, "Studio")) != NULL);
  g_assert_cmpuint (adw_combo_row_get_selected (record), ==, 0);

  /* What is chosen stays so, and is there again when it is plugged in. */
  fake_sound_unplug_all ();
  wait_until (text_of (play, place_of (play, "Headset (not connected)")) != NULL);
  wait_until (text_of (record, place_of (record, "Desk_1")) == NULL);
  g_assert_cmpuint (adw_combo_row_get_selected (play), ==,
                    place_of (play, "Headset (not connected)"));
  plug_usual ();
  wait_until (text_of (play, place_of (play, "Headset")) != NULL);
  g_assert_cmpuint (adw_combo_row_get_selected (play), ==, place_of (play, "Headset"));
  wait_until (text_of (record, place_of (record, "Desk_1")) != NULL);

  gtk_window_destroy (preferences);
  wait_until (fake_sound_n_watching () == 0);
  fake_sound_unplug_all ();
  close_window (window);
}

static void
add_tests (void)
{
  g_test_add_func ("/sound-chooser/menu", test_menu);
  g_test_add_func ("/sound-chooser/gone", test_gone);
  g_test_add_func ("/sound-chooser/nothing-played", test_nothing_played);
  g_test_add_func ("/sound-chooser/preferences", test_preferences);
  g_test_add_func ("/sound-chooser/come-and-go", test_come_and_go);
}

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_AUDIO_SOURCE", "audiotestsrc is-live=true", TRUE);
  g_setenv ("PTERIS_AUDIO_SINK", "fakesink sync=true", TRUE);
  fake_sound_begin ();
  return run_speech_tests ("pteris-sound-chooser-XXXXXX", add_tests, argc, argv);
}
