/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/isolation.h"

#include "engine/job-files.h"
#include "engine/runtime/backend.h"

static gboolean
plan_is_native (const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_delegates; i++) {
    const PtBackend *backend = pt_backend_find (plan->delegates[i].id);

    if (backend != NULL && !pt_backend_is_own (backend))
      return TRUE;
  }
  return FALSE;
}

static gboolean
program_is_native (PtModelSet *set, const char *path)
{
  PtProgram *program = path != NULL ? pt_model_set_program (set, path, NULL) : NULL;

  for (guint i = 0; program != NULL && i < pt_program_n_plans (program); i++)
    if (plan_is_native (pt_program_plan (program, i)))
      return TRUE;
  return FALSE;
}

/* The program, what serves it, and the other programs of the model. */
static gboolean
set_is_native (PtModelSet *set)
{
  if (program_is_native (set, set->program) || program_is_native (set, set->preprocessor) ||
      program_is_native (set, set->vad) || program_is_native (set, set->diarizer))
    return TRUE;
  for (guint i = 0; set->parts != NULL && i < set->parts->len; i++) {
    const PtSetPart *part = set->parts->pdata[i];

    if (program_is_native (set, part->path))
      return TRUE;
  }
  return FALSE;
}

gboolean
pt_job_is_native (const PtJob *job, PtModelSet **set)
{
  *set = NULL;
  /* A case.json names its program, which may be any. */
  if (job->model.path == NULL)
    return job->kind == PT_JOB_RUN && job->run.steps != NULL;
  *set = pt_job_search_files (job, NULL);
  return *set != NULL && set_is_native (*set);
}
