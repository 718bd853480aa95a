/* SPDX-License-Identifier: BSD-3-Clause */

/* Messages of a library, and functions that only work with PyTorch (docs/formats/cuda.md, section
 * 8.8). */

#include "engine/cuda/shims-private.h"

static const char *
text_or_empty (const char *text)
{
  return text != NULL ? text : "";
}

void
pt_aoti_torch_warn (const char *function, const char *file, uint32_t line, const char *message)
{
  g_info ("Model library: %s (%s:%u)", text_or_empty (message), text_or_empty (file), line);
}

static void
describe (GString *text, const PtShimTensor *tensor)
{
  if (tensor == NULL) {
    g_string_append (text, "no tensor");
    return;
  }
  g_string_append_printf (text, "%s, %s [", pt_dtype_name (tensor->dtype),
                          tensor->storage->device_type == 1 ? "cuda" : "cpu");
  for (gint32 i = 0; i < tensor->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " by %" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            tensor->sizes[i], tensor->strides[i]);
  g_string_append_printf (text, "] at %" G_GINT64_FORMAT, tensor->offset);
}

void
pt_aoti_torch_print_tensor_handle (PtShimHandle tensor, const char *message)
{
  GString *text = g_string_new (NULL);

  describe (text, tensor);
  g_info ("Model library: %s: %s", text_or_empty (message), text->str);
  g_string_free (text, TRUE);
}

/* Libraries are not allowed to write files. */
void
pt_aoti_torch_save_tensor_handle (PtShimHandle tensor, const char *name, const char *prefix,
                                  const char *kernel)
{
  pt_aoti_torch_print_tensor_handle (tensor, name);
}

/* The mask of the exponent: all its bits are set in infinities and NaN. 0: not a floating dtype. */
static guint64
exponent_mask (gint32 dtype)
{
  switch (dtype) {
  case PT_DTYPE_F16: return 0x7c00;
  case PT_DTYPE_BF16: return 0x7f80;
  case PT_DTYPE_F32: return 0x7f800000;
  case PT_DTYPE_F64: return G_GUINT64_CONSTANT (0x7ff0000000000000);
  default: return 0;
  }
}

static guint64
element_bits (gconstpointer data, gsize item, gint64 i)
{
  switch (item) {
  case 2: return ((const guint16 *) data)[i];
  case 4: return ((const guint32 *) data)[i];
  default: return ((const guint64 *) data)[i];
  }
}

/* A dense copy on the host, or NULL with a note. */
static PtShimTensor *
download (PtShimHandle tensor)
{
  GError *error = NULL;
  PtShimTensor *copy =
      pt_shim_tensor_new (NULL, tensor->dtype, tensor->rank, tensor->sizes, NULL, 0, &error);

  if (copy == NULL)
    pt_shim_refuse_error (error);
  else if (pt_shim_copy_tensor (copy, tensor) != 0)
    g_clear_pointer (&copy, pt_shim_tensor_free);
  return copy;
}

int32_t
pt_aoti_torch_check_inf_and_nan (const char *name, PtShimHandle tensor)
{
  guint64 mask = tensor != NULL ? exponent_mask (tensor->dtype) : 0;
  g_autoptr (PtShimTensor) copy = NULL;

  if (mask == 0)
    return 0;
  copy = download (tensor);
  if (copy == NULL)
    return 1;
  for (gint64 i = 0; i < copy->numel; i++)
    if ((element_bits (copy->storage->data, pt_dtype_size (copy->dtype), i) & mask) == mask)
      return pt_shim_refuse (PT_ERROR_ARGUMENT,
                             "The model computed %s with a value that is infinite or not a number.",
                             text_or_empty (name));
  return 0;
}

int32_t
pt_aoti_torch_proxy_executor_call_function (void *executor, int index, int n_ints, int64_t *ints,
                                            int n_tensors, PtShimHandle *tensors)
{
  return pt_shim_refuse (PT_ERROR_MISSING_OPERATOR,
                         "The model's library needs PyTorch itself for one of its operators.");
}

int32_t
pt_aoti_torch_index_put_out (PtShimHandle tensor, const PtShimHandle *indices, uint32_t n_indices,
                             PtShimHandle values, bool accumulate)
{
  return pt_shim_refuse (PT_ERROR_MISSING_OPERATOR,
                         "The model's library needs PyTorch itself for the operator index_put.");
}
