/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/segment-row.h"

#include "ui/format.h"

struct _PterisSegmentRow {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkLabel *time;
  GtkLabel *text;
};

G_DEFINE_FINAL_TYPE (PterisSegmentRow, pteris_segment_row, GTK_TYPE_WIDGET)

PterisSegmentRow *
pteris_segment_row_new (PterisSegment *segment)
{
  PterisSegmentRow *self = g_object_new (PTERIS_TYPE_SEGMENT_ROW, NULL);
  g_autofree char *start = pteris_format_clock (pteris_segment_get_start (segment));
  g_autofree char *end = pteris_format_clock (pteris_segment_get_end (segment));
  g_autofree char *time = g_strdup_printf ("%s – %s", start, end);

  gtk_label_set_text (self->time, time);
  gtk_label_set_text (self->text, pteris_segment_get_text (segment));
  return self;
}

static void
pteris_segment_row_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_SEGMENT_ROW);
  G_OBJECT_CLASS (pteris_segment_row_parent_class)->dispose (object);
}

static void
pteris_segment_row_class_init (PterisSegmentRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_segment_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/segment-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, time);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, text);
}

static void
pteris_segment_row_init (PterisSegmentRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
