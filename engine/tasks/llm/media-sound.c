/* SPDX-License-Identifier: BSD-3-Clause */

/* Encodes recordings for models like Voxtral (docs/formats/protocols.md, section 4.3): in stretches
 * of equal length, each of which becomes the same number of embeddings. */

#include <string.h>

#include "engine/audio/mel.h"
#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/operator.h"
#include "engine/tasks/llm/media-private.h"

#define MAX_BANDS 201

typedef struct {
  PtMediaEncoder base;
  PtMethod *method;
  PtMethod *preprocessor; /* makes spectrograms instead of our own code; or NULL */
  PtMel *mel;
  guint n_bands;
  guint n_frames; /* frames of a stretch */
  guint most;     /* most stretches in one call */
} SoundEncoder;

static gboolean
unlike_voxtral (GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The model's audio encoder is not supported: “audio_encoder” must turn mel "
                  "spectrograms [n, bands, frames] into embeddings [1, m, width].");
}

static gboolean
read_shapes (SoundEncoder *self, GError **error)
{
  const PtTensorSpec *in, *out;
  guint64 rows;

  if (pt_method_n_inputs (self->method) != 1 || pt_method_n_outputs (self->method) != 1)
    return unlike_voxtral (error);
  in = pt_media_tensor (pt_method_input_spec (self->method, 0));
  out = pt_media_tensor (pt_method_output_spec (self->method, 0));
  if (in == NULL || out == NULL || in->rank != 3 || out->rank < 2 || in->numel == 0 ||
      out->numel == 0 || !pt_media_is_float (in) || !pt_media_is_float (out) ||
      in->sizes[1] > MAX_BANDS || in->sizes[2] * PT_MEL_HOP <= 200)
    return unlike_voxtral (error);
  rows = out->numel / (guint) out->sizes[out->rank - 1];
  self->most = (guint) in->sizes[0];
  self->n_bands = (guint) in->sizes[1];
  self->n_frames = (guint) in->sizes[2];
  self->base.stretch = (gsize) self->n_frames * PT_MEL_HOP;
  self->base.per_stretch = (guint) (rows / self->most);
  if (self->base.per_stretch == 0 || rows % self->most != 0)
    return unlike_voxtral (error);
  self->base.dtype = out->dtype;
  self->base.width = (gsize) out->sizes[out->rank - 1];
  return TRUE;
}

/* Checks that the metadata, where they describe the spectrogram, describe ours. */
static gboolean
check_metadata (PtModule *module, GError **error)
{
  static const struct {
    const char *name;
    gint64 value;
  } known[] = { { "sampling_rate", PT_MEL_RATE }, { "hop_length", PT_MEL_HOP }, { "n_fft", 400 } };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
    gint64 value;

    if (pt_module_constant_int (module, known[i].name, &value) && value != known[i].value)
      return pt_fail (error, PT_ERROR_UNSUPPORTED,
                      "The model needs another kind of spectrogram: its %s is %" G_GINT64_FORMAT
                      ", not %" G_GINT64_FORMAT ".",
                      known[i].name, value, known[i].value);
  }
  return TRUE;
}

static gboolean
use_preprocessor (PtMediaEncoder *base, PtModule *module, GError **error)
{
  SoundEncoder *self = (SoundEncoder *) base;
  PtMethod *method = pt_module_method (module, "forward", error);
  const PtTensorSpec *in, *out;

  if (method == NULL)
    return FALSE;
  if (pt_method_n_inputs (method) == 1 && pt_method_n_outputs (method) == 1) {
    in = pt_media_tensor (pt_method_input_spec (method, 0));
    out = pt_media_tensor (pt_method_output_spec (method, 0));
    if (in != NULL && out != NULL && in->rank == 1 && in->dtype == PT_DTYPE_F32 && out->rank == 3 &&
        out->dtype == PT_DTYPE_F32 && (guint) out->sizes[1] == self->n_bands) {
      self->preprocessor = method;
      return TRUE;
    }
  }
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The preprocessor does not turn samples into a spectrogram of %u bands. Leave it "
                  "out: it is not needed.",
                  self->n_bands);
}

/* ---- reading ---- */

static guint
count_stretches (const SoundEncoder *self, guint64 n_samples)
{
  return (guint) ((n_samples + self->base.stretch - 1) / self->base.stretch);
}

static guint64
most_samples (const SoundEncoder *self, guint most)
{
  return (guint64) (most / self->base.per_stretch) * self->base.stretch;
}

static gboolean
look (PtMediaEncoder *base, const char *path, guint most, PtMediaFacts *facts,
      GCancellable *cancellable, GError **error)
{
  SoundEncoder *self = (SoundEncoder *) base;
  g_autoptr (GArray) samples =
      pt_media_read_samples (path, most_samples (self, most), &facts->digest, cancellable, error);

  if (samples == NULL)
    return FALSE;
  facts->n = count_stretches (self, samples->len) * self->base.per_stretch;
  return TRUE;
}

/* ---- the spectrogram: [stretches, bands, frames], normalised together ---- */

/* Rearranges [bands, all frames] into [stretches, bands, frames]. */
static void
stack (const SoundEncoder *self, const float *wide, guint n_stretches, float *stacked)
{
  gsize n_frames = self->n_frames;

  for (guint s = 0; s < n_stretches; s++)
    for (guint b = 0; b < self->n_bands; b++)
      memcpy (stacked + ((gsize) s * self->n_bands + b) * n_frames,
              wide + ((gsize) b * n_stretches + s) * n_frames, n_frames * sizeof (float));
}

static gboolean
preprocess (SoundEncoder *self, const float *samples, gsize n, guint n_stretches, float *stacked,
            GCancellable *cancellable, GError **error)
{
  const PtTensorSpec *in = pt_media_tensor (pt_method_input_spec (self->preprocessor, 0));
  gint64 size = (gint64) n;
  const PtTensor *out;
  PtTensor waveform;
  gsize numel = (gsize) n_stretches * self->n_bands * self->n_frames;

  if (size > in->sizes[0])
    return pt_fail (
        error, PT_ERROR_CONTEXT_FULL,
        "The preprocessor takes at most %d seconds of audio. Leave it out: it is not needed.",
        in->sizes[0] / PT_MEL_RATE);
  if (!pt_tensor_init (&waveform, PT_DTYPE_F32, 1, &size, NULL, (gpointer) samples, error) ||
      !pt_method_set_input_tensor (self->preprocessor, 0, &waveform, error) ||
      !pt_method_execute (self->preprocessor, cancellable, error))
    return FALSE;
  out = pt_in_tensor (pt_method_output (self->preprocessor, 0), "the spectrogram", error);
  if (out == NULL)
    return FALSE;
  if (out->dtype != PT_DTYPE_F32 || out->numel != numel || !pt_tensor_is_contiguous (out))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The preprocessor returned no spectrogram for this model. Leave it out: it is "
                    "not needed.");
  if (out->sizes[0] == (gint64) n_stretches)
    memcpy (stacked, out->data, numel * sizeof (float));
  else
    stack (self, out->data, n_stretches, stacked);
  return TRUE;
}

static gboolean
compute (SoundEncoder *self, const float *samples, gsize n, guint n_stretches, float *stacked,
         GCancellable *cancellable, GError **error)
{
  g_autofree float *wide = NULL;

  if (self->preprocessor != NULL)
    return preprocess (self, samples, n, n_stretches, stacked, cancellable, error);
  wide = pt_allocate ((gsize) n_stretches * self->n_bands * self->n_frames, sizeof (float), error);
  if (wide == NULL)
    return FALSE;
  pt_mel_compute (self->mel, pt_pool_default (), samples, n, n_stretches * self->base.stretch,
                  wide);
  stack (self, wide, n_stretches, stacked);
  return TRUE;
}

/* ---- encoding ---- */

/* Encodes the stretches, in each call as many as the method takes. Their embeddings do not depend
 * on each other. */
static gboolean
run (SoundEncoder *self, const float *stacked, guint n_stretches, guint8 *rows,
     GCancellable *cancellable, GError **error)
{
  gsize row = self->base.width * pt_dtype_size (self->base.dtype);
  gsize stretch = (gsize) self->n_bands * self->n_frames;
  g_autofree gpointer input =
      pt_allocate (MIN (self->most, n_stretches) * stretch, sizeof (float), error);

  if (input == NULL)
    return FALSE;

  for (guint done = 0; done < n_stretches;) {
    guint n = MIN (self->most, n_stretches - done);
    const gint64 sizes[3] = { n, self->n_bands, self->n_frames };

    if (!pt_media_set_input (self->method, 0, 3, sizes, stacked + done * stretch, input, error) ||
        !pt_method_execute (self->method, cancellable, error) ||
        !pt_media_take_rows (&self->base, self->method, n * self->base.per_stretch,
                             rows + (gsize) done * self->base.per_stretch * row, error))
      return FALSE;
    done += n;
  }
  return TRUE;
}

static gboolean
encode_stretches (SoundEncoder *self, const float *samples, gsize n, guint n_stretches,
                  gpointer rows, GCancellable *cancellable, GError **error)
{
  g_autofree float *stacked =
      pt_allocate ((gsize) n_stretches * self->n_bands * self->n_frames, sizeof (float), error);

  return stacked != NULL && compute (self, samples, n, n_stretches, stacked, cancellable, error) &&
         run (self, stacked, n_stretches, rows, cancellable, error);
}

static gboolean
encode_samples (PtMediaEncoder *base, const float *samples, gsize n, gpointer rows,
                GCancellable *cancellable, GError **error)
{
  return encode_stretches ((SoundEncoder *) base, samples, n, 1, rows, cancellable, error);
}

static gboolean
encode (PtMediaEncoder *base, const char *path, guint n, gpointer rows, GCancellable *cancellable,
        GError **error)
{
  SoundEncoder *self = (SoundEncoder *) base;
  guint n_stretches = n / base->per_stretch;
  g_autoptr (GArray) samples = NULL;
  guint64 digest;

  samples = pt_media_read_samples (path, n_stretches * base->stretch, &digest, cancellable, error);
  return samples != NULL && encode_stretches (self, (const float *) (gpointer) samples->data,
                                              samples->len, n_stretches, rows, cancellable, error);
}

static void
sound_encoder_free (PtMediaEncoder *base)
{
  SoundEncoder *self = (SoundEncoder *) base;

  pt_mel_free (self->mel);
  g_free (self);
}

PtMediaEncoder *
pt_sound_encoder_new (PtModule *module, GError **error)
{
  g_autofree SoundEncoder *self = g_new0 (SoundEncoder, 1);
  gint64 token = 0;

  self->base = (PtMediaEncoder){ .kind = PT_MODEL_AUDIO,
                                 .look = look,
                                 .encode = encode,
                                 .encode_samples = encode_samples,
                                 .use_preprocessor = use_preprocessor,
                                 .free = sound_encoder_free };
  self->method = pt_module_method (module, "audio_encoder", error);
  if (self->method == NULL || !read_shapes (self, error) || !check_metadata (module, error))
    return NULL;
  self->mel = pt_mel_new (self->n_bands);
  if (pt_module_constant_int (module, "audio_token_id", &token) && token > 0 && token <= G_MAXINT32)
    self->base.token = (gint32) token;
  return &((SoundEncoder *) g_steal_pointer (&self))->base;
}
