/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/llm/llm.h"
#include "engine/tasks/llm/media.h"
#include "engine/text/chat-template.h"
#include "engine/text/grammar/constraint.h"
#include "engine/text/sampler.h"

G_BEGIN_DECLS

/** An answer as the model wrote it. */
typedef struct {
  char *text;
  GArray *ids; /* gint32 */
} PtChatAnswer;

/** PtChat in the files of this room. */
struct _PtChat {
  PtLlm *llm;
  PtMedia *media;           /* NULL: the model reads text only */
  const PtProgram *program; /* for messages */
  guint vocabulary;         /* tokens that the model knows */
  const PtTokenizer *tokenizer;
  PtChatTemplate *chat_template;
  PtSampler *sampler;
  PtSampling usual;          /* settings that a request does not set */
  int usual_length;          /* the default length of an answer; 0: up to the end of the context */
  GArray *end_ids;           /* gint32: tokens that end an answer */
  GPtrArray *answers;        /* PtChatAnswer: the latest last */
  GArray *places;            /* PtChatPlace: files in the prompt, in order */
  GCancellable *cancellable; /* of the request whose prompt is being made */
  gboolean seeded;
  guint64 seed;
  PtChosenTokensFunc tokens_func; /* NULL: nobody asks for them */
  gpointer tokens_data;
  PtTokenTrie *token_trie; /* NULL: no schema was used yet */
  GPtrArray *schemas;      /* PtChatSchema: the latest last */
};

/** A JSON schema that answers were bound to. */
typedef struct {
  char *text;
  PtConstraint *constraint;
} PtChatSchema;

/** The place of a picture or a recording in the prompt. */
typedef struct {
  guint first, n;
  char *path;
} PtChatPlace;

/** Whether this model can do what @request asks for (chat-prompt.c). */
gboolean pt_chat_check (const PtChat *self, const PtChatOptions *request, GError **error);

/** Makes the ids of the conversation and the list of the places of its files (chat-prompt.c). */
gboolean pt_chat_write_prompt (PtChat *self, const PtChatOptions *request, GArray *prompt,
                               GCancellable *cancellable, GError **error);

/** Appends the ids of @text if it is an answer of this chat. @user_data: the PtChat. */
gboolean pt_chat_known_answer (const char *text, GArray *ids, gpointer user_data);

/** The constraint of @request, at the beginning of an answer, or behind the beginning that it
 * continues, @beginning, or NULL. It belongs to @self. NULL with an error (chat-schema.c). */
PtConstraint *pt_chat_constraint (PtChat *self, const PtChatOptions *request, const char *beginning,
                                  GError **error);
void pt_chat_forget_schemas (PtChat *self);

G_END_DECLS
