/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/usage-graph.h"

#include "ui/i18n.h"

struct _PterisGraph {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *title;
  GtkInscription *value; /* texts are updated without a new layout of the page */
  PterisPlot *plot;
  GtkWidget *axis;
  GtkLabel *begin;
  GtkInscription *note;

  const PterisGraphKind *kind;
  char *description;
};

G_DEFINE_FINAL_TYPE (PterisGraph, pteris_graph, GTK_TYPE_WIDGET)

static char *
format (PterisGraph *self, double value)
{
  return pteris_is_known (value) ? self->kind->format (value) : g_strdup ("—");
}

static void
append (GString *text, const char *word, char *value)
{
  if (text->len > 0)
    g_string_append (text, " · ");
  g_string_append_printf (text, "%s ", word);
  g_string_append (text, value);
  g_free (value);
}

/* "Peak 312 W · limit 700 W", or the share of this process. */
static char *
describe (PterisGraph *self, const PterisPlotData *data)
{
  GString *text = g_string_new (NULL);
  double part = data->part != NULL ? pteris_series_last (data->part) : PTERIS_UNKNOWN;

  if (data->series->n > 0 && !pteris_is_known (pteris_series_last (data->series)))
    return g_string_free (g_string_append (text, _ ("unknown")), FALSE);
  if (pteris_is_known (part))
    append (text, _ (self->kind->part), format (self, part));
  if (self->kind->has_peak && pteris_is_known (data->peak))
    append (text, _ ("peak"), format (self, data->peak));
  if (self->kind->limit != NULL && pteris_is_known (data->limit))
    append (text, _ (self->kind->limit), format (self, data->limit));
  return g_string_free (text, FALSE);
}

static void
say (PterisGraph *self, const char *value, const char *note, const char *span)
{
  g_free (self->description);
  self->description =
      g_strdup_printf ("%s%s%s, %s", value, note[0] != '\0' ? ", " : "", note, span);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->plot), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  self->description, -1);
}

void
pteris_graph_set (PterisGraph *self, const PterisPlotData *data)
{
  PterisPlotData shown = *data;
  gint64 seconds = data->span / G_TIME_SPAN_SECOND;
  g_autofree char *value = format (self, pteris_series_last (data->series));
  g_autofree char *note = NULL;
  g_autofree char *span = NULL;

  shown.peak = pteris_series_peak (data->series, data->now - data->span);
  shown.top = pteris_is_known (data->limit) ? data->limit : self->kind->top;
  shown.top = fmax (shown.top, fmax (shown.peak, 0));
  note = describe (self, &shown);
  if (!self->kind->has_peak)
    shown.peak = PTERIS_UNKNOWN;
  span = seconds < 120 ? g_strdup_printf (_ ("last %d s"), (int) seconds)
                       : g_strdup_printf (_ ("last %d min"), (int) (seconds / 60));
  pteris_plot_set (self->plot, &shown);
  gtk_inscription_set_text (self->value, value);
  gtk_inscription_set_text (self->note, note);
  gtk_label_set_text (self->begin, span);
  say (self, value, note, span);
}

const char *
pteris_graph_get_description (PterisGraph *self)
{
  return self->description;
}

static void
pteris_graph_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_GRAPH);
  G_OBJECT_CLASS (pteris_graph_parent_class)->dispose (object);
}

static void
pteris_graph_finalize (GObject *object)
{
  g_free (PTERIS_GRAPH (object)->description);
  G_OBJECT_CLASS (pteris_graph_parent_class)->finalize (object);
}

static void
pteris_graph_class_init (PterisGraphClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_graph_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_graph_finalize;
  g_type_ensure (PTERIS_TYPE_PLOT);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/graph.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisGraph, content);
  gtk_widget_class_bind_template_child (widget_class, PterisGraph, title);
  gtk_widget_class_bind_template_child (widget_class, PterisGraph, value);
  gtk_widget_class_bind_template_child (widget_class, PterisGraph, plot);
  gtk_widget_class_bind_template_child (widget_class, PterisGraph, axis);
  gtk_widget_class_bind_template_child (widget_class, PterisGraph, begin);
  gtk_widget_class_bind_template_child (widget_class, PterisGraph, note);
}

static void
pteris_graph_init (PterisGraph *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* The time axis goes to the right in every language, like the plot. */
  gtk_widget_set_direction (self->axis, GTK_TEXT_DIR_LTR);
}

PterisGraph *
pteris_graph_new (const PterisGraphKind *kind)
{
  PterisGraph *self = g_object_new (PTERIS_TYPE_GRAPH, NULL);

  self->kind = kind;
  gtk_label_set_text (self->title, _ (kind->title));
  gtk_widget_add_css_class (GTK_WIDGET (self->plot), kind->style);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->plot), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (kind->title), -1);
  return self;
}
