/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * PtSpeaker: a loaded model that reads texts aloud, for PT_JOB_SPEAK. Engine thread.
 */
typedef struct _PtSpeaker PtSpeaker;

/** Open the programs of @set, which the speaker owns from now on, also after an error. */
PtSpeaker *pt_speaker_new (PtModelSet *set, const PtJob *job, GError **error);
void pt_speaker_free (PtSpeaker *speaker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtSpeaker, pt_speaker_free)

/** Whether the speaker was made for the same model, device and language as @job names. */
gboolean pt_speaker_is_for (const PtSpeaker *speaker, const PtJob *job);

/** The language that @job asks for, as pt_model_asked_language() says it; NULL: none. */
const char *pt_speaker_asked_language (const PtJob *job);

/** Called for each piece of speech with an event SAMPLES or PROGRESS. */
typedef void (*PtSpeakFunc) (const PtEvent *event, gpointer user_data);

/** Speak the text of @job. FALSE with an error. */
gboolean pt_speaker_run (PtSpeaker *speaker, const PtJob *job, PtSpeakFunc func, gpointer user_data,
                         GCancellable *cancellable, GError **error);

G_END_DECLS
