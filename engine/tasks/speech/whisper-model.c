/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-model.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/kernels/vector.h"
#include "engine/runtime/device.h"

/* The position table has at most this many rows, whatever the metadata say
   (docs/formats/protocols.md, section 5.1). */
#define MAX_POSITIONS 448
#define MAX_BANDS 201
#define MAX_FRAMES (100 * 120)

struct _PtWhisperModel {
  PtMethod *encoder, *decoder; /* of the module */
  guint n_bands, n_frames, n_ids, n_positions;
  PtDType feature_dtype;
  guint16 *half_features; /* in the encoder's dtype, when that is 16 bits wide */
  PtDType id_dtype, position_dtype;
  guint max_ids;         /* in one call */
  gboolean one_position; /* the position is one number for all ids of a call */
  gint64 ids[MAX_POSITIONS], positions[MAX_POSITIONS]; /* arguments; or gint32 in them */
  float *logits;
  guint64 version; /* of what the encoder gave */
};

static const PtTensorSpec *
tensor_spec (const PtValueSpec *spec)
{
  return spec != NULL && spec->kind == PT_VALUE_TENSOR ? spec->as_tensor : NULL;
}

static gboolean
is_id_dtype (PtDType dtype)
{
  return dtype == PT_DTYPE_I64 || dtype == PT_DTYPE_I32;
}

static gboolean
is_float_dtype (PtDType dtype)
{
  return dtype == PT_DTYPE_F32 || dtype == PT_DTYPE_F16 || dtype == PT_DTYPE_BF16;
}

static gboolean
fail_layout (const char *what, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "This speech model is not supported: %s. Export it with the methods encoder and "
                  "text_decoder, as Whisper's are.",
                  what);
}

static gboolean
read_encoder (PtWhisperModel *self, GError **error)
{
  const PtTensorSpec *in, *out;

  if (pt_method_n_inputs (self->encoder) != 1 || pt_method_n_outputs (self->encoder) != 1)
    return fail_layout ("its encoder does not turn one input into one output", error);
  in = tensor_spec (pt_method_input_spec (self->encoder, 0));
  out = tensor_spec (pt_method_output_spec (self->encoder, 0));
  if (in == NULL || out == NULL || in->rank != 3 || in->sizes[0] != 1 ||
      !is_float_dtype (in->dtype) || in->sizes[1] < 1 || in->sizes[1] > MAX_BANDS ||
      in->sizes[2] < 4 || in->sizes[2] > MAX_FRAMES || in->sizes[2] % 2 != 0)
    return fail_layout ("its encoder does not take a log-mel spectrogram", error);
  self->n_bands = (guint) in->sizes[1];
  self->n_frames = (guint) in->sizes[2];
  self->feature_dtype = in->dtype;
  if (in->dtype == PT_DTYPE_F32)
    return TRUE;
  self->half_features =
      pt_allocate ((gsize) self->n_bands * self->n_frames, sizeof (guint16), error);
  return self->half_features != NULL;
}

static gboolean
read_decoder (PtWhisperModel *self, GError **error)
{
  const PtTensorSpec *ids, *states, *positions, *logits;

  if (pt_method_n_inputs (self->decoder) != 3 || pt_method_n_outputs (self->decoder) < 1)
    return fail_layout ("its decoder does not take ids, encoder output and positions", error);
  ids = tensor_spec (pt_method_input_spec (self->decoder, 0));
  states = tensor_spec (pt_method_input_spec (self->decoder, 1));
  positions = tensor_spec (pt_method_input_spec (self->decoder, 2));
  logits = tensor_spec (pt_method_output_spec (self->decoder, 0));
  if (ids == NULL || states == NULL || positions == NULL || logits == NULL || ids->rank != 2 ||
      ids->sizes[0] != 1 || ids->sizes[1] < 1 || !is_id_dtype (ids->dtype) ||
      positions->rank != 1 || positions->sizes[0] < 1 || !is_id_dtype (positions->dtype))
    return fail_layout ("its decoder does not take ids, encoder output and positions", error);
  if (ids->dynamism == PT_DYNAMISM_STATIC && ids->sizes[1] != 1)
    return fail_layout ("its decoder wants a fixed number of ids", error);
  if (logits->rank < 1 || logits->sizes[logits->rank - 1] < 2 || !is_float_dtype (logits->dtype))
    return fail_layout ("its decoder does not return logits", error);
  self->id_dtype = ids->dtype;
  self->position_dtype = positions->dtype;
  self->max_ids = MIN ((guint) ids->sizes[1], MAX_POSITIONS);
  self->one_position = positions->sizes[0] == 1;
  self->n_ids = (guint) logits->sizes[logits->rank - 1];
  self->logits = pt_allocate (self->n_ids, sizeof (float), error);
  return self->logits != NULL;
}

PtWhisperModel *
pt_whisper_model_new (PtModule *module, GError **error)
{
  g_autoptr (PtWhisperModel) self = g_new0 (PtWhisperModel, 1);
  gint64 positions = MAX_POSITIONS;

  if (!pt_module_has_method (module, "encoder") || !pt_module_has_method (module, "text_decoder")) {
    fail_layout ("it lacks the methods encoder and text_decoder", error);
    return NULL;
  }
  self->encoder = pt_module_method (module, "encoder", error);
  if (self->encoder == NULL)
    return NULL;
  self->decoder = pt_module_method (module, "text_decoder", error);
  if (self->decoder == NULL || !read_encoder (self, error) || !read_decoder (self, error))
    return NULL;
  pt_module_constant_int (module, "get_max_seq_len", &positions);
  self->n_positions = (guint) CLAMP (positions, 16, MAX_POSITIONS);
  /* The encoder's output on a GPU is read only by the decoder. */
  pt_method_keep_output_on_device (self->encoder, 0, TRUE);
  /* Only the last row of the logits of a prompt is needed; without this the others are computed for
     nothing. */
  pt_method_set_last_rows (self->decoder, 0, 1);
  return g_steal_pointer (&self);
}

void
pt_whisper_model_free (PtWhisperModel *self)
{
  if (self == NULL)
    return;
  g_free (self->half_features);
  g_free (self->logits);
  g_free (self);
}

guint
pt_whisper_model_n_bands (const PtWhisperModel *self)
{
  return self->n_bands;
}

guint
pt_whisper_model_n_frames (const PtWhisperModel *self)
{
  return self->n_frames;
}

guint
pt_whisper_model_n_ids (const PtWhisperModel *self)
{
  return self->n_ids;
}

guint
pt_whisper_model_n_positions (const PtWhisperModel *self)
{
  return self->n_positions;
}

/* The encoder may still run on a GPU; for measurements wait for it. */
static gboolean
finish_encoding (PtWhisperModel *self, GError **error)
{
  const PtTensor *encoded = pt_method_output (self->encoder, 0)->as_tensor;
  const PtDevice *device = pt_device_find (encoded->device_type);

  return device == NULL || device->synchronize == NULL ||
         device->synchronize (encoded->device_index, error);
}

gboolean
pt_whisper_model_encode (PtWhisperModel *self, const float *features, GCancellable *cancellable,
                         GError **error)
{
  gint64 sizes[3] = { 1, self->n_bands, self->n_frames };
  gsize n = (gsize) self->n_bands * self->n_frames;
  gpointer data = (gpointer) features;
  PtTensor tensor;

  self->version = pt_tensor_new_version ();
  if (self->feature_dtype == PT_DTYPE_F16)
    pt_vector_f32_to_f16 (n, features, data = self->half_features);
  else if (self->feature_dtype == PT_DTYPE_BF16)
    pt_vector_f32_to_bf16 (n, features, data = self->half_features);
  return pt_tensor_init (&tensor, self->feature_dtype, 3, sizes, NULL, data, error) &&
         pt_method_set_input_tensor (self->encoder, 0, &tensor, error) &&
         pt_method_execute (self->encoder, cancellable, error) && finish_encoding (self, error) &&
         pt_method_reset_state (self->decoder, error);
}

static void
put (gint64 *numbers, PtDType dtype, guint i, gint64 value)
{
  if (dtype == PT_DTYPE_I64)
    numbers[i] = value;
  else
    ((gint32 *) numbers)[i] = (gint32) value;
}

static gboolean
set_inputs (PtWhisperModel *self, const gint32 *ids, guint n, guint position, GError **error)
{
  PtTensor *encoded =
      pt_value_tensor (pt_method_output (self->encoder, 0), "the encoded sound", error);
  gint64 id_sizes[2] = { 1, n };
  gint64 position_size = self->one_position ? 1 : n;
  PtTensor id_tensor, position_tensor, states;
  guint i;

  if (encoded == NULL)
    return FALSE;
  states = *encoded;
  /* Until the next window, values that depend only on the encoder's output can be cached. */
  states.is_constant = TRUE;
  states.version = self->version;
  for (i = 0; i < n; i++) {
    put (self->ids, self->id_dtype, i, ids[i]);
    put (self->positions, self->position_dtype, i, position + i);
  }
  return pt_tensor_init (&id_tensor, self->id_dtype, 2, id_sizes, NULL, self->ids, error) &&
         pt_tensor_init (&position_tensor, self->position_dtype, 1, &position_size, NULL,
                         self->positions, error) &&
         pt_method_set_input_tensor (self->decoder, 0, &id_tensor, error) &&
         pt_method_set_input_tensor (self->decoder, 1, &states, error) &&
         pt_method_set_input_tensor (self->decoder, 2, &position_tensor, error);
}

/* Converts the last row of the decoder's output to float. */
static gboolean
take_logits (PtWhisperModel *self, GError **error)
{
  PtTensor *tensor = pt_in_tensor (pt_method_output (self->decoder, 0), "the logits", error);
  const guint8 *row;
  gsize size;

  if (tensor == NULL)
    return FALSE;
  if (tensor->rank < 1 || tensor->sizes[tensor->rank - 1] != (gint64) self->n_ids ||
      tensor->numel < self->n_ids || !pt_tensor_is_contiguous (tensor))
    return fail_layout ("its logits have another shape than declared", error);
  size = pt_dtype_size (tensor->dtype);
  row = (const guint8 *) tensor->data + (tensor->numel - self->n_ids) * size;
  if (tensor->dtype == PT_DTYPE_F32)
    memcpy (self->logits, row, self->n_ids * sizeof (float));
  else if (tensor->dtype == PT_DTYPE_F16)
    pt_vector_f16_to_f32 (self->n_ids, (const guint16 *) row, self->logits);
  else
    pt_vector_bf16_to_f32 (self->n_ids, (const guint16 *) row, self->logits);
  return TRUE;
}

gboolean
pt_whisper_model_feed (PtWhisperModel *self, const gint32 *ids, guint n, guint position,
                       GCancellable *cancellable, GError **error)
{
  guint done, count;

  if (n == 0 || n > self->n_positions || position > self->n_positions - n)
    return pt_fail (error, PT_ERROR_CONTEXT_FULL, "The speech model has only %u positions.",
                    self->n_positions);
  for (done = 0; done < n; done += count) {
    count = MIN (n - done, self->max_ids);
    if (!set_inputs (self, ids + done, count, position + done, error) ||
        !pt_method_execute (self->decoder, cancellable, error))
      return FALSE;
  }
  return take_logits (self, error);
}

float *
pt_whisper_model_logits (PtWhisperModel *self)
{
  return self->logits;
}
