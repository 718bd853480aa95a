/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * PtEmbedder: makes vectors of texts with an embedding model (docs/formats/protocols.md, section
 * 15). Engine thread.
 */
typedef struct _PtEmbedder PtEmbedder;

/** Load the model of @set as @job says; of the job only its model counts. NULL with an error. */
PtEmbedder *pt_embedder_new (PtModelSet *set, const PtJob *job, GError **error);
void pt_embedder_free (PtEmbedder *embedder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtEmbedder, pt_embedder_free)

/**
 * PT_JOB_EMBED: the vectors of all texts of @options. A text that cannot be read has an error of
 * its own. @progress may be NULL. NULL with an error when there are no texts, or the job was
 * stopped.
 */
PtEmbedReport *pt_embedder_run (PtEmbedder *embedder, const PtEmbedOptions *options,
                                PtStepFunc progress, gpointer user_data, GCancellable *cancellable,
                                GError **error);

G_END_DECLS
