/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/speech/transcript.h"

G_BEGIN_DECLS

/* Edits of a transcript by the user. Each is one step of undo; positions are indices of segments.
 */

/** Replace text and times of the segment at @position; without text the segment is deleted. */
void pteris_transcript_edit (PterisTranscript *self, guint position, const char *text, double start,
                             double end);

/** Split a segment at @offset, in bytes of @text, which replaces its text. The time is estimated
 * from the offset. FALSE: one side would be empty. */
gboolean pteris_transcript_split (PterisTranscript *self, guint position, const char *text,
                                  gsize offset);

/** Merge the segments at @position and @position + 1. FALSE: there is no next one. */
gboolean pteris_transcript_merge (PterisTranscript *self, guint position);

void pteris_transcript_remove (PterisTranscript *self, guint position);

/** A match of a search. */
typedef struct {
  guint position;      /* of the segment */
  guint start, length; /* bytes of its text */
} PterisMatch;

/** Find all matches of @query, ignoring case. Of PterisMatch; free with g_array_unref(). */
GArray *pteris_transcript_find (PterisTranscript *self, const char *query);

/** Replace @match by @replacement. */
void pteris_transcript_replace (PterisTranscript *self, const PterisMatch *match,
                                const char *replacement);

/** Replace all matches. Returns their number. */
guint pteris_transcript_replace_all (PterisTranscript *self, const char *query,
                                     const char *replacement);

/** The texts of all segments, NULL-terminated. Free with g_strfreev(). */
char **pteris_transcript_texts (PterisTranscript *self);

/** Replace the texts of all segments by @texts, as many. One step of undo. */
void pteris_transcript_set_texts (PterisTranscript *self, const char *const *texts);

/** The index of the segment at @time, else of the last one before; -1: none yet. */
int pteris_transcript_find_time (PterisTranscript *self, double time);

G_END_DECLS
