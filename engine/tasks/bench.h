/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/**
 * pt_bench: measures how fast a model runs on this machine (PT_JOB_BENCH). Chat models read a
 * prompt of 128 tokens and write 64, or as many as @job says; others transcribe @job->bench.audio,
 * or half a minute of made-up sound. There are @job->bench.repeat runs (less than 2: five), and
 * each loads the model anew. The time to the first token is that of the first prompt after the
 * load; prefill and decode are measured with a second prompt, once memory has been touched and a
 * GPU's kernels have been loaded.
 *
 * Free with pt_bench_report_unref(). Blocking; the engine thread.
 */
PtBenchReport *pt_bench (const PtModelSet *set, const PtJob *job, PtStepFunc progress,
                         gpointer user_data, GCancellable *cancellable, GError **error);

G_END_DECLS
