/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/weights.h"

G_BEGIN_DECLS

/* Conv2d, DepthwiseConv2d and ConvTranspose2d (XNNPACK payload, section 5.4). */

/* PtXnnClass.detail */
enum { PT_XNN_CONV_NORMAL, PT_XNN_CONV_DEPTHWISE, PT_XNN_CONV_TRANSPOSED };

gboolean pt_xnn_prepare_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_conv (PtXnnGraph *graph, PtXnnNode *node, GError **error);

/**
 * What a convolution needs at run time; its state. The input is [batch, in_h, in_w, in_c],
 * the output [batch, out_h, out_w, out_c].
 */
typedef struct {
  PtXnnWeights weights;
  const float *filter; /* float types: widened when stored in half precision */
  const float *bias;
  gsize batch, in_h, in_w, in_c, out_h, out_w, out_c;
  gsize n_pixels; /* of the output, all batches */
  gsize taps;     /* kernel_h * kernel_w */
  /* Products of patches (im2col). */
  gboolean is_direct; /* one tap, no padding: the input is its own matrix of patches */
  gsize piece;        /* output pixels that are gathered at a time */
  gsize patch_stride; /* bytes from patch to patch */
  /* Parts of the scratch, in bytes. */
  gsize fill, in_f32, in_flipped, out_f32, patches, row_scale, row_zero;
} PtXnnConv;

/* Patches (patches.c) */

/**
 * Write the patches of output pixels [@begin, @begin + @count) for channel group @group: rows of
 * [kernel_h, kernel_w, group_in] elements of @width bytes, @patch_stride apart. Cells outside
 * the input are filled with the byte @fill[item of the batch].
 */
void pt_xnn_gather_patches (PtPool *pool, const PtXnnNode *node, const guint8 *in,
                            gsize batch_stride, gsize width, const guint8 *fill, gsize group,
                            gsize begin, gsize count, guint8 *out);

/* Depthwise (depthwise.c): y = clamp (b + sum over taps of x * w), channel by channel. */

void pt_xnn_depthwise_f32 (PtPool *pool, const PtXnnNode *node, const float *x, float *y);
void pt_xnn_depthwise_qs8 (PtPool *pool, const PtXnnNode *node, const gint8 *x, gint8 *y,
                           gpointer scratch);
void pt_xnn_depthwise_qd8 (PtPool *pool, const PtXnnNode *node, const PtQuantizedRows *x, float *y,
                           gpointer scratch);

G_END_DECLS
