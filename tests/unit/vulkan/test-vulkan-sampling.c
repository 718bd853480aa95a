/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/init.h"
#include "engine/runtime/execution.h"
#include "engine/runtime/module.h"
#include "engine/tasks/llm/llm.h"
#include "engine/vulkan/vk-instance.h"
#include "engine/vulkan/vk-sampling.h"
#include "tests/gpu/sample-reference.h"
#include "vulkan-maker.h"

/* Tokens that the GPU chooses, against the sampler of the CPU. */

static PtVkContext *gpu;

/* Logits that the GPU reads, behind @first others. */
typedef struct {
  PtVkBuffer buffer;
  PtVkRange range;
} Logits;

static gboolean
skip (void)
{
  g_autoptr (GError) error = NULL;

  if (!vulkan_maker_has_gpu ()) {
    g_test_skip ("no GPU");
    return TRUE;
  }
  if (gpu == NULL)
    gpu = pt_vk_context_get (0, NULL, &error);
  g_assert_no_error (error);
  return FALSE;
}

static void
logits_set (Logits *logits, const float *values, gsize n, gsize first)
{
  g_autoptr (GError) error = NULL;

  pt_vk_buffer_clear (gpu, &logits->buffer);
  pt_vk_buffer_init (gpu, &logits->buffer, (first + n) * sizeof (float), PT_VK_MEMORY_EXCHANGE,
                     "Testing", &error);
  g_assert_no_error (error);
  memset (logits->buffer.host, 0x7f, first * sizeof (float)); /* large ones */
  memcpy (logits->buffer.host + first * sizeof (float), values, n * sizeof (float));
  logits->range = (PtVkRange){ logits->buffer.buffer, first * sizeof (float), n * sizeof (float) };
}

static gint32
choose (const Logits *logits, const PtDeviceSampling *how)
{
  g_autoptr (GError) error = NULL;
  gint32 id = -2;

  pt_vk_sample (gpu, how, &logits->range, &error);
  g_assert_no_error (error);
  pt_vk_take_sample (gpu, &id, &error);
  g_assert_no_error (error);
  return id;
}

/* ---- As the CPU ---- */

static PtDeviceSampling
device_sampling (const PtSampling *how, const PtSampler *sampler)
{
  PtDeviceSampling sampling = { .temperature = how->temperature,
                                .top_k = (guint) how->top_k,
                                .top_p = how->top_p,
                                .min_p = how->min_p,
                                .repetition_penalty = how->repetition_penalty,
                                .presence_penalty = how->presence_penalty,
                                .frequency_penalty = how->frequency_penalty };

  sampling.said = pt_sampler_said (sampler, &sampling.n_said);
  return sampling;
}

/* Draws with coins of a seed; returns how many were another token than that of the CPU. */
static guint
draw (const SampleCase *c, guint n_draws, guint64 *state, PtSampler *sampler, PtSampler *twin)
{
  g_autofree float *values = sample_case_logits (c, state);
  const PtSampling how = sample_case_how (c);
  PtDeviceSampling sampling = device_sampling (&how, sampler);
  g_auto (SampleWeights) weights = { NULL };
  Logits logits = { 0 };
  guint n_other = 0;

  sample_weights_make (&weights, c, values, sampler);
  logits_set (&logits, values, (gsize) c->n, (gsize) c->n % 67);
  for (guint i = 0; i < n_draws; i++) {
    gint32 expected = pt_sampler_sample (sampler, values, c->dtype, (gsize) c->n), id;

    sampling.coin = c->temperature > 0 ? (double) pt_sampler_coin (twin) : 0;
    id = choose (&logits, &sampling);
    if (id == expected)
      continue;
    n_other++;
    if (c->temperature <= 0 || !sample_may_choose (c, &weights, sampling.coin, id))
      g_error ("%d logits, temperature %g, top_k %u, top_p %g, min_p %g, penalties %g, %g, %g, "
               "spread %g, draw %u: %d, should be %d",
               c->n, c->temperature, c->top_k, c->top_p, c->min_p, c->repetition, c->presence,
               c->frequency, (double) c->spread, i, id, expected);
  }
  pt_vk_buffer_clear (gpu, &logits.buffer);
  return n_other;
}

static void
test_as_cpu (void)
{
  static const SampleCase cases[] = {
    { PT_DTYPE_F32, 128256, 0, 0, 5 },
    { PT_DTYPE_F32, 1, 0, 0, 5 },
    { PT_DTYPE_F32, 1, 1, 0.5, 5 },
    { PT_DTYPE_F32, 2, 1, 0.5, 0.1f },
    { PT_DTYPE_F32, 63, 1, 0, 2 },
    { PT_DTYPE_F32, 128256, 0.8, 0, 4 },
    { PT_DTYPE_F32, 49152, 1, 1, 1 },
    { PT_DTYPE_F32, 128256, 0.8, 0.95, 4 },
    { PT_DTYPE_F32, 49152, 1, 0.5, 0.05f },
    { PT_DTYPE_F32, 5000, 3, 0.99, 1 },
    { PT_DTYPE_F32, 1000, 0.01, 0.9, 1 },
    { PT_DTYPE_F32, 700, 1, 0.999999, 0 },
    { PT_DTYPE_F32, 128256, 1, 0, 4, .top_k = 40 },
    { PT_DTYPE_F32, 50, 1, 0, 1, .top_k = 1000 },
    { PT_DTYPE_F32, 3000, 0.7, 0, 1, .top_k = 1 },
    { PT_DTYPE_F32, 49152, 1, 0, 0.05f, .top_k = 20 },
    { PT_DTYPE_F32, 128256, 0.8, 0.9, 4, .top_k = 100 },
    { PT_DTYPE_F32, 49152, 1, 0, 1, .min_p = 0.05 },
    { PT_DTYPE_F32, 128256, 1.5, 0.5, 2, .min_p = 0.2 },
    { PT_DTYPE_F32, 5000, 1, 0.95, 1, .top_k = 60, .min_p = 0.05 },
    { PT_DTYPE_F32, 5000, 2, 0.99, 1, .top_k = 300, .min_p = 1 },
    /* All accepted tokens, including the likeliest one. */
    { PT_DTYPE_F32, 128256, 0, 0, 5, .repetition = 1.3 },
    { PT_DTYPE_F32, 500, 0, 0, 1, .repetition = 1.1, .presence = 0.5, .frequency = 0.3 },
    { PT_DTYPE_F32, 400, 0, 0, 1, .presence = -2, .frequency = -0.7 },
    { PT_DTYPE_F32, 700, 0.9, 0, 1, .repetition = 1.5, .frequency = 0.1 },
    { PT_DTYPE_F32, 700, 0.9, 0.95, 1, .top_k = 40, .min_p = 0.05, .repetition = 1.1 },
    { PT_DTYPE_F32, 49152, 1, 0.9, 2, .top_k = 80, .repetition = 0.8, .presence = 1.5 },
  };
  guint n_other = 0;

  if (skip ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const SampleCase *c = &cases[i];
    const PtSampling how = sample_case_how (c);
    g_autoptr (PtSampler) sampler = pt_sampler_new ((gsize) c->n, NULL);
    g_autoptr (PtSampler) twin = pt_sampler_new ((gsize) c->n, NULL);
    guint64 state = (guint64) c->n;

    pt_sampler_seed (sampler, 12345);
    pt_sampler_seed (twin, 12345);
    pt_sampler_configure (sampler, &how);
    sample_case_say (c, sampler);
    for (guint k = 0; k < 2; k++)
      n_other += draw (c, c->n > 10000 ? 1 : 10, &state, sampler, twin);
  }
  /* Weights are exact to one unit: other tokens than those of the CPU are rare. */
  g_assert_cmpuint (n_other, <=, 2);
}

/* ---- Odd logits ---- */

static void
test_odd (void)
{
  static const struct {
    float values[4];
    gint32 id;
  } cases[] = {
    { { NAN, NAN, NAN, NAN }, -1 },      { { NAN, -INFINITY, -INFINITY, NAN }, 1 },
    { { 1, INFINITY, 3, INFINITY }, 1 }, { { 2, 5, 5, NAN }, 1 },
    { { -0.0f, 0.0f, -1, -NAN }, 0 },    { { -3e38f, -3.1e38f, -INFINITY, NAN }, 0 },
    { { NAN, 3e38f, -3e38f, 0 }, 1 },    { { -1e-40f, -2, -1e-39f, -5 }, 0 },
  };
  Logits logits = { 0 };

  if (skip ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    PtDeviceSampling how = { .top_p = 1, .coin = 0.3 };

    logits_set (&logits, cases[i].values, 4, 0);
    g_assert_cmpint (choose (&logits, &how), ==, cases[i].id);
    /* Where there is no other: whatever the temperature and the cuts. */
    for (guint k = 0; k < 8 && (i < 3 || i == 5 || i == 6); k++) {
      how = (PtDeviceSampling){ .temperature = 1,
                                .top_p = k & 1 ? 0.9 : 1,
                                .top_k = k & 2,
                                .min_p = k & 4 ? 0.1 : 0,
                                .coin = 0.99 };
      g_assert_cmpint (choose (&logits, &how), ==, cases[i].id);
    }
  }
  pt_vk_buffer_clear (gpu, &logits.buffer);
}

/* 0.3 is in the first of two halves, 0.7 in the second one, with and without cuts. */
static void
test_coin (void)
{
  const float values[3] = { 0, 0, -100 };
  Logits logits = { 0 };

  if (skip ())
    return;
  logits_set (&logits, values, 3, 1);
  for (guint i = 0; i < 8; i++) {
    PtDeviceSampling how = {
      .temperature = 1, .top_p = i & 2 ? 0.9 : 1, .top_k = i & 4 ? 2 : 0, .coin = i & 1 ? 0.7 : 0.3
    };

    g_assert_cmpint (choose (&logits, &how), ==, i & 1);
  }
  /* The most likely token only: top-p of nothing. */
  for (guint i = 0; i < 2; i++) {
    const PtDeviceSampling how = { .temperature = 1, .top_p = 0, .coin = i == 0 ? 0 : 0.999 };

    g_assert_cmpint (choose (&logits, &how), ==, 0);
  }
  pt_vk_buffer_clear (gpu, &logits.buffer);
}

/* Tokens of equal weight, many of them, in the order of their numbers. */
static void
test_ties (void)
{
  const gsize n = 3000;
  g_autofree float *values = g_new0 (float, n);
  g_autoptr (PtSampler) sampler = pt_sampler_new (n, NULL);
  g_autoptr (PtSampler) twin = pt_sampler_new (n, NULL);
  Logits logits = { 0 };

  if (skip ())
    return;
  for (gsize i = 0; i < n; i++)
    values[i] = i % 3 == 0 ? 2 : i % 3 == 1 ? 1 : 1.5f;
  logits_set (&logits, values, n, 5);
  for (guint i = 0; i < 40; i++) {
    const PtSampling how = { .temperature = 1,
                             .top_k = i % 4 == 1 ? 7 : 0,
                             .top_p = i % 4 == 2 ? 0.7 : 1,
                             .min_p = i % 4 == 3 ? 0.6 : 0,
                             .repetition_penalty = 1 };
    PtDeviceSampling sampling;

    pt_sampler_configure (sampler, &how);
    pt_sampler_seed (sampler, 7 + i);
    pt_sampler_seed (twin, 7 + i);
    sampling = device_sampling (&how, sampler);
    sampling.coin = (double) pt_sampler_coin (twin);
    g_assert_cmpint (choose (&logits, &sampling), ==,
                     pt_sampler_sample (sampler, values, PT_DTYPE_F32, n));
  }
  pt_vk_buffer_clear (gpu, &logits.buffer);
}

/* What the shaders do not take is left to the CPU. */
static void
test_unsupported (void)
{
  const PtDeviceSampling how = { .top_p = 1 };
  const float one = 1;
  Logits logits = { 0 };
  gint32 id;

  if (skip ())
    return;
  logits_set (&logits, &one, 1, 0);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    logits.range.size = i == 0 ? 0 : ((gsize) 4 << 22) + 4;
    g_assert_false (pt_vk_sample (gpu, &how, &logits.range, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
    g_clear_error (&error);
    g_assert_false (pt_vk_take_sample (gpu, &id, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
  }
  pt_vk_buffer_clear (gpu, &logits.buffer);
}

/* ---- The logits of a model, by PtDevice ---- */

#define ROWS 3
#define WIDTH 70
#define WRONG 1e9f /* what the host has of a tensor that stays */

typedef struct {
  float data[2][ROWS * WIDTH];
  PtTensor tensors[2];
  PtValue values[2];
} Tensors;

static PtVkDelegate *
make_delegate (VulkanMaker *maker)
{
  g_autoptr (GError) error = NULL;
  PtVkDelegate *delegate;

  CALL (maker, "aten.linear.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (ROWS, 8)),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (WIDTH, 8), NULL),
        vulkan_maker_null (maker), vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (ROWS, WIDTH)));
  delegate = vulkan_maker_try_load (maker, &error);
  g_assert_no_error (error);
  return delegate;
}

static void
execute (PtVkDelegate *delegate, Tensors *t, gboolean stays)
{
  const gint64 widths[] = { 8, WIDTH };
  PtValue *args[] = { &t->values[0], &t->values[1] };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, &error);

  for (guint i = 0; i < 2; i++) {
    const gint64 sizes[] = { ROWS, widths[i] };

    if (t->tensors[i].numel == 0)
      g_assert_true (
          pt_tensor_init (&t->tensors[i], PT_DTYPE_F32, 2, sizes, NULL, t->data[i], NULL));
    t->values[i] = (PtValue){ .kind = PT_VALUE_TENSOR, .as_tensor = &t->tensors[i] };
  }
  for (guint k = 0; k < ROWS * WIDTH; k++)
    t->data[1][k] = WRONG;
  t->tensors[1].stays_on_device = stays;
  pt_vk_delegate_execute (delegate, execution, args, 2, &error);
  g_assert_no_error (error);
}

static void
check_row (const Tensors *t, const float *wanted, guint row)
{
  const PtDevice *device = pt_device_find (t->tensors[1].device_type);
  const float *at = (const float *) t->tensors[1].data + row * WIDTH;
  const PtDeviceSampling how = { .top_p = 1 };
  g_autoptr (PtSampler) sampler = pt_sampler_new (WIDTH, NULL);
  g_autoptr (GError) error = NULL;
  float copy[WIDTH];
  gint32 id;

  device->sample (0, &how, at, PT_DTYPE_F32, WIDTH, NULL, NULL, &error);
  g_assert_no_error (error);
  device->synchronize (0, &error);
  g_assert_no_error (error);
  device->take_sample (0, &id, &error);
  g_assert_no_error (error);
  g_assert_cmpint (id, ==, pt_sampler_sample (sampler, wanted, PT_DTYPE_F32, WIDTH));
  device->copy_to_host (0, copy, at, sizeof copy, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (copy, sizeof copy, wanted, sizeof copy);
}

/* Rows of an output that stayed, of call after call, until one comes to the host. */
static void
test_device (void)
{
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
  g_autofree Tensors *kept = g_new0 (Tensors, 1), *seen = g_new0 (Tensors, 1);
  g_autoptr (PtVkDelegate) delegate = NULL;
  g_autoptr (GError) error = NULL;
  const PtDevice *device;
  float copy[1];

  if (skip ())
    return;
  delegate = make_delegate (maker);
  for (guint i = 0; i < 4; i++) {
    for (guint k = 0; k < ROWS * 8; k++)
      kept->data[0][k] = seen->data[0][k] = vulkan_random ();
    execute (delegate, seen, FALSE);
    g_assert_cmpint (seen->tensors[1].device_type, ==, PT_DEVICE_CPU);
    execute (delegate, kept, TRUE);
    g_assert_cmpint (kept->tensors[1].device_type, ==, PT_DEVICE_VULKAN);
    g_assert_cmpfloat (kept->data[1][0], ==, WRONG);
    if (i == 1) /* twice without a look at it */
      execute (delegate, kept, TRUE);
    for (guint row = 0; row < ROWS; row++)
      check_row (kept, seen->data[1] + row * WIDTH, row);
  }
  device = pt_device_find (PT_DEVICE_VULKAN);
  g_assert_false (device->copy_to_host (0, copy, kept->data[1] + ROWS * WIDTH - 1, 8, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
  g_clear_error (&error);
  execute (delegate, kept, FALSE);
  g_assert_cmpint (kept->tensors[1].device_type, ==, PT_DEVICE_CPU);
  g_assert_false (device->copy_to_host (0, copy, kept->data[1], sizeof copy, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_STATE);
}

/* ---- A language model ---- */

#define N_TOKENS 12

/* Tokens of a text model, chosen by the GPU or, @on_host, from logits that are fetched. */
static void
write_tokens (const PtSampling *how, gboolean on_host, gint32 ids[N_TOKENS])
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "vulkan", "llama_8da4w", "model.pte", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModule) module = pt_module_open (path, NULL, NULL, &error);
  g_autoptr (PtLlm) llm = module != NULL ? pt_llm_new (module, &error) : NULL;
  g_autoptr (PtSampler) sampler = NULL;
  const gint32 prompt[] = { 1, 5, 9 };
  PtDType dtype;

  g_assert_no_error (error);
  sampler = pt_sampler_new (pt_llm_width (llm), NULL);
  pt_sampler_configure (sampler, how);
  pt_sampler_seed (sampler, 3);
  pt_llm_set_keeps_logits (llm, on_host);
  pt_llm_read (llm, prompt, G_N_ELEMENTS (prompt), NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_TOKENS; i++) {
    const float *logits;

    pt_llm_sample (llm, sampler, pt_llm_width (llm), &ids[i], &error);
    g_assert_no_error (error);
    g_assert_cmpuint (gpu->handed->len, ==, 1); /* the logits stay on the GPU */
    logits = pt_llm_logits (llm, &dtype, &error);
    g_assert_no_error (error);
    g_assert_true (isfinite (logits[ids[i]]));
    pt_sampler_accept (sampler, ids[i]);
    pt_llm_read (llm, &ids[i], 1, NULL, &error);
    g_assert_no_error (error);
  }
}

static void
test_model (void)
{
  static const PtSampling hows[] = {
    { .top_p = 1, .repetition_penalty = 1 },
    { .temperature = 1, .top_p = 1, .repetition_penalty = 1 },
    { .temperature = 1.5, .top_p = 0.9, .top_k = 20, .min_p = 0.01, .repetition_penalty = 1 },
    { .temperature = 1, .top_p = 0.95, .repetition_penalty = 1.3, .repetition_window = -1 },
  };

  if (skip ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (hows); i++) {
    gint32 by_gpu[N_TOKENS], by_host[N_TOKENS];

    write_tokens (&hows[i], FALSE, by_gpu);
    write_tokens (&hows[i], TRUE, by_host);
    g_assert_cmpmem (by_gpu, sizeof by_gpu, by_host, sizeof by_host);
  }
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/vulkan/sampling/as-cpu", test_as_cpu);
  g_test_add_func ("/vulkan/sampling/odd", test_odd);
  g_test_add_func ("/vulkan/sampling/coin", test_coin);
  g_test_add_func ("/vulkan/sampling/ties", test_ties);
  g_test_add_func ("/vulkan/sampling/unsupported", test_unsupported);
  g_test_add_func ("/vulkan/sampling/device", test_device);
  g_test_add_func ("/vulkan/sampling/model", test_model);
  status = g_test_run ();
  pt_vk_context_unref (gpu);
  return status;
}
