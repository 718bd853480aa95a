/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/** PterisSegment: one timed piece of a transcript. Immutable. */
#define PTERIS_TYPE_SEGMENT (pteris_segment_get_type ())
G_DECLARE_FINAL_TYPE (PterisSegment, pteris_segment, PTERIS, SEGMENT, GObject)

/** @id: its row in the history. @start, @end: seconds. Spaces around @text are dropped. */
PterisSegment *pteris_segment_new (gint64 id, double start, double end, const char *text);

gint64 pteris_segment_get_id (PterisSegment *self);
double pteris_segment_get_start (PterisSegment *self);
double pteris_segment_get_end (PterisSegment *self);
const char *pteris_segment_get_text (PterisSegment *self);

G_END_DECLS
