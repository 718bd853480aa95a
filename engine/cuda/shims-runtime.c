/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The functions of the CUDA runtime that libraries use (docs/formats/cuda.md, section 8.9),
 * implemented with the driver. Streams, events and error numbers are those of the driver.
 */

#include <string.h>

#include "engine/cuda/shims-private.h"

enum { COPY_HOST_TO_HOST = 0, COPY_HOST_TO_DEVICE = 1 };

/* Sets the last error of the thread, and notes the error with a reason. */
static int
result (PtCuResult code, const char *what)
{
  GError *error = NULL;

  if (G_LIKELY (code == PT_CU_SUCCESS))
    return 0;
  pt_shim_state.last_error = code;
  if (!pt_cuda_context_check (pt_shim_state.context, code, what, &error))
    pt_shim_refuse_error (error);
  return code;
}

/* Reports an error that has been noted already. */
static int
failed (PtCuResult code)
{
  pt_shim_state.last_error = code;
  return code;
}

/* The context of the current call, or NULL with a note. */
static PtCudaContext *
enter (const char *function)
{
  PtCudaContext *context = pt_shim_context (function);

  if (context == NULL)
    pt_shim_state.last_error = PT_CU_INVALID_CONTEXT;
  return context;
}

int
pt_cudaGetDevice (int *index)
{
  PtCudaContext *context = enter ("cudaGetDevice");

  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  *index = context->index;
  return 0;
}

int
pt_cudaSetDevice (int index)
{
  PtCudaContext *context = enter ("cudaSetDevice");

  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  if (index == context->index)
    return 0;
  pt_shim_note (PT_ERROR_UNSUPPORTED,
                "The model's library switches to GPU %d, but was loaded for GPU %d.", index,
                context->index);
  return failed (PT_CUDA_ERROR_INVALID_DEVICE);
}

int
pt_cudaGetLastError (void)
{
  PtCuResult code = pt_shim_state.last_error;

  pt_shim_state.last_error = PT_CU_SUCCESS;
  return code;
}

const char *
pt_cudaGetErrorString (int code)
{
  const PtCuda *cu = pt_shim_driver ();
  const char *text = NULL;

  if (code == 0)
    return "no error";
  if (cu != NULL && cu->cuGetErrorString != NULL && cu->cuGetErrorString (code, &text) == 0 &&
      text != NULL)
    return text;
  return "unknown error";
}

/*
 * Memory is allocated directly from the driver: libraries use cudaMalloc() for weights, which stay.
 */
int
pt_cudaMalloc (void **data, size_t size)
{
  PtCudaContext *context = enter ("cudaMalloc");
  GError *error = NULL;

  *data = NULL;
  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  *data = (void *) (guintptr) pt_cuda_context_allocate (context, size, &error);
  if (error != NULL) {
    pt_shim_refuse_error (error);
    return failed (PT_CU_OUT_OF_MEMORY);
  }
  if (pt_shim_state.record != NULL) {
    PtCuPointer block = (PtCuPointer) (guintptr) *data;

    g_array_append_val (pt_shim_state.record->blocks, block);
  }
  return 0;
}

/* One list for each container with adopted weights. */
static GArray *adopted; /* PtCuPointer */

void
pt_shim_adopt (PtCuPointer block)
{
  if (adopted == NULL)
    adopted = g_array_new (FALSE, FALSE, sizeof (PtCuPointer));
  g_array_append_val (adopted, block);
}

static gboolean
forget_adopted (PtCuPointer block)
{
  for (guint i = 0; adopted != NULL && i < adopted->len; i++)
    if (g_array_index (adopted, PtCuPointer, i) == block) {
      g_array_remove_index_fast (adopted, i);
      return TRUE;
    }
  return FALSE;
}

int
pt_cudaFree (void *data)
{
  PtCudaContext *context;

  if (data == NULL)
    return 0;
  context = enter ("cudaFree");
  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  if (forget_adopted ((PtCuPointer) (guintptr) data))
    return 0;
  return result (context->cu->cuMemFree ((PtCuPointer) (guintptr) data), "Freeing GPU memory");
}

static int
upload (void *to, const void *from, size_t size)
{
  GError *error = NULL;

  if (pt_cuda_upload_copy (pt_shim_state.upload, (PtCuPointer) (guintptr) to, from, size,
                           pt_shim_state.cancellable, &error))
    return 0;
  pt_shim_refuse_error (error);
  return failed (PT_CUDA_ERROR_OTHER);
}

/*
 * Runs on the context's stream, and is complete when the function returns, except for weights
 * during an upload (pt_shim_upload_begin()).
 */
int
pt_cudaMemcpy (void *to, const void *from, size_t size, int kind)
{
  PtCudaContext *context = enter ("cudaMemcpy");
  PtCuResult code;

  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  if (size == 0)
    return 0;
  if (kind == COPY_HOST_TO_HOST) {
    memmove (to, from, size);
    return 0;
  }
  if (kind == COPY_HOST_TO_DEVICE && pt_shim_state.upload != NULL)
    return upload (to, from, size);
  if (!pt_shim_may_wait (context, "cudaMemcpy"))
    return failed (PT_CUDA_ERROR_CAPTURE);
  code = context->cu->cuMemcpyAsync ((PtCuPointer) (guintptr) to, (PtCuPointer) (guintptr) from,
                                     size, context->stream);
  if (code == PT_CU_SUCCESS)
    code = context->cu->cuStreamSynchronize (context->stream);
  return result (code, "Copying for the model");
}

int
pt_cudaEventCreate (void **event)
{
  PtCudaContext *context = enter ("cudaEventCreate");

  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  return result (context->cu->cuEventCreate ((PtCuEvent *) event, PT_CU_EVENT_DISABLE_TIMING),
                 "Making an event");
}

int
pt_cudaEventDestroy (void *event)
{
  PtCudaContext *context = enter ("cudaEventDestroy");

  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  return result (context->cu->cuEventDestroy (event), "Deleting an event");
}

/* NULL, the default stream of the runtime, means the context's stream. */
int
pt_cudaEventRecord (void *event, void *stream)
{
  PtCudaContext *context = enter ("cudaEventRecord");

  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  return result (
      context->cu->cuEventRecord (event, stream != NULL ? (PtCuStream) stream : context->stream),
      "Recording an event");
}

int
pt_cudaEventQuery (void *event)
{
  PtCudaContext *context = enter ("cudaEventQuery");
  PtCuResult code;

  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  code = context->cu->cuEventQuery (event);
  return code == PT_CU_NOT_READY ? code : result (code, "Running the model on the GPU");
}

int
pt_cudaEventSynchronize (void *event)
{
  PtCudaContext *context = enter ("cudaEventSynchronize");

  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  if (!pt_shim_may_wait (context, "Waiting for the GPU"))
    return failed (PT_CUDA_ERROR_CAPTURE);
  return result (context->cu->cuEventSynchronize (event), "Running the model on the GPU");
}
