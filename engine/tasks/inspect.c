/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect.h"

#include <math.h>
#include <string.h>

#include "engine/runtime/device.h"
#include "engine/runtime/method.h"
#include "engine/tasks/run-private.h"

/* Lists in a report are cut here: a person reads the first ones, a program the counts. */
#define MAX_LISTED 1000

typedef struct {
  PtProgram *program;
  PtDataMap *data;
  json_t *missing;
  GHashTable *mentioned; /* sentences in @missing */
} Inspection;

static void
add_missing (Inspection *in, char *sentence)
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

static json_t *
describe_value (const PtPlan *plan, gint32 index)
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
    json_array_append_new (array, describe_value (plan, indices[i]));
  return array;
}

/* Operators, by number of calls in the program's order of operators. */
static json_t *
describe_operators (Inspection *in, const PtPlan *plan, guint *n_instructions)
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
      add_missing (in, g_strdup_printf ("the operator %s", name));
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
describe_delegate (Inspection *in, const PtPlan *plan, const PtDelegateSpec *spec,
                   const PtBackend *backend, json_t *nodes)
{
  PtDelegateContext context = {
    .program = in->program,
    .data = in->data,
    .spec = spec,
    .method = plan->name,
    .pool = pt_pool_default (),
  };
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  if (backend->describe == NULL)
    return;
  if (backend->describe (&context, lines, &error))
    add_nodes (nodes, lines->str);
  else
    add_missing (in, g_strdup (error->message));
}

static gboolean
is_available (Inspection *in, const char *id, const PtBackend *backend)
{
  g_autoptr (GError) reason = NULL;

  if (backend == NULL) {
    add_missing (in, g_strdup_printf ("the backend %s", id));
    return FALSE;
  }
  if (backend->is_available == NULL || backend->is_available (&reason))
    return TRUE;
  add_missing (in, g_strdup_printf ("the backend %s: %s", id, reason->message));
  return FALSE;
}

/* The entry of backend @id in @array, made if it is new. */
static json_t *
backend_entry (Inspection *in, json_t *array, const char *id, gboolean *available)
{
  const PtBackend *backend = pt_backend_find (id);
  json_t *entry;
  size_t i;

  json_array_foreach (array, i, entry) {
    if (strcmp (json_string_value (json_object_get (entry, "backend")), id) == 0) {
      *available = json_is_true (json_object_get (entry, "available"));
      return entry;
    }
  }
  *available = is_available (in, id, backend);
  entry = json_pack ("{s:s, s:b, s:i, s:i, s:{}}", "backend", id, "available", *available, "count",
                     0, "payload_bytes", 0, "nodes");
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
describe_delegates (Inspection *in, const PtPlan *plan)
{
  json_t *array = json_array ();
  guint i;

  for (i = 0; i < plan->n_delegates; i++) {
    const PtDelegateSpec *spec = &plan->delegates[i];
    gboolean available;
    json_t *entry = backend_entry (in, array, spec->id, &available);

    if (entry == NULL)
      continue;
    add_to (entry, "count", 1);
    add_to (entry, "payload_bytes", spec->payload_size);
    if (available)
      describe_delegate (in, plan, spec, pt_backend_find (spec->id),
                         json_object_get (entry, "nodes"));
  }
  return array;
}

static guint64
planned_bytes (Inspection *in, const PtPlan *plan)
{
  guint64 total = 0;
  guint i;

  for (i = 1; i < plan->n_buffers; i++) {
    const PtBufferSpec *buffer = &plan->buffers[i];

    total = buffer->size <= G_MAXINT64 - total ? total + buffer->size : G_MAXINT64;
    if (buffer->device_type != PT_DEVICE_CPU && pt_device_find (buffer->device_type) == NULL)
      add_missing (in,
                   g_strdup_printf ("memory on the device %s:%d",
                                    pt_device_name (buffer->device_type), buffer->device_index));
  }
  return total;
}

static json_t *
describe_method (Inspection *in, const PtPlan *plan)
{
  guint n_instructions;
  json_t *operators = describe_operators (in, plan, &n_instructions);
  json_t *delegates = describe_delegates (in, plan);

  return json_pack ("{s:o, s:I, s:i, s:o, s:o, s:o, s:o}", "name", pt_json_text (plan->name),
                    "planned_bytes", (json_int_t) planned_bytes (in, plan), "instructions",
                    (int) n_instructions, "inputs",
                    describe_values (plan, plan->inputs, plan->n_inputs), "outputs",
                    describe_values (plan, plan->outputs, plan->n_outputs), "operators", operators,
                    "delegates", delegates);
}

static gboolean
is_constant_method (const PtPlan *plan)
{
  guint c;

  if (plan->n_inputs > 0 || plan->n_outputs == 0)
    return FALSE;
  for (c = 0; c < plan->n_chains; c++)
    if (plan->chains[c].n_instructions > 0)
      return FALSE;
  return TRUE;
}

/* A number, a text, or what the tensor looks like. */
static json_t *
constant_value (const PtPlan *plan, gint32 index)
{
  json_t *object = describe_value (plan, index);
  json_t *value = json_object_get (object, "value");

  if (value == NULL)
    return object;
  json_incref (value);
  json_decref (object);
  return value;
}

static json_t *
describe_constant (const PtPlan *plan)
{
  json_t *array;
  guint i;

  if (plan->n_outputs == 1)
    return constant_value (plan, plan->outputs[0]);
  array = json_array ();
  for (i = 0; i < plan->n_outputs; i++)
    json_array_append_new (array, constant_value (plan, plan->outputs[i]));
  return array;
}

static json_t *
describe_data_files (const PtDataMap *data)
{
  json_t *array = json_array ();
  guint i;

  for (i = 0; data != NULL && i < pt_data_map_n_files (data); i++) {
    const PtDataFile *file = pt_data_map_file (data, i);
    const char *path = pt_data_file_path (file);

    json_array_append_new (array, json_pack ("{s:o, s:I, s:i}", "path", pt_json_text (path),
                                             "bytes", (json_int_t) pt_data_file_size (file),
                                             "entries", (int) pt_data_file_n_entries (file)));
  }
  return array;
}

static json_t *
describe_external (Inspection *in)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  json_t *missing = json_array ();
  guint64 bytes = 0;
  guint p, i, found = 0, lost = 0;

  for (p = 0; p < pt_program_n_plans (in->program); p++) {
    const PtPlan *plan = pt_program_plan (in->program, p);

    for (i = 0; i < plan->n_values; i++) {
      const PtTensorSpec *spec = plan->values[i].as_tensor;

      if (plan->values[i].kind != PT_VALUE_TENSOR ||
          (spec->storage != PT_STORAGE_EXTERNAL_CONSTANT &&
           spec->storage != PT_STORAGE_EXTERNAL_PLANNED) ||
          !g_hash_table_add (seen, (gpointer) spec->name))
        continue;
      bytes = spec->nbytes <= G_MAXINT64 - bytes ? bytes + spec->nbytes : G_MAXINT64;
      if (pt_data_map_find (in->data, spec->name, spec->name_length) != NULL)
        found++;
      else if (lost++ < MAX_LISTED)
        json_array_append_new (missing, pt_run_text (spec->name, spec->name_length));
    }
  }
  if (lost > 0)
    add_missing (in, g_strdup_printf (in->data == NULL
                                          ? "a data file (.ptd) with %u tensors"
                                          : "%u tensors that are in none of the data files",
                                      lost));
  return json_pack ("{s:i, s:I, s:i, s:o}", "count", (int) (found + lost), "bytes",
                    (json_int_t) bytes, "found", (int) found, "missing", missing);
}

static json_t *
describe_named_data (const PtProgram *program)
{
  json_t *entries = json_array ();
  guint64 bytes = 0;
  guint i, n = pt_program_n_named_data (program);

  for (i = 0; i < n; i++) {
    const PtNamedData *named = pt_program_named_data (program, i);

    bytes = named->size <= G_MAXINT64 - bytes ? bytes + named->size : G_MAXINT64;
    if (i < MAX_LISTED)
      json_array_append_new (entries, json_pack ("{s:o, s:I}", "key",
                                                 pt_run_text (named->key, named->key_length),
                                                 "bytes", (json_int_t) named->size));
  }
  return json_pack ("{s:i, s:I, s:o}", "count", (int) n, "bytes", (json_int_t) bytes, "entries",
                    entries);
}

/* Data files that cannot be used are one of the things that are missing. */
static void
open_data (Inspection *in, const char *model, const char *const *data)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) beside = NULL;

  if (data == NULL && pt_program_needs_data (in->program)) {
    beside = pt_run_data_beside (model);
    data = (const char *const *) beside;
  }
  if (data == NULL || data[0] == NULL)
    return;
  in->data = pt_data_map_open (data, &error);
  if (in->data == NULL)
    add_missing (in, g_strdup (error->message));
}

static json_t *
describe_program (Inspection *in)
{
  const char *path = pt_program_path (in->program);
  json_t *methods = json_array ();
  json_t *constants = json_object ();
  guint i;

  for (i = 0; i < pt_program_n_plans (in->program); i++) {
    const PtPlan *plan = pt_program_plan (in->program, i);
    g_autofree char *name = g_utf8_make_valid (plan->name, -1);

    if (is_constant_method (plan))
      json_object_set_new (constants, name, describe_constant (plan));
    else
      json_array_append_new (methods, describe_method (in, plan));
  }
  return json_pack ("{s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "path", pt_json_text (path), "bytes",
                    (json_int_t) pt_program_size (in->program), "methods", methods,
                    "constant_methods", constants, "data_files", describe_data_files (in->data),
                    "external_tensors", describe_external (in), "named_data",
                    describe_named_data (in->program));
}

char *
pt_inspect (const char *model, const char *const *data, GError **error)
{
  g_autoptr (GHashTable) mentioned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (PtProgram) program = pt_program_open (model, error);
  Inspection in = { .program = program, .mentioned = mentioned };
  json_t *report;

  if (program == NULL)
    return NULL;
  in.missing = json_array ();
  open_data (&in, model, data);
  report = describe_program (&in);
  json_object_set_new (report, "ok", json_boolean (json_array_size (in.missing) == 0));
  json_object_set_new (report, "missing", in.missing);
  g_clear_pointer (&in.data, pt_data_map_unref);
  return pt_run_finish (report);
}
