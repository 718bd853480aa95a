/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/runtime/module.h"
#include "engine/tasks/chat/chosen-tokens.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtChat: answers a conversation with a text model, which may also see or hear the files that come
 * with its messages (docs/formats/protocols.md, section 3). The whole conversation is passed every
 * time; the prefix that is in the KV cache is not prefilled again. Engine thread.
 *
 * A conversation that leaves no room for one token of the answer is refused with
 * PT_ERROR_CONTEXT_FULL before anything is computed. An answer that fills the context ends with the
 * reason "context". No messages are dropped silently.
 */
typedef struct _PtChat PtChat;

/** @module and @tokenizer: must outlive the chat. @folder: that of the template and the settings.
 */
PtChat *pt_chat_new (PtModule *module, const PtTokenizer *tokenizer, const char *folder,
                     GError **error);
void pt_chat_free (PtChat *chat);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtChat, pt_chat_free)

guint pt_chat_context (const PtChat *chat);

/** Take the settings of the generation_config.json in @folder, where that is not the folder of the
 * template. */
gboolean pt_chat_use_settings (PtChat *chat, const char *folder, GError **error);

/** Make spectrograms with @preprocessor, which must outlive the chat, instead of our own code. Does
 * nothing for models that do not hear. */
gboolean pt_chat_use_preprocessor (PtChat *chat, PtModule *preprocessor, GError **error);

/** Called for every piece of the answer; @text is whole characters and may be empty. */
typedef void (*PtChatFunc) (const char *text, PtAnswerPart part, const PtStats *stats,
                            gpointer user_data);

/** @func: called with the tokens of answers with PtChatOptions.logprobs, before the text that they
 * complete; NULL: nobody asks for them. */
void pt_chat_set_tokens_func (PtChat *chat, PtChosenTokensFunc func, gpointer user_data);

/**
 * Write an answer. Returns why it ended: PT_REASON_STOP, _LENGTH, _CONTEXT or _LOOP; or
 * PT_REASON_NONE with an error (PT_ERROR_CANCELLED when @cancellable was set). @stats: filled in
 * any case.
 */
PtReason pt_chat_answer (PtChat *chat, const PtChatOptions *request, PtChatFunc func,
                         gpointer user_data, GCancellable *cancellable, PtStats *stats,
                         GError **error);

/** The calls of tools in the latest answer, that to @request: a JSON list of {"name", "arguments"};
 * NULL: there are none. Free with g_free(). */
char *pt_chat_tool_calls (const PtChat *chat, const PtChatOptions *request);

/** The ids (gint32) of the latest answer, without the one that ended it; NULL: there is none yet.
 * Valid until the next answer. */
const GArray *pt_chat_last_ids (const PtChat *chat);

G_END_DECLS
