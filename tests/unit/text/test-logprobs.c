/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "engine/text/logprobs.h"

#define N 5

static const float LOGITS[N] = { 1.0F, 3.0F, -2.0F, 3.0F, 0.5F };

static void
test_ranked (void)
{
  float scratch[N];
  double sum = 0;
  PtRankedToken top[8];
  guint n = 3;
  double logprob = pt_logprobs_rank (LOGITS, PT_DTYPE_F32, N, 4, scratch, top, &n);

  for (guint i = 0; i < N; i++)
    sum += exp ((double) LOGITS[i]);
  g_assert_cmpfloat_with_epsilon (logprob, 0.5 - log (sum), 1e-6);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpint (top[0].id, ==, 1);
  g_assert_cmpint (top[1].id, ==, 3);
  g_assert_cmpint (top[2].id, ==, 0);
  g_assert_cmpfloat_with_epsilon (top[1].logprob, 3 - log (sum), 1e-6);

  n = 8;
  pt_logprobs_rank (LOGITS, PT_DTYPE_F32, N, 4, scratch, top, &n);
  g_assert_cmpuint (n, ==, N);
  g_assert_cmpint (top[N - 1].id, ==, 2);
  n = 0;
  pt_logprobs_rank (LOGITS, PT_DTYPE_F32, N, 4, scratch, NULL, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* What is not a number, or beyond all numbers, is ranked all the same. */
static void
test_not_finite (void)
{
  const float logits[N] = { NAN, 2.0F, -INFINITY, 2.0F, NAN };
  const float certain[3] = { 5.0F, INFINITY, INFINITY }, lost[2] = { NAN, -INFINITY };
  float scratch[N];
  PtRankedToken top[N];
  guint n = N;

  g_assert_cmpfloat_with_epsilon (pt_logprobs_rank (logits, PT_DTYPE_F32, N, 3, scratch, top, &n),
                                  -log (2), 1e-6);
  g_assert_cmpint (top[0].id, ==, 1);
  g_assert_cmpint (top[2].id, ==, 0);
  g_assert_true (isinf (top[2].logprob));
  n = N;
  g_assert_cmpfloat_with_epsilon (pt_logprobs_rank (certain, PT_DTYPE_F32, 3, 2, scratch, top, &n),
                                  -log (2), 1e-6);
  g_assert_true (isinf (top[2].logprob));
  n = 2;
  g_assert_false (isnan (pt_logprobs_rank (lost, PT_DTYPE_F32, 2, 0, scratch, top, &n)));
}

static void
test_dtypes (void)
{
  const guint16 halves[2] = { 0x3c00, 0x4000 }, brains[2] = { 0x3f80, 0x4000 }; /* 1 and 2 */
  const double expected = -log (1 + exp (1.0));
  float scratch[2];
  guint n = 0;

  g_assert_cmpfloat_with_epsilon (pt_logprobs_rank (halves, PT_DTYPE_F16, 2, 0, scratch, NULL, &n),
                                  expected, 1e-6);
  g_assert_cmpfloat_with_epsilon (pt_logprobs_rank (brains, PT_DTYPE_BF16, 2, 0, scratch, NULL, &n),
                                  expected, 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/logprobs/ranked", test_ranked);
  g_test_add_func ("/text/logprobs/not-finite", test_not_finite);
  g_test_add_func ("/text/logprobs/dtypes", test_dtypes);
  return g_test_run ();
}
