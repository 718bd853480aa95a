/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/*
 * A dot product with a fixed order of sums: it has @lanes (4 or 8) partial sums; product p goes to
 * lane p mod @lanes, @step products at a time. At the end the lanes are added in halves, and the
 * remaining products follow one by one. With @lead, the first four products are added first, into
 * lane 0. Products are rounded before sums (not fused). docs/architecture.md, "Same bits as
 * upstream", says which computation has this order.
 */
static inline float
pt_lane_dot (const gsize lanes, const gsize step, const gboolean lead, gsize k, const float *a,
             const float *b)
{
  float sums[8] = { 0 }, sum;
  gsize p = 0;

  if (lead && k >= 4) {
    sums[0] = ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3];
    p = 4;
  }
  for (; p + step <= k; p += step)
    for (gsize half = 0; half < step; half += lanes)
      for (gsize r = 0; r < lanes; r++)
        sums[r] += a[p + half + r] * b[p + half + r];
  for (gsize r = 0; r < 4 && lanes == 8; r++)
    sums[r] += sums[r + 4];
  sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
  for (; p < k; p++)
    sum += a[p] * b[p];
  return sum;
}

/* Products with the last n < 4 rows of b. */
static inline void
pt_lane_dots_rest (gsize n, gsize k, gboolean lead, const float *a, const float *b, gsize ldb,
                   float *c)
{
  for (gsize j = 0; j < n; j++, b += ldb)
    c[j] = !lead    ? pt_lane_dot (8, 8, FALSE, k, a, b)
           : j == 1 ? pt_lane_dot (4, 8, TRUE, k, a, b)
                    : pt_lane_dot (8, 8, TRUE, k, a, b);
}

/* c += w . b for four columns. Of eight rows of b, the last four are added first. */
static inline void
pt_add_rows_by_fours (gsize k, const float *w, const float *b, gsize ldb, float c[4])
{
  gsize p = 0;

  for (; p + 8 <= k; p += 8, b += 8 * ldb)
    for (gsize j = 0; j < 4; j++) {
      float sum =
          (w[p + 4] * b[4 * ldb + j] + w[p + 5] * b[5 * ldb + j]) + w[p + 6] * b[6 * ldb + j];

      c[j] = (c[j] + w[p] * b[j]) + w[p + 1] * b[ldb + j];
      c[j] = (c[j] + w[p + 2] * b[2 * ldb + j]) + w[p + 3] * b[3 * ldb + j];
      c[j] += sum + w[p + 7] * b[7 * ldb + j];
    }
  for (; p < k; p++, b += ldb)
    for (gsize j = 0; j < 4; j++)
      c[j] += w[p] * b[j];
}
