/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/chat/call-watch.h"
#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/llm/llm.h"
#include "engine/tasks/llm/media.h"
#include "engine/text/chat-template.h"
#include "engine/text/grammar/constraint.h"
#include "engine/text/loop.h"
#include "engine/text/sampler.h"
#include "engine/text/stop-text.h"
#include "engine/text/thinking.h"

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

/** Whether the answer to @request is bound to a grammar. */
gboolean pt_chat_is_bound (const PtChatOptions *request);

/** Whether the answer may be any text, but calls in it are bound to the schemas of their tools. */
gboolean pt_chat_is_strict (const PtChatOptions *request);

/** The constraint of @request, which is bound or strict, at the beginning of an answer, or behind
 * the beginning that it continues, @beginning, or NULL. It belongs to @self. NULL with an error
 * (chat-schema.c). */
PtConstraint *pt_chat_constraint (PtChat *self, const PtChatOptions *request, const char *beginning,
                                  GError **error);
void pt_chat_forget_schemas (PtChat *self);

/** An answer that is being written. */
typedef struct {
  PtChat *chat;
  const PtChatOptions *request;
  PtChatFunc func;
  gpointer user_data;
  GCancellable *cancellable;
  PtStats *stats;
  gint64 begin, decode_begin;
  PtStreamDecoder decoder;
  PtThinkingStream thinking;
  PtStopText stop;
  PtLoopWatch loop;
  int max_new_tokens; /* 0: up to the end of the context */
  gboolean cut;       /* a stop text ended the answer: the ids contain more than the text */
  GString *piece, *text;
  GArray *ids;
  PtChosenTokens *chosen;   /* NULL: nobody asks for them */
  PtConstraint *constraint; /* NULL: the answer may be any text */
  gboolean strict;          /* @constraint is that of the calls in the answer */
  PtCallWatch calls;        /* with @strict */
  gint32 mark;              /* with @constraint: a thought may begin with this token; or -1 */
  guint32 *mask;            /* with @constraint, not @strict: room for a mask of all tokens */
  gboolean checked;         /* @constraint has accepted the latest token */
  gboolean emitted;         /* the latest token has given text */
  gsize decoded;            /* bytes of text so far, also those that are held back */
} PtChatTurn;

/** The text of the answer to continue; NULL: a new answer. The functions from here on are in
 * chat-thought.c. */
const char *pt_chat_continued_text (const PtChatOptions *request);

/** Whether the answer begins with a thought: by the end of the prompt, or by the text that it
 * continues. */
void pt_chat_begin_thinking (PtChatTurn *turn, const GArray *prompt);

/** Makes the constraint of the answer, behind its thought. */
gboolean pt_chat_begin_constraint (PtChatTurn *turn, GError **error);

/** Makes the constraint of the calls in the answer. */
gboolean pt_chat_begin_strict_calls (PtChatTurn *turn, GError **error);

/** Allows the sampler the tokens that may come next. */
gboolean pt_chat_constrain (PtChatTurn *turn, GError **error);

/** Tells the constraint about a token, unless it belongs to a thought. */
gboolean pt_chat_check_token (PtChatTurn *turn, gint32 id, GError **error);

/** Decodes the latest token. Special tokens are no text, except where they are marks of thoughts.
 */
void pt_chat_decode_token (PtChatTurn *turn, gint32 id, GString *text);

/** A token may have the end of a thought and text behind it. FALSE: the schema does not allow this
 * text, and it is left out. */
gboolean pt_chat_begin_bound (PtChatTurn *turn, const char *text, gsize n);

G_END_DECLS
