/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Most characters of a passage: about 150 tokens, which every embedding model reads. */
#define PTERIS_PASSAGE_LENGTH 600

/** A part of a text, in characters. */
typedef struct {
  guint32 start, length;
} PterisPassage;

/**
 * Cut @text (valid UTF-8) to passages of at most PTERIS_PASSAGE_LENGTH characters, without white
 * space at both ends: behind a paragraph if one ends in the second half, else behind a sentence,
 * else behind a word. A GArray of PterisPassage, at most @most; an empty one when there are only
 * white space and signs. Free with g_array_unref().
 */
GArray *pteris_passages_cut (const char *text, guint most);

/** The text of @passage in @text; free with g_free(). */
char *pteris_passage_get (const char *text, const PterisPassage *passage);

G_END_DECLS
