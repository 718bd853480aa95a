/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/** A deep copy of a job, which a queue can own. */
PtJob *pt_job_copy (const PtJob *job);
void pt_job_free (PtJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtJob, pt_job_free)

G_END_DECLS
