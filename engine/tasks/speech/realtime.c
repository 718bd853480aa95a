/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The recogniser for Voxtral Realtime (docs/formats/protocols.md, section 6). It encodes frames of
 * 80 ms and decodes a token for each, with a delay of some frames. A session lasts from the first
 * position of the decoder to its last, if it has one; a longer recording takes several sessions.
 */

#include <math.h>
#include <string.h>

#include "engine/audio/mel.h"
#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/speech/realtime-mel.h"
#include "engine/tasks/speech/realtime-model.h"
#include "engine/tasks/speech/recognizer.h"
#include "engine/tasks/speech/segmenter.h"
#include "engine/tasks/speech/audio-window.h"

#define RATE PT_MEL_RATE
/* Frames of silence that the original model puts before the recording, and, besides the delay,
 * behind it (docs/formats/protocols.md, section 6.2). */
#define LEAD 32
#define TAIL 11
/* A pause that ends a segment, in seconds. */
#define PAUSE 1.0
/* A session is changed after this many frames without a word: 1 s. */
#define QUIET 12
/* The fewest frames of a session. */
#define MIN_FRAMES 16
/* Progress is reported once in this many frames: 1 s. */
#define NEWS 12

typedef struct {
  const PtTokenizer *tokenizer;
  PtRealtimeModel *model;
  const PtRealtimeShape *shape;
  PtRealtimeMel *mel;
  PtSegmenter *segmenter;
  GString *piece;
  gint32 bos, eos, pad;
  gboolean pads;    /* the preprocessor appends silence */
  guint lead, tail; /* frames of silence before and behind the sound */
  guint n_prompt;   /* positions with a given token */
  guint n_mute;     /* offline: positions without a frame behind the last frame */
  PtWindow window;  /* offline */
  float *padded;    /* offline: the window with its padding */
  float *sound;     /* streaming: samples from the start of a step on */
  gsize sound_size;
  float *step; /* streaming: samples of one step */
} Realtime;

/* One recording. */
typedef struct {
  Realtime *owner;
  PtSpeech *speech;
  PtTranscribeResult *result;
  GCancellable *cancellable;
  PtStreamDecoder decoder; /* of the text as it comes */
  gboolean wants_space;    /* before more of it */
  gint32 previous;
  gint64 origin;  /* first sample of the session */
  gboolean ended; /* the model has ended the session */
  guint quiet;    /* frames since the last text */
  guint news;     /* frames since progress was reported */
  /* streaming */
  gint64 next; /* first sample of the next step; before @origin in the leading silence */
  gint64 base; /* sample that sound[0] is */
  gint64 end;  /* end of the samples that were read */
  gboolean at_end;
} Run;

/* ---- loading ---- */

static void
realtime_free (gpointer data)
{
  Realtime *self = data;

  g_clear_pointer (&self->segmenter, pt_segmenter_free);
  g_clear_pointer (&self->mel, pt_realtime_mel_free);
  g_clear_pointer (&self->model, pt_realtime_model_free);
  pt_window_clear (&self->window);
  g_string_free (self->piece, TRUE);
  g_free (self->padded);
  g_free (self->sound);
  g_free (self->step);
  g_free (self);
}

static gint32
find_id (const PtTokenizer *tokenizer, const char *name, gint32 fallback)
{
  gint32 id = pt_tokenizer_find (tokenizer, name);

  return id >= 0 ? id : fallback;
}

/*
 * The original model begins with silence and pad tokens, and uses a mel spectrogram with a fixed
 * range; ExecuTorch's runner begins with only the start token, and uses the exported preprocessor.
 * Both choices belong together.
 */
static gboolean
lay_out (Realtime *self, GError **error)
{
  const PtRealtimeShape *shape = self->shape;
  guint64 positions =
      shape->streaming ? shape->n_positions : MIN (shape->n_positions, shape->max_frames);

  self->bos = find_id (self->tokenizer, "<s>", 1);
  self->eos = find_id (self->tokenizer, "</s>", 2);
  self->pad = find_id (self->tokenizer, "[STREAMING_PAD]", -1);
  self->n_prompt = 1;
  if (self->pads || self->pad < 0) {
    self->tail = shape->streaming ? shape->delay : 0;
    self->n_mute = shape->streaming ? 0 : shape->delay;
    positions = shape->n_positions - MIN (shape->n_positions, self->n_mute);
  } else {
    self->lead = LEAD;
    self->tail = shape->delay + TAIL;
    self->n_prompt += LEAD + shape->delay;
  }
  if (positions < (guint64) self->lead + self->tail + shape->delay + MIN_FRAMES)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This speech model has too few positions (%" G_GUINT64_FORMAT
                    ") for a delay of %u tokens. Export it with a larger max_seq_len.",
                    positions, shape->delay);
  return TRUE;
}

static gboolean
prepare_streaming (Realtime *self, PtModule *preprocessor, GError **error)
{
  const PtRealtimeShape *shape = self->shape;
  gsize step = (gsize) shape->left + shape->step + shape->look;

  self->mel = pt_realtime_mel_new (shape->n_bands, (guint) (step / PT_MEL_HOP + 1), TRUE,
                                   preprocessor, error);
  if (self->mel == NULL)
    return FALSE;
  self->sound_size = step + (gsize) shape->delay * shape->frame;
  self->sound = pt_allocate (self->sound_size, sizeof (float), error);
  if (self->sound == NULL)
    return FALSE;
  self->step = pt_allocate (step, sizeof (float), error);
  return self->step != NULL;
}

static gboolean
prepare_offline (Realtime *self, PtModule *preprocessor, GError **error)
{
  const PtRealtimeShape *shape = self->shape;
  guint64 frames = MIN (shape->max_frames, shape->n_positions - self->n_mute);
  gsize size;

  self->mel = pt_realtime_mel_new (shape->n_bands, (guint) frames * (shape->frame / PT_MEL_HOP),
                                   FALSE, preprocessor, error);
  if (self->mel == NULL)
    return FALSE;
  size = pt_realtime_mel_limit (self->mel);
  self->padded = pt_allocate (size, sizeof (float), error);
  return self->padded != NULL &&
         pt_window_init (&self->window, size - (gsize) (self->lead + self->tail) * shape->frame,
                         error);
}

static gboolean
load (Realtime *self, const PtRecognizerParts *parts, GError **error)
{
  self->model = pt_realtime_model_new (parts->module, error);
  if (self->model == NULL)
    return FALSE;
  self->shape = pt_realtime_model_shape (self->model);
  self->pads = parts->preprocessor != NULL;
  return lay_out (self, error) &&
         (self->shape->streaming ? prepare_streaming (self, parts->preprocessor, error)
                                 : prepare_offline (self, parts->preprocessor, error));
}

static gpointer
realtime_open (const PtRecognizerParts *parts, GError **error)
{
  Realtime *self = g_new0 (Realtime, 1);

  self->tokenizer = parts->tokenizer;
  self->piece = g_string_new (NULL);
  self->segmenter = pt_segmenter_new (parts->tokenizer, PAUSE);
  if (!load (self, parts, error)) {
    realtime_free (self);
    return NULL;
  }
  return self;
}

/* ---- text ---- */

static double
seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

/* Gives out whole characters. */
static void
emit_piece (Run *run)
{
  GString *piece = run->owner->piece;

  if (piece->len == 0)
    return;
  if (run->wants_space && !g_ascii_isspace (piece->str[0]))
    g_string_prepend_c (piece, ' ');
  run->wants_space = FALSE;
  pt_speech_text (run->speech, piece->str);
  g_string_truncate (piece, 0);
}

/* The sample of the recording at which the token of @position was spoken. */
static gint64
sample_of (const Run *run, guint64 position)
{
  const Realtime *self = run->owner;
  gint64 frame = (gint64) position - (gint64) self->lead - (gint64) self->shape->delay;

  return run->origin + MAX (frame, 0) * self->shape->frame;
}

static void
take_token (Run *run, gint32 id, double log_probability, guint64 position)
{
  Realtime *self = run->owner;
  gint64 sample = sample_of (run, position);
  double start = pt_speech_time (run->speech, (guint64) sample);
  double end = pt_speech_end_time (run->speech, (guint64) sample + self->shape->frame);
  PtTimedToken token = { id, (float) exp (log_probability), start, end };

  if (pt_tokenizer_is_special (self->tokenizer, id)) {
    run->quiet++;
    pt_segmenter_wait (self->segmenter, run->speech, end);
    return;
  }
  run->quiet = 0;
  pt_segmenter_push (self->segmenter, run->speech, &token);
  pt_stream_decoder_push (&run->decoder, id, self->piece);
  emit_piece (run);
}

/* Decodes one position. */
static gboolean
write_token (Run *run, int frame, GError **error)
{
  Realtime *self = run->owner;
  guint64 position = pt_realtime_model_position (self->model);
  gint32 previous = position == 0               ? self->bos
                    : position < self->n_prompt ? self->pad
                                                : run->previous;
  gint64 begin = g_get_monotonic_time ();
  double log_probability;
  gint32 id;

  if (!pt_realtime_model_step (self->model, previous, frame, self->eos, &id, &log_probability,
                               run->cancellable, error))
    return FALSE;
  run->result->stats.decode_s += seconds_since (begin);
  run->result->stats.new_tokens++;
  run->previous = id;
  if (position + 1 < self->n_prompt)
    return TRUE;
  run->ended = id == self->eos;
  pt_speech_token (run->speech, id);
  take_token (run, id, log_probability, position);
  return TRUE;
}

static gboolean
hear (Run *run, const float *mel, guint n_columns, guint *n_frames, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  gboolean ok =
      pt_realtime_model_hear (run->owner->model, mel, n_columns, n_frames, run->cancellable, error);

  run->result->stats.prefill_s += seconds_since (begin);
  return ok;
}

static void
tell (Run *run, gint64 sample)
{
  if (++run->news < NEWS)
    return;
  run->news = 0;
  pt_speech_advance (run->speech, (guint64) MAX (sample, 0));
}

static void
start_session (Run *run, gint64 origin)
{
  Realtime *self = run->owner;

  pt_segmenter_flush (self->segmenter, run->speech);
  pt_stream_decoder_finish (&run->decoder, self->piece);
  emit_piece (run);
  pt_stream_decoder_init (&run->decoder, self->tokenizer, TRUE);
  run->wants_space = origin > 0;
  run->origin = origin;
  run->next = origin - (gint64) self->lead * self->shape->frame;
  run->ended = FALSE;
  run->quiet = 0;
  pt_realtime_model_start (self->model);
}

/* ---- offline: windows ---- */

/* Encodes @n samples of the window with their padding. */
static gboolean
hear_window (Run *run, gsize n, guint *n_frames, GError **error)
{
  Realtime *self = run->owner;
  guint frame = self->shape->frame, n_columns;
  gsize lead = (gsize) self->lead * frame, limit = pt_realtime_mel_limit (self->mel);
  gsize size = MAX (n + lead + (gsize) self->tail * frame, frame);

  if (!self->pads)
    size = (size + frame - 1) / frame * frame;
  size = MIN (size, limit);
  memset (self->padded, 0, size * sizeof (float));
  memcpy (self->padded + lead, self->window.samples, n * sizeof (float));
  if (pt_realtime_mel_compute (self->mel, self->padded, size, &n_columns, run->cancellable,
                               error) == NULL)
    return FALSE;
  n_columns -= n_columns % (frame / PT_MEL_HOP);
  if (n_columns == 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The preprocessor makes too little of a recording for this model.");
  return hear (run, pt_realtime_mel_cut (self->mel, 0, n_columns), n_columns, n_frames, error);
}

/* Transcribes @n samples of the window; @n_done: set to the number of samples that are done. */
static gboolean
do_window (Run *run, gsize n, gsize *n_done, GError **error)
{
  Realtime *self = run->owner;
  gsize frame = self->shape->frame, heard = 0, rest = self->shape->delay * frame + RATE;
  guint n_frames;

  if (!hear_window (run, n, &n_frames, error))
    return FALSE;
  for (guint i = 0; i < n_frames + self->n_mute && !run->ended; i++) {
    if (!write_token (run, i < n_frames ? (int) i : -1, error))
      return FALSE;
    heard = i < self->lead ? 0 : (i + 1 - self->lead) * frame;
    tell (run, run->origin + (gint64) MIN (heard, n));
  }
  /* If the model ends a session early, the next session continues from there. */
  heard = MAX (heard, frame);
  *n_done = run->ended && heard + rest < n ? heard : n;
  return TRUE;
}

static gboolean
run_offline (Run *run, GError **error)
{
  PtWindow *window = &run->owner->window;
  gsize n, n_done;

  pt_window_reset (window);
  for (;;) {
    if (!pt_window_fill (window, run->speech, error))
      return FALSE;
    if (window->filled == 0)
      return TRUE;
    n = pt_window_cut (window, RATE, 2);
    start_session (run, (gint64) window->position);
    if (!do_window (run, n, &n_done, error))
      return FALSE;
    pt_window_advance (window, n_done);
    pt_speech_advance (run->speech, window->position);
  }
}

/* ---- streaming: steps ---- */

/* Reads up to sample @until and drops samples that are no longer needed. */
static gboolean
read_until (Run *run, gint64 until, GError **error)
{
  Realtime *self = run->owner;
  gint64 keep = MAX (
      run->next - self->shape->left - (gint64) self->shape->delay * self->shape->frame, run->base);
  gint64 n_kept = MAX (run->end - keep, 0);
  gssize n;

  if (run->at_end || until <= run->end)
    return TRUE;
  keep = MIN (keep, run->end);
  memmove (self->sound, self->sound + (keep - run->base), (gsize) n_kept * sizeof (float));
  run->base = keep;
  n = pt_speech_read (run->speech, self->sound + n_kept, (gsize) (until - run->end), error);
  if (n < 0)
    return FALSE;
  run->at_end = n < until - run->end;
  run->end += n;
  return TRUE;
}

/* Copies the samples of the step: silence before the session's first sample and behind the end. */
static void
fill_step (const Run *run)
{
  const Realtime *self = run->owner;
  const PtRealtimeShape *shape = self->shape;
  gint64 first = run->next - shape->left, last = run->next + shape->step + shape->look;
  gint64 from = MAX (MAX (first, run->origin), run->base), to = MIN (last, run->end);

  memset (self->step, 0, (gsize) (last - first) * sizeof (float));
  if (from < to)
    memcpy (self->step + (from - first), self->sound + (from - run->base),
            (gsize) (to - from) * sizeof (float));
}

static gboolean
do_step (Run *run, GError **error)
{
  Realtime *self = run->owner;
  const PtRealtimeShape *shape = self->shape;
  guint n_columns, n_frames;

  fill_step (run);
  if (pt_realtime_mel_compute (self->mel, self->step,
                               (gsize) shape->left + shape->step + shape->look, &n_columns,
                               run->cancellable, error) == NULL ||
      !hear (run, pt_realtime_mel_cut (self->mel, shape->skip, shape->chunk), shape->chunk,
             &n_frames, error))
    return FALSE;
  for (guint i = 0; i < n_frames && !run->ended; i++)
    if (!write_token (run, (int) i, error))
      return FALSE;
  run->next += shape->step;
  tell (run, MIN (run->next, run->end));
  return TRUE;
}

/* The end of the last step of the session, including the silence behind the sound. */
static gint64
last_step (const Run *run)
{
  const Realtime *self = run->owner;
  gint64 step = self->shape->step, per_step = self->shape->frames_per_step;
  gint64 n = (run->end - run->origin + step - 1) / step + (self->tail + per_step - 1) / per_step;

  return run->origin + n * step;
}

/* When few positions are left, the session ends at the next pause, or when none is left. */
static gboolean
is_full (const Run *run)
{
  const PtRealtimeShape *shape = run->owner->shape;
  guint64 position = pt_realtime_model_position (run->owner->model);

  if (shape->n_positions == G_MAXUINT64)
    return FALSE;
  return shape->n_positions - position < shape->frames_per_step ||
         (!run->at_end && run->quiet >= QUIET + shape->delay &&
          position >= shape->n_positions / 4 * 3);
}

static gboolean
run_streaming (Run *run, GError **error)
{
  const PtRealtimeShape *shape = run->owner->shape;

  start_session (run, 0);
  for (;;) {
    if (!read_until (run, run->next + shape->step + shape->look, error))
      return FALSE;
    if (run->at_end && (run->end <= run->origin || run->next >= last_step (run)))
      return TRUE;
    /* The last frames have not been transcribed yet because of the delay: the next session repeats
       them. */
    if (is_full (run)) {
      start_session (run, run->next - (gint64) shape->delay * shape->frame);
      continue;
    }
    if (!do_step (run, error))
      return FALSE;
    if (run->ended && run->at_end && run->next >= run->end)
      return TRUE;
    if (run->ended)
      start_session (run, run->next);
  }
}

/* ---- a recording ---- */

static gboolean
realtime_run (gpointer data, PtSpeech *speech, GError **error)
{
  Realtime *self = data;
  Run run = { .owner = self,
              .speech = speech,
              .result = pt_speech_result (speech),
              .cancellable = pt_speech_cancellable (speech) };

  if (pt_speech_options (speech)->translate)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This speech model cannot translate. Whisper's larger models can.");
  pt_segmenter_reset (self->segmenter);
  g_string_truncate (self->piece, 0);
  pt_stream_decoder_init (&run.decoder, self->tokenizer, TRUE);
  if (!(self->shape->streaming ? run_streaming (&run, error) : run_offline (&run, error)))
    return FALSE;
  pt_segmenter_flush (self->segmenter, speech);
  pt_stream_decoder_finish (&run.decoder, self->piece);
  emit_piece (&run);
  pt_speech_finish (speech);
  return TRUE;
}

static guint
realtime_rate (gconstpointer data)
{
  return RATE;
}

static gboolean
realtime_streams (gconstpointer data)
{
  return ((const Realtime *) data)->shape->streaming;
}

const PtRecognizer pt_realtime_recognizer = { realtime_open, realtime_rate, realtime_streams,
                                              realtime_run, realtime_free };
