/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/*
 * 3x3 convolutions of stride 1 with fewer multiplications (Winograd, F(2x2, 3x3)). Input tiles of
 * 4x4 pixels are transformed to 16 numbers for each channel. Each of the 16 is multiplied with the
 * transformed filter in one matrix product. The results are transformed to tiles of 2x2 pixels. All
 * factors of the transforms are 1 and 1/2, so the accuracy is that of a direct convolution, but the
 * bits differ.
 */

typedef struct {
  gsize n, k;    /* number of output and input channels */
  float *panels; /* pt_winograd_size() bytes, 64-byte aligned */
} PtWinograd;

/**
 * Bytes of the panels; 0: this is not faster for these numbers of channels, or the tiles do not
 * fit.
 */
gsize pt_winograd_size (gsize n, gsize k);

/** Fill @winograd->panels from @filter [n, 3, 3, k]. FALSE when there is no memory. */
gboolean pt_winograd_pack (PtPool *pool, const float *filter, const PtWinograd *winograd);

/** x [batch, in_h, in_w, k], y [batch, out_h, out_w, n]; pixels outside of x count as 0. */
typedef struct {
  const float *x;
  float *y;
  gsize batch, in_h, in_w, out_h, out_w, pad_top, pad_left;
} PtImages;

void pt_winograd_run (PtPool *pool, const PtWinograd *winograd, const PtImages *images,
                      const PtEpilogue *epilogue);

G_END_DECLS
