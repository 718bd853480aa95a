/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcript-export.h"

#include <string.h>

#include <adwaita.h>

#include "ui/parts/files.h"
#include "ui/parts/overwrite.h"
#include "ui/i18n.h"
#include "ui/speech/transcript-store.h"

static const char *const SUFFIXES[] = { "txt", "srt", "vtt", "json" };

static void
say (GtkWidget *widget, const char *text)
{
  GtkWidget *overlay = gtk_widget_get_ancestor (widget, ADW_TYPE_TOAST_OVERLAY);
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  if (overlay != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (overlay), adw_toast_new (escaped));
}

char *
pteris_transcript_file_name (const char *title, PtSubtitleFormat format)
{
  g_autofree char *stem = g_strdup (title);
  char *dot = strrchr (stem, '.');

  /* Only known extensions are removed: a title may contain a dot. */
  if (dot != NULL && dot != stem && g_strv_contains (pteris_recording_suffixes (), dot + 1))
    *dot = '\0';
  g_strdelimit (stem, "/\\:*?\"<>|", '-');
  return g_strconcat (stem, ".", SUFFIXES[format], NULL);
}

/* ---- one ---- */

static void
on_exported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GtkWidget) widget = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (pteris_transcript_export_finish (PTERIS_TRANSCRIPT (source), result, &error))
    text = g_strdup (_ ("Transcript exported"));
  else
    text = g_strdup_printf (_ ("The transcript could not be exported: %s. It is still here."),
                            error->message);
  say (widget, text);
}

static void
on_file_chosen (GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  PterisTranscript *transcript = g_object_get_data (G_OBJECT (dialog), "transcript");
  PtSubtitleFormat format =
      (PtSubtitleFormat) GPOINTER_TO_INT (g_object_get_data (G_OBJECT (dialog), "format"));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    pteris_transcript_export_async (transcript, file, format, on_exported, g_object_ref (widget));
  g_object_unref (dialog);
}

static GtkFileChooserNative *
make_dialog (GtkWidget *widget, const char *title, GtkFileChooserAction action,
             PtSubtitleFormat format)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      title, GTK_WINDOW (gtk_widget_get_root (widget)), action, _ ("_Export"), _ ("_Cancel"));

  g_object_set_data (G_OBJECT (dialog), "format", GINT_TO_POINTER (format));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  return dialog;
}

void
pteris_transcript_export_dialog (GtkWidget *widget, PterisTranscript *transcript,
                                 PtSubtitleFormat format)
{
  GtkFileChooserNative *dialog =
      make_dialog (widget, _ ("Export Transcript"), GTK_FILE_CHOOSER_ACTION_SAVE, format);
  g_autofree char *name =
      pteris_transcript_file_name (pteris_transcript_get_title (transcript), format);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_object_set_data_full (G_OBJECT (dialog), "transcript", g_object_ref (transcript),
                          g_object_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), widget, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- all ---- */

/* A copy of a transcript for the thread, since the object may change. */
typedef struct {
  gint64 id;
  char *title;
  char *text; /* NULL: not in memory */
} Item;

typedef struct {
  GPtrArray *items;
  GFile *folder;
  PtSubtitleFormat format;
} Export;

static void
item_free (gpointer data)
{
  Item *item = data;

  g_free (item->title);
  g_free (item->text);
  g_free (item);
}

static void
export_free (gpointer data)
{
  Export *export = data;

  g_ptr_array_unref (export->items);
  g_object_unref (export->folder);
  g_free (export);
}

static char *
read_text (gint64 id, PtSubtitleFormat format)
{
  PterisTranscriptContents *contents = pteris_transcript_store_read (id);
  GPtrArray *list = contents != NULL ? contents->segments : NULL;
  guint n = list != NULL ? list->len : 0;
  g_autofree PtSegment *plain = g_new0 (PtSegment, MAX (n, 1));
  char *text;

  for (guint i = 0; i < n; i++)
    plain[i] = (PtSegment){ .start = pteris_segment_get_start (list->pdata[i]),
                            .end = pteris_segment_get_end (list->pdata[i]),
                            .text = pteris_segment_get_text (list->pdata[i]),
                            .speaker = pteris_segment_get_speaker (list->pdata[i]) };
  text = pt_format_segments (plain, n, format);
  g_clear_pointer (&contents, pteris_transcript_contents_free);
  return text;
}

/* Writes to @name, or to "Interview (2).srt" if it exists; never overwrites. */
static gboolean
write_new (GFile *folder, const char *name, const char *text, GError **error)
{
  const char *dot = strrchr (name, '.');

  for (guint i = 1;; i++) {
    g_autofree char *numbered =
        i > 1 ? g_strdup_printf ("%.*s (%u)%s", (int) (dot - name), name, i, dot) : g_strdup (name);
    g_autoptr (GFile) file = g_file_get_child (folder, numbered);
    g_autoptr (GError) reason = NULL;

    if (pteris_write_new_text (file, text, &reason))
      return TRUE;
    if (g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_EXISTS))
      continue;
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }
}

static void
export_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Export *export = task_data;
  GError *error = NULL;

  for (guint i = 0; i < export->items->len; i++) {
    Item *item = export->items->pdata[i];
    g_autofree char *name = pteris_transcript_file_name (item->title, export->format);

    if (item->text == NULL)
      item->text = read_text (item->id, export->format);
    if (g_task_return_error_if_cancelled (task))
      return;
    if (!write_new (export->folder, name, item->text, &error)) {
      g_task_return_error (task, error);
      return;
    }
  }
  g_task_return_int (task, export->items->len);
}

void
pteris_transcripts_export_async (GListModel *transcripts, GFile *folder, PtSubtitleFormat format,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Export *export = g_new0 (Export, 1);
  guint n = g_list_model_get_n_items (transcripts);

  export->items = g_ptr_array_new_with_free_func (item_free);
  export->folder = g_object_ref (folder);
  export->format = format;
  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisTranscript) transcript = g_list_model_get_item (transcripts, i);
    Item *item;

    /* Queued transcripts have no text yet. */
    if (pteris_transcript_get_until (transcript) <= 0)
      continue;
    item = g_new0 (Item, 1);
    item->id = pteris_transcript_get_id (transcript);
    item->title = g_strdup (pteris_transcript_get_title (transcript));
    if (pteris_transcript_is_loaded (transcript))
      item->text = pteris_transcript_format (transcript, format);
    g_ptr_array_add (export->items, item);
  }
  g_task_set_source_tag (task, pteris_transcripts_export_async);
  g_task_set_task_data (task, export, export_free);
  g_task_run_in_thread (task, export_in_thread);
}

int
pteris_transcripts_export_finish (GAsyncResult *result, GError **error)
{
  return (int) g_task_propagate_int (G_TASK (result), error);
}

static void
on_all_exported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GtkWidget) widget = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  int n = pteris_transcripts_export_finish (result, &error);

  if (n < 0)
    text = g_strdup_printf (_ ("Some transcripts could not be exported: %s. They are still here."),
                            error->message);
  else
    text = g_strdup_printf (
        ngettext ("%d transcript exported", "%d transcripts exported", (gulong) n), n);
  say (widget, text);
}

static void
on_folder_chosen (GtkNativeDialog *dialog, int response, GtkWidget *widget)
{
  g_autoptr (GFile) folder = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  GListModel *transcripts = g_object_get_data (G_OBJECT (dialog), "transcripts");
  PtSubtitleFormat format =
      (PtSubtitleFormat) GPOINTER_TO_INT (g_object_get_data (G_OBJECT (dialog), "format"));

  if (response == GTK_RESPONSE_ACCEPT && folder != NULL)
    pteris_transcripts_export_async (transcripts, folder, format, NULL, on_all_exported,
                                     g_object_ref (widget));
  g_object_unref (dialog);
}

void
pteris_transcripts_export_dialog (GtkWidget *widget, GListModel *transcripts,
                                  PtSubtitleFormat format)
{
  GtkFileChooserNative *dialog = make_dialog (widget, _ ("Export All Transcripts"),
                                              GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, format);

  g_object_set_data_full (G_OBJECT (dialog), "transcripts", g_object_ref (transcripts),
                          g_object_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_folder_chosen), widget, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}
