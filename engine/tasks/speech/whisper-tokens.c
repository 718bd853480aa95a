/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-tokens.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"

/* 1.00 s, if generation_config.json does not set it. */
#define MAX_INITIAL 50
/* The size of the English models' vocabulary; that of the others has one token more. */
#define ENGLISH_EOT 50256
#define MAX_CONFIG_SIZE (16 * 1024 * 1024)

/* In order of their ids. */
static const char codes[PT_WHISPER_N_LANGUAGES][4] = {
  "en", "zh", "de", "es",  "ru", "ko", "fr", "ja", "pt", "tr",  "pl", "ca", "nl", "ar", "sv",
  "it", "id", "hi", "fi",  "vi", "he", "uk", "el", "ms", "cs",  "ro", "da", "hu", "ta", "no",
  "th", "ur", "hr", "bg",  "lt", "la", "mi", "ml", "cy", "sk",  "te", "fa", "lv", "bn", "sr",
  "az", "sl", "kn", "et",  "mk", "br", "eu", "is", "hy", "ne",  "mn", "bs", "kk", "sq", "sw",
  "gl", "mr", "pa", "si",  "km", "sn", "yo", "so", "af", "oc",  "ka", "be", "tg", "sd", "gu",
  "am", "yi", "lo", "uz",  "fo", "ht", "ps", "tk", "nn", "mt",  "sa", "lb", "my", "bo", "tl",
  "mg", "as", "tt", "haw", "ln", "ha", "ba", "jw", "su", "yue",
};

const char *
pt_whisper_language_code (guint i)
{
  return codes[i];
}

static gboolean
is_listed (const GArray *ids, gint32 id)
{
  guint i;

  for (i = 0; i < ids->len; i++) {
    if (g_array_index (ids, gint32, i) == id)
      return TRUE;
  }
  return FALSE;
}

static void
list (const PtWhisperTokens *self, GArray *ids, gint32 id)
{
  if (id >= 0 && (guint) id < self->n_ids && !is_listed (ids, id))
    g_array_append_val (ids, id);
}

/* The first id of @text, or -1; with @whole only if it is the only id. */
static gint32
first_id (const PtTokenizer *tokenizer, const char *text, gboolean whole)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  if (!pt_tokenizer_encode (tokenizer, text, -1, PT_ENCODE_PLAIN, ids, NULL) || ids->len == 0 ||
      (whole && ids->len != 1))
    return -1;
  return g_array_index (ids, gint32, 0);
}

/*
 * Tokens of non-speech: the list in a checkpoint's generation_config.json, made here from the
 * tokenizer. Hyphens and apostrophes are suppressed at the beginning of a word only, notes in all
 * their spellings.
 */
static void
list_signs (PtWhisperTokens *self, const PtTokenizer *tokenizer)
{
  static const char *const signs[] = {
    "\"",  "#",  "(",  ")",   "*",   "+",   "/",   ":",  ";",   "<",  "=",   ">",
    "@",   "[",  "\\", "]",   "^",   "_",   "`",   "{",  "|",   "}",  "~",   "「",
    "」",  "『", "』", "<<",  ">>",  "<<<", ">>>", "--", "---", "-(", "-[",  "('",
    "(\"", "((", "))", "(((", ")))", "[[",  "]]",  "{{", "}}",  "♪♪", "♪♪♪",
  };
  static const char *const notes[] = { "♩", "♪", "♫", "♬", "♭", "♮", "♯" };
  guint i;

  list (self, self->suppress, first_id (tokenizer, " -", FALSE));
  list (self, self->suppress, first_id (tokenizer, " '", FALSE));
  for (i = 0; i < G_N_ELEMENTS (signs) + G_N_ELEMENTS (notes); i++) {
    gboolean is_sign = i < G_N_ELEMENTS (signs);
    const char *sign = is_sign ? signs[i] : notes[i - G_N_ELEMENTS (signs)];
    g_autofree char *spaced = g_strconcat (" ", sign, NULL);

    list (self, self->suppress, first_id (tokenizer, sign, is_sign));
    list (self, self->suppress, first_id (tokenizer, spaced, is_sign));
  }
}

static void
read_ids (const PtWhisperTokens *self, json_t *array, GArray *ids)
{
  size_t i;

  if (!json_is_array (array))
    return;
  g_array_set_size (ids, 0);
  for (i = 0; i < json_array_size (array); i++) {
    json_int_t id = json_integer_value (json_array_get (array, i));

    if (id >= 0 && id < (json_int_t) self->n_ids)
      list (self, ids, (gint32) id);
  }
}

static gboolean
read_config (PtWhisperTokens *self, const char *path, GError **error)
{
  g_autoptr (json_t) root = NULL;
  json_t *initial;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  root = pt_json_load (path, MAX_CONFIG_SIZE, error);
  if (root == NULL)
    return FALSE;
  read_ids (self, json_object_get (root, "suppress_tokens"), self->suppress);
  read_ids (self, json_object_get (root, "begin_suppress_tokens"), self->begin_suppress);
  initial = json_object_get (root, "max_initial_timestamp_index");
  if (json_is_integer (initial) && json_integer_value (initial) >= 0 &&
      json_integer_value (initial) <= 1500)
    self->max_initial = (guint) json_integer_value (initial);
  return TRUE;
}

/* Derives the ids for tokenizers without the names (docs/formats/protocols.md, section 5.2). */
static void
use_table (PtWhisperTokens *self)
{
  gint32 shift = self->n_ids == 51866 ? 1 : 0;
  gint32 english = self->n_ids == 51864 ? 1 : 0;
  guint i;

  self->eot = 50257 - english;
  self->sot = 50258 - english;
  for (i = 0; i < PT_WHISPER_N_LANGUAGES; i++)
    self->languages[i] = english || (shift == 0 && i == 99) ? -1 : 50259 + (gint32) i;
  self->translate = 50358 + shift - english;
  self->transcribe = self->translate + 1;
  self->prev = self->translate + 3;
  self->no_speech = self->translate + 4;
  self->no_timestamps = self->translate + 5;
  self->first_timestamp = self->translate + 6;
}

static void
use_names (PtWhisperTokens *self, const PtTokenizer *tokenizer)
{
  guint i;

  self->eot = pt_tokenizer_find (tokenizer, "<|endoftext|>");
  self->sot = pt_tokenizer_find (tokenizer, "<|startoftranscript|>");
  for (i = 0; i < PT_WHISPER_N_LANGUAGES; i++) {
    char name[16];

    g_snprintf (name, sizeof name, "<|%s|>", codes[i]);
    self->languages[i] = pt_tokenizer_find (tokenizer, name);
  }
  self->translate = pt_tokenizer_find (tokenizer, "<|translate|>");
  self->transcribe = pt_tokenizer_find (tokenizer, "<|transcribe|>");
  self->prev = pt_tokenizer_find (tokenizer, "<|startofprev|>");
  self->no_speech = pt_tokenizer_find (tokenizer, "<|nospeech|>");
  if (self->no_speech < 0)
    self->no_speech = pt_tokenizer_find (tokenizer, "<|nocaptions|>");
  self->no_timestamps = pt_tokenizer_find (tokenizer, "<|notimestamps|>");
  self->first_timestamp = pt_tokenizer_find (tokenizer, "<|0.00|>");
  if (self->first_timestamp < 0 && self->no_timestamps >= 0)
    self->first_timestamp = self->no_timestamps + 1;
}

/* Drops ids beyond the logits; the required ones must exist. */
static gboolean
check_ids (PtWhisperTokens *self, GError **error)
{
  gint32 *optional[] = { &self->prev, &self->no_speech, &self->no_timestamps, &self->translate,
                         &self->transcribe };
  gint32 n = (gint32) MIN (self->n_ids, G_MAXINT32);
  guint i;

  if (self->eot >= 0 && self->sot > self->eot && self->sot >= n)
    return pt_fail (
        error, PT_ERROR_TOKENIZER,
        "The tokenizer does not belong to this speech model: the model knows %d tokens, "
        "and the one that begins a transcript is number %d. Use the tokenizer.json of "
        "the same model.",
        n, self->sot);
  if (self->eot < 0 || self->sot <= self->eot || self->sot >= n)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer does not belong to this speech model: it lacks the tokens "
                    "that begin and end a transcript. Use the tokenizer.json of the same model.");
  for (i = 0; i < G_N_ELEMENTS (optional); i++) {
    if (*optional[i] >= n)
      *optional[i] = -1;
  }
  for (i = 0; i < PT_WHISPER_N_LANGUAGES; i++) {
    if (self->languages[i] >= n)
      self->languages[i] = -1;
    /* English models have tokens of languages but were not trained on them. */
    self->multilingual |= self->languages[i] >= 0;
  }
  self->multilingual = self->multilingual && self->n_ids != 51864 && self->eot != ENGLISH_EOT &&
                       self->transcribe >= 0;
  if (self->first_timestamp <= self->eot || self->first_timestamp >= n)
    self->n_timestamps = 0;
  else
    self->n_timestamps = MIN (self->n_timestamps, (guint) (n - self->first_timestamp));
  if (self->n_timestamps < 2) {
    self->n_timestamps = 0;
    self->first_timestamp = n;
  }
  return TRUE;
}

PtWhisperTokens *
pt_whisper_tokens_new (const PtTokenizer *tokenizer, guint n_ids, guint n_units,
                       const char *config_path, GError **error)
{
  g_autoptr (PtWhisperTokens) self = g_new0 (PtWhisperTokens, 1);

  self->suppress = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->begin_suppress = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->n_ids = n_ids;
  self->n_timestamps = n_units + 1;
  self->max_initial = MAX_INITIAL;
  use_names (self, tokenizer);
  if (self->sot < 0 && n_ids >= 51864 && n_ids <= 51866)
    use_table (self);
  if (!check_ids (self, error))
    return NULL;
  list_signs (self, tokenizer);
  list (self, self->begin_suppress, first_id (tokenizer, " ", TRUE));
  list (self, self->begin_suppress, self->eot);
  if (config_path != NULL && !read_config (self, config_path, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_whisper_tokens_free (PtWhisperTokens *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->suppress);
  g_array_unref (self->begin_suppress);
  g_free (self);
}

int
pt_whisper_tokens_find_language (const PtWhisperTokens *self, const char *code, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  int i;

  for (i = 0; i < PT_WHISPER_N_LANGUAGES; i++) {
    if (self->multilingual ? self->languages[i] < 0 : i > 0)
      continue;
    if (g_ascii_strcasecmp (code, codes[i]) == 0)
      return i;
    g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", codes[i]);
  }
  pt_fail (error, PT_ERROR_ARGUMENT, "The model does not know the language “%s”. It knows: %s.",
           code, known->str);
  return -1;
}
