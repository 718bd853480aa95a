/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

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
 * _LENGTH, _CONTEXT or _LOOP. A PT_JOB_LOAD must have loaded the model before; without one the job
 * FAILS with PT_ERROR_STATE. A conversation that does not fit FAILS with PT_ERROR_CONTEXT_FULL.
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

/** Options of one answer. */
typedef struct {
  /* The whole conversation, every time. The prefix that is already in the KV cache is not prefilled
     again. The last message is the user's, or an answer to continue. */
  const PtMessage *messages;
  guint n_messages;        /* at least 1 */
  int max_new_tokens;      /* most tokens of the answer; 0: until the context is full; < 0: by
                              generation_config.json, else 0 */
  PtSampling sampling;     /* unset members: by generation_config.json, else pt_sampling_usual() */
  const char *const *stop; /* the answer ends before any of these texts; NULL-terminated or NULL */
  guint64 seed;            /* 0: a new one for each conversation */
  PtThinking thinking;     /* of models that can */
  const char *tools;       /* what the model may call: a JSON list as chat templates take it
                              ("type": "function", …), or NULL. If the answer has calls, an event
                              PT_EVENT_TOOL_CALLS comes before DONE */
  gboolean lookup; /* speculate: guess the next tokens from earlier text; the same answer, perhaps
                      faster */
} PtChatOptions;

/** The default options. */
#define PT_CHAT_OPTIONS_INIT                            \
  {                                                     \
    .max_new_tokens = -1, .sampling = PT_SAMPLING_INIT, \
  }

G_END_DECLS
