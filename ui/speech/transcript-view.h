/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/** PterisTranscriptView: one transcript as a document: playback, text, editing, export.
 */
#define PTERIS_TYPE_TRANSCRIPT_VIEW (pteris_transcript_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptView, pteris_transcript_view, PTERIS, TRANSCRIPT_VIEW,
                      GtkWidget)

void pteris_transcript_view_set_queue (PterisTranscriptView *self, PterisTranscriptQueue *queue);

/** @transcript may be NULL. */
void pteris_transcript_view_set_transcript (PterisTranscriptView *self,
                                            PterisTranscript *transcript);
/** Scroll to the segment with @id, also when the transcript is still being read. */
void pteris_transcript_view_reach (PterisTranscriptView *self, gint64 id);
PterisTranscript *pteris_transcript_view_get_transcript (PterisTranscriptView *self);

G_END_DECLS
