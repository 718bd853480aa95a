/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Kernels of a library that ours replace. The library's kernels are computed by this test, so it
 * runs on the stand-in for the driver only.
 */

#include "tests/gpu/gpu.h"

#ifdef EMULATED

#include <math.h>
#include <string.h>

#include "engine/cuda/cuda-replacements.h"
#include "tests/fakes/fake-cuda.h"
#include "tests/gpu/reference.h"

enum { HEADS = 4, KV_HEADS = 2, LENGTH = 80, DIM = 64, VALID = 50 };
/* Parameters of the attention kernel: tensors, then numbers as the pattern below says. */
enum {
  QUERIES,
  KEYS,
  VALUES,
  OUTPUT,
  MASK,
  N_HEADS,
  N_QUERIES,
  N_KEYS,
  Q_HEAD,
  Q_ROW,
  K_HEAD,
  K_ROW,
  V_HEAD,
  V_ROW,
  O_HEAD,
  O_ROW,
  SCALE,
  N_PARAMETERS
};

static const PtKernelPattern pattern = {
  .kind = PT_PATTERN_ATTENTION,
  .attention = {
    .queries = { QUERIES, Q_HEAD, Q_ROW },
    .keys = { KEYS, K_HEAD, K_ROW },
    .values = { VALUES, V_HEAD, V_ROW },
    .output = { OUTPUT, O_HEAD, O_ROW },
    .has_mask = TRUE,
    .mask = MASK,
    .has_n_queries = TRUE,
    .n_queries = N_QUERIES,
    .heads = N_HEADS,
    .length = N_KEYS,
    .scale = SCALE,
    .is_double = TRUE,
  },
};

static const PtPtxEffects attention_effects = {
  .is_known = TRUE,
  .n_words = 5,
  .n_accesses = 5,
  .words = { { QUERIES, 0 }, { KEYS, 0 }, { VALUES, 0 }, { OUTPUT, 0 }, { MASK, 0 } },
  .accesses = { { 1, FALSE }, { 2, FALSE }, { 4, FALSE }, { 8, TRUE }, { 16, FALSE } },
};

static const PtPtxEffects copy_effects = {
  .is_known = TRUE,
  .n_words = 2,
  .n_accesses = 2,
  .words = { { 0, 0 }, { 1, 0 } },
  .accesses = { { 1, FALSE }, { 2, TRUE } },
};

typedef struct {
  PtCuModule module;
  PtCuFunction attention, expand;
  PtCuPointer queries, mask, output, cached_keys, cached_values, keys, values;
  PtCudaReplacements *replacements;
  guint64 arguments[N_PARAMETERS];
  void *pointers[N_PARAMETERS];
  double error; /* that is added to each result */
} Fixture;

static const FakeCuda *fake;

static void
run_attention (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  const Fixture *f = user_data;
  const guint16 *q = fake->memory (*(guint64 *) arguments[QUERIES]);
  const guint16 *k = fake->memory (*(guint64 *) arguments[KEYS]);
  const guint16 *v = fake->memory (*(guint64 *) arguments[VALUES]);
  const guint8 *mask = fake->memory (*(guint64 *) arguments[MASK]);
  guint16 *output = fake->memory (*(guint64 *) arguments[OUTPUT]);

  for (guint head = 0; head < HEADS; head++) {
    double weights[LENGTH], total = 0;

    for (guint key = 0; key < LENGTH; key++) {
      double score = 0;

      for (guint i = 0; i < DIM; i++)
        score += (double) reference_from_bf16 (q[head * DIM + i]) *
                 (double) reference_from_bf16 (k[(head * LENGTH + key) * DIM + i]);
      weights[key] = mask[key] != 0 ? exp (score / sqrt (DIM)) : 0;
      total += weights[key];
    }
    for (guint i = 0; i < DIM; i++) {
      double sum = 0;

      for (guint key = 0; key < LENGTH; key++)
        sum += weights[key] * (double) reference_from_bf16 (v[(head * LENGTH + key) * DIM + i]);
      output[head * DIM + i] = reference_to_bf16 (sum / total + f->error);
    }
  }
}

/* A head of the cache for each two heads. */
static void
run_expand (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  const guint16 *from = fake->memory (*(guint64 *) arguments[0]);
  guint16 *to = fake->memory (*(guint64 *) arguments[1]);

  for (guint head = 0; head < HEADS; head++)
    memcpy (to + head * LENGTH * DIM, from + head / (HEADS / KV_HEADS) * LENGTH * DIM,
            LENGTH * DIM * 2);
}

static PtCuPointer
random_tensor (gsize n, guint64 *state)
{
  g_autofree guint16 *numbers = reference_random_bf16 (n, 1, state);

  return gpu_new (numbers, n * 2);
}

static void
set_arguments (Fixture *f)
{
  const double scale = 1 / sqrt (DIM);
  const guint64 numbers[] = { HEADS,        1,   LENGTH, DIM, HEADS * DIM, LENGTH * DIM, DIM,
                              LENGTH * DIM, DIM, DIM,    DIM };

  memcpy (f->arguments + N_HEADS, numbers, sizeof numbers);
  memcpy (f->arguments + SCALE, &scale, sizeof scale);
  f->arguments[QUERIES] = f->queries;
  f->arguments[KEYS] = f->keys;
  f->arguments[VALUES] = f->values;
  f->arguments[OUTPUT] = f->output;
  f->arguments[MASK] = f->mask;
  for (guint i = 0; i < N_PARAMETERS; i++)
    f->pointers[i] = &f->arguments[i];
}

static void
set_up (Fixture *f, gconstpointer data)
{
  guint64 state = 5;
  guint8 mask[LENGTH];

  fake = fake_cuda_open (FAKE_CUDA_PATH);
  fake->set_kernel ("attention", N_PARAMETERS, run_attention, f);
  fake->set_kernel ("expand", 2, run_expand, f);
  g_assert_cmpint (gpu->cu->cuModuleLoadData (&f->module, ".version 8.0"), ==, 0);
  gpu->cu->cuModuleGetFunction (&f->attention, f->module, "attention");
  gpu->cu->cuModuleGetFunction (&f->expand, f->module, "expand");
  for (guint i = 0; i < LENGTH; i++)
    mask[i] = i < VALID;
  f->queries = random_tensor (HEADS * DIM, &state);
  f->cached_keys = random_tensor (KV_HEADS * LENGTH * DIM, &state);
  f->cached_values = random_tensor (KV_HEADS * LENGTH * DIM, &state);
  f->keys = gpu_new (NULL, HEADS * LENGTH * DIM * 2);
  f->values = gpu_new (NULL, HEADS * LENGTH * DIM * 2);
  f->mask = gpu_new (mask, LENGTH);
  f->output = gpu_new (NULL, HEADS * DIM * 2);
  f->replacements = pt_cuda_replacements_new (gpu);
  set_arguments (f);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  gpu->cu->cuStreamSynchronize (gpu->stream);
  pt_cuda_replacements_free (f->replacements);
  gpu->cu->cuModuleUnload (f->module);
  gpu_free_all ();
  fake->set_kernel ("attention", N_PARAMETERS, NULL, NULL);
}

/* Blocks as gpu_new() made them. */
static gboolean
find_memory (PtCuPointer pointer, PtCuPointer *start, gsize *size, gpointer user_data)
{
  const Fixture *f = user_data;
  const struct {
    PtCuPointer start;
    gsize size;
  } blocks[] = { { f->queries, HEADS * DIM * 2 },
                 { f->mask, LENGTH },
                 { f->output, HEADS * DIM * 2 },
                 { f->cached_keys, KV_HEADS * LENGTH * DIM * 2 },
                 { f->cached_values, KV_HEADS * LENGTH * DIM * 2 },
                 { f->keys, HEADS * LENGTH * DIM * 2 },
                 { f->values, HEADS * LENGTH * DIM * 2 } };

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (pointer >= blocks[i].start && pointer < blocks[i].start + blocks[i].size) {
      *start = blocks[i].start;
      *size = blocks[i].size;
      return TRUE;
    }
  return FALSE;
}

/* As shims-driver.c does. TRUE: ours was launched. */
static gboolean
launch (Fixture *f, PtCudaLaunch *launch)
{
  if (pt_cuda_replacements_take (f->replacements, launch))
    return TRUE;
  g_assert_cmpint (gpu->cu->cuLaunchKernel (launch->function, launch->grid[0], launch->grid[1], 1,
                                            128, 1, 1, 0, gpu->stream, launch->arguments, NULL),
                   ==, 0);
  pt_cuda_replacements_note (f->replacements, launch);
  return FALSE;
}

static void
expand (Fixture *f, PtCuPointer from, PtCuPointer to)
{
  void *arguments[] = { &from, &to };
  PtCudaLaunch expansion = { f->expand, { 8, 1, 1 },   { 128, 1, 1 }, 0,
                             arguments, &copy_effects, NULL };

  g_assert_false (launch (f, &expansion));
}

/* One call of the library; @changed: a cache is written between the expansion and its use. */
static gboolean
call (Fixture *f, PtCudaReplaceMode mode, gboolean changed)
{
  PtCudaLaunch attention = { f->attention, { 1, HEADS, 1 },    { 128, 1, 1 }, 0,
                             f->pointers,  &attention_effects, &pattern };
  gboolean is_ours;

  pt_cuda_replacements_begin (f->replacements, mode, find_memory, f);
  expand (f, f->cached_keys, f->keys);
  expand (f, f->cached_values, f->values);
  if (changed)
    expand (f, f->mask, f->cached_values);
  is_ours = launch (f, &attention);
  pt_cuda_replacements_end (f->replacements);
  gpu->cu->cuStreamSynchronize (gpu->stream);
  return is_ours;
}

static void
expect (const Fixture *f, const char *text)
{
  g_autofree char *said = pt_cuda_replacements_describe (f->replacements);

  g_assert_nonnull (said);
  g_assert_nonnull (strstr (said, text));
}

/* Ours only after a comparison; the caches are then read in place of what is expanded from them. */
static void
test_replaced (Fixture *f, gconstpointer data)
{
  g_autofree guint16 *theirs = NULL, *ours = NULL;

  g_assert_null (pt_cuda_replacements_describe (f->replacements));
  g_assert_false (call (f, PT_CUDA_REPLACE_USE, FALSE));
  expect (f, "0 of 1 replaced");
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH, FALSE));
  theirs = gpu_read (f->output);
  g_assert_true (call (f, PT_CUDA_REPLACE_USE, FALSE));
  expect (f, "1 of 1 replaced, 1 of these with unexpanded keys");
  ours = gpu_read (f->output);
  for (guint i = 0; i < HEADS * DIM; i++)
    g_assert_cmpfloat_with_epsilon (reference_from_bf16 (theirs[i]), reference_from_bf16 (ours[i]),
                                    0.004);
  /* More than one query is the library's. */
  f->arguments[N_QUERIES] = 2;
  g_assert_false (call (f, PT_CUDA_REPLACE_USE, FALSE));
}

/* What was copied must still be what it was. */
static void
test_changed_source (Fixture *f, gconstpointer data)
{
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH, FALSE));
  /* The cache gets junk only in this order of launches; nothing runs in this call. */
  fake->set_kernel ("expand", 2, NULL, NULL);
  g_assert_true (call (f, PT_CUDA_REPLACE_USE, TRUE));
  expect (f, "1 of 1 replaced, 0 of these with unexpanded keys");
}

static void
test_differs (Fixture *f, gconstpointer data)
{
  f->error = 0.05;
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH, FALSE));
  f->error = 0;
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH, FALSE));
  g_assert_false (call (f, PT_CUDA_REPLACE_USE, FALSE));
  expect (f, "0 of 1 replaced");
}

/* A kernel with other parameters than the pattern says computes something else. */
static void
test_misread (Fixture *f, gconstpointer data)
{
  f->arguments[K_HEAD] = DIM;
  f->arguments[K_ROW] = HEADS * DIM;
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH, FALSE));
  g_assert_false (call (f, PT_CUDA_REPLACE_USE, FALSE));
}

static void
test_off (Fixture *f, gconstpointer data)
{
  g_assert_false (call (f, PT_CUDA_REPLACE_WATCH, FALSE));
  g_setenv ("PTERIS_CUDA_REPLACE", "0", TRUE);
  g_assert_false (call (f, PT_CUDA_REPLACE_USE, FALSE));
  g_unsetenv ("PTERIS_CUDA_REPLACE");
  g_assert_true (call (f, PT_CUDA_REPLACE_USE, FALSE));
}

#define ADD(name, function) \
  g_test_add ("/kernels/replacements/" name, Fixture, NULL, set_up, function, tear_down)

void
add_replacement_tests (void)
{
  ADD ("replaced", test_replaced);
  ADD ("changed-source", test_changed_source);
  ADD ("differs", test_differs);
  ADD ("misread", test_misread);
  ADD ("off", test_off);
}

#else

void
add_replacement_tests (void)
{
}

#endif
