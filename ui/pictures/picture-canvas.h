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

/** Zoom in or out by a step. The middle of the visible part stays in its place. */
void pteris_picture_canvas_zoom (PterisPictureCanvas *self, gboolean in);
/** The same; the pixel at a position of the widget stays there, as far as the edges allow. */
void pteris_picture_canvas_zoom_at (PterisPictureCanvas *self, gboolean in, double x, double y);
/** Zoom so that the whole picture is visible. */
void pteris_picture_canvas_fit (PterisPictureCanvas *self);
/** Pixels of the widget for each of the picture; 0: it fits the room. */
double pteris_picture_canvas_get_zoom (PterisPictureCanvas *self);

G_END_DECLS
