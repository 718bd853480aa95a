/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/shims-private.h"

static void
kernel_free (gpointer data)
{
  PtShimKernel *kernel = data;

  g_free (kernel->name);
  g_free (kernel->effects);
  g_free (kernel->pattern);
  g_free (kernel);
}

PtShimModules *
pt_shim_modules_new (void)
{
  PtShimModules *modules = g_new0 (PtShimModules, 1);

  modules->modules = g_hash_table_new (NULL, NULL);
  modules->kernels = g_hash_table_new_full (NULL, NULL, NULL, kernel_free);
  return modules;
}

void
pt_shim_modules_free (PtShimModules *modules, PtCudaContext *context)
{
  GHashTableIter iter;
  gpointer module;

  if (modules == NULL)
    return;
  g_hash_table_iter_init (&iter, modules->modules);
  while (g_hash_table_iter_next (&iter, &module, NULL))
    context->cu->cuModuleUnload (module);
  pt_cuda_context_free (context, modules->random);
  if (modules->replacements != NULL)
    pt_cuda_replacements_free (modules->replacements);
  g_hash_table_unref (modules->modules);
  g_hash_table_unref (modules->kernels);
  g_free (modules);
}

void
pt_shim_modules_add (PtShimModules *modules, gpointer function, gpointer module, const char *name)
{
  PtShimKernel *kernel = g_new0 (PtShimKernel, 1);

  kernel->name = g_strdup (name);
  kernel->image = g_hash_table_lookup (modules->modules, module);
  g_hash_table_replace (modules->kernels, function, kernel);
}

const char *
pt_shim_kernel_name (gconstpointer function)
{
  PtShimModules *modules = pt_shim_state.modules;
  PtShimKernel *kernel = modules != NULL ? g_hash_table_lookup (modules->kernels, function) : NULL;

  return kernel != NULL ? kernel->name : "of the model";
}

/* The code is unpacked and looked through once for everything that is asked about it. */
static void
analyse (PtShimKernel *kernel)
{
  g_autofree char *text = NULL;
  PtPtxAddresses addresses;
  PtKernelPattern pattern;
  gsize size = 0;

  kernel->effects = g_new0 (PtPtxEffects, 1);
  text = kernel->image != NULL ? pt_ptx_text (kernel->image, &size) : NULL;
  if (text == NULL)
    return;
  pt_ptx_addresses (text, size, kernel->name, &addresses);
  if (!pt_ptx_effects_of_addresses (&addresses, kernel->effects))
    pt_ptx_effects (text, size, kernel->name, kernel->effects);
  if (pt_kernel_pattern_find (text, &addresses, &pattern))
    kernel->pattern = g_memdup2 (&pattern, sizeof pattern);
}

const PtPtxEffects *
pt_shim_modules_effects (PtShimModules *modules, PtCuFunction function)
{
  PtShimKernel *kernel = g_hash_table_lookup (modules->kernels, function);

  if (kernel != NULL && kernel->effects == NULL)
    analyse (kernel);
  return kernel != NULL ? kernel->effects : NULL;
}

const PtKernelPattern *
pt_shim_modules_pattern (PtShimModules *modules, PtCuFunction function)
{
  PtShimKernel *kernel = g_hash_table_lookup (modules->kernels, function);

  if (kernel != NULL && kernel->effects == NULL)
    analyse (kernel);
  return kernel != NULL ? kernel->pattern : NULL;
}

PtCudaReplacements *
pt_shim_modules_replacements (PtShimModules *modules, PtCudaContext *context)
{
  if (modules->replacements == NULL)
    modules->replacements = pt_cuda_replacements_new (context);
  return modules->replacements;
}

guint
pt_shim_modules_count (const PtShimModules *modules)
{
  return g_hash_table_size (modules->modules);
}

void
pt_shim_modules_seed (PtShimModules *modules, guint64 seed)
{
  modules->seed = seed;
  modules->has_seed = TRUE;
  modules->is_seeded = FALSE;
}

/* Not during the capture of a graph: each replay would restart the sequence. */
static gboolean
start_random (PtCudaContext *context, PtShimModules *modules, GError **error)
{
  if (context->is_capturing)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The first random numbers of a model cannot be part of a CUDA graph.");
  if (modules->random == 0)
    modules->random = pt_cuda_context_allocate (context, PT_CUDA_RANDOM_STATE_SIZE, error);
  if (modules->random == 0)
    return FALSE;
  if (!modules->has_seed)
    modules->seed = (guint64) g_random_int () << 32 | g_random_int ();
  modules->is_seeded = pt_cuda_kernel_random_seed (context, modules->random, modules->seed, error);
  return modules->is_seeded;
}

PtCuPointer
pt_shim_random_state (PtCudaContext *context)
{
  PtShimModules *modules = pt_shim_state.modules;
  GError *error = NULL;

  if (modules == NULL) {
    pt_shim_note (PT_ERROR_STATE, "The model's random numbers have no state.");
    return 0;
  }
  if (modules->is_seeded || start_random (context, modules, &error))
    return modules->random;
  pt_shim_refuse_error (error);
  return 0;
}
