/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/rank-tokenizer.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/text/added-tokens.h"
#include "engine/text/pattern.h"

typedef struct {
  PtTokenizer base;
  PtPattern *pattern;
  PtAddedTokens *special;
  guint32 *ranks; /* by id */
  gint32 byte_ids[256];
} RankTokenizer;

/* State of one encoding. */
typedef struct {
  const RankTokenizer *self;
  PtMatcher *matcher;
  PtScratch *scratch;
  GArray *pieces; /* PtSpan */
  GArray *ids;
  guint last; /* index of the first id of the last piece */
} Encoding;

static void
merge_piece (Encoding *e, const char *piece, gsize length)
{
  const RankTokenizer *self = e->self;
  const PtMergeRules rules = { NULL, self->base.vocabulary, self->ranks };
  gint32 id = pt_vocabulary_find (self->base.vocabulary, piece, length), at = 0;
  const PtSymbol *symbol;
  gsize end;

  if (id >= 0) {
    g_array_append_val (e->ids, id);
    return;
  }
  pt_merger_clear (e->scratch->merger);
  for (gsize i = 0; i < length; i++)
    pt_merger_add (e->scratch->merger, self->byte_ids[(guint8) piece[i]], i, FALSE);
  pt_merger_run (e->scratch->merger, &rules, piece, length);
  while ((symbol = pt_merger_next (e->scratch->merger, &at, &end)) != NULL)
    g_array_append_val (e->ids, symbol->id);
}

static void
encode_piece (Encoding *e, const char *piece, gsize length)
{
  e->last = e->ids->len;
  if (pt_piece_cache_get (e->scratch->cache, piece, length, e->ids))
    return;
  merge_piece (e, piece, length);
  pt_piece_cache_put (e->scratch->cache, piece, length, e->ids, e->last);
}

/** Encodes text without special tokens. */
static gboolean
encode_section (Encoding *e, const char *text, gsize length, GError **error)
{
  g_array_set_size (e->pieces, 0);
  if (!pt_pattern_split (e->self->pattern, e->matcher, text, 0, length, PT_SPLIT_ISOLATED, FALSE,
                         e->pieces, error))
    return FALSE;
  for (guint i = 0; i < e->pieces->len; i++) {
    PtSpan span = g_array_index (e->pieces, PtSpan, i);

    encode_piece (e, text + span.begin, span.end - span.begin);
  }
  return TRUE;
}

static gboolean
encode_text (Encoding *e, const char *text, gsize length, const PtTrust *trust, GError **error)
{
  PtAddedMatch match;
  gsize done = 0;

  while (pt_added_tokens_next (e->self->special, text, length, done, FALSE, trust, &match)) {
    if (!encode_section (e, text + done, match.begin - done, error))
      return FALSE;
    g_array_append_val (e->ids, match.id);
    e->last = e->ids->len;
    done = match.end;
  }
  return encode_section (e, text + done, length - done, error);
}

static gboolean
is_blank (const PtVocabulary *vocabulary, gint32 id)
{
  const PtToken *token = pt_vocabulary_token (vocabulary, id);

  if ((token->flags & PT_TOKEN_SPECIAL) != 0)
    return FALSE;
  for (guint32 i = 0; i < token->length; i++)
    if (strchr (" \n\t", token->bytes[i]) == NULL || token->bytes[i] == '\0')
      return FALSE;
  return TRUE;
}

/**
 * Encodes the text from @begin on, which is not UTF-8, so no pattern can split it. As in the
 * reference it is one piece together with the piece before it, and with all white space before a
 * piece of white space.
 */
static void
encode_rest (Encoding *e, guint first, const char *text, gsize begin, gsize length)
{
  const PtVocabulary *vocabulary = e->self->base.vocabulary;
  const gint32 *ids = (const gint32 *) (gpointer) e->ids->data;
  guint last = e->last;

  if (last < e->ids->len && is_blank (vocabulary, ids[last]))
    while (last > first && is_blank (vocabulary, ids[last - 1]))
      last--;
  for (guint i = last; i < e->ids->len; i++)
    begin -= pt_vocabulary_token (vocabulary, ids[i])->length;
  g_array_set_size (e->ids, last);
  encode_piece (e, text + begin, length - begin);
}

static gboolean
rank_encode (const PtTokenizer *base, const char *text, gsize length, PtScratch *scratch,
             const PtTrust *trust, GArray *ids, GError **error)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (PtSpan));
  g_autoptr (PtMatcher) matcher = pt_matcher_new (length, error);
  Encoding e = { (const RankTokenizer *) base, matcher, scratch, pieces, ids, ids->len };
  guint first = ids->len;
  gsize valid = pt_utf8_length (text, length);

  if (matcher == NULL || !encode_text (&e, text, valid, trust, error))
    return FALSE;
  if (valid < length)
    encode_rest (&e, first, text, valid, length);
  return TRUE;
}

static void
rank_free (PtTokenizer *base)
{
  RankTokenizer *self = (RankTokenizer *) base;

  pt_pattern_free (self->pattern);
  pt_added_tokens_free (self->special);
  g_free (self->ranks);
  pt_tokenizer_clear_base (base);
  g_free (self);
}

static gboolean
prepare (RankTokenizer *self, const char *pattern, gsize length, GError **error)
{
  const PtVocabulary *vocabulary = self->base.vocabulary;
  guint n = pt_vocabulary_n_ids (vocabulary);

  for (guint byte = 0; byte < 256; byte++) {
    char c = (char) byte;

    self->byte_ids[byte] = pt_vocabulary_find (vocabulary, &c, 1);
    if (self->byte_ids[byte] < 0)
      return pt_fail (error, PT_ERROR_TOKENIZER, "It has no token for the byte %02X.", byte);
  }
  self->ranks = pt_allocate (n, sizeof (guint32), error);
  if (self->ranks == NULL)
    return FALSE;
  /* Ids of text are ranks, or ranks plus the number of special tokens. */
  for (guint id = 0; id < n; id++)
    self->ranks[id] = id;
  self->pattern = pt_pattern_new (pattern, length, FALSE, error);
  if (self->pattern == NULL)
    return FALSE;
  self->special = pt_added_tokens_new_special (vocabulary);
  return TRUE;
}

PtTokenizer *
pt_rank_tokenizer_new (PtVocabulary *vocabulary, const char *pattern, gsize pattern_length,
                       gint32 bos, gint32 eos, GError **error)
{
  RankTokenizer *self = g_new0 (RankTokenizer, 1);

  pt_tokenizer_init_base (&self->base);
  self->base.vocabulary = vocabulary;
  self->base.encode = rank_encode;
  self->base.free = rank_free;
  self->base.takes_bytes = TRUE;
  pt_tokenizer_set_ends (&self->base, bos, eos);
  if (prepare (self, pattern, pattern_length, error))
    return &self->base;
  rank_free (&self->base);
  return NULL;
}
