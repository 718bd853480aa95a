/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/move.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/operators/convert.h"
#include "engine/operators/loop-nest.h"
#include "engine/program/checked.h"

/* Bytes in a piece of a loop; smaller copies use one thread. */
#define GRAIN_BYTES (128 * 1024)

/* Edge of the square tiles of a transposition; source and target tiles stay in the cache. */
#define TILE 16

/* Elements that are converted at once. */
#define BLOCK 512

typedef struct {
  guint64 words[2];
} Wide;

#define DEFINE_STRIDED(name, T)                                                                    \
  static void name (gsize n, guint8 *dst, gint64 dst_stride, const guint8 *src, gint64 src_stride) \
  {                                                                                                \
    T *d = (T *) dst;                                                                              \
    const T *s = (const T *) src;                                                                  \
                                                                                                   \
    if (dst_stride == 1 && src_stride == 0) {                                                      \
      T value = *s;                                                                                \
                                                                                                   \
      for (gsize i = 0; i < n; i++)                                                                \
        d[i] = value;                                                                              \
    } else if (dst_stride == 1) {                                                                  \
      for (gsize i = 0; i < n; i++, s += src_stride)                                               \
        d[i] = *s;                                                                                 \
    } else {                                                                                       \
      for (gsize i = 0; i < n; i++, d += dst_stride, s += src_stride)                              \
        *d = *s;                                                                                   \
    }                                                                                              \
  }

/* clang-format off */
DEFINE_STRIDED (strided_1, guint8)
DEFINE_STRIDED (strided_2, guint16)
DEFINE_STRIDED (strided_4, guint32)
DEFINE_STRIDED (strided_8, guint64)
DEFINE_STRIDED (strided_16, Wide)
/* clang-format on */

void
pt_move_strided (gsize size, gsize n, guint8 *dst, gint64 dst_stride, const guint8 *src,
                 gint64 src_stride)
{
  if (dst_stride == 1 && src_stride == 1) {
    memmove (dst, src, n * size);
    return;
  }
  switch (size) {
  case 1: strided_1 (n, dst, dst_stride, src, src_stride); break;
  case 2: strided_2 (n, dst, dst_stride, src, src_stride); break;
  case 4: strided_4 (n, dst, dst_stride, src, src_stride); break;
  case 8: strided_8 (n, dst, dst_stride, src, src_stride); break;
  default: strided_16 (n, dst, dst_stride, src, src_stride); break;
  }
}

typedef struct {
  PtLoopNest nest; /* 0: dst, 1: src */
  const PtView *dst, *src;
  gsize size; /* bytes of an element */
  PtCompute compute;
} Job;

/*
 * Copies whole rows from the cursor on, as many as the surrounding loop and @left elements allow.
 */
static gsize
move_rows (const Job *job, gsize left, PtCursor *cursor)
{
  const PtLoopNest *nest = &job->nest;
  guint inner = nest->rank - 1, outer = nest->rank - 2;
  gsize n = nest->sizes[inner];
  gsize rows = MIN (left / n, nest->sizes[outer] - cursor->coords[outer]);
  gint64 size = (gint64) job->size;
  guint8 *dst = job->dst->data + cursor->offsets[0] * size;
  const guint8 *src = job->src->data + cursor->offsets[1] * size;

  for (gsize row = 0; row < rows; row++) {
    pt_move_strided (job->size, n, dst, nest->strides[0][inner], src, nest->strides[1][inner]);
    dst += nest->strides[0][outer] * size;
    src += nest->strides[1][outer] * size;
  }
  pt_loop_nest_advance_rows (nest, rows, cursor);
  return rows * n;
}

static void
move_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtLoopNest *nest = &job->nest;
  PtCursor cursor;

  pt_loop_nest_seek (nest, begin, &cursor);
  while (begin < end) {
    gsize n = MIN (pt_loop_nest_run (nest, &cursor), end - begin);

    if (nest->rank > 1 && n == nest->sizes[nest->rank - 1]) {
      begin += move_rows (job, end - begin, &cursor);
      continue;
    }
    pt_move_strided (job->size, n, job->dst->data + cursor.offsets[0] * (gint64) job->size,
                     pt_loop_nest_stride (nest, 0),
                     job->src->data + cursor.offsets[1] * (gint64) job->size,
                     pt_loop_nest_stride (nest, 1));
    pt_loop_nest_advance (nest, n, &cursor);
    begin += n;
  }
}

/*
 * The innermost dimension is contiguous in dst and the one before it in src: planes are copied in
 * square tiles. An item is a strip of TILE rows of a plane.
 */
static void
transpose_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtLoopNest *nest = &job->nest;
  guint inner = nest->rank - 1, outer = nest->rank - 2;
  gsize strips = (nest->sizes[outer] + TILE - 1) / TILE;
  gsize plane = nest->sizes[outer] * nest->sizes[inner];

  for (; begin < end; begin++) {
    gsize row = begin % strips * TILE, rows = MIN (TILE, nest->sizes[outer] - row);
    PtCursor cursor;
    const guint8 *src;
    guint8 *dst;

    pt_loop_nest_seek (nest, begin / strips * plane, &cursor);
    dst = job->dst->data +
          (cursor.offsets[0] + (gint64) row * nest->strides[0][outer]) * (gint64) job->size;
    src = job->src->data +
          (cursor.offsets[1] + (gint64) row * nest->strides[1][outer]) * (gint64) job->size;
    for (gsize column = 0; column < nest->sizes[inner]; column += TILE) {
      gsize columns = MIN (TILE, nest->sizes[inner] - column);

      for (gsize r = 0; r < rows; r++)
        pt_move_strided (
            job->size, columns,
            dst + ((gint64) r * nest->strides[0][outer] + (gint64) column) * (gint64) job->size, 1,
            src +
                ((gint64) r * nest->strides[1][outer] + (gint64) column * nest->strides[1][inner]) *
                    (gint64) job->size,
            nest->strides[1][inner]);
    }
  }
}

/*
 * Moves the dimension that has stride 1 in src next to the innermost one. FALSE: there is none, or
 * tiles do not pay.
 */
static gboolean
prepare_transpose (PtLoopNest *nest)
{
  guint inner = nest->rank - 1, dim;

  if (nest->rank < 2 || nest->strides[0][inner] != 1 || nest->strides[1][inner] == 0 ||
      nest->strides[1][inner] == 1)
    return FALSE;
  for (dim = 0; dim < inner && nest->strides[1][dim] != 1; dim++)
    ;
  if (dim == inner || nest->sizes[dim] < TILE / 2 || nest->sizes[inner] < TILE / 2)
    return FALSE;
  for (; dim < inner - 1; dim++) {
    gsize size = nest->sizes[dim];

    nest->sizes[dim] = nest->sizes[dim + 1];
    nest->sizes[dim + 1] = size;
    for (guint k = 0; k < 2; k++) {
      gint64 stride = nest->strides[k][dim];

      nest->strides[k][dim] = nest->strides[k][dim + 1];
      nest->strides[k][dim + 1] = stride;
    }
  }
  return TRUE;
}

void
pt_move (PtExecution *execution, const PtView *dst, const PtView *src)
{
  const PtView *operands[2] = { dst, src };
  Job job = { .dst = dst, .src = src, .size = pt_dtype_size (dst->dtype) };
  PtPool *pool = pt_execution_pool (execution);
  gsize grain = GRAIN_BYTES / job.size;

  if (dst->numel == 0)
    return;
  pt_loop_nest_init (&job.nest, 2, operands);
  if (prepare_transpose (&job.nest)) {
    gsize rows = job.nest.sizes[job.nest.rank - 2], columns = job.nest.sizes[job.nest.rank - 1];
    gsize strips = (rows + TILE - 1) / TILE;

    pt_pool_run (pool, dst->numel / (rows * columns) * strips, MAX (1, grain / (TILE * columns)),
                 transpose_range, &job);
  } else {
    pt_pool_run (pool, dst->numel, grain, move_range, &job);
  }
}

void
pt_move_bytes (PtExecution *execution, const PtView *dst, const PtView *src)
{
  gint64 size = (gint64) src->numel;
  PtView to, from;

  pt_view_init (&to, dst->dtype, 1, &size, dst->data);
  pt_view_init (&from, src->dtype, 1, &size, src->data);
  pt_move (execution, &to, &from);
}

typedef struct {
  const PtView *dst, *src;
  const gint32 *const *maps;
} MapJob;

#define DEFINE_MAPPED(T)                                                                      \
  for (gint64 x = 0; x < n; x++)                                                              \
    ((T *) to)[x * to_stride] = ((const T *) from)[(map != NULL ? map[x] : x) * from_stride]; \
  break

/* Copies one row of the last dimension. */
static void
map_row (gsize size, gint64 n, guint8 *to, gint64 to_stride, const guint8 *from, gint64 from_stride,
         const gint32 *map)
{
  switch (size) {
  case 1: DEFINE_MAPPED (guint8);
  case 2: DEFINE_MAPPED (guint16);
  case 4: DEFINE_MAPPED (guint32);
  case 8: DEFINE_MAPPED (guint64);
  default: DEFINE_MAPPED (Wide);
  }
}

static void
map_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const MapJob *job = data;
  const PtView *dst = job->dst, *src = job->src;
  guint last = dst->rank - 1;

  for (gsize row = begin; row < end; row++) {
    gsize rest = row;
    gint64 from = 0, to = 0;

    for (guint i = last; i-- > 0; rest /= (gsize) dst->sizes[i]) {
      gint64 coord = (gint64) (rest % (gsize) dst->sizes[i]);

      to += coord * dst->strides[i];
      from += (job->maps[i] != NULL ? job->maps[i][coord] : coord) * src->strides[i];
    }
    map_row (pt_dtype_size (dst->dtype), dst->sizes[last], pt_view_at (dst, to), dst->strides[last],
             pt_view_at (src, from), src->strides[last], job->maps[last]);
  }
}

void
pt_move_mapped (PtExecution *execution, const PtView *dst, const PtView *src,
                const gint32 *const *maps)
{
  MapJob job = { dst, src, maps };
  gsize n;

  if (dst->numel == 0)
    return;
  n = (gsize) dst->sizes[dst->rank - 1];
  pt_pool_run (pt_execution_pool (execution), dst->numel / n, MAX (1, 8192 / n), map_range, &job);
}

static void
convert_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  PtComplex block[BLOCK];
  PtCursor cursor;

  pt_loop_nest_seek (&job->nest, begin, &cursor);
  while (begin < end) {
    gsize n = MIN (MIN (pt_loop_nest_run (&job->nest, &cursor), end - begin), BLOCK);

    pt_load (job->src->dtype, job->compute, n, pt_view_at (job->src, cursor.offsets[1]),
             pt_loop_nest_stride (&job->nest, 1), block);
    pt_store (job->dst->dtype, job->compute, n, block, pt_view_at (job->dst, cursor.offsets[0]),
              pt_loop_nest_stride (&job->nest, 0));
    pt_loop_nest_advance (&job->nest, n, &cursor);
    begin += n;
  }
}

/* The compute type for a conversion, which keeps all values that the target can represent. */
static PtCompute
compute_between (PtDType from, PtDType to)
{
  if (pt_dtype_in (from, PT_CPX) || pt_dtype_in (to, PT_CPX))
    return PT_COMPUTE_C128;
  if (pt_dtype_in (from, PT_INTB) || pt_dtype_in (to, PT_INT))
    return PT_COMPUTE_I64;
  return from == PT_DTYPE_F64 || to == PT_DTYPE_F64 ? PT_COMPUTE_F64 : PT_COMPUTE_F32;
}

gboolean
pt_move_convert (PtExecution *execution, const PtView *dst, const PtView *src, GError **error)
{
  const PtView *operands[2] = { dst, src };
  Job job = { .dst = dst, .src = src };

  if (dst->dtype == src->dtype) {
    pt_move (execution, dst, src);
    return TRUE;
  }
  PT_CHECK (pt_dtype_in (src->dtype, PT_CONVERTIBLE) && pt_dtype_in (dst->dtype, PT_CONVERTIBLE),
            "Elements of dtype %s cannot be converted to %s.", pt_dtype_name (src->dtype),
            pt_dtype_name (dst->dtype));
  if (dst->numel == 0)
    return TRUE;
  job.compute = compute_between (src->dtype, dst->dtype);
  pt_loop_nest_init (&job.nest, 2, operands);
  pt_pool_run (pt_execution_pool (execution), dst->numel, 16384, convert_range, &job);
  return TRUE;
}

gboolean
pt_scratch_view (PtExecution *execution, PtDType dtype, guint rank, const gint64 *sizes,
                 PtView *view, GError **error)
{
  gsize bytes = pt_dtype_size (dtype);
  gpointer data;

  for (guint i = 0; i < rank; i++)
    if (!pt_mul_size (bytes, (gsize) sizes[i], &bytes))
      return pt_fail (error, PT_ERROR_MEMORY, "An intermediate result does not fit in memory.");
  data = pt_execution_scratch (execution, MAX (bytes, 1), error);
  if (data == NULL)
    return FALSE;
  pt_view_init (view, dtype, rank, sizes, data);
  return TRUE;
}

gboolean
pt_make_dense (PtExecution *execution, PtDType dtype, PtView *view, GError **error)
{
  PtView dense;

  if (view->dtype == dtype && pt_view_is_contiguous (view)) {
    pt_view_init (view, dtype, view->rank, view->sizes, view->data);
    return TRUE;
  }
  if (!pt_scratch_view (execution, dtype, view->rank, view->sizes, &dense, error) ||
      !pt_move_convert (execution, &dense, view, error))
    return FALSE;
  *view = dense;
  return TRUE;
}

gboolean
pt_make_work (PtExecution *execution, PtDType dtype, const PtView *out, PtView *work,
              GError **error)
{
  if (out->dtype == dtype && pt_view_is_contiguous (out)) {
    pt_view_init (work, dtype, out->rank, out->sizes, out->data);
    return TRUE;
  }
  return pt_scratch_view (execution, dtype, out->rank, out->sizes, work, error);
}

gboolean
pt_finish_work (PtExecution *execution, const PtView *out, const PtView *work, GError **error)
{
  return out->data == work->data || pt_move_convert (execution, out, work, error);
}
