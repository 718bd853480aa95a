/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/tokenizer.h"
#include "engine/text/vocabulary.h"

G_BEGIN_DECLS

/*
 * What every kind of tokenizer has: a vocabulary, the ids around a text, and how text
 * becomes ids. Kinds embed this struct first.
 */
struct _PtTokenizer {
  PtVocabulary *vocabulary;
  GArray *prefix, *suffix; /* gint32: what PT_ENCODE_ADD adds */
  gboolean strip_space;    /* one space at the very start is not part of the text */

  gboolean (*encode) (const PtTokenizer *self, const char *text, gsize length,
                      gboolean parse_special, GArray *ids, GError **error);
  void (*free) (PtTokenizer *self);
};

void pt_tokenizer_init_base (PtTokenizer *self);
void pt_tokenizer_clear_base (PtTokenizer *self);

/** tokenizer.json (section 12.3). @name: how messages call the file. */
PtTokenizer *pt_hf_tokenizer_open (const char *path, GError **error);

G_END_DECLS
