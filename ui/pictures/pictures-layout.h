/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * PterisPicturesLayout: places the first of two children, a picture, beside the second, its
 * findings, or above it where the width is small.
 */
#define PTERIS_TYPE_PICTURES_LAYOUT (pteris_pictures_layout_get_type ())
G_DECLARE_FINAL_TYPE (PterisPicturesLayout, pteris_pictures_layout, PTERIS, PICTURES_LAYOUT,
                      GtkLayoutManager)

G_END_DECLS
