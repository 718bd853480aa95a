/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The recogniser for Whisper and Moonshine whose decoders return ids instead of logits
 * (docs/formats/protocols.md, section 5.10). Nothing of the text can be forbidden or tried again,
 * and there are no times: the recording is cut at quiet places, and each piece becomes a segment.
 */

#include "engine/base/set-error.h"
#include "engine/tasks/speech/audio-window.h"
#include "engine/tasks/speech/recognizer.h"
#include "engine/tasks/speech/whisper-features.h"
#include "engine/tasks/speech/whisper-model.h"
#include "engine/tasks/speech/whisper-rules.h"

#define RATE 16000
/* Shorter sound is no word: 0.1 s. */
#define MIN_SAMPLES (RATE / 10)
/* A piece whose text does not fit is transcribed in two, down to pieces of 4 s. */
#define MIN_PIECE (4 * RATE)
/* Variation of loudness, in dB, below which a second or more is only noise. */
#define NOISE 1.0
/* Moonshine repeats itself without end when it is lost; people say less than this. */
#define MOONSHINE_IDS_PER_SECOND 6.5
#define MOONSHINE_LEAST_IDS 8
/* Start, language, task, no timestamps. */
#define MAX_PROMPT 4

typedef struct {
  const PtTokenizer *tokenizer;
  PtWhisperModel *model;
  PtWhisperTokens *tokens; /* of Whisper; NULL: it is Moonshine */
  PtWhisperFeatures *features;
  PtWindow window;
  gint32 start, end;
  GArray *ids; /* gint32: the text of a piece */
} Chooser;

/* One recording. */
typedef struct {
  Chooser *owner;
  PtSpeech *speech;
  GCancellable *cancellable;
  int language; /* of Whisper; -1: not known yet */
  gboolean translate;
} Run;

static void
chooser_free (gpointer data)
{
  Chooser *self = data;

  g_clear_pointer (&self->features, pt_whisper_features_free);
  g_clear_pointer (&self->tokens, pt_whisper_tokens_free);
  g_clear_pointer (&self->model, pt_whisper_model_free);
  g_clear_pointer (&self->ids, g_array_unref);
  pt_window_clear (&self->window);
  g_free (self);
}

static gboolean
find_tokens (Chooser *self, GError **error)
{
  const PtWhisperLayout *layout = pt_whisper_model_layout (self->model);

  if (pt_tokenizer_find (self->tokenizer, "<|startoftranscript|>") >= 0) {
    self->tokens =
        pt_whisper_tokens_new (self->tokenizer, pt_tokenizer_n_ids (self->tokenizer),
                               (guint) (layout->input.n_samples / (RATE / 50)), NULL, error);
    if (self->tokens == NULL)
      return FALSE;
    self->start = self->tokens->sot;
    self->end = self->tokens->eot;
    return TRUE;
  }
  self->start = pt_tokenizer_find (self->tokenizer, "<s>");
  self->end = pt_tokenizer_find (self->tokenizer, "</s>");
  if (self->start < 0 || self->end < 0)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer does not belong to this speech model: it has neither "
                    "“<|startoftranscript|>”, as Whisper's, nor “<s>” and “</s>”, as Moonshine's. "
                    "Use the tokenizer of the same model.");
  return TRUE;
}

static gboolean
load (Chooser *self, const PtRecognizerParts *parts, GError **error)
{
  const PtWhisperInput *input;

  self->model = pt_whisper_model_new (parts->encoder, parts->module, error);
  if (self->model == NULL)
    return FALSE;
  if (!find_tokens (self, error)) {
    g_autofree char *name =
        g_filename_display_basename (pt_program_path (pt_module_program (parts->module)));

    pt_prefix_error (error, "“%s”: ", name);
    return FALSE;
  }
  input = &pt_whisper_model_layout (self->model)->input;
  self->features = pt_whisper_features_new (input, NULL, error);
  return self->features != NULL && pt_window_init (&self->window, input->n_samples, error);
}

static gpointer
chooser_open (const PtRecognizerParts *parts, GError **error)
{
  Chooser *self = g_new0 (Chooser, 1);

  self->tokenizer = parts->tokenizer;
  self->ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  if (load (self, parts, error))
    return self;
  chooser_free (self);
  return NULL;
}

/* ---- a piece ---- */

/* The language is the id that the model chooses behind the start. @speaks: FALSE: it says that
 * nobody speaks. */
static gboolean
detect_language (Run *run, gboolean *speaks, GError **error)
{
  Chooser *self = run->owner;
  gint32 id;

  *speaks = TRUE;
  if (self->tokens == NULL || !self->tokens->multilingual || run->language >= 0)
    return TRUE;
  if (!pt_whisper_model_feed (self->model, &self->start, 1, 0, run->cancellable, error))
    return FALSE;
  id = pt_whisper_model_chosen (self->model);
  for (int i = 0; i < PT_WHISPER_N_LANGUAGES && run->language < 0; i++)
    if (self->tokens->languages[i] == id)
      run->language = i;
  if (run->language >= 0)
    pt_speech_set_language (run->speech, pt_whisper_language_code ((guint) run->language), 0);
  *speaks = run->language >= 0 || id != self->tokens->no_speech;
  return !*speaks || run->language >= 0 ||
         pt_fail (error, PT_ERROR_ARGUMENT,
                  "The model does not tell the language of the recording. Choose it: with "
                  "--language, or in the window.");
}

static guint
make_prompt (const Run *run, gint32 *ids)
{
  const PtWhisperTokens *tokens = run->owner->tokens;
  guint n = 0;

  ids[n++] = run->owner->start;
  if (tokens == NULL || !tokens->multilingual)
    return n;
  ids[n++] = tokens->languages[run->language];
  ids[n++] = run->translate ? tokens->translate : tokens->transcribe;
  if (tokens->no_timestamps >= 0)
    ids[n++] = tokens->no_timestamps;
  return n;
}

/* Takes the chosen id. FALSE with an error, if it is not in the tokenizer. @loops: set, if the text
 * repeats itself; the repetitions are removed. */
static gboolean
take_id (Chooser *self, gint32 id, gboolean *loops, GError **error)
{
  guint keep;

  *loops = FALSE;
  /* Timestamps and the like are no text. */
  if (self->tokens != NULL && id > self->end)
    return TRUE;
  if ((guint) id >= pt_tokenizer_n_ids (self->tokenizer))
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer does not belong to this speech model: the model wrote token "
                    "%d, and the tokenizer has %u. Use the tokenizer of the same model.",
                    id, pt_tokenizer_n_ids (self->tokenizer));
  g_array_append_val (self->ids, id);
  keep = pt_whisper_find_loop ((const gint32 *) (gpointer) self->ids->data, self->ids->len);
  *loops = keep < self->ids->len;
  g_array_set_size (self->ids, keep);
  return TRUE;
}

/* Decodes the text of @n samples. @is_cut: set, if the positions were used up before its end. */
static gboolean
write_text (Run *run, gsize n, gboolean *is_cut, GError **error)
{
  Chooser *self = run->owner;
  gint32 prompt[MAX_PROMPT], id;
  guint position = make_prompt (run, prompt), most = pt_whisper_model_n_positions (self->model);
  guint last = position;
  gboolean loops;

  if (self->tokens == NULL)
    last += MOONSHINE_LEAST_IDS + (guint) ((double) n * MOONSHINE_IDS_PER_SECOND / RATE);
  else
    last = most;
  g_array_set_size (self->ids, 0);
  *is_cut = FALSE;
  if (!pt_whisper_model_feed (self->model, prompt, position, 0, run->cancellable, error))
    return FALSE;
  for (;;) {
    id = pt_whisper_model_chosen (self->model);
    pt_speech_result (run->speech)->stats.new_tokens++;
    if (id == self->end)
      return TRUE;
    if (!take_id (self, id, &loops, error))
      return FALSE;
    if (position >= most && !loops)
      *is_cut = TRUE;
    if (loops || position >= MIN (most, last))
      return TRUE;
    if (!pt_whisper_model_feed (self->model, &id, 1, position++, run->cancellable, error))
      return FALSE;
  }
}

static void
emit (Run *run, gsize n)
{
  Chooser *self = run->owner;
  guint64 position = self->window.position;
  g_autoptr (GString) text = pt_tokenizer_decode (
      self->tokenizer, (const gint32 *) (gpointer) self->ids->data, self->ids->len, TRUE);
  PtSegment segment = { .start = pt_speech_time (run->speech, position),
                        .end = pt_speech_end_time (run->speech, position + n) };

  for (guint i = 0; i < self->ids->len; i++)
    pt_speech_token (run->speech, g_array_index (self->ids, gint32, i));
  for (gsize i = 0; i < text->len; i++)
    if (text->str[i] == '\0')
      text->str[i] = ' ';
  segment.text = g_strstrip (text->str);
  if (*segment.text != '\0')
    pt_speech_emit (run->speech, &segment);
}

static double
seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

/* Transcribes the first @n samples of the window. @is_cut: there is too much text for a piece, and
 * nothing was given out. */
static gboolean
do_piece (Run *run, gsize n, gboolean *is_cut, GError **error)
{
  Chooser *self = run->owner;
  PtStats *stats = &pt_speech_result (run->speech)->stats;
  gint64 begin = g_get_monotonic_time ();
  gboolean speaks;
  gsize n_values;
  const float *values;

  *is_cut = FALSE;
  values = pt_whisper_features_compute (self->features, self->window.samples, n, &n_values,
                                        run->cancellable, error);
  if (values == NULL)
    return FALSE;
  if (n >= RATE && pt_whisper_features_movement (self->features) < NOISE)
    return TRUE;
  if (!pt_whisper_model_encode (self->model, values, n_values, run->cancellable, error))
    return FALSE;
  stats->prefill_s += seconds_since (begin);
  begin = g_get_monotonic_time ();
  if (!detect_language (run, &speaks, error) || (speaks && !write_text (run, n, is_cut, error)))
    return FALSE;
  stats->decode_s += seconds_since (begin);
  *is_cut = *is_cut && n >= 2 * MIN_PIECE;
  if (speaks && !*is_cut)
    emit (run, n);
  return TRUE;
}

/* ---- a recording ---- */

/* Where to cut the first @n samples of the window in two. */
static gsize
halve (const PtWindow *window, gsize n)
{
  PtWindow part = { .samples = window->samples, .size = n / 4 * 3, .filled = n / 4 * 3 };

  return pt_window_cut (&part, RATE, 2);
}

static gboolean
do_window (Run *run, gsize *n, GError **error)
{
  const PtWindow *window = &run->owner->window;
  gboolean is_cut = TRUE;

  for (*n = pt_window_cut (window, RATE, 2); is_cut;) {
    if (*n < MIN_SAMPLES || pt_window_is_silent (window->samples, *n))
      return TRUE;
    if (!do_piece (run, *n, &is_cut, error))
      return FALSE;
    if (is_cut)
      *n = halve (window, *n);
  }
  return TRUE;
}

static gboolean
do_recording (Run *run, GError **error)
{
  PtWindow *window = &run->owner->window;
  gsize n;

  for (;;) {
    if (!pt_window_fill (window, run->speech, error))
      return FALSE;
    if (window->filled == 0)
      break;
    if (!do_window (run, &n, error))
      return FALSE;
    pt_window_advance (window, n);
    pt_speech_advance (run->speech, window->position);
  }
  pt_speech_finish (run->speech);
  return TRUE;
}

static gboolean
set_options (Run *run, GError **error)
{
  const PtTranscribeOptions *options = pt_speech_options (run->speech);
  const PtWhisperTokens *tokens = run->owner->tokens;
  const char *language = options != NULL ? options->language : NULL;

  run->translate = options != NULL && options->translate;
  if (run->translate && (tokens == NULL || !tokens->multilingual || tokens->translate < 0))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This speech model cannot translate: it is for English only.");
  if (language != NULL && tokens != NULL) {
    run->language = pt_whisper_tokens_find_language (tokens, language, error);
    if (run->language < 0)
      return FALSE;
  } else if (language != NULL && g_ascii_strcasecmp (language, "en") != 0) {
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The model does not know the language “%s”. It knows: en.", language);
  } else if (tokens == NULL || !tokens->multilingual) {
    run->language = 0;
  }
  if (run->language >= 0)
    pt_speech_set_language (run->speech, pt_whisper_language_code ((guint) run->language), 0);
  return TRUE;
}

static gboolean
chooser_run (gpointer data, PtSpeech *speech, GError **error)
{
  Chooser *self = data;
  Run run = {
    .owner = self, .speech = speech, .cancellable = pt_speech_cancellable (speech), .language = -1
  };

  pt_window_reset (&self->window);
  return set_options (&run, error) && do_recording (&run, error);
}

static guint
chooser_rate (gconstpointer data)
{
  return RATE;
}

const PtRecognizer pt_chooser_recognizer = {
  .open = chooser_open, .rate = chooser_rate, .run = chooser_run, .free = chooser_free
};
