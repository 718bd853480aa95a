/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"
#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/**
 * PtXnnCopy: a copy between two strided arrays, simplified once and run often: dims of size 1 are
 * removed, and dims that are contiguous on both sides are merged.
 */
typedef struct {
  guint rank;  /* of the remaining dims; 0: nothing to copy */
  gsize width; /* bytes of an element */
  gsize dims[PT_XNN_MAX_RANK];
  gsize from[PT_XNN_MAX_RANK]; /* strides in bytes */
  gsize to[PT_XNN_MAX_RANK];
  gsize row;             /* bytes of the innermost run, if it is contiguous on both sides */
  gsize n_outer;         /* number of runs; of elements when there are no runs */
  gboolean is_transpose; /* the innermost dims are transposed, so copy in tiles */
} PtXnnCopy;

/** Set up the copy. @from, @to: strides in elements of @width bytes (1, 2 or 4). */
void pt_xnn_copy_init (PtXnnCopy *copy, gsize width, guint rank, const gsize *dims,
                       const gsize *from, const gsize *to);

/** Set up a copy of one contiguous range. */
static inline gboolean
pt_xnn_copy_is_range (const PtXnnCopy *copy)
{
  return copy->rank == 1 && copy->row > 0;
}

/** Copy; large copies run in parallel on the pool. The arrays must be the same or not overlap. */
void pt_xnn_copy_run (PtPool *pool, const PtXnnCopy *copy, const guint8 *from, guint8 *to);

/** Compute the row-major strides of @shape, in elements. */
void pt_xnn_strides (const PtXnnShape *shape, gsize *strides);

G_END_DECLS
