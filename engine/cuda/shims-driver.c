/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Functions of the driver that libraries call (docs/formats/cuda.md, section 8.10). Libraries load
 * each kernel at its first launch, and those of ExecuTorch 1.2 never unload them. These functions
 * record what is loaded, so that the GPU memory is freed with the model. The library gets errors of
 * the driver as numbers; these functions add the kernel's name and a reason.
 */

#include "engine/cuda/shims-private.h"

/* Returns @code; the first code that is not 0 is noted with the name of the kernel @function. */
static int
pass (PtCuResult code, const void *function, const char *doing)
{
  g_autofree char *what = g_strdup_printf ("%s %s", doing, pt_shim_kernel_name (function));
  GError *error = NULL;

  if (pt_shim_state.context == NULL)
    return code;
  pt_cuda_context_check (pt_shim_state.context, code, what, &error);
  pt_shim_refuse_error (error);
  return code;
}

int
pt_cuModuleLoadData (void **module, const void *image)
{
  const PtCuda *cu = pt_shim_driver ();
  PtCuResult code =
      cu != NULL ? cu->cuModuleLoadData ((PtCuModule *) module, image) : PT_CU_NOT_INITIALIZED;

  if (code != PT_CU_SUCCESS)
    return pass (code, NULL, "Loading the GPU code");
  if (pt_shim_state.modules != NULL)
    g_hash_table_replace (pt_shim_state.modules->modules, *module, (gpointer) image);
  return code;
}

int
pt_cuModuleUnload (void *module)
{
  const PtCuda *cu = pt_shim_driver ();

  if (pt_shim_state.modules != NULL)
    g_hash_table_remove (pt_shim_state.modules->modules, module);
  return cu != NULL ? cu->cuModuleUnload (module) : PT_CU_NOT_INITIALIZED;
}

int
pt_cuModuleGetFunction (void **function, void *module, const char *name)
{
  const PtCuda *cu = pt_shim_driver ();
  PtCuResult code = cu != NULL ? cu->cuModuleGetFunction ((PtCuFunction *) function, module, name)
                               : PT_CU_NOT_INITIALIZED;

  if (code != PT_CU_SUCCESS)
    return pass (code, NULL, "Finding a kernel");
  if (pt_shim_state.modules != NULL)
    pt_shim_modules_add (pt_shim_state.modules, *function, module, name);
  return code;
}

/* Notes an error when a kernel was tuned for a GPU with more shared memory. */
static void
note_shared_memory (const void *function, int bytes)
{
  PtCudaContext *context = pt_shim_state.context;

  if (context != NULL && bytes > 0 && (gsize) bytes > context->shared_per_block)
    pt_shim_note (PT_ERROR_UNSUPPORTED,
                  "Kernel %s needs %d KB of shared memory per block; this GPU offers %d KB. The "
                  "model was tuned for a larger GPU.",
                  pt_shim_kernel_name (function), (bytes + 1023) / 1024,
                  (int) (context->shared_per_block / 1024));
}

int
pt_cuFuncSetAttribute (void *function, int attribute, int value)
{
  const PtCuda *cu = pt_shim_driver ();
  PtCuResult code =
      cu != NULL ? cu->cuFuncSetAttribute (function, attribute, value) : PT_CU_NOT_INITIALIZED;

  if (code == PT_CU_SUCCESS)
    return code;
  if (attribute == PT_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    note_shared_memory (function, value);
  return pass (code, function, "Preparing kernel");
}

/* The replacements of this call, or NULL. */
static PtCudaReplacements *
active_replacements (void)
{
  PtShimModules *modules = pt_shim_state.modules;

  if (modules == NULL || modules->replacements == NULL ||
      !pt_cuda_replacements_are_active (modules->replacements))
    return NULL;
  return modules->replacements;
}

static PtCuResult
launch_watched (const PtCuda *cu, PtCudaReplacements *replacements, PtCudaLaunch *launch,
                void *stream)
{
  PtCuResult code;

  launch->effects = pt_shim_modules_effects (pt_shim_state.modules, launch->function);
  launch->pattern = pt_shim_modules_pattern (pt_shim_state.modules, launch->function);
  if (pt_cuda_replacements_take (replacements, launch))
    return PT_CU_SUCCESS;
  code = cu->cuLaunchKernel (launch->function, launch->grid[0], launch->grid[1], launch->grid[2],
                             launch->block[0], launch->block[1], launch->block[2],
                             launch->shared_bytes, stream, launch->arguments, NULL);
  if (code == PT_CU_SUCCESS)
    pt_cuda_replacements_note (replacements, launch);
  return code;
}

int
pt_cuLaunchKernel (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **arguments, void **extra)
{
  const PtCuda *cu = pt_shim_driver ();
  PtCudaReplacements *replacements = active_replacements ();
  PtCuResult code = PT_CU_NOT_INITIALIZED;

  if (G_UNLIKELY (replacements != NULL && cu != NULL && arguments != NULL && extra == NULL)) {
    PtCudaLaunch launch = { function,
                            { grid_x, grid_y, grid_z },
                            { block_x, block_y, block_z },
                            shared_bytes,
                            arguments,
                            NULL,
                            NULL };

    code = launch_watched (cu, replacements, &launch, stream);
  } else if (G_LIKELY (cu != NULL))
    code = cu->cuLaunchKernel (function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                               shared_bytes, stream, arguments, extra);
  return G_LIKELY (code == PT_CU_SUCCESS) ? code : pass (code, function, "Starting kernel");
}
