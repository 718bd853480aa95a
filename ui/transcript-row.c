/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/transcript-row.h"

struct _PterisTranscriptRow {
  GtkListBoxRow parent_instance;

  GtkLabel *name;
  GtkLabel *status;
  GtkProgressBar *progress;
  GtkWidget *stop;
  GtkWidget *retry;
  GtkWidget *remove;

  PterisTranscript *transcript;
};

G_DEFINE_FINAL_TYPE (PterisTranscriptRow, pteris_transcript_row, GTK_TYPE_LIST_BOX_ROW)

enum { SIGNAL_STOP, SIGNAL_RETRY, SIGNAL_REMOVE, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
update (PterisTranscriptRow *self)
{
  PterisTranscriptState state = pteris_transcript_get_state (self->transcript);
  gboolean running = state == PTERIS_TRANSCRIPT_RUNNING;
  gboolean open = running || state == PTERIS_TRANSCRIPT_QUEUED;
  g_autofree char *status = pteris_transcript_describe (self->transcript);

  gtk_label_set_text (self->name, pteris_transcript_get_name (self->transcript));
  gtk_label_set_text (self->status, status);
  gtk_progress_bar_set_fraction (self->progress, pteris_transcript_get_fraction (self->transcript));
  gtk_widget_set_visible (GTK_WIDGET (self->progress), running);
  gtk_widget_set_visible (self->stop, open);
  gtk_widget_set_visible (self->retry, !open && state != PTERIS_TRANSCRIPT_DONE);
  gtk_widget_set_visible (self->remove, !open);
}

static void
on_stop (GtkButton *button, PterisTranscriptRow *self)
{
  g_signal_emit (self, signals[SIGNAL_STOP], 0);
}

static void
on_retry (GtkButton *button, PterisTranscriptRow *self)
{
  g_signal_emit (self, signals[SIGNAL_RETRY], 0);
}

static void
on_remove (GtkButton *button, PterisTranscriptRow *self)
{
  g_signal_emit (self, signals[SIGNAL_REMOVE], 0);
}

PterisTranscriptRow *
pteris_transcript_row_new (PterisTranscript *transcript)
{
  PterisTranscriptRow *self = g_object_new (PTERIS_TYPE_TRANSCRIPT_ROW, NULL);

  self->transcript = g_object_ref (transcript);
  g_signal_connect_object (transcript, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return self;
}

PterisTranscript *
pteris_transcript_row_get_transcript (PterisTranscriptRow *self)
{
  return self->transcript;
}

static void
pteris_transcript_row_dispose (GObject *object)
{
  g_clear_object (&PTERIS_TRANSCRIPT_ROW (object)->transcript);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIPT_ROW);
  G_OBJECT_CLASS (pteris_transcript_row_parent_class)->dispose (object);
}

static void
pteris_transcript_row_class_init (PterisTranscriptRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcript_row_dispose;
  signals[SIGNAL_STOP] =
      g_signal_new ("stop", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_RETRY] =
      g_signal_new ("retry", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_REMOVE] =
      g_signal_new ("remove", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcript-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, name);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, status);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, progress);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, stop);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, retry);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, remove);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
  gtk_widget_class_bind_template_callback (widget_class, on_retry);
  gtk_widget_class_bind_template_callback (widget_class, on_remove);
}

static void
pteris_transcript_row_init (PterisTranscriptRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
