/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/machine/plot.h"

G_BEGIN_DECLS

/** PterisGraph: a plot with title, current value, peak and limit, which are also readable by screen
 * readers. */
#define PTERIS_TYPE_GRAPH (pteris_graph_get_type ())
G_DECLARE_FINAL_TYPE (PterisGraph, pteris_graph, PTERIS, GRAPH, GtkWidget)

/** Formats @value ("34 %", "12.3 GB"); free with g_free(). */
typedef char *(*PterisFormat) (double value);

/** The quantity that a graph shows. */
typedef struct {
  const char *title;
  const char *style; /* CSS class that gives the line its colour */
  const char *part;  /* meaning of the dashed line; NULL: there is none */
  const char *limit; /* name of the limit; NULL: there is none */
  PterisFormat format;
  double top;        /* the top of the plot, unless the limit or a value is higher */
  gboolean has_peak; /* show the peak as text and as a line */
} PterisGraphKind;

/** @kind must be static. */
PterisGraph *pteris_graph_new (const PterisGraphKind *kind);

/** Show @data; its top and peak are computed here. */
void pteris_graph_set (PterisGraph *self, const PterisPlotData *data);

/** The description for screen readers: "34 %, peak 80 %, last 60 seconds". */
const char *pteris_graph_get_description (PterisGraph *self);

G_END_DECLS
