/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** PterisFigures: values with titles, in as many columns as fit. */
#define PTERIS_TYPE_FIGURES (pteris_figures_get_type ())
G_DECLARE_FINAL_TYPE (PterisFigures, pteris_figures, PTERIS, FIGURES, GtkWidget)

/** Show @value under @title, in the order of first calls. NULL hides it. */
void pteris_figures_set (PterisFigures *self, const char *title, const char *value);

/** As pteris_figures_set(); frees @value. */
void pteris_figures_take (PterisFigures *self, const char *title, char *value);

/** The value under @title; NULL if hidden. */
const char *pteris_figures_get (PterisFigures *self, const char *title);

G_END_DECLS
