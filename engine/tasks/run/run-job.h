/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/**
 * pt_run: call methods of a program with tensors from files (PT_JOB_RUN).
 *
 * @job: model (a .pte or .bpte; NULL with steps: the case's own), data, method, inputs, shapes,
 *   output_dir, steps, bundled, profile, trace and repeat count. Without data, the .ptd files
 * beside the program are used if it needs some.
 * @progress: may be NULL; called on the thread that runs.
 *
 * Without @job->run.steps one method is called. Its tensor inputs come from @job->run.inputs, .npy
 * or raw bytes of the method's type; other inputs take the values they were exported with. In place
 * of a file, "zeros:", "random:SEED" (floats from -1 to 1, whole numbers from 0 to 9) and
 * "values:1,2,3" (all, or one for all) make a tensor of the declared shape, or of that in
 * @job->run.shapes. Outputs are written to @job->run.output_dir as out0.npy, ... .
 *
 * With @job->run.steps, the calls of a case.json are made in order on one loaded program, and each
 * output is compared with what the case expects: the numbers of a "file", or a "range" that random
 * ones lie in. Outputs are written as s0_out0.npy, ... . Calls under "steps_shared_arenas" follow
 * on a fresh program whose methods share their state. A call that fails ends the run with its
 * error; an output that differs does not.
 *
 * With @job->run.bundled, the test cases in a bundled program are run, those of @job->model.method
 * or all, each from the initial state, and compared (docs/formats/program.md, section 7). Outputs
 * are written as t0_out0.npy, ... . A case that fails is different, too, and says why.
 *
 * Free the report with pt_run_report_unref(). Blocking; the engine thread.
 */
PtRunReport *pt_run (const PtJob *job, PtStepFunc progress, gpointer user_data,
                     GCancellable *cancellable, GError **error);

G_END_DECLS
