/* SPDX-License-Identifier: BSD-3-Clause */

/* The server over the engine: OpenAI's chats, and what hostile clients do. */

#include <string.h>

#include "server/server.h"
#include "tests/unit/server/http-talk.h"

#define CHAT "qwen3_xnnpack_8da4w"
#define JSON "Content-Type: application/json\r\n"
#define ASK(more) \
  "{\"model\": \"" CHAT "\", \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]" more "}"

typedef struct {
  PterisServer *server;
  guint port;
} Fixture;

static PterisServerOptions
usual_options (void)
{
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;

  options.port = 0;
  return options;
}

static void
start (Fixture *fixture, PterisServerOptions options)
{
  g_autofree char *chat = g_test_build_filename (G_TEST_DIST, "data", "chat", CHAT, NULL);
  const char *models[] = { chat, NULL };
  g_autoptr (GError) error = NULL;

  options.models = models;
  fixture->server = pteris_server_new (&options, &error);
  g_assert_no_error (error);
  fixture->port = pteris_server_get_port (fixture->server);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  start (fixture, usual_options ());
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  pteris_server_free (fixture->server);
}

static void
ask (Fixture *fixture, const char *body, HttpReply *reply)
{
  http_talk (fixture->port, "POST", "/v1/chat/completions", JSON, body, reply);
}

/* ---- answers ---- */

static void
test_models (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) all = { 0 }, one = { 0 }, none = { 0 }, outside = { 0 };

  http_talk (fixture->port, "GET", "/v1/models", NULL, NULL, &all);
  g_assert_cmpuint (all.status, ==, 200);
  g_assert_cmpstr (http_text (&all, "data.0.id"), ==, CHAT);
  g_assert_cmpuint (json_array_size (http_member (&all, "data")), ==, 1);
  http_talk (fixture->port, "GET", "/v1/models/" CHAT, NULL, NULL, &one);
  g_assert_cmpstr (http_text (&one, "id"), ==, CHAT);
  http_talk (fixture->port, "GET", "/v1/models/other", NULL, NULL, &none);
  g_assert_cmpuint (none.status, ==, 404);
  g_assert_cmpstr (http_text (&none, "error.code"), ==, "model_not_found");
  /* Names are never paths. */
  http_talk (fixture->port, "GET", "/v1/models/..%2F..%2Fetc%2Fpasswd", NULL, NULL, &outside);
  g_assert_cmpuint (outside.status, ==, 400);
}

static void
test_chat (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) first = { 0 }, again = { 0 };

  ask (fixture, ASK (", \"max_tokens\": 8, \"seed\": 7"), &first);
  g_assert_cmpuint (first.status, ==, 200);
  g_assert_cmpstr (http_text (&first, "object"), ==, "chat.completion");
  g_assert_cmpstr (http_text (&first, "choices.0.message.role"), ==, "assistant");
  g_assert_cmpstr (http_text (&first, "choices.0.finish_reason"), ==, "length");
  g_assert_cmpint (json_integer_value (http_member (&first, "usage.completion_tokens")), ==, 8);
  /* The same seed, the same answer; the prompt is in the cache, but for its last token. */
  ask (fixture, ASK (", \"max_tokens\": 8, \"seed\": 7"), &again);
  g_assert_cmpstr (http_text (&again, "choices.0.message.content"), ==,
                   http_text (&first, "choices.0.message.content"));
  g_assert_cmpint (
      json_integer_value (http_member (&again, "usage.prompt_tokens_details.cached_tokens")), ==,
      json_integer_value (http_member (&again, "usage.prompt_tokens")) - 1);
}

/* The parts of a stream make the same text. */
static void
test_stream (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) whole = { 0 }, parts = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  json_t *list, *last;

  ask (fixture, ASK (", \"max_tokens\": 12, \"temperature\": 0"), &whole);
  ask (fixture,
       ASK (", \"max_tokens\": 12, \"temperature\": 0, \"stream\": true, \"stream_options\": "
            "{\"include_usage\": true}"),
       &parts);
  g_assert_cmpuint (parts.status, ==, 200);
  g_assert_nonnull (strstr (parts.headers, "text/event-stream"));
  g_assert_true (g_str_has_suffix (parts.body, "data: [DONE]\n\n"));
  list = http_parts (&parts);
  for (gsize i = 0; i < json_array_size (list); i++) {
    HttpReply part = { .json = json_array_get (list, i) };
    const char *piece = http_text (&part, "choices.0.delta.content");

    g_string_append (text, piece != NULL ? piece : "");
  }
  g_assert_cmpstr (text->str, ==, http_text (&whole, "choices.0.message.content"));
  last = json_array_get (list, json_array_size (list) - 1);
  g_assert_cmpuint (json_array_size (json_object_get (last, "choices")), ==, 0);
  g_assert_cmpint (
      json_integer_value (json_object_get (json_object_get (last, "usage"), "completion_tokens")),
      ==, 12);
  json_decref (list);
}

static void
test_logprobs (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) reply = { 0 };

  ask (fixture,
       ASK (", \"max_tokens\": 3, \"temperature\": 0, \"logprobs\": true, \"top_logprobs\": 2"),
       &reply);
  g_assert_cmpuint (json_array_size (http_member (&reply, "choices.0.logprobs.content")), ==, 3);
  g_assert_cmpstr (http_text (&reply, "choices.0.logprobs.content.0.token"), !=, NULL);
  g_assert_cmpuint (
      json_array_size (http_member (&reply, "choices.0.logprobs.content.0.top_logprobs")), ==, 2);
}

/* Requests one after the other on one connection, also behind an error and a stream. */
static void
test_same_connection (Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *body;
    guint status;
  } requests[] = {
    { ASK (", \"max_tokens\": 1"), 200 },
    { ASK (", \"max_tokens\": 1, \"stream\": true"), 200 },
    { ASK (", \"n\": 2"), 400 },
    { ASK (", \"max_tokens\": 1"), 200 },
  };
  g_autoptr (GSocketConnection) connection = http_connect (fixture->port);

  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    g_auto (HttpReply) reply = { 0 };
    g_autofree char *head =
        g_strdup_printf ("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                         "Content-Length: %u\r\n\r\n",
                         (guint) strlen (requests[i].body));

    g_assert_true (http_send (connection, head, -1));
    g_assert_true (http_send (connection, requests[i].body, -1));
    http_receive (connection, &reply);
    g_assert_cmpuint (reply.status, ==, requests[i].status);
  }
}

/* ---- refusals ---- */

static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *body, *field, *code;
    guint status;
  } bad[] = {
    { "", NULL, NULL, 400 },
    { "{", NULL, NULL, 400 },
    { "[]", NULL, "invalid_type", 400 },
    { "{}", "model", "missing_required_parameter", 400 },
    { "{\"model\": \"" CHAT "\"}", "messages", "missing_required_parameter", 400 },
    { "{\"model\": \"" CHAT "\", \"messages\": []}", "messages", "invalid_value", 400 },
    { "{\"model\": \"" CHAT "\", \"messages\": [{\"role\": \"king\", \"content\": \"a\"}]}",
      "messages[0].role", "invalid_value", 400 },
    { "{\"model\": \"" CHAT "\", \"messages\": [{\"role\": \"user\"}]}", "messages[0].content",
      "missing_required_parameter", 400 },
    { "{\"model\": \"" CHAT "\", \"messages\": [{\"role\": \"user\", \"content\": [{\"type\": "
      "\"image_url\", \"image_url\": {\"url\": \"http://x/y.png\"}}]}]}",
      "messages[0].content[0].image_url.url", "invalid_value", 400 },
    { ASK (", \"n\": 2"), "n", "unsupported_parameter", 400 },
    { ASK (", \"temperature\": -1"), "temperature", "invalid_value", 400 },
    { ASK (", \"temperature\": \"hot\""), "temperature", "invalid_type", 400 },
    { ASK (", \"max_tokens\": 0"), "max_tokens", "invalid_value", 400 },
    { ASK (", \"stop\": [\"\"]"), "stop", "invalid_value", 400 },
    { ASK (", \"top_logprobs\": 2"), "top_logprobs", "invalid_value", 400 },
    { ASK (", \"logit_bias\": {\"a\": 1}"), "logit_bias", "invalid_value", 400 },
    { ASK (", \"stream_options\": {\"include_usage\": true}"), "stream_options", "invalid_value",
      400 },
    { ASK (", \"tools\": [{\"type\": \"x\"}]"), "tools[0].type", "unsupported_parameter", 400 },
    { ASK (", \"tool_choice\": \"required\""), "tool_choice", "invalid_value", 400 },
    { ASK (", \"tool_choice\": \"always\""), "tool_choice", "invalid_value", 400 },
    { ASK (", \"tool_choice\": {\"type\": \"custom\"}"), "tool_choice.type",
      "unsupported_parameter", 400 },
    { ASK (", \"response_format\": {\"type\": \"xml\"}"), "response_format.type", "invalid_value",
      400 },
    { ASK (", \"store\": true"), "store", "unsupported_parameter", 400 },
    { ASK (", \"grammar\": \"root ::= x\""), "grammar", "unknown_parameter", 400 },
    { "{\"model\": \"../" CHAT "\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}",
      "model", "model_not_found", 404 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_auto (HttpReply) reply = { 0 };

    ask (fixture, bad[i].body, &reply);
    http_log (bad[i].body, &reply);
    g_assert_cmpuint (reply.status, ==, bad[i].status);
    g_assert_cmpstr (http_text (&reply, "error.param"), ==, bad[i].field);
    g_assert_cmpstr (http_text (&reply, "error.code"), ==, bad[i].code);
    g_assert_nonnull (http_text (&reply, "error.message"));
  }
}

/* What the engine refuses has a status, too. */
static void
test_too_long (Fixture *fixture, gconstpointer data)
{
  g_autofree char *words = g_strnfill (20000, 'x');
  g_autofree char *body = g_strdup_printf (
      "{\"model\": \"" CHAT "\", \"messages\": [{\"role\": \"user\", \"content\": \"%s\"}]}",
      words);
  g_auto (HttpReply) reply = { 0 };

  ask (fixture, body, &reply);
  g_assert_cmpuint (reply.status, ==, 400);
  g_assert_cmpstr (http_text (&reply, "error.code"), ==, "context_length_exceeded");
}

static void
test_senders (void)
{
  const char *origins[] = { "https://example.org", NULL };
  PterisServerOptions options = usual_options ();
  Fixture fixture;
  g_auto (HttpReply) page = { 0 }, other = { 0 }, no_key = { 0 }, asks = { 0 };

  options.key = "s3cret";
  options.origins = origins;
  start (&fixture, options);
  http_talk (fixture.port, "GET", "/v1/models", NULL, NULL, &no_key);
  g_assert_cmpuint (no_key.status, ==, 401);
  g_assert_cmpstr (http_text (&no_key, "error.code"), ==, "invalid_api_key");
  http_talk (fixture.port, "GET", "/v1/models",
             "Authorization: Bearer s3cret\r\nOrigin: https://example.org\r\n", NULL, &page);
  g_assert_cmpuint (page.status, ==, 200);
  g_assert_nonnull (strstr (page.headers, "Access-Control-Allow-Origin: https://example.org\r\n"));
  http_talk (fixture.port, "GET", "/v1/models",
             "Authorization: Bearer s3cret\r\nOrigin: https://evil.example\r\n", NULL, &other);
  g_assert_cmpuint (other.status, ==, 403);
  g_assert_null (strstr (other.headers, "Access-Control"));
  http_talk (fixture.port, "OPTIONS", "/v1/chat/completions",
             "Origin: https://example.org\r\nAccess-Control-Request-Method: POST\r\n", NULL, &asks);
  g_assert_cmpuint (asks.status, ==, 204);
  g_assert_nonnull (strstr (asks.headers, "Access-Control-Allow-Headers: Authorization"));
  tear_down (&fixture, NULL);
}

/* Other machines need a key. */
static void
test_open_address (void)
{
  PterisServerOptions options = usual_options ();
  g_autoptr (GError) error = NULL;

  options.address = "0.0.0.0";
  g_assert_null (pteris_server_new (&options, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  options.address = "localhost";
  g_assert_null (pteris_server_new (&options, &error));
  g_assert_nonnull (error);
}

/* ---- hostile clients ---- */

/* Sends raw bytes; the status of the response, 0: none. */
static guint
send_raw (guint port, const char *data, gsize size)
{
  g_autoptr (GSocketConnection) connection = http_connect (port);
  g_auto (HttpReply) reply = { 0 };

  http_send (connection, data, (gssize) size);
  http_receive (connection, &reply);
  return reply.status;
}

#define SEND(text) send_raw (fixture->port, text, sizeof text - 1)

static void
test_raw (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpuint (SEND ("\0\377\376\r\n\r\n"), ==, 400);
  g_assert_cmpuint (SEND ("GET\r\n\r\n"), ==, 400);
  g_assert_cmpuint (SEND ("GET /v1/models HTTP/9.9\r\n\r\n"), ==, 505);
  g_assert_cmpuint (SEND ("GET /v1/models HTTP/1.1\r\n\r\n"), ==, 400);
  g_assert_cmpuint (SEND ("GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n\r\n"), ==, 403);
  g_assert_cmpuint (SEND ("GET http://evil.example/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n"),
                    ==, 403);
  g_assert_cmpuint (
      SEND ("GET /v1/models HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n\r\n"), ==, 403);
  g_assert_cmpuint (SEND ("GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"), ==, 404);
  g_assert_cmpuint (SEND ("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                          "Content-Length: 3\r\n\r\n\377\376\375"),
                    ==, 400);
  g_assert_cmpuint (SEND ("GET /v1/models HTTP/1.0\r\n\r\n"), ==, 200);
}

/* Sends @headers, and @chunk behind them again and again until the server closes the connection. */
static void
flood (guint port, const char *headers, const char *chunk, HttpReply *reply)
{
  g_autoptr (GSocketConnection) connection = http_connect (port);
  gboolean open = http_send (connection, headers, -1);

  while (open)
    open = http_send (connection, chunk, -1);
  http_receive (connection, reply);
}

/* Bodies beyond the limit, and headers without end, are cut off. */
static void
test_floods (void)
{
  PterisServerOptions options = usual_options ();
  Fixture fixture;
  g_autofree char *filling = g_strnfill (65536, 'x');
  g_autofree char *chunk = g_strdup_printf ("10000\r\n%s\r\n", filling);
  g_auto (HttpReply) sized = { 0 }, chunked = { 0 }, refused = { 0 }, header = { 0 };
  g_auto (HttpReply) after = { 0 };

  options.most_bytes = 1 << 20;
  start (&fixture, options);
  flood (fixture.port,
         "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
         "Content-Length: 1099511627776\r\n\r\n",
         filling, &sized);
  flood (fixture.port,
         "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
         "Transfer-Encoding: chunked\r\n\r\n",
         chunk, &chunked);
  flood (fixture.port,
         "POST /v1/chat/completions HTTP/1.1\r\nHost: attacker.example\r\n"
         "Transfer-Encoding: chunked\r\n\r\n",
         chunk, &refused);
  flood (fixture.port, "GET /v1/models HTTP/1.1\r\nX: ", filling, &header);
  /* It goes on. */
  ask (&fixture, ASK (", \"max_tokens\": 1"), &after);
  g_assert_cmpuint (after.status, ==, 200);
  tear_down (&fixture, NULL);
}

static gboolean
becomes_quiet (Fixture *fixture)
{
  PterisServerStatus status;

  do {
    g_usleep (1000);
    pteris_server_get_status (fixture->server, &status);
  } while (status.running + status.waiting > 0);
  return TRUE;
}

/* A client goes away in the middle of an answer that would take long: the engine is free again, and
 * what waits behind it is answered. */
static void
test_gone (Fixture *fixture, gconstpointer data)
{
  for (guint stream = 0; stream < 2; stream++) {
    const char *body = stream ? ASK (", \"stream\": true") : ASK ("");
    g_autofree char *request =
        g_strdup_printf ("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                         "Content-Length: %u\r\n\r\n%s",
                         (guint) strlen (body), body);
    g_autoptr (GPtrArray) connections = g_ptr_array_new_with_free_func (g_object_unref);
    g_auto (HttpReply) after = { 0 };

    for (guint i = 0; i < 8; i++) {
      g_ptr_array_add (connections, http_connect (fixture->port));
      g_assert_true (http_send (connections->pdata[i], request, -1));
    }
    g_ptr_array_set_size (connections, 0);
    ask (fixture, ASK (", \"max_tokens\": 1"), &after);
    g_assert_cmpuint (after.status, ==, 200);
    g_assert_true (becomes_quiet (fixture));
  }
}

/* More connections than allowed are refused, and the others work. */
static void
test_connections (void)
{
  PterisServerOptions options = usual_options ();
  g_autoptr (GPtrArray) connections = g_ptr_array_new_with_free_func (g_object_unref);
  Fixture fixture;
  HttpReply reply;

  options.most_connections = 4;
  start (&fixture, options);
  for (guint i = 0; i < 4; i++) {
    const char *half = "GET /v1/models HTTP/1.1\r\nHost: local";

    g_ptr_array_add (connections, http_connect (fixture.port));
    http_send (connections->pdata[i], half, -1);
  }
  http_talk (fixture.port, "GET", "/v1/models", NULL, NULL, &reply);
  g_assert_cmpuint (reply.status, ==, 503);
  http_reply_clear (&reply);
  http_send (connections->pdata[0], "host\r\n\r\n", -1);
  http_receive (connections->pdata[0], &reply);
  g_assert_cmpuint (reply.status, ==, 200);
  http_reply_clear (&reply);
  tear_down (&fixture, NULL);
}

/* It ends while requests run and wait, and connections are open. */
static void
test_end (Fixture *fixture, gconstpointer data)
{
  const char *body = ASK (", \"stream\": true");
  g_autofree char *request = g_strdup_printf (
      "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %u\r\n\r\n%s",
      (guint) strlen (body), body);
  g_autoptr (GPtrArray) connections = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < 4; i++) {
    g_ptr_array_add (connections, http_connect (fixture->port));
    http_send (connections->pdata[i], i < 3 ? request : "GET /", -1);
  }
  g_clear_pointer (&fixture->server, pteris_server_free);
  for (guint i = 0; i < 4; i++) {
    HttpReply reply;

    /* There may be a part of an answer; the connection ends. */
    http_receive (connections->pdata[i], &reply);
    http_reply_clear (&reply);
  }
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  ADD ("/server/models", test_models);
  ADD ("/server/chat", test_chat);
  ADD ("/server/stream", test_stream);
  ADD ("/server/logprobs", test_logprobs);
  ADD ("/server/same-connection", test_same_connection);
  ADD ("/server/refusals", test_refusals);
  ADD ("/server/too-long", test_too_long);
  g_test_add_func ("/server/senders", test_senders);
  g_test_add_func ("/server/open-address", test_open_address);
  ADD ("/server/raw", test_raw);
  g_test_add_func ("/server/floods", test_floods);
  ADD ("/server/gone", test_gone);
  g_test_add_func ("/server/connections", test_connections);
  ADD ("/server/end", test_end);
  return g_test_run ();
}
