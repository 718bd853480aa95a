/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/transcribe-page.h"

#include <string.h>

#include <adwaita.h>

#include "ui/languages.h"
#include "ui/starter-card.h"
#include "ui/transcript-row.h"
#include "ui/transcript-view.h"

struct _PterisTranscribePage {
  GtkWidget parent_instance;

  GtkStack *stack;
  PterisStarterCard *starter_card;
  GtkDropDown *language;
  GtkDropDown *task;
  GtkListBox *list;
  PterisTranscriptView *view;

  PterisTranscriptQueue *queue;
  PterisLibrary *library;
};

G_DEFINE_FINAL_TYPE (PterisTranscribePage, pteris_transcribe_page, GTK_TYPE_WIDGET)

static const char *
chosen_language (PterisTranscribePage *self)
{
  return pteris_languages_get_code (gtk_drop_down_get_selected (self->language));
}

static gboolean
chosen_translate (PterisTranscribePage *self)
{
  return gtk_drop_down_get_selected (self->task) == 1;
}

static void
show_toast (PterisTranscribePage *self, AdwToast *toast)
{
  GtkWidget *overlay = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_TOAST_OVERLAY);

  if (overlay != NULL)
    adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (overlay), toast);
  else
    g_object_unref (toast);
}

static void
update_stack (PterisTranscribePage *self)
{
  gboolean empty = g_list_model_get_n_items (G_LIST_MODEL (self->queue)) == 0;
  gboolean no_model = pteris_library_is_ready (self->library) &&
                      pteris_transcript_queue_get_model (self->queue) == NULL;

  gtk_stack_set_visible_child_name (self->stack, !empty     ? "queue"
                                                 : no_model ? "no-model"
                                                            : "empty");
}

/* ---- the rows ---- */

static void
on_row_stop (PterisTranscriptRow *row, PterisTranscribePage *self)
{
  pteris_transcript_queue_stop (self->queue, pteris_transcript_row_get_transcript (row));
}

static void
retry (PterisTranscribePage *self, PterisTranscript *transcript)
{
  pteris_transcript_set_choices (transcript, chosen_language (self), chosen_translate (self));
  pteris_transcript_queue_retry (self->queue, transcript);
}

static void
on_row_retry (PterisTranscriptRow *row, PterisTranscribePage *self)
{
  retry (self, pteris_transcript_row_get_transcript (row));
}

/* A transcript that was removed, while it can still be brought back. */
typedef struct {
  PterisTranscriptQueue *queue;
  PterisTranscript *transcript;
  gboolean undone;
} Removal;

static void
removal_free (gpointer data, GClosure *closure)
{
  Removal *removal = data;

  g_object_unref (removal->queue);
  g_object_unref (removal->transcript);
  g_free (removal);
}

static void
on_undo (AdwToast *toast, Removal *removal)
{
  removal->undone = TRUE;
  pteris_transcript_queue_put_back (removal->queue, removal->transcript);
}

static void
on_toast_gone (AdwToast *toast, Removal *removal)
{
  if (!removal->undone)
    pteris_transcript_forget (removal->transcript);
}

static void
on_row_remove (PterisTranscriptRow *row, PterisTranscribePage *self)
{
  Removal *removal = g_new0 (Removal, 1);
  AdwToast *toast;
  g_autofree char *title = NULL;

  removal->queue = g_object_ref (self->queue);
  removal->transcript = g_object_ref (pteris_transcript_row_get_transcript (row));
  title =
      g_markup_printf_escaped ("“%s” removed", pteris_transcript_get_name (removal->transcript));
  toast = adw_toast_new (title);
  adw_toast_set_button_label (toast, "_Undo");
  g_signal_connect (toast, "button-clicked", G_CALLBACK (on_undo), removal);
  g_signal_connect_data (toast, "dismissed", G_CALLBACK (on_toast_gone), removal, removal_free, 0);
  pteris_transcript_queue_remove (self->queue, removal->transcript);
  show_toast (self, toast);
}

static GtkWidget *
create_row (gpointer item, gpointer user_data)
{
  PterisTranscriptRow *row = pteris_transcript_row_new (PTERIS_TRANSCRIPT (item));

  g_signal_connect (row, "stop", G_CALLBACK (on_row_stop), user_data);
  g_signal_connect (row, "retry", G_CALLBACK (on_row_retry), user_data);
  g_signal_connect (row, "remove", G_CALLBACK (on_row_remove), user_data);
  return GTK_WIDGET (row);
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, PterisTranscribePage *self)
{
  PterisTranscript *transcript =
      row != NULL ? pteris_transcript_row_get_transcript (PTERIS_TRANSCRIPT_ROW (row)) : NULL;

  /* A list that is being disposed of loses its selection too. */
  if (self->queue != NULL)
    pteris_transcript_view_set_transcript (self->view, transcript);
}

static void
select_last (PterisTranscribePage *self)
{
  int n = (int) g_list_model_get_n_items (G_LIST_MODEL (self->queue));

  gtk_list_box_select_row (self->list,
                           n > 0 ? gtk_list_box_get_row_at_index (self->list, n - 1) : NULL);
}

static void
on_items_changed (PterisTranscribePage *self)
{
  if (gtk_list_box_get_selected_row (self->list) == NULL)
    select_last (self);
  update_stack (self);
}

/* ---- the document ---- */

static void
on_view_retry (PterisTranscriptView *view, PterisTranscribePage *self)
{
  retry (self, pteris_transcript_view_get_transcript (view));
}

static void
on_exported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisTranscribePage) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *title = NULL;

  if (pteris_transcript_export_finish (PTERIS_TRANSCRIPT (source), result, &error))
    title = g_strdup ("Transcript exported");
  else
    title = g_markup_printf_escaped ("The transcript could not be written: %s. It is still here.",
                                     error->message);
  show_toast (self, adw_toast_new (title));
}

static void
on_export_chosen (GtkNativeDialog *dialog, int response, PterisTranscribePage *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  PterisTranscript *transcript = g_object_get_data (G_OBJECT (dialog), "transcript");
  PtSubtitleFormat format =
      (PtSubtitleFormat) GPOINTER_TO_INT (g_object_get_data (G_OBJECT (dialog), "format"));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL)
    pteris_transcript_export_async (transcript, file, format, on_exported, g_object_ref (self));
  g_object_unref (dialog);
}

static void
on_view_export (PterisTranscriptView *view, const char *format, PterisTranscribePage *self)
{
  PterisTranscript *transcript = pteris_transcript_view_get_transcript (view);
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      "Export Transcript", window, GTK_FILE_CHOOSER_ACTION_SAVE, "_Export", "_Cancel");
  g_autofree char *stem = g_strdup (pteris_transcript_get_name (transcript));
  char *dot = strrchr (stem, '.');
  g_autofree char *name = NULL;
  PtSubtitleFormat kind = PT_SUBTITLE_TXT;

  if (dot != NULL && dot != stem)
    *dot = '\0';
  name = g_strdup_printf ("%s.%s", stem, format);
  pt_subtitle_format_find (format, &kind);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_object_set_data_full (G_OBJECT (dialog), "transcript", g_object_ref (transcript),
                          g_object_unref);
  g_object_set_data (G_OBJECT (dialog), "format", GINT_TO_POINTER (kind));
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_export_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- for the window ---- */

void
pteris_transcribe_page_add (PterisTranscribePage *self, GFile *file)
{
  const char *path = g_file_peek_path (file);

  if (path == NULL) {
    g_autofree char *name = g_file_get_parse_name (file);
    g_autofree char *title =
        g_markup_printf_escaped ("“%s” is not on this computer's disks. Copy it here first.", name);

    show_toast (self, adw_toast_new (title));
    return;
  }
  pteris_transcript_queue_add (self->queue, path, chosen_language (self), chosen_translate (self));
  select_last (self);
}

gboolean
pteris_transcribe_page_stop (PterisTranscribePage *self)
{
  PterisTranscript *transcript = pteris_transcript_view_get_transcript (self->view);

  if (transcript == NULL || pteris_transcript_get_state (transcript) > PTERIS_TRANSCRIPT_RUNNING)
    transcript = pteris_transcript_queue_get_running (self->queue);
  if (transcript == NULL)
    return FALSE;
  pteris_transcript_queue_stop (self->queue, transcript);
  return TRUE;
}

void
pteris_transcribe_page_bind (PterisTranscribePage *self, PterisTranscriptQueue *queue,
                             PterisLibrary *library, PterisStarter *starter)
{
  g_set_object (&self->queue, queue);
  g_set_object (&self->library, library);
  pteris_starter_card_set_starter (self->starter_card, starter);
  gtk_list_box_bind_model (self->list, G_LIST_MODEL (queue), create_row, self, NULL);
  g_signal_connect_object (queue, "items-changed", G_CALLBACK (on_items_changed), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (update_stack), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "scanned", G_CALLBACK (update_stack), self, G_CONNECT_SWAPPED);
  on_items_changed (self);
}

/* ---- the widget ---- */

static void
pteris_transcribe_page_dispose (GObject *object)
{
  PterisTranscribePage *self = PTERIS_TRANSCRIBE_PAGE (object);

  g_clear_object (&self->queue);
  g_clear_object (&self->library);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIBE_PAGE);
  G_OBJECT_CLASS (pteris_transcribe_page_parent_class)->dispose (object);
}

static void
pteris_transcribe_page_class_init (PterisTranscribePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcribe_page_dispose;
  g_type_ensure (PTERIS_TYPE_STARTER_CARD);
  g_type_ensure (PTERIS_TYPE_TRANSCRIPT_VIEW);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcribe-page.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, starter_card);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, language);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, task);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, list);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, view);
  gtk_widget_class_bind_template_callback (widget_class, on_row_selected);
  gtk_widget_class_bind_template_callback (widget_class, on_view_retry);
  gtk_widget_class_bind_template_callback (widget_class, on_view_export);
}

static void
pteris_transcribe_page_init (PterisTranscribePage *self)
{
  g_auto (GStrv) names = pteris_languages_new_names ();
  g_autoptr (GtkStringList) languages = gtk_string_list_new ((const char *const *) names);
  g_autoptr (GtkExpression) name =
      gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drop_down_set_model (self->language, G_LIST_MODEL (languages));
  gtk_drop_down_set_expression (self->language, name);
  gtk_drop_down_set_enable_search (self->language, TRUE);
}
