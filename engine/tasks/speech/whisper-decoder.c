/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-decoder.h"

#include <math.h>
#include <string.h>

#include <zlib.h>

#include "engine/base/allocate.h"
#include "engine/tasks/speech/whisper-rules.h"
#include "engine/text/sampler.h"

#define SEED 1
#define MAX_COMPRESSION 2.4
#define MIN_LOG_PROBABILITY (-1.0)
#define MIN_NO_SPEECH 0.6
/* The longest answer: half of the positions that Whisper has. */
#define MAX_ANSWER (PT_WHISPER_MAX_POSITIONS / 2)

/* One try at a window. */
typedef struct {
  GArray *ids;     /* gint32: text and timestamps */
  GArray *text;    /* gint32: the text alone */
  GArray *chances; /* float: log probabilities of @ids */
  double temperature, log_probability, compression;
  gboolean loops, is_cut;
} Attempt;

struct _PtWhisperDecoder {
  PtWhisperModel *model;
  const PtWhisperTokens *tokens;
  const PtTokenizer *tokenizer;
  PtRandom random;
  float *first_logits;  /* after the prompt; each attempt starts from these */
  float *probabilities; /* scratch */
  GArray *prompt;       /* gint32 */
  Attempt now, best;
};

static void
attempt_init (Attempt *attempt)
{
  attempt->ids = g_array_sized_new (FALSE, FALSE, sizeof (gint32), 512);
  attempt->text = g_array_sized_new (FALSE, FALSE, sizeof (gint32), 512);
  attempt->chances = g_array_sized_new (FALSE, FALSE, sizeof (float), 512);
}

static void
attempt_clear (Attempt *attempt)
{
  g_array_unref (attempt->ids);
  g_array_unref (attempt->text);
  g_array_unref (attempt->chances);
}

PtWhisperDecoder *
pt_whisper_decoder_new (PtWhisperModel *model, const PtWhisperTokens *tokens,
                        const PtTokenizer *tokenizer, GError **error)
{
  g_autoptr (PtWhisperDecoder) self = g_new0 (PtWhisperDecoder, 1);

  self->model = model;
  self->tokens = tokens;
  self->tokenizer = tokenizer;
  self->prompt = g_array_sized_new (FALSE, FALSE, sizeof (gint32), 512);
  attempt_init (&self->now);
  attempt_init (&self->best);
  self->first_logits = pt_allocate (tokens->n_ids, sizeof (float), error);
  if (self->first_logits == NULL)
    return NULL;
  self->probabilities = pt_allocate (tokens->n_ids, sizeof (float), error);
  if (self->probabilities == NULL)
    return NULL;
  pt_random_init (&self->random, SEED);
  return g_steal_pointer (&self);
}

void
pt_whisper_decoder_free (PtWhisperDecoder *self)
{
  if (self == NULL)
    return;
  g_free (self->first_logits);
  g_free (self->probabilities);
  g_array_unref (self->prompt);
  attempt_clear (&self->now);
  attempt_clear (&self->best);
  g_free (self);
}

guint
pt_whisper_decoder_n_previous (const PtWhisperDecoder *self)
{
  guint positions = pt_whisper_model_n_positions (self->model);

  return positions > MAX_ANSWER ? positions - MAX_ANSWER - 1 : 0;
}

void
pt_whisper_decoder_reset (PtWhisperDecoder *self)
{
  pt_random_init (&self->random, SEED);
}

gboolean
pt_whisper_decoder_detect (PtWhisperDecoder *self, int *language, double *probability,
                           GCancellable *cancellable, GError **error)
{
  const PtWhisperTokens *tokens = self->tokens;
  const float *logits = pt_whisper_model_logits (self->model);
  float of_languages[PT_WHISPER_N_LANGUAGES];
  int i, best = 0;

  if (!tokens->multilingual) {
    *language = 0;
    *probability = 1;
    return TRUE;
  }
  if (!pt_whisper_model_feed (self->model, &tokens->sot, 1, 0, cancellable, error))
    return FALSE;
  for (i = 0; i < PT_WHISPER_N_LANGUAGES; i++) {
    of_languages[i] = tokens->languages[i] >= 0 ? logits[tokens->languages[i]] : -INFINITY;
    if (of_languages[i] > of_languages[best])
      best = i;
  }
  *language = best;
  *probability = exp ((double) of_languages[best] -
                      pt_whisper_log_sum_exp (of_languages, PT_WHISPER_N_LANGUAGES));
  return TRUE;
}

static gboolean
feed_prompt (PtWhisperDecoder *self, guint from, guint to, GCancellable *cancellable,
             GError **error)
{
  const gint32 *ids = (const gint32 *) self->prompt->data;

  return from == to ||
         pt_whisper_model_feed (self->model, ids + from, to - from, from, cancellable, error);
}

/*
 * Prefills the previous text, if any, then the start token, whose logits include the probability of
 * no speech, then language and task.
 */
static gboolean
read_prompt (PtWhisperDecoder *self, const PtWhisperPrompt *prompt, double *no_speech,
             GCancellable *cancellable, GError **error)
{
  const PtWhisperTokens *tokens = self->tokens;
  float *logits = pt_whisper_model_logits (self->model);
  guint start;

  g_array_set_size (self->prompt, 0);
  if (prompt->n_previous > 0 && tokens->prev >= 0) {
    g_array_append_val (self->prompt, tokens->prev);
    g_array_append_vals (self->prompt, prompt->previous, prompt->n_previous);
  }
  g_array_append_val (self->prompt, tokens->sot);
  start = self->prompt->len;
  if (tokens->multilingual) {
    const gint32 *task =
        prompt->translate && tokens->translate >= 0 ? &tokens->translate : &tokens->transcribe;

    g_array_append_val (self->prompt, tokens->languages[prompt->language]);
    g_array_append_vals (self->prompt, task, 1);
  }
  if (tokens->n_timestamps == 0 && tokens->no_timestamps >= 0)
    g_array_append_val (self->prompt, tokens->no_timestamps);
  if (!feed_prompt (self, 0, start, cancellable, error))
    return FALSE;
  *no_speech = 0;
  if (tokens->no_speech >= 0)
    *no_speech =
        exp ((double) logits[tokens->no_speech] - pt_whisper_log_sum_exp (logits, tokens->n_ids));
  if (!feed_prompt (self, start, self->prompt->len, cancellable, error))
    return FALSE;
  memcpy (self->first_logits, logits, tokens->n_ids * sizeof (float));
  return TRUE;
}

static gint32
choose (PtWhisperDecoder *self, float *logits, const Attempt *attempt, double *log_probability)
{
  const PtWhisperTokens *tokens = self->tokens;

  pt_whisper_filter (tokens, (const gint32 *) attempt->ids->data, attempt->ids->len, logits);
  if (attempt->temperature <= 0)
    return pt_whisper_pick (logits, tokens->n_ids, tokens->eot, log_probability);
  return pt_whisper_sample (logits, tokens->n_ids, tokens->eot, attempt->temperature,
                            (double) pt_random_coin (&self->random), self->probabilities,
                            log_probability);
}

/* Bytes of the text divided by their compressed size. */
static double
compression_ratio (const PtWhisperDecoder *self, const GArray *text)
{
  g_autoptr (GString) bytes =
      pt_tokenizer_decode (self->tokenizer, (const gint32 *) text->data, text->len, TRUE);
  uLongf size = compressBound ((uLong) bytes->len);
  g_autofree Bytef *packed = g_malloc (size);

  if (bytes->len == 0 ||
      compress (packed, &size, (const Bytef *) bytes->str, (uLong) bytes->len) != Z_OK)
    return 0;
  return (double) bytes->len / (double) size;
}

/* Removes the ids behind the first @n_text ids of text, and records the loop. */
static void
cut_loop (const PtWhisperDecoder *self, Attempt *attempt, guint n_text)
{
  guint seen = 0, i;

  for (i = 0; i < attempt->ids->len && seen < n_text; i++) {
    if (g_array_index (attempt->ids, gint32, i) < self->tokens->eot)
      seen++;
  }
  g_array_set_size (attempt->ids, i);
  g_array_set_size (attempt->chances, i);
  g_array_set_size (attempt->text, n_text);
  attempt->loops = TRUE;
}

/* Decodes up to the end token, the limit, or a loop. */
static gboolean
try (PtWhisperDecoder *self, double temperature, guint *n_steps, GCancellable *cancellable,
     GError **error)
{
  Attempt *attempt = &self->now;
  guint positions = pt_whisper_model_n_positions (self->model);
  guint limit = MIN (MAX_ANSWER, positions - MIN (positions, self->prompt->len));
  float *logits = pt_whisper_model_logits (self->model);
  double sum = 0, log_probability;
  guint n = 0, keep;
  float chance;
  gint32 id;

  g_array_set_size (attempt->ids, 0);
  g_array_set_size (attempt->text, 0);
  g_array_set_size (attempt->chances, 0);
  attempt->temperature = temperature;
  attempt->loops = FALSE;
  attempt->is_cut = FALSE;
  memcpy (logits, self->first_logits, self->tokens->n_ids * sizeof (float));
  for (;;) {
    id = choose (self, logits, attempt, &log_probability);
    sum += log_probability;
    n++;
    (*n_steps)++;
    if (id == self->tokens->eot)
      break;
    chance = (float) log_probability;
    g_array_append_val (attempt->ids, id);
    g_array_append_val (attempt->chances, chance);
    if (id < self->tokens->eot) {
      g_array_append_val (attempt->text, id);
      keep = pt_whisper_find_loop ((const gint32 *) attempt->text->data, attempt->text->len);
      if (keep < attempt->text->len) {
        cut_loop (self, attempt, keep);
        break;
      }
    }
    if (n >= limit) {
      attempt->is_cut = TRUE;
      break;
    }
    if (!pt_whisper_model_feed (self->model, &id, 1, self->prompt->len + n - 1, cancellable, error))
      return FALSE;
  }
  attempt->log_probability = sum / n;
  attempt->compression = compression_ratio (self, attempt->text);
  return TRUE;
}

static gboolean
repeats (const Attempt *attempt)
{
  return attempt->loops || attempt->compression > MAX_COMPRESSION;
}

/* A text with removed repetitions is preferred to a very unlikely one. */
static double
score (const Attempt *attempt)
{
  return attempt->log_probability - (repeats (attempt) ? 1.0 : 0.0);
}

static void
swap (Attempt *a, Attempt *b)
{
  Attempt c = *a;

  *a = *b;
  *b = c;
}

gboolean
pt_whisper_decoder_run (PtWhisperDecoder *self, const PtWhisperPrompt *wanted,
                        PtWhisperOutcome *outcome, GCancellable *cancellable, GError **error)
{
  static const double temperatures[] = { 0, 0, 0.2, 0.4, 0.6, 0.8, 1.0 };
  PtWhisperPrompt prompt = *wanted;
  Attempt *best = &self->best;
  guint n_previous, i;

  memset (outcome, 0, sizeof *outcome);
  n_previous = MIN (prompt.n_previous, pt_whisper_decoder_n_previous (self));
  prompt.previous += prompt.n_previous - n_previous;
  prompt.n_previous = n_previous;
  if (!read_prompt (self, &prompt, &outcome->no_speech, cancellable, error))
    return FALSE;
  for (i = 0; i < G_N_ELEMENTS (temperatures); i++) {
    if (i == 1 && prompt.n_previous == 0)
      continue; /* the second attempt drops the previous text */
    if (i == 1) {
      prompt.n_previous = 0;
      outcome->forgot = TRUE;
      if (!read_prompt (self, &prompt, &outcome->no_speech, cancellable, error))
        return FALSE;
    }
    if (!try (self, temperatures[i], &outcome->n_steps, cancellable, error))
      return FALSE;
    if (i == 0 || score (&self->now) > score (best))
      swap (&self->now, best);
    /* If no speech is probable, an unlikely text is dropped; further attempts would be invented,
       too. */
    outcome->silent = outcome->no_speech > MIN_NO_SPEECH &&
                      (prompt.is_steady || best->log_probability < MIN_LOG_PROBABILITY);
    if (outcome->silent || (!repeats (best) && best->log_probability >= MIN_LOG_PROBABILITY))
      break;
  }
  outcome->ids = (const gint32 *) best->ids->data;
  outcome->n = outcome->silent ? 0 : best->ids->len;
  outcome->chances = (const float *) best->chances->data;
  outcome->temperature = best->temperature;
  outcome->log_probability = best->log_probability;
  outcome->compression = best->compression;
  outcome->is_cut = best->is_cut && outcome->n > 0 && !repeats (best) &&
                    best->log_probability >= MIN_LOG_PROBABILITY;
  return TRUE;
}
