/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/runtime/method-private.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "engine/program/mapping.h"

static gboolean
check_input_index (const PtMethod *method, guint i, GError **error)
{
  if (i < method->plan->n_inputs)
    return TRUE;
  return pt_fail (error, PT_ERROR_ARGUMENT,
                  "Method %s has %u inputs; there is no input %u (ExecuTorch error 0x12).",
                  method->plan->name, method->plan->n_inputs, i);
}

/*
 * Whether both tensors have the same memory layout: the strides of all dimensions larger than 1 are
 * equal.
 */
static gboolean
same_layout (const PtTensor *a, const PtTensor *b)
{
  guint i;

  for (i = 0; i < a->rank; i++)
    if (a->sizes[i] > 1 && a->strides[i] != b->strides[i])
      return FALSE;
  return TRUE;
}

static gboolean
fail_input (const PtMethod *method, guint i, const PtTensor *got, const char *why, GError **error)
{
  char text_want[160], text_got[160];

  return pt_fail (error, PT_ERROR_ARGUMENT,
                  "Input %u of method %s is %s; a %s tensor does not fit%s "
                  "(ExecuTorch error 0x12).",
                  i, method->plan->name,
                  pt_tensor_describe (method->inputs[i].tensor, text_want, sizeof text_want),
                  pt_tensor_describe (got, text_got, sizeof text_got), why);
}

/* Copies host bytes to the device, for an input that the program has there. */
static gboolean
copy_input_to_device (PtInput *input, const PtTensor *given, GError **error)
{
  PtTensor *tensor = input->tensor;
  gsize size = pt_tensor_nbytes (given);

  if (input->device_copy.size < size) {
    pt_buffer_free (&input->device_copy);
    if (!pt_buffer_allocate (&input->device_copy, input->place.device_type,
                             input->place.device_index, size, error))
      return FALSE;
  }
  tensor->data = input->device_copy.data;
  tensor->capacity = input->device_copy.size;
  tensor->device_type = input->place.device_type;
  tensor->device_index = input->place.device_index;
  tensor->is_constant = FALSE;
  tensor->version = 0;
  return pt_copy_to_tensor (tensor, given->data, size, error);
}

/* Copies bytes of a device to the host, for an input that CPU operators read. */
static gboolean
fetch_input (PtTensor *tensor, const PtTensor *given, GError **error)
{
  const PtDevice *device = pt_device_find (given->device_type);
  gsize size = pt_tensor_nbytes (given);

  if (size == 0)
    return TRUE;
  if (device == NULL || tensor->is_constant || tensor->data == NULL || size > tensor->capacity)
    return pt_fail (error, PT_ERROR_STATE, "An input lies on a device and cannot be fetched.");
  return device->copy_to_host (given->device_index, tensor->data, given->data, size, error);
}

static gboolean
take_bytes (PtInput *input, const PtTensor *given, GError **error)
{
  PtTensor *tensor = input->tensor;
  gboolean is_far = given->device_type != PT_DEVICE_CPU;

  if (input->is_planned && !(is_far && input->may_stay)) {
    pt_place_tensor (tensor, &input->place);
    return is_far ? fetch_input (tensor, given, error)
                  : pt_copy_to_tensor (tensor, given->data, pt_tensor_nbytes (given), error);
  }
  if (given->device_type == PT_DEVICE_CPU && input->place.device_type != PT_DEVICE_CPU)
    return copy_input_to_device (input, given, error);
  tensor->data = given->data;
  tensor->capacity = given->capacity;
  tensor->device_type = given->device_type;
  tensor->device_index = given->device_index;
  tensor->is_constant = given->is_constant;
  tensor->version = given->version;
  return TRUE;
}

gboolean
pt_files_check_intact (const PtProgram *program, const PtDataMap *data, GError **error)
{
  guint i, n = data != NULL ? pt_data_map_n_files (data) : 0;

  for (i = 0; i < n; i++)
    if (!pt_data_file_check_intact (pt_data_map_file (data, i), error))
      return FALSE;
  return pt_program_check_intact (program, error);
}

/*
 * When the shortened file belongs to the model, every run fails from now on. When it is another
 * file, perhaps an input, only this run fails.
 */
static gboolean
fail_lost (PtMethod *method, GError **error)
{
  method->n_lost = pt_mappings_lost ();
  method->is_lost = !pt_files_check_intact (method->program, method->data, error);
  return !method->is_lost &&
         pt_fail (error, PT_ERROR_FILE,
                  "A file that is an input was shortened, or could not be read any more, while it "
                  "was in use. Give it again.");
}

static gboolean
check_lost (PtMethod *method, GError **error)
{
  if (G_LIKELY (pt_mappings_lost () == method->n_lost && !method->is_lost))
    return TRUE;
  return fail_lost (method, error);
}

/*
 * Checks for lost bytes after an operation on @method. Returns the operation's result @ok if no
 * bytes were lost; otherwise FALSE with the loss as the error.
 */
static gboolean
settle (PtMethod *method, gboolean ok, GError **error)
{
  GError *loss = NULL;

  pt_mappings_look ();
  if (check_lost (method, &loss))
    return ok;
  g_clear_error (error);
  g_propagate_error (error, loss);
  return FALSE;
}

static gboolean
set_tensor (PtMethod *method, guint i, const PtTensor *given, GError **error)
{
  PtInput *input;
  PtTensor *tensor;
  g_autoptr (GError) resize_error = NULL;

  if (!check_input_index (method, i, error))
    return FALSE;
  input = &method->inputs[i];
  tensor = input->tensor;
  if (tensor == NULL)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Input %u of method %s is not a tensor (ExecuTorch error 0x12).", i,
                    method->plan->name);
  input->is_set = FALSE;
  if (given->dtype != tensor->dtype)
    return fail_input (method, i, given, ": the element types differ", error);
  if (given->capacity < pt_tensor_nbytes (given) || (given->data == NULL && given->numel > 0))
    return fail_input (method, i, given, ": it has no memory", error);
  if (!pt_tensor_resize (tensor, given->rank, given->sizes, &resize_error))
    return fail_input (method, i, given,
                       tensor->dynamism == PT_DYNAMISM_STATIC
                           ? ": the shapes differ"
                           : ": it has more elements or other dimensions",
                       error);
  if (!same_layout (tensor, given))
    return fail_input (method, i, given, ": the dimensions lie in another order", error);
  if (!take_bytes (input, given, error))
    return FALSE;
  /* A move in an earlier run may have put another tensor into the slot. */
  method->values[method->plan->inputs[i]] = method->initial_values[method->plan->inputs[i]];
  input->is_set = TRUE;
  return TRUE;
}

gboolean
pt_method_set_input_tensor (PtMethod *method, guint i, const PtTensor *given, GError **error)
{
  return set_tensor (method, i, given, error) || settle (method, FALSE, error);
}

/*
 * The values of other inputs were fixed when the program was exported (docs/formats/program.md,
 * section 14.1).
 */
static gboolean
is_traced_value (const PtValueSpec *spec, const PtValue *value)
{
  if (spec->kind != value->kind)
    return FALSE;
  switch (spec->kind) {
  case PT_VALUE_NONE: return TRUE;
  case PT_VALUE_INT: return spec->as_int == value->as_int;
  case PT_VALUE_BOOL: return !spec->as_bool == !value->as_bool;
  case PT_VALUE_STRING:
    return spec->as_string.length == value->as_string.length &&
           memcmp (spec->as_string.data, value->as_string.data, spec->as_string.length) == 0;
  case PT_VALUE_DOUBLE:
    if (isnan (spec->as_double) || isnan (value->as_double))
      return isnan (spec->as_double) && isnan (value->as_double);
    if (isinf (spec->as_double) || isinf (value->as_double))
      return spec->as_double == value->as_double;
    return fabs (spec->as_double - value->as_double) <= 1e-4 + 1e-5 * fabs (spec->as_double);
  default: return FALSE;
  }
}

gboolean
pt_method_set_input (PtMethod *method, guint i, const PtValue *value, GError **error)
{
  gint32 index;

  if (!check_input_index (method, i, error))
    return FALSE;
  if (value->kind == PT_VALUE_TENSOR)
    return pt_method_set_input_tensor (method, i, value->as_tensor, error);
  index = method->plan->inputs[i];
  if (!is_traced_value (&method->plan->values[index], value))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Input %u of method %s is of kind %s and accepts only the value that it was "
                    "exported with (ExecuTorch error 0x12).",
                    i, method->plan->name, pt_value_kind_name (method->plan->values[index].kind));
  method->values[index] = method->initial_values[index];
  method->inputs[i].is_set = TRUE;
  return TRUE;
}

gboolean
pt_method_set_output_buffer (PtMethod *method, guint i, gpointer data, gsize size, GError **error)
{
  const PtPlan *plan = method->plan;
  const PtTensorSpec *spec;
  PtTensor *tensor;

  if (i >= plan->n_outputs || plan->values[plan->outputs[i]].kind != PT_VALUE_TENSOR)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Method %s has no tensor as output %u (ExecuTorch error 0x12).", plan->name, i);
  spec = plan->values[plan->outputs[i]].as_tensor;
  if (spec->storage != PT_STORAGE_NONE)
    return pt_fail (error, PT_ERROR_STATE,
                    "The memory of output %u of method %s is planned (ExecuTorch error 0x2).", i,
                    plan->name);
  if (size < spec->nbytes)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Output %u of method %s takes up to %" G_GSIZE_FORMAT
                    " bytes, not %" G_GSIZE_FORMAT " (ExecuTorch error 0x12).",
                    i, plan->name, spec->nbytes, size);
  tensor = method->initial_values[plan->outputs[i]].as_tensor;
  tensor->data = method->outputs[i].place.data = data;
  tensor->capacity = method->outputs[i].place.capacity = size;
  return TRUE;
}

const PtValue *
pt_method_output (const PtMethod *method, guint i)
{
  g_return_val_if_fail (i < method->plan->n_outputs, NULL);
  return &method->values[method->plan->outputs[i]];
}

const PtValue *
pt_method_value (const PtMethod *method, guint i)
{
  g_return_val_if_fail (i < method->plan->n_values, NULL);
  return &method->values[i];
}

gboolean
pt_method_reset_state (PtMethod *method, GError **error)
{
  guint i;

  for (i = 1; i < method->plan->n_buffers; i++)
    if (!pt_buffer_clear (&method->buffers[i], error))
      return FALSE;
  for (i = 0; i < method->n_delegates; i++)
    if (method->delegates[i].backend->reset != NULL &&
        !method->delegates[i].backend->reset (method->delegates[i].handle, error))
      return FALSE;
  for (i = 0; i < method->plan->n_inputs; i++)
    method->inputs[i].is_set = FALSE;
  if (method->plan->n_values > 0)
    memcpy (method->values, method->initial_values, method->plan->n_values * sizeof (PtValue));
  return pt_method_fill_initial_state (method, error);
}

/* Whether operators change state in planned memory. A method has only one copy of that state. */
static gboolean
changes_planned_memory (const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_operators; i++) {
    const char *name = plan->operators[i];
    gsize n = strcspn (name, ".");

    if ((n > 0 && name[n - 1] == '_') || g_str_has_prefix (name, "llama::update_cache"))
      return TRUE;
  }
  return FALSE;
}

static gboolean
can_select_state (const PtMethod *method)
{
  for (guint i = 0; i < method->n_delegates; i++)
    if (method->delegates[i].backend->select_state == NULL)
      return FALSE;
  return method->n_delegates > 0 && !changes_planned_memory (method->plan);
}

gboolean
pt_method_select_state (PtMethod *method, guint state, GError **error)
{
  guint former = method->state, i;

  if (state == former)
    return TRUE;
  if (!can_select_state (method))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "Method %s has one state for all conversations (ExecuTorch error 0x10).",
                    method->plan->name);
  for (i = 0; i < method->n_delegates; i++)
    if (!method->delegates[i].backend->select_state (method->delegates[i].handle, state, error))
      break;
  if (i == method->n_delegates) {
    method->state = state;
    return TRUE;
  }
  /* Selecting the former state again cannot fail: it needs no memory. */
  while (i-- > 0) {
    method->delegates[i].backend->select_state (method->delegates[i].handle, former, NULL);
    method->delegates[i].backend->forget_state (method->delegates[i].handle, state);
  }
  return FALSE;
}

void
pt_method_forget_state (PtMethod *method, guint state)
{
  g_return_if_fail (state != method->state);
  for (guint i = 0; i < method->n_delegates; i++)
    if (method->delegates[i].backend->forget_state != NULL)
      method->delegates[i].backend->forget_state (method->delegates[i].handle, state);
}

gboolean
pt_method_has_own_state (const PtMethod *method)
{
  for (guint i = 0; i < method->n_delegates; i++)
    if (method->delegates[i].backend->reset != NULL)
      return TRUE;
  return FALSE;
}

gboolean
pt_method_has_state (const PtMethod *method, const char *part)
{
  guint i;

  for (i = 0; i < method->n_delegates; i++) {
    const PtDelegate *delegate = &method->delegates[i];

    if (delegate->backend->has_state != NULL &&
        delegate->backend->has_state (delegate->handle, part))
      return TRUE;
  }
  return FALSE;
}

void
pt_method_set_profile (PtMethod *method, PtProfileFunc func, gpointer user_data)
{
  method->profile = func;
  method->profile_data = user_data;
}

char **
pt_method_remarks (const PtMethod *method)
{
  g_autoptr (GPtrArray) remarks = g_ptr_array_new ();

  for (guint i = 0; i < method->n_delegates; i++) {
    const PtDelegate *delegate = &method->delegates[i];
    char *remark =
        delegate->backend->remark != NULL ? delegate->backend->remark (delegate->handle) : NULL;

    if (remark != NULL)
      g_ptr_array_add (remarks, remark);
  }
  g_ptr_array_add (remarks, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&remarks), FALSE);
}

/* ---- execution ---- */

static gboolean
all_true (const PtTensor *tensor)
{
  const guint8 *flags = tensor->data;
  gsize i;

  for (i = 0; i < tensor->numel; i++)
    if (!flags[i])
      return FALSE;
  return TRUE;
}

static gboolean
read_condition (const PtValue *value, gboolean *out, GError **error)
{
  PtTensor *tensor;

  if (value->kind == PT_VALUE_BOOL) {
    *out = value->as_bool;
    return TRUE;
  }
  tensor = pt_in_tensor (value, "The condition of a jump", error);
  if (tensor == NULL)
    return FALSE;
  if (tensor->dtype != PT_DTYPE_BOOL)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "The condition of a jump is a %s tensor, not bool (ExecuTorch error 0x23).",
                    pt_dtype_name (tensor->dtype));
  *out = all_true (tensor);
  return TRUE;
}

static gboolean
free_tensor (const PtPlanStep *step, GError **error)
{
  PtTensor *tensor = pt_value_tensor (step->from, "A value to be freed", error);

  if (tensor == NULL)
    return FALSE;
  tensor->data = NULL;
  tensor->capacity = 0;
  return TRUE;
}

/*
 * Prefetches the tables of the next delegate, which is probably the one that was made next. The
 * weights have displaced these tables from the caches since the last call.
 */
static void
fetch_next (const PtMethod *method, const PtDelegate *delegate)
{
  const PtDelegate *next = delegate + 1;

  if (next < method->delegates + method->n_delegates && next->backend->fetch != NULL)
    next->backend->fetch (next->handle);
}

static gboolean
run_step (PtMethod *method, const PtPlanStep *step, guint *next, GError **error)
{
  PtExecution *execution = method->execution;
  gboolean condition = TRUE;

  switch (step->kind) {
  case PT_INSTRUCTION_KERNEL: return step->kernel (execution, step->args, step->n_args, error);
  case PT_INSTRUCTION_DELEGATE:
    fetch_next (method, step->delegate);
    return step->delegate->backend->execute (step->delegate->handle, execution, step->args,
                                             step->n_args, error);
  case PT_INSTRUCTION_MOVE: *step->to = *step->from; return TRUE;
  case PT_INSTRUCTION_JUMP_FALSE:
    if (!read_condition (step->from, &condition, error))
      return FALSE;
    if (!condition)
      *next = step->target;
    return TRUE;
  case PT_INSTRUCTION_FREE: return free_tensor (step, error);
  }
  return FALSE;
}

static const char *
describe_step (const PtMethod *method, guint chain, guint pc)
{
  const PtInstruction *instruction = &method->plan->chains[chain].instructions[pc];

  switch (instruction->kind) {
  case PT_INSTRUCTION_KERNEL: return method->plan->operators[instruction->op];
  case PT_INSTRUCTION_DELEGATE: return method->plan->delegates[instruction->op].id;
  default: return "control flow";
  }
}

/*
 * Prefixes the error @cause with the instruction; a kernel that failed without an error gets one.
 */
static gboolean
fail_step (const PtMethod *method, guint chain, guint pc, GError *cause, GError **error)
{
  if (cause == NULL)
    return pt_fail (error, PT_ERROR_INTERNAL, "Method %s, instruction %u (%s) failed.",
                    method->plan->name, pc, describe_step (method, chain, pc));
  if (!g_error_matches (cause, PT_ERROR, PT_ERROR_CANCELLED))
    pt_prefix_error (&cause, "Method %s, instruction %u (%s): ", method->plan->name, pc,
                     describe_step (method, chain, pc));
  g_propagate_error (error, cause);
  return FALSE;
}

static gint64
now_ns (void)
{
#ifdef G_OS_WIN32
  return g_get_monotonic_time () * 1000;
#else
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (gint64) t.tv_sec * 1000000000 + t.tv_nsec;
#endif
}

/* Waits for a delegate that may only have started its work. */
static gboolean
finish_step (const PtPlanStep *step, GError **error)
{
  const PtDelegate *delegate = step->delegate;

  return step->kind != PT_INSTRUCTION_DELEGATE || delegate->backend->finish == NULL ||
         delegate->backend->finish (delegate->handle, error);
}

static gboolean
run_profiled_step (PtMethod *method, guint chain, guint pc, guint *next, GError **error)
{
  const PtPlanStep *step = &method->chains[chain].steps[pc];
  gint64 begin = now_ns ();
  gboolean ok = run_step (method, step, next, error) && finish_step (step, error);

  method->profile (method->profile_data, chain, pc, begin, now_ns ());
  return ok;
}

static gboolean
run_chain (PtMethod *method, guint chain, guint64 *budget, GError **error)
{
  const PtStepList *list = &method->chains[chain];
  guint pc = 0, next;

  while (pc < list->n_steps) {
    GError *cause = NULL;
    gboolean ok;

    if (pt_execution_is_cancelled (method->execution))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    if ((*budget)-- == 0)
      return pt_fail (error, PT_ERROR_PROGRAM,
                      "Method %s was stopped after %" G_GUINT64_FORMAT
                      " instructions: it seems to loop forever (ExecuTorch error 0x23).",
                      method->plan->name, method->max_instructions);
    next = pc + 1;
    if (G_UNLIKELY (method->profile != NULL))
      ok = run_profiled_step (method, chain, pc, &next, &cause);
    else
      ok = run_step (method, &list->steps[pc], &next, &cause);
    pt_execution_reset (method->execution);
    /* Cancelled loops ended early, so the error of the instruction means nothing. */
    if (pt_execution_is_cancelled (method->execution)) {
      g_clear_error (&cause);
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    }
    if (!check_lost (method, error)) {
      g_clear_error (&cause); /* The error may be a consequence of lost bytes that read as zeros. */
      return FALSE;
    }
    if (!ok)
      return fail_step (method, chain, pc, cause, error);
    pc = next;
  }
  return TRUE;
}

static gboolean
check_inputs_set (const PtMethod *method, GError **error)
{
  guint i;

  for (i = 0; i < method->plan->n_inputs; i++)
    if (!method->inputs[i].is_set)
      return pt_fail (error, PT_ERROR_STATE,
                      "Input %u of method %s was not given (ExecuTorch error 0x12).", i,
                      method->plan->name);
  return TRUE;
}

/*
 * Inputs whose bytes are used in place must be given again before the next run, because the bytes
 * may be freed by then.
 */
static void
forget_borrowed_inputs (PtMethod *method)
{
  guint i;

  for (i = 0; i < method->plan->n_inputs; i++)
    if (method->inputs[i].tensor != NULL &&
        (!method->inputs[i].is_planned ||
         method->inputs[i].tensor->data != method->inputs[i].place.data))
      method->inputs[i].is_set = FALSE;
}

static gboolean
is_stopped (gpointer cancellable)
{
  return g_cancellable_is_cancelled (cancellable);
}

static void
set_cancellable (PtExecution *execution, GCancellable *cancellable)
{
  execution->cancellable = cancellable;
  pt_pool_set_stop (execution->pool, cancellable != NULL ? is_stopped : NULL, cancellable);
}

gboolean
pt_method_execute (PtMethod *method, GCancellable *cancellable, GError **error)
{
  guint64 budget = method->max_instructions;
  gboolean ok = TRUE;
  guint c;

  if (!check_inputs_set (method, error) || !check_lost (method, error))
    return FALSE;
  set_cancellable (method->execution, cancellable);
  for (c = 0; ok && c < method->plan->n_chains; c++)
    ok = run_chain (method, c, &budget, error);
  ok = settle (method, ok, error);
  set_cancellable (method->execution, NULL);
  forget_borrowed_inputs (method);
  /* Restore loop counters and moved handles, which an aborted run has left changed. */
  if (!ok && method->plan->n_values > 0)
    memcpy (method->values, method->initial_values, method->plan->n_values * sizeof (PtValue));
  return ok;
}
