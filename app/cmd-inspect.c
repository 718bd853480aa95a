/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris inspect: what is in a program, and what is missing to run it here. */

#include <stdio.h>

#include "app/report.h"

/* The rest of long lists is counted. */
#define MAX_LINES 24

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

static void
show_delegates (const json_t *list)
{
  char size[32];

  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);
    const json_t *nodes = json_object_get (item, "nodes");
    const char *name;
    json_t *count;

    pteris_putf ("  delegate %s, %.0f parts, %s%s\n", pteris_report_text (item, "backend"),
                 pteris_report_number (item, "count"),
                 pteris_format_bytes ((guint64) pteris_report_number (item, "payload_bytes"), size,
                                      sizeof size),
                 pteris_report_flag (item, "available") ? "" : ": MISSING HERE");
    json_object_foreach ((json_t *) nodes, name, count)
      pteris_putf ("    %s, %.0f times\n", name, json_number_value (count));
  }
}

static void
show_method (const json_t *method)
{
  char size[32];

  pteris_putf ("\nmethod %s: %.0f instructions, %s of planned memory\n",
               pteris_report_text (method, "name"), pteris_report_number (method, "instructions"),
               pteris_format_bytes ((guint64) pteris_report_number (method, "planned_bytes"), size,
                                    sizeof size));
  show_tensors ("input", json_object_get (method, "inputs"));
  show_tensors ("output", json_object_get (method, "outputs"));
  show_delegates (json_object_get (method, "delegates"));
  show_operators (json_object_get (method, "operators"));
}

static void
show_constants (const json_t *constants)
{
  const char *name;
  json_t *value;

  if (json_object_size (constants) > 0)
    pteris_put ("\n");
  json_object_foreach ((json_t *) constants, name, value) {
    char *text = json_dumps (value, JSON_ENCODE_ANY | JSON_REAL_PRECISION (9));

    pteris_putf ("%s = %s\n", name, text != NULL ? text : "");
    free (text);
  }
}

static void
show_data (const json_t *report)
{
  const json_t *files = json_object_get (report, "data_files");
  const json_t *tensors = json_object_get (report, "external_tensors");
  const json_t *named = json_object_get (report, "named_data");
  char size[32];

  for (gsize i = 0; i < json_array_size (files); i++) {
    const json_t *file = json_array_get (files, i);

    pteris_putf (
        "data file %s, %s, %.0f entries\n", pteris_report_text (file, "path"),
        pteris_format_bytes ((guint64) pteris_report_number (file, "bytes"), size, sizeof size),
        pteris_report_number (file, "entries"));
  }
  if (pteris_report_number (tensors, "count") > 0)
    pteris_putf ("%.0f tensors outside the program, %.0f of them found\n",
                 pteris_report_number (tensors, "count"), pteris_report_number (tensors, "found"));
  if (pteris_report_number (named, "count") > 0)
    pteris_putf (
        "%.0f named blocks in the program, %s\n", pteris_report_number (named, "count"),
        pteris_format_bytes ((guint64) pteris_report_number (named, "bytes"), size, sizeof size));
}

static int
show_report (const json_t *report)
{
  const json_t *missing = json_object_get (report, "missing");
  const json_t *methods = json_object_get (report, "methods");
  char size[32];

  pteris_putf (
      "%s, %s\n", pteris_report_text (report, "path"),
      pteris_format_bytes ((guint64) pteris_report_number (report, "bytes"), size, sizeof size));
  show_data (report);
  for (gsize i = 0; i < json_array_size (methods); i++)
    show_method (json_array_get (methods, i));
  show_constants (json_object_get (report, "constant_methods"));
  pteris_put (json_array_size (missing) == 0 ? "\nIt can run here.\n" : "\nIt cannot run here:\n");
  for (gsize i = 0; i < json_array_size (missing); i++)
    pteris_putf ("  %s\n", json_string_value (json_array_get (missing, i)));
  return PTERIS_EXIT_DONE;
}

int
pteris_inspect_command (int argc, char **argv)
{
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "inspect MODEL",
                                     "What is in a program, and what is missing to run it here.",
                                     NULL, 1, 1, argc, argv);
  PtJob job;

  if (status >= 0)
    return status;
  job = pteris_options_job (&common, PT_JOB_INSPECT, common.arguments[0]);
  return pteris_report_run (&common, &job, show_report);
}
