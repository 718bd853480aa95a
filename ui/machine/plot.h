/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/machine/series.h"

G_BEGIN_DECLS

/**
 * PterisPlot: the last seconds of one quantity as a line, the newest at the right. Where a value
 * is not known, or was not asked for, the line has a gap. The line has the colour of the widget's
 * text; peak and limit are thin lines across, and marks on the time axis say when something ran.
 */
#define PTERIS_TYPE_PLOT (pteris_plot_get_type ())
G_DECLARE_FINAL_TYPE (PterisPlot, pteris_plot, PTERIS, PLOT, GtkWidget)

/** A mark on the time axis. */
typedef struct {
  gint64 begin;
  gint64 end;      /* 0: it goes on */
  gboolean hollow; /* an outline instead of a bar: what tells two kinds apart without colours */
} PterisMark;

/** What to draw; borrowed, and copied where it is not plain data. */
typedef struct {
  const PterisSeries *series; /* must live as long as the plot shows it */
  const PterisSeries *part;   /* a part of it, drawn as a dashed line; or NULL */
  double top;                 /* value at the upper edge */
  double peak, limit;         /* or PTERIS_UNKNOWN */
  gint64 now;                 /* time at the right edge */
  gint64 span;                /* from the left edge to the right one */
  const PterisMark *marks;
  guint n_marks;
} PterisPlotData;

void pteris_plot_set (PterisPlot *self, const PterisPlotData *data);

G_END_DECLS
