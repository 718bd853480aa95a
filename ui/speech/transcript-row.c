/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcript-row.h"

#include "ui/i18n.h"

struct _PterisTranscriptRow {
  GtkListBoxRow parent_instance;

  GtkLabel *name;
  GtkLabel *status;
  GtkProgressBar *progress;
  GtkWidget *pause;
  GtkWidget *resume;
  GtkWidget *stop;
  GtkWidget *retry;
  GtkWidget *dismiss;
  GtkWidget *remove;

  PterisTranscript *transcript;
  PterisTranscriptQueue *queue;
};

G_DEFINE_FINAL_TYPE (PterisTranscriptRow, pteris_transcript_row, GTK_TYPE_LIST_BOX_ROW)

static void
update (PterisTranscriptRow *self)
{
  PterisTranscriptState state = pteris_transcript_get_state (self->transcript);
  gboolean open = pteris_transcript_is_open (self->transcript);
  gboolean paused = state == PTERIS_TRANSCRIPT_PAUSED;
  gboolean done = state == PTERIS_TRANSCRIPT_DONE;
  double fraction = pteris_transcript_get_fraction (self->transcript);
  g_autofree char *status = pteris_transcript_describe (self->transcript);

  gtk_label_set_text (self->name, pteris_transcript_get_title (self->transcript));
  gtk_label_set_text (self->status, status);
  gtk_progress_bar_set_fraction (self->progress, fraction);
  gtk_widget_set_visible (GTK_WIDGET (self->progress),
                          state == PTERIS_TRANSCRIPT_RUNNING || (paused && fraction > 0));
  gtk_widget_set_visible (self->pause, open && !paused);
  gtk_widget_set_visible (self->resume, paused);
  gtk_widget_set_visible (self->stop, open);
  gtk_widget_set_visible (self->retry, !open && !done);
  gtk_widget_set_visible (self->dismiss, done);
  gtk_widget_set_visible (self->remove, !open && !done);
}

/* ---- buttons ---- */

static void
on_pause (PterisTranscriptRow *self)
{
  pteris_transcript_queue_pause (self->queue, self->transcript);
}

static void
on_enqueue (PterisTranscriptRow *self)
{
  pteris_transcript_queue_enqueue (self->queue, self->transcript);
}

static void
on_stop (PterisTranscriptRow *self)
{
  pteris_transcript_queue_stop (self->queue, self->transcript);
}

static void
on_dismiss (PterisTranscriptRow *self)
{
  pteris_transcript_queue_dismiss (self->queue, self->transcript);
}

static void
on_remove (PterisTranscriptRow *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.delete-transcript", "x",
                              pteris_transcript_get_id (self->transcript));
}

/* ---- moving within the queue ---- */

static gboolean
move_by (GtkWidget *widget, GVariant *by, gpointer user_data)
{
  PterisTranscriptRow *self = PTERIS_TRANSCRIPT_ROW (widget);
  int to = gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (self)) + g_variant_get_int32 (by);

  if (to < 0)
    return FALSE;
  pteris_transcript_queue_move (self->queue, self->transcript, (guint) to);
  return TRUE;
}

static GdkContentProvider *
on_drag_prepare (GtkDragSource *source, double x, double y, PterisTranscriptRow *self)
{
  return gdk_content_provider_new_typed (PTERIS_TYPE_TRANSCRIPT, self->transcript);
}

static void
on_drag_begin (GtkDragSource *source, GdkDrag *drag, PterisTranscriptRow *self)
{
  g_autoptr (GdkPaintable) picture = gtk_widget_paintable_new (GTK_WIDGET (self));

  gtk_drag_source_set_icon (source, picture, 12, 12);
}

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, PterisTranscriptRow *self)
{
  int to = gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (self));

  if (to >= 0)
    pteris_transcript_queue_move (self->queue, g_value_get_object (value), (guint) to);
  return TRUE;
}

static void
add_dragging (PterisTranscriptRow *self)
{
  GtkDragSource *source = gtk_drag_source_new ();
  GtkDropTarget *target = gtk_drop_target_new (PTERIS_TYPE_TRANSCRIPT, GDK_ACTION_MOVE);

  gtk_drag_source_set_actions (source, GDK_ACTION_MOVE);
  g_signal_connect (source, "prepare", G_CALLBACK (on_drag_prepare), self);
  g_signal_connect (source, "drag-begin", G_CALLBACK (on_drag_begin), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (source));
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}

/* ---- the widget ---- */

PterisTranscriptRow *
pteris_transcript_row_new (PterisTranscript *transcript, PterisTranscriptQueue *queue)
{
  PterisTranscriptRow *self = g_object_new (PTERIS_TYPE_TRANSCRIPT_ROW, NULL);

  self->transcript = g_object_ref (transcript);
  self->queue = g_object_ref (queue);
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
  PterisTranscriptRow *self = PTERIS_TRANSCRIPT_ROW (object);

  g_clear_object (&self->transcript);
  g_clear_object (&self->queue);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIPT_ROW);
  G_OBJECT_CLASS (pteris_transcript_row_parent_class)->dispose (object);
}

static void
pteris_transcript_row_class_init (PterisTranscriptRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcript_row_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcript-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, name);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, status);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, progress);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, pause);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, resume);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, stop);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, retry);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, dismiss);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptRow, remove);
  gtk_widget_class_bind_template_callback (widget_class, on_pause);
  gtk_widget_class_bind_template_callback (widget_class, on_enqueue);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
  gtk_widget_class_bind_template_callback (widget_class, on_dismiss);
  gtk_widget_class_bind_template_callback (widget_class, on_remove);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Up, GDK_ALT_MASK, move_by, "i", -1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Down, GDK_ALT_MASK, move_by, "i", 1);
}

static void
pteris_transcript_row_init (PterisTranscriptRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  add_dragging (self);
}
