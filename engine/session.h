/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/emitter.h"
#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * PtSession: the loaded model and the state of its conversation. Owned by the engine thread.
 */
typedef struct _PtSession PtSession;

PtSession *pt_session_new (void);
void pt_session_free (PtSession *session);

/** Unload the loaded model, as PT_JOB_LOAD does before it loads another one. */
void pt_session_unload (PtSession *session);

/**
 * Run @job and send all its events but the last one.
 *
 * @searched: the result of pt_job_search_files() for @job, which the session owns from now on;
 * NULL: the session searches.
 * @reason: set on success to the reason of DONE.
 */
gboolean pt_session_run (PtSession *session, const PtJob *job, PtModelSet *searched,
                         const PtEmitter *emitter, GCancellable *cancellable, PtReason *reason,
                         GError **error);

G_END_DECLS
