/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/speech/transcript.h"

G_BEGIN_DECLS

/*
 * Transcripts in the history (ui/history/history-store.h). Functions that write queue their
 * statements and return at once; functions that read block: call them in a thread.
 */

/** Write the current @transcript, without its segments. */
void pteris_transcript_store_save (PterisTranscript *transcript);

/** Write a new or changed @segment; @draft: it belongs to an unfinished second version. */
void pteris_transcript_store_segment (PterisTranscript *transcript, PterisSegment *segment,
                                      gboolean draft);

/** @segment is gone. */
void pteris_transcript_store_drop (PterisSegment *segment);

/** Delete all segments of @transcript, or those of its draft. */
void pteris_transcript_store_clear (PterisTranscript *transcript, gboolean draft);

/** @deleted: hide it, and delete it at the next start; FALSE: undo that. */
void pteris_transcript_store_set_deleted (PterisTranscript *transcript, gboolean deleted);

/** The newest @max transcripts, newest first, without their segments. NULL with @error. */
GPtrArray *pteris_transcript_store_list (guint max, GError **error);

/** The segments of a transcript, in order. */
typedef struct {
  GPtrArray *segments, *draft; /* of PterisSegment */
  double end, draft_end;       /* of the last one */
} PterisTranscriptContents;

/** NULL if they cannot be read. */
PterisTranscriptContents *pteris_transcript_store_read (gint64 id);
void pteris_transcript_contents_free (PterisTranscriptContents *contents);

G_END_DECLS
