/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript-edit.h"

G_BEGIN_DECLS

/**
 * PterisSegmentList: the segments of a transcript with their times. While the transcript grows, the
 * view follows the end if it is there. During playback it follows the current segment until the
 * user scrolls.
 *
 * Signals:
 *   seek (double seconds): the user wants to play a segment
 */
#define PTERIS_TYPE_SEGMENT_LIST (pteris_segment_list_get_type ())
G_DECLARE_FINAL_TYPE (PterisSegmentList, pteris_segment_list, PTERIS, SEGMENT_LIST, GtkWidget)

/** @transcript may be NULL. */
void pteris_segment_list_set_transcript (PterisSegmentList *self, PterisTranscript *transcript);

/** Set the index of the segment that is being played, or -1. */
void pteris_segment_list_set_playing (PterisSegmentList *self, int position);

/** Highlight all matches of @query, and scroll to @match (NULL: none). */
void pteris_segment_list_set_query (PterisSegmentList *self, const char *query,
                                    const PterisMatch *match);
void pteris_segment_list_set_marks (PterisSegmentList *self, gboolean marks);

/** Scroll to the segment at @position and mark it for a moment. */
void pteris_segment_list_reach (PterisSegmentList *self, guint position);

/** Begin to edit the segment at @position. */
void pteris_segment_list_edit (PterisSegmentList *self, guint position);

/** Follow the playback again. */
void pteris_segment_list_follow (PterisSegmentList *self);
gboolean pteris_segment_list_is_following (PterisSegmentList *self);

G_END_DECLS
