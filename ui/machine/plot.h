/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/machine/series.h"

G_BEGIN_DECLS

/**
 * PterisPlot: the last seconds of one quantity as a line, the newest at the right. Unknown values
 * are gaps in the line. The line has the colour of the widget's text; peak and limit are thin
 * horizontal lines; marks on the time axis show when jobs ran.
 */
#define PTERIS_TYPE_PLOT (pteris_plot_get_type ())
G_DECLARE_FINAL_TYPE (PterisPlot, pteris_plot, PTERIS, PLOT, GtkWidget)

/** A mark of a job on the time axis. */
typedef struct {
  gint64 begin;
  gint64 end;      /* 0: it goes on */
  gboolean hollow; /* an outline instead of a bar, to distinguish two kinds without colours */
} PterisMark;

/** The contents; borrowed; arrays are copied. */
typedef struct {
  const PterisSeries *series; /* must live as long as the plot shows it */
  const PterisSeries *part;   /* a part of it, drawn as a dashed line; or NULL */
  double top;                 /* value at the upper edge */
  double peak, limit;         /* or PTERIS_UNKNOWN */
  gint64 now;                 /* time at the right edge */
  gint64 span;                /* time from the left edge to the right edge */
  const PterisMark *marks;
  guint n_marks;
} PterisPlotData;

void pteris_plot_set (PterisPlot *self, const PterisPlotData *data);

G_END_DECLS
