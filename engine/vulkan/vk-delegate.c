/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-delegate.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/memory.h"
#include "engine/vulkan/vk-handed.h"
#include "engine/vulkan/vk-payload.h"
#include "engine/vulkan/vk-pipeline-cache.h"
#include "engine/vulkan/vk-record.h"
#include "engine/vulkan/vk-sampling.h"
#include "engine/vulkan/vulkan-cache.h"

/* At most this many submissions are in flight, so that a stop takes effect soon. */
#define MAX_AHEAD 2

struct _PtVkDelegate {
  PtVkGraph *graph;
  PtVkContext *context; /* NULL: everything runs on the CPU */
  PtVkStore *store;
  PtVkPlan *plan;
  PtVkRecording *recording;
  PtPages pages; /* host places, without a context */
  guint64 max_bytes;
  gboolean is_ready;        /* plan and recording fit the current shapes */
  PtVkHanded *handed;       /* [n_outputs] */
  guint64 *given;           /* [n_inputs]: numbers of the plans that handed them over; 0: none */
  guint8 **host;            /* [n_values]: elements for calls on the CPU */
  guint8 **copies;          /* [n_values]: constants converted for them */
  PtVkKernelCall **kernels; /* [n_calls]: NULL until a call runs on the CPU */
  GHashTable *states;       /* number -> PtVkStates */
  guint state;
};

/* Waits for the last call, before anything that it uses is written or freed. */
static gboolean
wait_for_last (PtVkDelegate *self, GError **error)
{
  return self->recording == NULL || pt_vk_recording_wait (self->recording, error);
}

/* ---- State (docs/formats/vulkan.md, section 5.2) ---- */

static void
fill_state (gpointer data, guint8 *to, gsize begin, gsize end)
{
  const PtVkValue *value = data;
  gsize size = pt_dtype_size (value->stored);

  pt_vk_to_stored (to, value->constant + begin / size * pt_dtype_size (value->declared),
                   (end - begin) / size, value->declared);
}

static gboolean
is_zero (const guint8 *bytes, gsize n)
{
  return n == 0 || (bytes[0] == 0 && memcmp (bytes, bytes + 1, n - 1) == 0);
}

/* Gives one piece of state its initial elements, and memory if it has none. */
static gboolean
start_state (PtVkDelegate *self, PtVkStates *states, guint i, GError **error)
{
  PtVkValue *value = &self->graph->values[i];
  gsize bytes = value->numel * pt_dtype_size (value->stored);
  PtVkBuffer *buffer = &states->buffers[i];
  gboolean zero;

  if (self->store == NULL || self->plan->state_on_host) {
    if (states->host[i] == NULL)
      states->host[i] = pt_allocate (value->numel, pt_dtype_size (value->stored), error);
    if (states->host[i] == NULL)
      return FALSE;
    pt_vk_to_stored (states->host[i], value->constant, value->numel, value->declared);
    return TRUE;
  }
  if (buffer->size == 0 &&
      !pt_vk_buffer_init (self->context, buffer, (MAX (bytes, 4) + 3) / 4 * 4, PT_VK_MEMORY_DEVICE,
                          "Allocating the KV cache", error))
    return FALSE;
  zero = is_zero (value->constant, value->numel * pt_dtype_size (value->declared));
  return pt_vk_store_write (self->store, buffer->buffer, 0, bytes, zero ? NULL : fill_state, value,
                            error);
}

static gboolean
start_states (PtVkDelegate *self, PtVkStates *states, GError **error)
{
  for (guint i = 0; i < self->graph->n_values; i++)
    if (self->graph->values[i].is_state && !start_state (self, states, i, error))
      return FALSE;
  return self->store == NULL || pt_vk_store_finish (self->store, error);
}

static void
free_states (PtVkDelegate *self, PtVkStates *states)
{
  if (states == NULL)
    return;
  for (guint i = 0; i < self->graph->n_values; i++) {
    if (self->context != NULL)
      pt_vk_buffer_clear (self->context, &states->buffers[i]);
    g_free (states->host[i]);
  }
  g_free (states->buffers);
  g_free (states->host);
  g_free (states);
}

/* The states with number @number; new ones have the initial elements. */
static PtVkStates *
take_states (PtVkDelegate *self, guint number, GError **error)
{
  PtVkStates *states = g_hash_table_lookup (self->states, GUINT_TO_POINTER (number));

  if (states != NULL)
    return states;
  states = g_new0 (PtVkStates, 1);
  states->buffers = g_new0 (PtVkBuffer, MAX (self->graph->n_values, 1));
  states->host = g_new0 (guint8 *, MAX (self->graph->n_values, 1));
  if (!start_states (self, states, error)) {
    if (self->store != NULL)
      pt_vk_store_finish (self->store, NULL); /* copies to them may still be under way */
    free_states (self, states);
    return NULL;
  }
  self->plan->state_is_used = TRUE;
  g_hash_table_insert (self->states, GUINT_TO_POINTER (number), states);
  return states;
}

gboolean
pt_vk_delegate_reset (PtVkDelegate *self, GError **error)
{
  PtVkStates *states = g_hash_table_lookup (self->states, GUINT_TO_POINTER (self->state));

  return states == NULL || (wait_for_last (self, error) && start_states (self, states, error));
}

gboolean
pt_vk_delegate_select_state (PtVkDelegate *self, guint state, GError **error)
{
  if (state == self->state)
    return TRUE;
  if (self->graph->has_state && take_states (self, state, error) == NULL)
    return FALSE;
  self->state = state;
  self->is_ready &= !self->graph->has_state; /* the commands name the buffers */
  return TRUE;
}

void
pt_vk_delegate_forget_state (PtVkDelegate *self, guint state)
{
  PtVkStates *states = g_hash_table_lookup (self->states, GUINT_TO_POINTER (state));

  if (states == NULL || state == self->state)
    return;
  wait_for_last (self, NULL);
  g_hash_table_remove (self->states, GUINT_TO_POINTER (state));
  free_states (self, states);
}

/* ---- Calls on the CPU ---- */

/* Elements of a constant for the CPU: those of the file, or a copy in the stored dtype. */
static gboolean
prepare_constant (PtVkDelegate *self, guint32 index, GError **error)
{
  const PtVkValue *value = &self->graph->values[index];
  gsize size = pt_dtype_size (value->stored);

  if (self->host[index] != NULL)
    return TRUE;
  if (value->declared == value->stored && value->declared != PT_DTYPE_BOOL &&
      GPOINTER_TO_SIZE (value->constant) % size == 0) {
    self->host[index] = (guint8 *) value->constant; /* calls only read it */
    return TRUE;
  }
  self->host[index] = self->copies[index] = pt_vk_convert_constant (value, error);
  return self->host[index] != NULL;
}

/* Sets the address of one tensor that the CPU uses. */
static gboolean
locate (PtVkDelegate *self, guint32 index, const PtVkStates *states, GError **error)
{
  PtVkGraph *graph = self->graph;
  guint32 source = graph->values[index].source;
  guint8 *base =
      self->recording != NULL ? pt_vk_recording_host (self->recording) : self->pages.data;

  if (graph->values[index].kind != PT_VK_TENSOR)
    return TRUE;
  if (graph->values[source].is_state)
    self->host[source] = states->host[source];
  else if (graph->values[source].constant != NULL) {
    if (!prepare_constant (self, source, error))
      return FALSE;
  } else {
    const PtVkPlace *place = &g_array_index (self->plan->places, PtVkPlace, source);

    self->host[source] = place->on_host ? base + place->host_offset : NULL;
  }
  self->host[index] = self->host[source];
  return TRUE;
}

static gboolean
prepare_call (PtVkDelegate *self, guint32 index, const PtVkStates *states, GError **error)
{
  const PtVkCall *call = &self->graph->calls[index];

  for (guint i = 0; i < call->n_args; i++) {
    const PtVkValue *value = pt_vk_arg (self->graph, call, i);

    if (!locate (self, call->args[i], states, error))
      return FALSE;
    for (guint k = 0; value->kind == PT_VK_VALUES && k < value->count; k++)
      if (!locate (self, value->items[k], states, error))
        return FALSE;
  }
  if (call->op->kernel != NULL && self->kernels[index] == NULL)
    self->kernels[index] = pt_vk_kernel_call_new (self->graph, call, error);
  return call->op->kernel == NULL || self->kernels[index] != NULL;
}

static gboolean
run_call (PtVkDelegate *self, guint32 index, PtExecution *execution, GError **error)
{
  const PtVkCall *call = &self->graph->calls[index];
  const PtVkCpuCall cpu = { self->graph, call, execution, self->host };

  if (pt_execution_is_cancelled (execution))
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  if ((call->op->kernel == NULL || pt_vk_kernel_call_run (self->kernels[index], &cpu, error)) &&
      (call->op->compute == NULL || call->op->compute (&cpu, error)))
    return TRUE;
  pt_prefix_error (error, "Operator %s: ", call->op->name);
  return FALSE;
}

guint
pt_vk_delegate_n_inputs (const PtVkDelegate *self)
{
  return self->graph->n_inputs;
}

guint
pt_vk_delegate_n_barriers (const PtVkDelegate *self)
{
  return self->recording != NULL ? pt_vk_recording_n_barriers (self->recording) : 0;
}

guint
pt_vk_delegate_n_cpu_calls (const PtVkDelegate *self)
{
  guint n = 0;

  for (guint i = 0; i < self->plan->raw->len; i++)
    n += g_array_index (self->plan->raw, PtVkStep, i).kind == PT_VK_STEP_CPU;
  return n;
}

/* ---- Planning ---- */

static gboolean
reserve_pages (PtVkDelegate *self, GError **error)
{
  if (self->plan->host_bytes <= self->pages.size)
    return TRUE;
  if (self->max_bytes > 0 && self->plan->host_bytes > self->max_bytes)
    return pt_fail (error, PT_ERROR_MEMORY,
                    "A Vulkan delegate needs %.2f GB of working memory, more than the limit of "
                    "%.2f GB.",
                    (double) self->plan->host_bytes / 1e9, (double) self->max_bytes / 1e9);
  pt_pages_unmap (&self->pages);
  return pt_pages_map (&self->pages, self->plan->host_bytes, error);
}

static gboolean
make_ready (PtVkDelegate *self, GError **error)
{
  PtVkStates *states = NULL;

  self->is_ready = FALSE;
  for (guint i = 0; i < self->graph->n_outputs; i++)
    pt_vk_handed_clear (&self->handed[i]);
  if (!pt_vk_plan_make_steps (self->plan, error) || !pt_vk_plan_make_places (self->plan, error))
    return FALSE;
  if (self->graph->has_state && (states = take_states (self, self->state, error)) == NULL)
    return FALSE;
  if (self->recording != NULL
          ? !pt_vk_recording_make (self->recording, self->plan, states, self->max_bytes, error)
          : !reserve_pages (self, error))
    return FALSE;
  for (guint i = 0; i < self->plan->raw->len; i++) {
    const PtVkStep *step = &g_array_index (self->plan->raw, PtVkStep, i);

    if (step->kind == PT_VK_STEP_CPU && !prepare_call (self, step->index, states, error))
      return FALSE;
  }
  for (guint i = 0; i < self->graph->n_inputs; i++)
    if (!locate (self, self->graph->inputs[i], states, error))
      return FALSE;
  for (guint i = 0; i < self->graph->n_outputs; i++)
    if (!locate (self, self->graph->outputs[i], states, error))
      return FALSE;
  for (guint i = 0; i < self->graph->n_outputs; i++)
    if (self->plan->stays[i])
      self->handed[i].number = self->context->n_plans + 1;
  if (self->context != NULL) {
    self->context->n_plans++;
    pt_vk_pipelines_keep (self->context);
  }
  g_debug ("Vulkan: %u dispatches, %u barriers, %u calls on the CPU, %" G_GSIZE_FORMAT
           " bytes on the GPU",
           self->plan->dispatches->len, pt_vk_delegate_n_barriers (self),
           pt_vk_delegate_n_cpu_calls (self), self->plan->gpu_bytes);
  self->is_ready = TRUE;
  return TRUE;
}

/* ---- Inputs and outputs (docs/formats/vulkan.md, section 6) ---- */

static gboolean
bind_symbol (PtVkValue *value, const PtValue *arg, GError **error)
{
  const PtTensor *tensor;

  if (arg->kind == PT_VALUE_INT) {
    value->as_int = arg->as_int;
    return TRUE;
  }
  tensor = pt_in_tensor (arg, "input", error);
  if (tensor == NULL)
    return FALSE;
  if (tensor->numel != 1 || (tensor->dtype != PT_DTYPE_I64 && tensor->dtype != PT_DTYPE_I32))
    return pt_fail (error, PT_ERROR_TYPE,
                    "An input of a Vulkan delegate is not the one integer that it takes.");
  value->as_int = tensor->dtype == PT_DTYPE_I64 ? *(const gint64 *) tensor->data
                                                : *(const gint32 *) tensor->data;
  return TRUE;
}

/* Notes what another delegate left on the GPU. */
static gboolean
take_handed (PtVkDelegate *self, guint i, const PtTensor *tensor, gboolean *changed, GError **error)
{
  guint32 index = self->graph->inputs[i];
  const PtVkHanded *handed = tensor->handed;
  guint64 number = handed != NULL ? handed->number : 0;

  if (handed != NULL &&
      (handed->range.buffer == VK_NULL_HANDLE || handed->context != self->context ||
       handed->range.size < pt_vk_value_bytes (&self->graph->values[index])))
    return pt_fail (error, PT_ERROR_STATE,
                    "Input %u of a Vulkan delegate was not computed by the one before it.", i);
  *changed |= number != self->given[i] ||
              (handed != NULL && handed->range.offset != self->plan->given[index].offset);
  self->given[i] = number;
  self->plan->given[index] = handed != NULL ? handed->range : (PtVkRange){ 0 };
  return TRUE;
}

/* What another delegate handed over has no memory on the host. */
static const PtTensor *
input_tensor (const PtValue *arg, GError **error)
{
  const PtTensor *tensor = pt_value_tensor (arg, "input", error);

  return tensor == NULL || tensor->handed != NULL ? tensor : pt_in_tensor (arg, "input", error);
}

static gboolean
bind_input (PtVkDelegate *self, guint i, const PtValue *arg, gboolean *changed, GError **error)
{
  PtVkValue *value = &self->graph->values[self->graph->inputs[i]];
  PtVkShape shape = { 0 }, former = value->shape;
  const PtTensor *tensor;

  if (value->kind == PT_VK_SYMINT)
    return bind_symbol (value, arg, error);
  tensor = input_tensor (arg, error);
  if (tensor == NULL)
    return FALSE;
  if (pt_vk_stored_dtype (tensor->dtype) != value->stored)
    return pt_fail (error, PT_ERROR_TYPE,
                    "Input %u of a Vulkan delegate is %s, and the delegate takes %s.", i,
                    pt_dtype_name (tensor->dtype), pt_dtype_name (value->declared));
  shape.rank = MIN (tensor->rank, PT_VK_MAX_RANK);
  for (guint d = 0; d < shape.rank; d++)
    shape.sizes[d] = tensor->sizes[d];
  if (tensor->rank > PT_VK_MAX_RANK)
    shape.rank++; /* never fits */
  if (!pt_vk_set_shape (self->graph, self->graph->inputs[i], &shape, error) ||
      !take_handed (self, i, tensor, changed, error))
    return FALSE;
  value->given = tensor->handed == NULL ? tensor->data : NULL;
  value->given_dtype = tensor->dtype;
  *changed |= memcmp (&former, &value->shape, sizeof former) != 0;
  return TRUE;
}

/* A tensor whose dimensions lie in another order is put in order first. */
static gboolean
copy_in (PtVkDelegate *self, guint i, const PtValue *arg, PtExecution *execution, GError **error)
{
  const PtVkValue *value = &self->graph->values[self->graph->inputs[i]];
  const PtTensor *tensor = arg->as_tensor;
  gconstpointer data;
  PtTensor ordered;

  if (value->kind != PT_VK_TENSOR || self->given[i] != 0 ||
      self->host[self->graph->inputs[i]] == NULL)
    return TRUE;
  data = tensor->data;
  if (!pt_tensor_is_contiguous (tensor)) {
    gpointer scratch = pt_execution_scratch (execution, MAX (pt_tensor_nbytes (tensor), 1), error);

    if (scratch == NULL || !pt_tensor_init (&ordered, tensor->dtype, tensor->rank, tensor->sizes,
                                            NULL, scratch, error))
      return FALSE;
    pt_tensor_copy_elements (&ordered, tensor);
    data = scratch;
  }
  pt_vk_to_stored (self->host[self->graph->inputs[i]], data, value->numel, tensor->dtype);
  return TRUE;
}

/*
 * Takes back what an output was when it stayed. Now only floats stay: integers may be read for
 * symbols, and other dtypes are rounded on the host.
 */
static void
may_stay (PtVkDelegate *self, guint i, const PtValue *arg, gboolean *changed)
{
  const PtVkValue *value = &self->graph->values[self->graph->outputs[i]];
  PtTensor *tensor = arg->kind == PT_VALUE_TENSOR ? arg->as_tensor : NULL;
  gboolean stays = self->recording != NULL && value->kind == PT_VK_TENSOR && tensor != NULL &&
                   tensor->stays_on_device && tensor->dtype == PT_DTYPE_F32;

  if (tensor != NULL && tensor->handed != NULL)
    tensor->device_type = PT_DEVICE_CPU;
  for (guint d = 0; stays && d < tensor->rank; d++)
    stays = tensor->dim_order[d] == d;
  *changed |= stays != self->plan->may_stay[i];
  self->plan->may_stay[i] = stays;
}

/* Leaves an output on the GPU, for the delegates that read it, or who called the method. */
static void
hand_over (PtVkDelegate *self, guint i, PtTensor *tensor)
{
  const PtVkValue *value = &self->graph->values[self->graph->outputs[i]];

  self->handed[i].context = self->context;
  self->handed[i].range = pt_vk_recording_range (self->recording, value->source);
  self->handed[i].address = tensor->data;
  pt_vk_handed_add (&self->handed[i]);
  tensor->handed = &self->handed[i];
  tensor->device_type = PT_DEVICE_VULKAN;
  tensor->device_index = (gint8) self->context->index;
}

static gboolean
copy_out (PtVkDelegate *self, guint i, PtValue *arg, PtExecution *execution, GError **error)
{
  guint32 index = self->graph->outputs[i];
  const PtVkValue *value = &self->graph->values[index];
  PtTensor *tensor, ordered;
  gpointer data;

  if (value->kind == PT_VK_SYMINT && arg->kind != PT_VALUE_TENSOR) {
    arg->kind = PT_VALUE_INT;
    arg->as_int = value->as_int;
    return TRUE;
  }
  tensor = pt_out_tensor (arg, value->shape.rank, value->shape.sizes, error);
  if (tensor == NULL)
    return FALSE;
  if (value->kind == PT_VK_SYMINT) {
    if (tensor->numel != 1 || tensor->dtype != PT_DTYPE_I64)
      return pt_fail (error, PT_ERROR_TYPE, "Output %u of a Vulkan delegate is one integer.", i);
    *(gint64 *) tensor->data = value->as_int;
    return TRUE;
  }
  if (pt_vk_stored_dtype (tensor->dtype) != value->stored)
    return pt_fail (error, PT_ERROR_TYPE,
                    "Output %u of a Vulkan delegate is %s, and the program takes %s.", i,
                    pt_dtype_name (value->declared), pt_dtype_name (tensor->dtype));
  tensor->handed = NULL;
  if (self->plan->stays[i]) {
    hand_over (self, i, tensor);
    return TRUE;
  }
  data = tensor->data;
  if (!pt_tensor_is_contiguous (tensor)) {
    data = pt_execution_scratch (execution, MAX (pt_tensor_nbytes (tensor), 1), error);
    if (data == NULL ||
        !pt_tensor_init (&ordered, tensor->dtype, tensor->rank, tensor->sizes, NULL, data, error))
      return FALSE;
  }
  pt_vk_from_stored (data, self->host[index], value->numel, tensor->dtype);
  if (data != tensor->data)
    pt_tensor_copy_elements (tensor, &ordered);
  return TRUE;
}

/* ---- Running ---- */

/* The host reads none of the outputs. */
static gboolean
all_stay (const PtVkDelegate *self)
{
  const PtVkGraph *graph = self->graph;

  for (guint i = 0; i < graph->n_outputs; i++)
    if (!self->plan->stays[i] && graph->values[graph->outputs[i]].kind == PT_VK_TENSOR)
      return FALSE;
  return TRUE;
}

static gboolean
run_pieces (PtVkDelegate *self, PtExecution *execution, GError **error)
{
  PtVkRecording *recording = self->recording;

  pt_vk_recording_write_symbols (recording, self->plan);
  for (guint i = 0; i < pt_vk_recording_n_pieces (recording); i++) {
    const PtVkPiece *piece = pt_vk_recording_piece (recording, i);

    if (piece->commands == NULL) {
      if (!pt_vk_recording_wait (recording, error) ||
          !run_call (self, piece->call, execution, error))
        return FALSE;
      continue;
    }
    if (!pt_vk_recording_wait_for_room (recording, MAX_AHEAD - 1, error))
      return FALSE;
    if (pt_execution_is_cancelled (execution)) {
      pt_vk_recording_wait (recording, NULL);
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    }
    if (!pt_vk_recording_submit (recording, i, error)) {
      pt_vk_recording_wait (recording, NULL);
      return FALSE;
    }
  }
  if (!all_stay (self))
    return pt_vk_recording_wait (recording, error);
  self->context->is_ahead = TRUE;
  return TRUE;
}

static gboolean
run (PtVkDelegate *self, PtExecution *execution, GError **error)
{
  if (self->recording != NULL)
    return run_pieces (self, execution, error);
  for (guint i = 0; i < self->plan->raw->len; i++)
    if (!run_call (self, g_array_index (self->plan->raw, PtVkStep, i).index, execution, error))
      return FALSE;
  return TRUE;
}

static gboolean
execute (PtVkDelegate *self, PtExecution *execution, PtValue *const *args, guint n_args,
         GError **error)
{
  PtVkGraph *graph = self->graph;
  gboolean changed = !self->is_ready;

  if (n_args != graph->n_inputs + graph->n_outputs)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "A Vulkan delegate has %u arguments, but its call gives %u. (ExecuTorch error "
                    "0x23)",
                    graph->n_inputs + graph->n_outputs, n_args);
  if (!wait_for_last (self, error))
    return FALSE;
  self->is_ready = FALSE;
  for (guint i = 0; i < graph->n_inputs; i++)
    if (!bind_input (self, i, args[i], &changed, error))
      return FALSE;
  for (guint i = 0; i < graph->n_outputs; i++)
    may_stay (self, i, args[graph->n_inputs + i], &changed);
  if ((changed || graph->has_symints) && !pt_vk_graph_reshape (graph, &changed, error))
    return FALSE;
  if ((changed || pt_vk_plan_is_stale (self->plan)) && !make_ready (self, error))
    return FALSE;
  self->is_ready = TRUE;
  for (guint i = 0; i < graph->n_inputs; i++)
    if (!copy_in (self, i, args[i], execution, error))
      return FALSE;
  if (!run (self, execution, error))
    return FALSE;
  for (guint i = 0; i < graph->n_outputs; i++)
    if (!copy_out (self, i, args[graph->n_inputs + i], execution, error))
      return FALSE;
  return TRUE;
}

gboolean
pt_vk_delegate_execute (PtVkDelegate *self, PtExecution *execution, PtValue *const *args,
                        guint n_args, GError **error)
{
  if (execute (self, execution, args, n_args, error))
    return TRUE;
  /* What the call before handed over may have been written over, and is no output of this one. */
  for (guint i = 0; i < self->graph->n_outputs; i++)
    pt_vk_handed_clear (&self->handed[i]);
  self->is_ready = FALSE;
  return FALSE;
}

/* ---- Life ---- */

/* Uploads the constants before the first call, as far as shapes are known without symbols. */
static gboolean
plan_ahead (PtVkDelegate *self, GError **error)
{
  gboolean changed = FALSE;

  if (!pt_vk_graph_reshape (self->graph, &changed, self->graph->has_symints ? NULL : error))
    return self->graph->has_symints;
  return pt_vk_plan_make_steps (self->plan, error);
}

static gboolean
start_gpu (PtVkDelegate *self, const PtDelegateContext *from, GError **error)
{
  g_autofree char *folder = from->program != NULL ? pt_vulkan_cache_folder (from->program) : NULL;
  PtVkContext *context = pt_vk_context_get (from->device, folder, error);

  if (context == NULL)
    return FALSE;
  self->store = pt_vk_store_new (context, self->graph->constant_bytes, error);
  if (self->store == NULL)
    return FALSE;
  self->context = context;
  self->recording = pt_vk_recording_new (context);
  return TRUE;
}

PtVkDelegate *
pt_vk_delegate_new (const PtDelegateContext *context, GError **error)
{
  g_autoptr (PtVkDelegate) self = g_new0 (PtVkDelegate, 1);

  self->states = g_hash_table_new (NULL, NULL);
  self->graph = pt_vk_payload_read (context, error);
  if (self->graph == NULL)
    return NULL;
  self->max_bytes = context->max_bytes;
  self->handed = g_new0 (PtVkHanded, MAX (self->graph->n_outputs, 1));
  self->given = g_new0 (guint64, MAX (self->graph->n_inputs, 1));
  self->host = g_new0 (guint8 *, MAX (self->graph->n_values, 1));
  self->copies = g_new0 (guint8 *, MAX (self->graph->n_values, 1));
  self->kernels = g_new0 (PtVkKernelCall *, MAX (self->graph->n_calls, 1));
  if (!pt_vk_is_on_cpu () && !start_gpu (self, context, error))
    return NULL;
  self->plan = pt_vk_plan_new (self->graph, self->store);
  if (!plan_ahead (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_vk_delegate_free (PtVkDelegate *self)
{
  GHashTableIter iter;
  gpointer states;

  if (self == NULL)
    return;
  for (guint i = 0; self->graph != NULL && i < self->graph->n_outputs; i++)
    pt_vk_handed_clear (&self->handed[i]);
  pt_vk_recording_free (self->recording);
  g_hash_table_iter_init (&iter, self->states);
  while (g_hash_table_iter_next (&iter, NULL, &states))
    free_states (self, states);
  g_hash_table_unref (self->states);
  pt_vk_plan_free (self->plan);
  pt_vk_store_free (self->store); /* and its reference to the context */
  pt_pages_unmap (&self->pages);
  for (guint i = 0; self->graph != NULL && i < self->graph->n_values; i++)
    g_free (self->copies[i]);
  for (guint i = 0; self->graph != NULL && i < self->graph->n_calls; i++)
    pt_vk_kernel_call_free (self->kernels[i]);
  g_free (self->handed);
  g_free (self->given);
  g_free (self->host);
  g_free (self->copies);
  g_free (self->kernels);
  if (self->graph != NULL)
    pt_vk_graph_free (self->graph);
  g_free (self);
}
