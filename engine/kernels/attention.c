/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/attention-job.h"

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
  gsize rest = a->n_queries % pt_attention_group_of_queries (a->n_queries);
  PtAttentionJob job = {
    .a = a,
    .pool = pool,
    .kernels = pt_f32_kernels (),
    .vectors = pt_vector_kernels (),
    .n_queries = a->n_queries - (rest < 3 * PT_MIN_FUSED_QUERIES ? rest % PT_MIN_FUSED_QUERIES : 0),
  };

  if (a->batch == 0 || a->heads == 0 || a->n_queries == 0)
    return;
  if (a->one_by_one && a->n_queries > 1) {
    attend_one_by_one (pool, a);
    return;
  }
  job.group = a->heads / a->kv_heads;
  if (job.n_queries > 0 && !pt_attend_in_blocks (&job))
    job.n_queries = 0;
  if (job.n_queries < a->n_queries)
    pt_attend_in_place (&job, job.n_queries);
}
