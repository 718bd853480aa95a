/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/speech/transcript.h"

G_BEGIN_DECLS

/* What a person does to a transcript. Each is one step of undo; positions are those of segments. */

/** Other text and times for the segment at @position; without text it goes. */
void pteris_transcript_edit (PterisTranscript *self, guint position, const char *text, double start,
                             double end);

/** Two segments of one: at @offset, in bytes of @text, which replaces the present text. The moment
 * is guessed from the place. FALSE: there would be nothing on one side. */
gboolean pteris_transcript_split (PterisTranscript *self, guint position, const char *text,
                                  gsize offset);

/** One segment of that at @position and the next. FALSE: there is no next one. */
gboolean pteris_transcript_merge (PterisTranscript *self, guint position);

void pteris_transcript_remove (PterisTranscript *self, guint position);

/** A place where the text looked for is. */
typedef struct {
  guint position;      /* of the segment */
  guint start, length; /* bytes of its text */
} PterisMatch;

/** All places of @query, whatever its case. Of PterisMatch; free with g_array_unref(). */
GArray *pteris_transcript_find (PterisTranscript *self, const char *query);

/** Put @replacement in the place of @match. */
void pteris_transcript_replace (PterisTranscript *self, const PterisMatch *match,
                                const char *replacement);

/** Everywhere. Returns how many times. */
guint pteris_transcript_replace_all (PterisTranscript *self, const char *query,
                                     const char *replacement);

/** The segment that is spoken at @time, else the last one before; -1: none yet. */
int pteris_transcript_find_time (PterisTranscript *self, double time);

G_END_DECLS
