/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/strided-copy.h"

#include <string.h>

#include "engine/kernels/q8-loops.h"

/* Least bytes in a piece of a loop. */
#define GRAIN_BYTES (64 * 1024)
/* Longer runs are divided. */
#define LONG_RUN (256 * 1024)
/* Elements of a side of a tile: source and target of 16 x 16 floats stay in the L1 cache. */
#define TILE 16

void
pt_xnn_strides (const PtXnnShape *shape, gsize *strides)
{
  gsize step = 1;

  for (guint i = shape->rank; i-- > 0;) {
    strides[i] = step;
    step *= shape->dims[i];
  }
}

/* Removes dims of size 1 and merges neighbours that are contiguous on both sides. */
static void
collapse (PtXnnCopy *copy, guint rank, const gsize *dims, const gsize *from, const gsize *to)
{
  for (guint i = 0; i < rank; i++) {
    guint last = copy->rank - 1;
    gsize f = from[i] * copy->width, t = to[i] * copy->width;

    if (dims[i] == 1)
      continue;
    if (copy->rank > 0 && copy->from[last] == f * dims[i] && copy->to[last] == t * dims[i]) {
      copy->dims[last] *= dims[i];
      copy->from[last] = f;
      copy->to[last] = t;
      continue;
    }
    copy->dims[copy->rank] = dims[i];
    copy->from[copy->rank] = f;
    copy->to[copy->rank] = t;
    copy->rank++;
  }
  if (copy->rank == 0) { /* one element */
    copy->rank = 1;
    copy->dims[0] = 1;
    copy->from[0] = copy->to[0] = copy->width;
  }
}

/*
 * Moves the dim with stride 1 in the source next to the last one, which has stride 1 in the target.
 */
static gboolean
arrange_transpose (PtXnnCopy *copy)
{
  guint last = copy->rank - 1;
  guint dense = last;

  if (copy->to[last] != copy->width)
    return FALSE;
  for (guint i = 0; i < last; i++)
    if (copy->from[i] == copy->width)
      dense = i;
  if (dense == last)
    return FALSE;
  for (guint i = dense; i + 1 < last; i++) {
    gsize dim = copy->dims[i], from = copy->from[i], to = copy->to[i];

    copy->dims[i] = copy->dims[i + 1];
    copy->from[i] = copy->from[i + 1];
    copy->to[i] = copy->to[i + 1];
    copy->dims[i + 1] = dim;
    copy->from[i + 1] = from;
    copy->to[i + 1] = to;
  }
  return TRUE;
}

void
pt_xnn_copy_init (PtXnnCopy *copy, gsize width, guint rank, const gsize *dims, const gsize *from,
                  const gsize *to)
{
  guint last, n_outer_dims;

  *copy = (PtXnnCopy){ .width = width };
  for (guint i = 0; i < rank; i++)
    if (dims[i] == 0)
      return;
  collapse (copy, rank, dims, from, to);
  last = copy->rank - 1;
  n_outer_dims = last;
  if (copy->from[last] == width && copy->to[last] == width)
    copy->row = copy->dims[last] * width;
  else if (copy->rank >= 2 && arrange_transpose (copy)) {
    copy->is_transpose = TRUE;
    n_outer_dims = last - 1;
  }
  copy->n_outer = 1;
  for (guint i = 0; i < n_outer_dims; i++)
    copy->n_outer *= copy->dims[i];
}

/* ---- Running ---- */

typedef struct {
  const PtXnnCopy *copy;
  const guint8 *from;
  guint8 *to;
  gsize n_parts; /* for a transposed matrix: bands of TILE rows of the target; for a long run:
                    pieces */
} Job;

/* The position where run @index begins. */
static void
locate (const PtXnnCopy *copy, guint n_dims, gsize index, gsize *from, gsize *to)
{
  *from = *to = 0;
  for (guint i = n_dims; i-- > 0;) {
    gsize at = index % copy->dims[i];

    index /= copy->dims[i];
    *from += at * copy->from[i];
    *to += at * copy->to[i];
  }
}

static void
copy_runs (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnCopy *copy = job->copy;
  guint last = copy->rank - 1;

  while (begin < end) {
    /* Copies all runs that differ only in the dim before the last. */
    gsize inner = last > 0 ? copy->dims[last - 1] : 1;
    gsize n = MIN (end - begin, inner - (last > 0 ? begin % inner : 0));
    gsize from_step = last > 0 ? copy->from[last - 1] : 0;
    gsize to_step = last > 0 ? copy->to[last - 1] : 0;
    const guint8 *from;
    guint8 *to;
    gsize f, t;

    locate (copy, last, begin, &f, &t);
    from = job->from + f;
    to = job->to + t;
    /* The arguments of a damaged program may overlap, so use memmove. */
    for (gsize i = 0; i < n; i++, from += from_step, to += to_step)
      memmove (to, from, copy->row);
    begin += n;
  }
}

/* Item: a piece of a run. */
static void
copy_parts (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnCopy *copy = job->copy;

  for (gsize i = begin; i < end; i++) {
    gsize at = i % job->n_parts * LONG_RUN;
    gsize f, t;

    locate (copy, copy->rank - 1, i / job->n_parts, &f, &t);
    memmove (job->to + t + at, job->from + f + at, MIN (LONG_RUN, copy->row - at));
  }
}

#define DEFINE_ELEMENT_LOOPS(type, bits)                                                         \
  static void gather_##bits (const guint8 *from, gsize step, guint8 *to, gsize to_step, gsize n) \
  {                                                                                              \
    for (gsize i = 0; i < n; i++)                                                                \
      *(type *) (to + i * to_step) = *(const type *) (from + i * step);                          \
  }                                                                                              \
                                                                                                 \
  static void tile_##bits (const guint8 *from, gsize from_row, guint8 *to, gsize to_row,         \
                           gsize n_rows, gsize n)                                                \
  {                                                                                              \
    for (gsize r = 0; r < n_rows; r++)                                                           \
      for (gsize i = 0; i < n; i++)                                                              \
        ((type *) (to + r * to_row))[i] =                                                        \
            *(const type *) (from + i * from_row + r * sizeof (type));                           \
  }

/* Rows of three elements, such as the colours of pixels. */
static void
tile_three_32 (const guint8 *from, gsize from_row, guint8 *to, gsize to_row, gsize n_rows, gsize n)
{
  const guint32 *a = (const guint32 *) from, *b = (const guint32 *) (from + from_row);
  const guint32 *c = (const guint32 *) (from + 2 * from_row);

  for (gsize r = 0; r < n_rows; r++) {
    guint32 *row = (guint32 *) (to + r * to_row);

    row[0] = a[r];
    row[1] = b[r];
    row[2] = c[r];
  }
}

DEFINE_ELEMENT_LOOPS (guint8, 8)
DEFINE_ELEMENT_LOOPS (guint16, 16)
DEFINE_ELEMENT_LOOPS (guint32, 32)

static void
copy_elements (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnCopy *copy = job->copy;
  guint last = copy->rank - 1;
  void (*gather) (const guint8 *, gsize, guint8 *, gsize, gsize) = copy->width == 4   ? gather_32
                                                                   : copy->width == 2 ? gather_16
                                                                                      : gather_8;

  for (gsize i = begin; i < end; i++) {
    gsize f, t;

    locate (copy, last, i, &f, &t);
    gather (job->from + f, copy->from[last], job->to + t, copy->to[last], copy->dims[last]);
  }
}

/* Whether three planes of bytes become pixels. The arguments of a damaged program may overlap. */
static gboolean
is_colours (const PtXnnCopy *copy, const Job *job)
{
  guint last = copy->rank - 1;
  gsize n_rows = copy->dims[last - 1];

  return copy->width == 1 && copy->dims[last] == 3 && copy->to[last - 1] == 3 &&
         copy->n_outer == 1 &&
         (job->to + 3 * n_rows <= job->from ||
          job->from + 2 * copy->from[last] + n_rows <= job->to);
}

/* The same bands, all at once. */
static void
join_colours (const Job *job, gsize begin, gsize end)
{
  const PtXnnCopy *copy = job->copy;
  guint last = copy->rank - 1;
  gsize row = begin * TILE, plane = copy->from[last];
  const guint8 *from = job->from + row;

  pt_q8_loops ()->join_three (MIN (end * TILE, copy->dims[last - 1]) - row, from, from + plane,
                              from + 2 * plane, job->to + 3 * row);
}

/* Item: a band of TILE rows of one transposed matrix. */
static void
copy_bands (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtXnnCopy *copy = job->copy;
  guint last = copy->rank - 1;
  gsize n_rows = copy->dims[last - 1], n = copy->dims[last];
  void (*tile) (const guint8 *, gsize, guint8 *, gsize, gsize, gsize) = copy->width == 4   ? tile_32
                                                                        : copy->width == 2 ? tile_16
                                                                                           : tile_8;

  if (copy->width == 4 && n == 3)
    tile = tile_three_32;
  if (is_colours (copy, job)) {
    join_colours (job, begin, end);
    return;
  }
  for (gsize i = begin; i < end; i++) {
    gsize row = i % job->n_parts * TILE;
    gsize f, t;

    locate (copy, last - 1, i / job->n_parts, &f, &t);
    for (gsize column = 0; column < n; column += TILE)
      tile (job->from + f + row * copy->width + column * copy->from[last], copy->from[last],
            job->to + t + row * copy->to[last - 1] + column * copy->width, copy->to[last - 1],
            MIN (TILE, n_rows - row), MIN (TILE, n - column));
  }
}

void
pt_xnn_copy_run (PtPool *pool, const PtXnnCopy *copy, const guint8 *from, guint8 *to)
{
  Job job = { copy, from, to, 1 };
  gsize item;

  if (copy->rank == 0 || from == to)
    return;
  if (copy->is_transpose) {
    job.n_parts = (copy->dims[copy->rank - 2] + TILE - 1) / TILE;
    item = TILE * copy->dims[copy->rank - 1] * copy->width;
    pt_pool_run_shares (pool, copy->n_outer * job.n_parts, MAX (GRAIN_BYTES / item, 1), NULL,
                        copy_bands, &job);
  } else if (copy->row > LONG_RUN) {
    job.n_parts = (copy->row + LONG_RUN - 1) / LONG_RUN;
    pt_pool_run (pool, copy->n_outer * job.n_parts, 1, copy_parts, &job);
  } else if (copy->row > 0) {
    pt_pool_run (pool, copy->n_outer, MAX (GRAIN_BYTES / copy->row, 1), copy_runs, &job);
  } else {
    item = copy->dims[copy->rank - 1] * copy->width;
    pt_pool_run (pool, copy->n_outer, MAX (GRAIN_BYTES / item, 1), copy_elements, &job);
  }
}
