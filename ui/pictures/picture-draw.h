/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/pictures/masks.h"

G_BEGIN_DECLS

/** The findings that are drawn over a picture. */
typedef struct {
  const PtLookPicture *picture;
  PterisMasks *masks;
  PtLookKind kind;
  guint n;           /* findings that are shown */
  int highlight;     /* the finding that stands out; -1: none */
  double scale;      /* pixels of the widget for each of the picture */
  PangoLayout *text; /* for labels; its text is changed */
} PterisDrawing;

/** Draw the findings; the picture's top left corner is at the origin. */
void pteris_draw_findings (GtkSnapshot *snapshot, const PterisDrawing *drawing);

/** The finding at a position of the picture, in its pixels: the smallest one there; -1: none. */
int pteris_find_at (const PtLookPicture *picture, PtLookKind kind, guint n, double x, double y);

G_END_DECLS
