/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/base/heap.h"
#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * PtLooker: finds what a model finds in pictures, whatever its family (docs/formats/protocols.md,
 * section 16). Engine thread.
 */
typedef struct _PtLooker PtLooker;

/** Open @set for @job, which both outlive the looker. NULL with an error. */
PtLooker *pt_looker_new (PtModelSet *set, const PtJob *job, GCancellable *cancellable,
                         GError **error);
void pt_looker_free (PtLooker *looker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLooker, pt_looker_free)

PtLookKind pt_looker_kind (const PtLooker *looker);

/** Find what is in the picture at @path. @out: filled with memory of @heap, without @path. */
gboolean pt_looker_run (PtLooker *looker, const char *path, PtHeap *heap, PtLookPicture *out,
                        GCancellable *cancellable, GError **error);

/**
 * PT_JOB_LOOK: look at all pictures of @job. One that cannot be read does not stop the others.
 * @step: called before each. NULL with an error; free with pt_look_result_unref().
 */
PtLookResult *pt_look (PtModelSet *set, const PtJob *job, PtStepFunc step, gpointer user_data,
                       GCancellable *cancellable, GError **error);

G_END_DECLS
