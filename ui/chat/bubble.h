/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * PterisBubble: a text at the end of its line, no wider than its longest line. (A label that wraps
 * takes all available width.)
 */
#define PTERIS_TYPE_BUBBLE (pteris_bubble_get_type ())
G_DECLARE_FINAL_TYPE (PterisBubble, pteris_bubble, PTERIS, BUBBLE, GtkWidget)

void pteris_bubble_set_text (PterisBubble *self, const char *text);

G_END_DECLS
