/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

#define PT_MAX_OPERANDS 4

/**
 * PtLoopNest: the loops that visit several views in step, outermost first.
 *
 * Dimensions are in the memory order of operand 0, those of size 1 are gone and those that
 * all operands walk evenly are merged. A dense operand 0 is thus visited linearly.
 */
typedef struct {
  guint n_operands;
  guint rank; /* >= 1 */
  gsize numel;
  gsize sizes[PT_MAX_RANK];
  gint64 strides[PT_MAX_OPERANDS][PT_MAX_RANK]; /* in elements; 0 where an operand is broadcast */
} PtLoopNest;

/** The loops over @operands; the others broadcast to the shape of operands[0]. */
void pt_loop_nest_init (PtLoopNest *nest, guint n_operands, const PtView *const *operands);

/** A place in a nest. */
typedef struct {
  gsize coords[PT_MAX_RANK];
  gint64 offsets[PT_MAX_OPERANDS]; /* in elements */
} PtCursor;

/** Go to element @index of the visit. */
void pt_loop_nest_seek (const PtLoopNest *nest, gsize index, PtCursor *cursor);

/** Go on by @n elements, at most to the end of the run. */
void pt_loop_nest_advance (const PtLoopNest *nest, gsize n, PtCursor *cursor);

/** Go on by @n whole innermost loops, at most to the end of the loop around them; rank >= 2. */
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
