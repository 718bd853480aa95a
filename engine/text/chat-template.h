/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/chat.h>

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtChatTemplate: turns a conversation into the tokens that a chat model expects
 * (docs/formats/tokenizers.md, section 10). Special tokens are encoded only where the template
 * wrote them, never in the text of messages.
 *
 * The model's own template is evaluated (jinja/). If there is none, or it cannot be evaluated, the
 * family's template is used (chat-families.h). Any thread, several at a time.
 */
typedef struct _PtChatTemplate PtChatTemplate;

/**
 * @folder: may have chat_template.jinja and tokenizer_config.json.
 * @tokenizer: must outlive the template.
 */
PtChatTemplate *pt_chat_template_open (const char *folder, const PtTokenizer *tokenizer,
                                       GError **error);
/** The same from the template's text; NULL: the model has none. @bos: its BOS token or NULL. */
PtChatTemplate *pt_chat_template_new (const char *text, const char *bos,
                                      const PtTokenizer *tokenizer, GError **error);
void pt_chat_template_free (PtChatTemplate *chat_template);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtChatTemplate, pt_chat_template_free)

/**
 * Called for answers of the assistant: if the model wrote @text, append the ids that it chose and
 * return TRUE, else return FALSE. Encoding the text again might give other ids, which are not in
 * the KV cache.
 */
typedef gboolean (*PtAnswerFunc) (const char *text, GArray *ids, gpointer user_data);

/**
 * Append the ids (gint32) of the conversation, followed by the generation prompt, or by the answer
 * to continue. PT_ERROR_ARGUMENT: the template rejects the conversation. @known: may be NULL.
 */
gboolean pt_chat_template_encode (PtChatTemplate *chat_template, const PtMessage *messages,
                                  guint n_messages, PtThinking thinking, PtAnswerFunc known,
                                  gpointer user_data, GArray *ids, GError **error);

/**
 * Whether the template in @folder has a switch for thinking. FALSE also without a template.
 * Blocking; any thread.
 */
gboolean pt_chat_folder_thinks (const char *folder);

/**
 * Offer @tools to the model from now on: a JSON list as templates take it; NULL: none.
 * PT_ERROR_ARGUMENT: it is no list of objects. Only one thread may use the template afterwards.
 */
gboolean pt_chat_template_set_tools (PtChatTemplate *chat_template, const char *tools,
                                     GError **error);

/** Finds and encodes the pictures and recordings of a conversation. */
typedef struct {
  guint takes; /* PtModelInput: the kinds of files that the model takes */
  /** Find the kind of the file at @path, a PtModelInput; 0 with an error. */
  guint (*kind) (gpointer user_data, const char *path, GError **error);
  /** Append the ids that stand for the file. */
  gboolean (*append) (gpointer user_data, const char *path, GArray *ids, GError **error);
  gpointer user_data;
  gboolean bare; /* nothing stands around a file but what the template writes */
} PtChatMedia;

/**
 * Allow files in messages. If the model's own template ignores files, the family's template is
 * used. Call it before any encoding; afterwards only one thread may use the template. @media:
 * copied.
 */
gboolean pt_chat_template_set_media (PtChatTemplate *chat_template, const PtChatMedia *media,
                                     GError **error);

/**
 * Add to @ids the tokens that end an answer (docs/formats/tokenizers.md, section 10.7): the tokens
 * named by tokenizer_config.json, generation_config.json and the tokenizer, and tokens with
 * well-known names. Fails if one of these files exists and cannot be read.
 */
gboolean pt_chat_end_tokens (const char *folder, const PtTokenizer *tokenizer, GArray *ids,
                             GError **error);

G_END_DECLS
