/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu.h"
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd-q4.h"

/*
 * Products with rows of 4-bit weights in place, for AVX2 and AVX-512 with and without VNNI;
 * PT_Q4_KERNELS is the name of the table.
 *
 * A stored nibble s is w + 8, and sum (x - z)(s - 8) = sum x s - z sum s - 8 sum (x - z). The first
 * two terms are sums of unsigned times signed bytes. The last term is the same for all rows. A
 * 32-bit lane sums four bytes of nibbles, that is eight columns. A quarter of the lanes of a vector
 * sums 32 columns; group sizes are multiples of that.
 */

#define BYTES (4 * LANES)   /* bytes of weights in a vector */
#define COLUMNS (8 * LANES) /* two columns in each byte */
#define PARTS (LANES / 4)   /* parts of 32 columns */
#define ROWS 4              /* vectors that part_sums() combines */
#define LINE 64             /* bytes of a cache line */

/* COLUMNS columns of x in prepared form. A prepared row of x is an array of these. */
typedef struct {
  vi even, odd;
  vi start; /* -8 sum (x - z), in the lanes of x */
  vi minus_zero;
  vi rest; /* added to those bytes, because 128 is not a signed byte: usually 0 */
} Columns;

/* Bytes 0, 2, 4, ... or 1, 3, 5, ... of two vectors, in order; as words they are sign-extended. */
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

/*
 * Prepares the next n <= COLUMNS columns of x. The columns after them are 0. If their weights are 0
 * too, z has no effect there, except on start.
 */
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
  c.minus_zero = vi_set1_8 ((gint8) MIN (-zero, G_MAXINT8));
  c.rest = vi_set1_8 ((gint8) (-zero - MIN (-zero, G_MAXINT8)));
  return c;
}

static gsize
prepared_size (gsize k)
{
  return (k + COLUMNS - 1) / COLUMNS * sizeof (Columns);
}

static void
prepare (gsize k, const gint8 *x, gint32 zero, gpointer prepared)
{
  Columns *columns = prepared;

  for (gsize p = 0; p < k; p += COLUMNS)
    columns[p / COLUMNS] = load_columns (x + p, k - p, zero);
}

/*
 * The products of a vector of weights, added by eights. has_rest: a constant when inlined. Without
 * VNNI, products are added as 16-bit numbers first: they are at most 2 * (2 * 15 * 128 + 30 * 128).
 */
INLINE vi
row_lanes (const Columns *c, const gboolean has_rest, vi w)
{
  const vi mask = vi_set1_8 (15);
  vi low = vi_and (w, mask), high = vi_and (vi_srl_16 (w, 4), mask), both = vi_add_8 (low, high);
#if VNNI
  vi acc = add_products (add_products (c->start, low, c->even), high, c->odd);

  acc = add_products (acc, both, c->minus_zero);
  return has_rest ? add_products (acc, both, c->rest) : acc;
#else
  vi words = vi_add_16 (multiply_bytes (low, c->even), multiply_bytes (high, c->odd));

  words = vi_add_16 (words, multiply_bytes (both, c->minus_zero));
  if (has_rest)
    words = vi_add_16 (words, multiply_bytes (both, c->rest));
  return add_words (c->start, words);
#endif
}

/* Combines four rows into one vector: part p of it has the sums of part p of each row. */
INLINE vi
part_sums (vi r0, vi r1, vi r2, vi r3)
{
  vi a = vi_add (vi_unpack_lo (r0, r1), vi_unpack_hi (r0, r1));
  vi b = vi_add (vi_unpack_lo (r2, r3), vi_unpack_hi (r2, r3));

  return vi_add (vi_unpack_lo_64 (a, b), vi_unpack_hi_64 (a, b));
}

typedef struct {
  gsize row_bytes, row_scales;
  gsize distance; /* distance in rows to those that are prefetched */
  gboolean past_caches;
  /* Within the row where they begin: */
  const guint8 *weights;
  const guint16 *scales;
  guintptr ahead, scales_ahead; /* the prefetch address */
} Rows;

/* The weights of row @row; beyond the last row, the last one. */
INLINE const guint8 *
row_at (const Rows *rows, gsize n, gsize row)
{
  return rows->weights + MIN (row, n - 1) * rows->row_bytes;
}

/*
 * Prefetches weights while the bytes of four rows from @offset on are read. The prefetched bytes
 * are contiguous, because memory is faster line after line than in several rows at once.
 */
INLINE void
fetch_weights (const Rows *rows, gsize offset)
{
  UNROLLED (i, ROWS)
    if (i * BYTES % LINE == 0)
      fetch_line (rows->ahead + ROWS * offset + i * BYTES, rows->past_caches);
}

/* Prefetches scales while the scales of four rows from @group on are read. */
INLINE void
fetch_scales (const Rows *rows, gsize group)
{
  _mm_prefetch ((const char *) (rows->scales_ahead + group * ROWS * sizeof *rows->scales),
                _MM_HINT_T0);
}

/* The sums of the parts of four rows. whole: at least a whole vector of columns is left. */
INLINE vi
sums_of_four (const Rows *rows, gsize n, gsize offset, const gboolean whole,
              const gboolean has_rest, const Columns *c)
{
  vi lanes[ROWS];

  fetch_weights (rows, offset);
  UNROLLED (i, ROWS) {
    const guint8 *w = row_at (rows, n, i) + offset;

    lanes[i] =
        row_lanes (c, has_rest,
                   whole ? vi_load (w) : vi_load_bytes (w, MIN (rows->row_bytes - offset, BYTES)));
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

/* For groups of any size: the sums of the parts of a group are added as integers. */
static __m128
groups_of_four (gsize n, gsize k, gsize group, const Columns *columns, const Rows *rows)
{
  gsize parts_left = group / 32, g = 0;
  __m128i d = _mm_setzero_si128 ();
  __m128 acc = _mm_setzero_ps ();

  for (gsize p = 0; p < k; p += COLUMNS) {
    vi sums = sums_of_four (rows, n, p / 2, k - p >= COLUMNS, TRUE, &columns[p / COLUMNS]);

    fetch_scales (rows, p / group);
    UNROLLED (part, PARTS) {
      if (p + 32 * part >= k)
        break;
      d = _mm_add_epi32 (d, PART (sums, part));
      if (--parts_left > 0)
        continue;
      acc = _mm_add_ps (acc, _mm_mul_ps (_mm_cvtepi32_ps (d), scales_of (rows, n, g)));
      d = _mm_setzero_si128 ();
      parts_left = group / 32;
      g++;
    }
  }
  return acc;
}

/* The scales of @count groups of a row, at most PARTS of them. */
INLINE __m128i
load_scales (const guint16 *p, gsize count)
{
#if LANES == 16
  return _mm_maskz_loadu_epi16 ((__mmask8) ((1u << count) - 1), p);
#else
  gint32 bits = *p;

  if (count == PARTS)
    __builtin_memcpy (&bits, p, sizeof bits);
  return _mm_cvtsi32_si128 (bits);
#endif
}

/* The scales of @count groups, at most PARTS, in the order of part_sums(). */
INLINE vf
part_scales (const Rows *rows, gsize n, gsize group, gsize count)
{
  __m128i r[ROWS], a, b;

  UNROLLED (i, ROWS)
    r[i] = load_scales (rows->scales + MIN (i, n - 1) * rows->row_scales + group, count);
  a = _mm_unpacklo_epi16 (r[0], r[1]);
  b = _mm_unpacklo_epi16 (r[2], r[3]);
#if LANES == 16
  {
    __m256i both = _mm256_set_m128i (_mm_unpackhi_epi32 (a, b), _mm_unpacklo_epi32 (a, b));

    return vi_floats (vi_sll (_mm512_cvtepu16_epi32 (both), 16));
  }
#else
  return vi_floats (vi_sll (_mm256_cvtepu16_epi32 (_mm_unpacklo_epi32 (a, b)), 16));
#endif
}

/* acc + the groups of one vector of columns; the last vector may have fewer than PARTS. */
INLINE __m128
add_groups_of_32 (const gboolean has_rest, const gboolean whole, gsize count, gsize n, gsize p,
                  const Columns *c, const Rows *rows, __m128 acc)
{
  vf d = vi_to_float (sums_of_four (rows, n, p / 2, whole, has_rest, c));

  fetch_scales (rows, p / 32);
  d = vf_mul (d, part_scales (rows, n, p / 32, whole ? PARTS : count));
  UNROLLED (part, PARTS)
    if (whole || part < count)
      acc = _mm_add_ps (acc, _mm_castsi128_ps (PART (vf_bits (d), part)));
  return acc;
}

/* For groups of 32 columns: each part of a vector is a group. */
INLINE __m128
groups_of_32 (const gboolean has_rest, gsize n, gsize k, const Columns *columns, const Rows *rows)
{
  __m128 acc = _mm_setzero_ps ();
  gsize p = 0;

  for (; p + COLUMNS <= k; p += COLUMNS)
    acc = add_groups_of_32 (has_rest, TRUE, PARTS, n, p, &columns[p / COLUMNS], rows, acc);
  if (p < k)
    acc = add_groups_of_32 (has_rest, FALSE, (k - p) / 32, n, p, &columns[p / COLUMNS], rows, acc);
  return acc;
}

/* Sets the fields that are equal for all rows. */
static Rows
all_rows (const PtQ4Rows *all)
{
  gsize row_bytes = (all->k + 1) / 2;

  return (Rows){ row_bytes, all->group > 0 ? all->k / all->group : 0, rows_ahead (row_bytes, ROWS),
                 pt_cpu_fetches_past_caches () };
}

/* Sets @rows to begin at row @row of @n. */
INLINE void
begin_with (Rows *rows, const PtQ4Rows *all, gsize n, gsize row)
{
  rows->weights = all->weights + row * rows->row_bytes;
  rows->ahead = address_of_row (row + rows->distance, n, rows->row_bytes, all->weights, all->next);
  if (all->group > 0) {
    rows->scales = all->scales + row * rows->row_scales;
    rows->scales_ahead =
        (guintptr) rows->scales + rows->distance * rows->row_scales * sizeof *rows->scales;
  }
}

static void
dot_groups (gsize n, gconstpointer prepared, const PtQ4Rows *all, float *acc)
{
  const Columns *columns = prepared;
  gsize k = all->k;
  gboolean has_rest = k > 0 && *(const gint8 *) &columns->rest != 0;
  Rows rows = all_rows (all);

  for (gsize j = 0; j < n; j += ROWS) {
    gsize here = MIN (ROWS, n - j);
    float four[ROWS];

    begin_with (&rows, all, n, j);
    if (all->group != 32)
      _mm_storeu_ps (four, groups_of_four (here, k, all->group, columns, &rows));
    else if (has_rest || here < ROWS)
      _mm_storeu_ps (four, groups_of_32 (TRUE, here, k, columns, &rows));
    else
      _mm_storeu_ps (four, groups_of_32 (FALSE, ROWS, k, columns, &rows));
    for (gsize i = 0; i < here; i++)
      acc[j + i] = four[i];
  }
}

/* For rows that consist of one group. */
static __m128i
sums_of_rows (gsize n, gsize k, gint32 zero, const Columns *columns, const Rows *rows)
{
  vi total = vi_zero ();

  for (gsize p = 0; p < k; p += COLUMNS) {
    Columns c = columns[p / COLUMNS];

    if (k - p < COLUMNS) { /* start must not include the missing columns */
      gint32 there[LANES];

      for (gsize lane = 0; lane < LANES; lane++)
        there[lane] = (gint32) (k - p > 8 * lane ? MIN (8, k - p - 8 * lane) : 0) * 8 - 64;
      c.start = vi_add (c.start, vi_mul (vi_load (there), vi_set1 (zero)));
    }
    total = vi_add (total, sums_of_four (rows, n, p / 2, k - p >= COLUMNS, TRUE, &c));
  }
#if LANES == 16
  return _mm_add_epi32 (_mm_add_epi32 (PART (total, 0), PART (total, 1)),
                        _mm_add_epi32 (PART (total, 2), PART (total, 3)));
#else
  return _mm_add_epi32 (PART (total, 0), PART (total, 1));
#endif
}

static void
dot (gsize n, gconstpointer prepared, gint32 zero, const PtQ4Rows *all, gint32 *sums)
{
  Rows rows = all_rows (all);

  for (gsize j = 0; j < n; j += ROWS) {
    gsize here = MIN (ROWS, n - j);
    gint32 four[ROWS];

    begin_with (&rows, all, n, j);
    _mm_storeu_si128 ((__m128i *) four, sums_of_rows (here, all->k, zero, prepared, &rows));
    for (gsize i = 0; i < here; i++) {
      /* In a row of odd length, the last nibble counts as a weight for x = 0. */
      if (all->k % 2 != 0)
        four[i] += zero * (row_at (&rows, here, i)[all->k / 2] >> 4);
      sums[j + i] = four[i];
    }
  }
}

/* k nibbles to bytes w. */
static void
unpack (gsize k, const guint8 *w, gint8 *bytes)
{
  gsize p = 0;

  for (; p + 4 * LANES <= k; p += 4 * LANES) {
#if LANES == 16
    vi pairs = _mm512_cvtepu8_epi16 (_mm256_loadu_si256 ((const __m256i *) (w + p / 2)));

    pairs = vi_and (vi_or (pairs, _mm512_slli_epi16 (pairs, 4)), vi_set1_8 (15));
#else
    vi pairs = _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const __m128i *) (w + p / 2)));

    pairs = vi_and (vi_or (pairs, _mm256_slli_epi16 (pairs, 4)), vi_set1_8 (15));
#endif
    vi_store (bytes + p, vi_add_8 (pairs, vi_set1_8 (-8)));
  }
  for (; p < k; p++)
    bytes[p] = (gint8) ((p % 2 ? w[p / 2] >> 4 : w[p / 2] & 15) - 8);
}

const PtQ4Kernels PT_Q4_KERNELS = {
  .prepared_size = prepared_size,
  .prepare = prepare,
  .dot_groups = dot_groups,
  .dot = dot,
  .unpack = unpack,
};
