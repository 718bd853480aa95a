/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-device.h"

#include "engine/base/set-error.h"
#include "engine/cuda/context.h"
#include "engine/cuda/cuda-sampling.h"
#include "engine/runtime/device.h"

static PtCuPointer
address (gconstpointer data)
{
  return (PtCuPointer) (gsize) data;
}

static gboolean
is_available (GError **error)
{
  return pt_cuda_driver (error) != NULL;
}

/* The context that memory of device @index keeps alive, made current on this thread. */
static PtCudaContext *
enter (int index, GError **error)
{
  PtCudaContext *context = pt_cuda_context_find (index);

  if (context == NULL) {
    pt_fail (error, PT_ERROR_STATE, "There is no memory on the device cuda:%d.", index);
    return NULL;
  }
  return pt_cuda_context_enter (context, error) ? context : NULL;
}

static gboolean
clear (int index, gpointer data, gsize size, GError **error)
{
  PtCudaContext *context;

  if (size == 0)
    return TRUE;
  context = enter (index, error);
  return context != NULL &&
         pt_cuda_context_check (
             context, context->cu->cuMemsetD8Async (address (data), 0, size, context->stream),
             "Clearing memory of the GPU", error);
}

static gpointer
allocate (int index, gsize size, GError **error)
{
  PtCudaContext *context = pt_cuda_context_ref (index, error);
  PtCuPointer pointer;

  if (context == NULL)
    return NULL;
  /* Memory of size 0 needs an address that can be freed. */
  pointer = pt_cuda_context_allocate (context, MAX (size, 1), error);
  if (pointer != 0 && clear (index, (gpointer) (gsize) pointer, size, error))
    return (gpointer) (gsize) pointer;
  pt_cuda_context_free (context, pointer);
  pt_cuda_context_unref (context);
  return NULL;
}

static void
free_memory (int index, gpointer data)
{
  PtCudaContext *context = pt_cuda_context_find (index);

  if (data == NULL)
    return;
  g_return_if_fail (context != NULL);
  pt_cuda_context_enter (context, NULL);
  pt_cuda_context_free (context, address (data));
  pt_cuda_context_unref (context);
}

/* @from is pageable memory: the driver has read it when the call returns. */
static gboolean
copy_to_device (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  PtCudaContext *context;

  if (size == 0)
    return TRUE;
  context = enter (index, error);
  return context != NULL &&
         pt_cuda_context_check (
             context, context->cu->cuMemcpyHtoDAsync (address (to), from, size, context->stream),
             "Copying to the GPU", error);
}

static gboolean
copy_to_host (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  PtCudaContext *context;

  if (size == 0)
    return TRUE;
  context = enter (index, error);
  return context != NULL &&
         pt_cuda_context_check (
             context, context->cu->cuMemcpyDtoHAsync (to, address (from), size, context->stream),
             "Copying from the GPU", error) &&
         pt_cuda_context_synchronize (context, error);
}

static gboolean
copy (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  PtCudaContext *context;

  if (size == 0)
    return TRUE;
  context = enter (index, error);
  return context != NULL &&
         pt_cuda_context_check (
             context,
             context->cu->cuMemcpyDtoDAsync (address (to), address (from), size, context->stream),
             "Copying on the GPU", error);
}

static gboolean
synchronize (int index, GError **error)
{
  PtCudaContext *context = pt_cuda_context_find (index);

  return context == NULL ||
         (pt_cuda_context_enter (context, error) && pt_cuda_context_synchronize (context, error));
}

/* This build has no kernel for it, so the host chooses. */
static gboolean
sample (int index, const PtDeviceSampling *how, gconstpointer logits, PtDType dtype, gsize width,
        gpointer next_id, gpointer next_position, GError **error)
{
  PtCudaContext *context = enter (index, error);
  g_autoptr (GError) reason = NULL;

  if (context == NULL)
    return FALSE;
  if (pt_cuda_sample (context, how, logits, dtype, width, next_id, next_position, &reason))
    return TRUE;
  if (g_error_matches (reason, PT_ERROR, PT_ERROR_MISSING_OPERATOR))
    reason->code = PT_ERROR_UNSUPPORTED;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

static gboolean
take_sample (int index, gint32 *id, GError **error)
{
  PtCudaContext *context = enter (index, error);

  return context != NULL && pt_cuda_take_sample (context, id, error);
}

static const char *
name (int index)
{
  const PtCudaContext *context = pt_cuda_context_find (index);
  const PtCuda *cu = pt_cuda_driver (NULL);
  static _Thread_local char text[sizeof context->name];
  PtCuDevice which;

  if (context != NULL)
    return context->name;
  if (cu == NULL || cu->cuDeviceGetName == NULL || cu->cuDeviceGet (&which, index) != 0 ||
      cu->cuDeviceGetName (text, sizeof text - 1, which) != 0)
    return "NVIDIA GPU";
  return text;
}

static const PtDevice device = {
  .type = PT_DEVICE_CUDA,
  .is_available = is_available,
  .name = name,
  .allocate = allocate,
  .free = free_memory,
  .clear = clear,
  .copy_to_device = copy_to_device,
  .copy_to_host = copy_to_host,
  .copy = copy,
  .synchronize = synchronize,
  .sample = sample,
  .take_sample = take_sample,
};

void
pt_cuda_device_register (void)
{
  pt_device_register (&device);
}
