/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris run: call methods of a program with tensors from files. */

#include <stdio.h>

#include "app/report.h"

static void
show_values (const char *title, const json_t *list)
{
  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *item = json_array_get (list, i);
    const json_t *values = json_object_get (item, "values");
    g_autofree char *text = pteris_report_value (item);

    pteris_putf ("%s %zu: %s", title, i, text);
    if (json_object_get (item, "min") != NULL)
      pteris_putf (", %g to %g", pteris_report_number (item, "min"),
                   pteris_report_number (item, "max"));
    for (gsize j = 0; j < json_array_size (values); j++)
      pteris_putf ("%s%g", j == 0 ? ": " : ", ", json_number_value (json_array_get (values, j)));
    if (pteris_report_text (item, "file")[0] != '\0')
      pteris_putf (" -> %s", pteris_report_text (item, "file"));
    pteris_put ("\n");
  }
}

static int
show_call (const json_t *report)
{
  double repeat = pteris_report_number (report, "repeat");

  pteris_putf ("%s of %s\n", pteris_report_text (report, "method"),
               pteris_report_text (report, "model"));
  show_values ("input", json_object_get (report, "inputs"));
  show_values ("output", json_object_get (report, "outputs"));
  pteris_putf ("load %.3f s, first call %.4f s", pteris_report_number (report, "load_s"),
               pteris_report_number (report, "first_s"));
  if (repeat > 1)
    pteris_putf (", median of %.0f calls %.4f s, best %.4f s", repeat,
                 pteris_report_number (report, "median_s"), pteris_report_number (report, "min_s"));
  pteris_put ("\n");
  return PTERIS_EXIT_DONE;
}

static void
show_step (gsize number, const json_t *step)
{
  const json_t *outputs = json_object_get (step, "outputs");

  pteris_putf ("step %zu, %s: %s, %.4f s\n", number, pteris_report_text (step, "method"),
               pteris_report_flag (step, "ok") ? "as expected" : "DIFFERS",
               pteris_report_number (step, "seconds"));
  for (gsize i = 0; i < json_array_size (outputs); i++) {
    const json_t *output = json_array_get (outputs, i);

    if (!pteris_report_flag (output, "ok"))
      pteris_putf ("  output %zu: %s\n", i, pteris_report_text (output, "why"));
  }
}

static int
show_report (const json_t *report)
{
  const json_t *steps = json_object_get (report, "steps");

  if (steps == NULL)
    return show_call (report);
  for (gsize i = 0; i < json_array_size (steps); i++)
    show_step (i, json_array_get (steps, i));
  pteris_putf ("%.0f as expected, %.0f different\n", pteris_report_number (report, "passed"),
               pteris_report_number (report, "failed"));
  return pteris_report_flag (report, "ok") ? PTERIS_EXIT_DONE : PTERIS_EXIT_FAILED;
}

int
pteris_run_command (int argc, char **argv)
{
  g_autofree char *method = NULL, *output_dir = NULL, *steps = NULL;
  g_auto (GStrv) inputs = NULL;
  g_auto (GStrv) shapes = NULL;
  int repeat = 1;
  const GOptionEntry entries[] = {
    { "method", 'm', 0, G_OPTION_ARG_FILENAME, &method,
      "Which method; default: forward, or the only one", "NAME" },
    { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &inputs,
      "A tensor, .npy or raw bytes; once for each input, in order", "FILE" },
    { "shape", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &shapes,
      "Shape of an input of raw bytes, as 1,7; in order", "N,N" },
    { "output-dir", 'o', 0, G_OPTION_ARG_FILENAME, &output_dir, "Write outputs here as .npy",
      "DIR" },
    { "repeat", 'r', 0, G_OPTION_ARG_INT, &repeat, "Call so many times and measure", "N" },
    { "steps", 0, 0, G_OPTION_ARG_FILENAME, &steps, "Make the calls of a case.json and compare",
      "CASE" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "run MODEL",
                                     "Call a method of a program with tensors from files.", entries,
                                     0, 1, argc, argv);
  PtJob job;

  if (status >= 0)
    return status;
  if (common.arguments[0] == NULL && steps == NULL)
    return pteris_usage_error ("run", "Name a MODEL, or a case with --steps.");
  if (repeat < 1)
    return pteris_usage_error ("run", "--repeat must be 1 or more.");
  if (shapes != NULL && (inputs == NULL || g_strv_length (shapes) > g_strv_length (inputs)))
    return pteris_usage_error ("run", "There are more shapes than inputs.");
  job = pteris_options_job (&common, PT_JOB_RUN, common.arguments[0]);
  job.method = method;
  job.inputs = (const char *const *) inputs;
  if (shapes != NULL) {
    /* One for each input; those that are not given keep what the file or the method says. */
    guint n_shapes = g_strv_length (shapes);

    shapes = g_renew (char *, shapes, g_strv_length (inputs) + 1);
    for (guint i = n_shapes; i <= g_strv_length (inputs); i++)
      shapes[i] = NULL;
    job.shapes = (const char *const *) shapes;
  }
  job.output_dir = output_dir;
  job.steps = steps;
  job.repeat = (guint) repeat;
  return pteris_report_run (&common, &job, show_report);
}
