/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/runtime/backend.h"
#include "engine/runtime/module.h"
#include "engine/runtime/prims.h"

/*
 * Loading and running, with operators and a delegate of this test's own, so that nothing but
 * the runtime is under test. The programs are real exports.
 */

static GCancellable *cancel_in_kernel;

/* aten::add.out (a, b, alpha, out, out), for equal shapes */
static gboolean
test_add (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *a = pt_in_tensor (args[0], "a", error);
  PtTensor *b = a != NULL ? pt_in_tensor (args[1], "b", error) : NULL;
  PtTensor *out = b != NULL ? pt_out_tensor (args[3], a->rank, a->sizes, error) : NULL;
  gsize i;

  if (out == NULL)
    return FALSE;
  if (cancel_in_kernel != NULL)
    g_cancellable_cancel (cancel_in_kernel);
  for (i = 0; i < out->numel; i++)
    ((float *) out->data)[i] =
        ((const float *) a->data)[i] + ((const float *) b->data)[b->numel == 1 ? 0 : i];
  return TRUE;
}

/* aten::mul.out (a, b, out, out) */
static gboolean
test_mul (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *a = pt_in_tensor (args[0], "a", error);
  PtTensor *b = a != NULL ? pt_in_tensor (args[1], "b", error) : NULL;
  PtTensor *out = b != NULL ? pt_out_tensor (args[2], a->rank, a->sizes, error) : NULL;
  gsize i;

  if (out == NULL)
    return FALSE;
  for (i = 0; i < out->numel; i++)
    ((float *) out->data)[i] =
        ((const float *) a->data)[i] * ((const float *) b->data)[b->numel == 1 ? 0 : i];
  return TRUE;
}

/* aten::copy_ (self, from, non_blocking, result) */
static gboolean
test_copy (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  PtTensor *from = pt_in_tensor (args[1], "from", error);
  PtTensor *self = from != NULL ? pt_out_tensor (args[0], from->rank, from->sizes, error) : NULL;

  if (self == NULL)
    return FALSE;
  memcpy (self->data, from->data, pt_tensor_nbytes (from));
  return TRUE;
}

/* aten::addmm.out and permute_copy.out, enough to load "linear" and its damaged siblings */
static gboolean
test_nothing (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  return TRUE;
}

static gboolean
test_fails_silently (PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  return FALSE;
}

static const PtOperator operators[] = {
  { "aten::add.out", test_add, 5, 3, 1 },       { "aten::mul.out", test_mul, 4, 2, 1 },
  { "aten::copy_", test_copy, 4, 0, 1 },        { "aten::permute_copy.out", test_nothing, 4, 2, 1 },
  { "aten::addmm.out", test_nothing, 7, 5, 1 }, { "aten::neg.out", test_fails_silently, 3, 1, 1 },
};

/* A delegate that writes 1 everywhere, or in the last rows only. */
static guint last_rows;
static guint n_delegates;

static gpointer
delegate_init (const PtDelegateContext *context, GError **error)
{
  g_assert_cmpuint (context->spec->payload_size, >, 0);
  g_assert_cmpstr (context->method, ==, "forward");
  n_delegates++;
  return &n_delegates;
}

static gboolean
delegate_execute (gpointer delegate, PtExecution *execution, PtValue *const *args, guint n_args,
                  GError **error)
{
  PtTensor *out = args[n_args - 1]->as_tensor;
  gsize i, width = (gsize) out->sizes[out->rank - 1];

  for (i = last_rows > 0 ? out->numel - last_rows * width : 0; i < out->numel; i++)
    ((float *) out->data)[i] = 1;
  return TRUE;
}

static void
delegate_destroy (gpointer delegate)
{
  n_delegates--;
}

static gboolean
delegate_set_last_rows (gpointer delegate, guint arg, guint n_rows)
{
  g_assert_cmpuint (arg, ==, 1);
  last_rows = n_rows;
  return TRUE;
}

static const char *remark; /* of the delegate */

static char *
delegate_remark (gconstpointer delegate)
{
  return g_strdup (remark);
}

static const PtBackend backend = {
  .id = "XnnpackBackend",
  .init = delegate_init,
  .execute = delegate_execute,
  .destroy = delegate_destroy,
  .set_last_rows = delegate_set_last_rows,
  .remark = delegate_remark,
};

static PtModule *
open_case_with (const char *folder, const char *file, const PtMethodOptions *options)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "tiny", folder, file, NULL);
  g_autoptr (GError) error = NULL;
  PtModule *module = pt_module_open (path, NULL, options, &error);

  g_assert_no_error (error);
  return module;
}

static PtModule *
open_case (const char *folder)
{
  return open_case_with (folder, "model.pte", NULL);
}

static PtMethod *
load (PtModule *module, const char *name)
{
  GError *error = NULL;
  PtMethod *method = pt_module_method (module, name, &error);

  g_assert_no_error (error);
  return method;
}

static PtTensor
floats (guint rank, const gint64 *sizes, float *data)
{
  PtTensor tensor;

  g_assert_true (pt_tensor_init (&tensor, PT_DTYPE_F32, rank, sizes, NULL, data, NULL));
  return tensor;
}

static void
set (PtMethod *method, guint i, guint rank, const gint64 *sizes, float *data)
{
  PtTensor tensor = floats (rank, sizes, data);
  GError *error = NULL;

  pt_method_set_input_tensor (method, i, &tensor, &error);
  g_assert_no_error (error);
}

static void
execute (PtMethod *method)
{
  GError *error = NULL;

  pt_method_execute (method, NULL, &error);
  g_assert_no_error (error);
}

static const float *
output (PtMethod *method, guint i)
{
  return pt_method_output (method, i)->as_tensor->data;
}

static const gint64 sizes_2_3[] = { 2, 3 };

static void
test_run (void)
{
  g_autoptr (PtModule) module = open_case ("add_f32");
  PtMethod *method = load (module, "forward");
  float x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 10, 20, 30, 40, 50, 60 };

  g_assert_cmpuint (pt_method_n_inputs (method), ==, 2);
  g_assert_cmpuint (pt_method_n_outputs (method), ==, 1);
  g_assert_cmpuint (pt_method_planned_bytes (method), ==, 96);
  set (method, 0, 2, sizes_2_3, x);
  set (method, 1, 2, sizes_2_3, y);
  execute (method);
  g_assert_cmpfloat (output (method, 0)[5], ==, 66);
  g_assert_true (pt_module_method (module, "forward", NULL) == method);
}

static void
test_input_errors (void)
{
  g_autoptr (PtModule) module = open_case ("add_f32");
  PtMethod *method = load (module, "forward");
  const gint64 other[] = { 3, 2 };
  const guint8 order[] = { 1, 0 };
  float x[] = { 1, 2, 3, 4, 5, 6 };
  PtTensor tensor = floats (2, sizes_2_3, x);
  PtValue number = { .kind = PT_VALUE_INT, .as_int = 3 };
  g_autoptr (GError) error = NULL;

  g_assert_false (pt_method_execute (method, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
  g_clear_error (&error);

  g_assert_false (pt_method_set_input_tensor (method, 2, &tensor, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_clear_error (&error);

  g_assert_false (pt_method_set_input (method, 0, &number, NULL));

  tensor = floats (2, other, x);
  g_assert_false (pt_method_set_input_tensor (method, 0, &tensor, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "float32 [2, 3]"));
  g_assert_nonnull (strstr (error->message, "float32 [3, 2]"));

  tensor = floats (2, sizes_2_3, x);
  tensor.dtype = PT_DTYPE_I32;
  g_assert_false (pt_method_set_input_tensor (method, 0, &tensor, NULL));

  tensor = floats (2, sizes_2_3, NULL);
  g_assert_false (pt_method_set_input_tensor (method, 0, &tensor, NULL));

  g_assert_true (pt_tensor_init (&tensor, PT_DTYPE_F32, 2, sizes_2_3, order, x, NULL));
  g_assert_false (pt_method_set_input_tensor (method, 0, &tensor, NULL));
  g_assert_false (pt_method_execute (method, NULL, NULL));
}

static void
test_scalar_inputs (void)
{
  g_autoptr (PtModule) module = open_case_with ("pass_through", "model.pte", NULL);
  PtMethod *method = load (module, "forward");
  PtValue string = { .kind = PT_VALUE_STRING, .as_string = { "x", 1 } };

  /* Only what was traced is accepted; the tensor input takes no string. */
  g_assert_false (pt_method_set_input (method, 0, &string, NULL));
}

static void
test_state (void)
{
  g_autoptr (PtModule) module = open_case ("mutable_state_init");
  PtMethod *method = load (module, "forward");
  const PtValueSpec *spec = pt_method_input_spec (method, 0);
  gint64 sizes[PT_MAX_RANK];
  float x[64], first, second;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (x); i++)
    x[i] = 1;
  for (i = 0; i < spec->as_tensor->rank; i++)
    sizes[i] = spec->as_tensor->sizes[i];
  set (method, 0, spec->as_tensor->rank, sizes, x);
  execute (method);
  first = output (method, 0)[0];
  set (method, 0, spec->as_tensor->rank, sizes, x);
  execute (method);
  second = output (method, 0)[0];
  g_assert_cmpfloat (first, !=, second);

  g_assert_true (pt_method_reset_state (method, NULL));
  g_assert_false (pt_method_execute (method, NULL, NULL)); /* inputs are to be given again */
  set (method, 0, spec->as_tensor->rank, sizes, x);
  execute (method);
  g_assert_cmpfloat (output (method, 0)[0], ==, first);
}

static void
test_everything_missing_in_one_message (void)
{
  g_autoptr (PtModule) module = open_case ("lists_and_index");
  g_autoptr (PtModule) external = open_case ("external_weights");
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_module_method (module, "forward", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_MISSING_OPERATOR);
  g_assert_nonnull (strstr (error->message, "aten::topk.values"));
  g_assert_nonnull (strstr (error->message, "aten::split_with_sizes_copy.out"));
  g_clear_error (&error);

  g_assert_null (pt_module_method (external, "forward", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_MISSING_FILE);
  g_clear_error (&error);

  g_assert_null (pt_module_method (module, "nothing", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "forward"));
}

static void
test_missing_backend_and_device (void)
{
  g_autoptr (PtModule) module = open_case ("device_io_v15");
  g_autoptr (PtModule) copies = open_case ("device_copies_v15");
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_module_method (module, "forward", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_MISSING_BACKEND);
  g_assert_nonnull (strstr (error->message, "StubAddBackend"));
  g_assert_nonnull (strstr (error->message, "program for the CPU"));
  g_assert_cmpstr (pt_backend_device ("MLXBackend"), ==, "Apple computers");
  g_assert_null (pt_backend_device ("StubAddBackend"));
  g_clear_error (&error);
  g_assert_null (pt_module_method (copies, "forward", &error));
  g_assert_nonnull (strstr (error->message, "cuda:0"));
}

static void
test_limits (void)
{
  const PtMethodOptions little_memory = { .max_planned_bytes = 95 };
  const PtMethodOptions few_steps = { .max_instructions = 100 };
  g_autoptr (PtModule) small = open_case_with ("add_f32", "model.pte", &little_memory);
  g_autoptr (PtModule) endless = open_case_with ("hostile", "i_jump_self.pte", &few_steps);
  g_autoptr (GError) error = NULL;
  float x[8] = { 0 };
  const gint64 sizes[] = { 2, 4 };
  PtMethod *method;

  g_assert_null (pt_module_method (small, "forward", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
  g_clear_error (&error);

  method = load (endless, "forward");
  set (method, 0, 2, sizes, x);
  g_assert_false (pt_method_execute (method, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
}

static void
test_cancel (void)
{
  g_autoptr (PtModule) module = open_case ("mutable_state_init");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  PtMethod *method = load (module, "forward");
  const PtTensorSpec *spec = pt_method_input_spec (method, 0)->as_tensor;
  gint64 sizes[PT_MAX_RANK];
  float x[64] = { 0 };
  guint i;

  for (i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  set (method, 0, spec->rank, sizes, x);
  cancel_in_kernel = cancellable;
  g_assert_false (pt_method_execute (method, cancellable, &error));
  cancel_in_kernel = NULL;
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  set (method, 0, spec->rank, sizes, x);
  execute (method); /* can be run again */
}

static void
test_silent_failure_gets_a_message (void)
{
  g_autoptr (PtModule) module = open_case ("constant_methods");
  g_autoptr (GError) error = NULL;
  PtMethod *method = load (module, "forward");
  const PtTensorSpec *spec = pt_method_input_spec (method, 0)->as_tensor;
  gint64 sizes[PT_MAX_RANK];
  float x[64] = { 0 };
  guint i;

  for (i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  set (method, 0, spec->rank, sizes, x);
  g_assert_false (pt_method_execute (method, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_INTERNAL);
  g_assert_nonnull (strstr (error->message, "aten::neg.out"));
}

static void
count_steps (gpointer user_data, guint chain, guint instruction, gint64 begin, gint64 end)
{
  guint *count = user_data;

  g_assert_cmpuint (chain, ==, 0);
  g_assert_cmpuint (instruction, ==, *count);
  g_assert_cmpint (end, >=, begin);
  ++*count;
}

static void
test_profile (void)
{
  g_autoptr (PtModule) module = open_case ("add_f32");
  PtMethod *method = load (module, "forward");
  float x[6] = { 0 };
  guint count = 0;

  pt_method_set_profile (method, count_steps, &count);
  set (method, 0, 2, sizes_2_3, x);
  set (method, 1, 2, sizes_2_3, x);
  execute (method);
  g_assert_cmpuint (count, ==, 1);
}

static void
test_unplanned (void)
{
  g_autoptr (PtModule) module = open_case ("unplanned_io");
  PtMethod *method = load (module, "forward");
  const PtTensorSpec *in = pt_method_input_spec (method, 0)->as_tensor;
  const PtTensorSpec *out = pt_method_output_spec (method, 0)->as_tensor;
  g_autofree float *x = g_malloc0 (in->nbytes), *y = g_malloc0 (out->nbytes);
  gint64 sizes[PT_MAX_RANK];
  guint i;

  g_assert_nonnull (pt_method_output (method, 0)->as_tensor->data); /* the method's own memory */
  g_assert_false (pt_method_set_output_buffer (method, 0, y, out->nbytes - 1, NULL));
  g_assert_true (pt_method_set_output_buffer (method, 0, y, out->nbytes, NULL));
  for (i = 0; i < in->rank; i++)
    sizes[i] = in->sizes[i];
  set (method, 0, in->rank, sizes, x);
  execute (method);
  g_assert_true (output (method, 0) == y);
  g_assert_false (pt_method_execute (method, NULL, NULL)); /* borrowed bytes must be given again */
}

static void
test_delegate (void)
{
  PtModule *module = open_case ("xnnpack_linear");
  PtMethod *method = load (module, "forward");
  const PtTensorSpec *in = pt_method_input_spec (method, 0)->as_tensor;
  const PtTensorSpec *out = pt_method_output_spec (method, 0)->as_tensor;
  g_autofree float *x = g_malloc0 (in->nbytes);
  gint64 sizes[PT_MAX_RANK];
  guint i;

  g_assert_cmpuint (n_delegates, ==, 1);
  for (i = 0; i < in->rank; i++)
    sizes[i] = in->sizes[i];
  g_assert_false (pt_method_set_last_rows (method, 1, 1));
  g_assert_true (pt_method_set_last_rows (method, 0, 1));
  set (method, 0, in->rank, sizes, x);
  execute (method);
  g_assert_cmpfloat (output (method, 0)[0], ==, 0);
  g_assert_cmpfloat (output (method, 0)[out->numel - 1], ==, 1);
  g_assert_true (pt_method_set_last_rows (method, 0, 0));
  pt_module_free (module);
  g_assert_cmpuint (n_delegates, ==, 0);
}

static void
test_remarks (void)
{
  PtModule *module = open_case ("xnnpack_linear");
  PtMethod *method = load (module, "forward");
  char **remarks = pt_method_remarks (method);

  g_assert_cmpuint (g_strv_length (remarks), ==, 0);
  g_strfreev (remarks);
  remark = "half of it was replaced";
  remarks = pt_method_remarks (method);
  g_assert_cmpuint (g_strv_length (remarks), ==, 1);
  g_assert_cmpstr (remarks[0], ==, remark);
  g_strfreev (remarks);
  remark = NULL;
  pt_module_free (module);
}

/* An operator, not a delegate, writes the output: all of it is computed. */
static void
test_last_row_of_an_operator (void)
{
  g_autoptr (PtModule) module = open_case ("add_f32");

  g_assert_false (pt_method_set_last_rows (load (module, "forward"), 0, 1));
}

static void
test_constants (void)
{
  g_autoptr (PtModule) module = open_case ("constant_methods");
  PtProgram *program = pt_module_program (module);
  guint i, n_ints = 0, n_doubles = 0;

  for (i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);
    gint64 number;
    double real;
    guint count;
    g_autofree gint64 *all = pt_module_constant_ints (module, plan->name, &count);

    n_ints += pt_module_constant_int (module, plan->name, &number);
    n_doubles += pt_module_constant_double (module, plan->name, &real);
    if (plan->n_inputs > 0)
      g_assert_null (all);
    else if (all != NULL)
      g_assert_cmpuint (count, ==, plan->n_outputs);
  }
  g_assert_cmpuint (n_ints, >=, 3); /* int, bool, double */
  g_assert_cmpuint (n_doubles, ==, n_ints);
  g_assert_false (pt_module_constant_int (module, "absent", &(gint64){ 0 }));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_prims_register ();
  pt_operators_register (operators, G_N_ELEMENTS (operators));
  pt_backend_register (&backend);
  g_test_add_func ("/runtime/method/run", test_run);
  g_test_add_func ("/runtime/method/input-errors", test_input_errors);
  g_test_add_func ("/runtime/method/scalar-inputs", test_scalar_inputs);
  g_test_add_func ("/runtime/method/state", test_state);
  g_test_add_func ("/runtime/method/everything-missing-in-one-message",
                   test_everything_missing_in_one_message);
  g_test_add_func ("/runtime/method/missing-backend-and-device", test_missing_backend_and_device);
  g_test_add_func ("/runtime/method/limits", test_limits);
  g_test_add_func ("/runtime/method/cancel", test_cancel);
  g_test_add_func ("/runtime/method/silent-failure-gets-a-message",
                   test_silent_failure_gets_a_message);
  g_test_add_func ("/runtime/method/profile", test_profile);
  g_test_add_func ("/runtime/method/unplanned", test_unplanned);
  g_test_add_func ("/runtime/method/delegate", test_delegate);
  g_test_add_func ("/runtime/method/remarks", test_remarks);
  g_test_add_func ("/runtime/method/last-row-of-an-operator", test_last_row_of_an_operator);
  g_test_add_func ("/runtime/method/constants", test_constants);
  return g_test_run ();
}
