/* SPDX-License-Identifier: BSD-3-Clause */

/* Gives embeddings to models that read them: of tokens, pictures and sound. */

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/kernels/vector.h"
#include "engine/tasks/llm/llm-private.h"

/* Some exports of "token_embedding" take exactly this many ids (docs/formats/protocols.md, section
 * 4.1); the others accept as many, too. */
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

/* Whether @method takes ids [1, n] and returns embeddings [1, n, width], and perhaps more. */
static gboolean
is_embedding (const PtLlm *self, const PtMethod *method)
{
  const PtTensorSpec *ids, *rows;

  if (pt_method_n_inputs (method) != 1 || pt_method_n_outputs (method) == 0)
    return FALSE;
  ids = tensor_spec (pt_method_input_spec (method, 0));
  rows = tensor_spec (pt_method_output_spec (method, 0));
  return ids != NULL && rows != NULL && ids->rank == 2 && ids->sizes[0] == 1 && ids->numel > 0 &&
         (ids->dtype == PT_DTYPE_I64 || ids->dtype == PT_DTYPE_I32) && rows->rank >= 2 &&
         is_float (rows->dtype) && (gsize) rows->sizes[rows->rank - 1] == self->row_width;
}

/* Whether @method returns what the decoder reads besides embeddings. */
static gboolean
has_layers (const PtLlm *self, const PtMethod *method)
{
  const PtTensorSpec *layers;

  if (self->reading != PT_LLM_LAYER_EMBEDDINGS)
    return pt_method_n_outputs (method) == 1;
  layers =
      pt_method_n_outputs (method) == 2 ? tensor_spec (pt_method_output_spec (method, 1)) : NULL;
  return layers != NULL && layers->rank == 4 && is_float (layers->dtype) &&
         layers->sizes[2] == self->layer_sizes[0] && layers->sizes[3] == self->layer_sizes[1];
}

static gboolean
unlike_the_decoder (const PtLlm *self, PtModule *module, GError **error)
{
  g_autofree char *more = NULL;

  if (self->reading == PT_LLM_LAYER_EMBEDDINGS)
    more = g_strdup_printf (" and embeddings [1, n, %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]",
                            self->layer_sizes[0], self->layer_sizes[1]);
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "“token_embedding” of “%s” must take token ids [1, n] and give embeddings of "
                  "%" G_GSIZE_FORMAT " numbers%s, as “text_decoder” reads them.",
                  pt_program_path (pt_module_program (module)), self->row_width,
                  more != NULL ? more : "");
}

gboolean
pt_llm_load_embedding (PtLlm *self, PtModule *module, GError **error)
{
  const PtTensorSpec *ids;

  self->embedding = pt_module_method (module, "token_embedding", error);
  if (self->embedding == NULL)
    return FALSE;
  if (!is_embedding (self, self->embedding) || !has_layers (self, self->embedding))
    return unlike_the_decoder (self, module, error);
  ids = tensor_spec (pt_method_input_spec (self->embedding, 0));
  self->token_type = ids->dtype;
  self->chunk = MIN (self->chunk, (guint) ids->sizes[1]);
  self->pads = ids->dynamism == PT_DYNAMISM_STATIC && ids->sizes[1] > 1;
  self->least_tokens = self->pads ? (guint) ids->sizes[1] : LEAST_TOKENS;
  self->least_tokens = MIN (self->least_tokens, (guint) ids->sizes[1]);
  return TRUE;
}

gboolean
pt_llm_allocate_rows (PtLlm *self, GError **error)
{
  gsize n = MAX (self->chunk, 1), layers = pt_llm_layers_width (self);

  if (self->row_width == 0)
    return TRUE;
  self->rows = pt_allocate (n, self->row_width * pt_dtype_size (self->row_type), error);
  if (self->rows != NULL && layers > 0)
    self->layers = pt_allocate (n, layers * pt_dtype_size (self->layer_type), error);
  return self->rows != NULL && (layers == 0 || self->layers != NULL);
}

/* ---- conversion of element types ---- */

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

/* Converts @n numbers of @type to @wanted. */
static void
convert (gsize n, const guint8 *from, PtDType type, PtDType wanted, guint8 *to)
{
  float block[256];

  if (type == wanted) {
    memcpy (to, from, n * pt_dtype_size (type));
    return;
  }
  for (gsize i = 0; i < n; i += G_N_ELEMENTS (block)) {
    gsize count = MIN (n - i, G_N_ELEMENTS (block));

    widen (count, from + i * pt_dtype_size (type), type, block);
    narrow (count, block, wanted, to + i * pt_dtype_size (wanted));
  }
}

/* ---- embeddings of tokens ---- */

/* Embeds @ids, or zeros if that is NULL. If the method takes no fewer ids than some number, there
 * are more rows behind, which are not read. */
static gboolean
embed (PtLlm *self, const gint32 *ids, guint n, GCancellable *cancellable, GError **error)
{
  const gint64 sizes[2] = { 1, MAX (n, self->least_tokens) };
  PtTensor tensor;

  for (guint i = 0; i < sizes[1]; i++) {
    gint64 id = ids == NULL || (self->pads && i >= n) ? 0 : ids[MIN (i, n - 1)];

    pt_llm_store (self->id_buffer, self->token_type, i, id);
  }
  return pt_tensor_init (&tensor, self->token_type, 2, sizes, NULL, self->id_buffer, error) &&
         pt_method_set_input_tensor (self->embedding, 0, &tensor, error) &&
         pt_method_execute (self->embedding, cancellable, error);
}

/* Sets @rows, which have the type that the model takes, as input @input of @method. @place: the
 * tensor on whose device they lie; NULL: the host. */
static gboolean
set_embeddings (PtLlm *self, PtMethod *method, guint input, guint n, const PtTensor *place,
                gpointer rows, GError **error)
{
  gboolean layers = self->reading == PT_LLM_LAYER_EMBEDDINGS && input == 1;
  const gint64 sizes[3] = { 1, n, (gint64) self->row_width };
  const gint64 layer_sizes[4] = { 1, n, self->layer_sizes[0], self->layer_sizes[1] };
  PtTensor tensor;

  if (!pt_tensor_init (&tensor, layers ? self->layer_type : self->row_type, layers ? 4 : 3,
                       layers ? layer_sizes : sizes, NULL, rows, error))
    return FALSE;
  if (place != NULL) {
    tensor.device_type = place->device_type;
    tensor.device_index = place->device_index;
  }
  return pt_method_set_input_tensor (method, input, &tensor, error);
}

/* Passes output @i of "token_embedding" on as the input of the same number: embeddings, or those
 * for each layer. */
static gboolean
set_from_output (PtLlm *self, PtMethod *method, guint i, guint n, GError **error)
{
  const PtTensor *made = pt_method_output (self->embedding, i)->as_tensor;
  PtDType wanted = i == 0 ? self->row_type : self->layer_type;
  guint8 *room = i == 0 ? self->rows : self->layers;
  gsize width = i == 0 ? self->row_width : pt_llm_layers_width (self);

  if (made->numel < n * width)
    return pt_fail (error, PT_ERROR_DELEGATE, "“token_embedding” gave too few embeddings.");
  if (made->dtype == wanted)
    return set_embeddings (self, method, i, n, made, made->data, error);
  if (made->device_type != PT_DEVICE_CPU)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“token_embedding” and “text_decoder” of the model differ in their types.");
  convert (n * width, made->data, made->dtype, wanted, room);
  return set_embeddings (self, method, i, n, NULL, room, error);
}

static gboolean
set_token_embeddings (PtLlm *self, PtMethod *method, const gint32 *ids, guint n,
                      GCancellable *cancellable, GError **error)
{
  return embed (self, ids, n, cancellable, error) && set_from_output (self, method, 0, n, error) &&
         (self->reading != PT_LLM_LAYER_EMBEDDINGS || set_from_output (self, method, 1, n, error));
}

/* Media have no embeddings for each layer: those of token 0 are read in their place. */
static gboolean
set_media_embeddings (PtLlm *self, PtMethod *method, const PtLlmEmbeddings *media, guint first,
                      guint n, GCancellable *cancellable, GError **error)
{
  gsize size = self->row_width * pt_dtype_size (media->dtype);
  guint input = self->reading == PT_LLM_IDS_BESIDE_EMBEDDINGS ? 2 : 0;

  if (self->reading == PT_LLM_LAYER_EMBEDDINGS &&
      (!embed (self, NULL, n, cancellable, error) || !set_from_output (self, method, 1, n, error)))
    return FALSE;
  convert (n * self->row_width, (const guint8 *) media->rows + first * size, media->dtype,
           self->row_type, self->rows);
  return set_embeddings (self, method, input, n, NULL, self->rows, error);
}

gboolean
pt_llm_set_rows (PtLlm *self, const PtLlmMethod *method, const gint32 *ids, guint n,
                 const PtLlmEmbeddings *media, guint first, GCancellable *cancellable,
                 GError **error)
{
  if (media != NULL)
    return set_media_embeddings (self, method->method, media, first, n, cancellable, error);
  if (self->reading != PT_LLM_IDS_BESIDE_EMBEDDINGS)
    return set_token_embeddings (self, method->method, ids, n, cancellable, error);
  memset (self->rows, 0, n * self->row_width * pt_dtype_size (self->row_type));
  return set_embeddings (self, method->method, 2, n, NULL, self->rows, error);
}
