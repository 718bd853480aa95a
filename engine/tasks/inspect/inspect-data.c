/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/inspect-private.h"

static guint64
add_bytes (guint64 total, guint64 more)
{
  return more <= G_MAXINT64 - total ? total + more : G_MAXINT64;
}

void
pt_inspect_data_files (PtInspection *in)
{
  guint n = in->data != NULL ? pt_data_map_n_files (in->data) : 0;
  PtInspectDataFile *files = pt_heap_new0 (in->heap, PtInspectDataFile, n);

  for (guint i = 0; i < n; i++) {
    const PtDataFile *file = pt_data_map_file (in->data, i);

    files[i].path = pt_heap_text (in->heap, pt_data_file_path (file));
    files[i].bytes = pt_data_file_size (file);
    files[i].entries = pt_data_file_n_entries (file);
    in->report->data_bytes = add_bytes (in->report->data_bytes, files[i].bytes);
  }
  in->report->data_files = files;
  in->report->n_data_files = n;
}

/* ---- tensors outside the program ---- */

typedef struct {
  guint found, absent, unfit;
  guint64 bytes;
  GArray *entries;    /* PtInspectExternal */
  GPtrArray *missing; /* names of the heap */
} External;

/* Looks for the data of an external tensor, and reports where it was found. */
static void
resolve (const PtInspection *in, const PtTensorSpec *spec, External *external,
         PtInspectExternal *entry)
{
  const PtDataEntry *found = pt_data_map_find (in->data, spec->name, spec->name_length);
  g_autoptr (GError) error = NULL;

  if (found != NULL)
    entry->file =
        pt_heap_text (in->heap, pt_data_file_path (pt_data_map_file_of (in->data, found)));
  if (pt_external_bytes (in->data, spec, &error) != NULL) {
    external->found++;
    return;
  }
  entry->why = pt_heap_text (in->heap, error->message);
  if (found != NULL)
    external->unfit++;
  else
    external->absent++;
  if (external->missing->len < PT_INSPECT_MAX_LISTED)
    g_ptr_array_add (external->missing, (gpointer) entry->name);
}

static void
add_external (const PtInspection *in, const PtTensorSpec *spec, External *external)
{
  PtInspectExternal entry = {
    .name = pt_heap_bytes (in->heap, spec->name, spec->name_length),
    .value = pt_inspect_tensor (in, spec),
    .bytes = spec->nbytes,
    .is_state = spec->storage != PT_STORAGE_EXTERNAL_CONSTANT,
  };

  external->bytes = add_bytes (external->bytes, spec->nbytes);
  resolve (in, spec, external, &entry);
  if (external->entries->len < PT_INSPECT_MAX_LISTED)
    g_array_append_val (external->entries, entry);
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

void
pt_inspect_external (PtInspection *in)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  External external = { .entries = g_array_new (FALSE, FALSE, sizeof (PtInspectExternal)),
                        .missing = g_ptr_array_new () };
  PtInspectReport *report = in->report;

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
  report->n_external = external.found + external.absent + external.unfit;
  report->n_external_found = external.found;
  report->external_bytes = external.bytes;
  report->external = pt_heap_take_array (in->heap, external.entries, &report->n_external_listed);
  report->external_missing = pt_heap_take_texts (in->heap, external.missing);
}

/* ---- bytes inside the program ---- */

void
pt_inspect_named_data (PtInspection *in)
{
  PtInspectReport *report = in->report;
  PtInspectNamed *entries;

  report->n_named = pt_program_n_named_data (in->program);
  report->n_named_listed = MIN (report->n_named, PT_INSPECT_MAX_LISTED);
  entries = pt_heap_new0 (in->heap, PtInspectNamed, report->n_named_listed);
  for (guint i = 0; i < report->n_named; i++) {
    const PtNamedData *named = pt_program_named_data (in->program, i);

    report->named_bytes = add_bytes (report->named_bytes, named->size);
    if (i < report->n_named_listed)
      entries[i] =
          (PtInspectNamed){ pt_heap_bytes (in->heap, named->key, named->key_length), named->size };
  }
  report->named = entries;
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

void
pt_inspect_tests (PtInspection *in)
{
  guint n = in->bundle != NULL ? pt_bundle_n_suites (in->bundle) : 0;
  PtInspectTests *tests = pt_heap_new0 (in->heap, PtInspectTests, n);

  for (guint s = 0; s < n; s++) {
    const PtBundleSuite *suite = pt_bundle_suite (in->bundle, s);
    guint64 bytes = 0;

    for (guint i = 0; i < suite->n_cases; i++) {
      bytes = add_bytes (bytes, values_bytes (suite->cases[i].inputs, suite->cases[i].n_inputs));
      bytes = add_bytes (bytes, values_bytes (suite->cases[i].outputs, suite->cases[i].n_outputs));
    }
    tests[s] =
        (PtInspectTests){ pt_heap_text (in->heap, suite->plan->name), suite->n_cases, bytes };
  }
  in->report->tests = tests;
  in->report->n_tests = n;
}

/* ---- sizes of parts ---- */

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
add_plan (Parts *parts, const PtPlan *plan, PtInspectParts *sizes)
{
  for (guint i = 0; i < plan->n_values; i++) {
    const PtTensorSpec *spec = plan->values[i].as_tensor;

    if (plan->values[i].kind != PT_VALUE_TENSOR)
      continue;
    if (spec->storage == PT_STORAGE_CONSTANT)
      add_part (parts, &sizes->constants, spec->data, spec->nbytes);
    else if (spec->storage == PT_STORAGE_PLANNED)
      add_part (parts, &sizes->initial_state, spec->data, spec->nbytes);
  }
  for (guint i = 0; i < plan->n_delegates; i++)
    add_part (parts, &sizes->delegate_payloads, plan->delegates[i].payload,
              plan->delegates[i].payload_size);
}

void
pt_inspect_parts (PtInspection *in)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  PtInspectParts *sizes = &in->report->parts;
  Parts parts = { .seen = seen };
  guint64 size = pt_program_size (in->program), known;

  parts.tables = pt_program_tables (in->program, &parts.tables_size);
  for (guint i = 0; i < pt_program_n_plans (in->program); i++)
    add_plan (&parts, pt_program_plan (in->program, i), sizes);
  for (guint i = 0; i < pt_program_n_named_data (in->program); i++) {
    const PtNamedData *data = pt_program_named_data (in->program, i);

    add_part (&parts, &sizes->named_data, data->data, data->size);
  }
  sizes->tables = parts.tables_size - MIN (parts.inlined, parts.tables_size);
  known = add_bytes (sizes->constants, sizes->initial_state);
  known = add_bytes (known, add_bytes (sizes->delegate_payloads, sizes->named_data));
  known = add_bytes (known, sizes->tables);
  sizes->other = size - MIN (known, size);
}
