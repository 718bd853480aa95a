/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/*
 * Static 8-bit 3x3 convolutions of stride 1 with a quarter of the multiplications (Winograd,
 * F(4x4, 3x3)), exactly: the bits are those of PtWeightsQs8 (gemm.h).
 *
 * Tiles of 6x6 pixels become 36 numbers of 16 bits for each channel, as do the filters, whose
 * transform is multiplied by 4, 6, 24 or 1 in each direction to make it whole. The last transform
 * makes up for it, so that its result is 576 = 64 * 9 times the sum, modulo 2^32. A product with
 * the inverse of 9 modulo 2^32 and a shift by 6 bits give the sum, because it is less than 2^25.
 */

typedef struct {
  gsize n, k;                          /* number of output and input channels */
  guint8 *panels;                      /* pt_winograd_q8_size() bytes, 64-byte aligned */
  gint32 x_zero, y_zero, y_min, y_max; /* set by pt_winograd_q8_pack() */
} PtWinogradQ8;

/**
 * Bytes of the panels for @weights [n, 3, 3, k]; 0: no kernels, not faster for these numbers of
 * channels, or sums may reach 2^25.
 */
gsize pt_winograd_q8_size (gsize n, gsize k, const PtWeightsQs8 *weights);

/** Fill @winograd->panels; n and k are set. */
void pt_winograd_q8_pack (PtPool *pool, const PtWeightsQs8 *weights, PtWinogradQ8 *winograd);

/** x [batch, in_h, in_w, k], y [batch, out_h, out_w, n]; padding is zero points. */
typedef struct {
  const gint8 *x;
  gint8 *y;
  gsize batch, in_h, in_w, out_h, out_w, pad_top, pad_left;
} PtImagesQ8;

/** Are tiles full enough, and enough of them for the threads, that this is faster? */
gboolean pt_winograd_q8_is_faster (PtPool *pool, const PtWinogradQ8 *winograd,
                                   const PtImagesQ8 *images);

void pt_winograd_q8_run (PtPool *pool, const PtWinogradQ8 *winograd, const PtImagesQ8 *images);

G_END_DECLS
