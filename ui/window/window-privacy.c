/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include <string.h>

#include "ui/chat/chat-export.h"
#include "ui/i18n.h"
#include "ui/parts/overwrite.h"
#include "ui/privacy/privacy-dialog.h"
#include "ui/speech/transcript-edit.h"
#include "ui/speech/transcript-export.h"

#define ACTION(name) \
  static void name (GSimpleAction *action, GVariant *parameter, gpointer user_data)

/* Exports without names and secrets. The chats and transcripts themselves stay as they are. */

/* The texts that are exported, or edited, once the names are replaced. */
typedef struct {
  PterisWindow *window;
  PterisTranscript *transcript; /* or NULL */
  PtSubtitleFormat format;
  char **originals; /* of the segments, and for an export the title before them */
} Replacing;

static void
replacing_free (gpointer data)
{
  Replacing *self = data;

  g_object_unref (self->window);
  g_clear_object (&self->transcript);
  g_strfreev (self->originals);
  g_free (self);
}

/* ---- writing a file ---- */

typedef struct {
  GFile *file;
  char *text;
} Writing;

static void
writing_free (gpointer data)
{
  Writing *writing = data;

  g_object_unref (writing->file);
  g_free (writing->text);
  g_free (writing);
}

static void
write_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Writing *writing = data;
  GError *error = NULL;

  if (pteris_write_text (writing->file, writing->text, NULL, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  if (g_task_propagate_boolean (G_TASK (result), &error))
    pteris_window_say (PTERIS_WINDOW (source), _ ("Exported"));
  else
    pteris_window_say (PTERIS_WINDOW (source), error->message);
}

static void
write_text (PterisWindow *self, GFile *file, const char *text)
{
  g_autoptr (GTask) task = g_task_new (self, NULL, on_written, NULL);
  Writing *writing = g_new0 (Writing, 1);

  writing->file = g_object_ref (file);
  writing->text = g_strdup (text);
  g_task_set_source_tag (task, write_text);
  g_task_set_task_data (task, writing, writing_free);
  g_task_run_in_thread (task, write_in_thread);
}

static void
on_file_chosen (GtkNativeDialog *dialog, int response, PterisWindow *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    write_text (self, file, g_object_get_data (G_OBJECT (dialog), "text"));
  g_object_unref (dialog);
}

static void
save (PterisWindow *self, const char *title, const char *name, char *text)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      title, GTK_WINDOW (self), GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"), _ ("_Cancel"));

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_object_set_data_full (G_OBJECT (dialog), "text", text, g_free);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- chats ---- */

/* A file name of a title without names. The text begins with it: "# About [private_person]". */
static char *
chat_file_name (const char *text)
{
  gsize end = strcspn (text, "\n");
  g_autofree char *title = g_strndup (text, end);
  const char *start = title + strspn (title, "# ");

  g_strdelimit (title, "/\\:*?\"<>|", '-');
  return g_strconcat (*start != '\0' ? start : _ ("Chat"), ".md", NULL);
}

static void
save_chat (const char *const *texts, gpointer user_data)
{
  const Replacing *replacing = user_data;
  g_autofree char *name = chat_file_name (texts[0]);

  save (replacing->window, _ ("Export Chat"), name, g_strdup (texts[0]));
}

static void
on_chat_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Replacing *replacing = user_data;
  PterisWindow *self = replacing->window;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = pteris_chat_markdown_finish (result, &error);
  const char *const texts[] = { text, NULL };
  PterisPrivacyRequest request = { texts, _ ("_Export…"), save_chat, replacing, replacing_free };

  if (text != NULL && self->engines != NULL) {
    pteris_privacy_dialog_present (GTK_WINDOW (self), self->library, &request);
    return;
  }
  if (text == NULL)
    pteris_window_say (self, error->message);
  replacing_free (replacing);
}

ACTION (export_chat)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisConversation *conversation =
      pteris_chat_history_find (self->history, g_variant_get_int64 (parameter));
  Replacing *replacing;

  if (conversation == NULL)
    return;
  replacing = g_new0 (Replacing, 1);
  replacing->window = g_object_ref (self);
  pteris_chat_markdown_async (conversation, on_chat_read, replacing);
}

/* ---- transcripts ---- */

static void
save_transcript (const char *const *texts, gpointer user_data)
{
  const Replacing *replacing = user_data;
  g_autofree char *name = pteris_transcript_file_name (texts[0], replacing->format);

  save (replacing->window, _ ("Export Transcript"), name,
        pteris_transcript_format_texts (replacing->transcript, texts + 1, replacing->format));
}

static void
edit_transcript (const char *const *texts, gpointer user_data)
{
  const Replacing *replacing = user_data;
  g_auto (GStrv) now = pteris_transcript_texts (replacing->transcript);

  if (!g_strv_equal ((const char *const *) now, (const char *const *) replacing->originals))
    pteris_window_say (replacing->window,
                       _ ("The transcript has changed meanwhile. Search it again."));
  else
    pteris_transcript_set_texts (replacing->transcript, texts);
}

/* Takes @texts. */
static char **
prepend (const char *text, char **texts)
{
  guint n = g_strv_length (texts);
  char **all = g_new0 (char *, n + 2);

  all[0] = g_strdup (text);
  memcpy (all + 1, texts, n * sizeof *texts);
  g_free (texts);
  return all;
}

static void
replace_in (PterisWindow *self, gint64 id, const char *format, const char *accept,
            PterisPrivacyFunc func)
{
  PterisTranscript *transcript = pteris_transcript_queue_find (self->queue, id);
  PterisPrivacyRequest request = { .accept = accept, .func = func, .destroy = replacing_free };
  Replacing *replacing;

  if (transcript == NULL)
    return;
  replacing = g_new0 (Replacing, 1);
  replacing->window = g_object_ref (self);
  replacing->transcript = g_object_ref (transcript);
  replacing->originals = pteris_transcript_texts (transcript);
  if (func == save_transcript)
    replacing->originals = prepend (pteris_transcript_get_title (transcript), replacing->originals);
  replacing->format = PT_SUBTITLE_TXT;
  pt_subtitle_format_find (format, &replacing->format);
  request.texts = (const char *const *) replacing->originals;
  request.user_data = replacing;
  pteris_privacy_dialog_present (GTK_WINDOW (self), self->library, &request);
}

ACTION (export_transcript)
{
  const char *format;
  gint64 id;

  g_variant_get (parameter, "(x&s)", &id, &format);
  replace_in (PTERIS_WINDOW (user_data), id, format, _ ("_Export…"), save_transcript);
}

ACTION (replace_names)
{
  replace_in (PTERIS_WINDOW (user_data), g_variant_get_int64 (parameter), "txt", _ ("_Replace"),
              edit_transcript);
}

/* ---- models ---- */

ACTION (show_filters)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  pteris_window_show_page (self, "discover");
  pteris_discover_page_show_found (self->discover_page, "Privacy filter");
}

void
_pteris_window_add_privacy_actions (PterisWindow *self)
{
  static const GActionEntry ENTRIES[] = {
    { "export-chat-without-names", export_chat, "x", NULL, NULL },
    { "export-transcript-without-names", export_transcript, "(xs)", NULL, NULL },
    { "replace-names", replace_names, "x", NULL, NULL },
    { "show-privacy-filters", show_filters, NULL, NULL, NULL },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), ENTRIES, G_N_ELEMENTS (ENTRIES), self);
}
