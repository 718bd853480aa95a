/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/bpe.h"

#include <string.h>

#include "engine/allocate.h"
#include "engine/json.h"

/* No real tokenizer has more; keeps a hostile one small. */
#define MAX_MERGES (1 << 21)

typedef struct {
  gint32 left, right; /* left < 0: a free slot */
  guint32 rank;
  gint32 merged;
} Merge;

struct _PtBpe {
  const PtVocabulary *vocabulary;
  gboolean byte_level;
  gboolean ignore_merges;
  gboolean fuse_unknown;
  gint32 unknown;       /* or -1: characters that are not in the vocabulary vanish */
  gint32 byte_ids[256]; /* byte-level: of the letters; byte fallback: of "<0x..>"; or -1 */
  gboolean byte_fallback;

  Merge *merges; /* open addressing, at most half full */
  guint32 mask;
  guint32 seed;
};

/* A piece while it is merged: a list of symbols, and a heap of the pairs that may merge. */
typedef struct {
  gint32 id; /* -1: swallowed by the symbol before it */
  gint32 previous, next;
} Symbol;

typedef struct {
  guint32 rank;
  gint32 position; /* of the left symbol */
  gint32 left, right, merged;
} Pair;

struct _PtBpeScratch {
  GArray *symbols;
  GArray *heap;
  GString *name;
};

/* --- bytes and letters --- */

static gboolean
is_plain_byte (int c)
{
  return (c >= 33 && c <= 126) || (c >= 161 && c <= 172) || (c >= 174 && c <= 255);
}

int
pt_byte_of_letter (gunichar c)
{
  /* The 68 bytes without a printable letter of their own follow from 256 on, in order. */
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

/* --- the table of merges --- */

static inline guint32
merge_slot (const PtBpe *self, gint32 left, gint32 right)
{
  guint64 key = ((guint64) (guint32) left << 32 | (guint32) right) ^ self->seed;

  key *= G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  key ^= key >> 32;
  key *= G_GUINT64_CONSTANT (0xFF51AFD7ED558CCD);
  return (guint32) (key >> 32) & self->mask;
}

static inline const Merge *
find_merge (const PtBpe *self, gint32 left, gint32 right)
{
  guint32 slot = merge_slot (self, left, right);

  for (;; slot = (slot + 1) & self->mask) {
    const Merge *merge = &self->merges[slot];

    if (merge->left < 0)
      return NULL;
    if (merge->left == left && merge->right == right)
      return merge;
  }
}

static gboolean
add_merge (PtBpe *self, const char *left, gsize left_length, const char *right, gsize right_length,
           guint32 rank, GString *joined, GError **error)
{
  Merge merge = { pt_vocabulary_find (self->vocabulary, left, left_length),
                  pt_vocabulary_find (self->vocabulary, right, right_length), rank, -1 };
  guint32 slot;

  g_string_truncate (joined, 0);
  g_string_append_len (joined, left, (gssize) left_length);
  g_string_append_len (joined, right, (gssize) right_length);
  merge.merged = pt_vocabulary_find (self->vocabulary, joined->str, joined->len);
  if (merge.left < 0 || merge.right < 0 || merge.merged < 0)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "Merge %u of the tokenizer, “%.*s” with “%.*s”, is not in its vocabulary.",
                    rank, (int) MIN (left_length, 64), left, (int) MIN (right_length, 64), right);
  slot = merge_slot (self, merge.left, merge.right);
  while (self->merges[slot].left >= 0) {
    /* The same pair again: the later rank counts, as in the reference. */
    if (self->merges[slot].left == merge.left && self->merges[slot].right == merge.right)
      break;
    slot = (slot + 1) & self->mask;
  }
  self->merges[slot] = merge;
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
  guint32 slots = 1024;

  if (!json_is_array (merges))
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer has no list of merges.");
  if (n > MAX_MERGES)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer has too many merges (%zu).", n);
  while (slots < 2 * n)
    slots *= 2;
  self->mask = slots - 1;
  self->seed = g_random_int ();
  self->merges = pt_allocate (slots, sizeof (Merge), error);
  if (self->merges == NULL)
    return FALSE;
  memset (self->merges, 0xFF, slots * sizeof (Merge));

  if (n > 0 && json_is_string (json_array_get (merges, 0)) &&
      g_str_has_prefix (json_string_value (json_array_get (merges, 0)), "#version"))
    skip = 1;
  for (gsize i = skip; i < n; i++)
    if (!read_merge (self, json_array_get (merges, i), (guint32) (i - skip), joined, error))
      return FALSE;
  return TRUE;
}

/* --- loading --- */

static gboolean
read_vocabulary (const json_t *vocab, PtVocabulary *vocabulary, GError **error)
{
  const char *name;
  json_t *id;

  if (!json_is_object (vocab) || json_object_size (vocab) == 0)
    return pt_fail (error, PT_ERROR_TOKENIZER, "The tokenizer has no vocabulary.");
  json_object_foreach ((json_t *) vocab, name, id)
    if (!json_is_integer (id))
      return pt_fail (error, PT_ERROR_TOKENIZER, "The id of the token “%.64s” is not a number.",
                      name);
    else if (!pt_vocabulary_add (vocabulary, json_integer_value (id), name, strlen (name), FALSE,
                                 error))
      return FALSE;
  return TRUE;
}

static gboolean
read_options (PtBpe *self, const json_t *model, GError **error)
{
  const char *unknown = pt_json_string (model, "unk_token");
  const char *prefix = pt_json_string (model, "continuing_subword_prefix");
  const char *suffix = pt_json_string (model, "end_of_word_suffix");

  if ((prefix != NULL && *prefix != '\0') || (suffix != NULL && *suffix != '\0'))
    return pt_fail (
        error, PT_ERROR_UNSUPPORTED,
        "The tokenizer marks the inside or the end of words (“%s%s”), which is not supported yet.",
        prefix != NULL ? prefix : "", suffix != NULL ? suffix : "");
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
pt_bpe_new (const json_t *model, gboolean byte_level, PtVocabulary *vocabulary, GError **error)
{
  g_autoptr (PtBpe) self = g_new0 (PtBpe, 1);

  self->vocabulary = vocabulary;
  self->byte_level = byte_level;
  if (!read_vocabulary (json_object_get (model, "vocab"), vocabulary, error) ||
      !read_options (self, model, error) ||
      !read_merges (self, json_object_get (model, "merges"), error))
    return NULL;
  find_bytes (self);
  return g_steal_pointer (&self);
}

void
pt_bpe_free (PtBpe *self)
{
  if (self == NULL)
    return;
  g_free (self->merges);
  g_free (self);
}

/* --- encoding --- */

PtBpeScratch *
pt_bpe_scratch_new (void)
{
  PtBpeScratch *scratch = g_new (PtBpeScratch, 1);

  scratch->symbols = g_array_new (FALSE, FALSE, sizeof (Symbol));
  scratch->heap = g_array_new (FALSE, FALSE, sizeof (Pair));
  scratch->name = g_string_new (NULL);
  return scratch;
}

void
pt_bpe_scratch_free (PtBpeScratch *scratch)
{
  g_array_unref (scratch->symbols);
  g_array_unref (scratch->heap);
  g_string_free (scratch->name, TRUE);
  g_free (scratch);
}

static void
add_symbol (GArray *symbols, gint32 id)
{
  Symbol symbol = { id, (gint32) symbols->len - 1, (gint32) symbols->len + 1 };

  g_array_append_val (symbols, symbol);
}

static void
split_bytes (const PtBpe *self, const char *piece, gsize length, GArray *symbols)
{
  gboolean after_unknown = FALSE;

  for (gsize i = 0; i < length; i++) {
    gint32 id = self->byte_ids[(guint8) piece[i]];
    gboolean unknown = id < 0;

    if (unknown)
      id = self->fuse_unknown && after_unknown ? -1 : self->unknown;
    if (id >= 0)
      add_symbol (symbols, id);
    after_unknown = unknown;
  }
}

static gboolean
split_character (const PtBpe *self, const char *character, gsize length, GArray *symbols)
{
  for (gsize i = 0; i < length; i++)
    if (self->byte_ids[(guint8) character[i]] < 0)
      return FALSE;
  for (gsize i = 0; i < length; i++)
    add_symbol (symbols, self->byte_ids[(guint8) character[i]]);
  return TRUE;
}

static void
split_characters (const PtBpe *self, const char *piece, gsize length, GArray *symbols)
{
  gboolean after_unknown = FALSE;
  gsize size;

  for (gsize i = 0; i < length; i += size) {
    gint32 id;

    size = MIN ((gsize) g_utf8_skip[(guint8) piece[i]], length - i);
    id = pt_vocabulary_find (self->vocabulary, piece + i, size);
    if (id >= 0) {
      add_symbol (symbols, id);
      after_unknown = FALSE;
    } else if (!self->byte_fallback || !split_character (self, piece + i, size, symbols)) {
      if (self->unknown >= 0 && !(self->fuse_unknown && after_unknown))
        add_symbol (symbols, self->unknown);
      after_unknown = TRUE;
    }
  }
}

static inline gboolean
pair_before (const Pair *a, const Pair *b)
{
  return a->rank != b->rank ? a->rank < b->rank : a->position < b->position;
}

static void
heap_push (GArray *heap, Pair pair)
{
  Pair *pairs;
  guint i = heap->len;

  g_array_append_val (heap, pair);
  pairs = (Pair *) (gpointer) heap->data;
  while (i > 0 && pair_before (&pair, &pairs[(i - 1) / 2])) {
    pairs[i] = pairs[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  pairs[i] = pair;
}

static Pair
heap_pop (GArray *heap)
{
  Pair *pairs = (Pair *) (gpointer) heap->data;
  Pair top = pairs[0], last = pairs[heap->len - 1];
  guint n = heap->len - 1, i = 0;

  g_array_set_size (heap, n);
  for (;;) {
    guint child = 2 * i + 1;

    if (child >= n)
      break;
    if (child + 1 < n && pair_before (&pairs[child + 1], &pairs[child]))
      child++;
    if (!pair_before (&pairs[child], &last))
      break;
    pairs[i] = pairs[child];
    i = child;
  }
  if (n > 0)
    pairs[i] = last;
  return top;
}

static void
consider_pair (const PtBpe *self, const Symbol *symbols, guint n, gint32 position, GArray *heap)
{
  const Merge *merge;
  gint32 next;

  if (position < 0)
    return;
  next = symbols[position].next;
  if ((guint) next >= n)
    return;
  merge = find_merge (self, symbols[position].id, symbols[next].id);
  if (merge != NULL)
    heap_push (heap, (Pair){ merge->rank, position, merge->left, merge->right, merge->merged });
}

static void
merge_symbols (const PtBpe *self, GArray *array, GArray *heap)
{
  Symbol *symbols = (Symbol *) (gpointer) array->data;
  guint n = array->len;

  g_array_set_size (heap, 0);
  for (guint i = 0; i + 1 < n; i++)
    consider_pair (self, symbols, n, (gint32) i, heap);
  while (heap->len > 0) {
    Pair pair = heap_pop (heap);
    Symbol *left = &symbols[pair.position];
    Symbol *right;

    /* One of the two may have become part of something else since. */
    if (left->id != pair.left || (guint) left->next >= n || symbols[left->next].id != pair.right)
      continue;
    right = &symbols[left->next];
    left->id = pair.merged;
    left->next = right->next;
    right->id = -1;
    if ((guint) left->next < n)
      symbols[left->next].previous = pair.position;
    consider_pair (self, symbols, n, left->previous, heap);
    consider_pair (self, symbols, n, pair.position, heap);
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

void
pt_bpe_encode (const PtBpe *self, const char *piece, gsize length, PtBpeScratch *scratch,
               GArray *ids)
{
  GArray *symbols = scratch->symbols;

  if (self->ignore_merges) {
    gint32 whole = find_whole (self, piece, length, scratch->name);

    if (whole >= 0) {
      g_array_append_val (ids, whole);
      return;
    }
  }
  g_array_set_size (symbols, 0);
  if (self->byte_level)
    split_bytes (self, piece, length, symbols);
  else
    split_characters (self, piece, length, symbols);
  merge_symbols (self, symbols, scratch->heap);
  for (guint i = 0; i < symbols->len; i++)
    if (g_array_index (symbols, Symbol, i).id >= 0)
      g_array_append_val (ids, g_array_index (symbols, Symbol, i).id);
}
