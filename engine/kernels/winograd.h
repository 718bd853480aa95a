/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/*
 * Convolutions of 3x3 taps and stride 1 with fewer multiplications (Winograd, F(2x2, 3x3)): input
 * tiles of 4x4 pixels become 16 numbers a channel, which are multiplied with filters that were
 * transformed likewise, one matrix product for each of the 16; that gives tiles of 2x2 pixels. The
 * factors are 1 and 1/2, so the sums are as good as those made directly, but not the same bits.
 */

typedef struct {
  gsize n, k;    /* channels out, in */
  float *panels; /* pt_winograd_size() bytes, 64-byte aligned */
} PtWinograd;

/** Bytes of the panels; 0: with so many channels this is not faster, or there is no room. */
gsize pt_winograd_size (gsize n, gsize k);

/** Fill @winograd->panels from @filter [n, 3, 3, k]. FALSE: no memory. */
gboolean pt_winograd_pack (PtPool *pool, const float *filter, const PtWinograd *winograd);

/** x [batch, in_h, in_w, k], y [batch, out_h, out_w, n]; what is outside of x is 0. */
typedef struct {
  const float *x;
  float *y;
  gsize batch, in_h, in_w, out_h, out_w, pad_top, pad_left;
} PtImages;

void pt_winograd_run (PtPool *pool, const PtWinograd *winograd, const PtImages *images,
                      const PtEpilogue *epilogue);

G_END_DECLS
