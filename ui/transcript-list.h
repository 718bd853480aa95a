/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/transcript-queue.h"

G_BEGIN_DECLS

/** PterisTranscriptList: all transcripts by day, and a search in titles and text. Its rows do
 * "win.open-transcript" and the other "win." actions on transcripts. */
#define PTERIS_TYPE_TRANSCRIPT_LIST (pteris_transcript_list_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptList, pteris_transcript_list, PTERIS, TRANSCRIPT_LIST,
                      GtkWidget)

void pteris_transcript_list_set_queue (PterisTranscriptList *self, PterisTranscriptQueue *queue);

/** Put the keyboard into the search. */
void pteris_transcript_list_search (PterisTranscriptList *self);

G_END_DECLS
