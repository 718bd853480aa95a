/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/run-job.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/set-error.h"
#include "engine/base/folder.h"
#include "engine/program/file.h"
#include "engine/runtime/device.h"
#include "engine/tasks/models/backend-choice.h"
#include "engine/tasks/run/profile.h"
#include "engine/tasks/run/run-private.h"

static char **
data_beside (const char *model)
{
  g_autofree char *folder = g_path_get_dirname (model);
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  GPtrArray *paths = g_ptr_array_new ();
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL)
    if (g_str_has_suffix (name, ".ptd"))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

static gboolean
has_delegates (const PtProgram *program)
{
  for (guint i = 0; i < pt_program_n_plans (program); i++)
    if (pt_program_plan (program, i)->n_delegates > 0)
      return TRUE;
  return FALSE;
}

char **
pt_run_find_data (const PtProgram *program, const char *model)
{
  g_auto (GStrv) paths = NULL;
  g_autoptr (PtDataMap) map = NULL;
  g_autoptr (GError) error = NULL;

  if (pt_program_needs_data (program))
    return data_beside (model);
  if (!has_delegates (program))
    return NULL;
  /* Only the delegates know whether they want data: what lies there by chance does no harm. */
  paths = data_beside (model);
  map = pt_data_map_open ((const char *const *) paths, &error);
  if (map == NULL && !g_error_matches (error, PT_ERROR, PT_ERROR_MEMORY))
    return NULL;
  return g_steal_pointer (&paths);
}

PtProgram *
pt_run_open_program (const char *model, PtBundle **bundle, GError **error)
{
  g_autoptr (GBytes) bytes = pt_file_map (model, error);
  gconstpointer data;
  gsize size;

  *bundle = NULL;
  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  if (pt_file_kind (data, size) != PT_FILE_BUNDLE)
    return pt_program_new (bytes, model, error);
  *bundle = pt_bundle_new (bytes, model, error);
  return *bundle != NULL ? pt_program_ref (pt_bundle_program (*bundle)) : NULL;
}

PtModule *
pt_run_open_module (PtProgram *program, const char *model, const char *const *data,
                    const PtMethodOptions *options, GError **error)
{
  g_auto (GStrv) beside = NULL;

  if (data == NULL || data[0] == NULL) {
    beside = pt_run_find_data (program, model);
    data = (const char *const *) beside;
  }
  return pt_module_new (program, data, options, error);
}

PtModule *
pt_run_open (const char *model, const char *const *data, const PtMethodOptions *options,
             GError **error)
{
  g_autoptr (PtBundle) bundle = NULL;
  g_autoptr (PtProgram) program = pt_run_open_program (model, &bundle, error);

  return program != NULL ? pt_run_open_module (program, model, data, options, error) : NULL;
}

PtArgument
pt_run_describe_tensor (PtHeap *heap, PtDType dtype, guint rank, const gint64 *sizes)
{
  return (PtArgument){ .kind = PT_ARGUMENT_TENSOR,
                       .dtype = pt_dtype_name (dtype),
                       .rank = rank,
                       .shape = pt_heap_take (heap, g_memdup2 (sizes, rank * sizeof *sizes)) };
}

PtArgument
pt_run_describe (PtHeap *heap, const PtValue *value)
{
  switch (value->kind) {
  case PT_VALUE_TENSOR:
    return pt_run_describe_tensor (heap, value->as_tensor->dtype, value->as_tensor->rank,
                                   value->as_tensor->sizes);
  case PT_VALUE_INT: return (PtArgument){ .kind = PT_ARGUMENT_INT, .as_int = value->as_int };
  case PT_VALUE_BOOL:
    return (PtArgument){ .kind = PT_ARGUMENT_BOOL, .as_int = value->as_bool != 0 };
  case PT_VALUE_DOUBLE:
    return (PtArgument){ .kind = PT_ARGUMENT_DOUBLE, .as_double = value->as_double };
  case PT_VALUE_STRING:
    return (PtArgument){ .kind = PT_ARGUMENT_STRING,
                         .as_string =
                             pt_heap_bytes (heap, value->as_string.data, value->as_string.length) };
  case PT_VALUE_NONE: return (PtArgument){ .kind = PT_ARGUMENT_NONE };
  default: return (PtArgument){ .kind = PT_ARGUMENT_LIST };
  }
}

/* A host copy of a tensor that lies on a device, in its own dimension order. */
static PtTensorFile *
fetch_from_device (const PtTensor *tensor, GError **error)
{
  const PtDevice *device = pt_device_find (tensor->device_type);
  g_autoptr (PtTensorFile) host = NULL;

  if (device == NULL) {
    pt_fail (error, PT_ERROR_MISSING_BACKEND, "An output is on a device that this computer lacks.");
    return NULL;
  }
  host = pt_tensor_file_new (tensor->dtype, tensor->rank, tensor->sizes, tensor->dim_order, error);
  if (host == NULL || !device->copy_to_host (tensor->device_index, host->tensor.data, tensor->data,
                                             pt_tensor_nbytes (tensor), error))
    return NULL;
  return g_steal_pointer (&host);
}

PtTensorFile *
pt_run_fetch (const PtTensor *tensor, GError **error)
{
  g_autoptr (PtTensorFile) host = NULL;

  if (tensor->device_type != PT_DEVICE_CPU) {
    host = fetch_from_device (tensor, error);
    if (host == NULL)
      return NULL;
    tensor = &host->tensor;
  }
  if (tensor->numel > 0 && tensor->data == NULL) {
    pt_fail (error, PT_ERROR_STATE, "An output of the method has no memory.");
    return NULL;
  }
  return pt_tensor_file_reorder (tensor, NULL, error);
}

/* Which method: the named one, forward, or the only one that takes part in running. */

static gboolean
is_constant_method (const PtPlan *plan)
{
  return plan->n_inputs == 0 && plan->n_chains > 0 && plan->chains[0].n_instructions == 0;
}

static const char *
choose_method (PtModule *module, const char *name, GError **error)
{
  PtProgram *program = pt_module_program (module);
  g_autoptr (GString) names = g_string_new (NULL);
  const char *only = NULL;
  guint i, n = 0;

  if (name != NULL)
    return name;
  if (pt_module_has_method (module, "forward"))
    return "forward";
  for (i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);

    if (is_constant_method (plan) && pt_program_n_plans (program) > 1)
      continue;
    g_string_append_printf (names, "%s%s", n++ > 0 ? ", " : "", plan->name);
    only = plan->name;
  }
  if (n == 1)
    return only;
  pt_fail (error, PT_ERROR_ARGUMENT, "%s has several methods; choose one with --method: %s.",
           pt_program_path (program), names->str);
  return NULL;
}

/* ---- inputs ---- */

static void
append_wanted (GString *text, const PtMethod *method)
{
  guint i, n = 0;

  for (i = 0; i < pt_method_n_inputs (method); i++) {
    const PtValueSpec *spec = pt_method_input_spec (method, i);
    guint k;

    if (spec->kind != PT_VALUE_TENSOR)
      continue;
    g_string_append_printf (text, "%s%s%s [", n++ > 0 ? "; " : "",
                            spec->as_tensor->dynamism == PT_DYNAMISM_BOUND ? "up to " : "",
                            pt_dtype_name (spec->as_tensor->dtype));
    for (k = 0; k < spec->as_tensor->rank; k++)
      g_string_append_printf (text, "%s%d", k > 0 ? ", " : "", spec->as_tensor->sizes[k]);
    g_string_append_c (text, ']');
  }
}

static guint
count_tensor_inputs (const PtMethod *method)
{
  guint i, n = 0;

  for (i = 0; i < pt_method_n_inputs (method); i++)
    n += pt_method_input_spec (method, i)->kind == PT_VALUE_TENSOR;
  return n;
}

/* "1,7" */
static gboolean
parse_shape (const char *text, guint *rank, gint64 *sizes, GError **error)
{
  g_auto (GStrv) parts = g_strsplit_set (text, ",x", -1);
  guint i;

  *rank = 0;
  for (i = 0; parts[i] != NULL; i++) {
    if (parts[i][0] == '\0' && parts[i + 1] == NULL)
      break; /* "" is a scalar, "7," has one dimension */
    if (i == PT_MAX_RANK ||
        !g_ascii_string_to_signed (parts[i], 10, 0, G_MAXINT32, &sizes[i], NULL))
      return pt_fail (error, PT_ERROR_ARGUMENT, "\"%s\" is not a shape. Write it as 1,7.", text);
    *rank = i + 1;
  }
  return TRUE;
}

/* A .npy file brings its shape along; raw bytes take the given or the declared one. */
static PtTensorFile *
read_input (const PtTensorSpec *spec, const char *path, const char *shape, GError **error)
{
  g_autoptr (PtTensorFile) file = NULL;
  gint64 sizes[PT_MAX_RANK];
  guint i, rank = spec->rank;

  for (i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  if (shape != NULL && !parse_shape (shape, &rank, sizes, error))
    return NULL;
  if (pt_run_is_made_up (path)) {
    file = pt_run_make_up (path, spec->dtype, rank, sizes, error);
    if (file == NULL || rank != spec->rank)
      return g_steal_pointer (&file);
    return pt_tensor_file_reorder (&file->tensor, spec->dim_order, error);
  }
  if (!g_str_has_suffix (path, ".npy"))
    return pt_raw_read (path, spec->dtype, rank, sizes, rank == spec->rank ? spec->dim_order : NULL,
                        error);

  file = pt_npy_read (path, error);
  if (file == NULL)
    return NULL;
  if (file->tensor.dtype == PT_DTYPE_U16 && spec->dtype == PT_DTYPE_BF16)
    pt_tensor_file_reinterpret (file, PT_DTYPE_BF16);
  if (file->tensor.rank != spec->rank)
    return g_steal_pointer (&file);
  return pt_tensor_file_reorder (&file->tensor, spec->dim_order, error);
}

static void
clear_tensor_file (gpointer file)
{
  pt_tensor_file_free (file);
}

static GPtrArray *
read_inputs (const PtMethod *method, const PtJob *job, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (clear_tensor_file);
  guint wanted = count_tensor_inputs (method);
  guint given = job->run.inputs != NULL ? g_strv_length ((char **) job->run.inputs) : 0;
  guint i, k = 0;

  if (given != wanted) {
    g_autoptr (GString) list = g_string_new (NULL);

    append_wanted (list, method);
    pt_fail (error, PT_ERROR_ARGUMENT,
             "Method %s takes %u input%s (%s), and %u %s given. Name a .npy or raw file for each.",
             pt_method_plan (method)->name, wanted, wanted == 1 ? "" : "s", list->str, given,
             given == 1 ? "was" : "were");
    return NULL;
  }
  for (i = 0; i < pt_method_n_inputs (method); i++) {
    const PtValueSpec *spec = pt_method_input_spec (method, i);
    PtTensorFile *file;

    if (spec->kind != PT_VALUE_TENSOR)
      continue;
    file = read_input (spec->as_tensor, job->run.inputs[k],
                       job->run.shapes != NULL ? job->run.shapes[k] : NULL, error);
    if (file == NULL)
      return NULL;
    g_ptr_array_add (files, file);
    k++;
  }
  return g_steal_pointer (&files);
}

/* An input that is no tensor accepts only the value that it was exported with. */
static PtValue
traced_value (const PtValueSpec *spec)
{
  PtValue value = { .kind = spec->kind };

  switch (spec->kind) {
  case PT_VALUE_INT: value.as_int = spec->as_int; break;
  case PT_VALUE_BOOL: value.as_bool = spec->as_bool; break;
  case PT_VALUE_DOUBLE: value.as_double = spec->as_double; break;
  case PT_VALUE_STRING:
    value.as_string.data = spec->as_string.data;
    value.as_string.length = spec->as_string.length;
    break;
  default: break;
  }
  return value;
}

static gboolean
set_inputs (PtMethod *method, GPtrArray *files, GError **error)
{
  guint i, k = 0;

  for (i = 0; i < pt_method_n_inputs (method); i++) {
    const PtValueSpec *spec = pt_method_input_spec (method, i);
    PtValue value;

    if (spec->kind == PT_VALUE_TENSOR) {
      PtTensorFile *file = g_ptr_array_index (files, k++);

      if (!pt_method_set_input_tensor (method, i, &file->tensor, error))
        return FALSE;
      continue;
    }
    value = traced_value (spec);
    if (!pt_method_set_input (method, i, &value, error))
      return FALSE;
  }
  return TRUE;
}

/* One method, called again and again. */
typedef struct {
  const PtJob *job;
  PtStepFunc progress;
  gpointer user_data;
  GCancellable *cancellable;
  PtBundle *bundle; /* NULL: the program came alone */
  PtModule *module;
  PtMethod *method;
  PtProfile *profile; /* NULL: nobody asked */
  GPtrArray *files;
  PtHeap *heap; /* of the report */
  PtRunReport *report;
} Run;

static void
run_clear (Run *run)
{
  g_clear_pointer (&run->profile, pt_profile_free);
  g_clear_pointer (&run->module, pt_module_free);
  g_clear_pointer (&run->bundle, pt_bundle_free);
  g_clear_pointer (&run->files, g_ptr_array_unref);
  g_clear_pointer (&run->heap, pt_heap_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

/* ---- outputs ---- */

static gboolean
report_output (PtHeap *heap, const PtMethod *method, guint i, const PtJob *job, PtRunOutput *output,
               GError **error)
{
  const PtValue *value = pt_method_output (method, i);
  g_autoptr (PtTensorFile) file = NULL;
  g_autofree char *name = NULL, *path = NULL;

  output->value = pt_run_describe (heap, value);
  if (value->kind != PT_VALUE_TENSOR)
    return TRUE;
  file = pt_run_fetch (value->as_tensor, error);
  if (file == NULL)
    return FALSE;
  pt_run_add_statistics (output, &file->tensor);
  if (job->run.output_dir == NULL)
    return TRUE;
  name = g_strdup_printf ("out%u.npy", i);
  path = g_build_filename (job->run.output_dir, name, NULL);
  output->file = pt_heap_text (heap, path);
  return pt_npy_write (path, &file->tensor, job->run.inputs, error);
}

static gboolean
report_outputs (Run *run, GError **error)
{
  guint n = pt_method_n_outputs (run->method);
  PtRunOutput *outputs = pt_heap_new0 (run->heap, PtRunOutput, n);

  for (guint i = 0; i < n; i++)
    if (!report_output (run->heap, run->method, i, run->job, &outputs[i], error))
      return FALSE;
  run->report->outputs = outputs;
  run->report->n_outputs = n;
  return TRUE;
}

static void
report_inputs (Run *run)
{
  PtArgument *inputs = pt_heap_new0 (run->heap, PtArgument, run->files->len);

  for (guint i = 0; i < run->files->len; i++) {
    const PtTensor *tensor = &((PtTensorFile *) run->files->pdata[i])->tensor;

    inputs[i] = pt_run_describe_tensor (run->heap, tensor->dtype, tensor->rank, tensor->sizes);
  }
  run->report->inputs = inputs;
  run->report->n_inputs = run->files->len;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static void
add_times (PtRunReport *report, double first, GArray *times)
{
  g_array_sort (times, compare_doubles);
  report->repeat = times->len;
  report->first_s = first;
  report->median_s = g_array_index (times, double, times->len / 2);
  report->min_s = g_array_index (times, double, 0);
}

static gboolean
make_folder (const char *folder, GError **error)
{
  if (folder == NULL || g_mkdir_with_parents (folder, 0755) == 0)
    return TRUE;
  return pt_fail (error, PT_ERROR_FILE, "The folder %s cannot be created.", folder);
}

static void
tell_progress (const Run *run, PtStep step, guint number, guint count)
{
  if (run->progress != NULL)
    run->progress (step, number, count, run->user_data);
}

static gboolean
call_once (Run *run, double *seconds, GError **error)
{
  gint64 begin, end;

  if (!set_inputs (run->method, run->files, error))
    return FALSE;
  begin = g_get_monotonic_time ();
  if (!pt_method_execute (run->method, run->cancellable, error))
    return FALSE;
  end = g_get_monotonic_time ();
  if (run->profile != NULL)
    pt_profile_add_call (run->profile, begin, end);
  *seconds = (double) (end - begin) / 1e6;
  return TRUE;
}

/* All repetitions; outputs are those of the first, before any state has moved on. */
static gboolean
call_method (Run *run, GError **error)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  guint i, repeat = MAX (run->job->run.repeat, 1);
  double first = 0, seconds;

  for (i = 0; i < repeat; i++) {
    tell_progress (run, PT_STEP_RUNNING, i + 1, repeat);
    if (!call_once (run, &seconds, error))
      return FALSE;
    g_array_append_val (times, seconds);
    if (i > 0)
      continue;
    first = seconds;
    if (!report_outputs (run, error))
      return FALSE;
  }
  add_times (run->report, first, times);
  return TRUE;
}

static gboolean
load_method (Run *run, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  const PtJob *job = run->job;
  g_autoptr (PtProgram) program = NULL;
  PtMethodOptions options = { .device = job->model.device,
                              .trust = job->model.trust,
                              .exact = job->model.exact };
  const char *name;

  tell_progress (run, PT_STEP_LOADING, 0, 0);
  program = pt_run_open_program (job->model.path, &run->bundle, error);
  if (program == NULL)
    return FALSE;
  run->module = pt_run_open_module (program, job->model.path, job->model.data, &options, error);
  if (run->module == NULL ||
      !pt_backend_choice_check (job->model.backend, pt_module_program (run->module), error))
    return FALSE;
  name = choose_method (run->module, job->model.method, error);
  run->method = name != NULL ? pt_module_method (run->module, name, error) : NULL;
  if (run->method == NULL)
    return FALSE;
  run->report->method = pt_heap_text (run->heap, name);
  run->report->load_s = pt_run_seconds_since (begin);
  run->report->planned_bytes = pt_method_planned_bytes (run->method);
  return TRUE;
}

/* Without given inputs, those of a bundled program are used. */
static gboolean
take_inputs (Run *run, GError **error)
{
  const PtJob *job = run->job;

  if (run->bundle != NULL && job->run.inputs == NULL && count_tensor_inputs (run->method) > 0)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "%s is a program bundled with test cases, and no inputs were given. Use "
                    "--bundled to run its test cases, or name an --input for each input.",
                    pt_program_path (pt_module_program (run->module)));
  run->files = read_inputs (run->method, job, error);
  if (run->files == NULL)
    return FALSE;
  report_inputs (run);
  return TRUE;
}

static gboolean
report_profile (Run *run, GError **error)
{
  const char *trace = run->job->run.trace;

  if (run->profile == NULL)
    return TRUE;
  run->report->profile = pt_profile_report (run->profile, run->heap);
  if (trace == NULL)
    return TRUE;
  run->report->trace = pt_heap_text (run->heap, trace);
  return pt_profile_write_trace (run->profile, trace, error);
}

PtRunReport *
pt_run_start_report (PtHeap *heap, PtRunKind kind, const char *model)
{
  PtRunReport *report = pt_heap_new0 (heap, PtRunReport, 1);

  report->kind = kind;
  report->model = pt_heap_text (heap, model);
  return report;
}

static PtRunReport *
run_method (const PtJob *job, PtStepFunc progress, gpointer user_data, GCancellable *cancellable,
            GError **error)
{
  g_auto (Run) run = {
    .job = job, .progress = progress, .user_data = user_data, .cancellable = cancellable
  };

  run.heap = pt_heap_new ();
  run.report = pt_run_start_report (run.heap, PT_RUN_METHOD, job->model.path);
  if (!load_method (&run, error) || !take_inputs (&run, error))
    return NULL;
  if (job->run.profile || job->run.trace != NULL)
    run.profile = pt_profile_new (run.method);
  if (!call_method (&run, error) || !report_profile (&run, error))
    return NULL;
  run.report->owner = g_steal_pointer (&run.heap);
  return run.report;
}

PtRunReport *
pt_run (const PtJob *job, PtStepFunc progress, gpointer user_data, GCancellable *cancellable,
        GError **error)
{
  gboolean compares = job->run.steps != NULL || job->run.bundled;

  if (compares && (job->run.profile || job->run.trace != NULL)) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "One method is profiled at a time, not a whole case. Name its inputs.");
    return NULL;
  }
  if (!make_folder (job->run.output_dir, error))
    return NULL;
  if (job->run.steps != NULL)
    return pt_run_steps (job, progress, user_data, cancellable, error);
  if (job->run.bundled)
    return pt_run_bundled (job, progress, user_data, cancellable, error);
  return run_method (job, progress, user_data, cancellable, error);
}
