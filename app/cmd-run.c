/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris run: call methods of a program with tensors from files. */

#include <stdio.h>

#include "app/report.h"

/* Of a profile: the rest of the lines is counted, and of the tensors in a line. */
#define MAX_LINES 32
#define MAX_TENSORS 6

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

/* Milliseconds, for columns. */
static double
milliseconds (const json_t *object, const char *key)
{
  return pteris_report_number (object, key) * 1000;
}

static void
show_instruction (const json_t *item)
{
  const json_t *tensors = json_object_get (item, "tensors");

  pteris_putf ("%6.1f %% %10.3f %10.3f %8.0f  %.0f.%-5.0f %s",
               pteris_report_number (item, "share") * 100, milliseconds (item, "total_s"),
               milliseconds (item, "median_s"), pteris_report_number (item, "calls"),
               pteris_report_number (item, "chain"), pteris_report_number (item, "instruction"),
               pteris_report_text (item, "name"));
  if (json_object_get (item, "delegate") != NULL)
    pteris_putf (" %.0f", pteris_report_number (item, "delegate"));
  for (gsize i = 0; i < json_array_size (tensors) && i < MAX_TENSORS; i++) {
    g_autofree char *text = pteris_report_value (json_array_get (tensors, i));

    pteris_putf ("%s%s", i == 0 ? ": " : ", ", text);
  }
  if (json_array_size (tensors) > MAX_TENSORS)
    pteris_putf (", %zu more", json_array_size (tensors) - MAX_TENSORS);
  pteris_put (pteris_report_flag (item, "varies") ? ", and other shapes\n" : "\n");
}

static void
show_total (const json_t *item)
{
  double n = pteris_report_number (item, "instructions");

  pteris_putf ("%6.1f %% %10.3f %8.0f  %s, %.0f instruction%s\n",
               pteris_report_number (item, "share") * 100, milliseconds (item, "total_s"),
               pteris_report_number (item, "calls"), pteris_report_text (item, "name"), n,
               n == 1 ? "" : "s");
}

static void
show_table (const char *title, const json_t *list, void (*show) (const json_t *item))
{
  pteris_putf ("\n%s\n", title);
  for (gsize i = 0; i < json_array_size (list) && i < MAX_LINES; i++)
    show (json_array_get (list, i));
  if (json_array_size (list) > MAX_LINES)
    pteris_putf ("%zu more; --json lists all\n", json_array_size (list) - MAX_LINES);
}

static void
show_profile (const json_t *report)
{
  const json_t *profile = json_object_get (report, "profile");

  if (profile == NULL)
    return;
  show_table ("  share   total ms  median ms    calls  instruction",
              json_object_get (profile, "instructions"), show_instruction);
  show_table ("  share   total ms    calls  operator", json_object_get (profile, "operators"),
              show_total);
  pteris_putf ("\n%.3f ms in instructions, of %.3f ms in %.0f calls\n",
               milliseconds (profile, "total_s"), milliseconds (profile, "calls_s"),
               pteris_report_number (profile, "calls"));
  if (pteris_report_number (profile, "lost") > 0)
    pteris_putf ("%.0f later events are not in the medians and the trace\n",
                 pteris_report_number (profile, "lost"));
  if (pteris_report_text (report, "trace")[0] != '\0')
    pteris_putf ("trace -> %s\n", pteris_report_text (report, "trace"));
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
  show_profile (report);
  return PTERIS_EXIT_DONE;
}

/* Of all outputs of a step; -1 when none is compared by numbers. */
static double
largest_difference (const json_t *outputs)
{
  double largest = -1;

  for (gsize i = 0; i < json_array_size (outputs); i++) {
    const json_t *difference = json_object_get (json_array_get (outputs, i), "max_abs_diff");

    if (difference != NULL)
      largest = MAX (largest, json_number_value (difference));
  }
  return largest;
}

static void
show_step (gsize number, const json_t *step)
{
  const json_t *outputs = json_object_get (step, "outputs");
  double difference = largest_difference (outputs);

  pteris_putf ("step %zu, %s: %s", number, pteris_report_text (step, "method"),
               pteris_report_flag (step, "ok") ? "as expected" : "DIFFERS");
  if (difference >= 0)
    pteris_putf (", largest difference %.3g", difference);
  pteris_putf (", %.4f s\n", pteris_report_number (step, "seconds"));
  for (gsize i = 0; i < json_array_size (outputs); i++) {
    const json_t *output = json_array_get (outputs, i);

    if (!pteris_report_flag (output, "ok"))
      pteris_putf ("  output %zu: %s\n", i, pteris_report_text (output, "why"));
  }
}

static void
show_test (const json_t *test)
{
  const char *verdict = "FAILED";

  if (pteris_report_flag (test, "ok"))
    verdict = pteris_report_flag (test, "checked") ? "passed" : "ran, no expected result";
  pteris_putf ("%s, test %.0f: %s", pteris_report_text (test, "method"),
               pteris_report_number (test, "test"), verdict);
  if (json_object_get (test, "max_abs_diff") != NULL)
    pteris_putf (", largest difference %.3g", pteris_report_number (test, "max_abs_diff"));
  if (json_object_get (test, "seconds") != NULL)
    pteris_putf (", %.4f s", pteris_report_number (test, "seconds"));
  pteris_put ("\n");
  if (!pteris_report_flag (test, "ok"))
    pteris_putf ("  %s\n", pteris_report_text (test, "why"));
}

static int
show_tests (const json_t *report)
{
  const json_t *tests = json_object_get (report, "tests");

  for (gsize i = 0; i < json_array_size (tests); i++)
    show_test (json_array_get (tests, i));
  pteris_putf ("%.0f passed, %.0f failed", pteris_report_number (report, "passed"),
               pteris_report_number (report, "failed"));
  if (pteris_report_number (report, "unchecked") > 0)
    pteris_putf (", %.0f ran unchecked", pteris_report_number (report, "unchecked"));
  pteris_put ("\n");
  return pteris_report_flag (report, "ok") ? PTERIS_EXIT_DONE : PTERIS_EXIT_FAILED;
}

static int
show_report (const json_t *report)
{
  const json_t *steps = json_object_get (report, "steps");

  if (json_object_get (report, "tests") != NULL)
    return show_tests (report);
  if (steps == NULL)
    return show_call (report);
  for (gsize i = 0; i < json_array_size (steps); i++)
    show_step (i, json_array_get (steps, i));
  pteris_putf ("%.0f as expected, %.0f different\n", pteris_report_number (report, "passed"),
               pteris_report_number (report, "failed"));
  return pteris_report_flag (report, "ok") ? PTERIS_EXIT_DONE : PTERIS_EXIT_FAILED;
}

/* What was given, where it belongs to the command. */
typedef struct {
  char *method, *output_dir, *steps, *trace;
  char **inputs, **shapes;
  int repeat;
  gboolean bundled, profile;
} RunOptions;

static void
run_options_clear (RunOptions *own)
{
  g_free (own->method);
  g_free (own->output_dir);
  g_free (own->steps);
  g_free (own->trace);
  g_strfreev (own->inputs);
  g_strfreev (own->shapes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunOptions, run_options_clear)

/* -1 when they go together, else the exit status. */
static int
check_options (const RunOptions *own, const char *model)
{
  gboolean compares = own->steps != NULL || own->bundled;

  if (model == NULL && own->steps == NULL)
    return pteris_usage_error ("run", "Name a MODEL, or a case with --steps.");
  if (own->repeat < 1)
    return pteris_usage_error ("run", "--repeat must be 1 or more.");
  if (own->steps != NULL && own->bundled)
    return pteris_usage_error ("run", "Use either --steps or --bundled, not both.");
  if (compares && own->inputs != NULL)
    return pteris_usage_error ("run", "--input cannot be used with test cases; leave it out.");
  if (compares && (own->profile || own->trace != NULL))
    return pteris_usage_error ("run", "--profile cannot be used with test cases; use --input.");
  if (own->shapes != NULL &&
      (own->inputs == NULL || g_strv_length (own->shapes) > g_strv_length (own->inputs)))
    return pteris_usage_error ("run", "There are more --shape options than inputs.");
  return -1;
}

/* One for each input; those that are not given keep what the file or the method says. */
static void
pad_shapes (RunOptions *own)
{
  guint n = g_strv_length (own->shapes);

  own->shapes = g_renew (char *, own->shapes, g_strv_length (own->inputs) + 1);
  for (guint i = n; i <= g_strv_length (own->inputs); i++)
    own->shapes[i] = NULL;
}

static PtJob
make_job (const PterisOptions *common, const RunOptions *own)
{
  PtJob job = pteris_options_job (common, PT_JOB_RUN, common->arguments[0]);

  job.model.method = own->method;
  job.run.inputs = (const char *const *) own->inputs;
  job.run.shapes = (const char *const *) own->shapes;
  job.run.output_dir = own->output_dir;
  job.run.steps = own->steps;
  job.run.repeat = (guint) own->repeat;
  job.run.bundled = own->bundled;
  job.run.profile = own->profile;
  job.run.trace = own->trace;
  return job;
}

int
pteris_run_command (int argc, char **argv)
{
  g_auto (RunOptions) own = { .repeat = 1 };
  const GOptionEntry entries[] = {
    { "method", 'm', 0, G_OPTION_ARG_FILENAME, &own.method,
      "Method to run; default: forward, or the only one", "NAME" },
    { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &own.inputs,
      "Input tensor: .npy, raw bytes, zeros:, random:SEED or values:1,2,3; once per input, in "
      "order",
      "FILE" },
    { "shape", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &own.shapes,
      "Shape of a raw input, such as 1,7; once per raw input, in order", "N,N" },
    { "output-dir", 'o', 0, G_OPTION_ARG_FILENAME, &own.output_dir,
      "Folder for the outputs as .npy files", "DIR" },
    { "repeat", 'r', 0, G_OPTION_ARG_INT, &own.repeat, "Number of runs to measure", "N" },
    { "steps", 0, 0, G_OPTION_ARG_FILENAME, &own.steps,
      "Run the calls of a case.json and compare the results", "CASE" },
    { "bundled", 0, 0, G_OPTION_ARG_NONE, &own.bundled,
      "Run the test cases of a bundled program (.bpte) and compare the results", NULL },
    { "profile", 0, 0, G_OPTION_ARG_NONE, &own.profile, "Profile each instruction", NULL },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &own.trace,
      "Profile, and write Chrome trace events to this file (for Perfetto)", "FILE" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "run MODEL", "Run a method with tensors from files.",
                                     entries, 0, 1, argc, argv);
  PtJob job;

  if (status < 0)
    status = check_options (&own, common.arguments[0]);
  if (status >= 0)
    return status;
  if (own.shapes != NULL)
    pad_shapes (&own);
  job = make_job (&common, &own);
  return pteris_report_run (&common, &job, show_report);
}
