/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-model.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/device.h"
#include "engine/tasks/speech/floats.h"

struct _PtWhisperModel {
  PtWhisperLayout layout;
  gpointer stored;                       /* a window in the encoder's dtype, when that is not F32 */
  gsize n_stored;                        /* numbers that fit there */
  gint32 said[PT_WHISPER_MAX_POSITIONS]; /* ids at all positions so far */
  gint64 ids[PT_WHISPER_MAX_POSITIONS], positions[PT_WHISPER_MAX_POSITIONS]; /* arguments */
  float *logits;
  gint32 chosen;
  guint64 version; /* of what the encoder gave */
};

PtWhisperModel *
pt_whisper_model_new (PtModule *module, PtModule *decoder, GError **error)
{
  g_autoptr (PtWhisperModel) self = g_new0 (PtWhisperModel, 1);

  if (!pt_whisper_layout_find (module, decoder, &self->layout, error))
    return NULL;
  if (!self->layout.chooses_ids) {
    self->logits = pt_allocate (self->layout.n_ids, sizeof (float), error);
    if (self->logits == NULL)
      return NULL;
  }
  /* The encoder's output on a GPU is read only by the decoder. */
  pt_method_keep_output_on_device (self->layout.encoder, 0, TRUE);
  /* Only the last row of the logits of a prompt is needed. */
  if (!self->layout.fixed_ids && !self->layout.chooses_ids)
    pt_method_set_last_rows (self->layout.decoder, 0, 1);
  return g_steal_pointer (&self);
}

void
pt_whisper_model_free (PtWhisperModel *self)
{
  if (self == NULL)
    return;
  g_free (self->stored);
  g_free (self->logits);
  g_free (self);
}

const PtWhisperLayout *
pt_whisper_model_layout (const PtWhisperModel *self)
{
  return &self->layout;
}

guint
pt_whisper_model_n_ids (const PtWhisperModel *self)
{
  return self->layout.n_ids;
}

guint
pt_whisper_model_n_positions (const PtWhisperModel *self)
{
  return self->layout.n_positions;
}

/* ---- the encoder ---- */

/* @values in the encoder's dtype; NULL with an error. */
static gpointer
store (PtWhisperModel *self, const float *values, gsize n, GError **error)
{
  if (self->layout.input.dtype == PT_DTYPE_F32)
    return (gpointer) values;
  if (n > self->n_stored) {
    g_clear_pointer (&self->stored, g_free);
    self->n_stored = 0;
    self->stored = pt_allocate (n, pt_dtype_size (self->layout.input.dtype), error);
    if (self->stored == NULL)
      return NULL;
    self->n_stored = n;
  }
  pt_floats_store (self->layout.input.dtype, n, values, self->stored);
  return self->stored;
}

static gboolean
init_window (PtWhisperModel *self, PtTensor *tensor, const float *values, gsize n, GError **error)
{
  const PtWhisperInput *input = &self->layout.input;
  gint64 sizes[3] = { 1, 1, 1 };
  gpointer data = store (self, values, n, error);

  if (data == NULL)
    return FALSE;
  if (input->sound == PT_WHISPER_MEL) {
    sizes[1] = input->n_bands;
    sizes[2] = (gint64) (n / input->n_bands);
  } else if (input->sound == PT_WHISPER_MAGNITUDES) {
    sizes[0] = (gint64) (n / input->n_bands);
    sizes[1] = input->n_bands;
  } else {
    sizes[input->rank - 1] = (gint64) n;
  }
  return pt_tensor_init (tensor, input->dtype, input->rank, sizes, NULL, data, error);
}

/* The encoder may still run on a GPU; for measurements wait for it. */
static gboolean
finish_encoding (PtWhisperModel *self, GError **error)
{
  const PtTensor *encoded = pt_method_output (self->layout.encoder, 0)->as_tensor;
  const PtDevice *device = pt_device_find (encoded->device_type);

  return device == NULL || device->synchronize == NULL ||
         device->synchronize (encoded->device_index, error);
}

gboolean
pt_whisper_model_encode (PtWhisperModel *self, const float *values, gsize n,
                         GCancellable *cancellable, GError **error)
{
  PtTensor tensor;

  self->version = pt_tensor_new_version ();
  return init_window (self, &tensor, values, n, error) &&
         pt_method_set_input_tensor (self->layout.encoder, 0, &tensor, error) &&
         pt_method_execute (self->layout.encoder, cancellable, error) &&
         finish_encoding (self, error) && pt_method_reset_state (self->layout.decoder, error);
}

/* ---- the decoder ---- */

/* Passes the output of the encoder to the decoder, with the rank that the decoder declares. */
static gboolean
set_sound (PtWhisperModel *self, GError **error)
{
  const PtTensorSpec *spec = pt_input_tensor_spec (self->layout.decoder, self->layout.sound_input);
  const PtTensor *encoded =
      pt_value_tensor (pt_method_output (self->layout.encoder, 0), "the encoded sound", error);
  gint64 sizes[PT_MAX_RANK];
  PtTensor sound;

  if (encoded == NULL)
    return FALSE;
  sound = *encoded;
  if (encoded->rank != spec->rank) {
    /* They differ by leading ones (whisper-layout.c). */
    for (guint i = 0; i < spec->rank; i++) {
      gint from = (gint) i + (gint) encoded->rank - (gint) spec->rank;

      sizes[i] = from >= 0 ? encoded->sizes[from] : 1;
    }
    if (!pt_tensor_init (&sound, encoded->dtype, spec->rank, sizes, NULL, encoded->data, error))
      return FALSE;
    if (sound.numel != encoded->numel)
      return pt_whisper_layout_fail (self->layout.encoder_program, error,
                                     "its encoder gave another shape than it declares");
    sound.device_type = encoded->device_type;
    sound.device_index = encoded->device_index;
  }
  /* Until the next window, values that depend only on the encoder's output can be cached. */
  sound.is_constant = TRUE;
  sound.version = self->version;
  return pt_method_set_input_tensor (self->layout.decoder, self->layout.sound_input, &sound, error);
}

/* @n ids, the first of them at @position. */
static gboolean
set_ids (PtWhisperModel *self, const gint32 *ids, guint n, guint position, GError **error)
{
  const PtWhisperLayout *layout = &self->layout;
  gint64 id_sizes[2] = { 1, layout->fixed_ids ? layout->max_ids : n };
  gint64 position_size = layout->one_position ? 1 : n;
  PtTensor id_tensor, position_tensor;

  for (guint i = 0; i < id_sizes[1]; i++)
    pt_index_store (layout->id_dtype, self->ids, i, i < n ? ids[i] : 0);
  if (!pt_tensor_init (&id_tensor, layout->id_dtype, 2, id_sizes, NULL, self->ids, error) ||
      !pt_method_set_input_tensor (layout->decoder, 0, &id_tensor, error))
    return FALSE;
  if (layout->position_input == 0)
    return TRUE;
  for (guint i = 0; i < n; i++)
    pt_index_store (layout->position_dtype, self->positions, i, position + i);
  return pt_tensor_init (&position_tensor, layout->position_dtype, 1, &position_size, NULL,
                         self->positions, error) &&
         pt_method_set_input_tensor (layout->decoder, layout->position_input, &position_tensor,
                                     error);
}

/* The row of the decoder's output behind id @n - 1 of the call, as floats of our own. */
static gboolean
take_logits (PtWhisperModel *self, guint n, GError **error)
{
  PtTensor *tensor = pt_in_tensor (pt_method_output (self->layout.decoder, 0), "the logits", error);
  gsize n_ids = self->layout.n_ids, n_rows, row;

  if (tensor == NULL)
    return FALSE;
  n_rows = tensor->numel / n_ids;
  row = self->layout.fixed_ids ? n - 1 : n_rows - 1;
  if (tensor->rank < 1 || tensor->sizes[tensor->rank - 1] != (gint64) n_ids || n_rows < 1 ||
      row >= n_rows || !pt_tensor_is_contiguous (tensor))
    return pt_whisper_layout_fail (self->layout.decoder_program, error,
                                   "its logits have another shape than declared");
  pt_floats_load (tensor->dtype, n_ids,
                  (const guint8 *) tensor->data + row * n_ids * pt_dtype_size (tensor->dtype),
                  self->logits);
  return TRUE;
}

/* The id that the decoder chose behind id @n - 1 of the call. */
static gboolean
take_id (PtWhisperModel *self, guint n, GError **error)
{
  PtTensor *tensor =
      pt_in_tensor (pt_method_output (self->layout.decoder, 0), "the chosen ids", error);
  gint64 id = -1;

  if (tensor == NULL)
    return FALSE;
  if ((tensor->dtype == PT_DTYPE_I64 || tensor->dtype == PT_DTYPE_I32) &&
      tensor->numel >= (self->layout.fixed_ids ? n : 1) && pt_tensor_is_contiguous (tensor))
    id = pt_index_load (tensor->dtype, tensor->data,
                        (self->layout.fixed_ids ? n : tensor->numel) - 1);
  if (id < 0 || id > G_MAXINT32)
    return pt_whisper_layout_fail (self->layout.decoder_program, error,
                                   "its decoder returned no id of a token");
  self->chosen = (gint32) id;
  return TRUE;
}

/* Without a cache, every call gets all ids. */
static gboolean
feed_all (PtWhisperModel *self, guint n, GCancellable *cancellable, GError **error)
{
  return set_ids (self, self->said, n, 0, error) && set_sound (self, error) &&
         pt_method_execute (self->layout.decoder, cancellable, error) &&
         (self->layout.chooses_ids ? take_id : take_logits) (self, n, error);
}

gboolean
pt_whisper_model_feed (PtWhisperModel *self, const gint32 *ids, guint n, guint position,
                       GCancellable *cancellable, GError **error)
{
  guint done, count = 0;

  if (n == 0 || n > self->layout.n_positions || position > self->layout.n_positions - n)
    return pt_fail (error, PT_ERROR_CONTEXT_FULL, "The speech model has only %u positions.",
                    self->layout.n_positions);
  memcpy (self->said + position, ids, n * sizeof *ids);
  if (self->layout.position_input == 0)
    return feed_all (self, position + n, cancellable, error);
  for (done = 0; done < n; done += count) {
    count = MIN (n - done, self->layout.max_ids);
    if (!set_ids (self, ids + done, count, position + done, error) || !set_sound (self, error) ||
        !pt_method_execute (self->layout.decoder, cancellable, error))
      return FALSE;
  }
  return take_logits (self, count, error);
}

float *
pt_whisper_model_logits (PtWhisperModel *self)
{
  return self->logits;
}

gint32
pt_whisper_model_chosen (const PtWhisperModel *self)
{
  return self->chosen;
}
