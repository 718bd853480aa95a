/* SPDX-License-Identifier: BSD-3-Clause */

/* Sampling, against the sampler of the CPU. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda-sampling.h"
#include "engine/text/sampler.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/sample-reference.h"

/* ---- As the CPU ---- */

static void
run_sample (const SampleCase *c)
{
  guint64 state = (guint64) c->n + c->dtype, seed = 12345;
  const guint n_logits = gpu_is_quick ? 2 : 3, n_draws = gpu_is_quick ? 2 : 40;
  g_autoptr (PtSampler) sampler = pt_sampler_new ((gsize) c->n, NULL);
  g_autoptr (PtSampler) twin = pt_sampler_new ((gsize) c->n, NULL);
  gsize scratch_size = pt_cuda_sample_scratch (c->n);
  g_autofree guint8 *zero = g_malloc0 (scratch_size);
  PtCuPointer scratch = gpu_new (zero, scratch_size);
  const PtSampling how = sample_case_how (c);
  PtCudaSample sample = { .dtype = c->dtype,
                          .n = c->n,
                          .temperature = c->temperature,
                          .top_p = c->top_p,
                          .top_k = c->top_k,
                          .min_p = c->min_p,
                          .repetition_penalty = how.repetition_penalty,
                          .presence_penalty = c->presence,
                          .frequency_penalty = c->frequency };
  const PtSaid *said;
  GError *error = NULL;

  pt_sampler_seed (sampler, seed);
  pt_sampler_seed (twin, seed);
  pt_sampler_configure (sampler, &how);
  sample_case_say (c, sampler);
  said = pt_sampler_said (sampler, &sample.n_said);
  sample.random = gpu_new (&seed, sizeof seed);
  sample.position = gpu_new (zero, 8);
  for (guint i = 0; i < n_logits; i++) {
    g_autofree gpointer logits = sample_case_logits (c, &state);
    g_auto (SampleWeights) weights = { NULL };

    sample_weights_make (&weights, c, logits, sampler);
    if (sample.n_said > 0)
      sample.said = gpu_new (said, sample.n_said * sizeof *said);
    sample.logits = gpu_new (logits, (gsize) c->n * pt_dtype_size (c->dtype));
    for (guint j = 0; j < n_draws; j++) {
      gint32 expected = pt_sampler_sample (sampler, logits, c->dtype, (gsize) c->n);
      double coin = c->temperature > 0 ? (double) pt_sampler_coin (twin) : 0;
      g_autofree gint32 *id = NULL;
      g_autofree gint64 *wide_id = NULL, *position = NULL;

      sample.id = gpu_new (NULL, 4);
      sample.wide_id = gpu_new (NULL, 8);
      gpu_check (pt_cuda_kernel_sample (gpu, &sample, scratch, &error), error);
      id = gpu_read (sample.id);
      wide_id = gpu_read (sample.wide_id);
      position = gpu_read (sample.position);
      if (*id == expected || (c->temperature > 0 && sample_may_choose (c, &weights, coin, *id)))
        if (*wide_id == *id && *position == i * n_draws + j + 1)
          continue;
      gpu_fail ("%s of %d, temperature %g, top_k %u, top_p %g, min_p %g, penalties %g, %g, %g, "
                "spread %g, draw %u: %d (%d, position %d), should be %d",
                pt_dtype_name (c->dtype), c->n, c->temperature, c->top_k, c->top_p, c->min_p,
                c->repetition, c->presence, c->frequency, (double) c->spread, i * n_draws + j, *id,
                (int) *wide_id, (int) *position, expected);
      gpu_free_all ();
      return;
    }
  }
  gpu_free_all ();
}

static void
test_sample (void)
{
  static const SampleCase cases[] = {
    { PT_DTYPE_F32, 128256, 0, 0, 5 },
    { PT_DTYPE_BF16, 128256, 0, 0, 5 },
    { PT_DTYPE_F16, 32000, 0, 0, 5 },
    { PT_DTYPE_F32, 1, 0, 0, 5 },
    { PT_DTYPE_F32, 1, 1, 0.5, 5 },
    { PT_DTYPE_F32, 2, 1, 0.5, 0.1f },
    { PT_DTYPE_F32, 63, 1, 0, 2 },
    { PT_DTYPE_F32, 128256, 0.8, 0, 4 },
    { PT_DTYPE_BF16, 49152, 1, 1, 1 },
    { PT_DTYPE_F32, 128256, 0.8, 0.95, 4 },
    { PT_DTYPE_BF16, 128256, 1, 0.9, 4 },
    { PT_DTYPE_BF16, 49152, 1, 0.5, 0.05f },
    { PT_DTYPE_F16, 5000, 3, 0.99, 1 },
    { PT_DTYPE_BF16, 1000, 0.01, 0.9, 1 },
    { PT_DTYPE_BF16, 700, 1, 0.999999, 0 },
    /* Top-k: few, more than there are, with ties; with the others. */
    { PT_DTYPE_F32, 128256, 1, 0, 4, .top_k = 40 },
    { PT_DTYPE_F32, 50, 1, 0, 1, .top_k = 1000 },
    { PT_DTYPE_F32, 3000, 0.7, 0, 1, .top_k = 1 },
    { PT_DTYPE_BF16, 49152, 1, 0, 0.05f, .top_k = 20 },
    { PT_DTYPE_F32, 128256, 0.8, 0.9, 4, .top_k = 100 },
    { PT_DTYPE_F32, 49152, 1, 0, 1, .min_p = 0.05 },
    { PT_DTYPE_F32, 128256, 1.5, 0.5, 2, .min_p = 0.2 },
    { PT_DTYPE_F32, 5000, 1, 0.95, 1, .top_k = 60, .min_p = 0.05 },
    { PT_DTYPE_BF16, 5000, 2, 0.99, 1, .top_k = 300, .min_p = 1 },
    /* All accepted tokens, including the likeliest one. */
    { PT_DTYPE_F32, 128256, 0, 0, 5, .repetition = 1.3 },
    { PT_DTYPE_BF16, 500, 0, 0, 1, .repetition = 1.1, .presence = 0.5, .frequency = 0.3 },
    { PT_DTYPE_F16, 400, 0, 0, 1, .presence = -2, .frequency = -0.7 },
    { PT_DTYPE_F32, 700, 0.9, 0, 1, .repetition = 1.5, .frequency = 0.1 },
    { PT_DTYPE_F32, 700, 0.9, 0.95, 1, .top_k = 40, .min_p = 0.05, .repetition = 1.1 },
    { PT_DTYPE_BF16, 49152, 1, 0.9, 2, .top_k = 80, .repetition = 0.8, .presence = 1.5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    SampleCase c = cases[i];

    if (gpu_is_quick)
      c.n = MIN (c.n, 3000);
    run_sample (&c);
  }
}

/*
 * The allowance is no larger than it must be. Of these logits many are so near to 0 that their
 * weights differ in the last place only: a GPU chose 1594 and the CPU 4021.
 */
static void
test_sample_rounding (void)
{
  const SampleCase c = { PT_DTYPE_F16, 5000, 3, 0.99, 1 };
  guint64 state = (guint64) c.n + c.dtype;
  g_autoptr (PtSampler) sampler = pt_sampler_new ((gsize) c.n, NULL);
  g_autofree gpointer logits = sample_case_logits (&c, &state);
  g_auto (SampleWeights) weights = { NULL };
  guint n_open = 0;
  double coin;

  sample_weights_make (&weights, &c, logits, sampler);
  pt_sampler_seed (sampler, 12345);
  coin = (double) pt_sampler_coin (sampler);
  g_assert_true (sample_may_choose (&c, &weights, coin, 1594));
  g_assert_true (sample_may_choose (&c, &weights, coin, 4021));
  for (gint32 id = 0; id < c.n; id++)
    n_open += sample_may_choose (&c, &weights, coin, id) ? 1 : 0;
  g_assert_cmpuint (n_open, <, 40);
}

/* Logits with NaN and infinity. */
static void
test_sample_odd (void)
{
  static const struct {
    float values[4];
    gint32 id;
  } cases[] = {
    { { NAN, NAN, NAN, NAN }, -1 },
    { { NAN, -INFINITY, -INFINITY, NAN }, 1 },
    { { 1, INFINITY, 3, INFINITY }, 1 },
    { { 2, 5, 5, NAN }, 1 },
  };
  const float coin = 0.3f;
  gsize size = pt_cuda_sample_scratch (4);
  g_autofree guint8 *zero = g_malloc0 (size);
  GError *error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    PtCudaSample sample = {
      .dtype = PT_DTYPE_F32, .n = 4, .temperature = i == 3 ? 0 : 1, .top_p = 0.9
    };
    g_autofree gint32 *id = NULL;

    sample.logits = gpu_new (cases[i].values, sizeof cases[i].values);
    sample.coin = gpu_new (&coin, sizeof coin);
    sample.id = gpu_new (NULL, 4);
    gpu_check (pt_cuda_kernel_sample (gpu, &sample, gpu_new (zero, size), &error), error);
    id = gpu_read (sample.id);
    if (*id != cases[i].id)
      gpu_fail ("case %u: %d, should be %d", i, *id, cases[i].id);
    gpu_free_all ();
  }
}

/* A given random number: 0.3 is in the second of two halves; 0.7 in the other order. */
static void
test_sample_coin (void)
{
  const float logits[3] = { 0, 0, -100 };
  gsize size = pt_cuda_sample_scratch (3);
  g_autofree guint8 *zero = g_malloc0 (size);
  GError *error = NULL;

  for (guint i = 0; i < 4; i++) {
    const float coin = i % 2 == 0 ? 0.3f : 0.7f;
    PtCudaSample sample = {
      .dtype = PT_DTYPE_F32, .n = 3, .temperature = 1, .top_p = i < 2 ? 0 : 0.9
    };
    g_autofree gint32 *id = NULL;

    sample.logits = gpu_new (logits, sizeof logits);
    sample.coin = gpu_new (&coin, sizeof coin);
    sample.id = gpu_new (NULL, 4);
    gpu_check (pt_cuda_kernel_sample (gpu, &sample, gpu_new (zero, size), &error), error);
    id = gpu_read (sample.id);
    if (*id != (gint32) (i % 2))
      gpu_fail ("case %u: %d, should be %u", i, *id, i % 2);
    gpu_free_all ();
  }
}

/* The way of a token to the host, and to the next step. */
static void
test_sample_to_host (void)
{
  const SampleCase c = { PT_DTYPE_BF16, 2000, 0.8, 0.9, 4, 50, 0.02, 1.2, 0.1, 0.2 };
  g_autoptr (PtSampler) sampler = pt_sampler_new ((gsize) c.n, NULL);
  g_autoptr (PtSampler) twin = pt_sampler_new ((gsize) c.n, NULL);
  const gint64 first = 41;
  guint64 state = 5;
  GError *error = NULL;

  pt_sampler_seed (sampler, 99);
  pt_sampler_seed (twin, 99);
  for (guint i = 0; i < 6; i++) {
    PtSampling sampling = sample_case_how (&c);
    PtDeviceSampling how = { i % 2 == 0 ? 0 : c.temperature,
                             c.top_k,
                             c.top_p,
                             c.min_p,
                             0,
                             c.repetition,
                             c.presence,
                             c.frequency };
    gsize n = (gsize) c.n - i * 100;
    g_autofree gpointer logits = sample_case_logits (&c, &state);
    PtCuPointer on_gpu = gpu_new (logits, (gsize) c.n * 2), next = gpu_new (NULL, 8);
    PtCuPointer position = gpu_new (&first, 8);
    g_autofree gint64 *next_id = NULL, *next_position = NULL;
    gint32 expected, id = -5;

    sampling.temperature = how.temperature;
    pt_sampler_configure (sampler, &sampling);
    for (guint j = 0; j < 200 * i; j++)
      pt_sampler_accept (sampler, (gint32) (j * j % 1999));
    how.said = pt_sampler_said (sampler, &how.n_said);
    expected = pt_sampler_sample (sampler, logits, c.dtype, n);
    if (how.temperature > 0)
      how.coin = (double) pt_sampler_coin (twin);
    gpu_check (pt_cuda_sample (gpu, &how, (gpointer) on_gpu, c.dtype, n, (gpointer) next,
                               (gpointer) position, &error),
               error);
    gpu_check (pt_cuda_take_sample (gpu, &id, &error), error);
    next_id = gpu_read (next);
    next_position = gpu_read (position);
    if (id != expected || *next_id != expected || *next_position != first + 1)
      gpu_fail ("draw %u: %d (%d, position %d), should be %d", i, id, (int) *next_id,
                (int) *next_position, expected);
    gpu_free_all ();
  }
}

void
add_sample_tests (void)
{
  g_test_add_func ("/kernels/sample/as-cpu", test_sample);
  g_test_add_func ("/kernels/sample/rounding", test_sample_rounding);
  g_test_add_func ("/kernels/sample/odd", test_sample_odd);
  g_test_add_func ("/kernels/sample/coin", test_sample_coin);
  g_test_add_func ("/kernels/sample/to-host", test_sample_to_host);
}
