/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/inspect.h"

#include <string.h>

#include <glib/gstdio.h>
#include <jansson.h>

#ifdef G_OS_UNIX
#include <sys/resource.h>
#include <unistd.h>
#endif

#include "engine/init.h"
#include "engine/runtime/memory.h"
#include "tests/run-json.h"

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

/* The report has the place of each tensor, or the reason why it has none. */
static void
test_external_tensors (void)
{
  g_autoptr (json_t) without = inspect ("external_weights", "model.pte", NULL);
  g_autoptr (json_t) with = inspect ("external_weights", "model.pte", "weights.ptd");
  g_autoptr (json_t) other = inspect (
      "external_weights", "model.pte",
      ".." G_DIR_SEPARATOR_S "xnnpack_linear_external" G_DIR_SEPARATOR_S "xnn_weights.ptd");

  g_assert_true (json_is_null (at (without, "external_tensors.entries.0.file")));
  g_assert_nonnull (json_string_value (at (without, "external_tensors.entries.0.why")));
  g_assert_cmpstr (json_string_value (at (with, "external_tensors.entries.0.name")), ==, "weight");
  g_assert_cmpstr (json_string_value (at (with, "external_tensors.entries.0.use")), ==, "constant");
  g_assert_cmpint (json_integer_value (at (with, "external_tensors.entries.0.bytes")), ==, 48);
  g_assert_true (g_str_has_suffix (json_string_value (at (with, "external_tensors.entries.0.file")),
                                   "weights.ptd"));
  g_assert_null (at (with, "external_tensors.entries.0.why"));
  g_assert_true (lacks (other, "in none of the data files"));
}

/* The parts are the whole, wherever they lie. */
static void
check_parts (const char *folder, const char *part, gint64 bytes)
{
  g_autoptr (json_t) report = inspect (folder, "model.pte", NULL);
  json_t *parts = json_object_get (report, "parts"), *size;
  const char *name;
  json_int_t sum = 0;

  json_object_foreach (parts, name, size) {
    if (strcmp (name, "data_files") != 0)
      sum += json_integer_value (size);
  }
  g_assert_cmpint (sum, ==, json_integer_value (json_object_get (report, "bytes")));
  g_assert_cmpint (json_integer_value (json_object_get (parts, part)), ==, bytes);
}

static void
test_parts (void)
{
  check_parts ("linear", "constants", 60);
  check_parts ("legacy_inline_constants", "constants", 60);
  check_parts ("add_f32", "tables", 1072);
  check_parts ("add_f32", "other", 0);
  check_parts ("xnnpack_linear_external", "delegate_payloads", 752);
}

static void
test_constant_tensor (void)
{
  g_autoptr (json_t) report = inspect ("constant_methods", "model.pte", NULL);

  g_assert_cmpuint (json_array_size (at (report, "constant_methods.get_table.values")), ==, 6);
  g_assert_cmpint (json_integer_value (at (report, "constant_methods.get_table.values.5")), ==, 5);
  g_assert_cmpint (json_integer_value (at (report, "constant_methods.get_eos_ids.1")), ==, 7);
}

static void
test_bundle (void)
{
  g_autoptr (json_t) report = inspect ("bundled", "model.bpte", NULL);

  g_assert_true (json_is_true (json_object_get (report, "ok")));
  g_assert_cmpstr (json_string_value (at (report, "tests.0.method")), ==, "forward");
  g_assert_cmpint (json_integer_value (at (report, "tests.0.cases")), ==, 2);
  g_assert_cmpint (json_integer_value (at (report, "tests.0.bytes")), ==, 112);
  g_assert_cmpint (json_integer_value (at (report, "methods.0.planned_bytes")), ==, 112);
  g_assert_cmpint (json_integer_value (at (report, "methods.0.buffers.0.bytes")), ==, 112);
}

#ifdef G_OS_UNIX
/* Size costs nothing: what is behind the last segment is never read. */
static void
test_huge_file (void)
{
  static const gint64 huge = 4096LL * 1024 * 1024;
  g_autofree char *model =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "linear", "model.pte", NULL);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "pteris-huge-XXXXXX.pte", NULL);
  g_autofree char *contents = NULL, *text = NULL;
  g_autoptr (json_t) report = NULL;
  gsize size;
  int fd;

  g_assert_true (g_file_get_contents (model, &contents, &size, NULL));
  fd = g_mkstemp (path);
  g_assert_cmpint (write (fd, contents, size), ==, (gssize) size);
  if (ftruncate (fd, huge) == 0) {
    text = pt_inspect (path, NULL, NULL);
    g_assert_nonnull (text);
    report = json_loads (text, 0, NULL);
    g_assert_true (json_is_true (json_object_get (report, "ok")));
    g_assert_cmpint (json_integer_value (json_object_get (report, "bytes")), ==, huge);
    g_assert_cmpint (json_integer_value (at (report, "parts.other")), >, huge - (gint64) size);
  } else {
    g_test_skip ("the file system has no room for such a file");
  }
  g_assert_true (g_close (fd, NULL));
  g_remove (path);
}
#endif

/* The verdict of inspect equals the result of running. */
static gboolean
check_verdict (const char *path)
{
  const char *const inputs[] = { "zeros:", NULL };
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  g_autofree char *text = pt_inspect (path, NULL, NULL), *answer = NULL;
  g_autoptr (json_t) report = NULL;
  gboolean runs;

  g_assert_nonnull (text);
  report = json_loads (text, 0, NULL);
  job.model.path = path;
  job.run.inputs = inputs;
  answer = run_to_json (&job, NULL);
  runs = json_is_true (json_object_get (report, "ok"));
  g_test_message ("it %s: %s", answer != NULL ? "runs" : "does not run", text);
  g_assert_cmpint (runs, ==, answer != NULL);
  g_assert_true (runs || lacks (report, "memory"));
  return runs;
}

/* 17.2 GB of planned memory, of which a run touches little: whether it runs is for the system to
 * say. */
static void
test_much_memory (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "hostile", "inspect-contradiction.pte", NULL);

  check_verdict (path);
#if defined(G_OS_UNIX) && !defined(PT_ADDRESS_SANITIZER)
  {
    struct rlimit before, little;

    g_assert_cmpint (getrlimit (RLIMIT_AS, &before), ==, 0);
    little = before;
    little.rlim_cur = MIN (before.rlim_max, (rlim_t) 8 << 30);
    g_assert_cmpint (setrlimit (RLIMIT_AS, &little), ==, 0);
    g_assert_false (check_verdict (path));
    g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  }
#endif
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
  g_test_add_func ("/tasks/inspect/external-tensors", test_external_tensors);
  g_test_add_func ("/tasks/inspect/parts", test_parts);
  g_test_add_func ("/tasks/inspect/constant-tensor", test_constant_tensor);
  g_test_add_func ("/tasks/inspect/bundle", test_bundle);
#ifdef G_OS_UNIX
  g_test_add_func ("/tasks/inspect/huge-file", test_huge_file);
#endif
  g_test_add_func ("/tasks/inspect/much-memory", test_much_memory);
  g_test_add_func ("/tasks/inspect/damaged-program", test_damaged_program);
  return g_test_run ();
}
