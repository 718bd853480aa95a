/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/silence-gate.h"

#include <string.h>

#include "engine/base/allocate.h"

/* Milliseconds of silence that are kept behind and before speech. Behind: enough for words that a
   model writes with a delay, and for a pause that ends a sentence. */
#define AFTER_MS 1500
#define BEFORE_MS 300
/* The most cuts that are kept: those of about the last hour. */
#define MAX_CUTS 1024

/* A cut: output sample @given is input sample @read. */
typedef struct {
  guint64 given, read;
} Cut;

struct _PtSilenceGate {
  PtAudioReader *reader;
  PtVad *vad;
  PtVadState state;
  GArray *cuts;   /* Cut */
  GArray *judged; /* float: probabilities of steps */
  guint next;     /* of these */
  float *sound;   /* buffer of input samples that were not given yet */
  gsize size, begin, end;
  guint64 n_read, n_given;
  guint before, after;
  guint64 open_until; /* input sample up to which everything is given */
  gboolean at_end;
};

PtSilenceGate *
pt_silence_gate_new (PtAudioReader *reader, PtVad *vad, gboolean live, GError **error)
{
  g_autoptr (PtSilenceGate) self = g_new0 (PtSilenceGate, 1);
  PtVadRules rules = pt_vad_rules (vad);

  self->reader = reader;
  self->vad = vad;
  self->cuts = g_array_new (FALSE, FALSE, sizeof (Cut));
  self->judged = g_array_new (FALSE, FALSE, sizeof (float));
  self->before = pt_vad_rate (vad) * BEFORE_MS / 1000;
  self->after = pt_vad_rate (vad) * AFTER_MS / 1000;
  /* Room for speech that has begun but is not certain, the silence before it, samples that wait for
   * their probabilities, and a window. */
  self->size = (gsize) self->before + rules.min_speech + rules.min_silence + pt_vad_delay (vad) +
               3 * (gsize) pt_vad_window (vad);
  self->sound = pt_allocate (self->size, sizeof (float), error);
  if (self->sound == NULL)
    return NULL;
  pt_vad_state_init (&self->state, &rules);
  pt_vad_reset (vad, live);
  return g_steal_pointer (&self);
}

void
pt_silence_gate_free (PtSilenceGate *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->cuts);
  g_array_unref (self->judged);
  g_free (self->sound);
  g_free (self);
}

guint64
pt_silence_gate_n_read (const PtSilenceGate *self)
{
  return self->n_read;
}

/* The input sample at sound[begin]. */
static guint64
first (const PtSilenceGate *self)
{
  return self->n_read - (self->end - self->begin);
}

/* The number of buffered samples that can be given. */
static gsize
ready (const PtSilenceGate *self)
{
  guint64 from = first (self);

  return self->open_until > from
             ? (gsize) MIN (self->open_until - from, (guint64) (self->end - self->begin))
             : 0;
}

/* Drops samples that cannot be speech: all but those before a possible begin of speech. */
static void
drop (PtSilenceGate *self)
{
  guint64 keep = self->state.maybe ? self->state.begun : MIN (self->state.position, self->n_read);

  keep = MAX (keep - MIN (keep, self->before), first (self));
  if (ready (self) == 0)
    self->begin += (gsize) (keep - first (self));
}

/* Reads one window and runs the voice activity detector on it. */
static gboolean
read_window (PtSilenceGate *self, GCancellable *cancellable, GError **error)
{
  guint window = pt_vad_window (self->vad);
  gssize n;

  memmove (self->sound, self->sound + self->begin, (self->end - self->begin) * sizeof (float));
  self->end -= self->begin;
  self->begin = 0;
  g_array_set_size (self->judged, 0);
  self->next = 0;
  g_return_val_if_fail (self->end + window <= self->size, FALSE);
  n = pt_audio_reader_read (self->reader, self->sound + self->end, window, cancellable, error);
  if (n < 0)
    return FALSE;
  self->at_end = (guint) n < window;
  if (n > 0 && !pt_vad_hear (self->vad, self->sound + self->end, (guint) n, self->judged,
                             cancellable, error))
    return FALSE;
  self->end += (gsize) n;
  self->n_read += (guint64) n;
  return !self->at_end || pt_vad_finish (self->vad, self->judged, cancellable, error);
}

/* Takes the next probability; reads a window if none is left. */
static gboolean
hear (PtSilenceGate *self, GCancellable *cancellable, GError **error)
{
  drop (self);
  if (self->next == self->judged->len && !read_window (self, cancellable, error))
    return FALSE;
  if (self->next < self->judged->len)
    pt_vad_state_push (&self->state, g_array_index (self->judged, float, self->next++),
                       pt_vad_step (self->vad));
  /* Speech at the end of the recording counts, however short. */
  if (self->state.speaks || (self->at_end && self->next == self->judged->len && self->state.maybe))
    self->open_until = MAX (self->open_until, self->state.heard + self->after);
  return TRUE;
}

/* Records a cut: the next output sample does not follow the last one in the input. */
static void
note_cut (PtSilenceGate *self)
{
  Cut cut = { self->n_given, first (self) };
  const Cut *last =
      self->cuts->len > 0 ? &g_array_index (self->cuts, Cut, self->cuts->len - 1) : NULL;

  if (last != NULL && cut.read - last->read == cut.given - last->given)
    return;
  if (self->cuts->len >= MAX_CUTS)
    g_array_remove_range (self->cuts, 0, MAX_CUTS / 2);
  g_array_append_val (self->cuts, cut);
}

gssize
pt_silence_gate_read (PtSilenceGate *self, float *samples, gsize n, GCancellable *cancellable,
                      GError **error)
{
  gsize done = 0, count;

  while (done < n) {
    count = MIN (ready (self), n - done);
    if (count == 0) {
      if (self->at_end && self->next == self->judged->len)
        break;
      if (!hear (self, cancellable, error))
        return -1;
      continue;
    }
    note_cut (self);
    memcpy (samples + done, self->sound + self->begin, count * sizeof (float));
    self->begin += count;
    self->n_given += count;
    done += count;
  }
  return (gssize) done;
}

guint64
pt_silence_gate_origin (const PtSilenceGate *self, guint64 position, gboolean is_end)
{
  const Cut *found = NULL;

  for (guint i = self->cuts->len; i > 0; i--) {
    found = &g_array_index (self->cuts, Cut, i - 1);
    if (is_end ? found->given < position : found->given <= position)
      break;
  }
  if (found == NULL)
    return position;
  return position >= found->given ? found->read + (position - found->given) : found->read;
}
