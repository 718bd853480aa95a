/* SPDX-License-Identifier: BSD-3-Clause */

/* Gives embeddings to models that read them: of tokens, pictures and sound. */

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/kernels/vector.h"
#include "engine/tasks/llm/llm-private.h"

/* Some exports of "token_embedding" take no fewer ids (docs/formats/protocols.md, section 4.1), and
 * the others take so many as well. */
#define LEAST_TOKENS 2

static const PtTensorSpec *
tensor_spec (const PtValueSpec *value)
{
  return value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

static gboolean
is_float (PtDType dtype)
{
  return dtype == PT_DTYPE_F32 || dtype == PT_DTYPE_F16 || dtype == PT_DTYPE_BF16;
}

/* Whether @method takes ids [1, n] and returns embeddings [1, n, width]. */
static gboolean
is_embedding (const PtLlm *self, const PtMethod *method)
{
  const PtTensorSpec *ids, *rows;

  if (pt_method_n_inputs (method) != 1 || pt_method_n_outputs (method) != 1)
    return FALSE;
  ids = tensor_spec (pt_method_input_spec (method, 0));
  rows = tensor_spec (pt_method_output_spec (method, 0));
  return ids != NULL && rows != NULL && ids->rank == 2 && ids->sizes[0] == 1 && ids->numel > 0 &&
         (ids->dtype == PT_DTYPE_I64 || ids->dtype == PT_DTYPE_I32) && rows->rank >= 2 &&
         is_float (rows->dtype) && (gsize) rows->sizes[rows->rank - 1] == self->row_width;
}

gboolean
pt_llm_load_embedding (PtLlm *self, PtModule *module, GError **error)
{
  const PtTensorSpec *ids;

  self->embedding = pt_module_method (module, "token_embedding", error);
  if (self->embedding == NULL)
    return FALSE;
  if (!is_embedding (self, self->embedding))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“token_embedding” of the model must take token ids [1, n] and give "
                    "embeddings of %" G_GSIZE_FORMAT " numbers, as “text_decoder” reads them.",
                    self->row_width);
  ids = tensor_spec (pt_method_input_spec (self->embedding, 0));
  self->token_type = ids->dtype;
  self->chunk = MIN (self->chunk, (guint) ids->sizes[1]);
  self->least_tokens = ids->dynamism == PT_DYNAMISM_STATIC ? 1 : LEAST_TOKENS;
  self->least_tokens = MIN (self->least_tokens, (guint) ids->sizes[1]);
  return TRUE;
}

gboolean
pt_llm_allocate_rows (PtLlm *self, GError **error)
{
  gsize n = MAX (self->chunk, 1);

  if (self->row_width == 0)
    return TRUE;
  self->rows = pt_allocate (n, self->row_width * pt_dtype_size (self->row_type), error);
  return self->rows != NULL;
}

/* --- conversion of element types --- */

static void
widen (gsize n, const guint8 *from, PtDType type, float *to)
{
  if (type == PT_DTYPE_F16)
    pt_vector_f16_to_f32 (n, (const guint16 *) (gconstpointer) from, to);
  else if (type == PT_DTYPE_BF16)
    pt_vector_bf16_to_f32 (n, (const guint16 *) (gconstpointer) from, to);
  else
    memcpy (to, from, n * sizeof (float));
}

static void
narrow (gsize n, const float *from, PtDType type, guint8 *to)
{
  if (type == PT_DTYPE_F16)
    pt_vector_f32_to_f16 (n, from, (guint16 *) (gpointer) to);
  else if (type == PT_DTYPE_BF16)
    pt_vector_f32_to_bf16 (n, from, (guint16 *) (gpointer) to);
  else
    memcpy (to, from, n * sizeof (float));
}

/* Converts @n numbers of @type to the type that the model takes. */
static void
convert (const PtLlm *self, gsize n, const guint8 *from, PtDType type, guint8 *to)
{
  float block[256];

  if (type == self->row_type) {
    memcpy (to, from, n * pt_dtype_size (type));
    return;
  }
  for (gsize i = 0; i < n; i += G_N_ELEMENTS (block)) {
    gsize count = MIN (n - i, G_N_ELEMENTS (block));

    widen (count, from + i * pt_dtype_size (type), type, block);
    narrow (count, block, self->row_type, to + i * pt_dtype_size (self->row_type));
  }
}

/* --- embeddings of tokens --- */

/* Computes the embeddings of @ids. If the method takes no fewer than two ids, there may be one row
 * more, which is not read. */
static const PtTensor *
embed (PtLlm *self, const gint32 *ids, guint n, GCancellable *cancellable, GError **error)
{
  const gint64 sizes[2] = { 1, MAX (n, self->least_tokens) };
  PtTensor tensor;

  for (guint i = 0; i < sizes[1]; i++)
    pt_llm_store (self->id_buffer, self->token_type, i, ids[MIN (i, n - 1)]);
  if (!pt_tensor_init (&tensor, self->token_type, 2, sizes, NULL, self->id_buffer, error) ||
      !pt_method_set_input_tensor (self->embedding, 0, &tensor, error) ||
      !pt_method_execute (self->embedding, cancellable, error))
    return NULL;
  return pt_method_output (self->embedding, 0)->as_tensor;
}

/* Sets @rows as the embeddings that @method reads. They have the type that the model takes. @place:
 * the tensor on whose device they lie; NULL: the host. */
static gboolean
set_embeddings (PtLlm *self, PtMethod *method, guint n, const PtTensor *place, gpointer rows,
                GError **error)
{
  const gint64 sizes[3] = { 1, n, (gint64) self->row_width };
  guint input = self->reading == PT_LLM_EMBEDDINGS ? 0 : 2;
  PtTensor tensor;

  if (!pt_tensor_init (&tensor, self->row_type, 3, sizes, NULL, rows, error))
    return FALSE;
  if (place != NULL) {
    tensor.device_type = place->device_type;
    tensor.device_index = place->device_index;
  }
  return pt_method_set_input_tensor (method, input, &tensor, error);
}

static gboolean
set_token_embeddings (PtLlm *self, PtMethod *method, const gint32 *ids, guint n,
                      GCancellable *cancellable, GError **error)
{
  const PtTensor *made = embed (self, ids, n, cancellable, error);

  if (made == NULL)
    return FALSE;
  if (made->numel < n * self->row_width)
    return pt_fail (error, PT_ERROR_DELEGATE, "“token_embedding” gave too few embeddings.");
  if (made->dtype == self->row_type)
    return set_embeddings (self, method, n, made, made->data, error);
  if (made->device_type != PT_DEVICE_CPU)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“token_embedding” and “text_decoder” of the model differ in their types.");
  convert (self, n * self->row_width, made->data, made->dtype, self->rows);
  return set_embeddings (self, method, n, NULL, self->rows, error);
}

static gboolean
set_media_embeddings (PtLlm *self, PtMethod *method, const PtLlmEmbeddings *media, guint first,
                      guint n, GError **error)
{
  gsize size = self->row_width * pt_dtype_size (media->dtype);

  convert (self, n * self->row_width, (const guint8 *) media->rows + first * size, media->dtype,
           self->rows);
  return set_embeddings (self, method, n, NULL, self->rows, error);
}

gboolean
pt_llm_set_rows (PtLlm *self, const PtLlmMethod *method, const gint32 *ids, guint n,
                 const PtLlmEmbeddings *media, guint first, GCancellable *cancellable,
                 GError **error)
{
  if (media != NULL)
    return set_media_embeddings (self, method->method, media, first, n, error);
  if (self->reading == PT_LLM_EMBEDDINGS)
    return set_token_embeddings (self, method->method, ids, n, cancellable, error);
  memset (self->rows, 0, n * self->row_width * pt_dtype_size (self->row_type));
  return set_embeddings (self, method->method, n, NULL, self->rows, error);
}
