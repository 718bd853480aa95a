/* SPDX-License-Identifier: BSD-3-Clause */

/* Tensors that are made up: zeros, random ones, and numbers somebody has typed. */

#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/kernels/vector.h"
#include "engine/tasks/run/run-private.h"

#define ZEROS "zeros:"
#define RANDOM "random:"
#define VALUES "values:"

/* Whole numbers are often indices: small ones are in the range of most tables. */
#define RANDOM_INTEGERS 10

gboolean
pt_run_is_made_up (const char *input)
{
  return g_str_has_prefix (input, ZEROS) || g_str_has_prefix (input, RANDOM) ||
         g_str_has_prefix (input, VALUES);
}

/* ---- one element ---- */

static gboolean
in_range (PtDType dtype, double number)
{
  switch (dtype) {
  case PT_DTYPE_U8: return number >= 0 && number <= G_MAXUINT8;
  case PT_DTYPE_I8: return number >= G_MININT8 && number <= G_MAXINT8;
  case PT_DTYPE_I16: return number >= G_MININT16 && number <= G_MAXINT16;
  case PT_DTYPE_I32: return number >= G_MININT32 && number <= G_MAXINT32;
  case PT_DTYPE_U16: return number >= 0 && number <= G_MAXUINT16;
  case PT_DTYPE_U32: return number >= 0 && number <= G_MAXUINT32;
  case PT_DTYPE_I64: return fabs (number) <= 9007199254740992.0; /* exact in a double */
  default: return TRUE;
  }
}

static gboolean
is_whole_type (PtDType dtype)
{
  return dtype == PT_DTYPE_U8 || dtype == PT_DTYPE_I8 || dtype == PT_DTYPE_I16 ||
         dtype == PT_DTYPE_I32 || dtype == PT_DTYPE_I64 || dtype == PT_DTYPE_U16 ||
         dtype == PT_DTYPE_U32;
}

static gboolean
store (PtTensor *tensor, gsize i, double number, GError **error)
{
  gpointer data = tensor->data;

  if (is_whole_type (tensor->dtype) &&
      (number != floor (number) || !in_range (tensor->dtype, number)))
    return pt_fail (error, PT_ERROR_ARGUMENT, "%g is not a valid %s.", number,
                    pt_dtype_name (tensor->dtype));
  switch (tensor->dtype) {
  case PT_DTYPE_U8: ((guint8 *) data)[i] = (guint8) number; return TRUE;
  case PT_DTYPE_I8: ((gint8 *) data)[i] = (gint8) number; return TRUE;
  case PT_DTYPE_I16: ((gint16 *) data)[i] = (gint16) number; return TRUE;
  case PT_DTYPE_I32: ((gint32 *) data)[i] = (gint32) number; return TRUE;
  case PT_DTYPE_I64: ((gint64 *) data)[i] = (gint64) number; return TRUE;
  case PT_DTYPE_U16: ((guint16 *) data)[i] = (guint16) number; return TRUE;
  case PT_DTYPE_U32: ((guint32 *) data)[i] = (guint32) number; return TRUE;
  case PT_DTYPE_F16: ((guint16 *) data)[i] = pt_f32_to_f16 ((float) number); return TRUE;
  case PT_DTYPE_BF16: ((guint16 *) data)[i] = pt_f32_to_bf16 ((float) number); return TRUE;
  case PT_DTYPE_F32: ((float *) data)[i] = (float) number; return TRUE;
  case PT_DTYPE_F64: ((double *) data)[i] = number; return TRUE;
  case PT_DTYPE_BOOL: ((guint8 *) data)[i] = number != 0; return TRUE;
  default:
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Tensors of the type %s cannot be generated. Use a file.",
                    pt_dtype_name (tensor->dtype));
  }
}

/* ---- all of them ---- */

static gboolean
fill_random (PtTensor *tensor, const char *seed, GError **error)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) g_ascii_strtoull (seed, NULL, 10));
  gboolean whole = is_whole_type (tensor->dtype);

  for (gsize i = 0; i < tensor->numel; i++) {
    double number;

    if (tensor->dtype == PT_DTYPE_BOOL)
      number = g_rand_int_range (random, 0, 2);
    else if (whole)
      number = g_rand_int_range (random, 0, RANDOM_INTEGERS);
    else
      number = g_rand_double_range (random, -1, 1);
    if (!store (tensor, i, number, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
parse_number (const char *text, double *number, GError **error)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0')
    return pt_fail (error, PT_ERROR_ARGUMENT, "“%.40s” is not a number.", text);
  return TRUE;
}

/* As many as there are elements, or one for all. */
static gboolean
fill_values (PtTensor *tensor, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit_set (text, ", \t\n;", -1);
  gsize n = 0;
  double number = 0;

  for (guint i = 0; parts[i] != NULL; i++) {
    if (parts[i][0] == '\0')
      continue;
    if (!parse_number (parts[i], &number, error) ||
        (n < tensor->numel && !store (tensor, n, number, error)))
      return FALSE;
    n++;
  }
  if (n == tensor->numel)
    return TRUE;
  if (n != 1)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "%" G_GSIZE_FORMAT " numbers were given, and the input has %" G_GSIZE_FORMAT
                    ". Give all, or one for all.",
                    n, tensor->numel);
  for (gsize i = 1; i < tensor->numel; i++)
    if (!store (tensor, i, number, error))
      return FALSE;
  return TRUE;
}

PtTensorFile *
pt_run_make_up (const char *input, PtDType dtype, guint rank, const gint64 *sizes, GError **error)
{
  g_autoptr (PtTensorFile) file = pt_tensor_file_new (dtype, rank, sizes, NULL, error);
  gboolean done = TRUE;

  if (file == NULL)
    return NULL;
  if (g_str_has_prefix (input, RANDOM))
    done = fill_random (&file->tensor, input + strlen (RANDOM), error);
  else if (g_str_has_prefix (input, VALUES))
    done = fill_values (&file->tensor, input + strlen (VALUES), error);
  else if (file->tensor.numel > 0)
    memset (file->tensor.data, 0, pt_tensor_nbytes (&file->tensor));
  return done ? g_steal_pointer (&file) : NULL;
}
