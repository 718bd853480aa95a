/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/inspect/inspect-job.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#ifdef G_OS_UNIX
#include <sys/resource.h>
#include <unistd.h>
#endif

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/memory.h"
#include "tests/run-json.h"

static PtInspectReport *
inspect (const char *folder, const char *file, const char *data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "tiny", folder, file, NULL);
  g_autofree char *data_path =
      data != NULL ? g_test_build_filename (G_TEST_DIST, "data", "tiny", folder, data, NULL) : NULL;
  const char *paths[] = { data_path, NULL };
  GError *error = NULL;
  PtInspectReport *report = pt_inspect (path, paths, &error);

  g_assert_no_error (error);
  return report;
}

static gboolean
lacks (const PtInspectReport *report, const char *what)
{
  for (guint i = 0; report->missing[i] != NULL; i++)
    if (strstr (report->missing[i], what) != NULL)
      return TRUE;
  return FALSE;
}

static void
test_method (void)
{
  g_autoptr (PtInspectReport) report = inspect ("dynamic_shape", "model.pte", NULL);
  const PtInspectMethod *method = &report->methods[0];

  g_assert_cmpuint (report->n_methods, ==, 1);
  g_assert_cmpstr (method->name, ==, "forward");
  g_assert_cmpint (method->inputs[0].value.kind, ==, PT_ARGUMENT_TENSOR);
  g_assert_cmpstr (method->inputs[0].value.dtype, ==, "float32");
  g_assert_true (method->inputs[0].dynamic);
  g_assert_true (method->inputs[0].planned);
  g_assert_cmpstr (method->inputs[0].device, ==, "cpu");
  g_assert_cmpuint (method->planned_bytes, >, 0);
  g_assert_cmpuint (method->n_instructions, >, 0);
  g_assert_cmpuint (method->operators[0].count, >, 0);
}

/* A report outlives the program that it was read from, and is gone with its last reference. */
static void
test_references (void)
{
  PtInspectReport *report = inspect ("xnnpack_linear_external", "model.pte", "xnn_weights.ptd");
  PtInspectReport *other = pt_inspect_report_ref (report);
  PtInspectReport own = { .path = "own" };

  pt_inspect_report_unref (report);
  g_assert_cmpstr (other->methods[0].delegates[0].backend, ==, "XnnpackBackend");
  g_assert_cmpuint (other->methods[0].delegates[0].nodes[0].count, >, 0);
  g_assert_cmpstr (other->methods[0].delegates[0].nodes[0].name, ==, "FullyConnected");
  pt_inspect_report_unref (other);
  pt_inspect_report_unref (pt_inspect_report_ref (&own));
  pt_inspect_report_unref (NULL);
}

static const PtInspectConstant *
find_constant (const PtInspectReport *report, const char *name)
{
  for (guint i = 0; i < report->n_constants; i++)
    if (strcmp (report->constants[i].name, name) == 0)
      return &report->constants[i];
  g_assert_not_reached ();
}

static void
check_constant (const PtInspectReport *report, const char *name, const char *text)
{
  g_autofree char *found = pt_inspect_constant_to_text (find_constant (report, name));

  g_assert_cmpstr (found, ==, text);
}

static void
test_constant_methods (void)
{
  g_autoptr (PtInspectReport) report = inspect ("constant_methods", "model.pte", NULL);
  const PtInspectOutput *table = find_constant (report, "get_table")->outputs;
  guint kinds = 0;

  g_assert_cmpuint (report->n_methods, ==, 1);
  for (guint i = 0; i < report->n_constants; i++)
    kinds |= 1u << report->constants[i].outputs[0].value.value.kind;
  g_assert_true (kinds & 1u << PT_ARGUMENT_INT);
  g_assert_true (kinds & 1u << PT_ARGUMENT_STRING);
  g_assert_true (kinds & 1u << PT_ARGUMENT_TENSOR);
  g_assert_cmpint (table->value.value.kind, ==, PT_ARGUMENT_TENSOR);
  g_assert_true (table->listed);
  g_assert_cmpuint (table->n_elements, ==, 6);
  g_assert_cmpint (table->elements[5].as_int, ==, 5);
  check_constant (report, "get_table", "int32 [2, 3] [0, 1, 2, 3, 4, 5]");
  check_constant (report, "get_eos_ids", "[2, 7]");
}

/* An output of each kind, also those that no test file has. */
static void
test_constant_texts (void)
{
  static const PtArgument NUMBERS[] = {
    { .kind = PT_ARGUMENT_INT, .as_int = G_MAXINT64 },
    { .kind = PT_ARGUMENT_BOOL, .as_int = 1 },
    { .kind = PT_ARGUMENT_DOUBLE, .as_double = 0.1 },
  };
  static const gint64 SHAPE[] = { 3 };
  const PtInspectOutput outputs[] = {
    { .value.value = { .kind = PT_ARGUMENT_NONE } },
    { .value.value = { .kind = PT_ARGUMENT_LIST } },
    { .value.value = { .kind = PT_ARGUMENT_LIST }, .listed = TRUE },
    { .value.value = { .kind = PT_ARGUMENT_LIST },
      .listed = TRUE,
      .elements = NUMBERS,
      .n_elements = 3 },
    { .value = { .value = { PT_ARGUMENT_TENSOR, .dtype = "int8", .shape = SHAPE, .rank = 1 },
                 .dynamic = TRUE },
      .listed = TRUE,
      .elements = NUMBERS,
      .n_elements = 1 },
    { .value.value = { .kind = PT_ARGUMENT_DOUBLE, .as_double = INFINITY } },
    { .value.value = { .kind = PT_ARGUMENT_STRING, .as_string = "a\nb" } },
  };
  const PtInspectConstant all = { "all", outputs, G_N_ELEMENTS (outputs) };
  const PtInspectConstant one = { "one", &outputs[2], 1 };
  g_autofree char *text = pt_inspect_constant_to_text (&all);
  g_autofree char *empty = pt_inspect_constant_to_text (&one);

  g_assert_cmpstr (text, ==,
                   "[none, list, [], [9223372036854775807, true, 0.1], "
                   "int8 [3] at most [9223372036854775807], null, \"a\\nb\"]");
  g_assert_cmpstr (empty, ==, "[]");
}

static void
test_missing (void)
{
  g_autoptr (PtInspectReport) device = inspect ("device_copies_v15", "model.pte", NULL);
  g_autoptr (PtInspectReport) operator= inspect ("hostile", "i_op_unknown.pte", NULL);
  g_autoptr (PtInspectReport) backend = inspect ("hostile", "d_unknown_backend.pte", NULL);

  g_assert_false (device->ok);
  g_assert_true (lacks (device, "StubAddBackend"));
  g_assert_true (lacks (device, "cuda:0"));
  g_assert_true (lacks (operator, "operator"));
  g_assert_true (lacks (backend, "backend"));
  g_assert_false (backend->methods[0].delegates[0].available);
}

static void
test_data_files (void)
{
  g_autoptr (PtInspectReport) without = inspect ("external_weights", "model.pte", NULL);
  g_autoptr (PtInspectReport) with = inspect ("external_weights", "model.pte", "weights.ptd");
  g_autoptr (PtInspectReport) damaged = inspect ("hostile", "x_cut.pte", "x_cut.ptd");

  g_assert_cmpuint (without->n_external, ==, 2);
  g_assert_cmpuint (without->n_external_found, ==, 0);
  g_assert_true (lacks (without, "data file"));
  g_assert_cmpuint (with->n_external_found, ==, 2);
  g_assert_cmpuint (with->external_bytes, ==, 60);
  g_assert_cmpuint (with->data_files[0].entries, ==, 2);
  g_assert_cmpuint (with->data_bytes, ==, with->data_files[0].bytes);
  g_assert_false (lacks (with, "data file"));
  g_assert_true (lacks (damaged, "x_cut.ptd"));
}

/* The report has the place of each tensor, or the reason why it has none. */
static void
test_external_tensors (void)
{
  g_autoptr (PtInspectReport) without = inspect ("external_weights", "model.pte", NULL);
  g_autoptr (PtInspectReport) with = inspect ("external_weights", "model.pte", "weights.ptd");
  g_autoptr (PtInspectReport) other = inspect (
      "external_weights", "model.pte",
      ".." G_DIR_SEPARATOR_S "xnnpack_linear_external" G_DIR_SEPARATOR_S "xnn_weights.ptd");

  g_assert_null (without->external[0].file);
  g_assert_nonnull (without->external[0].why);
  g_assert_cmpstr (without->external_missing[0], ==, "weight");
  g_assert_cmpstr (with->external[0].name, ==, "weight");
  g_assert_false (with->external[0].is_state);
  g_assert_cmpuint (with->external[0].bytes, ==, 48);
  g_assert_true (g_str_has_suffix (with->external[0].file, "weights.ptd"));
  g_assert_null (with->external[0].why);
  g_assert_null (with->external_missing[0]);
  g_assert_true (lacks (other, "in none of the data files"));
}

/* The parts are the whole, wherever they lie. */
static PtInspectParts
check_parts (const char *folder)
{
  g_autoptr (PtInspectReport) report = inspect (folder, "model.pte", NULL);
  const PtInspectParts *parts = &report->parts;

  g_assert_cmpuint (parts->tables + parts->constants + parts->initial_state +
                        parts->delegate_payloads + parts->named_data + parts->other,
                    ==, report->bytes);
  return *parts;
}

static void
test_parts (void)
{
  g_assert_cmpuint (check_parts ("linear").constants, ==, 60);
  g_assert_cmpuint (check_parts ("legacy_inline_constants").constants, ==, 60);
  g_assert_cmpuint (check_parts ("add_f32").tables, ==, 1072);
  g_assert_cmpuint (check_parts ("add_f32").other, ==, 0);
  g_assert_cmpuint (check_parts ("xnnpack_linear_external").delegate_payloads, ==, 752);
}

static void
test_bundle (void)
{
  g_autoptr (PtInspectReport) report = inspect ("bundled", "model.bpte", NULL);

  g_assert_true (report->ok);
  g_assert_null (report->missing[0]);
  /* Files are listed for folders only. */
  g_assert_cmpuint (report->n_files, ==, 0);
  g_assert_cmpuint (report->n_tests, ==, 1);
  g_assert_cmpstr (report->tests[0].method, ==, "forward");
  g_assert_cmpuint (report->tests[0].cases, ==, 2);
  g_assert_cmpuint (report->tests[0].bytes, ==, 112);
  g_assert_cmpuint (report->methods[0].planned_bytes, ==, 112);
  g_assert_cmpuint (report->methods[0].n_buffers, ==, 1);
  g_assert_cmpuint (report->methods[0].buffers[0].bytes, ==, 112);
}

/* ---- JSON ---- */

/* json_object_get() along "a.b.0.c" */
static json_t *
at (json_t *report, const char *where)
{
  g_auto (GStrv) parts = g_strsplit (where, ".", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    report = json_is_array (report)
                 ? json_array_get (report, (size_t) g_ascii_strtoull (parts[i], NULL, 10))
                 : json_object_get (report, parts[i]);
  return report;
}

static json_t *
to_json (const PtInspectReport *report)
{
  g_autofree char *text = pt_inspect_report_to_json (report);
  json_t *json = json_loads (text, 0, NULL);

  g_assert_nonnull (json);
  return json;
}

static void
test_json (void)
{
  g_autoptr (PtInspectReport) report = inspect ("constant_methods", "model.pte", NULL);
  g_autoptr (PtInspectReport) without = inspect ("external_weights", "model.pte", NULL);
  g_autoptr (json_t) constants = to_json (report), external = to_json (without);

  g_assert_cmpint (json_integer_value (at (constants, "constant_methods.get_table.values.5")), ==,
                   5);
  g_assert_cmpint (json_integer_value (at (constants, "constant_methods.get_eos_ids.1")), ==, 7);
  g_assert_true (json_is_true (at (constants, "ok")));
  g_assert_cmpstr (json_string_value (at (constants, "methods.0.inputs.0.kind")), ==, "tensor");
  g_assert_true (json_is_null (at (constants, "native_code")));
  g_assert_cmpstr (json_string_value (at (external, "external_tensors.missing.0")), ==, "weight");
  g_assert_true (json_is_null (at (external, "external_tensors.entries.0.file")));
  g_assert_nonnull (json_string_value (at (external, "external_tensors.entries.0.why")));
  g_assert_cmpstr (json_string_value (at (external, "external_tensors.entries.0.use")), ==,
                   "constant");
  g_assert_cmpint ((int) json_array_size (at (external, "missing")), ==, 1);
}

/* A backend of somebody else says what it likes. */
static void
describe_pairs (const PtDelegateContext *context, PtDelegateDescription *description)
{
  PtInspectPair *pairs = pt_heap_new0 (description->heap, PtInspectPair, 2);

  pairs[0] = (PtInspectPair){ "compiler", pt_heap_text (description->heap, "1.2 \xff") };
  pairs[1] = (PtInspectPair){ "method", pt_heap_text (description->heap, context->method) };
  description->content =
      (PtInspectContent){ .kind = PT_INSPECT_CONTENT_PAIRS, .pairs = pairs, .n_pairs = 2 };
  g_ptr_array_add (description->missing, g_strdup ("a license"));
}

static void
test_pairs (void)
{
  static const PtBackend BACKEND = { .id = "NoSuchBackend", .describe = describe_pairs };
  g_autoptr (PtInspectReport) report = NULL;
  g_autoptr (json_t) json = NULL;
  const PtInspectDelegate *delegate;

  pt_backend_register (&BACKEND);
  report = inspect ("hostile", "d_unknown_backend.pte", NULL);
  delegate = &report->methods[0].delegates[0];
  g_assert_true (delegate->available);
  g_assert_cmpuint (delegate->n_nodes, ==, 0);
  g_assert_cmpuint (delegate->n_contents, ==, delegate->count);
  g_assert_cmpstr (delegate->contents[0].pairs[0].name, ==, "compiler");
  g_assert_true (lacks (report, "a license"));
  json = to_json (report);
  g_assert_cmpstr (json_string_value (at (json, "methods.0.delegates.0.contents.0.compiler")), ==,
                   "1.2 \xef\xbf\xbd");
  g_assert_cmpstr (json_string_value (at (json, "methods.0.delegates.0.contents.0.method")), ==,
                   "forward");
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
  g_autofree char *contents = NULL;
  g_autoptr (PtInspectReport) report = NULL;
  gsize size;
  int fd;

  g_assert_true (g_file_get_contents (model, &contents, &size, NULL));
  fd = g_mkstemp (path);
  g_assert_cmpint (write (fd, contents, size), ==, (gssize) size);
  if (ftruncate (fd, huge) == 0) {
    report = pt_inspect (path, NULL, NULL);
    g_assert_nonnull (report);
    g_assert_true (report->ok);
    g_assert_cmpint ((gint64) report->bytes, ==, huge);
    g_assert_cmpint ((gint64) report->parts.other, >, huge - (gint64) size);
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
  g_autoptr (PtInspectReport) report = pt_inspect (path, NULL, NULL);
  g_autofree char *answer = NULL, *text = NULL;

  g_assert_nonnull (report);
  text = pt_inspect_report_to_json (report);
  job.model.path = path;
  job.run.inputs = inputs;
  answer = run_to_json (&job, NULL);
  g_test_message ("it %s: %s", answer != NULL ? "runs" : "does not run", text);
  g_assert_cmpint (report->ok, ==, answer != NULL);
  g_assert_true (report->ok || lacks (report, "memory"));
  return report->ok;
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
  g_test_add_func ("/tasks/inspect/constant-texts", test_constant_texts);
  g_test_add_func ("/tasks/inspect/references", test_references);
  g_test_add_func ("/tasks/inspect/json", test_json);
  g_test_add_func ("/tasks/inspect/bundle", test_bundle);
#ifdef G_OS_UNIX
  g_test_add_func ("/tasks/inspect/huge-file", test_huge_file);
#endif
  g_test_add_func ("/tasks/inspect/much-memory", test_much_memory);
  g_test_add_func ("/tasks/inspect/damaged-program", test_damaged_program);
  /* Registers a backend, and is the last one therefore. */
  g_test_add_func ("/tasks/inspect/pairs", test_pairs);
  return g_test_run ();
}
