/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * PtVocabulary: the tokens of a tokenizer. Each has a name, which is how the file writes it
 * ("Ġthe", "<0x0A>"), and bytes, which is what it stands for (" the", newline).
 */

/** No real tokenizer has more ids; keeps tables of a hostile one small. */
#define PT_MAX_TOKENS (1 << 20)

typedef enum {
  PT_TOKEN_SPECIAL = 1 << 0, /* steers the model; no text */
  PT_TOKEN_BYTE = 1 << 1,    /* one byte by its number: "<0x0A>" */
  PT_TOKEN_UNKNOWN = 1 << 2, /* stands for text that no token has */
} PtTokenFlags;

/** Where a name counts. The same one may be in both lists, for two tokens. */
typedef enum {
  PT_NAMES_TEXT,     /* pieces of text, and everything in a tokenizer.json */
  PT_NAMES_RESERVED, /* what no text becomes: marks of a format that lists them apart */
  PT_NAMES_NONE,     /* a token that cannot be found by its name */
} PtNames;

typedef struct {
  const char *name; /* NULL: no token has this id */
  const char *bytes;
  guint32 name_length;
  guint32 length; /* of bytes */
  guint32 flags;
  PtNames names;
} PtToken;

typedef struct _PtVocabulary PtVocabulary;

/** @expected: about how many tokens will be added. NULL with PT_ERROR_MEMORY. */
PtVocabulary *pt_vocabulary_new (guint expected, GError **error);
void pt_vocabulary_free (PtVocabulary *vocabulary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtVocabulary, pt_vocabulary_free)

/**
 * Add token @id to the names of texts; its bytes are its name until set otherwise. A name or id
 * that is taken by another token is an error, unless @replace: then the id changes hands.
 */
gboolean pt_vocabulary_add (PtVocabulary *vocabulary, gint64 id, const char *name, gsize length,
                            gboolean replace, GError **error);
/** The same for a list of names, without replacing. */
gboolean pt_vocabulary_add_to (PtVocabulary *vocabulary, PtNames names, gint64 id, const char *name,
                               gsize length, GError **error);

/** Add the tokens of @json, an object of names and ids. */
gboolean pt_vocabulary_add_json (PtVocabulary *vocabulary, const json_t *json, GError **error);

void pt_vocabulary_set_bytes (PtVocabulary *vocabulary, gint32 id, const char *bytes, gsize length);
void pt_vocabulary_set_flags (PtVocabulary *vocabulary, gint32 id, guint32 flags);

/** One more than the highest id. */
guint pt_vocabulary_n_ids (const PtVocabulary *vocabulary);
/** NULL when there is no such token. */
const PtToken *pt_vocabulary_token (const PtVocabulary *vocabulary, gint32 id);
/** The id of the token called @name among the names of texts, or -1. */
gint32 pt_vocabulary_find (const PtVocabulary *vocabulary, const char *name, gsize length);
/** The same in one of the lists. */
gint32 pt_vocabulary_find_in (const PtVocabulary *vocabulary, PtNames names, const char *name,
                              gsize length);

/** The byte that a token called "<0x0A>" stands for, or -1: it is not called so. */
int pt_byte_of_name (const char *name, gsize length);

/** A seeded hash, so that no file can be made to collide. */
guint32 pt_hash_bytes (guint32 seed, const char *bytes, gsize length);

G_END_DECLS
