/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/transcript-view.h"

#include <adwaita.h>

#include "ui/end-scroller.h"
#include "ui/error-card.h"
#include "ui/segment-row.h"
#include "ui/settings.h"

struct _PterisTranscriptView {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *name;
  GtkLabel *summary;
  GtkWidget *tools;
  AdwSplitButton *export_button;
  PterisErrorCard *error;
  GtkWidget *silent;
  PterisEndScroller *scroller;
  GtkBox *rows;

  PterisTranscript *transcript;
  char *format;
};

G_DEFINE_FINAL_TYPE (PterisTranscriptView, pteris_transcript_view, GTK_TYPE_WIDGET)

enum { SIGNAL_RETRY, SIGNAL_EXPORT, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
update (PterisTranscriptView *self)
{
  PterisTranscriptState state = pteris_transcript_get_state (self->transcript);
  guint n = g_list_model_get_n_items (pteris_transcript_get_segments (self->transcript));
  g_autofree char *summary = pteris_transcript_describe (self->transcript);
  PtError code;
  const char *sentence = pteris_transcript_get_error (self->transcript, &code);

  gtk_label_set_text (self->name, pteris_transcript_get_name (self->transcript));
  gtk_label_set_text (self->summary, summary);
  gtk_widget_set_visible (self->tools, n > 0);
  gtk_widget_set_visible (self->silent, n == 0 && state == PTERIS_TRANSCRIPT_DONE);
  gtk_widget_set_visible (GTK_WIDGET (self->error), state == PTERIS_TRANSCRIPT_FAILED);
  if (state == PTERIS_TRANSCRIPT_FAILED)
    pteris_error_card_set (self->error, code, sentence, "transcript.retry",
                           pteris_transcript_get_path (self->transcript));
}

static void
on_segments_changed (GListModel *segments, guint position, guint removed, guint added,
                     PterisTranscriptView *self)
{
  /* Segments are only ever added at the end, or dropped all at once. */
  if (removed > 0) {
    GtkWidget *row;

    while ((row = gtk_widget_get_first_child (GTK_WIDGET (self->rows))) != NULL)
      gtk_box_remove (self->rows, row);
    position = 0;
    added = g_list_model_get_n_items (segments);
  }
  for (guint i = 0; i < added; i++) {
    g_autoptr (PterisSegment) segment = g_list_model_get_item (segments, position + i);

    gtk_box_append (self->rows, GTK_WIDGET (pteris_segment_row_new (segment)));
  }
  update (self);
}

static void
unbind (PterisTranscriptView *self)
{
  GtkWidget *row;

  if (self->transcript == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->transcript, self);
  g_signal_handlers_disconnect_by_data (pteris_transcript_get_segments (self->transcript), self);
  while ((row = gtk_widget_get_first_child (GTK_WIDGET (self->rows))) != NULL)
    gtk_box_remove (self->rows, row);
  g_clear_object (&self->transcript);
}

void
pteris_transcript_view_set_transcript (PterisTranscriptView *self, PterisTranscript *transcript)
{
  GListModel *segments;

  if (self->transcript == transcript)
    return;
  unbind (self);
  gtk_widget_set_visible (self->content, transcript != NULL);
  if (transcript == NULL)
    return;
  self->transcript = g_object_ref (transcript);
  segments = pteris_transcript_get_segments (transcript);
  g_signal_connect_object (transcript, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (segments, "items-changed", G_CALLBACK (on_segments_changed), self, 0);
  on_segments_changed (segments, 0, 0, g_list_model_get_n_items (segments), self);
  /* One that is finished is read from the beginning, one that grows is followed. */
  if (pteris_transcript_get_state (transcript) > PTERIS_TRANSCRIPT_RUNNING)
    pteris_end_scroller_go_to_start (self->scroller);
  else
    pteris_end_scroller_go_to_end (self->scroller);
}

PterisTranscript *
pteris_transcript_view_get_transcript (PterisTranscriptView *self)
{
  return self->transcript;
}

/* ---- copy and export ---- */

static void
on_copy (GtkButton *button, PterisTranscriptView *self)
{
  g_autofree char *text = pteris_transcript_format (self->transcript, PT_SUBTITLE_TXT);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static void
set_format (PterisTranscriptView *self, const char *format)
{
  g_autofree char *upper = g_ascii_strup (format, -1);
  g_autofree char *label = g_strdup_printf ("Export %s…", upper);
  char *copy = g_strdup (format);

  g_free (self->format);
  self->format = copy;
  adw_split_button_set_label (self->export_button, label);
}

static void
on_export_clicked (AdwSplitButton *button, PterisTranscriptView *self)
{
  g_signal_emit (self, signals[SIGNAL_EXPORT], 0, self->format);
}

static void
export_as (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (widget);

  set_format (self, g_variant_get_string (parameter, NULL));
  pteris_settings_set_string (PTERIS_SETTING_LAST_EXPORT, self->format);
  g_signal_emit (self, signals[SIGNAL_EXPORT], 0, self->format);
}

static void
retry (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_signal_emit (widget, signals[SIGNAL_RETRY], 0);
}

/* ---- the widget ---- */

static void
pteris_transcript_view_dispose (GObject *object)
{
  PterisTranscriptView *self = PTERIS_TRANSCRIPT_VIEW (object);

  if (self->rows != NULL)
    unbind (self);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIPT_VIEW);
  G_OBJECT_CLASS (pteris_transcript_view_parent_class)->dispose (object);
}

static void
pteris_transcript_view_finalize (GObject *object)
{
  g_free (PTERIS_TRANSCRIPT_VIEW (object)->format);
  G_OBJECT_CLASS (pteris_transcript_view_parent_class)->finalize (object);
}

static void
pteris_transcript_view_class_init (PterisTranscriptViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcript_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_transcript_view_finalize;
  g_type_ensure (PTERIS_TYPE_END_SCROLLER);
  g_type_ensure (PTERIS_TYPE_ERROR_CARD);

  signals[SIGNAL_RETRY] =
      g_signal_new ("retry", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_EXPORT] = g_signal_new ("export", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 1, G_TYPE_STRING);

  gtk_widget_class_install_action (widget_class, "transcript.export", "s", export_as);
  gtk_widget_class_install_action (widget_class, "transcript.retry", NULL, retry);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcript-view.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, content);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, name);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, summary);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, tools);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, export_button);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, error);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, silent);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, scroller);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptView, rows);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
  gtk_widget_class_bind_template_callback (widget_class, on_export_clicked);
}

static void
pteris_transcript_view_init (PterisTranscriptView *self)
{
  g_autofree char *last = pteris_settings_get_string (PTERIS_SETTING_LAST_EXPORT);
  PtSubtitleFormat format;

  gtk_widget_init_template (GTK_WIDGET (self));
  set_format (self, last != NULL && pt_subtitle_format_find (last, &format) ? last : "srt");
}
