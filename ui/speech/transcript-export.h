/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/speech/transcript.h"

G_BEGIN_DECLS

/** Ask where to, and write @transcript there. What became of it is said in a toast over @widget. */
void pteris_transcript_export_dialog (GtkWidget *widget, PterisTranscript *transcript,
                                      PtSubtitleFormat format);

/** Ask for a folder, and write all of @transcripts (of PterisTranscript) there. */
void pteris_transcripts_export_dialog (GtkWidget *widget, GListModel *transcripts,
                                       PtSubtitleFormat format);

/**
 * Write all of @transcripts into @folder, each under its own name; a name that is taken gets a
 * number. In a thread, segments that are not in memory are read.
 */
void pteris_transcripts_export_async (GListModel *transcripts, GFile *folder,
                                      PtSubtitleFormat format, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer user_data);
/** How many were written; -1 with @error: what was written until then is there. */
int pteris_transcripts_export_finish (GAsyncResult *result, GError **error);

/** "Interview.srt": the name that a file of @title gets. Free with g_free(). */
char *pteris_transcript_file_name (const char *title, PtSubtitleFormat format);

G_END_DECLS
