/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/attention.h"
#include "engine/kernels/kernel-tables.h"

/* What the files attention*.c share. */

/*
 * Every sum has a fixed order, that of upstream's runtime (docs/architecture.md, "Same bits as
 * upstream"), which does not depend on threads or on the division of the work. Three things define
 * the order: keys come in blocks, for which the softmax has a running maximum and sum; queries come
 * in groups; the products of a group depend on whether it has many or few queries.
 */

/* Keys of a block. */
#define PT_BLOCK_KEYS 512

/* Below this many queries, products are computed in lanes (lane-dot.h). */
#define PT_MIN_FUSED_QUERIES 4

/* Multiplications in a piece of a loop. */
#define PT_ATTENTION_PIECE_WORK (32 * 1024)

typedef struct {
  const PtAttention *a;
  PtPool *pool;
  const PtF32Kernels *kernels;
  const PtVectorKernels *vectors;
  gsize group; /* heads that share keys and values */
  /* Many queries */
  gsize n_queries; /* number of queries, from the first on, that are computed in blocks */
  gsize block_queries, n_query_blocks;
  gsize pass_heads; /* number of heads whose scores fit into the scratch together */
} PtAttentionJob;

/* The number of queries in a group; the last group may have fewer. */
static inline gsize
pt_attention_group_of_queries (gsize n_queries)
{
  return n_queries >= 768 ? 256 : n_queries >= 192 ? 64 : 32;
}

/* The number of keys visible to query @i. */
static inline gsize
pt_attention_visible_keys (const PtAttention *a, gsize i)
{
  return a->causal ? MIN (a->n_keys, a->start_pos + i + 1) : a->n_keys;
}

/* The number of keys visible to query @i in the block that begins with @key. */
static inline gsize
pt_attention_visible_in_block (const PtAttention *a, gsize i, gsize key)
{
  gsize visible = pt_attention_visible_keys (a, i);

  return visible > key ? MIN (visible - key, PT_BLOCK_KEYS) : 0;
}

static inline const float *
pt_attention_mask_row (const PtAttention *a, gsize batch, gsize head, gsize query)
{
  if (!a->mask)
    return NULL;
  return a->mask + batch * a->mask_batch_stride + head * a->mask_head_stride +
         query * a->mask_row_stride;
}

static inline const float *
pt_attention_q_row (const PtAttention *a, gsize batch, gsize head, gsize query)
{
  return a->q + batch * a->q_batch_stride + head * a->q_head_stride + query * a->q_row_stride;
}

static inline float *
pt_attention_out_row (const PtAttention *a, gsize batch, gsize head, gsize query)
{
  return a->out + batch * a->out_batch_stride + head * a->out_head_stride +
         query * a->out_row_stride;
}

static inline gsize
pt_attention_piece_of (double work)
{
  return (gsize) CLAMP (PT_ATTENTION_PIECE_WORK / MAX (work, 1.0), 1.0, 1e6);
}

/*
 * Computes queries [@first, n_queries), which are one group, as in decode: one after the other,
 * with keys and values read in place. The scores lie in the first worker's scratch, which is free
 * then.
 */
void pt_attend_in_place (const PtAttentionJob *job, gsize first);

/*
 * Computes queries [0, job->n_queries) in blocks, as in prefill. FALSE: nothing was computed,
 * because a block does not fit into a worker's scratch.
 */
gboolean pt_attend_in_blocks (PtAttentionJob *job);
