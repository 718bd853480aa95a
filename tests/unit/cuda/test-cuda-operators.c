/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/shims-private.h"
#include "tests/fakes/fake-cuda.h"

/*
 * Operators that model libraries leave to the runtime: what they accept, what they return, and
 * that nothing stays behind. The stand-in for the driver runs no kernels.
 */

static const FakeCuda *fake;
static const char image[] = "\x50\xed\x55\xba";

typedef struct {
  PtCudaContext *context;
  PtShimModules *modules;
  GPtrArray *tensors; /* freed in the end */
} Fixture;

static void
setup (Fixture *self, gconstpointer data)
{
  GError *error = NULL;

  fake->reset ();
  self->context = pt_cuda_context_ref (0, &error);
  g_assert_no_error (error);
  self->modules = pt_shim_modules_new ();
  self->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_shim_tensor_free);
  pt_shims_enter (self->context, self->modules);
}

static void
teardown (Fixture *self, gconstpointer data)
{
  FakeCounts counts;

  fake->reset ();
  pt_shims_leave ();
  g_ptr_array_unref (self->tensors);
  pt_shim_modules_free (self->modules, self->context);
  pt_cuda_context_unref (self->context);
  g_clear_error (&pt_shim_state.note);
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
  fake->counts (&counts);
  g_assert_cmpuint (counts.bytes, ==, 0);
  g_assert_cmpuint (counts.leaked, ==, 0);
}

#define SIZES(...)                                       \
  G_N_ELEMENTS (((gint64[]){ __VA_ARGS__ })), (gint64[]) \
  {                                                      \
    __VA_ARGS__                                          \
  }

static PtShimTensor *
make (Fixture *self, gint32 dtype, gsize rank, const gint64 *sizes)
{
  PtShimHandle tensor;

  g_assert_cmpint (pt_aoti_torch_empty_strided ((gint64) rank, sizes, NULL, dtype, 1, 0, &tensor),
                   ==, 0);
  g_ptr_array_add (self->tensors, tensor);
  return tensor;
}

static void
expect_note (gint code, const char *text)
{
  g_autoptr (GError) note = pt_shim_take_note ();

  g_assert_error (note, PT_ERROR, code);
  if (strstr (note->message, text) == NULL)
    g_error ("\"%s\" is not in \"%s\"", text, note->message);
}

/* A result of the call: its dtype and sizes. */
static void
check_result (gint32 code, PtShimTensor *out, gint32 dtype, gint64 rows, gint64 columns)
{
  g_autoptr (GError) note = pt_shim_take_note ();

  g_assert_no_error (note);
  g_assert_cmpint (code, ==, 0);
  g_assert_cmpint (out->dtype, ==, dtype);
  g_assert_cmpint (out->rank, ==, 2);
  g_assert_cmpint (out->sizes[0], ==, rows);
  g_assert_cmpint (out->sizes[1], ==, columns);
  g_assert_true (pt_shim_tensor_is_contiguous (out));
  g_assert_cmpuint (fake->n_launches (), >, 0);
  pt_shim_tensor_free (out);
}

/* ---- int4, tile packed ---- */

static void
test_int4 (Fixture *self, gconstpointer data)
{
  PtShimTensor *x = make (self, PT_DTYPE_BF16, SIZES (7, 256));
  PtShimTensor *w = make (self, PT_DTYPE_I32, SIZES (16, 2, 32, 4));
  PtShimTensor *s = make (self, PT_DTYPE_BF16, SIZES (4, 128, 2));
  PtShimTensor *across, *part;
  PtShimHandle out = NULL;
  gint32 code;

  code = pt_aoti_torch_cuda__weight_int4pack_mm (x, w, 64, s, &out);
  check_result (code, out, PT_DTYPE_BF16, 7, 128);
  /* A turned and a misaligned input are made straight first. */
  g_assert_cmpint (
      pt_aoti_torch__reinterpret_tensor (x, SIZES (5, 256), (gint64[]){ 1, 5 }, 0, &across), ==, 0);
  g_ptr_array_add (self->tensors, across);
  code = pt_aoti_torch_cuda__weight_int4pack_mm (across, w, 64, s, &out);
  check_result (code, out, PT_DTYPE_BF16, 5, 128);
  g_assert_cmpint (
      pt_aoti_torch__reinterpret_tensor (x, SIZES (1, 256), (gint64[]){ 256, 1 }, 3, &part), ==, 0);
  g_ptr_array_add (self->tensors, part);
  code = pt_aoti_torch_cuda__weight_int4pack_mm (part, w, 64, s, &out);
  check_result (code, out, PT_DTYPE_BF16, 1, 128);
}

static void
test_int4_wrong (Fixture *self, gconstpointer data)
{
  PtShimTensor *x = make (self, PT_DTYPE_BF16, SIZES (7, 256));
  PtShimTensor *w = make (self, PT_DTYPE_I32, SIZES (16, 2, 32, 4));
  PtShimTensor *s = make (self, PT_DTYPE_BF16, SIZES (4, 128, 2));
  PtShimTensor *bad[] = {
    make (self, PT_DTYPE_F32, SIZES (7, 256)),      make (self, PT_DTYPE_BF16, SIZES (7, 128)),
    make (self, PT_DTYPE_BF16, SIZES (1, 7, 256)),  make (self, PT_DTYPE_I32, SIZES (16, 2, 16, 4)),
    make (self, PT_DTYPE_BF16, SIZES (4, 128, 1)),  make (self, PT_DTYPE_BF16, SIZES (4, 64, 2)),
    make (self, PT_DTYPE_I32, SIZES (0, 2, 32, 4)), NULL,
  };
  PtShimHandle out = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_assert_cmpint (pt_aoti_torch_cuda__weight_int4pack_mm (bad[i], w, 64, s, &out), ==, 1);
    expect_note (PT_ERROR_ARGUMENT, "_weight_int4pack_mm");
    g_assert_cmpint (pt_aoti_torch_cuda__weight_int4pack_mm (x, bad[i], 64, s, &out), ==, 1);
    expect_note (PT_ERROR_ARGUMENT, "_weight_int4pack_mm");
    g_assert_cmpint (pt_aoti_torch_cuda__weight_int4pack_mm (x, w, 64, bad[i], &out), ==, 1);
    expect_note (PT_ERROR_ARGUMENT, "_weight_int4pack_mm");
  }
  for (gint64 group = -64; group <= 512; group += 32) {
    if (group == 64)
      continue;
    g_assert_cmpint (pt_aoti_torch_cuda__weight_int4pack_mm (x, w, group, s, &out), ==, 1);
    expect_note (PT_ERROR_ARGUMENT, "_weight_int4pack_mm");
  }
  g_assert_cmpint (pt_aoti_torch_cuda__weight_int4pack_mm (x, w, G_MAXINT64, s, &out), ==, 1);
  g_assert_null (out);
}

/* ---- Plain quantised weights, and two functions of one name ---- */

static void
test_int4_plain (Fixture *self, gconstpointer data)
{
  PtShimTensor *x = make (self, PT_DTYPE_BF16, SIZES (1, 256));
  PtShimTensor *w = make (self, PT_DTYPE_I8, SIZES (512, 128));
  PtShimTensor *codes = make (self, PT_DTYPE_U8, SIZES (512, 8));
  PtShimTensor *step = make (self, PT_DTYPE_F16, SIZES (512, 1));
  PtShimTensor *floats = make (self, PT_DTYPE_BF16, SIZES (8, 512));
  PtShimHandle out = NULL;
  gint32 code;

  code = pt_aoti_torch_cuda_int4_plain_mm (x, w, codes, step, codes, step, 32, &out);
  check_result (code, out, PT_DTYPE_BF16, 1, 512);
  out = NULL;
  code = pt_aoti_torch_cuda_int4_plain_mm (x, w, floats, floats, GINT_TO_POINTER (32), &out, -1,
                                           GINT_TO_POINTER (1));
  check_result (code, out, PT_DTYPE_BF16, 1, 512);
  out = NULL;
  g_assert_cmpint (pt_aoti_torch_cuda_int4_plain_mm (x, w, floats, step, codes, step, 32, &out), ==,
                   1);
  expect_note (PT_ERROR_ARGUMENT, "int4_plain_mm");
  g_assert_cmpint (pt_aoti_torch_cuda_int4_plain_mm (x, w, codes, step, codes, step, 0, &out), ==,
                   1);
  expect_note (PT_ERROR_ARGUMENT, "int4_plain_mm");
  g_assert_cmpint (pt_aoti_torch_cuda_int4_plain_mm (x, w, floats, floats, NULL, &out, 0, NULL), ==,
                   1);
  expect_note (PT_ERROR_ARGUMENT, "int4_plain_mm");
  g_assert_null (out);
}

static void
test_plain (Fixture *self, gconstpointer data)
{
  PtShimTensor *x = make (self, PT_DTYPE_BF16, SIZES (3, 512));
  PtShimTensor *low = make (self, PT_DTYPE_U8, SIZES (40, 256));
  PtShimTensor *high5 = make (self, PT_DTYPE_U8, SIZES (40, 64));
  PtShimTensor *high6 = make (self, PT_DTYPE_U8, SIZES (40, 128));
  PtShimTensor *codes5 = make (self, PT_DTYPE_U8, SIZES (40, 16));
  PtShimTensor *codes6 = make (self, PT_DTYPE_I8, SIZES (40, 32));
  PtShimTensor *step = make (self, PT_DTYPE_F16, SIZES (40, 2));
  PtShimTensor *whole = make (self, PT_DTYPE_I8, SIZES (40, 512));
  PtShimTensor *scale8 = make (self, PT_DTYPE_BF16, SIZES (40, 16));
  PtShimHandle out = NULL;
  gint32 code;

  code = pt_aoti_torch_cuda_int5_plain_mm (x, low, high5, codes5, step, codes5, step, 32, &out);
  check_result (code, out, PT_DTYPE_BF16, 3, 40);
  code = pt_aoti_torch_cuda_int6_plain_mm (x, low, high6, codes6, step, 16, &out);
  check_result (code, out, PT_DTYPE_BF16, 3, 40);
  code = pt_aoti_torch_cuda_int8_plain_mm (x, whole, scale8, codes5, 32, &out);
  check_result (code, out, PT_DTYPE_BF16, 3, 40);
  out = NULL;
  g_assert_cmpint (
      pt_aoti_torch_cuda_int5_plain_mm (x, low, high6, codes5, step, codes5, step, 32, &out), ==,
      1);
  expect_note (PT_ERROR_ARGUMENT, "int5_plain_mm");
  g_assert_cmpint (pt_aoti_torch_cuda_int6_plain_mm (x, low, high6, codes6, step, 32, &out), ==, 1);
  expect_note (PT_ERROR_ARGUMENT, "int6_plain_mm");
  g_assert_cmpint (pt_aoti_torch_cuda_int8_plain_mm (x, low, scale8, codes5, 32, &out), ==, 1);
  expect_note (PT_ERROR_ARGUMENT, "int8_plain_mm");
  g_assert_cmpint (pt_aoti_torch_cuda_int8_plain_mm (x, whole, scale8, NULL, 32, &out), ==, 1);
  expect_note (PT_ERROR_ARGUMENT, "int8_plain_mm");
  g_assert_null (out);
}

/* ---- Sorting ---- */

static void
check_sort (Fixture *self, gint32 dtype, gsize rank, const gint64 *sizes, gint64 dim,
            gint32 expected)
{
  PtShimTensor *x = make (self, dtype, rank, sizes);
  PtShimHandle values = NULL, indices = NULL;
  gint32 stable = 1;

  g_assert_cmpint (pt_aoti_torch_cuda_sort_stable (x, &stable, dim, 1, &values, &indices), ==,
                   expected);
  if (expected != 0) {
    g_assert_null (values);
    g_assert_null (indices);
    g_clear_error (&pt_shim_state.note);
    return;
  }
  g_assert_cmpint (values->dtype, ==, dtype);
  g_assert_cmpint (indices->dtype, ==, PT_DTYPE_I64);
  g_assert_cmpint (values->numel, ==, x->numel);
  g_assert_cmpint (indices->numel, ==, x->numel);
  pt_shim_tensor_free (values);
  pt_shim_tensor_free (indices);
}

static void
test_sort (Fixture *self, gconstpointer data)
{
  check_sort (self, PT_DTYPE_F32, SIZES (2, 2048), 1, 0);
  check_sort (self, PT_DTYPE_F32, SIZES (2, 2048), -2, 0);
  check_sort (self, PT_DTYPE_I64, SIZES (70000), 0, 0);
  check_sort (self, PT_DTYPE_BF16, 0, NULL, 0, 0);
  check_sort (self, PT_DTYPE_BF16, 0, NULL, -1, 0);
  check_sort (self, PT_DTYPE_F16, SIZES (3, 0, 4), 1, 0);
  check_sort (self, PT_DTYPE_F16, SIZES (3, 4), 2, 1);
  check_sort (self, PT_DTYPE_F16, SIZES (3, 4), -3, 1);
  check_sort (self, PT_DTYPE_U8, SIZES (3, 4), 0, 1);
}

/* ---- Random numbers ---- */

static void
test_random (Fixture *self, gconstpointer data)
{
  const gint64 two[] = { 2 }, three[] = { 3 };
  PtShimTensor *out = make (self, PT_DTYPE_I64, SIZES (2));
  PtShimTensor *floats = make (self, PT_DTYPE_F32, SIZES (2));
  gint32 cpu = 0, bf16 = PT_DTYPE_BF16, f64 = PT_DTYPE_F64;
  PtShimHandle y = NULL;
  guint n;

  self->context->is_capturing = TRUE;
  g_assert_cmpint (pt_aoti_torch_cuda_randint_low_out (out, G_MININT64, G_MAXINT64, two, 1), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "CUDA graph");
  self->context->is_capturing = FALSE;
  g_assert_cmpint (pt_aoti_torch_cuda_randint_low_out (out, G_MININT64, G_MAXINT64, two, 1), ==, 0);
  n = fake->n_launches ();
  self->context->is_capturing = TRUE; /* the state is there now */
  g_assert_cmpint (pt_aoti_torch_cuda_randint_low_out (out, 0, 10, two, 1), ==, 0);
  self->context->is_capturing = FALSE;
  g_assert_cmpuint (fake->n_launches (), ==, n + 1);
  pt_shim_modules_seed (self->modules, 42);
  g_assert_cmpint (pt_aoti_torch_cuda_rand (two, 1, NULL, NULL, NULL, 0, NULL, &y), ==, 0);
  g_assert_cmpuint (fake->n_launches (), ==, n + 3); /* the seed, too */
  g_assert_cmpint (y->dtype, ==, PT_DTYPE_F32);
  pt_shim_tensor_free (y);
  g_assert_cmpint (pt_aoti_torch_cuda_rand (two, 1, &bf16, NULL, NULL, 0, NULL, &y), ==, 0);
  g_assert_cmpint (y->dtype, ==, PT_DTYPE_BF16);
  pt_shim_tensor_free (y);

  g_assert_cmpint (pt_aoti_torch_cuda_rand (two, 1, &f64, NULL, NULL, 0, NULL, &y), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "float64");
  g_assert_cmpint (pt_aoti_torch_cuda_rand (two, 1, NULL, NULL, &cpu, 0, NULL, &y), ==, 1);
  expect_note (PT_ERROR_ARGUMENT, "rand");
  g_assert_cmpint (pt_aoti_torch_cuda_randint_low_out (out, 0, 10, three, 1), ==, 1);
  expect_note (PT_ERROR_ARGUMENT, "randint");
  g_assert_cmpint (pt_aoti_torch_cuda_randint_low_out (floats, 0, 10, two, 1), ==, 1);
  expect_note (PT_ERROR_ARGUMENT, "randint");
  g_assert_cmpint (pt_aoti_torch_cuda_randint_low_out (out, 10, 10, two, 1), ==, 1);
  expect_note (PT_ERROR_ARGUMENT, "randint");
}

/* ---- Copies ---- */

/* A turned tensor is copied on the GPU, also while a graph is captured. */
static void
test_copy (Fixture *self, gconstpointer data)
{
  PtShimTensor *x = make (self, PT_DTYPE_F32, SIZES (8, 16));
  PtShimTensor *y = make (self, PT_DTYPE_F32, SIZES (16, 8));
  PtShimHandle across;

  g_assert_cmpint (
      pt_aoti_torch__reinterpret_tensor (x, SIZES (16, 8), (gint64[]){ 1, 16 }, 0, &across), ==, 0);
  g_ptr_array_add (self->tensors, across);
  g_assert_cmpint (pt_aoti_torch_copy_ (y, across, 0), ==, 0); /* loads the kernels */
  fake->reset ();
  self->context->is_capturing = TRUE;
  g_assert_cmpint (pt_aoti_torch_copy_ (y, across, 0), ==, 0);
  self->context->is_capturing = FALSE;
  g_assert_cmpuint (fake->n_launches (), ==, 1);
  g_assert_cmpuint (fake->n_calls ("cuStreamSynchronize"), ==, 0);
}

/* ---- Failures ---- */

static void
test_faults (Fixture *self, gconstpointer data)
{
  static const char *const functions[] = { "cuMemAlloc", "cuLaunchKernel" };
  PtShimTensor *x = make (self, PT_DTYPE_BF16, SIZES (70, 256));
  PtShimTensor *w = make (self, PT_DTYPE_I32, SIZES (1024, 2, 32, 4));
  PtShimTensor *s = make (self, PT_DTYPE_BF16, SIZES (4, 8192, 2));
  guint before = pt_shim_tensor_count (), failures = 0;

  for (guint i = 0; i < 20; i++) {
    PtShimHandle out = NULL;

    fake->reset ();
    fake->fail (functions[i % 2], i / 2 + 1,
                i % 2 == 0 ? PT_CU_OUT_OF_MEMORY : PT_CU_INVALID_VALUE);
    pt_cuda_pool_trim (self->context->pool, self->context->stream);
    if (pt_aoti_torch_cuda__weight_int4pack_mm (x, w, 64, s, &out) != 0) {
      failures++;
      g_assert_nonnull (pt_shim_state.note);
      g_assert_null (out);
    }
    g_clear_error (&pt_shim_state.note);
    pt_shim_tensor_free (out);
    g_assert_cmpuint (pt_shim_tensor_count (), ==, before);
  }
  g_assert_cmpuint (failures, >, 0);
}

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  g_test_init (&argc, &argv, NULL);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  pt_cuda_kernels_use_image (image);
#define ADD(name, function) \
  g_test_add ("/cuda/operators/" name, Fixture, NULL, setup, function, teardown)
  ADD ("int4", test_int4);
  ADD ("int4-wrong", test_int4_wrong);
  ADD ("int4-plain", test_int4_plain);
  ADD ("plain", test_plain);
  ADD ("sort", test_sort);
  ADD ("random", test_random);
  ADD ("copy", test_copy);
  ADD ("faults", test_faults);
  return g_test_run ();
}
