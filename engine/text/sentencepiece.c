/* SPDX-License-Identifier: BSD-3-Clause */

/* SentencePiece's tokenizer: it normalises a text, then splits it by BPE, by unigram, or into whole
   words or characters (docs/formats/tokenizers.md, section 7). */

#include "engine/text/sentencepiece-model.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/text/added-tokens.h"
#include "engine/text/tokenizer-private.h"
#include "engine/text/unigram.h"

#define REPLACEMENT "\xEF\xBF\xBD"

typedef struct {
  PtTokenizer base;
  PtSpModel *model;
  PtAddedTokens *special;
  PtTrie *defined; /* trie of user-defined pieces, except control tokens; NULL: there are none */
  /* By id. */
  guint8 *is_defined, *is_unused;
  guint32 *ranks; /* BPE */
  PtUnigram *unigram;
} SentencePiece;

/* State of one encoding. */
typedef struct {
  const SentencePiece *self;
  gboolean adds_space; /* put a space in front of this section, if the model does so */
  PtScratch *scratch;  /* the cache is for BPE whose words are independent */
  PtUnigramScratch unigram;
  GArray *pieces; /* PtUnigramPiece */
  GArray *spans;  /* Span: parts of an unused piece */
  GString *text;  /* normalised */
  GArray *ids;
  guint first; /* index of the first id of this text */
} Encoding;

typedef struct {
  gsize begin, end;
} Span;

/* ---- normalising ---- */

/** The length of the user-defined piece at the start of @text, or 0. */
static gsize
find_defined (const SentencePiece *self, const char *text, gsize length, gint32 *id)
{
  return self->defined != NULL ? pt_trie_longest (self->defined, text, length, id) : 0;
}

/** Finds the next characters of @text and their normalised form. Returns their length in bytes. */
static gsize
normalize_prefix (const Encoding *e, const char *text, gsize length, const char **out,
                  gsize *out_length)
{
  const SentencePiece *self = e->self;
  gsize size;
  gint32 id;

  *out = text;
  *out_length = size = find_defined (self, text, length, &id);
  if (size > 0)
    return size;
  if (self->model->map != NULL &&
      (size = pt_chars_map_match (self->model->map, text, length, out, out_length)) > 0)
    return size;
  size = MIN ((gsize) g_utf8_skip[(guint8) *text], length);
  *out = text;
  *out_length = size;
  if ((guint8) *text >= 0x80 && g_utf8_get_char_validated (text, (gssize) size) > 0x10FFFF) {
    *out = REPLACEMENT;
    *out_length = 3;
    return 1;
  }
  return size;
}

static void
append_space (const PtSpModel *model, GString *out)
{
  if (model->escape_spaces)
    g_string_append_len (out, PT_SP_SPACE, 3);
  else
    g_string_append_c (out, ' ');
}

static void
append_normalized (const PtSpModel *model, const char *text, gsize length, GString *out)
{
  for (gsize i = 0; i < length; i++) {
    if (text[i] == ' ')
      append_space (model, out);
    else
      g_string_append_c (out, text[i]);
  }
}

static gsize
skip_leading_spaces (const Encoding *e, const char *text, gsize length)
{
  gsize done = 0;

  while (done < length) {
    const char *out;
    gsize out_length, size = normalize_prefix (e, text + done, length - done, &out, &out_length);

    if (out_length != 1 || *out != ' ')
      break;
    done += size;
  }
  return done;
}

static void
drop_trailing_spaces (const PtSpModel *model, GString *out)
{
  const char *space = model->escape_spaces ? PT_SP_SPACE : " ";
  gsize size = strlen (space);

  while (out->len >= size && memcmp (out->str + out->len - size, space, size) == 0)
    g_string_truncate (out, out->len - size);
}

/** Sets e->text to the normalised text. */
static void
normalize (Encoding *e, const char *text, gsize length)
{
  const PtSpModel *model = e->self->model;
  gsize done = model->remove_spaces ? skip_leading_spaces (e, text, length) : 0;
  gboolean after_space = model->remove_spaces;

  g_string_truncate (e->text, 0);
  if (done == length)
    return;
  if (model->dummy_prefix && e->adds_space && !model->spaces_behind)
    append_space (model, e->text);
  while (done < length) {
    const char *out;
    gsize out_length;

    done += normalize_prefix (e, text + done, length - done, &out, &out_length);
    while (after_space && out_length > 0 && *out == ' ') {
      out++;
      out_length--;
    }
    append_normalized (model, out, out_length, e->text);
    if (out_length > 0)
      after_space = model->remove_spaces && out[out_length - 1] == ' ';
  }
  if (model->remove_spaces)
    drop_trailing_spaces (model, e->text);
  if (model->dummy_prefix && e->adds_space && model->spaces_behind)
    append_space (model, e->text);
}

/* ---- what comes out ---- */

/** Adds the ids of characters without a piece: byte tokens, or one unknown token for all. */
static void
emit_unknown (Encoding *e, gsize begin, gsize end)
{
  const PtSpModel *model = e->self->model;

  if (model->byte_fallback) {
    for (gsize i = begin; i < end; i++)
      g_array_append_val (e->ids, model->byte_ids[(guint8) e->text->str[i]]);
  } else if (e->ids->len == e->first ||
             g_array_index (e->ids, gint32, e->ids->len - 1) != model->unknown) {
    g_array_append_val (e->ids, model->unknown);
  }
}

/** Splits an unused piece into the two parts that it was merged from, recursively. */
static void
emit_unused (Encoding *e, gsize begin, gsize end)
{
  Span span = { begin, end };

  g_array_set_size (e->spans, 0);
  g_array_append_val (e->spans, span);
  while (e->spans->len > 0) {
    gint32 id;
    gsize left;

    span = g_array_index (e->spans, Span, e->spans->len - 1);
    g_array_set_size (e->spans, e->spans->len - 1);
    id = pt_vocabulary_find (e->self->base.vocabulary, e->text->str + span.begin,
                             span.end - span.begin);
    left = id >= 0 && e->self->is_unused[id] ? pt_merger_recall (e->scratch->merger, id) : 0;
    if (id < 0) {
      emit_unknown (e, span.begin, span.end);
    } else if (left == 0) {
      g_array_append_val (e->ids, id);
    } else {
      g_array_append_vals (e->spans, &(Span){ span.begin + left, span.end }, 1);
      g_array_append_vals (e->spans, &(Span){ span.begin, span.begin + left }, 1);
    }
  }
}

static void
emit (Encoding *e, gint32 id, gsize begin, gsize end)
{
  if (id < 0)
    emit_unknown (e, begin, end);
  else if (e->self->is_unused[id])
    emit_unused (e, begin, end);
  else
    g_array_append_val (e->ids, id);
}

/* ---- the kinds of models ---- */

/** Whether the text may be split at @at: words are independent if no piece has "▁" behind another
 * character. */
static gboolean
is_cut (const GString *text, gsize at)
{
  return pt_sp_is_space (text->str + at, text->len - at) &&
         (at < 3 || !pt_sp_is_space (text->str + at - 3, 3));
}

static void
merge_part (Encoding *e, gsize begin, gsize end)
{
  const PtVocabulary *vocabulary = e->self->base.vocabulary;
  const PtMergeRules rules = { NULL, vocabulary, e->self->ranks };
  const char *text = e->text->str;
  const PtSymbol *symbol;
  gint32 at = 0;
  gsize size, stop;

  pt_merger_clear (e->scratch->merger);
  pt_merger_remember (e->scratch->merger, e->self->model->has_unused ? e->self->is_unused : NULL);
  for (gsize i = begin; i < end; i += size) {
    gint32 id;

    size = find_defined (e->self, text + i, end - i, &id);
    if (size > 0) {
      pt_merger_add (e->scratch->merger, id, i, TRUE);
      continue;
    }
    size = MIN ((gsize) g_utf8_skip[(guint8) text[i]], end - i);
    pt_merger_add (e->scratch->merger, pt_vocabulary_find (vocabulary, text + i, size), i, FALSE);
  }
  pt_merger_run (e->scratch->merger, &rules, text, end);
  while ((symbol = pt_merger_next (e->scratch->merger, &at, &stop)) != NULL)
    emit (e, symbol->id, symbol->begin, stop);
}

static void
merge_word (Encoding *e, gsize begin, gsize end)
{
  const char *word = e->text->str + begin;
  guint first = e->ids->len;

  if (pt_piece_cache_get (e->scratch->cache, word, end - begin, e->ids))
    return;
  merge_part (e, begin, end);
  /* A leading unknown token may belong to the word before: such words are not cached. */
  if (e->ids->len > first && g_array_index (e->ids, gint32, first) != e->self->model->unknown)
    pt_piece_cache_put (e->scratch->cache, word, end - begin, e->ids, first);
}

/** The merges of an unused piece depend on the whole text. */
static void
encode_bpe (Encoding *e)
{
  const PtSpModel *model = e->self->model;
  gsize begin = 0;

  if (!model->words_apart || model->has_unused) {
    merge_part (e, 0, e->text->len);
    return;
  }
  for (gsize i = 1; i < e->text->len; i++)
    if (is_cut (e->text, i)) {
      merge_word (e, begin, i);
      begin = i;
    }
  merge_word (e, begin, e->text->len);
}

static gboolean
encode_unigram_part (Encoding *e, gsize begin, gsize end, GError **error)
{
  gsize at = begin;

  if (!pt_unigram_encode (e->self->unigram, e->text->str + begin, end - begin, &e->unigram,
                          e->pieces, error))
    return FALSE;
  for (guint i = 0; i < e->pieces->len; i++) {
    PtUnigramPiece piece = g_array_index (e->pieces, PtUnigramPiece, i);

    emit (e, piece.id, at, begin + piece.end);
    at = begin + piece.end;
  }
  return TRUE;
}

static gboolean
encode_unigram (Encoding *e, GError **error)
{
  const GString *text = e->text;
  gsize begin = 0;

  e->unigram.sum = 0;
  for (gsize i = 1; e->self->model->words_apart && i < text->len; i++)
    if (is_cut (text, i)) {
      if (!encode_unigram_part (e, begin, i, error))
        return FALSE;
      begin = i;
    }
  return encode_unigram_part (e, begin, text->len, error);
}

/** Splits into whole words or characters. */
static void
encode_pieces (Encoding *e)
{
  const PtSpModel *model = e->self->model;
  const GString *text = e->text;
  gsize size;

  for (gsize i = 0; i < text->len; i += size) {
    gint32 id = -1;

    size = 0;
    if (model->kind == PT_SP_CHAR)
      size = find_defined (e->self, text->str + i, text->len - i, &id);
    if (size == 0)
      size = MIN ((gsize) g_utf8_skip[(guint8) text->str[i]], text->len - i);
    while (model->kind == PT_SP_WORD && i + size < text->len &&
           !pt_sp_is_space (text->str + i + size, text->len - i - size))
      size++;
    if (id < 0)
      id = pt_vocabulary_find (model->vocabulary, text->str + i, size);
    emit (e, id, i, i + size);
  }
}

/** Encodes text without special tokens. */
static gboolean
encode_section (Encoding *e, const char *text, gsize length, GError **error)
{
  normalize (e, text, length);
  e->first = e->ids->len;
  if (e->text->len == 0)
    return TRUE;
  switch (e->self->model->kind) {
  case PT_SP_UNIGRAM: return encode_unigram (e, error);
  case PT_SP_BPE: encode_bpe (e); return TRUE;
  case PT_SP_WORD:
  case PT_SP_CHAR: encode_pieces (e); return TRUE;
  }
  return TRUE;
}

/**
 * Behind a control token of the model a new text begins, with a space in front. Marks, like
 * user-defined pieces, are inside of a text.
 */
static gboolean
encode_text (Encoding *e, const char *text, gsize length, const PtTrust *trust, GError **error)
{
  PtAddedMatch match;
  gsize done = 0;

  while (pt_added_tokens_next (e->self->special, text, length, done, FALSE, trust, &match)) {
    if (!encode_section (e, text + done, match.begin - done, error))
      return FALSE;
    g_array_append_val (e->ids, match.id);
    e->adds_space = e->self->model->types[match.id] != PT_PIECE_MARK;
    done = match.end;
  }
  return encode_section (e, text + done, length - done, error);
}

static gboolean
sp_encode (const PtTokenizer *base, const char *text, gsize length, PtScratch *scratch,
           const PtTrust *trust, GArray *ids, GError **error)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (PtUnigramPiece));
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autoptr (GString) normalized = g_string_sized_new (length + length / 4 + 16);
  Encoding e = {
    .self = (const SentencePiece *) base,
    .adds_space = TRUE,
    .scratch = scratch,
    .pieces = pieces,
    .spans = spans,
    .text = normalized,
    .ids = ids,
  };
  gboolean ok = encode_text (&e, text, length, trust, error);

  pt_unigram_scratch_clear (&e.unigram);
  return ok;
}

/* ---- opening ---- */

/** Makes a trie of the pieces of text, or only of the user-defined ones. */
static gboolean
list_words (const SentencePiece *self, gboolean only_defined, PtTrieWord **words, guint *n,
            GError **error)
{
  const PtSpModel *model = self->model;

  *n = 0;
  *words = pt_allocate (model->n, sizeof (PtTrieWord), error);
  if (*words == NULL)
    return FALSE;
  for (guint id = 0; id < model->n; id++) {
    const PtToken *token = pt_vocabulary_token (model->vocabulary, (gint32) id);

    if (only_defined ? self->is_defined[id] : token->names == PT_NAMES_TEXT && !self->is_unused[id])
      (*words)[(*n)++] = (PtTrieWord){ token->name, token->name_length, (gint32) id };
  }
  return TRUE;
}

static gboolean
make_unigram (SentencePiece *self, GError **error)
{
  const PtSpModel *model = self->model;
  g_autofree PtTrieWord *words = NULL;
  float lowest = G_MAXFLOAT;
  guint n;

  if (!list_words (self, FALSE, &words, &n, error))
    return FALSE;
  for (guint id = 0; id < model->n; id++)
    if (model->types[id] == PT_PIECE_NORMAL)
      lowest = MIN (lowest, model->scores[id]);
  self->unigram = pt_unigram_new (words, n, model->scores, self->is_defined, lowest, error);
  return self->unigram != NULL;
}

static gboolean
make_defined (SentencePiece *self, GError **error)
{
  g_autofree PtTrieWord *words = NULL;
  guint n;

  if (!list_words (self, TRUE, &words, &n, error))
    return FALSE;
  if (n > 0)
    self->defined = pt_trie_new (words, n, error);
  return n == 0 || self->defined != NULL;
}

static gboolean
make_flags (SentencePiece *self, GError **error)
{
  const PtSpModel *model = self->model;

  self->is_defined = pt_allocate (2 * (gsize) model->n, 1, error);
  if (self->is_defined == NULL)
    return FALSE;
  self->is_unused = self->is_defined + model->n;
  for (guint id = 0; id < model->n; id++) {
    self->is_defined[id] = model->types[id] == PT_PIECE_DEFINED;
    self->is_unused[id] = model->types[id] == PT_PIECE_UNUSED;
  }
  return TRUE;
}

/** Sets the ranks of merges. No merge produces user-defined pieces: they are matched before
 * merging. */
static gboolean
make_ranks (SentencePiece *self, GError **error)
{
  const PtSpModel *model = self->model;
  g_autofree guint8 *counts = pt_allocate (model->n, 1, error);

  for (guint id = 0; counts != NULL && id < model->n; id++)
    counts[id] = model->types[id] == PT_PIECE_NORMAL || model->types[id] == PT_PIECE_UNUSED;
  if (counts != NULL)
    self->ranks = pt_ranks_from_scores (model->scores, counts, model->n, error);
  return self->ranks != NULL;
}

static gboolean
prepare (SentencePiece *self, const char *data, gsize size, GError **error)
{
  PtSpModel *model = self->model = pt_sp_model_new (data, size, error);

  if (model == NULL)
    return FALSE;
  self->base.vocabulary = g_steal_pointer (&model->vocabulary);
  model->vocabulary = self->base.vocabulary;
  pt_tokenizer_set_ends (&self->base, model->bos, model->eos);
  self->base.takes_bytes = TRUE;
  self->base.counts_bytes = TRUE;
  if (model->escape_spaces && model->remove_spaces)
    self->base.strip = PT_STRIP_EACH;
  else if (model->escape_spaces && model->dummy_prefix)
    self->base.strip = PT_STRIP_ONE;
  if (!make_flags (self, error) || !make_defined (self, error))
    return FALSE;
  self->special = pt_added_tokens_new_special (model->vocabulary);
  if (model->kind == PT_SP_BPE)
    return make_ranks (self, error);
  return model->kind != PT_SP_UNIGRAM || make_unigram (self, error);
}

static void
sp_free (PtTokenizer *base)
{
  SentencePiece *self = (SentencePiece *) base;

  if (self->model != NULL)
    self->model->vocabulary = NULL;
  pt_sp_model_free (self->model);
  pt_added_tokens_free (self->special);
  pt_trie_free (self->defined);
  pt_unigram_free (self->unigram);
  g_free (self->is_defined);
  g_free (self->ranks);
  pt_tokenizer_clear_base (base);
  g_free (self);
}

PtTokenizer *
pt_sentencepiece_new (const char *data, gsize size, GError **error)
{
  SentencePiece *self = g_new0 (SentencePiece, 1);

  pt_tokenizer_init_base (&self->base);
  self->base.encode = sp_encode;
  self->base.free = sp_free;
  if (prepare (self, data, size, error))
    return &self->base;
  sp_free (&self->base);
  return NULL;
}
