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
 * @reason: set on success to the text of DONE; static.
 */
gboolean pt_session_run (PtSession *session, const PtJob *job, const PtEmitter *emitter,
                         GCancellable *cancellable, PtReason *reason, GError **error);

G_END_DECLS
