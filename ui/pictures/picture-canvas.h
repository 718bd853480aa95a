/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/pictures/picture.h"

G_BEGIN_DECLS

/**
 * PterisPictureCanvas: a picture with what was found in it drawn over it, at any zoom.
 *
 * Signals:
 *   pointed (int index): the pointer is at another finding; -1: at none
 *   clicked (int index): the finding was clicked; -1: none is there
 *   zoom-changed (): after pteris_picture_canvas_zoom() or a turn of the wheel with Ctrl
 */
#define PTERIS_TYPE_PICTURE_CANVAS (pteris_picture_canvas_get_type ())
G_DECLARE_FINAL_TYPE (PterisPictureCanvas, pteris_picture_canvas, PTERIS, PICTURE_CANVAS, GtkWidget)

/** Show @picture, or nothing, with its first @n findings. Call it again when the picture changes.
 */
void pteris_picture_canvas_show (PterisPictureCanvas *self, PterisPicture *picture, guint n);

/** Make one finding stand out; -1: none. */
void pteris_picture_canvas_highlight (PterisPictureCanvas *self, int index);

/** Larger or smaller by a step. The middle of what is visible stays where it is, */
void pteris_picture_canvas_zoom (PterisPictureCanvas *self, gboolean in);
/** or the pixel at a place of the widget, as far as the picture's edges allow it. */
void pteris_picture_canvas_zoom_at (PterisPictureCanvas *self, gboolean in, double x, double y);
/** As large as there is room. */
void pteris_picture_canvas_fit (PterisPictureCanvas *self);
/** Pixels of the widget for each of the picture; 0: it fits the room. */
double pteris_picture_canvas_get_zoom (PterisPictureCanvas *self);

G_END_DECLS
