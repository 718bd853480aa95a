/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/delegate.h"

#include "engine/base/set-error.h"
#include "engine/cuda/loader.h"
#include "engine/cuda/shims-private.h"

struct _PtCudaDelegate {
  PtCudaContext *context;
  PtCudaContainer *container;
  PtCudaConstants *constants;
  PtCudaGraphs *graphs;
  guint n_inputs, n_outputs;
  PtTensor **tensors;      /* [n_inputs + n_outputs]: arguments of the current call */
  PtShimTensor **inputs;   /* [n_inputs] */
  PtShimTensor **outputs;  /* [n_outputs] */
  PtShimTensor **resident; /* [n_outputs]: memory of the outputs that stay on the GPU */
  PtShimTensor **former;   /* [n_outputs]: those of the previous call, while an input uses one */
};

/* ---- creation ---- */

static void
allocate_tables (PtCudaDelegate *self)
{
  self->n_inputs = pt_cuda_container_n_inputs (self->container);
  self->n_outputs = pt_cuda_container_n_outputs (self->container);
  self->tensors = g_new0 (PtTensor *, self->n_inputs + self->n_outputs);
  self->inputs = g_new0 (PtShimTensor *, self->n_inputs);
  self->outputs = g_new0 (PtShimTensor *, self->n_outputs);
  self->resident = g_new0 (PtShimTensor *, self->n_outputs);
  self->former = g_new0 (PtShimTensor *, self->n_outputs);
}

PtCudaDelegate *
pt_cuda_delegate_new (const PtDelegateContext *context, GError **error)
{
  g_autoptr (PtCudaDelegate) self = g_new0 (PtCudaDelegate, 1);
  g_autoptr (PtCudaPayload) payload = pt_cuda_payload_new (context->spec, error);

  if (payload == NULL)
    return NULL;
  self->context = pt_cuda_context_ref (context->device, error);
  if (self->context == NULL)
    return NULL;
  self->container = pt_cuda_load (context, payload, self->context, error);
  if (self->container == NULL)
    return NULL;
  allocate_tables (self);
  self->constants = pt_cuda_constants_new (context, payload, self->container, error);
  if (self->constants == NULL)
    return NULL;
  self->graphs = pt_cuda_graphs_new (self->container, self->constants);
  return g_steal_pointer (&self);
}

/*
 * Free in this order: the library's container, the constants that are bound to it, the library
 * (docs/formats/cuda.md, section 6.6). The last reference to the context frees the rest.
 */
void
pt_cuda_delegate_free (PtCudaDelegate *self)
{
  if (self == NULL)
    return;
  if (self->context != NULL)
    pt_cuda_context_enter (self->context, NULL);
  if (self->resident != NULL)
    pt_cuda_free_handles (self->resident, self->n_outputs);
  g_clear_pointer (&self->graphs, pt_cuda_graphs_free);
  if (self->container != NULL)
    pt_cuda_container_close (self->container);
  g_clear_pointer (&self->constants, pt_cuda_constants_free);
  g_clear_pointer (&self->container, pt_cuda_container_free);
  if (self->context != NULL) {
    pt_cuda_pool_trim (self->context->tensors, self->context->stream);
    pt_cuda_context_unref (self->context);
  }
  g_free (self->tensors);
  g_free (self->inputs);
  g_free (self->outputs);
  g_free (self->resident);
  g_free (self->former);
  g_free (self);
}

/* ---- inputs ---- */

static gboolean
read_arguments (PtCudaDelegate *self, PtValue *const *args, guint n_args, GError **error)
{
  guint i;

  if (n_args != self->n_inputs + self->n_outputs)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "The program is damaged: it calls its library with %u tensors, and the library "
                    "has %u inputs and %u outputs (ExecuTorch error 0x12).",
                    n_args, self->n_inputs, self->n_outputs);
  for (i = 0; i < n_args; i++) {
    PtTensor *tensor = pt_value_tensor (args[i], "An argument of the model", error);

    if (tensor == NULL)
      return FALSE;
    self->tensors[i] = tensor;
  }
  return TRUE;
}

static gboolean
check_input (const PtCudaDelegate *self, const PtTensor *tensor, guint i, GError **error)
{
  char text[160];

  if (pt_tensor_nbytes (tensor) > tensor->capacity || (tensor->data == NULL && tensor->numel > 0))
    return pt_fail (error, PT_ERROR_STATE, "Input %u of the model, %s, has no memory.", i,
                    pt_tensor_describe (tensor, text, sizeof text));
  if (tensor->device_type != PT_DEVICE_CPU && tensor->device_index != self->context->index)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Input %u of the model lies on GPU %d, and the model runs on GPU %d.", i,
                    tensor->device_index, self->context->index);
  return TRUE;
}

/* The driver has read pageable memory when the copy returns, so the caller may change it. */
static PtShimTensor *
upload_input (PtCudaDelegate *self, const PtTensor *tensor, GError **error)
{
  PtCudaContext *context = self->context;
  g_autoptr (PtShimTensor) handle =
      pt_shim_tensor_new (context, (gint32) tensor->dtype, tensor->rank, tensor->sizes,
                          tensor->strides, PT_DEVICE_CUDA, error);
  gsize size = pt_tensor_nbytes (tensor);

  if (handle == NULL)
    return NULL;
  if (size > 0 && !pt_cuda_context_check (context,
                                          context->cu->cuMemcpyHtoDAsync (
                                              (PtCuPointer) (guintptr) pt_shim_tensor_data (handle),
                                              tensor->data, size, context->stream),
                                          "Copying an input to the GPU", error))
    return NULL;
  return g_steal_pointer (&handle);
}

static gboolean
make_inputs (PtCudaDelegate *self, GError **error)
{
  guint i;

  for (i = 0; i < self->n_inputs; i++) {
    const PtTensor *tensor = self->tensors[i];

    if (tensor->device_type == PT_DEVICE_CPU)
      self->inputs[i] = upload_input (self, tensor, error);
    else
      self->inputs[i] = pt_shim_tensor_view (
          tensor->data, pt_tensor_nbytes (tensor), (gint32) tensor->dtype, tensor->rank,
          tensor->sizes, tensor->strides, 0, PT_DEVICE_CUDA, self->context->index, error);
    if (self->inputs[i] == NULL) {
      pt_cuda_free_handles (self->inputs, self->n_inputs);
      return FALSE;
    }
  }
  return TRUE;
}

/* Outputs that the previous call left on the GPU may be inputs of this call. */
static gboolean
reads_resident_output (const PtCudaDelegate *self)
{
  guint i, k;

  for (i = 0; i < self->n_inputs; i++) {
    const guint8 *data = self->tensors[i]->data;

    if (self->tensors[i]->device_type == PT_DEVICE_CPU)
      continue;
    for (k = 0; k < self->n_outputs; k++) {
      const PtShimStorage *storage = self->resident[k] != NULL ? self->resident[k]->storage : NULL;

      if (storage != NULL && data >= (guint8 *) storage->data &&
          data < (guint8 *) storage->data + storage->size)
        return TRUE;
    }
  }
  return FALSE;
}

/* ---- outputs ---- */

static gboolean
check_output (const PtShimTensor *handle, PtTensor *tensor, guint i, GError **error)
{
  char text[160];

  if (handle->dtype != (gint32) tensor->dtype || handle->rank != tensor->rank)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Output %u of the model is declared as %s, and its library made it of %d "
                    "dimensions and type %d (ExecuTorch error 0x12).",
                    i, pt_tensor_describe (tensor, text, sizeof text), handle->rank, handle->dtype);
  return pt_tensor_resize (tensor, (guint) handle->rank, handle->sizes, error);
}

/* Both tensors are dense and have the same order of dimensions. */
static gboolean
same_layout (const PtShimTensor *handle, const PtTensor *tensor)
{
  guint i;

  for (i = 0; i < tensor->rank; i++)
    if (tensor->sizes[i] > 1 && tensor->strides[i] != handle->strides[i])
      return FALSE;
  return TRUE;
}

/* Copies elements in the order of @tensor to @to, on the host or the GPU. */
static gboolean
rearrange (PtCudaDelegate *self, const PtShimTensor *handle, PtShimTensor *to, GError **error)
{
  int code;

  pt_cuda_container_enter (self->container);
  code = pt_shim_copy_tensor (to, handle);
  return pt_cuda_container_leave (self->container, code, "Copying an output", error);
}

/* Leaves the output on the GPU; an output that is not dense is copied to a dense one. */
static gboolean
keep_on_device (PtCudaDelegate *self, guint i, PtShimTensor *handle, PtTensor *tensor,
                GError **error)
{
  PtShimTensor *resident;

  if (same_layout (handle, tensor)) {
    resident = pt_shim_tensor_share (handle);
  } else {
    resident = pt_shim_tensor_new (self->context, handle->dtype, tensor->rank, tensor->sizes,
                                   tensor->strides, PT_DEVICE_CUDA, error);
    if (resident == NULL)
      return FALSE;
    if (!rearrange (self, handle, resident, error)) {
      pt_shim_tensor_free (resident);
      return FALSE;
    }
  }
  self->resident[i] = resident;
  tensor->data = pt_shim_tensor_data (resident);
  tensor->capacity = pt_tensor_nbytes (tensor);
  tensor->device_type = PT_DEVICE_CUDA;
  tensor->device_index = (gint8) self->context->index;
  return TRUE;
}

static gboolean
copy_flat (PtCudaContext *context, const PtShimTensor *handle, const PtTensor *tensor,
           GError **error)
{
  const PtCuda *cu = context->cu;
  PtCuPointer from = (PtCuPointer) (guintptr) pt_shim_tensor_data (handle);
  gsize size = pt_tensor_nbytes (tensor);
  PtCuResult code;

  if (tensor->device_type == PT_DEVICE_CPU)
    code = cu->cuMemcpyDtoHAsync (tensor->data, from, size, context->stream);
  else
    code =
        cu->cuMemcpyDtoDAsync ((PtCuPointer) (guintptr) tensor->data, from, size, context->stream);
  return pt_cuda_context_check (context, code, "Copying an output", error);
}

static gboolean
copy_output (PtCudaDelegate *self, const PtShimTensor *handle, PtTensor *tensor, guint i,
             GError **error)
{
  gboolean on_host = tensor->device_type == PT_DEVICE_CPU;
  g_autoptr (PtShimTensor) to = NULL;
  char text[160];

  if (tensor->numel == 0)
    return TRUE;
  if (tensor->data == NULL || tensor->is_constant || pt_tensor_nbytes (tensor) > tensor->capacity)
    return pt_fail (error, PT_ERROR_STATE, "Output %u of the model, %s, has no memory.", i,
                    pt_tensor_describe (tensor, text, sizeof text));
  if (!on_host && tensor->device_index != self->context->index)
    return pt_fail (error, PT_ERROR_ARGUMENT, "Output %u of the model is wanted on another GPU.",
                    i);
  if (handle->storage->device_type == PT_DEVICE_CUDA && same_layout (handle, tensor))
    return copy_flat (self->context, handle, tensor, error);
  to = pt_shim_tensor_view (tensor->data, pt_tensor_nbytes (tensor), handle->dtype, handle->rank,
                            tensor->sizes, tensor->strides, 0, tensor->device_type,
                            on_host ? 0 : self->context->index, error);
  return to != NULL && rearrange (self, handle, to, error);
}

static gboolean
deliver (PtCudaDelegate *self, PtShimTensor *const *handles, GError **error)
{
  gboolean is_awaited = FALSE;
  guint i;

  for (i = 0; i < self->n_outputs; i++) {
    PtTensor *tensor = self->tensors[self->n_inputs + i];

    if (!check_output (handles[i], tensor, i, error))
      return FALSE;
    if (tensor->stays_on_device && handles[i]->storage->device_type == PT_DEVICE_CUDA) {
      if (!keep_on_device (self, i, handles[i], tensor, error))
        return FALSE;
      continue;
    }
    if (!copy_output (self, handles[i], tensor, i, error))
      return FALSE;
    is_awaited |= tensor->device_type == PT_DEVICE_CPU;
  }
  return !is_awaited || pt_cuda_context_synchronize (self->context, error);
}

/* ---- calls ---- */

static gboolean
run_eagerly (PtCudaDelegate *self, GError **error)
{
  gboolean ok;

  if (!make_inputs (self, error) ||
      !pt_cuda_container_run (self->container, self->inputs, self->outputs, error))
    return FALSE;
  ok = deliver (self, self->outputs, error);
  pt_cuda_free_handles (self->outputs, self->n_outputs);
  return ok;
}

static gboolean
run (PtCudaDelegate *self, GError **error)
{
  PtShimTensor *const *outputs = NULL;
  gboolean done;
  guint i;

  if (!pt_cuda_context_enter (self->context, error))
    return FALSE;
  for (i = 0; i < self->n_inputs; i++)
    if (!check_input (self, self->tensors[i], i, error))
      return FALSE;
  if (reads_resident_output (self)) {
    PtShimTensor **former = self->former;

    self->former = self->resident;
    self->resident = former;
  }
  pt_cuda_free_handles (self->resident, self->n_outputs);
  pt_cuda_constants_touch (self->constants);
  if (!pt_cuda_graphs_begin (self->graphs, self->tensors, &outputs, &done, error))
    return FALSE;
  if (done)
    return deliver (self, outputs, error);
  if (!run_eagerly (self, error))
    return FALSE;
  pt_cuda_graphs_end (self->graphs);
  return TRUE;
}

gboolean
pt_cuda_delegate_execute (PtCudaDelegate *self, PtExecution *execution, PtValue *const *args,
                          guint n_args, GError **error)
{
  gboolean ok;

  if (!read_arguments (self, args, n_args, error))
    return FALSE;
  ok = run (self, error);
  pt_cuda_free_handles (self->former, self->n_outputs);
  if (ok)
    return TRUE;
  /* Free all memory of the failed call, so that a smaller call may succeed. */
  pt_cuda_free_handles (self->resident, self->n_outputs);
  if (self->context->fatal == 0)
    pt_cuda_pool_trim (self->context->tensors, self->context->stream);
  return FALSE;
}

gboolean
pt_cuda_delegate_reset (PtCudaDelegate *self, GError **error)
{
  return pt_cuda_context_enter (self->context, error) &&
         pt_cuda_constants_reset (self->constants, error);
}

gboolean
pt_cuda_delegate_select_state (PtCudaDelegate *self, guint state, GError **error)
{
  return pt_cuda_context_enter (self->context, error) &&
         pt_cuda_constants_select (self->constants, state, error);
}

void
pt_cuda_delegate_forget_state (PtCudaDelegate *self, guint state)
{
  pt_cuda_context_enter (self->context, NULL);
  pt_cuda_constants_forget (self->constants, state);
}

gboolean
pt_cuda_delegate_has_state (const PtCudaDelegate *self, const char *part)
{
  return pt_cuda_constants_has_state (self->constants, part);
}

gboolean
pt_cuda_delegate_finish (PtCudaDelegate *self, GError **error)
{
  return pt_cuda_context_synchronize (self->context, error);
}

char *
pt_cuda_delegate_remark (const PtCudaDelegate *self)
{
  g_autofree char *replaced =
      pt_cuda_replacements_describe (pt_cuda_container_replacements (self->container));

  return replaced != NULL ? g_strdup_printf ("CudaBackend, %s", replaced) : NULL;
}
