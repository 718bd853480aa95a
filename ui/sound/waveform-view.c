/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/waveform-view.h"

#include "ui/parts/format.h"

#define HEIGHT 48
#define MIN_WIDTH 120
#define BAR 2
#define GAP 1
/* Step of the arrow keys in seconds. */
#define STEP 5

struct _PterisWaveformView {
  GtkWidget parent_instance;

  PtWaveform *waveform;
  double position, duration;
  guint8 loudest;
};

G_DEFINE_FINAL_TYPE (PterisWaveformView, pteris_waveform_view, GTK_TYPE_WIDGET)

enum { SIGNAL_SEEK, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- drawing ---- */

/* The highest peak within bar @i of @n, 0..1 relative to the highest of all. */
static double
height_of (PterisWaveformView *self, guint i, guint n)
{
  guint64 all = self->waveform->n;
  guint from = (guint) (all * i / n), to = (guint) (all * (i + 1) / n);
  guint8 peak = 0;

  for (guint k = from; k < MAX (to, from + 1) && k < all; k++)
    peak = MAX (peak, self->waveform->peaks[k]);
  return (double) peak / MAX (self->loudest, 1);
}

static void
draw_bars (PterisWaveformView *self, GtkSnapshot *snapshot, int width, int height,
           const GdkRGBA *colour)
{
  guint n = (guint) MAX (width / (BAR + GAP), 1);
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  double played = self->duration > 0 ? self->position / self->duration : 0;
  GdkRGBA rest = *colour;

  rest.alpha *= 0.35f;
  for (guint i = 0; i < n; i++) {
    double tall = self->waveform != NULL && self->waveform->n > 0 ? height_of (self, i, n) : 0;
    float h = (float) MAX (tall * (height - 4), 2);
    float x = (float) ((rtl ? n - 1 - i : i) * (BAR + GAP));

    gtk_snapshot_append_color (snapshot, (i + 0.5) / n <= played ? colour : &rest,
                               &GRAPHENE_RECT_INIT (x, ((float) height - h) / 2, BAR, h));
  }
}

static void
pteris_waveform_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PterisWaveformView *self = PTERIS_WAVEFORM_VIEW (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GdkRGBA colour;
  double x;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &colour);
  draw_bars (self, snapshot, width, height, &colour);
  if (self->duration <= 0)
    return;
  x = CLAMP (self->position / self->duration, 0, 1) * (width - 2);
  if (rtl)
    x = width - 2 - x;
  gtk_snapshot_append_color (snapshot, &colour,
                             &GRAPHENE_RECT_INIT ((float) x, 0, 2, (float) height));
}

static void
pteris_waveform_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                              int *minimum, int *natural, int *minimum_baseline,
                              int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT : MIN_WIDTH;
  *natural = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT : 400;
}

/* ---- pointing ---- */

static void
go_to (PterisWaveformView *self, double seconds)
{
  if (self->duration > 0)
    g_signal_emit (self, signals[SIGNAL_SEEK], 0, CLAMP (seconds, 0, self->duration));
}

static void
point_at (PterisWaveformView *self, double x)
{
  double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1);

  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    x = width - x;
  go_to (self, x / width * self->duration);
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, PterisWaveformView *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  point_at (self, x);
}

static void
on_drag_update (GtkGestureDrag *gesture, double dx, double dy, PterisWaveformView *self)
{
  double x, y;

  if (gtk_gesture_drag_get_start_point (gesture, &x, &y))
    point_at (self, x + dx);
}

static gboolean
move_by (GtkWidget *widget, GVariant *by, gpointer user_data)
{
  PterisWaveformView *self = PTERIS_WAVEFORM_VIEW (widget);
  int seconds = g_variant_get_int32 (by);

  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    seconds = -seconds;
  go_to (self, self->position + seconds);
  return TRUE;
}

static gboolean
move_to (GtkWidget *widget, GVariant *fraction, gpointer user_data)
{
  PterisWaveformView *self = PTERIS_WAVEFORM_VIEW (widget);

  go_to (self, g_variant_get_int32 (fraction) * self->duration);
  return TRUE;
}

/* ---- public functions ---- */

static void
update_accessible (PterisWaveformView *self)
{
  g_autofree char *position = pteris_format_clock (self->position);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, MAX (self->duration, 0),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, self->position,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, position, -1);
}

void
pteris_waveform_view_take (PterisWaveformView *self, PtWaveform *waveform)
{
  g_clear_pointer (&self->waveform, pt_waveform_free);
  self->waveform = waveform;
  self->loudest = 0;
  for (guint i = 0; waveform != NULL && i < waveform->n; i++)
    self->loudest = MAX (self->loudest, waveform->peaks[i]);
  if (waveform != NULL)
    self->duration = waveform->duration;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
pteris_waveform_view_set_position (PterisWaveformView *self, double position, double duration)
{
  if (self->waveform == NULL)
    self->duration = duration;
  self->position = position;
  update_accessible (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- the widget ---- */

static void
pteris_waveform_view_finalize (GObject *object)
{
  g_clear_pointer (&PTERIS_WAVEFORM_VIEW (object)->waveform, pt_waveform_free);
  G_OBJECT_CLASS (pteris_waveform_view_parent_class)->finalize (object);
}

static void
pteris_waveform_view_class_init (PterisWaveformViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = pteris_waveform_view_finalize;
  widget_class->snapshot = pteris_waveform_view_snapshot;
  widget_class->measure = pteris_waveform_view_measure;
  signals[SIGNAL_SEEK] = g_signal_new ("seek", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  gtk_widget_class_set_css_name (widget_class, "waveform");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Left, 0, move_by, "i", -STEP);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Right, 0, move_by, "i", STEP);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Home, 0, move_to, "i", 0);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_End, 0, move_to, "i", 1);
}

static void
pteris_waveform_view_init (PterisWaveformView *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "pointer");
}
