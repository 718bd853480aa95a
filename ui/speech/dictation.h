/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/engine-client.h"
#include "ui/sound/recorder.h"
#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/**
 * PterisDictation: records and transcribes at the same time. The last segment may still change;
 * earlier ones are final. The queue is on hold meanwhile.
 *
 * Signals:
 *   changed (): the recorder's signal ended (PterisTranscript *transcript): the transcription is
 *   complete, or is left to the queue
 */
#define PTERIS_TYPE_DICTATION (pteris_dictation_get_type ())
G_DECLARE_FINAL_TYPE (PterisDictation, pteris_dictation, PTERIS, DICTATION, GObject)

PterisDictation *pteris_dictation_new (PterisEngineClient *client, PterisTranscriptQueue *queue);

/** Start a dictation. Its transcript is added to the history, and removed if nothing can be
 * recorded. Not a new reference. */
PterisTranscript *pteris_dictation_start (PterisDictation *self, const char *language,
                                          gboolean translate);

/** Stop recording; the rest of the text follows. */
void pteris_dictation_stop (PterisDictation *self);

/** TRUE from the start until the text is complete. */
gboolean pteris_dictation_is_active (PterisDictation *self);

PterisRecorder *pteris_dictation_get_recorder (PterisDictation *self);

/** The transcript in progress, or NULL. Not a new reference. */
PterisTranscript *pteris_dictation_get_transcript (PterisDictation *self);

/** Whether a recording goes on of which no text comes any more, since its model has failed. It can
 * be transcribed when it is stopped. */
gboolean pteris_dictation_is_lost (PterisDictation *self);

/** The sentence why the last recording failed or ended early; or NULL. */
const char *pteris_dictation_get_error (PterisDictation *self);
void pteris_dictation_forget_error (PterisDictation *self);

/** Correct the headers of recordings that a killed program has left behind, in a thread. */
void pteris_dictation_repair (void);

G_END_DECLS
