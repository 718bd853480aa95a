/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/models/starter.h"
#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/**
 * PterisTranscribePage: the page that transcribes recordings and shows transcripts.
 *
 * Signals:
 *   shown (PterisTranscript *transcript): the shown transcript has changed; or NULL
 */
#define PTERIS_TYPE_TRANSCRIBE_PAGE (pteris_transcribe_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscribePage, pteris_transcribe_page, PTERIS, TRANSCRIBE_PAGE,
                      GtkWidget)

void pteris_transcribe_page_bind (PterisTranscribePage *self, PterisEngineClient *client,
                                  PterisTranscriptQueue *queue, PterisLibrary *library,
                                  PterisStarter *starter);

/** Queue @recordings (of PterisRecording) with the selected language and task, and show the first.
 * */
void pteris_transcribe_page_add (PterisTranscribePage *self, GPtrArray *recordings);

/** Show @transcript; NULL: none. */
void pteris_transcribe_page_show (PterisTranscribePage *self, PterisTranscript *transcript);
/** Scroll to the segment with @id of the shown transcript, also when that is still being read. */
void pteris_transcribe_page_reach (PterisTranscribePage *self, gint64 id);
/** The shown transcript, or NULL. Not a new reference. */
PterisTranscript *pteris_transcribe_page_get_transcript (PterisTranscribePage *self);

/** Stop the shown transcription, else the running one. FALSE: there is nothing to stop. */
gboolean pteris_transcribe_page_stop (PterisTranscribePage *self);

G_END_DECLS
