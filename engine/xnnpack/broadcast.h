/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/**
 * PtXnnBroadcast: the iteration over two broadcast operands, with as few dims as possible. The
 * result is a sequence of runs of @n elements. Within a run, an operand advances by one element or
 * stays.
 */
typedef struct {
  gsize n;              /* elements of a run */
  guint a_step, b_step; /* 0 or 1, not both 0: element strides within a run */
  guint n_outer_dims;
  gsize dims[PT_XNN_MAX_RANK];                  /* dims outside of a run */
  gsize a[PT_XNN_MAX_RANK], b[PT_XNN_MAX_RANK]; /* strides in elements; 0: repeated */
  gsize numel;                                  /* elements of the result */
} PtXnnBroadcast;

/** Set up the iteration. The shapes must fit (pt_xnn_shape_broadcast()). */
void pt_xnn_broadcast_init (PtXnnBroadcast *broadcast, const PtXnnShape *a, const PtXnnShape *b);

/** One piece of the result: elements @y .. @y + @n. Offsets are in elements. */
typedef struct {
  gsize a, b, y, n;
} PtXnnPiece;

/** The position of an iteration over elements [begin, end) of the result. */
typedef struct {
  const PtXnnBroadcast *broadcast;
  gsize at[PT_XNN_MAX_RANK];
  gsize a, b;     /* start of the current run */
  gsize position; /* in the current run */
  gsize next, end;
} PtXnnWalk;

void pt_xnn_walk_init (PtXnnWalk *walk, const PtXnnBroadcast *broadcast, gsize begin, gsize end);

/** The next piece of at most @max elements within one run. FALSE at the end. */
gboolean pt_xnn_walk_next (PtXnnWalk *walk, gsize max, PtXnnPiece *piece);

G_END_DECLS
