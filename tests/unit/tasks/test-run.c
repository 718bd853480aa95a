/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/run-json.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>
#include <jansson.h>

#include "engine/init.h"
#include "engine/tasks/run/npy.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

static char *folder;

static char *
data_path (const char *name, const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", "tiny", name, file, NULL);
}

static json_t *
run (const PtJob *job)
{
  GError *error = NULL;
  g_autofree char *text = run_to_json (job, &error);
  json_t *report;

  g_assert_no_error (error);
  report = json_loads (text, 0, NULL);
  g_assert_nonnull (report);
  return report;
}

static void
fails (const PtJob *job, PtError code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (run_to_json (job, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, message));
}

/* Raw inputs, outputs as .npy, and these as inputs again. */
static void
test_one_method (void)
{
  g_autofree char *model = data_path ("add_f32", "model.pte");
  g_autofree char *a = data_path ("add_f32", "s0_in0.bin");
  g_autofree char *b = data_path ("add_f32", "s0_in1.bin");
  g_autofree char *expected = data_path ("add_f32", "s0_out0.bin");
  g_autofree char *out = g_build_filename (folder, "out0.npy", NULL);
  const char *inputs[] = { a, b, NULL };
  const char *again[] = { out, b, NULL };
  g_autoptr (json_t) report = NULL, second = NULL;
  g_autoptr (PtTensorFile) got = NULL;
  g_autofree char *want = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  gsize size;

  job.model.path = model;
  job.run.inputs = inputs;
  job.run.output_dir = folder;
  job.run.repeat = 3;
  report = run (&job);
  g_assert_cmpstr (json_string_value (json_object_get (report, "method")), ==, "forward");
  g_assert_cmpint (json_integer_value (json_object_get (report, "repeat")), ==, 3);
  g_assert_true (json_is_real (json_object_get (report, "median_s")));

  got = pt_npy_read (out, NULL);
  g_assert_nonnull (got);
  g_assert_true (g_file_get_contents (expected, &want, &size, NULL));
  g_assert_cmpmem (got->tensor.data, pt_tensor_nbytes (&got->tensor), want, size);

  job.run.inputs = again;
  job.run.output_dir = NULL;
  second = run (&job);
}

static void
test_input_mistakes (void)
{
  g_autofree char *model = data_path ("add_f32", "model.pte");
  g_autofree char *a = data_path ("add_f32", "s0_in0.bin");
  const char *inputs[] = { a, a, NULL };
  const char *shapes[] = { "3,2", "2,3", NULL };
  const char *bad_shapes[] = { "2,x3", NULL, NULL };
  const char *absent[] = { "/nowhere/a.npy", a, NULL };
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  fails (&job, PT_ERROR_ARGUMENT, "float32 [2, 3]");
  job.run.inputs = inputs;
  job.run.shapes = shapes;
  fails (&job, PT_ERROR_ARGUMENT, "float32 [3, 2]");
  job.run.shapes = bad_shapes;
  fails (&job, PT_ERROR_ARGUMENT, "shape");
  job.run.shapes = NULL;
  job.run.inputs = absent;
  fails (&job, PT_ERROR_FILE, "/nowhere/a.npy");
  job.model.method = "backward";
  fails (&job, PT_ERROR_NOT_FOUND, "forward");
}

static void
test_choice_of_method (void)
{
  g_autofree char *model = data_path ("shared_state", "model.pte");
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  fails (&job, PT_ERROR_ARGUMENT, "--method");
}

static void
test_steps (void)
{
  g_autofree char *steps = data_path ("kv_cache", "case.json");
  g_autofree char *out = g_build_filename (folder, "s0_out0.npy", NULL);
  g_autoptr (json_t) report = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.run.steps = steps;
  job.run.output_dir = folder;
  report = run (&job);
  g_assert_true (json_is_true (json_object_get (report, "ok")));
  g_assert_cmpint (json_integer_value (json_object_get (report, "failed")), ==, 0);
  g_assert_true (g_file_test (out, G_FILE_TEST_EXISTS));
}

/* A case with a wrong expectation is reported, not hidden: another program's outputs. */
static void
test_steps_differ (void)
{
  g_autofree char *steps = g_build_filename (folder, "case.json", NULL);
  g_autofree char *model = data_path ("add_f32", "model.pte");
  g_autofree char *a = data_path ("add_f32", "s0_in0.bin");
  g_autofree char *text = g_strdup_printf (
      "{ \"tolerance\": { \"rtol\": 0, \"atol\": 1e-6 }, \"steps\": [{ \"method\": \"forward\", "
      "\"inputs\": [%1$s, %1$s], \"outputs\": [%1$s] }] }",
      "{ \"kind\": \"tensor\", \"dtype\": \"float32\", \"shape\": [2, 3], \"file\": \"a.bin\" }");
  g_autofree char *copy = g_build_filename (folder, "a.bin", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (json_t) report = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  json_t *output;
  gsize size;

  g_assert_true (g_file_get_contents (a, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (copy, bytes, (gssize) size, NULL));
  g_assert_true (g_file_set_contents (steps, text, -1, NULL));
  job.model.path = model;
  job.run.steps = steps;
  report = run (&job);
  g_assert_false (json_is_true (json_object_get (report, "ok")));
  output = json_array_get (
      json_object_get (json_array_get (json_object_get (report, "steps"), 0), "outputs"), 0);
  g_assert_cmpfloat (json_real_value (json_object_get (output, "max_abs_diff")), >, 0);
  g_assert_nonnull (json_string_value (json_object_get (output, "why")));
}

/* Random numbers only have a range. */
static void
check_range (const char *range, gboolean expected)
{
  g_autofree char *steps = g_build_filename (folder, "case.json", NULL);
  g_autofree char *model = data_path ("add_f32", "model.pte");
  g_autofree char *input = data_path ("add_f32", "s0_in0.bin");
  g_autofree char *text = g_strdup_printf (
      "{ \"steps\": [{ \"method\": \"forward\", \"inputs\": [%1$s \"file\": \"a.bin\" }, %1$s "
      "\"file\": \"a.bin\" }], \"outputs\": [%1$s \"range\": %2$s }] }] }",
      "{ \"kind\": \"tensor\", \"dtype\": \"float32\", \"shape\": [2, 3],", range);
  g_autofree char *copy = g_build_filename (folder, "a.bin", NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (json_t) report = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  gsize size;

  g_assert_true (g_file_get_contents (input, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (copy, bytes, (gssize) size, NULL));
  g_assert_true (g_file_set_contents (steps, text, -1, NULL));
  job.model.path = model;
  job.run.steps = steps;
  report = run (&job);
  g_assert_true (json_is_true (json_object_get (report, "ok")) == expected);
}

static void
test_steps_range (void)
{
  check_range ("[-1e6, 1e6]", TRUE);
  check_range ("[1e6, 2e6]", FALSE);
}

static void
test_broken_case (void)
{
  g_autofree char *steps = g_build_filename (folder, "case.json", NULL);
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.run.steps = steps;
  g_assert_true (g_file_set_contents (steps, "{ \"program\": ", -1, NULL));
  fails (&job, PT_ERROR_FORMAT, "case.json");
  g_assert_true (g_file_set_contents (steps, "{ \"program\": \"a.pte\" }", -1, NULL));
  fails (&job, PT_ERROR_FORMAT, "steps");
}

static json_t *
test_of (json_t *report, size_t i)
{
  return json_array_get (json_object_get (report, "tests"), i);
}

static void
test_bundled (void)
{
  g_autofree char *model = data_path ("bundled", "model.bpte");
  g_autofree char *expected = data_path ("bundled", "s1_out0.bin");
  g_autofree char *out = g_build_filename (folder, "t1_out0.npy", NULL);
  g_autoptr (PtTensorFile) got = NULL;
  g_autoptr (json_t) report = NULL;
  g_autofree char *want = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  gsize size;

  job.model.path = model;
  job.run.bundled = TRUE;
  job.run.output_dir = folder;
  report = run (&job);
  g_assert_true (json_is_true (json_object_get (report, "ok")));
  g_assert_cmpint (json_integer_value (json_object_get (report, "passed")), ==, 2);
  g_assert_cmpint (json_integer_value (json_object_get (report, "failed")), ==, 0);
  g_assert_cmpstr (json_string_value (json_object_get (test_of (report, 1), "method")), ==,
                   "forward");
  g_assert_cmpfloat (json_real_value (json_object_get (test_of (report, 1), "max_abs_diff")), <,
                     1e-6);
  got = pt_npy_read (out, NULL);
  g_assert_nonnull (got);
  g_assert_true (g_file_get_contents (expected, &want, &size, NULL));
  g_assert_cmpuint (pt_tensor_nbytes (&got->tensor), ==, size);

  job.model.method = "backward";
  fails (&job, PT_ERROR_NOT_FOUND, "no test cases for method backward");
}

/* A copy of the bundle whose expected output of the second test is changed in one place. */
static char *
spoil_bundle (void)
{
  g_autofree char *model = data_path ("bundled", "model.bpte");
  g_autofree char *expected = data_path ("bundled", "s1_out0.bin");
  g_autofree char *bytes = NULL, *want = NULL;
  char *path = g_build_filename (folder, "spoiled.bpte", NULL);
  gsize size, want_size, at;

  g_assert_true (g_file_get_contents (model, &bytes, &size, NULL));
  g_assert_true (g_file_get_contents (expected, &want, &want_size, NULL));
  for (at = 0; memcmp (bytes + at, want, want_size) != 0; at++)
    g_assert_cmpuint (at + want_size, <, size);
  bytes[at + 2] ^= 0x10; /* the first number's fraction */
  g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
  return path;
}

static void
test_bundled_differs (void)
{
  g_autofree char *model = spoil_bundle ();
  g_autoptr (json_t) report = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  job.run.bundled = TRUE;
  report = run (&job);
  g_assert_false (json_is_true (json_object_get (report, "ok")));
  g_assert_cmpint (json_integer_value (json_object_get (report, "passed")), ==, 1);
  g_assert_cmpint (json_integer_value (json_object_get (report, "failed")), ==, 1);
  g_assert_true (json_is_true (json_object_get (test_of (report, 0), "ok")));
  g_assert_false (json_is_true (json_object_get (test_of (report, 1), "ok")));
  g_assert_nonnull (strstr (json_string_value (json_object_get (test_of (report, 1), "why")),
                            "output 0: element 0"));
  g_assert_cmpfloat (json_real_value (json_object_get (test_of (report, 1), "max_abs_diff")), >,
                     1e-4);
}

/* The program in a bundle is one like any other. */
static void
test_bundle_as_program (void)
{
  g_autofree char *model = data_path ("bundled", "model.bpte");
  g_autofree char *plain = data_path ("linear", "model.pte");
  g_autofree char *input = data_path ("bundled", "s0_in0.bin");
  const char *inputs[] = { input, NULL };
  g_autoptr (json_t) report = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  fails (&job, PT_ERROR_ARGUMENT, "--bundled");
  job.run.inputs = inputs;
  report = run (&job);
  g_assert_cmpuint (json_array_size (json_object_get (report, "outputs")), ==, 1);
  job.model.path = plain;
  job.run.bundled = TRUE;
  fails (&job, PT_ERROR_FORMAT, "not a bundled");
}

/* Weights of a delegate lie in a data file beside the program. */
static void
test_delegate_data_beside (void)
{
  g_autofree char *model = data_path ("xnnpack_linear_external", "model.pte");
  g_autofree char *input = data_path ("xnnpack_linear_external", "s0_in0.bin");
  const char *inputs[] = { input, NULL };
  g_autoptr (json_t) report = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  job.run.inputs = inputs;
  report = run (&job);
  g_assert_cmpuint (json_array_size (json_object_get (report, "outputs")), ==, 1);
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_remove (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

/* A report is counted, and belongs to nothing else. */
static void
test_report (void)
{
  g_autofree char *model = data_path ("add_f32", "model.pte");
  const char *inputs[] = { "values:1,2,3,4,5,6", "values:10", NULL };
  g_autoptr (PtRunReport) kept = NULL;
  g_autofree char *before = NULL, *after = NULL, *text = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  job.run.inputs = inputs;
  job.run.profile = TRUE;
  {
    g_autoptr (PtRunReport) report = pt_run (&job, NULL, NULL, NULL, NULL);

    before = pt_run_report_to_json (report);
    kept = pt_run_report_ref (report);
  }
  after = pt_run_report_to_json (kept);
  g_assert_cmpstr (after, ==, before);
  g_assert_cmpint (kept->kind, ==, PT_RUN_METHOD);
  g_assert_cmpuint (kept->n_inputs, ==, 2);
  g_assert_cmpuint (kept->n_outputs, ==, 1);
  text = pt_argument_to_text (&kept->outputs[0].value);
  g_assert_cmpstr (text, ==, "float32 [2, 3]");
  g_assert_cmpuint (kept->outputs[0].valid, ==, PT_RUN_OUTPUT_NUMBERS);
  g_assert_cmpfloat (kept->outputs[0].values[5], ==, 16);
  g_assert_cmpint (kept->profile->instructions[0].kind, ==, PT_RUN_OPERATOR);
  g_assert_cmpint (kept->profile->instructions[0].delegate, ==, -1);
}

/* References of a report on the stack count nothing. What is no number is null. */
static void
test_own_report (void)
{
  const PtRunOutput outputs[] = {
    { .value = { .kind = PT_ARGUMENT_DOUBLE, .as_double = (double) INFINITY } },
    { .value = { .kind = PT_ARGUMENT_STRING, .as_string = "a\n" }, .file = "x" },
    { .value = { .kind = PT_ARGUMENT_LIST } },
  };
  PtRunReport report = { .outputs = outputs, .n_outputs = G_N_ELEMENTS (outputs) };
  g_autofree char *text = NULL;
  g_autoptr (json_t) json = NULL;
  json_t *list;

  pt_run_report_unref (pt_run_report_ref (&report));
  pt_run_report_unref (NULL);
  text = pt_run_report_to_json (&report);
  json = json_loads (text, 0, NULL);
  list = json_object_get (json, "outputs");
  g_assert_true (json_is_null (json_object_get (json_array_get (list, 0), "value")));
  g_assert_cmpstr (json_string_value (json_object_get (json_array_get (list, 1), "value")), ==,
                   "a\n");
  g_assert_null (json_object_get (json_array_get (list, 2), "value"));
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  folder = g_dir_make_tmp ("pteris-run-XXXXXX", NULL);
  g_test_add_func ("/tasks/run/one-method", test_one_method);
  g_test_add_func ("/tasks/run/input-mistakes", test_input_mistakes);
  g_test_add_func ("/tasks/run/choice-of-method", test_choice_of_method);
  g_test_add_func ("/tasks/run/steps", test_steps);
  g_test_add_func ("/tasks/run/steps-differ", test_steps_differ);
  g_test_add_func ("/tasks/run/steps-range", test_steps_range);
  g_test_add_func ("/tasks/run/broken-case", test_broken_case);
  g_test_add_func ("/tasks/run/bundled", test_bundled);
  g_test_add_func ("/tasks/run/bundled-differs", test_bundled_differs);
  g_test_add_func ("/tasks/run/bundle-as-program", test_bundle_as_program);
  g_test_add_func ("/tasks/run/delegate-data-beside", test_delegate_data_beside);
  g_test_add_func ("/tasks/run/report", test_report);
  g_test_add_func ("/tasks/run/own-report", test_own_report);
  result = g_test_run ();
  remove_folder ();
  return result;
}
