/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/profile.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "tests/run-json.h"

static char *
data_path (const char *name, const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", "tiny", name, file, NULL);
}

/* The report of @repeat profiled calls of @name with its first inputs. */
static json_t *
profile (const char *name, guint n_inputs, guint repeat, const char *trace)
{
  g_autofree char *model = data_path (name, "model.pte");
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  GError *error = NULL;

  for (guint i = 0; i < n_inputs; i++) {
    g_autofree char *file = g_strdup_printf ("s0_in%u.bin", i);

    g_ptr_array_add (inputs, data_path (name, file));
  }
  g_ptr_array_add (inputs, NULL);
  job.model.path = model;
  job.run.inputs = (const char *const *) (gpointer) inputs->pdata;
  job.run.repeat = repeat;
  job.run.profile = trace == NULL;
  job.run.trace = trace;
  text = run_to_json (&job, &error);
  g_assert_no_error (error);
  return json_loads (text, 0, NULL);
}

static json_t *
find (json_t *list, const char *name)
{
  json_t *item;
  size_t i;

  json_array_foreach (list, i, item) {
    if (g_strcmp0 (pt_json_string (item, "name"), name) == 0)
      return item;
  }
  g_error ("%s is not in the list", name);
  return NULL;
}

static void
check_shape (json_t *tensor, const char *dtype, gint64 rows, gint64 columns)
{
  json_t *shape = json_object_get (tensor, "shape");

  g_assert_cmpstr (pt_json_string (tensor, "dtype"), ==, dtype);
  g_assert_cmpuint (json_array_size (shape), ==, 2);
  g_assert_cmpint (json_integer_value (json_array_get (shape, 0)), ==, rows);
  g_assert_cmpint (json_integer_value (json_array_get (shape, 1)), ==, columns);
}

/* Times are what they are, but they have to fit together. */
static void
check_times (json_t *profiled)
{
  json_t *item;
  double total = 0, share = 0, last = G_MAXDOUBLE;
  size_t i;

  json_array_foreach (json_object_get (profiled, "instructions"), i, item) {
    double time = pt_json_double (item, "total_s", -1);

    g_assert_cmpfloat (time, <=, last);
    g_assert_cmpfloat (pt_json_double (item, "min_s", -1), >=, 0);
    g_assert_cmpfloat (pt_json_double (item, "min_s", -1), <=,
                       pt_json_double (item, "median_s", -1));
    g_assert_cmpfloat (pt_json_double (item, "median_s", -1), <=,
                       pt_json_double (item, "max_s", -1));
    last = time;
    total += time;
    share += pt_json_double (item, "share", -1);
  }
  g_assert_cmpfloat_with_epsilon (total, pt_json_double (profiled, "total_s", -1), 1e-8);
  g_assert_cmpfloat_with_epsilon (share, 1, 1e-6);
}

static void
test_operators (void)
{
  g_autoptr (json_t) report = profile ("linear", 1, 7, NULL);
  json_t *profiled = json_object_get (report, "profile");
  json_t *item = find (json_object_get (profiled, "instructions"), "aten::addmm.out");
  json_t *tensors = json_object_get (item, "tensors");

  g_assert_cmpint (pt_json_int (profiled, "calls", 0), ==, 7);
  g_assert_cmpint (pt_json_int (profiled, "lost", -1), ==, 0);
  g_assert_cmpuint (json_array_size (json_object_get (profiled, "instructions")), ==, 2);
  g_assert_cmpstr (pt_json_string (item, "kind"), ==, "operator");
  g_assert_cmpint (pt_json_int (item, "calls", 0), ==, 7);
  /* bias, input, weight, output */
  g_assert_cmpuint (json_array_size (tensors), ==, 4);
  check_shape (json_array_get (tensors, 1), "float32", 2, 4);
  check_shape (json_array_get (tensors, 3), "float32", 2, 3);
  g_assert_false (pt_json_bool (item, "varies", TRUE));
  check_times (profiled);
}

static void
test_delegate (void)
{
  g_autoptr (json_t) report = profile ("xnnpack_linear", 1, 2, NULL);
  json_t *profiled = json_object_get (report, "profile");
  json_t *item = find (json_object_get (profiled, "instructions"), "XnnpackBackend");

  g_assert_cmpstr (pt_json_string (item, "kind"), ==, "delegate");
  g_assert_cmpint (pt_json_int (item, "delegate", -1), ==, 0);
  g_assert_cmpuint (json_array_size (json_object_get (profiled, "remarks")), ==, 0);
  check_shape (json_array_get (json_object_get (item, "tensors"), 0), "float32", 2, 4);
  check_times (profiled);
}

/* A loop runs some instructions more often than others; its totals count them all. */
static void
test_loop (void)
{
  g_autoptr (json_t) report = profile ("map_loop", 2, 1, NULL);
  json_t *profiled = json_object_get (report, "profile");
  json_t *jump = find (json_object_get (profiled, "instructions"), "jump");
  json_t *total = find (json_object_get (profiled, "operators"), "jump");

  g_assert_cmpint (pt_json_int (jump, "calls", 0), >, 1);
  g_assert_cmpstr (pt_json_string (jump, "kind"), ==, "control");
  g_assert_cmpuint (json_array_size (json_object_get (jump, "tensors")), ==, 0);
  g_assert_cmpint (pt_json_int (total, "calls", 0), >=, pt_json_int (jump, "calls", 0));
  check_times (profiled);
}

static void
test_off (void)
{
  g_autoptr (json_t) report = NULL;
  g_autofree char *model = data_path ("linear", "model.pte");
  g_autofree char *input = data_path ("linear", "s0_in0.bin");
  const char *inputs[] = { input, NULL };
  g_autofree char *text = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  job.run.inputs = inputs;
  text = run_to_json (&job, NULL);
  report = json_loads (text, 0, NULL);
  g_assert_null (json_object_get (report, "profile"));
}

/* Spans of one thread lie beside or inside each other, never across. */
static void
check_spans (json_t *events)
{
  double call_begin = 0, call_end = 0;
  json_t *event;
  size_t i;
  guint calls = 0, inside = 0;

  json_array_foreach (events, i, event) {
    double begin = pt_json_double (event, "ts", -1);
    double end = begin + pt_json_double (event, "dur", -1);

    if (g_strcmp0 (pt_json_string (event, "ph"), "X") != 0)
      continue;
    g_assert_cmpfloat (begin, >=, 0);
    if (g_strcmp0 (pt_json_string (event, "cat"), "method") == 0) {
      g_assert_cmpfloat (begin, >=, call_end);
      calls++;
      call_begin = calls == 1 ? begin : call_begin;
      call_end = end;
    } else {
      g_assert_cmpfloat (begin, >=, call_begin);
      g_assert_cmpfloat (end, <=, call_end + 1e-3);
      inside++;
    }
  }
  g_assert_cmpuint (calls, ==, 3);
  g_assert_cmpuint (inside, ==, 6);
}

static void
test_trace (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-profile-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "trace.json", NULL);
  g_autoptr (json_t) report = profile ("linear", 1, 3, path);
  g_autoptr (json_t) trace = pt_json_load (path, 1 << 20, NULL);
  json_t *events = json_object_get (trace, "traceEvents");
  json_t *item;

  g_assert_cmpstr (pt_json_string (report, "trace"), ==, path);
  g_assert_nonnull (json_object_get (report, "profile"));
  g_assert_true (json_is_array (events));
  check_spans (events);
  item = json_object_get (find (events, "aten::addmm.out"), "args");
  g_assert_cmpstr (json_string_value (json_array_get (json_object_get (item, "tensors"), 1)), ==,
                   "float32 [2, 4]");
  g_remove (path);
  g_rmdir (folder);
}

static void
test_trace_without_room (void)
{
  g_autofree char *model = data_path ("linear", "model.pte");
  g_autofree char *input = data_path ("linear", "s0_in0.bin");
  g_autofree char *folder = g_dir_make_tmp ("pteris-profile-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "nowhere", "trace.json", NULL);
  const char *inputs[] = { input, NULL };
  g_autoptr (GError) error = NULL;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  job.run.inputs = inputs;
  job.run.trace = path;
  g_assert_null (run_to_json (&job, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, path));
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/tasks/profile/operators", test_operators);
  g_test_add_func ("/tasks/profile/delegate", test_delegate);
  g_test_add_func ("/tasks/profile/loop", test_loop);
  g_test_add_func ("/tasks/profile/off", test_off);
  g_test_add_func ("/tasks/profile/trace", test_trace);
  g_test_add_func ("/tasks/profile/trace-without-room", test_trace_without_room);
  return g_test_run ();
}
