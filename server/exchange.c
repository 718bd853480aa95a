/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/exchange.h"

#include <string.h>

#include "engine/base/json.h"

/* A client that reads nothing for so long, or lets so many bytes wait, is cut off. */
#define STALL_SECONDS 30
#define MOST_WAITING (16 << 20)
/* A connection without a request is closed after so long. */
#define IDLE_SECONDS 75
/* Characters of the name of a program that are kept. */
#define MOST_PROGRAM 100
/* The status of a request whose client went away. */
#define STATUS_GONE 499

struct _PterisExchange {
  gatomicrefcount references;
  SoupServerMessage *message; /* NULL: the response was sent, or cannot be sent */
  PterisConnection *connection;
  PterisApi api;
  PterisRecord record;
  PterisRecordFunc func;
  gpointer func_data;
  PterisGoneFunc gone;
  gpointer gone_data;
  gint64 begin;
  gboolean begun, complete;
  gboolean is_bytes; /* a stream that has no place for an error */
  gsize waiting;     /* bytes of the response that were not written yet */
};

PterisExchange *
pteris_exchange_ref (PterisExchange *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
pteris_exchange_unref (PterisExchange *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_object (&self->message);
  pteris_connection_unref (self->connection);
  g_free (self->record.model);
  g_free (self->record.program);
  g_free (self->record.fault);
  g_free (self->record.code);
  g_free (self);
}

/* Tells the answering side, which may drop its reference. */
static void
tell_gone (PterisExchange *self)
{
  PterisGoneFunc gone = self->gone;

  self->gone = NULL;
  if (gone != NULL)
    gone (self->gone_data);
}

/* The SoupServer has finished with the message, one way or the other. */
static void
on_finished (SoupServerMessage *message, gpointer data)
{
  g_autoptr (PterisExchange) self = data;

  if (self->connection != NULL) {
    pteris_connection_watch (self->connection, NULL, NULL);
    pteris_connection_set_deadline (self->connection, IDLE_SECONDS);
  }
  g_signal_handlers_disconnect_by_data (message, self);
  g_clear_object (&self->message);
  self->record.seconds = (double) (g_get_monotonic_time () - self->begin) / G_USEC_PER_SEC;
  if (!self->complete || self->waiting > 0)
    self->record.status = STATUS_GONE;
  tell_gone (self);
  self->func (&self->record, self->func_data);
}

static void
on_client_gone (gpointer data)
{
  g_autoptr (PterisExchange) self = pteris_exchange_ref (data);
  g_autoptr (SoupServerMessage) message =
      self->message != NULL ? g_object_ref (self->message) : NULL;

  tell_gone (self);
  pteris_connection_cut (self->connection);
  if (message == NULL || self->message == NULL)
    return;
  /* It finishes when it tries to write. */
  if (soup_server_message_get_status (message) == 0)
    soup_server_message_set_status (message, SOUP_STATUS_INTERNAL_SERVER_ERROR, NULL);
  soup_message_body_complete (soup_server_message_get_response_body (message));
  soup_server_message_unpause (message);
}

static void
on_wrote (SoupServerMessage *message, guint size, gpointer data)
{
  PterisExchange *self = data;

  self->waiting -= MIN (self->waiting, size);
  if (self->connection != NULL)
    pteris_connection_set_deadline (self->connection, self->waiting > 0 ? STALL_SECONDS : 0);
}

static char *
program_of (SoupServerMessage *message)
{
  const char *text = soup_message_headers_get_one (
      soup_server_message_get_request_headers (message), "User-Agent");
  g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

  return valid != NULL ? g_utf8_substring (valid, 0, MIN (g_utf8_strlen (valid, -1), MOST_PROGRAM))
                       : NULL;
}

PterisExchange *
pteris_exchange_new (SoupServerMessage *message, PterisApi api, const char *route,
                     PterisRecordFunc func, gpointer user_data)
{
  PterisExchange *self = g_new0 (PterisExchange, 1);
  PterisConnection *connection = pteris_connection_of (message);

  g_atomic_ref_count_init (&self->references);
  self->message = g_object_ref (message);
  self->api = api;
  self->record.method = soup_server_message_get_method (message);
  self->record.route = route;
  self->record.program = program_of (message);
  self->func = func;
  self->func_data = user_data;
  self->begin = g_get_monotonic_time ();
  soup_server_message_pause (message);
  g_signal_connect (message, "finished", G_CALLBACK (on_finished), pteris_exchange_ref (self));
  g_signal_connect (message, "wrote-body-data", G_CALLBACK (on_wrote), self);
  if (connection != NULL) {
    self->connection = pteris_connection_ref (connection);
    self->record.number = pteris_connection_get_number (connection);
    pteris_connection_set_deadline (connection, 0);
    pteris_connection_watch (connection, on_client_gone, self);
  }
  return self;
}

PterisRecord *
pteris_exchange_record (PterisExchange *self)
{
  return &self->record;
}

SoupServerMessage *
pteris_exchange_message (PterisExchange *self)
{
  return self->message;
}

char *
pteris_exchange_client (PterisExchange *self, const char *user)
{
  const char *host = soup_server_message_get_remote_host (self->message);
  const char *program = soup_message_headers_get_one (
      soup_server_message_get_request_headers (self->message), "User-Agent");

  return g_strdup_printf ("%s %s %s", host != NULL ? host : "", program != NULL ? program : "",
                          user != NULL ? user : "");
}

gboolean
pteris_exchange_is_open (const PterisExchange *self)
{
  return self->message != NULL && !self->complete;
}

void
pteris_exchange_set_gone (PterisExchange *self, PterisGoneFunc func, gpointer user_data)
{
  self->gone = func;
  self->gone_data = user_data;
}

/* ---- whole responses ---- */

/* @text: consumed. */
static void
send_whole (PterisExchange *self, guint status, const char *type, GBytes *bytes)
{
  self->complete = TRUE;
  self->record.status = status;
  self->waiting = g_bytes_get_size (bytes);
  soup_server_message_set_status (self->message, status, NULL);
  soup_message_headers_set_content_type (soup_server_message_get_response_headers (self->message),
                                         type, NULL);
  soup_message_body_append_bytes (soup_server_message_get_response_body (self->message), bytes);
  soup_message_body_complete (soup_server_message_get_response_body (self->message));
  if (self->connection != NULL)
    pteris_connection_set_deadline (self->connection, STALL_SECONDS);
  if (self->record.method == SOUP_METHOD_HEAD)
    self->waiting = 0;
  soup_server_message_unpause (self->message);
}

void
pteris_exchange_answer (PterisExchange *self, guint status, json_t *json)
{
  char *text = pt_json_steal_text (json);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));

  if (pteris_exchange_is_open (self))
    send_whole (self, status, "application/json", bytes);
}

void
pteris_exchange_answer_bytes (PterisExchange *self, const char *type, GBytes *bytes)
{
  if (pteris_exchange_is_open (self))
    send_whole (self, SOUP_STATUS_OK, type, bytes);
}

/* OpenAI's names of kinds of errors. */
static const char *
type_of (guint status)
{
  switch (status) {
  case 401: return "authentication_error";
  case 403: return "permission_error";
  case 429: return "rate_limit_error";
  default: return status >= 500 ? "server_error" : "invalid_request_error";
  }
}

json_t *
pteris_exchange_fault_json (PterisApi api, const GError *error)
{
  if (api == PTERIS_API_OLLAMA)
    return json_pack ("{s:o, s:s?, s:s?}", "error", pt_json_text (error->message), "param",
                      pteris_fault_get_field (error), "code", pteris_fault_get_code (error));
  return json_pack ("{s:{s:o, s:s, s:s?, s:s?}}", "error", "message", pt_json_text (error->message),
                    "type", type_of (pteris_fault_status (error)), "param",
                    pteris_fault_get_field (error), "code", pteris_fault_get_code (error));
}

void
pteris_exchange_fail (PterisExchange *self, const GError *error)
{
  guint status = pteris_fault_status (error);
  json_t *json;

  if (!pteris_exchange_is_open (self))
    return;
  g_free (self->record.fault);
  self->record.fault = g_strdup (error->message);
  g_free (self->record.code);
  self->record.code = g_strdup (pteris_fault_get_code (error));
  json = pteris_exchange_fault_json (self->api, error);
  if (!self->begun) {
    if (status == 429 || status == 503)
      soup_message_headers_replace (soup_server_message_get_response_headers (self->message),
                                    "Retry-After", "5");
    pteris_exchange_answer (self, status, json);
    return;
  }
  self->record.status = status;
  if (self->is_bytes) {
    json_decref (json);
    self->gone = NULL;
    on_client_gone (self);
    return;
  }
  pteris_exchange_send (self, self->api == PTERIS_API_OPENAI ? "error" : NULL, json);
  pteris_exchange_end (self, FALSE);
  self->record.status = status;
}

/* ---- streams ---- */

static void
begin_stream (PterisExchange *self, const char *type)
{
  SoupMessageHeaders *headers;

  if (!pteris_exchange_is_open (self) || self->begun)
    return;
  self->begun = TRUE;
  headers = soup_server_message_get_response_headers (self->message);
  soup_server_message_set_status (self->message, SOUP_STATUS_OK, NULL);
  soup_message_headers_set_encoding (headers, SOUP_ENCODING_CHUNKED);
  soup_message_headers_set_content_type (headers, type, NULL);
  soup_message_headers_replace (headers, "Cache-Control", "no-cache");
  soup_message_body_set_accumulate (soup_server_message_get_response_body (self->message), FALSE);
  soup_server_message_unpause (self->message);
}

void
pteris_exchange_begin_bytes (PterisExchange *self, const char *type)
{
  self->is_bytes = TRUE;
  begin_stream (self, type);
}

void
pteris_exchange_begin (PterisExchange *self)
{
  begin_stream (self,
                self->api == PTERIS_API_OPENAI ? "text/event-stream" : "application/x-ndjson");
}

gboolean
pteris_exchange_has_begun (const PterisExchange *self)
{
  return self->begun;
}

void
pteris_exchange_send_bytes (PterisExchange *self, gconstpointer data, gsize size)
{
  if (!pteris_exchange_is_open (self) || size == 0)
    return;
  if (self->waiting == 0 && self->connection != NULL)
    pteris_connection_set_deadline (self->connection, STALL_SECONDS);
  self->waiting += size;
  soup_message_body_append (soup_server_message_get_response_body (self->message), SOUP_MEMORY_COPY,
                            data, size);
  soup_server_message_unpause (self->message);
  if (self->waiting > MOST_WAITING)
    on_client_gone (self);
}

void
pteris_exchange_send (PterisExchange *self, const char *event, json_t *json)
{
  g_autofree char *text = pt_json_steal_text (json);
  g_autoptr (GString) part = g_string_new (NULL);

  g_strchomp (text);
  if (self->api == PTERIS_API_OLLAMA)
    g_string_append_printf (part, "%s\n", text);
  else if (event != NULL)
    g_string_append_printf (part, "event: %s\ndata: %s\n\n", event, text);
  else
    g_string_append_printf (part, "data: %s\n\n", text);
  pteris_exchange_send_bytes (self, part->str, part->len);
}

void
pteris_exchange_end (PterisExchange *self, gboolean done)
{
  if (!pteris_exchange_is_open (self))
    return;
  if (done)
    pteris_exchange_send_bytes (self, "data: [DONE]\n\n", strlen ("data: [DONE]\n\n"));
  if (!pteris_exchange_is_open (self))
    return;
  self->complete = TRUE;
  self->record.status = SOUP_STATUS_OK;
  soup_message_body_complete (soup_server_message_get_response_body (self->message));
  soup_server_message_unpause (self->message);
}
