/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/segment.h"

G_BEGIN_DECLS

/** PterisSegmentRow: "0:03.2 – 0:07.8" and what was said then. */
#define PTERIS_TYPE_SEGMENT_ROW (pteris_segment_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisSegmentRow, pteris_segment_row, PTERIS, SEGMENT_ROW, GtkWidget)

PterisSegmentRow *pteris_segment_row_new (PterisSegment *segment);

G_END_DECLS
