/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"

G_BEGIN_DECLS

/** The numbers of keys and values. */
typedef enum {
  PT_ROWS_F32,
  PT_ROWS_F16,
  PT_ROWS_BF16,
  PT_ROWS_I8, /* signed bytes; each row has a zero point and a scale */
} PtRowType;

/** The largest head of keys and values that are no PT_ROWS_F32. */
#define PT_ATTENTION_MAX_TYPED_DIM 256

/** One number for each row of keys or values. Strides are in numbers. */
typedef struct {
  gconstpointer data;
  gsize batch_stride, head_stride, row_stride;
} PtRowNumbers;

/**
 * PtAttentionRows: keys or values, read where they lie. Those that are no floats become floats a
 * few rows at a time, so that memory is read once, in the size that it has. Strides are in numbers
 * of
 * @type. The last dimension is dense.
 */
typedef struct {
  gconstpointer data;
  PtRowType type;
  gsize batch_stride, head_stride, row_stride;
  PtRowNumbers zeros;  /* PT_ROWS_I8: gint8; a number x stands for (x - zero) * scale */
  PtRowNumbers scales; /* PT_ROWS_I8: float */
} PtAttentionRows;

/**
 * PtAttention: fused scaled dot-product attention. The softmax is computed online over blocks of
 * keys, so that no [n_queries, n_keys] matrix is stored (FlashAttention; docs/formats/operators.md,
 * section 20.2).
 *
 * Strides are in elements, so both [B, S, H, D] and [B, H, S, D] are possible. The last dimension
 * is dense.
 */
typedef struct {
  const float *q;
  PtAttentionRows k, v;
  float *out;
  gsize batch, heads, kv_heads; /* heads % kv_heads == 0 */
  gsize n_queries, n_keys;      /* number of keys; with a mask, all keys are considered */
  gsize head_dim;               /* size of a head of q and k */
  gsize value_dim;              /* size of a head of v and out */
  gsize q_batch_stride, q_head_stride, q_row_stride;
  gsize out_batch_stride, out_head_stride, out_row_stride;
  float scale;
  gboolean causal; /* key j is visible to query i iff j <= start_pos + i */
  gsize start_pos;
  const float *mask; /* NULL, or added to the scores: [n_queries, n_keys] */
  gsize mask_row_stride;
  gsize mask_head_stride, mask_batch_stride; /* 0: the mask is shared */
  /*
   * Compute each query as if it were the only one of its call, and, without a mask, as the last one
   * of the sequence. The results are equal to the last bit to those of one call for each query.
   */
  gboolean one_by_one;
} PtAttention;

/**
 * Compute the attention. A row without a visible key gives NaN. Parallel over batch, heads and
 * blocks of queries.
 */
void pt_attention_f32 (PtPool *pool, const PtAttention *attention);

G_END_DECLS
