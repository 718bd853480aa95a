/* SPDX-License-Identifier: BSD-3-Clause */

/* Sampling, against the sampler of the CPU. */

#include <math.h>
#include <string.h>

#include "engine/cuda/sampling.h"
#include "engine/text/sampler.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/reference.h"

typedef struct {
  PtDType dtype;
  gint n;
  double temperature, top_p;
  float spread; /* of logits */
} SampleCase;

static gpointer
make_logits (const SampleCase *c, guint64 *state)
{
  g_autofree float *x = g_new (float, (gsize) c->n);
  guint16 *narrow = g_new (guint16, (gsize) c->n * 2);

  for (gint i = 0; i < c->n; i++) {
    float sum = 0;

    for (guint j = 0; j < 4; j++)
      sum += reference_uniform (state);
    x[i] = sum * c->spread;
    if (i % 101 == 7)
      x[i] = i % 2 != 0 ? -INFINITY : NAN;
    if (c->dtype == PT_DTYPE_F16) /* any number that is one */
      narrow[i] = (guint16) (reference_random (state) & 0xb7ff);
    else if (c->dtype == PT_DTYPE_BF16)
      narrow[i] = reference_to_bf16 ((double) x[i]);
  }
  if (c->dtype == PT_DTYPE_F32)
    memcpy (narrow, x, (gsize) c->n * 4);
  return narrow;
}

static void
run_sample (const SampleCase *c)
{
  guint64 state = (guint64) c->n + c->dtype, seed = 12345;
  const guint n_logits = gpu_is_quick ? 2 : 3, n_draws = gpu_is_quick ? 2 : 40;
  g_autoptr (PtSampler) sampler = pt_sampler_new ((gsize) c->n, NULL);
  gsize scratch_size = pt_cuda_sample_scratch (c->n);
  g_autofree guint8 *zero = g_malloc0 (scratch_size);
  PtCuPointer scratch = gpu_new (zero, scratch_size);
  PtCudaSample sample = {
    .dtype = c->dtype, .n = c->n, .temperature = c->temperature, .top_p = c->top_p
  };
  GError *error = NULL;

  pt_sampler_seed (sampler, seed);
  pt_sampler_configure (sampler, c->temperature, c->top_p);
  sample.random = gpu_new (&seed, sizeof seed);
  sample.position = gpu_new (zero, 8);
  for (guint i = 0; i < n_logits; i++) {
    g_autofree gpointer logits = make_logits (c, &state);

    sample.logits = gpu_new (logits, (gsize) c->n * pt_dtype_size (c->dtype));
    for (guint j = 0; j < n_draws; j++) {
      gint32 expected = pt_sampler_sample (sampler, logits, c->dtype, (gsize) c->n);
      g_autofree gint32 *id = NULL;
      g_autofree gint64 *wide_id = NULL, *position = NULL;

      sample.id = gpu_new (NULL, 4);
      sample.wide_id = gpu_new (NULL, 8);
      gpu_check (pt_cuda_kernel_sample (gpu, &sample, scratch, &error), error);
      id = gpu_read (sample.id);
      wide_id = gpu_read (sample.wide_id);
      position = gpu_read (sample.position);
      if (*id == expected && *wide_id == expected && *position == i * n_draws + j + 1)
        continue;
      gpu_fail ("%s of %d, temperature %g, top_p %g, spread %g, draw %u: %d (%d, position %d), "
                "should be %d",
                pt_dtype_name (c->dtype), c->n, c->temperature, c->top_p, (double) c->spread,
                i * n_draws + j, *id, (int) *wide_id, (int) *position, expected);
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
    { PT_DTYPE_F32, 128256, 0, 0, 5 },      { PT_DTYPE_BF16, 128256, 0, 0, 5 },
    { PT_DTYPE_F16, 32000, 0, 0, 5 },       { PT_DTYPE_F32, 1, 0, 0, 5 },
    { PT_DTYPE_F32, 1, 1, 0.5, 5 },         { PT_DTYPE_F32, 2, 1, 0.5, 0.1f },
    { PT_DTYPE_F32, 63, 1, 0, 2 },          { PT_DTYPE_F32, 128256, 0.8, 0, 4 },
    { PT_DTYPE_BF16, 49152, 1, 1, 1 },      { PT_DTYPE_F32, 128256, 0.8, 0.95, 4 },
    { PT_DTYPE_BF16, 128256, 1, 0.9, 4 },   { PT_DTYPE_BF16, 49152, 1, 0.5, 0.05f },
    { PT_DTYPE_F16, 5000, 3, 0.99, 1 },     { PT_DTYPE_BF16, 1000, 0.01, 0.9, 1 },
    { PT_DTYPE_BF16, 700, 1, 0.999999, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    SampleCase c = cases[i];

    if (gpu_is_quick)
      c.n = MIN (c.n, 3000);
    run_sample (&c);
  }
}

/* What no model should give. */
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

/* A given number: 0.3 is in the second of two halves, 0.7 in the other order. */
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
  const SampleCase c = { PT_DTYPE_BF16, 2000, 0.8, 0.9, 4 };
  g_autoptr (PtSampler) sampler = pt_sampler_new ((gsize) c.n, NULL);
  g_autoptr (PtSampler) twin = pt_sampler_new ((gsize) c.n, NULL);
  const gint64 first = 41;
  guint64 state = 5;
  GError *error = NULL;

  pt_sampler_seed (sampler, 99);
  pt_sampler_seed (twin, 99);
  for (guint i = 0; i < 6; i++) {
    PtDeviceSampling how = { i % 2 == 0 ? 0 : c.temperature, c.top_p, 0 };
    gsize n = (gsize) c.n - i * 100;
    g_autofree gpointer logits = make_logits (&c, &state);
    PtCuPointer on_gpu = gpu_new (logits, (gsize) c.n * 2), next = gpu_new (NULL, 8);
    PtCuPointer position = gpu_new (&first, 8);
    g_autofree gint64 *next_id = NULL, *next_position = NULL;
    gint32 expected, id = -5;

    pt_sampler_configure (sampler, how.temperature, how.top_p);
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
  g_test_add_func ("/kernels/sample/odd", test_sample_odd);
  g_test_add_func ("/kernels/sample/coin", test_sample_coin);
  g_test_add_func ("/kernels/sample/to-host", test_sample_to_host);
}
