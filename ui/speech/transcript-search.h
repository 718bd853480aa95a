/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript-edit.h"

G_BEGIN_DECLS

/**
 * PterisTranscriptSearch: search and replace in a transcript.
 *
 * Signals:
 *   changed (): the query or the selected match
 */
#define PTERIS_TYPE_TRANSCRIPT_SEARCH (pteris_transcript_search_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptSearch, pteris_transcript_search, PTERIS, TRANSCRIPT_SEARCH,
                      GtkWidget)

/** @transcript may be NULL. */
void pteris_transcript_search_set_transcript (PterisTranscriptSearch *self,
                                              PterisTranscript *transcript);

/** Open it and focus its field, or close it. */
void pteris_transcript_search_set_open (PterisTranscriptSearch *self, gboolean open);
gboolean pteris_transcript_search_is_open (PterisTranscriptSearch *self);

/** The query; NULL: none. */
const char *pteris_transcript_search_get_query (PterisTranscriptSearch *self);

/** The selected match. FALSE: there is none. */
gboolean pteris_transcript_search_get_match (PterisTranscriptSearch *self, PterisMatch *match);

G_END_DECLS
