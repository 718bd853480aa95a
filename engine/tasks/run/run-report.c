/* SPDX-License-Identifier: BSD-3-Clause */

/* The report of a run: its references, and its JSON. */

#include <math.h>
#include <stdlib.h>

#include "engine/tasks/run/profile-private.h"
#include "engine/tasks/run/run-private.h"

PtRunReport *
pt_run_report_ref (const PtRunReport *report)
{
  if (report->owner != NULL)
    pt_heap_ref (report->owner);
  return (PtRunReport *) report;
}

void
pt_run_report_unref (PtRunReport *report)
{
  if (report != NULL && report->owner != NULL)
    pt_heap_unref (report->owner);
}

const char *
pt_profile_kind_name (PtRunInstructionKind kind)
{
  static const char *const NAMES[] = {
    [PT_RUN_OPERATOR] = "operator", [PT_RUN_DELEGATE] = "delegate", [PT_RUN_CONTROL] = "control"
  };

  return NAMES[kind];
}

/* ---- values ---- */

const char *
pt_argument_kind_name (PtArgumentKind kind)
{
  static const char *const NAMES[] = {
    [PT_ARGUMENT_NONE] = "none",     [PT_ARGUMENT_INT] = "int",
    [PT_ARGUMENT_BOOL] = "bool",     [PT_ARGUMENT_DOUBLE] = "double",
    [PT_ARGUMENT_STRING] = "string", [PT_ARGUMENT_TENSOR] = "tensor",
    [PT_ARGUMENT_LIST] = "list",
  };

  return NAMES[kind];
}

static json_t *
finite_or_null (double number)
{
  return isfinite (number) ? json_real (number) : json_null ();
}

json_t *
pt_run_json_plain (const PtArgument *argument)
{
  switch (argument->kind) {
  case PT_ARGUMENT_INT: return json_integer (argument->as_int);
  case PT_ARGUMENT_BOOL: return json_boolean (argument->as_int != 0);
  case PT_ARGUMENT_DOUBLE: return finite_or_null (argument->as_double);
  case PT_ARGUMENT_STRING: return pt_json_text (argument->as_string);
  default: return NULL;
  }
}

char *
pt_argument_to_text (const PtArgument *argument)
{
  GString *text = g_string_new (NULL);

  if (argument->kind == PT_ARGUMENT_TENSOR) {
    g_string_append_printf (text, "%s [", argument->dtype);
    for (guint i = 0; i < argument->rank; i++)
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", argument->shape[i]);
    g_string_append_c (text, ']');
  } else {
    g_autoptr (json_t) value = pt_run_json_plain (argument);
    char *plain =
        value != NULL ? json_dumps (value, JSON_ENCODE_ANY | JSON_REAL_PRECISION (6)) : NULL;

    g_string_append (text, pt_argument_kind_name (argument->kind));
    if (plain != NULL && !json_is_null (value))
      g_string_append_printf (text, " %s", plain);
    free (plain);
  }
  return g_string_free (text, FALSE);
}

void
pt_run_json_put_tensor (json_t *object, const PtArgument *tensor)
{
  json_t *shape = json_array ();

  for (guint i = 0; i < tensor->rank; i++)
    json_array_append_new (shape, json_integer (tensor->shape[i]));
  json_object_set_new (object, "dtype", pt_json_text (tensor->dtype));
  json_object_set_new (object, "shape", shape);
}

json_t *
pt_run_json_value (const PtArgument *argument)
{
  json_t *object = json_object ();
  json_t *value = pt_run_json_plain (argument);

  json_object_set_new (object, "kind", json_string (pt_argument_kind_name (argument->kind)));
  if (argument->kind == PT_ARGUMENT_TENSOR)
    pt_run_json_put_tensor (object, argument);
  if (value != NULL)
    json_object_set_new (object, "value", value);
  return object;
}

/* ---- outputs ---- */

static void
put_text (json_t *object, const char *key, const char *text)
{
  if (text != NULL)
    json_object_set_new (object, key, pt_json_text (text));
}

static void
put_numbers (json_t *object, const PtRunOutput *output)
{
  json_t *values = json_array ();

  for (guint i = 0; i < output->n_values; i++)
    json_array_append_new (values, finite_or_null (output->values[i]));
  json_object_set_new (object, "min", finite_or_null (output->min));
  json_object_set_new (object, "max", finite_or_null (output->max));
  json_object_set_new (object, "mean", finite_or_null (output->mean));
  json_object_set_new (object, "deviation", finite_or_null (output->deviation));
  json_object_set_new (object, "not_finite", json_integer ((json_int_t) output->not_finite));
  json_object_set_new (object, "values", values);
}

static void
put_top (json_t *object, const PtRunOutput *output)
{
  json_t *array = json_array ();

  for (guint i = 0; i < output->n_top; i++) {
    const PtRunBest *best = &output->top[i];

    json_array_append_new (array, json_pack ("{s:I, s:o, s:o}", "index", (json_int_t) best->index,
                                             "value", finite_or_null (best->value), "share",
                                             finite_or_null (best->share)));
  }
  json_object_set_new (object, "top", array);
}

/* @checked: it was compared with something. */
static json_t *
describe_outputs (const PtRunOutput *outputs, guint n, gboolean checked)
{
  json_t *array = json_array ();

  for (guint i = 0; i < n; i++) {
    const PtRunOutput *output = &outputs[i];
    json_t *object = pt_run_json_value (&output->value);

    if ((output->valid & PT_RUN_OUTPUT_NUMBERS) != 0)
      put_numbers (object, output);
    if ((output->valid & PT_RUN_OUTPUT_TOP) != 0)
      put_top (object, output);
    if (output->skipped)
      json_object_set_new (object, "skipped", json_true ());
    if ((output->valid & PT_RUN_OUTPUT_DIFFERENCE) != 0)
      json_object_set_new (object, "max_abs_diff", json_real (output->max_abs_diff));
    put_text (object, "why", output->why);
    put_text (object, "file", output->file);
    if (checked)
      json_object_set_new (object, "ok", json_boolean (output->ok));
    json_array_append_new (array, object);
  }
  return array;
}

/* ---- one method ---- */

static json_t *
describe_instruction (const PtRunInstruction *item)
{
  json_t *tensors = json_array (), *object;

  for (guint i = 0; i < item->n_tensors; i++) {
    json_t *tensor = json_object ();

    pt_run_json_put_tensor (tensor, &item->tensors[i]);
    json_array_append_new (tensors, tensor);
  }
  object = json_pack ("{s:i, s:i, s:s, s:o, s:o, s:b, s:I, s:f, s:f, s:f, s:f, s:f}", "chain",
                      (int) item->chain, "instruction", (int) item->index, "kind",
                      pt_profile_kind_name (item->kind), "name", pt_json_text (item->name),
                      "tensors", tensors, "varies", item->varies, "calls", (json_int_t) item->calls,
                      "total_s", item->total_s, "median_s", item->median_s, "min_s", item->min_s,
                      "max_s", item->max_s, "share", item->share);
  if (item->delegate >= 0)
    json_object_set_new (object, "delegate", json_integer (item->delegate));
  return object;
}

static json_t *
describe_profile (const PtRunProfile *profile)
{
  json_t *instructions = json_array (), *operators = json_array (), *remarks = json_array ();

  for (guint i = 0; profile->remarks != NULL && profile->remarks[i] != NULL; i++)
    json_array_append_new (remarks, pt_json_text (profile->remarks[i]));
  for (guint i = 0; i < profile->n_instructions; i++)
    json_array_append_new (instructions, describe_instruction (&profile->instructions[i]));
  for (guint i = 0; i < profile->n_totals; i++) {
    const PtRunTotal *total = &profile->totals[i];

    json_array_append_new (
        operators, json_pack ("{s:o, s:s, s:i, s:I, s:f, s:f}", "name", pt_json_text (total->name),
                              "kind", pt_profile_kind_name (total->kind), "instructions",
                              (int) total->instructions, "calls", (json_int_t) total->calls,
                              "total_s", total->total_s, "share", total->share));
  }
  return json_pack ("{s:i, s:f, s:f, s:o, s:o, s:I, s:o}", "calls", (int) profile->calls, "calls_s",
                    profile->calls_s, "total_s", profile->total_s, "instructions", instructions,
                    "operators", operators, "lost", (json_int_t) profile->lost, "remarks", remarks);
}

static json_t *
describe_method (const PtRunReport *report)
{
  json_t *inputs = json_array (), *object;

  for (guint i = 0; i < report->n_inputs; i++)
    json_array_append_new (inputs, pt_run_json_value (&report->inputs[i]));
  object = json_pack (
      "{s:o, s:o, s:f, s:I, s:o, s:o, s:i, s:f, s:f, s:f}", "model", pt_json_text (report->model),
      "method", pt_json_text (report->method), "load_s", report->load_s, "planned_bytes",
      (json_int_t) report->planned_bytes, "inputs", inputs, "outputs",
      describe_outputs (report->outputs, report->n_outputs, FALSE), "repeat", (int) report->repeat,
      "first_s", report->first_s, "median_s", report->median_s, "min_s", report->min_s);
  if (report->profile != NULL)
    json_object_set_new (object, "profile", describe_profile (report->profile));
  put_text (object, "trace", report->trace);
  return object;
}

/* ---- comparisons ---- */

static json_t *
describe_step (const PtRunCheck *step)
{
  return json_pack ("{s:o, s:b, s:f, s:o}", "method", pt_json_text (step->method), "ok", step->ok,
                    "seconds", step->seconds, "outputs",
                    describe_outputs (step->outputs, step->n_outputs, TRUE));
}

static json_t *
describe_test (const PtRunCheck *test)
{
  json_t *object = json_pack ("{s:o, s:i, s:b, s:b, s:o}", "method", pt_json_text (test->method),
                              "test", (int) test->test, "ok", test->ok, "checked", test->checked,
                              "outputs", describe_outputs (test->outputs, test->n_outputs, TRUE));

  if (test->seconds >= 0)
    json_object_set_new (object, "seconds", json_real (test->seconds));
  if (test->max_abs_diff >= 0)
    json_object_set_new (object, "max_abs_diff", json_real (test->max_abs_diff));
  put_text (object, "why", test->why);
  return object;
}

static json_t *
describe_checks (const PtRunReport *report)
{
  gboolean steps = report->kind == PT_RUN_STEPS;
  json_t *checks = json_array ();

  for (guint i = 0; i < report->n_checks; i++)
    json_array_append_new (checks, steps ? describe_step (&report->checks[i])
                                         : describe_test (&report->checks[i]));
  if (steps)
    return json_pack ("{s:o, s:o, s:b, s:i, s:i, s:f, s:o}", "model", pt_json_text (report->model),
                      "case", pt_json_text (report->steps), "ok", report->ok, "passed",
                      (int) report->passed, "failed", (int) report->failed, "load_s",
                      report->load_s, "steps", checks);
  return json_pack ("{s:o, s:b, s:i, s:i, s:i, s:f, s:{s:f, s:f}, s:o}", "model",
                    pt_json_text (report->model), "ok", report->ok, "passed", (int) report->passed,
                    "failed", (int) report->failed, "unchecked", (int) report->unchecked, "load_s",
                    report->load_s, "tolerance", "rtol", report->rtol, "atol", report->atol,
                    "tests", checks);
}

char *
pt_run_report_to_json (const PtRunReport *report)
{
  return pt_json_steal_lines (report->kind == PT_RUN_METHOD ? describe_method (report)
                                                            : describe_checks (report));
}
