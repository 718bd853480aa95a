/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"

G_BEGIN_DECLS

/**
 * PtAttention: scaled dot-product attention, fused: softmax online over blocks of keys,
 * no [n_queries, n_keys] matrix in memory (FlashAttention; docs/formats/operators.md,
 * section 20.2).
 *
 * Strides are in elements, so both [B, S, H, D] and [B, H, S, D] work. The last
 * dimension is dense.
 */
typedef struct {
  const float *q, *k, *v;
  float *out;
  gsize batch, heads, kv_heads; /* heads % kv_heads == 0 */
  gsize n_queries, n_keys;      /* keys considered, all of them when there is a mask */
  gsize head_dim;               /* of q and k */
  gsize value_dim;              /* of v and out */
  gsize q_batch_stride, q_head_stride, q_row_stride;
  gsize k_batch_stride, k_head_stride, k_row_stride;
  gsize v_batch_stride, v_head_stride, v_row_stride;
  gsize out_batch_stride, out_head_stride, out_row_stride;
  float scale;
  gboolean causal; /* key j is visible to query i iff j <= start_pos + i */
  gsize start_pos;
  const float *mask; /* NULL, or added to the scores: [n_queries, n_keys] */
  gsize mask_row_stride;
  gsize mask_head_stride, mask_batch_stride; /* 0: shared */
  /* Compute each query as if it were the only one of its call, and without a mask the last of the
   * sequence: the results have the same bits as with a call for each query. */
  gboolean one_by_one;
} PtAttention;

/** A row without a visible key gives NaN. Parallel over batch, heads and blocks of queries. */
void pt_attention_f32 (PtPool *pool, const PtAttention *attention);

G_END_DECLS
