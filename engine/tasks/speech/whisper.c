/* SPDX-License-Identifier: BSD-3-Clause */

/* The recogniser for Whisper and similar models: a window of 30 seconds moves over the recording.
 */

#include <math.h>
#include <string.h>

#include "engine/audio/mel.h"
#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/speech/recognizer.h"
#include "engine/tasks/speech/whisper-decoder.h"
#include "engine/tasks/speech/whisper-features.h"
#include "engine/tasks/speech/whisper-slices.h"
#include "engine/tasks/speech/whisper-words.h"

#define RATE PT_MEL_RATE
/* Samples of a timestamp unit: 0.02 s. */
#define UNIT (2 * PT_MEL_HOP)
/* Units of 30 s, the windows of Whisper's training. */
#define USUAL_UNITS 1500
/* A window whose text does not fit is transcribed in halves of at least 4 s. */
#define MIN_HALF (4 * RATE)
/* Shorter sound is no word, but a rest at the end of a recording, or a click: 0.1 s. */
#define MIN_SAMPLES (RATE / 10)
/* RMS below which sound is silence: -66 dB, about 16 of 32767 steps. */
#define SILENCE 5e-4f
/* Ratio to the loudest sound below which the rest behind the last sentence is silence: -34 dB. */
#define SILENCE_OF_REST 0.02f
#define REST_SAMPLES (2 * RATE)
/* Variation of loudness, in dB, below which there is only noise. */
#define STEADY 2.0
/* Highest temperature of a text that is used as a prompt for the next window. */
#define MAX_PROMPT_TEMPERATURE 0.5

typedef struct {
  const PtTokenizer *tokenizer;
  PtWhisperModel *model;
  PtWhisperTokens *tokens;
  PtWhisperDecoder *decoder;
  PtWhisperFeatures *features;
  gsize window_size; /* samples */
  float *window;
  GArray *slices;   /* PtWhisperSlice */
  GArray *ids;      /* gint32: text of a segment */
  GArray *chances;  /* float: log probabilities of these */
  GArray *words;    /* PtWord: of this text */
  GArray *previous; /* gint32: text and timestamps before the window */
} Whisper;

/* One recording. */
typedef struct {
  Whisper *owner;
  PtSpeech *speech;
  PtTranscribeResult *result;
  GCancellable *cancellable;
  gboolean at_end;  /* there is no more to read */
  gsize filled;     /* samples in the window */
  gsize most;       /* samples of the window that are read at once */
  guint64 position; /* first sample of the window */
  float loudest;    /* so far */
  int language;     /* -1: not detected yet */
  gboolean translate;
} Run;

static char *
config_path (PtModule *module)
{
  g_autofree char *folder = g_path_get_dirname (pt_program_path (pt_module_program (module)));

  return pt_model_find_file (folder, "generation_config.json");
}

static void
whisper_free (gpointer data)
{
  Whisper *self = data;

  g_clear_pointer (&self->decoder, pt_whisper_decoder_free);
  g_clear_pointer (&self->features, pt_whisper_features_free);
  g_clear_pointer (&self->tokens, pt_whisper_tokens_free);
  g_clear_pointer (&self->model, pt_whisper_model_free);
  g_clear_pointer (&self->slices, g_array_unref);
  g_clear_pointer (&self->ids, g_array_unref);
  g_clear_pointer (&self->chances, g_array_unref);
  g_clear_pointer (&self->words, g_array_unref);
  g_clear_pointer (&self->previous, g_array_unref);
  g_free (self->window);
  g_free (self);
}

static gboolean
load (Whisper *self, const PtRecognizerParts *parts, GError **error)
{
  g_autofree char *config = config_path (parts->module);
  const PtWhisperLayout *layout;
  guint n_units;

  self->model = parts->encoder != NULL ? pt_whisper_model_new (parts->encoder, parts->module, error)
                                       : pt_whisper_model_new (parts->module, NULL, error);
  if (self->model == NULL)
    return FALSE;
  layout = pt_whisper_model_layout (self->model);
  self->window_size = layout->input.n_samples;
  /* The silence that an encoder of samples appends by itself may get a timestamp, too. */
  n_units = (guint) (self->window_size / UNIT);
  self->tokens = pt_whisper_tokens_new (
      self->tokenizer, layout->n_ids, layout->begins_at_zero ? MAX (n_units, USUAL_UNITS) : n_units,
      config, error);
  if (self->tokens == NULL) {
    g_autofree char *name =
        g_filename_display_basename (pt_program_path (pt_module_program (parts->module)));

    pt_prefix_error (error, "“%s”: ", name);
    return FALSE;
  }
  if (layout->begins_at_zero)
    self->tokens->max_initial = 0;
  self->features = pt_whisper_features_new (&layout->input, parts->preprocessor, error);
  if (self->features == NULL)
    return FALSE;
  self->decoder = pt_whisper_decoder_new (self->model, self->tokens, self->tokenizer, error);
  if (self->decoder == NULL)
    return FALSE;
  self->window = pt_allocate (self->window_size, sizeof (float), error);
  return self->window != NULL;
}

static gpointer
whisper_open (const PtRecognizerParts *parts, GError **error)
{
  Whisper *self = g_new0 (Whisper, 1);

  self->tokenizer = parts->tokenizer;
  self->slices = g_array_new (FALSE, FALSE, sizeof (PtWhisperSlice));
  self->ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->chances = g_array_new (FALSE, FALSE, sizeof (float));
  self->words = g_array_new (FALSE, FALSE, sizeof (PtWord));
  self->previous = g_array_new (FALSE, FALSE, sizeof (gint32));
  if (!load (self, parts, error)) {
    whisper_free (self);
    return NULL;
  }
  return self;
}

static double
seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

/* The RMS of up to 20 ms. */
static float
loudness (const float *samples, gsize n)
{
  float sum = 0;
  gsize i;

  for (i = 0; i < n; i++)
    sum += samples[i] * samples[i];
  return sqrtf (sum / (float) n);
}

/* The length of the longest sound above @level, in samples, and the RMS of the loudest 20 ms. */
static gsize
longest_sound (const float *samples, gsize n, float level, float *loudest)
{
  gsize longest = 0, now = 0, i;

  for (i = 0; i < n; i += UNIT) {
    gsize count = MIN (UNIT, n - i);
    float value = loudness (samples + i, count);

    *loudest = MAX (*loudest, value);
    now = value > level ? now + count : 0;
    longest = MAX (longest, now);
  }
  return longest;
}

static gboolean
fill_window (Run *run, GError **error)
{
  Whisper *self = run->owner;
  gsize wanted = self->window_size - run->filled;
  gssize n;

  if (run->at_end)
    return TRUE;
  n = pt_speech_read (run->speech, self->window + run->filled, wanted, error);
  if (n < 0)
    return FALSE;
  run->filled += (gsize) n;
  run->at_end = (gsize) n < wanted;
  return TRUE;
}

static void
advance (Run *run, gsize n)
{
  Whisper *self = run->owner;

  n = MIN (n, run->filled);
  memmove (self->window, self->window + n, (run->filled - n) * sizeof (float));
  run->filled -= n;
  run->position += n;
}

/* Whether the window has certainly no speech; on silence the model would invent text. */
static gboolean
is_silent (Run *run)
{
  gboolean is_rest = run->position > 0 && run->at_end && run->filled < REST_SAMPLES;
  float level = is_rest ? MAX (SILENCE, SILENCE_OF_REST * run->loudest) : SILENCE;

  return longest_sound (run->owner->window, run->filled, level, &run->loudest) < MIN_SAMPLES;
}

static gboolean
has_words (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text)) {
    if (g_unichar_isalnum (g_utf8_get_char (text)))
      return TRUE;
  }
  return FALSE;
}

/* Gives out the segment of @slice, unless it has no words, and keeps its text as the next prompt.
 */
static void
emit (Run *run, const PtWhisperOutcome *outcome, const PtWhisperSlice *slice)
{
  Whisper *self = run->owner;
  g_autoptr (GString) text = NULL;
  PtSegment segment = { 0 };
  guint i;

  g_array_set_size (self->ids, 0);
  g_array_set_size (self->chances, 0);
  for (i = slice->first; i < slice->first + slice->n; i++) {
    if (outcome->ids[i] >= self->tokens->eot)
      continue;
    g_array_append_val (self->ids, outcome->ids[i]);
    g_array_append_val (self->chances, outcome->chances[i]);
  }
  text =
      pt_tokenizer_decode (self->tokenizer, (const gint32 *) self->ids->data, self->ids->len, TRUE);
  g_strstrip (text->str);
  if (!has_words (text->str))
    return;
  pt_whisper_words (self->tokenizer, (const gint32 *) self->ids->data,
                    (const float *) self->chances->data, self->ids->len, text->str, self->words);
  segment.text = text->str;
  segment.words = (const PtWord *) self->words->data;
  segment.n_words = self->words->len;
  segment.start = pt_speech_time (run->speech, run->position + (guint64) slice->start * UNIT);
  segment.end = pt_speech_end_time (run->speech, run->position + (guint64) slice->end * UNIT);
  pt_speech_emit (run->speech, &segment);
  /* With its timestamps: after plain text the model would omit timestamps. */
  g_array_append_vals (self->previous, outcome->ids + slice->first, slice->n);
}

/* Only the end of the previous text fits into the prompt. */
static void
trim_previous (Run *run, double temperature)
{
  GArray *previous = run->owner->previous;
  guint keep = pt_whisper_decoder_n_previous (run->owner->decoder);

  if (temperature > MAX_PROMPT_TEMPERATURE)
    g_array_set_size (previous, 0);
  else if (previous->len > keep)
    g_array_remove_range (previous, 0, previous->len - keep);
}

/* Whether the text of @outcome equals the end of @previous, apart from timestamps. */
static gboolean
same_text (const PtWhisperTokens *tokens, const PtWhisperOutcome *outcome, const GArray *previous)
{
  guint i = outcome->n, k = previous->len, same = 0;

  for (;;) {
    while (i > 0 && outcome->ids[i - 1] >= tokens->eot)
      i--;
    while (k > 0 && g_array_index (previous, gint32, k - 1) >= tokens->eot)
      k--;
    if (i == 0)
      return same > 0;
    if (k == 0 || outcome->ids[i - 1] != g_array_index (previous, gint32, k - 1))
      return FALSE;
    i--;
    k--;
    same++;
  }
}

static gboolean
decode (Run *run, PtWhisperOutcome *outcome, GError **error)
{
  Whisper *self = run->owner;
  PtWhisperPrompt prompt = {
    .language = run->language,
    .translate = run->translate,
    .previous = (const gint32 *) self->previous->data,
    .n_previous = self->previous->len,
    .is_steady = pt_whisper_features_movement (self->features) < STEADY,
  };
  guint n_steps;

  if (!pt_whisper_decoder_run (self->decoder, &prompt, outcome, run->cancellable, error))
    return FALSE;
  /* A text that repeats the previous one may be copied from the prompt. */
  if (prompt.n_previous > 0 && same_text (self->tokens, outcome, self->previous)) {
    n_steps = outcome->n_steps;
    prompt.n_previous = 0;
    if (!pt_whisper_decoder_run (self->decoder, &prompt, outcome, run->cancellable, error))
      return FALSE;
    outcome->n_steps += n_steps;
    outcome->forgot = TRUE;
  }
  if (outcome->forgot)
    g_array_set_size (self->previous, 0);
  return TRUE;
}

static gboolean
encode (Run *run, gsize n, GError **error)
{
  Whisper *self = run->owner;
  gint64 begin = g_get_monotonic_time ();
  gsize n_values;
  const float *values = pt_whisper_features_compute (self->features, self->window, n, &n_values,
                                                     run->cancellable, error);

  if (values == NULL ||
      !pt_whisper_model_encode (self->model, values, n_values, run->cancellable, error))
    return FALSE;
  run->result->stats.prefill_s += seconds_since (begin);
  return TRUE;
}

static gboolean
detect_language (Run *run, GError **error)
{
  double probability;
  int language;

  if (!pt_whisper_decoder_detect (run->owner->decoder, &language, &probability, run->cancellable,
                                  error))
    return FALSE;
  run->language = language;
  pt_speech_set_language (run->speech, pt_whisper_language_code ((guint) language), probability);
  return TRUE;
}

/*
 * Cuts the text of @n samples into segments and returns the samples that are done. 0: the positions
 * were used up before a segment was complete, and the next call reads less of the window.
 */
static gsize
slice (Run *run, const PtWhisperOutcome *outcome, gsize n)
{
  Whisper *self = run->owner;
  guint n_units = (guint) ((n + UNIT - 1) / UNIT);
  guint done = pt_whisper_slice (self->tokens, outcome->ids, outcome->n, n_units, outcome->is_cut,
                                 self->slices);

  if (done == 0 && n >= 2 * MIN_HALF) {
    run->most = n / 2;
    return 0;
  }
  if (done == 0)
    done = pt_whisper_slice (self->tokens, outcome->ids, outcome->n, n_units, FALSE, self->slices);
  return (gsize) UNIT * done;
}

/* Transcribes one window; @n_samples: set to the samples that are done. */
static gboolean
do_window (Run *run, gsize *n_samples, GError **error)
{
  Whisper *self = run->owner;
  gboolean detected = run->language < 0;
  PtStats *stats = &run->result->stats;
  gsize n = MIN (run->filled, run->most);
  PtWhisperOutcome outcome;
  gint64 begin;
  guint i;

  if (!encode (run, n, error))
    return FALSE;
  begin = g_get_monotonic_time ();
  if (detected && !detect_language (run, error))
    return FALSE;
  if (!decode (run, &outcome, error))
    return FALSE;
  stats->decode_s += seconds_since (begin);
  stats->new_tokens += outcome.n_steps;
  run->most = self->window_size;
  *n_samples = slice (run, &outcome, n);
  for (i = 0; *n_samples > 0 && i < outcome.n; i++)
    pt_speech_token (run->speech, outcome.ids[i]);
  for (i = 0; *n_samples > 0 && i < self->slices->len; i++)
    emit (run, &outcome, &g_array_index (self->slices, PtWhisperSlice, i));
  if (*n_samples > 0)
    trim_previous (run, outcome.temperature);
  /* Without any text the detected language is only a guess. */
  if (detected && run->result->n_segments == 0) {
    run->language = -1;
    pt_speech_set_language (run->speech, NULL, 0);
  }
  return TRUE;
}

static gboolean
do_recording (Run *run, GError **error)
{
  gsize n_samples;

  for (;;) {
    if (!fill_window (run, error))
      return FALSE;
    if (run->filled < MIN_SAMPLES)
      break;
    n_samples = run->filled;
    if (is_silent (run))
      g_array_set_size (run->owner->previous, 0);
    else if (!do_window (run, &n_samples, error))
      return FALSE;
    advance (run, n_samples);
    pt_speech_advance (run->speech, run->position);
  }
  pt_speech_finish (run->speech);
  return TRUE;
}

static gboolean
set_options (Run *run, GError **error)
{
  const PtWhisperTokens *tokens = run->owner->tokens;
  const PtTranscribeOptions *options = pt_speech_options (run->speech);

  run->language = -1;
  run->translate = options->translate;
  if (options->translate && (!tokens->multilingual || tokens->translate < 0))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This speech model cannot translate: it is for English only.");
  if (options->language == NULL)
    return TRUE;
  run->language = pt_whisper_tokens_find_language (tokens, options->language, error);
  if (run->language < 0)
    return FALSE;
  pt_speech_set_language (run->speech, pt_whisper_language_code ((guint) run->language), 0);
  return TRUE;
}

static gboolean
whisper_run (gpointer data, PtSpeech *speech, GError **error)
{
  Whisper *self = data;
  Run run = { .owner = self,
              .speech = speech,
              .result = pt_speech_result (speech),
              .most = self->window_size,
              .cancellable = pt_speech_cancellable (speech) };

  if (!set_options (&run, error))
    return FALSE;
  g_array_set_size (self->previous, 0);
  pt_whisper_decoder_reset (self->decoder);
  return do_recording (&run, error);
}

static guint
whisper_rate (gconstpointer data)
{
  return RATE;
}

const PtRecognizer pt_whisper_recognizer = { whisper_open, whisper_rate, NULL, whisper_run,
                                             whisper_free };
