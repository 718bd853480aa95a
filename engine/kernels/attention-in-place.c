/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/kernels/attention-job.h"
#include "engine/kernels/attention-rows.h"
#include "engine/kernels/lane-dot.h"

/*
 * Few queries, as in decode: queries are computed one after the other, and keys and values are read
 * in place. For a window of some blocks of keys, the steps are: compute all scores, turn them into
 * weights, add up the values.
 */

/*
 * Keys that are read in place together, for all heads of a piece: a multiple of eight (lane-dot.h),
 * and few enough that prefetched keys stay in the L1 cache.
 */
#define CHUNK_KEYS 16

/* Columns of values in a piece. */
#define PART_COLUMNS 16

/* The cost of the softmax for each key, in multiplications. */
#define WEIGHT_WORK 16.0

#define WINDOW_BLOCKS 4
#define WINDOW_KEYS (WINDOW_BLOCKS * PT_BLOCK_KEYS)

/* Most heads whose scores for a window are computed together. */
#define MAX_HEADS (PT_POOL_SCRATCH / sizeof (float) / (WINDOW_KEYS + WINDOW_BLOCKS + 3))

typedef struct {
  const PtAttentionJob *job;
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
  const PtAttentionJob *job = query->job;
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
                               pt_attention_q_row (a, query->batch, head + h, query->query),
                               a->q_head_stride, k, stride, h == 0 ? next : NULL,
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
  gsize scores = query->n_rows * (MIN (PT_BLOCK_KEYS, a->n_keys) + 2);

  if (a->value_dim < 4)
    return 0;
  return (4 - (worker * (scores + query->n_rows * a->value_dim) + scores) % 4) % 4;
}

/* Turns scores into weights. Item: one head. */
static void
weigh_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Query *query = data;
  const PtAttentionJob *job = query->job;
  const PtAttention *a = job->a;

  for (gsize h = begin; h < end; h++) {
    const float *mask =
        pt_attention_mask_row (a, query->batch, query->first_head + h, query->query);
    float *scores = query->scores + h * WINDOW_KEYS;

    for (gsize at = 0; at == 0 || at < query->n_keys; at += PT_BLOCK_KEYS)
      query->factors[h * WINDOW_BLOCKS + at / PT_BLOCK_KEYS] = job->vectors->softmax_step (
          pt_attention_visible_in_block (a, query->query, query->key + at),
          MIN (PT_BLOCK_KEYS, query->n_keys - at), scores + at, a->scale,
          mask ? mask + query->key + at : NULL, &query->max[h], &query->sum[h]);
  }
}

/* Some columns of the values of m consecutive heads of a group. */
typedef struct {
  gsize first, m, column, n;
} Part;

static float *
out_of_part (const Query *query, const Part *part, gsize i)
{
  return pt_attention_out_row (query->job->a, query->batch, query->first_head + part->first + i,
                               query->query) +
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
    float factor = query->factors[(part->first + i) * WINDOW_BLOCKS + at / PT_BLOCK_KEYS];
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
  const PtAttentionJob *job = query->job;
  gsize group = heads_together (query), kv_head = (query->first_head + part.first) / job->group;
  const PtRowCut cut = {
    &job->a->v, query->batch, kv_head, query->key + at, n, part.column, part.n
  };
  PtRowRoom room;
  gsize stride;
  const float *v = pt_float_rows (job->vectors, &cut, room, &stride, &ahead);

  for (gsize h = 0; h < group; h += PT_DOT_ROWS, part.first += PT_DOT_ROWS) {
    part.m = MIN (PT_DOT_ROWS, group - h);
    if (at % PT_BLOCK_KEYS == 0)
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
  gsize visible = pt_attention_visible_keys (query->job->a, query->query);
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
  gsize visible = pt_attention_visible_keys (a, query->query), end;

  query->key += WINDOW_KEYS;
  if (query->key > 0 && query->key >= visible)
    return FALSE;
  end = MIN (a->n_keys, pt_div_up (MAX (visible, 1), PT_BLOCK_KEYS) * PT_BLOCK_KEYS);
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
  const PtAttentionJob *job = query->job;
  const PtAttention *a = job->a;
  gsize group = heads_together (query), n_groups = query->n_heads / group;
  gsize n_parts = n_groups * pt_div_up (a->value_dim, PART_COLUMNS), grain;

  while (next_keys (query)) {
    PtStream keys = stream_of (query, &a->k, CHUNK_KEYS, n_groups);
    PtStream values = stream_of (query, &a->v, query->n_keys, n_parts);

    pt_pool_run_shares (job->pool, n_groups * pt_div_up (query->n_keys, CHUNK_KEYS),
                        pt_attention_piece_of ((double) group * CHUNK_KEYS * (double) a->head_dim),
                        &keys, score_task, query);
    pt_pool_run (job->pool, query->n_heads,
                 pt_attention_piece_of ((double) query->n_keys * WEIGHT_WORK), weigh_task, query);
    grain = pt_attention_piece_of ((double) query->n_keys * (double) group * PART_COLUMNS);
    pt_pool_run_shares (job->pool, n_parts,
                        MAX (grain, pt_div_up (n_parts, pt_pool_n_workers (job->pool))), &values,
                        values_task, query);
  }
}

static void
attend_heads (Query *query)
{
  const PtAttentionJob *job = query->job;
  const PtAttention *a = job->a;

  for (gsize h = 0; h < query->n_heads; h++) {
    query->max[h] = -INFINITY;
    query->sum[h] = 0.0f;
    query->odd[h] = odd_columns (query, query->first_head + h);
  }
  query->key = NO_KEY;
  if (job->group == 1 && query->n_heads >= 2 * (gsize) pt_pool_n_workers (job->pool))
    pt_pool_run (job->pool, query->n_heads,
                 pt_attention_piece_of ((double) a->n_keys * (double) (a->head_dim + a->value_dim)),
                 head_task, query);
  else
    attend_together (query);
  for (gsize h = 0; h < query->n_heads; h++) {
    float *out = pt_attention_out_row (a, query->batch, query->first_head + h, query->query);

    job->vectors->scale (a->value_dim, out, 1.0f / query->sum[h], out);
  }
}

void
pt_attend_in_place (const PtAttentionJob *job, gsize first)
{
  const PtAttention *a = job->a;
  gsize step = job->group > MAX_HEADS ? 1 : MAX_HEADS / job->group * job->group;
  Query query = { .job = job,
                  .n_rows = MIN (a->n_queries, pt_attention_group_of_queries (a->n_queries)),
                  .lead = a->n_queries % pt_attention_group_of_queries (a->n_queries) == 1,
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
