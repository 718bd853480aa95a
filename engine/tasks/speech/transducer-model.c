/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/transducer-model.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/operator.h"
#include "engine/tasks/speech/floats.h"

/* Limits of sizes that no model exceeds; products of them cannot overflow. */
#define MAX_SAMPLES (1 << 28)
#define MAX_WIDTH (1 << 16)
#define MAX_FRAMES (1 << 24)
#define MAX_RATE 192000
#define MAX_LAYERS 64
#define MAX_DURATION 4096
#define MAX_DURATIONS 64
/* The shortest input of upstream's exports. */
#define MIN_SECONDS 0.1

struct _PtTransducerModel {
  PtMethod *preprocessor, *encoder, *decoder, *joint; /* of the module */
  PtTransducerShape shape;
  guint durations[MAX_DURATIONS], n_durations;
  PtDType id_dtype;
  gsize frame_bytes, said_bytes, state_bytes;
  gint64 state_sizes[3], frame_sizes[3], said_sizes[3];
  PtDType frame_dtype, said_dtype, state_dtype;
  guint max_frames, n_frames;
  float *samples;                /* buffer for a recording that is too short, padded with silence */
  guint8 *frames, *said, *h, *c; /* in the dtypes of the program */
  gint64 id, length;             /* arguments */
};

static gboolean
fail_layout (const char *what, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "This transducer model is not supported: %s.", what);
}

/* ---- metadata ---- */

static gboolean
read_number (PtModule *module, const char *name, gint64 fallback, gint64 least, gint64 most,
             gint64 *out, GError **error)
{
  *out = fallback;
  pt_module_constant_int (module, name, out);
  if (*out < least || *out > most)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The metadata of this speech model is invalid: “%s” is %" G_GINT64_FORMAT
                    ", and should be between %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT ".",
                    name, *out, least, most);
  return TRUE;
}

/* Reads the durations; metadata rarely have them, then they are Parakeet's. */
static gboolean
read_durations (PtTransducerModel *self, PtModule *module, GError **error)
{
  static const gint64 USUAL[] = { 0, 1, 2, 3, 4 };
  guint n = 0;
  g_autofree gint64 *stated = pt_module_constant_ints (module, "durations", &n);
  const gint64 *durations = stated != NULL && n > 0 ? stated : USUAL;

  self->n_durations = stated != NULL && n > 0 ? n : G_N_ELEMENTS (USUAL);
  if (self->n_durations > MAX_DURATIONS)
    return fail_layout ("it has too many durations", error);
  for (guint i = 0; i < self->n_durations; i++) {
    if (durations[i] < 0 || durations[i] > MAX_DURATION)
      return pt_fail (
          error, PT_ERROR_UNSUPPORTED,
          "The metadata of this speech model is invalid: a token would last %" G_GINT64_FORMAT
          " frames.",
          durations[i]);
    self->durations[i] = (guint) durations[i];
  }
  return TRUE;
}

static gboolean
read_metadata (PtTransducerModel *self, PtModule *module, GError **error)
{
  gint64 vocabulary = 0, rate = 0, factor = 0;
  double stride = 0.01, frame;

  if (!read_number (module, "vocab_size", 8192, 1, G_MAXINT32 - 1, &vocabulary, error) ||
      !read_number (module, "blank_id", vocabulary, 0, vocabulary, &self->shape.blank, error) ||
      !read_number (module, "sample_rate", 16000, 1000, MAX_RATE, &rate, error) ||
      !read_number (module, "encoder_subsampling_factor", 8, 1, 1024, &factor, error) ||
      !read_durations (self, module, error))
    return FALSE;
  pt_module_constant_double (module, "window_stride", &stride);
  frame = stride * (double) factor * (double) rate;
  if (!(frame >= 1 && frame <= (double) rate * 60))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The metadata of this speech model is invalid: “window_stride” is %g.", stride);
  self->shape.rate = (guint) rate;
  self->shape.frame = (guint) lround (frame);
  return TRUE;
}

/* Checks that the metadata on the state, if there are any, match the decoder's inputs. */
static gboolean
check_state (PtTransducerModel *self, PtModule *module, GError **error)
{
  gint64 layers = self->state_sizes[0], hidden = self->state_sizes[2];

  pt_module_constant_int (module, "num_rnn_layers", &layers);
  pt_module_constant_int (module, "pred_hidden", &hidden);
  if (layers != self->state_sizes[0] || hidden != self->state_sizes[2])
    return pt_fail (
        error, PT_ERROR_UNSUPPORTED,
        "This speech model is inconsistent: its metadata describes a state of %" G_GINT64_FORMAT
        " layers of %" G_GINT64_FORMAT ", and its decoder takes %" G_GINT64_FORMAT
        " of %" G_GINT64_FORMAT ".",
        layers, hidden, self->state_sizes[0], self->state_sizes[2]);
  return TRUE;
}

/* ---- methods ---- */

static gboolean
check_hearing (PtTransducerModel *self, GError **error)
{
  const PtTensorSpec *sound = pt_input_tensor_spec (self->preprocessor, 0);
  const PtTensorSpec *length = pt_input_tensor_spec (self->preprocessor, 1);
  const PtTensorSpec *mel = pt_output_tensor_spec (self->preprocessor, 0);
  const PtTensorSpec *in = pt_input_tensor_spec (self->encoder, 0);
  const PtTensorSpec *out = pt_output_tensor_spec (self->encoder, 0);
  gint64 samples;

  if (pt_method_n_inputs (self->preprocessor) != 2 || sound == NULL || sound->rank != 1 ||
      sound->dtype != PT_DTYPE_F32 || length == NULL || length->dtype != PT_DTYPE_I64 ||
      length->numel != 1 || pt_method_n_outputs (self->preprocessor) != 2 ||
      !pt_spec_is_floats (mel, 3))
    return fail_layout ("its preprocessor does not turn samples into a spectrogram", error);
  if (pt_method_n_inputs (self->encoder) != 2 || !pt_spec_is_floats (in, 3) ||
      pt_method_n_outputs (self->encoder) != 2 || !pt_spec_is_floats (out, 3) ||
      in->sizes[1] != mel->sizes[1] || in->dtype != mel->dtype || out->sizes[0] != 1 ||
      out->sizes[1] < 1 || out->sizes[1] > MAX_FRAMES || out->sizes[2] < 1 ||
      out->sizes[2] > MAX_WIDTH)
    return fail_layout ("its encoder does not take what its preprocessor makes", error);
  samples = MIN (sound->sizes[0], MAX_SAMPLES);
  /* The encoder may take fewer columns than the preprocessor makes. */
  if (mel->sizes[2] > in->sizes[2])
    samples = (gint64) ((double) samples * ((double) in->sizes[2] - 1) / (double) mel->sizes[2]);
  if (samples < (gint64) ((double) self->shape.rate * 2 * MIN_SECONDS))
    return fail_layout ("it takes too little sound at once", error);
  self->shape.n_samples = (gsize) samples;
  self->max_frames = (guint) out->sizes[1];
  self->frame_dtype = out->dtype;
  self->frame_sizes[0] = self->frame_sizes[1] = 1;
  self->frame_sizes[2] = out->sizes[2];
  self->frame_bytes = (gsize) out->sizes[2] * pt_dtype_size (out->dtype);
  return TRUE;
}

static gboolean
is_state (const PtTensorSpec *spec, const PtTensorSpec *like)
{
  return pt_spec_is_floats (spec, 3) && spec->dtype == like->dtype &&
         spec->sizes[0] == like->sizes[0] && spec->sizes[1] == like->sizes[1] &&
         spec->sizes[2] == like->sizes[2];
}

static gboolean
check_decoder (PtTransducerModel *self, GError **error)
{
  const PtTensorSpec *id = pt_input_tensor_spec (self->decoder, 0);
  const PtTensorSpec *h = pt_input_tensor_spec (self->decoder, 1);
  const PtTensorSpec *said = pt_output_tensor_spec (self->decoder, 0);

  if (pt_method_n_inputs (self->decoder) != 3 || pt_method_n_outputs (self->decoder) != 3 ||
      !pt_spec_is_indices (id, 2) || id->numel != 1 || !pt_spec_is_floats (h, 3) ||
      h->sizes[0] < 1 || h->sizes[0] > MAX_LAYERS || h->sizes[1] != 1 || h->sizes[2] < 1 ||
      h->sizes[2] > MAX_WIDTH || !pt_spec_is_floats (said, 3) || said->numel < 1 ||
      said->numel > MAX_WIDTH)
    return fail_layout ("its decoder does not take a token and a state", error);
  if (!is_state (pt_input_tensor_spec (self->decoder, 2), h) ||
      !is_state (pt_output_tensor_spec (self->decoder, 1), h) ||
      !is_state (pt_output_tensor_spec (self->decoder, 2), h))
    return fail_layout ("its decoder gives back another state than it takes", error);
  self->id_dtype = id->dtype;
  self->state_dtype = h->dtype;
  self->said_dtype = said->dtype;
  for (guint i = 0; i < 3; i++) {
    self->state_sizes[i] = h->sizes[i];
    self->said_sizes[i] = said->sizes[i];
  }
  self->state_bytes = (gsize) (h->sizes[0] * h->sizes[2]) * pt_dtype_size (h->dtype);
  self->said_bytes = (gsize) said->numel * pt_dtype_size (said->dtype);
  return TRUE;
}

static gboolean
check_joint (PtTransducerModel *self, GError **error)
{
  const PtTensorSpec *frame = pt_input_tensor_spec (self->joint, 0);
  const PtTensorSpec *said = pt_input_tensor_spec (self->joint, 1);
  guint n_outputs = pt_method_n_outputs (self->joint);

  if (pt_method_n_inputs (self->joint) != 2 || (n_outputs != 1 && n_outputs != 2) ||
      !pt_spec_is_floats (frame, 3) || frame->dtype != self->frame_dtype ||
      frame->numel != (gsize) self->frame_sizes[2] || !pt_spec_is_floats (said, 3) ||
      said->dtype != self->said_dtype ||
      said->numel * pt_dtype_size (said->dtype) != self->said_bytes)
    return fail_layout ("its joint network does not take what its encoder and its decoder give",
                        error);
  self->shape.has_durations = n_outputs == 2;
  return TRUE;
}

static gboolean
load_method (PtModule *module, const char *name, PtMethod **method, GError **error)
{
  *method = pt_module_method (module, name, error);
  return *method != NULL;
}

static gboolean
load (PtTransducerModel *self, PtModule *module, GError **error)
{
  if (!pt_module_has_method (module, "preprocessor"))
    return fail_layout ("it lacks the method “preprocessor”, which turns samples into a "
                        "spectrogram. Export it with that method",
                        error);
  return load_method (module, "preprocessor", &self->preprocessor, error) &&
         load_method (module, "encoder", &self->encoder, error) &&
         load_method (module, "decoder_step", &self->decoder, error) &&
         load_method (module, "joint", &self->joint, error) &&
         read_metadata (self, module, error) && check_hearing (self, error) &&
         check_decoder (self, error) && check_state (self, module, error) &&
         check_joint (self, error);
}

static gboolean
allocate (guint8 **out, gsize count, gsize size, GError **error)
{
  *out = pt_allocate (count, size, error);
  return *out != NULL;
}

PtTransducerModel *
pt_transducer_model_new (PtModule *module, GError **error)
{
  g_autoptr (PtTransducerModel) self = g_new0 (PtTransducerModel, 1);

  if (!load (self, module, error) ||
      !allocate (&self->frames, self->max_frames, self->frame_bytes, error) ||
      !allocate (&self->said, 1, self->said_bytes, error) ||
      !allocate (&self->h, 1, self->state_bytes, error) ||
      !allocate (&self->c, 1, self->state_bytes, error))
    return NULL;
  self->samples = pt_allocate ((gsize) (self->shape.rate * MIN_SECONDS) + 1, sizeof (float), error);
  return self->samples != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_transducer_model_free (PtTransducerModel *self)
{
  if (self == NULL)
    return;
  g_free (self->samples);
  g_free (self->frames);
  g_free (self->said);
  g_free (self->h);
  g_free (self->c);
  g_free (self);
}

const PtTransducerShape *
pt_transducer_model_shape (const PtTransducerModel *self)
{
  return &self->shape;
}

/* ---- hearing ---- */

static gboolean
preprocess (PtTransducerModel *self, const float *samples, gsize n, GCancellable *cancellable,
            GError **error)
{
  gint64 size = (gint64) n, one = 1;
  PtTensor sound, length;

  self->length = (gint64) n;
  return pt_tensor_init (&sound, PT_DTYPE_F32, 1, &size, NULL, (gpointer) samples, error) &&
         pt_tensor_init (&length, PT_DTYPE_I64, 1, &one, NULL, &self->length, error) &&
         pt_method_set_input_tensor (self->preprocessor, 0, &sound, error) &&
         pt_method_set_input_tensor (self->preprocessor, 1, &length, error) &&
         pt_method_execute (self->preprocessor, cancellable, error);
}

static gboolean
encode (PtTransducerModel *self, GCancellable *cancellable, GError **error)
{
  return pt_method_set_input (self->encoder, 0, pt_method_output (self->preprocessor, 0), error) &&
         pt_method_set_input (self->encoder, 1, pt_method_output (self->preprocessor, 1), error) &&
         pt_method_execute (self->encoder, cancellable, error);
}

/* Copies an output: the next call of any method may overwrite it. */
static gboolean
take (const PtMethod *method, guint i, const char *what, PtDType dtype, gsize most, guint8 *to,
      gsize *bytes, GError **error)
{
  const PtTensor *tensor = pt_in_tensor (pt_method_output (method, i), what, error);

  if (tensor == NULL)
    return FALSE;
  if (tensor->dtype != dtype || pt_tensor_nbytes (tensor) > most ||
      !pt_tensor_is_contiguous (tensor))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The speech model is inconsistent: %s are not what it declares.", what);
  *bytes = pt_tensor_nbytes (tensor);
  memcpy (to, tensor->data, *bytes);
  return TRUE;
}

gboolean
pt_transducer_model_hear (PtTransducerModel *self, const float *samples, gsize n, guint *n_frames,
                          GCancellable *cancellable, GError **error)
{
  gsize least = (gsize) ((double) self->shape.rate * MIN_SECONDS), bytes;
  gint64 length;

  g_return_val_if_fail (n <= self->shape.n_samples, FALSE);
  if (n < least) {
    memcpy (self->samples, samples, n * sizeof (float));
    memset (self->samples + n, 0, (least - n) * sizeof (float));
    samples = self->samples;
    n = least;
  }
  if (!preprocess (self, samples, n, cancellable, error) || !encode (self, cancellable, error) ||
      !take (self->encoder, 0, "what was heard", self->frame_dtype,
             self->max_frames * self->frame_bytes, self->frames, &bytes, error) ||
      !pt_output_index (self->encoder, 1, "the number of frames", &length, error))
    return FALSE;
  *n_frames = self->n_frames = (guint) CLAMP (length, 0, (gint64) (bytes / self->frame_bytes));
  memset (self->h, 0, self->state_bytes);
  memset (self->c, 0, self->state_bytes);
  return TRUE;
}

/* ---- saying ---- */

static gboolean
set (PtMethod *method, guint i, PtDType dtype, guint rank, const gint64 *sizes, gpointer data,
     GError **error)
{
  PtTensor tensor;

  return pt_tensor_init (&tensor, dtype, rank, sizes, NULL, data, error) &&
         pt_method_set_input_tensor (method, i, &tensor, error);
}

gboolean
pt_transducer_model_say (PtTransducerModel *self, gint64 id, GCancellable *cancellable,
                         GError **error)
{
  static const gint64 ONE[2] = { 1, 1 };
  gsize bytes;

  pt_index_store (self->id_dtype, &self->id, 0, id);
  return set (self->decoder, 0, self->id_dtype, 2, ONE, &self->id, error) &&
         set (self->decoder, 1, self->state_dtype, 3, self->state_sizes, self->h, error) &&
         set (self->decoder, 2, self->state_dtype, 3, self->state_sizes, self->c, error) &&
         pt_method_execute (self->decoder, cancellable, error) &&
         take (self->decoder, 0, "the numbers of a token", self->said_dtype, self->said_bytes,
               self->said, &bytes, error) &&
         take (self->decoder, 1, "the state", self->state_dtype, self->state_bytes, self->h, &bytes,
               error) &&
         take (self->decoder, 2, "the state", self->state_dtype, self->state_bytes, self->c, &bytes,
               error);
}

gboolean
pt_transducer_model_choose (PtTransducerModel *self, guint frame, gint64 *id, guint *duration,
                            GCancellable *cancellable, GError **error)
{
  gint64 which = 0;

  g_return_val_if_fail (frame < self->n_frames, FALSE);
  if (!set (self->joint, 0, self->frame_dtype, 3, self->frame_sizes,
            self->frames + frame * self->frame_bytes, error) ||
      !set (self->joint, 1, self->said_dtype, 3, self->said_sizes, self->said, error) ||
      !pt_method_execute (self->joint, cancellable, error) ||
      !pt_output_index (self->joint, 0, "the chosen token", id, error))
    return FALSE;
  *duration = 0;
  if (!self->shape.has_durations)
    return TRUE;
  if (!pt_output_index (self->joint, 1, "its duration", &which, error))
    return FALSE;
  if (which < 0 || which >= (gint64) self->n_durations)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The speech model chose duration %" G_GINT64_FORMAT " of %u.", which,
                    self->n_durations);
  *duration = self->durations[which];
  return TRUE;
}
