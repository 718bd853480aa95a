/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/engine-client.h"
#include "ui/sound/recorder.h"
#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/**
 * PterisDictation: records, and transcribes what has been said while it goes on. The last segment
 * may still change with what follows; those before are final. The queue waits meanwhile.
 *
 * Signals:
 *   changed (): as that of its recorder
 *   ended (PterisTranscript *transcript): all of it is transcribed, or will be later
 */
#define PTERIS_TYPE_DICTATION (pteris_dictation_get_type ())
G_DECLARE_FINAL_TYPE (PterisDictation, pteris_dictation, PTERIS, DICTATION, GObject)

PterisDictation *pteris_dictation_new (PterisEngineClient *client, PterisTranscriptQueue *queue);

/** Begin; the transcript is in the queue's history already, and leaves it where nothing can be
 * recorded. Not a new reference. */
PterisTranscript *pteris_dictation_start (PterisDictation *self, const char *language,
                                          gboolean translate);

/** End the recording; the rest of the text follows. */
void pteris_dictation_stop (PterisDictation *self);

/** TRUE from the beginning until the last text. */
gboolean pteris_dictation_is_active (PterisDictation *self);

PterisRecorder *pteris_dictation_get_recorder (PterisDictation *self);

/** The one under way, or NULL. Not a new reference. */
PterisTranscript *pteris_dictation_get_transcript (PterisDictation *self);

/** Why the last recording has failed, or ended before it was stopped: a sentence; or NULL. */
const char *pteris_dictation_get_error (PterisDictation *self);
void pteris_dictation_forget_error (PterisDictation *self);

/** Make recordings that a killed program has left behind whole, in a thread. */
void pteris_dictation_repair (void);

G_END_DECLS
