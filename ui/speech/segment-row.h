/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript.h"

G_BEGIN_DECLS

/**
 * PterisSegmentRow: "0:03.2 – 0:07.8" and the text of a segment, which can be edited.
 *
 * Signals:
 *   seek (double seconds): the user wants to play it
 */
#define PTERIS_TYPE_SEGMENT_ROW (pteris_segment_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisSegmentRow, pteris_segment_row, PTERIS, SEGMENT_ROW, GtkWidget)

PterisSegmentRow *pteris_segment_row_new (void);

/** Show the segment at @position of @transcript; NULL: none. Edited text is committed. */
void pteris_segment_row_bind (PterisSegmentRow *self, PterisTranscript *transcript, guint position);

/** Set the width of times to @n_chars, so that all texts are aligned. @with_end: also show the end
 * time. The margin, in pixels, is kept free behind the text to limit the length of lines.
 */
void pteris_segment_row_set_columns (PterisSegmentRow *self, int n_chars, gboolean with_end,
                                     int margin);

/** The position has changed because other segments were added or removed. */
void pteris_segment_row_set_position (PterisSegmentRow *self, guint position);

/** It can be heard now. */
void pteris_segment_row_set_playing (PterisSegmentRow *self, gboolean playing);

/** Highlight the matches of @query; NULL: none. @match: byte offset of the selected match; -1: it
 * is in another row.
 */
void pteris_segment_row_set_query (PterisSegmentRow *self, const char *query, int match);

/** Underline words with a low probability. */
void pteris_segment_row_set_marks (PterisSegmentRow *self, gboolean marks);

/** Begin to edit, with the focus in the text. */
void pteris_segment_row_edit (PterisSegmentRow *self);
gboolean pteris_segment_row_is_editing (PterisSegmentRow *self);

G_END_DECLS
