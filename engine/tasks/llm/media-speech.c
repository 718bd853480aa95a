/* SPDX-License-Identifier: BSD-3-Clause */

/* Encodes recordings for Gemma 4 (docs/formats/protocols.md, section 4.5): its own method makes the
 * spectrogram, and only its encoder knows how many embeddings a recording has. */

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/operator.h"
#include "engine/tasks/llm/media-private.h"

#define HOP 160
#define FRAME 320
/* The number of samples is a multiple of ROUND, that of frames a multiple of STRIDE less REST. */
#define ROUND 128
#define STRIDE 48
#define REST 25
#define MIN_STRIDES 2
#define MAX_BANDS 1024

typedef struct {
  PtMediaEncoder base;
  PtMethod *transform, *method;
  guint most_samples, most_frames, n_bands;
} SpeechEncoder;

static gboolean
unlike_gemma (GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The model's audio encoder is not supported: “speech_transform” must turn "
                  "samples [n] into a spectrogram [frames, bands], and “audio_encoder” that and a "
                  "mask [1, frames] into embeddings and a mask.");
}

static const PtTensorSpec *
input_of (const PtMethod *method, guint i)
{
  return i < pt_method_n_inputs (method) ? pt_media_tensor (pt_method_input_spec (method, i))
                                         : NULL;
}

static const PtTensorSpec *
output_of (const PtMethod *method, guint i)
{
  return i < pt_method_n_outputs (method) ? pt_media_tensor (pt_method_output_spec (method, i))
                                          : NULL;
}

static gboolean
read_shapes (SpeechEncoder *self, GError **error)
{
  const PtTensorSpec *wave = input_of (self->transform, 0), *mel = output_of (self->transform, 0);
  const PtTensorSpec *in = input_of (self->method, 0), *mask = input_of (self->method, 1);
  const PtTensorSpec *rows = output_of (self->method, 0), *counts = output_of (self->method, 1);

  if (wave == NULL || mel == NULL || in == NULL || mask == NULL || rows == NULL || counts == NULL ||
      wave->rank != 1 || wave->dtype != PT_DTYPE_F32 || mel->rank < 2 ||
      mel->dtype != PT_DTYPE_F32 || in->rank != 3 || in->sizes[0] != 1 || !pt_media_is_float (in) ||
      mask->rank != 2 || mask->dtype != PT_DTYPE_BOOL || rows->rank < 2 || rows->numel == 0 ||
      !pt_media_is_float (rows) || counts->dtype != PT_DTYPE_BOOL || in->sizes[2] < 1 ||
      in->sizes[2] > MAX_BANDS || mel->sizes[mel->rank - 1] != in->sizes[2] ||
      wave->sizes[0] < ROUND || in->sizes[1] < MIN_STRIDES * STRIDE - REST ||
      mask->sizes[1] != in->sizes[1])
    return unlike_gemma (error);
  self->base.dtype = rows->dtype;
  self->base.width = (gsize) rows->sizes[rows->rank - 1];
  self->most_samples = (guint) wave->sizes[0];
  self->most_frames = (guint) in->sizes[1];
  self->n_bands = (guint) in->sizes[2];
  return TRUE;
}

/* ---- the spectrogram ---- */

/* Counts the frames of @n samples with 160 zeros in front of them. Each frame must have one sample
 * more than it reads. */
static guint
count_frames (gsize n)
{
  return n + HOP <= FRAME ? 0 : (guint) ((n + HOP - FRAME - 1) / HOP) + 1;
}

/* The smallest number of frames, at least @n, that the encoder takes. */
static guint
round_frames (const SpeechEncoder *self, guint n)
{
  guint strides = MAX ((n + REST + STRIDE - 1) / STRIDE, MIN_STRIDES);

  return MIN (strides * STRIDE - REST, self->most_frames);
}

static gboolean
transform (SpeechEncoder *self, GArray *samples, float *frames, guint n_frames,
           GCancellable *cancellable, GError **error)
{
  gsize wanted = MAX (samples->len, (gsize) n_frames * HOP + 1);
  gint64 size = (gint64) ((wanted + ROUND - 1) / ROUND * ROUND);
  gsize before = samples->len, n;
  const PtTensor *mel;
  PtTensor wave;

  size = MIN (size, (gint64) (self->most_samples / ROUND * ROUND));
  g_array_set_size (samples, (guint) MAX (size, (gint64) before));
  memset (&g_array_index (samples, float, before), 0, (samples->len - before) * sizeof (float));
  if (!pt_tensor_init (&wave, PT_DTYPE_F32, 1, &size, NULL, samples->data, error) ||
      !pt_method_set_input_tensor (self->transform, 0, &wave, error) ||
      !pt_method_execute (self->transform, cancellable, error))
    return FALSE;
  mel = pt_in_tensor (pt_method_output (self->transform, 0), "the spectrogram", error);
  if (mel == NULL)
    return FALSE;
  if (mel->dtype != PT_DTYPE_F32 || mel->rank < 2 ||
      mel->sizes[mel->rank - 1] != (gint64) self->n_bands || !pt_tensor_is_contiguous (mel))
    return unlike_gemma (error);
  n = MIN (mel->numel, (gsize) n_frames * self->n_bands);
  memcpy (frames, mel->data, n * sizeof (float));
  return TRUE;
}

/* ---- encoding ---- */

static guint
count_true (const PtTensor *mask)
{
  guint n = 0;

  for (gsize i = 0; i < mask->numel; i++)
    n += ((const guint8 *) mask->data)[i] != 0;
  return n;
}

/* Copies the embeddings that count to a new block. */
static gpointer
take_rows (const SpeechEncoder *self, guint *n, GError **error)
{
  const PtTensor *rows = pt_in_tensor (pt_method_output (self->method, 0), "the embeddings", error);
  const PtTensor *mask =
      rows != NULL ? pt_in_tensor (pt_method_output (self->method, 1), "the mask", error) : NULL;
  gsize size = self->base.width * pt_dtype_size (self->base.dtype), taken = 0;
  guint8 *block;

  if (mask == NULL)
    return NULL;
  if (rows->dtype != self->base.dtype || mask->dtype != PT_DTYPE_BOOL ||
      rows->numel != mask->numel * self->base.width) {
    unlike_gemma (error);
    return NULL;
  }
  *n = count_true (mask);
  block = pt_allocate (MAX (*n, 1), size, error);
  for (gsize i = 0; block != NULL && i < mask->numel; i++)
    if (((const guint8 *) mask->data)[i] != 0)
      memcpy (block + taken++ * size, (const guint8 *) rows->data + i * size, size);
  return block;
}

/* Marks the frames that hear the sound itself and not only the silence behind it. */
static void
fill_mask (guint8 *mask, guint n_frames, guint n_real, gsize n_samples)
{
  for (guint i = 0; i < n_frames; i++)
    mask[i] = i < n_real && (gsize) i * HOP + FRAME < HOP + n_samples;
}

static gpointer
run (SpeechEncoder *self, GArray *samples, guint *n, GCancellable *cancellable, GError **error)
{
  gsize n_samples = samples->len;
  guint n_real = count_frames ((n_samples + ROUND - 1) / ROUND * ROUND);
  guint n_frames = round_frames (self, n_real);
  const gint64 sizes[3] = { 1, n_frames, self->n_bands }, mask_sizes[2] = { 1, n_frames };
  gsize numel = (gsize) n_frames * self->n_bands;
  g_autofree float *frames = pt_allocate (numel, sizeof (float), error);
  g_autofree gpointer input = pt_allocate (numel, sizeof (float), error);
  g_autofree guint8 *mask = g_new0 (guint8, n_frames);
  PtTensor tensor;

  if (frames == NULL || input == NULL)
    return NULL;
  fill_mask (mask, n_frames, n_real, n_samples);
  if (!transform (self, samples, frames, n_frames, cancellable, error) ||
      !pt_media_set_input (self->method, 0, 3, sizes, frames, input, error) ||
      !pt_tensor_init (&tensor, PT_DTYPE_BOOL, 2, mask_sizes, NULL, mask, error) ||
      !pt_method_set_input_tensor (self->method, 1, &tensor, error) ||
      !pt_method_execute (self->method, cancellable, error))
    return NULL;
  return take_rows (self, n, error);
}

static gboolean
look (PtMediaEncoder *base, const char *path, guint most, PtMediaFacts *facts,
      GCancellable *cancellable, GError **error)
{
  SpeechEncoder *self = (SpeechEncoder *) base;
  g_autoptr (GArray) samples =
      pt_media_read_samples (path, self->most_samples, &facts->digest, cancellable, error);
  g_autofree char *name = g_filename_display_basename (path);

  if (samples == NULL)
    return FALSE;
  facts->rows = run (self, samples, &facts->n, cancellable, error);
  if (facts->rows == NULL)
    return FALSE;
  if (facts->n == 0)
    return pt_fail (error, PT_ERROR_AUDIO, "“%s” is too short.", name);
  return facts->n <= most ||
         pt_fail (error, PT_ERROR_CONTEXT_FULL,
                  "“%s” needs %u tokens, and the model's context holds %u.", name, facts->n, most);
}

static gboolean
encode (PtMediaEncoder *base, const char *path, guint n, gpointer rows, GCancellable *cancellable,
        GError **error)
{
  PtMediaFacts facts = { 0 };
  gboolean same;

  if (!look (base, path, G_MAXUINT, &facts, cancellable, error)) {
    g_free (facts.rows);
    return FALSE;
  }
  same = facts.n == n;
  if (same)
    memcpy (rows, facts.rows, n * base->width * pt_dtype_size (base->dtype));
  g_free (facts.rows);
  return same || pt_fail (error, PT_ERROR_STATE, "A recording has just changed. Try again.");
}

static void
speech_encoder_free (PtMediaEncoder *base)
{
  g_free (base);
}

PtMediaEncoder *
pt_speech_encoder_new (PtModule *module, GError **error)
{
  g_autofree SpeechEncoder *self = g_new0 (SpeechEncoder, 1);

  self->base = (PtMediaEncoder){
    .kind = PT_MODEL_AUDIO, .look = look, .encode = encode, .free = speech_encoder_free
  };
  self->transform = pt_module_method (module, "speech_transform", error);
  if (self->transform == NULL)
    return NULL;
  self->method = pt_module_method (module, "audio_encoder", error);
  if (self->method == NULL || !read_shapes (self, error))
    return NULL;
  return &((SpeechEncoder *) g_steal_pointer (&self))->base;
}
