/* SPDX-License-Identifier: BSD-3-Clause */

/* The report of an inspection: its references, and its JSON. */

#include <stdlib.h>

#include "engine/tasks/inspect/inspect-private.h"

PtInspectReport *
pt_inspect_report_ref (const PtInspectReport *report)
{
  if (report->owner != NULL)
    pt_heap_ref (report->owner);
  return (PtInspectReport *) report;
}

void
pt_inspect_report_unref (PtInspectReport *report)
{
  if (report != NULL && report->owner != NULL)
    pt_heap_unref (report->owner);
}

static json_t *
json_bytes (guint64 bytes)
{
  return json_integer ((json_int_t) MIN (bytes, G_MAXINT64));
}

static json_t *
json_texts (const char *const *texts)
{
  json_t *array = json_array ();

  for (guint i = 0; texts != NULL && texts[i] != NULL; i++)
    json_array_append_new (array, pt_json_text (texts[i]));
  return array;
}

/* ---- values ---- */

static json_t *
json_value (const PtInspectValue *value)
{
  json_t *object = pt_run_json_value (&value->value);

  if (value->value.kind == PT_ARGUMENT_TENSOR) {
    json_object_set_new (object, "dynamic", json_boolean (value->dynamic));
    json_object_set_new (object, "planned", json_boolean (value->planned));
    json_object_set_new (object, "device", pt_json_text (value->device));
  }
  return object;
}

static json_t *
json_values (const PtInspectValue *values, guint n)
{
  json_t *array = json_array ();

  for (guint i = 0; i < n; i++)
    json_array_append_new (array, json_value (&values[i]));
  return array;
}

static json_t *
json_elements (const PtInspectOutput *output)
{
  json_t *array = json_array ();

  for (guint i = 0; i < output->n_elements; i++)
    json_array_append_new (array, pt_run_json_plain (&output->elements[i]));
  return array;
}

/* A number, a text, a list, or a tensor with its elements where they are few. */
static json_t *
json_output (const PtInspectOutput *output)
{
  json_t *plain = pt_run_json_plain (&output->value.value), *object;

  if (plain != NULL)
    return plain;
  if (output->listed && output->value.value.kind == PT_ARGUMENT_LIST)
    return json_elements (output);
  object = json_value (&output->value);
  if (output->listed)
    json_object_set_new (object, "values", json_elements (output));
  return object;
}

static json_t *
json_constant (const PtInspectConstant *constant)
{
  json_t *array;

  if (constant->n_outputs == 1)
    return json_output (&constant->outputs[0]);
  array = json_array ();
  for (guint i = 0; i < constant->n_outputs; i++)
    json_array_append_new (array, json_output (&constant->outputs[i]));
  return array;
}

/* Takes @json. */
static void
append_json (GString *text, json_t *json)
{
  char *plain = json_dumps (json, JSON_ENCODE_ANY | JSON_REAL_PRECISION (9));

  g_string_append (text, plain != NULL ? plain : "");
  free (plain);
  json_decref (json);
}

static void
append_output (GString *text, const PtInspectOutput *output)
{
  const PtArgument *value = &output->value.value;
  json_t *plain = pt_run_json_plain (value);
  g_autofree char *type = NULL;

  if (plain != NULL) {
    append_json (text, plain);
    return;
  }
  if (!output->listed || value->kind != PT_ARGUMENT_LIST) {
    type = pt_argument_to_text (value);
    g_string_append_printf (text, "%s%s%s", type, output->value.dynamic ? " at most" : "",
                            output->listed ? " " : "");
  }
  if (output->listed)
    append_json (text, json_elements (output));
}

char *
pt_inspect_constant_to_text (const PtInspectConstant *constant)
{
  gboolean several = constant->n_outputs != 1;
  GString *text = g_string_new (several ? "[" : NULL);

  for (guint i = 0; i < constant->n_outputs; i++) {
    g_string_append (text, i > 0 ? ", " : "");
    append_output (text, &constant->outputs[i]);
  }
  g_string_append (text, several ? "]" : "");
  return g_string_free (text, FALSE);
}

/* ---- delegates ---- */

static json_t *
json_cuda_library (const PtInspectCudaLibrary *library)
{
  json_t *object = json_pack ("{s:o}", "key", pt_json_text (library->key));
  json_t *code = json_array ();

  if (library->target != 0) {
    json_object_set_new (object, "target", json_integer (library->target));
    json_object_set_new (object, "ptx", json_integer (library->ptx));
    json_object_set_new (object, "fallback", json_boolean (library->fallback));
  }
  if (library->found)
    json_object_set_new (object, "bytes", json_bytes (library->bytes));
  for (guint i = 0; i < library->n_codes; i++)
    json_array_append_new (code,
                           json_pack ("{s:o, s:b}", "name", pt_json_text (library->codes[i].name),
                                      "compressed", library->codes[i].compressed));
  if (library->platform != NULL) {
    json_object_set_new (object, "platform", pt_json_text (library->platform));
    json_object_set_new (object, "cpu", pt_json_text (library->cpu));
    json_object_set_new (object, "needed", json_texts (library->needed));
    json_object_set (object, "code", code);
    json_object_set_new (object, "kernels", json_integer (library->n_kernels));
    json_object_set_new (object, "missing_functions", json_texts (library->missing_functions));
  }
  json_decref (code);
  return object;
}

static json_t *
json_cuda_weights (const PtInspectCudaWeights *weights)
{
  if (weights == NULL)
    return json_null ();
  return json_pack ("{s:o, s:o, s:o, s:o, s:o}", "key", pt_json_text (weights->key), "constants",
                    json_integer (weights->constants), "storages", json_integer (weights->storages),
                    "found", json_integer (weights->found), "bytes", json_bytes (weights->bytes));
}

static json_t *
json_cuda (const PtInspectCuda *cuda)
{
  json_t *libraries = json_array ();

  for (guint i = 0; i < cuda->n_libraries; i++)
    json_array_append_new (libraries, json_cuda_library (&cuda->libraries[i]));
  return json_pack ("{s:o, s:o, s:o}", "form", pt_json_text (cuda->form), "libraries", libraries,
                    "weights", json_cuda_weights (cuda->weights));
}

static json_t *
json_counts (const PtInspectCount *counts, guint n)
{
  json_t *object = json_object ();

  for (guint i = 0; i < n; i++)
    json_object_set_new (object, counts[i].name, json_bytes (counts[i].count));
  return object;
}

static json_t *
json_content (const PtInspectContent *content)
{
  json_t *object;

  switch (content->kind) {
  case PT_INSPECT_CONTENT_CUDA: return json_cuda (content->cuda);
  case PT_INSPECT_CONTENT_NODES: return json_counts (content->nodes, content->n_nodes);
  default: break;
  }
  object = json_object ();
  for (guint i = 0; i < content->n_pairs; i++)
    json_object_set_new (object, content->pairs[i].name, pt_json_text (content->pairs[i].value));
  return object;
}

static json_t *
json_delegate (const PtInspectDelegate *delegate)
{
  json_t *contents = json_array ();

  for (guint i = 0; i < delegate->n_contents; i++)
    json_array_append_new (contents, json_content (&delegate->contents[i]));
  return json_pack ("{s:o, s:b, s:o, s:o, s:o, s:o}", "backend", pt_json_text (delegate->backend),
                    "available", delegate->available, "count", json_integer (delegate->count),
                    "payload_bytes", json_bytes (delegate->payload_bytes), "nodes",
                    json_counts (delegate->nodes, delegate->n_nodes), "contents", contents);
}

/* ---- methods ---- */

static json_t *
json_method (const PtInspectMethod *method)
{
  json_t *buffers = json_array (), *operators = json_array (), *delegates = json_array ();

  for (guint i = 0; i < method->n_buffers; i++) {
    const PtInspectBuffer *buffer = &method->buffers[i];

    json_array_append_new (
        buffers, json_pack ("{s:o, s:o, s:i}", "bytes", json_bytes (buffer->bytes), "device",
                            pt_json_text (buffer->device), "device_index", buffer->device_index));
  }
  for (guint i = 0; i < method->n_operators; i++) {
    const PtInspectOperator *item = &method->operators[i];

    json_array_append_new (operators,
                           json_pack ("{s:o, s:o, s:b}", "name", pt_json_text (item->name), "count",
                                      json_integer (item->count), "available", item->available));
  }
  for (guint i = 0; i < method->n_delegates; i++)
    json_array_append_new (delegates, json_delegate (&method->delegates[i]));
  return json_pack ("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", pt_json_text (method->name),
                    "planned_bytes", json_bytes (method->planned_bytes), "buffers", buffers,
                    "instructions", json_integer (method->n_instructions), "inputs",
                    json_values (method->inputs, method->n_inputs), "outputs",
                    json_values (method->outputs, method->n_outputs), "operators", operators,
                    "delegates", delegates);
}

static void
put_methods (json_t *object, const PtInspectReport *report)
{
  json_t *methods = json_array (), *constants = json_object ();

  for (guint i = 0; i < report->n_methods; i++)
    json_array_append_new (methods, json_method (&report->methods[i]));
  for (guint i = 0; i < report->n_constants; i++)
    json_object_set_new (constants, report->constants[i].name,
                         json_constant (&report->constants[i]));
  json_object_set_new (object, "methods", methods);
  json_object_set_new (object, "constant_methods", constants);
}

/* ---- files ---- */

static json_t *
json_external (const PtInspectExternal *tensor)
{
  json_t *object = json_pack ("{s:o}", "name", pt_json_text (tensor->name));

  pt_run_json_put_tensor (object, &tensor->value);
  json_object_set_new (object, "bytes", json_bytes (tensor->bytes));
  json_object_set_new (object, "use",
                       json_string (tensor->is_state ? "initial state" : "constant"));
  json_object_set_new (object, "file", pt_json_text (tensor->file));
  if (tensor->why != NULL)
    json_object_set_new (object, "why", pt_json_text (tensor->why));
  return object;
}

static json_t *
json_files (const PtInspectReport *report)
{
  json_t *array = json_array ();

  for (guint i = 0; i < report->n_files; i++)
    json_array_append_new (array, json_pack ("{s:o, s:o, s:o}", "path",
                                             pt_json_text (report->files[i].path), "role",
                                             pt_json_text (report->files[i].role), "reason",
                                             pt_json_text (report->files[i].reason)));
  return array;
}

static void
put_data (json_t *object, const PtInspectReport *report)
{
  json_t *files = json_array (), *external = json_array (), *named = json_array ();
  json_t *tests = json_array ();

  for (guint i = 0; i < report->n_data_files; i++) {
    const PtInspectDataFile *file = &report->data_files[i];

    json_array_append_new (files, json_pack ("{s:o, s:o, s:o}", "path", pt_json_text (file->path),
                                             "bytes", json_bytes (file->bytes), "entries",
                                             json_integer (file->entries)));
  }
  for (guint i = 0; i < report->n_external_listed; i++)
    json_array_append_new (external, json_external (&report->external[i]));
  for (guint i = 0; i < report->n_named_listed; i++)
    json_array_append_new (named,
                           json_pack ("{s:o, s:o}", "key", pt_json_text (report->named[i].key),
                                      "bytes", json_bytes (report->named[i].bytes)));
  for (guint i = 0; i < report->n_tests; i++)
    json_array_append_new (tests, json_pack ("{s:o, s:o, s:o}", "method",
                                             pt_json_text (report->tests[i].method), "cases",
                                             json_integer (report->tests[i].cases), "bytes",
                                             json_bytes (report->tests[i].bytes)));
  json_object_set_new (object, "data_files", files);
  json_object_set_new (object, "external_tensors",
                       json_pack ("{s:o, s:o, s:o, s:o, s:o}", "count",
                                  json_integer (report->n_external), "bytes",
                                  json_bytes (report->external_bytes), "found",
                                  json_integer (report->n_external_found), "missing",
                                  json_texts (report->external_missing), "entries", external));
  json_object_set_new (object, "named_data",
                       json_pack ("{s:o, s:o, s:o}", "count", json_integer (report->n_named),
                                  "bytes", json_bytes (report->named_bytes), "entries", named));
  json_object_set_new (object, "tests", tests);
}

/* ---- the whole report ---- */

static json_t *
json_parts (const PtInspectReport *report)
{
  const PtInspectParts *parts = &report->parts;

  return json_pack ("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "tables", json_bytes (parts->tables),
                    "constants", json_bytes (parts->constants), "initial_state",
                    json_bytes (parts->initial_state), "delegate_payloads",
                    json_bytes (parts->delegate_payloads), "named_data",
                    json_bytes (parts->named_data), "other", json_bytes (parts->other),
                    "data_files", json_bytes (report->data_bytes));
}

static json_t *
json_native_code (const PtInspectReport *report)
{
  if (!report->native)
    return json_null ();
  return json_pack ("{s:o, s:o}", "sha256", pt_json_text (report->sha256), "trusted",
                    report->sha256 != NULL ? json_boolean (report->trusted) : json_null ());
}

static json_t *
json_memory (const PtInspectReport *report)
{
  const PtNeeds *needs = &report->memory;

  return json_pack ("{s:o, s:o, s:o, s:o, s:o}", "weights_bytes", json_bytes (needs->weights),
                    "working_bytes", json_bytes (needs->working), "state_bytes",
                    json_bytes (needs->state), "gpu_bytes", json_bytes (needs->gpu), "weight_bits",
                    json_integer (report->weight_bits));
}

char *
pt_inspect_report_to_json (const PtInspectReport *report)
{
  json_t *object = json_pack ("{s:o, s:o, s:o, s:o}", "path", pt_json_text (report->path), "bytes",
                              json_bytes (report->bytes), "parts", json_parts (report),
                              "native_code", json_native_code (report));

  put_methods (object, report);
  put_data (object, report);
  json_object_set_new (object, "family",
                       json_pack ("{s:o, s:o, s:o, s:o}", "id", pt_json_text (report->family),
                                  "name", pt_json_text (report->kind), "task",
                                  pt_json_text (report->task), "why", pt_json_text (report->why)));
  json_object_set_new (object, "memory", json_memory (report));
  json_object_set_new (object, "ok", json_boolean (report->ok));
  json_object_set_new (object, "missing", json_texts (report->missing));
  if (report->n_files > 0)
    json_object_set_new (object, "files", json_files (report));
  return pt_json_steal_lines (object);
}
