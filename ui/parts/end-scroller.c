/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/end-scroller.h"

/* Distance from the end, in pixels, that counts as being at the end. */
#define TOLERANCE 24

struct _PterisEndScroller {
  GtkWidget parent_instance;

  GtkWidget *overlay;
  GtkScrolledWindow *scroller;
  GtkViewport *viewport;
  GtkRevealer *to_end;

  gboolean following;
};

G_DEFINE_FINAL_TYPE (PterisEndScroller, pteris_end_scroller, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_CHILD, N_PROPS };
static GParamSpec *properties[N_PROPS];

static double
end_of (GtkAdjustment *adjustment)
{
  return gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);
}

static void
set_following (PterisEndScroller *self, gboolean following)
{
  self->following = following;
  gtk_revealer_set_reveal_child (self->to_end, !following);
  gtk_widget_set_can_target (GTK_WIDGET (self->to_end), !following);
}

/* Called when the user or we have scrolled. */
static void
on_scrolled (GtkAdjustment *adjustment, PterisEndScroller *self)
{
  set_following (self, end_of (adjustment) - gtk_adjustment_get_value (adjustment) <= TOLERANCE);
}

/* The child has grown, or the window has changed its size. */
static void
on_resized (GtkAdjustment *adjustment, PterisEndScroller *self)
{
  if (self->following)
    gtk_adjustment_set_value (adjustment, end_of (adjustment));
  else
    on_scrolled (adjustment, self);
}

void
pteris_end_scroller_go_to_end (PterisEndScroller *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);

  set_following (self, TRUE);
  gtk_adjustment_set_value (adjustment, end_of (adjustment));
}

void
pteris_end_scroller_go_to_start (PterisEndScroller *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);

  set_following (self, FALSE);
  gtk_adjustment_set_value (adjustment, 0);
  on_scrolled (adjustment, self);
}

static void
on_to_end_clicked (GtkButton *button, PterisEndScroller *self)
{
  pteris_end_scroller_go_to_end (self);
}

static void
pteris_end_scroller_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GtkWidget *child = gtk_scrolled_window_get_child (PTERIS_END_SCROLLER (object)->scroller);

  if (id == PROP_CHILD)
    g_value_set_object (
        value, GTK_IS_VIEWPORT (child) ? gtk_viewport_get_child (GTK_VIEWPORT (child)) : child);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
pteris_end_scroller_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  PterisEndScroller *self = PTERIS_END_SCROLLER (object);
  GtkWidget *child = g_value_get_object (value);

  if (id == PROP_CHILD && GTK_IS_SCROLLABLE (child))
    gtk_scrolled_window_set_child (self->scroller, child);
  else if (id == PROP_CHILD)
    gtk_viewport_set_child (self->viewport, child);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
pteris_end_scroller_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_END_SCROLLER);
  G_OBJECT_CLASS (pteris_end_scroller_parent_class)->dispose (object);
}

static void
pteris_end_scroller_class_init (PterisEndScrollerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = pteris_end_scroller_dispose;
  object_class->get_property = pteris_end_scroller_get_property;
  object_class->set_property = pteris_end_scroller_set_property;
  properties[PROP_CHILD] = g_param_spec_object ("child", NULL, NULL, GTK_TYPE_WIDGET,
                                                G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/end-scroller.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisEndScroller, overlay);
  gtk_widget_class_bind_template_child (widget_class, PterisEndScroller, scroller);
  gtk_widget_class_bind_template_child (widget_class, PterisEndScroller, viewport);
  gtk_widget_class_bind_template_child (widget_class, PterisEndScroller, to_end);
  gtk_widget_class_bind_template_callback (widget_class, on_to_end_clicked);
}

static void
pteris_end_scroller_init (PterisEndScroller *self)
{
  GtkAdjustment *adjustment;

  gtk_widget_init_template (GTK_WIDGET (self));
  set_following (self, TRUE);
  adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (on_scrolled), self, 0);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (on_resized), self, 0);
}
