/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

/*
 * Recognises attention kernels of model libraries by their code. ExecuTorch's Triton kernels have
 * these arguments, of which those that were 1 at the export are left out: tensors (queries, keys,
 * values, output, mask), sizes (batch, heads, length of the queries, length of the keys), strides
 * of each tensor, scale. The PTX shows which numbers the addresses of each tensor are computed
 * from, and that decides which argument is what. Names are not looked at.
 *
 * A pattern is only a guess about what a kernel computes: see cuda-replacements.h.
 */

/* Strides of heads and rows, as indices of parameters. */
typedef struct {
  guint8 tensor, head, row;
} PtAttentionTensor;

typedef struct {
  PtAttentionTensor queries, keys, values, output;
  gboolean has_mask;
  guint8 mask;            /* parameter of the tensor */
  gboolean has_n_queries; /* else each head has one query */
  guint8 n_queries;       /* parameters of sizes */
  guint8 heads, length;
  guint8 scale; /* parameter, a double or a float */
  gboolean is_double;
} PtAttentionPattern;

/** Whether a kernel with the PTX @text and @addresses looks like one. Any thread. */
gboolean pt_attention_pattern_find (const char *text, const PtPtxAddresses *addresses,
                                    PtAttentionPattern *pattern);

/**
 * What a launch with @arguments and @grid computes if the guess is right, with as many heads of
 * keys as of queries. FALSE: not one query for each head of a batch of 1, or a shape without a
 * kernel of ours.
 */
gboolean pt_attention_pattern_read (const PtAttentionPattern *pattern, void *const *arguments,
                                    const guint grid[3], PtCudaAttention *attention);

G_END_DECLS
