/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Places with writing in the maps of a detector such as CRAFT, and lines of them
 * (docs/formats/protocols.md, section 16.8). Plain numbers; any thread.
 */

/** A rectangle with writing. */
typedef struct {
  double x1, y1, x2, y2;
  gboolean stands; /* the line runs from the bottom to the top */
} PtTextBox;

/** Side of the page in whose pixels the lines are measured. */
#define PT_TEXT_PAGE 1280

/**
 * Boxes around the parts of @map that are text or join text. @map: [height, width, 2], how much
 * each point is text and between two characters. Returns a GArray of PtTextBox in points of the
 * map, in the order of their first points from the top left, or NULL with an error: memory, a
 * number is NaN.
 */
GArray *pt_text_boxes_find (const float *map, guint width, guint height, GError **error);

/** Join @boxes, which are in pixels of the page, to lines in the order of reading. Those that are
 * too small are left out. */
void pt_text_boxes_join (GArray *boxes);

G_END_DECLS
