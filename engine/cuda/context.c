/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/context.h"

#include "engine/base/set-error.h"
#include "engine/cuda/shim-tensor.h"

#define MOST_DEVICES 64

/* The contexts of this thread that are in use, by device. */
static _Thread_local PtCudaContext *contexts[MOST_DEVICES];

static gboolean
fail_dead (const PtCudaContext *context, GError **error)
{
  return pt_cuda_check (context->fatal, "An earlier program on the GPU", error);
}

/* ---- Creation ---- */

static guint
read_attribute (const PtCudaContext *context, int attribute)
{
  int value = 0;

  if (context->cu->cuDeviceGetAttribute (&value, attribute, context->device) != PT_CU_SUCCESS)
    return 0;
  return (guint) MAX (value, 0);
}

static gboolean
find_device (PtCudaContext *context, GError **error)
{
  const PtCuda *cu = context->cu;
  int n = 0;

  if (!pt_cuda_check (cu->cuDeviceGetCount (&n), "Counting the GPUs", error))
    return FALSE;
  if (context->index >= n)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "There is no GPU %d: this computer has %d, numbered from 0.", context->index,
                    n);
  if (!pt_cuda_check (cu->cuDeviceGet (&context->device, context->index), "Finding the GPU", error))
    return FALSE;
  context->driver_version = pt_cuda_driver_version ();
  context->capability = read_attribute (context, PT_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                        read_attribute (context, PT_CU_DEVICE_COMPUTE_CAPABILITY_MINOR);
  context->n_multiprocessors = read_attribute (context, PT_CU_DEVICE_MULTIPROCESSOR_COUNT);
  context->shared_per_block =
      read_attribute (context, PT_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (context->shared_per_block == 0)
    context->shared_per_block = read_attribute (context, PT_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK);
  if (cu->cuDeviceGetName == NULL ||
      cu->cuDeviceGetName (context->name, sizeof context->name, context->device) != PT_CU_SUCCESS)
    g_strlcpy (context->name, "NVIDIA GPU", sizeof context->name);
  context->name[sizeof context->name - 1] = 0;
  return TRUE;
}

static gboolean
start (PtCudaContext *context, GError **error)
{
  const PtCuda *cu = context->cu;

  if (!find_device (context, error) ||
      !pt_cuda_check (cu->cuDevicePrimaryCtxRetain (&context->context, context->device),
                      "Starting the GPU", error))
    return FALSE;
  if (!pt_cuda_check (cu->cuCtxSetCurrent (context->context), "Starting the GPU", error) ||
      !pt_cuda_check (cu->cuStreamCreate (&context->stream, PT_CU_STREAM_NON_BLOCKING),
                      "Starting the GPU", error))
    return FALSE;
  context->tensors = context->pool = pt_cuda_pool_new (cu);
  return TRUE;
}

/* Also called for a context that did not start or is dead; the driver's results are ignored. */
static void
stop (PtCudaContext *context)
{
  const PtCuda *cu = context->cu;

  if (context->context != NULL)
    cu->cuCtxSetCurrent (context->context);
  if (context->stream != NULL)
    cu->cuStreamSynchronize (context->stream);
  if (context->sampling != NULL)
    context->free_sampling (context->sampling);
  if (context->kernels != NULL)
    context->free_kernels (context->kernels);
  if (context->tensors != NULL)
    pt_cuda_pool_free (context->tensors);
  if (context->stream != NULL)
    cu->cuStreamDestroy (context->stream);
  if (context->context != NULL) {
    cu->cuCtxSetCurrent (NULL);
    cu->cuDevicePrimaryCtxRelease (context->device);
  }
  g_free (context);
}

PtCudaContext *
pt_cuda_context_ref (int index, GError **error)
{
  const PtCuda *cu = pt_cuda_driver (error);
  PtCudaContext *context;

  if (cu == NULL)
    return NULL;
  if (index < -1 || index >= MOST_DEVICES) {
    pt_fail (error, PT_ERROR_ARGUMENT, "There is no GPU cuda:%d.", index);
    return NULL;
  }
  index = MAX (index, 0);
  context = contexts[index];
  if (context == NULL) {
    context = g_new0 (PtCudaContext, 1);
    context->cu = cu;
    context->index = index;
    if (!start (context, error)) {
      stop (context);
      return NULL;
    }
    contexts[index] = context;
  } else if (!pt_cuda_context_enter (context, error)) {
    return NULL;
  }
  context->n_references++;
  return context;
}

PtCudaContext *
pt_cuda_context_find (int index)
{
  index = MAX (index, 0);
  return index < MOST_DEVICES ? contexts[index] : NULL;
}

void
pt_cuda_context_unref (PtCudaContext *context)
{
  g_return_if_fail (context->n_references > 0);
  if (--context->n_references > 0)
    return;
  contexts[context->index] = NULL;
  stop (context);
  pt_shim_tensor_trim ();
}

/* ---- Use ---- */

gboolean
pt_cuda_context_check (PtCudaContext *context, PtCuResult code, const char *what, GError **error)
{
  if (G_LIKELY (code == PT_CU_SUCCESS))
    return TRUE;
  if (context->fatal == 0 && pt_cuda_is_fatal (code))
    context->fatal = code;
  return pt_cuda_check (code, what, error);
}

gboolean
pt_cuda_context_enter (PtCudaContext *context, GError **error)
{
  if (context->fatal != 0)
    return fail_dead (context, error);
  return pt_cuda_context_check (context, context->cu->cuCtxSetCurrent (context->context),
                                "Using the GPU", error);
}

gboolean
pt_cuda_context_synchronize (PtCudaContext *context, GError **error)
{
  if (context->fatal != 0)
    return fail_dead (context, error);
  if (context->is_capturing)
    return pt_fail (error, PT_ERROR_STATE,
                    "Nothing can be waited for while a CUDA graph is recorded.");
  return pt_cuda_context_check (context, context->cu->cuStreamSynchronize (context->stream),
                                "Running on the GPU", error);
}

PtCuPointer
pt_cuda_context_allocate (PtCudaContext *context, gsize size, GError **error)
{
  const PtCuda *cu = context->cu;
  PtCuPointer pointer = 0;
  PtCuResult code;

  if (size == 0)
    return 0;
  code = cu->cuMemAlloc (&pointer, size);
  if (code == PT_CU_OUT_OF_MEMORY && !context->is_capturing) {
    pt_cuda_pool_trim (context->tensors, context->stream);
    code = cu->cuMemAlloc (&pointer, size);
  }
  if (code == PT_CU_OUT_OF_MEMORY) {
    pt_cuda_fail_memory ("Taking memory", size, error);
    return 0;
  }
  return pt_cuda_context_check (context, code, "Taking memory", error) ? pointer : 0;
}

void
pt_cuda_context_free (PtCudaContext *context, PtCuPointer pointer)
{
  if (pointer != 0)
    context->cu->cuMemFree (pointer);
}

gboolean
pt_cuda_context_memory (PtCudaContext *context, gsize *unused, gsize *total, GError **error)
{
  return pt_cuda_context_check (context, context->cu->cuMemGetInfo (unused, total),
                                "Querying GPU memory", error);
}

gboolean
pt_cuda_context_is_device (PtCudaContext *context, gconstpointer pointer)
{
  guint type = 0; /* the driver does not know the pointer: it is host memory */

  if (pointer == NULL)
    return FALSE;
  if (context->cu->cuPointerGetAttribute (&type, PT_CU_POINTER_MEMORY_TYPE,
                                          (PtCuPointer) (gsize) pointer) != PT_CU_SUCCESS)
    return FALSE;
  return type == PT_CU_MEMORY_DEVICE || type == PT_CU_MEMORY_UNIFIED;
}
