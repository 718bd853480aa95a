/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/tensor.h"

G_BEGIN_DECLS

typedef struct _PtValue PtValue;

/**
 * PtValue: one slot of a method. Kernels get pointers to slots, because a slot may change while the
 * method runs (moves, primitive operators, et_view). Lists hold pointers to slots, too, so that
 * they always see the current values.
 */
struct _PtValue {
  PtValueKind kind;
  union {
    gint64 as_int;
    gboolean as_bool;
    double as_double;
    PtTensor *as_tensor; /* several slots may share one tensor */
    struct {
      const char *data;
      gsize length;
    } as_string;
    struct {
      PtValue *const *items; /* NULL item: None */
      guint count;
    } as_values; /* INT_LIST, TENSOR_LIST, OPTIONAL_TENSOR_LIST */
    struct {
      const double *items;
      guint count;
    } as_doubles;
    struct {
      const guint8 *items;
      guint count;
    } as_bools;
  };
};

/*
 * Typed access to arguments. @what names the argument in messages. A wrong kind gives FALSE (or
 * NULL) with PT_ERROR_TYPE.
 */
PtTensor *pt_value_tensor (const PtValue *value, const char *what, GError **error);
/**
 * A tensor, or None: TRUE and *out = NULL. A Byte tensor of sizes [0] without memory is a tensor.
 */
gboolean pt_value_optional_tensor (const PtValue *value, const char *what, PtTensor **out,
                                   GError **error);
gboolean pt_value_int (const PtValue *value, const char *what, gint64 *out, GError **error);
/** An Int, or None: *out = @fallback. */
gboolean pt_value_optional_int (const PtValue *value, const char *what, gint64 fallback,
                                gint64 *out, GError **error);
gboolean pt_value_bool (const PtValue *value, const char *what, gboolean *out, GError **error);
/** Accepts Int and Bool as well. */
gboolean pt_value_double (const PtValue *value, const char *what, double *out, GError **error);
/** Copy at most @max numbers of an IntList; each slot is read now. */
gboolean pt_value_int_list (const PtValue *value, const char *what, gint64 *out, guint max,
                            guint *count, GError **error);

static inline gboolean
pt_value_is_none (const PtValue *value)
{
  return value->kind == PT_VALUE_NONE;
}

G_END_DECLS
