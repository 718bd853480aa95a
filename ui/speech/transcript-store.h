/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/speech/transcript.h"

G_BEGIN_DECLS

/*
 * Transcripts in the history (ui/history/history-store.h). What writes is queued and returns at
 * once; what reads blocks and belongs in a thread.
 */

/** Write @transcript as it is now, without its segments. */
void pteris_transcript_store_save (PterisTranscript *transcript);

/** Write a new or changed @segment; @draft: of a second version that is not done yet. */
void pteris_transcript_store_segment (PterisTranscript *transcript, PterisSegment *segment,
                                      gboolean draft);

/** @segment is gone. */
void pteris_transcript_store_drop (PterisSegment *segment);

/** All segments of @transcript are gone, or those of its draft. */
void pteris_transcript_store_clear (PterisTranscript *transcript, gboolean draft);

/** @deleted: it will not come back at the next start; FALSE: undo that. */
void pteris_transcript_store_set_deleted (PterisTranscript *transcript, gboolean deleted);

/** The newest @max transcripts, newest first, without their segments. NULL with @error. */
GPtrArray *pteris_transcript_store_list (guint max, GError **error);

/** The segments of a transcript, in order. */
typedef struct {
  GPtrArray *segments, *draft; /* of PterisSegment */
  double end, draft_end;       /* of the last one */
} PterisTranscriptContents;

/** NULL when they cannot be read. */
PterisTranscriptContents *pteris_transcript_store_read (gint64 id);
void pteris_transcript_contents_free (PterisTranscriptContents *contents);

G_END_DECLS
