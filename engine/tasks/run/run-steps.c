/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/tasks/run/run-private.h"

#include <string.h>

#include "engine/tasks/models/backend-choice.h"

#define MAX_CASE_BYTES (16 * 1024 * 1024)

/* The calls of one case.json. */
typedef struct {
  const PtJob *job;
  json_t *root;
  char *folder; /* of the case: its file names are relative to it */
  char *model;
  char **data;
  PtTolerance tolerance;
  PtMethodOptions options;
  PtModule *module;
  PtHeap *heap; /* of the report */
  PtRunReport *report;
  GArray *checks; /* PtRunCheck, of the steps done so far */
} Case;

static void
case_clear (Case *c)
{
  g_clear_pointer (&c->root, json_decref);
  g_clear_pointer (&c->heap, pt_heap_unref);
  g_clear_pointer (&c->checks, g_array_unref);
  g_clear_pointer (&c->module, pt_module_free);
  g_clear_pointer (&c->data, g_strfreev);
  g_clear_pointer (&c->folder, g_free);
  g_clear_pointer (&c->model, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static gboolean
fail_case (const Case *c, GError **error, const char *what)
{
  return pt_fail (error, PT_ERROR_FORMAT, "%s: %s.", c->job->run.steps, what);
}

static char **
find_data (const Case *c)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();
  json_t *item;
  size_t i;

  json_array_foreach (json_object_get (c->root, "data"), i, item) {
    g_autofree char *path = NULL;

    if (json_is_string (item)) {
      path = g_build_filename (c->folder, json_string_value (item), NULL);
      g_strv_builder_add (paths, path);
    }
  }
  return g_strv_builder_end (paths);
}

static gboolean
open_case (Case *c, GError **error)
{
  const char *program;
  json_t *tolerance;

  c->root = pt_json_load (c->job->run.steps, MAX_CASE_BYTES, error);
  if (c->root == NULL)
    return FALSE;
  c->folder = g_path_get_dirname (c->job->run.steps);
  c->options.device = c->job->model.device;
  c->options.trust = c->job->model.trust;
  program = json_string_value (json_object_get (c->root, "program"));
  if (c->job->model.path == NULL && program == NULL)
    return fail_case (c, error, "it names no program");
  if (!json_is_array (json_object_get (c->root, "steps")))
    return fail_case (c, error, "it has no steps");
  c->model = c->job->model.path != NULL ? g_strdup (c->job->model.path)
                                        : g_build_filename (c->folder, program, NULL);
  c->data = c->job->model.data != NULL ? g_strdupv ((char **) c->job->model.data) : find_data (c);
  tolerance = json_object_get (c->root, "tolerance");
  c->tolerance.rtol = json_number_value (json_object_get (tolerance, "rtol"));
  c->tolerance.atol = json_number_value (json_object_get (tolerance, "atol"));
  c->options.exact = c->job->model.exact || c->tolerance.rtol < PT_SHORT_FLOAT;
  return TRUE;
}

static gboolean
load_program (Case *c, GError **error)
{
  g_clear_pointer (&c->module, pt_module_free);
  c->module = pt_run_open (c->model, (const char *const *) c->data, &c->options, error);
  return c->module != NULL &&
         pt_backend_choice_check (c->job->model.backend, pt_module_program (c->module), error);
}

/* The tensor that an entry describes, over the bytes of its file. */
static PtTensorFile *
read_tensor (const Case *c, json_t *entry, GError **error)
{
  const char *name = json_string_value (json_object_get (entry, "dtype"));
  const char *file = json_string_value (json_object_get (entry, "file"));
  json_t *shape = json_object_get (entry, "shape");
  json_t *order = json_object_get (entry, "dim_order");
  int dtype = name != NULL ? pt_dtype_from_name (name) : -1;
  gint64 sizes[PT_MAX_RANK];
  guint8 dims[PT_MAX_RANK];
  g_autofree char *path = NULL;
  size_t i, rank = json_array_size (shape);

  if (dtype < 0 || file == NULL || !json_is_array (shape) || rank > PT_MAX_RANK ||
      (json_is_array (order) && json_array_size (order) != rank)) {
    fail_case (c, error, "a tensor lacks a type, a shape or a file");
    return NULL;
  }
  for (i = 0; i < rank; i++) {
    sizes[i] = json_integer_value (json_array_get (shape, i));
    dims[i] = (guint8) json_integer_value (json_array_get (order, i));
  }
  path = g_build_filename (c->folder, file, NULL);
  return pt_raw_read (path, (PtDType) dtype, (guint) rank, sizes,
                      json_is_array (order) ? dims : NULL, error);
}

static gboolean
read_scalar (const Case *c, const char *kind, json_t *number, PtValue *value, GError **error)
{
  memset (value, 0, sizeof *value);
  if (g_strcmp0 (kind, "int") == 0 && json_is_integer (number)) {
    value->kind = PT_VALUE_INT;
    value->as_int = json_integer_value (number);
  } else if (g_strcmp0 (kind, "bool") == 0 && json_is_boolean (number)) {
    value->kind = PT_VALUE_BOOL;
    value->as_bool = json_boolean_value (number);
  } else if (g_strcmp0 (kind, "double") == 0 && json_is_number (number)) {
    value->kind = PT_VALUE_DOUBLE;
    value->as_double = json_number_value (number);
  } else if (g_strcmp0 (kind, "string") == 0 && json_is_string (number)) {
    value->kind = PT_VALUE_STRING;
    value->as_string.data = json_string_value (number);
    value->as_string.length = json_string_length (number);
  } else if (g_strcmp0 (kind, "none") == 0) {
    value->kind = PT_VALUE_NONE;
  } else {
    return fail_case (c, error, "a value is of an unknown kind");
  }
  return TRUE;
}

/* Planned inputs are copied at once; others need their files until the call is over. */
static gboolean
set_inputs (const Case *c, PtMethod *method, json_t *entries, GPtrArray *files, GError **error)
{
  json_t *entry;
  size_t i;

  if (json_array_size (entries) != pt_method_n_inputs (method))
    return fail_case (c, error, "a step has another number of inputs than the method");
  json_array_foreach (entries, i, entry) {
    const char *kind = json_string_value (json_object_get (entry, "kind"));
    PtValue value;

    if (g_strcmp0 (kind, "tensor") == 0) {
      PtTensorFile *file = read_tensor (c, entry, error);

      if (file == NULL)
        return FALSE;
      g_ptr_array_add (files, file);
      value.kind = PT_VALUE_TENSOR;
      value.as_tensor = &file->tensor;
    } else if (!read_scalar (c, kind, json_object_get (entry, "value"), &value, error)) {
      return FALSE;
    }
    if (!pt_method_set_input (method, (guint) i, &value, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
check_scalar (const Case *c, const PtValue *got, json_t *entry, PtRunOutput *output, GError **error)
{
  PtValue want;

  if (!read_scalar (c, json_string_value (json_object_get (entry, "kind")),
                    json_object_get (entry, "value"), &want, error))
    return FALSE;
  output->ok = pt_run_same_scalar (got, &want, c->tolerance);
  if (!output->ok)
    output->why = "it is another value than expected";
  return TRUE;
}

static gboolean
has_shape (const PtTensor *tensor, json_t *shape)
{
  gboolean same = json_is_array (shape) && json_array_size (shape) == tensor->rank;

  for (guint i = 0; same && i < tensor->rank; i++)
    same = json_is_integer (json_array_get (shape, i)) &&
           json_integer_value (json_array_get (shape, i)) == tensor->sizes[i];
  return same;
}

/* Random numbers: only the type, how many there are and from where to where they go is known. */
static gboolean
check_range (const Case *c, const PtTensor *tensor, json_t *entry, PtRunOutput *result,
             GError **error)
{
  json_t *range = json_object_get (entry, "range"), *shape = json_object_get (entry, "shape");
  double low = json_number_value (json_array_get (range, 0));
  double high = json_number_value (json_array_get (range, 1));
  const char *dtype = json_string_value (json_object_get (entry, "dtype"));
  g_autoptr (PtTensorFile) output = pt_run_fetch (tensor, error);

  if (output == NULL)
    return FALSE;
  result->ok = has_shape (tensor, shape) && g_strcmp0 (dtype, pt_dtype_name (tensor->dtype)) == 0;
  for (gsize i = 0; result->ok && i < tensor->numel; i++)
    result->ok =
        pt_run_number (&output->tensor, i) >= low && pt_run_number (&output->tensor, i) <= high;
  if (!result->ok)
    result->why = pt_heap_take (
        c->heap,
        g_strdup_printf ("it is not in the range %g to %g, or another tensor than expected", low,
                         high));
  return TRUE;
}

static gboolean
check_tensor (const Case *c, const PtTensor *tensor, json_t *entry, const char *name,
              PtRunOutput *output, GError **error)
{
  g_autoptr (PtTensorFile) want = read_tensor (c, entry, error);
  g_autofree char *path =
      c->job->run.output_dir != NULL ? g_build_filename (c->job->run.output_dir, name, NULL) : NULL;

  return want != NULL &&
         pt_run_check_tensor (tensor, &want->tensor, c->tolerance, path, c->heap, output, error);
}

/* One output against its entry; @output says how it went. */
static gboolean
check_output (const Case *c, const PtMethod *method, guint i, json_t *entry, PtRunOutput *output,
              GError **error)
{
  const char *kind = json_string_value (json_object_get (entry, "kind"));
  const PtValue *value = pt_method_output (method, i);
  g_autofree char *name = g_strdup_printf ("s%u_out%u.npy", c->checks->len, i);

  output->value = pt_run_describe (c->heap, value);
  output->ok = TRUE;
  if (g_strcmp0 (kind, "skipped") == 0) {
    output->skipped = TRUE;
    return TRUE;
  }
  if (g_strcmp0 (kind, "tensor") != 0)
    return check_scalar (c, value, entry, output, error);
  if (value->kind != PT_VALUE_TENSOR) {
    output->ok = FALSE;
    output->why = "it is no tensor";
    return TRUE;
  }
  if (json_object_get (entry, "range") != NULL)
    return check_range (c, value->as_tensor, entry, output, error);
  return check_tensor (c, value->as_tensor, entry, name, output, error);
}

static gboolean
check_outputs (Case *c, const PtMethod *method, json_t *entries, PtRunCheck *check, GError **error)
{
  guint n = pt_method_n_outputs (method);
  PtRunOutput *outputs = pt_heap_new0 (c->heap, PtRunOutput, n);

  if (json_array_size (entries) != n)
    return fail_case (c, error, "a step has another number of outputs than the method");
  check->ok = TRUE;
  for (guint i = 0; i < n; i++) {
    if (!check_output (c, method, i, json_array_get (entries, i), &outputs[i], error))
      return FALSE;
    pt_run_merge (check, &outputs[i]);
    if (outputs[i].ok)
      c->report->passed++;
    else
      c->report->failed++;
  }
  check->outputs = outputs;
  check->n_outputs = n;
  return TRUE;
}

static gboolean
run_step (Case *c, json_t *step, GCancellable *cancellable, GError **error)
{
  const char *name = json_string_value (json_object_get (step, "method"));
  g_autoptr (GPtrArray) files =
      g_ptr_array_new_with_free_func ((GDestroyNotify) pt_tensor_file_free);
  PtRunCheck check = { .max_abs_diff = -1 };
  PtMethod *method;
  gint64 begin;

  if (json_is_true (json_object_get (step, "reset")) && !load_program (c, error))
    return FALSE;
  if (name == NULL)
    return fail_case (c, error, "a step names no method");
  method = pt_module_method (c->module, name, error);
  if (method == NULL || !set_inputs (c, method, json_object_get (step, "inputs"), files, error))
    return FALSE;
  begin = g_get_monotonic_time ();
  if (!pt_method_execute (method, cancellable, error))
    return FALSE;
  check.seconds = pt_run_seconds_since (begin);
  check.method = pt_heap_text (c->heap, name);
  if (!check_outputs (c, method, json_object_get (step, "outputs"), &check, error))
    return FALSE;
  g_array_append_val (c->checks, check);
  return TRUE;
}

static gboolean
run_list (Case *c, json_t *steps, PtStepFunc progress, gpointer user_data,
          GCancellable *cancellable, GError **error)
{
  json_t *step;
  size_t i;

  json_array_foreach (steps, i, step) {
    if (progress != NULL)
      progress (PT_STEP_CALLING, (guint) i + 1, (guint) json_array_size (steps), user_data);
    if (!run_step (c, step, cancellable, error)) {
      pt_prefix_error (error, "Step %u: ", c->checks->len);
      return FALSE;
    }
  }
  return TRUE;
}

/* Loads the methods of the program with shared state: loading one must not change the results of
 * another. */
static gboolean
load_shared (Case *c, json_t *steps, GError **error)
{
  json_t *step;
  size_t i;

  c->options.share_state = TRUE;
  if (!load_program (c, error))
    return FALSE;
  json_array_foreach (steps, i, step) {
    const char *name = json_string_value (json_object_get (step, "method"));

    if (name != NULL && pt_module_method (c->module, name, error) == NULL)
      return FALSE;
  }
  return TRUE;
}

PtRunReport *
pt_run_steps (const PtJob *job, PtStepFunc progress, gpointer user_data, GCancellable *cancellable,
              GError **error)
{
  g_auto (Case) c = { .job = job, .heap = pt_heap_new () };
  gint64 begin = g_get_monotonic_time ();
  PtRunReport *report;
  json_t *shared;

  if (!open_case (&c, error) || !load_program (&c, error))
    return NULL;
  c.checks = g_array_new (FALSE, FALSE, sizeof (PtRunCheck));
  c.report = report = pt_run_start_report (c.heap, PT_RUN_STEPS, c.model);
  report->load_s = pt_run_seconds_since (begin);
  report->steps = pt_heap_text (c.heap, job->run.steps);
  if (!run_list (&c, json_object_get (c.root, "steps"), progress, user_data, cancellable, error))
    return NULL;
  shared = json_object_get (c.root, "steps_shared_arenas");
  if (shared != NULL && (!load_shared (&c, shared, error) ||
                         !run_list (&c, shared, progress, user_data, cancellable, error)))
    return NULL;
  report->ok = report->failed == 0;
  report->checks = pt_heap_take_array (c.heap, g_steal_pointer (&c.checks), &report->n_checks);
  report->owner = g_steal_pointer (&c.heap);
  return report;
}
