/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/** PterisTranscriptRow: a recording in the queue: its progress and its actions. */
#define PTERIS_TYPE_TRANSCRIPT_ROW (pteris_transcript_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptRow, pteris_transcript_row, PTERIS, TRANSCRIPT_ROW,
                      GtkListBoxRow)

PterisTranscriptRow *pteris_transcript_row_new (PterisTranscript *transcript,
                                                PterisTranscriptQueue *queue);
PterisTranscript *pteris_transcript_row_get_transcript (PterisTranscriptRow *self);

G_END_DECLS
