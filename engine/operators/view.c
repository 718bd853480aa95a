/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/view.h"

#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/operators/convert.h"

static gboolean
check_dtype (const PtTensor *tensor, const char *what, PtDTypeSet dtypes, GError **error)
{
  PT_CHECK (pt_dtype_in (tensor->dtype, dtypes), "'%s' must not be of dtype %s here.", what,
            pt_dtype_name (tensor->dtype));
  return TRUE;
}

static gboolean
view_of_tensor (const PtTensor *tensor, const char *what, PtView *view, GError **error)
{
  view->data = tensor->data;
  view->dtype = tensor->dtype;
  view->rank = tensor->rank;
  view->numel = tensor->numel;
  for (guint i = 0; i < tensor->rank; i++) {
    PT_CHECK (tensor->sizes[i] >= 0 && tensor->sizes[i] <= G_MAXINT32,
              "'%s' has an impossible size.", what);
    view->sizes[i] = tensor->sizes[i];
    view->strides[i] = tensor->strides[i];
  }
  PT_CHECK (tensor->numel == 0 ||
                (guintptr) tensor->data % CLAMP (pt_dtype_size (tensor->dtype), 1, 8) == 0,
            "'%s' lies at an odd address.", what);
  return TRUE;
}

gboolean
pt_arg_view (const PtValue *value, const char *what, PtDTypeSet dtypes, PtView *view,
             GError **error)
{
  PtTensor *tensor = pt_in_tensor (value, what, error);

  return tensor != NULL && check_dtype (tensor, what, dtypes, error) &&
         view_of_tensor (tensor, what, view, error);
}

gboolean
pt_arg_optional_view (const PtValue *value, const char *what, PtDTypeSet dtypes, PtView *view,
                      gboolean *present, GError **error)
{
  *present = !pt_value_is_none (value);
  return !*present || pt_arg_view (value, what, dtypes, view, error);
}

gboolean
pt_arg_out_dtype (const PtValue *value, PtDTypeSet dtypes, PtDType *dtype, GError **error)
{
  PtTensor *tensor = pt_value_tensor (value, "out", error);

  if (tensor == NULL || !check_dtype (tensor, "out", dtypes, error))
    return FALSE;
  *dtype = tensor->dtype;
  return TRUE;
}

gboolean
pt_arg_out (const PtValue *value, PtDTypeSet dtypes, guint rank, const gint64 *sizes, PtView *view,
            GError **error)
{
  PtDType dtype;
  PtTensor *tensor;

  if (!pt_arg_out_dtype (value, dtypes, &dtype, error))
    return FALSE;
  PT_CHECK (rank <= PT_MAX_RANK, "A result would have more than %d dimensions.", PT_MAX_RANK);
  for (guint i = 0; i < rank; i++)
    PT_CHECK (sizes[i] >= 0 && sizes[i] <= G_MAXINT32, "A result would have an impossible size.");
  tensor = pt_out_tensor (value, rank, sizes, error);
  return tensor != NULL && view_of_tensor (tensor, "out", view, error);
}

gboolean
pt_arg_target (const PtValue *value, PtDTypeSet dtypes, PtView *view, GError **error)
{
  PtTensor *tensor = pt_value_tensor (value, "out", error);
  gint64 sizes[PT_MAX_RANK];

  if (tensor == NULL)
    return FALSE;
  memcpy (sizes, tensor->sizes, sizeof sizes);
  return pt_arg_out (value, dtypes, tensor->rank, sizes, view, error);
}

gboolean
pt_arg_out_single (const PtValue *value, PtDTypeSet dtypes, PtView *view, GError **error)
{
  const PtTensor *tensor = pt_value_tensor (value, "out", error);
  const gint64 one = 1;

  return tensor != NULL && pt_arg_out (value, dtypes, MIN (tensor->rank, 1), &one, view, error);
}

gboolean
pt_wrap_dim (gint64 dim, guint rank, guint *out, GError **error)
{
  gint64 n = MAX (rank, 1);

  PT_CHECK (dim >= -n && dim < n, "There is no dimension %" G_GINT64_FORMAT " in a tensor of %u.",
            dim, rank);
  *out = (guint) (dim < 0 ? dim + n : dim);
  return TRUE;
}

gboolean
pt_arg_dim (const PtValue *value, guint rank, guint *dim, GError **error)
{
  gint64 number;

  return pt_value_int (value, "dim", &number, error) && pt_wrap_dim (number, rank, dim, error);
}

gboolean
pt_arg_ints (const PtValue *value, const char *what, gint64 *out, guint max, guint *count,
             GError **error)
{
  if (!pt_value_int_list (value, what, out, max, count, error))
    return FALSE;
  PT_CHECK (*count <= max, "'%s' has %u numbers; at most %u fit.", what, *count, max);
  return TRUE;
}

gboolean
pt_arg_ints_n (const PtValue *value, const char *what, gint64 *out, guint count, GError **error)
{
  guint given;

  if (!pt_arg_ints (value, what, out, count, &given, error))
    return FALSE;
  PT_CHECK (given == count || given == 1, "'%s' has %u numbers instead of %u.", what, given, count);
  for (guint i = given; i < count; i++)
    out[i] = out[0];
  return TRUE;
}

gboolean
pt_arg_sizes (const PtValue *value, gint64 *sizes, guint *rank, GError **error)
{
  if (!pt_arg_ints (value, "size", sizes, PT_MAX_RANK, rank, error))
    return FALSE;
  for (guint i = 0; i < *rank; i++)
    PT_CHECK (sizes[i] >= 0 && sizes[i] <= G_MAXINT32,
              "A tensor cannot have a size of %" G_GINT64_FORMAT ".", sizes[i]);
  return TRUE;
}

gboolean
pt_arg_dims (const PtValue *value, guint rank, guint *mask, guint *count, GError **error)
{
  gint64 dims[PT_MAX_RANK];
  guint n = 0, dim = 0;

  *mask = 0;
  if (!pt_value_is_none (value) && !pt_arg_ints (value, "dim", dims, PT_MAX_RANK, &n, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (!pt_wrap_dim (dims[i], rank, &dim, error))
      return FALSE;
    PT_CHECK ((*mask & 1u << dim) == 0, "Dimension %u is named twice.", dim);
    *mask |= 1u << dim;
  }
  if (count != NULL)
    *count = n;
  return TRUE;
}

gboolean
pt_arg_false (const PtValue *value, const char *what, GError **error)
{
  gboolean flag;

  if (!pt_value_bool (value, what, &flag, error))
    return FALSE;
  PT_CHECK (!flag, "'%s' must be false.", what);
  return TRUE;
}

gboolean
pt_arg_dim_order (const PtValue *value, const PtValue *out_value, GError **error)
{
  PtTensor *out = pt_value_tensor (out_value, "out", error);
  gint64 order[PT_MAX_RANK];
  guint n;

  if (out == NULL)
    return FALSE;
  if (pt_value_is_none (value))
    return TRUE;
  if (!pt_arg_ints (value, "dim_order", order, PT_MAX_RANK, &n, error))
    return FALSE;
  PT_CHECK (n == out->rank, "'dim_order' does not fit a tensor of %u dimensions.", out->rank);
  for (guint i = 0; i < n; i++)
    PT_CHECK (order[i] == out->dim_order[i], "'dim_order' is not the order of the result.");
  return TRUE;
}

gboolean
pt_arg_slice (PtValue *const *args, const PtView *view, guint *dim, gint64 *start, gint64 *length,
              gint64 *step, GError **error)
{
  gint64 n, end;

  if (!pt_arg_dim (args[0], view->rank, dim, error))
    return FALSE;
  PT_CHECK (view->rank > 0, "A tensor without dimensions cannot be sliced.");
  n = view->sizes[*dim];
  if (!pt_value_optional_int (args[1], "start", 0, start, error) ||
      !pt_value_optional_int (args[2], "end", n, &end, error) ||
      !pt_value_int (args[3], "step", step, error))
    return FALSE;
  PT_CHECK (*step > 0, "The step of a slice must be positive.");
  *start = CLAMP (*start < 0 ? *start + n : *start, 0, n);
  end = CLAMP (end < 0 ? end + n : end, 0, n);
  *length = end > *start ? (end - *start - 1) / *step + 1 : 0;
  return TRUE;
}

gboolean
pt_arg_string_is (const PtValue *value, const char *text)
{
  gsize length = strlen (text);

  return value->kind == PT_VALUE_STRING && value->as_string.length == length &&
         memcmp (value->as_string.data, text, length) == 0;
}

gboolean
pt_arg_memory_format (const PtValue *value, GError **error)
{
  gint64 format;

  if (!pt_value_optional_int (value, "memory_format", 0, &format, error))
    return FALSE;
  PT_CHECK (format == 0 || format == 1, "This memory format is not supported here.");
  return TRUE;
}

gboolean
pt_arg_scalar (const PtValue *value, const char *what, PtScalar *scalar, GError **error)
{
  scalar->kind = value->kind;
  switch (value->kind) {
  case PT_VALUE_INT:
    scalar->i = value->as_int;
    scalar->d = (double) value->as_int;
    return TRUE;
  case PT_VALUE_BOOL:
    scalar->i = value->as_bool != 0;
    scalar->d = (double) scalar->i;
    return TRUE;
  case PT_VALUE_DOUBLE:
    scalar->d = value->as_double;
    scalar->i = pt_truncate (scalar->d);
    return TRUE;
  default:
    return pt_fail (error, PT_ERROR_TYPE, "'%s' must be a number, not a value of kind %s.", what,
                    pt_value_kind_name (value->kind));
  }
}

PtDType
pt_promote_scalar (PtDType dtype, const PtScalar *scalar)
{
  if (scalar->kind == PT_VALUE_DOUBLE && pt_dtype_in (dtype, PT_INTB))
    return PT_DTYPE_F32;
  if (scalar->kind == PT_VALUE_INT && dtype == PT_DTYPE_BOOL)
    return PT_DTYPE_I64;
  return dtype;
}

gboolean
pt_scalar_fits (const PtScalar *scalar, PtDType dtype)
{
  gint64 min, max;

  switch (dtype) {
  case PT_DTYPE_U8: min = 0, max = G_MAXUINT8; break;
  case PT_DTYPE_I8: min = G_MININT8, max = G_MAXINT8; break;
  case PT_DTYPE_I16: min = G_MININT16, max = G_MAXINT16; break;
  case PT_DTYPE_I32: min = G_MININT32, max = G_MAXINT32; break;
  case PT_DTYPE_I64: return scalar->kind != PT_VALUE_DOUBLE;
  case PT_DTYPE_F16: return !isfinite (scalar->d) || fabs (scalar->d) <= 65504.0;
  case PT_DTYPE_BF16: return !isfinite (scalar->d) || fabs (scalar->d) <= 0x1.fep127;
  case PT_DTYPE_F32: return !isfinite (scalar->d) || fabs (scalar->d) <= 0x1.fffffep127;
  default: return TRUE;
  }
  return scalar->kind != PT_VALUE_DOUBLE && scalar->i >= min && scalar->i <= max;
}

void
pt_view_init (PtView *view, PtDType dtype, guint rank, const gint64 *sizes, gpointer bytes)
{
  gsize stride = 1;

  view->data = bytes;
  view->dtype = dtype;
  view->rank = rank;
  view->numel = 1;
  for (guint i = rank; i-- > 0;) {
    view->sizes[i] = sizes[i];
    view->strides[i] = (gint64) stride;
    view->numel *= (gsize) sizes[i];
    stride *= (gsize) MAX (sizes[i], 1);
  }
}

gboolean
pt_view_is_contiguous (const PtView *view)
{
  gint64 stride = 1;

  if (view->numel == 0)
    return TRUE;
  for (guint i = view->rank; i-- > 0;) {
    if (view->sizes[i] != 1 && view->strides[i] != stride)
      return FALSE;
    stride *= view->sizes[i];
  }
  return TRUE;
}

gboolean
pt_view_same_shape (const PtView *a, const PtView *b)
{
  return a->rank == b->rank && memcmp (a->sizes, b->sizes, a->rank * sizeof a->sizes[0]) == 0;
}

gsize
pt_view_count (const PtView *view, guint begin, guint end)
{
  gsize n = 1;

  for (guint i = begin; i < end; i++)
    n *= (gsize) view->sizes[i];
  return n;
}

void
pt_view_set_size (PtView *view, guint dim, gint64 size)
{
  view->sizes[dim] = size;
  view->numel = pt_view_count (view, 0, view->rank);
}

void
pt_view_slice (PtView *view, guint dim, gint64 start, gint64 length, gint64 step)
{
  if (view->numel > 0 && length > 0)
    view->data = pt_view_at (view, start * view->strides[dim]);
  /* A step larger than the dimension leaves one element, whose stride is never used. */
  view->strides[dim] = length > 1 ? view->strides[dim] * step : view->strides[dim];
  pt_view_set_size (view, dim, length);
}

void
pt_view_select (PtView *view, guint dim, gint64 index)
{
  if (view->numel > 0)
    view->data = pt_view_at (view, index * view->strides[dim]);
  view->rank--;
  for (guint i = dim; i < view->rank; i++) {
    view->sizes[i] = view->sizes[i + 1];
    view->strides[i] = view->strides[i + 1];
  }
  view->numel = pt_view_count (view, 0, view->rank);
}

void
pt_view_permute (PtView *view, const guint *order)
{
  PtView old = *view;

  for (guint i = 0; i < view->rank; i++) {
    view->sizes[i] = old.sizes[order[i]];
    view->strides[i] = old.strides[order[i]];
  }
}

void
pt_view_insert (PtView *view, guint dim, gint64 size, gint64 stride)
{
  for (guint i = view->rank; i > dim; i--) {
    view->sizes[i] = view->sizes[i - 1];
    view->strides[i] = view->strides[i - 1];
  }
  view->rank++;
  view->strides[dim] = stride;
  pt_view_set_size (view, dim, size);
}

void
pt_view_at_least_1d (PtView *view)
{
  if (view->rank == 0)
    pt_view_insert (view, 0, 1, 1);
}

void
pt_scalar_put (const PtScalar *scalar, PtDType dtype, gpointer bytes)
{
  if (pt_dtype_in (dtype, PT_CPX))
    pt_store (dtype, PT_COMPUTE_C128, 1, &(PtComplex){ scalar->d, 0.0 }, bytes, 1);
  else if (pt_dtype_in (dtype, PT_INT) || scalar->kind != PT_VALUE_DOUBLE)
    pt_store (dtype, PT_COMPUTE_I64, 1, &scalar->i, bytes, 1);
  else
    pt_store (dtype, PT_COMPUTE_F64, 1, &scalar->d, bytes, 1);
}

void
pt_scalar_view (const PtScalar *scalar, PtDType common, PtScalarBytes *bytes, PtView *view)
{
  /* Halves compute in float, so their numbers keep the precision of float. */
  PtDType dtype = pt_dtype_in (common, PT_HALF) ? PT_DTYPE_F32 : common;

  pt_scalar_put (scalar, dtype, bytes);
  pt_view_init (view, dtype, 0, NULL, bytes);
}

gboolean
pt_broadcasts_to (const PtView *view, guint rank, const gint64 *sizes)
{
  if (view->rank > rank)
    return FALSE;
  for (guint i = 0; i < view->rank; i++) {
    gint64 size = sizes[rank - view->rank + i];

    if (view->sizes[i] != 1 && view->sizes[i] != size)
      return FALSE;
  }
  return TRUE;
}

gboolean
pt_broadcast (guint n, const PtView *views, guint *rank, gint64 *sizes, GError **error)
{
  *rank = 0;
  for (guint k = 0; k < n; k++)
    *rank = MAX (*rank, views[k].rank);
  for (guint i = 0; i < *rank; i++)
    sizes[i] = 1;
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < views[k].rank; i++) {
      gint64 *size = &sizes[*rank - views[k].rank + i];

      if (*size == 1)
        *size = views[k].sizes[i];
      PT_CHECK (views[k].sizes[i] == 1 || views[k].sizes[i] == *size,
                "Tensors whose sizes are %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                " in one dimension do not fit together.",
                *size, views[k].sizes[i]);
    }
  return TRUE;
}
