/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/dtypes.h"

G_BEGIN_DECLS

/* Conversion of elements of any dtype to and from the compute types. Strides are in elements. */

/** The dtypes that can be converted; other dtypes can only be copied as bytes. */
#define PT_CONVERTIBLE (PT_RHB | PT_CPX)

/** y[i] = x[i * stride] in the compute type. @dtype must be convertible. */
void pt_load (PtDType dtype, PtCompute compute, gsize n, gconstpointer x, gssize stride,
              gpointer y);

/** y[i * stride] = x[i]. Integers wrap, floats truncate towards integers, nonzero is true. */
void pt_store (PtDType dtype, PtCompute compute, gsize n, gconstpointer x, gpointer y,
               gssize stride);

/**
 * Truncation with a defined result for all values (the smallest integer for those that do not fit).
 */
static inline gint64
pt_truncate (double x)
{
  return x >= -0x1p63 && x < 0x1p63 ? (gint64) x : G_MININT64;
}

/** The value of @x after a conversion to the integer type @dtype. */
gint64 pt_wrap (PtDType dtype, gint64 x);

/** pt_wrap() over an array. */
void pt_wrap_array (PtDType dtype, gsize n, gint64 *x);

G_END_DECLS
