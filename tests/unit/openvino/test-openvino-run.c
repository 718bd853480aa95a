/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/openvino/openvino-fixture.h"

#include <string.h>
#include <pteris/models.h>

#include "engine/init.h"
#include "engine/runtime/execution.h"
#include "engine/runtime/module.h"

/* Calls: what OpenVINO gets, and what the program gets back (docs/formats/openvino.md, sections 2.2
 * and 4). */

static PtProgram *linear;

typedef struct {
  PtExecution *execution;
  PtOpenvinoModel *model;
  PtTensor tensors[4];
  PtValue values[4];
  PtValue *args[4];
  float memory[4][64];
} Call;

/* A model with @inputs and @outputs, called with float tensors of [2, 3, 1, 4]. */
static void
begin (Call *self, const char *inputs, const char *outputs)
{
  const PtDelegateContext context = openvino_context (linear);
  const gint64 sizes[] = { 2, 3, 1, 4 };
  g_autoptr (GError) error = NULL;

  g_setenv ("FAKE_OPENVINO_INPUTS", inputs, TRUE);
  g_setenv ("FAKE_OPENVINO_OUTPUTS", outputs, TRUE);
  memset (self, 0, sizeof *self);
  self->execution = pt_execution_new (NULL, NULL);
  self->model = pt_openvino_model_new (&context, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (self->tensors); i++) {
    g_assert_true (
        pt_tensor_init (&self->tensors[i], PT_DTYPE_F32, 4, sizes, NULL, self->memory[i], NULL));
    self->tensors[i].capacity = sizeof self->memory[i];
    self->values[i] = (PtValue){ .kind = PT_VALUE_TENSOR, .as_tensor = &self->tensors[i] };
    self->args[i] = &self->values[i];
  }
  openvino_calls ();
}

static void
end (Call *self)
{
  pt_openvino_model_free (self->model);
  pt_execution_free (self->execution);
}

static gboolean
run (Call *self, guint n, GError **error)
{
  gboolean good = pt_openvino_model_run (self->model, self->execution, self->args, n, error);

  pt_execution_reset (self->execution);
  return good;
}

static void
check_fails (Call *self, guint n, PtError code, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (run (self, n, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” is not in: %s", words, error->message);
}

/* The order of the list, an integer, and each element type. */
static void
test_arguments (void)
{
  static const struct {
    PtDType dtype;
    int type;
  } TYPES[] = { { PT_DTYPE_BOOL, 1 }, { PT_DTYPE_BF16, 2 }, { PT_DTYPE_F16, 3 },
                { PT_DTYPE_F32, 4 },  { PT_DTYPE_I8, 7 },   { PT_DTYPE_I16, 8 },
                { PT_DTYPE_I32, 9 },  { PT_DTYPE_U8, 16 } };
  g_autoptr (GError) error = NULL;
  Call call;

  begin (&call, "2", "1");
  call.values[1] = (PtValue){ .kind = PT_VALUE_INT, .as_int = 5 };
  g_assert_true (run (&call, 3, &error));
  g_assert_cmpstr (openvino_calls (), ==,
                   "ov_infer_request_set_input_tensor_by_index 0: 4 [2, 3, 1, 4]\n"
                   "ov_infer_request_set_input_tensor_by_index 1: 10 [1]\n"
                   "ov_infer_request_set_output_tensor_by_index 0: 4 [2, 3, 1, 4]\n"
                   "ov_infer_request_infer\n"
                   "ov_infer_request_get_output_tensor_by_index\n");
  for (guint i = 0; i < G_N_ELEMENTS (TYPES); i++) {
    g_autofree char *expected = g_strdup_printf (" 0: %d [", TYPES[i].type);

    call.tensors[0].dtype = TYPES[i].dtype;
    g_assert_true (run (&call, 3, NULL));
    g_assert_nonnull (strstr (openvino_calls (), expected));
  }
  call.tensors[0].dtype = PT_DTYPE_C32;
  check_fails (&call, 3, PT_ERROR_UNSUPPORTED, "no tensors like");
  end (&call);
}

static void
test_misfits (void)
{
  Call call;

  begin (&call, "1", "1");
  check_fails (&call, 1, PT_ERROR_PROGRAM, "1 inputs and 1 outputs");
  check_fails (&call, 3, PT_ERROR_PROGRAM, "with 3 values");
  call.values[0].kind = PT_VALUE_DOUBLE;
  check_fails (&call, 2, PT_ERROR_TYPE, "neither a tensor nor an integer");
  call.values[0].kind = PT_VALUE_TENSOR;
  call.values[1].kind = PT_VALUE_INT;
  check_fails (&call, 2, PT_ERROR_TYPE, "output");
  call.values[1].kind = PT_VALUE_TENSOR;
  call.tensors[1].is_constant = TRUE;
  check_fails (&call, 2, PT_ERROR_PROGRAM, "writes to a constant");
  call.tensors[1].is_constant = FALSE;
  call.tensors[1].capacity = 3;
  check_fails (&call, 2, PT_ERROR_STATE, "has no memory");
  call.tensors[0].data = NULL;
  check_fails (&call, 2, PT_ERROR_STATE, "Input 0");
  end (&call);
}

/* Dimensions in another order are copied, there and back. */
static void
test_order (void)
{
  const guint8 last[] = { 0, 2, 3, 1 };
  const gint64 sizes[] = { 1, 2, 2, 2 };
  Call call;

  begin (&call, "1", "1");
  for (guint i = 0; i < 2; i++) {
    g_assert_true (
        pt_tensor_init (&call.tensors[i], PT_DTYPE_F32, 4, sizes, last, call.memory[i], NULL));
    call.tensors[i].capacity = sizeof call.memory[i];
  }
  for (guint i = 0; i < 8; i++)
    call.memory[0][i] = (float) i;
  g_assert_true (run (&call, 2, NULL));
  /* 1 * 0 + 2 * 2 + 3 * 4 + 4 * 6 + 5 * 1 + 6 * 3 + 7 * 5 + 8 * 7: the elements in their order. */
  g_assert_cmpfloat (call.memory[1][0], ==, 154);
  g_assert_cmpfloat (call.memory[1][1], ==, 154 + 4);
  g_assert_cmpfloat (call.memory[1][2], ==, 154 + 1);
  end (&call);
}

/* A dynamic output gets the size of each call, up to its upper bound and no further. */
static void
test_dynamic (void)
{
  static const gint64 ROWS[] = { 2, 1, 2, 0, 2 };
  Call call;

  begin (&call, "1", "1");
  call.tensors[0].dynamism = call.tensors[1].dynamism = PT_DYNAMISM_BOUND;
  for (guint i = 0; i < G_N_ELEMENTS (ROWS); i++) {
    const gint64 sizes[] = { ROWS[i], 3, 1, 4 };

    g_assert_true (pt_tensor_resize (&call.tensors[0], 4, sizes, NULL));
    g_assert_true (run (&call, 2, NULL));
    g_assert_cmpint (call.tensors[1].sizes[0], ==, ROWS[i]);
    /* It is set at its upper bound. */
    g_assert_nonnull (strstr (openvino_calls (), "set_output_tensor_by_index 0: 4 [2, 3, 1, 4]"));
  }
  /* A static output cannot change. */
  call.tensors[1].dynamism = PT_DYNAMISM_STATIC;
  g_assert_true (pt_tensor_resize (&call.tensors[0], 4, (const gint64[]){ 1, 3, 1, 4 }, NULL));
  g_assert_false (run (&call, 2, NULL));
  end (&call);
}

static void
test_failures (void)
{
  static const char *const NAMES[] = { "ov_infer_request_set_input_tensor_by_index",
                                       "ov_infer_request_set_output_tensor_by_index",
                                       "ov_infer_request_infer",
                                       "ov_infer_request_get_output_tensor_by_index",
                                       "ov_tensor_create_from_host_ptr",
                                       "ov_tensor_get_shape",
                                       "ov_shape_create" };
  int before;
  Call call;

  begin (&call, "1", "1");
  before = openvino_alive ();
  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_setenv ("FAKE_OPENVINO_FAIL", NAMES[i], TRUE);
    check_fails (&call, 2, PT_ERROR_DELEGATE, "OpenVINO 2025.4.1 ");
  }
  g_unsetenv ("FAKE_OPENVINO_FAIL");
  g_setenv ("FAKE_OPENVINO_RANK", "17", TRUE);
  check_fails (&call, 2, PT_ERROR_DELEGATE, "too many dimensions");
  g_setenv ("FAKE_OPENVINO_RANK", "-1", TRUE);
  check_fails (&call, 2, PT_ERROR_DELEGATE, "too many dimensions");
  g_unsetenv ("FAKE_OPENVINO_RANK");
  g_assert_true (run (&call, 2, NULL));
  g_assert_cmpint (openvino_alive (), ==, before);
  end (&call);
}

/* Zeros for every input. */
static void
set_inputs (PtMethod *method)
{
  static guint64 zeros[64];

  for (guint i = 0; i < pt_method_n_inputs (method); i++) {
    const PtTensorSpec *spec = pt_method_input_spec (method, i)->as_tensor;
    gint64 sizes[PT_MAX_RANK];
    g_autoptr (GError) error = NULL;
    PtTensor tensor;

    for (guint k = 0; k < spec->rank; k++)
      sizes[k] = spec->sizes[k];
    g_assert_true (pt_tensor_init (&tensor, spec->dtype, spec->rank, sizes, NULL, zeros, NULL));
    g_assert_cmpuint (pt_tensor_nbytes (&tensor), <=, sizeof zeros);
    tensor.capacity = sizeof zeros;
    pt_method_set_input_tensor (method, i, &tensor, &error);
    g_assert_no_error (error);
  }
}

/* The arguments of a real program, in its delegate's order: input 1, 2, 0, 3, output 1, 0, 2. */
static void
test_program (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "openvino", "mixed_types", "model.pte", NULL);
  const PtMethodOptions options = { .trust = "as-read" };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModule) module = NULL;
  PtMethod *method;

  g_setenv ("FAKE_OPENVINO_INPUTS", "4", TRUE);
  g_setenv ("FAKE_OPENVINO_OUTPUTS", "3", TRUE);
  module = pt_module_open (path, NULL, &options, &error);
  g_assert_no_error (error);
  method = pt_module_method (module, "forward", &error);
  g_assert_no_error (error);
  set_inputs (method);
  openvino_calls ();
  pt_method_execute (method, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (openvino_calls (),
                                   "ov_infer_request_set_input_tensor_by_index 0: 4 [3, 4]\n"
                                   "ov_infer_request_set_input_tensor_by_index 1: 10 [3]\n"
                                   "ov_infer_request_set_input_tensor_by_index 2: 4 [3, 4]\n"
                                   "ov_infer_request_set_input_tensor_by_index 3: 1 [4]\n"
                                   "ov_infer_request_set_output_tensor_by_index 0: 10 [3]\n"
                                   "ov_infer_request_set_output_tensor_by_index 1: 4 [3, 4]\n"
                                   "ov_infer_request_set_output_tensor_by_index 2: 1 [3, 4]\n"));
}

/* What a model's card says, without the library being loaded: for what, and with which version. */
static void
test_card (void)
{
  static const char *const NAMES[] = { "linear", "dynamic_2026_4" };
  static const char *const TARGETS[] = { "CPU, OpenVINO before 2026.4", "CPU, OpenVINO 2026.4.1" };

  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path =
        g_test_build_filename (G_TEST_DIST, "data", "openvino", NAMES[i], "model.pte", NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (PtModelDetails) details = pt_library_examine (path, NULL, &error), without = NULL;

    g_assert_no_error (error);
    g_assert_cmpstr (details->backends, ==, "OpenVINO");
    g_assert_cmpstr (details->target, ==, TARGETS[i]);
    g_assert_null (details->obstacles[0]);
    g_setenv ("PTERIS_OPENVINO", g_get_user_data_dir (), TRUE);
    without = pt_library_examine (path, NULL, NULL);
    g_setenv ("PTERIS_OPENVINO", FAKE_OPENVINO_PATH, TRUE);
    g_assert_nonnull (strstr (without->obstacles[0], "there is no OpenVINO library"));
  }
}

int
main (int argc, char **argv)
{
  int status;

  openvino_begin (FAKE_OPENVINO_PATH);
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  linear = openvino_program ("linear");
  g_test_add_func ("/openvino/run/arguments", test_arguments);
  g_test_add_func ("/openvino/run/misfits", test_misfits);
  g_test_add_func ("/openvino/run/order", test_order);
  g_test_add_func ("/openvino/run/dynamic", test_dynamic);
  g_test_add_func ("/openvino/run/failures", test_failures);
  g_test_add_func ("/openvino/run/program", test_program);
  g_test_add_func ("/openvino/run/card", test_card);
  status = g_test_run ();
  pt_program_unref (linear);
  openvino_end ();
  return status;
}
