/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript.h"

G_BEGIN_DECLS

/** Ask for a file and write @transcript to it. A toast over @widget shows the result. */
void pteris_transcript_export_dialog (GtkWidget *widget, PterisTranscript *transcript,
                                      PtSubtitleFormat format);

/** Ask for a folder and write all @transcripts (of PterisTranscript) to it. */
void pteris_transcripts_export_dialog (GtkWidget *widget, GListModel *transcripts,
                                       PtSubtitleFormat format);

/**
 * Write all @transcripts to @folder, each to its own file; an existing name gets a number. Runs in
 * a thread, which also reads segments from the history.
 */
void pteris_transcripts_export_async (GListModel *transcripts, GFile *folder,
                                      PtSubtitleFormat format, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
/** The number of written files; -1 with @error: the files written before it exist. */
int pteris_transcripts_export_finish (GAsyncResult *result, GError **error);

/** "Interview.srt": the file name for @title. Free with g_free(). */
char *pteris_transcript_file_name (const char *title, PtSubtitleFormat format);

G_END_DECLS
