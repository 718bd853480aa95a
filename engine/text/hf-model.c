/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/hf-model.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/text/bpe.h"

/* Longest word of WordPiece in bytes; bounds the time of the search. */
#define MAX_WORD 10000
#define MAX_NAME 512

typedef enum { MODEL_BPE, MODEL_UNIGRAM, MODEL_WORD_PIECE, MODEL_WORD_LEVEL } ModelKind;

struct _PtHfModel {
  ModelKind kind;
  const PtVocabulary *vocabulary;
  gboolean byte_level;
  gint32 unknown; /* or -1 */
  PtBpe *bpe;
  /* Unigram */
  PtUnigram *unigram;
  double *scores;       /* by id */
  gint32 byte_ids[256]; /* of "<0x..>", or -1 */
  gboolean byte_fallback;
  /* WordPiece */
  char *prefix;   /* of pieces inside a word */
  gint64 longest; /* word, in characters */
  gsize reach;    /* length of the longest name in bytes */
};

/* ---- reading ---- */

static void
find_unknown (PtHfModel *self, const json_t *json)
{
  const char *name = pt_json_string (json, "unk_token");

  self->unknown = name != NULL ? pt_vocabulary_find (self->vocabulary, name, strlen (name)) : -1;
}

static gboolean
read_words (PtHfModel *self, const json_t *json, PtVocabulary *vocabulary, GError **error)
{
  const char *prefix = pt_json_string (json, "continuing_subword_prefix");

  self->prefix = g_strdup (prefix != NULL ? prefix : "##");
  self->longest = CLAMP (pt_json_int (json, "max_input_chars_per_word", 100), 0, MAX_WORD);
  if (!pt_vocabulary_add_json (vocabulary, json_object_get (json, "vocab"), error))
    return FALSE;
  for (guint id = 0; id < pt_vocabulary_n_ids (vocabulary); id++) {
    const PtToken *token = pt_vocabulary_token (vocabulary, (gint32) id);

    if (token != NULL)
      self->reach = MAX (self->reach, MIN (token->name_length, MAX_NAME));
  }
  find_unknown (self, json);
  return TRUE;
}

/** Reads pieces and their scores, in the order of their ids. */
static gboolean
read_scores (PtHfModel *self, const json_t *list, PtVocabulary *vocabulary, double *lowest,
             GError **error)
{
  gsize n = json_array_size (list);

  if (n == 0 || n > PT_MAX_TOKENS)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer has no vocabulary.");
  self->scores = pt_allocate (n, sizeof *self->scores, error);
  if (self->scores == NULL)
    return FALSE;
  *lowest = G_MAXDOUBLE;
  for (gsize i = 0; i < n; i++) {
    const json_t *item = json_array_get (list, i);
    const json_t *name = json_array_get (item, 0), *score = json_array_get (item, 1);

    if (!json_is_string (name) || !json_is_number (score))
      return pt_fail (error, PT_ERROR_TOKENIZER,
                      "Token %zu of the tokenizer is not a text with a score.", i);
    if (!pt_vocabulary_add (vocabulary, (gint64) i, json_string_value (name),
                            json_string_length (name), FALSE, error))
      return FALSE;
    self->scores[i] = json_number_value (score);
    *lowest = MIN (*lowest, self->scores[i]);
  }
  return TRUE;
}

static gboolean
make_unigram (PtHfModel *self, guint n, double lowest, GError **error)
{
  g_autofree PtTrieWord *words = pt_allocate (n, sizeof *words, error);
  guint used = 0;

  if (words == NULL)
    return FALSE;
  for (guint id = 0; id < n; id++) {
    const PtToken *token = pt_vocabulary_token (self->vocabulary, (gint32) id);

    if (token != NULL && token->name_length > 0)
      words[used++] = (PtTrieWord){ token->name, token->name_length, (gint32) id };
  }
  self->unigram = pt_unigram_new_exact (words, used, self->scores, lowest, error);
  return self->unigram != NULL;
}

static gboolean
read_unigram (PtHfModel *self, const json_t *json, PtVocabulary *vocabulary, GError **error)
{
  const json_t *list = json_object_get (json, "vocab");
  gint64 unknown = pt_json_int (json, "unk_id", -1);
  guint n = (guint) MIN (json_array_size (list), PT_MAX_TOKENS);
  double lowest = 0;

  if (!read_scores (self, list, vocabulary, &lowest, error) ||
      !make_unigram (self, n, lowest, error))
    return FALSE;
  if (unknown >= (gint64) n)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer's unknown token is not in its vocabulary.");
  self->unknown = unknown >= 0 ? (gint32) unknown : -1;
  self->byte_fallback = pt_json_bool (json, "byte_fallback", FALSE);
  for (guint byte = 0; byte < 256; byte++) {
    char name[8];

    g_snprintf (name, sizeof name, "<0x%02X>", byte);
    self->byte_ids[byte] = pt_vocabulary_find (vocabulary, name, strlen (name));
  }
  return TRUE;
}

/** Finds the kind of the model; files without "type" are recognised by their members. */
static gboolean
read_kind (const json_t *json, ModelKind *kind, GError **error)
{
  static const char *const names[] = { "BPE", "Unigram", "WordPiece", "WordLevel" };
  const char *type = pt_json_string (json, "type");

  if (type == NULL && json_object_get (json, "merges") != NULL)
    type = "BPE";
  else if (type == NULL && json_object_get (json, "max_input_chars_per_word") != NULL)
    type = "WordPiece";
  for (guint i = 0; type != NULL && i < G_N_ELEMENTS (names); i++)
    if (strcmp (type, names[i]) == 0) {
      *kind = (ModelKind) i;
      return TRUE;
    }
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "Its model “%.64s” is not known.",
                  type != NULL ? type : "without a type");
}

PtHfModel *
pt_hf_model_new (const json_t *json, const PtHfLists *lists, gboolean byte_level,
                 PtVocabulary *vocabulary, GError **error)
{
  g_autoptr (PtHfModel) self = g_new0 (PtHfModel, 1);
  gboolean ok = FALSE;

  self->vocabulary = vocabulary;
  self->byte_level = byte_level;
  if (!read_kind (json, &self->kind, error))
    return NULL;
  if (lists != NULL && self->kind != MODEL_BPE) {
    pt_fail (error, PT_ERROR_TOKENIZER, "It has merges, and a model without.");
    return NULL;
  }
  switch (self->kind) {
  case MODEL_BPE:
    self->bpe = pt_bpe_new (json, lists, byte_level, vocabulary, error);
    ok = self->bpe != NULL;
    break;
  case MODEL_UNIGRAM: ok = read_unigram (self, json, vocabulary, error); break;
  case MODEL_WORD_PIECE:
  case MODEL_WORD_LEVEL: ok = read_words (self, json, vocabulary, error); break;
  }
  return ok ? g_steal_pointer (&self) : NULL;
}

void
pt_hf_model_free (PtHfModel *self)
{
  if (self == NULL)
    return;
  pt_bpe_free (self->bpe);
  pt_unigram_free (self->unigram);
  g_free (self->scores);
  g_free (self->prefix);
  g_free (self);
}

/* ---- working memory ---- */

void
pt_hf_work_init (PtHfWork *work, PtScratch *scratch)
{
  *work = (PtHfWork){ .scratch = scratch };
  work->pieces = g_array_new (FALSE, FALSE, sizeof (PtUnigramPiece));
  work->letters = g_string_new (NULL);
}

void
pt_hf_work_clear (PtHfWork *work)
{
  pt_unigram_scratch_clear (&work->unigram);
  g_array_unref (work->pieces);
  g_string_free (work->letters, TRUE);
}

/* ---- encoding ---- */

static gboolean
append_unknown (const PtHfModel *self, GArray *ids, GError **error)
{
  if (self->unknown < 0)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The tokenizer has no token for a part of this text, and none for what is "
                    "unknown.");
  g_array_append_val (ids, self->unknown);
  return TRUE;
}

static gboolean
encode_word (const PtHfModel *self, const char *piece, gsize length, GArray *ids, GError **error)
{
  gint32 id = pt_vocabulary_find (self->vocabulary, piece, length);

  if (id < 0)
    return append_unknown (self, ids, error);
  g_array_append_val (ids, id);
  return TRUE;
}

/** Finds the longest token at @begin and sets *end to its end; -1: none. */
static gint32
longest_piece (const PtHfModel *self, const char *piece, gsize begin, gsize *end, GString *name)
{
  gsize stop = MIN (*end, begin + self->reach);

  while (stop > begin && stop < *end && (piece[stop] & 0xC0) == 0x80)
    stop--;
  while (stop > begin) {
    gint32 id;

    g_string_assign (name, begin > 0 ? self->prefix : "");
    g_string_append_len (name, piece + begin, (gssize) (stop - begin));
    id = pt_vocabulary_find (self->vocabulary, name->str, name->len);
    if (id >= 0) {
      *end = stop;
      return id;
    }
    do
      stop--;
    while (stop > begin && (piece[stop] & 0xC0) == 0x80);
  }
  return -1;
}

static gboolean
encode_word_piece (const PtHfModel *self, const char *piece, gsize length, PtHfWork *work,
                   GArray *ids, GError **error)
{
  guint before = ids->len;

  if (g_utf8_strlen (piece, (gssize) length) > self->longest)
    return append_unknown (self, ids, error);
  for (gsize begin = 0, end = length; begin < length; begin = end, end = length) {
    gint32 id = longest_piece (self, piece, begin, &end, work->scratch->name);

    if (id < 0) {
      g_array_set_size (ids, before);
      return append_unknown (self, ids, error);
    }
    g_array_append_val (ids, id);
  }
  return TRUE;
}

/** Adds the ids of a run of characters without a token. */
static gboolean
encode_unknown (const PtHfModel *self, const char *text, gsize length, GArray *ids, GError **error)
{
  gboolean all = self->byte_fallback;

  for (gsize i = 0; i < length && all; i++)
    all = self->byte_ids[(guint8) text[i]] >= 0;
  if (!all)
    return append_unknown (self, ids, error);
  for (gsize i = 0; i < length; i++)
    g_array_append_val (ids, self->byte_ids[(guint8) text[i]]);
  return TRUE;
}

static gboolean
encode_unigram (const PtHfModel *self, const char *piece, gsize length, PtHfWork *work, GArray *ids,
                GError **error)
{
  gsize begin = 0, unknown = 0; /* number of unknown bytes before @begin */

  work->unigram.sum = 0;
  if (!pt_unigram_encode (self->unigram, piece, length, &work->unigram, work->pieces, error))
    return FALSE;
  for (guint i = 0; i <= work->pieces->len; i++) {
    gboolean last = i == work->pieces->len;
    PtUnigramPiece part = { (guint32) length, 0 };

    if (!last)
      part = g_array_index (work->pieces, PtUnigramPiece, i);
    if (!last && (part.id < 0 || part.id == self->unknown)) {
      unknown += part.end - begin;
    } else {
      if (unknown > 0 && !encode_unknown (self, piece + begin - unknown, unknown, ids, error))
        return FALSE;
      unknown = 0;
      if (!last)
        g_array_append_val (ids, part.id);
    }
    begin = part.end;
  }
  return TRUE;
}

/** Maps the bytes of @piece to letters of the vocabulary. */
static void
write_letters (const char *piece, gsize length, GString *letters)
{
  g_string_truncate (letters, 0);
  for (gsize i = 0; i < length; i++) {
    char letter[2];
    gsize n = pt_byte_letter ((guint8) piece[i], letter);

    g_string_append_len (letters, letter, (gssize) n);
  }
}

gboolean
pt_hf_model_encode (const PtHfModel *self, const char *piece, gsize length, PtHfWork *work,
                    GArray *ids, GError **error)
{
  if (self->kind == MODEL_BPE) {
    pt_bpe_encode (self->bpe, piece, length, work->scratch, ids);
    return TRUE;
  }
  if (self->byte_level) {
    write_letters (piece, length, work->letters);
    piece = work->letters->str;
    length = work->letters->len;
  }
  switch (self->kind) {
  case MODEL_UNIGRAM: return encode_unigram (self, piece, length, work, ids, error);
  case MODEL_WORD_PIECE: return encode_word_piece (self, piece, length, work, ids, error);
  default: return encode_word (self, piece, length, ids, error);
  }
}
