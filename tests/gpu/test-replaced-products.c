/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Matrix products of a library that ours replace. The library's kernel is computed by this test, so
 * it runs on the stand-in for the driver only.
 */

#include "tests/gpu/gpu.h"

#ifdef EMULATED

#include <math.h>
#include <string.h>

#include "engine/cuda/cuda-replacements.h"
#include "tests/fakes/fake-cuda.h"
#include "tests/gpu/reference.h"

/* The output's block is larger than the output. */
enum { OUTPUTS = 40, INPUTS = 96, ROUNDED = 64 };
/* A product that combines its results with nothing lacks OTHER, and the rest follows at once. */
enum { INPUT, WEIGHTS, OTHER, OUTPUT, N_ROWS, N_PARAMETERS };

static const PtPtxEffects unknown_effects;

typedef struct {
  PtKernelPattern pattern;
  PtCuModule module;
  PtCuFunction product;
  PtCudaReplacements *replacements;
  guint64 arguments[N_PARAMETERS];
  void *pointers[N_PARAMETERS];
  gsize sizes[N_PARAMETERS]; /* of the tensors, as the finder of memory says */
  double error;              /* that is added to each result */
} Fixture;

static const FakeCuda *fake;

static double
combine (PtCudaRowEnd end, double sum, double other)
{
  if (end == PT_CUDA_ROW_SILU)
    return sum * other / (1 + exp (-other));
  return end == PT_CUDA_ROW_ADD ? sum + other : sum;
}

static void
run_product (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  const Fixture *f = user_data;
  const guint16 *input = fake->memory (*(guint64 *) arguments[INPUT]);
  const guint16 *weights = fake->memory (*(guint64 *) arguments[WEIGHTS]);
  gboolean is_plain = f->pattern.product.end == PT_CUDA_ROW_PLAIN;
  const guint16 *other = is_plain ? input : fake->memory (*(guint64 *) arguments[OTHER]);
  guint16 *output = fake->memory (*(guint64 *) arguments[is_plain ? OTHER : OUTPUT]);

  for (guint i = 0; i < OUTPUTS; i++) {
    double sum = 0;

    for (guint j = 0; j < INPUTS; j++)
      sum += (double) reference_from_bf16 (input[j]) *
             (double) reference_from_bf16 (weights[i * INPUTS + j]);
    output[i] = reference_to_bf16 (
        combine (f->pattern.product.end, sum, (double) reference_from_bf16 (other[i])) + f->error);
  }
}

static void
add_tensor (Fixture *f, guint parameter, gsize n, guint64 *state)
{
  g_autofree guint16 *numbers = reference_random_bf16 (n, 1, state);

  f->arguments[parameter] = gpu_new (numbers, n * 2);
  f->sizes[parameter] = n * 2;
}

static guint
count_parameters (gconstpointer end)
{
  return GPOINTER_TO_UINT (end) == PT_CUDA_ROW_PLAIN ? N_PARAMETERS - 1 : N_PARAMETERS;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  guint64 state = 5;

  fake = fake_cuda_open (FAKE_CUDA_PATH);
  fake->set_kernel ("product", count_parameters (data), run_product, f);
  g_assert_cmpint (gpu->cu->cuModuleLoadData (&f->module, ".version 8.0"), ==, 0);
  gpu->cu->cuModuleGetFunction (&f->product, f->module, "product");
  add_tensor (f, INPUT, INPUTS, &state);
  add_tensor (f, WEIGHTS, OUTPUTS * INPUTS, &state);
  add_tensor (f, OTHER, OUTPUTS, &state);
  add_tensor (f, OUTPUT, ROUNDED, &state);
  f->arguments[N_ROWS] = 1;
  f->pattern.kind = PT_PATTERN_PRODUCT;
  f->pattern.product.end = (PtCudaRowEnd) GPOINTER_TO_UINT (data);
  f->pattern.product.has_rows = TRUE;
  for (guint i = 0, n = 0; i < N_PARAMETERS; i++)
    if (i != OTHER || f->pattern.product.end != PT_CUDA_ROW_PLAIN)
      f->pointers[n++] = &f->arguments[i];
  f->replacements = pt_cuda_replacements_new (gpu);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  gpu->cu->cuStreamSynchronize (gpu->stream);
  pt_cuda_replacements_free (f->replacements);
  gpu->cu->cuModuleUnload (f->module);
  gpu_free_all ();
  fake->set_kernel ("product", count_parameters (data), NULL, NULL);
}

static gboolean
find_memory (PtCuPointer pointer, PtCuPointer *start, gsize *size, gpointer user_data)
{
  const Fixture *f = user_data;

  for (guint i = 0; i < N_ROWS; i++)
    if (pointer >= f->arguments[i] && pointer < f->arguments[i] + f->sizes[i]) {
      *start = f->arguments[i];
      *size = f->sizes[i];
      return TRUE;
    }
  return FALSE;
}

/* One call of the library. TRUE: ours was launched. */
static gboolean
call (Fixture *f, PtCudaReplaceMode mode)
{
  PtCudaLaunch launch = { f->product,  { 1, 1, 1 },      { 32, 1, 1 }, 0,
                          f->pointers, &unknown_effects, &f->pattern };
  gboolean is_ours;

  pt_cuda_replacements_begin (f->replacements, mode, find_memory, f);
  is_ours = pt_cuda_replacements_take (f->replacements, &launch);
  if (!is_ours) {
    g_assert_cmpint (
        gpu->cu->cuLaunchKernel (f->product, 1, 1, 1, 32, 1, 1, 0, gpu->stream, f->pointers, NULL),
        ==, 0);
    pt_cuda_replacements_note (f->replacements, &launch);
  }
  pt_cuda_replacements_end (f->replacements);
  gpu->cu->cuStreamSynchronize (gpu->stream);
  return is_ours;
}

static gboolean
is_replaced (Fixture *f)
{
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH));
  return call (f, PT_CUDA_REPLACE_USE);
}

static void
test_replaced (Fixture *f, gconstpointer data)
{
  g_autofree guint16 *theirs = NULL, *ours = NULL;
  g_autofree char *said = NULL;

  g_assert_false (call (f, PT_CUDA_REPLACE_USE));
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH));
  theirs = gpu_read (f->arguments[OUTPUT]);
  g_assert_true (call (f, PT_CUDA_REPLACE_USE));
  ours = gpu_read (f->arguments[OUTPUT]);
  for (guint i = 0; i < OUTPUTS; i++) {
    double a = (double) reference_from_bf16 (theirs[i]), b = (double) reference_from_bf16 (ours[i]);

    g_assert_cmpfloat_with_epsilon (a, b, 0.04);
  }
  said = pt_cuda_replacements_describe (f->replacements);
  g_assert_nonnull (strstr (said, "products: 1 of 1 replaced"));
  /* More than one row is the library's. */
  f->arguments[N_ROWS] = 2;
  g_assert_false (call (f, PT_CUDA_REPLACE_USE));
}

static void
test_differs (Fixture *f, gconstpointer data)
{
  f->error = 0.5;
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH));
  f->error = 0;
  g_assert_false (is_replaced (f));
}

/* The weights decide how many inputs there are. */
static void
test_other_weights (Fixture *f, gconstpointer data)
{
  gsize size = f->sizes[WEIGHTS];

  /* Part of a larger block. */
  f->sizes[WEIGHTS] = size + OUTPUTS * 16;
  g_assert_false (is_replaced (f));
}

/* Nothing is read behind the end of the input, whatever the weights say. */
static void
test_short_input (Fixture *f, gconstpointer data)
{
  f->sizes[INPUT] -= 16;
  g_assert_false (is_replaced (f));
}

/* Proved with one size, and then the weights are others. */
static void
test_changed (Fixture *f, gconstpointer data)
{
  g_assert_true (is_replaced (f));
  f->sizes[WEIGHTS] += 2;
  g_assert_false (call (f, PT_CUDA_REPLACE_USE));
}

#define ADD(name, function, end)                                                               \
  g_test_add ("/kernels/replacements/products/" name, Fixture, GUINT_TO_POINTER (end), set_up, \
              function, tear_down)

void
add_replaced_product_tests (void)
{
  ADD ("plain", test_replaced, PT_CUDA_ROW_PLAIN);
  ADD ("add", test_replaced, PT_CUDA_ROW_ADD);
  ADD ("silu", test_replaced, PT_CUDA_ROW_SILU);
  ADD ("differs", test_differs, PT_CUDA_ROW_PLAIN);
  ADD ("other-weights", test_other_weights, PT_CUDA_ROW_PLAIN);
  ADD ("short-input", test_short_input, PT_CUDA_ROW_ADD);
  ADD ("changed", test_changed, PT_CUDA_ROW_SILU);
}

#else

void
add_replaced_product_tests (void)
{
}

#endif
