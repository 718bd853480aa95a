/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/attention.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/kernels.h"

/* Keys of a block: its scores, its keys and its values stay in the first two caches. */
#define BLOCK_KEYS 128

/* Rows (queries times heads of a group) that should share one packed block of keys: the more, the
 * less packing; with fewer there are more pieces for many workers. */
#define BLOCK_ROWS 192
#define FEW_BLOCK_ROWS 64

/* Heads of a group that are done together when keys are read in place. */
#define MAX_GROUP 16

/* Keys below which a query is not split among workers, and the least part. */
#define MIN_SPLIT_KEYS 128

/* Multiplications in a piece of a loop. */
#define PIECE_WORK (128 * 1024)

typedef struct {
  const PtAttention *a;
  PtPool *pool;
  const PtF32Kernels *kernels;
  const PtVectorKernels *vectors;
  gsize group;      /* heads that share keys and values */
  gsize n_splits;   /* parts of the keys */
  gsize split_keys; /* of a part */
  float *partial;   /* results of the parts: [item][group][value_dim + 2], or NULL: one part */
  gsize block_queries;
  gsize n_query_blocks;
} Job;

/* How many keys query @i may look at. */
static gsize
visible_keys (const PtAttention *a, gsize i)
{
  return a->causal ? MIN (a->n_keys, a->start_pos + i + 1) : a->n_keys;
}

static const float *
mask_row (const PtAttention *a, gsize batch, gsize head, gsize query)
{
  if (!a->mask)
    return NULL;
  return a->mask + batch * a->mask_batch_stride + head * a->mask_head_stride +
         query * a->mask_row_stride;
}

/* c[m, n] (+)= a[m, k] . b[k, n], b in place. */
static void
multiply_add (const PtF32Kernels *kernels, gsize m, gsize n, gsize k, const float *a, gsize lda,
              const float *b, gsize ldb, gboolean accumulate, float *c, gsize ldc)
{
  PtTileEnds ends = { NULL, accumulate, -INFINITY, INFINITY };

  for (gsize column = 0; column < n; column += kernels->nr)
    for (gsize row = 0; row < m; row += kernels->mr)
      kernels->tile (MIN (kernels->mr, m - row), MIN (kernels->nr, n - column), k, a + row * lda,
                     lda, b + column, ldb, &ends, c + row * ldc + column, ldc);
}

/* x = 0: what is there may be NaN, so multiplying would not do. */
static void
zero_rows (float *x, gsize ldx, gsize m, gsize n)
{
  for (gsize i = 0; i < m; i++)
    memset (x + i * ldx, 0, n * sizeof *x);
}

/*
 * Few queries: keys and values are read in place, once for all heads of a group.
 */

typedef struct {
  gsize batch, head, n_heads; /* heads [head, head + n_heads) have the same keys */
  gsize query;
  gsize first_key, last_key;
  float *out;
  gsize ldo;
  float max[MAX_GROUP], sum[MAX_GROUP];
} Part;

static void
attend_in_place (const Job *job, Part *part)
{
  const PtAttention *a = job->a;
  const PtF32Kernels *kernels = job->kernels;
  gsize kv_head = part->head / job->group;
  const float *q = a->q + part->batch * a->q_batch_stride + part->head * a->q_head_stride +
                   part->query * a->q_row_stride;
  const float *k = a->k + part->batch * a->k_batch_stride + kv_head * a->k_head_stride;
  const float *v = a->v + part->batch * a->v_batch_stride + kv_head * a->v_head_stride;
  float scores[MAX_GROUP * BLOCK_KEYS];

  for (gsize h = 0; h < part->n_heads; h++) {
    part->max[h] = -INFINITY;
    part->sum[h] = 0.0f;
  }
  if (part->first_key >= part->last_key)
    zero_rows (part->out, part->ldo, part->n_heads, a->value_dim);
  for (gsize key = part->first_key; key < part->last_key; key += BLOCK_KEYS) {
    gsize n = MIN (BLOCK_KEYS, part->last_key - key);

    for (gsize h = 0; h < part->n_heads; h += PT_DOT_ROWS)
      kernels->dot_rows (MIN (PT_DOT_ROWS, part->n_heads - h), n, a->head_dim,
                         q + h * a->q_head_stride, a->q_head_stride, k + key * a->k_row_stride,
                         a->k_row_stride, scores + h * BLOCK_KEYS, BLOCK_KEYS);
    for (gsize h = 0; h < part->n_heads; h++) {
      const float *mask = mask_row (a, part->batch, part->head + h, part->query);
      float *out = part->out + h * part->ldo;
      float factor =
          job->vectors->softmax_step (n, scores + h * BLOCK_KEYS, a->scale,
                                      mask ? mask + key : NULL, &part->max[h], &part->sum[h]);

      if (key > part->first_key && factor != 1.0f)
        job->vectors->scale (a->value_dim, out, factor, out);
    }
    multiply_add (kernels, part->n_heads, a->value_dim, n, scores, BLOCK_KEYS,
                  v + key * a->v_row_stride, a->v_row_stride, key > part->first_key, part->out,
                  part->ldo);
  }
}

static float *
out_row (const PtAttention *a, gsize batch, gsize head, gsize query)
{
  return a->out + batch * a->out_batch_stride + head * a->out_head_stride +
         query * a->out_row_stride;
}

/* Where the result of a part lies: value_dim floats, the maximum, the sum. */
static float *
partial_row (const Job *job, gsize query_item, gsize split, gsize head_in_group)
{
  return job->partial + ((query_item * job->n_splits + split) * job->group + head_in_group) *
                            (job->a->value_dim + 2);
}

/* Heads [first, first + part->n_heads) of a group, one part of the keys of one query. */
static void
attend_heads (const Job *job, gsize query_item, gsize split, gsize first, Part *part)
{
  const PtAttention *a = job->a;

  if (!job->partial) {
    part->out = out_row (a, part->batch, part->head, part->query);
    part->ldo = a->out_head_stride;
    attend_in_place (job, part);
    for (gsize h = 0; h < part->n_heads; h++)
      job->vectors->scale (a->value_dim, part->out + h * part->ldo, 1.0f / part->sum[h],
                           part->out + h * part->ldo);
    return;
  }
  part->out = partial_row (job, query_item, split, first);
  part->ldo = a->value_dim + 2;
  attend_in_place (job, part);
  for (gsize h = 0; h < part->n_heads; h++) {
    part->out[h * part->ldo + a->value_dim] = part->max[h];
    part->out[h * part->ldo + a->value_dim + 1] = part->sum[h];
  }
}

/* Item: one part of the keys of one query and one group of heads. */
static void
in_place_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtAttention *a = job->a;

  for (gsize item = begin; item < end; item++) {
    gsize split = item % job->n_splits, query_item = item / job->n_splits;
    gsize pair = query_item / a->n_queries; /* of batch and group */
    Part part = { .batch = pair / a->kv_heads, .query = query_item % a->n_queries };
    gsize visible = visible_keys (a, part.query);

    part.first_key = MIN (visible, split * job->split_keys);
    part.last_key = MIN (visible, (split + 1) * job->split_keys);
    for (gsize first = 0; first < job->group; first += MAX_GROUP) {
      part.head = pair % a->kv_heads * job->group + first;
      part.n_heads = MIN (MAX_GROUP, job->group - first);
      attend_heads (job, query_item, split, first, &part);
    }
  }
}

/* Put the parts of one query and head together. */
static void
combine_parts (const Job *job, gsize query_item, gsize head_in_group, float *out)
{
  gsize dim = job->a->value_dim;
  float max = -INFINITY, sum = 0.0f;

  for (gsize s = 0; s < job->n_splits; s++)
    max = MAX (max, partial_row (job, query_item, s, head_in_group)[dim]);
  memset (out, 0, dim * sizeof *out);
  for (gsize s = 0; s < job->n_splits; s++) {
    const float *part = partial_row (job, query_item, s, head_in_group);
    float weight = part[dim] == -INFINITY ? 0.0f : expf (part[dim] - max);

    sum += weight * part[dim + 1];
    for (gsize i = 0; i < dim; i++)
      out[i] += weight * part[i];
  }
  job->vectors->scale (dim, out, 1.0f / sum, out);
}

static void
combine_all (const Job *job, gsize n_query_items)
{
  const PtAttention *a = job->a;

  for (gsize item = 0; item < n_query_items; item++) {
    gsize pair = item / a->n_queries, query = item % a->n_queries;

    for (gsize h = 0; h < job->group; h++)
      combine_parts (job, item, h,
                     out_row (a, pair / a->kv_heads, pair % a->kv_heads * job->group + h, query));
  }
}

/* With fewer queries than workers can use, the keys are split too. The parts' results
 * lie in the first worker's scratch, which nothing else uses here. */
static void
choose_splits (Job *job, gsize n_query_items)
{
  const PtAttention *a = job->a;
  gsize n_workers = pt_pool_n_workers (job->pool), keys = visible_keys (a, a->n_queries - 1);
  gsize wanted = n_workers > 1 ? pt_div_up (2 * n_workers, n_query_items) : 1;
  gsize n_splits = CLAMP (keys / MIN_SPLIT_KEYS, 1, wanted);
  double bytes = (double) n_query_items * (double) n_splits * (double) job->group *
                 (double) (a->value_dim + 2) * sizeof (float);

  if (n_splits == 1 || bytes > PT_POOL_SCRATCH) {
    job->n_splits = 1;
    job->split_keys = keys;
    return;
  }
  job->split_keys = pt_div_up (pt_div_up (keys, n_splits), 16) * 16;
  job->n_splits = pt_div_up (keys, job->split_keys);
  job->partial = pt_pool_scratch (job->pool, 0);
}

static gsize
piece_of (double work)
{
  return (gsize) CLAMP (PIECE_WORK / MAX (work, 1.0), 1.0, 1e6);
}

static void
run_in_place (Job *job)
{
  const PtAttention *a = job->a;
  gsize n_query_items = a->batch * a->kv_heads * a->n_queries;
  double work;

  choose_splits (job, n_query_items);
  work = (double) job->split_keys * (double) (a->head_dim + a->value_dim) * (double) job->group;
  pt_pool_run (job->pool, n_query_items * job->n_splits, piece_of (work), in_place_task, job);
  if (job->partial)
    combine_all (job, n_query_items);
}

/*
 * Many queries: a block of keys is packed once for a block of queries of all heads of a group.
 */

typedef struct {
  gsize batch, kv_head;
  gsize first_query, n_queries;
  gsize key, n_keys; /* the block of keys */
  float *keys;       /* packed: panels of [head_dim, nr] */
  float *values;     /* packed: panels of [BLOCK_KEYS, nr] */
  float *scores;     /* [block_queries, BLOCK_KEYS] */
  float *max, *sum;  /* [group, block_queries] */
} Block;

/* @n rounded up to whole panels. */
static gsize
whole_panels (const Job *job, gsize n)
{
  return pt_div_up (n, job->kernels->nr) * job->kernels->nr;
}

static gsize
packed_keys (const Job *job)
{
  return whole_panels (job, BLOCK_KEYS) * job->a->head_dim;
}

static gsize
packed_values (const Job *job)
{
  return BLOCK_KEYS * whole_panels (job, job->a->value_dim);
}

static gboolean
block_fits (const Job *job)
{
  double floats = (double) packed_keys (job) + (double) packed_values (job) +
                  (double) job->block_queries * (BLOCK_KEYS + 2.0 * (double) job->group);

  return floats * sizeof (float) <= PT_POOL_SCRATCH;
}

static void
pack_keys (const Job *job, const Block *block)
{
  const PtAttention *a = job->a;
  const PtF32Kernels *kernels = job->kernels;
  const float *k = a->k + block->batch * a->k_batch_stride + block->kv_head * a->k_head_stride +
                   block->key * a->k_row_stride;

  for (gsize j = 0; j < block->n_keys; j += kernels->nr)
    kernels->pack_transposed (MIN (kernels->nr, block->n_keys - j), a->head_dim,
                              k + j * a->k_row_stride, a->k_row_stride,
                              block->keys + j * a->head_dim);
}

/* Rows of values lie far apart, so far that they would push each other out of the cache. */
static void
pack_values (const Job *job, const Block *block)
{
  const PtAttention *a = job->a;
  gsize nr = job->kernels->nr;
  const float *v = a->v + block->batch * a->v_batch_stride + block->kv_head * a->v_head_stride +
                   block->key * a->v_row_stride;

  for (gsize i = 0; i < block->n_keys; i++)
    for (gsize column = 0; column < a->value_dim; column += nr)
      memcpy (block->values + column * BLOCK_KEYS + i * nr, v + i * a->v_row_stride + column,
              MIN (nr, a->value_dim - column) * sizeof *v);
}

static void
score_keys (const Job *job, const Block *block, const float *q)
{
  const PtF32Kernels *kernels = job->kernels;
  const PtTileEnds ends = { NULL, FALSE, -INFINITY, INFINITY };
  gsize dim = job->a->head_dim, ldq = job->a->q_row_stride;

  for (gsize i = 0; i < block->n_queries; i += kernels->mr)
    for (gsize j = 0; j < block->n_keys; j += kernels->nr)
      kernels->tile (MIN (kernels->mr, block->n_queries - i), MIN (kernels->nr, block->n_keys - j),
                     dim, q + i * ldq, ldq, block->keys + j * dim, kernels->nr, &ends,
                     block->scores + i * BLOCK_KEYS + j, BLOCK_KEYS);
}

/* Scores to weights, query by query; invisible keys weigh nothing. */
static void
weigh_keys (const Job *job, const Block *block, gsize head_in_group, float *out)
{
  const PtAttention *a = job->a;
  gsize head = block->kv_head * job->group + head_in_group;

  for (gsize i = 0; i < block->n_queries; i++) {
    gsize query = block->first_query + i, visible = visible_keys (a, query);
    gsize n = visible > block->key ? MIN (visible - block->key, block->n_keys) : 0;
    float *scores = block->scores + i * BLOCK_KEYS, factor = 1.0f;
    const float *mask = mask_row (a, block->batch, head, query);
    gsize state = head_in_group * job->block_queries + i;

    if (n > 0)
      factor = job->vectors->softmax_step (n, scores, a->scale, mask ? mask + block->key : NULL,
                                           &block->max[state], &block->sum[state]);
    memset (scores + n, 0, (block->n_keys - n) * sizeof *scores);
    if (block->key > 0 && factor != 1.0f)
      job->vectors->scale (a->value_dim, out + i * a->out_row_stride, factor,
                           out + i * a->out_row_stride);
  }
}

static void
add_values (const Job *job, const Block *block, float *out)
{
  const PtF32Kernels *kernels = job->kernels;
  const PtTileEnds ends = { NULL, block->key > 0, -INFINITY, INFINITY };
  gsize dim = job->a->value_dim, ldo = job->a->out_row_stride;

  for (gsize i = 0; i < block->n_queries; i += kernels->mr)
    for (gsize column = 0; column < dim; column += kernels->nr)
      kernels->tile (MIN (kernels->mr, block->n_queries - i), MIN (kernels->nr, dim - column),
                     block->n_keys, block->scores + i * BLOCK_KEYS, BLOCK_KEYS,
                     block->values + column * BLOCK_KEYS, kernels->nr, &ends,
                     out + i * ldo + column, ldo);
}

static void
attend_keys (const Job *job, const Block *block)
{
  const PtAttention *a = job->a;

  pack_keys (job, block);
  pack_values (job, block);
  for (gsize h = 0; h < job->group; h++) {
    gsize head = block->kv_head * job->group + h;
    float *out = out_row (a, block->batch, head, block->first_query);

    score_keys (job, block,
                a->q + block->batch * a->q_batch_stride + head * a->q_head_stride +
                    block->first_query * a->q_row_stride);
    weigh_keys (job, block, h, out);
    add_values (job, block, out);
  }
}

static void
attend_block (const Job *job, Block *block)
{
  const PtAttention *a = job->a;
  gsize visible = visible_keys (a, block->first_query + block->n_queries - 1);

  for (gsize i = 0; i < job->group * job->block_queries; i++) {
    block->max[i] = -INFINITY;
    block->sum[i] = 0.0f;
  }
  for (block->key = 0; block->key < visible; block->key += BLOCK_KEYS) {
    block->n_keys = MIN (BLOCK_KEYS, visible - block->key);
    attend_keys (job, block);
  }
  for (gsize h = 0; h < job->group; h++) {
    float *out = out_row (a, block->batch, block->kv_head * job->group + h, block->first_query);

    if (visible == 0)
      zero_rows (out, a->out_row_stride, block->n_queries, a->value_dim);
    for (gsize i = 0; i < block->n_queries; i++)
      job->vectors->scale (a->value_dim, out + i * a->out_row_stride,
                           1.0f / block->sum[h * job->block_queries + i],
                           out + i * a->out_row_stride);
  }
}

/* Item: a block of queries of one group of heads, whose keys and values so stay in the cache.
 * Later blocks see more keys, so they go first. */
static void
blocks_task (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtAttention *a = job->a;
  Block block = { .keys = pt_pool_scratch (job->pool, worker) };

  block.values = block.keys + packed_keys (job);
  block.scores = block.values + packed_values (job);
  block.max = block.scores + job->block_queries * BLOCK_KEYS;
  block.sum = block.max + job->group * job->block_queries;
  for (gsize item = begin; item < end; item++) {
    gsize pair = item / job->n_query_blocks, later = item % job->n_query_blocks;

    block.batch = pair / a->kv_heads;
    block.kv_head = pair % a->kv_heads;
    block.first_query = (job->n_query_blocks - 1 - later) * job->block_queries;
    block.n_queries = MIN (job->block_queries, a->n_queries - block.first_query);
    attend_block (job, &block);
  }
}

static void
set_block (Job *job, gsize rows)
{
  const PtAttention *a = job->a;
  gsize mr = job->kernels->mr, strips = MAX (1, rows / job->group / mr);

  job->block_queries = MIN (strips * mr, a->n_queries);
  job->n_query_blocks = pt_div_up (a->n_queries, job->block_queries);
}

static void
choose_block (Job *job)
{
  const PtAttention *a = job->a;

  set_block (job, BLOCK_ROWS);
  if (a->batch * a->kv_heads * job->n_query_blocks < 8 * (gsize) pt_pool_n_workers (job->pool))
    set_block (job, FEW_BLOCK_ROWS);
}

void
pt_attention_f32 (PtPool *pool, const PtAttention *attention)
{
  const PtAttention *a = attention;
  Job job = { .a = a,
              .pool = pool,
              .kernels = pt_f32_kernels (),
              .vectors = pt_vector_kernels (),
              .n_splits = 1 };

  if (a->batch == 0 || a->heads == 0 || a->n_queries == 0)
    return;
  job.group = a->heads / a->kv_heads;
  choose_block (&job);
  if (a->n_queries * job.group <= 2 * PT_DOT_ROWS || a->n_queries == 1 || !block_fits (&job)) {
    run_in_place (&job);
    return;
  }
  pt_pool_run (pool, a->batch * a->kv_heads * job.n_query_blocks,
               piece_of ((double) job.block_queries * (double) job.group * (double) a->n_keys *
                         (double) (a->head_dim + a->value_dim)),
               blocks_task, &job);
}
