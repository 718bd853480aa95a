/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/run/run-job.h"

/** The JSON that pteris run --json prints for @job, or NULL. Free with g_free(). */
static inline char *
run_to_json (const PtJob *job, GError **error)
{
  g_autoptr (PtRunReport) report = pt_run (job, NULL, NULL, NULL, error);

  return report != NULL ? pt_run_report_to_json (report) : NULL;
}
