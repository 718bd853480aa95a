/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernels.h"
#include "engine/kernels/simd.h"

/*
 * Products with rows of 4-bit weights, in place, for AVX2 and AVX-512 with and without
 * VNNI; PT_Q4_KERNELS is the name of the table.
 *
 * A stored nibble s is w + 8. sum (x - z)(s - 8) = sum x s - z sum s - 8 sum (x - z): the first two
 * are sums of unsigned times signed bytes, the last is the same for all rows. Each 32-bit lane sums
 * four bytes, so eight columns, and a quarter of a vector's lanes at a time 32 columns, which
 * groups are multiples of.
 */

#define BYTES (4 * LANES)   /* of weights in a vector */
#define COLUMNS (8 * LANES) /* two in each byte */
#define PARTS (LANES / 4)   /* of 32 columns */
#define ROWS 4

#if defined(__AVX512VNNI__)
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return _mm512_dpbusd_epi32 (acc, u, s);
}
#elif defined(__AVXVNNI__)
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return _mm256_dpbusd_avx_epi32 (acc, u, s);
}
#elif LANES == 16
/* u <= 30: two products fit into 16 bits. */
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return vi_add (acc, _mm512_madd_epi16 (_mm512_maddubs_epi16 (u, s), _mm512_set1_epi16 (1)));
}
#else
INLINE vi
add_products (vi acc, vi u, vi s)
{
  return vi_add (acc, _mm256_madd_epi16 (_mm256_maddubs_epi16 (u, s), _mm256_set1_epi16 (1)));
}
#endif

/* COLUMNS columns of x, taken apart, and what all rows of weights share. */
typedef struct {
  vi even, odd;
  vi start;         /* -8 sum (x - z), in the lanes of x */
  vi minus_zero[2]; /* bytes whose sum is -z: 128 is no signed byte */
} Columns;

/* Bytes 0, 2, 4, ... or 1, 3, 5, ... of two vectors, in order; words: sign-extended from them. */
INLINE vi
pack_words (vi a, vi b)
{
#if LANES == 16
  const vi order = _mm512_setr_epi64 (0, 2, 4, 6, 1, 3, 5, 7);

  return _mm512_permutexvar_epi64 (order, _mm512_packs_epi16 (a, b));
#else
  return _mm256_permute4x64_epi64 (_mm256_packs_epi16 (a, b), 0xd8);
#endif
}

#if LANES == 16
#define LOW_BYTES(a) _mm512_srai_epi16 (_mm512_slli_epi16 (a, 8), 8)
#define HIGH_BYTES(a) _mm512_srai_epi16 (a, 8)
#else
#define LOW_BYTES(a) _mm256_srai_epi16 (_mm256_slli_epi16 (a, 8), 8)
#define HIGH_BYTES(a) _mm256_srai_epi16 (a, 8)
#endif

/* The next n <= COLUMNS columns of x; those after them are 0, and z does not count there when
 * their weights are 0 too, except in start. */
INLINE Columns
load_columns (const gint8 *x, gsize n, gint32 zero)
{
  Columns c;
  vi a, b, eights = vi_set1_8 (8);

  if (n >= COLUMNS) {
    a = vi_load (x);
    b = vi_load (x + BYTES);
  } else {
    a = vi_load_bytes (x, MIN (n, BYTES));
    b = vi_load_bytes (x + MIN (n, BYTES), n - MIN (n, BYTES));
  }
  c.even = pack_words (LOW_BYTES (a), LOW_BYTES (b));
  c.odd = pack_words (HIGH_BYTES (a), HIGH_BYTES (b));
  c.start = add_products (add_products (vi_zero (), eights, c.even), eights, c.odd);
  c.start = vi_sub (vi_set1 (64 * zero), c.start);
  c.minus_zero[0] = vi_set1_8 ((gint8) (-zero / 2));
  c.minus_zero[1] = vi_set1_8 ((gint8) (-zero - -zero / 2));
  return c;
}

INLINE vi
row_lanes (const Columns *c, vi w)
{
  const vi mask = vi_set1_8 (15);
  vi low = vi_and (w, mask), high = vi_and (vi_srl_16 (w, 4), mask), both = vi_add_8 (low, high);
  vi acc = add_products (add_products (c->start, low, c->even), high, c->odd);

  return add_products (add_products (acc, both, c->minus_zero[0]), both, c->minus_zero[1]);
}

/* Four rows to one vector: part p of it has the sums of the rows' part p, side by side. */
INLINE vi
part_sums (vi r0, vi r1, vi r2, vi r3)
{
  vi a = vi_add (vi_unpack_lo (r0, r1), vi_unpack_hi (r0, r1));
  vi b = vi_add (vi_unpack_lo (r2, r3), vi_unpack_hi (r2, r3));

  return vi_add (vi_unpack_lo_64 (a, b), vi_unpack_hi_64 (a, b));
}

typedef struct {
  gsize row_bytes, row_scales;
  const guint8 *weights;
  const guint16 *scales;
} Rows;

/* Missing rows, at the end, repeat the last one. */
INLINE const guint8 *
row_at (const Rows *rows, gsize n, gsize row)
{
  return rows->weights + MIN (row, n - 1) * rows->row_bytes;
}

INLINE vi
sums_of_four (const Rows *rows, gsize n, gsize offset, const Columns *c)
{
  gsize rest = rows->row_bytes - offset;
  vi lanes[ROWS];

  UNROLLED (i, ROWS) {
    const guint8 *w = row_at (rows, n, i) + offset;

    lanes[i] = row_lanes (c, rest >= BYTES ? vi_load (w) : vi_load_bytes (w, rest));
  }
  return part_sums (lanes[0], lanes[1], lanes[2], lanes[3]);
}

/* The scales of one group of four rows. */
INLINE __m128
scales_of (const Rows *rows, gsize n, gsize group)
{
  gint32 bits[ROWS];

  UNROLLED (i, ROWS)
    bits[i] = (gint32) ((guint32) rows->scales[MIN (i, n - 1) * rows->row_scales + group] << 16);
  return _mm_castsi128_ps (_mm_setr_epi32 (bits[0], bits[1], bits[2], bits[3]));
}

typedef struct {
  gsize parts_in_group, parts_left, group;
  __m128i d; /* of the group so far */
  __m128 acc;
} Groups;

INLINE void
add_part (Groups *g, const Rows *rows, gsize n, __m128i sums)
{
  g->d = _mm_add_epi32 (g->d, sums);
  if (--g->parts_left > 0)
    return;
  g->acc = _mm_add_ps (g->acc, _mm_mul_ps (_mm_cvtepi32_ps (g->d), scales_of (rows, n, g->group)));
  g->d = _mm_setzero_si128 ();
  g->parts_left = g->parts_in_group;
  g->group++;
}

/* Part p of a vector; p is a constant after unrolling. */
#if LANES == 16
#define PART(v, p)                               \
  ((p) == 0   ? _mm512_extracti32x4_epi32 (v, 0) \
   : (p) == 1 ? _mm512_extracti32x4_epi32 (v, 1) \
   : (p) == 2 ? _mm512_extracti32x4_epi32 (v, 2) \
              : _mm512_extracti32x4_epi32 (v, 3))
#else
#define PART(v, p) ((p) == 0 ? _mm256_castsi256_si128 (v) : _mm256_extracti128_si256 (v, 1))
#endif

static __m128
groups_of_four (gsize n, gsize k, gsize group, const gint8 *x, gint32 zero, const Rows *rows)
{
  Groups g = { group / 32, group / 32, 0, _mm_setzero_si128 (), _mm_setzero_ps () };

  for (gsize p = 0; p < k; p += COLUMNS) {
    Columns c = load_columns (x + p, k - p, zero);
    vi sums = sums_of_four (rows, n, p / 2, &c);

    UNROLLED (part, PARTS)
      if (p + 32 * part < k)
        add_part (&g, rows, n, PART (sums, part));
  }
  return g.acc;
}

static void
dot_groups (gsize n, const gint8 *x, gint32 zero, const PtQ4Rows *all, float *acc)
{
  Rows rows = { (all->k + 1) / 2, all->k / all->group, all->weights, all->scales };

  for (gsize j = 0; j < n; j += ROWS) {
    gsize here = MIN (ROWS, n - j);
    float four[ROWS];

    _mm_storeu_ps (four, groups_of_four (here, all->k, all->group, x, zero, &rows));
    for (gsize i = 0; i < here; i++)
      acc[j + i] = four[i];
    rows.weights += ROWS * rows.row_bytes;
    rows.scales += ROWS * rows.row_scales;
  }
}

/* The whole row is one group. */
static __m128i
sums_of_rows (gsize n, gsize k, const gint8 *x, gint32 zero, const Rows *rows)
{
  vi total = vi_zero ();

  for (gsize p = 0; p < k; p += COLUMNS) {
    Columns c = load_columns (x + p, k - p, zero);

    if (k - p < COLUMNS) { /* start must not count the columns that are not there */
      gint32 there[LANES];

      for (gsize lane = 0; lane < LANES; lane++)
        there[lane] = (gint32) (k - p > 8 * lane ? MIN (8, k - p - 8 * lane) : 0) * 8 - 64;
      c.start = vi_add (c.start, vi_mul (vi_load (there), vi_set1 (zero)));
    }
    total = vi_add (total, sums_of_four (rows, n, p / 2, &c));
  }
#if LANES == 16
  return _mm_add_epi32 (_mm_add_epi32 (PART (total, 0), PART (total, 1)),
                        _mm_add_epi32 (PART (total, 2), PART (total, 3)));
#else
  return _mm_add_epi32 (PART (total, 0), PART (total, 1));
#endif
}

static void
dot (gsize n, const gint8 *x, gint32 zero, const PtQ4Rows *all, gint32 *sums)
{
  Rows rows = { (all->k + 1) / 2, 0, all->weights, NULL };

  for (gsize j = 0; j < n; j += ROWS) {
    gsize here = MIN (ROWS, n - j);
    gint32 four[ROWS];

    _mm_storeu_si128 ((__m128i *) four, sums_of_rows (here, all->k, x, zero, &rows));
    for (gsize i = 0; i < here; i++) {
      /* The nibble that fills up a row of odd length was taken as a weight of x = 0. */
      if (all->k % 2 != 0)
        four[i] += zero * (row_at (&rows, here, i)[all->k / 2] >> 4);
      sums[j + i] = four[i];
    }
    rows.weights += ROWS * rows.row_bytes;
  }
}

const PtQ4Kernels PT_Q4_KERNELS = {
  .dot_groups = dot_groups,
  .dot = dot,
};
