/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/look-method.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/kernels/kernel-tables.h"
#include "engine/tasks/models/plan-shapes.h"

#define FORWARD "forward"
#define MAX_SIDE 8192

/* ---- methods by their names ---- */

/* The number behind "forward_", or 0. */
static guint
size_of_name (const char *name)
{
  guint64 size;

  if (!g_str_has_prefix (name, FORWARD "_") ||
      !g_ascii_string_to_unsigned (name + strlen (FORWARD "_"), 10, 1, MAX_SIDE, &size, NULL))
    return 0;
  return (guint) size;
}

static int
compare_sizes (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return x < y ? -1 : x > y;
}

GArray *
pt_look_method_sizes (const PtProgram *program)
{
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    guint size = size_of_name (pt_program_plan (program, i)->name);

    if (size > 0)
      g_array_append_val (sizes, size);
  }
  g_array_sort (sizes, compare_sizes);
  return sizes;
}

static gboolean
has_size (const GArray *sizes, guint size)
{
  for (guint i = 0; i < sizes->len; i++)
    if (g_array_index (sizes, guint, i) == size)
      return TRUE;
  return FALSE;
}

static char *
list_sizes (const GArray *sizes)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < sizes->len; i++)
    g_string_append_printf (text, "%s%u", i == 0 ? "" : ", ", g_array_index (sizes, guint, i));
  return g_string_free (text, FALSE);
}

/* Whether the method called forward takes pictures of @size pixels. */
static gboolean
is_its_size (const PtProgram *program, guint size)
{
  const PtPlan *plan = pt_program_find_plan (program, FORWARD);
  const PtTensorSpec *input = plan != NULL ? pt_plan_input (plan, 0) : NULL;

  return size > 0 && input != NULL && input->rank >= 2 &&
         (guint) MAX (input->sizes[input->rank - 1], input->sizes[input->rank - 2]) == size;
}

char *
pt_look_method_find (const PtProgram *program, const char *chosen, guint size, guint usual,
                     GError **error)
{
  g_autoptr (GArray) sizes = pt_look_method_sizes (program);
  g_autofree char *list = NULL;

  if (chosen != NULL)
    return g_strdup (chosen);
  if ((size == 0 && pt_program_find_plan (program, FORWARD) != NULL) ||
      (sizes->len == 0 && is_its_size (program, size)))
    return g_strdup (FORWARD);
  if (sizes->len == 0 && size == 0) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "The model has no method “forward”.");
    return NULL;
  }
  if (size == 0)
    size = has_size (sizes, usual) ? usual : g_array_index (sizes, guint, 0);
  if (has_size (sizes, size))
    return g_strdup_printf (FORWARD "_%u", size);
  list = list_sizes (sizes);
  pt_fail (error, PT_ERROR_ARGUMENT,
           sizes->len > 0 ? "The model has no input of %u pixels. Use one of its sizes: %s."
                          : "The model has one size of input only: leave %u out.%s",
           size, list);
  return NULL;
}

/* ---- the input ---- */

static const PtTensorSpec *
check_input (const PtMethod *method, guint channels, GError **error)
{
  const PtTensorSpec *input = NULL;
  guint first;

  if (pt_method_n_inputs (method) == 1)
    input = pt_plan_input (pt_method_plan (method), 0);
  if (pt_spec_is_real (input, 3) || pt_spec_is_real (input, 4)) {
    first = input->rank - 3u;
    if ((first == 0 || input->sizes[0] == 1) && input->sizes[first] == (gint32) channels &&
        input->sizes[first + 1] > 1 && input->sizes[first + 1] <= MAX_SIDE &&
        input->sizes[first + 2] > 1 && input->sizes[first + 2] <= MAX_SIDE)
      return input;
  }
  pt_fail (error, PT_ERROR_UNSUPPORTED,
           "This model is not supported: its method must take a picture [1, %u, height, width].",
           channels);
  return NULL;
}

gboolean
pt_look_method_open (PtLookMethod *self, PtModule *module, const char *name, guint channels,
                     GError **error)
{
  const PtTensorSpec *input;
  gsize n;

  *self = (PtLookMethod){ .method = pt_module_method (module, name, error) };
  input = self->method != NULL ? check_input (self->method, channels, error) : NULL;
  if (input == NULL)
    return FALSE;
  self->dtype = input->dtype;
  self->rank = input->rank;
  self->channels = channels;
  self->height = (guint) input->sizes[input->rank - 2];
  self->width = (guint) input->sizes[input->rank - 1];
  n = (gsize) channels * self->width * self->height;
  self->bytes = pt_allocate (n, 1, error);
  self->pixels = self->bytes != NULL ? pt_allocate (n, sizeof (float), error) : NULL;
  if (self->pixels != NULL && self->dtype != PT_DTYPE_F32)
    self->half = pt_allocate (n, sizeof (guint16), error);
  return self->pixels != NULL && (self->dtype == PT_DTYPE_F32 || self->half != NULL);
}

void
pt_look_method_clear (PtLookMethod *self)
{
  g_clear_pointer (&self->bytes, g_free);
  g_clear_pointer (&self->pixels, g_free);
  g_clear_pointer (&self->half, g_free);
}

PtPixels
pt_look_method_pixels (const PtLookMethod *self)
{
  return (PtPixels){ self->width, self->height, self->channels, self->bytes };
}

void
pt_look_method_normalize (PtLookMethod *self, const float *mean, const float *deviation,
                          gboolean reversed)
{
  gsize n = (gsize) self->width * self->height;

  for (guint c = 0; c < self->channels; c++) {
    guint from = reversed ? self->channels - 1 - c : c;

    for (gsize i = 0; i < n; i++)
      self->pixels[c * n + i] =
          ((float) self->bytes[i * self->channels + from] / 255.0f - mean[c]) / deviation[c];
  }
}

gboolean
pt_look_method_call (PtLookMethod *self, GCancellable *cancellable, GError **error)
{
  gint64 sizes[4] = { 1, self->channels, self->height, self->width };
  gsize n = (gsize) self->channels * self->width * self->height;
  gpointer data = self->pixels;
  PtTensor tensor;

  if (self->dtype == PT_DTYPE_F16)
    pt_vector_kernels ()->f32_to_f16 (n, self->pixels, self->half);
  else if (self->dtype == PT_DTYPE_BF16)
    pt_vector_kernels ()->f32_to_bf16 (n, self->pixels, self->half);
  if (self->dtype != PT_DTYPE_F32)
    data = self->half;
  return pt_tensor_init (&tensor, self->dtype, self->rank, sizes + 4 - self->rank, NULL, data,
                         error) &&
         pt_method_set_input_tensor (self->method, 0, &tensor, error) &&
         pt_method_execute (self->method, cancellable, error);
}

/* ---- outputs ---- */

void
pt_look_output_clear (PtLookOutput *self)
{
  g_clear_pointer (&self->values, g_free);
}

gboolean
pt_look_fail_damaged (GError **error)
{
  return pt_fail (error, PT_ERROR_INTERNAL,
                  "The model's output contains invalid numbers (NaN): its files are damaged. "
                  "Download or export it again.");
}

gboolean
pt_look_output_check (const PtLookOutput *self, GError **error)
{
  for (gsize i = 0; i < self->n; i++)
    if (isnan (self->values[i]))
      return pt_look_fail_damaged (error);
  return TRUE;
}

static gboolean
widen (const PtTensor *tensor, float *out)
{
  gsize n = tensor->numel;

  switch (tensor->dtype) {
  case PT_DTYPE_F32: memcpy (out, tensor->data, n * sizeof (float)); return TRUE;
  case PT_DTYPE_F16: pt_vector_kernels ()->f16_to_f32 (n, tensor->data, out); return TRUE;
  case PT_DTYPE_BF16:
    for (gsize i = 0; i < n; i++) {
      guint32 bits = (guint32) ((const guint16 *) tensor->data)[i] << 16;

      memcpy (&out[i], &bits, sizeof bits);
    }
    return TRUE;
  case PT_DTYPE_I32:
    for (gsize i = 0; i < n; i++)
      out[i] = (float) ((const gint32 *) tensor->data)[i];
    return TRUE;
  case PT_DTYPE_I64:
    for (gsize i = 0; i < n; i++)
      out[i] = (float) ((const gint64 *) tensor->data)[i];
    return TRUE;
  default: return FALSE;
  }
}

gboolean
pt_look_method_output (PtLookMethod *self, guint i, PtLookOutput *out, GError **error)
{
  const PtValue *value =
      i < pt_method_n_outputs (self->method) ? pt_method_output (self->method, i) : NULL;
  const PtTensor *tensor =
      value != NULL && value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
  guint skip = 0;

  *out = (PtLookOutput){ 0 };
  if (tensor == NULL || tensor->device_type != PT_DEVICE_CPU || !pt_tensor_is_contiguous (tensor))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This model is not supported: its result %u is no plain tensor.", i);
  while (skip < tensor->rank && tensor->sizes[skip] == 1)
    skip++;
  out->rank = tensor->rank - skip;
  memcpy (out->sizes, tensor->sizes + skip, out->rank * sizeof out->sizes[0]);
  out->n = tensor->numel;
  out->values = pt_allocate (out->n, sizeof (float), error);
  if (out->values == NULL)
    return FALSE;
  return widen (tensor, out->values) ||
         pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "This model is not supported: its result %u is of another type than numbers.", i);
}
