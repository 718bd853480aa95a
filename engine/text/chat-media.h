/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtChatMark: how a family writes a picture or a recording into a conversation
 * (docs/formats/tokenizers.md, section 10.6). The template writes @place, which is replaced by
 * @before, the embeddings and @after.
 */
typedef struct {
  PtModelInput kind;
  const char *place, *before, *after;
} PtChatMark;

/** The mark of the family that @tokenizer belongs to, by its special tokens. Never NULL. */
const PtChatMark *pt_chat_mark (const PtTokenizer *tokenizer, PtModelInput kind);

/** Where @mark begins in the first @length bytes of @text; -1: nowhere. */
gssize pt_chat_mark_find (const PtChatMark *mark, const char *text, gsize length);

G_END_DECLS
