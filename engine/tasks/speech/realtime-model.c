/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/realtime-model.h"

#include <string.h>

#include "engine/audio/mel.h"
#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/speech/floats.h"
#include "engine/tasks/speech/whisper-rules.h"

/* Limits of sizes that no model exceeds; products of two of them cannot overflow. */
#define MAX_BANDS 201
#define MAX_SAMPLES (60 * PT_MEL_RATE)
#define MAX_DELAY 4096
#define MAX_WIDTH (1 << 16)
#define MAX_VOCABULARY (1 << 24)
#define MAX_COLUMNS (100 * 3600)
#define MAX_FRAMES_PER_STEP 64
/* Positions of the encoder; two columns of the mel spectrogram make one. */
#define MAX_ENCODER_POSITIONS 256
/* Columns of the mel spectrogram for one position of the encoder. */
#define STRIDE 2

struct _PtRealtimeModel {
  PtMethod *encoder, *embedding, *decoder; /* of the module */
  PtRealtimeShape shape;
  guint width, n_ids;                /* of embeddings, of logits */
  PtDType mel_dtype, position_dtype; /* of the encoder's inputs */
  PtDType id_dtype, input_dtype, cache_dtype;
  guint n_encoder_positions; /* that a chunk takes */
  guint64 encoder_position, position;
  gint64 encoder_positions[MAX_ENCODER_POSITIONS]; /* arguments; or gint32 in them */
  gint64 id, cache_position;
  guint8 *mel;   /* in the encoder's dtype, when that is not F32 */
  float *frames; /* encoded frames, [n, width] */
  guint n_frames;
  float *sum, *logits;
  guint8 *input; /* the sum, in the decoder's dtype */
};

static gboolean
fail_layout (const char *what, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "This Voxtral Realtime model is not supported: %s.",
                  what);
}

/* ---- metadata ---- */

/* Reads a number of the metadata between @least and @most; @fallback if it is missing. */
static gboolean
read_number (PtModule *module, const char *name, gint64 fallback, gint64 least, gint64 most,
             guint *out, GError **error)
{
  gint64 value = fallback;

  pt_module_constant_int (module, name, &value);
  if (value < least || value > most)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The metadata of this speech model is invalid: “%s” is %" G_GINT64_FORMAT
                    ", and should be between %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT ".",
                    name, value, least, most);
  *out = (guint) value;
  return TRUE;
}

/* Checks that the metadata match our own mel spectrogram. */
static gboolean
check_sound (PtModule *module, GError **error)
{
  static const struct {
    const char *name;
    gint64 value;
  } FIXED[] = { { "sample_rate", PT_MEL_RATE },
                { "hop_length", PT_MEL_HOP },
                { "window_size", 400 } };

  for (guint i = 0; i < G_N_ELEMENTS (FIXED); i++) {
    gint64 value = FIXED[i].value;

    pt_module_constant_int (module, FIXED[i].name, &value);
    if (value != FIXED[i].value)
      return pt_fail (
          error, PT_ERROR_UNSUPPORTED,
          "This speech model needs audio in an unsupported form: its “%s” is %" G_GINT64_FORMAT
          ", not %" G_GINT64_FORMAT ".",
          FIXED[i].name, value, FIXED[i].value);
  }
  return TRUE;
}

static gboolean
read_streaming (PtRealtimeModel *self, PtModule *module, GError **error)
{
  PtRealtimeShape *shape = &self->shape;
  gint64 window = 0;

  if (!read_number (module, "step_samples", 1280, PT_MEL_HOP, MAX_SAMPLES, &shape->step, error) ||
      !read_number (module, "stft_left_overlap", 320, 0, MAX_SAMPLES, &shape->left, error) ||
      !read_number (module, "stft_right_lookahead", 40, 0, MAX_SAMPLES, &shape->look, error) ||
      !read_number (module, "mel_skip_frames", 2, 0, MAX_SAMPLES, &shape->skip, error) ||
      !read_number (module, "chunk_mel_len", 8, 1, MAX_COLUMNS, &shape->chunk, error))
    return FALSE;
  if (shape->skip + shape->chunk > (shape->left + shape->step + shape->look) / PT_MEL_HOP)
    return fail_layout ("the columns of a step are more than its sound makes", error);
  pt_module_constant_int (module, "sliding_window", &window);
  /* A ring cache has no last position; a table ends with its last row (docs/formats/protocols.md,
     section 6.1). */
  if (window > 0)
    shape->n_positions = G_MAXUINT64;
  return TRUE;
}

static gboolean
read_metadata (PtRealtimeModel *self, PtModule *module, GError **error)
{
  PtRealtimeShape *shape = &self->shape;
  guint factor = 1, positions = 0;

  if (!check_sound (module, error) ||
      !read_number (module, "num_mel_bins", 128, 1, MAX_BANDS, &shape->n_bands, error) ||
      !read_number (module, "downsample_factor", 4, 1, 64, &factor, error) ||
      !read_number (module, "delay_tokens", 6, 0, MAX_DELAY, &shape->delay, error) ||
      !read_number (module, "max_seq_len", 4096, 2, G_MAXINT, &positions, error))
    return FALSE;
  shape->frame = factor * STRIDE * PT_MEL_HOP;
  shape->n_positions = positions;
  return !shape->streaming || read_streaming (self, module, error);
}

/* ---- methods ---- */

static gboolean
check_encoder (PtRealtimeModel *self, GError **error)
{
  const PtTensorSpec *mel = pt_input_tensor_spec (self->encoder, 0);
  const PtTensorSpec *out = pt_output_tensor_spec (self->encoder, 0);
  const PtTensorSpec *positions = pt_input_tensor_spec (self->encoder, 1);
  PtRealtimeShape *shape = &self->shape;

  if (!pt_spec_is_floats (mel, 3) || mel->sizes[0] != 1 || !pt_spec_is_floats (out, 3) ||
      out->sizes[0] != 1 || out->sizes[1] < 1 || out->sizes[2] < 1 || out->sizes[2] > MAX_WIDTH ||
      mel->sizes[2] < 1 || mel->sizes[2] > MAX_COLUMNS || out->sizes[1] > MAX_COLUMNS ||
      pt_method_n_inputs (self->encoder) != (shape->streaming ? 2 : 1))
    return fail_layout ("its encoder does not turn a spectrogram into embeddings", error);
  if (mel->sizes[1] != (gint64) shape->n_bands)
    return fail_layout ("its encoder wants another number of bands than the metadata say", error);
  self->mel_dtype = mel->dtype;
  self->width = (guint) out->sizes[2];
  if (!shape->streaming) {
    shape->max_frames = (guint) mel->sizes[2] / (shape->frame / PT_MEL_HOP);
    return shape->max_frames > 0 || fail_layout ("its encoder takes less than one frame", error);
  }
  if (!pt_spec_is_indices (positions, 1) || positions->sizes[0] < 1 ||
      positions->sizes[0] > MAX_ENCODER_POSITIONS || mel->sizes[2] != (gint64) shape->chunk ||
      out->sizes[1] > MAX_FRAMES_PER_STEP)
    return fail_layout ("its encoder takes other chunks than the metadata say", error);
  self->position_dtype = positions->dtype;
  self->n_encoder_positions = (guint) positions->sizes[0];
  shape->frames_per_step = (guint) out->sizes[1];
  if (shape->step % shape->frames_per_step != 0)
    return fail_layout ("a step is no whole number of frames", error);
  shape->frame = shape->step / shape->frames_per_step;
  return TRUE;
}

static gboolean
check_decoder (PtRealtimeModel *self, GError **error)
{
  const PtTensorSpec *ids = pt_input_tensor_spec (self->embedding, 0);
  const PtTensorSpec *embedded = pt_output_tensor_spec (self->embedding, 0);
  const PtTensorSpec *in = pt_input_tensor_spec (self->decoder, 0);
  const PtTensorSpec *positions = pt_input_tensor_spec (self->decoder, 1);
  const PtTensorSpec *logits = pt_output_tensor_spec (self->decoder, 0);

  if (!pt_spec_is_indices (ids, 2) || !pt_spec_is_floats (embedded, 3) ||
      pt_method_n_inputs (self->embedding) != 1 || embedded->sizes[2] != (gint64) self->width)
    return fail_layout ("the embeddings of its tokens and of its sound differ in size", error);
  if (!pt_spec_is_floats (in, 3) || in->sizes[2] != (gint64) self->width ||
      !pt_spec_is_indices (positions, 1) || pt_method_n_inputs (self->decoder) != 2)
    return fail_layout ("its decoder does not take embeddings and positions", error);
  if (!pt_spec_is_floats (logits, 3) || logits->sizes[2] < 2 || logits->sizes[2] > MAX_VOCABULARY)
    return fail_layout ("its decoder does not return logits", error);
  self->id_dtype = ids->dtype;
  self->input_dtype = in->dtype;
  self->cache_dtype = positions->dtype;
  self->n_ids = (guint) logits->sizes[2];
  return TRUE;
}

static gboolean
load (PtRealtimeModel *self, PtModule *module, GError **error)
{
  const char *encoder = self->shape.streaming ? "encode_audio_chunk" : "audio_encoder";

  self->encoder = pt_module_method (module, encoder, error);
  if (self->encoder == NULL)
    return FALSE;
  self->embedding = pt_module_method (module, "token_embedding", error);
  if (self->embedding == NULL)
    return FALSE;
  self->decoder = pt_module_method (module, "text_decoder", error);
  return self->decoder != NULL && read_metadata (self, module, error) &&
         check_encoder (self, error) && check_decoder (self, error);
}

static gboolean
allocate (PtRealtimeModel *self, GError **error)
{
  const PtRealtimeShape *shape = &self->shape;
  gsize columns =
      shape->streaming ? shape->chunk : (gsize) shape->max_frames * (shape->frame / PT_MEL_HOP);
  gsize frames = shape->streaming ? shape->frames_per_step : shape->max_frames;

  if (self->mel_dtype != PT_DTYPE_F32) {
    self->mel = pt_allocate (columns * shape->n_bands, 2, error);
    if (self->mel == NULL)
      return FALSE;
  }
  self->frames = pt_allocate (frames * self->width, sizeof (float), error);
  if (self->frames == NULL)
    return FALSE;
  self->sum = pt_allocate (self->width, sizeof (float), error);
  if (self->sum == NULL)
    return FALSE;
  self->input = pt_allocate (self->width, sizeof (float), error);
  if (self->input == NULL)
    return FALSE;
  self->logits = pt_allocate (self->n_ids, sizeof (float), error);
  return self->logits != NULL;
}

PtRealtimeModel *
pt_realtime_model_new (PtModule *module, GError **error)
{
  g_autoptr (PtRealtimeModel) self = g_new0 (PtRealtimeModel, 1);

  self->shape.streaming = pt_module_has_method (module, "encode_audio_chunk");
  if (!load (self, module, error) || !allocate (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_realtime_model_free (PtRealtimeModel *self)
{
  if (self == NULL)
    return;
  g_free (self->mel);
  g_free (self->frames);
  g_free (self->sum);
  g_free (self->input);
  g_free (self->logits);
  g_free (self);
}

const PtRealtimeShape *
pt_realtime_model_shape (const PtRealtimeModel *self)
{
  return &self->shape;
}

guint64
pt_realtime_model_position (const PtRealtimeModel *self)
{
  return self->position;
}

void
pt_realtime_model_start (PtRealtimeModel *self)
{
  self->position = self->encoder_position = 0;
  self->n_frames = 0;
}

/* ---- hearing ---- */

static gboolean
set_encoder_positions (PtRealtimeModel *self, GError **error)
{
  gint64 size = self->n_encoder_positions;
  PtTensor tensor;

  for (guint i = 0; i < self->n_encoder_positions; i++)
    pt_index_store (self->position_dtype, self->encoder_positions, i,
                    (gint64) (self->encoder_position + i));
  return pt_tensor_init (&tensor, self->position_dtype, 1, &size, NULL, self->encoder_positions,
                         error) &&
         pt_method_set_input_tensor (self->encoder, 1, &tensor, error);
}

gboolean
pt_realtime_model_hear (PtRealtimeModel *self, const float *mel, guint n_columns, guint *n_frames,
                        GCancellable *cancellable, GError **error)
{
  const PtRealtimeShape *shape = &self->shape;
  gint64 sizes[3] = { 1, shape->n_bands, n_columns };
  gpointer data = (gpointer) mel;
  PtTensor tensor;

  *n_frames = shape->streaming ? shape->frames_per_step : n_columns / (shape->frame / PT_MEL_HOP);
  g_return_val_if_fail (
      shape->streaming ? n_columns == shape->chunk : *n_frames <= shape->max_frames, FALSE);
  if (self->mel != NULL)
    pt_floats_store (self->mel_dtype, (gsize) shape->n_bands * n_columns, mel, data = self->mel);
  if (!pt_tensor_init (&tensor, self->mel_dtype, 3, sizes, NULL, data, error) ||
      !pt_method_set_input_tensor (self->encoder, 0, &tensor, error) ||
      (shape->streaming && !set_encoder_positions (self, error)) ||
      !pt_method_execute (self->encoder, cancellable, error) ||
      !pt_output_floats (self->encoder, 0, "the embeddings of the sound",
                         (gsize) *n_frames * self->width, self->frames, error))
    return FALSE;
  self->encoder_position += self->n_encoder_positions;
  self->n_frames = *n_frames;
  return TRUE;
}

/* ---- writing ---- */

static gboolean
embed (PtRealtimeModel *self, gint32 id, GCancellable *cancellable, GError **error)
{
  gint64 sizes[2] = { 1, 1 };
  PtTensor tensor;

  pt_index_store (self->id_dtype, &self->id, 0, id);
  return pt_tensor_init (&tensor, self->id_dtype, 2, sizes, NULL, &self->id, error) &&
         pt_method_set_input_tensor (self->embedding, 0, &tensor, error) &&
         pt_method_execute (self->embedding, cancellable, error) &&
         pt_output_floats (self->embedding, 0, "the embeddings of a token", self->width, self->sum,
                           error);
}

/* Adds both embeddings in F32, rounds the sum once, and runs the decoder
 * (docs/formats/protocols.md, section 6.4). */
static gboolean
decode (PtRealtimeModel *self, GCancellable *cancellable, GError **error)
{
  gint64 sizes[3] = { 1, 1, self->width };
  gint64 one = 1;
  PtTensor input, position;

  pt_floats_store (self->input_dtype, self->width, self->sum, self->input);
  pt_index_store (self->cache_dtype, &self->cache_position, 0, (gint64) self->position);
  return pt_tensor_init (&input, self->input_dtype, 3, sizes, NULL, self->input, error) &&
         pt_tensor_init (&position, self->cache_dtype, 1, &one, NULL, &self->cache_position,
                         error) &&
         pt_method_set_input_tensor (self->decoder, 0, &input, error) &&
         pt_method_set_input_tensor (self->decoder, 1, &position, error) &&
         pt_method_execute (self->decoder, cancellable, error) &&
         pt_output_floats (self->decoder, 0, "the logits", self->n_ids, self->logits, error);
}

gboolean
pt_realtime_model_step (PtRealtimeModel *self, gint32 previous, int frame, gint32 end,
                        gint32 *chosen, double *log_probability, GCancellable *cancellable,
                        GError **error)
{
  const float *sound;

  g_return_val_if_fail (frame < (int) self->n_frames, FALSE);
  if (self->position >= self->shape.n_positions)
    return pt_fail (error, PT_ERROR_CONTEXT_FULL,
                    "The speech model has only %" G_GUINT64_FORMAT " positions.",
                    self->shape.n_positions);
  if (!embed (self, previous, cancellable, error))
    return FALSE;
  if (frame >= 0) {
    sound = self->frames + (gsize) frame * self->width;
    for (guint i = 0; i < self->width; i++)
      self->sum[i] += sound[i];
  }
  if (!decode (self, cancellable, error))
    return FALSE;
  self->position++;
  *chosen = pt_whisper_pick (self->logits, self->n_ids, end, log_probability);
  return TRUE;
}
