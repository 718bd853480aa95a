/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/realtime-mel.h"

#include <math.h>
#include <string.h>

#include "engine/audio/mel.h"
#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/operator.h"
#include "engine/tasks/speech/floats.h"

/* log10 of the highest power of the fixed range. */
#define HIGHEST 1.5f
/* Half the width of a frame in samples, plus one. */
#define MIN_SAMPLES 201

struct _PtRealtimeMel {
  guint n_bands, max_columns, n_columns;
  float highest; /* NAN: the sound's own */
  PtMel *mel;
  PtMethod *preprocessor; /* NULL: our own front end */
  gsize limit;
  float *columns, *cut;
};

static gboolean
open_preprocessor (PtRealtimeMel *self, PtModule *module, GError **error)
{
  const PtTensorSpec *in, *out;

  self->preprocessor = pt_module_method (module, "forward", error);
  if (self->preprocessor == NULL)
    return FALSE;
  in = pt_input_tensor_spec (self->preprocessor, 0);
  out = pt_output_tensor_spec (self->preprocessor, 0);
  if (pt_method_n_inputs (self->preprocessor) != 1 || in == NULL || in->dtype != PT_DTYPE_F32 ||
      in->rank != 1 || in->sizes[0] < PT_MEL_HOP || out == NULL || out->dtype != PT_DTYPE_F32 ||
      out->rank != 3 || out->sizes[0] != 1 || out->sizes[1] != (gint64) self->n_bands)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The preprocessor does not belong to this model: it does not turn samples into "
                    "a spectrogram of %u bands. Leave it out: it is not needed.",
                    self->n_bands);
  self->limit = (gsize) in->sizes[0];
  return TRUE;
}

PtRealtimeMel *
pt_realtime_mel_new (guint n_bands, guint max_columns, gboolean streaming, PtModule *preprocessor,
                     GError **error)
{
  g_autoptr (PtRealtimeMel) self = g_new0 (PtRealtimeMel, 1);

  self->n_bands = n_bands;
  self->max_columns = max_columns;
  self->limit = (gsize) max_columns * PT_MEL_HOP;
  self->highest = preprocessor != NULL ? NAN : HIGHEST;
  if (preprocessor != NULL && !open_preprocessor (self, preprocessor, error))
    return NULL;
  if (streaming)
    self->preprocessor = NULL;
  self->mel = pt_mel_new (n_bands);
  self->columns = pt_allocate ((gsize) max_columns * n_bands, sizeof (float), error);
  if (self->columns == NULL)
    return NULL;
  self->cut = pt_allocate ((gsize) max_columns * n_bands, sizeof (float), error);
  return self->cut != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_realtime_mel_free (PtRealtimeMel *self)
{
  if (self == NULL)
    return;
  pt_mel_free (self->mel);
  g_free (self->columns);
  g_free (self->cut);
  g_free (self);
}

gsize
pt_realtime_mel_limit (const PtRealtimeMel *self)
{
  return MIN (self->limit, (gsize) self->max_columns * PT_MEL_HOP);
}

static gboolean
preprocess (PtRealtimeMel *self, const float *samples, gsize n, GCancellable *cancellable,
            GError **error)
{
  gint64 size = (gint64) n;
  PtTensor waveform, *out;

  if (!pt_tensor_init (&waveform, PT_DTYPE_F32, 1, &size, NULL, (gpointer) samples, error) ||
      !pt_method_set_input_tensor (self->preprocessor, 0, &waveform, error) ||
      !pt_method_execute (self->preprocessor, cancellable, error))
    return FALSE;
  out = pt_in_tensor (pt_method_output (self->preprocessor, 0), "the spectrogram", error);
  if (out == NULL)
    return FALSE;
  if (out->dtype != PT_DTYPE_F32 || out->rank != 3 || out->sizes[0] != 1 || out->sizes[2] < 1 ||
      out->sizes[1] != (gint64) self->n_bands || !pt_tensor_is_contiguous (out))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The preprocessor returned no spectrogram. Leave it out: it is not needed.");
  /* The padding of the preprocessor may exceed what the model takes; it is silence. */
  self->n_columns = (guint) MIN (out->sizes[2], (gint64) self->max_columns);
  for (guint b = 0; b < self->n_bands; b++)
    memcpy (self->columns + (gsize) b * self->n_columns,
            (const float *) out->data + (gsize) b * (gsize) out->sizes[2],
            self->n_columns * sizeof (float));
  return TRUE;
}

const float *
pt_realtime_mel_compute (PtRealtimeMel *self, const float *samples, gsize n, guint *n_columns,
                         GCancellable *cancellable, GError **error)
{
  if (n < MIN_SAMPLES || n > pt_realtime_mel_limit (self)) {
    pt_fail (error, PT_ERROR_INTERNAL, "A spectrogram of %" G_GSIZE_FORMAT " samples.", n);
    return NULL;
  }
  if (self->preprocessor != NULL) {
    if (!preprocess (self, samples, n, cancellable, error))
      return NULL;
  } else {
    self->n_columns = (guint) (n / PT_MEL_HOP);
    pt_mel_compute_below (self->mel, pt_pool_default (), samples, n, n, self->highest,
                          self->columns);
  }
  *n_columns = self->n_columns;
  return self->columns;
}

const float *
pt_realtime_mel_cut (PtRealtimeMel *self, guint first, guint n)
{
  g_return_val_if_fail (first + n <= self->n_columns, NULL);
  for (guint b = 0; b < self->n_bands; b++)
    memcpy (self->cut + (gsize) b * n, self->columns + (gsize) b * self->n_columns + first,
            n * sizeof (float));
  return self->cut;
}
