/* SPDX-License-Identifier: BSD-3-Clause */

/* The report of an inspection, line by line; engine/tasks/inspect/inspect.h describes it. */

#include <jansson.h>

#include "ui/run/fact.h"
#include "ui/i18n.h"

typedef struct {
  GPtrArray *facts;
} Reader;

/* ---- lines ---- */

static void
add (Reader *self, PterisFactKind kind, const char *name, const char *value)
{
  g_ptr_array_add (self->facts, pteris_fact_new (kind, name != NULL ? name : "?", value));
}

static void
add_section (Reader *self, const char *name)
{
  add (self, PTERIS_FACT_SECTION, name, NULL);
}

static void
add_plain (Reader *self, const char *name, const char *value)
{
  add (self, PTERIS_FACT_PLAIN, name, value);
}

static const char *
text_of (const json_t *object, const char *key)
{
  const char *text = json_string_value (json_object_get (object, key));

  return text != NULL ? text : "";
}

static gint64
number_of (const json_t *object, const char *key)
{
  return json_integer_value (json_object_get (object, key));
}

static void
add_size (Reader *self, const char *name, gint64 bytes)
{
  g_autofree char *size = g_format_size ((guint64) MAX (bytes, 0));

  add_plain (self, name, size);
}

/* Parts that a program does not have are not worth a line. */
static void
add_part (Reader *self, const char *name, const json_t *parts, const char *key)
{
  if (number_of (parts, key) > 0)
    add_size (self, name, number_of (parts, key));
}

/* "float32 [1, ≤2047, 576]", "int 5" */
static char *
describe_value (const json_t *value)
{
  const char *kind = text_of (value, "kind");
  const json_t *shape = json_object_get (value, "shape");
  gboolean dynamic = json_is_true (json_object_get (value, "dynamic"));
  GString *out = g_string_new (NULL);
  const json_t *size;
  size_t i;

  if (shape == NULL) {
    json_t *plain = json_object_get (value, "value");
    char *text = plain != NULL ? json_dumps (plain, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;

    g_string_append_printf (out, "%s%s%s", kind, text != NULL ? " " : "", text != NULL ? text : "");
    free (text);
    return g_string_free (out, FALSE);
  }
  g_string_append_printf (out, "%s [", text_of (value, "dtype"));
  json_array_foreach (shape, i, size) {
    gint64 n = json_integer_value (size);

    /* Which dimensions may be smaller, the program does not say; those of 1 cannot be. */
    g_string_append_printf (out, "%s%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            dynamic && n > 1 ? "≤" : "", n);
  }
  g_string_append_c (out, ']');
  if (g_strcmp0 (text_of (value, "device"), "cpu") != 0 && *text_of (value, "device") != '\0')
    g_string_append_printf (out, " · %s", text_of (value, "device"));
  return g_string_free (out, FALSE);
}

static char *
dump (const json_t *value)
{
  char *text = json_dumps (value, JSON_ENCODE_ANY | JSON_COMPACT);
  char *copy = g_strdup (text);

  free (text);
  return copy;
}

/* ---- the whole program ---- */

static void
read_missing (Reader *self, const json_t *root)
{
  const json_t *missing = json_object_get (root, "missing");
  const json_t *sentence;
  size_t i;

  add_section (self, _ ("Missing Requirements"));
  json_array_foreach (missing, i, sentence) {
    add (self, PTERIS_FACT_MISSING, json_string_value (sentence), NULL);
  }
  if (json_array_size (missing) == 0)
    add_plain (self, _ ("None: this model can run on this computer."), NULL);
}

static void
read_program (Reader *self, const json_t *root)
{
  const json_t *parts = json_object_get (root, "parts");
  const json_t *memory = json_object_get (root, "memory");
  const json_t *native = json_object_get (root, "native_code");

  add_section (self, _ ("Model File"));
  add_plain (self, _ ("File"), text_of (root, "path"));
  add_size (self, _ ("Size"), number_of (root, "bytes"));
  add_part (self, _ ("Tables"), parts, "tables");
  add_part (self, _ ("Constants"), parts, "constants");
  add_part (self, _ ("Initial state"), parts, "initial_state");
  add_part (self, _ ("Backend data"), parts, "delegate_payloads");
  add_part (self, _ ("Named data"), parts, "named_data");
  add_part (self, _ ("Other"), parts, "other");
  add_part (self, _ ("Data files"), parts, "data_files");
  if (json_is_object (native)) {
    gboolean trusted = json_is_true (json_object_get (native, "trusted"));

    add_plain (self, _ ("Native code"),
               trusted ? _ ("Yes; allowed") : _ ("Yes; Pteris asks before running it"));
    if (*text_of (native, "sha256") != '\0')
      add_plain (self, "SHA-256", text_of (native, "sha256"));
  }
  add_section (self, _ ("Required Memory"));
  add_size (self, _ ("Weights (memory-mapped)"), number_of (memory, "weights_bytes"));
  add_size (self, _ ("Working memory (maximum)"), number_of (memory, "working_bytes"));
  add_part (self, _ ("Including KV cache and other state"), memory, "state_bytes");
  add_part (self, _ ("On the GPU"), memory, "gpu_bytes");
}

/* ---- methods ---- */

static void
read_values (Reader *self, const char *format, const json_t *values)
{
  const json_t *value;
  size_t i;

  json_array_foreach (values, i, value) {
    g_autofree char *name = g_strdup_printf ("%s %zu", format, i);
    g_autofree char *text = describe_value (value);

    add_plain (self, name, text);
  }
}

static void
read_library (Reader *self, const json_t *library)
{
  g_autoptr (GString) value = g_string_new (text_of (library, "platform"));
  const json_t *item;
  size_t i;

  if (*text_of (library, "cpu") != '\0')
    g_string_append_printf (value, " · %s", text_of (library, "cpu"));
  json_array_foreach (json_object_get (library, "code"), i, item) {
    g_string_append_printf (value, " · %s", text_of (item, "name"));
  }
  if (number_of (library, "bytes") > 0) {
    g_autofree char *size = g_format_size ((guint64) number_of (library, "bytes"));

    g_string_append_printf (value, " · %s", size);
  }
  add_plain (self, _ ("Library"), value->str);
  json_array_foreach (json_object_get (library, "missing_functions"), i, item) {
    add (self, PTERIS_FACT_MISSING, json_string_value (item), _ ("function"));
  }
}

static void
read_delegate (Reader *self, const json_t *delegate)
{
  g_autofree char *size = g_format_size ((guint64) number_of (delegate, "payload_bytes"));
  g_autofree char *value = g_strdup_printf (
      ngettext ("%d part · %s", "%d parts · %s", (gulong) number_of (delegate, "count")),
      (int) number_of (delegate, "count"), size);
  gboolean available = json_is_true (json_object_get (delegate, "available"));
  json_t *nodes = json_object_get (delegate, "nodes");
  const json_t *content, *library;
  const char *name;
  json_t *count;
  size_t i, l;

  add (self, available ? PTERIS_FACT_PLAIN : PTERIS_FACT_MISSING, text_of (delegate, "backend"),
       value);
  json_array_foreach (json_object_get (delegate, "contents"), i, content) {
    json_array_foreach (json_object_get (content, "libraries"), l, library) {
      read_library (self, library);
    }
  }
  json_object_foreach (nodes, name, count) {
    g_autofree char *times = g_strdup_printf ("× %d", (int) json_integer_value (count));

    add_plain (self, name, times);
  }
}

static void
read_operators (Reader *self, const json_t *method)
{
  const json_t *operators = json_object_get (method, "operators");
  const json_t *item;
  size_t i;

  if (json_array_size (operators) == 0)
    return;
  {
    g_autofree char *title = g_strdup_printf (_ ("Operators of %s"), text_of (method, "name"));

    add_section (self, title);
  }
  json_array_foreach (operators, i, item) {
    g_autofree char *times = g_strdup_printf ("× %d", (int) number_of (item, "count"));
    gboolean available = json_is_true (json_object_get (item, "available"));

    add (self, available ? PTERIS_FACT_PLAIN : PTERIS_FACT_MISSING, text_of (item, "name"), times);
  }
}

static void
read_method (Reader *self, const json_t *method)
{
  g_autofree char *title = g_strdup_printf (_ ("Method %s"), text_of (method, "name"));
  g_autofree char *backends = g_strdup_printf (_ ("Backends of %s"), text_of (method, "name"));
  g_autofree char *count = g_strdup_printf ("%d", (int) number_of (method, "instructions"));
  const json_t *delegates = json_object_get (method, "delegates");
  const json_t *item;
  size_t i;

  add_section (self, title);
  read_values (self, _ ("Input"), json_object_get (method, "inputs"));
  read_values (self, _ ("Output"), json_object_get (method, "outputs"));
  add_size (self, _ ("Planned memory"), number_of (method, "planned_bytes"));
  json_array_foreach (json_object_get (method, "buffers"), i, item) {
    g_autofree char *size = g_format_size ((guint64) number_of (item, "bytes"));
    g_autofree char *name = g_strdup_printf (_ ("Buffer %zu"), i + 1);
    g_autofree char *value = g_strdup_printf ("%s · %s:%d", size, text_of (item, "device"),
                                              (int) number_of (item, "device_index"));

    add_plain (self, name, value);
  }
  add_plain (self, _ ("Instructions"), count);
  if (json_array_size (delegates) > 0)
    add_section (self, backends);
  json_array_foreach (delegates, i, item) {
    read_delegate (self, item);
  }
  read_operators (self, method);
}

/* ---- data ---- */

static void
read_constants (Reader *self, json_t *constants)
{
  const char *name;
  json_t *value;

  if (json_object_size (constants) == 0)
    return;
  add_section (self, _ ("Constant Methods"));
  json_object_foreach (constants, name, value) {
    g_autofree char *text = json_is_object (value) ? describe_value (value) : dump (value);

    add_plain (self, name, text);
  }
}

static void
read_data_files (Reader *self, const json_t *files)
{
  const json_t *file;
  size_t i;

  if (json_array_size (files) == 0)
    return;
  add_section (self, _ ("Data Files"));
  json_array_foreach (files, i, file) {
    g_autofree char *size = g_format_size ((guint64) number_of (file, "bytes"));
    g_autofree char *value = g_strdup_printf (
        ngettext ("%s · %d tensor", "%s · %d tensors", (gulong) number_of (file, "entries")), size,
        (int) number_of (file, "entries"));

    add_plain (self, text_of (file, "path"), value);
  }
}

static void
read_external (Reader *self, const json_t *external)
{
  const json_t *entry;
  size_t i;

  if (number_of (external, "count") == 0)
    return;
  add_section (self, _ ("External Tensors"));
  json_array_foreach (json_object_get (external, "entries"), i, entry) {
    g_autofree char *what = describe_value (entry);
    g_autofree char *size = g_format_size ((guint64) number_of (entry, "bytes"));
    g_autofree char *file = g_path_get_basename (text_of (entry, "file"));
    const char *why = text_of (entry, "why");
    g_autofree char *value =
        g_strdup_printf ("%s · %s · %s", what, size, *why != '\0' ? why : file);

    add (self, *why != '\0' ? PTERIS_FACT_MISSING : PTERIS_FACT_PLAIN, text_of (entry, "name"),
         value);
  }
}

static void
read_named_data (Reader *self, const json_t *named)
{
  const json_t *entry;
  size_t i;

  if (number_of (named, "count") == 0)
    return;
  add_section (self, _ ("Named Data"));
  json_array_foreach (json_object_get (named, "entries"), i, entry) {
    add_size (self, text_of (entry, "key"), number_of (entry, "bytes"));
  }
}

static void
read_tests (Reader *self, const json_t *tests)
{
  const json_t *suite;
  size_t i;

  if (json_array_size (tests) == 0)
    return;
  add_section (self, _ ("Test Cases"));
  json_array_foreach (tests, i, suite) {
    g_autofree char *count = g_strdup_printf ("%d", (int) number_of (suite, "cases"));

    add_plain (self, text_of (suite, "method"), count);
  }
}

/* Headings of long sections say how much is below them. */
static void
count_sections (GPtrArray *facts)
{
  guint n = 0;

  for (guint i = facts->len; i-- > 0; n++) {
    g_autoptr (PterisFact) fact = g_object_ref (facts->pdata[i]);
    g_autofree char *count = NULL;

    if (pteris_fact_get_kind (fact) != PTERIS_FACT_SECTION)
      continue;
    if (n > PTERIS_FACTS_FEW)
      count = g_strdup_printf ("%u", n);
    g_object_unref (facts->pdata[i]);
    facts->pdata[i] = pteris_fact_new (PTERIS_FACT_SECTION, pteris_fact_get_name (fact), count);
    n = G_MAXUINT; /* this one is none */
  }
}

GPtrArray *
pteris_facts_read (const char *report)
{
  json_t *root = json_loads (report, 0, NULL);
  Reader self = { NULL };
  const json_t *method;
  size_t i;

  if (!json_is_object (root)) {
    json_decref (root);
    return NULL;
  }
  self.facts = g_ptr_array_new_with_free_func (g_object_unref);
  read_missing (&self, root);
  read_program (&self, root);
  json_array_foreach (json_object_get (root, "methods"), i, method) {
    read_method (&self, method);
  }
  read_constants (&self, json_object_get (root, "constant_methods"));
  read_data_files (&self, json_object_get (root, "data_files"));
  read_external (&self, json_object_get (root, "external_tensors"));
  read_named_data (&self, json_object_get (root, "named_data"));
  read_tests (&self, json_object_get (root, "tests"));
  json_decref (root);
  count_sections (self.facts);
  return self.facts;
}
