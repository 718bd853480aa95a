/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/runtime/module.h"
#include "engine/tasks/models/model-set.h"
#include "engine/tasks/vision/classification.h"

G_BEGIN_DECLS

/**
 * PtClassifier: finds the class of a picture (docs/formats/protocols.md, section 10). Engine
 * thread.
 */
typedef struct _PtClassifier PtClassifier;

/** @module: must outlive the classifier. @labels: a file with names of classes; NULL: one beside
 * the program of @set, if there is one. */
PtClassifier *pt_classifier_new (PtModule *module, const PtModelSet *set, const char *labels,
                                 GError **error);
void pt_classifier_free (PtClassifier *classifier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtClassifier, pt_classifier_free)

/**
 * Find the most probable classes of the picture at @path, at most @n, the most probable first;
 * their labels belong to the classifier. Returns how many, or 0 with an error.
 */
guint pt_classifier_run (PtClassifier *classifier, const char *path, PtClass *out, guint n,
                         GCancellable *cancellable, GError **error);

/** The size of the input of the classifier's method. */
void pt_classifier_get_size (const PtClassifier *classifier, guint *width, guint *height);

/**
 * PT_JOB_CLASSIFY: classify all pictures of @job. One that cannot be read does not stop the others.
 *
 * Returns NULL with an error; free with pt_classification_free().
 */
PtClassification *pt_classify (PtModelSet *set, const PtJob *job, GCancellable *cancellable,
                               GError **error);

G_END_DECLS
