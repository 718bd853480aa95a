/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/runtime/module.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtChat: answers a conversation with a text model, which may also see or hear what comes with its
 * messages. The whole conversation is given every time;
 * what the model has read of it before stays in its KV cache and is not read again. Engine
 * thread.
 *
 * The limit: a conversation must leave room for one token of the answer, else it is refused
 * with PT_ERROR_CONTEXT_FULL before anything is computed. An answer that reaches the limit ends
 * with the reason "context". Nothing is dropped silently.
 */
typedef struct _PtChat PtChat;

/** @module and @tokenizer: must outlive the chat. @folder: where the template and such lie. */
PtChat *pt_chat_new (PtModule *module, const PtTokenizer *tokenizer, const char *folder,
                     GError **error);
void pt_chat_free (PtChat *chat);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtChat, pt_chat_free)

guint pt_chat_context (const PtChat *chat);

/** Make the spectrograms of sound with @preprocessor, which must outlive the chat, instead of our
 * own code. Models that do not hear do not care. */
gboolean pt_chat_use_preprocessor (PtChat *chat, PtModule *preprocessor, GError **error);

typedef struct {
  const PtMessage *messages; /* the last is from the user; or an answer that is to go on */
  guint n_messages;
  int max_new_tokens;  /* 0: as far as the context goes; < 0: as the model's files say, else 0 */
  PtSampling sampling; /* what is unset: as the model's files say, else pt_sampling_usual() */
  const char *const *stop; /* texts before which the answer ends; NULL-terminated, or NULL */
  guint64 seed;            /* 0: a new one for each conversation */
  PtThinking thinking;
  gboolean
      lookup; /* guess what comes next from what has been said: the same answer, maybe faster */
} PtChatRequest;

/** Called for every piece of the answer; @text is whole characters and may be empty. */
typedef void (*PtChatFunc) (const char *text, const PtStats *stats, gpointer user_data);

/**
 * Answer. Returns why the answer ended, "stop", "length", "context" or "loop" (it went round in
 * circles), or NULL with an error
 * (PT_ERROR_CANCELLED when @cancellable was set). @stats: filled in any case.
 */
const char *pt_chat_answer (PtChat *chat, const PtChatRequest *request, PtChatFunc func,
                            gpointer user_data, GCancellable *cancellable, PtStats *stats,
                            GError **error);

/** The ids (gint32) that the model wrote its latest answer with, without what ended it; NULL: none
 * yet. Valid until the next answer. */
const GArray *pt_chat_last_ids (const PtChat *chat);

G_END_DECLS
