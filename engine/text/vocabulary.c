/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/vocabulary.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

struct _PtVocabulary {
  PtToken *tokens; /* by id */
  guint n_ids;
  guint allocated;
  GStringChunk *strings;

  /*
   * Hash table of names by open addressing, at most half full. A slot is 0, or an id + 1 with the
   * upper bits of the hash above it, so that most other names are rejected without a comparison.
   */
  guint32 *slots;
  guint32 mask;
  guint32 used;
  guint32 seed;
};

#define ID_BITS 21
#define ID_MASK ((1u << ID_BITS) - 1)

G_STATIC_ASSERT (PT_MAX_TOKENS < 1 << ID_BITS);

static const char *
keep (PtVocabulary *self, const char *bytes, gsize length)
{
  return g_string_chunk_insert_len (self->strings, bytes, (gssize) length);
}

int
pt_byte_of_name (const char *name, gsize length)
{
  int high, low;

  if (length != 6 || memcmp (name, "<0x", 3) != 0 || name[5] != '>')
    return -1;
  high = g_ascii_xdigit_value (name[3]);
  low = g_ascii_xdigit_value (name[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

guint32
pt_hash_bytes (guint32 seed, const char *bytes, gsize length)
{
  guint64 hash = seed ^ (length * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15));
  guint64 word;

  while (length >= 8) {
    memcpy (&word, bytes, 8);
    hash = (hash ^ word) * G_GUINT64_CONSTANT (0xFF51AFD7ED558CCD);
    hash ^= hash >> 32;
    bytes += 8;
    length -= 8;
  }
  word = 0;
  memcpy (&word, bytes, length);
  hash = (hash ^ word) * G_GUINT64_CONSTANT (0xC4CEB9FE1A85EC53);
  hash ^= hash >> 29;
  hash *= G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  return (guint32) (hash >> 32);
}

PtVocabulary *
pt_vocabulary_new (guint expected, GError **error)
{
  g_autoptr (PtVocabulary) self = g_new0 (PtVocabulary, 1);
  guint slots = 1024;

  while (slots < 2 * MIN (expected, PT_MAX_TOKENS))
    slots *= 2;
  self->strings = g_string_chunk_new (16 * 1024);
  self->slots = pt_allocate (slots, sizeof (guint32), error);
  if (self->slots == NULL)
    return NULL;
  self->mask = slots - 1;
  self->seed = g_random_int ();
  return g_steal_pointer (&self);
}

void
pt_vocabulary_free (PtVocabulary *self)
{
  if (self == NULL)
    return;
  g_string_chunk_free (self->strings);
  g_free (self->slots);
  g_free (self->tokens);
  g_free (self);
}

static inline guint32
hash_name (const PtVocabulary *self, PtNames names, const char *name, gsize length)
{
  return pt_hash_bytes (self->seed + (guint32) names, name, length);
}

/** Finds the slot of a name with this hash, or the free slot for it. */
static inline guint32
find_slot (const PtVocabulary *self, PtNames names, guint32 hash, const char *name, gsize length)
{
  guint32 slot = hash & self->mask;

  while (self->slots[slot] != 0) {
    const PtToken *token;

    if (((self->slots[slot] ^ hash) & ~ID_MASK) == 0) {
      token = &self->tokens[(self->slots[slot] & ID_MASK) - 1];
      if (token->name_length == length && token->names == names &&
          memcmp (token->name, name, length) == 0)
        break;
    }
    slot = (slot + 1) & self->mask;
  }
  return slot;
}

static guint32
hash_token (const PtVocabulary *self, guint32 slot)
{
  const PtToken *token = &self->tokens[(self->slots[slot] & ID_MASK) - 1];

  return hash_name (self, token->names, token->name, token->name_length);
}

static gboolean
grow_slots (PtVocabulary *self, GError **error)
{
  guint32 n = self->mask + 1, mask = 2 * n - 1;
  guint32 *slots = pt_allocate (2 * (gsize) n, sizeof (guint32), error);

  if (slots == NULL)
    return FALSE;
  for (guint32 i = 0; i < n; i++) {
    guint32 slot;

    if (self->slots[i] == 0)
      continue;
    slot = hash_token (self, i) & mask;
    while (slots[slot] != 0)
      slot = (slot + 1) & mask;
    slots[slot] = self->slots[i];
  }
  g_free (self->slots);
  self->slots = slots;
  self->mask = mask;
  return TRUE;
}

static gboolean
grow_tokens (PtVocabulary *self, guint n, GError **error)
{
  PtToken *tokens;
  guint allocated = MAX (self->allocated, 1024);

  while (allocated < n)
    allocated *= 2;
  if (allocated > self->allocated) {
    tokens = pt_allocate (allocated, sizeof (PtToken), error);
    if (tokens == NULL)
      return FALSE;
    if (self->allocated > 0)
      memcpy (tokens, self->tokens, self->allocated * sizeof (PtToken));
    g_free (self->tokens);
    self->tokens = tokens;
    self->allocated = allocated;
  }
  self->n_ids = MAX (self->n_ids, n);
  return TRUE;
}

/** Removes the name of @id from the table and moves later entries of the probe sequence up. */
static void
orphan (PtVocabulary *self, gint32 id)
{
  const PtToken *token = &self->tokens[id];
  guint32 hash = hash_name (self, token->names, token->name, token->name_length);
  guint32 slot, next;

  if (token->names == PT_NAMES_NONE)
    return;
  slot = next = find_slot (self, token->names, hash, token->name, token->name_length);
  self->slots[slot] = 0;
  self->used--;
  for (;;) {
    guint32 home;

    next = (next + 1) & self->mask;
    if (self->slots[next] == 0)
      break;
    home = hash_token (self, next) & self->mask;
    if (((next - home) & self->mask) >= ((next - slot) & self->mask)) {
      self->slots[slot] = self->slots[next];
      self->slots[next] = 0;
      slot = next;
    }
  }
}

/** Sets the name of the free @id; @slot: the slot for it. */
static void
set_name (PtVocabulary *self, gint32 id, PtNames names, guint32 hash, const char *name,
          gsize length)
{
  PtToken *token = &self->tokens[id];

  token->name = token->bytes = keep (self, name, length);
  token->name_length = token->length = (guint32) length;
  token->flags = 0;
  token->names = names;
  if (names == PT_NAMES_NONE)
    return;
  self->slots[find_slot (self, names, hash, name, length)] = (hash & ~ID_MASK) | ((guint32) id + 1);
  self->used++;
}

static gboolean
add (PtVocabulary *self, PtNames names, gint64 id, const char *name, gsize length, gboolean replace,
     GError **error)
{
  guint32 hash, slot;
  PtToken *token;

  if (id < 0 || id >= PT_MAX_TOKENS)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The token id %" G_GINT64_FORMAT " is out of range (0 to %d).", id,
                    PT_MAX_TOKENS - 1);
  if (length > G_MAXINT32)
    return pt_fail (error, PT_ERROR_TOKENIZER, "A token is too long.");
  if (2 * (self->used + 1) > self->mask && !grow_slots (self, error))
    return FALSE;
  if (!grow_tokens (self, (guint) id + 1, error))
    return FALSE;

  token = &self->tokens[id];
  hash = hash_name (self, names, name, length);
  slot = find_slot (self, names, hash, name, length);
  if (self->slots[slot] != 0 && (self->slots[slot] & ID_MASK) == id + 1)
    return TRUE;
  if (self->slots[slot] != 0)
    return pt_fail (error, PT_ERROR_TOKENIZER,
                    "The token “%.*s” has two ids, %u and %" G_GINT64_FORMAT ".",
                    (int) MIN (length, 64), name, (self->slots[slot] & ID_MASK) - 1, id);
  if (token->name != NULL) {
    if (!replace)
      return pt_fail (error, PT_ERROR_TOKENIZER,
                      "Two tokens have the id %" G_GINT64_FORMAT ": “%.*s” and “%.*s”.", id,
                      (int) MIN (token->name_length, 64), token->name, (int) MIN (length, 64),
                      name);
    orphan (self, (gint32) id);
  }
  set_name (self, (gint32) id, names, hash, name, length);
  return TRUE;
}

gboolean
pt_vocabulary_add (PtVocabulary *self, gint64 id, const char *name, gsize length, gboolean replace,
                   GError **error)
{
  return add (self, PT_NAMES_TEXT, id, name, length, replace, error);
}

gboolean
pt_vocabulary_add_to (PtVocabulary *self, PtNames names, gint64 id, const char *name, gsize length,
                      GError **error)
{
  return add (self, names, id, name, length, FALSE, error);
}

gboolean
pt_vocabulary_add_json (PtVocabulary *vocabulary, const json_t *vocab, GError **error)
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

void
pt_vocabulary_set_bytes (PtVocabulary *self, gint32 id, const char *bytes, gsize length)
{
  PtToken *token = &self->tokens[id];

  if (length == token->name_length && memcmp (bytes, token->name, length) == 0)
    token->bytes = token->name;
  else
    token->bytes = keep (self, bytes, length);
  token->length = (guint32) length;
}

void
pt_vocabulary_set_flags (PtVocabulary *self, gint32 id, guint32 flags)
{
  self->tokens[id].flags = flags;
}

guint
pt_vocabulary_n_ids (const PtVocabulary *self)
{
  return self->n_ids;
}

const PtToken *
pt_vocabulary_token (const PtVocabulary *self, gint32 id)
{
  if (id < 0 || (guint) id >= self->n_ids || self->tokens[id].name == NULL)
    return NULL;
  return &self->tokens[id];
}

gint32
pt_vocabulary_find_in (const PtVocabulary *self, PtNames names, const char *name, gsize length)
{
  guint32 hash = hash_name (self, names, name, length);

  return (gint32) (self->slots[find_slot (self, names, hash, name, length)] & ID_MASK) - 1;
}

gint32
pt_vocabulary_find (const PtVocabulary *self, const char *name, gsize length)
{
  return pt_vocabulary_find_in (self, PT_NAMES_TEXT, name, length);
}
