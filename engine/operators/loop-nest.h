/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

#define PT_MAX_OPERANDS 4

/**
 * PtLoopNest: nested loops that visit several views together, outermost loop first.
 *
 * Dimensions have the memory order of operand 0. Dimensions of size 1 are removed, and dimensions
 * that are contiguous in all operands are merged. So a dense operand 0 is visited linearly.
 */
typedef struct {
  guint n_operands;
  guint rank; /* >= 1 */
  gsize numel;
  gsize sizes[PT_MAX_RANK];
  gint64 strides[PT_MAX_OPERANDS][PT_MAX_RANK]; /* in elements; 0 where an operand is broadcast */
} PtLoopNest;

/** Make the loops over @operands; the others broadcast to the shape of operands[0]. */
void pt_loop_nest_init (PtLoopNest *nest, guint n_operands, const PtView *const *operands);

/** A position in the loops. */
typedef struct {
  gsize coords[PT_MAX_RANK];
  gint64 offsets[PT_MAX_OPERANDS]; /* offsets in elements */
} PtCursor;

/** Move to element number @index. */
void pt_loop_nest_seek (const PtLoopNest *nest, gsize index, PtCursor *cursor);

/** Advance by @n elements, at most to the end of the run. */
void pt_loop_nest_advance (const PtLoopNest *nest, gsize n, PtCursor *cursor);

/** Advance by @n whole innermost loops, at most to the end of the surrounding loop; rank >= 2. */
void pt_loop_nest_advance_rows (const PtLoopNest *nest, gsize n, PtCursor *cursor);

/** Elements left in the innermost loop. */
static inline gsize
pt_loop_nest_run (const PtLoopNest *nest, const PtCursor *cursor)
{
  return nest->sizes[nest->rank - 1] - cursor->coords[nest->rank - 1];
}

static inline gint64
pt_loop_nest_stride (const PtLoopNest *nest, guint operand)
{
  return nest->strides[operand][nest->rank - 1];
}

/** TRUE when operand @k is visited at offsets 0, 1, 2, ... */
static inline gboolean
pt_loop_nest_is_linear (const PtLoopNest *nest, guint k)
{
  return nest->rank == 1 && nest->strides[k][0] == 1;
}

G_END_DECLS
