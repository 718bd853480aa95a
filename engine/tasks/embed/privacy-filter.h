/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * PtPrivacyFilter: finds names and secrets in texts with a token classifier
 * (docs/formats/protocols.md, section 16). Engine thread.
 */
typedef struct _PtPrivacyFilter PtPrivacyFilter;

/** Load the model of @set as @job says; of the job only its model counts. NULL with an error. */
PtPrivacyFilter *pt_privacy_filter_new (PtModelSet *set, const PtJob *job, GError **error);
void pt_privacy_filter_free (PtPrivacyFilter *filter);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPrivacyFilter, pt_privacy_filter_free)

/**
 * PT_JOB_PRIVACY: what is in all texts of @options. A text that cannot be read has an error of its
 * own. @progress may be NULL. NULL with an error when there are no texts, or the job was stopped.
 */
PtPrivacyReport *pt_privacy_filter_run (PtPrivacyFilter *filter, const PtPrivacyOptions *options,
                                        PtStepFunc progress, gpointer user_data,
                                        GCancellable *cancellable, GError **error);

G_END_DECLS
