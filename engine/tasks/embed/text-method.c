/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/embed/text-method.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/kernels/kernel-tables.h"

/* Longest text, and numbers of an output: limits of sense. */
#define MAX_IDS (1 << 20)
#define MAX_NUMBERS ((gsize) 1 << 30)

static const PtTensorSpec *
tensor_spec (const PtValueSpec *value)
{
  return value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

static gboolean
is_index (PtDType dtype)
{
  return dtype == PT_DTYPE_I64 || dtype == PT_DTYPE_I32;
}

static gboolean
is_real (PtDType dtype)
{
  return dtype == PT_DTYPE_F32 || dtype == PT_DTYPE_F16 || dtype == PT_DTYPE_BF16;
}

static gboolean
takes_row (const PtTensorSpec *tensor)
{
  return tensor != NULL && tensor->rank == 2 && tensor->sizes[0] == 1 && tensor->sizes[1] >= 1 &&
         tensor->sizes[1] <= MAX_IDS;
}

static gboolean
check_method (const PtMethod *method, GError **error)
{
  const PtTensorSpec *ids = NULL, *mask = NULL, *out = NULL;

  if (pt_method_n_inputs (method) == 2 && pt_method_n_outputs (method) == 1) {
    ids = tensor_spec (pt_method_input_spec (method, 0));
    mask = tensor_spec (pt_method_input_spec (method, 1));
    out = tensor_spec (pt_method_output_spec (method, 0));
  }
  return (takes_row (ids) && takes_row (mask) && is_index (ids->dtype) &&
          (is_index (mask->dtype) || mask->dtype == PT_DTYPE_BOOL) &&
          ids->sizes[1] == mask->sizes[1] && out != NULL && is_real (out->dtype) &&
          (out->rank == 2 || out->rank == 3) && out->sizes[0] == 1) ||
         pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "This model of texts is not supported: its method must take token ids and a mask "
                  "[1, n] and return numbers [1, d] or [1, n, d].");
}

gboolean
pt_text_method_init (PtTextMethod *self, PtModule *module, GError **error)
{
  const char *chosen = pt_module_chosen_method (module);
  const PtTensorSpec *ids, *out;

  *self = (PtTextMethod){
    .method = pt_module_method (module, chosen != NULL ? chosen : "forward", error),
  };
  if (self->method == NULL || !check_method (self->method, error))
    return FALSE;
  ids = tensor_spec (pt_method_input_spec (self->method, 0));
  out = tensor_spec (pt_method_output_spec (self->method, 0));
  self->ids_type = ids->dtype;
  self->mask_type = tensor_spec (pt_method_input_spec (self->method, 1))->dtype;
  self->most = (guint) ids->sizes[1];
  self->fixed = ids->dynamism == PT_DYNAMISM_STATIC;
  self->per_token = out->rank == 3 && (out->sizes[1] > 1 || self->most == 1);
  self->ids = pt_allocate (self->most, pt_dtype_size (self->ids_type), error);
  self->mask =
      self->ids != NULL ? pt_allocate (self->most, pt_dtype_size (self->mask_type), error) : NULL;
  return self->mask != NULL;
}

void
pt_text_method_clear (PtTextMethod *self)
{
  g_clear_pointer (&self->ids, g_free);
  g_clear_pointer (&self->mask, g_free);
  g_clear_pointer (&self->rows, g_free);
}

/* ---- a call ---- */

static void
put_number (gpointer numbers, PtDType dtype, guint i, gint32 number)
{
  if (dtype == PT_DTYPE_I64)
    ((gint64 *) numbers)[i] = number;
  else if (dtype == PT_DTYPE_I32)
    ((gint32 *) numbers)[i] = number;
  else
    ((guint8 *) numbers)[i] = number != 0;
}

static gboolean
set_inputs (PtTextMethod *self, const gint32 *ids, const guint8 *mask, guint n, GError **error)
{
  const gint64 sizes[2] = { 1, n };
  PtTensor first, second;

  for (guint i = 0; i < n; i++) {
    put_number (self->ids, self->ids_type, i, ids[i]);
    put_number (self->mask, self->mask_type, i, mask[i]);
  }
  return pt_tensor_init (&first, self->ids_type, 2, sizes, NULL, self->ids, error) &&
         pt_tensor_init (&second, self->mask_type, 2, sizes, NULL, self->mask, error) &&
         pt_method_set_input_tensor (self->method, 0, &first, error) &&
         pt_method_set_input_tensor (self->method, 1, &second, error);
}

static gboolean
make_room (PtTextMethod *self, gsize n, GError **error)
{
  if (n <= self->capacity)
    return TRUE;
  g_clear_pointer (&self->rows, g_free);
  self->capacity = 0;
  self->rows = pt_allocate (n, sizeof (float), error);
  if (self->rows == NULL)
    return FALSE;
  self->capacity = n;
  return TRUE;
}

static void
widen (const PtTensor *tensor, float *out)
{
  const guint16 *halves = tensor->data;

  if (tensor->dtype == PT_DTYPE_F32)
    memcpy (out, tensor->data, tensor->numel * sizeof (float));
  else if (tensor->dtype == PT_DTYPE_F16)
    pt_vector_kernels ()->f16_to_f32 (tensor->numel, halves, out);
  else
    for (gsize i = 0; i < tensor->numel; i++) {
      guint32 bits = (guint32) halves[i] << 16;

      memcpy (&out[i], &bits, sizeof bits);
    }
}

/* @n: ids of the call. */
static gboolean
read_output (PtTextMethod *self, guint n, GError **error)
{
  const PtValue *value = pt_method_output (self->method, 0);
  const PtTensor *tensor = value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
  gint64 rows, width;

  if (tensor == NULL || (tensor->rank != 2 && tensor->rank != 3) || !is_real (tensor->dtype) ||
      tensor->numel == 0 || tensor->numel > MAX_NUMBERS || tensor->data == NULL ||
      tensor->sizes[0] != 1 || !pt_tensor_is_contiguous (tensor))
    return pt_fail (error, PT_ERROR_INTERNAL,
                    "The model returned no numbers [1, d] or [1, n, d]: its files are damaged, or "
                    "it is of another kind.");
  rows = tensor->rank == 3 ? tensor->sizes[1] : 1;
  width = tensor->sizes[tensor->rank - 1];
  if (rows != (self->per_token ? (gint64) n : 1))
    return pt_fail (error, PT_ERROR_INTERNAL,
                    "The model returned %" G_GINT64_FORMAT " rows of numbers for %u tokens: its "
                    "files are damaged, or it is of another kind.",
                    rows, n);
  if (!make_room (self, tensor->numel, error))
    return FALSE;
  self->n_rows = (guint) rows;
  self->width = (guint) width;
  widen (tensor, self->rows);
  for (gsize i = 0; i < tensor->numel; i++)
    if (!isfinite (self->rows[i]))
      return pt_fail (error, PT_ERROR_INTERNAL,
                      "The model's output contains invalid numbers (NaN): its files are damaged. "
                      "Download or export it again.");
  return TRUE;
}

gboolean
pt_text_method_call (PtTextMethod *self, const gint32 *ids, const guint8 *mask, guint n,
                     GCancellable *cancellable, GError **error)
{
  g_assert (n >= 1 && n <= self->most && (!self->fixed || n == self->most));
  return set_inputs (self, ids, mask, n, error) &&
         pt_method_execute (self->method, cancellable, error) && read_output (self, n, error);
}
