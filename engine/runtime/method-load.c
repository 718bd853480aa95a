/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/runtime/method-private.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/program/mapping.h"

#define DEFAULT_MAX_INSTRUCTIONS 10000000

/* Sets where the bytes of a tensor are when the method is loaded. */
static gboolean
find_place (PtMethod *method, const PtTensorSpec *spec, PtPlace *place, GError **error)
{
  gsize item = pt_dtype_size (spec->dtype);
  const PtBuffer *buffer;

  memset (place, 0, sizeof *place);
  switch (spec->storage) {
  case PT_STORAGE_NONE:
    /*
     * The device tag says where the caller's memory is. When that device is absent, the memory can
     * only be on the host.
     */
    if (pt_device_find (spec->device_type) != NULL) {
      place->device_type = spec->device_type;
      place->device_index = spec->device_type != PT_DEVICE_CPU ? method->device : 0;
    }
    return TRUE;
  case PT_STORAGE_CONSTANT: place->data = (gpointer) spec->data; break;
  case PT_STORAGE_EXTERNAL_CONSTANT:
    place->data = (gpointer) pt_external_bytes (method->data, spec, error);
    if (place->data == NULL)
      return FALSE;
    break;
  case PT_STORAGE_PLANNED:
  case PT_STORAGE_EXTERNAL_PLANNED:
    buffer = &method->buffers[spec->memory_id];
    place->device_type = buffer->device_type;
    place->device_index = buffer->device_index;
    if (buffer->data != NULL)
      place->data = (guint8 *) buffer->data + spec->memory_offset;
    break;
  }
  place->is_constant =
      spec->storage == PT_STORAGE_CONSTANT || spec->storage == PT_STORAGE_EXTERNAL_CONSTANT;
  place->capacity = spec->nbytes;
  if (spec->nbytes > 0 && (guintptr) place->data % item != 0)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "The program is damaged: a tensor is not aligned to its elements "
                    "(ExecuTorch error 0x23).");
  return TRUE;
}

static PtPlace
place_of (const PtTensor *tensor)
{
  return (PtPlace){ .data = tensor->data,
                    .capacity = tensor->capacity,
                    .device_type = tensor->device_type,
                    .device_index = tensor->device_index,
                    .is_constant = tensor->is_constant };
}

void
pt_place_tensor (PtTensor *tensor, const PtPlace *place)
{
  tensor->data = place->data;
  tensor->capacity = place->capacity;
  tensor->device_type = place->device_type;
  tensor->device_index = place->device_index;
  tensor->is_constant = place->is_constant;
  tensor->version = 0;
}

static gboolean
load_tensor (PtMethod *method, const PtTensorSpec *spec, PtTensor *tensor, GError **error)
{
  gint64 sizes[PT_MAX_RANK];
  PtPlace place;
  guint i;

  for (i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  if (!find_place (method, spec, &place, error) ||
      !pt_tensor_init (tensor, spec->dtype, spec->rank, sizes, spec->dim_order, NULL, error))
    return FALSE;
  tensor->dynamism = spec->dynamism;
  pt_place_tensor (tensor, &place);
  return TRUE;
}

/* Creates the values; pt_method_resolve() fills in the items of lists. */
static gboolean
load_values (PtMethod *method, GError **error)
{
  const PtPlan *plan = method->plan;
  PtTensor *tensor;
  guint i, n_tensors = 0;

  for (i = 0; i < plan->n_values; i++)
    n_tensors += plan->values[i].kind == PT_VALUE_TENSOR;
  method->values = pt_allocate (plan->n_values, sizeof (PtValue), error);
  if (method->values == NULL)
    return FALSE;
  method->tensors = tensor = pt_allocate (n_tensors, sizeof (PtTensor), error);
  if (tensor == NULL)
    return FALSE;

  for (i = 0; i < plan->n_values; i++) {
    const PtValueSpec *spec = &plan->values[i];
    PtValue *value = &method->values[i];

    value->kind = spec->kind;
    switch (spec->kind) {
    case PT_VALUE_NONE: break;
    case PT_VALUE_INT: value->as_int = spec->as_int; break;
    case PT_VALUE_BOOL: value->as_bool = spec->as_bool; break;
    case PT_VALUE_DOUBLE: value->as_double = spec->as_double; break;
    case PT_VALUE_STRING:
      value->as_string.data = spec->as_string.data;
      value->as_string.length = spec->as_string.length;
      break;
    case PT_VALUE_DOUBLE_LIST:
      value->as_doubles.items = spec->as_doubles.items;
      value->as_doubles.count = spec->as_doubles.count;
      break;
    case PT_VALUE_BOOL_LIST:
      value->as_bools.items = spec->as_bools.items;
      value->as_bools.count = spec->as_bools.count;
      break;
    case PT_VALUE_INT_LIST:
    case PT_VALUE_TENSOR_LIST:
    case PT_VALUE_OPTIONAL_TENSOR_LIST: break;
    case PT_VALUE_TENSOR:
      value->as_tensor = tensor;
      if (!load_tensor (method, spec->as_tensor, tensor++, error))
        return FALSE;
      break;
    }
  }
  return TRUE;
}

static gboolean
load_inputs (PtMethod *method, GError **error)
{
  const PtPlan *plan = method->plan;
  guint i;

  method->inputs = pt_allocate (plan->n_inputs, sizeof (PtInput), error);
  if (method->inputs == NULL)
    return FALSE;
  for (i = 0; i < plan->n_inputs; i++) {
    const PtValueSpec *spec = &plan->values[plan->inputs[i]];
    PtInput *input = &method->inputs[i];
    PtTensor *tensor;

    if (spec->kind != PT_VALUE_TENSOR)
      continue;
    tensor = input->tensor = method->values[plan->inputs[i]].as_tensor;
    input->is_planned = spec->as_tensor->storage != PT_STORAGE_NONE;
    input->place = place_of (tensor);
    input->may_stay = pt_method_input_may_stay (plan, i);
  }
  return TRUE;
}

/* Allocates memory of the upper bound for outputs that are not planned. */
static gboolean
load_outputs (PtMethod *method, guint64 limit, GError **error)
{
  const PtPlan *plan = method->plan;
  g_autofree guint8 *is_input = pt_allocate (plan->n_values, 1, error);
  guint i;

  method->outputs =
      is_input != NULL ? pt_allocate (plan->n_outputs, sizeof (PtOutput), error) : NULL;
  if (method->outputs == NULL)
    return FALSE;
  for (i = 0; i < plan->n_inputs; i++)
    is_input[plan->inputs[i]] = TRUE;
  for (i = 0; i < plan->n_outputs; i++) {
    const PtValueSpec *spec = &plan->values[plan->outputs[i]];
    PtOutput *output = &method->outputs[i];
    PtTensor *tensor;

    if (spec->kind != PT_VALUE_TENSOR)
      continue;
    tensor = output->tensor = method->values[plan->outputs[i]].as_tensor;
    output->place = place_of (tensor);
    if (spec->as_tensor->storage != PT_STORAGE_NONE || spec->as_tensor->nbytes == 0 ||
        is_input[plan->outputs[i]] || tensor->data != NULL)
      continue; /* the last condition: two outputs are the same value */
    if (spec->as_tensor->nbytes > limit)
      return pt_fail (error, PT_ERROR_MEMORY,
                      "Output %u of the program takes up to %.1f GB, more than the limit "
                      "(ExecuTorch error 0x21).",
                      i, (double) spec->as_tensor->nbytes / 1e9);
    if (!pt_buffer_allocate (&output->memory, tensor->device_type, tensor->device_index,
                             spec->as_tensor->nbytes, error))
      return FALSE;
    tensor->data = output->memory.data;
    tensor->capacity = output->memory.size;
    output->place = place_of (tensor);
  }
  return TRUE;
}

static gboolean
load_delegates (PtMethod *method, guint64 limit, const PtMethodOptions *options, GError **error)
{
  const PtPlan *plan = method->plan;
  guint i;

  for (i = 0; i < plan->n_delegates; i++) {
    PtDelegateContext context = {
      .program = method->program,
      .data = method->data,
      .spec = &plan->delegates[i],
      .method = plan->name,
      .pool = pt_execution_pool (method->execution),
      .max_bytes = limit,
      .trust = options->trust,
      .device = method->device,
      .exact = options->exact,
      .scope = options->scope != NULL ? options->scope : method,
    };
    PtDelegate *delegate = &method->delegates[i];

    delegate->backend = pt_backend_find (plan->delegates[i].id);
    delegate->handle = delegate->backend->init (&context, error);
    if (delegate->handle == NULL)
      return FALSE;
    method->n_delegates++;
  }
  return TRUE;
}

static gboolean
allocate_tables (PtMethod *method, GError **error)
{
  const PtPlan *plan = method->plan;

  method->buffers = pt_allocate (plan->n_buffers, sizeof (PtBuffer), error);
  if (method->buffers == NULL)
    return FALSE;
  method->delegates = pt_allocate (plan->n_delegates, sizeof (PtDelegate), error);
  if (method->delegates == NULL)
    return FALSE;
  method->initial_values = pt_allocate (plan->n_values, sizeof (PtValue), error);
  return method->initial_values != NULL;
}

/*
 * Loads everything except the initial state and the delegates, so that no weights are read and no
 * native code runs.
 */
static gboolean
load_plan (PtMethod *method, const PtMethodOptions *options, const PtSharedState *shared,
           GError **error)
{
  const PtPlan *plan = method->plan;
  guint64 limit = pt_planned_limit (options);

  method->n_lost = pt_mappings_lost ();
  method->max_instructions =
      options->max_instructions > 0 ? options->max_instructions : DEFAULT_MAX_INSTRUCTIONS;
  method->device = (gint8) CLAMP (options->device, 0, G_MAXINT8);
  method->execution = pt_execution_new (options->pool, error);
  if (method->execution == NULL || !allocate_tables (method, error) ||
      !pt_method_allocate_buffers (method, limit, shared, error) || !load_values (method, error) ||
      !pt_method_resolve (method, error))
    return FALSE;
  if (!load_inputs (method, error) || !load_outputs (method, limit, error))
    return FALSE;
  memcpy (method->initial_values, method->values, plan->n_values * sizeof (PtValue));
  return TRUE;
}

static gboolean
load (PtMethod *method, const PtMethodOptions *options, const PtSharedState *shared, GError **error)
{
  return load_plan (method, options, shared, error) &&
         pt_method_fill_initial_state (method, error) &&
         load_delegates (method, pt_planned_limit (options), options, error) &&
         pt_method_mark_handovers (method, error);
}

static gboolean
fail_no_method (const PtProgram *program, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint i;

  for (i = 0; i < pt_program_n_plans (program); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", pt_program_plan (program, i)->name);
  return pt_fail (error, PT_ERROR_NOT_FOUND,
                  "%s has no method \"%s\"; it has: %s (ExecuTorch error 0x12).",
                  pt_program_path (program), name, names->str);
}

static const PtMethodOptions DEFAULTS = { 0 };

/* Allocates a method with nothing loaded yet. */
static PtMethod *
make_method (PtProgram *program, PtDataMap *data, const char *name, GError **error)
{
  const PtPlan *plan = pt_program_find_plan (program, name);
  PtMethod *method;

  if (plan == NULL) {
    fail_no_method (program, name, error);
    return NULL;
  }
  if (!pt_plan_check_available (program, plan, error))
    return NULL;
  method = g_new0 (PtMethod, 1);
  method->program = pt_program_ref (program);
  method->data = data != NULL ? pt_data_map_ref (data) : NULL;
  method->plan = plan;
  return method;
}

static PtMethod *
new_method (PtProgram *program, PtDataMap *data, const char *name, const PtMethodOptions *options,
            const PtSharedState *shared, GError **error)
{
  g_autoptr (PtMethod) method = make_method (program, data, name, error);

  if (method == NULL)
    return NULL;
  if (!load (method, options != NULL ? options : &DEFAULTS, shared, error)) {
    g_autofree char *display = g_filename_display_name (pt_program_path (program));

    pt_prefix_error (error, "%s, method %s: ", display, name);
    return NULL;
  }
  return g_steal_pointer (&method);
}

gboolean
pt_method_try (PtProgram *program, PtDataMap *data, const char *name, GError **error)
{
  g_autoptr (PtMethod) method = make_method (program, data, name, error);

  return method != NULL && load_plan (method, &DEFAULTS, NULL, error);
}

PtMethod *
pt_method_load_shared (PtProgram *program, PtDataMap *data, const char *name,
                       const PtMethodOptions *options, const PtSharedState *shared, GError **error)
{
  g_autoptr (GError) loss = NULL;
  g_autoptr (PtMethod) method = new_method (program, data, name, options, shared, error);

  if (pt_files_check_intact (program, data, &loss))
    return g_steal_pointer (&method);
  /* When bytes of a file were lost, other errors are only consequences: report the loss. */
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&loss));
  return NULL;
}

PtMethod *
pt_method_load (PtProgram *program, PtDataMap *data, const char *name,
                const PtMethodOptions *options, GError **error)
{
  return pt_method_load_shared (program, data, name, options, NULL, error);
}

void
pt_method_free (PtMethod *method)
{
  const PtPlan *plan;
  guint i;

  if (method == NULL)
    return;
  plan = method->plan;
  for (i = 0; i < method->n_delegates; i++)
    method->delegates[i].backend->destroy (method->delegates[i].handle);
  for (i = 0; method->chains != NULL && i < plan->n_chains; i++)
    g_free (method->chains[i].steps);
  for (i = 0; method->buffers != NULL && i < plan->n_buffers; i++)
    pt_buffer_free (&method->buffers[i]);
  for (i = 0; method->outputs != NULL && i < plan->n_outputs; i++)
    pt_buffer_free (&method->outputs[i].memory);
  for (i = 0; method->inputs != NULL && i < plan->n_inputs; i++)
    pt_buffer_free (&method->inputs[i].device_copy);
  pt_execution_free (method->execution);
  g_free (method->chains);
  g_free (method->delegates);
  g_free (method->buffers);
  g_free (method->outputs);
  g_free (method->inputs);
  g_free (method->slots);
  g_free (method->values);
  g_free (method->initial_values);
  g_free (method->tensors);
  g_clear_pointer (&method->data, pt_data_map_unref);
  pt_program_unref (method->program);
  g_free (method);
}

const PtPlan *
pt_method_plan (const PtMethod *method)
{
  return method->plan;
}

guint
pt_method_n_inputs (const PtMethod *method)
{
  return method->plan->n_inputs;
}

guint
pt_method_n_outputs (const PtMethod *method)
{
  return method->plan->n_outputs;
}

const PtValueSpec *
pt_method_input_spec (const PtMethod *method, guint i)
{
  g_return_val_if_fail (i < method->plan->n_inputs, NULL);
  return &method->plan->values[method->plan->inputs[i]];
}

const PtValueSpec *
pt_method_output_spec (const PtMethod *method, guint i)
{
  g_return_val_if_fail (i < method->plan->n_outputs, NULL);
  return &method->plan->values[method->plan->outputs[i]];
}

guint64
pt_method_planned_bytes (const PtMethod *method)
{
  guint64 total = 0;
  guint i;

  for (i = 1; i < method->plan->n_buffers; i++)
    total += method->buffers[i].size;
  return total;
}
