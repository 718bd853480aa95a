/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/tensor.h"

#include <stdatomic.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"

/* Dense strides that follow from sizes and dim_order (docs/formats/program.md, section 10.2). */
static void
compute_strides (PtTensor *tensor)
{
  gint64 stride = 1;
  guint i;

  for (i = tensor->rank; i-- > 0;) {
    guint dim = tensor->dim_order[i];

    tensor->strides[dim] = stride;
    stride *= MAX (tensor->sizes[dim], 1);
  }
}

/* Counts the elements of @sizes; FALSE when a size is negative or the byte size would wrap. */
static gboolean
count_elements (PtDType dtype, guint rank, const gint64 *sizes, gsize *numel)
{
  gsize extent = pt_dtype_size (dtype); /* counts sizes of 0 as 1: strides must not wrap either */
  gsize count = 1;
  guint i;

  for (i = 0; i < rank; i++) {
    if (sizes[i] < 0 || !pt_mul_size (extent, (gsize) MAX (sizes[i], 1), &extent))
      return FALSE;
    count *= (gsize) sizes[i];
  }
  if (extent > G_MAXSSIZE)
    return FALSE;
  *numel = count;
  return TRUE;
}

static gboolean
is_permutation (guint rank, const guint8 *order)
{
  guint32 seen = 0;
  guint i;

  for (i = 0; i < rank; i++) {
    if (order[i] >= rank)
      return FALSE;
    seen |= 1u << order[i];
  }
  return seen == (1u << rank) - 1;
}

gboolean
pt_tensor_init (PtTensor *tensor, PtDType dtype, guint rank, const gint64 *sizes,
                const guint8 *dim_order, gpointer data, GError **error)
{
  guint i;

  memset (tensor, 0, sizeof *tensor);
  if (!pt_dtype_is_valid (dtype))
    return pt_fail (error, PT_ERROR_ARGUMENT, "%d is not an element type.", (int) dtype);
  if (rank > PT_MAX_RANK)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "A tensor has %u dimensions; at most %d are possible.", rank, PT_MAX_RANK);
  if (!count_elements (dtype, rank, sizes, &tensor->numel))
    return pt_fail (error, PT_ERROR_ARGUMENT, "The sizes of a tensor are negative or too large.");
  if (dim_order != NULL && !is_permutation (rank, dim_order))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The dimension order of a tensor is not a permutation.");

  tensor->dtype = dtype;
  tensor->dynamism = PT_DYNAMISM_STATIC;
  tensor->rank = (guint8) rank;
  for (i = 0; i < rank; i++) {
    tensor->sizes[i] = sizes[i];
    tensor->dim_order[i] = dim_order != NULL ? dim_order[i] : (guint8) i;
  }
  tensor->max_numel = tensor->numel;
  tensor->data = data;
  tensor->capacity = data != NULL ? pt_tensor_nbytes (tensor) : 0;
  compute_strides (tensor);
  return TRUE;
}

guint64
pt_tensor_new_version (void)
{
  static _Atomic guint64 last;

  return atomic_fetch_add (&last, 1) + 1;
}

static gboolean
same_sizes (const PtTensor *tensor, guint rank, const gint64 *sizes)
{
  guint i;

  if (tensor->rank != rank)
    return FALSE;
  for (i = 0; i < rank; i++)
    if (tensor->sizes[i] != sizes[i])
      return FALSE;
  return TRUE;
}

static void
append_sizes (GString *text, guint rank, const gint64 *sizes)
{
  guint i;

  g_string_append_c (text, '[');
  for (i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", sizes[i]);
  g_string_append_c (text, ']');
}

static gboolean
fail_resize (const PtTensor *tensor, guint rank, const gint64 *sizes, GError **error)
{
  g_autoptr (GString) want = g_string_new (NULL);
  char have[160];

  append_sizes (want, MIN (rank, PT_MAX_RANK), sizes);
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "A %s tensor %s cannot take the shape %s (ExecuTorch error 0x10).",
                  tensor->dynamism == PT_DYNAMISM_STATIC ? "static" : "bounded",
                  pt_tensor_describe (tensor, have, sizeof have), want->str);
}

gboolean
pt_tensor_resize (PtTensor *tensor, guint rank, const gint64 *sizes, GError **error)
{
  gsize numel;
  guint i;

  if (same_sizes (tensor, rank, sizes))
    return TRUE;
  if (tensor->rank != rank || tensor->dynamism == PT_DYNAMISM_STATIC ||
      !count_elements (tensor->dtype, rank, sizes, &numel) || numel > tensor->max_numel)
    return fail_resize (tensor, rank, sizes, error);

  for (i = 0; i < rank; i++)
    tensor->sizes[i] = sizes[i];
  tensor->numel = numel;
  compute_strides (tensor);
  return TRUE;
}

/* TRUE when the dimensions larger than 1 lie in memory in the order @order. */
static gboolean
has_order (const PtTensor *tensor, const guint8 *order)
{
  gint64 stride = 1;
  guint i;

  for (i = tensor->rank; i-- > 0;) {
    guint dim = order[i];

    if (tensor->sizes[dim] > 1 && tensor->strides[dim] != stride)
      return FALSE;
    stride *= MAX (tensor->sizes[dim], 1);
  }
  return TRUE;
}

gboolean
pt_tensor_is_contiguous (const PtTensor *tensor)
{
  static const guint8 order[PT_MAX_RANK] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

  return has_order (tensor, order);
}

gboolean
pt_tensor_is_channels_last (const PtTensor *tensor)
{
  static const guint8 order_2d[] = { 0, 2, 3, 1 };
  static const guint8 order_3d[] = { 0, 2, 3, 4, 1 };

  if (tensor->rank == 4)
    return has_order (tensor, order_2d);
  return tensor->rank == 5 && has_order (tensor, order_3d);
}

gboolean
pt_tensor_same_shape (const PtTensor *a, const PtTensor *b)
{
  return same_sizes (a, b->rank, b->sizes);
}

void
pt_tensor_copy_elements (PtTensor *to, const PtTensor *from)
{
  gsize item = pt_dtype_size (from->dtype);
  gint64 index[PT_MAX_RANK] = { 0 };
  gsize i, at_from = 0, at_to = 0;
  guint dim;

  g_return_if_fail (to->dtype == from->dtype && pt_tensor_same_shape (to, from));
  if (memcmp (to->strides, from->strides, from->rank * sizeof (gint64)) == 0) {
    if (from->numel > 0)
      memcpy (to->data, from->data, pt_tensor_nbytes (from));
    return;
  }
  for (i = 0; i < from->numel; i++) {
    memcpy ((guint8 *) to->data + at_to * item, (const guint8 *) from->data + at_from * item, item);
    for (dim = from->rank; dim-- > 0;) {
      at_to += (gsize) to->strides[dim];
      at_from += (gsize) from->strides[dim];
      if (++index[dim] < from->sizes[dim])
        break;
      at_to -= (gsize) (to->strides[dim] * from->sizes[dim]);
      at_from -= (gsize) (from->strides[dim] * from->sizes[dim]);
      index[dim] = 0;
    }
  }
}

const char *
pt_tensor_describe (const PtTensor *tensor, char *buffer, gsize size)
{
  const char *name = pt_dtype_name (tensor->dtype);
  g_autoptr (GString) text = g_string_new (name != NULL ? name : "invalid");

  g_string_append_c (text, ' ');
  append_sizes (text, tensor->rank, tensor->sizes);
  g_strlcpy (buffer, text->str, size);
  return buffer;
}
