/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of the same shape, or of the same bytes in another shape (docs/formats/operators.md,
 * sections 14.1 and 14.2). */
#include "engine/operators/families.h"
#include "engine/operators/move.h"

/* out = self, by index, converted when the dtypes differ. */
static gboolean
copy_to (PtExecution *execution, const PtView *in, const PtValue *out_value, PtDTypeSet dtypes,
         GError **error)
{
  PtView out;

  return pt_arg_out (out_value, dtypes, in->rank, in->sizes, &out, error) &&
         pt_move_convert (execution, &out, in, error);
}

PT_KERNEL (alias_copy_out)
{
  PtView in;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         copy_to (execution, &in, args[1], 1u << in.dtype, error);
}

PT_KERNEL (clone_out)
{
  PtView in;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_memory_format (args[1], error) &&
         copy_to (execution, &in, args[2], 1u << in.dtype, error);
}

PT_KERNEL (to_copy_out)
{
  PtView in;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_false (args[1], "non_blocking", error) && pt_arg_memory_format (args[2], error) &&
         copy_to (execution, &in, args[3], PT_ANY, error);
}

PT_KERNEL (to_dim_order_copy_out)
{
  PtView in;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_false (args[1], "non_blocking", error) &&
         pt_arg_dim_order (args[2], args[3], error) &&
         copy_to (execution, &in, args[3], PT_ANY, error);
}

PT_KERNEL (clone_dim_order_out)
{
  PtView in;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_false (args[1], "non_blocking", error) &&
         pt_arg_dim_order (args[2], args[3], error) &&
         copy_to (execution, &in, args[3], 1u << in.dtype, error);
}

/* out = src, broadcast to the shape of self and converted to its dtype. */
PT_KERNEL (copy_out)
{
  PtView self, src, out;

  if (!pt_arg_view (args[0], "self", PT_ANY, &self, error) ||
      !pt_arg_view (args[1], "src", PT_ANY, &src, error) ||
      !pt_arg_false (args[2], "non_blocking", error))
    return FALSE;
  PT_CHECK (pt_broadcasts_to (&src, self.rank, self.sizes),
            "'src' does not broadcast to the shape of 'self'.");
  return pt_arg_out (args[3], 1u << self.dtype, self.rank, self.sizes, &out, error) &&
         pt_move_convert (execution, &out, &src, error);
}

PT_KERNEL (copy_in_place)
{
  PtView self, src;

  if (!pt_arg_view (args[1], "src", PT_ANY, &src, error) ||
      !pt_arg_target (args[0], PT_ANY, &self, error) ||
      !pt_arg_false (args[2], "non_blocking", error))
    return FALSE;
  PT_CHECK (pt_broadcasts_to (&src, self.rank, self.sizes),
            "'src' does not broadcast to the shape of 'self'.");
  return pt_move_convert (execution, &self, &src, error);
}

/* Copies the elements of @in in memory order to a tensor of other sizes. */
static gboolean
reshape_to (PtExecution *execution, const PtView *in, guint rank, const gint64 *sizes,
            const PtValue *out_value, GError **error)
{
  PtView out;

  if (!pt_arg_out (out_value, 1u << in->dtype, rank, sizes, &out, error))
    return FALSE;
  PT_CHECK (out.numel == in->numel,
            "%" G_GSIZE_FORMAT " elements cannot be seen as %" G_GSIZE_FORMAT ".", in->numel,
            out.numel);
  pt_move_bytes (execution, &out, in);
  return TRUE;
}

PT_KERNEL (view_copy_out)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank, unknown = PT_MAX_RANK;
  gsize known = 1;
  PtView in;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_ints (args[1], "size", sizes, PT_MAX_RANK, &rank, error))
    return FALSE;
  for (guint i = 0; i < rank; i++) {
    if (sizes[i] == -1) {
      PT_CHECK (unknown == PT_MAX_RANK, "Only one size of a view can be -1.");
      unknown = i;
      continue;
    }
    PT_CHECK (sizes[i] >= 0 && sizes[i] <= G_MAXINT32 &&
                  g_size_checked_mul (&known, known, (gsize) sizes[i]),
              "A view cannot have these sizes.");
  }
  if (unknown != PT_MAX_RANK) {
    PT_CHECK (known > 0 && in.numel % known == 0, "The sizes of a view do not fit its elements.");
    sizes[unknown] = (gint64) (in.numel / known);
    known = in.numel;
  }
  PT_CHECK (known == in.numel, "The sizes of a view do not fit its elements.");
  return reshape_to (execution, &in, rank, sizes, args[2], error);
}

PT_KERNEL (unsqueeze_copy_out)
{
  PtView in, shape;
  guint dim;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error))
    return FALSE;
  PT_CHECK (in.rank < PT_MAX_RANK, "A result would have more than %d dimensions.", PT_MAX_RANK);
  if (!pt_arg_dim (args[1], in.rank + 1, &dim, error))
    return FALSE;
  shape = in;
  pt_view_insert (&shape, dim, 1, 1);
  return reshape_to (execution, &in, shape.rank, shape.sizes, args[2], error);
}

static gboolean
squeeze (PtExecution *execution, PtValue *const *args, guint mask, const PtView *in, GError **error)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank = 0;

  for (guint i = 0; i < in->rank; i++)
    if ((mask & 1u << i) == 0 || in->sizes[i] != 1)
      sizes[rank++] = in->sizes[i];
  return reshape_to (execution, in, rank, sizes, args[2], error);
}

PT_KERNEL (squeeze_copy_dim_out)
{
  PtView in;
  guint dim;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_dim (args[1], in.rank, &dim, error) &&
         squeeze (execution, args, 1u << dim, &in, error);
}

PT_KERNEL (squeeze_copy_dims_out)
{
  PtView in;
  guint mask;

  return pt_arg_view (args[0], "self", PT_ANY, &in, error) &&
         pt_arg_dims (args[1], in.rank, &mask, NULL, error) &&
         squeeze (execution, args, mask, &in, error);
}

static const PtOperator operators[] = {
  { "aten::alias_copy.out", alias_copy_out, 3, 1, 1 },
  { "aten::detach_copy.out", alias_copy_out, 3, 1, 1 },
  { "aten::lift_fresh_copy.out", alias_copy_out, 3, 1, 1 },
  { "aten::clone.out", clone_out, 4, 2, 1 },
  { "aten::_to_copy.out", to_copy_out, 5, 3, 1 },
  { "aten::copy.out", copy_out, 5, 3, 1 },
  { "aten::copy_", copy_in_place, 4, 0, 1 },
  { "aten::view_copy.out", view_copy_out, 4, 2, 1 },
  { "aten::unsqueeze_copy.out", unsqueeze_copy_out, 4, 2, 1 },
  { "aten::squeeze_copy.dim_out", squeeze_copy_dim_out, 4, 2, 1 },
  { "aten::squeeze_copy.dims_out", squeeze_copy_dims_out, 4, 2, 1 },
  { "dim_order_ops::_to_dim_order_copy.out", to_dim_order_copy_out, 5, 3, 1 },
  { "dim_order_ops::_clone_dim_order.out", clone_dim_order_out, 5, 3, 1 },
};

const PtOperatorFamily pt_copy_family = { operators, G_N_ELEMENTS (operators) };
