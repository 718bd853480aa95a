/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>
#include <pteris/speech.h>

G_BEGIN_DECLS

/** PterisSegment: one timed piece of a transcript. Immutable. */
#define PTERIS_TYPE_SEGMENT (pteris_segment_get_type ())
G_DECLARE_FINAL_TYPE (PterisSegment, pteris_segment, PTERIS, SEGMENT, GObject)

/** @id: its row in the history. @start, @end: seconds. Spaces around @text are dropped. */
PterisSegment *pteris_segment_new (gint64 id, double start, double end, const char *text);

/** Words with a lower probability are marked. */
#define PTERIS_SEGMENT_DOUBT 0.5f

/** Keep those of the @n @words of its text that have a low probability. Call it once after
 * creation. */
void pteris_segment_take_words (PterisSegment *self, const PtWord *words, guint n);

/** Set the speaker: from 1; 0: unknown. Call it once after creation. */
void pteris_segment_set_speaker (PterisSegment *self, guint speaker);
guint pteris_segment_get_speaker (PterisSegment *self);

gint64 pteris_segment_get_id (PterisSegment *self);
double pteris_segment_get_start (PterisSegment *self);
double pteris_segment_get_end (PterisSegment *self);
const char *pteris_segment_get_text (PterisSegment *self);

/** Words with a low probability; NULL and *n = 0 without any. */
const PtWord *pteris_segment_get_doubts (PterisSegment *self, guint *n);

/** These words as text, and back: "4+7@31 20+3@44". NULL without any. Free with g_free(). */
char *pteris_segment_write_doubts (PterisSegment *self);
void pteris_segment_read_doubts (PterisSegment *self, const char *text);

G_END_DECLS
