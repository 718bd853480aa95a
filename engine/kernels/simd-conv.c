/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/simd.h"

/*
 * The inner loops of convolutions for AVX2, AVX-512 and NEON; PT_CONV_KERNELS is the name of the
 * table.
 */

INLINE vf
load_part (const gboolean full, const float *p, gsize n)
{
  return full ? vf_load (p) : vf_load_n (p, n);
}

INLINE void
store_part (const gboolean full, float *p, vf x, gsize n)
{
  if (full)
    vf_store (p, x);
  else
    vf_store_n (p, x, n);
}

/* ---- Depthwise: a group of neighbouring outputs shares the loaded filter ---- */

/* With a stride of 2 each output needs two more inputs, so groups are smaller. */
#define GROUP (LANES == 8 ? 7 : 14)
#define SMALL_GROUP 7
#define MAX_ROWS 3
#define MAX_COLUMNS 3

/*
 * Which input columns of a group may lie outside of the input: none, the first and the last, any.
 */
typedef enum { INSIDE, ENDS_BESIDE, ANY_BESIDE } Place;

/* Parameters of the loops; all fields are constants when inlined. */
typedef struct {
  gsize rows, columns, stride; /* 0: those of the PtDepthwise */
  gsize outputs;               /* outputs in a group */
  Place place;
} Way;

INLINE void
start_outputs (const PtDepthwise *d, const gsize outputs, const gboolean full, gsize c, gsize here,
               vf acc[GROUP])
{
  vf start = d->bias != NULL ? load_part (full, d->bias + c, here) : vf_zero ();

  UNROLLED (i, outputs)
    acc[i] = start;
}

INLINE void
finish_outputs (const PtDepthwise *d, const gsize outputs, const gboolean full, gsize first,
                gsize c, gsize here, const vf acc[GROUP])
{
  vf min = vf_set1 (d->min), max = vf_set1 (d->max);
  gsize step = not_hoisted (d->y_step);
  float *y = d->y + first * step + c;

  UNROLLED (i, outputs)
    store_part (full, EVERY_THIRD (y, i, step), vf_clamp (acc[i], min, max), here);
}

/*
 * Computes channels [c, c + here) of outputs from @first on, for any window. Column numbers are
 * unsigned: those before the first wrap around, so they compare as larger than the last one.
 */
INLINE void
any_window (const PtDepthwise *d, const Way way, const gboolean full, gsize first, gsize c,
            gsize here)
{
  gsize step = d->stride * d->x_step;
  vf acc[GROUP];

  start_outputs (d, way.outputs, full, c, here, acc);
  for (gsize row = 0; row < d->rows; row++)
    for (gsize k = 0; k < d->columns; k++) {
      gsize column = first * d->stride + k * d->dilation - d->pad;
      const float *x = d->x[row] + column * d->x_step + c;
      vf w = load_part (full, d->w[row] + k * d->w_step + c, here);

      UNROLLED (i, way.outputs)
        if (way.place == INSIDE || column + i * d->stride < d->in_w)
          acc[i] = vf_fma (load_part (full, EVERY_THIRD (x, i, step), here), w, acc[i]);
    }
  finish_outputs (d, way.outputs, full, first, c, here, acc);
}

/*
 * The same for a known window: each input is loaded once for all outputs of the group that read it,
 * and the filter once for all groups.
 */
INLINE void
known_window (const PtDepthwise *d, const Way way, const vf w[MAX_ROWS][MAX_COLUMNS], gsize first,
              gsize c)
{
  const gsize n_columns = (way.outputs - 1) * way.stride + way.columns;
  gsize begin = first * way.stride - d->pad;
  vf acc[GROUP];

  start_outputs (d, way.outputs, TRUE, c, LANES, acc);
  UNROLLED (row, way.rows) {
    gsize step = not_hoisted (d->x_step);
    const float *x = d->x[row] + begin * step + c;

    UNROLLED (j, n_columns)
      if (way.place == INSIDE || (way.place == ENDS_BESIDE && j > 0 && j + 1 < n_columns) ||
          begin + j < d->in_w) {
        vf in = vf_in_register (vf_load (EVERY_THIRD (x, j, step)));

        UNROLLED (k, way.columns)
          if (j >= k && (j - k) % way.stride == 0 && (j - k) / way.stride < way.outputs)
            acc[(j - k) / way.stride] = vf_fma (in, w[row][k], acc[(j - k) / way.stride]);
      }
  }
  finish_outputs (d, way.outputs, TRUE, first, c, LANES, acc);
}

INLINE Place
find_place (const PtDepthwise *d, gsize first, gsize outputs)
{
  gsize begin = first * d->stride,
        end = begin + (outputs - 1) * d->stride + (d->columns - 1) * d->dilation + 1;

  if (begin >= d->pad && end <= d->pad + d->in_w)
    return INSIDE;
  return begin + 1 >= d->pad && end <= d->pad + d->in_w + 1 ? ENDS_BESIDE : ANY_BESIDE;
}

/* Computes channels [c, c + here) of a group of outputs. */
INLINE void
make_group (const PtDepthwise *d, const Way way, const vf w[MAX_ROWS][MAX_COLUMNS],
            const gboolean full, gsize first, gsize c, gsize here)
{
  if (way.rows > 0 && full)
    known_window (d, way, w, first, c);
  else
    any_window (d, way, full, first, c, here);
}

/* Computes channels [c, c + here) of outputs [first, first + n) of one row. */
INLINE void
make_row (const PtDepthwise *d, const gsize rows, const gsize columns, const gsize stride,
          const vf w[MAX_ROWS][MAX_COLUMNS], const gboolean full, gsize first, gsize n, gsize c,
          gsize here)
{
  gsize o = first, end = first + n;

  for (; GROUP > SMALL_GROUP && stride == 1 && o + GROUP <= end; o += GROUP) {
    Place place = find_place (d, o, GROUP);

    if (place == ANY_BESIDE)
      break;
    if (place == INSIDE)
      make_group (d, (Way){ rows, columns, stride, GROUP, INSIDE }, w, full, o, c, here);
    else
      make_group (d, (Way){ rows, columns, stride, GROUP, ENDS_BESIDE }, w, full, o, c, here);
  }
  for (; o + SMALL_GROUP <= end; o += SMALL_GROUP)
    switch (find_place (d, o, SMALL_GROUP)) {
    case INSIDE:
      make_group (d, (Way){ rows, columns, stride, SMALL_GROUP, INSIDE }, w, full, o, c, here);
      break;
    case ENDS_BESIDE:
      make_group (d, (Way){ rows, columns, stride, SMALL_GROUP, ENDS_BESIDE }, w, full, o, c, here);
      break;
    default: make_group (d, (Way){ 0, 0, 0, SMALL_GROUP, ANY_BESIDE }, w, full, o, c, here);
    }
  for (; o + 3 <= end; o += 3)
    make_group (d, (Way){ 0, 0, 0, 3, ANY_BESIDE }, w, full, o, c, here);
  for (; o < end; o++)
    make_group (d, (Way){ 0, 0, 0, 1, ANY_BESIDE }, w, full, o, c, here);
}

/* The same for all rows, which share the filter. */
INLINE void
make_rows (const PtDepthwise *d, const gsize rows, const gsize columns, const gsize stride,
           const gboolean full, gsize first, gsize n, gsize c, gsize here)
{
  PtDepthwise row = *d;
  vf w[MAX_ROWS][MAX_COLUMNS];

  UNROLLED (i, rows)
    UNROLLED (k, columns)
      w[i][k] = load_part (full, d->w[i] + k * d->w_step + c, here);
  for (gsize i = 0; i < d->n_rows; i++, row.x += d->rows, row.y += d->y_row)
    make_row (&row, rows, columns, stride, w, full, first, n, c, here);
}

INLINE void
depthwise_rows (const PtDepthwise *d, const gsize rows, const gsize columns, const gsize stride,
                gsize first, gsize n)
{
  gsize c = 0;

  for (; c + LANES <= d->channels; c += LANES)
    make_rows (d, rows, columns, stride, TRUE, first, n, c, LANES);
  if (c < d->channels)
    make_rows (d, 0, 0, 0, FALSE, first, n, c, d->channels - c);
}

static void
depthwise (const PtDepthwise *rows, gsize first, gsize n)
{
  /* A local copy: the compiler knows that no store changes it. */
  const PtDepthwise d = *rows;
  gboolean is_known = d.columns == 3 && d.dilation == 1;

  if (is_known && d.rows == 3 && d.stride == 1)
    depthwise_rows (&d, 3, 3, 1, first, n);
  else if (is_known && d.rows == 2 && d.stride == 1)
    depthwise_rows (&d, 2, 3, 1, first, n);
  else if (is_known && d.rows == 3 && d.stride == 2)
    depthwise_rows (&d, 3, 3, 2, first, n);
  else
    depthwise_rows (&d, 0, 0, 0, first, n);
}

INLINE void
largest_part (const gboolean full, gsize c, gsize here, gsize taps, const float *const *x, vf min,
              vf max, float *y)
{
  vf best = load_part (full, x[0] + c, here);

  for (gsize t = 1; t < taps; t++)
    best = vf_max (best, load_part (full, x[t] + c, here));
  store_part (full, y + c, vf_clamp (best, min, max), here);
}

static void
largest (gsize n, gsize taps, const float *const *x, float min, float max, float *y)
{
  gsize c = 0;

  for (; c + LANES <= n; c += LANES)
    largest_part (TRUE, c, LANES, taps, x, vf_set1 (min), vf_set1 (max), y);
  if (c < n)
    largest_part (FALSE, c, n - c, taps, x, vf_set1 (min), vf_set1 (max), y);
}

/* B^T of winograd.h: four numbers. */
INLINE void
turn_in (vf x[4])
{
  vf a = vf_sub (x[0], x[2]), b = vf_add (x[1], x[2]);
  vf c = vf_sub (x[2], x[1]), d = vf_sub (x[1], x[3]);

  x[0] = a;
  x[1] = b;
  x[2] = c;
  x[3] = d;
}

INLINE void
winograd_in_part (const gboolean full, gsize c, gsize here,
                  const float *const x[PT_WINOGRAD_PLACES], float *v, gsize step)
{
  vf rows[4][4];

  UNROLLED (i, 4)
    UNROLLED (j, 4)
      rows[j][i] = load_part (full, x[4 * i + j] + c, here);
  UNROLLED (j, 4)
    turn_in (rows[j]);
  UNROLLED (i, 4) {
    vf row[4];

    UNROLLED (j, 4)
      row[j] = rows[j][i];
    turn_in (row);
    UNROLLED (j, 4)
      store_part (full, v + (4 * i + j) * step + c, row[j], here);
  }
}

static void
winograd_in (gsize n, const float *const x[PT_WINOGRAD_PLACES], float *v, gsize step)
{
  gsize c = 0;

  for (; c + LANES <= n; c += LANES)
    winograd_in_part (TRUE, c, LANES, x, v, step);
  if (c < n)
    winograd_in_part (FALSE, c, n - c, x, v, step);
}

INLINE void
winograd_out_part (const gboolean full, gsize c, gsize here, const float *m, gsize step,
                   const float *bias, vf min, vf max, float *const y[4])
{
  vf start = bias != NULL ? load_part (full, bias + c, here) : vf_zero (), half[2][4];

  UNROLLED (j, 4) {
    vf x[4], sum, difference;

    UNROLLED (i, 4)
      x[i] = load_part (full, m + (4 * i + j) * step + c, here);
    sum = vf_add (x[1], x[2]);
    difference = vf_sub (x[1], x[2]);
    half[0][j] = vf_add (x[0], sum);
    half[1][j] = vf_sub (difference, x[3]);
  }
  UNROLLED (i, 2) {
    vf sum = vf_add (half[i][1], half[i][2]), difference = vf_sub (half[i][1], half[i][2]);
    vf left = vf_add (start, vf_add (half[i][0], sum));
    vf right = vf_add (start, vf_sub (difference, half[i][3]));

    if (y[2 * i] != NULL)
      store_part (full, y[2 * i] + c, vf_clamp (left, min, max), here);
    if (y[2 * i + 1] != NULL)
      store_part (full, y[2 * i + 1] + c, vf_clamp (right, min, max), here);
  }
}

static void
winograd_out (gsize n, const float *m, gsize step, const float *bias, float min, float max,
              float *const y[4])
{
  gsize c = 0;

  for (; c + LANES <= n; c += LANES)
    winograd_out_part (TRUE, c, LANES, m, step, bias, vf_set1 (min), vf_set1 (max), y);
  if (c < n)
    winograd_out_part (FALSE, c, n - c, m, step, bias, vf_set1 (min), vf_set1 (max), y);
}

const PtConvKernels PT_CONV_KERNELS = {
  .depthwise = depthwise,
  .largest = largest,
  .winograd_in = winograd_in,
  .winograd_out = winograd_out,
};
