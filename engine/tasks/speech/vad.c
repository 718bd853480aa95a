/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/speech/vad-private.h"

struct _PtVad {
  const PtVadKind *kind;
  PtVadInfo info;
  gpointer self;
};

gboolean
pt_vad_fail (PtModule *module, const char *what, GError **error)
{
  g_autofree char *name =
      g_filename_display_basename (pt_program_path (pt_module_program (module)));

  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The voice activity detector “%s” cannot be used here: %s. Leave it out: it is "
                  "not needed.",
                  name, what);
}

PtVad *
pt_vad_new (PtModule *module, GError **error)
{
  g_autoptr (PtVad) self = g_new0 (PtVad, 1);
  const PtMethod *method = pt_module_method (module, "forward", error);

  if (method == NULL)
    return NULL;
  /* Silero's kind also takes its state. */
  self->kind = pt_method_n_inputs (method) == 1 ? &pt_vad_fsmn : &pt_vad_silero;
  self->self = self->kind->open (module, &self->info, error);
  return self->self != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_vad_free (PtVad *self)
{
  if (self == NULL)
    return;
  if (self->self != NULL)
    self->kind->free (self->self);
  g_free (self);
}

guint
pt_vad_rate (const PtVad *self)
{
  return self->info.rate;
}

guint
pt_vad_window (const PtVad *self)
{
  return self->info.window;
}

guint
pt_vad_step (const PtVad *self)
{
  return self->info.step;
}

guint
pt_vad_delay (const PtVad *self)
{
  return self->info.delay;
}

PtVadRules
pt_vad_rules (const PtVad *self)
{
  return self->info.rules;
}

void
pt_vad_reset (PtVad *self, gboolean live)
{
  self->kind->reset (self->self, live);
}

gboolean
pt_vad_hear (PtVad *self, const float *samples, guint n, GArray *probabilities,
             GCancellable *cancellable, GError **error)
{
  return self->kind->hear (self->self, samples, MIN (n, self->info.window), probabilities,
                           cancellable, error);
}

gboolean
pt_vad_finish (PtVad *self, GArray *probabilities, GCancellable *cancellable, GError **error)
{
  return self->kind->finish == NULL ||
         self->kind->finish (self->self, probabilities, cancellable, error);
}

/* ---- rules ---- */

PtVadRules
pt_vad_silero_rules (guint rate)
{
  return (PtVadRules){ 0.5f, 0.35f, rate / 4, rate / 10, rate / 10 };
}

PtVadRules
pt_vad_fsmn_rules (void)
{
  /* Its host counts frames behind the first: the 26th of speech and the 11th of silence decide. */
  return (PtVadRules){ 0.6f, 0.6f, 26 * 160, 11 * 160, 1 };
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
  if (state->position - state->heard <
      (state->maybe ? state->rules.max_gap : state->rules.min_silence))
    return PT_VAD_NOTHING_NEW;
  /* Too short for a word: a click. */
  if (state->maybe) {
    state->maybe = FALSE;
    return PT_VAD_NOTHING_NEW;
  }
  state->speaks = FALSE;
  return PT_VAD_ENDS;
}
