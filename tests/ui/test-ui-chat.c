/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "tests/ui/chat-test.h"
#include "tests/ui/fake-engine.h"
#include "ui/window/application.h"
#include "ui/chat/chat-settings.h"
#include "ui/chat/chat-store.h"
#include "ui/chat/chat-export.h"
#include "ui/chat/context-meter.h"
#include "ui/chat/question-editor.h"
#include "ui/chat/suggestions.h"
#include "ui/settings.h"

/* ---- helpers ---- */

static void
act (PterisWindow *window, const char *name)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window->chat_page), name, NULL));
}

static PterisWindow *
begin (void)
{
  forget_history ();
  pteris_settings_remove_from_list (PTERIS_SETTING_MODELS, "/models/mine/model.pte");
  fake_reset ();
  return open_window ();
}

/* ---- thoughts ---- */

static void
test_thinking (void)
{
  PterisWindow *window = begin ();
  GtkWidget *expander;

  fake.answer = "<think>\nParis it **must** be.\n</think>\n\nParis.";
  say_and_wait (window, "The capital of France?");
  wait_until (says (window->chat_page, "Thought for"));
  g_assert_true (says (window->chat_page, "Paris."));
  g_assert_false (says (window->chat_page, "Paris it must be."));
  expander =
      gtk_widget_get_ancestor (find_label (window->chat_page, "Thought for"), GTK_TYPE_EXPANDER);
  gtk_expander_set_expanded (GTK_EXPANDER (expander), TRUE);
  wait_until (says (window->chat_page, "Paris it must be."));

  /* The stopped answer is not part of the next prompt. */
  say_and_wait (window, "Sure?");
  g_assert_cmpstr (fake.prompt, ==,
                   "user: The capital of France?\nassistant: Paris.\nuser: Sure?\n");
  close_window (window);

  window = open_window ();
  wait_until (n_messages (window) == 4);
  g_assert_cmpfloat (pteris_message_get_thinking_time (message_at (window, 1)), >, 0);
  close_window (window);
}

/* ---- settings ---- */

static void
set_text (GtkTextView *view, const char *text)
{
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (view), text, -1);
}

static void
test_settings (void)
{
  PterisWindow *window = begin ();
  GtkWidget *button = nth (window->chat_page, PTERIS_TYPE_CHAT_SETTINGS_BUTTON, 0);
  GtkDropDown *presets;
  GtkWidget *popover;
  const PterisChatSettings *settings;
  PtSampling precise;

  g_assert_true (says (button, "Balanced"));
  pteris_chat_settings_button_open (PTERIS_CHAT_SETTINGS_BUTTON (button));
  wait_until (says (button, "Temperature"));
  presets = GTK_DROP_DOWN (nth (button, GTK_TYPE_DROP_DOWN, 0));
  gtk_drop_down_set_selected (presets, 1);
  settings = pteris_chat_session_get_settings (window->session);
  precise = pteris_presets_get (window->presets, 1)->settings.sampling;
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    g_assert_cmpfloat (pt_sampling_get (&settings->sampling, i), ==, pt_sampling_get (&precise, i));
  g_assert_true (says (button, "Precise"));
  set_text (GTK_TEXT_VIEW (nth (button, GTK_TYPE_TEXT_VIEW, 0)), "Be brief.");
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (nth (button, GTK_TYPE_SPIN_BUTTON, 2)), 64);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (nth (button, GTK_TYPE_SPIN_BUTTON, 3)), 7);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (nth (button, GTK_TYPE_SPIN_BUTTON, 4)), 7);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (nth (button, GTK_TYPE_SPIN_BUTTON, 9)), 0.3);
  gtk_editable_set_text (GTK_EDITABLE (nth (button, ADW_TYPE_ENTRY_ROW, 0)), "###");
  g_assert_true (says (button, "Custom"));

  say_and_wait (window, "Hello");
  g_assert_cmpstr (fake.prompt, ==, "system: Be brief.\nuser: Hello\n");
  g_assert_cmpfloat (fake.sampling.temperature, ==, precise.temperature);
  g_assert_cmpfloat_with_epsilon (fake.sampling.top_k, 7, 0.001);
  g_assert_cmpfloat_with_epsilon (fake.sampling.frequency_penalty, 0.3, 0.001);
  g_assert_cmpfloat (fake.sampling.presence_penalty, ==, precise.presence_penalty);
  g_assert_cmpstr (fake.stop, ==, "###");
  g_assert_cmpint (fake.max_new_tokens, ==, 64);
  g_assert_cmpuint (fake.seed, ==, 7);

  /* The user's own preset: saved, renamed, restored after a restart, and deleted. */
  pteris_presets_add (window->presets, "Curt", pteris_chat_session_get_settings (window->session));
  g_assert_true (says (button, "Curt"));
  pteris_presets_rename (window->presets, 3, "Brief");
  g_assert_true (says (button, "Brief"));
  /* GTK may still want to look for the pointer on the menu's surface. */
  popover = nth (button, GTK_TYPE_POPOVER, 0);
  gtk_popover_popdown (GTK_POPOVER (popover));
  wait_until (!gtk_widget_get_mapped (popover));
  close_window (window);

  window = open_window ();
  button = nth (window->chat_page, PTERIS_TYPE_CHAT_SETTINGS_BUTTON, 0);
  wait_until (n_messages (window) == 2);
  wait_until (says (button, "Brief"));
  settings = pteris_chat_session_get_settings (window->session);
  g_assert_cmpstr (settings->system, ==, "Be brief.");
  g_assert_cmpuint (settings->seed, ==, 7);
  pteris_presets_remove (window->presets, 3);
  g_assert_cmpuint (pteris_presets_get_n (window->presets), ==, 3);
  g_assert_true (says (button, "Custom"));
  close_window (window);
}

/* ---- suggestions ---- */

/* Suggestions are in a language of the model, even if the window has another one. */
static void
test_suggestions (void)
{
  static const char *const german[] = { "de_DE.UTF-8", "de_DE", "de", "C", NULL };
  static const char *const plain[] = { "C", NULL }, *const none[] = { NULL };
  PterisWindow *window = begin ();

  g_assert_true (pteris_suggestions_match ("de", german));
  g_assert_true (pteris_suggestions_match ("en fr de", german));
  g_assert_false (pteris_suggestions_match ("en", german));
  g_assert_false (pteris_suggestions_match ("den", german));
  g_assert_false (pteris_suggestions_match (NULL, german));
  g_assert_false (pteris_suggestions_match ("en de", plain));
  g_assert_false (pteris_suggestions_match ("en", none));
  for (guint i = 0; i < PTERIS_N_SUGGESTIONS; i++)
    wait_until (says (window->chat_page, pteris_suggestions_get (i, "en")));
  close_window (window);
}

/* ---- the context ---- */

static void
test_context (void)
{
  PterisWindow *window = begin ();
  GtkWidget *meter = nth (window->chat_page, PTERIS_TYPE_CONTEXT_METER, 0);

  g_assert_false (gtk_widget_get_mapped (meter));
  fake.context_used = 1024;
  say_and_wait (window, "One");
  wait_until (says (meter, "50 %"));
  g_assert_false (gtk_widget_has_css_class (meter, "warns"));
  fake.context_used = 1900;
  say_and_wait (window, "Two");
  wait_until (says (meter, "93 %"));
  g_assert_true (gtk_widget_has_css_class (meter, "warns"));

  /* The context is full: older messages are left out and marked, and the question is asked again.
   */
  fake.answer = "";
  fake.answer_error =
      "The conversation has 2100 tokens; with an answer, the model's context holds 2048.";
  say_and_wait (window, "Three");
  wait_until (says (window->chat_page, fake.answer_error));
  g_assert_true (says (window->chat_page, "Shorten Context"));
  fake.answer = "Fine.";
  fake.answer_error = NULL;
  act (window, "chat.leave-out");
  wait_for_answer (window);
  g_assert_null (strstr (fake.prompt, "One"));
  g_assert_nonnull (strstr (fake.prompt, "Three"));
  g_assert_cmpint (pteris_message_get_place (message_at (window, 0)), ==, PTERIS_MESSAGE_LEFT_OUT);
  wait_until (says (window->chat_page, "Messages above are no longer in the model's context"));
  g_assert_cmpuint (n_messages (window), ==, 6);
  close_window (window);

  window = open_window ();
  wait_until (n_messages (window) == 6);
  g_assert_cmpint (pteris_message_get_place (message_at (window, 0)), ==, PTERIS_MESSAGE_LEFT_OUT);
  close_window (window);
}

/* A single message that is too long is refused. */
static void
test_too_long (void)
{
  PterisWindow *window = begin ();

  fake.answer = "";
  fake.answer_error =
      "The conversation has 2100 tokens; with an answer, the model's context holds 2048.";
  say_and_wait (window, "All of Tolstoy");
  act (window, "chat.leave-out");
  wait_until (says (window->chat_page, "Your message alone is too long for this model"));
  close_window (window);
}

/* ---- answers ---- */

static void
test_continue (void)
{
  PterisWindow *window = begin ();
  PterisMessage *answer;

  fake.answer = "One, two,";
  fake.hold = TRUE;
  say (window, "Count");
  answer = message_at (window, 1);
  wait_until (g_str_equal (pteris_message_get_text (answer), fake.answer));
  pteris_chat_session_stop (window->session);
  wait_for_answer (window);
  wait_until (says (window->chat_page, "Continue"));
  fake.answer = " three.";
  fake.hold = FALSE;
  act (window, "chat.continue");
  wait_for_answer (window);
  g_assert_cmpstr (fake.prompt, ==, "user: Count\nassistant: One, two,\n");
  g_assert_cmpstr (pteris_message_get_text (answer), ==, "One, two, three.");
  g_assert_cmpint (pteris_message_get_state (answer), ==, PTERIS_MESSAGE_DONE);
  wait_until (says (window->chat_page, "One, two, three."));
  g_assert_false (pteris_chat_session_can_continue (window->session));
  close_window (window);

  window = open_window ();
  wait_until (n_messages (window) == 2);
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 1)), ==, "One, two, three.");
  close_window (window);
}

/* The answer shows the reason of its end and can be continued, also after a restart. */
static void
test_loop (void)
{
  static const char note[] = "The answer was stopped because it repeated itself.";
  PterisWindow *window = begin ();

  fake.answer = "And so on.";
  fake.answer_reason = PT_REASON_LOOP;
  say_and_wait (window, "Count");
  wait_until (says (window->chat_page, note));
  g_assert_true (says (window->chat_page, "Continue"));
  close_window (window);

  window = open_window ();
  wait_until (n_messages (window) == 2);
  wait_until (says (window->chat_page, note));
  fake.answer_reason = PT_REASON_NONE;
  act (window, "chat.continue");
  wait_for_answer (window);
  wait_until (!says (window->chat_page, note));
  g_assert_cmpstr (pteris_message_get_text (message_at (window, 1)), ==, "And so on.And so on.");
  close_window (window);
}

static void
delete_at (PterisWindow *window, guint i)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window->chat_page), "chat.delete", "x",
                                             pteris_message_get_id (message_at (window, i))));
}

static void
undo (PterisWindow *window)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL));
}

/* The questions that are shown, with a blank between them. */
static gboolean
asks (PterisWindow *window, const char *questions)
{
  g_autoptr (GString) found = g_string_new (NULL);

  for (guint i = 0; i < n_messages (window); i += 2)
    g_string_append_printf (found, "%s%s", i > 0 ? " " : "",
                            pteris_message_get_text (message_at (window, i)));
  return g_str_equal (found->str, questions);
}

static void
test_delete (void)
{
  PterisWindow *window = begin ();

  say_and_wait (window, "One");
  say_and_wait (window, "Two");
  say_and_wait (window, "Three");
  delete_at (window, 3);
  g_assert_true (asks (window, "One Three"));
  wait_until (says (window, "Question and answer deleted"));
  undo (window);
  wait_until (asks (window, "One Two Three"));

  delete_at (window, 3);
  say_and_wait (window, "Four");
  g_assert_true (asks (window, "One Three Four"));
  g_assert_null (strstr (fake.prompt, "Two"));
  delete_at (window, 0);
  close_window (window);

  window = open_window ();
  wait_until (asks (window, "Three Four"));
  g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "undo"));
  close_window (window);
}

/* Deleted messages and chats can be restored as long as the window is open, the last one first. */
static void
test_undo (void)
{
  PterisWindow *window = begin ();
  gint64 id;

  say_and_wait (window, "One");
  say_and_wait (window, "Two");
  say_and_wait (window, "Three");
  delete_at (window, 4);
  delete_at (window, 0);
  say_and_wait (window, "Four");
  delete_at (window, 0);
  g_assert_true (asks (window, "Four"));
  id = pteris_conversation_get_id (pteris_chat_session_get_conversation (window->session));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.new-chat", NULL);
  say_and_wait (window, "Elsewhere");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.delete-chat", "x", id);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (window->history)), ==, 1);

  undo (window);
  wait_until (asks (window, "Four"));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (window->history)), ==, 2);
  undo (window);
  wait_until (asks (window, "Two Four"));
  undo (window);
  wait_until (asks (window, "One Two Four"));
  undo (window);
  wait_until (asks (window, "One Two Three Four"));
  g_assert_false (g_action_group_get_action_enabled (G_ACTION_GROUP (window), "undo"));
  close_window (window);

  window = open_window ();
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->history)) == 2);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.open-chat", "x", id);
  wait_until (asks (window, "One Two Three Four"));
  close_window (window);
}

/* The toast that tells of it stands over the conversation. */
static void
test_toast (void)
{
  PterisWindow *window = begin ();
  GtkWidget *label, *composer = GTK_WIDGET (composer_of (window));
  graphene_rect_t toast, field;

  say_and_wait (window, "One");
  delete_at (window, 0);
  wait_until ((label = find_label (window, "Question and answer deleted")) != NULL);
  g_assert_true (gtk_widget_compute_bounds (label, GTK_WIDGET (window), &toast));
  g_assert_true (gtk_widget_compute_bounds (composer, GTK_WIDGET (window), &field));
  g_assert_cmpfloat (toast.origin.y + toast.size.height, <, field.origin.y);
  close_window (window);
}

/* The GPU fails during an answer, which goes on: a toast says so until it is dismissed. */
static void
test_gpu_fails (void)
{
  PterisWindow *window = begin ();
  PterisMessage *answer;

  fake.gpu_error = "The driver of the GPU has given up its work.";
  fake.alternative = "/models/mine/model.cpu.pte";
  say_and_wait (window, "Hello");
  answer = message_at (window, 1);
  g_assert_cmpint (pteris_message_get_state (answer), ==, PTERIS_MESSAGE_DONE);
  g_assert_cmpstr (pteris_message_get_text (answer), ==, fake.answer);
  wait_until (find_label (window, "The GPU failed. The model continues on the CPU, with "
                                  "“model.cpu.pte”. The driver of the GPU has given up its "
                                  "work.") != NULL);
  g_assert_cmpstr (pteris_engine_client_get_device (chat_engine (window)), ==, "CPU (again)");
  close_window (window);
}

/* A GPU error during an answer: the text is kept, and a button loads the model on the CPU. */
static void
test_reload_on_cpu (void)
{
  PterisWindow *window = begin ();
  PterisMessage *answer;

  fake.answer_error = "The GPU has stopped working.";
  fake.answer_code = PT_ERROR_DELEGATE;
  fake.alternative = "/models/mine/model.cpu.pte";
  say_and_wait (window, "Hello");
  wait_until (says (window->chat_page, fake.answer_error));
  g_assert_true (says (window->chat_page, "Reload on the CPU"));
  g_assert_true (says (window->chat_page, "Try Again"));
  fake.answer_error = NULL;
  act (window, "chat.use-cpu");
  wait_until (n_messages (window) == 2 && fake.n_chats == 2);
  wait_for_answer (window);
  answer = message_at (window, 1);
  g_assert_cmpint (pteris_message_get_state (answer), ==, PTERIS_MESSAGE_DONE);
  g_assert_cmpstr (pteris_message_get_author (answer), ==, "Mine");
  close_window (window);
}

/* Without its model a conversation can still be read. */
static void
test_model_gone (void)
{
  PterisWindow *window = begin ();

  say_and_wait (window, "Hello");
  close_window (window);
  fake.with_models = FALSE;
  window = open_window ();
  wait_until (n_messages (window) == 2);
  wait_until (says (window->chat_page, "The capital of France is Paris."));
  say_and_wait (window, "Still there?");
  wait_until (says (window->chat_page, "There is no chat model yet."));
  close_window (window);
}

static void
test_stop_is_quick (void)
{
  PterisWindow *window = begin ();
  gint64 begun;

  fake.hold = TRUE;
  say (window, "For ever");
  wait_until (pteris_message_get_text (message_at (window, 1))[0] != '\0');
  begun = g_get_monotonic_time ();
  g_signal_emit_by_name (composer_of (window), "stop");
  wait_for_answer (window);
  g_test_message ("stopped after %.0f ms", (double) (g_get_monotonic_time () - begun) / 1000);
  g_assert_cmpint (pteris_message_get_state (message_at (window, 1)), ==, PTERIS_MESSAGE_STOPPED);
  close_window (window);
}

/* ---- writing ---- */

static char *
written (PterisWindow *window)
{
  return pteris_composer_get_text (composer_of (window));
}

static gboolean
has_written (PterisWindow *window, const char *text)
{
  g_autofree char *now = written (window);

  return g_str_equal (now, text);
}

static void
test_drafts (void)
{
  PterisWindow *window = begin ();
  g_autoptr (PterisConversation) first = NULL;

  say_and_wait (window, "One");
  first = g_object_ref (pteris_chat_session_get_conversation (window->session));
  pteris_composer_set_text (composer_of (window), "for the first");
  pteris_chat_session_open (window->session, NULL);
  g_assert_true (has_written (window, ""));
  pteris_composer_set_text (composer_of (window), "for a new one");
  pteris_chat_session_open (window->session, first);
  g_assert_true (has_written (window, "for the first"));
  settle (600);
  close_window (window);

  window = open_window ();
  wait_until (n_messages (window) == 2);
  wait_until (has_written (window, "for the first"));
  pteris_chat_session_open (window->session, NULL);
  g_assert_true (has_written (window, "for a new one"));
  say_and_wait (window, "Two");
  g_assert_true (has_written (window, ""));
  pteris_chat_session_open (window->session, NULL);
  g_assert_true (has_written (window, ""));
  close_window (window);
}

static void
test_edit_last (void)
{
  PterisWindow *window = begin ();
  GtkWidget *editor;

  say_and_wait (window, "First");
  wait_until (says (window->chat_page, "First"));
  g_signal_emit_by_name (composer_of (window), "edit-last");
  editor = nth (window->chat_page, PTERIS_TYPE_QUESTION_EDITOR, 0);
  g_assert_nonnull (editor);
  g_signal_emit_by_name (editor, "send", "Second");
  wait_for_answer (window);
  g_assert_cmpstr (fake.prompt, ==, "user: Second\n");
  close_window (window);
}

static GFile *
make_picture (const char *name)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), name, NULL);
  g_autoptr (GBytes) pixels = g_bytes_new_take (g_malloc0 (64 * 48 * 4), 64 * 48 * 4);
  g_autoptr (GdkTexture) texture =
      gdk_memory_texture_new (64, 48, GDK_MEMORY_R8G8B8A8, pixels, 64 * 4);

  g_assert_true (gdk_texture_save_to_png (texture, path));
  return g_file_new_for_path (path);
}

static void
open_file (PterisWindow *window, GFile *file)
{
  GSList list = { .data = file };

  pteris_window_open_files (window, &list);
}

/* Models read text only today: the button is not there, and what is dropped is answered in place.
 */
static void
test_no_attachments (void)
{
  PterisWindow *window = begin ();
  g_autoptr (GFile) picture = make_picture ("fern.png");
  GtkWidget *note;

  open_file (window, picture);
  note = find_label (window->chat_page,
                     "SmolLM2 135M Instruct supports text only; “fern.png” was not");
  g_assert_nonnull (note);
  pteris_composer_set_text (composer_of (window), "Well then");
  g_assert_false (gtk_widget_get_mapped (note));

  /* The notice can be closed, and is removed with its chat. */
  open_file (window, picture);
  g_assert_true (gtk_widget_get_mapped (note));
  g_signal_emit_by_name (gtk_widget_get_next_sibling (note), "clicked");
  g_assert_false (gtk_widget_get_mapped (note));
  open_file (window, picture);
  say_and_wait (window, "One");
  open_file (window, picture);
  g_assert_true (gtk_widget_get_mapped (note));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.new-chat", NULL);
  g_assert_false (gtk_widget_get_mapped (note));
  close_window (window);
}

static void
on_exported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  *(GAsyncResult **) user_data = g_object_ref (result);
}

static gboolean
export_to (PterisWindow *window, const char *path, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GAsyncResult) result = NULL;

  g_ptr_array_add (list, pteris_chat_session_get_conversation (window->session));
  pteris_chat_export_async (list, file, on_exported, &result);
  wait_until (result != NULL);
  return pteris_chat_export_finish (result, error);
}

/* Export overwrites text files only. */
static void
test_export_over (void)
{
  static const char MODEL[] = "\0\0\0\0ET12";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "kept.md", NULL);
  g_autofree char *kept = NULL, *text = NULL;
  g_autoptr (GError) error = NULL;
  PterisWindow *window = begin ();
  gsize length;

  say_and_wait (window, "Hello");
  g_assert_true (g_file_set_contents (path, MODEL, sizeof MODEL, NULL));
  g_assert_false (export_to (window, path, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_assert_true (g_file_get_contents (path, &kept, &length, NULL));
  g_assert_cmpmem (kept, length, MODEL, sizeof MODEL);
  g_clear_error (&error);

  g_assert_true (g_file_set_contents (path, "An earlier chat.", -1, NULL));
  g_assert_true (export_to (window, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "Hello"));
  g_assert_null (strstr (text, "earlier"));
  g_unlink (path);
  close_window (window);
}

/* A model of another program is recognised; the message stays on its page. */
static void
test_foreign_model (void)
{
  PterisWindow *window = begin ();
  g_autoptr (GFile) file = g_file_new_for_path ("/models/fern.safetensors");

  open_file (window, file);
  wait_until (says (window->load_error_card, "“fern.safetensors”"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.models", NULL);
  g_assert_false (gtk_revealer_get_reveal_child (window->load_error));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-page", "s", "chat");
  g_assert_true (gtk_revealer_get_reveal_child (window->load_error));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.dismiss-error", NULL);
  g_assert_false (gtk_revealer_get_reveal_child (window->load_error));
  close_window (window);
}

static void
test_attachments (void)
{
  PterisWindow *window = begin ();
  g_autoptr (GFile) picture = make_picture ("fern.png");
  GPtrArray *list;

  close_window (window);
  fake.takes = PT_MODEL_IMAGES;
  window = open_window ();
  open_file (window, picture);
  wait_until (pteris_composer_get_attachments (composer_of (window)) != NULL);
  g_assert_true (says (window->chat_page, "fern.png"));
  say_and_wait (window, "What is this?");
  g_assert_null (pteris_composer_get_attachments (composer_of (window)));
  g_assert_nonnull (strstr (fake.prompt, "user: What is this?"));
  g_assert_nonnull (strstr (fake.prompt, "fern.png"));
  close_window (window);

  window = open_window ();
  wait_until (n_messages (window) == 2);
  list = pteris_message_get_attachments (message_at (window, 0));
  g_assert_nonnull (list);
  g_assert_cmpuint (strlen (pteris_attachment_get_hash (list->pdata[0])), ==, 64);
  g_assert_nonnull (pteris_attachment_get_thumbnail (list->pdata[0]));
  wait_until (says (window->chat_page, "fern.png"));
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/chat/thinking", test_thinking);
  g_test_add_func ("/chat/settings", test_settings);
  g_test_add_func ("/chat/suggestions", test_suggestions);
  g_test_add_func ("/chat/context", test_context);
  g_test_add_func ("/chat/too-long", test_too_long);
  g_test_add_func ("/chat/continue", test_continue);
  g_test_add_func ("/chat/loop", test_loop);
  g_test_add_func ("/chat/delete", test_delete);
  g_test_add_func ("/chat/undo", test_undo);
  g_test_add_func ("/chat/toast", test_toast);
  g_test_add_func ("/chat/gpu-fails", test_gpu_fails);
  g_test_add_func ("/chat/reload-on-cpu", test_reload_on_cpu);
  g_test_add_func ("/chat/model-gone", test_model_gone);
  g_test_add_func ("/chat/stop", test_stop_is_quick);
  g_test_add_func ("/chat/drafts", test_drafts);
  g_test_add_func ("/chat/edit-last", test_edit_last);
  g_test_add_func ("/chat/no-attachments", test_no_attachments);
  g_test_add_func ("/chat/export-over", test_export_over);
  g_test_add_func ("/chat/foreign-model", test_foreign_model);
  g_test_add_func ("/chat/attachments", test_attachments);
  return end_window_tests ();
}
