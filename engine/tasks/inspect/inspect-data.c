/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/inspect-private.h"

static guint64
add_bytes (guint64 total, guint64 more)
{
  return more <= G_MAXINT64 - total ? total + more : G_MAXINT64;
}

json_t *
pt_inspect_data_files (const PtInspection *in)
{
  json_t *array = json_array ();

  for (guint i = 0; in->data != NULL && i < pt_data_map_n_files (in->data); i++) {
    const PtDataFile *file = pt_data_map_file (in->data, i);

    json_array_append_new (array, json_pack ("{s:o, s:I, s:i}", "path",
                                             pt_json_text (pt_data_file_path (file)), "bytes",
                                             (json_int_t) pt_data_file_size (file), "entries",
                                             (int) pt_data_file_n_entries (file)));
  }
  return array;
}

/* Tensors outside the program */

typedef struct {
  guint found, absent, unfit;
  guint64 bytes;
  json_t *entries, *missing;
} External;

static json_t *
describe_shape (const PtTensorSpec *spec)
{
  json_t *shape = json_array ();

  for (guint i = 0; i < spec->rank; i++)
    json_array_append_new (shape, json_integer (spec->sizes[i]));
  return shape;
}

/* Where it was looked for, and what came of it. */
static void
resolve (const PtInspection *in, const PtTensorSpec *spec, External *external, json_t *entry)
{
  const PtDataEntry *found = pt_data_map_find (in->data, spec->name, spec->name_length);
  g_autoptr (GError) error = NULL;

  if (found != NULL)
    json_object_set_new (entry, "file",
                         pt_json_text (pt_data_file_path (pt_data_map_file_of (in->data, found))));
  if (pt_external_bytes (in->data, spec, &error) != NULL) {
    external->found++;
    return;
  }
  json_object_set_new (entry, "why", pt_json_text (error->message));
  if (found != NULL)
    external->unfit++;
  else
    external->absent++;
  if (json_array_size (external->missing) < PT_INSPECT_MAX_LISTED)
    json_array_append_new (external->missing, pt_run_text (spec->name, spec->name_length));
}

static void
add_external (const PtInspection *in, const PtTensorSpec *spec, External *external)
{
  json_t *entry = json_pack (
      "{s:o, s:s, s:o, s:I, s:s, s:n}", "name", pt_run_text (spec->name, spec->name_length),
      "dtype", pt_dtype_name (spec->dtype), "shape", describe_shape (spec), "bytes",
      (json_int_t) spec->nbytes, "use",
      spec->storage == PT_STORAGE_EXTERNAL_CONSTANT ? "constant" : "initial state", "file");

  external->bytes = add_bytes (external->bytes, spec->nbytes);
  resolve (in, spec, external, entry);
  if (json_array_size (external->entries) < PT_INSPECT_MAX_LISTED)
    json_array_append (external->entries, entry);
  json_decref (entry);
}

static void
say_missing (PtInspection *in, const External *external)
{
  if (external->absent > 0)
    pt_inspect_missing (in, g_strdup_printf (in->data == NULL
                                                 ? "a data file (.ptd) with %u tensors"
                                                 : "%u tensors that are in none of the data files",
                                             external->absent));
  if (external->unfit > 0)
    pt_inspect_missing (in, g_strdup_printf ("%u tensors of the right type and shape: those in the "
                                             "data files are probably of another model",
                                             external->unfit));
}

json_t *
pt_inspect_external (PtInspection *in)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  External external = { .entries = json_array (), .missing = json_array () };

  for (guint p = 0; p < pt_program_n_plans (in->program); p++) {
    const PtPlan *plan = pt_program_plan (in->program, p);

    for (guint i = 0; i < plan->n_values; i++) {
      const PtTensorSpec *spec = plan->values[i].as_tensor;

      if (plan->values[i].kind == PT_VALUE_TENSOR &&
          (spec->storage == PT_STORAGE_EXTERNAL_CONSTANT ||
           spec->storage == PT_STORAGE_EXTERNAL_PLANNED) &&
          g_hash_table_add (seen, (gpointer) spec->name))
        add_external (in, spec, &external);
    }
  }
  say_missing (in, &external);
  return json_pack ("{s:i, s:I, s:i, s:o, s:o}", "count",
                    (int) (external.found + external.absent + external.unfit), "bytes",
                    (json_int_t) external.bytes, "found", (int) external.found, "missing",
                    external.missing, "entries", external.entries);
}

/* Bytes inside the program */

json_t *
pt_inspect_named_data (const PtInspection *in)
{
  json_t *entries = json_array ();
  guint64 bytes = 0;
  guint n = pt_program_n_named_data (in->program);

  for (guint i = 0; i < n; i++) {
    const PtNamedData *named = pt_program_named_data (in->program, i);

    bytes = add_bytes (bytes, named->size);
    if (i < PT_INSPECT_MAX_LISTED)
      json_array_append_new (entries, json_pack ("{s:o, s:I}", "key",
                                                 pt_run_text (named->key, named->key_length),
                                                 "bytes", (json_int_t) named->size));
  }
  return json_pack ("{s:i, s:I, s:o}", "count", (int) n, "bytes", (json_int_t) bytes, "entries",
                    entries);
}

static guint64
values_bytes (const PtBundleValue *values, guint n)
{
  guint64 bytes = 0;

  for (guint i = 0; i < n; i++)
    if (values[i].kind == PT_VALUE_TENSOR)
      bytes = add_bytes (bytes, values[i].as_tensor.nbytes);
  return bytes;
}

json_t *
pt_inspect_tests (const PtInspection *in)
{
  json_t *array = json_array ();

  for (guint s = 0; in->bundle != NULL && s < pt_bundle_n_suites (in->bundle); s++) {
    const PtBundleSuite *suite = pt_bundle_suite (in->bundle, s);
    guint64 bytes = 0;

    for (guint i = 0; i < suite->n_cases; i++) {
      bytes = add_bytes (bytes, values_bytes (suite->cases[i].inputs, suite->cases[i].n_inputs));
      bytes = add_bytes (bytes, values_bytes (suite->cases[i].outputs, suite->cases[i].n_outputs));
    }
    json_array_append_new (array,
                           json_pack ("{s:o, s:i, s:I}", "method", pt_json_text (suite->plan->name),
                                      "cases", (int) suite->n_cases, "bytes", (json_int_t) bytes));
  }
  return array;
}

/* Sizes of parts */

typedef struct {
  const guint8 *tables;
  gsize tables_size;
  guint64 inlined;  /* bytes of parts that lie between the tables */
  GHashTable *seen; /* where parts begin */
} Parts;

/* @part grows by bytes that no part had before. */
static void
add_part (Parts *parts, guint64 *part, const guint8 *data, gsize size)
{
  if (data == NULL || size == 0 || !g_hash_table_add (parts->seen, (gpointer) data))
    return;
  *part = add_bytes (*part, size);
  if (data >= parts->tables && data < parts->tables + parts->tables_size)
    parts->inlined = add_bytes (parts->inlined, size);
}

static void
add_plan (Parts *parts, const PtPlan *plan, guint64 *constants, guint64 *state, guint64 *payloads)
{
  for (guint i = 0; i < plan->n_values; i++) {
    const PtTensorSpec *spec = plan->values[i].as_tensor;

    if (plan->values[i].kind != PT_VALUE_TENSOR)
      continue;
    if (spec->storage == PT_STORAGE_CONSTANT)
      add_part (parts, constants, spec->data, spec->nbytes);
    else if (spec->storage == PT_STORAGE_PLANNED)
      add_part (parts, state, spec->data, spec->nbytes);
  }
  for (guint i = 0; i < plan->n_delegates; i++)
    add_part (parts, payloads, plan->delegates[i].payload, plan->delegates[i].payload_size);
}

static guint64
data_files_bytes (const PtInspection *in)
{
  guint64 bytes = 0;

  for (guint i = 0; in->data != NULL && i < pt_data_map_n_files (in->data); i++)
    bytes = add_bytes (bytes, pt_data_file_size (pt_data_map_file (in->data, i)));
  return bytes;
}

json_t *
pt_inspect_parts (const PtInspection *in)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  Parts parts = { .seen = seen };
  guint64 constants = 0, state = 0, payloads = 0, named = 0, known, tables;
  guint64 size = pt_program_size (in->program);

  parts.tables = pt_program_tables (in->program, &parts.tables_size);
  for (guint i = 0; i < pt_program_n_plans (in->program); i++)
    add_plan (&parts, pt_program_plan (in->program, i), &constants, &state, &payloads);
  for (guint i = 0; i < pt_program_n_named_data (in->program); i++) {
    const PtNamedData *data = pt_program_named_data (in->program, i);

    add_part (&parts, &named, data->data, data->size);
  }
  tables = parts.tables_size - MIN (parts.inlined, parts.tables_size);
  known = add_bytes (add_bytes (add_bytes (constants, state), add_bytes (payloads, named)), tables);
  return json_pack ("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "tables", (json_int_t) tables,
                    "constants", (json_int_t) constants, "initial_state", (json_int_t) state,
                    "delegate_payloads", (json_int_t) payloads, "named_data", (json_int_t) named,
                    "other", (json_int_t) (size - MIN (known, size)), "data_files",
                    (json_int_t) data_files_bytes (in));
}
