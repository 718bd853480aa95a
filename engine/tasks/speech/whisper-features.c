/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-features.h"

#include <stdlib.h>
#include <string.h>

#include "engine/audio/mel.h"
#include "engine/audio/spectrum.h"
#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

/* Frames whose loudness is averaged: 50 ms. */
#define GROUP 5
/* Bands of the spectrogram that is made only to measure how the loudness varies. */
#define LISTENING_BANDS 80

struct _PtWhisperFeatures {
  PtWhisperInput input;
  guint n_bands, n_frames; /* of the spectrogram */
  PtMel *mel;              /* NULL: the preprocessor program is used */
  PtMethod *preprocessor;
  gsize n_padded;
  float *padded;   /* input of the preprocessor or encoder: a window with its padding */
  float *features; /* the spectrogram */
  float *magnitudes;
  guint n_sounding; /* frames of the last window that are not padding */
};

static gboolean
open_preprocessor (PtWhisperFeatures *self, PtModule *module, GError **error)
{
  const PtValueSpec *in, *out;

  self->preprocessor = pt_module_method (module, "forward", error);
  if (self->preprocessor == NULL)
    return FALSE;
  in = pt_method_n_inputs (self->preprocessor) == 1 ? pt_method_input_spec (self->preprocessor, 0)
                                                    : NULL;
  out = pt_method_n_outputs (self->preprocessor) == 1
            ? pt_method_output_spec (self->preprocessor, 0)
            : NULL;
  if (in == NULL || out == NULL || in->kind != PT_VALUE_TENSOR || out->kind != PT_VALUE_TENSOR ||
      in->as_tensor->dtype != PT_DTYPE_F32 || in->as_tensor->rank != 1 ||
      out->as_tensor->dtype != PT_DTYPE_F32 || out->as_tensor->rank != 3)
    return pt_fail (
        error, PT_ERROR_UNSUPPORTED,
        "The preprocessor does not turn samples into a spectrogram. Leave it out: it is "
        "not needed.");
  if ((guint64) in->as_tensor->sizes[0] < (guint64) self->n_frames * PT_MEL_HOP ||
      (guint) out->as_tensor->sizes[1] != self->n_bands)
    return pt_fail (
        error, PT_ERROR_UNSUPPORTED,
        "The preprocessor does not belong to this model: it makes %d bands from at most "
        "%d samples, and the model wants %u bands of %u. Leave it out: it is not "
        "needed.",
        out->as_tensor->sizes[1], in->as_tensor->sizes[0], self->n_bands,
        self->n_frames * PT_MEL_HOP);
  return TRUE;
}

/* Memory for what an encoder takes instead of a spectrogram, or for the preprocessor. */
static gboolean
allocate (PtWhisperFeatures *self, GError **error)
{
  self->features = pt_allocate ((gsize) self->n_bands * self->n_frames, sizeof (float), error);
  if (self->features == NULL)
    return FALSE;
  if (self->mel == NULL)
    self->n_padded = (gsize) self->n_frames * PT_MEL_HOP;
  else if (self->input.sound != PT_WHISPER_MEL)
    self->n_padded = MAX (self->input.n_samples, self->input.least);
  if (self->n_padded == 0)
    return TRUE;
  self->padded = pt_allocate (self->n_padded, sizeof (float), error);
  if (self->padded == NULL || self->input.sound != PT_WHISPER_MAGNITUDES)
    return self->padded != NULL;
  self->magnitudes = pt_allocate (pt_spectrum_n_frames (self->n_padded),
                                  PT_SPECTRUM_N_BINS * sizeof (float), error);
  return self->magnitudes != NULL;
}

PtWhisperFeatures *
pt_whisper_features_new (const PtWhisperInput *input, PtModule *preprocessor, GError **error)
{
  g_autoptr (PtWhisperFeatures) self = g_new0 (PtWhisperFeatures, 1);
  gboolean is_mel = input->sound == PT_WHISPER_MEL;

  self->input = *input;
  self->n_bands = is_mel ? input->n_bands : LISTENING_BANDS;
  self->n_frames = is_mel ? input->n_frames : (guint) (input->n_samples / PT_MEL_HOP);
  if (!is_mel || preprocessor == NULL)
    self->mel = pt_mel_new (self->n_bands);
  else if (!open_preprocessor (self, preprocessor, error))
    return NULL;
  return allocate (self, error) ? g_steal_pointer (&self) : NULL;
}

void
pt_whisper_features_free (PtWhisperFeatures *self)
{
  if (self == NULL)
    return;
  pt_mel_free (self->mel);
  g_free (self->padded);
  g_free (self->features);
  g_free (self->magnitudes);
  g_free (self);
}

/* The first @n samples of a window, and silence up to @size. */
static void
pad (PtWhisperFeatures *self, const float *samples, gsize n, gsize size)
{
  memcpy (self->padded, samples, n * sizeof (float));
  memset (self->padded + n, 0, (size - n) * sizeof (float));
}

/* Call the preprocessor; it may return more frames than the window has, as it pads to 30 seconds.
 */
static gboolean
preprocess (PtWhisperFeatures *self, const float *samples, gsize n, GCancellable *cancellable,
            GError **error)
{
  gint64 size = (gint64) self->n_frames * PT_MEL_HOP;
  PtTensor waveform, *out;
  guint b;

  pad (self, samples, n, (gsize) size);
  if (!pt_tensor_init (&waveform, PT_DTYPE_F32, 1, &size, NULL, self->padded, error) ||
      !pt_method_set_input_tensor (self->preprocessor, 0, &waveform, error) ||
      !pt_method_execute (self->preprocessor, cancellable, error))
    return FALSE;
  out = pt_in_tensor (pt_method_output (self->preprocessor, 0), "the spectrogram", error);
  if (out == NULL)
    return FALSE;
  if (out->dtype != PT_DTYPE_F32 || out->rank != 3 || out->sizes[0] != 1 ||
      out->sizes[1] != (gint64) self->n_bands || out->sizes[2] < (gint64) self->n_frames ||
      !pt_tensor_is_contiguous (out))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The preprocessor returned no spectrogram of a window. Leave it out: it is not "
                    "needed.");
  for (b = 0; b < self->n_bands; b++)
    memcpy (self->features + (gsize) b * self->n_frames,
            (const float *) out->data + (gsize) b * (gsize) out->sizes[2],
            self->n_frames * sizeof (float));
  return TRUE;
}

/* The spectrogram of a window, for the encoder or to listen to it. */
static gboolean
compute_mel (PtWhisperFeatures *self, const float *samples, gsize n, GCancellable *cancellable,
             GError **error)
{
  self->n_sounding = MIN ((guint) (n / PT_MEL_HOP), self->n_frames);
  if (self->mel == NULL)
    return preprocess (self, samples, n, cancellable, error);
  n = MIN (n, (gsize) self->n_frames * PT_MEL_HOP);
  pt_mel_compute (self->mel, pt_pool_default (), samples, n, (gsize) self->n_frames * PT_MEL_HOP,
                  self->features);
  return TRUE;
}

const float *
pt_whisper_features_compute (PtWhisperFeatures *self, const float *samples, gsize n,
                             gsize *n_values, GCancellable *cancellable, GError **error)
{
  if (!compute_mel (self, samples, n, cancellable, error))
    return NULL;
  *n_values = (gsize) self->n_bands * self->n_frames;
  if (self->input.sound == PT_WHISPER_MEL)
    return self->features;
  if (n < self->input.least) {
    pad (self, samples, n, self->input.least);
    samples = self->padded;
    n = self->input.least;
  }
  *n_values = n;
  if (self->input.sound == PT_WHISPER_SAMPLES)
    return samples;
  *n_values = pt_spectrum_n_frames (n) * PT_SPECTRUM_N_BINS;
  pt_spectrum_compute (samples, n, self->magnitudes);
  return self->magnitudes;
}

static int
compare_floats (gconstpointer a, gconstpointer b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

double
pt_whisper_features_movement (const PtWhisperFeatures *self)
{
  guint n = self->n_sounding / GROUP, b, i, k;
  g_autofree float *levels = g_new0 (float, MAX (n, 1));

  if (n == 0)
    return 0;
  for (b = 0; b < self->n_bands; b++) {
    const float *row = self->features + (gsize) b * self->n_frames;

    for (i = 0; i < n; i++) {
      for (k = 0; k < GROUP; k++)
        levels[i] += row[i * GROUP + k];
    }
  }
  qsort (levels, n, sizeof (float), compare_floats);
  /* Features are decades over 4; a decade of power is 10 dB. */
  return 40.0 / (GROUP * self->n_bands) *
         ((double) levels[n - 1 - n / 20] - (double) levels[n / 20]);
}
