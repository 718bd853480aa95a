/* SPDX-License-Identifier: BSD-3-Clause */

/* The server over a scripted engine: calls of tools, turns, limits, models that end. */

#include <string.h>

#include "engine/base/json.h"
#include "server/fault.h"
#include "server/model-pool.h"
#include "server/server.h"
#include "tests/unit/server/http-talk.h"
#include "tests/unit/server/scripted-engine.h"

#define MODEL "qwen3_xnnpack_8da4w"
#define OTHER "llama_sequential_xnnpack_8da4w"
#define TOOLS                                                                                  \
  ", \"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"look\", \"parameters\": " \
  "{}}}, "                                                                                     \
  "{\"type\": \"function\", \"function\": {\"name\": \"run\"}}]"

typedef struct {
  PterisServer *server;
  guint port;
} Fixture;

static void
start (Fixture *fixture, PterisServerOptions options)
{
  g_autofree char *one = g_test_build_filename (G_TEST_DIST, "data", "chat", MODEL, NULL);
  g_autofree char *two = g_test_build_filename (G_TEST_DIST, "data", "chat", OTHER, NULL);
  const char *models[] = { one, two, NULL };
  g_autoptr (GError) error = NULL;

  g_free (scripted_take_order ());
  scripted_go (FALSE);
  options.models = models;
  fixture->server = pteris_server_new (&options, &error);
  g_assert_no_error (error);
  fixture->port = pteris_server_get_port (fixture->server);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;

  start (fixture, options);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  pteris_server_free (fixture->server);
}

static char *
make_body (const char *model, const char *text, const char *more)
{
  return g_strdup_printf (
      "{\"model\": \"%s\", \"messages\": [{\"role\": \"user\", \"content\": \"%s\"}]%s}", model,
      text, more);
}

static void
ask (Fixture *fixture, const char *text, const char *more, HttpReply *reply)
{
  g_autofree char *body = make_body (MODEL, text, more);

  http_talk (fixture->port, "POST", "/v1/chat/completions", NULL, body, reply);
  http_log (text, reply);
}

/* Sends a request whose answer is not waited for. */
static GSocketConnection *
send_only (Fixture *fixture, const char *model, const char *text, const char *more,
           const char *agent)
{
  g_autofree char *body = make_body (model, text, more);
  g_autofree char *request =
      g_strdup_printf ("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nUser-Agent: %s\r\n"
                       "Content-Length: %u\r\n\r\n%s",
                       agent, (guint) strlen (body), body);
  GSocketConnection *connection = http_connect (fixture->port);

  http_send (connection, request, -1);
  return connection;
}

static void
wait_for (Fixture *fixture, guint running, guint waiting)
{
  PterisServerStatus status;

  do {
    g_usleep (1000);
    pteris_server_get_status (fixture->server, &status);
  } while (status.running != running || status.waiting != waiting);
}

/* ---- calls of tools ---- */

static void
test_calls (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) reply = { 0 }, one = { 0 }, text = { 0 };

  ask (fixture, "call I look. <tool_call>{}</tool_call>", TOOLS, &reply);
  g_assert_cmpstr (http_text (&reply, "choices.0.finish_reason"), ==, "tool_calls");
  g_assert_cmpstr (http_text (&reply, "choices.0.message.content"), ==, "I look. ");
  g_assert_cmpstr (http_text (&reply, "choices.0.message.tool_calls.0.function.name"), ==, "look");
  g_assert_cmpstr (http_text (&reply, "choices.0.message.tool_calls.0.function.arguments"), ==,
                   "{\"at\":\"fern\"}");
  g_assert_cmpstr (http_text (&reply, "choices.0.message.tool_calls.1.function.name"), ==, "run");
  ask (fixture, "call <tool_call>", TOOLS ", \"parallel_tool_calls\": false", &one);
  g_assert_true (json_is_null (http_member (&one, "choices.0.message.content")));
  g_assert_cmpuint (json_array_size (http_member (&one, "choices.0.message.tool_calls")), ==, 1);
  /* What looked like a call and is none is text. */
  ask (fixture, "say a <b> [c]", TOOLS, &text);
  g_assert_cmpstr (http_text (&text, "choices.0.message.content"), ==, "a <b> [c]");
  g_assert_cmpstr (http_text (&text, "choices.0.finish_reason"), ==, "stop");
}

static void
test_call_parts (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) reply = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  json_t *list;
  const char *name = NULL, *reason = NULL;

  ask (fixture, "call Well: <tool_call>", TOOLS ", \"stream\": true", &reply);
  list = http_parts (&reply);
  for (gsize i = 0; i < json_array_size (list); i++) {
    HttpReply part = { .json = json_array_get (list, i) };
    const char *piece = http_text (&part, "choices.0.delta.content");

    g_string_append (text, piece != NULL ? piece : "");
    if (http_text (&part, "choices.0.delta.tool_calls.1.function.name") != NULL) {
      name = http_text (&part, "choices.0.delta.tool_calls.1.function.name");
      g_assert_cmpint (
          json_integer_value (http_member (&part, "choices.0.delta.tool_calls.1.index")), ==, 1);
    }
    if (http_text (&part, "choices.0.finish_reason") != NULL)
      reason = http_text (&part, "choices.0.finish_reason");
  }
  g_assert_cmpstr (text->str, ==, "Well: ");
  g_assert_cmpstr (name, ==, "run");
  g_assert_cmpstr (reason, ==, "tool_calls");
  json_decref (list);
}

static void
test_call_history (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) reply = { 0 }, bad = { 0 };

  http_talk (fixture->port, "POST", "/v1/chat/completions", NULL,
             "{\"model\": \"" MODEL "\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}, "
             "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"c1\", "
             "\"type\": \"function\", \"function\": {\"name\": \"look\", \"arguments\": "
             "\"{\\\"at\\\": 1}\"}}]}, {\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": "
             "\"say seen\"}]}",
             &reply);
  g_assert_cmpstr (http_text (&reply, "choices.0.message.content"), ==, "seen");
  http_talk (fixture->port, "POST", "/v1/chat/completions", NULL,
             "{\"model\": \"" MODEL "\", \"messages\": [{\"role\": \"assistant\", \"tool_calls\": "
             "[{\"type\": \"function\", \"function\": {\"name\": \"look\", \"arguments\": "
             "\"[\"}}]}]}",
             &bad);
  g_assert_cmpstr (http_text (&bad, "error.param"), ==,
                   "messages[0].tool_calls[0].function.arguments");
}

static void
test_response_calls (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) reply = { 0 }, ollama = { 0 };

  http_talk (fixture->port, "POST", "/v1/responses", NULL,
             "{\"model\": \"" MODEL "\", \"input\": \"call {\", \"tools\": [{\"type\": "
             "\"function\", \"name\": \"look\", \"parameters\": {}}]}",
             &reply);
  g_assert_cmpstr (http_text (&reply, "output.0.type"), ==, "function_call");
  g_assert_cmpstr (http_text (&reply, "output.0.name"), ==, "look");
  g_assert_cmpstr (http_text (&reply, "status"), ==, "completed");
  http_talk (fixture->port, "POST", "/api/chat", NULL,
             "{\"model\": \"" MODEL "\", \"stream\": false, \"messages\": [{\"role\": \"user\", "
             "\"content\": \"call {\"}]" TOOLS "}",
             &ollama);
  g_assert_cmpstr (http_text (&ollama, "message.tool_calls.0.function.name"), ==, "look");
  g_assert_cmpstr (http_text (&ollama, "message.tool_calls.0.function.arguments.at"), ==, "fern");
}

static void
assert_says (Fixture *fixture, const char *text, const char *more, const char *expected)
{
  g_auto (HttpReply) reply = { 0 };

  ask (fixture, text, more, &reply);
  g_assert_cmpstr (http_text (&reply, "choices.0.message.content"), ==, expected);
}

#define FORMAT                                                                             \
  ", \"response_format\": {\"type\": \"json_schema\", \"json_schema\": {\"name\": \"a\", " \
  "\"schema\": {\"const\": 1}}}"
#define NAMED ", \"tool_choice\": {\"type\": \"function\", \"function\": {\"name\": \"look\"}}"

/* The engine hears of a call that has to be made, and of the form of the answer. */
static void
test_must_call (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) none = { 0 }, empty = { 0 }, made = { 0 };

  assert_says (fixture, "must", TOOLS, "no");
  assert_says (fixture, "schema", TOOLS FORMAT, "{\"const\":1}");
  ask (fixture, "must", TOOLS ", \"tool_choice\": \"required\"", &made);
  g_assert_cmpstr (http_text (&made, "choices.0.message.content"), ==, "any");
  http_reply_clear (&made);
  assert_says (fixture, "must", TOOLS FORMAT NAMED, "look");
  ask (fixture, "say a", TOOLS ", \"tool_choice\": {\"type\": \"function\", \"name\": \"fly\"}",
       &none);
  g_assert_cmpstr (http_text (&none, "error.param"), ==, "tool_choice");
  ask (fixture, "say a", ", \"tool_choice\": \"required\"", &empty);
  g_assert_cmpstr (http_text (&empty, "error.param"), ==, "tool_choice");
  assert_says (fixture, "say a",
               ", \"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"look\", "
               "\"strict\": true, \"parameters\": {}}}]",
               "a");
  ask (fixture, "call  {", TOOLS ", \"tool_choice\": \"required\"", &made);
  g_assert_true (json_is_null (http_member (&made, "choices.0.message.content")));
  g_assert_cmpstr (http_text (&made, "choices.0.finish_reason"), ==, "tool_calls");
}

/* ---- thoughts ---- */

/* All texts at @path of the parts of a stream. */
static char *
join_parts (const HttpReply *reply, const char *path)
{
  g_autoptr (json_t) list = http_parts (reply);
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < json_array_size (list); i++) {
    HttpReply part = { .json = json_array_get (list, i) };
    const char *piece = http_text (&part, path);

    g_string_append (text, piece != NULL ? piece : "");
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
assert_parts (const HttpReply *reply, const char *path, const char *expected)
{
  g_autofree char *text = join_parts (reply, path);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_thought (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) whole = { 0 }, parts = { 0 }, history = { 0 };

  ask (fixture, "think Hm. So.Yes", "", &whole);
  g_assert_cmpstr (http_text (&whole, "choices.0.message.reasoning_content"), ==, "Hm. So.");
  g_assert_cmpstr (http_text (&whole, "choices.0.message.content"), ==, "Yes");
  g_assert_cmpint (
      json_integer_value (http_member (&whole, "usage.completion_tokens_details.reasoning_tokens")),
      ==, 3);
  ask (fixture, "think Hm <. So.Yes", TOOLS ", \"stream\": true", &parts);
  assert_parts (&parts, "choices.0.delta.reasoning_content", "Hm <. So.");
  assert_parts (&parts, "choices.0.delta.content", "Yes");
  http_talk (fixture->port, "POST", "/v1/chat/completions", NULL,
             "{\"model\": \"" MODEL "\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}, "
             "{\"role\": \"assistant\", \"content\": \"b\", \"reasoning_content\": \"Hm.\"}, "
             "{\"role\": \"user\", \"content\": \"say seen\"}]}",
             &history);
  g_assert_cmpstr (http_text (&history, "choices.0.message.content"), ==, "seen");
}

static void
ask_response (Fixture *fixture, const char *more, HttpReply *reply)
{
  g_autofree char *body =
      g_strdup_printf ("{\"model\": \"" MODEL "\", \"input\": \"think Hm. So.Yes\"%s}", more);

  http_talk (fixture->port, "POST", "/v1/responses", NULL, body, reply);
}

static void
test_thought_responses (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) whole = { 0 }, parts = { 0 }, again = { 0 };
  g_autofree char *kinds = NULL;

  ask_response (fixture, "", &whole);
  g_assert_cmpstr (http_text (&whole, "output.0.type"), ==, "reasoning");
  g_assert_cmpstr (http_text (&whole, "output.0.content.0.text"), ==, "Hm. So.");
  g_assert_cmpstr (http_text (&whole, "output.1.content.0.text"), ==, "Yes");
  g_assert_cmpint (
      json_integer_value (http_member (&whole, "usage.output_tokens_details.reasoning_tokens")), ==,
      3);
  ask_response (fixture, ", \"stream\": true", &parts);
  kinds = join_parts (&parts, "item.type");
  g_assert_cmpstr (kinds, ==, "reasoningreasoningmessagemessage");
  assert_parts (&parts, "response.output.1.content.0.text", "Yes");
  http_talk (fixture->port, "POST", "/v1/responses", NULL,
             "{\"model\": \"" MODEL "\", \"input\": [{\"role\": \"user\", \"content\": \"a\"}, "
             "{\"type\": \"reasoning\", \"id\": \"rs_1\", \"summary\": []}, {\"role\": \"user\", "
             "\"content\": \"say seen\"}]}",
             &again);
  g_assert_cmpstr (http_text (&again, "output.0.content.0.text"), ==, "seen");
}

static void
ask_ollama (Fixture *fixture, const char *address, const char *more, HttpReply *reply)
{
  g_autofree char *body =
      g_strdup_printf ("{\"model\": \"" MODEL "\", \"think\": true, \"prompt\": \"think "
                       "Hm. So.Yes\"%s}",
                       more);
  g_autofree char *chat =
      g_strdup_printf ("{\"model\": \"" MODEL "\", \"think\": true, \"messages\": [{\"role\": "
                       "\"user\", \"content\": \"think Hm. So.Yes\"}]%s}",
                       more);

  http_talk (fixture->port, "POST", address, NULL, strstr (address, "chat") != NULL ? chat : body,
             reply);
}

static void
test_thought_ollama (Fixture *fixture, gconstpointer data)
{
  g_auto (HttpReply) chat = { 0 }, parts = { 0 }, text = { 0 };

  ask_ollama (fixture, "/api/chat", ", \"stream\": false", &chat);
  g_assert_cmpstr (http_text (&chat, "message.thinking"), ==, "Hm. So.");
  g_assert_cmpstr (http_text (&chat, "message.content"), ==, "Yes");
  ask_ollama (fixture, "/api/chat", "", &parts);
  assert_parts (&parts, "message.thinking", "Hm. So.");
  assert_parts (&parts, "message.content", "Yes");
  ask_ollama (fixture, "/api/generate", ", \"stream\": false", &text);
  g_assert_cmpstr (http_text (&text, "thinking"), ==, "Hm. So.");
  g_assert_cmpstr (http_text (&text, "response"), ==, "Yes");
}

/* ---- turns and limits ---- */

/* A client with many requests does not delay another. */
static void
test_fair (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) connections = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree char *order = NULL;

  g_ptr_array_add (connections, send_only (fixture, MODEL, "wait", "", "greedy"));
  wait_for (fixture, 1, 0);
  for (guint i = 0; i < 3; i++)
    g_ptr_array_add (connections, send_only (fixture, MODEL, "say greedy", "", "greedy"));
  wait_for (fixture, 1, 3);
  g_ptr_array_add (connections, send_only (fixture, MODEL, "say modest", "", "modest"));
  wait_for (fixture, 1, 4);
  scripted_go (TRUE);
  wait_for (fixture, 0, 0);
  order = scripted_take_order ();
  g_assert_cmpstr (order, ==, "wait,say modest,say greedy,say greedy,say greedy,");
}

static void
test_queue_full (void)
{
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
  Fixture fixture;
  g_autoptr (GSocketConnection) first = NULL, second = NULL;
  g_auto (HttpReply) reply = { 0 };

  options.most_waiting = 1;
  start (&fixture, options);
  first = send_only (&fixture, MODEL, "wait", "", "a");
  wait_for (&fixture, 1, 0);
  second = send_only (&fixture, MODEL, "wait", "", "a");
  wait_for (&fixture, 1, 1);
  ask (&fixture, "say x", "", &reply);
  g_assert_cmpuint (reply.status, ==, 503);
  g_assert_nonnull (strstr (reply.headers, "Retry-After:"));
  tear_down (&fixture, NULL);
}

/* A request that takes too long is stopped, whether it runs or waits. */
static void
test_time (void)
{
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
  Fixture fixture;
  g_autoptr (GSocketConnection) first = NULL, second = NULL;
  g_auto (HttpReply) one = { 0 }, two = { 0 };

  options.request_seconds = 1;
  start (&fixture, options);
  first = send_only (&fixture, MODEL, "wait", "", "a");
  second = send_only (&fixture, MODEL, "wait", "", "a");
  http_receive (first, &one);
  http_receive (second, &two);
  g_assert_cmpuint (one.status, ==, 503);
  g_assert_cmpuint (two.status, ==, 503);
  tear_down (&fixture, NULL);
}

/* Clients that go away while their requests wait and run. */
static void
test_gone (Fixture *fixture, gconstpointer data)
{
  GSocketConnection *first = send_only (fixture, MODEL, "wait", "", "a");
  GSocketConnection *second, *third;

  wait_for (fixture, 1, 0);
  second = send_only (fixture, MODEL, "wait", ", \"stream\": true", "a");
  third = send_only (fixture, MODEL, "wait", "", "a");
  wait_for (fixture, 1, 2);
  g_object_unref (second);
  wait_for (fixture, 1, 1);
  g_object_unref (first);
  wait_for (fixture, 1, 0);
  g_object_unref (third);
  wait_for (fixture, 0, 0);
}

/* A client that does not read holds neither the engine nor memory. */
static void
test_slow_reader (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GSocketConnection) slow =
      send_only (fixture, MODEL, "flood", ", \"stream\": true", "slow");
  g_auto (HttpReply) reply = { 0 };

  ask (fixture, "say here", "", &reply);
  g_assert_cmpstr (http_text (&reply, "choices.0.message.content"), ==, "here");
  wait_for (fixture, 0, 0);
}

/* ---- models ---- */

static void
test_unload (void)
{
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
  guint loads = scripted_loads (), frees = scripted_frees ();
  Fixture fixture;
  g_auto (HttpReply) one = { 0 }, two = { 0 };

  options.unload_seconds = 1;
  start (&fixture, options);
  ask (&fixture, "say a", "", &one);
  g_assert_cmpuint (scripted_loads (), ==, loads + 1);
  while (scripted_frees () == frees)
    g_usleep (1000);
  ask (&fixture, "say b", "", &two);
  g_assert_cmpuint (two.status, ==, 200);
  g_assert_cmpuint (scripted_loads (), ==, loads + 2);
  tear_down (&fixture, NULL);
}

/* One model at a time: the idle one makes room. */
static void
test_one_model (void)
{
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
  guint loads = scripted_loads (), frees = scripted_frees ();
  Fixture fixture;
  g_autoptr (GSocketConnection) other = NULL;
  g_auto (HttpReply) first = { 0 }, second = { 0 }, third = { 0 };

  options.most_models = 1;
  start (&fixture, options);
  ask (&fixture, "say a", "", &first);
  other = send_only (&fixture, OTHER, "say b", "", "b");
  http_receive (other, &second);
  g_assert_cmpuint (second.status, ==, 200);
  g_assert_cmpuint (scripted_frees (), ==, frees + 1);
  ask (&fixture, "say c", "", &third);
  g_assert_cmpuint (third.status, ==, 200);
  g_assert_cmpuint (scripted_loads (), ==, loads + 3);
  tear_down (&fixture, NULL);
}

/* The process of a model ends: the request says so, and the next one has it loaded again. */
static void
test_crash (Fixture *fixture, gconstpointer data)
{
  guint loads = scripted_loads ();
  g_auto (HttpReply) crash = { 0 }, after = { 0 }, failed = { 0 };

  ask (fixture, "crash", "", &crash);
  g_assert_cmpuint (crash.status, ==, 500);
  g_assert_cmpstr (http_text (&crash, "error.code"), ==, "host");
  ask (fixture, "say again", "", &after);
  g_assert_cmpstr (http_text (&after, "choices.0.message.content"), ==, "again");
  g_assert_cmpuint (scripted_loads (), ==, loads + 2);
  ask (fixture, "fail", "", &failed);
  g_assert_cmpuint (failed.status, ==, 503);
}

/* ---- several GPUs ---- */

/* A job of a conversation, of one to three messages. */
typedef struct {
  PtMessage messages[3];
  PtJob job;
  guint *n_done;
} Talk;

static void
on_talk (const PtEvent *event, gpointer data)
{
  if (event->kind == PT_EVENT_DONE)
    ++*((Talk *) data)->n_done;
}

static Talk *
submit_talk (PterisModelPool *pool, const PtModelInfo *info, guint *n_done, const char *first,
             const char *last)
{
  Talk *talk = g_new0 (Talk, 1);
  g_autoptr (GError) error = NULL;

  talk->messages[0] = (PtMessage){ "user", first, NULL };
  talk->messages[1] = (PtMessage){ "assistant", "An answer.", NULL };
  talk->messages[2] = (PtMessage){ "user", last, NULL };
  talk->job.kind = PT_JOB_CHAT;
  talk->job.chat.messages = talk->messages;
  talk->job.chat.n_messages = last != NULL ? 3 : 1;
  talk->n_done = n_done;
  g_assert_nonnull (
      pteris_model_pool_submit (pool, info, first, &talk->job, on_talk, talk, g_free, &error));
  g_assert_no_error (error);
  return talk;
}

static void
run_until (PterisModelPool *pool, guint running, guint waiting)
{
  guint now_running, now_waiting;

  do {
    g_main_context_iteration (NULL, TRUE);
    pteris_model_pool_count (pool, &now_running, &now_waiting);
  } while (now_running != running || now_waiting != waiting);
}

/* The next jobs begin there, in this order. */
static void
expect_places (const char *expected)
{
  g_autoptr (GString) places = g_string_new (NULL);

  while (places->len < strlen (expected)) {
    g_autofree char *more = scripted_take_places ();

    g_string_append (places, more);
    g_main_context_iteration (NULL, FALSE);
  }
  g_assert_cmpstr (places->str, ==, expected);
}

/* A pool for these GPUs, and a model of tests/data. */
static PterisModelPool *
make_places (const int *devices, const char *folder, const char *name, PtModelInfo *info)
{
  const PterisPoolOptions options = {
    .most_models = 1, .most_waiting = 8, .devices = devices, .n_devices = 2
  };

  g_free (scripted_take_places ());
  scripted_go (FALSE);
  *info = (PtModelInfo){ .name = (char *) name,
                         .path = g_test_build_filename (G_TEST_DIST, "data", folder, name,
                                                        "model.pte", NULL),
                         .task = (char *) "chat" };
  return pteris_model_pool_new (&options);
}

/* Two conversations run side by side, and go on where they are known, unless that GPU works. */
static void
test_two_gpus (void)
{
  const int devices[] = { 0, 1 };
  guint n_done = 0, loads = scripted_loads ();
  PtModelInfo info;
  g_autoptr (PterisModelPool) pool = make_places (devices, "cuda", "method_keys", &info);
  g_autoptr (GArray) list = NULL;

  submit_talk (pool, &info, &n_done, "wait a", NULL);
  expect_places ("0:wait a,");
  g_assert_cmpuint (scripted_loads (), ==, loads + 1);
  submit_talk (pool, &info, &n_done, "wait b", NULL);
  expect_places ("1:wait b,");
  list = pteris_model_pool_list (pool);
  g_assert_cmpuint (list->len, ==, 1);
  g_assert_cmpuint (g_array_index (list, PterisPoolModel, 0).n_jobs, ==, 2);
  scripted_go (TRUE);
  run_until (pool, 0, 0);
  submit_talk (pool, &info, &n_done, "wait b", "say c");
  run_until (pool, 0, 0);
  submit_talk (pool, &info, &n_done, "wait a", "say d");
  run_until (pool, 0, 0);
  expect_places ("1:say c,0:say d,");
  scripted_go (FALSE);
  submit_talk (pool, &info, &n_done, "wait b", "wait e");
  expect_places ("1:wait e,");
  submit_talk (pool, &info, &n_done, "wait b", "say f");
  expect_places ("0:say f,");
  run_until (pool, 1, 0);
  g_assert_false (pteris_model_pool_unload (pool, "method_keys"));
  scripted_go (TRUE);
  run_until (pool, 0, 0);
  submit_talk (pool, &info, &n_done, "wait b", "say g");
  expect_places ("0:say g,");
  run_until (pool, 0, 0);
  g_assert_cmpuint (n_done, ==, 7);
  g_assert_cmpuint (scripted_loads (), ==, loads + 2);
  g_assert_true (pteris_model_pool_unload (pool, "method_keys"));
  g_free (info.path);
}

/* What needs no GPU is loaded once. */
static void
test_two_gpus_cpu (void)
{
  const int devices[] = { 0, 1 };
  guint n_done = 0, loads = scripted_loads ();
  PtModelInfo info;
  g_autoptr (PterisModelPool) pool = make_places (devices, "chat", MODEL, &info);

  submit_talk (pool, &info, &n_done, "wait a", NULL);
  submit_talk (pool, &info, &n_done, "wait b", NULL);
  run_until (pool, 1, 1);
  scripted_go (TRUE);
  while (n_done < 2)
    g_main_context_iteration (NULL, TRUE);
  expect_places ("0:wait a,0:wait b,");
  g_assert_cmpuint (scripted_loads (), ==, loads + 1);
  g_free (info.path);
}

/* GPU 7 does not work: the other one does all, whichever is tried first. */
static void
test_lost_gpu (gconstpointer data)
{
  const int *devices = data;
  guint n_done = 0;
  PtModelInfo info;
  g_autoptr (PterisModelPool) pool = make_places (devices, "cuda", "method_keys", &info);

  submit_talk (pool, &info, &n_done, "wait a", NULL);
  submit_talk (pool, &info, &n_done, "wait b", NULL);
  run_until (pool, 1, 1);
  scripted_go (TRUE);
  while (n_done < 2)
    g_main_context_iteration (NULL, TRUE);
  expect_places ("0:wait a,0:wait b,");
  g_free (info.path);
}

/* A request that came while the server ended. */
static void
test_late (void)
{
  const PterisPoolOptions options = { .most_models = 1, .most_waiting = 4 };
  g_autoptr (PterisModelPool) pool = pteris_model_pool_new (&options);
  const PtModelInfo info = { .name = (char *) MODEL,
                             .path = (char *) MODEL,
                             .task = (char *) "chat" };
  const PtJob job = { .kind = PT_JOB_CHAT };
  g_autoptr (GArray) list = NULL;
  g_autoptr (GError) error = NULL;
  guint running, waiting;

  pteris_model_pool_end (pool);
  g_assert_null (pteris_model_pool_submit (pool, &info, "a", &job, NULL, NULL, NULL, &error));
  g_assert_cmpuint (pteris_fault_status (error), ==, 503);
  pteris_model_pool_count (pool, &running, &waiting);
  g_assert_cmpuint (running + waiting, ==, 0);
  list = pteris_model_pool_list (pool);
  g_assert_cmpuint (list->len, ==, 0);
}

/* Its timers are due while it ends. */
static void
test_slow_end (void)
{
  PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
  Fixture fixture;
  g_auto (HttpReply) reply = { 0 };

  start (&fixture, options);
  ask (&fixture, "say a", "", &reply);
  g_assert_cmpuint (reply.status, ==, 200);
  scripted_end_in (400);
  tear_down (&fixture, NULL);
  scripted_end_in (0);
}

static void
test_status (Fixture *fixture, gconstpointer data)
{
  PterisServerStatus status;
  g_auto (HttpReply) reply = { 0 };

  ask (fixture, "say a", "", &reply);
  g_assert_cmpint (
      json_integer_value (http_member (&reply, "usage.prompt_tokens_details.cached_tokens")), ==,
      5);
  do
    pteris_server_get_status (fixture->server, &status);
  while (status.requests == 0);
  g_assert_cmpuint (status.requests_per_minute, ==, 1);
  g_assert_cmpfloat_with_epsilon (status.tokens_per_second, 70, 1e-6);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  ADD ("/server/scripted/calls", test_calls);
  ADD ("/server/scripted/call-parts", test_call_parts);
  ADD ("/server/scripted/must-call", test_must_call);
  ADD ("/server/scripted/call-history", test_call_history);
  ADD ("/server/scripted/response-calls", test_response_calls);
  ADD ("/server/scripted/thought", test_thought);
  ADD ("/server/scripted/thought-responses", test_thought_responses);
  ADD ("/server/scripted/thought-ollama", test_thought_ollama);
  ADD ("/server/scripted/fair", test_fair);
  g_test_add_func ("/server/scripted/queue-full", test_queue_full);
  g_test_add_func ("/server/scripted/time", test_time);
  ADD ("/server/scripted/gone", test_gone);
  ADD ("/server/scripted/slow-reader", test_slow_reader);
  g_test_add_func ("/server/scripted/unload", test_unload);
  g_test_add_func ("/server/scripted/one-model", test_one_model);
  g_test_add_func ("/server/scripted/two-gpus", test_two_gpus);
  g_test_add_func ("/server/scripted/two-gpus-cpu", test_two_gpus_cpu);
  g_test_add_data_func ("/server/scripted/lost-second-gpu", (const int[]){ 0, 7 }, test_lost_gpu);
  g_test_add_data_func ("/server/scripted/lost-first-gpu", (const int[]){ 7, 0 }, test_lost_gpu);
  ADD ("/server/scripted/crash", test_crash);
  g_test_add_func ("/server/scripted/late", test_late);
  g_test_add_func ("/server/scripted/slow-end", test_slow_end);
  ADD ("/server/scripted/status", test_status);
  return g_test_run ();
}
