/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/emitter.h"

G_BEGIN_DECLS

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
gboolean pt_session_run (PtSession *session, const PtJob *job, const PtEmitter *emitter,
                         GCancellable *cancellable, PtReason *reason, GError **error);

/**
 * After @job has failed with @code for reasons of the machine: the path of a program beside its own
 * that needs no GPU, or NULL. Free with g_free().
 */
char *pt_session_find_alternative (const PtJob *job, PtError code);

G_END_DECLS
