/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect.h"

#include <string.h>

#include <jansson.h>

#include "engine/init.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

static json_t *
inspect (const char *folder, const char *file, const char *data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "tiny", folder, file, NULL);
  g_autofree char *data_path =
      data != NULL ? g_test_build_filename (G_TEST_DIST, "data", "tiny", folder, data, NULL) : NULL;
  const char *paths[] = { data_path, NULL };
  g_autofree char *text = NULL;
  GError *error = NULL;
  json_t *report;

  text = pt_inspect (path, paths, &error);
  g_assert_no_error (error);
  report = json_loads (text, 0, NULL);
  g_assert_nonnull (report);
  return report;
}

/* json_object_get() along "a.b.0.c" */
static json_t *
at (json_t *report, const char *where)
{
  g_auto (GStrv) parts = g_strsplit (where, ".", -1);
  guint i;

  for (i = 0; parts[i] != NULL; i++)
    report = json_is_array (report)
                 ? json_array_get (report, (size_t) g_ascii_strtoull (parts[i], NULL, 10))
                 : json_object_get (report, parts[i]);
  return report;
}

static gboolean
lacks (json_t *report, const char *what)
{
  json_t *sentence;
  size_t i;

  json_array_foreach (json_object_get (report, "missing"), i, sentence) {
    if (strstr (json_string_value (sentence), what) != NULL)
      return TRUE;
  }
  return FALSE;
}

static void
test_method (void)
{
  g_autoptr (json_t) report = inspect ("dynamic_shape", "model.pte", NULL);

  g_assert_cmpstr (json_string_value (at (report, "methods.0.name")), ==, "forward");
  g_assert_cmpstr (json_string_value (at (report, "methods.0.inputs.0.kind")), ==, "tensor");
  g_assert_cmpstr (json_string_value (at (report, "methods.0.inputs.0.dtype")), ==, "float32");
  g_assert_true (json_is_true (at (report, "methods.0.inputs.0.dynamic")));
  g_assert_true (json_is_true (at (report, "methods.0.inputs.0.planned")));
  g_assert_cmpint (json_integer_value (at (report, "methods.0.planned_bytes")), >, 0);
  g_assert_cmpint (json_integer_value (at (report, "methods.0.instructions")), >, 0);
  g_assert_cmpint (json_integer_value (at (report, "methods.0.operators.0.count")), >, 0);
}

static void
test_constant_methods (void)
{
  g_autoptr (json_t) report = inspect ("constant_methods", "model.pte", NULL);
  json_t *constants = json_object_get (report, "constant_methods");
  const char *name;
  json_t *value;
  guint kinds = 0;

  g_assert_cmpuint (json_array_size (json_object_get (report, "methods")), ==, 1);
  json_object_foreach (constants, name, value) {
    kinds |= 1u << json_typeof (value);
  }
  g_assert_true (kinds & 1u << JSON_INTEGER);
  g_assert_true (kinds & 1u << JSON_STRING);
  g_assert_true (kinds & 1u << JSON_ARRAY);
}

static void
test_missing (void)
{
  g_autoptr (json_t) device = inspect ("device_copies_v15", "model.pte", NULL);
  g_autoptr (json_t) operator= inspect ("hostile", "i_op_unknown.pte", NULL);
  g_autoptr (json_t) backend = inspect ("hostile", "d_unknown_backend.pte", NULL);

  g_assert_false (json_is_true (json_object_get (device, "ok")));
  g_assert_true (lacks (device, "StubAddBackend"));
  g_assert_true (lacks (device, "cuda:0"));
  g_assert_true (lacks (operator, "operator"));
  g_assert_true (lacks (backend, "backend"));
}

static void
test_data_files (void)
{
  g_autoptr (json_t) without = inspect ("external_weights", "model.pte", NULL);
  g_autoptr (json_t) with = inspect ("external_weights", "model.pte", "weights.ptd");
  g_autoptr (json_t) damaged = inspect ("hostile", "x_cut.pte", "x_cut.ptd");

  g_assert_cmpint (json_integer_value (at (without, "external_tensors.count")), ==, 2);
  g_assert_cmpint (json_integer_value (at (without, "external_tensors.found")), ==, 0);
  g_assert_true (lacks (without, "data file"));
  g_assert_cmpint (json_integer_value (at (with, "external_tensors.found")), ==, 2);
  g_assert_cmpint (json_integer_value (at (with, "external_tensors.bytes")), ==, 60);
  g_assert_cmpint (json_integer_value (at (with, "data_files.0.entries")), ==, 2);
  g_assert_false (lacks (with, "data file"));
  g_assert_true (lacks (damaged, "x_cut.ptd"));
}

static void
test_damaged_program (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "hostile", "c_root_far.pte", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_inspect (path, NULL, &error));
  g_assert_true (error->domain == PT_ERROR);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/tasks/inspect/method", test_method);
  g_test_add_func ("/tasks/inspect/constant-methods", test_constant_methods);
  g_test_add_func ("/tasks/inspect/missing", test_missing);
  g_test_add_func ("/tasks/inspect/data-files", test_data_files);
  g_test_add_func ("/tasks/inspect/damaged-program", test_damaged_program);
  return g_test_run ();
}
