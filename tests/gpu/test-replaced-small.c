/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Small kernels of a library that ours replace. The library's kernels are computed by this test, so
 * it runs on the stand-in for the driver only.
 */

#include "tests/gpu/gpu.h"

#ifdef EMULATED

#include <math.h>
#include <string.h>

#include "engine/cuda/cuda-kernels-private.h"
#include "engine/cuda/cuda-replacements.h"
#include "tests/fakes/fake-cuda.h"
#include "tests/gpu/reference.h"

enum { N = 128, HEADS = 4, DIM = 32, LENGTH = 6, POSITION = 3, MOST = 12 };

/* A kernel of the library: tensors, then numbers. */
typedef struct {
  PtCuFunction function;
  PtKernelPattern pattern;
  PtPtxEffects effects;
  guint64 arguments[MOST];
  void *pointers[MOST];
} Kernel;

typedef struct {
  PtCuModule module;
  PtCudaReplacements *replacements;
  struct {
    PtCuPointer start;
    gsize size;
  } blocks[MOST];
  guint n_blocks;
  Kernel kernels[2];
  guint n_kernels;
  double error; /* that is added to each result */
} Fixture;

static const FakeCuda *fake;
static Fixture *current;

static double
number (const guint16 *numbers, guint i)
{
  return (double) reference_from_bf16 (numbers[i]);
}

static guint16 *
tensor (void **arguments, guint i)
{
  return fake->memory (*(guint64 *) arguments[i]);
}

static void
add_kernel (Fixture *f, const char *name, guint n_parameters, FakeLaunchHook *run)
{
  Kernel *kernel = &f->kernels[f->n_kernels++];

  fake->set_kernel (name, n_parameters, run, f);
  gpu->cu->cuModuleGetFunction (&kernel->function, f->module, name);
  for (guint i = 0; i < MOST; i++)
    kernel->pointers[i] = &kernel->arguments[i];
}

static void
set_up (Fixture *f, gconstpointer data)
{
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  current = f;
  g_assert_cmpint (gpu->cu->cuModuleLoadData (&f->module, ".version 8.0"), ==, 0);
  f->replacements = pt_cuda_replacements_new (gpu);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  gpu->cu->cuStreamSynchronize (gpu->stream);
  pt_cuda_replacements_free (f->replacements);
  gpu->cu->cuModuleUnload (f->module);
  gpu_free_all ();
}

static PtCuPointer
add_block (gconstpointer data, gsize size)
{
  guint i = current->n_blocks++;

  current->blocks[i].start = gpu_new (data, size);
  current->blocks[i].size = size;
  return current->blocks[i].start;
}

static PtCuPointer
random_tensor (gsize n, guint64 *state)
{
  g_autofree guint16 *numbers = reference_random_bf16 (n, 1, state);

  return add_block (numbers, n * 2);
}

static gboolean
find_memory (PtCuPointer pointer, PtCuPointer *start, gsize *size, gpointer user_data)
{
  const Fixture *f = user_data;

  for (guint i = 0; i < f->n_blocks; i++)
    if (pointer >= f->blocks[i].start && pointer < f->blocks[i].start + f->blocks[i].size) {
      *start = f->blocks[i].start;
      *size = f->blocks[i].size;
      return TRUE;
    }
  return FALSE;
}

/* The launches of a call in order. How many of them are ours. */
static guint
call (Fixture *f, PtCudaReplaceMode mode)
{
  guint n_ours = 0;

  pt_cuda_replacements_begin (f->replacements, mode, find_memory, f);
  for (guint i = 0; i < f->n_kernels; i++) {
    Kernel *kernel = &f->kernels[i];
    PtCudaLaunch launch = { kernel->function, { 1, 1, 1 },      { 32, 1, 1 },    0,
                            kernel->pointers, &kernel->effects, &kernel->pattern };

    if (pt_cuda_replacements_take (f->replacements, &launch)) {
      n_ours++;
      continue;
    }
    g_assert_cmpint (gpu->cu->cuLaunchKernel (kernel->function, 1, 1, 1, 32, 1, 1, 0, gpu->stream,
                                              kernel->pointers, NULL),
                     ==, 0);
    pt_cuda_replacements_note (f->replacements, &launch);
  }
  pt_cuda_replacements_end (f->replacements);
  gpu->cu->cuStreamSynchronize (gpu->stream);
  return n_ours;
}

static void
agree (const guint16 *a, const guint16 *b, guint n)
{
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (number (a, i), number (b, i), 0.04);
}

/* ---- RMSNorm: [sum, in place], [input], weights, result ---- */

enum { SUM, INPUT, WEIGHTS, RESULT, N_ROWS, SIZE, NORM_PARAMETERS };

static void
run_norm (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  const Fixture *f = user_data;
  guint16 *sum = tensor (arguments, SUM), *result = tensor (arguments, RESULT);
  const guint16 *input = tensor (arguments, INPUT), *weights = tensor (arguments, WEIGHTS);
  double squares = 0;

  for (guint i = 0; i < N; i++) {
    sum[i] = reference_to_bf16 (number (sum, i) + number (input, i));
    squares += number (sum, i) * number (sum, i);
  }
  for (guint i = 0; i < N; i++)
    result[i] = reference_to_bf16 (
        number (sum, i) / sqrt (squares / N + 1e-5) * number (weights, i) + f->error);
}

static void
add_norm (Fixture *f)
{
  guint64 state = 5;
  Kernel *kernel = &f->kernels[0];

  add_kernel (f, "norm", NORM_PARAMETERS, run_norm);
  for (guint i = SUM; i <= RESULT; i++)
    kernel->arguments[i] = random_tensor (N, &state);
  kernel->arguments[N_ROWS] = 1;
  kernel->arguments[SIZE] = N;
  kernel->pattern.kind = PT_PATTERN_NORM;
  kernel->pattern.norm = (PtNormPattern){ .has_sum = TRUE,
                                          .sum = SUM,
                                          .inputs = { SUM, INPUT },
                                          .n_inputs = 2,
                                          .weights = WEIGHTS,
                                          .output = RESULT,
                                          .has_rows = TRUE,
                                          .numbers = N_ROWS,
                                          .epsilon = 1e-5 };
}

/* The sum in place is the same as without a comparison, which runs everything twice. */
static void
test_norm (Fixture *f, gconstpointer data)
{
  g_autofree guint16 *before = NULL, *theirs = NULL, *ours = NULL, *sum = NULL;
  g_autofree guint16 *added = NULL;
  g_autofree char *said = NULL;

  add_norm (f);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 0);
  before = gpu_read (f->kernels[0].arguments[SUM]);
  added = gpu_read (f->kernels[0].arguments[INPUT]);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  theirs = gpu_read (f->kernels[0].arguments[RESULT]);
  sum = gpu_read (f->kernels[0].arguments[SUM]);
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (sum[i], ==, reference_to_bf16 (number (before, i) + number (added, i)));
  gpu->cu->cuMemcpyHtoD (f->kernels[0].arguments[SUM], before, N * 2);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 1);
  ours = gpu_read (f->kernels[0].arguments[RESULT]);
  agree (theirs, ours, N);
  said = pt_cuda_replacements_describe (f->replacements);
  g_assert_nonnull (strstr (said, "RMSNorm: 1 of 1 replaced"));
  f->kernels[0].arguments[N_ROWS] = 2;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 0);
}

static void
test_norm_differs (Fixture *f, gconstpointer data)
{
  add_norm (f);
  f->error = 0.2;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  f->error = 0;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 0);
}

/* A row that is longer than its tensors is not read. */
static void
test_norm_short (Fixture *f, gconstpointer data)
{
  add_norm (f);
  f->kernels[0].arguments[SIZE] = 1024;
  f->kernels[0].pattern.norm.has_sum = FALSE;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 0);
}

/* ---- Rotary positions in two kernels ---- */

/* The first computes the part with the sine, transposed, the second adds the rest. */

enum { X, ANGLES, PART, TURNED, HEADS_NUMBER, DIM_NUMBER, TURN_PARAMETERS };

static double
angle_of (void **arguments, guint i)
{
  return (double) ((const float *) (gpointer) tensor (arguments, ANGLES))[i % (DIM / 2)];
}

static void
run_part (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  const guint16 *x = tensor (arguments, X);
  guint16 *part = tensor (arguments, PART);

  for (guint i = 0; i < HEADS * DIM; i++) {
    guint in_head = i % DIM, head = i / DIM;
    double other = in_head < DIM / 2 ? -number (x, i + DIM / 2) : number (x, i - DIM / 2);

    part[in_head * HEADS + head] = reference_to_bf16 (other * sin (angle_of (arguments, in_head)));
  }
}

static void
run_turn (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  const guint16 *x = tensor (arguments, X), *part = tensor (arguments, PART);
  guint16 *turned = tensor (arguments, TURNED);

  for (guint i = 0; i < HEADS * DIM; i++)
    turned[i % DIM * HEADS + i / DIM] =
        reference_to_bf16 (number (x, i) * cos (angle_of (arguments, i % DIM)) +
                           number (part, i % DIM * HEADS + i / DIM) + current->error);
}

static PtCuPointer
add_angles (guint64 *state)
{
  float angles[DIM / 2];

  for (guint i = 0; i < DIM / 2; i++)
    angles[i] = reference_uniform (state) * 50;
  return add_block (angles, sizeof angles);
}

static void
set_effects (Kernel *kernel, guint n_words, guint n_written)
{
  kernel->effects = (PtPtxEffects){ .is_known = TRUE, .n_words = n_words, .n_accesses = n_words };
  for (guint i = 0; i < n_words; i++) {
    kernel->effects.words[i].parameter = (guint16) i;
    kernel->effects.accesses[i].words = G_GUINT64_CONSTANT (1) << i;
    kernel->effects.accesses[i].is_write = i + n_written >= n_words;
  }
}

static void
add_turn (Fixture *f)
{
  guint64 state = 5;

  add_kernel (f, "part", TURN_PARAMETERS, run_part);
  add_kernel (f, "turn", TURN_PARAMETERS, run_turn);
  for (guint i = X; i <= TURNED; i++)
    f->kernels[0].arguments[i] =
        i == ANGLES ? add_angles (&state) : random_tensor (HEADS * DIM, &state);
  memcpy (f->kernels[1].arguments, f->kernels[0].arguments, sizeof f->kernels[0].arguments);
  f->kernels[1].arguments[HEADS_NUMBER] = HEADS;
  f->kernels[1].arguments[DIM_NUMBER] = DIM;
  set_effects (&f->kernels[0], 3, 1);
  set_effects (&f->kernels[1], 4, 1);
  f->kernels[1].pattern.kind = PT_PATTERN_ROTARY;
  f->kernels[1].pattern.rotary = (PtRotaryPattern){ .has_partial = TRUE, .numbers = HEADS_NUMBER };
}

static void
test_turn (Fixture *f, gconstpointer data)
{
  g_autofree guint16 *theirs = NULL, *ours = NULL;

  add_turn (f);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  theirs = gpu_read (f->kernels[1].arguments[TURNED]);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 1);
  ours = gpu_read (f->kernels[1].arguments[TURNED]);
  agree (theirs, ours, HEADS * DIM);
  /* The part was computed from something else. */
  f->kernels[0].arguments[X] = f->kernels[0].arguments[TURNED];
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 0);
}

/* The part stays in a graph where its buffer is used again. */
static void
test_turn_part (Fixture *f, gconstpointer data)
{
  g_autofree guint16 *theirs = NULL, *ours = NULL;

  add_turn (f);
  f->kernels[0].arguments[PART + 1] = HEADS;
  f->kernels[0].arguments[PART + 2] = DIM;
  f->kernels[0].pattern.kind = PT_PATTERN_ROTARY;
  f->kernels[0].pattern.rotary = (PtRotaryPattern){ .numbers = PART + 1 };
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  theirs = gpu_read (f->kernels[0].arguments[PART]);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 2);
  ours = gpu_read (f->kernels[0].arguments[PART]);
  agree (theirs, ours, HEADS * DIM);
}

static void
test_turn_differs (Fixture *f, gconstpointer data)
{
  add_turn (f);
  f->error = 0.2;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  f->error = 0;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 0);
}

/* ---- Rotary positions into caches, with the values and the mask ---- */

enum { C_X, C_ANGLES, C_AT, C_VALUES, C_FIRST, C_SECOND, C_MASK, C_DIM, C_HEADS, C_PARAMETERS };

/* The first cache is that of the values. */
static void
run_cache (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  const guint16 *x = tensor (arguments, C_X), *values = tensor (arguments, C_VALUES);
  gint64 at = *(const gint64 *) (gpointer) tensor (arguments, C_AT);
  guint8 *mask = (guint8 *) tensor (arguments, C_MASK);

  for (guint i = 0; i < HEADS * DIM; i++) {
    guint in_head = i % DIM, head = i / DIM, to = (head * LENGTH + (guint) at) * DIM + in_head;
    double other = in_head < DIM / 2 ? -number (x, i + DIM / 2) : number (x, i - DIM / 2);
    double angle = angle_of (arguments, in_head);

    tensor (arguments, C_FIRST)[to] = values[i];
    tensor (arguments, C_SECOND)[to] =
        reference_to_bf16 (number (x, i) * cos (angle) + other * sin (angle) + current->error);
  }
  for (gint64 i = 0; i < LENGTH; i++)
    mask[i] = i <= at;
}

static void
add_cache (Fixture *f)
{
  guint64 state = 5;
  gint64 position = POSITION;
  Kernel *kernel = &f->kernels[0];

  add_kernel (f, "cache", C_PARAMETERS, run_cache);
  kernel->arguments[C_X] = random_tensor (HEADS * DIM, &state);
  kernel->arguments[C_ANGLES] = add_angles (&state);
  kernel->arguments[C_AT] = add_block (&position, sizeof position);
  kernel->arguments[C_VALUES] = random_tensor (HEADS * DIM, &state);
  kernel->arguments[C_FIRST] = random_tensor (HEADS * LENGTH * DIM, &state);
  kernel->arguments[C_SECOND] = random_tensor (HEADS * LENGTH * DIM, &state);
  kernel->arguments[C_MASK] = add_block (NULL, LENGTH);
  kernel->arguments[C_DIM] = DIM;
  kernel->arguments[C_HEADS] = HEADS;
  set_effects (kernel, 7, 3);
  kernel->pattern.kind = PT_PATTERN_ROTARY;
  kernel->pattern.rotary =
      (PtRotaryPattern){ .is_cache = TRUE, .has_values = TRUE, .has_mask = TRUE, .numbers = C_DIM };
}

/* Nothing but the row changes, whichever ways were tried. */
static void
test_cache (Fixture *f, gconstpointer data)
{
  const guint64 *arguments = f->kernels[0].arguments;
  g_autofree guint16 *before = NULL, *theirs = NULL, *ours = NULL;
  g_autofree guint8 *mask = NULL;

  add_cache (f);
  before = gpu_read (arguments[C_SECOND]);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  theirs = gpu_read (arguments[C_SECOND]);
  for (guint i = 0; i < HEADS * LENGTH * DIM; i++)
    if (i / DIM % LENGTH != POSITION)
      g_assert_cmpuint (before[i], ==, theirs[i]);
  gpu->cu->cuMemcpyHtoD (arguments[C_SECOND], before, HEADS * LENGTH * DIM * 2);
  gpu->cu->cuMemsetD8Async (arguments[C_MASK], 7, LENGTH, gpu->stream);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 1);
  ours = gpu_read (arguments[C_SECOND]);
  agree (theirs, ours, HEADS * LENGTH * DIM);
  mask = gpu_read (arguments[C_MASK]);
  for (guint i = 0; i < LENGTH; i++)
    g_assert_cmpuint (mask[i], ==, i <= POSITION);
}

static void
test_cache_differs (Fixture *f, gconstpointer data)
{
  add_cache (f);
  f->error = 0.2;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  f->error = 0;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 0);
}

/* ---- Gates: [gate, in place], input, number ---- */

static void
run_gate (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  guint16 *gate = tensor (arguments, 0);
  const guint16 *input = tensor (arguments, 1);

  for (guint i = 0; i < N; i++) {
    double x = number (gate, i);

    gate[i] = reference_to_bf16 (x / (1 + exp (-x)) * number (input, i) + current->error);
  }
}

static void
test_gate (Fixture *f, gconstpointer data)
{
  guint64 state = 5, *arguments = f->kernels[0].arguments;
  g_autofree guint16 *before = NULL, *theirs = NULL, *ours = NULL;

  add_kernel (f, "gate", 3, run_gate);
  arguments[0] = random_tensor (N, &state);
  arguments[1] = random_tensor (N, &state);
  arguments[2] = N;
  f->kernels[0].pattern.kind = PT_PATTERN_GATE;
  f->kernels[0].pattern.gate = (PtGatePattern){ { 0, 1 }, 0, 2 };
  before = gpu_read (arguments[0]);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  theirs = gpu_read (arguments[0]);
  gpu->cu->cuMemcpyHtoD (arguments[0], before, N * 2);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 1);
  ours = gpu_read (arguments[0]);
  agree (theirs, ours, N);
  f->error = 0.1;
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_WATCH), ==, 0);
  g_assert_cmpuint (call (f, PT_CUDA_REPLACE_USE), ==, 0);
}

/* ---- What the edges of a graph are made from ---- */

static void
look_at_rotary (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  memcpy (user_data, arguments[0], sizeof (PtRotaryArguments));
}

/* A stride beside an address that is 0 would be an access to unknown memory: such a kernel waits
 * for all others (graph-edges.c). */
static void
test_known_addresses (Fixture *f, gconstpointer data)
{
  guint64 state = 5;
  PtCudaRotary rotary = { .heads = HEADS, .dim = DIM };
  PtRotaryArguments arguments = { 0 };

  rotary.input = random_tensor (HEADS * DIM, &state);
  rotary.angles = add_angles (&state);
  rotary.output = random_tensor (HEADS * DIM, &state);
  fake->set_launch_hook (look_at_rotary, &arguments);
  g_assert_true (pt_cuda_kernel_rotary (gpu, &rotary, NULL));
  gpu_emulate ();
  g_assert_cmpuint (arguments.output, ==, rotary.output);
  g_assert_cmpuint (arguments.value_output, ==, rotary.output);
  g_assert_cmpint (arguments.head_stride, ==, DIM);
}

#define ADD(name, function) \
  g_test_add ("/kernels/replacements/small/" name, Fixture, NULL, set_up, function, tear_down)

void
add_replaced_small_tests (void)
{
  ADD ("norm", test_norm);
  ADD ("norm-differs", test_norm_differs);
  ADD ("norm-short", test_norm_short);
  ADD ("turn", test_turn);
  ADD ("turn-part", test_turn_part);
  ADD ("turn-differs", test_turn_differs);
  ADD ("cache", test_cache);
  ADD ("cache-differs", test_cache_differs);
  ADD ("gate", test_gate);
  ADD ("known-addresses", test_known_addresses);
}

#else

void
add_replaced_small_tests (void)
{
}

#endif
