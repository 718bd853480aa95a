/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * PterisEndScroller: scrolls a child that grows at its end. It follows the end while the view is
 * there; otherwise a button scrolls to the end. Property "child": a GtkScrollable is given the
 * adjustments, anything else is put into a viewport.
 */
#define PTERIS_TYPE_END_SCROLLER (pteris_end_scroller_get_type ())
G_DECLARE_FINAL_TYPE (PterisEndScroller, pteris_end_scroller, PTERIS, END_SCROLLER, GtkWidget)

void pteris_end_scroller_go_to_end (PterisEndScroller *self);

/** Scroll to the beginning, for contents that are read from there. */
void pteris_end_scroller_go_to_start (PterisEndScroller *self);

G_END_DECLS
