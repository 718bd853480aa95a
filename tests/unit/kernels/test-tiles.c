/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "tests/unit/kernels/support.h"

/*
 * Tiles of every level alone, in awkward shapes, against plain C, bit for bit. Rows of x and
 * panels end where no memory is. AMX is also tested where there is none, with tiles in plain C.
 */

#define MAX_M 70
#define MAX_N 70
#define MAX_K 1536

#ifdef __x86_64__
extern const PtInt8TileKernels emulated_int8_tile_kernels;
extern const PtQ4TileKernels emulated_q4_tile_kernels;
#endif

typedef struct {
  gsize m, n, k, ldx;
  const gint8 *x, *weights;
  const gint32 *expected; /* rows of MAX_N */
} Int8Case;

static void
check_strip (const PtInt8TileKernels *kernels, const Int8Case *c, gsize row, gsize m,
             gconstpointer panels)
{
  gsize n_panels = pt_div_up (c->n, kernels->nr), ldsums = n_panels * kernels->nr + 3;
  g_auto (Guarded) guarded = { 0 };
  gint32 *sums = guarded_new (&guarded, (m * ldsums - 3) * sizeof *sums), x_sums[PT_MAX_MR];

  pt_int8_kernels_portable.row_sums (m, c->k, c->x + row * c->ldx, c->ldx, x_sums);
  for (gsize i = 0; i < m * ldsums - 3; i++)
    sums[i] = 12345;
  kernels->multiply (m, c->k, c->x + row * c->ldx, c->ldx, x_sums, n_panels, panels, sums, ldsums);
  for (gsize i = 0; i < m; i++) {
    for (gsize j = 0; j < c->n; j++)
      g_assert_cmpint (sums[i * ldsums + j], ==, c->expected[(row + i) * MAX_N + j]);
    for (gsize j = n_panels * kernels->nr; i + 1 < m && j < ldsums; j++)
      g_assert_cmpint (sums[i * ldsums + j], ==, 12345);
  }
}

static void
check_int8 (const PtInt8TileKernels *kernels, const Int8Case *c)
{
  gsize panel_size = kernels->panel_size (c->k), n_panels = pt_div_up (c->n, kernels->nr);
  g_auto (Guarded) guarded = { 0 };
  guint8 *panels = guarded_new (&guarded, n_panels * panel_size);

  g_assert_cmpuint (panel_size % 64, ==, 0);
  g_assert_cmpuint (kernels->mr, <=, PT_MAX_MR);
  g_assert_cmpuint (kernels->nr, <=, PT_MAX_NR);
  for (gsize i = 0; i < n_panels; i++)
    kernels->pack (MIN (kernels->nr, c->n - i * kernels->nr), c->k,
                   c->weights + i * kernels->nr * c->k, c->k, panels + i * panel_size);
  for (gsize row = 0; row < c->m; row += kernels->mr)
    check_strip (kernels, c, row, MIN (kernels->mr, c->m - row), panels);
}

/* All rows and columns that are ever asked for, with the first of them, and with some. */
static void
check_int8_depth (const PtInt8TileKernels *kernels, gsize k)
{
  gsize ldx = k + random_bits () % 3 * 7;
  g_autofree gint32 *expected = g_new (gint32, MAX_M * MAX_N);
  g_auto (Guarded) guarded_weights = { 0 };
  gint8 *weights = guarded_new (&guarded_weights, MAX_N * k);
  g_autofree gint8 *all_x = g_malloc (MAX_M * ldx);
  const Int8Case sizes[] = { { MAX_M, MAX_N },
                             { 1 + k % MAX_M, 1 + random_bits () % MAX_N },
                             { 1 + random_bits () % MAX_M, 1 + k % MAX_N } };

  fill_bytes (weights, MAX_N * k);
  fill_bytes (all_x, MAX_M * ldx);
  if (k % 5 == 0) { /* extremes */
    memset (weights, -128, MAX_N * k);
    memset (all_x, k % 2 ? -128 : 127, MAX_M * ldx);
  }
  pt_int8_kernels_portable.dot_rows (MAX_M, MAX_N, k, all_x, ldx, weights, k, expected, MAX_N);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    gsize size = (sizes[i].m - 1) * ldx + k;
    g_auto (Guarded) guarded = { 0 };
    gint8 *x = guarded_new (&guarded, size);
    Int8Case c = { sizes[i].m, sizes[i].n, k, ldx, x, weights, expected };

    memcpy (x, all_x, size);
    check_int8 (kernels, &c);
  }
}

static void
check_int8_kernels (const PtInt8TileKernels *kernels)
{
  for (gsize k = 1; k <= 200; k++)
    check_int8_depth (kernels, k);
  check_int8_depth (kernels, 576);
  check_int8_depth (kernels, MAX_K);
}

static void
each_int8 (void)
{
  if (pt_int8_tile_kernels () != NULL)
    check_int8_kernels (pt_int8_tile_kernels ());
}

static void
test_int8 (void)
{
  for_each_level (each_int8);
}

typedef struct {
  gsize m, n, n_groups, group;
  PtQ4TileRows x;
  PtQ4Rows w; /* k and group of these, too */
  PtQ4TileEnds ends;
} Q4Case;

/* One row of x, in plain C; c holds what to start with. */
static void
expect_q4 (const Q4Case *c, gsize row, float *out)
{
  const PtQ4Kernels *kernels = &pt_q4_kernels_portable;
  guint8 prepared[64];
  float acc[MAX_N];

  g_assert_cmpuint (kernels->prepared_size (c->w.k), <=, sizeof prepared);
  kernels->prepare (c->w.k, c->x.x + row * c->x.stride, c->x.zero[row], prepared);
  kernels->dot_groups (c->n, prepared, &c->w, acc);
  for (gsize j = 0; j < c->n; j++) {
    float y = acc[j];

    if (c->ends.finish) {
      y = y * c->x.scale[row];
      y = c->ends.bias != NULL ? y + c->ends.bias[j] : y;
      y = pt_clamp_f32 (y, c->ends.min, c->ends.max);
    }
    out[j] = y;
  }
}

/* Packs @n_groups groups from group @g on of all columns. */
static void
pack_q4 (const PtQ4TileKernels *kernels, const Q4Case *c, gsize g, gsize n_groups, guint8 *panels)
{
  gsize k = n_groups * c->group;

  for (gsize j = 0; j < c->n; j += kernels->nr) {
    PtQ4Rows w = c->w;

    w.weights += j * c->w.k / 2 + g * c->group / 2;
    w.scales += j * c->n_groups + g;
    kernels->pack (MIN (kernels->nr, c->n - j), k, &w,
                   panels + j / kernels->nr * kernels->panel_size (k, c->group));
  }
}

/* All groups at once, or one first and the others on top of it. */
static void
multiply_q4 (const PtQ4TileKernels *kernels, const Q4Case *c, gsize row, gsize m, gsize n_first,
             float *out, gsize ldc)
{
  g_autofree gint32 *starts = g_new (gint32, m * c->n_groups);

  for (gsize i = 0; kernels->starts != NULL && i < m; i++)
    kernels->starts (c->n_groups, c->group, c->x.x + (row + i) * c->x.stride, c->x.zero[row + i],
                     starts + i * c->n_groups);
  for (gsize g = 0; g < c->n_groups; g += g == 0 ? n_first : c->n_groups) {
    gsize n_groups = g == 0 ? n_first : c->n_groups - g, k = n_groups * c->group;
    gsize size = pt_div_up (c->n, kernels->nr) * kernels->panel_size (k, c->group);
    g_auto (Guarded) guarded = { 0 };
    guint8 *panels = guarded_new (&guarded, size);
    PtQ4TileRows x = c->x;
    PtQ4TileEnds ends = c->ends;

    pack_q4 (kernels, c, g, n_groups, panels);
    x.x += row * x.stride + g * c->group;
    x.zero += row;
    x.scale += row;
    x.starts = starts + g;
    x.start_stride = c->n_groups;
    ends.accumulate = g > 0;
    ends.finish = c->ends.finish && g + n_groups == c->n_groups;
    kernels->multiply (m, c->n, n_groups, c->group, &x, panels, &ends, out, ldc);
  }
}

static void
check_q4_case (const PtQ4TileKernels *kernels, const Q4Case *c, gsize n_first)
{
  gsize ldc = c->n + 2;

  for (gsize row = 0; row < c->m; row += kernels->mr) {
    gsize m = MIN (kernels->mr, c->m - row), size = (m - 1) * ldc + c->n;
    g_auto (Guarded) guarded = { 0 };
    float *out = guarded_new (&guarded, size * sizeof *out);

    for (gsize i = 0; i < size; i++)
      out[i] = 12345.0f;
    multiply_q4 (kernels, c, row, m, n_first, out, ldc);
    for (gsize i = 0; i < m; i++) {
      float expected[MAX_N];

      expect_q4 (c, row + i, expected);
      g_assert_cmpmem (out + i * ldc, c->n * sizeof *out, expected, c->n * sizeof *expected);
      if (i + 1 < m)
        g_assert_true (out[i * ldc + c->n] == 12345.0f && out[i * ldc + c->n + 1] == 12345.0f);
    }
  }
}

static void
check_q4_shape (const PtQ4TileKernels *kernels, gsize m, gsize n, gsize n_groups, gsize group)
{
  gsize k = n_groups * group, stride = k + random_bits () % 2 * 64;
  g_auto (Guarded) guarded_x = { 0 }, guarded_w = { 0 }, guarded_scales = { 0 };
  gint8 *x = guarded_new (&guarded_x, (m - 1) * stride + k);
  guint8 *weights = guarded_new (&guarded_w, n * k / 2);
  guint16 *w_scales = guarded_new (&guarded_scales, n * n_groups * sizeof *w_scales);
  gint32 zero[MAX_M];
  float scale[MAX_M], bias[MAX_N];
  Q4Case c = { .m = m,
               .n = n,
               .n_groups = n_groups,
               .group = group,
               .x = { .x = x, .stride = stride, .zero = zero, .scale = scale },
               .w = { .k = k, .group = group, .weights = weights, .scales = w_scales } };

  fill_bytes (x, (m - 1) * stride + k);
  fill_bytes (weights, n * k / 2);
  if (m % 3 == 0) /* extremes */
    memset (weights, m % 2 ? 0xff : 0, n * k / 2);
  for (gsize i = 0; i < n * n_groups; i++)
    w_scales[i] = pt_f32_to_bf16 (random_float ());
  for (gsize i = 0; i < m; i++)
    zero[i] = i == 0 ? -128 : i == 1 ? 127 : (gint32) (random_bits () % 256) - 128;
  fill_floats (scale, m);
  fill_floats (bias, n);
  c.ends = (PtQ4TileEnds){ .finish = n % 2 == 0,
                           .bias = n % 4 == 0 ? bias : NULL,
                           .min = n % 8 == 0 ? -100.0f : -INFINITY,
                           .max = n % 8 == 0 ? 200.0f : INFINITY };
  check_q4_case (kernels, &c, n_groups);
  check_q4_case (kernels, &c, 1);
}

static void
check_q4_kernels (const PtQ4TileKernels *kernels)
{
  const gsize groups[] = { 32, 64, 96, 128, 256, 1024 }, depth = kernels->max_depth;

  g_assert_cmpuint (kernels->mr, <=, PT_MAX_MR);
  g_assert_cmpuint (kernels->nr, <=, PT_MAX_NR);
  for (gsize g = 0; g < G_N_ELEMENTS (groups); g++)
    for (gsize n_groups = 1; n_groups <= MIN (5, depth / groups[g]); n_groups += 1 + n_groups / 3)
      for (gsize m = 1; m <= MAX_M; m += m < 18 ? 1 : 13)
        check_q4_shape (kernels, m, 1 + random_bits () % MAX_N, n_groups, groups[g]);
  check_q4_shape (kernels, 3, kernels->nr, 1, depth);
  check_q4_shape (kernels, 33, MAX_N, 18, 32);
  check_q4_shape (kernels, 17, MAX_N, depth / 32, 32);
}

static void
each_q4 (void)
{
  const gsize groups[] = { 32, 8192 }; /* AMX has other kernels for long groups */

  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    if (pt_q4_tile_kernels (groups[i]) != NULL)
      check_q4_kernels (pt_q4_tile_kernels (groups[i]));
}

static void
test_q4 (void)
{
  for_each_level (each_q4);
}

#ifdef __x86_64__

static void
test_emulated_int8 (void)
{
  if (pt_cpu_level () < PT_CPU_AVX512)
    g_test_skip ("needs AVX-512");
  else
    check_int8_kernels (&emulated_int8_tile_kernels);
}

static void
test_emulated_q4 (void)
{
  if (pt_cpu_level () < PT_CPU_AVX512)
    g_test_skip ("needs AVX-512");
  else
    check_q4_kernels (&emulated_q4_tile_kernels);
}

static void
test_amx (void)
{
  if (pt_cpu_set_level (PT_CPU_AMX) != PT_CPU_AMX) {
    g_test_skip ("needs AMX");
    return;
  }
  g_assert_true (pt_int8_tile_kernels () == &pt_int8_tile_kernels_amx);
  g_assert_true (pt_int8_kernels () == &pt_int8_kernels_avx512_vnni);
  g_assert_true (pt_q4_tile_kernels (32) == &pt_q4_tile_kernels_amx);
  g_assert_true (pt_q4_tile_kernels (2048) == &pt_q4_tile_kernels_avx512_vnni);
  g_assert_null (pt_q4_tile_kernels (16384));
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tiles/int8", test_int8);
  g_test_add_func ("/tiles/q4", test_q4);
#ifdef __x86_64__
  g_test_add_func ("/tiles/int8-emulated", test_emulated_int8);
  g_test_add_func ("/tiles/q4-emulated", test_emulated_q4);
  g_test_add_func ("/tiles/amx", test_amx);
#endif
  return g_test_run ();
}
