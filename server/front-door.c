/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/front-door.h"

#include <string.h>

#include "engine/base/json.h"

/* The body of a request has to be there after so long. */
#define BODY_SECONDS 120
/* The headers of the next request of a connection. */
#define HEADER_SECONDS 20
/* What belongs to a message: its body (Body), and why it is refused (GError). */
#define BODY_KEY "pteris-body"
#define FAULT_KEY "pteris-fault"

/* What came of a body. */
typedef struct {
  GByteArray *bytes; /* NULL: the request is refused, and the body is forgotten */
  guint64 size;
} Body;

struct _PterisFrontDoor {
  SoupServer *soup;
  const PterisGuard *guard;
  PterisServing *serving;
  guint64 most_bytes;
  PterisRecordFunc func;
  gpointer user_data;
};

/* ---- headers ---- */

static const char *
header (SoupServerMessage *message, const char *name)
{
  return soup_message_headers_get_one (soup_server_message_get_request_headers (message), name);
}

static gboolean
is_preflight (SoupServerMessage *message)
{
  return strcmp (soup_server_message_get_method (message), "OPTIONS") == 0 &&
         header (message, "Access-Control-Request-Method") != NULL;
}

/* Pages of listed origins may read all responses, also errors. */
static void
allow_origin (PterisFrontDoor *self, SoupServerMessage *message)
{
  const char *origin = header (message, "Origin");
  SoupMessageHeaders *headers = soup_server_message_get_response_headers (message);

  soup_message_headers_replace (headers, "X-Content-Type-Options", "nosniff");
  if (origin == NULL || !pteris_guard_knows_origin (self->guard, origin))
    return;
  soup_message_headers_replace (headers, "Access-Control-Allow-Origin", origin);
  soup_message_headers_replace (headers, "Vary", "Origin");
  if (!is_preflight (message))
    return;
  soup_message_headers_replace (headers, "Access-Control-Allow-Methods",
                                "GET, POST, HEAD, OPTIONS");
  soup_message_headers_replace (headers, "Access-Control-Allow-Headers",
                                "Authorization, Content-Type");
  soup_message_headers_replace (headers, "Access-Control-Max-Age", "600");
}

static PterisApi
api_of (SoupServerMessage *message)
{
  const char *path = g_uri_get_path (soup_server_message_get_uri (message));

  return g_str_has_prefix (path, "/api/") ? PTERIS_API_OLLAMA : PTERIS_API_OPENAI;
}

/* Answers without a route. */
static void
refuse (PterisFrontDoor *self, SoupServerMessage *message, const GError *error)
{
  PterisExchange *exchange =
      pteris_exchange_new (message, api_of (message), "", self->func, self->user_data);

  pteris_exchange_fail (exchange, error);
  pteris_exchange_unref (exchange);
}

/* Closes the connection without reading the rest of the body. */
static void
refuse_body (PterisFrontDoor *self, SoupServerMessage *message)
{
  PterisConnection *connection = pteris_connection_of (message);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  pteris_fault_set (&error, 413, "request_too_large", NULL,
                    "The request has more than %u MB, the limit of this server. Raise it with "
                    "--max-request.",
                    (guint) (self->most_bytes >> 20));
  text = pt_json_steal_text (pteris_exchange_fault_json (api_of (message), error));
  if (connection != NULL)
    pteris_connection_refuse (connection, message, 413, text);
}

static void
body_free (gpointer data)
{
  Body *body = data;

  g_clear_pointer (&body->bytes, g_byte_array_unref);
  g_free (body);
}

/* The SoupServer itself takes minutes to collect a large body. */
static void
on_chunk (SoupServerMessage *message, GBytes *chunk, gpointer data)
{
  PterisFrontDoor *self = data;
  Body *body = g_object_get_data (G_OBJECT (message), BODY_KEY);
  gsize size;
  const guint8 *bytes = g_bytes_get_data (chunk, &size);

  if (body == NULL)
    return;
  if (size > self->most_bytes - body->size) {
    g_object_set_data (G_OBJECT (message), BODY_KEY, NULL);
    refuse_body (self, message);
    return;
  }
  body->size += size;
  if (body->bytes != NULL)
    g_byte_array_append (body->bytes, bytes, (guint) size);
}

static gboolean
check_sender (PterisFrontDoor *self, SoupServerMessage *message, GError **error)
{
  SoupMessageHeaders *headers = soup_server_message_get_request_headers (message);
  const char *host = soup_message_headers_get_list (headers, "Host");
  const char *named = g_uri_get_host (soup_server_message_get_uri (message));
  const PterisSender sender = { .host = host,
                                .origin = header (message, "Origin"),
                                .authorization = header (message, "Authorization") };
  PterisSender other = sender;

  if (!pteris_guard_check (self->guard, &sender, is_preflight (message), error))
    return FALSE;
  /* The request may have a whole address in its first line, which counts then. IPv6 has no brackets
   * in it. */
  if (named == NULL || g_hostname_is_ip_address (named))
    return TRUE;
  other.host = named;
  return pteris_guard_check (self->guard, &other, is_preflight (message), error);
}

/* The headers are there, the body is not. */
static void
on_headers (SoupServer *soup, SoupServerMessage *message, const char *path, GHashTable *query,
            gpointer data)
{
  PterisFrontDoor *self = data;
  PterisConnection *connection = pteris_connection_of (message);
  SoupMessageHeaders *headers = soup_server_message_get_request_headers (message);
  g_autoptr (GError) error = NULL;
  Body *body;

  allow_origin (self, message);
  soup_message_body_set_accumulate (soup_server_message_get_request_body (message), FALSE);
  if (soup_message_headers_get_content_length (headers) > (goffset) self->most_bytes) {
    refuse_body (self, message);
    return;
  }
  /* The body of a request that is refused is read, so that the connection can go on, and forgotten.
   */
  body = g_new0 (Body, 1);
  if (check_sender (self, message, &error))
    body->bytes = g_byte_array_new ();
  else
    g_object_set_data_full (G_OBJECT (message), FAULT_KEY, g_steal_pointer (&error),
                            (GDestroyNotify) g_error_free);
  g_object_set_data_full (G_OBJECT (message), BODY_KEY, body, body_free);
  if (connection != NULL)
    pteris_connection_set_deadline (connection, BODY_SECONDS);
  g_signal_connect (message, "got-chunk", G_CALLBACK (on_chunk), self);
}

/* ---- bodies ---- */

/* The JSON of the body; NULL with a fault. */
static json_t *
read_json (SoupServerMessage *message, GBytes *bytes, GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  json_t *json = NULL;

  if (size == 0)
    pteris_fault_set (error, 400, NULL, NULL, "The request has no body. Send a JSON object.");
  else if (!g_utf8_validate (text, (gssize) size, NULL))
    pteris_fault_set (error, 400, NULL, NULL, "The body is not valid UTF-8.");
  else if ((json = pt_json_parse ("body", text, size, NULL)) == NULL)
    pteris_fault_set (error, 400, NULL, NULL,
                      "The body is not valid JSON, or has more values than any request needs.");
  return json;
}

static GBytes *
take_body (SoupServerMessage *message)
{
  Body *body = g_object_get_data (G_OBJECT (message), BODY_KEY);

  if (body == NULL || body->bytes == NULL)
    return g_bytes_new (NULL, 0);
  return g_byte_array_free_to_bytes (g_steal_pointer (&body->bytes));
}

static void
run_route (PterisFrontDoor *self, const PterisRoute *route, PterisExchange *exchange,
           const char *parameter)
{
  SoupServerMessage *message = pteris_exchange_message (exchange);
  g_autoptr (GBytes) bytes = take_body (message);
  g_autoptr (GError) error = NULL;
  PterisBody body = { .bytes = bytes, .parameter = parameter };
  json_t *json = NULL;

  if (!route->is_form && strcmp (route->method, "POST") == 0) {
    json = read_json (message, bytes, &error);
    if (json == NULL) {
      pteris_exchange_fail (exchange, error);
      return;
    }
  }
  body.json = json;
  route->func (self->serving, exchange, &body);
  json_decref (json);
}

static void
answer_preflight (PterisFrontDoor *self, SoupServerMessage *message)
{
  soup_server_message_set_status (message, SOUP_STATUS_NO_CONTENT, NULL);
}

/* The whole request is there. */
static void
on_request (SoupServer *soup, SoupServerMessage *message, const char *path, GHashTable *query,
            gpointer data)
{
  PterisFrontDoor *self = data;
  const GError *fault = g_object_get_data (G_OBJECT (message), FAULT_KEY);
  const char *method = soup_server_message_get_method (message), *parameter;
  const PterisRoute *route;
  g_autoptr (PterisExchange) exchange = NULL;
  g_autoptr (GError) error = NULL;

  if (fault != NULL) {
    refuse (self, message, fault);
    return;
  }
  if (is_preflight (message)) {
    answer_preflight (self, message);
    return;
  }
  route =
      pteris_route_find (strcmp (method, "HEAD") == 0 ? "GET" : method, path, &parameter, &error);
  if (route == NULL) {
    refuse (self, message, error);
    return;
  }
  exchange = pteris_exchange_new (message, route->api, route->path, self->func, self->user_data);
  run_route (self, route, exchange, parameter);
}

/* The first byte of a request is there. */
static void
on_started (SoupServer *soup, SoupServerMessage *message, gpointer data)
{
  PterisConnection *connection = pteris_connection_of (message);

  if (connection != NULL)
    pteris_connection_set_deadline (connection, HEADER_SECONDS);
}

PterisFrontDoor *
pteris_front_door_new (SoupServer *soup, const PterisGuard *guard, PterisServing *serving,
                       guint64 most_bytes, PterisRecordFunc func, gpointer user_data)
{
  PterisFrontDoor *self = g_new0 (PterisFrontDoor, 1);

  *self = (PterisFrontDoor){ soup, guard, serving, most_bytes, func, user_data };
  soup_server_add_early_handler (soup, NULL, on_headers, self, NULL);
  soup_server_add_handler (soup, NULL, on_request, self, NULL);
  g_signal_connect (soup, "request-started", G_CALLBACK (on_started), self);
  return self;
}

void
pteris_front_door_free (PterisFrontDoor *self)
{
  if (self == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->soup, self);
  soup_server_remove_handler (self->soup, NULL);
  g_free (self);
}
