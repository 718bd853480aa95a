/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/backend-choice.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/device.h"
#include "engine/tasks/models/model-set.h"

/* The first delegate of @program that @holds is true of, or NULL. */
static const PtDelegateSpec *
find_delegate (const PtProgram *program,
               gboolean (*holds) (const PtDelegateSpec *spec, const PtBackend *backend))
{
  for (guint p = 0; p < pt_program_n_plans (program); p++) {
    const PtPlan *plan = pt_program_plan (program, p);

    for (guint d = 0; d < plan->n_delegates; d++)
      if (holds (&plan->delegates[d], pt_backend_find (plan->delegates[d].id)))
        return &plan->delegates[d];
  }
  return NULL;
}

/* What runs on the CPU with our own code alone has none. */
static gboolean
is_not_own (const PtDelegateSpec *spec, const PtBackend *backend)
{
  return backend == NULL || !pt_backend_is_own (backend);
}

static gboolean
is_foreign (const PtDelegateSpec *spec, const PtBackend *backend)
{
  return backend != NULL && !pt_backend_is_own (backend);
}

static gboolean
is_on_gpu (const PtDelegateSpec *spec, const PtBackend *backend)
{
  return backend != NULL && backend->device_type != PT_DEVICE_CPU;
}

static gboolean
is_vulkan (const PtDelegateSpec *spec, const PtBackend *backend)
{
  return strcmp (spec->id, "VulkanBackend") == 0;
}

static gboolean
is_openvino (const PtDelegateSpec *spec, const PtBackend *backend)
{
  return strcmp (spec->id, "OpenvinoBackend") == 0;
}

/* OpenVINO runs some programs on the CPU. */
static gboolean
is_not_on_cpu (const PtDelegateSpec *spec, const PtBackend *backend)
{
  gboolean is_cpu = TRUE;

  if (backend == NULL || backend->name_device == NULL)
    return is_on_gpu (spec, backend);
  backend->name_device (spec, &is_cpu);
  return !is_cpu;
}

static gboolean
is_known_gpu (const PtDelegateSpec *spec, const PtBackend *backend)
{
  return backend != NULL && !pt_backend_is_own (backend) && is_not_on_cpu (spec, backend);
}

char *
pt_backend_choice_find_cpu (const char *path, gboolean *on_gpu)
{
  g_autoptr (PtProgram) program = pt_program_open (path, NULL);
  g_autoptr (GPtrArray) others = NULL;

  if (on_gpu != NULL)
    *on_gpu = program != NULL && find_delegate (program, is_known_gpu) != NULL;
  if (program == NULL || find_delegate (program, is_not_own) == NULL)
    return NULL;
  others = pt_model_cpu_variants (path);
  for (guint i = 0; i < others->len; i++) {
    g_autoptr (PtProgram) other = pt_program_open (others->pdata[i], NULL);

    if (other != NULL && find_delegate (other, is_not_own) == NULL &&
        pt_family_of (other, NULL) == pt_family_of (program, NULL))
      return g_strdup (others->pdata[i]);
  }
  return NULL;
}

static gboolean
fail_missing (const char *name, const PtDelegateSpec *spec, const GError *reason, GError **error)
{
  if (is_openvino (spec, NULL))
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "“%s” runs with OpenVINO: %s Or use a model that was exported for the CPU "
                    "(XNNPACK).",
                    name, reason->message);
  if (is_vulkan (spec, NULL))
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "“%s” needs a GPU with Vulkan, and there is none to use here: %s Or use a "
                    "model that was exported for the CPU.",
                    name, reason->message);
  return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                  "“%s” needs an NVIDIA GPU, and there is none to use here: %s Use a model that "
                  "was exported for the CPU.",
                  name, reason->message);
}

/* What a program of the wrong kind was exported for. */
static const char *
made_for (const PtProgram *program)
{
  if (find_delegate (program, is_openvino) != NULL)
    return "OpenVINO";
  if (find_delegate (program, is_vulkan) != NULL)
    return "GPUs with Vulkan";
  return find_delegate (program, is_on_gpu) != NULL ? "NVIDIA GPUs" : "the CPU";
}

static gboolean
check_kind (PtBackendChoice choice, const PtProgram *program, const char *name, GError **error)
{
  if (choice == PT_BACKEND_CPU && find_delegate (program, is_not_on_cpu) != NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“%s” was exported for %s and cannot run on the CPU. Use a model that was "
                    "exported for the CPU.",
                    name,
                    find_delegate (program, is_openvino) != NULL ? "a GPU or an NPU with OpenVINO"
                                                                 : made_for (program));
  if (choice == PT_BACKEND_CUDA && find_delegate (program, is_on_gpu) == NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“%s” was exported for %s and cannot run on an NVIDIA GPU. Use a model that "
                    "was exported for CUDA.",
                    name, made_for (program));
  if (choice == PT_BACKEND_OPENVINO && find_delegate (program, is_openvino) == NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“%s” was exported for %s and cannot run with OpenVINO. Use a model that was "
                    "exported for OpenVINO.",
                    name, made_for (program));
  if (choice == PT_BACKEND_VULKAN && find_delegate (program, is_vulkan) == NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“%s” was exported for %s and cannot run on a GPU through Vulkan. Use a model "
                    "that was exported for Vulkan.",
                    name, made_for (program));
  return TRUE;
}

gboolean
pt_backend_choice_check (PtBackendChoice choice, const PtProgram *program, GError **error)
{
  const PtDelegateSpec *spec = find_delegate (program, is_foreign);
  const PtBackend *backend = spec != NULL ? pt_backend_find (spec->id) : NULL;
  g_autofree char *name = g_filename_display_basename (pt_program_path (program));
  g_autoptr (GError) reason = NULL;

  if (!check_kind (choice, program, name, error))
    return FALSE;
  if (backend != NULL && backend->is_available != NULL && !backend->is_available (&reason))
    return fail_missing (name, spec, reason, error);
  return TRUE;
}

const char *
pt_backend_choice_foreign_name (const PtProgram *program, int device)
{
  const PtDelegateSpec *spec = find_delegate (program, is_foreign);
  const PtBackend *backend = spec != NULL ? pt_backend_find (spec->id) : NULL;
  const PtDevice *memory;
  gboolean is_cpu;

  if (backend == NULL)
    return NULL;
  if (backend->name_device != NULL)
    return backend->name_device (spec, &is_cpu);
  memory = pt_device_find (backend->device_type);
  return memory != NULL && memory->name != NULL ? memory->name (device) : "GPU";
}

const char *
pt_backend_choice_device_name (const PtProgram *program, int device)
{
  const char *name = pt_backend_choice_foreign_name (program, device);

  return name != NULL ? name : "CPU";
}
