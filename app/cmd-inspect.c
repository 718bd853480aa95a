/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris inspect: what is in a program, and what is missing to run it here. */

#include <stdio.h>

#include "app/report.h"

/* The rest of long lists is counted. */
#define MAX_LINES 24
#define MAX_EXTERNAL 8

static const char *
bytes_of (const json_t *object, const char *key, char *buffer, gsize size)
{
  return pteris_format_bytes ((guint64) pteris_report_number (object, key), buffer, size);
}

static void
show_tensors (const char *title, const json_t *list)
{
  for (gsize i = 0; i < json_array_size (list); i++) {
    g_autofree char *text = pteris_report_value (json_array_get (list, i));

    if (i >= MAX_LINES) {
      pteris_putf ("  %s: %zu more\n", title, json_array_size (list) - i);
      return;
    }
    pteris_putf ("  %s %zu: %s\n", title, i, text);
  }
}

static void
show_operators (const json_t *list)
{
  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);

    pteris_putf ("  operator %s, %.0f times%s\n", pteris_report_text (item, "name"),
                 pteris_report_number (item, "count"),
                 pteris_report_flag (item, "available") ? "" : ": MISSING HERE");
  }
}

static char *
join_texts (const json_t *list, const char *member)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);
    const char *name =
        member != NULL ? pteris_report_text (item, member) : json_string_value (item);

    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", name);
  }
  return g_string_free (text, FALSE);
}

static void
show_library (const json_t *library)
{
  g_autofree char *code = join_texts (json_object_get (library, "code"), "name");
  g_autofree char *needed = join_texts (json_object_get (library, "needed"), NULL);
  double kernels = pteris_report_number (library, "kernels");
  char size[32];

  pteris_putf ("    library %.16s…, %s", pteris_report_text (library, "key"),
               bytes_of (library, "bytes", size, sizeof size));
  if (json_object_get (library, "target") != NULL)
    pteris_putf (", for sm_%.0f%s", pteris_report_number (library, "target"),
                 pteris_report_flag (library, "fallback") ? " and others" : "");
  if (json_object_get (library, "platform") == NULL) {
    pteris_put ("\n");
    return;
  }
  pteris_putf (": %s on %s\n", pteris_report_text (library, "platform"),
               pteris_report_text (library, "cpu"));
  if (kernels > 0)
    pteris_putf ("      GPU code for %s in %.0f %s\n", code, kernels,
                 kernels > 1 ? "kernels" : "kernel");
  pteris_putf ("      needs %s\n", needed);
}

/* The contents of one CUDA delegate. */
static void
show_contents (const json_t *contents)
{
  const json_t *libraries = json_object_get (contents, "libraries");
  const json_t *weights = json_object_get (contents, "weights");
  double constants = pteris_report_number (weights, "constants");
  const char *found =
      pteris_report_number (weights, "found") < pteris_report_number (weights, "storages")
          ? "MISSING HERE"
          : "found";
  char size[32];

  for (gsize i = 0; i < json_array_size (libraries); i++)
    show_library (json_array_get (libraries, i));
  if (weights != NULL && constants > 0)
    pteris_putf (
        "    %.0f weights by name (%s), %s: %.0f of %.0f found\n", constants,
        pteris_report_text (contents, "form"), bytes_of (weights, "bytes", size, sizeof size),
        pteris_report_number (weights, "found"), pteris_report_number (weights, "storages"));
  else if (pteris_report_number (weights, "storages") > 0)
    pteris_putf ("    weights “%s” (%s), %s: %s\n", pteris_report_text (weights, "key"),
                 pteris_report_text (contents, "form"),
                 bytes_of (weights, "bytes", size, sizeof size), found);
}

static void
show_delegates (const json_t *list)
{
  char size[32];

  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);
    const json_t *nodes = json_object_get (item, "nodes");
    const json_t *contents = json_object_get (item, "contents");
    const char *name;
    json_t *count;

    pteris_putf ("  delegate %s, %.0f parts, %s%s\n", pteris_report_text (item, "backend"),
                 pteris_report_number (item, "count"),
                 bytes_of (item, "payload_bytes", size, sizeof size),
                 pteris_report_flag (item, "available") ? "" : ": MISSING HERE");
    json_object_foreach ((json_t *) nodes, name, count)
      pteris_putf ("    %s, %.0f times\n", name, json_number_value (count));
    for (gsize k = 0; k < json_array_size (contents); k++)
      show_contents (json_array_get (contents, k));
  }
}

/* Where planned memory is, when it is not one piece in the machine's. */
static void
show_buffers (const json_t *list)
{
  char size[32];

  for (gsize i = 0; json_array_size (list) > 1 && i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);

    pteris_putf ("  memory %zu: %s, %s\n", i + 1, bytes_of (item, "bytes", size, sizeof size),
                 pteris_report_text (item, "device"));
  }
}

static void
show_method (const json_t *method)
{
  char size[32];

  pteris_putf ("\nmethod %s: %.0f instructions, %s of planned memory\n",
               pteris_report_text (method, "name"), pteris_report_number (method, "instructions"),
               bytes_of (method, "planned_bytes", size, sizeof size));
  show_buffers (json_object_get (method, "buffers"));
  show_tensors ("input", json_object_get (method, "inputs"));
  show_tensors ("output", json_object_get (method, "outputs"));
  show_delegates (json_object_get (method, "delegates"));
  show_operators (json_object_get (method, "operators"));
}

static char *
constant_text (const json_t *value)
{
  const json_t *values = json_object_get (value, "values");
  g_autofree char *tensor = NULL, *elements = NULL;
  char *text;

  if (json_is_object (value)) {
    tensor = pteris_report_value (value);
    elements = values != NULL ? constant_text (values) : g_strdup ("");
    return g_strconcat (tensor, values != NULL ? " " : "", elements, NULL);
  }
  text = json_dumps (value, JSON_ENCODE_ANY | JSON_REAL_PRECISION (9));
  elements = g_strdup (text != NULL ? text : "");
  free (text);
  return g_steal_pointer (&elements);
}

static void
show_constants (const json_t *constants)
{
  const char *name;
  json_t *value;

  if (json_object_size (constants) > 0)
    pteris_put ("\n");
  json_object_foreach ((json_t *) constants, name, value) {
    g_autofree char *text = constant_text (value);

    pteris_putf ("%s = %s\n", name, text);
  }
}

static void
show_parts (const json_t *report)
{
  static const struct {
    const char *key, *title;
  } parts[] = {
    { "tables", "tables" },
    { "constants", "constants" },
    { "initial_state", "initial state" },
    { "delegate_payloads", "delegates" },
    { "named_data", "named data" },
    { "other", "padding and unused" },
  };
  const json_t *sizes = json_object_get (report, "parts");
  char size[32];

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (pteris_report_number (sizes, parts[i].key) > 0)
      pteris_putf ("  %s, %s\n", parts[i].title, bytes_of (sizes, parts[i].key, size, sizeof size));
}

static void
show_external_tensor (const json_t *entry)
{
  const char *why = pteris_report_text (entry, "why");
  g_autofree char *file = g_path_get_basename (pteris_report_text (entry, "file"));
  g_autofree char *text = pteris_report_value (entry);

  pteris_putf ("  %s, %s: %s\n", pteris_report_text (entry, "name"), text,
               why[0] != '\0' ? why : file);
}

/* Which tensors are elsewhere, and where; those that could not be found first. */
static void
show_external (const json_t *tensors)
{
  const json_t *entries = json_object_get (tensors, "entries");
  double count = pteris_report_number (tensors, "count");
  gsize shown = 0;
  char size[32];

  if (count == 0)
    return;
  pteris_putf ("%.0f external tensors, %s, %.0f of them found\n", count,
               bytes_of (tensors, "bytes", size, sizeof size),
               pteris_report_number (tensors, "found"));
  for (guint found = 0; found < 2; found++) {
    for (gsize i = 0; i < json_array_size (entries) && shown < MAX_EXTERNAL; i++) {
      const json_t *entry = json_array_get (entries, i);

      if ((json_object_get (entry, "why") == NULL) != (found != 0))
        continue;
      show_external_tensor (entry);
      shown++;
    }
  }
  if (count > (double) shown)
    pteris_putf ("  %.0f more; --json lists all\n", count - (double) shown);
}

static void
show_data (const json_t *report)
{
  const json_t *files = json_object_get (report, "data_files");
  const json_t *named = json_object_get (report, "named_data");
  const json_t *tests = json_object_get (report, "tests");
  char size[32];

  for (gsize i = 0; i < json_array_size (files); i++) {
    const json_t *file = json_array_get (files, i);

    pteris_putf ("data file %s, %s, %.0f entries\n", pteris_report_text (file, "path"),
                 bytes_of (file, "bytes", size, sizeof size),
                 pteris_report_number (file, "entries"));
  }
  show_external (json_object_get (report, "external_tensors"));
  if (pteris_report_number (named, "count") > 0)
    pteris_putf ("%.0f blocks of named data, %s\n", pteris_report_number (named, "count"),
                 bytes_of (named, "bytes", size, sizeof size));
  for (gsize i = 0; i < json_array_size (tests); i++) {
    const json_t *suite = json_array_get (tests, i);

    pteris_putf ("%.0f test cases for %s, %s\n", pteris_report_number (suite, "cases"),
                 pteris_report_text (suite, "method"),
                 bytes_of (suite, "bytes", size, sizeof size));
  }
}

static void
show_memory (const json_t *memory)
{
  static const struct {
    const char *key, *title;
  } PARTS[] = {
    { "weights_bytes", "weights" },
    { "working_bytes", "working memory, at most" },
    { "state_bytes", "of this, KV cache and other state" },
    { "gpu_bytes", "on a GPU" },
  };
  char size[32];

  pteris_put ("required memory\n");
  for (gsize i = 0; i < G_N_ELEMENTS (PARTS); i++)
    if (pteris_report_number (memory, PARTS[i].key) > 0)
      pteris_putf ("  %s %s\n", bytes_of (memory, PARTS[i].key, size, sizeof size), PARTS[i].title);
}

static void
show_native_code (const json_t *native)
{
  if (json_is_object (native))
    pteris_putf ("native code, which runs with your permissions: %s\n  SHA-256 %s\n",
                 pteris_report_flag (native, "trusted") ? "allowed" : "not allowed yet",
                 pteris_report_text (native, "sha256"));
}

static void
show_family (const json_t *family)
{
  const char *name = pteris_report_text (family, "name"), *why = pteris_report_text (family, "why");

  pteris_putf ("kind: %s%s%s\n", name, *why != '\0' ? ". " : "", why);
}

static int
show_report (const json_t *report)
{
  const json_t *missing = json_object_get (report, "missing");
  const json_t *methods = json_object_get (report, "methods");
  char size[32];

  pteris_putf ("%s, %s\n", pteris_report_text (report, "path"),
               bytes_of (report, "bytes", size, sizeof size));
  show_family (json_object_get (report, "family"));
  show_parts (report);
  show_data (report);
  show_memory (json_object_get (report, "memory"));
  show_native_code (json_object_get (report, "native_code"));
  for (gsize i = 0; i < json_array_size (methods); i++)
    show_method (json_array_get (methods, i));
  show_constants (json_object_get (report, "constant_methods"));
  pteris_put (json_array_size (missing) == 0 ? "\nThis model can run here.\n"
                                             : "\nThis model cannot run here; missing:\n");
  for (gsize i = 0; i < json_array_size (missing); i++)
    pteris_putf ("  %s\n", json_string_value (json_array_get (missing, i)));
  return PTERIS_EXIT_DONE;
}

/* Which files of a folder belong to the model, and which do not. */
static void
show_files (const char *folder)
{
  g_autoptr (PtModelInfo) info = pt_library_probe (folder, NULL);

  if (info == NULL)
    return;
  pteris_put ("\nfiles\n");
  for (guint i = 0; i < info->n_files; i++) {
    const PtModelFile *file = &info->files[i];
    g_autofree char *path = g_filename_display_name (file->path);

    pteris_putf ("  %s: %s\n", path, file->role != NULL ? file->role : file->reason);
  }
}

int
pteris_inspect_command (int argc, char **argv)
{
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "inspect MODEL",
                                     "Show a model's contents and what it needs to run here.", NULL,
                                     1, 1, argc, argv);
  PtJob job;

  if (status >= 0)
    return status;
  job = pteris_options_job (&common, PT_JOB_INSPECT, common.arguments[0]);
  status = pteris_report_run (&common, &job, show_report);
  if (status == PTERIS_EXIT_DONE && !common.json &&
      g_file_test (common.arguments[0], G_FILE_TEST_IS_DIR))
    show_files (common.arguments[0]);
  return status;
}
