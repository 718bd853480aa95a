/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/backend-choice.h"

#include "engine/base/set-error.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/device.h"
#include "engine/tasks/models/model-set.h"

/* The first backend of @program that computes on a device, or NULL. */
static const PtBackend *
find_device_backend (const PtProgram *program)
{
  guint p, d;

  for (p = 0; p < pt_program_n_plans (program); p++) {
    const PtPlan *plan = pt_program_plan (program, p);

    for (d = 0; d < plan->n_delegates; d++) {
      const PtBackend *backend = pt_backend_find (plan->delegates[d].id);

      if (backend != NULL && backend->device_type != PT_DEVICE_CPU)
        return backend;
    }
  }
  return NULL;
}

char *
pt_backend_choice_find_cpu (const char *path)
{
  g_autoptr (PtProgram) program = pt_program_open (path, NULL);
  g_autoptr (GPtrArray) others = NULL;

  if (program == NULL || find_device_backend (program) == NULL)
    return NULL;
  others = pt_model_cpu_variants (path);
  for (guint i = 0; i < others->len; i++) {
    g_autoptr (PtProgram) other = pt_program_open (others->pdata[i], NULL);

    if (other != NULL && find_device_backend (other) == NULL &&
        pt_family_of (other, NULL) == pt_family_of (program, NULL))
      return g_strdup (others->pdata[i]);
  }
  return NULL;
}

static gboolean
fail_missing_gpu (const char *name, const GError *reason, GError **error)
{
  return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                  "“%s” needs an NVIDIA GPU, and there is none to use here: %s Use a model that "
                  "was exported for the CPU.",
                  name, reason->message);
}

gboolean
pt_backend_choice_check (PtBackendChoice choice, const PtProgram *program, GError **error)
{
  const PtBackend *backend = find_device_backend (program);
  g_autofree char *name = g_filename_display_basename (pt_program_path (program));
  g_autoptr (GError) reason = NULL;

  if (choice == PT_BACKEND_CPU && backend != NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“%s” was exported for NVIDIA GPUs and cannot run on the CPU. Use a model that "
                    "was exported for the CPU.",
                    name);
  if (choice == PT_BACKEND_CUDA && backend == NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“%s” was exported for the CPU and cannot run on a GPU. Use a model that was "
                    "exported for CUDA.",
                    name);
  if (backend != NULL && backend->is_available != NULL && !backend->is_available (&reason))
    return fail_missing_gpu (name, reason, error);
  return TRUE;
}

const char *
pt_backend_choice_gpu_name (const PtProgram *program, int device)
{
  const PtBackend *backend = find_device_backend (program);
  const PtDevice *memory = backend != NULL ? pt_device_find (backend->device_type) : NULL;

  if (backend == NULL)
    return NULL;
  return memory != NULL && memory->name != NULL ? memory->name (device) : "GPU";
}

const char *
pt_backend_choice_device_name (const PtProgram *program, int device)
{
  const char *gpu = pt_backend_choice_gpu_name (program, device);

  return gpu != NULL ? gpu : "CPU";
}
