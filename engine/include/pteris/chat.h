/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/export.h>
#include <pteris/sampling.h>

G_BEGIN_DECLS

/*
 * Conversations with language models: options of PT_JOB_CHAT.
 *
 *     const PtMessage messages[] = { { .role = "user", .text = "How tall is a fern?" } };
 *     PtJob job = PT_JOB_INIT (PT_JOB_CHAT);
 *
 *     job.chat.messages = messages;
 *     job.chat.n_messages = 1;
 *     pt_engine_submit (engine, &job);
 *
 * The events are TEXT*, STATS* and DONE; its reason says why the answer ended: PT_REASON_STOP,
 * _LENGTH, _CONTEXT or _LOOP. The last STATS comes before DONE, FAILED or STOPPED and has the final
 * numbers of tokens. A PT_JOB_LOAD must have loaded the model before; without one the job FAILS
 * with PT_ERROR_STATE. A conversation that does not fit FAILS with PT_ERROR_CONTEXT_FULL.
 */

/** One message of a conversation. */
typedef struct {
  const char *role;         /* "system", "user", "assistant"; "tool": the result of a call */
  const char *text;         /* UTF-8 */
  const char *const *files; /* paths of images and recordings; NULL-terminated, or NULL */
} PtMessage;

/** Whether the model thinks before it answers. Models that cannot think ignore it. */
typedef enum {
  PT_THINKING_DEFAULT, /* as the model's chat template does */
  PT_THINKING_ON,      /* think first */
  PT_THINKING_OFF,     /* answer at once */
} PtThinking;

/** What a part of an answer is. All parts together are the text that the model wrote. */
typedef enum {
  PT_ANSWER_TEXT,    /* the answer itself */
  PT_ANSWER_THOUGHT, /* what the model thought before it */
  PT_ANSWER_MARK,    /* marks around the thought, “<think>”, and space beside them */
} PtAnswerPart;

/** The thought and the answer of a whole text. */
typedef struct {
  const char *thought; /* pointer into the text; NULL: no thought */
  gsize length;        /* of the thought, without space around it */
  const char *answer;  /* the text behind the thought; the whole text without a thought */
  gboolean open;       /* the thought has not ended yet */
} PtThought;

/** Split @text, what a model wrote. Some models begin with the thought at once and mark only its
 * end. Any thread. */
PT_API PtThought pt_thinking_split (const char *text);

/** A number that is added to the logit of a token before all of PtSampling. */
typedef struct {
  gint32 id;   /* of the token; the model must have it */
  double bias; /* finite; -100 practically forbids the token */
} PtLogitBias;

/** The largest PtChatOptions.top_logprobs. */
#define PT_MAX_TOP_LOGPROBS 20

/** A token and how likely the model finds it. */
typedef struct {
  gint32 id;           /* of the token */
  double logprob;      /* natural logarithm of its probability by the logits alone, before any
                          option of the sampling; -INFINITY where the model rules it out */
  const guint8 *bytes; /* its text, perhaps a part of a character; for special tokens their name */
  guint n_bytes;       /* how many */
} PtTokenLogprob;

/** A token of an answer. */
typedef struct {
  PtTokenLogprob token;      /* the one that was chosen */
  const PtTokenLogprob *top; /* the likeliest ones in its place, the likeliest first */
  guint n_top;               /* PtChatOptions.top_logprobs, or fewer where there are fewer tokens */
} PtChosenToken;

/** Options of one answer. */
typedef struct {
  /* The whole conversation, every time. The prefix that is already in the KV cache is not prefilled
     again. The last message is the user's, or an answer to continue. */
  const PtMessage *messages;
  guint n_messages;        /* at least 1 */
  int max_new_tokens;      /* most tokens of the answer; 0: until the context is full; < 0: by
                              generation_config.json, else 0 */
  PtSampling sampling;     /* unset members: by generation_config.json, else pt_sampling_usual() */
  const char *const *stop; /* the answer ends before any of these texts, which are not looked for
                              in a thought; NULL-terminated or NULL */
  guint64 seed;            /* 0: a new one for each conversation */
  PtThinking thinking;     /* of models that can */
  const char *tools;       /* what the model may call: a JSON list as chat templates take it
                              ("type": "function", …), or NULL. If the answer has calls, an event
                              PT_EVENT_TOOL_CALLS comes before DONE. The arguments of calls of a
                              function with "strict": true fit its parameters */
  gboolean lookup; /* speculate: guess the next tokens from earlier text; the same answer, perhaps
                      faster */
  gboolean raw;    /* no chat template: the model continues the text of the only message, which may
                      contain special tokens by their names. The tokens that the tokenizer puts in
                      front of a text are added where they are missing. No files, no @tools */
  gboolean reseed; /* the random numbers begin with @seed for this answer, also where it continues a
                      conversation: the same request gives the same answer */
  const PtLogitBias *logit_bias; /* each token at most once */
  guint n_logit_bias;            /* how many */
  gboolean logprobs;             /* events PT_EVENT_TOKENS say how likely each token was */
  guint top_logprobs; /* and this many of the likeliest in its place; up to PT_MAX_TOP_LOGPROBS */
  const char *json_schema; /* a JSON Schema as text: the answer is JSON that it accepts, unless its
                              reason is not PT_REASON_STOP. "{\"type\": \"object\"}": any object.
                              NULL: any text. FAILS with PT_ERROR_ARGUMENT where the schema has
                              what is not supported. It begins behind the thought, if there is one:
                              models that have the choice think only with PT_THINKING_ON. With
                              @tools: JSON that it accepts, or a call, {"name", "arguments"}, which
                              the parameters of that tool accept. A repetition penalty that is not
                              set is off */
  gboolean must_call; /* with @tools: the answer is a call of one, bound as with @json_schema */
  const char *called; /* with @must_call: the name of the tool; NULL: any */
} PtChatOptions;

/** The default options. */
#define PT_CHAT_OPTIONS_INIT                            \
  {                                                     \
    .max_new_tokens = -1, .sampling = PT_SAMPLING_INIT, \
  }

G_END_DECLS
