/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/aloud/sentences.h"
#include <pteris/chat.h>
#include "ui/i18n.h"

/* The "win." actions that read texts aloud, or save them as speech. */

#define ACTION(name) \
  static void name (GSimpleAction *action, GVariant *parameter, gpointer user_data)

/* ---- texts ---- */

/* The selected text of @widget; NULL: there is none. Free with g_free(). */
static char *
selection_of (GtkWidget *widget)
{
  int start, end;
  GtkTextIter from, to;

  if (GTK_IS_LABEL (widget) && gtk_label_get_selection_bounds (GTK_LABEL (widget), &start, &end)) {
    const char *text = gtk_label_get_text (GTK_LABEL (widget));

    return g_utf8_substring (text, start, end);
  }
  if (GTK_IS_EDITABLE (widget) &&
      gtk_editable_get_selection_bounds (GTK_EDITABLE (widget), &start, &end))
    return gtk_editable_get_chars (GTK_EDITABLE (widget), start, end);
  if (GTK_IS_TEXT_VIEW (widget)) {
    GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget));

    if (gtk_text_buffer_get_selection_bounds (buffer, &from, &to))
      return gtk_text_buffer_get_text (buffer, &from, &to, FALSE);
  }
  return NULL;
}

static gboolean
is_in_menu (GtkWidget *widget)
{
  return gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER) != NULL ||
         gtk_widget_get_ancestor (widget, GTK_TYPE_MENU_BUTTON) != NULL;
}

/* Remembers the widget that had the focus before a menu. */
static void
on_focus (PterisWindow *self)
{
  GtkWidget *widget = gtk_window_get_focus (GTK_WINDOW (self));

  if (widget != NULL && !is_in_menu (widget))
    g_set_weak_pointer (&self->worked_on, widget);
}

/* The selection of the widget that has the focus, or had it before a menu was opened. */
static char *
selected_text (PterisWindow *self)
{
  GtkWidget *widget = self->worked_on;
  char *text = NULL;

  for (; widget != NULL && text == NULL; widget = gtk_widget_get_parent (widget))
    text = selection_of (widget);
  return text;
}

static GPtrArray *
sentences_of_message (PterisMessage *message)
{
  return pteris_sentences_of_markdown (
      pt_thinking_split (pteris_message_get_text (message)).answer);
}

/* The text to read: the selection, else the last answer or the transcript of the page. NULL: none.
 * @subject: set to the answer, or NULL. */
static GPtrArray *
find_sentences (PterisWindow *self, gpointer *subject)
{
  const char *page = gtk_stack_get_visible_child_name (self->pages);
  g_autofree char *selected = selected_text (self), *text = NULL;
  PterisMessage *answer = pteris_chat_session_get_last_answer (self->session);
  PterisTranscript *transcript = self->transcribe_page != NULL
                                     ? pteris_transcribe_page_get_transcript (self->transcribe_page)
                                     : NULL;

  *subject = NULL;
  if (selected != NULL)
    return pteris_sentences_of_text (selected);
  if (g_strcmp0 (page, "transcribe") == 0) {
    text = transcript != NULL ? pteris_transcript_format_plain (transcript) : NULL;
    return text != NULL ? pteris_sentences_of_text (text) : NULL;
  }
  if (g_strcmp0 (page, "chat") != 0 || answer == NULL)
    return NULL;
  *subject = answer;
  return sentences_of_message (answer);
}

/* ---- reading ---- */

/* FALSE, and the page with models that speak: none is installed. */
static gboolean
check_model (PterisWindow *self)
{
  if (pteris_reader_can_read (self->reader))
    return TRUE;
  pteris_window_show_page (self, "discover");
  pteris_discover_page_show_task (self->discover_page, "speak");
  pteris_window_say (
      self, _ ("Reading aloud needs a speech synthesis model. Download one of these first."));
  return FALSE;
}

/* Reads the answer, or stops if it is being read. */
ACTION (read_answer)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisMessage *message =
      pteris_chat_session_find_message (self->session, g_variant_get_int64 (parameter));

  if (message == NULL)
    return;
  if (pteris_message_is_aloud (message))
    pteris_reader_stop (self->reader);
  else if (check_model (self))
    pteris_reader_read (self->reader, sentences_of_message (message), message);
}

ACTION (read_aloud)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  gpointer subject;
  GPtrArray *sentences = find_sentences (self, &subject);

  if (sentences == NULL)
    pteris_window_say (self, _ ("Select the text to read aloud."));
  else if (check_model (self))
    pteris_reader_read (self->reader, g_steal_pointer (&sentences), subject);
  g_clear_pointer (&sentences, g_ptr_array_unref);
}

/* Marks the answer that is being read. */
static void
on_reader_changed (PterisWindow *self)
{
  gpointer subject = pteris_reader_get_subject (self->reader);
  PterisMessage *now = PTERIS_IS_MESSAGE (subject) ? subject : NULL;

  if (self->aloud != now) {
    if (self->aloud != NULL)
      pteris_message_set_aloud (self->aloud, FALSE);
    g_set_object (&self->aloud, now);
    if (now != NULL)
      pteris_message_set_aloud (now, TRUE);
  }
  _pteris_window_update_actions (self);
}

/* ---- saving ---- */

/* The speech that is being saved. */
typedef struct {
  PterisWindow *window;
  GPtrArray *sentences;
  char *path;
} Saving;

static void
saving_free (gpointer data)
{
  Saving *saving = data;

  g_object_unref (saving->window);
  g_ptr_array_unref (saving->sentences);
  g_free (saving->path);
  g_free (saving);
}

static void
on_saved (const PtEvent *event, gpointer user_data)
{
  Saving *saving = user_data;
  g_autofree char *name = g_filename_display_basename (saving->path);
  g_autofree char *text = NULL;

  if (event->kind == PT_EVENT_DONE)
    text = g_strdup_printf (_ ("Saved as “%s”"), name);
  else if (event->kind == PT_EVENT_FAILED)
    text = g_strdup (event->text);
  if (text != NULL && saving->window->reader != NULL)
    pteris_window_say (saving->window, text);
}

static void
on_place_chosen (GtkNativeDialog *dialog, int response, Saving *saving)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  PterisReader *reader = saving->window->reader;

  g_object_unref (dialog);
  saving->path = file != NULL ? g_file_get_path (file) : NULL;
  if (saving->path == NULL || reader == NULL) {
    saving_free (saving);
    return;
  }
  pteris_reader_save (reader, saving->sentences, saving->path, on_saved, saving, saving_free);
}

ACTION (save_speech)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  gpointer subject;
  GPtrArray *sentences = find_sentences (self, &subject);
  GtkFileChooserNative *dialog;
  Saving *saving;

  if (sentences == NULL || !check_model (self)) {
    if (sentences == NULL)
      pteris_window_say (self, _ ("Select the text to read aloud."));
    g_clear_pointer (&sentences, g_ptr_array_unref);
    return;
  }
  saving = g_new0 (Saving, 1);
  saving->window = g_object_ref (self);
  saving->sentences = sentences;
  dialog = gtk_file_chooser_native_new (_ ("Save Speech"), GTK_WINDOW (self),
                                        GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), _ ("_Cancel"));
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), _ ("Speech.wav"));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect (dialog, "response", G_CALLBACK (on_place_chosen), saving);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

void
_pteris_window_add_aloud (PterisWindow *self)
{
  static const GActionEntry ENTRIES[] = {
    { "read-answer", read_answer, "x", NULL, NULL },
    { "read-aloud", read_aloud, NULL, NULL, NULL },
    { "save-speech", save_speech, NULL, NULL, NULL },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), ENTRIES, G_N_ELEMENTS (ENTRIES), self);
  g_signal_connect (self, "notify::focus-widget", G_CALLBACK (on_focus), NULL);
  self->reader = pteris_reader_new (self->library);
  pteris_reader_bar_bind (self->reader_bar, self->reader);
  g_signal_connect_object (self->reader, "changed", G_CALLBACK (on_reader_changed), self,
                           G_CONNECT_SWAPPED);
}
