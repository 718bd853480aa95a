/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/dtypes.h"

PtCompute
pt_compute_of (PtDType dtype)
{
  if (dtype == PT_DTYPE_F64)
    return PT_COMPUTE_F64;
  if (pt_dtype_in (dtype, PT_FL))
    return PT_COMPUTE_F32;
  if (pt_dtype_in (dtype, PT_CPX))
    return PT_COMPUTE_C128;
  return PT_COMPUTE_I64;
}

PtDType
pt_compute_dtype (PtCompute compute)
{
  static const PtDType dtypes[PT_N_COMPUTES] = { PT_DTYPE_I64, PT_DTYPE_F32, PT_DTYPE_F64,
                                                 PT_DTYPE_C128 };

  return dtypes[compute];
}

/* The complex dtype whose parts hold @dtype. */
static PtDType
complex_of (PtDType dtype)
{
  switch (dtype) {
  case PT_DTYPE_F16: return PT_DTYPE_C32;
  case PT_DTYPE_F64: return PT_DTYPE_C128;
  case PT_DTYPE_C32:
  case PT_DTYPE_C64:
  case PT_DTYPE_C128: return dtype;
  default: return PT_DTYPE_C64;
  }
}

PtDType
pt_promote (PtDType a, PtDType b)
{
  PtDTypeSet both = 1u << a | 1u << b;

  if (a == b)
    return a;
  if (both & PT_CPX) {
    /* An integer does not widen a complex number. */
    if (pt_dtype_in (b, PT_INTB))
      return a;
    if (pt_dtype_in (a, PT_INTB))
      return b;
    return MAX (complex_of (a), complex_of (b));
  }
  if (both == PT_HALF)
    return PT_DTYPE_F32;
  if ((both & ~PT_FL) == 0)
    return pt_dtype_size (a) > pt_dtype_size (b) ? a : b;
  if (both & PT_FL)
    return pt_dtype_in (a, PT_FL) ? a : b;
  if (both & PT_BIT (BOOL))
    return a == PT_DTYPE_BOOL ? b : a;
  if (both == (PT_BIT (U8) | PT_BIT (I8)))
    return PT_DTYPE_I16;
  return pt_dtype_size (a) > pt_dtype_size (b) ? a : b;
}

gboolean
pt_can_cast (PtDType from, PtDType to)
{
  if (pt_dtype_in (from, PT_CPX) && !pt_dtype_in (to, PT_CPX))
    return FALSE;
  if (pt_dtype_in (from, PT_FL) && pt_dtype_in (to, PT_INTB))
    return FALSE;
  return from == PT_DTYPE_BOOL || to != PT_DTYPE_BOOL;
}
