/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/inspect-private.h"

#include <math.h>
#include <string.h>

#include "engine/base/system-usage.h"
#include "engine/runtime/device.h"
#include "engine/runtime/method.h"
#include "engine/tasks/models/family.h"
#include "engine/tasks/models/memory-needs.h"
#include "engine/base/trusted-files.h"

/* Larger programs would make a report wait. */
#define MAX_HASHED (64u << 20)

void
pt_inspect_missing (PtInspection *in, char *sentence)
{
  if (g_hash_table_add (in->mentioned, sentence))
    json_array_append_new (in->missing, pt_json_text (sentence));
}

static json_t *
json_number (double number)
{
  return isfinite (number) ? json_real (number) : json_null ();
}

static json_t *
describe_tensor (const PtPlan *plan, const PtTensorSpec *spec)
{
  const char *device = "cpu";
  json_t *shape = json_array ();
  guint i;

  for (i = 0; i < spec->rank; i++)
    json_array_append_new (shape, json_integer (spec->sizes[i]));
  /* A device tag is no promise: planned memory is where its buffer is. */
  if (spec->storage == PT_STORAGE_PLANNED || spec->storage == PT_STORAGE_EXTERNAL_PLANNED)
    device = pt_device_name (plan->buffers[spec->memory_id].device_type);
  else if (spec->storage == PT_STORAGE_NONE)
    device = pt_device_name (spec->device_type);
  return json_pack ("{s:s, s:s, s:o, s:b, s:b, s:s}", "kind", "tensor", "dtype",
                    pt_dtype_name (spec->dtype), "shape", shape, "dynamic",
                    spec->dynamism == PT_DYNAMISM_BOUND, "planned",
                    spec->storage != PT_STORAGE_NONE, "device", device);
}

json_t *
pt_inspect_value (const PtPlan *plan, gint32 index)
{
  const PtValueSpec *value = &plan->values[index];

  switch (value->kind) {
  case PT_VALUE_TENSOR: return describe_tensor (plan, value->as_tensor);
  case PT_VALUE_INT:
    return json_pack ("{s:s, s:I}", "kind", "int", "value", (json_int_t) value->as_int);
  case PT_VALUE_BOOL: return json_pack ("{s:s, s:b}", "kind", "bool", "value", value->as_bool);
  case PT_VALUE_DOUBLE:
    return json_pack ("{s:s, s:o}", "kind", "double", "value", json_number (value->as_double));
  case PT_VALUE_STRING:
    return json_pack ("{s:s, s:o}", "kind", "string", "value",
                      pt_run_text (value->as_string.data, value->as_string.length));
  case PT_VALUE_NONE: return json_pack ("{s:s}", "kind", "none");
  default: return json_pack ("{s:s}", "kind", "list");
  }
}

static json_t *
describe_values (const PtPlan *plan, const gint32 *indices, guint count)
{
  json_t *array = json_array ();
  guint i;

  for (i = 0; i < count; i++)
    json_array_append_new (array, pt_inspect_value (plan, indices[i]));
  return array;
}

/* Operators, by number of calls in the program's order of operators. */
static json_t *
describe_operators (PtInspection *in, const PtPlan *plan, guint *n_instructions)
{
  g_autofree guint *counts = g_new0 (guint, plan->n_operators);
  json_t *array = json_array ();
  guint c, i;

  *n_instructions = 0;
  for (c = 0; c < plan->n_chains; c++) {
    *n_instructions += plan->chains[c].n_instructions;
    for (i = 0; i < plan->chains[c].n_instructions; i++)
      if (plan->chains[c].instructions[i].kind == PT_INSTRUCTION_KERNEL)
        counts[plan->chains[c].instructions[i].op]++;
  }
  for (i = 0; i < plan->n_operators; i++) {
    const char *name = plan->operators[i];
    gboolean available = pt_operator_find (name) != NULL;

    if (counts[i] == 0)
      continue;
    if (!available)
      pt_inspect_missing (in, g_strdup_printf ("the operator %s", name));
    json_array_append_new (array, json_pack ("{s:o, s:i, s:b}", "name", pt_json_text (name),
                                             "count", (int) counts[i], "available", available));
  }
  return array;
}

/* Adds the lines "name\tcount" of a backend's description to @nodes. */
static void
add_nodes (json_t *nodes, const char *lines)
{
  g_auto (GStrv) list = g_strsplit (lines, "\n", -1);
  guint i;

  for (i = 0; list[i] != NULL; i++) {
    char *tab = strchr (list[i], '\t');
    json_t *before;

    if (tab == NULL)
      continue;
    *tab = '\0';
    before = json_object_get (nodes, list[i]);
    json_object_set_new (
        nodes, list[i],
        json_integer (json_integer_value (before) + g_ascii_strtoll (tab + 1, NULL, 10)));
  }
}

static void
describe_nodes (PtInspection *in, const PtDelegateContext *context, const PtBackend *backend,
                json_t *nodes)
{
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  if (backend->describe (context, lines, &error))
    add_nodes (nodes, lines->str);
  else
    pt_inspect_missing (in, g_strdup (error->message));
}

static void
describe_delegate (PtInspection *in, const PtPlan *plan, const PtDelegateSpec *spec, json_t *entry)
{
  const PtBackend *backend = pt_backend_find (spec->id);
  PtDelegateContext context = {
    .program = in->program,
    .data = in->data,
    .spec = spec,
    .method = plan->name,
    .pool = pt_pool_default (),
  };
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  json_t *report = NULL;

  if (backend != NULL && backend->report != NULL)
    report = backend->report (&context, missing);
  if (report != NULL)
    json_array_append_new (json_object_get (entry, "contents"), report);
  for (guint i = 0; i < missing->len; i++)
    pt_inspect_missing (in, missing->pdata[i]);
  if (json_is_true (json_object_get (entry, "available")) && backend->describe != NULL)
    describe_nodes (in, &context, backend, json_object_get (entry, "nodes"));
}

static gboolean
is_available (PtInspection *in, const char *id, const PtBackend *backend)
{
  g_autoptr (GError) reason = NULL;

  if (backend == NULL) {
    pt_inspect_missing (in, g_strdup_printf ("the backend %s", id));
    return FALSE;
  }
  if (backend->is_available == NULL || backend->is_available (&reason))
    return TRUE;
  pt_inspect_missing (in, g_strdup_printf ("the backend %s: %s", id, reason->message));
  return FALSE;
}

/* The entry of backend @id in @array, made if it is new. */
static json_t *
backend_entry (PtInspection *in, json_t *array, const char *id)
{
  const PtBackend *backend = pt_backend_find (id);
  json_t *entry;
  size_t i;

  json_array_foreach (array, i, entry) {
    if (strcmp (json_string_value (json_object_get (entry, "backend")), id) == 0)
      return entry;
  }
  entry = json_pack ("{s:s, s:b, s:i, s:i, s:{}, s:[]}", "backend", id, "available",
                     is_available (in, id, backend), "count", 0, "payload_bytes", 0, "nodes",
                     "contents");
  if (entry != NULL) /* NULL: the id is no text */
    json_array_append_new (array, entry);
  return entry;
}

static void
add_to (json_t *object, const char *key, gsize amount)
{
  json_int_t before = json_integer_value (json_object_get (object, key));

  json_object_set_new (object, key, json_integer (before + (json_int_t) amount));
}

static json_t *
describe_delegates (PtInspection *in, const PtPlan *plan)
{
  json_t *array = json_array ();
  guint i;

  for (i = 0; i < plan->n_delegates; i++) {
    const PtDelegateSpec *spec = &plan->delegates[i];
    json_t *entry = backend_entry (in, array, spec->id);

    if (entry == NULL)
      continue;
    add_to (entry, "count", 1);
    add_to (entry, "payload_bytes", spec->payload_size);
    describe_delegate (in, plan, spec, entry);
  }
  return array;
}

static guint64
planned_bytes (PtInspection *in, const PtPlan *plan)
{
  guint64 total = 0, physical, available;
  guint i;

  for (i = 1; i < plan->n_buffers; i++)
    total =
        plan->buffers[i].size <= G_MAXINT64 - total ? total + plan->buffers[i].size : G_MAXINT64;
  if (pt_machine_memory (&physical, &available) && total > physical) {
    g_autofree char *wanted = g_format_size (total), *has = g_format_size (physical);

    pt_inspect_missing (in, g_strdup_printf ("memory: method %s needs %s, and this machine has %s",
                                             plan->name, wanted, has));
  }
  return total;
}

static json_t *
describe_buffers (PtInspection *in, const PtPlan *plan)
{
  json_t *array = json_array ();
  guint i;

  for (i = 1; i < plan->n_buffers; i++) {
    const PtBufferSpec *buffer = &plan->buffers[i];
    const char *device = pt_device_name (buffer->device_type);

    json_array_append_new (array, json_pack ("{s:I, s:s, s:i}", "bytes",
                                             (json_int_t) MIN (buffer->size, G_MAXINT64), "device",
                                             device, "device_index", (int) buffer->device_index));
    if (buffer->device_type != PT_DEVICE_CPU && pt_device_find (buffer->device_type) == NULL)
      pt_inspect_missing (
          in, g_strdup_printf ("memory on the device %s:%d", device, buffer->device_index));
  }
  return array;
}

static json_t *
describe_method (PtInspection *in, const PtPlan *plan)
{
  guint n_instructions;
  json_t *operators = describe_operators (in, plan, &n_instructions);
  json_t *delegates = describe_delegates (in, plan);

  return json_pack ("{s:o, s:I, s:o, s:i, s:o, s:o, s:o, s:o}", "name", pt_json_text (plan->name),
                    "planned_bytes", (json_int_t) planned_bytes (in, plan), "buffers",
                    describe_buffers (in, plan), "instructions", (int) n_instructions, "inputs",
                    describe_values (plan, plan->inputs, plan->n_inputs), "outputs",
                    describe_values (plan, plan->outputs, plan->n_outputs), "operators", operators,
                    "delegates", delegates);
}

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

/* What consent is asked for. */
static json_t *
describe_native_code (const PtInspection *in)
{
  const char *digest;

  if (!has_native_code (in->program))
    return json_null ();
  if (pt_program_size (in->program) > MAX_HASHED)
    return json_pack ("{s:n, s:n}", "sha256", "trusted");
  digest = pt_program_digest (in->program);
  return json_pack ("{s:s, s:b}", "sha256", digest, "trusted", pt_trust_is_remembered (digest));
}

static json_t *
describe_program (PtInspection *in)
{
  const char *path = pt_program_path (in->program);
  json_t *methods = json_array ();
  json_t *constants = json_object ();
  guint i;

  for (i = 0; i < pt_program_n_plans (in->program); i++) {
    const PtPlan *plan = pt_program_plan (in->program, i);
    g_autofree char *name = g_utf8_make_valid (plan->name, -1);

    if (pt_inspect_is_constant (plan))
      json_object_set_new (constants, name, pt_inspect_constant (in, plan));
    else
      json_array_append_new (methods, describe_method (in, plan));
  }
  return json_pack ("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "path",
                    pt_json_text (path), "bytes", (json_int_t) pt_program_size (in->program),
                    "parts", pt_inspect_parts (in), "native_code", describe_native_code (in),
                    "methods", methods, "constant_methods", constants, "data_files",
                    pt_inspect_data_files (in), "external_tensors", pt_inspect_external (in),
                    "named_data", pt_inspect_named_data (in), "tests", pt_inspect_tests (in));
}

static void
inspection_clear (PtInspection *in)
{
  g_clear_pointer (&in->missing, json_decref);
  g_clear_pointer (&in->mentioned, g_hash_table_unref);
  g_clear_pointer (&in->data, pt_data_map_unref);
  g_clear_pointer (&in->program, pt_program_unref);
  g_clear_pointer (&in->bundle, pt_bundle_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtInspection, inspection_clear)

static json_t *
describe_family (const PtProgram *program)
{
  g_autofree char *why = NULL;
  const PtFamilyInfo *info = pt_family_info (pt_family_of (program, &why));

  return json_pack ("{s:s, s:s, s:s, s:o}", "id", info->id, "name", info->name, "task",
                    pt_model_task_name (info->task), "why",
                    why != NULL ? pt_json_text (why) : json_null ());
}

static json_t *
json_bytes (guint64 bytes)
{
  return json_integer ((json_int_t) MIN (bytes, G_MAXINT64));
}

static json_t *
describe_memory (const PtInspection *in)
{
  PtNeeds needs;
  guint bits;

  pt_needs_measure (in->program, in->data, &needs, &bits);
  return json_pack ("{s:o, s:o, s:o, s:o, s:i}", "weights_bytes", json_bytes (needs.weights),
                    "working_bytes", json_bytes (needs.working), "state_bytes",
                    json_bytes (needs.state), "gpu_bytes", json_bytes (needs.gpu), "weight_bits",
                    (int) bits);
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

/* What else the runtime refuses, when nothing is known to be missing: memory that the system does
 * not give to this process, say. */
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

char *
pt_inspect (const char *model, const char *const *data, GError **error)
{
  g_auto (PtInspection) in = { 0 };
  json_t *report;

  in.program = pt_run_open_program (model, &in.bundle, error);
  if (in.program == NULL)
    return NULL;
  in.mentioned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  in.missing = json_array ();
  open_data (&in, model, data);
  report = describe_program (&in);
  if (json_array_size (in.missing) == 0)
    try_methods (&in);
  json_object_set_new (report, "family", describe_family (in.program));
  json_object_set_new (report, "memory", describe_memory (&in));
  json_object_set_new (report, "ok", json_boolean (json_array_size (in.missing) == 0));
  json_object_set (report, "missing", in.missing);
  return pt_json_steal_lines (report);
}
