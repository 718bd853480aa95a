/* SPDX-License-Identifier: BSD-3-Clause */
/* Padding, and replacing parts of a tensor (docs/formats/operators.md, section 14.4). */
#include <string.h>

#include "engine/operators/families.h"
#include "engine/operators/move.h"

PT_KERNEL (constant_pad_nd_out)
{
  gint64 pads[2 * PT_MAX_RANK], sizes[PT_MAX_RANK];
  guint n;
  PtScalar value;
  PtScalarBytes bytes;
  PtView in, out, fill;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_ints (args[1], "pad", pads, 2 * PT_MAX_RANK, &n, error) ||
      !pt_arg_scalar (args[2], "value", &value, error))
    return FALSE;
  PT_CHECK (n % 2 == 0 && n / 2 <= in.rank, "'pad' needs two numbers for a dimension.");
  PT_CHECK (pt_scalar_fits (&value, in.dtype), "'value' does not fit dtype %s.",
            pt_dtype_name (in.dtype));
  memcpy (sizes, in.sizes, sizeof sizes);
  for (guint i = 0; i < n; i++) {
    PT_CHECK (pads[i] >= 0 && pads[i] <= G_MAXINT32, "'pad' must not be negative.");
    sizes[in.rank - 1 - i / 2] += pads[i];
  }
  if (!pt_arg_out (args[3], 1u << in.dtype, in.rank, sizes, &out, error))
    return FALSE;
  pt_scalar_put (&value, in.dtype, &bytes);
  pt_view_init (&fill, in.dtype, 0, NULL, &bytes);
  /* Fills the borders of each dimension, then continues with the interior. */
  for (guint i = 0; i < n / 2; i++) {
    guint dim = in.rank - 1 - i;
    PtView border = out;

    pt_view_slice (&border, dim, 0, pads[2 * i], 1);
    pt_move (execution, &border, &fill);
    border = out;
    pt_view_slice (&border, dim, out.sizes[dim] - pads[2 * i + 1], pads[2 * i + 1], 1);
    pt_move (execution, &border, &fill);
    pt_view_slice (&out, dim, pads[2 * i], in.sizes[dim], 1);
  }
  pt_move (execution, &out, &in);
  return TRUE;
}

/* The source position of element @i of a padded dimension. */
static gint64
reflected (gint64 i, gint64 pad, gint64 n)
{
  i -= pad;
  if (i < 0)
    i = -i;
  return i < n ? i : 2 * (n - 1) - i;
}

static gint64
replicated (gint64 i, gint64 pad, gint64 n)
{
  return CLAMP (i - pad, 0, n - 1);
}

static gboolean
pad_by (PtExecution *execution, PtValue *const *args, guint n_dims, gboolean reflect,
        GError **error)
{
  gint64 pads[6], sizes[PT_MAX_RANK];
  const gint32 *maps[PT_MAX_RANK] = { NULL };
  guint n;
  PtView in, out;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_ints (args[1], "padding", pads, 2 * n_dims, &n, error))
    return FALSE;
  PT_CHECK (n == 2 * n_dims && (in.rank == n_dims + 1 || in.rank == n_dims + 2),
            "'padding' does not fit the tensor.");
  memcpy (sizes, in.sizes, sizeof sizes);
  for (guint i = 0; i < n; i++) {
    guint dim = in.rank - 1 - i / 2;

    PT_CHECK (in.sizes[dim] > 0 && pads[i] >= -in.sizes[dim] && pads[i] <= G_MAXINT32 &&
                  (!reflect || pads[i] < in.sizes[dim]),
              "'padding' does not fit the tensor.");
    sizes[dim] += pads[i];
  }
  if (!pt_arg_out (args[2], 1u << in.dtype, in.rank, sizes, &out, error))
    return FALSE;
  /* In a tensor with an empty dimension, other dimensions may be too large for a map. */
  if (out.numel == 0)
    return TRUE;
  for (guint i = 0; i < n_dims; i++) {
    guint dim = in.rank - 1 - i;
    gint32 *map = pt_execution_scratch (execution, (gsize) sizes[dim] * sizeof *map + 1, error);

    if (map == NULL)
      return FALSE;
    for (gint64 x = 0; x < sizes[dim]; x++)
      map[x] = (gint32) (reflect ? reflected : replicated) (x, pads[2 * i], in.sizes[dim]);
    maps[dim] = map;
  }
  pt_move_mapped (execution, &out, &in, maps);
  return TRUE;
}

#define DEFINE_PAD(name, n_dims, reflect)                    \
  PT_KERNEL (name)                                           \
  {                                                          \
    return pad_by (execution, args, n_dims, reflect, error); \
  }

/* clang-format off */
DEFINE_PAD (reflection_pad1d_out, 1, TRUE)
DEFINE_PAD (reflection_pad2d_out, 2, TRUE)
DEFINE_PAD (reflection_pad3d_out, 3, TRUE)
DEFINE_PAD (replication_pad1d_out, 1, FALSE)
DEFINE_PAD (replication_pad2d_out, 2, FALSE)
DEFINE_PAD (replication_pad3d_out, 3, FALSE)
/* clang-format on */

PT_KERNEL (select_scatter_out)
{
  PtView in, src, out;
  guint dim;
  gint64 index;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_view (args[1], "src", PT_RHB, &src, error) ||
      !pt_arg_dim (args[2], in.rank, &dim, error) ||
      !pt_value_int (args[3], "index", &index, error))
    return FALSE;
  PT_CHECK (in.rank > 0 && index >= -in.sizes[dim] && index < in.sizes[dim],
            "There is no index %" G_GINT64_FORMAT " in this dimension.", index);
  if (!pt_arg_out (args[4], 1u << in.dtype, in.rank, in.sizes, &out, error))
    return FALSE;
  pt_move (execution, &out, &in);
  pt_view_select (&out, dim, index < 0 ? index + in.sizes[dim] : index);
  PT_CHECK (pt_view_same_shape (&out, &src), "'src' has another shape than the part it replaces.");
  return pt_move_convert (execution, &out, &src, error);
}

PT_KERNEL (slice_scatter_out)
{
  PtView in, src, out;
  guint dim;
  gint64 start, length, step;

  if (!pt_arg_view (args[0], "self", PT_RHB, &in, error) ||
      !pt_arg_view (args[1], "src", PT_RHB, &src, error) ||
      !pt_arg_slice (args + 2, &in, &dim, &start, &length, &step, error) ||
      !pt_arg_out (args[6], 1u << in.dtype, in.rank, in.sizes, &out, error))
    return FALSE;
  pt_move (execution, &out, &in);
  pt_view_slice (&out, dim, start, length, step);
  PT_CHECK (pt_view_same_shape (&out, &src), "'src' has another shape than the part it replaces.");
  return pt_move_convert (execution, &out, &src, error);
}

static const PtOperator operators[] = {
  { "aten::constant_pad_nd.out", constant_pad_nd_out, 5, 3, 1 },
  { "aten::reflection_pad1d.out", reflection_pad1d_out, 4, 2, 1 },
  { "aten::reflection_pad2d.out", reflection_pad2d_out, 4, 2, 1 },
  { "aten::reflection_pad3d.out", reflection_pad3d_out, 4, 2, 1 },
  { "aten::replication_pad1d.out", replication_pad1d_out, 4, 2, 1 },
  { "aten::replication_pad2d.out", replication_pad2d_out, 4, 2, 1 },
  { "aten::replication_pad3d.out", replication_pad3d_out, 4, 2, 1 },
  { "aten::select_scatter.out", select_scatter_out, 6, 4, 1 },
  { "aten::slice_scatter.out", slice_scatter_out, 8, 6, 1 },
};

const PtOperatorFamily pt_pad_family = { operators, G_N_ELEMENTS (operators) };
