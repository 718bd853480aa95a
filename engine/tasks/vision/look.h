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

/** Whether @set finds something in pictures. */
gboolean pt_looker_takes (const PtModelSet *set);

/** Open @set, which outlives the looker, with the labels, size and model options of @job. NULL with
 * an error. */
PtLooker *pt_looker_new (PtModelSet *set, const PtJob *job, GError **error);
void pt_looker_free (PtLooker *looker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLooker, pt_looker_free)

/** Take the threshold, the number of classes, the texts and the consent of @job, which lasts until
 * the next call. Vectors of texts that were there before are kept. */
gboolean pt_looker_set_job (PtLooker *looker, const PtJob *job, GCancellable *cancellable,
                            GError **error);

PtLookKind pt_looker_kind (const PtLooker *looker);

/** Find what is in the picture at @path. @out: filled with memory of @heap, without @path. */
gboolean pt_looker_run (PtLooker *looker, const char *path, PtHeap *heap, PtLookPicture *out,
                        GCancellable *cancellable, GError **error);

/**
 * PT_JOB_LOOK: look at all pictures of @job. One that cannot be read does not stop the others.
 * @load_s: seconds that loading took. @step: called before each. NULL with an error; free with
 * pt_look_result_unref().
 */
PtLookResult *pt_looker_look (PtLooker *looker, const PtJob *job, double load_s, PtStepFunc step,
                              gpointer user_data, GCancellable *cancellable, GError **error);

/** The same with a looker of @set that is opened for @job alone. */
PtLookResult *pt_look (PtModelSet *set, const PtJob *job, PtStepFunc step, gpointer user_data,
                       GCancellable *cancellable, GError **error);

G_END_DECLS
