/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtDType: element types, by the numbers of the file format
 * (docs/formats/program.md, section 5). 0..29 are valid.
 */
typedef enum {
  PT_DTYPE_U8 = 0,
  PT_DTYPE_I8 = 1,
  PT_DTYPE_I16 = 2,
  PT_DTYPE_I32 = 3,
  PT_DTYPE_I64 = 4,
  PT_DTYPE_F16 = 5,
  PT_DTYPE_F32 = 6,
  PT_DTYPE_F64 = 7,
  PT_DTYPE_C32 = 8,   /* complex of two f16 */
  PT_DTYPE_C64 = 9,   /* complex of two f32 */
  PT_DTYPE_C128 = 10, /* complex of two f64 */
  PT_DTYPE_BOOL = 11,
  PT_DTYPE_QI8 = 12,
  PT_DTYPE_QU8 = 13,
  PT_DTYPE_QI32 = 14,
  PT_DTYPE_BF16 = 15,
  PT_DTYPE_U16 = 27,
  PT_DTYPE_U32 = 28,
  PT_DTYPE_U64 = 29,
  PT_N_DTYPES = 30
} PtDType;

/** Bytes of one element; 0 when @dtype is not valid. */
gsize pt_dtype_size (int dtype);

/** "float32", "int64", "bfloat16", ...; NULL when @dtype is not valid. */
const char *pt_dtype_name (int dtype);

/** The inverse of pt_dtype_name(), -1 when unknown. */
int pt_dtype_from_name (const char *name);

static inline gboolean
pt_dtype_is_valid (int dtype)
{
  return dtype >= 0 && dtype < PT_N_DTYPES;
}

G_END_DECLS
