/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The recogniser for Voxtral (docs/formats/protocols.md, section 8), a chat model with a prompt for
 * transcription. The model gives no times: the recording is cut at quiet places, and each piece
 * becomes a segment.
 */

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/speech/audio-window.h"
#include "engine/tasks/llm/media.h"
#include "engine/tasks/speech/recognizer.h"

#define RATE PT_MEDIA_RATE
/* Where longer sound is cut: in the last third of a piece. */
#define SEARCHED 3
/* Shorter sound has no speech: 0.1 s. */
#define MIN_SAMPLES (RATE / 10)
/* More tokens than people speak, to stop a model that repeats itself. */
#define TOKENS_PER_SECOND 12
#define MIN_TOKENS 32
/* The longest name of a language. */
#define MAX_LANGUAGE 16

typedef struct {
  const PtTokenizer *tokenizer;
  PtLlm *llm;
  PtMedia *media;
  PtSampler *sampler;
  gint32 bos, eos, begin, end, sound,
      write; /* <s> </s> [INST] [/INST] [BEGIN_AUDIO] [TRANSCRIBE] */
  PtWindow window;
  GArray *ids;
} Voxtral;

/* One recording. */
typedef struct {
  Voxtral *owner;
  PtSpeech *speech;
  GCancellable *cancellable;
  GArray *language; /* gint32: how the prompt names it */
} Run;

static void
voxtral_free (gpointer data)
{
  Voxtral *self = data;

  pt_media_free (self->media);
  pt_llm_free (self->llm);
  pt_sampler_free (self->sampler);
  pt_window_clear (&self->window);
  if (self->ids != NULL)
    g_array_unref (self->ids);
  g_free (self);
}

static gboolean
find_tokens (Voxtral *self, GError **error)
{
  const struct {
    const char *name;
    gint32 *id;
  } tokens[] = { { "<s>", &self->bos },
                 { "</s>", &self->eos },
                 { "[INST]", &self->begin },
                 { "[/INST]", &self->end },
                 { "[BEGIN_AUDIO]", &self->sound },
                 { "[TRANSCRIBE]", &self->write } };

  for (gsize i = 0; i < G_N_ELEMENTS (tokens); i++) {
    *tokens[i].id = pt_tokenizer_find (self->tokenizer, tokens[i].name);
    if (*tokens[i].id < 0 || (gsize) *tokens[i].id >= pt_llm_width (self->llm))
      return pt_fail (error, PT_ERROR_UNSUPPORTED,
                      "The model cannot transcribe: it has no token “%s”.", tokens[i].name);
  }
  return TRUE;
}

static gboolean
open_parts (Voxtral *self, const PtRecognizerParts *parts, GError **error)
{
  gsize room;

  self->llm = pt_llm_new (parts->module, error);
  if (self->llm == NULL || !find_tokens (self, error))
    return FALSE;
  self->media = pt_media_new (parts->module, pt_llm_embedding_width (self->llm),
                              pt_llm_context (self->llm), error);
  if (self->media == NULL || (parts->preprocessor != NULL &&
                              !pt_media_use_preprocessor (self->media, parts->preprocessor, error)))
    return FALSE;
  room = pt_media_stretch (self->media);
  if (room < MIN_SAMPLES)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "The model does not take audio as Voxtral does.");
  self->sampler = pt_sampler_new (pt_llm_width (self->llm), error);
  return self->sampler != NULL && pt_window_init (&self->window, room, error);
}

static gpointer
voxtral_open (const PtRecognizerParts *parts, GError **error)
{
  Voxtral *self = g_new0 (Voxtral, 1);

  self->tokenizer = parts->tokenizer;
  self->ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  if (open_parts (self, parts, error))
    return self;
  voxtral_free (self);
  return NULL;
}

/* ---- writing ---- */

static gboolean
read_sound (Run *run, gsize n, GError **error)
{
  Voxtral *self = run->owner;
  const gint32 before[] = { self->bos, self->begin, self->sound };
  PtLlmEmbeddings embeddings;
  guint kept;

  if (!pt_media_embed_samples (self->media, self->window.samples, n, &embeddings, run->cancellable,
                               error))
    return FALSE;
  g_array_set_size (self->ids, 0);
  g_array_append_vals (self->ids, before, G_N_ELEMENTS (before));
  g_array_append_vals (self->ids, embeddings.names, embeddings.n);
  /* The start of the prompt is the same for every piece. */
  if (!pt_llm_rewind (self->llm, (const gint32 *) (gpointer) self->ids->data, self->ids->len, &kept,
                      error))
    return FALSE;
  kept = MIN (kept, G_N_ELEMENTS (before));
  return (kept == G_N_ELEMENTS (before) ||
          pt_llm_read (self->llm, before + kept, G_N_ELEMENTS (before) - kept, run->cancellable,
                       error)) &&
         pt_llm_read_embeddings (self->llm, &embeddings, run->cancellable, error);
}

static gboolean
read_order (Run *run, GError **error)
{
  Voxtral *self = run->owner;

  return pt_llm_read (self->llm, &self->end, 1, run->cancellable, error) &&
         (run->language->len == 0 ||
          pt_llm_read (self->llm, (const gint32 *) (gpointer) run->language->data,
                       run->language->len, run->cancellable, error)) &&
         pt_llm_read (self->llm, &self->write, 1, run->cancellable, error);
}

/** Decodes the text up to the end token. */
static gboolean
write_text (Run *run, gsize n, GError **error)
{
  Voxtral *self = run->owner;
  gsize width = MIN (pt_llm_width (self->llm), pt_tokenizer_n_ids (self->tokenizer));
  guint most = MIN_TOKENS + (guint) (n * TOKENS_PER_SECOND / RATE);
  gint32 id;

  g_array_set_size (self->ids, 0);
  for (;;) {
    if (!pt_llm_sample (self->llm, self->sampler, width, &id, error))
      return FALSE;
    if (id < 0)
      return pt_fail (error, PT_ERROR_INTERNAL,
                      "The model's output contains invalid numbers (NaN): its files are damaged. "
                      "Download or export it again.");
    if (id == self->eos)
      return TRUE;
    g_array_append_val (self->ids, id);
    pt_speech_token (run->speech, id);
    if (self->ids->len >= most || pt_llm_position (self->llm) >= pt_llm_context (self->llm))
      return TRUE;
    if (!pt_llm_read (self->llm, &id, 1, run->cancellable, error))
      return FALSE;
  }
}

static void
emit (Run *run, gsize n)
{
  Voxtral *self = run->owner;
  g_autoptr (GString) text = pt_tokenizer_decode (
      self->tokenizer, (const gint32 *) (gpointer) self->ids->data, self->ids->len, TRUE);
  PtSegment segment = { .start = pt_speech_time (run->speech, self->window.position),
                        .end = pt_speech_end_time (run->speech, self->window.position + n) };

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

static gboolean
do_piece (Run *run, gsize n, GError **error)
{
  PtStats *stats = &pt_speech_result (run->speech)->stats;
  gint64 begin = g_get_monotonic_time ();

  if (!read_sound (run, n, error) || !read_order (run, error) ||
      !pt_llm_wait (run->owner->llm, error))
    return FALSE;
  stats->prefill_s += seconds_since (begin);
  begin = g_get_monotonic_time ();
  if (!write_text (run, n, error))
    return FALSE;
  stats->decode_s += seconds_since (begin);
  stats->new_tokens += run->owner->ids->len;
  emit (run, n);
  return TRUE;
}

/* ---- a recording ---- */

static gboolean
set_options (Run *run, GError **error)
{
  const PtTranscribeOptions *options = pt_speech_options (run->speech);
  g_autofree char *words = NULL;

  if (options == NULL)
    return TRUE;
  if (options->translate)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This speech model cannot translate. Whisper's larger models can.");
  if (options->language == NULL)
    return TRUE;
  if (strlen (options->language) > MAX_LANGUAGE)
    return pt_fail (error, PT_ERROR_ARGUMENT, "“%s” is not a language.", options->language);
  pt_speech_set_language (run->speech, options->language, 0);
  words = g_strconcat ("lang:", options->language, NULL);
  return pt_tokenizer_encode (run->owner->tokenizer, words, -1, PT_ENCODE_PLAIN, run->language,
                              error);
}

static gboolean
do_recording (Run *run, GError **error)
{
  PtWindow *window = &run->owner->window;

  pt_window_reset (window);
  while (!window->at_end) {
    gsize n;

    if (!pt_window_fill (window, run->speech, error))
      return FALSE;
    n = pt_window_cut (window, RATE, SEARCHED);
    if (n >= MIN_SAMPLES && !pt_window_is_silent (window->samples, n) && !do_piece (run, n, error))
      return FALSE;
    pt_window_advance (window, n);
    pt_speech_advance (run->speech, window->position);
  }
  pt_speech_finish (run->speech);
  return TRUE;
}

static gboolean
voxtral_run (gpointer self, PtSpeech *speech, GError **error)
{
  g_autoptr (GArray) language = g_array_new (FALSE, FALSE, sizeof (gint32));
  Run run = { .owner = self,
              .speech = speech,
              .cancellable = pt_speech_cancellable (speech),
              .language = language };

  return set_options (&run, error) && do_recording (&run, error);
}

static guint
voxtral_rate (gconstpointer self)
{
  return RATE;
}

const PtRecognizer pt_voxtral_recognizer = {
  .open = voxtral_open, .rate = voxtral_rate, .run = voxtral_run, .free = voxtral_free
};
