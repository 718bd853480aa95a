/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/bpe.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"

/* No real tokenizer has more; keeps a hostile one small. */
#define MAX_MERGES (1 << 21)

struct _PtBpe {
  const PtVocabulary *vocabulary;
  gboolean byte_level;
  gboolean ignore_merges;
  gboolean fuse_unknown;
  gint32 unknown;       /* or -1: characters outside the vocabulary are dropped */
  gint32 byte_ids[256]; /* ids of single bytes: of their letters (byte-level) or of "<0x..>" (byte
                           fallback); or -1 */
  gboolean byte_fallback;
  char *inside; /* prefix of all characters but the first of a piece; "": none */
  char *end;    /* behind the last one */
  PtMergeTable *merges;
};

/* ---- bytes and letters ---- */

static gboolean
is_plain_byte (int c)
{
  return (c >= 33 && c <= 126) || (c >= 161 && c <= 172) || (c >= 174 && c <= 255);
}

int
pt_byte_of_letter (gunichar c)
{
  /* The 68 bytes without a printable character of their own are mapped to code points from 256 on,
     in order. */
  if (c < 256)
    return is_plain_byte ((int) c) ? (int) c : -1;
  if (c < 256 + 33)
    return (int) c - 256;
  if (c < 256 + 33 + 34)
    return (int) c - 256 - 33 + 127;
  return c == 256 + 67 ? 173 : -1;
}

gsize
pt_byte_letter (guint8 byte, char letter[2])
{
  guint c = byte;

  if (byte < 33)
    c = 256u + byte;
  else if (byte >= 127 && byte <= 160)
    c = 256u + 33 + byte - 127;
  else if (byte == 173)
    c = 256 + 67;
  if (c < 128) {
    letter[0] = (char) c;
    return 1;
  }
  letter[0] = (char) (0xC0 | (c >> 6));
  letter[1] = (char) (0x80 | (c & 0x3F));
  return 2;
}

/* ---- the table of merges ---- */

static gboolean
add_merge (PtBpe *self, const char *left, gsize left_length, const char *right, gsize right_length,
           guint32 rank, GString *joined, GError **error)
{
  gint32 first = pt_vocabulary_find (self->vocabulary, left, left_length);
  gint32 second = pt_vocabulary_find (self->vocabulary, right, right_length);
  gsize inside = MIN (strlen (self->inside),
                      right_length); /* length of the prefix that the merged token drops */
  gint32 merged;

  g_string_truncate (joined, 0);
  g_string_append_len (joined, left, (gssize) left_length);
  g_string_append_len (joined, right + inside, (gssize) (right_length - inside));
  merged = pt_vocabulary_find (self->vocabulary, joined->str, joined->len);
  if (first < 0 || second < 0 || merged < 0)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "Merge %u of the tokenizer, “%.*s” with “%.*s”, is not in its vocabulary.",
                    rank, (int) MIN (left_length, 64), left, (int) MIN (right_length, 64), right);
  /* If a pair is listed twice, the later rank is used, as in the reference. */
  pt_merge_table_add (self->merges, first, second, rank, merged);
  return TRUE;
}

/** A merge is "left right" or ["left", "right"]. */
static gboolean
read_merge (PtBpe *self, const json_t *item, guint32 rank, GString *joined, GError **error)
{
  if (json_is_string (item)) {
    const char *text = json_string_value (item);
    gsize length = json_string_length (item);
    const char *space = memchr (text, ' ', length);

    if (space != NULL && memchr (space + 1, ' ', length - (gsize) (space + 1 - text)) == NULL)
      return add_merge (self, text, (gsize) (space - text), space + 1,
                        length - (gsize) (space + 1 - text), rank, joined, error);
  } else if (json_is_array (item) && json_array_size (item) == 2) {
    const json_t *left = json_array_get (item, 0);
    const json_t *right = json_array_get (item, 1);

    if (json_is_string (left) && json_is_string (right))
      return add_merge (self, json_string_value (left), json_string_length (left),
                        json_string_value (right), json_string_length (right), rank, joined, error);
  }
  return pt_fail (error, PT_ERROR_TOKENIZER, "Merge %u of the tokenizer is not a pair of tokens.",
                  rank);
}

static gboolean
read_merges (PtBpe *self, const json_t *merges, GError **error)
{
  g_autoptr (GString) joined = g_string_new (NULL);
  gsize n = json_array_size (merges), skip = 0;

  if (!json_is_array (merges))
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer has no list of merges.");
  if (n > MAX_MERGES)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer has too many merges (%zu).", n);
  self->merges = pt_merge_table_new (n, error);
  if (self->merges == NULL)
    return FALSE;
  if (n > 0 && json_is_string (json_array_get (merges, 0)) &&
      g_str_has_prefix (json_string_value (json_array_get (merges, 0)), "#version"))
    skip = 1;
  for (gsize i = skip; i < n; i++)
    if (!read_merge (self, json_array_get (merges, i), (guint32) (i - skip), joined, error))
      return FALSE;
  return TRUE;
}

static gboolean
add_tokens (PtVocabulary *vocabulary, const PtHfLists *lists, GError **error)
{
  for (gsize i = 0; i < lists->n_tokens; i++) {
    const PtListToken *token = &lists->tokens[i];

    if (!pt_vocabulary_add (vocabulary, token->id, token->name.text, token->name.length, FALSE,
                            error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_merges (PtBpe *self, const PtHfLists *lists, GError **error)
{
  g_autoptr (GString) joined = g_string_new (NULL);

  if (lists->n_merges > MAX_MERGES)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer has too many merges (%zu).",
                    lists->n_merges);
  self->merges = pt_merge_table_new (lists->n_merges, error);
  if (self->merges == NULL)
    return FALSE;
  for (gsize i = 0; i < lists->n_merges; i++) {
    const PtListMerge *merge = &lists->merges[i];

    if (!add_merge (self, merge->left.text, merge->left.length, merge->right.text,
                    merge->right.length, (guint32) i, joined, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- loading ---- */

static gboolean
read_options (PtBpe *self, const json_t *model, GError **error)
{
  const char *unknown = pt_json_string (model, "unk_token");
  const char *inside = pt_json_string (model, "continuing_subword_prefix");
  const char *end = pt_json_string (model, "end_of_word_suffix");

  self->inside = g_strdup (inside != NULL ? inside : "");
  self->end = g_strdup (end != NULL ? end : "");
  self->ignore_merges = pt_json_bool (model, "ignore_merges", FALSE);
  self->fuse_unknown = pt_json_bool (model, "fuse_unk", FALSE);
  self->byte_fallback = pt_json_bool (model, "byte_fallback", FALSE);
  self->unknown = -1;
  if (unknown != NULL) {
    self->unknown = pt_vocabulary_find (self->vocabulary, unknown, strlen (unknown));
    if (self->unknown < 0)
      return pt_fail (error, PT_ERROR_TOKENIZER,
                      "The tokenizer's unknown token “%s” is not in its vocabulary.", unknown);
  }
  return TRUE;
}

static void
find_bytes (PtBpe *self)
{
  for (int byte = 0; byte < 256; byte++) {
    char name[8];
    gsize length;

    if (self->byte_level)
      length = pt_byte_letter ((guint8) byte, name);
    else
      length = (gsize) g_snprintf (name, sizeof name, "<0x%02X>", (guint) byte);
    self->byte_ids[byte] = pt_vocabulary_find (self->vocabulary, name, length);
  }
}

PtBpe *
pt_bpe_new (const json_t *model, const PtHfLists *lists, gboolean byte_level,
            PtVocabulary *vocabulary, GError **error)
{
  g_autoptr (PtBpe) self = g_new0 (PtBpe, 1);

  self->vocabulary = vocabulary;
  self->byte_level = byte_level;
  if (!(lists != NULL
            ? add_tokens (vocabulary, lists, error)
            : pt_vocabulary_add_json (vocabulary, json_object_get (model, "vocab"), error)) ||
      !read_options (self, model, error) ||
      !(lists != NULL ? add_merges (self, lists, error)
                      : read_merges (self, json_object_get (model, "merges"), error)))
    return NULL;
  find_bytes (self);
  return g_steal_pointer (&self);
}

void
pt_bpe_free (PtBpe *self)
{
  if (self == NULL)
    return;
  pt_merge_table_free (self->merges);
  g_free (self->inside);
  g_free (self->end);
  g_free (self);
}

/* ---- encoding ---- */

static void
split_bytes (const PtBpe *self, const char *piece, gsize length, PtMerger *merger)
{
  gboolean after_unknown = FALSE;

  for (gsize i = 0; i < length; i++) {
    gint32 id = self->byte_ids[(guint8) piece[i]];
    gboolean unknown = id < 0;

    if (unknown)
      id = self->fuse_unknown && after_unknown ? -1 : self->unknown;
    if (id >= 0)
      pt_merger_add (merger, id, i, FALSE);
    after_unknown = unknown;
  }
}

static gboolean
split_character (const PtBpe *self, const char *piece, gsize begin, gsize length, PtMerger *merger)
{
  for (gsize i = begin; i < begin + length; i++)
    if (self->byte_ids[(guint8) piece[i]] < 0)
      return FALSE;
  for (gsize i = begin; i < begin + length; i++)
    pt_merger_add (merger, self->byte_ids[(guint8) piece[i]], i, FALSE);
  return TRUE;
}

static void
split_characters (const PtBpe *self, const char *piece, gsize length, PtMerger *merger)
{
  gboolean after_unknown = FALSE;
  gsize size;

  for (gsize i = 0; i < length; i += size) {
    gint32 id;

    size = MIN ((gsize) g_utf8_skip[(guint8) piece[i]], length - i);
    id = pt_vocabulary_find (self->vocabulary, piece + i, size);
    if (id >= 0) {
      pt_merger_add (merger, id, i, FALSE);
      after_unknown = FALSE;
    } else if (!self->byte_fallback || !split_character (self, piece, i, size, merger)) {
      if (self->unknown >= 0 && !(self->fuse_unknown && after_unknown))
        pt_merger_add (merger, self->unknown, i, FALSE);
      after_unknown = TRUE;
    }
  }
}

/* Finds the tokens of the bytes of @name, all at @begin. */
static gboolean
split_name (const PtBpe *self, const GString *name, gsize begin, PtMerger *merger)
{
  if (!self->byte_fallback)
    return FALSE;
  for (gsize i = 0; i < name->len; i++)
    if (self->byte_ids[(guint8) name->str[i]] < 0)
      return FALSE;
  for (gsize i = 0; i < name->len; i++)
    pt_merger_add (merger, self->byte_ids[(guint8) name->str[i]], begin, FALSE);
  return TRUE;
}

/* Splits a piece into characters whose names have a prefix or suffix by their place in the word. */
static void
split_marked (const PtBpe *self, const char *piece, gsize length, PtMerger *merger, GString *name)
{
  gboolean after_unknown = FALSE;
  gsize size;

  for (gsize i = 0; i < length; i += size) {
    char letter[2];
    gint32 id;

    size = self->byte_level ? 1 : MIN ((gsize) g_utf8_skip[(guint8) piece[i]], length - i);
    g_string_assign (name, i > 0 ? self->inside : "");
    if (self->byte_level)
      g_string_append_len (name, letter, (gssize) pt_byte_letter ((guint8) piece[i], letter));
    else
      g_string_append_len (name, piece + i, (gssize) size);
    if (i + size == length)
      g_string_append (name, self->end);
    id = pt_vocabulary_find (self->vocabulary, name->str, name->len);
    if (id >= 0) {
      pt_merger_add (merger, id, i, FALSE);
      after_unknown = FALSE;
    } else if (self->byte_level || !split_name (self, name, i, merger)) {
      if (self->unknown >= 0 && !(self->fuse_unknown && after_unknown))
        pt_merger_add (merger, self->unknown, i, FALSE);
      after_unknown = TRUE;
    }
  }
}

static gint32
find_whole (const PtBpe *self, const char *piece, gsize length, GString *name)
{
  if (!self->byte_level)
    return pt_vocabulary_find (self->vocabulary, piece, length);
  g_string_truncate (name, 0);
  for (gsize i = 0; i < length; i++) {
    char letter[2];
    gsize size = pt_byte_letter ((guint8) piece[i], letter);

    g_string_append_len (name, letter, (gssize) size);
  }
  return pt_vocabulary_find (self->vocabulary, name->str, name->len);
}

static void
encode_piece (const PtBpe *self, const char *piece, gsize length, PtScratch *scratch, GArray *ids)
{
  const PtMergeRules rules = { self->merges, NULL, NULL };
  const PtSymbol *symbol;
  gint32 at = 0;
  gsize end;

  if (self->ignore_merges) {
    gint32 whole = find_whole (self, piece, length, scratch->name);

    if (whole >= 0) {
      g_array_append_val (ids, whole);
      return;
    }
  }
  pt_merger_clear (scratch->merger);
  if (*self->inside != '\0' || *self->end != '\0')
    split_marked (self, piece, length, scratch->merger, scratch->name);
  else if (self->byte_level)
    split_bytes (self, piece, length, scratch->merger);
  else
    split_characters (self, piece, length, scratch->merger);
  pt_merger_run (scratch->merger, &rules, piece, length);
  while ((symbol = pt_merger_next (scratch->merger, &at, &end)) != NULL)
    g_array_append_val (ids, symbol->id);
}

void
pt_bpe_encode (const PtBpe *self, const char *piece, gsize length, PtScratch *scratch, GArray *ids)
{
  guint first = ids->len;

  if (pt_piece_cache_get (scratch->cache, piece, length, ids))
    return;
  encode_piece (self, piece, length, scratch, ids);
  pt_piece_cache_put (scratch->cache, piece, length, ids, first);
}
