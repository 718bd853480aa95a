/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/inspect-private.h"

#include "engine/base/system-usage.h"
#include "engine/base/trusted-files.h"
#include "engine/runtime/device.h"
#include "engine/runtime/method.h"
#include "engine/tasks/models/family.h"
#include "engine/tasks/models/memory-needs.h"
#include "engine/tasks/models/model-files.h"

/* Larger programs would make a report wait. */
#define MAX_HASHED (64u << 20)

void
pt_inspect_missing (PtInspection *in, char *sentence)
{
  if (g_hash_table_add (in->mentioned, sentence))
    g_ptr_array_add (in->missing, (gpointer) pt_heap_text (in->heap, sentence));
}

/* ---- methods ---- */

PtArgument
pt_inspect_tensor (const PtInspection *in, const PtTensorSpec *spec)
{
  gint64 sizes[PT_MAX_RANK];

  for (guint i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  return pt_run_describe_tensor (in->heap, spec->dtype, spec->rank, sizes);
}

static PtInspectValue
describe_tensor (const PtInspection *in, const PtPlan *plan, const PtTensorSpec *spec)
{
  PtInspectValue value = {
    .value = pt_inspect_tensor (in, spec),
    .dynamic = spec->dynamism == PT_DYNAMISM_BOUND,
    .planned = spec->storage != PT_STORAGE_NONE,
    .device = "cpu",
  };

  /* A device tag is no promise: planned memory is where its buffer is. */
  if (spec->storage == PT_STORAGE_PLANNED || spec->storage == PT_STORAGE_EXTERNAL_PLANNED)
    value.device = pt_device_name (plan->buffers[spec->memory_id].device_type);
  else if (spec->storage == PT_STORAGE_NONE)
    value.device = pt_device_name (spec->device_type);
  return value;
}

PtInspectValue
pt_inspect_value (const PtInspection *in, const PtPlan *plan, gint32 index)
{
  const PtValueSpec *value = &plan->values[index];
  PtInspectValue out = { .value.kind = PT_ARGUMENT_LIST };

  switch (value->kind) {
  case PT_VALUE_TENSOR: return describe_tensor (in, plan, value->as_tensor);
  case PT_VALUE_INT:
    out.value = (PtArgument){ .kind = PT_ARGUMENT_INT, .as_int = value->as_int };
    break;
  case PT_VALUE_BOOL:
    out.value = (PtArgument){ .kind = PT_ARGUMENT_BOOL, .as_int = value->as_bool != 0 };
    break;
  case PT_VALUE_DOUBLE:
    out.value = (PtArgument){ .kind = PT_ARGUMENT_DOUBLE, .as_double = value->as_double };
    break;
  case PT_VALUE_STRING:
    out.value.kind = PT_ARGUMENT_STRING;
    out.value.as_string = pt_heap_bytes (in->heap, value->as_string.data, value->as_string.length);
    break;
  case PT_VALUE_NONE: out.value.kind = PT_ARGUMENT_NONE; break;
  default: break;
  }
  return out;
}

static const PtInspectValue *
describe_values (const PtInspection *in, const PtPlan *plan, const gint32 *indices, guint count)
{
  PtInspectValue *values = pt_heap_new0 (in->heap, PtInspectValue, count);

  for (guint i = 0; i < count; i++)
    values[i] = pt_inspect_value (in, plan, indices[i]);
  return values;
}

/* Operators, by number of calls in the program's order of operators. */
static void
describe_operators (PtInspection *in, const PtPlan *plan, PtInspectMethod *method)
{
  g_autofree guint *counts = g_new0 (guint, plan->n_operators);
  GArray *operators = g_array_new (FALSE, FALSE, sizeof (PtInspectOperator));

  for (guint c = 0; c < plan->n_chains; c++) {
    method->n_instructions += plan->chains[c].n_instructions;
    for (guint i = 0; i < plan->chains[c].n_instructions; i++)
      if (plan->chains[c].instructions[i].kind == PT_INSTRUCTION_KERNEL)
        counts[plan->chains[c].instructions[i].op]++;
  }
  for (guint i = 0; i < plan->n_operators; i++) {
    const char *name = plan->operators[i];
    PtInspectOperator operator= { .count = counts[i],
                                  .available = pt_operator_find (name) != NULL };

    if (operator.count == 0)
      continue;
    if (!operator.available)
      pt_inspect_missing (in, g_strdup_printf ("the operator %s", name));
    operator.name = pt_heap_text (in->heap, name);
    g_array_append_val (operators, operator);
  }
  method->operators = pt_heap_take_array (in->heap, operators, &method->n_operators);
}

static guint64
planned_bytes (PtInspection *in, const PtPlan *plan)
{
  guint64 total = 0, physical, available;

  for (guint i = 1; i < plan->n_buffers; i++)
    total =
        plan->buffers[i].size <= G_MAXINT64 - total ? total + plan->buffers[i].size : G_MAXINT64;
  if (pt_machine_memory (&physical, &available) && total > physical) {
    g_autofree char *wanted = g_format_size (total), *has = g_format_size (physical);

    pt_inspect_missing (in, g_strdup_printf ("memory: method %s needs %s, and this machine has %s",
                                             plan->name, wanted, has));
  }
  return total;
}

/* Buffer 0 of a plan is no buffer. */
static void
describe_buffers (PtInspection *in, const PtPlan *plan, PtInspectMethod *method)
{
  guint n = MAX (plan->n_buffers, 1) - 1;
  PtInspectBuffer *buffers = pt_heap_new0 (in->heap, PtInspectBuffer, n);

  for (guint i = 0; i < n; i++) {
    const PtBufferSpec *buffer = &plan->buffers[i + 1];
    const char *device = pt_device_name (buffer->device_type);

    buffers[i] = (PtInspectBuffer){ buffer->size, device, buffer->device_index };
    if (buffer->device_type != PT_DEVICE_CPU && pt_device_find (buffer->device_type) == NULL)
      pt_inspect_missing (
          in, g_strdup_printf ("memory on the device %s:%d", device, buffer->device_index));
  }
  method->buffers = buffers;
  method->n_buffers = n;
}

static PtInspectMethod
describe_method (PtInspection *in, const PtPlan *plan)
{
  PtInspectMethod method = { .name = pt_heap_text (in->heap, plan->name),
                             .n_inputs = plan->n_inputs,
                             .n_outputs = plan->n_outputs };

  describe_operators (in, plan, &method);
  pt_inspect_delegates (in, plan, &method);
  describe_buffers (in, plan, &method);
  method.planned_bytes = planned_bytes (in, plan);
  method.inputs = describe_values (in, plan, plan->inputs, plan->n_inputs);
  method.outputs = describe_values (in, plan, plan->outputs, plan->n_outputs);
  return method;
}

static void
describe_methods (PtInspection *in)
{
  GArray *methods = g_array_new (FALSE, FALSE, sizeof (PtInspectMethod));
  GArray *constants = g_array_new (FALSE, FALSE, sizeof (PtInspectConstant));
  PtInspectReport *report = in->report;

  for (guint i = 0; i < pt_program_n_plans (in->program); i++) {
    const PtPlan *plan = pt_program_plan (in->program, i);

    if (pt_inspect_is_constant (plan)) {
      PtInspectConstant constant = pt_inspect_constant (in, plan);

      g_array_append_val (constants, constant);
    } else {
      PtInspectMethod method = describe_method (in, plan);

      g_array_append_val (methods, method);
    }
  }
  report->methods = pt_heap_take_array (in->heap, methods, &report->n_methods);
  report->constants = pt_heap_take_array (in->heap, constants, &report->n_constants);
}

/* ---- the whole program ---- */

/* Data files that cannot be used are one of the things that are missing. */
static void
open_data (PtInspection *in, const char *model, const char *const *data)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) beside = NULL;

  if (data == NULL) {
    beside = pt_run_find_data (in->program, model);
    data = (const char *const *) beside;
  }
  if (data == NULL || data[0] == NULL)
    return;
  in->data = pt_data_map_open (data, &error);
  if (in->data == NULL)
    pt_inspect_missing (in, g_strdup (error->message));
}

static gboolean
has_native_code (const PtProgram *program)
{
  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);

    for (guint k = 0; k < plan->n_delegates; k++) {
      const PtBackend *backend = pt_backend_find (plan->delegates[k].id);

      if (backend != NULL && backend->is_native)
        return TRUE;
    }
  }
  return FALSE;
}

/* Describes the native code that needs the user's consent. */
static void
describe_native_code (PtInspection *in)
{
  PtInspectReport *report = in->report;

  report->native = has_native_code (in->program);
  if (!report->native || pt_program_size (in->program) > MAX_HASHED)
    return;
  report->sha256 = pt_heap_text (in->heap, pt_program_digest (in->program));
  report->trusted = pt_trust_is_remembered (report->sha256);
}

static void
describe_family (PtInspection *in)
{
  g_autofree char *why = NULL;
  const PtFamilyInfo *info = pt_family_info (pt_family_of (in->program, &why));

  in->report->family = info->id;
  in->report->kind = info->name;
  in->report->task = pt_model_task_name (info->task);
  in->report->why = pt_heap_text (in->heap, why);
}

/* Memory on a device is the device's to give, and asking starts its driver. */
static gboolean
is_on_cpu (const PtPlan *plan)
{
  for (guint i = 1; i < plan->n_buffers; i++)
    if (plan->buffers[i].device_type != PT_DEVICE_CPU)
      return FALSE;
  return TRUE;
}

/* Loads the methods to report what the runtime refuses although nothing is missing: memory that the
 * system does not give to this process, say. */
static void
try_methods (PtInspection *in)
{
  for (guint i = 0; i < pt_program_n_plans (in->program); i++) {
    const PtPlan *plan = pt_program_plan (in->program, i);
    g_autoptr (GError) error = NULL;

    if (is_on_cpu (plan) && !pt_method_try (in->program, in->data, plan->name, &error))
      pt_inspect_missing (in, g_strdup_printf ("method %s: %s", plan->name, error->message));
  }
}

static void
inspection_clear (PtInspection *in)
{
  g_clear_pointer (&in->missing, g_ptr_array_unref);
  g_clear_pointer (&in->mentioned, g_hash_table_unref);
  g_clear_pointer (&in->heap, pt_heap_unref);
  g_clear_pointer (&in->data, pt_data_map_unref);
  g_clear_pointer (&in->program, pt_program_unref);
  g_clear_pointer (&in->bundle, pt_bundle_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtInspection, inspection_clear)

static void
list_files (PtInspection *in, const PtModelSet *set)
{
  g_autoptr (PtModelInfo) info = g_new0 (PtModelInfo, 1);
  PtModelFile *files;

  pt_model_files_list (set, info);
  files = pt_heap_new0 (in->heap, PtModelFile, info->n_files);
  for (guint i = 0; i < info->n_files; i++) {
    files[i].path = (char *) pt_heap_text (in->heap, info->files[i].path);
    files[i].role = (char *) pt_heap_text (in->heap, info->files[i].role);
    files[i].reason = (char *) pt_heap_text (in->heap, info->files[i].reason);
  }
  in->report->files = files;
  in->report->n_files = info->n_files;
}

/* @set: NULL: the program was named alone. */
static PtInspectReport *
inspect (const char *model, const char *const *data, const PtModelSet *set, GError **error)
{
  g_auto (PtInspection) in = { 0 };
  PtInspectReport *report;

  in.program = pt_run_open_program (model, &in.bundle, error);
  if (in.program == NULL)
    return NULL;
  in.heap = pt_heap_new ();
  in.report = report = pt_heap_new0 (in.heap, PtInspectReport, 1);
  in.mentioned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  in.missing = g_ptr_array_new ();
  report->path = pt_heap_text (in.heap, pt_program_path (in.program));
  report->bytes = pt_program_size (in.program);
  open_data (&in, model, data);
  describe_methods (&in);
  pt_inspect_tests (&in);
  pt_inspect_named_data (&in);
  pt_inspect_external (&in);
  pt_inspect_data_files (&in);
  pt_inspect_parts (&in);
  describe_native_code (&in);
  if (in.missing->len == 0)
    try_methods (&in);
  describe_family (&in);
  pt_needs_measure (in.program, in.data, &report->memory, &report->weight_bits);
  if (set != NULL)
    list_files (&in, set);
  report->ok = in.missing->len == 0;
  report->missing = pt_heap_take_texts (in.heap, g_steal_pointer (&in.missing));
  report->owner = g_steal_pointer (&in.heap);
  return report;
}

PtInspectReport *
pt_inspect (const char *model, const char *const *data, GError **error)
{
  return inspect (model, data, NULL, error);
}

PtInspectReport *
pt_inspect_set (const PtModelSet *set, const char *const *data, GError **error)
{
  return inspect (set->program, data, set, error);
}
