/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/attention.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/attention-rows.h"
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/lane-dot.h"

/*
 * Every sum has a fixed order, that of upstream's runtime (docs/architecture.md, "Same bits as
 * upstream"), which does not depend on threads or on the division of the work. Three things define
 * the order: keys come in blocks, for which the softmax has a running maximum and sum; queries come
 * in groups; the products of a group depend on whether it has many or few queries.
 */

/* Keys of a block. */
#define BLOCK_KEYS 512

/* Below this many queries or keys, products are computed in lanes (lane-dot.h). */
#define MIN_FUSED_QUERIES 4
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

/*
 * Keys that are read in place together, for all heads of a piece: a multiple of eight (lane-dot.h),
 * and few enough that prefetched keys stay in the L1 cache.
 */
#define CHUNK_KEYS 16

/* Columns of values in a piece. */
#define PART_COLUMNS 16

/* Multiplications in a piece of a loop. */
#define PIECE_WORK (32 * 1024)

/* The cost of the softmax for each key, in multiplications. */
#define WEIGHT_WORK 16.0

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
} Job;

/* The number of queries in a group; the last group may have fewer. */
static gsize
group_of_queries (gsize n_queries)
{
  return n_queries >= 768 ? 256 : n_queries >= 192 ? 64 : 32;
}

/* The number of keys visible to query @i. */
static gsize
visible_keys (const PtAttention *a, gsize i)
{
  return a->causal ? MIN (a->n_keys, a->start_pos + i + 1) : a->n_keys;
}

/* The number of keys visible to query @i in the block that begins with @key. */
static gsize
visible_in_block (const PtAttention *a, gsize i, gsize key)
{
  gsize visible = visible_keys (a, i);

  return visible > key ? MIN (visible - key, BLOCK_KEYS) : 0;
}

static const float *
mask_row (const PtAttention *a, gsize batch, gsize head, gsize query)
{
  if (!a->mask)
    return NULL;
  return a->mask + batch * a->mask_batch_stride + head * a->mask_head_stride +
         query * a->mask_row_stride;
}

static const float *
q_row (const PtAttention *a, gsize batch, gsize head, gsize query)
{
  return a->q + batch * a->q_batch_stride + head * a->q_head_stride + query * a->q_row_stride;
}

static float *
out_row (const PtAttention *a, gsize batch, gsize head, gsize query)
{
  return a->out + batch * a->out_batch_stride + head * a->out_head_stride +
         query * a->out_row_stride;
}

static gsize
piece_of (double work)
{
  return (gsize) CLAMP (PIECE_WORK / MAX (work, 1.0), 1.0, 1e6);
}

/*
 * Few queries, as in decode: queries are computed one after the other, and keys and values are read
 * in place. For a window of some blocks of keys, the steps are: compute all scores, turn them into
 * weights, add up the values.
 */

#define WINDOW_BLOCKS 4
#define WINDOW_KEYS (WINDOW_BLOCKS * BLOCK_KEYS)

/* Most heads whose scores for a window are computed together. */
#define MAX_HEADS (PT_POOL_SCRATCH / sizeof (float) / (WINDOW_KEYS + WINDOW_BLOCKS + 3))

typedef struct {
  const Job *job;
  gsize batch, query;
  gsize first_head, n_heads; /* a number of whole groups, or some heads of one group */
  gsize n_rows;              /* number of queries in a full group */
  gboolean lead;             /* the query is the only one in its group */
  gsize key, n_keys;         /* the window of keys */
  float *scores;             /* [n_heads, WINDOW_KEYS]: scores, later weights */
  float *factors;            /* [n_heads, WINDOW_BLOCKS]: factors of the sums before each block */
  float *max, *sum;          /* [n_heads] */
  guint32 *odd;              /* [n_heads]: odd_columns() */
} Query;

/* The number of heads that share keys and whose scores are computed together. */
static gsize
heads_together (const Query *query)
{
  return MIN (query->job->group, query->n_heads);
}

/*
 * Sets @ahead to what item @i of the @n items of a chunk prefetches of the chunk of keys at @at: a
 * share of its lines in memory order, in which they come fastest. FALSE: there is no whole chunk.
 */
static gboolean
keys_ahead (const Query *query, gsize at, gsize i, gsize n, PtAhead *ahead)
{
  const PtAttention *a = query->job->a;
  const PtAttentionRows *k = &a->k;
  gboolean together = k->head_stride < k->row_stride;
  PtRowCut cut = { k, query->batch, query->first_head / query->job->group, query->key + at, 0,
                   0, a->head_dim };

  if (at + CHUNK_KEYS > query->n_keys)
    return FALSE;
  if (together)
    cut.n_columns += (n - 1) * k->head_stride;
  else
    cut.kv_head += i;
  *ahead = pt_rows_ahead (&cut, CHUNK_KEYS, together ? i : 0, n);
  return TRUE;
}

/*
 * Computes scores. Item: a chunk of keys and the heads of a group. The groups of a chunk are
 * consecutive items, in memory order.
 */
static void
score_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Query *query = data;
  const Job *job = query->job;
  const PtAttention *a = job->a;
  gsize group = heads_together (query), n_groups = query->n_heads / group;
  PtRowRoom room;

  for (gsize item = begin; item < end; item++) {
    gsize first = item % n_groups * group, at = item / n_groups * CHUNK_KEYS;
    gsize head = query->first_head + first, n = MIN (CHUNK_KEYS, query->n_keys - at), stride;
    const PtRowCut cut = { &a->k, query->batch, head / job->group, query->key + at, n,
                           0,     a->head_dim };
    PtAhead ahead, *next = keys_ahead (query, at + CHUNK_KEYS, item % n_groups, n_groups, &ahead)
                               ? &ahead
                               : NULL;
    const float *k = pt_float_rows (job->vectors, &cut, room, &stride, &next);

    for (gsize h = 0; h < group; h += PT_DOT_ROWS)
      job->kernels->lane_dots (MIN (PT_DOT_ROWS, group - h), n, a->head_dim, query->lead,
                               q_row (a, query->batch, head + h, query->query), a->q_head_stride, k,
                               stride, h == 0 ? next : NULL,
                               query->scores + (first + h) * WINDOW_KEYS + at, WINDOW_KEYS);
  }
}

/*
 * Upstream's BLAS adds up the columns in front of the first aligned vector in another order. Their
 * number depends on the address of upstream's scratch, behind the scores of a worker; it follows
 * from the sizes, for the two workers that upstream had.
 */
static guint32
odd_columns (const Query *query, gsize head)
{
  const PtAttention *a = query->job->a;
  gsize items = a->batch * a->heads,
        worker = (query->batch * a->heads + head) / pt_div_up (items, 2);
  gsize scores = query->n_rows * (MIN (BLOCK_KEYS, a->n_keys) + 2);

  if (a->value_dim < 4)
    return 0;
  return (4 - (worker * (scores + query->n_rows * a->value_dim) + scores) % 4) % 4;
}

/* Turns scores into weights. Item: one head. */
static void
weigh_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Query *query = data;
  const Job *job = query->job;
  const PtAttention *a = job->a;

  for (gsize h = begin; h < end; h++) {
    const float *mask = mask_row (a, query->batch, query->first_head + h, query->query);
    float *scores = query->scores + h * WINDOW_KEYS;

    for (gsize at = 0; at == 0 || at < query->n_keys; at += BLOCK_KEYS)
      query->factors[h * WINDOW_BLOCKS + at / BLOCK_KEYS] = job->vectors->softmax_step (
          visible_in_block (a, query->query, query->key + at), MIN (BLOCK_KEYS, query->n_keys - at),
          scores + at, a->scale, mask ? mask + query->key + at : NULL, &query->max[h],
          &query->sum[h]);
  }
}

/* Some columns of the values of m consecutive heads of a group. */
typedef struct {
  gsize first, m, column, n;
} Part;

static float *
out_of_part (const Query *query, const Part *part, gsize i)
{
  return out_row (query->job->a, query->batch, query->first_head + part->first + i, query->query) +
         part->column;
}

/*
 * Initialises the sums for the block of keys that begins at @at: zeros for the first block, else
 * the former sums times the factor of the block.
 */
static void
begin_sums (const Query *query, const Part *part, gsize at)
{
  for (gsize i = 0; i < part->m; i++) {
    float factor = query->factors[(part->first + i) * WINDOW_BLOCKS + at / BLOCK_KEYS];
    float *out = out_of_part (query, part, i);

    if (query->key + at == 0)
      memset (out, 0, part->n * sizeof *out);
    else if (factor != 1.0f)
      query->job->vectors->scale (part->n, out, factor, out);
  }
}

/* Adds weights . values for @n_keys keys from @at on, whose rows of floats are @v. */
static void
add_values_in_place (const Query *query, const Part *part, gsize at, gsize n_keys, const float *v,
                     gsize stride, PtAhead *ahead)
{
  const PtAttention *a = query->job->a;
  const float *weights = query->scores + part->first * WINDOW_KEYS + at;
  float *out = out_of_part (query, part, 0);
  const guint32 *odd = query->odd + part->first;
  gsize n_odd = part->column == 0 ? part->m : 0;
  float rest[PT_DOT_ROWS][4];

  for (gsize i = 0; i < n_odd; i++)
    if (odd[i] > 0)
      memcpy (rest[i], out + i * a->out_head_stride, sizeof rest[i]);
  query->job->kernels->add_rows (part->m, part->n, n_keys, weights, WINDOW_KEYS, v, stride, ahead,
                                 out, a->out_head_stride);
  for (gsize i = 0; i < n_odd; i++)
    if (odd[i] > 0) {
      pt_add_rows_by_fours (n_keys, weights + i * WINDOW_KEYS, v, stride, rest[i]);
      memcpy (out + i * a->out_head_stride, rest[i], odd[i] * sizeof *out);
    }
}

/*
 * Sets @part to the columns of item @item and of the following items of the same group, up to @end.
 * Returns the item after these.
 */
static gsize
find_part (const Query *query, gsize item, gsize end, Part *part)
{
  gsize dim = query->job->a->value_dim, n_parts = pt_div_up (dim, PART_COLUMNS);
  gsize next = MIN (end, (item / n_parts + 1) * n_parts);

  part->first = item / n_parts * heads_together (query);
  part->column = item % n_parts * PART_COLUMNS;
  part->n = MIN (dim - part->column, (next - item) * PART_COLUMNS);
  return next;
}

/* Adds the values of keys [at, at + n) of the window to the sums of the part's group. */
static void
add_group (const Query *query, Part part, gsize at, gsize n, PtAhead *ahead)
{
  const Job *job = query->job;
  gsize group = heads_together (query), kv_head = (query->first_head + part.first) / job->group;
  const PtRowCut cut = {
    &job->a->v, query->batch, kv_head, query->key + at, n, part.column, part.n
  };
  PtRowRoom room;
  gsize stride;
  const float *v = pt_float_rows (job->vectors, &cut, room, &stride, &ahead);

  for (gsize h = 0; h < group; h += PT_DOT_ROWS, part.first += PT_DOT_ROWS) {
    part.m = MIN (PT_DOT_ROWS, group - h);
    if (at % BLOCK_KEYS == 0)
      begin_sums (query, &part, at);
    add_values_in_place (query, &part, at, n, v, stride, h == 0 ? ahead : NULL);
  }
}

/* What @part, which begins with item @item of [begin, end), prefetches of the values at @at. */
static PtAhead
values_ahead (const Query *query, const Part *part, gsize begin, gsize item, gsize end, gsize at)
{
  const PtAttention *a = query->job->a;
  gsize n_parts = pt_div_up (a->value_dim, PART_COLUMNS), group = heads_together (query);
  gboolean together = a->v.head_stride < a->v.row_stride;
  gsize head = together ? begin / n_parts * group : part->first;
  const PtRowCut cut = { &a->v,
                         query->batch,
                         (query->first_head + head) / query->job->group,
                         query->key + at,
                         0,
                         together ? begin % n_parts * PART_COLUMNS : part->column,
                         together ? (end - begin) * PART_COLUMNS : part->n };

  return pt_rows_ahead (&cut, CHUNK_KEYS, together ? item - begin : 0, end - begin);
}

/*
 * Adds up values. Item: some columns of the values of a group. Rows of values are read in memory
 * order.
 */
static void
values_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Query *query = data;
  gsize visible = visible_keys (query->job->a, query->query);
  PtAhead ahead;
  Part part;

  visible = MIN (query->n_keys, visible - MIN (visible, query->key));
  for (gsize at = 0; at == 0 || at < visible; at += CHUNK_KEYS) {
    gsize n = MIN (CHUNK_KEYS, visible - at);

    for (gsize item = begin, next; item < end; item = next) {
      next = find_part (query, item, end, &part);
      if (at + 2 * CHUNK_KEYS <= visible)
        ahead = values_ahead (query, &part, begin, item, end, at + CHUNK_KEYS);
      add_group (query, part, at, n, at + 2 * CHUNK_KEYS <= visible ? &ahead : NULL);
    }
  }
}

/* The start value: before the first window. */
#define NO_KEY ((gsize) 0 - WINDOW_KEYS)

/* Moves to the next window of keys. FALSE: there is none. The first window may be empty. */
static gboolean
next_keys (Query *query)
{
  const PtAttention *a = query->job->a;
  gsize visible = visible_keys (a, query->query), end;

  query->key += WINDOW_KEYS;
  if (query->key > 0 && query->key >= visible)
    return FALSE;
  end = MIN (a->n_keys, pt_div_up (MAX (visible, 1), BLOCK_KEYS) * BLOCK_KEYS);
  query->n_keys = MIN (WINDOW_KEYS, end - query->key);
  return TRUE;
}

/* Does all steps for one head. Item: one head that shares its keys with no other. */
static void
head_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Query *query = data;

  for (gsize h = begin; h < end; h++) {
    Query one = *query;

    one.first_head += h;
    one.n_heads = 1;
    one.scores += h * WINDOW_KEYS;
    one.factors += h * WINDOW_BLOCKS;
    one.max += h;
    one.sum += h;
    one.odd += h;
    while (next_keys (&one)) {
      score_task (&one, 0, pt_div_up (one.n_keys, CHUNK_KEYS), worker);
      weigh_task (&one, 0, 1, worker);
      values_task (&one, 0, pt_div_up (query->job->a->value_dim, PART_COLUMNS), worker);
    }
  }
}

/*
 * Describes rows of keys or values as a stream for the pool: @n_items items for @n_rows rows. Needs
 * the heads of a row to be contiguous.
 */
static PtStream
stream_of (const Query *query, const PtAttentionRows *rows, gsize n_rows, gsize n_items)
{
  gsize size = pt_row_number_size (rows->type);

  if (rows->head_stride > rows->row_stride)
    return (PtStream){ NULL, 0 };
  return (PtStream){ (const guint8 *) rows->data +
                         (query->batch * rows->batch_stride + query->key * rows->row_stride) * size,
                     n_rows * rows->row_stride * size / n_items };
}

/* Does each step for all heads before the next step, so that many workers get pieces. */
static void
attend_together (Query *query)
{
  const Job *job = query->job;
  const PtAttention *a = job->a;
  gsize group = heads_together (query), n_groups = query->n_heads / group;
  gsize n_parts = n_groups * pt_div_up (a->value_dim, PART_COLUMNS), grain;

  while (next_keys (query)) {
    PtStream keys = stream_of (query, &a->k, CHUNK_KEYS, n_groups);
    PtStream values = stream_of (query, &a->v, query->n_keys, n_parts);

    pt_pool_run_shares (job->pool, n_groups * pt_div_up (query->n_keys, CHUNK_KEYS),
                        piece_of ((double) group * CHUNK_KEYS * (double) a->head_dim), &keys,
                        score_task, query);
    pt_pool_run (job->pool, query->n_heads, piece_of ((double) query->n_keys * WEIGHT_WORK),
                 weigh_task, query);
    grain = piece_of ((double) query->n_keys * (double) group * PART_COLUMNS);
    pt_pool_run_shares (job->pool, n_parts,
                        MAX (grain, pt_div_up (n_parts, pt_pool_n_workers (job->pool))), &values,
                        values_task, query);
  }
}

static void
attend_heads (Query *query)
{
  const Job *job = query->job;
  const PtAttention *a = job->a;

  for (gsize h = 0; h < query->n_heads; h++) {
    query->max[h] = -INFINITY;
    query->sum[h] = 0.0f;
    query->odd[h] = odd_columns (query, query->first_head + h);
  }
  query->key = NO_KEY;
  if (job->group == 1 && query->n_heads >= 2 * (gsize) pt_pool_n_workers (job->pool))
    pt_pool_run (job->pool, query->n_heads,
                 piece_of ((double) a->n_keys * (double) (a->head_dim + a->value_dim)), head_task,
                 query);
  else
    attend_together (query);
  for (gsize h = 0; h < query->n_heads; h++) {
    float *out = out_row (a, query->batch, query->first_head + h, query->query);

    job->vectors->scale (a->value_dim, out, 1.0f / query->sum[h], out);
  }
}

/*
 * Computes queries [first, n_queries), which are one group. The scores lie in the first worker's
 * scratch, which is free here.
 */
static void
attend_in_place (const Job *job, gsize first)
{
  const PtAttention *a = job->a;
  gsize step = job->group > MAX_HEADS ? 1 : MAX_HEADS / job->group * job->group;
  Query query = { .job = job,
                  .n_rows = MIN (a->n_queries, group_of_queries (a->n_queries)),
                  .lead = a->n_queries % group_of_queries (a->n_queries) == 1,
                  .scores = pt_pool_scratch (job->pool, 0) };

  query.factors = query.scores + MIN (step, a->heads) * WINDOW_KEYS;
  query.max = query.factors + MIN (step, a->heads) * WINDOW_BLOCKS;
  query.sum = query.max + MIN (step, a->heads);
  query.odd = (guint32 *) (query.sum + MIN (step, a->heads));
  for (query.batch = 0; query.batch < a->batch; query.batch++)
    for (query.query = first; query.query < a->n_queries; query.query++)
      for (query.first_head = 0; query.first_head < a->heads; query.first_head += step) {
        query.n_heads = MIN (step, a->heads - query.first_head);
        attend_heads (&query);
      }
}

/*
 * Many queries, as in prefill: keys and values are packed once for a block of queries and all heads
 * of a group.
 */

typedef struct {
  gsize batch, kv_head;
  gsize first_query, n_queries;
  gsize head, n_heads; /* heads of this pass */
  gsize key, n_keys;   /* the block of keys */
  gsize n_visible;     /* keys of the block that at least one query sees */
  float *packed;    /* packed keys: panels of [head_dim, nr]; or packed values: panels of [n, nr] */
  float *scores;    /* [n_heads, block_queries, BLOCK_KEYS] */
  float *max, *sum; /* [n_heads, block_queries] */
} Block;

/* @n rounded up to whole panels. */
static gsize
whole_panels (const Job *job, gsize n)
{
  return pt_div_up (n, job->kernels->nr) * job->kernels->nr;
}

static gsize
packed_floats (const Job *job)
{
  return MAX (whole_panels (job, PACKED_KEYS) * job->a->head_dim,
              MAX_VALUE_KEYS * whole_panels (job, job->a->value_dim));
}

static float *
scores_of (const Job *job, const Block *block, gsize head, gsize query)
{
  return block->scores + (head * job->block_queries + query) * BLOCK_KEYS;
}

/* Computes scores: a head's queries times the packed keys [first, first + n) of the block. */
static void
score_packed (const Job *job, const Block *block, gsize head, gsize first, gsize n)
{
  const PtF32Kernels *kernels = job->kernels;
  const PtTileEnds ends = { NULL, FALSE, FALSE, -INFINITY, INFINITY };
  const PtAttention *a = job->a;
  const float *q = q_row (a, block->batch, block->head + head, block->first_query);

  for (gsize i = 0; i < block->n_queries; i += kernels->mr)
    for (gsize j = 0; j < n; j += kernels->nr)
      kernels->tile (MIN (kernels->mr, block->n_queries - i), MIN (kernels->nr, n - j), a->head_dim,
                     q + i * a->q_row_stride, a->q_row_stride, block->packed + j * a->head_dim,
                     kernels->nr, &ends, scores_of (job, block, head, i) + first + j, BLOCK_KEYS);
}

/* Computes the scores of a short last block, whose keys are read in place. */
static void
score_few_keys (const Job *job, const Block *block)
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
          q_row (a, block->batch, block->head + h, block->first_query + i), a->q_row_stride, k,
          stride, NULL, scores_of (job, block, h, i), BLOCK_KEYS);
}

/* Packs n <= nr keys from @first of the block on: a panel. */
static void
pack_keys (const Job *job, const Block *block, gsize first, gsize n, float *panel)
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
score_keys (const Job *job, const Block *block)
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
weigh_keys (const Job *job, const Block *block, gsize head)
{
  const PtAttention *a = job->a;

  for (gsize i = 0; i < block->n_queries; i++) {
    gsize query = block->first_query + i, n = visible_in_block (a, query, block->key);
    const float *mask = mask_row (a, block->batch, block->head + head, query);
    float *scores = scores_of (job, block, head, i), factor = 1.0f;
    float *out = out_row (a, block->batch, block->head + head, query);
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
pack_values (const Job *job, const Block *block, gsize first, gsize n)
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
add_packed (const Job *job, const Block *block, gsize head, gsize first, gsize n)
{
  const PtF32Kernels *kernels = job->kernels;
  const PtTileEnds ends = { NULL, FALSE, block->key + first > 0, -INFINITY, INFINITY };
  gsize dim = job->a->value_dim, ldo = job->a->out_row_stride;
  float *out = out_row (job->a, block->batch, block->head + head, block->first_query);

  for (gsize i = 0; i < block->n_queries; i += kernels->mr)
    for (gsize column = 0; column < dim; column += kernels->nr)
      kernels->tile (MIN (kernels->mr, block->n_queries - i), MIN (kernels->nr, dim - column), n,
                     scores_of (job, block, head, i) + first, BLOCK_KEYS,
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
add_values (const Job *job, const Block *block)
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
finish_block (const Job *job, const Block *block, gsize visible)
{
  const PtAttention *a = job->a;

  for (gsize h = 0; h < block->n_heads; h++)
    for (gsize i = 0; i < block->n_queries; i++) {
      float *out = out_row (a, block->batch, block->head + h, block->first_query + i);

      if (visible == 0)
        memset (out, 0, a->value_dim * sizeof *out);
      job->vectors->scale (a->value_dim, out, 1.0f / block->sum[h * job->block_queries + i], out);
    }
}

static void
attend_block (const Job *job, Block *block)
{
  const PtAttention *a = job->a;
  gsize last = block->first_query + block->n_queries - 1, visible = visible_keys (a, last);

  for (gsize i = 0; i < job->pass_heads * job->block_queries; i++) {
    block->max[i] = -INFINITY;
    block->sum[i] = 0.0f;
  }
  for (block->key = 0; block->key < visible; block->key += BLOCK_KEYS) {
    block->n_keys = MIN (BLOCK_KEYS, a->n_keys - block->key);
    block->n_visible = visible_in_block (a, last, block->key);
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
  const Job *job = data;
  const PtAttention *a = job->a;
  Block block = { .packed = pt_pool_scratch (job->pool, worker) };

  block.scores = block.packed + packed_floats (job);
  block.max = block.scores + job->pass_heads * job->block_queries * BLOCK_KEYS;
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
set_block (Job *job, gsize rows)
{
  gsize mr = job->kernels->mr, strips = MAX (1, rows / job->group / mr);

  job->block_queries = MIN (strips * mr, job->n_queries);
  job->n_query_blocks = pt_div_up (job->n_queries, job->block_queries);
  job->pass_heads = MIN (job->group, MAX (1, rows / job->block_queries));
}

static void
choose_block (Job *job)
{
  const PtAttention *a = job->a;

  set_block (job, BLOCK_ROWS);
  if (a->batch * a->kv_heads * job->n_query_blocks < 8 * (gsize) pt_pool_n_workers (job->pool))
    set_block (job, FEW_BLOCK_ROWS);
}

static gboolean
block_fits (const Job *job)
{
  double rows = (double) job->pass_heads * (double) job->block_queries;
  double floats = (double) packed_floats (job) + rows * (BLOCK_KEYS + 2);

  return floats * sizeof (float) <= PT_POOL_SCRATCH;
}

static void
run_blocks (Job *job)
{
  const PtAttention *a = job->a;

  pt_pool_run (job->pool, a->batch * a->kv_heads * job->n_query_blocks,
               piece_of ((double) job->block_queries * (double) job->group * (double) a->n_keys *
                         (double) (a->head_dim + a->value_dim)),
               blocks_task, job);
}

static void
attend_one_by_one (PtPool *pool, const PtAttention *a)
{
  for (gsize i = 0; i < a->n_queries; i++) {
    PtAttention one = *a;

    one.one_by_one = FALSE;
    one.n_queries = 1;
    one.q += i * a->q_row_stride;
    one.out += i * a->out_row_stride;
    one.start_pos += i;
    if (a->causal)
      one.n_keys = MIN (a->n_keys, one.start_pos + 1);
    if (a->mask != NULL)
      one.mask += i * a->mask_row_stride;
    pt_attention_f32 (pool, &one);
  }
}

void
pt_attention_f32 (PtPool *pool, const PtAttention *attention)
{
  const PtAttention *a = attention;
  gsize rest = a->n_queries % group_of_queries (a->n_queries);
  Job job = {
    .a = a,
    .pool = pool,
    .kernels = pt_f32_kernels (),
    .vectors = pt_vector_kernels (),
    .n_queries = a->n_queries - (rest < 3 * MIN_FUSED_QUERIES ? rest % MIN_FUSED_QUERIES : 0),
  };

  if (a->batch == 0 || a->heads == 0 || a->n_queries == 0)
    return;
  if (a->one_by_one && a->n_queries > 1) {
    attend_one_by_one (pool, a);
    return;
  }
  job.group = a->heads / a->kv_heads;
  if (job.n_queries > 0) {
    choose_block (&job);
    if (!block_fits (&job))
      job.n_queries = 0;
  }
  if (job.n_queries > 0)
    run_blocks (&job);
  if (job.n_queries < a->n_queries)
    attend_in_place (&job, job.n_queries);
}
