/* SPDX-License-Identifier: BSD-3-Clause */

/* Reads llama2.c's tokenizer.bin, a BPE model of SentencePiece in another format
   (docs/formats/tokenizers.md, section 8). */

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/text/added-tokens.h"
#include "engine/text/tokenizer-private.h"

#define HEADER 16
#define MAX_TOKEN_LENGTH 65536
/* Tokens with a lower score are never merged, as in the reference. */
#define LOWEST_SCORE (-1e10f)
/* The first byte token if they are not called "<0x00>". */
#define FIRST_BYTE 3

typedef struct {
  PtTokenizer base;
  guint32 *ranks;
  float *scores;
  PtAddedTokens *special;
  gint32 space;
  gint32 byte_ids[256];
} Llama2c;

/* The records of the file. */
typedef struct {
  const char *data;
  gsize size, at;
  gint32 n, bos, eos, longest;
} Records;

static gint32
read_int (const char *data)
{
  guint32 value;

  memcpy (&value, data, sizeof value);
  return (gint32) GUINT32_FROM_LE (value);
}

static gboolean
read_header (const char *data, gsize size, Records *records)
{
  if (size < HEADER)
    return FALSE;
  *records = (Records){ data,
                        size,
                        HEADER,
                        read_int (data),
                        read_int (data + 4),
                        read_int (data + 8),
                        read_int (data + 12) };
  return records->n > 0 && records->n <= PT_MAX_TOKENS && records->bos >= -1 &&
         records->bos < records->n && records->eos >= -1 && records->eos < records->n &&
         records->longest >= 0 && records->longest <= MAX_TOKEN_LENGTH;
}

/** Reads the next token; FALSE: it is truncated. */
static gboolean
read_record (Records *records, float *score, const char **bytes, gsize *length)
{
  gsize left = records->size - records->at;
  gint32 bits, n;

  if (left < 8)
    return FALSE;
  bits = read_int (records->data + records->at);
  memcpy (score, &bits, sizeof bits);
  n = read_int (records->data + records->at + 4);
  if (n < 0 || (gsize) n > left - 8)
    return FALSE;
  *bytes = records->data + records->at + 8;
  *length = (gsize) n;
  records->at += 8 + (gsize) n;
  return TRUE;
}

/** Files may hold fewer tokens than they declare; with a padding token at the front, one more. */
gboolean
pt_llama2c_sniff (const char *data, gsize size)
{
  Records records;
  const char *bytes;
  gsize length;
  float score;

  if (!read_header (data, size, &records) || records.at == size)
    return FALSE;
  for (gint32 i = 0; i <= records.n && records.at < size; i++)
    if (!read_record (&records, &score, &bytes, &length))
      return FALSE;
  return records.at == size;
}

/* ---- encoding ---- */

static gint32
find_text (const Llama2c *self, const char *text, gsize length)
{
  return pt_vocabulary_find (self->base.vocabulary, text, length);
}

/** Encodes text without special tokens, with the space already put in front. */
static void
encode_spaced (const Llama2c *self, const GString *text, PtMerger *merger, GArray *ids)
{
  const PtMergeRules rules = { NULL, self->base.vocabulary, self->ranks };
  const PtSymbol *symbol;
  gint32 at = 0;
  gsize size, end;

  pt_merger_clear (merger);
  for (gsize i = 0; i < text->len; i += size) {
    gint32 id;

    size = MIN ((gsize) g_utf8_skip[(guint8) text->str[i]], text->len - i);
    id = find_text (self, text->str + i, size);
    if (id >= 0)
      pt_merger_add (merger, id, i, FALSE);
    for (gsize j = i; id < 0 && j < i + size; j++)
      pt_merger_add (merger, self->byte_ids[(guint8) text->str[j]], j, TRUE);
  }
  pt_merger_run (merger, &rules, text->str, text->len);
  while ((symbol = pt_merger_next (merger, &at, &end)) != NULL)
    g_array_append_val (ids, symbol->id);
}

static gboolean
llama2c_encode (const PtTokenizer *base, const char *text, gsize length, PtScratch *scratch,
                const PtTrust *trust, GArray *ids, GError **error)
{
  const Llama2c *self = (const Llama2c *) base;
  g_autoptr (GString) section = g_string_new (NULL);
  gsize done = 0;

  while (done < length) {
    PtAddedMatch match;

    if (!pt_added_tokens_next (self->special, text, length, done, FALSE, trust, &match))
      match = (PtAddedMatch){ length, length, -1 };
    if (match.begin > done) {
      g_string_assign (section, self->space >= 0 ? " " : "");
      g_string_append_len (section, text + done, (gssize) (match.begin - done));
      encode_spaced (self, section, scratch->merger, ids);
    }
    if (match.id >= 0)
      g_array_append_val (ids, match.id);
    done = match.end;
  }
  return TRUE;
}

/* ---- opening ---- */

static gboolean
add_token (Llama2c *self, const Records *records, gint32 id, const char *name, gsize length,
           GError **error)
{
  PtVocabulary *vocabulary = self->base.vocabulary;
  gboolean special = id == records->bos || id == records->eos ||
                     (length == 5 && memcmp (name, "<unk>", 5) == 0) ||
                     (length == 5 && memcmp (name, "<pad>", 5) == 0);
  PtNames names = special ? PT_NAMES_RESERVED : PT_NAMES_TEXT;
  int value = pt_byte_of_name (name, length);
  char byte = (char) value;

  if (value >= 0)
    names = PT_NAMES_RESERVED;
  /* Of several tokens with one name the first is used: padding tokens all have the same name. */
  if (length == 0 || pt_vocabulary_find_in (vocabulary, names, name, length) >= 0)
    names = PT_NAMES_NONE;
  if (!pt_vocabulary_add_to (vocabulary, names, id, name, length, error))
    return FALSE;
  if (special) {
    pt_vocabulary_set_flags (vocabulary, id, PT_TOKEN_SPECIAL);
  } else if (value >= 0) {
    pt_vocabulary_set_flags (vocabulary, id, PT_TOKEN_BYTE);
    pt_vocabulary_set_bytes (vocabulary, id, &byte, 1);
    self->byte_ids[value] = id;
  }
  return TRUE;
}

static gboolean
read_tokens (Llama2c *self, Records *records, GError **error)
{
  for (gint32 id = 0; id < records->n; id++) {
    const char *name = "<pad>";
    gsize length = 5;

    if (records->at < records->size && !read_record (records, &self->scores[id], &name, &length))
      return pt_fail (error, PT_ERROR_TOKENIZER, "It is damaged or incomplete.");
    if (!isfinite (self->scores[id]))
      return pt_fail (error, PT_ERROR_TOKENIZER, "The score of its token %d is not a number.", id);
    if (!add_token (self, records, id, name, length, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
rank_tokens (Llama2c *self, guint n, GError **error)
{
  g_autofree guint8 *counts = pt_allocate (n, 1, error);

  for (guint id = 0; counts != NULL && id < n; id++)
    counts[id] = self->scores[id] > LOWEST_SCORE;
  if (counts != NULL)
    self->ranks = pt_ranks_from_scores (self->scores, counts, n, error);
  return self->ranks != NULL;
}

static gboolean
find_bytes (Llama2c *self, gint32 n, GError **error)
{
  for (gint32 byte = 0; byte < 256; byte++) {
    if (self->byte_ids[byte] < 0)
      self->byte_ids[byte] = FIRST_BYTE + byte;
    if (self->byte_ids[byte] >= n)
      return pt_fail (error, PT_ERROR_TOKENIZER, "It has no token for the byte %02X.",
                      (guint) byte);
  }
  return TRUE;
}

static gboolean
prepare (Llama2c *self, const char *data, gsize size, GError **error)
{
  Records records;

  if (!read_header (data, size, &records))
    return pt_fail (error, PT_ERROR_TOKENIZER, "It is damaged or incomplete.");
  self->base.vocabulary = pt_vocabulary_new ((guint) records.n, error);
  if (self->base.vocabulary == NULL)
    return FALSE;
  self->scores = pt_allocate ((gsize) records.n, sizeof (float), error);
  memset (self->byte_ids, 0xFF, sizeof self->byte_ids);
  if (self->scores == NULL || !read_tokens (self, &records, error) ||
      !find_bytes (self, records.n, error) || !rank_tokens (self, (guint) records.n, error))
    return FALSE;
  g_clear_pointer (&self->scores, g_free);
  self->special = pt_added_tokens_new_special (self->base.vocabulary);
  self->space = find_text (self, " ", 1);
  self->base.strip = PT_STRIP_ONE;
  self->base.counts_bytes = TRUE;
  pt_tokenizer_set_ends (&self->base, records.bos, records.eos);
  return TRUE;
}

static void
llama2c_free (PtTokenizer *base)
{
  Llama2c *self = (Llama2c *) base;

  pt_added_tokens_free (self->special);
  g_free (self->scores);
  g_free (self->ranks);
  pt_tokenizer_clear_base (base);
  g_free (self);
}

PtTokenizer *
pt_llama2c_new (const char *data, gsize size, GError **error)
{
  Llama2c *self = g_new0 (Llama2c, 1);

  pt_tokenizer_init_base (&self->base);
  self->base.encode = llama2c_encode;
  self->base.free = llama2c_free;
  if (prepare (self, data, size, error))
    return &self->base;
  llama2c_free (&self->base);
  return NULL;
}
