/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/gemm.h"

G_BEGIN_DECLS

/* For files of engine/kernels only: products with 4-bit weights. */

typedef struct {
  gsize m, n, k;
  const PtQuantizedRows *x;
  const PtWeightsQ4 *w;
  PtEpilogue epilogue;
  float *c;
  gsize ldc;
} PtQ4Product;

/** Many rows times weights with groups. FALSE: not supported for this CPU or size. */
gboolean pt_q4_multiply_groups (PtPool *pool, const PtQ4Product *product);

G_END_DECLS
