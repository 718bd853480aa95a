/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/vad.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/speech/floats.h"

#define MAX_SAMPLES (1 << 20)
#define MAX_STATE (1 << 20)
#define MAX_RATE 192000

struct _PtVad {
  PtMethod *method; /* of the module */
  guint rate, window, context;
  gsize n_state;
  PtDType input_dtype, state_dtype;
  gint64 state_sizes[3];
  float *samples;               /* the end of the previous window, and the window */
  guint8 *input, *state, *next; /* in the dtypes of the program */
  float *state_floats;
};

static gboolean
fail_layout (const char *what, GError **error)
{
  return pt_fail (
      error, PT_ERROR_UNSUPPORTED,
      "This voice activity detector cannot be used here: %s. Leave it out: it is not needed.",
      what);
}

static gboolean
check (PtVad *self, PtModule *module, GError **error)
{
  const PtTensorSpec *in = pt_input_tensor_spec (self->method, 0);
  const PtTensorSpec *state = pt_input_tensor_spec (self->method, 1);
  const PtTensorSpec *out = pt_output_tensor_spec (self->method, 0);
  const PtTensorSpec *next = pt_output_tensor_spec (self->method, 1);
  gint64 rate = 16000, window = 512, context;

  if (pt_method_n_inputs (self->method) != 2 || pt_method_n_outputs (self->method) != 2 ||
      !pt_spec_is_floats (in, 2) || in->sizes[0] != 1 || in->sizes[1] < 2 ||
      in->sizes[1] > MAX_SAMPLES || out == NULL || out->numel != 1)
    return fail_layout ("it does not turn samples into a probability", error);
  if (!pt_spec_is_floats (state, 3) || !pt_spec_is_floats (next, 3) ||
      state->dtype != next->dtype || state->numel != next->numel || state->numel < 1 ||
      state->numel > MAX_STATE)
    return fail_layout ("it gives back another state than it takes", error);
  pt_module_constant_int (module, "sample_rate", &rate);
  pt_module_constant_int (module, "window_size", &window);
  if (rate < 1000 || rate > MAX_RATE)
    return fail_layout ("its “sample_rate” is invalid", error);
  if (window < 1 || window > in->sizes[1])
    return fail_layout ("its “window_size” is not one that its method takes", error);
  context = in->sizes[1] - window;
  pt_module_constant_int (module, "context_size", &context);
  if (context != in->sizes[1] - window || context > window)
    return fail_layout ("its “context_size” is not one that its method takes", error);
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

PtVad *
pt_vad_new (PtModule *module, GError **error)
{
  g_autoptr (PtVad) self = g_new0 (PtVad, 1);
  gsize n;

  self->method = pt_module_method (module, "forward", error);
  if (self->method == NULL || !check (self, module, error))
    return NULL;
  n = (gsize) self->context + self->window;
  self->samples = pt_allocate (n, sizeof (float), error);
  if (self->samples == NULL)
    return NULL;
  self->input = pt_allocate (n, sizeof (float), error);
  if (self->input == NULL)
    return NULL;
  self->state = pt_allocate (self->n_state, sizeof (float), error);
  if (self->state == NULL)
    return NULL;
  self->state_floats = pt_allocate (self->n_state, sizeof (float), error);
  return self->state_floats != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_vad_free (PtVad *self)
{
  if (self == NULL)
    return;
  g_free (self->samples);
  g_free (self->input);
  g_free (self->state);
  g_free (self->state_floats);
  g_free (self);
}

guint
pt_vad_rate (const PtVad *self)
{
  return self->rate;
}

guint
pt_vad_window (const PtVad *self)
{
  return self->window;
}

void
pt_vad_reset (PtVad *self)
{
  memset (self->samples, 0, ((gsize) self->context + self->window) * sizeof (float));
  memset (self->state, 0, self->n_state * sizeof (float));
}

gboolean
pt_vad_hear (PtVad *self, const float *samples, float *probability, GCancellable *cancellable,
             GError **error)
{
  gsize n = (gsize) self->context + self->window;
  gint64 sizes[2] = { 1, (gint64) n };
  PtTensor input, state;

  memmove (self->samples, self->samples + self->window, self->context * sizeof (float));
  memcpy (self->samples + self->context, samples, self->window * sizeof (float));
  pt_floats_store (self->input_dtype, n, self->samples, self->input);
  if (!pt_tensor_init (&input, self->input_dtype, 2, sizes, NULL, self->input, error) ||
      !pt_tensor_init (&state, self->state_dtype, 3, self->state_sizes, NULL, self->state, error) ||
      !pt_method_set_input_tensor (self->method, 0, &input, error) ||
      !pt_method_set_input_tensor (self->method, 1, &state, error) ||
      !pt_method_execute (self->method, cancellable, error) ||
      !pt_output_floats (self->method, 0, "the probability of speech", 1, probability, error) ||
      !pt_output_floats (self->method, 1, "the state", self->n_state, self->state_floats, error))
    return FALSE;
  pt_floats_store (self->state_dtype, self->n_state, self->state_floats, self->state);
  return TRUE;
}

/* --- rules --- */

PtVadRules
pt_vad_rules (guint rate)
{
  return (PtVadRules){ 0.5f, 0.35f, rate / 4, rate / 10 };
}

void
pt_vad_state_init (PtVadState *state, const PtVadRules *rules)
{
  memset (state, 0, sizeof *state);
  state->rules = *rules;
}

PtVadChange
pt_vad_state_push (PtVadState *state, float probability, guint n)
{
  guint64 begin = state->position;

  state->position += n;
  if (probability >= state->rules.begin && !state->speaks && !state->maybe) {
    state->maybe = TRUE;
    state->begun = begin;
  }
  if (!state->speaks && !state->maybe)
    return PT_VAD_NOTHING_NEW;
  if (probability >= state->rules.end)
    state->heard = state->position;
  if (state->maybe && state->heard - state->begun >= state->rules.min_speech) {
    state->maybe = FALSE;
    state->speaks = TRUE;
    return PT_VAD_BEGINS;
  }
  if (state->position - state->heard < state->rules.min_silence)
    return PT_VAD_NOTHING_NEW;
  /* Too short for a word: a click. */
  if (state->maybe) {
    state->maybe = FALSE;
    return PT_VAD_NOTHING_NEW;
  }
  state->speaks = FALSE;
  return PT_VAD_ENDS;
}
