/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "engine/base/json.h"
#include "engine/base/sampling-json.h"
#include "engine/kernels/vector.h"
#include "engine/text/sampler.h"

/* The check values of docs/formats/protocols.md, section 14.1, and more of them. */
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
configure (PtSampler *sampler, double temperature, double top_p)
{
  PtSampling how = PT_SAMPLING_GREEDY;

  how.temperature = temperature;
  how.top_p = top_p;
  pt_sampler_configure (sampler, &how);
}

static void
test_greedy (void)
{
  static const float logits[] = { -1, 3, 2, 3, -INFINITY, NAN };
  guint16 half[G_N_ELEMENTS (logits)], brain[G_N_ELEMENTS (logits)];
  g_autoptr (PtSampler) sampler = pt_sampler_new (G_N_ELEMENTS (logits), NULL);
  static const float none[] = { NAN, NAN };

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
  configure (sampler, 1, 1);
  count (sampler, logits, 4, counts, 100000);
  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat_with_epsilon (counts[i] / 1e5, expected[i], 0.01);

  /* 0.5 alone is not more than 0.6; 0.5 and 0.25 are. */
  configure (sampler, 1, 0.6);
  count (sampler, logits, 4, counts, 100000);
  g_assert_cmpuint (counts[0] + counts[3], ==, 0);
  g_assert_cmpfloat_with_epsilon (counts[1] / 1e5, 2.0 / 3, 0.01);

  configure (sampler, 1, 0.01);
  count (sampler, logits, 4, counts, 1000);
  g_assert_cmpuint (counts[1], ==, 1000);

  /* Half the temperature squares the ratios. */
  configure (sampler, 0.5, 1);
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
    configure (a, 0.8, 0.9);
    configure (b, 0.8, 0.9);
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

/* ---- as transformers do it (tools/make-sampler-fixtures.py) ---- */

#define DRAWS 20000

static float *
make_logits (guint number, gsize n, double spread)
{
  float *logits = g_new (float, n);
  guint32 state = number + 1;

  for (gsize i = 0; i < n; i++) {
    state = (state * 1103515245u + 12345u) & 0x7fffffff;
    logits[i] = (float) ((double) (state >> 11) / (1 << 20) * 2 * spread - spread);
  }
  return logits;
}

/* Members that a case does not set are off. */
static PtSampling
sampling_of (const json_t *json)
{
  const PtSampling off = { 1, 0, 1, 0, 1, -1, 0, 0 };
  PtSampling sampling = pt_sampling_from_json (json);

  pt_sampling_fill (&sampling, &off);
  return sampling;
}

static void
check_draws (const json_t *json, const guint *counts, gsize n)
{
  const json_t *kept = json_object_get (json, "kept");
  const json_t *probabilities = json_object_get (json, "probabilities");
  guint in_set = 0;

  for (gsize i = 0; i < json_array_size (kept); i++) {
    gint64 id = json_integer_value (json_array_get (kept, i));
    double expected = json_number_value (json_array_get (probabilities, i));

    g_assert_cmpint (id, <, (gint64) n);
    g_assert_cmpfloat_with_epsilon (counts[id] / (double) DRAWS, expected, 0.015);
    if (expected > 0.001)
      g_assert_cmpuint (counts[id], >, 0);
    in_set += counts[id];
  }
  g_assert_cmpuint (in_set, ==, DRAWS);
}

static void
test_transformers (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "sampler.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (json_t) cases = pt_json_load (path, 1 << 20, &error);
  const json_t *json, *id;
  gsize number, i;

  g_assert_no_error (error);
  g_assert_cmpuint (json_array_size (cases), >, 15);
  json_array_foreach (cases, number, json) {
    gsize n = (gsize) pt_json_int (json, "n", 0);
    g_autofree float *logits = make_logits ((guint) number, n, pt_json_double (json, "spread", 0));
    g_autofree guint *counts = g_new (guint, n);
    g_autoptr (PtSampler) sampler = pt_sampler_new (n, NULL);
    PtSampling how = sampling_of (json);

    g_test_message ("case %u", (guint) number);
    pt_sampler_seed (sampler, 11);
    pt_sampler_configure (sampler, &how);
    json_array_foreach (json_object_get (json, "said"), i, id)
      pt_sampler_accept (sampler, (gint32) json_integer_value (id));
    count (sampler, logits, n, counts, DRAWS);
    check_draws (json, counts, n);
  }
}

/* ---- penalties ---- */

/* Each by itself, on the likeliest token: 3 of 0. */
static void
test_penalties (void)
{
  static const float logits[] = { -2, 3, 2, 1.6f };
  static const struct {
    double repetition, presence, frequency;
    guint times;
    gint32 expected;
  } cases[] = {
    { 1, 0, 0, 9, 1 },     { 1.4, 0, 0, 1, 1 },   { 1.6, 0, 0, 1, 2 },     { 1.6, 0, 0, 9, 2 },
    { 1, 0.9, 0, 9, 1 },   { 1, 1.1, 0, 1, 2 },   { 1, 0, 0.3, 3, 1 },     { 1, 0, 0.3, 4, 2 },
    { 1.2, 0.4, 0, 1, 1 }, { 1.2, 0.6, 0, 1, 2 }, { 1, -0.5, 0.1, 14, 1 }, { 1, -0.5, 0.1, 16, 2 },
  };
  g_autoptr (PtSampler) sampler = pt_sampler_new (4, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    PtSampling how = { .top_p = 1,
                       .repetition_penalty = cases[i].repetition,
                       .repetition_window = -1,
                       .presence_penalty = cases[i].presence,
                       .frequency_penalty = cases[i].frequency };

    pt_sampler_configure (sampler, &how);
    for (guint j = 0; j < cases[i].times; j++)
      pt_sampler_accept (sampler, 1);
    g_assert_cmpint (pt_sampler_sample (sampler, logits, PT_DTYPE_F32, 4), ==, cases[i].expected);
  }
  g_assert_cmpfloat (logits[1], ==, 3); /* they stay as they are */
}

/* Below 0, what was said must not become likelier. */
static void
test_negative (void)
{
  static const float logits[] = { -1, -1.5f };
  const PtSampling how = { 0, 0, 1, 0, 2, -1, 0, 0 };
  g_autoptr (PtSampler) sampler = pt_sampler_new (2, NULL);

  pt_sampler_configure (sampler, &how);
  pt_sampler_accept (sampler, 0);
  g_assert_cmpint (pt_sampler_sample (sampler, logits, PT_DTYPE_F32, 2), ==, 1);
}

/* Only tokens of the mask are chosen, whatever the other settings are, and their own likelihoods
 * decide among them. */
static void
test_mask (void)
{
  enum { IDS = 70 };
  static const PtSampling hows[] = { { 0, 0, 1, 0, 1, 0, 0, 0 },
                                     { 1, 0, 1, 0, 1, 0, 0, 0 },
                                     { 1, 3, 1, 0, 1, 0, 0, 0 },
                                     { 1, 0, 0.9, 0.1, 1, 0, 0, 0 },
                                     { 2, 40, 0.5, 0, 1.3, -1, 0, 0 } };
  const guint32 mask[] = { 1u << 5, 1u << 31, 1u << 3 | 1u << 4 };
  const gint32 allowed[] = { 5, 63 }; /* 67 is ruled out, and 68 beyond the end of the mask */
  g_autoptr (PtSampler) sampler = pt_sampler_new (IDS, NULL);
  float logits[IDS];
  guint counts[IDS] = { 0 };

  for (guint i = 0; i < IDS; i++)
    logits[i] = (float) (i % 10);
  logits[67] = -INFINITY;
  for (gsize i = 0; i < G_N_ELEMENTS (hows); i++) {
    pt_sampler_configure (sampler, &hows[i]);
    pt_sampler_seed (sampler, 4);
    pt_sampler_set_mask (sampler, mask, 68);
    g_assert_true (pt_sampler_needs_host (sampler));
    for (guint k = 0; k < 100; k++)
      counts[pt_sampler_sample (sampler, logits, PT_DTYPE_F32, IDS)]++;
  }
  for (gint32 id = 0; id < IDS; id++)
    if (id != allowed[0] && id != allowed[1])
      g_assert_cmpuint (counts[id], ==, 0);
  g_assert_cmpuint (counts[5], >, counts[63]);
  g_assert_cmpuint (counts[63], >, 0);
  pt_sampler_configure (sampler, &hows[0]);
  g_assert_false (pt_sampler_needs_host (sampler));
  g_assert_cmpint (pt_sampler_sample (sampler, logits, PT_DTYPE_F32, IDS), ==, 9);
}

/* The list of what was said is that of the last tokens, whatever came before. */
static void
check_window (gint window)
{
  enum { IDS = 7, TOKENS = 200 };
  const PtSampling how = { 0, 0, 1, 0, 1.5, window, 0, 0 };
  g_autoptr (PtSampler) sampler = pt_sampler_new (IDS, NULL);
  gint32 ids[TOKENS];
  PtRandom random;

  pt_random_init (&random, 3);
  pt_sampler_configure (sampler, &how);
  for (gint i = 0; i < TOKENS; i++) {
    guint counts[IDS] = { 0 }, n, different = 0;
    const PtSaid *said;

    ids[i] = (gint32) (pt_random_u32 (&random) % IDS);
    pt_sampler_accept (sampler, ids[i]);
    pt_sampler_accept (sampler, -1 - ids[i]); /* a picture */
    pt_sampler_accept (sampler, IDS);
    for (gint j = window < 0 ? 0 : MAX (0, i + 1 - window); j <= i; j++)
      different += counts[ids[j]]++ == 0;
    said = pt_sampler_said (sampler, &n);
    g_assert_cmpuint (n, ==, different);
    for (guint j = 0; j < n; j++)
      g_assert_cmpuint (said[j].count, ==, counts[said[j].id]);
  }
}

static void
test_window (void)
{
  static const gint windows[] = { 0, 1, 2, 5, 64, 199, 200, 500, -1 };
  const PtSampling how = { 0, 0, 1, 0, 1.5, -1, 0, 0 };
  g_autoptr (PtSampler) sampler = pt_sampler_new (8, NULL);
  guint n;

  for (gsize i = 0; i < G_N_ELEMENTS (windows); i++)
    check_window (windows[i]);

  /* Another answer begins. */
  pt_sampler_configure (sampler, &how);
  pt_sampler_accept (sampler, 3);
  pt_sampler_said (sampler, &n);
  g_assert_cmpuint (n, ==, 1);
  pt_sampler_configure (sampler, &how);
  pt_sampler_said (sampler, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* Tokens as likely as the last of the k are kept. */
static void
test_ties (void)
{
  static const float logits[] = { 1, 2, 1, NAN, 0, 1, -INFINITY };
  const PtSampling two = { 1, 2, 1, 0, 1, 0, 0, 0 }, many = { 1, 6, 1, 0, 1, 0, 0, 0 };
  g_autoptr (PtSampler) sampler = pt_sampler_new (7, NULL);
  guint counts[7];

  pt_sampler_configure (sampler, &two);
  count (sampler, logits, 7, counts, 1000);
  g_assert_cmpuint (counts[0], >, 0);
  g_assert_cmpuint (counts[2], >, 0);
  g_assert_cmpuint (counts[5], >, 0);
  g_assert_cmpuint (counts[3] + counts[4] + counts[6], ==, 0);
  pt_sampler_configure (sampler, &many);
  count (sampler, logits, 7, counts, 1000);
  g_assert_cmpuint (counts[4], >, 0);
  g_assert_cmpuint (counts[3] + counts[6], ==, 0);
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
  g_test_add_func ("/text/sampler/transformers", test_transformers);
  g_test_add_func ("/text/sampler/penalties", test_penalties);
  g_test_add_func ("/text/sampler/negative", test_negative);
  g_test_add_func ("/text/sampler/mask", test_mask);
  g_test_add_func ("/text/sampler/window", test_window);
  g_test_add_func ("/text/sampler/ties", test_ties);
  return g_test_run ();
}
