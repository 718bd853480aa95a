/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "engine/kernels/vector.h"
#include "engine/text/sampler.h"

/* Runners, section 18.1. */
static void
test_random (void)
{
  static const struct {
    guint64 seed;
    guint32 numbers[4];
    float coins[4];
  } vectors[] = {
    { 1,
      { 1206177355, 2882512552, 3117485455, 1303648416 },
      { 0.280835033f, 0.671137214f, 0.725846112f, 0.303529263f } },
    { 42,
      { 1456360119, 3359763283, 3393612768, 4054632243 },
      { 0.339085221f, 0.782255828f, 0.790136993f, 0.944042623f } },
    { 1700000000,
      { 1796151179, 499192440, 400915998, 1399451683 },
      { 0.418199003f, 0.116227269f, 0.093345523f, 0.325835228f } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (vectors); i++) {
    PtRandom numbers, coins;

    pt_random_init (&numbers, vectors[i].seed);
    pt_random_init (&coins, vectors[i].seed);
    for (int j = 0; j < 4; j++) {
      g_assert_cmpuint (pt_random_u32 (&numbers), ==, vectors[i].numbers[j]);
      g_assert_cmpfloat_with_epsilon (pt_random_coin (&coins), vectors[i].coins[j], 1e-8);
    }
  }
}

static void
test_seed_zero (void)
{
  PtRandom random;

  pt_random_init (&random, 0);
  g_assert_cmpuint (random.state, !=, 0);
}

static void
test_greedy (void)
{
  static const float logits[] = { -1, 3, 2, 3, -INFINITY, NAN };
  guint16 half[G_N_ELEMENTS (logits)], brain[G_N_ELEMENTS (logits)];
  g_autoptr (PtSampler) sampler = pt_sampler_new (G_N_ELEMENTS (logits), NULL);
  static const float none[] = { NAN, NAN };

  pt_sampler_configure (sampler, 0, 1);
  g_assert_cmpint (pt_sampler_sample (sampler, logits, PT_DTYPE_F32, G_N_ELEMENTS (logits)), ==, 1);
  pt_vector_f32_to_f16 (G_N_ELEMENTS (logits), logits, half);
  pt_vector_f32_to_bf16 (G_N_ELEMENTS (logits), logits, brain);
  g_assert_cmpint (pt_sampler_sample (sampler, half, PT_DTYPE_F16, G_N_ELEMENTS (logits)), ==, 1);
  g_assert_cmpint (pt_sampler_sample (sampler, brain, PT_DTYPE_BF16, G_N_ELEMENTS (logits)), ==, 1);
  g_assert_cmpint (pt_sampler_sample (sampler, none, PT_DTYPE_F32, 2), ==, -1);
}

static void
count (PtSampler *sampler, const float *logits, gsize n, guint *counts, guint draws)
{
  for (gsize i = 0; i < n; i++)
    counts[i] = 0;
  for (guint i = 0; i < draws; i++) {
    gint32 id = pt_sampler_sample (sampler, logits, PT_DTYPE_F32, n);

    g_assert_cmpint (id, >=, 0);
    g_assert_cmpint (id, <, (gint32) n);
    counts[id]++;
  }
}

/** Probabilities 0.5, 0.25, 0.125, 0.125 at temperature 1. */
static void
test_distribution (void)
{
  static const float logits[] = { 0, 1.3862944f, 0.6931472f, 0 };
  static const double expected[] = { 0.125, 0.5, 0.25, 0.125 };
  g_autoptr (PtSampler) sampler = pt_sampler_new (4, NULL);
  guint counts[4];

  pt_sampler_seed (sampler, 7);
  pt_sampler_configure (sampler, 1, 1);
  count (sampler, logits, 4, counts, 100000);
  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat_with_epsilon (counts[i] / 1e5, expected[i], 0.01);

  /* 0.5 alone is not more than 0.6; 0.5 and 0.25 are. */
  pt_sampler_configure (sampler, 1, 0.6);
  count (sampler, logits, 4, counts, 100000);
  g_assert_cmpuint (counts[0] + counts[3], ==, 0);
  g_assert_cmpfloat_with_epsilon (counts[1] / 1e5, 2.0 / 3, 0.01);

  pt_sampler_configure (sampler, 1, 0.01);
  count (sampler, logits, 4, counts, 1000);
  g_assert_cmpuint (counts[1], ==, 1000);

  /* Half the temperature squares the ratios. */
  pt_sampler_configure (sampler, 0.5, 1);
  count (sampler, logits, 4, counts, 100000);
  g_assert_cmpfloat_with_epsilon ((double) counts[1] / counts[2], 4, 0.2);
}

static void
test_reproducible (void)
{
  g_autoptr (PtSampler) a = pt_sampler_new (1000, NULL);
  g_autoptr (PtSampler) b = pt_sampler_new (1000, NULL);
  float logits[1000];
  guint different = 0;

  for (int i = 0; i < 1000; i++)
    logits[i] = sinf ((float) i * 12.9898f) * 3;
  for (int round = 0; round < 2; round++) {
    pt_sampler_seed (a, 42);
    pt_sampler_seed (b, round == 0 ? 42 : 43);
    pt_sampler_configure (a, 0.8, 0.9);
    pt_sampler_configure (b, 0.8, 0.9);
    different = 0;
    for (int i = 0; i < 100; i++)
      different += pt_sampler_sample (a, logits, PT_DTYPE_F32, 1000) !=
                   pt_sampler_sample (b, logits, PT_DTYPE_F32, 1000);
    if (round == 0)
      g_assert_cmpuint (different, ==, 0);
    else
      g_assert_cmpuint (different, >, 10);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/sampler/random", test_random);
  g_test_add_func ("/text/sampler/seed-zero", test_seed_zero);
  g_test_add_func ("/text/sampler/greedy", test_greedy);
  g_test_add_func ("/text/sampler/distribution", test_distribution);
  g_test_add_func ("/text/sampler/reproducible", test_reproducible);
  return g_test_run ();
}
