/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>

#include "engine/kernels/cpu.h"
#include "engine/kernels/depthwise.h"
#include "engine/kernels/packed-q8.h"
#include "engine/kernels/q8-loops.h"
#include "engine/kernels/vector.h"

G_BEGIN_DECLS

/*
 * The serial loops that exist once for each instruction set, in tables. All higher levels (blocks,
 * threads, formats) are common C code that calls through these tables. For files of engine/kernels
 * only.
 */

/** The maximum of rows for the dot kernels. */
#define PT_DOT_ROWS 4
/** The largest tile of all instruction sets: rows, columns. */
#define PT_MAX_MR 32
#define PT_MAX_NR 32

#define PT_LINE 64 /* bytes of a cache line */

/**
 * PtAhead: lines to prefetch, in their order: from @at to the end of its row, then of the following
 * rows.
 */
typedef struct {
  guintptr at, row_end;
  gsize row_bytes, row_stride; /* in bytes */
} PtAhead;

/** Rows of 16 or 8 bits for each number that become floats. Strides are in numbers. */
typedef struct {
  gconstpointer x;
  gsize n_rows, n_columns, stride;
  const gint8 *zeros; /* of 8 bits: one for each row */
  const float *scales;
  gsize zero_stride, scale_stride;
} PtTypedRows;

/** The number of cache lines of @size bytes. */
static inline gsize
pt_lines (gsize size)
{
  return (size + PT_LINE - 1) / PT_LINE;
}

/** Goes on to the next line. */
static inline gconstpointer
pt_next_line (PtAhead *ahead)
{
  guintptr line = ahead->at, end = ahead->row_end;

  ahead->at = line + PT_LINE;
  if (ahead->at >= end) {
    ahead->row_end = end + ahead->row_stride;
    ahead->at = ahead->row_end - ahead->row_bytes;
  }
  return (gconstpointer) line;
}

static inline void
pt_fetch_ahead (PtAhead *ahead, gsize n_lines)
{
  for (gsize i = 0; ahead != NULL && i < n_lines; i++)
    __builtin_prefetch (pt_next_line (ahead));
}

/** The start of a float tile (bias, or the content of c) and its end (clamp). */
typedef struct {
  const float *bias;   /* [nr] or NULL: zeros */
  gboolean accumulate; /* start from c instead */
  gboolean add;        /* finally add the sums to c */
  float min, max;
  gboolean pairs; /* AVX-512: products of odd p have a separate sum */
  /* For each p, prefetch the address @ahead_step floats further; NULL: no prefetch. */
  const float *ahead;
  gsize ahead_step;
  const gsize *offsets; /* column p of a row of a is at offsets[p]; NULL: at p */
} PtTileEnds;

/** Parameters that turn integer sums into floats, for one row of dynamically quantised x. */
typedef struct {
  gint32 zero;
  float scale;
  const gint32 *row_sums; /* [n] */
  const float *scales;    /* [n] */
  const float *bias;      /* [n] or NULL */
  float min, max;
} PtQd8Ends;

/** Parameters that turn integer sums into bytes, for one row of a static 8-bit product. */
typedef struct {
  gint32 x_zero, y_zero;
  const gint32 *row_sums; /* [n] */
  const gint32 *bias;     /* [n] or NULL */
  const float *scale;     /* [n] */
  gint32 y_min, y_max;
} PtQs8Ends;

typedef struct {
  void (*unary) (PtUnary op, gsize n, const float *x, float *y);
  void (*binary) (PtBinary op, gsize n, const float *a, const float *b, float min, float max,
                  float *y);
  void (*binary_scalar) (PtBinary op, gsize n, const float *a, float b, gboolean reversed,
                         float min, float max, float *y);
  void (*clamp) (gsize n, const float *x, float lo, float hi, float *y);
  void (*scale) (gsize n, const float *x, float factor, float *y);
  void (*softmax) (gsize n, const float *x, float *y);
  float (*sum) (gsize n, const float *x);
  float (*max) (gsize n, const float *x);
  float (*dot) (gsize n, const float *a, const float *b);
  float (*sum_squares) (gsize n, const float *x);
  void (*layer_norm) (gsize n, const float *x, const float *weight, const float *bias, float eps,
                      float *y, float *mean_out, float *rstd_out);
  void (*f16_to_f32) (gsize n, const guint16 *x, float *y);
  void (*f32_to_f16) (gsize n, const float *x, guint16 *y);
  void (*bf16_to_f32) (gsize n, const guint16 *x, float *y);
  void (*f32_to_bf16) (gsize n, const float *x, guint16 *y);
  void (*i8_to_f32) (gsize n, const gint8 *x, float zero, float scale, float *y);
  /*
   * The same for rows of attention, into dense rows. @ahead: prefetch as many lines as the rows
   * have; or NULL.
   */
  void (*half_rows_to_f32) (const PtTypedRows *rows, gboolean is_bf16, PtAhead *ahead, float *y);
  void (*i8_rows_to_f32) (const PtTypedRows *rows, PtAhead *ahead, float *y);

  /*
   * One row of n scores of an online softmax: x = exp(x * scale + mask - new maximum); updates *max
   * and *sum. Returns the factor for older results. While all scores are -inf, x becomes 0. @mask
   * may be NULL. The row is the visible part of a block of @block scores; its whole vectors of 16
   * and the rest have separate sums.
   */
  float (*softmax_step) (gsize n, gsize block, float *x, float scale, const float *mask, float *max,
                         float *sum);

  void (*quantize_row) (gsize k, const float *x, gint8 *q, gsize stride, float *scale,
                        gint32 *zero);
  void (*finish_qd8) (gsize n, const gint32 *sums, const PtQd8Ends *ends, float *y);
  void (*finish_qs8) (gsize n, const gint32 *sums, const PtQs8Ends *ends, gint8 *y);
} PtVectorKernels;

typedef struct {
  /*
   * c[i][j] = sum_p a[i][p] b[j][p] for m <= PT_DOT_ROWS rows, both read in place; b has numbers of
   * @type, which are converted as they are read.
   */
  void (*dot_rows) (PtFloatType type, gsize m, gsize n, gsize k, const float *a, gsize lda,
                    gconstpointer b, gsize ldb, float *c, gsize ldc);
  /*
   * Tiles of c = a . panel, m <= mr, n <= nr; row p of the panel begins at panel + p * ldp. With at
   * most narrow_n columns (and no pairs), m may be up to narrow_m.
   */
  gsize mr, nr, narrow_m, narrow_n;
  void (*tile) (gsize m, gsize n, gsize k, const float *a, gsize lda, const float *panel, gsize ldp,
                const PtTileEnds *ends, float *c, gsize ldc);
  /*
   * The same sums in the order of lane-dot.h: four rows of b at a time in 4 lanes, then the rest.
   * @ahead: prefetch as many lines as b has; or NULL.
   */
  void (*lane_dots) (gsize m, gsize n, gsize k, gboolean lead, const float *a, gsize lda,
                     const float *b, gsize ldb, PtAhead *ahead, float *c, gsize ldc);
  /*
   * c[i][j] += w[i][0] b[0][j], c[i][j] += w[i][1] b[1][j], ... for m <= PT_DOT_ROWS rows of n
   * columns; products are rounded before the sum. @ahead: as for lane_dots.
   */
  void (*add_rows) (gsize m, gsize n, gsize k, const float *w, gsize ldw, const float *b, gsize ldb,
                    PtAhead *ahead, float *c, gsize ldc);
  /* panel[p][0..nr) = b[0..nr)[p] for n <= nr rows of b; missing rows are 0. */
  void (*pack_transposed) (gsize n, gsize k, const float *b, gsize ldb, float *panel);
} PtF32Kernels;

/** Numbers for each channel in a tile of winograd.h. */
#define PT_WINOGRAD_PLACES 16

typedef struct {
  /* See pt_depthwise_f32(). */
  void (*depthwise) (const PtDepthwise *d, gsize first, gsize n);
  /* See pt_largest_f32(). */
  void (*largest) (gsize n, gsize taps, const float *const *x, float min, float max, float *y);
  /* B^T x B of 4x4 pixels of n channels; results @step floats apart. */
  void (*winograd_in) (gsize n, const float *const x[PT_WINOGRAD_PLACES], float *v, gsize step);
  /* clamp (A^T m A + bias): 2x2 pixels; the pointers of pixels may be NULL. */
  void (*winograd_out) (gsize n, const float *m, gsize step, const float *bias, float min,
                        float max, float *const y[4]);
} PtConvKernels;

typedef struct {
  /* sums[i][j] = sum_p x[i][p] w[j][p] for m <= PT_DOT_ROWS rows; weights are read in place. */
  void (*dot_rows) (gsize m, gsize n, gsize k, const gint8 *x, gsize ldx, const gint8 *w, gsize ldw,
                    gint32 *sums, gsize ldsums);
  /*
   * The same for one row of x and contiguous rows of weights, which are read in memory order.
   * @next: the address to prefetch at the end; it may be any address.
   */
  void (*stream_rows) (gsize n, gsize k, const gint8 *x, const gint8 *w, const gint8 *next,
                       gint32 *sums);
  void (*row_sums) (gsize n, gsize k, const gint8 *w, gsize ldw, gint32 *sums);
} PtInt8Kernels;

/** Many rows times 8-bit weights, which are packed into panels of nr columns. */
typedef struct {
  gsize mr, nr;
  gsize (*panel_size) (gsize k); /* in bytes, a multiple of 64 */
  /* Pack n <= nr rows of weights; missing rows are 0. */
  void (*pack) (gsize n, gsize k, const gint8 *w, gsize ldw, gpointer panel);
  /*
   * sums[i][0..n_panels * nr) of m <= mr rows, which are read only up to k; x_sums: the sum of each
   * row of x over these k. Panels are contiguous.
   */
  void (*multiply) (gsize m, gsize k, const gint8 *x, gsize ldx, const gint32 *x_sums,
                    gsize n_panels, gconstpointer panels, gint32 *sums, gsize ldsums);
} PtInt8TileKernels;

/** The ends of static 8-bit results, as in PtWeightsQs8. */
typedef struct {
  gint32 y_zero, y_min, y_max;
} PtQ8Ends;

#define PT_Q8_SLACK 64

/** Static 8-bit convolutions with packed filters (packed-q8.h). */
typedef struct {
  /* Products: panels of nr columns, with their biases and scales. */
  gsize mr, nr;
  gsize (*panel_size) (gsize runs, gsize k); /* in bytes, a multiple of 64 */
  gsize (*row_size) (gsize k);               /* bytes of a prepared row of x, a multiple of 64 */
  gsize element;                             /* bytes of a prepared number */
  /* Pack columns [first, first + n), n <= nr. */
  void (*pack) (gsize n, gsize runs, gsize k, const PtWeightsQs8 *weights, gsize first,
                gpointer panel);
  /* Writes whole vectors of PT_Q8_SLACK bytes at most: zeros behind the numbers. */
  void (*prepare_row) (gsize k, const gint8 *x, gpointer row);
  /* Writes @n prepared numbers that are @x. */
  void (*fill_row) (gsize n, gint8 x, gpointer row);
  /*
   * m <= mr outputs, whose prepared numbers are @ldx bytes apart. Run i of the first output is at
   * @x + @runs[i]; less than PT_Q8_SLACK bytes behind a run are read.
   */
  void (*tile) (gsize m, gsize n, gsize n_runs, const gsize *runs, gsize k, const guint8 *x,
                gsize ldx, gconstpointer panel, const PtQ8Ends *ends, gint8 *y, gsize ldy);
  /*
   * The same for two rows of the output with m <= mr / 2 outputs each, that lie together; numbers
   * of the second are @gap bytes behind those of the first. NULL: there is none.
   */
  void (*tile_of_two) (gsize m, gsize n, gsize n_runs, const gsize *runs, gsize k, const guint8 *x,
                       gsize ldx, gsize gap, gconstpointer panel, const PtQ8Ends *ends, gint8 *y,
                       gsize ldy);

  /* Depthwise: blocks of this many channels, with their biases and scales. */
  gsize channels;
  gsize (*block_size) (gsize rows, gsize columns); /* in bytes, a multiple of 64 */
  /* Pack the block of zeros for the channels from @first on. */
  void (*pack_block) (const PtWeightsQs8 *weights, gsize channels, gsize first, gsize rows,
                      gsize columns, gpointer block);
  /* @n outputs of channels [begin, end), whose blocks begin at @blocks. */
  void (*depthwise) (const PtDepthwiseQ8 *d, gsize n, gsize begin, gsize end, gconstpointer blocks,
                     gpointer scratch);
} PtQ8Kernels;

/** Numbers of a tile of winograd-q8.h, and outputs of it. */
#define PT_WINOGRAD_Q8_PLACES 36
#define PT_WINOGRAD_Q8_OUTPUTS 16

/** Products of transformed tiles (winograd-q8.h). Panels have nr columns. */
typedef struct {
  gsize mr, nr;
  gsize (*panel_size) (gsize k); /* in bytes, a multiple of 64 */
  gsize (*row_size) (gsize k);   /* bytes of the numbers of a tile at one place */
  /* Pack the filters [3, 3, k] of columns [first, first + n), n <= nr. */
  void (*pack) (gsize n, gsize k, const PtWeightsQs8 *weights, gsize first, gpointer panel);
  /* B^T (x - x_zero) B of 6x6 pixels of k channels; places are @step bytes apart in @rows. */
  void (*in) (gsize k, const gint8 *const x[PT_WINOGRAD_Q8_PLACES], gint32 x_zero, guint8 *rows,
              gsize step);
  /* sums[place][m][nr] of m <= mr tiles. */
  void (*multiply) (gsize m, gsize k, const guint8 *rows, gsize step, gconstpointer panel,
                    gint32 *sums, gsize sums_step);
  /* 4x4 pixels of n <= nr channels; places are @step numbers apart, pointers to pixels may be NULL.
   */
  void (*out) (gsize n, const gint32 *sums, gsize step, gconstpointer panel, const PtQ8Ends *ends,
               gint8 *const y[PT_WINOGRAD_Q8_OUTPUTS]);
} PtWinogradQ8Kernels;

/** Rows of 4-bit weights, two weights in a byte. */
typedef struct {
  gsize k, group;
  const guint8 *weights; /* rows of (k + 1) / 2 bytes */
  const guint16 *scales; /* bfloat16, rows of k / group; NULL: no groups */
  const guint8 *next;    /* as above */
} PtQ4Rows;

typedef struct {
  /*
   * Prepare a row of x once for all rows of weights. The size in bytes, aligned to 64. x must not
   * change.
   */
  gsize (*prepared_size) (gsize k);
  void (*prepare) (gsize k, const gint8 *x, gint32 zero, gpointer prepared);
  /* acc[j] = sum over groups, ascending, of (float) d * scale, d = sum of (x - zero) * w. */
  void (*dot_groups) (gsize n, gconstpointer prepared, const PtQ4Rows *rows, float *acc);
  /* sums[j] = sum of (x - zero) * w over a whole row. */
  void (*dot) (gsize n, gconstpointer prepared, gint32 zero, const PtQ4Rows *rows, gint32 *sums);
  /* Unpack k nibbles to k weights in [-8, 7]. */
  void (*unpack) (gsize k, const guint8 *w, gint8 *bytes);
} PtQ4Kernels;

/** Rows of x for a tile of 4-bit weights. */
typedef struct {
  const gint8 *x;
  gsize stride;
  const gint32 *zero;   /* [m] */
  const float *scale;   /* [m] */
  const gint32 *starts; /* [m, groups], rows @start_stride apart: start values from
                           PtQ4TileKernels.starts() */
  gsize start_stride;
} PtQ4TileRows;

typedef struct {
  gboolean accumulate; /* start from c instead of zeros */
  gboolean finish;     /* c = acc * scale + bias, clamped; else c = the sums */
  const float *bias;   /* [n] or NULL */
  float min, max;
} PtQ4TileEnds;

/**
 * Many rows times 4-bit weights in groups. The sums are equal to those of PtQ4Kernels.dot_groups().
 */
typedef struct {
  gsize mr, nr;
  gsize max_depth;       /* the most weights of a row in a panel, and in a group */
  gboolean repacks_rows; /* multiply() reorders the rows of x, as long as a panel takes */
  gsize (*panel_size) (gsize k, gsize group); /* in bytes */
  /* Pack the first @k weights of @n <= nr rows, k in whole groups; rows have rows->k weights. */
  void (*pack) (gsize n, gsize k, const PtQ4Rows *rows, gpointer panel);
  /* Compute the start values of the sums of each group of a row of x. NULL: multiply() needs none.
   */
  void (*starts) (gsize n_groups, gsize group, const gint8 *x, gint32 zero, gint32 *out);
  /* c[m][n] of m <= mr rows and the n columns of panels that follow each other. */
  void (*multiply) (gsize m, gsize n, gsize n_groups, gsize group, const PtQ4TileRows *rows,
                    gconstpointer panels, const PtQ4TileEnds *ends, float *c, gsize ldc);
} PtQ4TileKernels;

extern const PtVectorKernels pt_vector_kernels_portable;
extern const PtF32Kernels pt_f32_kernels_portable;
extern const PtConvKernels pt_conv_kernels_portable;
extern const PtVectorKernels pt_vector_kernels_avx2;
extern const PtF32Kernels pt_f32_kernels_avx2;
extern const PtConvKernels pt_conv_kernels_avx2;
extern const PtVectorKernels pt_vector_kernels_avx512;
extern const PtF32Kernels pt_f32_kernels_avx512;
extern const PtConvKernels pt_conv_kernels_avx512;
extern const PtInt8Kernels pt_int8_kernels_portable;
extern const PtInt8Kernels pt_int8_kernels_avx2;
extern const PtInt8Kernels pt_int8_kernels_avx2_vnni;
extern const PtInt8Kernels pt_int8_kernels_avx512;
extern const PtInt8Kernels pt_int8_kernels_avx512_vnni;
extern const PtInt8TileKernels pt_int8_tile_kernels_avx2;
extern const PtInt8TileKernels pt_int8_tile_kernels_avx2_vnni;
extern const PtInt8TileKernels pt_int8_tile_kernels_avx512;
extern const PtInt8TileKernels pt_int8_tile_kernels_avx512_vnni;
extern const PtInt8TileKernels pt_int8_tile_kernels_amx;
extern const PtQ4TileKernels pt_q4_tile_kernels_amx;
extern const PtQ8Kernels pt_q8_kernels_avx2;
extern const PtQ8Kernels pt_q8_kernels_avx2_vnni;
extern const PtQ8Kernels pt_q8_kernels_avx512;
extern const PtQ8Kernels pt_q8_kernels_avx512_vnni;
extern const PtQ8Kernels pt_q8_kernels_avx512_half;
extern const PtQ8Kernels pt_q8_kernels_avx512_vnni_half;
extern const PtWinogradQ8Kernels pt_winograd_q8_kernels_avx2;
extern const PtWinogradQ8Kernels pt_winograd_q8_kernels_avx2_vnni;
extern const PtWinogradQ8Kernels pt_winograd_q8_kernels_avx512;
extern const PtWinogradQ8Kernels pt_winograd_q8_kernels_avx512_vnni;
extern const PtQ8Loops pt_q8_loops_portable;
extern const PtQ8Loops pt_q8_loops_avx2;
extern const PtQ8Loops pt_q8_loops_avx512;
extern const PtQ4Kernels pt_q4_kernels_portable;
extern const PtQ4Kernels pt_q4_kernels_avx2;
extern const PtQ4Kernels pt_q4_kernels_avx2_vnni;
extern const PtQ4Kernels pt_q4_kernels_avx512;
extern const PtQ4Kernels pt_q4_kernels_avx512_vnni;
extern const PtQ4TileKernels pt_q4_tile_kernels_avx2;
extern const PtQ4TileKernels pt_q4_tile_kernels_avx2_vnni;
extern const PtQ4TileKernels pt_q4_tile_kernels_avx512;
extern const PtQ4TileKernels pt_q4_tile_kernels_avx512_vnni;
extern const PtVectorKernels pt_vector_kernels_neon;
extern const PtF32Kernels pt_f32_kernels_neon;
extern const PtConvKernels pt_conv_kernels_neon;
extern const PtQ8Loops pt_q8_loops_neon;
extern const PtInt8Kernels pt_int8_kernels_neon;
extern const PtInt8Kernels pt_int8_kernels_dotprod;
extern const PtInt8Kernels pt_int8_kernels_i8mm;
extern const PtQ4Kernels pt_q4_kernels_neon;
extern const PtQ4Kernels pt_q4_kernels_dotprod;
extern const PtQ4Kernels pt_q4_kernels_i8mm;
extern const PtInt8TileKernels pt_int8_tile_kernels_neon;
extern const PtInt8TileKernels pt_int8_tile_kernels_dotprod;
extern const PtInt8TileKernels pt_int8_tile_kernels_i8mm;
extern const PtQ4TileKernels pt_q4_tile_kernels_neon;
extern const PtQ4TileKernels pt_q4_tile_kernels_dotprod;
extern const PtQ4TileKernels pt_q4_tile_kernels_i8mm;
extern const PtQ8Kernels pt_q8_kernels_neon;
extern const PtQ8Kernels pt_q8_kernels_dotprod;
extern const PtQ8Kernels pt_q8_kernels_i8mm;

/** The kernels of pt_cpu_level(). */
const PtVectorKernels *pt_vector_kernels (void);
const PtF32Kernels *pt_f32_kernels (void);
const PtConvKernels *pt_conv_kernels (void);
const PtInt8Kernels *pt_int8_kernels (void);
const PtQ4Kernels *pt_q4_kernels (void);
/** NULL when this level has none. */
const PtInt8TileKernels *pt_int8_tile_kernels (void);
const PtQ8Kernels *pt_q8_kernels (void);
const PtWinogradQ8Kernels *pt_winograd_q8_kernels (void);
/** Those with half the nr and channels, for ends; mr and prepared rows are equal. */
const PtQ8Kernels *pt_q8_half_kernels (void);
/** The kernels for the panel whose first column is @left columns before the end. */
const PtQ8Kernels *pt_q8_panel_kernels (gsize left);
/** The kernels for groups of this size. NULL: there are none. */
const PtQ4TileKernels *pt_q4_tile_kernels (gsize group);

/**
 * Adds the scores behind the whole vectors of a block to the sum of a softmax_step(), one by one,
 * in double.
 */
static inline void
pt_softmax_rest (gsize n, float *x, float max, float *sum)
{
  for (gsize i = 0; i < n; i++) {
    double e = exp ((double) (x[i] - max));

    *sum = (float) (*sum + e);
    x[i] = (float) e;
  }
}

/** Division of gsize, rounded up. */
static inline gsize
pt_div_up (gsize a, gsize b)
{
  return a / b + (a % b != 0);
}

/** min(max(x, lo), hi); a NaN stays. */
static inline float
pt_clamp_f32 (float x, float lo, float hi)
{
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

/** float(d) of d mod 2^32: sums are exact, but parts of them may wrap. */
static inline gint32
pt_corrected_sum (gint32 sum, gint32 zero, gint32 row_sum)
{
  return (gint32) ((guint32) sum - (guint32) zero * (guint32) row_sum);
}

G_END_DECLS
