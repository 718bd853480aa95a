/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/convert.h"

#include <string.h>

#include "engine/kernels/vector.h"

typedef void (*LoadFunc) (gsize n, gconstpointer x, gssize stride, gpointer y);
typedef void (*StoreFunc) (gsize n, gconstpointer x, gpointer y, gssize stride);

/* Each entry: dtype, type in memory, expression that reads a value from memory. */
#define FOR_REAL_DTYPES(X, C)        \
  X (U8, guint8, AS_IS, C)           \
  X (I8, gint8, AS_IS, C)            \
  X (I16, gint16, AS_IS, C)          \
  X (I32, gint32, AS_IS, C)          \
  X (I64, gint64, AS_IS, C)          \
  X (F16, guint16, pt_f16_to_f32, C) \
  X (F32, float, AS_IS, C)           \
  X (F64, double, AS_IS, C)          \
  X (BOOL, guint8, IS_TRUE, C)       \
  X (BF16, guint16, pt_bf16_to_f32, C)

#define AS_IS(v) (v)
#define IS_TRUE(v) ((gint64) ((v) != 0))

static inline gint64
widen (gint64 x)
{
  return x;
}

#define TO_I64(v) _Generic((v), float : pt_truncate, double : pt_truncate, default : widen) (v)
#define TO_F32(v) ((float) (v))
#define TO_F64(v) ((double) (v))

/* Converts a value of a compute type to its form in memory. */
#define PUT_U8(v) ((guint8) TO_I64 (v))
#define PUT_I8(v) ((gint8) TO_I64 (v))
#define PUT_I16(v) ((gint16) TO_I64 (v))
#define PUT_I32(v) ((gint32) TO_I64 (v))
#define PUT_I64(v) TO_I64 (v)
#define PUT_F16(v) pt_f32_to_f16 ((float) (v))
#define PUT_F32(v) ((float) (v))
#define PUT_F64(v) ((double) (v))
#define PUT_BOOL(v) ((guint8) ((v) != 0))
#define PUT_BF16(v) pt_f32_to_bf16 ((float) (v))

#define DEFINE_LOAD(D, S, GET, C)                                                  \
  static void load_##D##_##C (gsize n, gconstpointer x, gssize stride, gpointer y) \
  {                                                                                \
    const S *s = x;                                                                \
    T_##C *t = y;                                                                  \
                                                                                   \
    if (stride == 1)                                                               \
      for (gsize i = 0; i < n; i++)                                                \
        t[i] = TO_##C (GET (s[i]));                                                \
    else                                                                           \
      for (gsize i = 0; i < n; i++, s += stride)                                   \
        t[i] = TO_##C (GET (*s));                                                  \
  }

#define DEFINE_STORE(D, S, GET, C)                                                  \
  static void store_##D##_##C (gsize n, gconstpointer x, gpointer y, gssize stride) \
  {                                                                                 \
    const T_##C *s = x;                                                             \
    S *t = y;                                                                       \
                                                                                    \
    if (stride == 1)                                                                \
      for (gsize i = 0; i < n; i++)                                                 \
        t[i] = PUT_##D (s[i]);                                                      \
    else                                                                            \
      for (gsize i = 0; i < n; i++, t += stride)                                    \
        *t = PUT_##D (s[i]);                                                        \
  }

#define DEFINE_LOAD_REAL_AS_COMPLEX(D, S, GET, C)                                   \
  static void load_##D##_C128 (gsize n, gconstpointer x, gssize stride, gpointer y) \
  {                                                                                 \
    const S *s = x;                                                                 \
    PtComplex *t = y;                                                               \
                                                                                    \
    for (gsize i = 0; i < n; i++, s += stride)                                      \
      t[i] = (PtComplex){ (double) GET (*s), 0.0 };                                 \
  }

#define DEFINE_STORE_REAL_PART(D, S, GET, C)                                         \
  static void store_##D##_C128 (gsize n, gconstpointer x, gpointer y, gssize stride) \
  {                                                                                  \
    const PtComplex *s = x;                                                          \
    S *t = y;                                                                        \
                                                                                     \
    for (gsize i = 0; i < n; i++, t += stride)                                       \
      *t = PUT_##D (s[i].re);                                                        \
  }

#define DEFINE_COMPLEX(D, S, GET, PUT)                                               \
  static void load_##D##_C128 (gsize n, gconstpointer x, gssize stride, gpointer y)  \
  {                                                                                  \
    const S *s = x;                                                                  \
    PtComplex *t = y;                                                                \
                                                                                     \
    for (gsize i = 0; i < n; i++, s += 2 * stride)                                   \
      t[i] = (PtComplex){ (double) GET (s[0]), (double) GET (s[1]) };                \
  }                                                                                  \
                                                                                     \
  static void store_##D##_C128 (gsize n, gconstpointer x, gpointer y, gssize stride) \
  {                                                                                  \
    const PtComplex *s = x;                                                          \
    S *t = y;                                                                        \
                                                                                     \
    for (gsize i = 0; i < n; i++, t += 2 * stride) {                                 \
      t[0] = PUT (s[i].re);                                                          \
      t[1] = PUT (s[i].im);                                                          \
    }                                                                                \
  }

#define T_I64 gint64
#define T_F32 float
#define T_F64 double

/* clang-format off */
FOR_REAL_DTYPES (DEFINE_LOAD, I64)
FOR_REAL_DTYPES (DEFINE_LOAD, F32)
FOR_REAL_DTYPES (DEFINE_LOAD, F64)
FOR_REAL_DTYPES (DEFINE_LOAD_REAL_AS_COMPLEX, C128)
FOR_REAL_DTYPES (DEFINE_STORE, I64)
FOR_REAL_DTYPES (DEFINE_STORE, F32)
FOR_REAL_DTYPES (DEFINE_STORE, F64)
FOR_REAL_DTYPES (DEFINE_STORE_REAL_PART, C128)
DEFINE_COMPLEX (C32, guint16, pt_f16_to_f32, PUT_F16)
DEFINE_COMPLEX (C64, float, AS_IS, PUT_F32)
DEFINE_COMPLEX (C128, double, AS_IS, PUT_F64)

#define LOAD_ENTRY(D, S, GET, C) [PT_DTYPE_##D][PT_COMPUTE_##C] = load_##D##_##C,
#define STORE_ENTRY(D, S, GET, C) [PT_DTYPE_##D][PT_COMPUTE_##C] = store_##D##_##C,

static const LoadFunc loads[PT_N_DTYPES][PT_N_COMPUTES] = {
  FOR_REAL_DTYPES (LOAD_ENTRY, I64)
  FOR_REAL_DTYPES (LOAD_ENTRY, F32)
  FOR_REAL_DTYPES (LOAD_ENTRY, F64)
  FOR_REAL_DTYPES (LOAD_ENTRY, C128)
  LOAD_ENTRY (C32, , , C128)
  LOAD_ENTRY (C64, , , C128)
  LOAD_ENTRY (C128, , , C128)
};

static const StoreFunc stores[PT_N_DTYPES][PT_N_COMPUTES] = {
  FOR_REAL_DTYPES (STORE_ENTRY, I64)
  FOR_REAL_DTYPES (STORE_ENTRY, F32)
  FOR_REAL_DTYPES (STORE_ENTRY, F64)
  FOR_REAL_DTYPES (STORE_ENTRY, C128)
  STORE_ENTRY (C32, , , C128)
  STORE_ENTRY (C64, , , C128)
  STORE_ENTRY (C128, , , C128)
};
/* clang-format on */

void
pt_load (PtDType dtype, PtCompute compute, gsize n, gconstpointer x, gssize stride, gpointer y)
{
  if (stride == 1 && compute == PT_COMPUTE_F32 && dtype == PT_DTYPE_F16)
    pt_vector_f16_to_f32 (n, x, y);
  else if (stride == 1 && compute == PT_COMPUTE_F32 && dtype == PT_DTYPE_BF16)
    pt_vector_bf16_to_f32 (n, x, y);
  else
    loads[dtype][compute](n, x, stride, y);
}

void
pt_store (PtDType dtype, PtCompute compute, gsize n, gconstpointer x, gpointer y, gssize stride)
{
  if (stride == 1 && compute == PT_COMPUTE_F32 && dtype == PT_DTYPE_F16)
    pt_vector_f32_to_f16 (n, x, y);
  else if (stride == 1 && compute == PT_COMPUTE_F32 && dtype == PT_DTYPE_BF16)
    pt_vector_f32_to_bf16 (n, x, y);
  else
    stores[dtype][compute](n, x, y, stride);
}

gint64
pt_wrap (PtDType dtype, gint64 x)
{
  switch (dtype) {
  case PT_DTYPE_U8: return (guint8) x;
  case PT_DTYPE_I8: return (gint8) x;
  case PT_DTYPE_I16: return (gint16) x;
  case PT_DTYPE_I32: return (gint32) x;
  case PT_DTYPE_BOOL: return x != 0;
  default: return x;
  }
}

void
pt_wrap_array (PtDType dtype, gsize n, gint64 *x)
{
  if (dtype != PT_DTYPE_I64)
    for (gsize i = 0; i < n; i++)
      x[i] = pt_wrap (dtype, x[i]);
}
