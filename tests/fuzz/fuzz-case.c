/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/run-job.h"
#include "tests/fuzz/fuzz.h"

/* A case.json for a small program: steps with inputs and expected outputs. */

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *model = fuzz_data_path ("tiny/add_f32/model.pte");
  g_autoptr (PtRunReport) report = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  GError *error = NULL;

  job.model.path = model;
  job.run.steps = fuzz_file (data, size);
  report = pt_run (&job, NULL, NULL, NULL, &error);
  if (report == NULL)
    fuzz_check_error (error);
  else {
    g_autofree char *json = pt_run_report_to_json (report);

    g_assert (g_utf8_validate (json, -1, NULL));
  }
  return 0;
}
