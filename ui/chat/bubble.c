/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/bubble.h"

#include "ui/parts/text-menu.h"
#include "ui/parts/text-width.h"

/* Pixels that a bubble at the end of the line leaves free at the beginning. */
#define INDENT 48

struct _PterisBubble {
  GtkWidget parent_instance;

  GtkWidget *label;
};

G_DEFINE_FINAL_TYPE (PterisBubble, pteris_bubble, GTK_TYPE_WIDGET)

void
pteris_bubble_set_text (PterisBubble *self, const char *text)
{
  gtk_label_set_text (GTK_LABEL (self->label), text);
}

/* The width of its label at most. */
static int
room_in (GtkWidget *widget, int width, int narrowest)
{
  return MAX (MIN (width - INDENT, pteris_text_width (widget)), narrowest);
}

static void
pteris_bubble_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                       int *natural, int *minimum_baseline, int *natural_baseline)
{
  GtkWidget *label = PTERIS_BUBBLE (widget)->label;

  if (orientation == GTK_ORIENTATION_VERTICAL && for_size >= 0) {
    int narrowest;

    gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, &narrowest, NULL, NULL, NULL);
    for_size = room_in (widget, for_size, narrowest);
  }
  gtk_widget_measure (label, orientation, for_size, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum += INDENT;
    *natural += INDENT;
  }
}

static void
pteris_bubble_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  GtkWidget *label = PTERIS_BUBBLE (widget)->label;
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int room, narrowest, line, padding;

  gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, &narrowest, NULL, NULL, NULL);
  room = room_in (widget, width, narrowest);
  gtk_widget_allocate (label, room, height, -1, NULL);
  padding = room - gtk_widget_get_width (label);
  pango_layout_get_pixel_size (gtk_label_get_layout (GTK_LABEL (label)), &line, NULL);
  room = CLAMP (line + padding + 1, narrowest, room);
  gtk_widget_allocate (
      label, room, height, -1,
      gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT (rtl ? 0 : (float) (width - room), 0)));
}

static GtkSizeRequestMode
pteris_bubble_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
pteris_bubble_dispose (GObject *object)
{
  g_clear_pointer (&PTERIS_BUBBLE (object)->label, gtk_widget_unparent);
  G_OBJECT_CLASS (pteris_bubble_parent_class)->dispose (object);
}

static void
pteris_bubble_class_init (PterisBubbleClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_bubble_dispose;
  widget_class->measure = pteris_bubble_measure;
  widget_class->size_allocate = pteris_bubble_size_allocate;
  widget_class->get_request_mode = pteris_bubble_get_request_mode;
}

static void
pteris_bubble_init (PterisBubble *self)
{
  self->label = g_object_new (GTK_TYPE_LABEL, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR,
                              "natural-wrap-mode", GTK_NATURAL_WRAP_NONE, "xalign", 0.0F,
                              "selectable", TRUE, "extra-menu", pteris_text_menu (), NULL);
  gtk_widget_add_css_class (self->label, "question");
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
}
