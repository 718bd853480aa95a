/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/aloud/speech-play.h"

#include <math.h>

/* Pieces per second that the sink gets. */
#define PIECES 20
/* Silence is given only when less than this is left to hear, so that speech that arrives is heard
 * soon. */
#define LEAD_S 0.3
#define WAIT_US (G_TIME_SPAN_SECOND / PIECES)
/* Played samples are freed when there are more than this many. */
#define MANY_SAMPLES (1 << 19)

/* A sentence begins with sample @at: of all that were added; of all that were given once it is
 * heard. */
typedef struct {
  guint64 at;
  guint sentence;
} Mark;

/* State that the sink's thread shares with the UI thread, under the mutex. */
typedef struct {
  GMutex mutex;
  GCond changed;
  guint rate;
  gsize piece;
  GArray *samples; /* gint16 */
  gsize begin;     /* the first one that was not given */
  guint64 taken;   /* of the added samples, those that were given */
  guint64 given;   /* to the sink, with silence */
  guint64 heard;   /* of these, about */
  GArray *coming;  /* Mark: not given yet */
  GArray *passed;  /* Mark: given */
  gboolean finished, stopped;
} Queue;

struct _PterisSpeechPlay {
  Queue *queue;
  PterisSoundSink *sink;
};

static void
queue_clear (gpointer data)
{
  Queue *queue = data;

  g_array_unref (queue->samples);
  g_array_unref (queue->coming);
  g_array_unref (queue->passed);
  g_cond_clear (&queue->changed);
  g_mutex_clear (&queue->mutex);
}

static void
queue_unref (gpointer queue)
{
  g_atomic_rc_box_release_full (queue, queue_clear);
}

/* ---- the sink's thread ---- */

static gboolean
waits (const Queue *queue)
{
  return !queue->stopped && !queue->finished && queue->samples->len - queue->begin < queue->piece &&
         (double) queue->given > (double) queue->heard + LEAD_S * queue->rate;
}

static void
pass_marks (Queue *queue, gsize n)
{
  while (queue->coming->len > 0) {
    Mark mark = g_array_index (queue->coming, Mark, 0);

    if (mark.at >= queue->taken + n)
      return;
    mark.at = queue->given + (mark.at - queue->taken);
    g_array_append_val (queue->passed, mark);
    g_array_remove_index (queue->coming, 0);
  }
}

static gboolean
take (Queue *queue, gint16 *samples)
{
  gsize n = MIN (queue->samples->len - queue->begin, queue->piece);

  if (queue->stopped || (queue->finished && n == 0))
    return FALSE;
  for (gsize i = 0; i < queue->piece; i++)
    samples[i] = i < n ? g_array_index (queue->samples, gint16, queue->begin + i) : 0;
  pass_marks (queue, n);
  queue->begin += n;
  queue->taken += n;
  queue->given += queue->piece;
  if (queue->begin == queue->samples->len || queue->begin > MANY_SAMPLES) {
    g_array_remove_range (queue->samples, 0, (guint) queue->begin);
    queue->begin = 0;
  }
  return TRUE;
}

static gboolean
give_piece (gpointer user_data, gint16 *samples)
{
  Queue *queue = user_data;
  gboolean more;

  g_mutex_lock (&queue->mutex);
  while (waits (queue))
    g_cond_wait_until (&queue->changed, &queue->mutex, g_get_monotonic_time () + WAIT_US);
  more = take (queue, samples);
  g_mutex_unlock (&queue->mutex);
  return more;
}

/* ---- the UI thread ---- */

PterisSpeechPlay *
pteris_speech_play_new (PterisSoundDevice *device, guint rate)
{
  PterisSpeechPlay *self = g_new0 (PterisSpeechPlay, 1);
  Queue *queue = g_atomic_rc_box_new0 (Queue);

  g_mutex_init (&queue->mutex);
  g_cond_init (&queue->changed);
  queue->rate = rate;
  queue->piece = rate / PIECES;
  queue->samples = g_array_new (FALSE, FALSE, sizeof (gint16));
  queue->coming = g_array_new (FALSE, FALSE, sizeof (Mark));
  queue->passed = g_array_new (FALSE, FALSE, sizeof (Mark));
  self->queue = queue;
  self->sink = pteris_sound_sink_new (device, rate, queue->piece, give_piece,
                                      g_atomic_rc_box_acquire (queue), queue_unref);
  return self;
}

void
pteris_speech_play_free (PterisSpeechPlay *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->queue->mutex);
  self->queue->stopped = TRUE;
  g_cond_signal (&self->queue->changed);
  g_mutex_unlock (&self->queue->mutex);
  pteris_sound_sink_free (self->sink);
  queue_unref (self->queue);
  g_free (self);
}

void
pteris_speech_play_add (PterisSpeechPlay *self, guint sentence, const float *samples, gsize n)
{
  Queue *queue = self->queue;
  g_autofree gint16 *converted = g_new (gint16, n);
  Mark mark = { 0, sentence };

  for (gsize i = 0; i < n; i++)
    converted[i] = (gint16) lrintf (CLAMP (samples[i], -1, 1) * 32767);
  g_mutex_lock (&queue->mutex);
  mark.at = queue->taken + (queue->samples->len - queue->begin);
  g_array_append_vals (queue->samples, converted, (guint) n);
  g_array_append_val (queue->coming, mark);
  g_cond_signal (&queue->changed);
  g_mutex_unlock (&queue->mutex);
}

void
pteris_speech_play_finish (PterisSpeechPlay *self)
{
  g_mutex_lock (&self->queue->mutex);
  self->queue->finished = TRUE;
  g_cond_signal (&self->queue->changed);
  g_mutex_unlock (&self->queue->mutex);
}

double
pteris_speech_play_get_ahead (PterisSpeechPlay *self)
{
  Queue *queue = self->queue;
  guint64 n;

  g_mutex_lock (&queue->mutex);
  n = queue->samples->len - queue->begin;
  n += queue->given > queue->heard ? queue->given - queue->heard : 0;
  g_mutex_unlock (&queue->mutex);
  return (double) n / queue->rate;
}

gboolean
pteris_speech_play_check (PterisSpeechPlay *self, guint *sentence, GError **error)
{
  double seconds = pteris_sound_sink_get_seconds (self->sink);
  Queue *queue = self->queue;

  g_mutex_lock (&queue->mutex);
  queue->heard = (guint64) (MAX (seconds, 0) * queue->rate);
  for (guint i = 0; i < queue->passed->len; i++)
    if (g_array_index (queue->passed, Mark, i).at <= queue->heard)
      *sentence = g_array_index (queue->passed, Mark, i).sentence;
  g_cond_signal (&queue->changed);
  g_mutex_unlock (&queue->mutex);
  return pteris_sound_sink_check (self->sink, error);
}
