/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/machine/plot.h"

G_BEGIN_DECLS

/** PterisGraph: a plot with its title, the current value large, its peak and its limit in words;
 * all of it as text for a screen reader too. */
#define PTERIS_TYPE_GRAPH (pteris_graph_get_type ())
G_DECLARE_FINAL_TYPE (PterisGraph, pteris_graph, PTERIS, GRAPH, GtkWidget)

/** Text for @value ("34 %", "12.3 GB"); free with g_free(). */
typedef char *(*PterisFormat) (double value);

/** What a graph is of. */
typedef struct {
  const char *title;
  const char *style; /* CSS class that gives the line its colour */
  const char *part;  /* what the dashed line is; NULL: there is none */
  const char *limit; /* the word before the limit; NULL: there is none */
  PterisFormat format;
  double top;        /* the upper edge, unless there is a limit or a value above it */
  gboolean has_peak; /* the peak is worth words and a line */
} PterisGraphKind;

/** @kind must be static. */
PterisGraph *pteris_graph_new (const PterisGraphKind *kind);

/** Show @data, of which the top and the peak are found here. */
void pteris_graph_set (PterisGraph *self, const PterisPlotData *data);

/** What a screen reader says of it: "34 %, peak 80 %, last 60 seconds". */
const char *pteris_graph_get_description (PterisGraph *self);

G_END_DECLS
