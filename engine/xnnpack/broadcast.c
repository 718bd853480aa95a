/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/broadcast.h"

typedef struct {
  gsize dim, a, b;
} Axis;

/* Axes of the result, without those of size 1; contiguous neighbours are merged. */
static guint
collect_axes (const PtXnnShape *a, const PtXnnShape *b, Axis *axes)
{
  guint rank = MAX (a->rank, b->rank);
  gsize a_stride = 1, b_stride = 1;
  guint n = 0;

  /* Goes from the last dim to the first. */
  for (guint i = 0; i < rank; i++) {
    gsize da = i < a->rank ? a->dims[a->rank - 1 - i] : 1;
    gsize db = i < b->rank ? b->dims[b->rank - 1 - i] : 1;
    Axis axis = { da == 1 ? db : da, da == 1 ? 0 : a_stride, db == 1 ? 0 : b_stride };

    a_stride *= da;
    b_stride *= db;
    if (axis.dim == 1)
      continue;
    if (n > 0 && axis.a == axes[n - 1].a * axes[n - 1].dim &&
        axis.b == axes[n - 1].b * axes[n - 1].dim) {
      axes[n - 1].dim *= axis.dim;
      continue;
    }
    axes[n++] = axis;
  }
  return n;
}

void
pt_xnn_broadcast_init (PtXnnBroadcast *broadcast, const PtXnnShape *a, const PtXnnShape *b)
{
  Axis axes[PT_XNN_MAX_RANK];
  guint n = collect_axes (a, b, axes);

  *broadcast = (PtXnnBroadcast){ .n = 1, .a_step = 1, .b_step = 1, .numel = 1 };
  if (n == 0)
    return;
  broadcast->n = axes[0].dim;
  broadcast->a_step = axes[0].a != 0;
  broadcast->b_step = axes[0].b != 0;
  broadcast->n_outer_dims = n - 1;
  for (guint i = 1; i < n; i++) {
    broadcast->dims[n - 1 - i] = axes[i].dim;
    broadcast->a[n - 1 - i] = axes[i].a;
    broadcast->b[n - 1 - i] = axes[i].b;
  }
  for (guint i = 0; i < n; i++)
    broadcast->numel *= axes[i].dim;
}

void
pt_xnn_walk_init (PtXnnWalk *walk, const PtXnnBroadcast *broadcast, gsize begin, gsize end)
{
  gsize run = begin / broadcast->n;

  walk->broadcast = broadcast;
  walk->position = begin % broadcast->n;
  walk->next = begin;
  walk->end = end;
  walk->a = walk->b = 0;
  for (guint i = broadcast->n_outer_dims; i-- > 0;) {
    walk->at[i] = run % broadcast->dims[i];
    run /= broadcast->dims[i];
    walk->a += walk->at[i] * broadcast->a[i];
    walk->b += walk->at[i] * broadcast->b[i];
  }
}

static void
next_run (PtXnnWalk *walk)
{
  const PtXnnBroadcast *broadcast = walk->broadcast;

  walk->position = 0;
  for (guint i = broadcast->n_outer_dims; i-- > 0;) {
    walk->a += broadcast->a[i];
    walk->b += broadcast->b[i];
    if (++walk->at[i] < broadcast->dims[i])
      return;
    walk->at[i] = 0;
    walk->a -= broadcast->a[i] * broadcast->dims[i];
    walk->b -= broadcast->b[i] * broadcast->dims[i];
  }
}

gboolean
pt_xnn_walk_next (PtXnnWalk *walk, gsize max, PtXnnPiece *piece)
{
  const PtXnnBroadcast *broadcast = walk->broadcast;

  if (walk->next >= walk->end)
    return FALSE;
  if (walk->position == broadcast->n)
    next_run (walk);
  piece->n = MIN (MIN (broadcast->n - walk->position, walk->end - walk->next), max);
  piece->a = walk->a + walk->position * broadcast->a_step;
  piece->b = walk->b + walk->position * broadcast->b_step;
  piece->y = walk->next;
  walk->position += piece->n;
  walk->next += piece->n;
  return TRUE;
}
