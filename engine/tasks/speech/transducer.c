/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The recogniser for transducers: Parakeet TDT and plain RNN-T (docs/formats/protocols.md, section
 * 7). The program encodes a window in one call; windows end where the recording is quiet.
 */

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/speech/recognizer.h"
#include "engine/tasks/speech/segmenter.h"
#include "engine/tasks/speech/transducer-model.h"
#include "engine/tasks/speech/audio-window.h"

/* The most tokens of a frame. */
#define MAX_SYMBOLS 10
/* Shorter than any word: 0.05 s. */
#define MIN_PART 20
#define SPACE_MARK "\xe2\x96\x81"

typedef struct {
  const PtTokenizer *tokenizer;
  PtTransducerModel *model;
  const PtTransducerShape *shape;
  PtSegmenter *segmenter;
  PtWindow window;
} Transducer;

/* One recording. */
typedef struct {
  Transducer *owner;
  PtSpeech *speech;
  PtStats *stats;
  GCancellable *cancellable;
  double last_end; /* of the last token, in seconds of the recording */
} Run;

static void
transducer_free (gpointer data)
{
  Transducer *self = data;

  g_clear_pointer (&self->segmenter, pt_segmenter_free);
  g_clear_pointer (&self->model, pt_transducer_model_free);
  pt_window_clear (&self->window);
  g_free (self);
}

static gpointer
transducer_open (const PtRecognizerParts *parts, GError **error)
{
  Transducer *self = g_new0 (Transducer, 1);

  self->tokenizer = parts->tokenizer;
  self->segmenter = pt_segmenter_new (parts->tokenizer, 0);
  self->model = pt_transducer_model_new (parts->module, error);
  if (self->model != NULL) {
    self->shape = pt_transducer_model_shape (self->model);
    if (pt_window_init (&self->window, self->shape->n_samples, error))
      return self;
  }
  transducer_free (self);
  return NULL;
}

static double
seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

/* Whether a token is nothing but punctuation, which takes no time (docs/formats/protocols.md,
 * section 7.3). */
static gboolean
is_punctuation (const PtTokenizer *tokenizer, gint32 id)
{
  gsize length;
  const char *bytes = pt_tokenizer_bytes (tokenizer, id, &length);

  if (bytes == NULL || length == 0 || !g_utf8_validate (bytes, (gssize) length, NULL) ||
      (length >= 2 && bytes[0] == '#' && bytes[1] == '#') ||
      (length > 2 && ((bytes[0] == '[' && bytes[length - 1] == ']') ||
                      (bytes[0] == '<' && bytes[length - 1] == '>'))) ||
      (length >= strlen (SPACE_MARK) && memcmp (bytes, SPACE_MARK, strlen (SPACE_MARK)) == 0))
    return FALSE;
  for (const char *p = bytes; p < bytes + length; p = g_utf8_next_char (p))
    if (!g_unichar_ispunct (g_utf8_get_char (p)))
      return FALSE;
  return TRUE;
}

/* Adds token @id of frames @frame .. @frame + @duration of the window. */
static void
take_token (Run *run, gint64 id, guint frame, guint duration)
{
  Transducer *self = run->owner;
  const PtWindow *window = &self->window;
  guint64 start = window->position + (guint64) frame * self->shape->frame;
  PtTimedToken token = { .id = (gint32) id, .probability = 1 };

  pt_speech_token (run->speech, token.id);
  token.start = pt_speech_time (run->speech, start);
  token.end = pt_speech_end_time (run->speech, start + (guint64) duration * self->shape->frame);
  if (is_punctuation (self->tokenizer, token.id))
    token.start = token.end = run->last_end;
  run->last_end = token.end;
  pt_segmenter_push (self->segmenter, run->speech, &token);
}

/* Searches the frames of the window for tokens, greedily (docs/formats/protocols.md, section 7.2).
 */
static gboolean
search (Run *run, guint n_frames, GError **error)
{
  Transducer *self = run->owner;
  PtTransducerModel *model = self->model;
  guint t = 0, symbols = 0, duration;
  gint64 id;

  if (!pt_transducer_model_say (model, self->shape->blank, run->cancellable, error))
    return FALSE;
  while (t < n_frames) {
    if (!pt_transducer_model_choose (model, t, &id, &duration, run->cancellable, error))
      return FALSE;
    run->stats->new_tokens++;
    if (id == self->shape->blank) {
      t += MAX (duration, 1);
      symbols = 0;
      continue;
    }
    if (id < 0 || id > G_MAXINT32)
      return pt_fail (error, PT_ERROR_UNSUPPORTED,
                      "The speech model chose token %" G_GINT64_FORMAT ", which does not exist.",
                      id);
    /* Without durations a token lasts one frame. */
    take_token (run, id, t, self->shape->has_durations ? duration : 1);
    if (!pt_transducer_model_say (model, id, run->cancellable, error))
      return FALSE;
    t += duration;
    symbols = duration > 0 ? 0 : symbols + 1;
    if (symbols >= MAX_SYMBOLS) {
      t++;
      symbols = 0;
    }
  }
  return TRUE;
}

static gboolean
do_window (Run *run, gsize n, GError **error)
{
  Transducer *self = run->owner;
  gint64 begin = g_get_monotonic_time ();
  guint n_frames;

  if (!pt_transducer_model_hear (self->model, self->window.samples, n, &n_frames, run->cancellable,
                                 error))
    return FALSE;
  run->stats->prefill_s += seconds_since (begin);
  begin = g_get_monotonic_time ();
  if (!search (run, n_frames, error))
    return FALSE;
  run->stats->decode_s += seconds_since (begin);
  return TRUE;
}

static gboolean
transducer_run (gpointer data, PtSpeech *speech, GError **error)
{
  Transducer *self = data;
  PtWindow *window = &self->window;
  Run run = { self, speech, &pt_speech_result (speech)->stats, pt_speech_cancellable (speech), 0 };
  gsize n;

  if (pt_speech_options (speech)->translate)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This speech model cannot translate. Whisper's larger models can.");
  pt_segmenter_reset (self->segmenter);
  pt_window_reset (window);
  for (;;) {
    if (!pt_window_fill (window, speech, error))
      return FALSE;
    if (window->filled < self->shape->rate / MIN_PART)
      break;
    n = pt_window_cut (window, self->shape->rate, 2);
    run.last_end = pt_speech_time (speech, window->position);
    if (!do_window (&run, n, error))
      return FALSE;
    pt_window_advance (window, n);
    pt_speech_advance (speech, window->position);
  }
  pt_segmenter_flush (self->segmenter, speech);
  pt_speech_finish (speech);
  return TRUE;
}

static guint
transducer_rate (gconstpointer data)
{
  return ((const Transducer *) data)->shape->rate;
}

const PtRecognizer pt_transducer_recognizer = { transducer_open, transducer_rate, NULL,
                                                transducer_run, transducer_free };
