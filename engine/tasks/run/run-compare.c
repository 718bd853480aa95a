/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/run-private.h"

#include <math.h>
#include <string.h>

#include "engine/kernels/vector.h"

/* Complex numbers are compared as twice as many reals. */
static PtDType
real_type (PtDType dtype, guint *components)
{
  *components = dtype == PT_DTYPE_C32 || dtype == PT_DTYPE_C64 || dtype == PT_DTYPE_C128 ? 2 : 1;
  switch (dtype) {
  case PT_DTYPE_C32: return PT_DTYPE_F16;
  case PT_DTYPE_C64: return PT_DTYPE_F32;
  case PT_DTYPE_C128: return PT_DTYPE_F64;
  default: return dtype;
  }
}

static gboolean
is_floating (PtDType dtype)
{
  return dtype == PT_DTYPE_F16 || dtype == PT_DTYPE_BF16 || dtype == PT_DTYPE_F32 ||
         dtype == PT_DTYPE_F64;
}

static double
read_number (const void *data, PtDType dtype, gsize i)
{
  switch (dtype) {
  case PT_DTYPE_F16: return (double) pt_f16_to_f32 (((const guint16 *) data)[i]);
  case PT_DTYPE_BF16: return (double) pt_bf16_to_f32 (((const guint16 *) data)[i]);
  case PT_DTYPE_F32: return (double) ((const float *) data)[i];
  case PT_DTYPE_F64: return ((const double *) data)[i];
  case PT_DTYPE_I8:
  case PT_DTYPE_QI8: return ((const gint8 *) data)[i];
  case PT_DTYPE_I16: return ((const gint16 *) data)[i];
  case PT_DTYPE_I32:
  case PT_DTYPE_QI32: return ((const gint32 *) data)[i];
  case PT_DTYPE_I64: return (double) ((const gint64 *) data)[i];
  case PT_DTYPE_U16: return ((const guint16 *) data)[i];
  case PT_DTYPE_U32: return ((const guint32 *) data)[i];
  case PT_DTYPE_U64: return (double) ((const guint64 *) data)[i];
  default: return ((const guint8 *) data)[i];
  }
}

double
pt_run_number (const PtTensor *tensor, gsize i)
{
  guint components;
  PtDType dtype = real_type (tensor->dtype, &components);

  return read_number (tensor->data, dtype, i * components);
}

static gboolean
fail_at (char **why, gsize i, double got, double want)
{
  *why = g_strdup_printf ("element %" G_GSIZE_FORMAT " is %.9g instead of %.9g", i, got, want);
  return FALSE;
}

static gboolean
is_close (double got, double want, PtTolerance tolerance, double *difference)
{
  *difference = 0;
  if (isnan (want) || isnan (got))
    return isnan (want) && isnan (got);
  if (isinf (want) || isinf (got)) /* also keeps infinity - infinity out of the difference */
    return want == got;
  *difference = fabs (got - want);
  return *difference <= tolerance.atol + tolerance.rtol * fabs (want);
}

static gboolean
compare_numbers (const PtTensor *got, const PtTensor *want, PtTolerance tolerance,
                 double *max_abs_diff, char **why)
{
  guint components;
  PtDType got_type = real_type (got->dtype, &components);
  PtDType want_type = real_type (want->dtype, &components);
  gboolean ok = TRUE;
  gsize i;

  for (i = 0; i < want->numel * components; i++) {
    double a = read_number (got->data, got_type, i);
    double b = read_number (want->data, want_type, i);
    double difference;
    gboolean close = is_close (a, b, tolerance, &difference);

    *max_abs_diff = MAX (*max_abs_diff, difference);
    if (!close && ok)
      ok = fail_at (why, i, a, b);
  }
  return ok;
}

gboolean
pt_run_compare (const PtTensor *got, const PtTensor *want, PtTolerance tolerance,
                double *max_abs_diff, char **why)
{
  static const PtTolerance exact = { 0, 0 };
  guint got_components, want_components;
  PtDType got_type = real_type (got->dtype, &got_components);
  PtDType want_type = real_type (want->dtype, &want_components);
  char text_got[160], text_want[160];

  *max_abs_diff = 0;
  *why = NULL;
  if (!pt_tensor_same_shape (got, want) || got_components != want_components ||
      (got_type != want_type && !(is_floating (got_type) && is_floating (want_type)))) {
    *why = g_strdup_printf ("it is %s instead of %s",
                            pt_tensor_describe (got, text_got, sizeof text_got),
                            pt_tensor_describe (want, text_want, sizeof text_want));
    return FALSE;
  }
  if (!is_floating (want_type) &&
      (want->numel == 0 || memcmp (got->data, want->data, pt_tensor_nbytes (want)) == 0))
    return TRUE;
  return compare_numbers (got, want, is_floating (want_type) ? tolerance : exact, max_abs_diff,
                          why);
}

gboolean
pt_run_check_tensor (const PtTensor *got, const PtTensor *want, PtTolerance tolerance,
                     const char *path, PtHeap *heap, PtRunOutput *result, GError **error)
{
  g_autoptr (PtTensorFile) output = pt_run_fetch (got, error);
  g_autoptr (PtTensorFile) expected =
      output != NULL ? pt_tensor_file_reorder (want, NULL, error) : NULL;
  g_autofree char *why = NULL;
  double difference;

  if (expected == NULL)
    return FALSE;
  result->ok = pt_run_compare (&output->tensor, &expected->tensor, tolerance, &difference, &why);
  result->why = pt_heap_text (heap, why);
  if (isfinite (difference)) {
    result->valid |= PT_RUN_OUTPUT_DIFFERENCE;
    result->max_abs_diff = difference;
  }
  if (path == NULL)
    return TRUE;
  result->file = pt_heap_text (heap, path);
  return pt_npy_write (path, &output->tensor, NULL, error);
}

void
pt_run_merge (PtRunCheck *check, const PtRunOutput *output)
{
  if ((output->valid & PT_RUN_OUTPUT_DIFFERENCE) != 0)
    check->max_abs_diff = MAX (check->max_abs_diff, output->max_abs_diff);
  check->ok &= output->ok;
}

gboolean
pt_run_same_scalar (const PtValue *got, const PtValue *want, PtTolerance tolerance)
{
  if (got->kind != want->kind)
    return FALSE;
  switch (got->kind) {
  case PT_VALUE_NONE: return TRUE;
  case PT_VALUE_INT: return got->as_int == want->as_int;
  case PT_VALUE_BOOL: return !got->as_bool == !want->as_bool;
  case PT_VALUE_DOUBLE:
    return fabs (got->as_double - want->as_double) <=
           tolerance.atol + tolerance.rtol * fabs (want->as_double);
  case PT_VALUE_STRING:
    return got->as_string.length == want->as_string.length &&
           memcmp (got->as_string.data, want->as_string.data, got->as_string.length) == 0;
  default: return FALSE;
  }
}
