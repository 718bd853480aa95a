/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining and splitting tensors (docs/formats/operators.md, section 14.3). */
#include "engine/base/set-error.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

static gboolean
check_list (const PtValue *value, const char *what, GError **error)
{
  if (value->kind != PT_VALUE_TENSOR_LIST)
    return pt_fail (error, PT_ERROR_TYPE, "'%s' must be a list of tensors.", what);
  for (guint i = 0; i < value->as_values.count; i++)
    if (value->as_values.items[i] == NULL)
      return pt_fail (error, PT_ERROR_TYPE, "'%s' must not contain None.", what);
  return TRUE;
}

static gboolean
can_join (PtDType from, PtDType to, GError **error)
{
  PT_CHECK (from == to ||
                (pt_dtype_in (from, PT_RHB) && pt_dtype_in (to, PT_RHB) && pt_can_cast (from, to)),
            "A tensor of dtype %s cannot be part of one of dtype %s.", pt_dtype_name (from),
            pt_dtype_name (to));
  return TRUE;
}

static inline gboolean
is_legacy_empty (const PtView *view)
{
  return view->rank == 1 && view->numel == 0;
}

/* Computes the shape of the result of cat. Empty tensors of rank 1 are ignored. */
static gboolean
cat_shape (const PtValue *list, const PtValue *dim_value, PtDType dtype, guint *dim, PtView *shape,
           GError **error)
{
  gint64 total = 0;
  gboolean found = FALSE;

  for (guint i = 0; i < list->as_values.count; i++) {
    PtView view;

    if (!pt_arg_view (list->as_values.items[i], "tensors", PT_ANY, &view, error) ||
        !can_join (view.dtype, dtype, error))
      return FALSE;
    if (i == 0)
      *shape = view;
    if (is_legacy_empty (&view))
      continue;
    if (!found) {
      *shape = view;
      PT_CHECK (view.rank > 0, "Numbers cannot be joined by cat.");
      if (!pt_arg_dim (dim_value, view.rank, dim, error))
        return FALSE;
    }
    PT_CHECK (view.rank == shape->rank, "Tensors to join must have equally many dimensions.");
    for (guint d = 0; d < view.rank; d++)
      PT_CHECK (d == *dim || view.sizes[d] == shape->sizes[d],
                "Tensors to join must be equal in size but for one dimension.");
    found = TRUE;
    total += view.sizes[*dim];
  }
  if (!found && !pt_arg_dim (dim_value, shape->rank, dim, error))
    return FALSE;
  pt_view_set_size (shape, *dim, total);
  return TRUE;
}

/*
 * The inputs are read for the shape, and again for the copy. Only the resize of the result may
 * change them in between, so each part is checked again.
 */
PT_KERNEL (cat_out)
{
  const PtValue *list = args[0];
  PtView out, shape;
  PtDType dtype;
  guint dim;
  gint64 at = 0;

  if (!check_list (list, "tensors", error) || !pt_arg_out_dtype (args[2], PT_ANY, &dtype, error))
    return FALSE;
  PT_CHECK (list->as_values.count > 0, "cat needs a tensor.");
  if (!cat_shape (list, args[1], dtype, &dim, &shape, error) ||
      !pt_arg_out (args[2], PT_ANY, shape.rank, shape.sizes, &out, error))
    return FALSE;
  for (guint i = 0; i < list->as_values.count; i++) {
    PtView view, part = out;

    if (!pt_arg_view (list->as_values.items[i], "tensors", PT_ANY, &view, error))
      return FALSE;
    if (view.numel == 0)
      continue;
    PT_CHECK (view.rank == out.rank && view.sizes[dim] <= out.sizes[dim] - at,
              "A tensor to join changed its shape.");
    pt_view_slice (&part, dim, at, view.sizes[dim], 1);
    PT_CHECK (pt_view_same_shape (&part, &view), "A tensor to join changed its shape.");
    if (!pt_move_convert (execution, &part, &view, error))
      return FALSE;
    at += view.sizes[dim];
  }
  return TRUE;
}

PT_KERNEL (stack_out)
{
  const PtValue *list = args[0];
  PtView out, shape, view;
  PtDType dtype;
  guint dim;

  if (!check_list (list, "tensors", error) || !pt_arg_out_dtype (args[2], PT_ANY, &dtype, error))
    return FALSE;
  PT_CHECK (list->as_values.count > 0, "stack needs a tensor.");
  if (!pt_arg_view (list->as_values.items[0], "tensors", PT_ANY, &shape, error))
    return FALSE;
  PT_CHECK (shape.rank < PT_MAX_RANK, "A result would have too many dimensions.");
  if (!pt_arg_dim (args[1], shape.rank + 1, &dim, error))
    return FALSE;
  pt_view_insert (&shape, dim, list->as_values.count, 1);
  if (!pt_arg_out (args[2], PT_ANY, shape.rank, shape.sizes, &out, error))
    return FALSE;
  for (guint i = 0; i < list->as_values.count; i++) {
    PtView part = out;

    pt_view_select (&part, dim, i);
    if (!pt_arg_view (list->as_values.items[i], "tensors", PT_ANY, &view, error) ||
        !can_join (view.dtype, dtype, error))
      return FALSE;
    PT_CHECK (pt_view_same_shape (&part, &view), "Tensors to stack must have equal shapes.");
    if (!pt_move_convert (execution, &part, &view, error))
      return FALSE;
  }
  return TRUE;
}

/* Copies elements [@at, @at + @length) of @in along @dim to one output of a list. */
static gboolean
put_part (PtExecution *execution, const PtView *in, guint dim, gint64 at, gint64 length,
          gboolean resize, const PtValue *out_value, GError **error)
{
  PtView part = *in, out;
  PtDTypeSet dtypes = PT_RHB | 1u << in->dtype;

  pt_view_slice (&part, dim, at, length, 1);
  if (resize ? !pt_arg_out (out_value, dtypes, part.rank, part.sizes, &out, error)
             : !pt_arg_target (out_value, dtypes, &out, error))
    return FALSE;
  PT_CHECK (pt_view_same_shape (&part, &out), "A part has another shape than its output.");
  return pt_move_convert (execution, &out, &part, error);
}

PT_KERNEL (split_copy_out)
{
  const PtValue *list = args[3];
  PtView in;
  guint dim;
  gint64 size, n, count;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_value_int (args[1], "split_size", &size, error) ||
      !pt_arg_dim (args[2], in.rank, &dim, error) || !check_list (list, "out", error))
    return FALSE;
  PT_CHECK (in.rank > 0, "A number cannot be split.");
  n = in.sizes[dim];
  PT_CHECK (size > 0 || (size == 0 && n == 0), "The parts of a split must not be empty.");
  count = size == 0 || n == 0 ? 1 : (n - 1) / size + 1;
  PT_CHECK (count == list->as_values.count, "split makes %" G_GINT64_FORMAT " tensors, not %u.",
            count, list->as_values.count);
  for (gint64 i = 0; i < count; i++)
    if (!put_part (execution, &in, dim, i * size, MIN (size, n - i * size), FALSE,
                   list->as_values.items[i], error))
      return FALSE;
  return TRUE;
}

PT_KERNEL (split_with_sizes_copy_out)
{
  const PtValue *list = args[3], *sizes = args[1];
  PtView in;
  guint dim;
  gint64 at = 0;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_dim (args[2], in.rank, &dim, error) || !check_list (list, "out", error))
    return FALSE;
  PT_CHECK (in.rank > 0, "A number cannot be split.");
  if (sizes->kind != PT_VALUE_INT_LIST)
    return pt_fail (error, PT_ERROR_TYPE, "'split_sizes' must be a list of integers.");
  PT_CHECK (sizes->as_values.count == list->as_values.count,
            "split_with_sizes makes %u tensors, not %u.", sizes->as_values.count,
            list->as_values.count);
  for (guint i = 0; i < sizes->as_values.count; i++) {
    gint64 size;

    if (!pt_value_int (sizes->as_values.items[i], "split_sizes", &size, error))
      return FALSE;
    PT_CHECK (size >= 0 && size <= in.sizes[dim] - at, "The sizes of a split do not fit.");
    if (!put_part (execution, &in, dim, at, size, TRUE, list->as_values.items[i], error))
      return FALSE;
    at += size;
  }
  PT_CHECK (at == in.sizes[dim], "The sizes of a split do not cover the tensor.");
  return TRUE;
}

PT_KERNEL (unbind_copy_out)
{
  const PtValue *list = args[2];
  PtView in;
  guint dim;

  if (!pt_arg_view (args[0], "self", PT_ANY, &in, error) ||
      !pt_arg_dim (args[1], in.rank, &dim, error) || !check_list (list, "out", error))
    return FALSE;
  PT_CHECK (in.rank > 0 && list->as_values.count == in.sizes[dim],
            "unbind makes one tensor for each index.");
  for (guint i = 0; i < list->as_values.count; i++) {
    PtView part = in, out;

    pt_view_select (&part, dim, i);
    if (!pt_arg_target (list->as_values.items[i], PT_RHB | 1u << in.dtype, &out, error))
      return FALSE;
    PT_CHECK (pt_view_same_shape (&part, &out), "A part has another shape than its output.");
    if (!pt_move_convert (execution, &out, &part, error))
      return FALSE;
  }
  return TRUE;
}

static const PtOperator operators[] = {
  { "aten::cat.out", cat_out, 4, 2, 1 },
  { "aten::stack.out", stack_out, 4, 2, 1 },
  { "aten::split_copy.Tensor_out", split_copy_out, 5, 3, 1 },
  { "aten::split_with_sizes_copy.out", split_with_sizes_copy_out, 5, 3, 1 },
  { "aten::unbind_copy.int_out", unbind_copy_out, 4, 2, 1 },
};

const PtOperatorFamily pt_join_family = { operators, G_N_ELEMENTS (operators) };
