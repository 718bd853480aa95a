/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/chat.h>

#include "engine/text/logprobs.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtChosenTokens: the tokens of an answer with their probabilities, from when they are chosen until
 * their text is given out: a text that may be the beginning of a stop text is held back, and its
 * tokens with it. Engine thread.
 */
typedef struct _PtChosenTokens PtChosenTokens;

/** Called with tokens whose text is given out next. @tokens: valid during the call. */
typedef void (*PtChosenTokensFunc) (const PtChosenToken *tokens, guint n, gpointer user_data);

/**
 * @tokenizer: must outlive this. @width: the most logits of a call. @n_top: how many of the
 * likeliest tokens are listed for each token, up to PT_MAX_TOP_LOGPROBS.
 */
PtChosenTokens *pt_chosen_tokens_new (const PtTokenizer *tokenizer, gsize width, guint n_top,
                                      GError **error);
void pt_chosen_tokens_free (PtChosenTokens *chosen);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtChosenTokens, pt_chosen_tokens_free)

/** Token @id was chosen from @n logits of @dtype. */
void pt_chosen_tokens_add (PtChosenTokens *chosen, gint32 id, gconstpointer logits, PtDType dtype,
                           gsize n);

/** The text of all tokens so far has @end bytes; those of the last one are among them. */
void pt_chosen_tokens_set_end (PtChosenTokens *chosen, gsize end);

/** Call @func with the tokens whose text ends within the first @given bytes, if there are any that
 * it has not had. */
void pt_chosen_tokens_give (PtChosenTokens *chosen, gsize given, PtChosenTokensFunc func,
                            gpointer user_data);

G_END_DECLS
