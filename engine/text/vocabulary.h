/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * PtVocabulary: the tokens of a tokenizer. Each has a name as in the file ("Ġthe", "<0x0A>"), and
 * the bytes of its text (" the", newline).
 */

/** Most ids; no real tokenizer has more. Bounds the memory for hostile ones. */
#define PT_MAX_TOKENS (1 << 20)

typedef enum {
  PT_TOKEN_SPECIAL = 1 << 0, /* a control token; not text */
  PT_TOKEN_BYTE = 1 << 1,    /* one byte by its number: "<0x0A>" */
  PT_TOKEN_UNKNOWN = 1 << 2, /* for text without a token */
} PtTokenFlags;

/** Lists of names. A name may be in both lists, for two tokens. */
typedef enum {
  PT_NAMES_TEXT,     /* pieces of text, and everything in a tokenizer.json */
  PT_NAMES_RESERVED, /* tokens that text never becomes: control tokens of formats that list them
                        separately */
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

/** @expected: the approximate number of tokens. NULL with PT_ERROR_MEMORY. */
PtVocabulary *pt_vocabulary_new (guint expected, GError **error);
void pt_vocabulary_free (PtVocabulary *vocabulary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtVocabulary, pt_vocabulary_free)

/**
 * Add token @id to the names of texts; its bytes are its name until set otherwise. A name or id of
 * another token is an error, unless @replace is set: then this token replaces it.
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

/** The highest id plus one. */
guint pt_vocabulary_n_ids (const PtVocabulary *vocabulary);
/** NULL: no such token. */
const PtToken *pt_vocabulary_token (const PtVocabulary *vocabulary, gint32 id);
/** The id of the text token called @name, or -1. */
gint32 pt_vocabulary_find (const PtVocabulary *vocabulary, const char *name, gsize length);
/** The same in one of the lists. */
gint32 pt_vocabulary_find_in (const PtVocabulary *vocabulary, PtNames names, const char *name,
                              gsize length);

/** The byte of a token called "<0x0A>"; -1: it has another name. */
int pt_byte_of_name (const char *name, gsize length);

/** A seeded hash, so that files cannot cause collisions. */
guint32 pt_hash_bytes (guint32 seed, const char *bytes, gsize length);

G_END_DECLS
