/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "server/connections.h"
#include "server/fault.h"

G_BEGIN_DECLS

/**
 * PterisExchange: a request and its response, which is one body, or a stream of parts. It has a
 * reference count. Whoever answers it may keep it for as long as that takes; if the client goes
 * away meanwhile, nothing is sent. Server thread.
 */
typedef struct _PterisExchange PterisExchange;

/** Whose interface a request uses: the shapes of errors differ. */
typedef enum {
  PTERIS_API_OPENAI,
  PTERIS_API_OLLAMA,
} PterisApi;

/** What is known of a request when it has ended. */
typedef struct {
  guint64 number;      /* of its connection */
  const char *method;  /* "POST" */
  char *program;       /* User-Agent, at most 100 characters, or NULL */
  const char *route;   /* "/v1/chat/completions", "" for unknown ones */
  char *model;         /* or NULL */
  char *fault;         /* sentence of the error, or NULL; may quote the request */
  char *code;          /* code of the error, or NULL */
  guint status;        /* 499: the client went away */
  guint prompt_tokens; /* as in PtStats */
  guint reused_tokens; /* ... */
  guint new_tokens;    /* ... */
  double decode_s;     /* ... */
  double seconds;      /* from the request to the end of the response */
} PterisRecord;

/** Called when the response was sent, or cannot be sent any more. */
typedef void (*PterisRecordFunc) (const PterisRecord *record, gpointer user_data);

/** @message: is paused until the response begins. @route: static. */
PterisExchange *pteris_exchange_new (SoupServerMessage *message, PterisApi api, const char *route,
                                     PterisRecordFunc func, gpointer user_data);
PterisExchange *pteris_exchange_ref (PterisExchange *self);
void pteris_exchange_unref (PterisExchange *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisExchange, pteris_exchange_unref)

/** The part of the record that the answering side fills in. */
PterisRecord *pteris_exchange_record (PterisExchange *self);

/** Who asks, for taking turns: the address, the program, and @user, a member of the request, or
 * NULL. Free with g_free(). */
char *pteris_exchange_client (PterisExchange *self, const char *user);

SoupServerMessage *pteris_exchange_message (PterisExchange *self);

/** Whether the response can still be sent. */
gboolean pteris_exchange_is_open (const PterisExchange *self);

/** Call @func once if the client goes away before the response is complete; NULL: not any more. */
void pteris_exchange_set_gone (PterisExchange *self, PterisGoneFunc func, gpointer user_data);

/** Send a whole response. @json: consumed. */
void pteris_exchange_answer (PterisExchange *self, guint status, json_t *json);
/** The same with other bytes. @type: Content-Type. */
void pteris_exchange_answer_bytes (PterisExchange *self, const char *type, GBytes *bytes);
/** The same for an error. In a stream: the error is its last part. */
void pteris_exchange_fail (PterisExchange *self, const GError *error);

/** Begin a stream: parts of Server-Sent Events for OpenAI, lines of JSON for Ollama. */
void pteris_exchange_begin (PterisExchange *self);
/** The same with bytes of @type. */
void pteris_exchange_begin_bytes (PterisExchange *self, const char *type);
gboolean pteris_exchange_has_begun (const PterisExchange *self);
/** Send a part. @event: the name of the event, or NULL. @json: consumed. */
void pteris_exchange_send (PterisExchange *self, const char *event, json_t *json);
void pteris_exchange_send_bytes (PterisExchange *self, gconstpointer data, gsize size);
/** End the stream; OpenAI's with “[DONE]” if @done. */
void pteris_exchange_end (PterisExchange *self, gboolean done);

/** The body of an error response; free with json_decref(). */
json_t *pteris_exchange_fault_json (PterisApi api, const GError *error);

G_END_DECLS
