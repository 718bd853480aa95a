/* SPDX-License-Identifier: BSD-3-Clause */

/* Silero's kind: a window of samples and a state to a probability and the next state. */

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/speech/floats.h"
#include "engine/tasks/speech/vad-private.h"

#define MAX_SAMPLES (1 << 20)
#define MAX_STATE (1 << 20)
#define MAX_RATE 192000

typedef struct {
  PtModule *module;
  PtMethod *method; /* of the module */
  guint rate, window, context;
  gsize n_state;
  PtDType input_dtype, state_dtype;
  gint64 state_sizes[3];
  float *samples;               /* the end of the previous window, and the window */
  guint8 *input, *state, *next; /* in the dtypes of the program */
  float *state_floats;
} Silero;

static gboolean
check (Silero *self, GError **error)
{
  const PtTensorSpec *in = pt_input_tensor_spec (self->method, 0);
  const PtTensorSpec *state = pt_input_tensor_spec (self->method, 1);
  const PtTensorSpec *out = pt_output_tensor_spec (self->method, 0);
  const PtTensorSpec *next = pt_output_tensor_spec (self->method, 1);
  gint64 rate = 16000, window = 512, context;

  if (pt_method_n_inputs (self->method) != 2 || pt_method_n_outputs (self->method) != 2 ||
      !pt_spec_is_floats (in, 2) || in->sizes[0] != 1 || in->sizes[1] < 2 ||
      in->sizes[1] > MAX_SAMPLES || out == NULL || out->numel != 1)
    return pt_vad_fail (self->module, "it does not turn samples into a probability", error);
  if (!pt_spec_is_floats (state, 3) || !pt_spec_is_floats (next, 3) ||
      state->dtype != next->dtype || state->numel != next->numel || state->numel < 1 ||
      state->numel > MAX_STATE)
    return pt_vad_fail (self->module, "it gives back another state than it takes", error);
  pt_module_constant_int (self->module, "sample_rate", &rate);
  pt_module_constant_int (self->module, "window_size", &window);
  if (rate < 1000 || rate > MAX_RATE)
    return pt_vad_fail (self->module, "its “sample_rate” is invalid", error);
  if (window < 1 || window > in->sizes[1])
    return pt_vad_fail (self->module, "its “window_size” is not one that its method takes", error);
  context = in->sizes[1] - window;
  pt_module_constant_int (self->module, "context_size", &context);
  if (context != in->sizes[1] - window || context > window)
    return pt_vad_fail (self->module, "its “context_size” is not one that its method takes", error);
  self->rate = (guint) rate;
  self->window = (guint) window;
  self->context = (guint) context;
  self->input_dtype = in->dtype;
  self->state_dtype = state->dtype;
  self->n_state = (gsize) state->numel;
  for (guint i = 0; i < 3; i++)
    self->state_sizes[i] = state->sizes[i];
  return TRUE;
}

static void
silero_free (gpointer data)
{
  Silero *self = data;

  g_free (self->samples);
  g_free (self->input);
  g_free (self->state);
  g_free (self->state_floats);
  g_free (self);
}

static gboolean
allocate (Silero *self, GError **error)
{
  gsize n = (gsize) self->context + self->window;

  self->samples = pt_allocate (n, sizeof (float), error);
  if (self->samples == NULL)
    return FALSE;
  self->input = pt_allocate (n, sizeof (float), error);
  if (self->input == NULL)
    return FALSE;
  self->state = pt_allocate (self->n_state, sizeof (float), error);
  if (self->state == NULL)
    return FALSE;
  self->state_floats = pt_allocate (self->n_state, sizeof (float), error);
  return self->state_floats != NULL;
}

static gpointer
silero_open (PtModule *module, PtVadInfo *info, GError **error)
{
  Silero *self = g_new0 (Silero, 1);

  self->module = module;
  self->method = pt_module_method (module, "forward", error);
  if (self->method == NULL || !check (self, error) || !allocate (self, error)) {
    silero_free (self);
    return NULL;
  }
  *info =
      (PtVadInfo){ self->rate, self->window, self->window, 0, pt_vad_silero_rules (self->rate) };
  return self;
}

static void
silero_reset (gpointer data, gboolean live)
{
  Silero *self = data;

  memset (self->samples, 0, ((gsize) self->context + self->window) * sizeof (float));
  memset (self->state, 0, self->n_state * sizeof (float));
}

static gboolean
silero_hear (gpointer data, const float *samples, guint n_heard, GArray *probabilities,
             GCancellable *cancellable, GError **error)
{
  Silero *self = data;
  gsize n = (gsize) self->context + self->window;
  gint64 sizes[2] = { 1, (gint64) n };
  PtTensor input, state;
  float probability;

  memmove (self->samples, self->samples + self->window, self->context * sizeof (float));
  memcpy (self->samples + self->context, samples, n_heard * sizeof (float));
  memset (self->samples + self->context + n_heard, 0, (self->window - n_heard) * sizeof (float));
  pt_floats_store (self->input_dtype, n, self->samples, self->input);
  if (!pt_tensor_init (&input, self->input_dtype, 2, sizes, NULL, self->input, error) ||
      !pt_tensor_init (&state, self->state_dtype, 3, self->state_sizes, NULL, self->state, error) ||
      !pt_method_set_input_tensor (self->method, 0, &input, error) ||
      !pt_method_set_input_tensor (self->method, 1, &state, error) ||
      !pt_method_execute (self->method, cancellable, error) ||
      !pt_output_floats (self->method, 0, "the probability of speech", 1, &probability, error) ||
      !pt_output_floats (self->method, 1, "the state", self->n_state, self->state_floats, error))
    return FALSE;
  pt_floats_store (self->state_dtype, self->n_state, self->state_floats, self->state);
  g_array_append_val (probabilities, probability);
  return TRUE;
}

const PtVadKind pt_vad_silero = { silero_open, silero_reset, silero_hear, NULL, silero_free };
