/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Streams and devices (docs/formats/cuda.md, section 8.7). A context has one device and one stream,
 * which orders all memory use. Therefore guards have nothing to set or restore: they only check
 * that the library means this device and stream.
 */

#include "engine/cuda/shims-private.h"

/* Every guard is the address of this variable; any non-NULL address would do. */
static char guard_mark;

static gboolean
check_index (gint32 index)
{
  PtCudaContext *context = pt_shim_context ("a device function");

  if (context == NULL)
    return FALSE;
  if (index == -1 || index == context->index)
    return TRUE;
  pt_shim_note (PT_ERROR_UNSUPPORTED,
                "The model's library switches to GPU %d, but was loaded for GPU %d.", index,
                context->index);
  return FALSE;
}

int32_t
pt_aoti_torch_create_cuda_stream_guard (void *stream, int32_t device_index, PtShimGuard *out)
{
  if (!check_index (device_index))
    return 1;
  if (stream != NULL && stream != pt_shim_state.context->stream)
    return pt_shim_refuse (PT_ERROR_UNSUPPORTED, "The model's library uses a stream of its own.");
  *out = &guard_mark;
  return 0;
}

int32_t
pt_aoti_torch_delete_cuda_stream_guard (PtShimGuard guard)
{
  return 0;
}

int32_t
pt_aoti_torch_create_cuda_guard (int32_t device_index, PtShimGuard *out)
{
  *out = &guard_mark;
  return !check_index (device_index);
}

int32_t
pt_aoti_torch_delete_cuda_guard (PtShimGuard guard)
{
  return 0;
}

int32_t
pt_aoti_torch_cuda_guard_set_index (PtShimGuard guard, int32_t device_index)
{
  return !check_index (device_index);
}

int32_t
pt_aoti_torch_get_current_cuda_stream (int32_t device_index, void **out)
{
  if (!check_index (device_index))
    return 1;
  *out = pt_shim_state.context->stream;
  return 0;
}
