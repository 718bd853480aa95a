/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/dtype.h"

G_BEGIN_DECLS

/*
 * Sets of dtypes, type promotion and compute types (docs/formats/operators.md, section 2).
 */

#define PT_BIT(d) (1u << PT_DTYPE_##d)

/** A set of dtypes: bit number = PtDType. */
typedef guint32 PtDTypeSet;

#define PT_INT (PT_BIT (U8) | PT_BIT (I8) | PT_BIT (I16) | PT_BIT (I32) | PT_BIT (I64))
#define PT_INTB (PT_INT | PT_BIT (BOOL))
#define PT_HALF (PT_BIT (F16) | PT_BIT (BF16))
#define PT_FL (PT_BIT (F32) | PT_BIT (F64) | PT_HALF)
#define PT_RH (PT_INT | PT_FL)
#define PT_RHB (PT_RH | PT_BIT (BOOL))
#define PT_CPX (PT_BIT (C32) | PT_BIT (C64) | PT_BIT (C128))
#define PT_ANY G_MAXUINT32

static inline gboolean
pt_dtype_in (PtDType dtype, PtDTypeSet set)
{
  return (set >> dtype & 1) != 0;
}

/**
 * The four types that loops are written for. Blocks of every dtype are converted to one of them and
 * back: halves compute in float, integers in 64 bits (they wrap when they are stored), complex
 * numbers in double.
 */
typedef enum {
  PT_COMPUTE_I64,
  PT_COMPUTE_F32,
  PT_COMPUTE_F64,
  PT_COMPUTE_C128,
  PT_N_COMPUTES
} PtCompute;

typedef struct {
  double re, im;
} PtComplex;

PtCompute pt_compute_of (PtDType dtype);

/** The dtype whose elements have the same format as @compute. */
PtDType pt_compute_dtype (PtCompute compute);

/** The common dtype of two tensors. */
PtDType pt_promote (PtDType a, PtDType b);

/**
 * Whether a cast is allowed: FALSE for complex to real, float to integer, and anything but bool to
 * bool.
 */
gboolean pt_can_cast (PtDType from, PtDType to);

G_END_DECLS
