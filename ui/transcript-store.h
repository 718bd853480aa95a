/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/segment.h"
#include "ui/transcript.h"

G_BEGIN_DECLS

/*
 * Transcripts in the history (ui/store.h). What writes is queued and returns at once; what reads
 * blocks and belongs in a thread.
 */

/** Write @transcript as it is now, without its segments. */
void pteris_transcript_store_save (PterisTranscript *transcript);

/** Write a new or changed @segment. */
void pteris_transcript_store_segment (PterisTranscript *transcript, PterisSegment *segment);

/** @segment of @transcript is gone; NULL: all of them. */
void pteris_transcript_store_drop (PterisTranscript *transcript, PterisSegment *segment);

/** @deleted: it will not come back at the next start; FALSE: undo that. */
void pteris_transcript_store_set_deleted (PterisTranscript *transcript, gboolean deleted);

/**
 * The newest @max transcripts that are older than @before (an id), oldest first, with their
 * segments. One without an end is STOPPED. NULL with @error.
 */
GPtrArray *pteris_transcript_store_list (gint64 before, guint max, GError **error);

G_END_DECLS
