/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/kernels/attention-job.h"
#include "engine/kernels/attention-rows.h"
#include "engine/kernels/lane-dot.h"

/*
 * Many queries, as in prefill: keys and values are packed once for a block of queries and all heads
 * of a group.
 */

/* Below this many keys, products are computed in lanes (lane-dot.h). */
#define MIN_FUSED_KEYS 12

/* Most keys whose weighted values are added in one sum. */
#define MAX_VALUE_KEYS 192

/* Most keys that are packed at a time. */
#define PACKED_KEYS 128

/*
 * Rows (queries times heads) that should share packed keys. More rows mean less packing;
 * FEW_BLOCK_ROWS gives more pieces, for many workers.
 */
#define BLOCK_ROWS 192
#define FEW_BLOCK_ROWS 64

typedef struct {
  gsize batch, kv_head;
  gsize first_query, n_queries;
  gsize head, n_heads; /* heads of this pass */
  gsize key, n_keys;   /* the block of keys */
  gsize n_visible;     /* keys of the block that at least one query sees */
  float *packed;    /* packed keys: panels of [head_dim, nr]; or packed values: panels of [n, nr] */
  float *scores;    /* [n_heads, block_queries, PT_BLOCK_KEYS] */
  float *max, *sum; /* [n_heads, block_queries] */
} Block;

/* @n rounded up to whole panels. */
static gsize
whole_panels (const PtAttentionJob *job, gsize n)
{
  return pt_div_up (n, job->kernels->nr) * job->kernels->nr;
}

static gsize
packed_floats (const PtAttentionJob *job)
{
  return MAX (whole_panels (job, PACKED_KEYS) * job->a->head_dim,
              MAX_VALUE_KEYS * whole_panels (job, job->a->value_dim));
}

static float *
scores_of (const PtAttentionJob *job, const Block *block, gsize head, gsize query)
{
  return block->scores + (head * job->block_queries + query) * PT_BLOCK_KEYS;
}

/* Computes scores: a head's queries times the packed keys [first, first + n) of the block. */
static void
score_packed (const PtAttentionJob *job, const Block *block, gsize head, gsize first, gsize n)
{
  const PtF32Kernels *kernels = job->kernels;
  const PtTileEnds ends = { NULL, FALSE, FALSE, -INFINITY, INFINITY };
  const PtAttention *a = job->a;
  const float *q = pt_attention_q_row (a, block->batch, block->head + head, block->first_query);

  for (gsize i = 0; i < block->n_queries; i += kernels->mr)
    for (gsize j = 0; j < n; j += kernels->nr)
      kernels->tile (MIN (kernels->mr, block->n_queries - i), MIN (kernels->nr, n - j), a->head_dim,
                     q + i * a->q_row_stride, a->q_row_stride, block->packed + j * a->head_dim,
                     kernels->nr, &ends, scores_of (job, block, head, i) + first + j,
                     PT_BLOCK_KEYS);
}

/* Computes the scores of a short last block, whose keys are read in place. */
static void
score_few_keys (const PtAttentionJob *job, const Block *block)
{
  const PtAttention *a = job->a;
  const PtRowCut cut = { &a->k, block->batch, block->kv_head, block->key, block->n_keys,
                         0,     a->head_dim };
  PtRowRoom room;
  gsize stride;
  const float *k = pt_float_rows (job->vectors, &cut, room, &stride, NULL);

  for (gsize h = 0; h < block->n_heads; h++)
    for (gsize i = 0; i < block->n_queries; i += PT_DOT_ROWS)
      job->kernels->lane_dots (
          MIN (PT_DOT_ROWS, block->n_queries - i), block->n_keys, a->head_dim, FALSE,
          pt_attention_q_row (a, block->batch, block->head + h, block->first_query + i),
          a->q_row_stride, k, stride, NULL, scores_of (job, block, h, i), PT_BLOCK_KEYS);
}

/* Packs n <= nr keys from @first of the block on: a panel. */
static void
pack_keys (const PtAttentionJob *job, const Block *block, gsize first, gsize n, float *panel)
{
  const PtAttention *a = job->a;
  const PtRowCut cut = {
    &a->k, block->batch, block->kv_head, block->key + first, n, 0, a->head_dim
  };
  PtRowRoom room;
  gsize stride;
  const float *k = pt_float_rows (job->vectors, &cut, room, &stride, NULL);

  job->kernels->pack_transposed (n, a->head_dim, k, stride, panel);
}

static void
score_keys (const PtAttentionJob *job, const Block *block)
{
  const PtAttention *a = job->a;
  const PtF32Kernels *kernels = job->kernels;

  if (block->n_keys < MIN_FUSED_KEYS) {
    score_few_keys (job, block);
    return;
  }
  for (gsize first = 0; first < block->n_visible; first += PACKED_KEYS) {
    gsize n = MIN (PACKED_KEYS, block->n_visible - first);

    for (gsize j = 0; j < n; j += kernels->nr)
      pack_keys (job, block, first + j, MIN (kernels->nr, n - j), block->packed + j * a->head_dim);
    for (gsize h = 0; h < block->n_heads; h++)
      score_packed (job, block, h, first, n);
  }
}

/* Turns scores into weights, one query after the other. The weights of invisible keys are 0. */
static void
weigh_keys (const PtAttentionJob *job, const Block *block, gsize head)
{
  const PtAttention *a = job->a;

  for (gsize i = 0; i < block->n_queries; i++) {
    gsize query = block->first_query + i, n = pt_attention_visible_in_block (a, query, block->key);
    const float *mask = pt_attention_mask_row (a, block->batch, block->head + head, query);
    float *scores = scores_of (job, block, head, i), factor = 1.0f;
    float *out = pt_attention_out_row (a, block->batch, block->head + head, query);
    gsize state = head * job->block_queries + i;

    if (n > 0)
      factor = job->vectors->softmax_step (n, block->n_keys, scores, a->scale,
                                           mask ? mask + block->key : NULL, &block->max[state],
                                           &block->sum[state]);
    memset (scores + n, 0, (block->n_visible - n) * sizeof *scores);
    if (block->key > 0 && factor != 1.0f)
      job->vectors->scale (a->value_dim, out, factor, out);
  }
}

/*
 * Packs rows of values. They are copied because their stride would make them displace each other in
 * the cache.
 */
static void
pack_values (const PtAttentionJob *job, const Block *block, gsize first, gsize n)
{
  const PtAttention *a = job->a;
  gsize nr = job->kernels->nr, stride;
  PtRowCut cut = { &a->v, block->batch, block->kv_head, 0, 1, 0, a->value_dim };
  PtRowRoom room;

  for (gsize i = 0; i < n; i++) {
    const float *v;

    cut.first = block->key + first + i;
    v = pt_float_rows (job->vectors, &cut, room, &stride, NULL);
    for (gsize column = 0; column < a->value_dim; column += nr)
      memcpy (block->packed + column * n + i * nr, v + column,
              MIN (nr, a->value_dim - column) * sizeof *v);
  }
}

static void
add_packed (const PtAttentionJob *job, const Block *block, gsize head, gsize first, gsize n)
{
  const PtF32Kernels *kernels = job->kernels;
  const PtTileEnds ends = { NULL, FALSE, block->key + first > 0, -INFINITY, INFINITY };
  gsize dim = job->a->value_dim, ldo = job->a->out_row_stride;
  float *out = pt_attention_out_row (job->a, block->batch, block->head + head, block->first_query);

  for (gsize i = 0; i < block->n_queries; i += kernels->mr)
    for (gsize column = 0; column < dim; column += kernels->nr)
      kernels->tile (MIN (kernels->mr, block->n_queries - i), MIN (kernels->nr, dim - column), n,
                     scores_of (job, block, head, i) + first, PT_BLOCK_KEYS,
                     block->packed + column * n, kernels->nr, &ends, out + i * ldo + column, ldo);
}

/*
 * The number of keys of a block, from @first on, whose values are added in one sum: all, half of
 * them, or the maximum of one sum.
 */
static gsize
value_keys (gsize n_keys, gsize first)
{
  if (n_keys > MAX_VALUE_KEYS && n_keys < 2 * MAX_VALUE_KEYS)
    return first == 0 ? n_keys / 2 : n_keys - n_keys / 2;
  return MIN (n_keys - first, MAX_VALUE_KEYS);
}

static void
add_values (const PtAttentionJob *job, const Block *block)
{
  gsize n;

  for (gsize first = 0; first < block->n_visible; first += n) {
    n = value_keys (block->n_keys, first);
    n = MIN (n, block->n_visible - first); /* the remaining keys have weight 0 */
    pack_values (job, block, first, n);
    for (gsize h = 0; h < block->n_heads; h++)
      add_packed (job, block, h, first, n);
  }
}

static void
finish_block (const PtAttentionJob *job, const Block *block, gsize visible)
{
  const PtAttention *a = job->a;

  for (gsize h = 0; h < block->n_heads; h++)
    for (gsize i = 0; i < block->n_queries; i++) {
      float *out = pt_attention_out_row (a, block->batch, block->head + h, block->first_query + i);

      if (visible == 0)
        memset (out, 0, a->value_dim * sizeof *out);
      job->vectors->scale (a->value_dim, out, 1.0f / block->sum[h * job->block_queries + i], out);
    }
}

static void
attend_block (const PtAttentionJob *job, Block *block)
{
  const PtAttention *a = job->a;
  gsize last = block->first_query + block->n_queries - 1,
        visible = pt_attention_visible_keys (a, last);

  for (gsize i = 0; i < job->pass_heads * job->block_queries; i++) {
    block->max[i] = -INFINITY;
    block->sum[i] = 0.0f;
  }
  for (block->key = 0; block->key < visible; block->key += PT_BLOCK_KEYS) {
    block->n_keys = MIN (PT_BLOCK_KEYS, a->n_keys - block->key);
    block->n_visible = pt_attention_visible_in_block (a, last, block->key);
    score_keys (job, block);
    for (gsize h = 0; h < block->n_heads; h++)
      weigh_keys (job, block, h);
    add_values (job, block);
  }
  finish_block (job, block, visible);
}

/*
 * Item: a block of queries of one group of heads, so that the keys and values of the group stay in
 * the cache. Later blocks see more keys and take longer, so they are done first.
 */
static void
blocks_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtAttentionJob *job = data;
  const PtAttention *a = job->a;
  Block block = { .packed = pt_pool_scratch (job->pool, worker) };

  block.scores = block.packed + packed_floats (job);
  block.max = block.scores + job->pass_heads * job->block_queries * PT_BLOCK_KEYS;
  block.sum = block.max + job->pass_heads * job->block_queries;
  for (gsize item = begin; item < end; item++) {
    gsize pair = item / job->n_query_blocks, later = item % job->n_query_blocks;

    block.batch = pair / a->kv_heads;
    block.kv_head = pair % a->kv_heads;
    block.first_query = (job->n_query_blocks - 1 - later) * job->block_queries;
    block.n_queries = MIN (job->block_queries, job->n_queries - block.first_query);
    for (gsize h = 0; h < job->group; h += job->pass_heads) {
      block.head = block.kv_head * job->group + h;
      block.n_heads = MIN (job->pass_heads, job->group - h);
      attend_block (job, &block);
    }
  }
}

static void
set_block (PtAttentionJob *job, gsize rows)
{
  gsize mr = job->kernels->mr, strips = MAX (1, rows / job->group / mr);

  job->block_queries = MIN (strips * mr, job->n_queries);
  job->n_query_blocks = pt_div_up (job->n_queries, job->block_queries);
  job->pass_heads = MIN (job->group, MAX (1, rows / job->block_queries));
}

static void
choose_block (PtAttentionJob *job)
{
  const PtAttention *a = job->a;

  set_block (job, BLOCK_ROWS);
  if (a->batch * a->kv_heads * job->n_query_blocks < 8 * (gsize) pt_pool_n_workers (job->pool))
    set_block (job, FEW_BLOCK_ROWS);
}

static gboolean
block_fits (const PtAttentionJob *job)
{
  double rows = (double) job->pass_heads * (double) job->block_queries;
  double floats = (double) packed_floats (job) + rows * (PT_BLOCK_KEYS + 2);

  return floats * sizeof (float) <= PT_POOL_SCRATCH;
}

gboolean
pt_attend_in_blocks (PtAttentionJob *job)
{
  const PtAttention *a = job->a;
  double work;

  choose_block (job);
  if (!block_fits (job))
    return FALSE;
  work = (double) job->block_queries * (double) job->group * (double) a->n_keys *
         (double) (a->head_dim + a->value_dim);
  pt_pool_run (job->pool, a->batch * a->kv_heads * job->n_query_blocks,
               pt_attention_piece_of (work), blocks_task, job);
  return TRUE;
}
