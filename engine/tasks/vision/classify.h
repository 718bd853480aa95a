/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/runtime/module.h"
#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * PtClassifier: what is in a picture (runners, section 10). Engine thread.
 */
typedef struct _PtClassifier PtClassifier;

typedef struct {
  guint index;
  const char *label; /* or NULL: it has no name; belongs to the classifier */
  double probability;
} PtClass;

/** @module: outlives the classifier. @labels: a file with names of classes; NULL: one beside the
 * program @set is of, if there is any. */
PtClassifier *pt_classifier_new (PtModule *module, const PtModelSet *set, const char *labels,
                                 GError **error);
void pt_classifier_free (PtClassifier *classifier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtClassifier, pt_classifier_free)

/**
 * The likeliest classes of the picture at @path, at most @n of them, the likeliest first. Returns
 * how many, or 0 with an error.
 */
guint pt_classifier_run (PtClassifier *classifier, const char *path, PtClass *out, guint n,
                         GCancellable *cancellable, GError **error);

/**
 * PT_JOB_CLASSIFY: all pictures of @job. A picture that cannot be read costs the others nothing.
 *
 *     { "model", "device", "load_s",
 *       "images": [{ "path", "elapsed_s", "classes": [{ "index", "label" or null,
 *                                                       "probability" }] }
 *                  or { "path", "error": a sentence }],
 *       "ok": all could be read, "failed": how many could not }
 *
 * Returns JSON text, to be freed with g_free(), or NULL with an error.
 */
char *pt_classify (const PtModelSet *set, const PtJob *job, GCancellable *cancellable,
                   GError **error);

G_END_DECLS
