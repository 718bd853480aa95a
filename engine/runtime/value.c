/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/value.h"

#include "engine/base/set-error.h"

static gboolean
fail_kind (const PtValue *value, const char *what, const char *expected, GError **error)
{
  return pt_fail (error, PT_ERROR_TYPE, "%s is of kind %s, not %s (ExecuTorch error 0x13).", what,
                  pt_value_kind_name (value->kind), expected);
}

PtTensor *
pt_value_tensor (const PtValue *value, const char *what, GError **error)
{
  if (value->kind != PT_VALUE_TENSOR) {
    fail_kind (value, what, "Tensor", error);
    return NULL;
  }
  return value->as_tensor;
}

gboolean
pt_value_optional_tensor (const PtValue *value, const char *what, PtTensor **out, GError **error)
{
  *out = NULL;
  if (value->kind == PT_VALUE_NONE)
    return TRUE;
  *out = pt_value_tensor (value, what, error);
  return *out != NULL;
}

gboolean
pt_value_int (const PtValue *value, const char *what, gint64 *out, GError **error)
{
  if (value->kind != PT_VALUE_INT)
    return fail_kind (value, what, "Int", error);
  *out = value->as_int;
  return TRUE;
}

gboolean
pt_value_optional_int (const PtValue *value, const char *what, gint64 fallback, gint64 *out,
                       GError **error)
{
  if (value->kind == PT_VALUE_NONE) {
    *out = fallback;
    return TRUE;
  }
  return pt_value_int (value, what, out, error);
}

gboolean
pt_value_bool (const PtValue *value, const char *what, gboolean *out, GError **error)
{
  if (value->kind != PT_VALUE_BOOL)
    return fail_kind (value, what, "Bool", error);
  *out = value->as_bool;
  return TRUE;
}

gboolean
pt_value_double (const PtValue *value, const char *what, double *out, GError **error)
{
  switch (value->kind) {
  case PT_VALUE_DOUBLE: *out = value->as_double; return TRUE;
  case PT_VALUE_INT: *out = (double) value->as_int; return TRUE;
  case PT_VALUE_BOOL: *out = value->as_bool ? 1.0 : 0.0; return TRUE;
  default: return fail_kind (value, what, "a number", error);
  }
}

gboolean
pt_value_int_list (const PtValue *value, const char *what, gint64 *out, guint max, guint *count,
                   GError **error)
{
  guint i;

  if (value->kind != PT_VALUE_INT_LIST)
    return fail_kind (value, what, "IntList", error);
  if (value->as_values.count > max)
    return pt_fail (error, PT_ERROR_TYPE, "%s has %u numbers; at most %u make sense.", what,
                    value->as_values.count, max);
  for (i = 0; i < value->as_values.count; i++)
    if (!pt_value_int (value->as_values.items[i], what, &out[i], error))
      return FALSE;
  *count = value->as_values.count;
  return TRUE;
}
