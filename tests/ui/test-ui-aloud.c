/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"
#include "tests/ui/fake-sound.h"
#include "tests/ui/window-test.h"
#include "ui/aloud/sentences.h"
#include "ui/aloud/voice-choice.h"
#include "ui/sound/sound.h"

/* Reading answers and selected texts aloud. */

/* ---- helpers ---- */

static PterisMessage *
ask (PterisWindow *window)
{
  guint n;

  pteris_chat_session_send (window->session, "Hello");
  wait_until (!pteris_chat_session_is_busy (window->session));
  n = g_list_model_get_n_items (G_LIST_MODEL (window->session));
  {
    g_autoptr (PterisMessage) answer =
        g_list_model_get_item (G_LIST_MODEL (window->session), n - 1);

    return answer;
  }
}

/* The button of the last answer's row. */
static GtkWidget *
aloud_button (PterisWindow *window)
{
  for (guint i = 0;; i++) {
    GtkWidget *button = nth (window->chat_page, GTK_TYPE_BUTTON, i);
    const char *tooltip = button != NULL ? gtk_widget_get_tooltip_text (button) : NULL;

    g_assert_nonnull (button);
    if (tooltip != NULL && strstr (tooltip, "Aloud") != NULL && gtk_widget_get_mapped (button))
      return button;
  }
}

static void
click (GtkWidget *button)
{
  g_signal_emit_by_name (button, "clicked");
}

static void
act (PterisWindow *window, const char *name)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), name, NULL));
}

static gboolean
has_sound (void)
{
  g_autoptr (GError) error = NULL;

  if (pteris_sound_prepare (&error))
    return TRUE;
  g_test_skip (error->message);
  return FALSE;
}

static void
check_sentences (GPtrArray *sentences, const char *want)
{
  g_autoptr (GPtrArray) taken = sentences;
  g_autofree char *got = NULL;

  g_ptr_array_add (taken, NULL);
  got = g_strjoinv ("|", (char **) taken->pdata);
  g_assert_cmpstr (got, ==, want);
}

/* ---- sentences ---- */

static void
test_sentences (void)
{
  g_autoptr (GString) words = g_string_new (NULL);
  g_autoptr (GPtrArray) parts = NULL;
  gsize total = 0;

  check_sentences (pteris_sentences_of_text (""), "");
  check_sentences (pteris_sentences_of_text (" … \n\n --- "), "");
  check_sentences (pteris_sentences_of_text ("It was “so good.” Then I asked Dr. Smith. He left"),
                   "It was “so good.”|Then I asked Dr. Smith.|He left");
  check_sentences (pteris_sentences_of_text ("One\n\nTwo\nthree."), "One|Two three.");
  check_sentences (pteris_sentences_of_text ("Pi is 3.14, e.g. here. Yes! No, it is not?"),
                   "Pi is 3.14, e.g. here.|Yes! No, it is not?");
  check_sentences (pteris_sentences_of_text ("你好吗？我很好。"), "你好吗？|我很好。");
  for (guint i = 0; i < 300; i++)
    g_string_append (words, i % 7 == 0 ? "word, " : "word ");
  parts = pteris_sentences_of_text (words->str);
  for (guint i = 0; i < parts->len; i++) {
    g_assert_cmpuint (strlen (parts->pdata[i]), <=, 406);
    total += strlen (parts->pdata[i]) + 1;
  }
  g_assert_cmpuint (total, ==, words->len);
}

static void
test_markdown (void)
{
  check_sentences (
      pteris_sentences_of_markdown ("# Title\n\nA *b* & `c` <d> [link](https://x.org).\n\n"
                                    "```c\nint x;\n```\n\n2. two\n- dot\n\n"
                                    "| h | i |\n|---|---|\n| 1 | 2 |\n"),
      "Title|A b & c <d> link.|2. two|dot|h, i.|1, 2.");
}

/* ---- the window ---- */

/* The button speaks, shows the sentence that is heard, and ends by itself. */
static void
test_read (void)
{
  PterisWindow *window;
  PterisMessage *answer;

  fake_reset ();
  if (!has_sound ())
    return;
  fake.speaks = TRUE;
  fake.answer = "The first sentence is long enough. The second one, too.";
  window = open_window ();
  answer = ask (window);
  wait_until (gtk_widget_get_mapped (aloud_button (window)));
  g_assert_cmpstr (gtk_button_get_icon_name (GTK_BUTTON (aloud_button (window))), ==,
                   "audio-volume-high-symbolic");
  click (aloud_button (window));
  g_assert_true (pteris_message_is_aloud (answer));
  g_assert_cmpstr (gtk_button_get_icon_name (GTK_BUTTON (aloud_button (window))), ==,
                   "media-playback-stop-symbolic");
  wait_until (says (window->reader_bar, "The first sentence is long enough."));
  wait_until (says (window->reader_bar, "The second one, too."));
  wait_until (!pteris_reader_is_reading (window->reader));
  g_assert_false (pteris_message_is_aloud (answer));
  g_assert_cmpuint (fake.n_speaks, ==, 2);
  g_assert_cmpfloat (fake.speed, ==, 1);
  close_window (window);
}

/* The first sentence is heard while the second one is not computed yet; a chat meanwhile does not
 * wait for the end of the text, nor the text for the chat. */
static void
test_early (void)
{
  PterisWindow *window;
  guint n_chats;

  fake_reset ();
  if (!has_sound ())
    return;
  fake.speaks = TRUE;
  fake.speech_s = 30;
  fake.answer = "The first sentence is long enough. The second one, too. And there is a third.";
  window = open_window ();
  ask (window);
  n_chats = fake.n_chats;
  act (window, "win.read-aloud");
  wait_until (says (window->reader_bar, "The first sentence is long enough."));
  /* 30 s are ahead: the second sentence is not computed. */
  g_assert_cmpuint (fake.n_speaks, ==, 1);
  ask (window);
  g_assert_cmpuint (fake.n_chats, ==, n_chats + 1);
  g_assert_true (pteris_reader_is_reading (window->reader));
  act (window, "win.stop");
  g_assert_false (pteris_reader_is_reading (window->reader));

  /* A chat that has not ended. */
  fake.speech_s = 0.2;
  fake.hold = TRUE;
  pteris_chat_session_send (window->session, "More");
  wait_until (fake.n_chats == n_chats + 2);
  wait_until (
      g_str_equal (pteris_message_get_text (pteris_chat_session_get_last_answer (window->session)),
                   fake.answer));
  act (window, "win.read-aloud");
  wait_until (!pteris_reader_is_reading (window->reader));
  g_assert_cmpuint (fake.n_speaks, ==, 4);
  g_assert_true (pteris_chat_session_is_busy (window->session));
  fake.hold = FALSE;
  wait_until (!pteris_chat_session_is_busy (window->session));
  close_window (window);
}

/* Stop is silence at once, also while the engine computes: it does not wait for its answer. */
static void
test_stop (void)
{
  PterisWindow *window;
  PterisMessage *answer;

  fake_reset ();
  if (!has_sound ())
    return;
  fake.speaks = TRUE;
  window = open_window ();
  answer = ask (window);
  fake.hold_speech = TRUE;
  click (aloud_button (window));
  wait_until (fake.n_speaks == 1);
  wait_until (says (window->reader_bar, "Preparing to read aloud"));
  click (aloud_button (window));
  g_assert_false (pteris_reader_is_reading (window->reader));
  g_assert_false (pteris_message_is_aloud (answer));
  fake.hold_speech = FALSE;
  close_window (window);
}

/* Without a model that speaks the button leads to those that can be downloaded. */
static void
test_no_model (void)
{
  PterisWindow *window;
  GtkWidget *task;

  fake_reset ();
  window = open_window ();
  ask (window);
  click (aloud_button (window));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "discover");
  task = nth (window->discover_page, GTK_TYPE_DROP_DOWN, 0);
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (task)), ==, 3);
  g_assert_false (pteris_reader_is_reading (window->reader));
  close_window (window);
}

/* What the engine says is missing is shown until it is dismissed. */
static void
test_error (void)
{
  PterisWindow *window;

  fake_reset ();
  if (!has_sound ())
    return;
  fake.speaks = TRUE;
  fake.speech_error = "Reading texts needs a phonemizer. Install espeak-ng.";
  window = open_window ();
  ask (window);
  click (aloud_button (window));
  wait_until (says (window->reader_bar, "Install espeak-ng"));
  g_assert_false (pteris_reader_is_reading (window->reader));
  click (nth (window->reader_bar, GTK_TYPE_BUTTON, 0));
  wait_until (!says (window->reader_bar, "Install espeak-ng"));
  close_window (window);
}

/* Only the selection is read, without Markdown. */
static void
test_selection (void)
{
  PterisWindow *window;
  GtkWidget *label;

  fake_reset ();
  if (!has_sound ())
    return;
  fake.speaks = TRUE;
  window = open_window ();
  ask (window);
  wait_until (says (window->chat_page, "The capital of France"));
  label = find_label (window->chat_page, "The capital of France");
  gtk_widget_grab_focus (label);
  gtk_label_select_region (GTK_LABEL (label), 4, 21);
  act (window, "win.read-aloud");
  wait_until (fake.n_speaks == 1);
  g_assert_cmpstr (fake.spoken, ==, "capital of France");
  act (window, "win.stop");
  /* Also when the main menu has the focus. */
  {
    GtkWidget *menu = NULL;

    for (guint i = 0; menu == NULL || !gtk_menu_button_get_primary (GTK_MENU_BUTTON (menu)); i++)
      menu = nth (window, GTK_TYPE_MENU_BUTTON, i);
    gtk_widget_grab_focus (menu);
    g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) != label);
  }
  act (window, "win.read-aloud");
  wait_until (fake.n_speaks == 2);
  g_assert_cmpstr (fake.spoken, ==, "capital of France");
  act (window, "win.stop");
  close_window (window);
}

/* The voice and the speed of the preferences are used. */
static void
test_voice (void)
{
  PterisWindow *window;
  AdwComboRow *row = g_object_ref_sink (ADW_COMBO_ROW (adw_combo_row_new ()));

  fake_reset ();
  if (!has_sound ()) {
    g_object_unref (row);
    return;
  }
  fake.speaks = TRUE;
  window = open_window ();
  pteris_voice_choice_bind (row, window->library);
  wait_until (gtk_widget_get_sensitive (GTK_WIDGET (row)));
  g_assert_cmpuint (g_list_model_get_n_items (adw_combo_row_get_model (row)), ==, 3);
  adw_combo_row_set_selected (row, 2);
  pteris_settings_set_int (PTERIS_SETTING_VOICE_SPEED, 150);
  ask (window);
  act (window, "win.read-aloud");
  wait_until (fake.n_speaks == 1);
  g_assert_cmpstr (fake.voice, ==, "bf_emma");
  g_assert_cmpfloat (fake.speed, ==, 1.5);
  act (window, "win.stop");
  adw_combo_row_set_selected (row, 0);
  pteris_settings_set_int (PTERIS_SETTING_VOICE_SPEED, 100);
  act (window, "win.read-aloud");
  wait_until (fake.n_speaks == 2);
  g_assert_cmpstr (fake.voice, ==, "");
  g_object_unref (row);
  close_window (window);
}

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_AUDIO_SINK", "fakesink sync=true", TRUE);
#ifdef G_OS_WIN32
  fake_sound_begin ();
  fake_sound_plug (PTERIS_SOUND_OUTPUT, "speakers", "Speakers", TRUE, FAKE_SOUND_WORKS);
#endif
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/aloud/sentences", test_sentences);
  g_test_add_func ("/aloud/markdown", test_markdown);
  g_test_add_func ("/aloud/read", test_read);
  g_test_add_func ("/aloud/early", test_early);
  g_test_add_func ("/aloud/stop", test_stop);
  g_test_add_func ("/aloud/no-model", test_no_model);
  g_test_add_func ("/aloud/error", test_error);
  g_test_add_func ("/aloud/selection", test_selection);
  g_test_add_func ("/aloud/voice", test_voice);
  return end_window_tests ();
}
