/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The two long lists of a tokenizer.json, "vocab" and "merges" of its model. A generic JSON parser
 * spends most of its time on their hundred thousand values, so lists in the usual form are parsed
 * here.
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
  char *others; /* the file with both lists empty */
  gsize length; /* of it */
} PtHfLists;

/**
 * Read both lists of the file @text. FALSE if the form is unusual or damaged: the JSON parser then
 * reads the whole file. Free with pt_hf_lists_clear() in both cases.
 */
gboolean pt_hf_lists_read (PtHfLists *lists, const char *text, gsize length);
/** Clear @lists; also after a failed read. */
void pt_hf_lists_clear (PtHfLists *lists);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtHfLists, pt_hf_lists_clear)

G_END_DECLS
