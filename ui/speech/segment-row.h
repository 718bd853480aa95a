/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript.h"

G_BEGIN_DECLS

/**
 * PterisSegmentRow: "0:03.2 – 0:07.8" and what was said then; and the place where it is corrected.
 *
 * Signals:
 *   seek (double seconds): the user wants to hear it
 */
#define PTERIS_TYPE_SEGMENT_ROW (pteris_segment_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisSegmentRow, pteris_segment_row, PTERIS, SEGMENT_ROW, GtkWidget)

PterisSegmentRow *pteris_segment_row_new (void);

/** Show the segment at @position of @transcript; NULL: none. What was being edited is kept. */
void pteris_segment_row_bind (PterisSegmentRow *self, PterisTranscript *transcript, guint position);

/** Times are @n_chars wide, so that all texts begin below each other; @with_end: the time of the
 * end is shown too. So many pixels are kept free behind the text, whose lines would be too long to
 * read.
 */
void pteris_segment_row_set_columns (PterisSegmentRow *self, int n_chars, gboolean with_end,
                                     int margin);

/** Its place has changed, because of what happened to others. */
void pteris_segment_row_set_position (PterisSegmentRow *self, guint position);

/** It can be heard now. */
void pteris_segment_row_set_playing (PterisSegmentRow *self, gboolean playing);

/** Mark where @query is; NULL: nowhere. @match: bytes of the one that is shown, -1: another row's.
 */
void pteris_segment_row_set_query (PterisSegmentRow *self, const char *query, int match);

/** Mark words that the model was not sure of. */
void pteris_segment_row_set_marks (PterisSegmentRow *self, gboolean marks);

/** Start correcting, with the keyboard in the text. */
void pteris_segment_row_edit (PterisSegmentRow *self);
gboolean pteris_segment_row_is_editing (PterisSegmentRow *self);

G_END_DECLS
