/* SPDX-License-Identifier: BSD-3-Clause */

#include "engine/job-files.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/runtime/backend.h"
#include "engine/tasks/models/backend-choice.h"
#include "engine/tasks/models/model-library.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/speak/speaker.h"

gboolean
pt_job_check_backend (PtBackendChoice choice, GError **error)
{
  const char *id = choice == PT_BACKEND_CUDA     ? "CudaBackend"
                   : choice == PT_BACKEND_VULKAN ? "VulkanBackend"
                                                 : "OpenvinoBackend";
  const PtBackend *backend = pt_backend_find (id);
  g_autoptr (GError) reason = NULL;

  if (choice == PT_BACKEND_AUTO || choice == PT_BACKEND_CPU)
    return TRUE;
  if (backend != NULL && (backend->is_available == NULL || backend->is_available (&reason)))
    return TRUE;
  return pt_fail (error, PT_ERROR_MISSING_BACKEND, "Models cannot run %s here: %s",
                  choice == PT_BACKEND_OPENVINO ? "with OpenVINO" : "on a GPU",
                  reason != NULL ? reason->message : "there is no such backend.");
}

/* The best variant of @set for our own code on the CPU, if another program was chosen; or NULL. */
static const char *
cpu_variant (const PtModelSet *set)
{
  const char *found = NULL;

  for (guint i = 0; i < set->variants->len; i++) {
    const PtModelVariant *variant = set->variants->pdata[i];

    if (variant->chosen && !variant->foreign)
      return NULL;
    if (found == NULL && !variant->foreign && variant->obstacle == NULL)
      found = variant->path;
  }
  return found;
}

char *
pt_job_choose_program (const PtJob *job, const char *program, const PtModelSet *set)
{
  char *cpu =
      job->model.backend == PT_BACKEND_CPU ? pt_backend_choice_find_cpu (program, NULL) : NULL;

  if (cpu == NULL && job->model.backend == PT_BACKEND_CPU && set != NULL)
    cpu = g_strdup (cpu_variant (set));
  return cpu != NULL ? cpu : g_strdup (program);
}

/* The search for the files of @job's model at @path; it refers to both. */
static PtModelQuery
query_of (const PtJob *job, const char *path)
{
  return (PtModelQuery){ .path = path,
                         .data = job->model.data,
                         .tokenizer = job->model.tokenizer,
                         .preprocessor = job->model.preprocessor,
                         .family = job->model.family,
                         .variant = job->model.variant,
                         .backend = job->model.backend,
                         /* The half of CLIP that does the job. */
                         .part = job->kind == PT_JOB_EMBED ? "text" : "image",
                         .size = job->kind == PT_JOB_LOOK || job->kind == PT_JOB_LOAD
                                     ? job->vision.size
                                     : 0,
                         .language = pt_speaker_asked_language (job) };
}

PtModelSet *
pt_job_search_files (const PtJob *job, GError **error)
{
  g_autofree char *path = NULL;
  PtModelQuery query;

  if (job->model.path == NULL) {
    pt_fail (error, PT_ERROR_ARGUMENT, "No model was given. Choose a model.");
    return NULL;
  }
  path = pt_library_find (job->model.path, NULL, error);
  if (path == NULL)
    return NULL;
  query = query_of (job, path);
  return pt_model_set_search (&query, error);
}

PtModelSet *
pt_job_find_files (const PtJob *job, PtModelSet *searched, GError **error)
{
  g_autoptr (PtModelSet) set = searched != NULL ? searched : pt_job_search_files (job, error);
  g_autofree char *program = NULL;

  if (set == NULL)
    return NULL;
  program = pt_job_choose_program (job, set->program, set);
  if (strcmp (program, set->program) == 0)
    return g_steal_pointer (&set);
  return pt_model_set_find (program, job->model.data, job->model.tokenizer, job->model.preprocessor,
                            job->model.family, error);
}

char *
pt_job_find_program (const PtModelOptions *model, PtModelSet **set, GError **error)
{
  g_autofree char *path = NULL;
  PtModelQuery query;

  *set = NULL;
  if (model->path == NULL) {
    pt_fail (error, PT_ERROR_ARGUMENT, "No model was given. Choose a model.");
    return NULL;
  }
  path = pt_library_find (model->path, NULL, error);
  if (path == NULL || (model->variant == NULL && !g_file_test (path, G_FILE_TEST_IS_DIR)))
    return g_steal_pointer (&path);
  query = (PtModelQuery){ .path = path, .variant = model->variant, .backend = model->backend };
  *set = pt_model_set_search (&query, error);
  return *set != NULL ? g_strdup ((*set)->program) : NULL;
}

/* Whether another machine, or the CPU, could run the job. */
static gboolean
concerns_machine (PtError code)
{
  switch (code) {
  case PT_ERROR_MISSING_BACKEND:
  case PT_ERROR_MISSING_OPERATOR:
  case PT_ERROR_UNSUPPORTED:
  case PT_ERROR_UNTRUSTED:
  case PT_ERROR_DELEGATE:
  case PT_ERROR_GPU:
  case PT_ERROR_HOST:
  case PT_ERROR_MEMORY: return TRUE;
  default: return FALSE;
  }
}

/* The best variant for our own code on the CPU of @job's model, which is at @path, or NULL. */
static char *
find_own_variant (const PtJob *job, const char *path)
{
  g_autoptr (PtModelSet) set = NULL;
  PtJob cpu = *job;

  cpu.model.path = path;
  cpu.model.variant = NULL;
  cpu.model.backend = PT_BACKEND_CPU;
  set = pt_job_search_files (&cpu, NULL);
  for (guint i = 0; set != NULL && i < set->variants->len; i++) {
    const PtModelVariant *variant = set->variants->pdata[i];

    if (!variant->foreign && variant->obstacle == NULL)
      return g_strdup (variant->path);
  }
  return NULL;
}

/*
 * The same model's program that our own code computes on the CPU, instead of @program, or NULL.
 * @only_gpu: NULL, too, if @program computes on no GPU.
 */
static char *
find_for_cpu (const PtJob *job, const char *program, gboolean only_gpu)
{
  gboolean on_gpu;
  char *found = pt_backend_choice_find_cpu (program, &on_gpu);

  if (!on_gpu && only_gpu)
    g_clear_pointer (&found, g_free);
  if (found != NULL || !on_gpu)
    return found;
  found = find_own_variant (job, job->model.path);
  return found != NULL ? found : find_own_variant (job, program);
}

char *
pt_job_find_alternative (const PtJob *job, PtError code)
{
  g_autoptr (PtModelSet) found = NULL;
  g_autofree char *program = NULL;

  if (job->model.path == NULL || job->model.backend == PT_BACKEND_CPU || !concerns_machine (code) ||
      (job->kind != PT_JOB_LOAD && job->kind != PT_JOB_CHAT && job->kind != PT_JOB_TRANSCRIBE &&
       job->kind != PT_JOB_RUN && job->kind != PT_JOB_BENCH && job->kind != PT_JOB_LOOK))
    return NULL;
  program = pt_job_find_program (&job->model, &found, NULL);
  return program != NULL ? find_for_cpu (job, program, FALSE) : NULL;
}

/* Whether the process of a model ended because of the code in it or of the GPU's driver. */
static gboolean
driver_ended (const PtHostExit *exit)
{
  switch (exit->kind) {
  case PT_HOST_EXIT_START:
  case PT_HOST_EXIT_KILLED:
  case PT_HOST_EXIT_PROTOCOL: return FALSE;
  default: return TRUE;
  }
}

static gboolean
concerns_gpu (const PtEvent *last)
{
  switch (last->code) {
  case PT_ERROR_MISSING_BACKEND:
  case PT_ERROR_MEMORY:
  case PT_ERROR_GPU: return TRUE;
  case PT_ERROR_HOST: return last->host != NULL && driver_ended (last->host);
  default: return FALSE;
  }
}

/* Whether a job of @kind may be done a second time. */
static gboolean
can_repeat (PtJobKind kind)
{
  switch (kind) {
  case PT_JOB_LOAD:
  case PT_JOB_CHAT:
  case PT_JOB_TRANSCRIBE:
  case PT_JOB_CLASSIFY:
  case PT_JOB_EMBED:
  case PT_JOB_PRIVACY:
  case PT_JOB_LOOK: return TRUE;
  default: return FALSE;
  }
}

char *
pt_job_find_fallback (const PtJob *job, PtJobKind kind, const PtEvent *last)
{
  g_autoptr (PtModelSet) found = NULL;
  g_autofree char *program = NULL;

  if (job->model.path == NULL || job->model.backend != PT_BACKEND_AUTO || job->keep_device ||
      !concerns_gpu (last) || !can_repeat (kind))
    return NULL;
  program = pt_job_find_program (&job->model, &found, NULL);
  return program != NULL ? find_for_cpu (job, program, TRUE) : NULL;
}
