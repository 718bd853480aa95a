/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators that copy the elements of a tensor in another arrangement (docs/formats/operators.md,
 * section 14.2). */
#include "engine/operators/families.h"
#include "engine/operators/move.h"

/* Copies @view to the out tensor, in the same dtype. */
static gboolean
show (PtExecution *execution, const PtView *view, const PtValue *out_value, GError **error)
{
  PtView out;

  if (!pt_arg_out (out_value, 1u << view->dtype, view->rank, view->sizes, &out, error))
    return FALSE;
  pt_move (execution, &out, view);
  return TRUE;
}

PT_KERNEL (expand_copy_out)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank;
  PtView in, out;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_ints (args[1], "size", sizes, PT_MAX_RANK, &rank, error) ||
      !pt_arg_false (args[2], "implicit", error))
    return FALSE;
  PT_CHECK (rank >= in.rank, "A tensor cannot be expanded to fewer dimensions.");
  for (guint i = 0; i < in.rank; i++)
    if (sizes[rank - in.rank + i] == -1)
      sizes[rank - in.rank + i] = in.sizes[i];
  PT_CHECK (pt_broadcasts_to (&in, rank, sizes), "A tensor can only grow where its size is 1.");
  if (!pt_arg_out (args[3], 1u << in.dtype, rank, sizes, &out, error))
    return FALSE;
  pt_move (execution, &out, &in);
  return TRUE;
}

/* Splits dimension @dim of @view into two, of size @outer and of the remaining size. */
static void
split_dim (PtView *view, guint dim, gint64 outer)
{
  gint64 inner = view->sizes[dim] / outer;

  pt_view_insert (view, dim, outer, view->strides[dim] * inner);
  pt_view_set_size (view, dim + 1, inner);
}

PT_KERNEL (repeat_out)
{
  gint64 repeats[PT_MAX_RANK], sizes[PT_MAX_RANK];
  guint rank;
  PtView in, out;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_ints (args[1], "repeats", repeats, PT_MAX_RANK, &rank, error))
    return FALSE;
  PT_CHECK (rank >= in.rank, "'repeats' needs a number for each dimension.");
  while (in.rank < rank)
    pt_view_insert (&in, 0, 1, 0);
  for (guint i = 0; i < rank; i++) {
    PT_CHECK (repeats[i] >= 0 && repeats[i] <= G_MAXINT32, "A tensor cannot repeat so often.");
    sizes[i] = in.sizes[i] * repeats[i];
  }
  if (!pt_arg_out (args[2], 1u << in.dtype, rank, sizes, &out, error))
    return FALSE;
  if (out.numel == 0)
    return TRUE;
  /* A repeated dimension becomes two: the repetitions, and the elements of one repetition. */
  for (guint i = rank; i-- > 0;)
    if (repeats[i] > 1 && in.sizes[i] > 1) {
      PT_CHECK (in.rank < PT_MAX_RANK, "Too many dimensions repeat.");
      split_dim (&out, i, repeats[i]);
      pt_view_insert (&in, i, 1, 0);
    }
  pt_move (execution, &out, &in);
  return TRUE;
}

PT_KERNEL (permute_copy_out)
{
  gint64 dims[PT_MAX_RANK];
  guint order[PT_MAX_RANK], n, seen = 0;
  PtView in;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_ints (args[1], "dims", dims, PT_MAX_RANK, &n, error))
    return FALSE;
  PT_CHECK (n == in.rank, "'dims' must name every dimension once.");
  for (guint i = 0; i < n; i++) {
    if (!pt_wrap_dim (dims[i], in.rank, &order[i], error))
      return FALSE;
    PT_CHECK ((seen & 1u << order[i]) == 0, "'dims' must name every dimension once.");
    seen |= 1u << order[i];
  }
  pt_view_permute (&in, order);
  return show (execution, &in, args[2], error);
}

static gboolean
transpose (PtExecution *execution, PtView *in, guint a, guint b, const PtValue *out, GError **error)
{
  guint order[PT_MAX_RANK];

  for (guint i = 0; i < in->rank; i++)
    order[i] = i == a ? b : i == b ? a : i;
  pt_view_permute (in, order);
  return show (execution, in, out, error);
}

PT_KERNEL (transpose_copy_out)
{
  PtView in;
  guint a, b;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_dim (args[1], in.rank, &a, error) && pt_arg_dim (args[2], in.rank, &b, error) &&
         transpose (execution, &in, a, b, args[3], error);
}

PT_KERNEL (t_copy_out)
{
  PtView in;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error))
    return FALSE;
  PT_CHECK (in.rank <= 2, "t needs a matrix.");
  return transpose (execution, &in, 0, in.rank == 2 ? 1 : 0, args[1], error);
}

PT_KERNEL (select_copy_out)
{
  PtView in;
  guint dim;
  gint64 index;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_dim (args[1], in.rank, &dim, error) ||
      !pt_value_int (args[2], "index", &index, error))
    return FALSE;
  PT_CHECK (in.rank > 0 && index >= -in.sizes[dim] && index < in.sizes[dim],
            "There is no index %" G_GINT64_FORMAT " in this dimension.", index);
  pt_view_select (&in, dim, index < 0 ? index + in.sizes[dim] : index);
  return show (execution, &in, args[3], error);
}

PT_KERNEL (slice_copy_out)
{
  PtView in;
  guint dim;
  gint64 start, length, step;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_slice (args + 1, &in, &dim, &start, &length, &step, error))
    return FALSE;
  pt_view_slice (&in, dim, start, length, step);
  return show (execution, &in, args[5], error);
}

PT_KERNEL (narrow_copy_out)
{
  PtView in;
  guint dim;
  gint64 start, length;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_dim (args[1], in.rank, &dim, error) ||
      !pt_value_int (args[2], "start", &start, error) ||
      !pt_value_int (args[3], "length", &length, error))
    return FALSE;
  PT_CHECK (in.rank > 0, "A tensor without dimensions cannot be narrowed.");
  PT_CHECK (start >= -in.sizes[dim] && start <= in.sizes[dim], "'start' is out of range.");
  start = start < 0 ? start + in.sizes[dim] : start;
  PT_CHECK (length >= 0 && length <= in.sizes[dim] - start, "'length' is out of range.");
  pt_view_slice (&in, dim, start, length, 1);
  return show (execution, &in, args[4], error);
}

PT_KERNEL (unfold_copy_out)
{
  PtView in, out;
  guint dim;
  gint64 size, step, n, stride;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_dim (args[1], in.rank, &dim, error) ||
      !pt_value_int (args[2], "size", &size, error) ||
      !pt_value_int (args[3], "step", &step, error))
    return FALSE;
  n = in.rank == 0 ? 1 : in.sizes[dim];
  stride = in.rank == 0 ? 1 : in.strides[dim];
  PT_CHECK (size >= 0 && size <= n && step > 0, "These windows do not fit the tensor.");
  PT_CHECK (in.rank < PT_MAX_RANK, "A result would have more than %d dimensions.", PT_MAX_RANK);
  if (in.rank > 0)
    pt_view_slice (&in, dim, 0, (n - size) / step + 1, step);
  pt_view_insert (&in, in.rank, size, stride);
  return pt_arg_out (args[4], PT_RHB, in.rank, in.sizes, &out, error) &&
         pt_move_convert (execution, &out, &in, error);
}

PT_KERNEL (as_strided_copy_out)
{
  gint64 strides[PT_MAX_RANK], offset;
  guint n_strides;
  PtView in, view;
  gsize last;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error))
    return FALSE;
  view = in;
  if (!pt_arg_sizes (args[1], view.sizes, &view.rank, error) ||
      !pt_arg_ints (args[2], "stride", strides, PT_MAX_RANK, &n_strides, error) ||
      !pt_value_optional_int (args[3], "storage_offset", 0, &offset, error))
    return FALSE;
  PT_CHECK (n_strides == view.rank && offset >= 0, "The strides do not fit the sizes.");
  view.numel = 1;
  last = (gsize) offset;
  for (guint i = 0; i < view.rank; i++) {
    gsize reach;

    PT_CHECK (
        strides[i] >= 0 && g_size_checked_mul (&view.numel, view.numel, (gsize) view.sizes[i]) &&
            g_size_checked_mul (&reach, (gsize) strides[i], (gsize) MAX (view.sizes[i] - 1, 0)) &&
            g_size_checked_add (&last, last, reach),
        "The strides lead out of the tensor.");
    view.strides[i] = strides[i];
  }
  PT_CHECK (view.numel == 0 || last < in.numel, "The strides lead out of the tensor.");
  if (view.numel > 0)
    view.data = pt_view_at (&view, offset);
  return show (execution, &view, args[4], error);
}

PT_KERNEL (diagonal_copy_out)
{
  PtView in;
  guint a, b;
  gint64 offset, first, second, size, stride;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_value_int (args[1], "offset", &offset, error) ||
      !pt_arg_dim (args[2], in.rank, &a, error) || !pt_arg_dim (args[3], in.rank, &b, error))
    return FALSE;
  PT_CHECK (in.rank >= 2 && a != b, "A diagonal needs two dimensions.");
  offset = CLAMP (offset, -in.sizes[a], in.sizes[b]);
  first = MAX (-offset, 0);
  second = MAX (offset, 0);
  size = MIN (in.sizes[a] - first, in.sizes[b] - second);
  stride = in.strides[a] + in.strides[b];
  if (size > 0) {
    pt_view_select (&in, MAX (a, b), a > b ? first : second);
    pt_view_select (&in, MIN (a, b), a > b ? second : first);
  } else {
    in.numel = 0;
    pt_view_select (&in, MAX (a, b), 0);
    pt_view_select (&in, MIN (a, b), 0);
  }
  pt_view_insert (&in, in.rank, size, stride);
  return show (execution, &in, args[4], error);
}

PT_KERNEL (flip_out)
{
  PtView in;
  guint mask;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_dims (args[1], in.rank, &mask, NULL, error))
    return FALSE;
  for (guint i = 0; i < in.rank; i++)
    if (mask & 1u << i && in.numel > 0) {
      in.data = pt_view_at (&in, (in.sizes[i] - 1) * in.strides[i]);
      in.strides[i] = -in.strides[i];
    }
  return show (execution, &in, args[2], error);
}

/* Copies @in to @out, rolled by @shifts in dimensions [dim, rank), each in two parts. */
static void
roll_dims (PtExecution *execution, const PtView *out, const PtView *in, guint dim,
           const gint64 *shifts)
{
  gint64 n;

  while (dim < in->rank && shifts[dim] == 0)
    dim++;
  if (dim == in->rank) {
    pt_move (execution, out, in);
    return;
  }
  n = in->sizes[dim];
  for (guint part = 0; part < 2; part++) {
    gint64 from = part == 0 ? 0 : n - shifts[dim], to = part == 0 ? shifts[dim] : 0;
    gint64 length = part == 0 ? n - shifts[dim] : shifts[dim];
    PtView source = *in, target = *out;

    pt_view_slice (&source, dim, from, length, 1);
    pt_view_slice (&target, dim, to, length, 1);
    roll_dims (execution, &target, &source, dim + 1, shifts);
  }
}

PT_KERNEL (roll_out)
{
  gint64 shifts[PT_MAX_RANK], dims[PT_MAX_RANK], total[PT_MAX_RANK] = { 0 };
  guint n_shifts, n_dims, dim;
  PtView in, out;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_ints (args[1], "shifts", shifts, PT_MAX_RANK, &n_shifts, error) ||
      !pt_arg_ints (args[2], "dims", dims, PT_MAX_RANK, &n_dims, error) ||
      !pt_arg_out (args[3], 1u << in.dtype, in.rank, in.sizes, &out, error))
    return FALSE;
  PT_CHECK (n_dims > 0 && n_shifts == n_dims, "roll needs one dimension for each shift.");
  if (in.numel == 0)
    return TRUE;
  pt_view_at_least_1d (&in);
  pt_view_at_least_1d (&out);
  for (guint i = 0; i < n_dims; i++) {
    if (!pt_wrap_dim (dims[i], in.rank, &dim, error))
      return FALSE;
    total[dim] = (total[dim] + shifts[i] % in.sizes[dim] + in.sizes[dim]) % in.sizes[dim];
  }
  roll_dims (execution, &out, &in, 0, total);
  return TRUE;
}

/*
 * Pixel shuffle: the channels of [.., C * r * r, H, W] are [C, r, r]; the other tensor is [.., C, H
 * * r, W * r]. Both become views [.., C, r, r, H, W].
 */
static gboolean
pixel_shuffle (PtExecution *execution, PtValue *const *args, gboolean inverse, GError **error)
{
  PtView in, out, *packed, *spread;
  gint64 r, sizes[PT_MAX_RANK];
  guint c;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_value_int (args[1], "factor", &r, error))
    return FALSE;
  PT_CHECK (in.rank >= 3 && in.rank <= PT_MAX_RANK - 2 && r > 0 && r <= G_MAXINT16,
            "Pixels cannot be shuffled like this.");
  c = in.rank - 3;
  for (guint i = 0; i < in.rank; i++)
    sizes[i] = in.sizes[i];
  if (inverse) {
    PT_CHECK (sizes[c + 1] % r == 0 && sizes[c + 2] % r == 0,
              "The picture is no multiple of the factor.");
    sizes[c] *= r * r, sizes[c + 1] /= r, sizes[c + 2] /= r;
  } else {
    PT_CHECK (sizes[c] % (r * r) == 0, "The channels are no multiple of the factor squared.");
    sizes[c] /= r * r, sizes[c + 1] *= r, sizes[c + 2] *= r;
  }
  if (!pt_arg_out (args[2], 1u << in.dtype, in.rank, sizes, &out, error))
    return FALSE;
  if (out.numel == 0)
    return TRUE;
  packed = inverse ? &out : &in;
  spread = inverse ? &in : &out;
  split_dim (packed, c, packed->sizes[c] / r);
  split_dim (packed, c, packed->sizes[c] / r);
  split_dim (spread, c + 2, spread->sizes[c + 2] / r);
  split_dim (spread, c + 1, spread->sizes[c + 1] / r);
  /* spread is [.., C, H, r, W, r]: permute it to the order of packed. */
  {
    guint order[PT_MAX_RANK];

    for (guint i = 0; i < spread->rank; i++)
      order[i] = i;
    order[c + 1] = c + 2, order[c + 2] = c + 4, order[c + 3] = c + 1, order[c + 4] = c + 3;
    pt_view_permute (spread, order);
  }
  pt_move (execution, &out, &in);
  return TRUE;
}

PT_KERNEL (pixel_shuffle_out)
{
  return pixel_shuffle (execution, args, FALSE, error);
}

PT_KERNEL (pixel_unshuffle_out)
{
  return pixel_shuffle (execution, args, TRUE, error);
}

PT_KERNEL (tril_out)
{
  static const guint64 zero = 0;
  PtView in, out, source, target, blank;
  gint64 diagonal, rows, columns;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_value_int (args[1], "diagonal", &diagonal, error))
    return FALSE;
  PT_CHECK (in.rank >= 2, "tril needs a matrix.");
  if (!pt_arg_out (args[2], 1u << in.dtype, in.rank, in.sizes, &out, error))
    return FALSE;
  if (in.numel == 0)
    return TRUE;
  rows = in.sizes[in.rank - 2];
  columns = in.sizes[in.rank - 1];
  diagonal = CLAMP (diagonal, -rows, columns);
  pt_view_init (&blank, in.dtype, 0, NULL, (gpointer) &zero);
  for (gint64 row = 0; row < rows; row++) {
    gint64 kept = CLAMP (row + diagonal + 1, 0, columns);

    source = in, target = out;
    pt_view_slice (&source, in.rank - 2, row, 1, 1);
    pt_view_slice (&target, in.rank - 2, row, 1, 1);
    pt_view_slice (&source, in.rank - 1, 0, kept, 1);
    pt_view_slice (&target, in.rank - 1, 0, kept, 1);
    pt_move (execution, &target, &source);
    target = out;
    pt_view_slice (&target, in.rank - 2, row, 1, 1);
    pt_view_slice (&target, in.rank - 1, kept, columns - kept, 1);
    pt_move (execution, &target, &blank);
  }
  return TRUE;
}

PT_KERNEL (view_as_real_copy_out)
{
  PtView in, out;

  if (!pt_arg_view (args[0], "self", PT_CPX, &in, error))
    return FALSE;
  PT_CHECK (in.rank < PT_MAX_RANK, "A result would have more than %d dimensions.", PT_MAX_RANK);
  in.dtype = in.dtype == PT_DTYPE_C32   ? PT_DTYPE_F16
             : in.dtype == PT_DTYPE_C64 ? PT_DTYPE_F32
                                        : PT_DTYPE_F64;
  for (guint i = 0; i < in.rank; i++)
    in.strides[i] *= 2;
  pt_view_insert (&in, in.rank, 2, 1);
  return pt_arg_out (args[1], PT_BIT (F16) | PT_BIT (F32) | PT_BIT (F64), in.rank, in.sizes, &out,
                     error) &&
         pt_move_convert (execution, &out, &in, error);
}

static const PtOperator operators[] = {
  { "aten::as_strided_copy.out", as_strided_copy_out, 6, 4, 1 },
  { "aten::diagonal_copy.out", diagonal_copy_out, 6, 4, 1 },
  { "aten::expand_copy.out", expand_copy_out, 5, 3, 1 },
  { "aten::flip.out", flip_out, 4, 2, 1 },
  { "aten::narrow_copy.out", narrow_copy_out, 6, 4, 1 },
  { "aten::permute_copy.out", permute_copy_out, 4, 2, 1 },
  { "aten::pixel_shuffle.out", pixel_shuffle_out, 4, 2, 1 },
  { "aten::pixel_unshuffle.out", pixel_unshuffle_out, 4, 2, 1 },
  { "aten::repeat.out", repeat_out, 4, 2, 1 },
  { "aten::roll.out", roll_out, 5, 3, 1 },
  { "aten::select_copy.int_out", select_copy_out, 5, 3, 1 },
  { "aten::slice_copy.Tensor_out", slice_copy_out, 7, 5, 1 },
  { "aten::t_copy.out", t_copy_out, 3, 1, 1 },
  { "aten::transpose_copy.int_out", transpose_copy_out, 5, 3, 1 },
  { "aten::tril.out", tril_out, 4, 2, 1 },
  { "aten::unfold_copy.out", unfold_copy_out, 6, 4, 1 },
  { "aten::view_as_real_copy.out", view_as_real_copy_out, 3, 1, 1 },
};

const PtOperatorFamily pt_shape_family = { operators, G_N_ELEMENTS (operators) };
