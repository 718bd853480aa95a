/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/tasks/run/run-private.h"

#include <string.h>

#include "engine/tasks/models/backend-choice.h"

/* Upstream's, for the types of which it allows differences. */
static const PtTolerance close_enough = { 1e-5, 1e-8 };
static const PtTolerance exact = { 0, 0 };

/* The test cases of one bundled program. */
typedef struct {
  const PtJob *job;
  PtBundle *bundle;
  PtModule *module;
  PtHeap *heap; /* of the report */
  PtRunReport *report;
  GArray *checks; /* PtRunCheck, of the tests done so far */
  guint n_tests;  /* to be done */
} Bundled;

static void
bundled_clear (Bundled *b)
{
  g_clear_pointer (&b->heap, pt_heap_unref);
  g_clear_pointer (&b->checks, g_array_unref);
  g_clear_pointer (&b->module, pt_module_free);
  g_clear_pointer (&b->bundle, pt_bundle_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bundled, bundled_clear)

static gboolean
is_wanted (const Bundled *b, const PtBundleSuite *suite)
{
  return b->job->model.method == NULL || strcmp (b->job->model.method, suite->plan->name) == 0;
}

static gboolean
open_bundle (Bundled *b, GError **error)
{
  const PtJob *job = b->job;
  PtMethodOptions options = { .device = job->model.device,
                              .trust = job->model.trust,
                              .exact = TRUE }; /* close_enough is less than PT_SHORT_FLOAT */

  b->bundle = pt_bundle_open (job->model.path, error);
  if (b->bundle == NULL)
    return FALSE;
  for (guint i = 0; i < pt_bundle_n_suites (b->bundle); i++) {
    const PtBundleSuite *suite = pt_bundle_suite (b->bundle, i);

    if (is_wanted (b, suite))
      b->n_tests += suite->n_cases;
  }
  if (b->n_tests == 0)
    return pt_fail (error, PT_ERROR_NOT_FOUND, "There are no test cases%s%s in %s.",
                    job->model.method != NULL ? " for method " : "",
                    job->model.method != NULL ? job->model.method : "", job->model.path);
  b->module = pt_run_open_module (pt_bundle_program (b->bundle), job->model.path, job->model.data,
                                  &options, error);
  return b->module != NULL &&
         pt_backend_choice_check (job->model.backend, pt_module_program (b->module), error);
}

/* A copy, since the bundle aligns its bytes for no type. */
static PtTensorFile *
read_tensor (const PtBundleValue *value, GError **error)
{
  gint64 sizes[PT_MAX_RANK];
  PtTensorFile *file;

  for (guint i = 0; i < value->as_tensor.rank; i++)
    sizes[i] = value->as_tensor.sizes[i];
  file = pt_tensor_file_new (value->as_tensor.dtype, value->as_tensor.rank, sizes,
                             value->as_tensor.dim_order, error);
  if (file != NULL && value->as_tensor.nbytes > 0)
    memcpy (file->tensor.data, value->as_tensor.data, value->as_tensor.nbytes);
  return file;
}

static PtValue
read_scalar (const PtBundleValue *from)
{
  PtValue value = { .kind = from->kind };

  switch (from->kind) {
  case PT_VALUE_INT: value.as_int = from->as_int; break;
  case PT_VALUE_BOOL: value.as_bool = from->as_bool; break;
  case PT_VALUE_DOUBLE: value.as_double = from->as_double; break;
  default: break;
  }
  return value;
}

/* @files: keeps the tensors, which some inputs use in place. */
static gboolean
set_inputs (PtMethod *method, const PtBundleCase *test, GPtrArray *files, GError **error)
{
  for (guint i = 0; i < test->n_inputs; i++) {
    PtValue value = read_scalar (&test->inputs[i]);

    if (value.kind == PT_VALUE_TENSOR) {
      PtTensorFile *file = read_tensor (&test->inputs[i], error);

      if (file == NULL)
        return FALSE;
      g_ptr_array_add (files, file);
      value.as_tensor = &file->tensor;
    }
    if (!pt_method_set_input (method, i, &value, error))
      return FALSE;
  }
  return TRUE;
}

/* Upstream wants the type to be the same, and the order of dimensions wherever it matters. */
static gboolean
has_layout (const PtTensor *got, const PtTensor *want)
{
  if (got->dtype != want->dtype || !pt_tensor_same_shape (got, want))
    return FALSE;
  for (guint i = 0; i < got->rank; i++)
    if (got->numel > 0 && got->sizes[i] > 1 && got->strides[i] != want->strides[i])
      return FALSE;
  return TRUE;
}

static PtTolerance
tolerance_of (PtDType dtype)
{
  return dtype == PT_DTYPE_F16 || dtype == PT_DTYPE_F32 || dtype == PT_DTYPE_F64 ? close_enough
                                                                                 : exact;
}

static void
refuse (PtRunOutput *output, const char *why)
{
  output->ok = FALSE;
  if (output->why == NULL)
    output->why = why;
}

static gboolean
check_tensor (const Bundled *b, const PtTensor *got, const PtBundleValue *expected,
              const char *path, PtRunOutput *output, GError **error)
{
  g_autoptr (PtTensorFile) want = read_tensor (expected, error);

  if (want == NULL || !pt_run_check_tensor (got, &want->tensor, tolerance_of (want->tensor.dtype),
                                            path, b->heap, output, error))
    return FALSE;
  if (!has_layout (got, &want->tensor))
    refuse (output, got->dtype != want->tensor.dtype
                        ? "it is of another type than expected"
                        : "its dimensions lie in another order than expected");
  return TRUE;
}

static gboolean
check_output (const Bundled *b, const PtValue *got, const PtBundleValue *expected, const char *path,
              PtRunOutput *output, GError **error)
{
  PtValue want = read_scalar (expected);

  output->value = pt_run_describe (b->heap, got);
  output->ok = TRUE;
  if (got->kind == PT_VALUE_TENSOR && expected->kind == PT_VALUE_TENSOR)
    return check_tensor (b, got->as_tensor, expected, path, output, error);
  if (!pt_run_same_scalar (got, &want, close_enough))
    refuse (output, "it is another value than expected");
  return TRUE;
}

static gboolean
check_outputs (const Bundled *b, const PtMethod *method, const PtBundleCase *test,
               PtRunCheck *check, GError **error)
{
  const char *folder = b->job->run.output_dir;
  PtRunOutput *outputs = pt_heap_new0 (b->heap, PtRunOutput, test->n_outputs);

  check->outputs = outputs;
  for (guint i = 0; i < test->n_outputs; i++) {
    g_autofree char *name = g_strdup_printf ("t%u_out%u.npy", b->checks->len, i);
    g_autofree char *path = folder != NULL ? g_build_filename (folder, name, NULL) : NULL;

    if (!check_output (b, pt_method_output (method, i), &test->outputs[i], path, &outputs[i],
                       error))
      return FALSE;
    pt_run_merge (check, &outputs[i]);
    check->n_outputs++;
    if (!outputs[i].ok && check->why == NULL)
      check->why = pt_heap_take (b->heap, g_strdup_printf ("output %u: %s", i, outputs[i].why));
  }
  return TRUE;
}

static gboolean
call_method (const Bundled *b, const PtBundleSuite *suite, guint index, PtRunCheck *check,
             GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) files =
      g_ptr_array_new_with_free_func ((GDestroyNotify) pt_tensor_file_free);
  const PtBundleCase *test = &suite->cases[index];
  PtMethod *method = pt_module_method (b->module, suite->plan->name, error);
  gint64 begin;

  if (method == NULL || !pt_method_reset_state (method, error) ||
      !set_inputs (method, test, files, error))
    return FALSE;
  begin = g_get_monotonic_time ();
  if (!pt_method_execute (method, cancellable, error))
    return FALSE;
  check->seconds = pt_run_seconds_since (begin);
  return check_outputs (b, method, test, check, error);
}

/* FALSE when the user stopped it: every other failure belongs to the test. */
static gboolean
run_test (Bundled *b, const PtBundleSuite *suite, guint index, GCancellable *cancellable,
          GError **error)
{
  PtRunCheck check = { .method = pt_heap_text (b->heap, suite->plan->name),
                       .test = index,
                       .ok = TRUE,
                       .checked = suite->cases[index].n_outputs > 0,
                       .seconds = -1,
                       .max_abs_diff = -1 };
  g_autoptr (GError) cause = NULL;

  if (!call_method (b, suite, index, &check, cancellable, &cause)) {
    if (g_error_matches (cause, PT_ERROR, PT_ERROR_CANCELLED)) {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
    check.ok = FALSE;
    check.why = pt_heap_text (b->heap, cause->message);
  }
  if (!check.ok)
    b->report->failed++;
  else if (check.checked)
    b->report->passed++;
  else
    b->report->unchecked++;
  g_array_append_val (b->checks, check);
  return TRUE;
}

static gboolean
run_suite (Bundled *b, const PtBundleSuite *suite, PtStepFunc progress, gpointer user_data,
           GCancellable *cancellable, GError **error)
{
  for (guint i = 0; i < suite->n_cases; i++) {
    if (progress != NULL)
      progress (PT_STEP_TESTING, b->checks->len + 1, b->n_tests, user_data);
    if (!run_test (b, suite, i, cancellable, error))
      return FALSE;
  }
  return TRUE;
}

PtRunReport *
pt_run_bundled (const PtJob *job, PtStepFunc progress, gpointer user_data,
                GCancellable *cancellable, GError **error)
{
  g_auto (Bundled) b = { .job = job, .heap = pt_heap_new () };
  gint64 begin = g_get_monotonic_time ();
  PtRunReport *report;

  if (!open_bundle (&b, error))
    return NULL;
  b.checks = g_array_new (FALSE, FALSE, sizeof (PtRunCheck));
  b.report = report = pt_run_start_report (b.heap, PT_RUN_BUNDLED, job->model.path);
  report->load_s = pt_run_seconds_since (begin);
  report->rtol = close_enough.rtol;
  report->atol = close_enough.atol;
  for (guint i = 0; i < pt_bundle_n_suites (b.bundle); i++) {
    const PtBundleSuite *suite = pt_bundle_suite (b.bundle, i);

    if (is_wanted (&b, suite) && !run_suite (&b, suite, progress, user_data, cancellable, error))
      return NULL;
  }
  report->ok = report->failed == 0;
  report->checks = pt_heap_take_array (b.heap, g_steal_pointer (&b.checks), &report->n_checks);
  report->owner = g_steal_pointer (&b.heap);
  return report;
}
