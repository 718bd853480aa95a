/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/loop-nest.h"

/* The stride of @view in dimension @dim of a shape of @rank, to which it broadcasts. */
static gint64
broadcast_stride (const PtView *view, guint rank, guint dim)
{
  guint own;

  if (dim < rank - view->rank)
    return 0;
  own = dim - (rank - view->rank);
  return view->sizes[own] == 1 ? 0 : view->strides[own];
}

/* Sorts dimensions of more than one element by descending stride of operand 0. */
static guint
order_dims (const PtView *first, guint *order)
{
  guint n = 0;

  for (guint i = 0; i < first->rank; i++) {
    guint j = n;

    if (first->sizes[i] == 1)
      continue;
    for (; j > 0 && ABS (first->strides[order[j - 1]]) < ABS (first->strides[i]); j--)
      order[j] = order[j - 1];
    order[j] = i;
    n++;
  }
  return n;
}

static gboolean
can_merge (const PtLoopNest *nest, guint outer, const gint64 *inner_strides, gsize inner_size)
{
  for (guint k = 0; k < nest->n_operands; k++)
    if (nest->strides[k][outer] != inner_strides[k] * (gint64) inner_size)
      return FALSE;
  return TRUE;
}

void
pt_loop_nest_init (PtLoopNest *nest, guint n_operands, const PtView *const *operands)
{
  guint order[PT_MAX_RANK];
  guint n = order_dims (operands[0], order);

  nest->n_operands = n_operands;
  nest->numel = operands[0]->numel;
  nest->rank = 0;
  for (guint i = 0; i < n && nest->numel > 0; i++) {
    gsize size = (gsize) operands[0]->sizes[order[i]];
    gint64 strides[PT_MAX_OPERANDS];

    for (guint k = 0; k < n_operands; k++)
      strides[k] = broadcast_stride (operands[k], operands[0]->rank, order[i]);
    if (nest->rank > 0 && can_merge (nest, nest->rank - 1, strides, size))
      nest->sizes[nest->rank - 1] *= size;
    else
      nest->sizes[nest->rank++] = size;
    for (guint k = 0; k < n_operands; k++)
      nest->strides[k][nest->rank - 1] = strides[k];
  }
  if (nest->rank == 0) {
    nest->rank = 1;
    nest->sizes[0] = nest->numel;
    for (guint k = 0; k < n_operands; k++)
      nest->strides[k][0] = 1;
  }
}

void
pt_loop_nest_seek (const PtLoopNest *nest, gsize index, PtCursor *cursor)
{
  for (guint k = 0; k < nest->n_operands; k++)
    cursor->offsets[k] = 0;
  for (guint i = nest->rank; i-- > 0;) {
    gsize coord = i == 0 ? index : index % nest->sizes[i];

    index = i == 0 ? 0 : index / nest->sizes[i];
    cursor->coords[i] = coord;
    for (guint k = 0; k < nest->n_operands; k++)
      cursor->offsets[k] += (gint64) coord * nest->strides[k][i];
  }
}

/* Advances dimension @i by @n steps; at its end, the next outer dimension advances by one. */
static void
advance (const PtLoopNest *nest, guint i, gsize n, PtCursor *cursor)
{
  cursor->coords[i] += n;
  for (guint k = 0; k < nest->n_operands; k++)
    cursor->offsets[k] += (gint64) n * nest->strides[k][i];
  for (; i > 0 && cursor->coords[i] == nest->sizes[i]; i--) {
    cursor->coords[i] = 0;
    cursor->coords[i - 1]++;
    for (guint k = 0; k < nest->n_operands; k++)
      cursor->offsets[k] += nest->strides[k][i - 1] - (gint64) nest->sizes[i] * nest->strides[k][i];
  }
}

void
pt_loop_nest_advance (const PtLoopNest *nest, gsize n, PtCursor *cursor)
{
  advance (nest, nest->rank - 1, n, cursor);
}

void
pt_loop_nest_advance_rows (const PtLoopNest *nest, gsize n, PtCursor *cursor)
{
  advance (nest, nest->rank - 2, n, cursor);
}
