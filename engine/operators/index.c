/* SPDX-License-Identifier: BSD-3-Clause */
/* Indexing along one dimension, and by masks (docs/formats/operators.md, section 15.1). */
#include "engine/operators/index.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/operators/convert.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"
#include "engine/operators/loop-nest.h"

gboolean
pt_fail_index (GError **error, gint64 index, gint64 size)
{
  return pt_fail (error, PT_ERROR_ARGUMENT,
                  "An index of %" G_GINT64_FORMAT " is out of range: there are %" G_GINT64_FORMAT
                  ".",
                  index, size);
}

void
pt_accumulate (PtDType dtype, gpointer target, gconstpointer source)
{
  PtCompute compute = pt_compute_of (dtype);
  union {
    gint64 i64;
    float f32;
    double f64;
  } a, b;

  pt_load (dtype, compute, 1, target, 1, &a);
  pt_load (dtype, compute, 1, source, 1, &b);
  if (compute == PT_COMPUTE_I64)
    a.i64 = (gint64) ((guint64) a.i64 + (guint64) b.i64);
  else if (compute == PT_COMPUTE_F32)
    a.f32 += b.f32;
  else
    a.f64 += b.f64;
  pt_store (dtype, compute, 1, &a, target, 1);
}

/* Copies rows @index of @table to @out, one after the other. */
static gboolean
take_rows (PtExecution *execution, PtView *table, PtView *index, const PtView *out, GError **error)
{
  gsize row_bytes;

  if (!pt_make_dense (execution, table->dtype, table, error) ||
      !pt_make_dense (execution, index->dtype, index, error))
    return FALSE;
  row_bytes = pt_view_count (table, 1, table->rank) * pt_dtype_size (table->dtype);
  for (gsize i = 0; i < index->numel; i++) {
    gint64 row = pt_index_at (index, (gint64) i);

    if (row < 0 || row >= table->sizes[0])
      return pt_fail_index (error, row, table->sizes[0]);
    if (row_bytes > 0)
      memmove (out->data + i * row_bytes, table->data + (gsize) row * row_bytes, row_bytes);
  }
  return TRUE;
}

PT_KERNEL (embedding_out)
{
  gint64 sizes[PT_MAX_RANK];
  PtView table, index, out, work;

  if (!pt_arg_view (args[0], "weight", PT_ANY, &table, error) ||
      !pt_arg_view (args[1], "indices", PT_INDEX, &index, error))
    return FALSE;
  PT_CHECK (table.rank == 2 && index.rank < PT_MAX_RANK, "An embedding needs a table of rows.");
  memcpy (sizes, index.sizes, sizeof sizes);
  sizes[index.rank] = table.sizes[1];
  return pt_arg_out (args[5], 1u << table.dtype, index.rank + 1, sizes, &out, error) &&
         pt_make_work (execution, table.dtype, &out, &work, error) &&
         take_rows (execution, &table, &index, &work, error) &&
         pt_finish_work (execution, &out, &work, error);
}

PT_KERNEL (index_select_out)
{
  PtView in, index, out, part, row;
  gint64 sizes[PT_MAX_RANK];
  guint dim;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_dim (args[1], in.rank, &dim, error) ||
      !pt_arg_view (args[2], "index", PT_INDEX, &index, error))
    return FALSE;
  PT_CHECK (index.rank <= 1, "'index' must be a list of numbers.");
  PT_CHECK (in.rank > 0 || index.numel == 1, "A number has only one element.");
  memcpy (sizes, in.sizes, sizeof sizes);
  if (in.rank > 0)
    sizes[dim] = (gint64) index.numel;
  if (!pt_arg_out (args[3], 1u << in.dtype, in.rank, sizes, &out, error))
    return FALSE;
  pt_view_at_least_1d (&in);
  pt_view_at_least_1d (&out);
  for (gsize i = 0; i < index.numel; i++) {
    gint64 at = pt_index_at (&index, (gint64) i);

    if (at < 0 || at >= in.sizes[dim])
      return pt_fail_index (error, at, in.sizes[dim]);
    row = in, part = out;
    pt_view_select (&row, dim, at);
    pt_view_select (&part, dim, (gint64) i);
    pt_move (execution, &part, &row);
  }
  return TRUE;
}

/*
 * gather and scatter visit an index tensor together with a view whose stride along @dim is 0,
 * because the index gives the coordinate in that dimension.
 */
static gboolean
arg_indexed (const PtValue *dim_value, const PtValue *index_value, const PtView *self, guint *dim,
             PtView *index, GError **error)
{
  if (!pt_arg_dim (dim_value, self->rank, dim, error) ||
      !pt_arg_view (index_value, "index", PT_BIT (I64), index, error))
    return FALSE;
  PT_CHECK (index->numel == 0 || MAX (index->rank, 1) == MAX (self->rank, 1),
            "'index' must have as many dimensions as 'self'.");
  for (guint i = 0; i < index->rank && index->numel > 0 && self->rank > 0; i++)
    PT_CHECK (i == *dim || index->sizes[i] <= self->sizes[i], "'index' reaches beyond the tensor.");
  return TRUE;
}

/* @view with the sizes of @index and a stride of 0 along @dim. */
static PtView
over_index (const PtView *view, const PtView *index, guint dim)
{
  PtView over = *view;

  pt_view_at_least_1d (&over);
  for (guint i = 0; i < over.rank; i++)
    over.sizes[i] = index->sizes[i];
  over.strides[dim] = 0;
  over.numel = index->numel;
  return over;
}

PT_KERNEL (gather_out)
{
  PtView self, index, out, over;
  const PtView *operands[3] = { &out, &index, &over };
  gint64 stride, n;
  gsize size;
  guint dim;
  PtLoopNest nest;
  PtCursor cursor;

  if (!pt_arg_view (args[0], "self", PT_RHB, &self, error) ||
      !arg_indexed (args[1], args[2], &self, &dim, &index, error) ||
      !pt_arg_false (args[3], "sparse_grad", error) ||
      !pt_arg_out (args[4], 1u << self.dtype, index.rank, index.sizes, &out, error))
    return FALSE;
  if (index.numel == 0)
    return TRUE;
  pt_view_at_least_1d (&self);
  pt_view_at_least_1d (&index);
  pt_view_at_least_1d (&out);
  over = over_index (&self, &index, dim);
  stride = self.strides[dim];
  n = self.sizes[dim];
  size = pt_dtype_size (self.dtype);
  pt_loop_nest_init (&nest, 3, operands);
  pt_loop_nest_seek (&nest, 0, &cursor);
  for (gsize i = 0; i < index.numel; i++) {
    gint64 at = pt_index_at (&index, cursor.offsets[1]);

    if (at < 0 || at >= n)
      return pt_fail_index (error, at, n);
    pt_move_strided (size, 1, pt_view_at (&out, cursor.offsets[0]), 1,
                     pt_view_at (&self, cursor.offsets[2] + at * stride), 1);
    pt_loop_nest_advance (&nest, 1, &cursor);
  }
  return TRUE;
}

/* out = self; then each element of @index stores, or adds, one element of @src. */
static gboolean
scatter (PtExecution *execution, const PtView *self, guint dim, PtView *index, PtView *src,
         gboolean add, const PtValue *out_value, GError **error)
{
  PtView out, over;
  const PtView *operands[3] = { index, src, &over };
  gint64 stride, n;
  gsize size = pt_dtype_size (self->dtype);
  PtLoopNest nest;
  PtCursor cursor;

  if (!pt_arg_out (out_value, 1u << self->dtype, self->rank, self->sizes, &out, error))
    return FALSE;
  pt_move (execution, &out, self);
  if (index->numel == 0)
    return TRUE;
  pt_view_at_least_1d (index);
  pt_view_at_least_1d (&out);
  over = over_index (&out, index, dim);
  stride = out.strides[dim];
  n = out.sizes[dim];
  pt_loop_nest_init (&nest, 3, operands);
  pt_loop_nest_seek (&nest, 0, &cursor);
  for (gsize i = 0; i < index->numel; i++) {
    gint64 at = pt_index_at (index, cursor.offsets[0]);
    gpointer to, from;

    if (at < 0 || at >= n)
      return pt_fail_index (error, at, n);
    to = pt_view_at (&out, cursor.offsets[2] + at * stride);
    from = pt_view_at (src, cursor.offsets[1]);
    if (add)
      pt_accumulate (self->dtype, to, from);
    else
      pt_move_strided (size, 1, to, 1, from, 1);
    pt_loop_nest_advance (&nest, 1, &cursor);
  }
  return TRUE;
}

static gboolean
scatter_tensor (PtExecution *execution, PtValue *const *args, gboolean add, GError **error)
{
  PtView self, index, src;
  guint dim;

  if (!pt_arg_view (args[0], "self", PT_RHB, &self, error) ||
      !arg_indexed (args[1], args[2], &self, &dim, &index, error) ||
      !pt_arg_view (args[3], "src", 1u << self.dtype, &src, error))
    return FALSE;
  if (index.numel > 0) {
    PT_CHECK (MAX (src.rank, 1) == MAX (index.rank, 1),
              "'src' must have as many dimensions as 'index'.");
    pt_view_at_least_1d (&src);
    for (guint i = 0; i < index.rank; i++) {
      PT_CHECK (index.sizes[i] <= src.sizes[i], "'index' reaches beyond 'src'.");
      src.sizes[i] = index.sizes[i];
    }
  }
  return scatter (execution, &self, dim, &index, &src, add, args[4], error);
}

PT_KERNEL (scatter_src_out)
{
  return scatter_tensor (execution, args, FALSE, error);
}

PT_KERNEL (scatter_add_out)
{
  return scatter_tensor (execution, args, TRUE, error);
}

PT_KERNEL (scatter_value_out)
{
  PtView self, index, src;
  PtScalar value;
  PtScalarBytes bytes;
  guint dim;

  if (!pt_arg_view (args[0], "self", PT_RHB, &self, error) ||
      !arg_indexed (args[1], args[2], &self, &dim, &index, error) ||
      !pt_arg_scalar (args[3], "value", &value, error))
    return FALSE;
  PT_CHECK (pt_scalar_fits (&value, self.dtype), "'value' does not fit dtype %s.",
            pt_dtype_name (self.dtype));
  pt_scalar_put (&value, self.dtype, &bytes);
  pt_view_init (&src, self.dtype, 0, NULL, &bytes);
  return scatter (execution, &self, dim, &index, &src, FALSE, args[4], error);
}

static gboolean
is_nonzero (PtDType dtype, gconstpointer element)
{
  double value;

  if (pt_compute_of (dtype) == PT_COMPUTE_I64) {
    gint64 integer;

    pt_load (dtype, PT_COMPUTE_I64, 1, element, 1, &integer);
    return integer != 0;
  }
  pt_load (dtype, PT_COMPUTE_F64, 1, element, 1, &value);
  return value != 0;
}

/*
 * Two passes: count, then write. The second pass stops at the count, because the result may share
 * the memory of the input, which then has changed.
 */
PT_KERNEL (nonzero_out)
{
  PtView in, out, work;
  gint64 sizes[2] = { 0, 0 }, at = 0;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_make_dense (execution, in.dtype, &in, error))
    return FALSE;
  for (gsize i = 0; i < in.numel; i++)
    sizes[0] += is_nonzero (in.dtype, pt_view_at (&in, (gint64) i));
  sizes[1] = in.rank;
  if (!pt_arg_out (args[1], PT_BIT (I64), 2, sizes, &out, error) ||
      !pt_make_work (execution, PT_DTYPE_I64, &out, &work, error))
    return FALSE;
  for (gsize i = 0; i < in.numel && at < sizes[0]; i++) {
    gint64 *row = (gint64 *) work.data + at * in.rank;
    gsize rest = i;

    if (!is_nonzero (in.dtype, pt_view_at (&in, (gint64) i)))
      continue;
    for (guint d = in.rank; d-- > 0; rest /= (gsize) in.sizes[d])
      row[d] = (gint64) (rest % (gsize) in.sizes[d]);
    at++;
  }
  return pt_finish_work (execution, &out, &work, error);
}

/* Expands @view to a shape and makes it contiguous. */
static gboolean
expand_dense (PtExecution *execution, guint rank, const gint64 *sizes, PtView *view, GError **error)
{
  PtView dense;

  if (!pt_scratch_view (execution, view->dtype, rank, sizes, &dense, error))
    return FALSE;
  pt_move (execution, &dense, view);
  *view = dense;
  return TRUE;
}

PT_KERNEL (masked_select_out)
{
  PtView in[2], out;
  gint64 sizes[PT_MAX_RANK], count = 0, at = 0;
  guint rank;
  gsize size;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in[0], error) ||
      !pt_arg_view (args[1], "mask", PT_BIT (BOOL), &in[1], error) ||
      !pt_broadcast (2, in, &rank, sizes, error) ||
      !expand_dense (execution, rank, sizes, &in[0], error) ||
      !expand_dense (execution, rank, sizes, &in[1], error))
    return FALSE;
  size = pt_dtype_size (in[0].dtype);
  for (gsize i = 0; i < in[1].numel; i++)
    count += in[1].data[i] != 0;
  if (!pt_arg_out (args[2], 1u << in[0].dtype, 1, &count, &out, error))
    return FALSE;
  for (gsize i = 0; i < in[1].numel; i++)
    if (in[1].data[i] != 0) {
      memcpy (pt_view_at (&out, at), pt_view_at (&in[0], (gint64) i), size);
      at++;
    }
  return TRUE;
}

PT_KERNEL (masked_scatter_out)
{
  PtView in[2], source, out, work;
  gint64 sizes[PT_MAX_RANK], at = 0;
  guint rank;
  gsize size;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in[0], error) ||
      !pt_arg_view (args[1], "mask", PT_BIT (BOOL), &in[1], error) ||
      !pt_arg_view (args[2], "source", 1u << in[0].dtype, &source, error) ||
      !pt_broadcast (2, in, &rank, sizes, error) ||
      !expand_dense (execution, rank, sizes, &in[1], error) ||
      !pt_make_dense (execution, source.dtype, &source, error) ||
      !pt_arg_out (args[3], 1u << in[0].dtype, rank, sizes, &out, error) ||
      !pt_make_work (execution, out.dtype, &out, &work, error))
    return FALSE;
  pt_move (execution, &work, &in[0]);
  size = pt_dtype_size (work.dtype);
  for (gsize i = 0; i < in[1].numel; i++) {
    if (in[1].data[i] == 0)
      continue;
    PT_CHECK ((gsize) at < source.numel, "'source' has too few elements for the mask.");
    memmove (pt_view_at (&work, (gint64) i), pt_view_at (&source, at), size);
    at++;
  }
  return pt_finish_work (execution, &out, &work, error);
}

PT_KERNEL (repeat_interleave_out)
{
  PtView repeats, out;
  gint64 total = 0, given, at = 0;

  if (!pt_arg_view (args[0], "repeats", PT_INDEX, &repeats, error) ||
      !pt_make_dense (execution, repeats.dtype, &repeats, error))
    return FALSE;
  PT_CHECK (repeats.rank == 1, "'repeats' must be a list of numbers.");
  for (gsize i = 0; i < repeats.numel; i++) {
    gint64 n = pt_index_at (&repeats, (gint64) i);

    PT_CHECK (n >= 0 && n <= G_MAXINT32 - total, "Something cannot be repeated so often.");
    total += n;
  }
  if (!pt_value_optional_int (args[1], "output_size", total, &given, error))
    return FALSE;
  PT_CHECK (given == total, "'output_size' is not the sum of 'repeats'.");
  if (!pt_arg_out (args[2], 1u << repeats.dtype, 1, &total, &out, error))
    return FALSE;
  for (gsize i = 0; i < repeats.numel; i++) {
    gint64 n = MIN (pt_index_at (&repeats, (gint64) i), total - at), value = (gint64) i;

    for (; n > 0; n--, at++)
      pt_store (out.dtype, PT_COMPUTE_I64, 1, &value, pt_view_at (&out, at), 1);
  }
  return TRUE;
}

static const PtOperator operators[] = {
  { "aten::embedding.out", embedding_out, 7, 5, 1 },
  { "aten::gather.out", gather_out, 6, 4, 1 },
  { "aten::index_select.out", index_select_out, 5, 3, 1 },
  { "aten::masked_scatter.out", masked_scatter_out, 5, 3, 1 },
  { "aten::masked_select.out", masked_select_out, 4, 2, 1 },
  { "aten::nonzero.out", nonzero_out, 3, 1, 1 },
  { "aten::repeat_interleave.Tensor_out", repeat_interleave_out, 4, 2, 1 },
  { "aten::scatter.src_out", scatter_src_out, 6, 4, 1 },
  { "aten::scatter.value_out", scatter_value_out, 6, 4, 1 },
  { "aten::scatter_add.out", scatter_add_out, 6, 4, 1 },
};

const PtOperatorFamily pt_index_family = { operators, G_N_ELEMENTS (operators) };
