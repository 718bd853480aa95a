/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris run: call methods of a program with tensors from files. */

#include <math.h>

#include "app/show-report.h"

/* Of a profile: the rest of the lines is counted, and of the tensors in a line. */
#define MAX_LINES 32
#define MAX_TENSORS 6

/* "%g"; what is not finite reads as 0, as does null in JSON. */
static double
known (double number)
{
  return isfinite (number) ? number : 0;
}

static void
show_output (guint number, const PtRunOutput *output)
{
  g_autofree char *text = pt_argument_to_text (&output->value);
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_append_printf (line, "output %u: %s", number, text);
  if ((output->valid & PT_RUN_OUTPUT_NUMBERS) != 0)
    g_string_append_printf (line, ", %g to %g", known (output->min), known (output->max));
  for (guint i = 0; i < output->n_values; i++)
    g_string_append_printf (line, "%s%g", i == 0 ? ": " : ", ", known (output->values[i]));
  if (output->file != NULL)
    g_string_append_printf (line, " -> %s", output->file);
  pteris_put_line ("%s", line->str);
}

static void
show_instruction (const PtRunInstruction *item)
{
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_append_printf (line, "%6.1f %% %10.3f %10.3f %8" G_GUINT64_FORMAT "  %u.%-5u %s",
                          item->share * 100, item->total_s * 1000, item->median_s * 1000,
                          item->calls, item->chain, item->index, item->name);
  if (item->delegate >= 0)
    g_string_append_printf (line, " %d", item->delegate);
  for (guint i = 0; i < item->n_tensors && i < MAX_TENSORS; i++) {
    g_autofree char *text = pt_argument_to_text (&item->tensors[i]);

    g_string_append_printf (line, "%s%s", i == 0 ? ": " : ", ", text);
  }
  if (item->n_tensors > MAX_TENSORS)
    g_string_append_printf (line, ", %u more", item->n_tensors - MAX_TENSORS);
  pteris_put_line ("%s%s", line->str, item->varies ? ", and other shapes" : "");
}

static void
show_rest (guint n)
{
  if (n > MAX_LINES)
    pteris_put_line ("%u more; --json lists all", n - MAX_LINES);
  pteris_put_line ("%s", "");
}

static void
show_profile (const PtRunProfile *profile)
{
  pteris_put_line ("%s", "");
  pteris_put_line ("  share   total ms  median ms    calls  instruction");
  for (guint i = 0; i < profile->n_instructions && i < MAX_LINES; i++)
    show_instruction (&profile->instructions[i]);
  show_rest (profile->n_instructions);
  pteris_put_line ("  share   total ms    calls  operator");
  for (guint i = 0; i < profile->n_totals && i < MAX_LINES; i++) {
    const PtRunTotal *total = &profile->totals[i];

    pteris_put_line ("%6.1f %% %10.3f %8" G_GUINT64_FORMAT "  %s, %u instruction%s",
                     total->share * 100, total->total_s * 1000, total->calls, total->name,
                     total->instructions, total->instructions == 1 ? "" : "s");
  }
  show_rest (profile->n_totals);
  pteris_put_line ("%.3f ms in instructions, of %.3f ms in %u calls", profile->total_s * 1000,
                   profile->calls_s * 1000, profile->calls);
  for (guint i = 0; profile->remarks != NULL && profile->remarks[i] != NULL; i++)
    pteris_put_line ("%s", profile->remarks[i]);
  if (profile->lost > 0)
    pteris_put_line ("%" G_GUINT64_FORMAT " later events are not in the medians and the trace",
                     profile->lost);
}

static void
show_call (const PtRunReport *report)
{
  g_autoptr (GString) times = g_string_new (NULL);

  pteris_put_line ("%s of %s", report->method, report->model);
  for (guint i = 0; i < report->n_inputs; i++) {
    g_autofree char *text = pt_argument_to_text (&report->inputs[i]);

    pteris_put_line ("input %u: %s", i, text);
  }
  for (guint i = 0; i < report->n_outputs; i++)
    show_output (i, &report->outputs[i]);
  g_string_append_printf (times, "load %.3f s, first call %.4f s", report->load_s, report->first_s);
  if (report->repeat > 1)
    g_string_append_printf (times, ", median of %u calls %.4f s, best %.4f s", report->repeat,
                            report->median_s, report->min_s);
  pteris_put_line ("%s", times->str);
  if (report->profile != NULL)
    show_profile (report->profile);
  if (report->trace != NULL)
    pteris_put_line ("trace -> %s", report->trace);
}

/* Its verdict, and what is measured. */
static void
show_check (const char *name, const char *verdict, const PtRunCheck *check)
{
  g_autoptr (GString) line = g_string_new (NULL);

  g_string_append_printf (line, "%s: %s", name, verdict);
  if (check->max_abs_diff >= 0)
    g_string_append_printf (line, ", largest difference %.3g", check->max_abs_diff);
  if (check->seconds >= 0)
    g_string_append_printf (line, ", %.4f s", check->seconds);
  pteris_put_line ("%s", line->str);
}

static void
show_step (guint number, const PtRunCheck *step)
{
  g_autofree char *name = g_strdup_printf ("step %u, %s", number, step->method);

  show_check (name, step->ok ? "as expected" : "DIFFERS", step);
  for (guint i = 0; i < step->n_outputs; i++)
    if (!step->outputs[i].ok)
      pteris_put_line ("  output %u: %s", i, step->outputs[i].why);
}

static void
show_test (const PtRunCheck *test)
{
  g_autofree char *name = g_strdup_printf ("%s, test %u", test->method, test->test);

  if (test->ok)
    show_check (name, test->checked ? "passed" : "ran, no expected result", test);
  else
    show_check (name, "FAILED", test);
  if (test->why != NULL)
    pteris_put_line ("  %s", test->why);
}

static void
show_checks (const PtRunReport *report)
{
  for (guint i = 0; i < report->n_checks; i++) {
    if (report->kind == PT_RUN_STEPS)
      show_step (i, &report->checks[i]);
    else
      show_test (&report->checks[i]);
  }
  if (report->kind == PT_RUN_STEPS)
    pteris_put_line ("%u as expected, %u different", report->passed, report->failed);
  else if (report->unchecked > 0)
    pteris_put_line ("%u passed, %u failed, %u ran unchecked", report->passed, report->failed,
                     report->unchecked);
  else
    pteris_put_line ("%u passed, %u failed", report->passed, report->failed);
}

static int
show_report (const PtEvent *event, gboolean json)
{
  const PtRunReport *report = event->run;

  if (json) {
    g_autofree char *text = pt_run_report_to_json (report);

    pteris_put_json (text);
  } else if (report->kind == PT_RUN_METHOD) {
    show_call (report);
  } else {
    show_checks (report);
  }
  /* A comparison that failed is a failure in either form. */
  return report->kind == PT_RUN_METHOD || report->ok ? PTERIS_EXIT_DONE : PTERIS_EXIT_FAILED;
}

/* The options of the command. */
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
  return pteris_report_show (&common, &job, show_report);
}
