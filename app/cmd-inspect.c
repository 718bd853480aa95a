/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris inspect: what is in a program, and what is missing to run it here. */

#include "app/show-report.h"

/* The rest of long lists is counted. */
#define MAX_LINES 24
#define MAX_EXTERNAL 8

static void
show_values (const char *title, const PtInspectValue *values, guint n)
{
  for (guint i = 0; i < n; i++) {
    g_autofree char *text = pt_argument_to_text (&values[i].value);

    if (i >= MAX_LINES) {
      pteris_put_line ("  %s: %u more", title, n - i);
      return;
    }
    pteris_put_line ("  %s %u: %s%s", title, i, text, values[i].dynamic ? " at most" : "");
  }
}

static char *
join_codes (const PtInspectCudaLibrary *library)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < library->n_codes; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", library->codes[i].name);
  return g_string_free (text, FALSE);
}

static void
show_library (const PtInspectCudaLibrary *library)
{
  g_autofree char *code = join_codes (library);
  g_autofree char *needed = NULL;
  g_autoptr (GString) line = g_string_new (NULL);
  char size[32];

  g_string_append_printf (line, "    library %.16s…, %s", library->key,
                          pteris_format_bytes (library->bytes, size, sizeof size));
  if (library->target != 0)
    g_string_append_printf (line, ", for sm_%u%s", library->target,
                            library->fallback ? " and others" : "");
  if (library->platform != NULL)
    g_string_append_printf (line, ": %s on %s", library->platform, library->cpu);
  pteris_put_line ("%s", line->str);
  if (library->platform == NULL)
    return;
  if (library->n_kernels > 0)
    pteris_put_line ("      GPU code for %s in %u %s", code, library->n_kernels,
                     library->n_kernels > 1 ? "kernels" : "kernel");
  needed = g_strjoinv (", ", (char **) library->needed);
  pteris_put_line ("      needs %s", needed);
}

static void
show_cuda (const PtInspectCuda *cuda)
{
  const PtInspectCudaWeights *weights = cuda->weights;
  char text[32];
  const char *size;

  for (guint i = 0; i < cuda->n_libraries; i++)
    show_library (&cuda->libraries[i]);
  if (weights == NULL || weights->storages == 0)
    return;
  size = pteris_format_bytes (weights->bytes, text, sizeof text);
  if (weights->key == NULL)
    pteris_put_line ("    %u weights by name (%s), %s: %u of %u found", weights->constants,
                     cuda->form, size, weights->found, weights->storages);
  else
    pteris_put_line ("    weights “%s” (%s), %s: %s", weights->key, cuda->form, size,
                     weights->found < weights->storages ? "MISSING HERE" : "found");
}

static void
show_content (const PtInspectContent *content)
{
  if (content->kind == PT_INSPECT_CONTENT_CUDA)
    show_cuda (content->cuda);
  for (guint i = 0; i < content->n_pairs; i++)
    pteris_put_line ("    %s: %s", content->pairs[i].name, content->pairs[i].value);
}

static void
show_delegate (const PtInspectDelegate *delegate)
{
  char size[32];

  pteris_put_line ("  delegate %s, %u parts, %s%s", delegate->backend, delegate->count,
                   pteris_format_bytes (delegate->payload_bytes, size, sizeof size),
                   delegate->available ? "" : ": MISSING HERE");
  for (guint i = 0; i < delegate->n_nodes; i++)
    pteris_put_line ("    %s, %" G_GUINT64_FORMAT " times", delegate->nodes[i].name,
                     delegate->nodes[i].count);
  for (guint i = 0; i < delegate->n_contents; i++)
    show_content (&delegate->contents[i]);
}

static void
show_method (const PtInspectMethod *method)
{
  char size[32];

  pteris_put ("\n");
  pteris_put_line ("method %s: %u instructions, %s of planned memory", method->name,
                   method->n_instructions,
                   pteris_format_bytes (method->planned_bytes, size, sizeof size));
  /* The buffers of planned memory, when there are several. */
  for (guint i = 0; method->n_buffers > 1 && i < method->n_buffers; i++)
    pteris_put_line ("  memory %u: %s, %s", i + 1,
                     pteris_format_bytes (method->buffers[i].bytes, size, sizeof size),
                     method->buffers[i].device);
  show_values ("input", method->inputs, method->n_inputs);
  show_values ("output", method->outputs, method->n_outputs);
  for (guint i = 0; i < method->n_delegates; i++)
    show_delegate (&method->delegates[i]);
  for (guint i = 0; i < method->n_operators; i++)
    pteris_put_line ("  operator %s, %u times%s", method->operators[i].name,
                     method->operators[i].count,
                     method->operators[i].available ? "" : ": MISSING HERE");
}

static void
show_constants (const PtInspectReport *report)
{
  if (report->n_constants > 0)
    pteris_put ("\n");
  for (guint i = 0; i < report->n_constants; i++) {
    g_autofree char *text = pt_inspect_constant_to_text (&report->constants[i]);

    pteris_put_line ("%s = %s", report->constants[i].name, text);
  }
}

static void
show_parts (const PtInspectParts *sizes)
{
  const struct {
    const char *title;
    guint64 bytes;
  } parts[] = {
    { "tables", sizes->tables },
    { "constants", sizes->constants },
    { "initial state", sizes->initial_state },
    { "delegates", sizes->delegate_payloads },
    { "named data", sizes->named_data },
    { "padding and unused", sizes->other },
  };
  char size[32];

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].bytes > 0)
      pteris_put_line ("  %s, %s", parts[i].title,
                       pteris_format_bytes (parts[i].bytes, size, sizeof size));
}

static void
show_external_tensor (const PtInspectExternal *tensor)
{
  g_autofree char *file = tensor->file != NULL ? g_path_get_basename (tensor->file) : NULL;
  g_autofree char *text = pt_argument_to_text (&tensor->value);

  pteris_put_line ("  %s, %s: %s", tensor->name, text, tensor->why != NULL ? tensor->why : file);
}

/* Which tensors are elsewhere, and where; those that could not be found first. */
static void
show_external (const PtInspectReport *report)
{
  guint shown = 0;
  char size[32];

  if (report->n_external == 0)
    return;
  pteris_put_line ("%u external tensors, %s, %u of them found", report->n_external,
                   pteris_format_bytes (report->external_bytes, size, sizeof size),
                   report->n_external_found);
  for (guint found = 0; found < 2; found++) {
    for (guint i = 0; i < report->n_external_listed && shown < MAX_EXTERNAL; i++) {
      if ((report->external[i].why == NULL) != (found != 0))
        continue;
      show_external_tensor (&report->external[i]);
      shown++;
    }
  }
  if (report->n_external > shown)
    pteris_put_line ("  %u more; --json lists all", report->n_external - shown);
}

static void
show_data (const PtInspectReport *report)
{
  char size[32];

  for (guint i = 0; i < report->n_data_files; i++) {
    const PtInspectDataFile *file = &report->data_files[i];

    pteris_put_line ("data file %s, %s, %u entries", file->path,
                     pteris_format_bytes (file->bytes, size, sizeof size), file->entries);
  }
  show_external (report);
  if (report->n_named > 0)
    pteris_put_line ("%u blocks of named data, %s", report->n_named,
                     pteris_format_bytes (report->named_bytes, size, sizeof size));
  for (guint i = 0; i < report->n_tests; i++)
    pteris_put_line ("%u test cases for %s, %s", report->tests[i].cases, report->tests[i].method,
                     pteris_format_bytes (report->tests[i].bytes, size, sizeof size));
}

static void
show_memory (const PtNeeds *needs)
{
  const struct {
    const char *title;
    guint64 bytes;
  } parts[] = {
    { "weights", needs->weights },
    { "working memory, at most", needs->working },
    { "of this, KV cache and other state", needs->state },
    { "on a GPU", needs->gpu },
  };
  char size[32];

  pteris_put ("required memory\n");
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (parts[i].bytes > 0)
      pteris_put_line ("  %s %s", pteris_format_bytes (parts[i].bytes, size, sizeof size),
                       parts[i].title);
}

static void
show_native_code (const PtInspectReport *report)
{
  if (!report->native)
    return;
  pteris_put_line ("native code, which runs with your permissions: %s",
                   report->trusted ? "allowed" : "not allowed yet");
  pteris_put_line ("  SHA-256 %s", report->sha256 != NULL ? report->sha256 : "");
}

/* Which files of a folder belong to the model, and which do not. */
static void
show_files (const PtInspectReport *report)
{
  if (report->n_files > 0)
    pteris_put ("\nfiles\n");
  for (guint i = 0; i < report->n_files; i++) {
    const PtModelFile *file = &report->files[i];

    pteris_put_line ("  %s: %s", file->path, file->role != NULL ? file->role : file->reason);
  }
}

static void
show_all (const PtInspectReport *report)
{
  char size[32];

  pteris_put_line ("%s, %s", report->path, pteris_format_bytes (report->bytes, size, sizeof size));
  pteris_put_line ("kind: %s%s%s", report->kind, report->why != NULL ? ". " : "",
                   report->why != NULL ? report->why : "");
  show_parts (&report->parts);
  show_data (report);
  show_memory (&report->memory);
  show_native_code (report);
  for (guint i = 0; i < report->n_methods; i++)
    show_method (&report->methods[i]);
  show_constants (report);
  pteris_put (report->ok ? "\nThis model can run here.\n"
                         : "\nThis model cannot run here; missing:\n");
  for (guint i = 0; report->missing[i] != NULL; i++)
    pteris_put_line ("  %s", report->missing[i]);
  show_files (report);
}

static int
show_report (const PtEvent *event, gboolean json)
{
  if (json) {
    g_autofree char *text = pt_inspect_report_to_json (event->inspect);

    pteris_put_json (text);
  } else {
    show_all (event->inspect);
  }
  return PTERIS_EXIT_DONE;
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
  return pteris_report_show (&common, &job, show_report);
}
