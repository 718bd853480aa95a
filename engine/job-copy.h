/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/**
 * A deep copy of a job, which a queue can own. A program that was compiled against an earlier
 * version has a smaller PtJob: the other members get their defaults. NULL with PT_ERROR_ARGUMENT if
 * it was compiled against a later one and sets members that are not here, or if @job was not
 * started from PT_JOB_INIT().
 */
PtJob *pt_job_copy (const PtJob *job, GError **error);
void pt_job_free (PtJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtJob, pt_job_free)

G_END_DECLS
