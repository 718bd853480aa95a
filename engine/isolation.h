/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/**
 * Whether a program of the model that @job names carries native code, or runs through the driver of
 * a GPU. FALSE also when the model cannot be read: doing the job then says why. Blocking.
 */
gboolean pt_job_is_native (const PtJob *job);

G_END_DECLS
