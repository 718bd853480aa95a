/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The two long lists of a tokenizer.json, "vocab" and "merges" of its model. A hundred thousand
 * JSON values take most of the time in which such a file opens, so in the usual form they are read
 * without.
 */

typedef struct {
  const char *text; /* not zero-terminated */
  gsize length;
} PtListName;

typedef struct {
  PtListName name;
  gint64 id;
} PtListToken;

typedef struct {
  PtListName left, right;
} PtListMerge;

typedef struct {
  char *copy; /* in which the names are */
  PtListToken *tokens;
  PtListMerge *merges;
  gsize n_tokens, n_merges;
  char *others; /* the file with empty lists in place of these */
  gsize length; /* of it */
} PtHfLists;

/**
 * Read both lists of the file @text. FALSE when it is in any way unusual, perhaps damaged: then
 * whoever reads JSON in full knows what it is. Free with pt_hf_lists_clear() in both cases.
 */
gboolean pt_hf_lists_read (PtHfLists *lists, const char *text, gsize length);
/** When there were none, or they did not help. */
void pt_hf_lists_clear (PtHfLists *lists);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtHfLists, pt_hf_lists_clear)

G_END_DECLS
