/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtChatMark: the tokens for a picture or a recording in a conversation
 * (docs/formats/tokenizers.md, section 10.6). The template writes @place, which is replaced by
 * @before, the embeddings and @after.
 */
typedef struct {
  PtModelInput kind;
  const char *place, *before, *after;
} PtChatMark;

/** The mark of the model's family, recognised by the special tokens of @tokenizer. Never NULL. */
const PtChatMark *pt_chat_mark (const PtTokenizer *tokenizer, PtModelInput kind);

/** Find @mark in the first @length bytes of @text. Returns its offset; -1: not found. */
gssize pt_chat_mark_find (const PtChatMark *mark, const char *text, gsize length);

G_END_DECLS
