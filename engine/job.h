/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"

G_BEGIN_DECLS

/** A deep copy of a job, which a queue can own. */
PtJob *pt_job_copy (const PtJob *job);
void pt_job_free (PtJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtJob, pt_job_free)

/** Where the events of a job go: fills in the number of the job and copies the text. */
typedef struct _PtEmitter PtEmitter;
void pt_emitter_send (PtEmitter *emitter, const PtEvent *event);

/** Is set when the recording that the job follows is complete. */
GCancellable *pt_emitter_finish (PtEmitter *emitter);

void pt_emit_progress (PtEmitter *emitter, PtStep step, double fraction);
void pt_emit_text (PtEmitter *emitter, PtEventKind kind, const char *text);
void pt_emit_stats (PtEmitter *emitter, const PtStats *stats);

/**
 * PtSession: what the engine thread owns: the loaded model and the state of its conversation.
 */
typedef struct _PtSession PtSession;

PtSession *pt_session_new (void);
void pt_session_free (PtSession *session);

/**
 * Do @job, sending all its events but the last.
 *
 * @reason: set on success to the text of DONE; static.
 */
gboolean pt_session_run (PtSession *session, const PtJob *job, PtEmitter *emitter,
                         GCancellable *cancellable, const char **reason, GError **error);

/**
 * After @job has failed with @code for reasons of the machine: the path of a program beside its own
 * that needs no GPU, or NULL. Free with g_free().
 */
char *pt_session_find_alternative (const PtJob *job, PtError code);

G_END_DECLS
