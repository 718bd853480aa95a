/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/tensor-shape.h"

#include "engine/program/checked.h"
#include "engine/program/program-file.h"

static gboolean
is_permutation (PtFbVec dim_order)
{
  guint seen = 0;

  for (guint i = 0; i < dim_order.count; i++) {
    guint dim = pt_fb_vec_u8 (dim_order, i);

    if (dim >= dim_order.count || (seen & 1u << dim) != 0)
      return FALSE;
    seen |= 1u << dim;
  }
  return TRUE;
}

const char *
pt_shape_check (int dtype, PtFbVec sizes, PtFbVec dim_order, gsize *numel, gsize *nbytes)
{
  gsize count = 1;
  gboolean is_empty = FALSE;

  if (!pt_dtype_is_valid (dtype))
    return "has an unknown element type";
  if (!sizes.present || !dim_order.present)
    return "has no sizes or no dim order";
  if (sizes.count > PT_MAX_RANK)
    return "has more than 16 dimensions";
  if (dim_order.count != sizes.count || !is_permutation (dim_order))
    return "has a dim order that does not order its dimensions";
  for (guint i = 0; i < sizes.count; i++) {
    gint32 n = pt_fb_vec_i32 (sizes, i);

    if (n < 0)
      return "has a negative size";
    is_empty |= n == 0;
    /* Count sizes of 0 as 1 here: strides must not overflow either. */
    if (!pt_mul_size (count, (gsize) MAX (n, 1), &count))
      return "has sizes whose product is too large";
  }
  if (!pt_mul_size (count, pt_dtype_size (dtype), nbytes) || *nbytes > G_MAXSSIZE)
    return "has sizes whose product is too large";
  *numel = is_empty ? 0 : count;
  *nbytes = is_empty ? 0 : *nbytes;
  return NULL;
}

gsize
pt_shape_alignment (int dtype)
{
  /* complex128 consists of two doubles, so it is aligned like a double. */
  return MIN (pt_dtype_size (dtype), sizeof (double));
}
