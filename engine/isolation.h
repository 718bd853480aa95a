/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * Whether a program of the model that @job names carries native code, or runs through the driver of
 * a GPU. FALSE also when the model cannot be read: doing the job then says why. Blocking.
 * @set: set to the model, whose files were opened to find out, or to NULL. It is for
 * pt_session_run(), so that no file is opened and verified twice.
 */
gboolean pt_job_is_native (const PtJob *job, PtModelSet **set);

G_END_DECLS
