/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/question.h"
#include "server/serving.h"

G_BEGIN_DECLS

/**
 * PterisAnswer: a question that is being answered. An interface derives from it what it sends: it
 * fills in a PterisAnswerStyle. Server thread.
 */
typedef struct _PterisAnswer PterisAnswer;

/** How an interface sends an answer. All functions are called in order: begin, thought*, text*,
 * end.
 */
typedef struct {
  /** The model has begun. Only if the answer is sent in parts. */
  void (*begin) (PterisAnswer *self);
  /** The next part of the text, and the tokens that it is made of, as JSON of OpenAI's “logprobs”,
   * or NULL. Only if the answer is sent in parts. */
  void (*text) (PterisAnswer *self, const char *text, json_t *logprobs);
  /** The next part of the thought that comes before the text. Only if the answer is sent in parts.
   * NULL: models do not think here. */
  void (*thought) (PterisAnswer *self, const char *text);
  /** It is complete. */
  void (*end) (PterisAnswer *self);
} PterisAnswerStyle;

struct _PterisAnswer {
  const PterisAnswerStyle *style;
  PterisServing *serving;
  PterisExchange *exchange;
  PterisQuestion *question;
  GString *text;    /* what was sent, or will be sent */
  GString *thought; /* the same for the thought before it */
  GString *held;    /* text that may be a call of a tool */
  json_t *calls;    /* list of {"name", "arguments"}; NULL: none */
  json_t *logprobs; /* list for all tokens; NULL: nobody asked */
  json_t *unsent;   /* those of the next part of the text */
  GString *pending; /* the next part that is sent */
  gboolean pends_thought;
  GSource *send;  /* sends it a little later, or NULL */
  gint64 sent_us; /* monotonic time of the last part */
  PtReason reason;
  PtStats stats;
  char *id;        /* random; 24 characters */
  gint64 created;  /* seconds since 1970 */
  gint64 begin_us; /* monotonic time of the request */
  gboolean begun;
  gpointer more; /* of the style */
  GDestroyNotify more_free;
};

/**
 * Have @question answered; consumed. If the model does not exist or the queue is full, the exchange
 * fails. @more: for the style, freed with @more_free; or NULL.
 */
void pteris_answer_begin (PterisServing *serving, PterisExchange *exchange,
                          PterisQuestion *question, const PterisAnswerStyle *style, gpointer more,
                          GDestroyNotify more_free);

/** “stop”, “length” or “tool_calls”: OpenAI's finish_reason. */
const char *pteris_answer_reason (const PterisAnswer *self);

/** A new id with @prefix, "chatcmpl-…". Free with g_free(). */
char *pteris_new_id (const char *prefix);

G_END_DECLS
