/* SPDX-License-Identifier: BSD-3-Clause */

/* FSMN: frames of a Fourier transform's length, many in a call, to classes; the first is silence.
 */

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/speech/floats.h"
#include "engine/tasks/speech/vad-private.h"

#define RATE 16000
#define HOP 160
/* Samples of a frame, and numbers of it in the input, where they are in the middle. */
#define FRAME 400
#define WIDTH 512
#define LEFT ((WIDTH - FRAME) / 2)
#define PRE_EMPHASIS 0.97f
/* Frames in a call. */
#define MOST 1000
#define LEAST 100
/* New frames in a call when the sound is live; the others came before them. */
#define LIVE 25
/* Samples that are taken at once: 100 ms. */
#define WINDOW (10 * HOP)
#define MAX_CLASSES (1 << 16)

typedef struct {
  PtModule *module;
  PtMethod *method; /* of the module */
  PtDType dtype;
  guint most, least, n_classes;
  guint fresh, keep; /* new frames that make a call, and old ones that come before them */
  float window[FRAME];
  float sound[FRAME + WINDOW]; /* what is no whole frame yet */
  guint n_sound;
  float *frames; /* [most, WIDTH]: old ones, then new ones */
  guint n_old, n_new;
  gpointer input; /* the same in the dtype of the program */
  float *classes; /* [most, n_classes] */
} Fsmn;

static void
fsmn_free (gpointer data)
{
  Fsmn *self = data;

  g_free (self->frames);
  g_free (self->input);
  g_free (self->classes);
  g_free (self);
}

static gboolean
check (Fsmn *self, GError **error)
{
  const PtTensorSpec *in = pt_input_tensor_spec (self->method, 0);
  const PtTensorSpec *out = pt_output_tensor_spec (self->method, 0);

  if (pt_method_n_outputs (self->method) != 1 || !pt_spec_is_floats (in, 2) ||
      in->sizes[1] != WIDTH || in->sizes[0] < 1)
    return pt_vad_fail (self->module, "it does not take frames [n, 512]", error);
  if (!pt_spec_is_floats (out, 3) || out->sizes[0] != 1 || out->sizes[1] != in->sizes[0] ||
      out->sizes[2] < 2 || out->sizes[2] > MAX_CLASSES)
    return pt_vad_fail (self->module, "it does not return classes for each frame", error);
  self->dtype = in->dtype;
  self->n_classes = (guint) out->sizes[2];
  self->most = MIN ((guint) in->sizes[0], MOST);
  self->least = MIN (self->most, LEAST);
  if (in->dynamism != PT_DYNAMISM_STATIC)
    return TRUE;
  if (in->sizes[0] > MOST)
    return pt_vad_fail (self->module, "it wants more than 1000 frames in every call", error);
  self->least = self->most;
  return TRUE;
}

static void
fsmn_reset (gpointer data, gboolean live)
{
  Fsmn *self = data;

  self->fresh = live ? MIN (LIVE, self->least) : self->most;
  self->keep = live ? self->least - self->fresh : 0;
  self->n_sound = self->n_old = self->n_new = 0;
}

static gpointer
fsmn_open (PtModule *module, PtVadInfo *info, GError **error)
{
  Fsmn *self = g_new0 (Fsmn, 1);

  self->module = module;
  self->method = pt_module_method (module, "forward", error);
  if (self->method == NULL || !check (self, error))
    goto fail;
  self->frames = pt_allocate (self->most, WIDTH * sizeof (float), error);
  if (self->frames == NULL)
    goto fail;
  self->input = pt_allocate (self->most, WIDTH * sizeof (float), error);
  if (self->input == NULL)
    goto fail;
  self->classes = pt_allocate (self->most, self->n_classes * sizeof (float), error);
  if (self->classes == NULL)
    goto fail;
  for (guint i = 0; i < FRAME; i++)
    self->window[i] = (float) (0.5 * (1 - cos (2 * G_PI * i / FRAME)));
  *info = (PtVadInfo){ RATE, WINDOW, HOP, self->most * HOP + FRAME, pt_vad_fsmn_rules () };
  fsmn_reset (self, FALSE);
  return self;
fail:
  fsmn_free (self);
  return NULL;
}

/* The frame that begins at @samples: without its mean, with pre-emphasis, windowed. */
static void
make_frame (const Fsmn *self, const float *samples, float *frame)
{
  float *x = frame + LEFT, sum = 0, mean;

  memset (frame, 0, WIDTH * sizeof (float));
  for (guint i = 0; i < FRAME; i++)
    sum += samples[i];
  mean = sum / FRAME;
  for (guint i = 0; i < FRAME; i++)
    x[i] = samples[i] - mean;
  for (guint i = FRAME - 1; i > 0; i--)
    x[i] -= PRE_EMPHASIS * x[i - 1];
  for (guint i = 0; i < FRAME; i++)
    x[i] *= self->window[i];
}

/* Call the program with old and new frames; short calls end with frames of silence. */
static gboolean
judge (Fsmn *self, GArray *probabilities, GCancellable *cancellable, GError **error)
{
  guint n = self->n_old + self->n_new, count = MAX (n, self->least), kept;
  gint64 sizes[2] = { count, WIDTH };
  PtTensor input;

  memset (self->frames + (gsize) n * WIDTH, 0, (gsize) (count - n) * WIDTH * sizeof (float));
  pt_floats_store (self->dtype, (gsize) count * WIDTH, self->frames, self->input);
  if (!pt_tensor_init (&input, self->dtype, 2, sizes, NULL, self->input, error) ||
      !pt_method_set_input_tensor (self->method, 0, &input, error) ||
      !pt_method_execute (self->method, cancellable, error) ||
      !pt_output_floats (self->method, 0, "the classes of the frames",
                         (gsize) count * self->n_classes, self->classes, error))
    return FALSE;
  for (guint i = self->n_old; i < n; i++) {
    float speech = 1.0f - self->classes[(gsize) i * self->n_classes];

    g_array_append_val (probabilities, speech);
  }
  kept = MIN (n, self->keep);
  memmove (self->frames, self->frames + (gsize) (n - kept) * WIDTH,
           (gsize) kept * WIDTH * sizeof (float));
  self->n_old = kept;
  self->n_new = 0;
  return TRUE;
}

static gboolean
fsmn_hear (gpointer data, const float *samples, guint n, GArray *probabilities,
           GCancellable *cancellable, GError **error)
{
  Fsmn *self = data;
  guint begin = 0;

  memcpy (self->sound + self->n_sound, samples, n * sizeof (float));
  self->n_sound += n;
  for (; begin + FRAME <= self->n_sound; begin += HOP) {
    make_frame (self, self->sound + begin,
                self->frames + (gsize) (self->n_old + self->n_new) * WIDTH);
    self->n_new++;
    if (self->n_new == self->fresh && !judge (self, probabilities, cancellable, error))
      return FALSE;
  }
  self->n_sound -= begin;
  memmove (self->sound, self->sound + begin, self->n_sound * sizeof (float));
  return TRUE;
}

static gboolean
fsmn_finish (gpointer data, GArray *probabilities, GCancellable *cancellable, GError **error)
{
  Fsmn *self = data;

  return self->n_new == 0 || judge (self, probabilities, cancellable, error);
}

const PtVadKind pt_vad_fsmn = { fsmn_open, fsmn_reset, fsmn_hear, fsmn_finish, fsmn_free };
