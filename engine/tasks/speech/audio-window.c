/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/audio-window.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"

/* The highest amplitude of silence: about 16 of 32767 steps. */
#define SILENCE 5e-4f

gboolean
pt_window_init (PtWindow *self, gsize size, GError **error)
{
  memset (self, 0, sizeof *self);
  self->samples = pt_allocate (size, sizeof (float), error);
  self->size = size;
  return self->samples != NULL;
}

void
pt_window_clear (PtWindow *self)
{
  g_clear_pointer (&self->samples, g_free);
}

void
pt_window_reset (PtWindow *self)
{
  self->filled = 0;
  self->position = 0;
  self->at_end = FALSE;
}

gboolean
pt_window_fill (PtWindow *self, PtSpeech *speech, GError **error)
{
  gsize wanted = self->size - self->filled;
  gssize n;

  if (self->at_end || wanted == 0)
    return TRUE;
  n = pt_speech_read (speech, self->samples + self->filled, wanted, error);
  if (n < 0)
    return FALSE;
  self->filled += (gsize) n;
  self->at_end = (gsize) n < wanted;
  return TRUE;
}

static double
energy (const float *samples, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (double) samples[i] * (double) samples[i];
  return sum;
}

gsize
pt_window_cut (const PtWindow *self, guint rate, guint part)
{
  gsize step = MAX (rate / 50, 1), stretch = 10 * step;
  gsize cut = self->filled;
  double quietest = G_MAXDOUBLE, now;

  if (self->at_end || self->filled < self->size || self->filled / part < stretch)
    return self->filled;
  for (gsize begin = self->filled - self->filled / part; begin + stretch <= self->filled;
       begin += step) {
    now = energy (self->samples + begin, stretch);
    if (now <= quietest) {
      quietest = now;
      cut = begin + stretch / 2;
    }
  }
  return cut;
}

void
pt_window_advance (PtWindow *self, gsize n)
{
  n = MIN (n, self->filled);
  memmove (self->samples, self->samples + n, (self->filled - n) * sizeof (float));
  self->filled -= n;
  self->position += n;
}

gboolean
pt_window_is_silent (const float *samples, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (fabsf (samples[i]) > SILENCE)
      return FALSE;
  return TRUE;
}
