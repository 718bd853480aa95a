/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"
#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/**
 * PtXnnCopy: a copy between two strided arrays, made simple once and run often: dims of one
 * are dropped, dims that lie behind each other on both sides are merged.
 */
typedef struct {
  guint rank;  /* of what is left; 0: nothing to copy */
  gsize width; /* bytes of an element */
  gsize dims[PT_XNN_MAX_RANK];
  gsize from[PT_XNN_MAX_RANK]; /* strides in bytes */
  gsize to[PT_XNN_MAX_RANK];
  gsize row;             /* bytes of the innermost run, when it is dense on both sides */
  gsize n_outer;         /* runs, or elements when there are none */
  gboolean is_transpose; /* the innermost dims are swapped: copied in tiles */
} PtXnnCopy;

/** @from, @to: strides in elements of @width bytes (1, 2 or 4). */
void pt_xnn_copy_init (PtXnnCopy *copy, gsize width, guint rank, const gsize *dims,
                       const gsize *from, const gsize *to);

/** One dense range on both sides. */
static inline gboolean
pt_xnn_copy_is_range (const PtXnnCopy *copy)
{
  return copy->rank == 1 && copy->row > 0;
}

/** Parallel over the pool when it is much. The arrays are the same or do not overlap. */
void pt_xnn_copy_run (PtPool *pool, const PtXnnCopy *copy, const guint8 *from, guint8 *to);

/** Row-major strides of @shape, in elements. */
void pt_xnn_strides (const PtXnnShape *shape, gsize *strides);

G_END_DECLS
