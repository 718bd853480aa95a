/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-privacy.h"
#include "tests/ui/speech-test.h"

#include "ui/chat/chat-store.h"
#include "ui/privacy/found-name.h"
#include "ui/privacy/label-name.h"
#include "ui/privacy/privacy-dialog.h"

/* Names and secrets are replaced in what leaves the program, and in transcripts. */

static PterisFoundName *
finding_at (GListModel *findings, guint i)
{
  g_autoptr (PterisFoundName) finding = g_list_model_get_item (findings, i);

  return finding;
}

static void
assert_finding (GListModel *findings, guint i, const char *text, const char *about)
{
  g_autofree char *description = pteris_found_name_describe (finding_at (findings, i));

  g_assert_cmpstr (pteris_found_name_get_text (finding_at (findings, i)), ==, text);
  g_assert_cmpstr (description, ==, about);
}

static void
test_findings (void)
{
  const char *const texts[] = { "Alice and Bob", "", "hunter2 alice Alice hunter2", NULL };
  const PtPrivacyReport *report = fake_privacy_report (texts);
  g_autoptr (GListModel) findings = pteris_found_names_new (report);
  g_auto (GStrv) all = pteris_found_names_replace (findings, report), some = NULL, none = NULL;

  g_assert_cmpuint (g_list_model_get_n_items (findings), ==, 2);
  assert_finding (findings, 0, "Alice", "Person · 3 times");
  assert_finding (findings, 1, "hunter2", "Secret · 2 times");
  g_assert_cmpuint (g_strv_length (all), ==, 3);
  g_assert_cmpstr (all[0], ==, "[private_person] and Bob");
  g_assert_cmpstr (all[1], ==, "");
  g_assert_cmpstr (all[2], ==, "[secret] [private_person] [private_person] [secret]");
  g_object_set (finding_at (findings, 0), "active", FALSE, NULL);
  some = pteris_found_names_replace (findings, report);
  g_assert_cmpstr (some[0], ==, texts[0]);
  g_assert_cmpstr (some[2], ==, "[secret] alice Alice [secret]");
  g_object_set (finding_at (findings, 1), "active", FALSE, NULL);
  none = pteris_found_names_replace (findings, report);
  g_assert_cmpstr (none[2], ==, texts[2]);
}

/* Labels of other filters are shown as words. */
static void
test_labels (void)
{
  static const char *const LABELS[][2] = {
    { "account_number", "Account number" }, { "vehicle_identifier", "Vehicle number" },
    { "private_email", "Email address" },   { "entity 3", "Entity 3" },
    { "shoe_size", "Shoe size" },           { "", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (LABELS); i++) {
    g_autofree char *name = pteris_label_name (LABELS[i][0]);

    g_assert_cmpstr (name, ==, LABELS[i][1]);
  }
}

/* ---- in the window ---- */

static PterisWindow *
open_with_filter (void)
{
  forget_everything ();
  fake.with_models = TRUE;
  fake.with_privacy = TRUE;
  return open_window ();
}

/* The open dialog, or NULL. */
static GtkWidget *
find_dialog (void)
{
  GListModel *tops = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (tops); i++) {
    g_autoptr (GtkWidget) top = g_list_model_get_item (tops, i);

    if (PTERIS_IS_PRIVACY_DIALOG (top) && gtk_widget_get_mapped (top))
      return top;
  }
  return NULL;
}

static GtkFileChooser *
find_chooser (void)
{
  GListModel *tops = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (tops); i++) {
    g_autoptr (GtkWidget) top = g_list_model_get_item (tops, i);

    if (GTK_IS_FILE_CHOOSER_DIALOG (top) && gtk_widget_get_mapped (top))
      return GTK_FILE_CHOOSER (top);
  }
  return NULL;
}

/* As a click on the button does. */
static void
answer (const char *response)
{
  GtkWidget *dialog = find_dialog ();

  adw_message_dialog_response (ADW_MESSAGE_DIALOG (dialog), response);
  gtk_window_destroy (GTK_WINDOW (dialog));
}

static char *
shown_text (void)
{
  GtkTextBuffer *buffer =
      gtk_text_view_get_buffer (GTK_TEXT_VIEW (nth (find_dialog (), GTK_TYPE_TEXT_VIEW, 0)));
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

/* Save under @name in a folder of the test; the dialog proposes @proposed. Returns what is there
 * then. */
static char *
save_as (const char *name, const char *proposed)
{
  g_autofree char *current = NULL;
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), name, NULL);
  g_autoptr (GFile) folder = g_file_new_for_path (g_get_user_data_dir ());
  char *text = NULL;

  wait_until (find_chooser () != NULL);
  settle (200);
  current = gtk_file_chooser_get_current_name (find_chooser ());
  g_assert_cmpstr (current, ==, proposed);
  gtk_file_chooser_set_current_folder (find_chooser (), folder, NULL);
  gtk_file_chooser_set_current_name (find_chooser (), name);
  settle (200);
  gtk_dialog_response (GTK_DIALOG (find_chooser ()), GTK_RESPONSE_ACCEPT);
  wait_until (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
test_chat (void)
{
  PterisWindow *window = open_with_filter ();
  PterisConversation *conversation =
      pteris_conversation_new (pteris_store_new_id (), "About Alice", g_get_real_time ());
  g_autoptr (PterisMessage) message =
      pteris_message_new (NULL, "I am Alice, and my password is hunter2.");
  g_autofree char *preview = NULL, *text = NULL;
  gint64 id = pteris_conversation_get_id (conversation);

  pteris_message_set_ids (message, pteris_store_new_id (), 0);
  pteris_conversation_set_leaf (conversation, pteris_message_get_id (message));
  pteris_chat_store_save (conversation);
  pteris_chat_store_add (conversation, message);
  pteris_store_flush ();
  pteris_chat_history_take (window->history, conversation);
  wait_until (pteris_library_is_ready (window->library));
  g_action_group_activate_action (G_ACTION_GROUP (window), "export-chat-without-names",
                                  g_variant_new_int64 (id));
  wait_until (find_dialog () != NULL && says (find_dialog (), "2 names and secrets were found"));
  g_assert_true (says (find_dialog (), "Person · 2 times"));
  g_assert_true (says (find_dialog (), "Secret · once"));
  preview = shown_text ();
  g_assert_nonnull (strstr (preview, "I am [private_person], and my password is [secret]."));
  /* The password is left as it is. */
  gtk_check_button_set_active (GTK_CHECK_BUTTON (nth (find_dialog (), GTK_TYPE_CHECK_BUTTON, 1)),
                               FALSE);
  answer ("accept");
  text = save_as ("chat.md", "About [private_person].md");
  g_assert_nonnull (strstr (text, "# About [private_person]\n"));
  g_assert_nonnull (strstr (text, "I am [private_person], and my password is hunter2."));
  g_assert_null (strstr (text, "Alice"));
  g_assert_cmpstr (pteris_conversation_get_title (conversation), ==, "About Alice");
  g_assert_cmpuint (fake.n_loads, ==, 0);
  close_window (window);
}

static void
test_transcript (void)
{
  PterisWindow *window = open_with_filter ();
  g_autoptr (PterisTranscript) transcript = transcribe_one (window);
  g_autofree char *before = pteris_transcript_format (transcript, PT_SUBTITLE_TXT);
  g_autofree char *after = NULL, *undone = NULL, *file = NULL, *later = NULL;

  g_assert_nonnull (strstr (before, "fellow"));
  pteris_transcript_set_title (transcript, "Alice.wav");
  g_action_group_activate_action (
      G_ACTION_GROUP (window), "export-transcript-without-names",
      g_variant_new ("(xs)", pteris_transcript_get_id (transcript), "srt"));
  wait_until (find_dialog () != NULL && says (find_dialog (), "2 names and secrets were found"));
  answer ("accept");
  file = save_as ("transcript.srt", "[private_person].srt");
  g_assert_nonnull (strstr (file, "[private_person]"));
  g_assert_nonnull (strstr (file, " --> "));
  g_assert_null (strstr (file, "fellow"));
  later = pteris_transcript_format (transcript, PT_SUBTITLE_TXT);
  g_assert_cmpstr (later, ==, before);
  act_on (window, "replace-names", transcript);
  wait_until (find_dialog () != NULL && says (find_dialog (), "was found"));
  answer ("accept");
  after = pteris_transcript_format (transcript, PT_SUBTITLE_TXT);
  g_assert_nonnull (strstr (after, "[private_person]"));
  g_assert_null (strstr (after, "fellow"));
  pteris_transcript_undo (transcript);
  undone = pteris_transcript_format (transcript, PT_SUBTITLE_TXT);
  g_assert_cmpstr (undone, ==, before);
  close_window (window);
}

/* Nothing is written when the dialog is closed, or when a text could not be read. */
static void
test_refused (void)
{
  PterisWindow *window = open_with_filter ();
  g_autoptr (PterisTranscript) transcript = transcribe_one (window);
  g_autofree char *before = pteris_transcript_format (transcript, PT_SUBTITLE_TXT);
  g_autofree char *after = NULL;

  act_on (window, "replace-names", transcript);
  wait_until (find_dialog () != NULL);
  answer ("cancel");
  settle (200);
  after = pteris_transcript_format (transcript, PT_SUBTITLE_TXT);
  g_assert_cmpstr (after, ==, before);
  pteris_transcript_edit (transcript, 0, "unreadable", 0, 1);
  act_on (window, "replace-names", transcript);
  wait_until (find_dialog () != NULL && says (find_dialog (), "The text cannot be read."));
  g_assert_false (
      adw_message_dialog_get_response_enabled (ADW_MESSAGE_DIALOG (find_dialog ()), "accept"));
  answer ("cancel");
  close_window (window);
}

#ifdef G_OS_WIN32
#define HAS_NATIVE_DIALOG TRUE
#else
#define HAS_NATIVE_DIALOG FALSE
#endif

static void
skip_native_dialog (void)
{
  g_test_skip ("the dialog for files is Windows' own");
}

static void
test_no_filter (void)
{
  PterisWindow *window;
  g_autoptr (PterisTranscript) transcript = NULL;

  forget_everything ();
  fake.with_models = TRUE;
  window = open_window ();
  transcript = transcribe_one (window);
  act_on (window, "replace-names", transcript);
  wait_until (find_dialog () != NULL && says (find_dialog (), "needs a privacy filter"));
  answer ("models");
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (window->discover_page)));
  wait_until (says (window->discover_page, "Privacy filter"));
  wait_until (!says (window->discover_page, "SmolLM2"));
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/privacy/findings", test_findings);
  g_test_add_func ("/privacy/labels", test_labels);
  g_test_add_func ("/privacy/chat", HAS_NATIVE_DIALOG ? skip_native_dialog : test_chat);
  g_test_add_func ("/privacy/transcript", HAS_NATIVE_DIALOG ? skip_native_dialog : test_transcript);
  g_test_add_func ("/privacy/refused", test_refused);
  g_test_add_func ("/privacy/no-filter", test_no_filter);
  return end_window_tests ();
}
