/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * PterisSideLayout: places the first of two children above the second, or beside it (at the end) if
 * the width is larger than the second can use.
 */
#define PTERIS_TYPE_SIDE_LAYOUT (pteris_side_layout_get_type ())
G_DECLARE_FINAL_TYPE (PterisSideLayout, pteris_side_layout, PTERIS, SIDE_LAYOUT, GtkLayoutManager)

G_END_DECLS
