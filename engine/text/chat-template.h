/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/chat.h>

#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/**
 * PtChatTemplate: turns a conversation into the tokens that a chat model expects
 * (docs/formats/tokenizers.md, section 10). Marks between the messages become special tokens; text
 * that people write never does.
 *
 * The model's own template is evaluated (jinja/). If there is none, or it cannot be evaluated, the
 * template is that of the family that the tokenizer's special tokens tell (chat-families.h).
 * Any thread, several at a time.
 */
typedef struct _PtChatTemplate PtChatTemplate;

/**
 * @folder: where chat_template.jinja or tokenizer_config.json lie; may lack them.
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
 * Asked for answers of the assistant: append the ids that the model itself wrote @text with, and
 * return TRUE; FALSE when it did not write it. Keeps a growing conversation token by token equal to
 * what the model has read, where encoding the text afresh might differ.
 */
typedef gboolean (*PtAnswerFunc) (const char *text, GArray *ids, gpointer user_data);

/**
 * Append the ids (gint32) of the conversation, ready for the next answer, or for the rest of the
 * answer that it ends with. PT_ERROR_ARGUMENT: the template refuses it. @known: may be NULL.
 */
gboolean pt_chat_template_encode (PtChatTemplate *chat_template, const PtMessage *messages,
                                  guint n_messages, PtThinking thinking, PtAnswerFunc known,
                                  gpointer user_data, GArray *ids, GError **error);

/**
 * Whether the template among the files in @folder can be told to think or not. FALSE also when
 * there is none. Blocking; any thread.
 */
gboolean pt_chat_folder_thinks (const char *folder);

/** What knows the pictures and recordings of a conversation. */
typedef struct {
  guint takes; /* PtModelInput: those that there can be */
  /** What the file at @path is, a PtModelInput; 0 with an error. */
  guint (*kind) (gpointer user_data, const char *path, GError **error);
  /** Append what stands for it among the ids. */
  gboolean (*append) (gpointer user_data, const char *path, GArray *ids, GError **error);
  gpointer user_data;
} PtChatMedia;

/**
 * From now on messages may come with files. Where the model's own template leaves them out, that of
 * its family is used. To be called before anything is encoded; with it, the template belongs to one
 * thread. @media: copied.
 */
gboolean pt_chat_template_set_media (PtChatTemplate *chat_template, const PtChatMedia *media,
                                     GError **error);

/**
 * Add to @ids the tokens that end an answer (docs/formats/tokenizers.md, section 10.7): those that
 * tokenizer_config.json, generation_config.json and the tokenizer name, and those that are known by
 * their names. Fails when one of the files is there and cannot be read.
 */
gboolean pt_chat_end_tokens (const char *folder, const PtTokenizer *tokenizer, GArray *ids,
                             GError **error);

G_END_DECLS
