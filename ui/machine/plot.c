/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/plot.h"

#define HEIGHT 84
#define MARK_HEIGHT 5
#define MARK_GAP 3

/* A longer gap between two readings means that there was no polling in between. */
#define GAP (6 * G_TIME_SPAN_SECOND)

struct _PterisPlot {
  GtkWidget parent_instance;

  PterisPlotData data;
  GArray *marks;
};

G_DEFINE_FINAL_TYPE (PterisPlot, pteris_plot, GTK_TYPE_WIDGET)

void
pteris_plot_set (PterisPlot *self, const PterisPlotData *data)
{
  self->data = *data;
  g_array_set_size (self->marks, 0);
  g_array_append_vals (self->marks, data->marks, data->n_marks);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- drawing ---- */

/* The state of one drawing; the plot is above the marks. */
typedef struct {
  const PterisPlot *plot;
  cairo_t *cr;
  double width, height, base;
  GdkRGBA colour;
} Drawing;

static double
x_of (const Drawing *self, gint64 time)
{
  const PterisPlotData *data = &self->plot->data;

  return self->width * (1 - (double) (data->now - time) / (double) data->span);
}

static double
y_of (const Drawing *self, double value)
{
  const PterisPlotData *data = &self->plot->data;

  return 1 + (self->base - 2) * (1 - CLAMP (value / data->top, 0, 1));
}

static void
use_colour (const Drawing *self, double alpha)
{
  const GdkRGBA *colour = &self->colour;

  cairo_set_source_rgba (self->cr, colour->red, colour->green, colour->blue, colour->alpha * alpha);
}

/* Draws a horizontal line of one sharp pixel. */
static void
draw_level (const Drawing *self, double y, double alpha, double dash)
{
  cairo_set_line_width (self->cr, 1);
  cairo_set_dash (self->cr, &dash, dash > 0 ? 1 : 0, 0);
  use_colour (self, alpha);
  cairo_move_to (self->cr, 0, floor (y) + 0.5);
  cairo_line_to (self->cr, self->width, floor (y) + 0.5);
  cairo_stroke (self->cr);
  cairo_set_dash (self->cr, NULL, 0, 0);
}

/* Adds a path through the points from @from to the next gap. Returns the end of the points. */
static guint
trace (const Drawing *self, const PterisSeries *series, guint from, double *left, double *right)
{
  guint i = from;
  gint64 last = 0;

  for (; i < series->n; i++) {
    const PterisPoint *point = pteris_series_get (series, i);
    double x = x_of (self, point->time);

    if (!pteris_is_known (point->value) || (i > from && point->time - last > GAP))
      break;
    if (i == from) {
      cairo_move_to (self->cr, x, y_of (self, point->value));
      *left = x;
    } else {
      cairo_line_to (self->cr, x, y_of (self, point->value));
    }
    *right = x;
    last = point->time;
  }
  return i;
}

static void
draw_stretch (const Drawing *self, double left, double right, gboolean part)
{
  static const double DASHES[] = { 4, 3 };

  /* A single point would be invisible. */
  if (right - left < 1)
    cairo_rel_line_to (self->cr, 1.5, 0);
  cairo_set_line_width (self->cr, part ? 1.25 : 1.75);
  cairo_set_dash (self->cr, DASHES, part ? 2 : 0, 0);
  use_colour (self, part ? 0.9 : 1);
  if (part) {
    cairo_stroke (self->cr);
    cairo_set_dash (self->cr, NULL, 0, 0);
    return;
  }
  cairo_stroke_preserve (self->cr);
  cairo_line_to (self->cr, right, self->base - 1);
  cairo_line_to (self->cr, left, self->base - 1);
  cairo_close_path (self->cr);
  use_colour (self, 0.16);
  cairo_fill (self->cr);
}

static void
draw_series (const Drawing *self, const PterisSeries *series, gboolean part)
{
  gint64 oldest = self->plot->data.now - self->plot->data.span - GAP;
  guint i = 0;

  while (i < series->n) {
    double left = 0, right = 0;
    const PterisPoint *point = pteris_series_get (series, i);

    if (point->time < oldest || !pteris_is_known (point->value)) {
      i++;
      continue;
    }
    i = trace (self, series, i, &left, &right);
    draw_stretch (self, left, right, part);
  }
}

static void
draw_mark (const Drawing *self, const PterisMark *mark)
{
  double left = x_of (self, mark->begin);
  double right = mark->end != 0 ? x_of (self, mark->end) : self->width;
  double top = self->height - MARK_HEIGHT;

  if (right < 0)
    return;
  /* Short marks are at least two pixels wide. */
  left = CLAMP (left, 0, self->width - 2);
  right = CLAMP (right, left + 2, self->width);
  if (mark->hollow) {
    cairo_set_line_width (self->cr, 1);
    cairo_rectangle (self->cr, left + 0.5, top + 0.5, MAX (right - left - 1, 1), MARK_HEIGHT - 1);
    cairo_stroke (self->cr);
  } else {
    cairo_rectangle (self->cr, left, top, right - left, MARK_HEIGHT);
    cairo_fill (self->cr);
  }
}

static void
draw (const Drawing *self, const GdkRGBA *text)
{
  const PterisPlotData *data = &self->plot->data;
  Drawing neutral = *self;

  neutral.colour = *text;
  for (guint i = 0; i < 3; i++)
    draw_level (&neutral, y_of (self, data->top * i / 2), 0.13, 0);
  if (pteris_is_known (data->limit))
    draw_level (&neutral, y_of (self, data->limit), 0.75, 0);
  if (data->series != NULL)
    draw_series (self, data->series, FALSE);
  if (data->part != NULL)
    draw_series (self, data->part, TRUE);
  if (pteris_is_known (data->peak))
    draw_level (self, y_of (self, data->peak), 0.8, 2);
  use_colour (&neutral, 0.7);
  for (guint i = 0; i < self->plot->marks->len; i++)
    draw_mark (self, &g_array_index (self->plot->marks, PterisMark, i));
}

static void
pteris_plot_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PterisPlot *self = PTERIS_PLOT (widget);
  Drawing drawing = {
    .plot = self,
    .width = gtk_widget_get_width (widget),
    .height = gtk_widget_get_height (widget),
  };
  GdkRGBA text;

  drawing.base = drawing.height - MARK_HEIGHT - MARK_GAP;
  if (self->data.span <= 0 || self->data.top <= 0 || drawing.base < 4)
    return;
  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &drawing.colour);
  gtk_style_context_get_color (gtk_widget_get_style_context (gtk_widget_get_parent (widget)),
                               &text);
  drawing.cr = gtk_snapshot_append_cairo (
      snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) drawing.width, (float) drawing.height));
  cairo_rectangle (drawing.cr, 0, 0, drawing.width, drawing.height);
  cairo_clip (drawing.cr);
  draw (&drawing, &text);
  cairo_destroy (drawing.cr);
}

static void
pteris_plot_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                     int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT : 60;
  *natural = *minimum;
}

static void
pteris_plot_finalize (GObject *object)
{
  g_array_unref (PTERIS_PLOT (object)->marks);
  G_OBJECT_CLASS (pteris_plot_parent_class)->finalize (object);
}

static void
pteris_plot_class_init (PterisPlotClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = pteris_plot_finalize;
  widget_class->snapshot = pteris_plot_snapshot;
  widget_class->measure = pteris_plot_measure;
  gtk_widget_class_set_css_name (widget_class, "plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
pteris_plot_init (PterisPlot *self)
{
  self->marks = g_array_new (FALSE, FALSE, sizeof (PterisMark));
}
