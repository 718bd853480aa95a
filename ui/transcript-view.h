/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/transcript.h"

G_BEGIN_DECLS

/**
 * PterisTranscriptView: one transcript as a document: its segments as they come, copy and export.
 *
 * Signals:
 *   retry (): the user wants it again
 *   export (const char *format): the user wants it as a file: "txt", "srt", "vtt" or "json"
 */
#define PTERIS_TYPE_TRANSCRIPT_VIEW (pteris_transcript_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptView, pteris_transcript_view, PTERIS, TRANSCRIPT_VIEW,
                      GtkWidget)

/** @transcript may be NULL. */
void pteris_transcript_view_set_transcript (PterisTranscriptView *self,
                                            PterisTranscript *transcript);
PterisTranscript *pteris_transcript_view_get_transcript (PterisTranscriptView *self);

G_END_DECLS
