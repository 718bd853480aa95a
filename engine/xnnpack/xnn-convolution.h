/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/packed-f32.h"
#include "engine/kernels/packed-q8.h"
#include "engine/kernels/winograd-q8.h"
#include "engine/kernels/winograd.h"
#include "engine/xnnpack/weights.h"

G_BEGIN_DECLS

/* Conv2d, DepthwiseConv2d and ConvTranspose2d (docs/formats/xnnpack.md, section 5.4). */

/* PtXnnClass.detail */
enum { PT_XNN_CONV_NORMAL, PT_XNN_CONV_DEPTHWISE, PT_XNN_CONV_TRANSPOSED };

gboolean pt_xnn_prepare_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error);

/**
 * A phase: output pixels that read the same taps, with the part of the filter that consists of
 * these taps. There is one phase, except in transposed convolutions with strides (phases.c).
 */
typedef struct {
  gsize rest_y, rest_x;                 /* index of the outputs plus padding, modulo the steps */
  gsize first_ky, first_kx, n_ky, n_kx; /* taps: the first one and the step */
  gsize k;                              /* numbers in a patch */
  gsize filter;                         /* where [out_c, k] begins in the reordered filter */
  const gint32 *row_sums; /* [out_c]: sums of that part, for dynamically quantised input */
  /* With the current shape: */
  gsize first_y, first_x, n_y, n_x; /* outputs: the first one and the step */
  gsize n_pixels;                   /* outputs of all batches */
} PtXnnPhase;

/**
 * The state of a convolution node. The input is [batch, in_h, in_w, in_c], the output [batch,
 * out_h, out_w, out_c].
 */
typedef struct {
  PtXnnWeights weights;
  const float *filter; /* float filter; stored half precision is widened */
  const float *bias;
  PtPackedF32 packed;       /* the packed filter for products, with one group and one phase */
  PtCut cut;                /* the division of the product for the current shape */
  PtWinograd winograd;      /* the transformed filter for 3x3 taps (Winograd) */
  PtPackedQ8 packed_q8;     /* the packed filter for static 8-bit values, with one group */
  PtWinogradQ8 winograd_q8; /* and for 3x3 windows, with panels NULL where it is not faster */
  PtPackedDepthwiseQ8 depthwise_q8; /* the same for depthwise convolutions */
  gsize batch, in_h, in_w, in_c, out_h, out_w, out_c;
  gsize n_pixels; /* output pixels, all batches */
  gsize taps;     /* kernel_h * kernel_w */
  PtXnnPhase *phases;
  gsize n_phases, step_h, step_w, tap_step_h, tap_step_w;
  /* For products of patches (im2col): */
  gboolean is_direct; /* one tap without padding: the input is the matrix of patches */
  gsize piece;        /* output pixels whose patches are gathered at a time */
  /* Offsets in the scratch, in bytes: */
  gsize fill, in_f32, in_flipped, out_f32, patches, row_scale, row_zero, results, rows_q8;
} PtXnnConv;

/* Patches (patches.c) */

/**
 * Write the patches of pixels [@begin, @begin + @count) of @phase for channel group @group: rows of
 * [n_ky, n_kx, group_in] elements of @width bytes, pt_xnn_patch_stride() apart. Cells outside of
 * the input get the byte @fill[image of the batch].
 */
void pt_xnn_gather_patches (PtPool *pool, const PtXnnNode *node, const PtXnnPhase *phase,
                            const guint8 *in, gsize batch_stride, gsize width, const guint8 *fill,
                            gsize group, gsize begin, gsize count, guint8 *out);

/** The same for the first group, on the calling thread. */
void pt_xnn_gather_some (const PtXnnNode *node, const PtXnnPhase *phase, const guint8 *in,
                         gsize batch_stride, gsize width, const guint8 *fill, gsize begin,
                         gsize count, guint8 *out);

/** Bytes from one patch of @k elements to the next. */
static inline gsize
pt_xnn_patch_stride (gsize k, gsize width)
{
  return width == 1 ? pt_quantized_stride (k) : k * width;
}

/* Phases (phases.c) */

/** Call once: find the phases of @node. */
gboolean pt_xnn_make_phases (PtXnnGraph *graph, PtXnnNode *node, GError **error);
/**
 * Call once: reorder the filter [out_c, taps, group_in], with elements of @width bytes, by phases.
 */
gconstpointer pt_xnn_pack_phases (PtXnnGraph *graph, const PtXnnNode *node, gconstpointer filter,
                                  gsize width, GError **error);
/**
 * Call for each shape: find the outputs of each phase. Returns the number of elements of the
 * longest patch.
 */
gsize pt_xnn_setup_phases (PtXnnNode *node);

/** The position in the output of pixel @index of @phase. */
static inline void
pt_xnn_phase_pixel (const PtXnnConv *conv, const PtXnnPhase *phase, gsize index, gsize *item,
                    gsize *y, gsize *x)
{
  *x = phase->first_x + index % phase->n_x * conv->step_w;
  *y = phase->first_y + index / phase->n_x % phase->n_y * conv->step_h;
  *item = index / phase->n_x / phase->n_y;
}

/**
 * Copy the results [@count, out_c] of pixels of @phase, from pixel @begin on, to the output @to.
 */
void pt_xnn_scatter_pixels (PtPool *pool, const PtXnnNode *node, const PtXnnPhase *phase,
                            gsize begin, gsize count, gsize width, gconstpointer from, gpointer to);

/* Depthwise (depthwise.c): y = clamp (b + sum over taps of x * w), channel by channel. */

/** The maximum of rows of taps for pt_xnn_depthwise_rows(). */
#define PT_XNN_MAX_TAP_ROWS 64

/** Whether pt_xnn_depthwise_rows() can compute @node. */
gboolean pt_xnn_is_depthwise_row (const PtXnnNode *node);

/** The channels [@first, @first + @n) of an image, and of a row of the output. */
typedef struct {
  gsize first, n;
  const float *x; /* row i is at x + i % ring * in_w * x_step; pixels are x_step apart */
  gsize x_step, ring;
  float *y; /* address of the first row; pixels are y_step apart, rows contiguous */
  gsize y_step;
} PtXnnChannels;

/** Compute outputs [@first, @first + @n) of rows [@oy, @oy + @n_rows), on the calling thread. */
void pt_xnn_depthwise_rows (const PtXnnNode *node, const PtXnnChannels *channels, gsize oy,
                            gsize n_rows, gsize first, gsize n);

void pt_xnn_depthwise_f32 (PtPool *pool, const PtXnnNode *node, const float *x, float *y);
void pt_xnn_depthwise_qs8 (PtPool *pool, const PtXnnNode *node, const gint8 *x, gint8 *y,
                           gpointer scratch);
void pt_xnn_depthwise_qd8 (PtPool *pool, const PtXnnNode *node, const PtQuantizedRows *x, float *y,
                           gpointer scratch);

G_END_DECLS
