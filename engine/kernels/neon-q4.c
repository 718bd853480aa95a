/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/neon-dot.h"

/*
 * Products with rows of 4-bit weights in place, for 64-bit ARM. The file is compiled once for each
 * level; PT_Q4_KERNELS is the name of the table.
 *
 * A stored nibble s is w + 8, and sum (x - z)(s - 8) = sum x s - z sum s - 8 sum (x - z). The last
 * term is the same for all rows. A vector of weights has PART columns: the even ones in its low
 * nibbles, the odd ones in its high nibbles. Group sizes are multiples of that.
 */

#define PART 32
#define PART_BYTES (PART / 2)
#define ROWS 4
/* Bytes of a cache line. */
#define LINE 64

/* PART columns of x in prepared form. */
typedef struct {
  int8x16_t even, odd;
} Part;

/* A prepared row of x: this, then its parts, then for each part -8 sum (x - z). */
typedef struct {
  int8x16_t minus_zero;
  int8x16_t rest; /* added to those bytes, because 128 is not a signed byte: usually 0 */
  gsize n_parts;
  gint32 has_rest;
  guint8 padding[20];
} Head;

G_STATIC_ASSERT (sizeof (Head) == 64);

static const Part *
parts_of (gconstpointer prepared)
{
  return (gconstpointer) ((const Head *) prepared + 1);
}

static const gint32 *
starts_of (const Head *head)
{
  return (gconstpointer) (parts_of (head) + head->n_parts);
}

static gsize
prepared_size (gsize k)
{
  return sizeof (Head) + pt_div_up (k, PART) * (sizeof (Part) + sizeof (gint32));
}

static void
prepare (gsize k, const gint8 *x, gint32 zero, gpointer prepared)
{
  Head *head = prepared;
  Part *part = (gpointer) (head + 1);
  gint32 *start = (gpointer) (part + pt_div_up (k, PART));
  gint32 minus_zero = MIN (-zero, G_MAXINT8);

  head->n_parts = pt_div_up (k, PART);
  head->minus_zero = vdupq_n_s8 ((gint8) minus_zero);
  head->rest = vdupq_n_s8 ((gint8) (-zero - minus_zero));
  head->has_rest = -zero != minus_zero;
  for (gsize p = 0; p < k; p += PART, part++, start++) {
    gsize n = MIN (PART, k - p);
    int8x16_t a = load_bytes (x + p, n);
    int8x16_t b = n > BLOCK ? load_bytes (x + p + BLOCK, n - BLOCK) : vdupq_n_s8 (0);
    gint32 sum = vaddlvq_s8 (a) + vaddlvq_s8 (b);

    part->even = vuzp1q_s8 (a, b);
    part->odd = vuzp2q_s8 (a, b);
    *start = 8 * ((gint32) n * zero - sum);
  }
}

/* acc + the products of one part of a row. has_rest: a constant when inlined. */
INLINE vi
add_part (vi acc, const Part *part, const Head *head, const gboolean has_rest, uint8x16_t w)
{
  int8x16_t low = vreinterpretq_s8_u8 (vandq_u8 (w, vdupq_n_u8 (15)));
  int8x16_t high = vreinterpretq_s8_u8 (vshrq_n_u8 (w, 4)), both = vaddq_s8 (low, high);
#ifdef __ARM_FEATURE_DOTPROD
  acc = vdotq_s32 (acc, low, part->even);
  acc = vdotq_s32 (acc, high, part->odd);
  acc = vdotq_s32 (acc, both, head->minus_zero);
  return has_rest ? vdotq_s32 (acc, both, head->rest) : acc;
#else
  /* Eight products of nibbles and two with pairs of them fit into 16 bits. */
  int16x8_t sums = vmull_s8 (vget_low_s8 (low), vget_low_s8 (part->even));

  sums = vmlal_high_s8 (sums, low, part->even);
  sums = vmlal_s8 (sums, vget_low_s8 (high), vget_low_s8 (part->odd));
  sums = vmlal_high_s8 (sums, high, part->odd);
  sums = vmlal_s8 (sums, vget_low_s8 (both), vget_low_s8 (head->minus_zero));
  sums = vmlal_high_s8 (sums, both, head->minus_zero);
  if (has_rest) {
    sums = vmlal_s8 (sums, vget_low_s8 (both), vget_low_s8 (head->rest));
    sums = vmlal_high_s8 (sums, both, head->rest);
  }
  return vpadalq_s16 (acc, sums);
#endif
}

/* Four rows of weights, of which the last ones may be the same. */
typedef struct {
  const guint8 *weights[ROWS];
  const guint16 *scales[ROWS];
  guintptr ahead; /* what is prefetched */
} Four;

INLINE Four
four_rows (const PtQ4Rows *all, gsize n, gsize row)
{
  gsize row_bytes = (all->k + 1) / 2, row_scales = all->group > 0 ? all->k / all->group : 0;
  Four four;

  UNROLLED (i, ROWS) {
    gsize at = MIN (row + i, n - 1);

    four.weights[i] = all->weights + at * row_bytes;
    four.scales[i] = all->group > 0 ? all->scales + at * row_scales : NULL;
  }
  four.ahead =
      address_of_row (row + rows_ahead (row_bytes, ROWS), n, row_bytes, all->weights, all->next);
  return four;
}

/* Adds part @p of four rows to their sums, and prefetches as much. */
INLINE void
add_parts (const Four *four, const Head *head, const Part *part, const gboolean has_rest, gsize p,
           vi acc[ROWS])
{
  fetch_line (four->ahead + p * ROWS * PART_BYTES, FALSE);
  UNROLLED (i, ROWS)
    acc[i] = add_part (acc[i], part, head, has_rest, vld1q_u8 (four->weights[i] + p * PART_BYTES));
}

/* The scales of group @g of four rows. */
INLINE vf
scales_of (const Four *four, gsize g)
{
  uint16x4_t bits = vdup_n_u16 (0);

  bits = vld1_lane_u16 (four->scales[0] + g, bits, 0);
  bits = vld1_lane_u16 (four->scales[1] + g, bits, 1);
  bits = vld1_lane_u16 (four->scales[2] + g, bits, 2);
  bits = vld1_lane_u16 (four->scales[3] + g, bits, 3);
  return vreinterpretq_f32_u32 (vshll_n_u16 (bits, 16));
}

/*
 * The sums of four rows with groups. The parts of a group are added as integers. has_rest: a
 * constant when inlined.
 */
INLINE vf
groups_of_four (const gboolean has_rest, const PtQ4Rows *all, const Four *four, const Head *head)
{
  const Part *part = parts_of (head);
  const gint32 *start = starts_of (head);
  gsize in_group = all->group / PART, n_groups = head->n_parts / in_group, p = 0;
  vf total = vf_zero ();

  for (gsize g = 0; g < n_groups; g++) {
    vi acc[ROWS] = { vi_zero (), vi_zero (), vi_zero (), vi_zero () }, sums;
    guint32 first = 0;

    for (gsize end = p + in_group; p < end; p++) {
      first += (guint32) start[p];
      add_parts (four, head, &part[p], has_rest, p, acc);
    }
    sums = vi_add (vi_sum_4 (acc[0], acc[1], acc[2], acc[3]), vi_set1 ((gint32) first));
    total = vf_add (total, vf_mul (vi_to_float (sums), scales_of (four, g)));
  }
  return total;
}

/* The scales of groups @g to @g + 3 of four rows, a vector for each group. */
INLINE void
scales_of_four (const Four *four, gsize g, vf scales[4])
{
  uint16x8_t rows[ROWS], even, odd, low, high;

  UNROLLED (i, ROWS)
    rows[i] = vcombine_u16 (vld1_u16 (four->scales[i] + g), vdup_n_u16 (0));
  even = vzip1q_u16 (rows[0], rows[2]);
  odd = vzip1q_u16 (rows[1], rows[3]);
  low = vzip1q_u16 (even, odd);
  high = vzip2q_u16 (even, odd);
  scales[0] = vreinterpretq_f32_u32 (vshll_n_u16 (vget_low_u16 (low), 16));
  scales[1] = vreinterpretq_f32_u32 (vshll_high_n_u16 (low, 16));
  scales[2] = vreinterpretq_f32_u32 (vshll_n_u16 (vget_low_u16 (high), 16));
  scales[3] = vreinterpretq_f32_u32 (vshll_high_n_u16 (high, 16));
}

/* The sums of part @p of four rows, which is a group; head->has_rest is FALSE. */
INLINE vf
part_of_four (const Four *four, const Head *head, gsize p)
{
  vi acc[ROWS];

  UNROLLED (i, ROWS)
    acc[i] = (vi){ starts_of (head)[p] };
  add_parts (four, head, &parts_of (head)[p], FALSE, p, acc);
  return vi_to_float (vi_sum_4 (acc[0], acc[1], acc[2], acc[3]));
}

/* The sums of four rows whose groups are parts; head->has_rest is FALSE. */
static vf
parts_of_four (const Four *four, const Head *head)
{
  vf total = vf_zero ();
  gsize g = 0;

  for (; g + 4 <= head->n_parts; g += 4) {
    vf scales[4];

    scales_of_four (four, g, scales);
    UNROLLED (i, 4)
      total = vf_add (total, vf_mul (part_of_four (four, head, g + i), scales[i]));
  }
  for (; g < head->n_parts; g++)
    total = vf_add (total, vf_mul (part_of_four (four, head, g), scales_of (four, g)));
  return total;
}

static void
dot_groups (gsize n, gconstpointer prepared, const PtQ4Rows *rows, float *acc)
{
  const Head *head = prepared;

  for (gsize j = 0; j < n; j += ROWS) {
    Four four = four_rows (rows, n, j);
    vf sums = head->has_rest        ? groups_of_four (TRUE, rows, &four, head)
              : rows->group == PART ? parts_of_four (&four, head)
                                    : groups_of_four (FALSE, rows, &four, head);

    vf_store_n (acc + j, sums, n - j);
  }
}

/* For rows that consist of one group. */
static vi
sums_of_four (gsize k, const Four *four, const Head *head)
{
  const Part *part = parts_of (head);
  const gint32 *start = starts_of (head);
  gsize p = 0;
  guint32 first = 0;
  vi acc[ROWS] = { vi_zero (), vi_zero (), vi_zero (), vi_zero () };

  for (; (p + 1) * PART <= k; p++) {
    first += (guint32) start[p];
    add_parts (four, head, &part[p], TRUE, p, acc);
  }
  if (p * PART < k)
    UNROLLED (i, ROWS) {
      int8x16_t w =
          load_bytes ((const gint8 *) four->weights[i] + p * PART_BYTES, (k - p * PART + 1) / 2);

      acc[i] = add_part (acc[i], &part[p], head, TRUE, vreinterpretq_u8_s8 (w));
    }
  if (p * PART < k)
    first += (guint32) start[p];
  return vi_add (vi_sum_4 (acc[0], acc[1], acc[2], acc[3]), vi_set1 ((gint32) first));
}

static void
dot (gsize n, gconstpointer prepared, gint32 zero, const PtQ4Rows *rows, gint32 *sums)
{
  for (gsize j = 0; j < n; j += ROWS) {
    Four four = four_rows (rows, n, j);
    gint32 room[ROWS];

    vi_store (room, sums_of_four (rows->k, &four, prepared));
    for (gsize i = 0; i < MIN (ROWS, n - j); i++) {
      /* In a row of odd length, the last nibble counts as a weight for x = 0. */
      if (rows->k % 2 != 0)
        room[i] += zero * (four.weights[i][rows->k / 2] >> 4);
      sums[j + i] = room[i];
    }
  }
}

/* k nibbles to bytes w. */
static void
unpack (gsize k, const guint8 *w, gint8 *bytes)
{
  gsize p = 0;

  for (; p + PART <= k; p += PART) {
    uint8x16_t pairs = vld1q_u8 (w + p / 2);
    int8x16_t low =
        vsubq_s8 (vreinterpretq_s8_u8 (vandq_u8 (pairs, vdupq_n_u8 (15))), vdupq_n_s8 (8));
    int8x16_t high = vsubq_s8 (vreinterpretq_s8_u8 (vshrq_n_u8 (pairs, 4)), vdupq_n_s8 (8));

    vst1q_s8 (bytes + p, vzip1q_s8 (low, high));
    vst1q_s8 (bytes + p + BLOCK, vzip2q_s8 (low, high));
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
