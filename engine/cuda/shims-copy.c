/* SPDX-License-Identifier: BSD-3-Clause */

/* Copies between tensors of any strides, on the GPU, the host, or both (docs/formats/cuda.md,
 * section 8.5). */

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/shims-private.h"

/* A dimension of a copy: number of elements, and strides on both sides. */
typedef struct {
  gint64 size, to, from; /* elements */
} Axis;

typedef struct {
  Axis axes[PT_SHIM_MAX_RANK]; /* outermost first; merged as far as possible */
  gint32 n_axes;
  gsize item;  /* bytes of one element */
  gsize bytes; /* number of all elements */
} Plan;

static gboolean
check (PtCudaContext *context, PtCuResult code, const char *what)
{
  GError *error = NULL;

  return G_LIKELY (code == PT_CU_SUCCESS) || pt_cuda_context_check (context, code, what, &error) ||
         pt_shim_refuse_error (error) == 0;
}

/* Between host and GPU: the host waits. */
static gboolean
cross (PtCudaContext *context, gpointer to, gboolean to_device, gconstpointer from, gsize size)
{
  PtCuResult code;

  if (!pt_shim_may_wait (context, "A copy between the GPU and the host"))
    return FALSE;
  if (to_device)
    code =
        context->cu->cuMemcpyHtoDAsync ((PtCuPointer) (guintptr) to, from, size, context->stream);
  else
    code =
        context->cu->cuMemcpyDtoHAsync (to, (PtCuPointer) (guintptr) from, size, context->stream);
  if (code == PT_CU_SUCCESS)
    code = context->cu->cuStreamSynchronize (context->stream);
  return check (context, code, "Copying between the GPU and the host");
}

gboolean
pt_shim_copy_bytes (PtCudaContext *context, gpointer to, gboolean to_device, gconstpointer from,
                    gboolean from_device, gsize size)
{
  if (size == 0)
    return TRUE;
  if (!to_device && !from_device) {
    memmove (to, from, size);
    return TRUE;
  }
  if (to_device != from_device)
    return cross (context, to, to_device, from, size);
  return check (context,
                context->cu->cuMemcpyDtoDAsync ((PtCuPointer) (guintptr) to,
                                                (PtCuPointer) (guintptr) from, size,
                                                context->stream),
                "Copying on the GPU");
}

static PtCuPointer
address (const PtShimTensor *tensor)
{
  return (PtCuPointer) (guintptr) pt_shim_tensor_data (tensor);
}

/*
 * Aligns dimensions of two shapes that differ only in dimensions of size 1. FALSE when other sizes
 * differ.
 */
static gboolean
pair_axes (Plan *plan, const PtShimTensor *to, const PtShimTensor *from)
{
  gint32 i = 0, j = 0;

  for (plan->n_axes = 0;; plan->n_axes++) {
    while (i < to->rank && to->sizes[i] == 1)
      i++;
    while (j < from->rank && from->sizes[j] == 1)
      j++;
    if (i == to->rank || j == from->rank)
      return i == to->rank && j == from->rank;
    if (to->sizes[i] != from->sizes[j])
      return FALSE;
    plan->axes[plan->n_axes] = (Axis){ to->sizes[i], to->strides[i], from->strides[j] };
    i++;
    j++;
  }
}

/* Sorts dimensions by descending stride of the target, then merges contiguous neighbours. */
static void
merge_axes (Plan *plan)
{
  Axis *axes = plan->axes;
  gint32 n = 0;

  for (gint32 i = 1; i < plan->n_axes; i++)
    for (gint32 j = i; j > 0 && axes[j - 1].to < axes[j].to; j--) {
      Axis axis = axes[j];

      axes[j] = axes[j - 1];
      axes[j - 1] = axis;
    }
  for (gint32 i = 0; i < plan->n_axes; i++) {
    Axis *last = n > 0 ? &axes[n - 1] : NULL;

    if (last != NULL && last->to == axes[i].to * axes[i].size &&
        last->from == axes[i].from * axes[i].size)
      *last = (Axis){ last->size * axes[i].size, axes[i].to, axes[i].from };
    else
      axes[n++] = axes[i];
  }
  plan->n_axes = n;
}

static void
plan_copy (Plan *plan, const PtShimTensor *to, const PtShimTensor *from)
{
  plan->item = pt_dtype_size (to->dtype);
  plan->bytes = (gsize) to->numel * plan->item;
  if (!pair_axes (plan, to, from)) { /* both tensors are dense: see aoti_torch_copy_ */
    plan->axes[0] = (Axis){ to->numel, 1, 1 };
    plan->n_axes = 1;
  }
  merge_axes (plan);
}

static gboolean
is_flat (const Plan *plan)
{
  return plan->n_axes == 0 ||
         (plan->n_axes == 1 && plan->axes[0].to == 1 && plan->axes[0].from == 1);
}

static void
copy_axes (const Axis *axes, gint32 n, gsize item, guint8 *to, const guint8 *from)
{
  if (n == 0) {
    memcpy (to, from, item);
    return;
  }
  for (gint64 i = 0; i < axes->size; i++)
    copy_axes (axes + 1, n - 1, item, to + (gsize) (i * axes->to) * item,
               from + (gsize) (i * axes->from) * item);
}

/* The bytes of a tensor on the host: its own, or a copy in @owned. NULL with a note. */
static guint8 *
borrow_host (const PtShimTensor *tensor, gboolean fill, guint8 **owned)
{
  gsize extent = pt_shim_tensor_extent (tensor);
  GError *error = NULL;

  if (tensor->storage->device_type == 0)
    return pt_shim_tensor_data (tensor);
  *owned = pt_allocate (extent, 1, &error);
  if (*owned == NULL)
    pt_shim_refuse_error (error);
  else if (!fill || pt_shim_copy_bytes (pt_shim_state.context, *owned, FALSE,
                                        pt_shim_tensor_data (tensor), TRUE, extent))
    return *owned;
  return NULL;
}

/* FALSE without a note when no kernel supports the copy. */
static gboolean
copy_on_device (const Plan *plan, PtShimTensor *to, const PtShimTensor *from, gint32 *code)
{
  gint64 sizes[PT_SHIM_MAX_RANK], to_strides[PT_SHIM_MAX_RANK], from_strides[PT_SHIM_MAX_RANK];
  GError *error = NULL;

  if (!pt_cuda_kernels_prepare (pt_shim_state.context, NULL))
    return FALSE;
  for (gint32 i = 0; i < plan->n_axes; i++) {
    sizes[i] = plan->axes[i].size;
    to_strides[i] = plan->axes[i].to;
    from_strides[i] = plan->axes[i].from;
  }
  *code = !pt_cuda_kernel_copy (pt_shim_state.context, address (to), to_strides, address (from),
                                from_strides, sizes, (guint) plan->n_axes, plan->item, &error);
  if (g_error_matches (error, PT_ERROR, PT_ERROR_UNSUPPORTED)) {
    g_error_free (error);
    return FALSE;
  }
  if (error != NULL)
    pt_shim_refuse_error (error);
  return TRUE;
}

/*
 * Copies by rearranging on the host, when no kernel supports the copy. Gaps of @to keep their
 * bytes.
 */
static gint32
copy_through_host (const Plan *plan, PtShimTensor *to, const PtShimTensor *from)
{
  g_autofree guint8 *to_owned = NULL, *from_owned = NULL;
  guint8 *to_data = borrow_host (to, TRUE, &to_owned);
  guint8 *from_data = to_data != NULL ? borrow_host (from, TRUE, &from_owned) : NULL;

  if (from_data == NULL)
    return 1;
  copy_axes (plan->axes, plan->n_axes, plan->item, to_data, from_data);
  return to_owned != NULL && !pt_shim_copy_bytes (pt_shim_state.context, pt_shim_tensor_data (to),
                                                  TRUE, to_data, FALSE, pt_shim_tensor_extent (to));
}

gint32
pt_shim_copy_tensor (PtShimTensor *to, const PtShimTensor *from)
{
  gboolean to_device = to->storage->device_type == 1, from_device = from->storage->device_type == 1;
  Plan plan;
  gint32 code;

  if (to->numel == 0)
    return 0;
  if ((to_device || from_device) && pt_shim_context ("copy_") == NULL)
    return 1;
  plan_copy (&plan, to, from);
  if (is_flat (&plan))
    return !pt_shim_copy_bytes (pt_shim_state.context, pt_shim_tensor_data (to), to_device,
                                pt_shim_tensor_data (from), from_device, plan.bytes);
  if (to_device && from_device && copy_on_device (&plan, to, from, &code))
    return code;
  return copy_through_host (&plan, to, from);
}

/* A tensor with gaps is zeroed by a copy from a dense one. */
static gint32
clear_with_gaps (PtShimTensor *tensor)
{
  GError *error = NULL;
  g_autoptr (PtShimTensor) zeros =
      pt_shim_tensor_new (pt_shim_state.context, tensor->dtype, tensor->rank, tensor->sizes, NULL,
                          tensor->storage->device_type, &error);

  if (zeros == NULL)
    return pt_shim_refuse_error (error);
  return pt_shim_clear_tensor (zeros) != 0 || pt_shim_copy_tensor (tensor, zeros) != 0;
}

gint32
pt_shim_clear_tensor (PtShimTensor *tensor)
{
  PtCudaContext *context = pt_shim_state.context;
  Plan plan;

  if (tensor->numel == 0)
    return 0;
  if (tensor->storage->device_type == 1 && pt_shim_context ("zero_") == NULL)
    return 1;
  plan_copy (&plan, tensor, tensor);
  if (!is_flat (&plan))
    return clear_with_gaps (tensor);
  if (tensor->storage->device_type == 0)
    memset (pt_shim_tensor_data (tensor), 0, plan.bytes);
  else if (!check (context,
                   context->cu->cuMemsetD8Async (address (tensor), 0, plan.bytes, context->stream),
                   "Clearing memory of the GPU"))
    return 1;
  return 0;
}
