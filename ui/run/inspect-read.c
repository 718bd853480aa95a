/* SPDX-License-Identifier: BSD-3-Clause */

/* The report of an inspection, line by line; pteris/inspect.h describes it. */

#include "ui/run/inspect-item.h"
#include "ui/i18n.h"

typedef struct {
  GPtrArray *items;
} Reader;

/* ---- lines ---- */

static void
add (Reader *self, PterisInspectItemKind kind, const char *name, const char *value)
{
  g_ptr_array_add (self->items, pteris_inspect_item_new (kind, name, value));
}

static void
add_section (Reader *self, const char *name)
{
  add (self, PTERIS_INSPECT_SECTION, name, NULL);
}

static void
add_plain (Reader *self, const char *name, const char *value)
{
  add (self, PTERIS_INSPECT_PLAIN, name, value);
}

static void
add_size (Reader *self, const char *name, guint64 bytes)
{
  g_autofree char *size = g_format_size (bytes);

  add_plain (self, name, size);
}

static void
add_times (Reader *self, PterisInspectItemKind kind, const char *name, guint64 count)
{
  g_autofree char *times = g_strdup_printf ("× %" G_GUINT64_FORMAT, count);

  add (self, kind, name, times);
}

/* Parts that a program does not have are not worth a line. */
static void
add_part (Reader *self, const char *name, guint64 bytes)
{
  if (bytes > 0)
    add_size (self, name, bytes);
}

/* "float32 [1, ≤2047, 576]", "int 5" */
static char *
describe_value (const PtInspectValue *value)
{
  const PtArgument *tensor = &value->value;
  GString *out;

  if (tensor->kind != PT_ARGUMENT_TENSOR)
    return pt_argument_to_text (tensor);
  out = g_string_new (NULL);
  g_string_append_printf (out, "%s [", tensor->dtype);
  /* Which dimensions may be smaller, the program does not say; those of 1 cannot be. */
  for (guint i = 0; i < tensor->rank; i++)
    g_string_append_printf (out, "%s%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            value->dynamic && tensor->shape[i] > 1 ? "≤" : "", tensor->shape[i]);
  g_string_append_c (out, ']');
  if (g_strcmp0 (value->device, "cpu") != 0 && value->device != NULL)
    g_string_append_printf (out, " · %s", value->device);
  return g_string_free (out, FALSE);
}

/* ---- the whole program ---- */

static void
read_missing (Reader *self, const PtInspectReport *report)
{
  add_section (self, _ ("Missing Requirements"));
  for (guint i = 0; report->missing[i] != NULL; i++)
    add (self, PTERIS_INSPECT_MISSING, report->missing[i], NULL);
  if (report->missing[0] == NULL)
    add_plain (self, _ ("None: this model can run on this computer."), NULL);
}

static void
read_program (Reader *self, const PtInspectReport *report)
{
  const PtInspectParts *parts = &report->parts;

  add_section (self, _ ("Model File"));
  add_plain (self, _ ("File"), report->path);
  add_size (self, _ ("Size"), report->bytes);
  add_part (self, _ ("Tables"), parts->tables);
  add_part (self, _ ("Constants"), parts->constants);
  add_part (self, _ ("Initial state"), parts->initial_state);
  add_part (self, _ ("Backend data"), parts->delegate_payloads);
  add_part (self, _ ("Named data"), parts->named_data);
  add_part (self, _ ("Other"), parts->other);
  add_part (self, _ ("Data files"), report->data_bytes);
  if (report->native) {
    add_plain (self, _ ("Native code"),
               report->trusted ? _ ("Yes; allowed") : _ ("Yes; Pteris asks before running it"));
    if (report->sha256 != NULL)
      add_plain (self, "SHA-256", report->sha256);
  }
  add_section (self, _ ("Required Memory"));
  add_size (self, _ ("Weights (memory-mapped)"), report->memory.weights);
  add_size (self, _ ("Working memory (maximum)"), report->memory.working);
  add_part (self, _ ("Including KV cache and other state"), report->memory.state);
  add_part (self, _ ("On the GPU"), report->memory.gpu);
}

/* ---- methods ---- */

static void
read_values (Reader *self, const char *format, const PtInspectValue *values, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = g_strdup_printf ("%s %u", format, i);
    g_autofree char *text = describe_value (&values[i]);

    add_plain (self, name, text);
  }
}

static void
read_library (Reader *self, const PtInspectCudaLibrary *library)
{
  g_autoptr (GString) value = g_string_new (library->platform);

  if (library->cpu != NULL)
    g_string_append_printf (value, " · %s", library->cpu);
  for (guint i = 0; i < library->n_codes; i++)
    g_string_append_printf (value, " · %s", library->codes[i].name);
  if (library->bytes > 0) {
    g_autofree char *size = g_format_size (library->bytes);

    g_string_append_printf (value, "%s%s", value->len > 0 ? " · " : "", size);
  }
  add_plain (self, _ ("Library"), value->str);
  for (guint i = 0; library->platform != NULL && library->missing_functions[i] != NULL; i++)
    add (self, PTERIS_INSPECT_MISSING, library->missing_functions[i], _ ("function"));
}

static void
read_content (Reader *self, const PtInspectContent *content)
{
  guint n_libraries = content->kind == PT_INSPECT_CONTENT_CUDA ? content->cuda->n_libraries : 0;

  for (guint i = 0; i < n_libraries; i++)
    read_library (self, &content->cuda->libraries[i]);
  for (guint i = 0; i < content->n_pairs; i++)
    add_plain (self, content->pairs[i].name, content->pairs[i].value);
}

static void
read_delegate (Reader *self, const PtInspectDelegate *delegate)
{
  g_autofree char *size = g_format_size (delegate->payload_bytes);
  g_autofree char *value =
      g_strdup_printf (ngettext ("%d part · %s", "%d parts · %s", (gulong) delegate->count),
                       (int) delegate->count, size);

  add (self, delegate->available ? PTERIS_INSPECT_PLAIN : PTERIS_INSPECT_MISSING, delegate->backend,
       value);
  for (guint i = 0; i < delegate->n_contents; i++)
    read_content (self, &delegate->contents[i]);
  for (guint i = 0; i < delegate->n_nodes; i++)
    add_times (self, PTERIS_INSPECT_PLAIN, delegate->nodes[i].name, delegate->nodes[i].count);
}

static void
read_operators (Reader *self, const PtInspectMethod *method)
{
  g_autofree char *title = g_strdup_printf (_ ("Operators of %s"), method->name);

  if (method->n_operators > 0)
    add_section (self, title);
  for (guint i = 0; i < method->n_operators; i++) {
    const PtInspectOperator *item = &method->operators[i];

    add_times (self, item->available ? PTERIS_INSPECT_PLAIN : PTERIS_INSPECT_MISSING, item->name,
               item->count);
  }
}

static void
read_method (Reader *self, const PtInspectMethod *method)
{
  g_autofree char *title = g_strdup_printf (_ ("Method %s"), method->name);
  g_autofree char *backends = g_strdup_printf (_ ("Backends of %s"), method->name);
  g_autofree char *count = g_strdup_printf ("%u", method->n_instructions);

  add_section (self, title);
  read_values (self, _ ("Input"), method->inputs, method->n_inputs);
  read_values (self, _ ("Output"), method->outputs, method->n_outputs);
  add_size (self, _ ("Planned memory"), method->planned_bytes);
  for (guint i = 0; i < method->n_buffers; i++) {
    const PtInspectBuffer *buffer = &method->buffers[i];
    g_autofree char *size = g_format_size (buffer->bytes);
    g_autofree char *name = g_strdup_printf (_ ("Buffer %zu"), (gsize) i + 1);
    g_autofree char *value =
        g_strdup_printf ("%s · %s:%d", size, buffer->device, buffer->device_index);

    add_plain (self, name, value);
  }
  add_plain (self, _ ("Instructions"), count);
  if (method->n_delegates > 0)
    add_section (self, backends);
  for (guint i = 0; i < method->n_delegates; i++)
    read_delegate (self, &method->delegates[i]);
  read_operators (self, method);
}

/* ---- data ---- */

static void
read_constants (Reader *self, const PtInspectReport *report)
{
  if (report->n_constants > 0)
    add_section (self, _ ("Constant Methods"));
  for (guint i = 0; i < report->n_constants; i++) {
    const PtInspectConstant *constant = &report->constants[i];
    const PtInspectValue *value = &constant->outputs[0].value;
    gboolean tensor = constant->n_outputs == 1 && value->value.kind == PT_ARGUMENT_TENSOR;
    g_autofree char *text =
        tensor ? describe_value (value) : pt_inspect_constant_to_text (constant);

    add_plain (self, constant->name, text);
  }
}

static void
read_data_files (Reader *self, const PtInspectReport *report)
{
  if (report->n_data_files > 0)
    add_section (self, _ ("Data Files"));
  for (guint i = 0; i < report->n_data_files; i++) {
    const PtInspectDataFile *file = &report->data_files[i];
    g_autofree char *size = g_format_size (file->bytes);
    g_autofree char *value =
        g_strdup_printf (ngettext ("%s · %d tensor", "%s · %d tensors", (gulong) file->entries),
                         size, (int) file->entries);

    add_plain (self, file->path, value);
  }
}

static void
read_external (Reader *self, const PtInspectReport *report)
{
  if (report->n_external > 0)
    add_section (self, _ ("External Tensors"));
  for (guint i = 0; i < report->n_external_listed; i++) {
    const PtInspectExternal *tensor = &report->external[i];
    g_autofree char *what = pt_argument_to_text (&tensor->value);
    g_autofree char *size = g_format_size (tensor->bytes);
    g_autofree char *file = tensor->file != NULL ? g_path_get_basename (tensor->file) : NULL;
    g_autofree char *value =
        g_strdup_printf ("%s · %s · %s", what, size, tensor->why != NULL ? tensor->why : file);

    add (self, tensor->why != NULL ? PTERIS_INSPECT_MISSING : PTERIS_INSPECT_PLAIN, tensor->name,
         value);
  }
}

static void
read_named_data (Reader *self, const PtInspectReport *report)
{
  if (report->n_named > 0)
    add_section (self, _ ("Named Data"));
  for (guint i = 0; i < report->n_named_listed; i++)
    add_size (self, report->named[i].key, report->named[i].bytes);
}

static void
read_tests (Reader *self, const PtInspectReport *report)
{
  if (report->n_tests > 0)
    add_section (self, _ ("Test Cases"));
  for (guint i = 0; i < report->n_tests; i++) {
    g_autofree char *count = g_strdup_printf ("%u", report->tests[i].cases);

    add_plain (self, report->tests[i].method, count);
  }
}

/* The role of a file in the model; other roles are parts of models, by their own names. */
static const char *
role_name (const char *role)
{
  static const struct {
    const char *role, *name;
  } NAMES[] = {
    { "program", N_ ("Program") },
    { "data", N_ ("Data") },
    { "tokenizer", N_ ("Tokenizer") },
    { "preprocessor", N_ ("Preprocessor") },
    { "chat template", N_ ("Chat template") },
    { "settings", N_ ("Settings") },
    { "class names", N_ ("Class names") },
    { "model card", N_ ("Model card") },
    { "license", N_ ("License") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    if (g_str_equal (NAMES[i].role, role))
      return _ (NAMES[i].name);
  return role;
}

/* How many bytes of all paths are the folder that the files have in common. */
static gsize
common_folder (const PtModelFile *files, guint n)
{
  gsize common = 0;

  for (gsize at = 0; files[0].path[at] != '\0'; at++) {
    for (guint i = 1; i < n; i++)
      if (files[i].path[at] != files[0].path[at])
        return common;
    if (G_IS_DIR_SEPARATOR (files[0].path[at]))
      common = at + 1;
  }
  return common;
}

static void
read_files (Reader *self, const PtInspectReport *report)
{
  gsize common = report->n_files > 0 ? common_folder (report->files, report->n_files) : 0;

  if (report->n_files > 0)
    add_section (self, _ ("Files of the Model"));
  for (guint i = 0; i < report->n_files; i++) {
    const PtModelFile *file = &report->files[i];
    g_autofree char *unused =
        file->role == NULL ? g_strdup_printf (_ ("Not used. %s"), file->reason) : NULL;

    add_plain (self, file->path + common, unused != NULL ? unused : role_name (file->role));
  }
}

/* Headings of long sections say how much is below them. */
static void
count_sections (GPtrArray *items)
{
  guint n = 0;

  for (guint i = items->len; i-- > 0; n++) {
    g_autoptr (PterisInspectItem) item = g_object_ref (items->pdata[i]);
    g_autofree char *count = NULL;

    if (pteris_inspect_item_get_kind (item) != PTERIS_INSPECT_SECTION)
      continue;
    if (n > PTERIS_INSPECT_FEW)
      count = g_strdup_printf ("%u", n);
    g_object_unref (items->pdata[i]);
    items->pdata[i] = pteris_inspect_item_new (PTERIS_INSPECT_SECTION,
                                               pteris_inspect_item_get_name (item), count);
    n = G_MAXUINT; /* this one is none */
  }
}

GPtrArray *
pteris_inspect_items_read (const PtInspectReport *report)
{
  Reader self = { g_ptr_array_new_with_free_func (g_object_unref) };

  read_missing (&self, report);
  read_program (&self, report);
  for (guint i = 0; i < report->n_methods; i++)
    read_method (&self, &report->methods[i]);
  read_constants (&self, report);
  read_data_files (&self, report);
  read_external (&self, report);
  read_named_data (&self, report);
  read_tests (&self, report);
  read_files (&self, report);
  count_sections (self.items);
  return self.items;
}
