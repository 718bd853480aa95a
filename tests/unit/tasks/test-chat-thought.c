/* SPDX-License-Identifier: BSD-3-Clause */

/* Thoughts before answers, JSON behind them, and calls of tools, with a tiny model of random
 * weights. Biases of the marks make it think. */

#include <string.h>

#include <glib/gstdio.h>
#include <jansson.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/chat/call-schema.h"
#include "engine/tasks/chat/call-watch.h"
#include "engine/tasks/chat/chat-task.h"
#include "tests/unit/tasks/fixtures.h"

#define PERSON                                                                               \
  "{\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\", \"maxLength\": " \
  "8}, \"old\": {\"type\": \"boolean\"}}, \"required\": [\"name\", \"old\"], "               \
  "\"additionalProperties\": false}"
#define TOOLS                                                                                 \
  "[{\"type\": \"function\", \"function\": {\"name\": \"look\", \"parameters\": {\"type\": "  \
  "\"object\", \"properties\": {\"far\": {\"type\": \"boolean\"}}, \"required\": [\"far\"], " \
  "\"additionalProperties\": false}}}, {\"type\": \"function\", \"function\": {\"name\": "    \
  "\"run\", \"parameters\": {\"$defs\": {\"m\": {\"enum\": [1, 2]}}, \"type\": \"object\", "  \
  "\"properties\": {\"metres\": {\"$ref\": \"#/$defs/m\"}}, \"required\": [\"metres\"], "     \
  "\"additionalProperties\": false}}}]"

typedef struct {
  PtModule *module;
  PtTokenizer *tokenizer;
  PtChat *chat;
  GString *all, *parts[3]; /* by PtAnswerPart */
  PtLogitBias bias[2];     /* of the marks */
  PtStats stats;
} Fixture;

static PtChat *
open_chat (Fixture *f, const char *folder)
{
  g_autoptr (GError) error = NULL;
  PtChat *chat = pt_chat_new (f->module, f->tokenizer, folder, &error);

  g_assert_no_error (error);
  return chat;
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autofree char *folder = open_chat_model ("qwen3_xnnpack_8da4w", &f->module, &f->tokenizer);

  f->chat = open_chat (f, folder);
  f->all = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (f->parts); i++)
    f->parts[i] = g_string_new (NULL);
  f->bias[0] = (PtLogitBias){ pt_tokenizer_find (f->tokenizer, "<think>"), 50 };
  f->bias[1] = (PtLogitBias){ pt_tokenizer_find (f->tokenizer, "</think>"), 100 };
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  pt_chat_free (f->chat);
  pt_tokenizer_free (f->tokenizer);
  pt_module_free (f->module);
  g_string_free (f->all, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (f->parts); i++)
    g_string_free (f->parts[i], TRUE);
}

static void
on_text (const char *text, PtAnswerPart part, const PtStats *stats, gpointer user_data)
{
  Fixture *f = user_data;

  g_string_append (f->all, text);
  g_string_append (f->parts[part], text);
}

static PtReason
answer (Fixture *f, const PtChatOptions *request, GError **error)
{
  g_string_truncate (f->all, 0);
  for (guint i = 0; i < G_N_ELEMENTS (f->parts); i++)
    g_string_truncate (f->parts[i], 0);
  return pt_chat_answer (f->chat, request, on_text, f, NULL, &f->stats, error);
}

static const PtMessage QUESTION = { "user", "Who?" };

static PtChatOptions
request_of (Fixture *f, guint first_bias)
{
  return (PtChatOptions){ .messages = &QUESTION,
                          .n_messages = 1,
                          .sampling = PT_SAMPLING_GREEDY,
                          .logit_bias = f->bias + first_bias,
                          .n_logit_bias = 2 - first_bias };
}

static void
check_person (const char *text)
{
  g_autoptr (json_t) person = json_loads (text, 0, NULL);

  g_assert_nonnull (person);
  g_assert_true (json_is_string (json_object_get (person, "name")));
  g_assert_true (json_is_boolean (json_object_get (person, "old")));
}

/* The schema is that of the answer behind the thought. */
static void
test_schema_behind (Fixture *f, gconstpointer data)
{
  PtChatOptions request = request_of (f, 0);
  g_autoptr (GError) error = NULL;

  request.json_schema = PERSON;
  request.thinking = PT_THINKING_ON;
  request.sampling.temperature = 1;
  request.seed = 3;
  g_assert_cmpint (answer (f, &request, &error), ==, PT_REASON_STOP);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (f->all->str, "<think></think>"));
  g_assert_cmpstr (f->parts[PT_ANSWER_THOUGHT]->str, ==, "");
  check_person (f->parts[PT_ANSWER_TEXT]->str);
  /* Nobody asked for a thought. */
  request.thinking = PT_THINKING_DEFAULT;
  g_assert_cmpint (answer (f, &request, &error), ==, PT_REASON_STOP);
  check_person (f->all->str);
}

/* A thought that is not over does not end the answer before the JSON. */
static void
test_no_end (Fixture *f, gconstpointer data)
{
  PtChatOptions request = request_of (f, 0);
  const PtLogitBias bias[] = { f->bias[0],
                               { pt_tokenizer_find (f->tokenizer, "<|im_end|>"), 100 } };
  g_autoptr (GError) error = NULL;

  request.logit_bias = bias;
  request.n_logit_bias = 2;
  request.json_schema = PERSON;
  request.thinking = PT_THINKING_ON;
  request.max_new_tokens = 6;
  g_assert_cmpint (answer (f, &request, &error), ==, PT_REASON_LENGTH);
  g_assert_cmpuint (f->stats.new_tokens, ==, 6);
  g_assert_cmpuint (f->stats.thought_tokens, ==, 5);
  g_assert_cmpstr (f->parts[PT_ANSWER_TEXT]->str, ==, "");
}

/* The first mark may be the end of the prompt. */
static void
test_prompt (Fixture *f, gconstpointer data)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "chat_template.jinja", NULL);
  PtChatOptions plain = request_of (f, 0), bound = request_of (f, 1);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (
      path, "{% for m in messages %}{{ m.content }}{% endfor %}<|im_start|><think>\n", -1, NULL));
  pt_chat_free (f->chat);
  f->chat = open_chat (f, folder);
  plain.n_logit_bias = 0;
  plain.max_new_tokens = 5;
  answer (f, &plain, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (f->parts[PT_ANSWER_TEXT]->str, ==, "");
  g_assert_cmpuint (f->parts[PT_ANSWER_THOUGHT]->len, >, 0);
  g_assert_cmpuint (f->stats.thought_tokens, ==, 5);
  bound.json_schema = PERSON;
  bound.sampling.temperature = 1;
  bound.seed = 3;
  g_assert_cmpint (answer (f, &bound, &error), ==, PT_REASON_STOP);
  g_assert_true (g_str_has_prefix (f->all->str, "</think>"));
  check_person (f->parts[PT_ANSWER_TEXT]->str);
  g_unlink (path);
  g_rmdir (folder);
}

/* A stop text is one of the answer. */
static void
test_stop (Fixture *f, gconstpointer data)
{
  static const char *const stop[] = { "think", NULL };
  PtChatOptions request = request_of (f, 0);
  const PtLogitBias bias = { f->bias[0].id, 100 };
  g_autoptr (GError) error = NULL;

  request.logit_bias = &bias;
  request.n_logit_bias = 1;
  request.stop = stop;
  request.max_new_tokens = 4;
  g_assert_cmpint (answer (f, &request, &error), ==, PT_REASON_LENGTH);
  g_assert_cmpstr (f->all->str, ==, "<think><think><think><think>");
  g_assert_cmpstr (f->parts[PT_ANSWER_THOUGHT]->str, ==, "<think><think><think>");
}

/* ---- calls ---- */

/* The only call of the latest answer, as an object. */
static json_t *
call_of (Fixture *f, const PtChatOptions *request)
{
  g_autofree char *text = pt_chat_tool_calls (f->chat, request);
  g_autoptr (json_t) calls = text != NULL ? json_loads (text, 0, NULL) : NULL;

  g_assert_cmpuint (json_array_size (calls), ==, 1);
  return json_incref (json_array_get (calls, 0));
}

static void
check_call (json_t *call)
{
  const char *name = json_string_value (json_object_get (call, "name"));
  const json_t *arguments = json_object_get (call, "arguments");
  json_int_t metres = json_integer_value (json_object_get (arguments, "metres"));

  if (g_strcmp0 (name, "look") == 0)
    g_assert_true (json_is_boolean (json_object_get (arguments, "far")));
  else
    g_assert_true (g_strcmp0 (name, "run") == 0 && metres >= 1 && metres <= 2);
  json_decref (call);
}

static void
test_must_call (Fixture *f, gconstpointer data)
{
  PtChatOptions request = request_of (f, 0);
  g_autoptr (GError) error = NULL, unknown = NULL, none = NULL;

  request.n_logit_bias = 0;
  request.tools = TOOLS;
  request.must_call = TRUE;
  request.sampling.temperature = 1;
  for (request.seed = 1; request.seed <= 10; request.seed++) {
    request.called = request.seed % 2 == 0 ? "run" : NULL;
    g_assert_cmpint (answer (f, &request, &error), ==, PT_REASON_STOP);
    g_assert_no_error (error);
    check_call (call_of (f, &request));
    if (request.called != NULL)
      g_assert_nonnull (strstr (f->all->str, "\"run\""));
  }
  request.called = "fly";
  g_assert_cmpint (answer (f, &request, &unknown), ==, PT_REASON_NONE);
  g_assert_error (unknown, PT_ERROR, PT_ERROR_ARGUMENT);
  request.tools = NULL;
  g_assert_cmpint (answer (f, &request, &none), ==, PT_REASON_NONE);
  g_assert_error (none, PT_ERROR, PT_ERROR_ARGUMENT);
}

/* A call, or an answer in a form: random numbers give both. */
static void
test_both (Fixture *f, gconstpointer data)
{
  PtChatOptions request = request_of (f, 0);
  g_autoptr (GError) error = NULL;
  guint n_calls = 0, n_answers = 0;

  request.n_logit_bias = 0;
  request.tools = TOOLS;
  request.json_schema = "{\"type\": \"object\", \"properties\": {\"name\": {\"enum\": [\"Anna\"]}},"
                        " \"required\": [\"name\"], \"additionalProperties\": false}";
  request.sampling.temperature = 2;
  for (request.seed = 1; request.seed <= 60 && (n_calls == 0 || n_answers == 0); request.seed++) {
    g_assert_cmpint (answer (f, &request, &error), ==, PT_REASON_STOP);
    g_assert_no_error (error);
    if (strstr (f->all->str, "\"Anna\"") == NULL) {
      n_calls++;
      check_call (call_of (f, &request));
      continue;
    }
    n_answers++;
    /* What has a name is no call where no tool has it. */
    g_assert_null (pt_chat_tool_calls (f->chat, &request));
  }
  g_assert_cmpuint (n_calls, >, 0);
  g_assert_cmpuint (n_answers, >, 0);
}

static json_t *
member (const json_t *json, const char *name)
{
  return json_object_get (json, name);
}

/* The first @n tools of TOOLS are strict. */
static char *
strict_tools (gsize n)
{
  g_autoptr (json_t) list = json_loads (TOOLS, 0, NULL);

  for (gsize i = 0; i < n; i++)
    json_object_set_new (json_object_get (json_array_get (list, i), "function"), "strict",
                         json_true ());
  return pt_json_steal_text (g_steal_pointer (&list));
}

/* The JSON that @beginning and the model's continuation of it are, or NULL. */
static json_t *
continue_call (Fixture *f, PtChatOptions *request, const char *beginning)
{
  const PtMessage messages[] = { QUESTION, { "assistant", beginning } };
  const char *mark = strstr (beginning, "<tool_call>");
  g_autoptr (GError) error = NULL;
  g_autofree char *all = NULL;

  request->messages = messages;
  request->n_messages = 2;
  answer (f, request, &error);
  g_assert_no_error (error);
  all = g_strconcat (mark != NULL ? mark + strlen ("<tool_call>") : beginning, f->all->str, NULL);
  return json_loads (all, JSON_DISABLE_EOF_CHECK, NULL);
}

/* An answer may be any text, but a call in it fits if its tool is strict. */
static void
test_strict (Fixture *f, gconstpointer data)
{
  g_autofree char *tools = strict_tools (2);
  PtChatOptions request = request_of (f, 0);
  guint n_lists = 0, n_calls = 0;

  request.n_logit_bias = 0;
  request.sampling.temperature = 1;
  request.max_new_tokens = 300;
  for (request.seed = 1; request.seed <= 60; request.seed++) {
    json_t *calls, *call;

    request.tools = tools;
    calls = continue_call (f, &request, "Well: <tool_call>\n");
    /* It did not come to an end. */
    if (calls == NULL)
      continue;
    n_lists += json_is_array (calls);
    call = json_is_array (calls) ? json_array_get (calls, 0) : calls;
    n_calls++;
    check_call (json_incref (call));
    json_decref (calls);
    request.tools = TOOLS;
    g_assert_null (continue_call (f, &request, "Well: <tool_call>\n"));
  }
  g_assert_cmpuint (n_calls, >, 3);
  g_assert_cmpuint (n_lists, >, 0);
  g_assert_cmpuint (n_lists, <, n_calls);
}

/* Without a mark a call begins with its name, at the beginning of the answer. */
static void
test_strict_unmarked (Fixture *f, gconstpointer data)
{
  g_autofree char *tools = strict_tools (2);
  PtChatOptions request = request_of (f, 0);
  json_t *call = NULL;

  request.n_logit_bias = 0;
  request.sampling.temperature = 1;
  request.tools = tools;
  request.max_new_tokens = 60;
  for (request.seed = 1; request.seed <= 60 && call == NULL; request.seed++)
    call = continue_call (f, &request, "{\"name\": \"run\"");
  g_assert_nonnull (call);
  check_call (call);
  /* No tool has this name: the text is an answer. */
  for (request.seed = 1; request.seed <= 60; request.seed++)
    g_assert_null (continue_call (f, &request, "{\"name\": \"Anna\""));
}

/* Calls of tools that are not strict may have any arguments. */
static void
test_strict_schema (void)
{
  g_autoptr (GError) error = NULL, none = NULL;
  g_autofree char *tools = strict_tools (1);
  g_autofree char *text = pt_strict_calls_schema (tools, &error);
  g_autoptr (json_t) schema = json_loads (text, 0, NULL);
  const json_t *parts = member (schema, "$defs");

  g_assert_true (pt_tools_are_strict (tools));
  g_assert_false (pt_tools_are_strict (TOOLS));
  g_assert_nonnull (member (member (parts, "arguments0"), "properties"));
  g_assert_null (member (member (parts, "arguments1"), "properties"));
  g_assert_cmpstr (json_string_value (member (member (parts, "arguments1"), "type")), ==, "object");
  g_assert_null (pt_strict_calls_schema ("[]", &none));
  g_assert_error (none, PT_ERROR, PT_ERROR_ARGUMENT);
}

static void
test_watch (void)
{
  PtCallWatch watch;

  pt_call_watch_init (&watch);
  g_assert_null (pt_call_watch_push (&watch, "{\"name", 6));
  g_assert_null (pt_call_watch_push (&watch, "\": \"ru", 6));
  g_assert_cmpstr (pt_call_watch_push (&watch, "n\"", 2), ==, "{\"name\": \"run\"");
  g_assert_true (watch.inside);
  pt_call_watch_leave (&watch);
  /* Only at the beginning. */
  g_assert_null (pt_call_watch_push (&watch, "{\"name\": \"run\"", 14));
  g_assert_null (pt_call_watch_push (&watch, "<tool", 5));
  g_assert_null (pt_call_watch_push (&watch, "_call", 5));
  g_assert_cmpstr (pt_call_watch_push (&watch, ">\n", 2), ==, "\n");
  pt_call_watch_leave (&watch);
  g_assert_cmpstr (pt_call_watch_push (&watch, "<|tool_call_start|>", 19), ==, "");
  pt_call_watch_clear (&watch);
}

#define REFERRING                                                                           \
  "{\"$defs\": {\"size\": {\"type\": \"integer\"}}, \"type\": \"object\", \"properties\": " \
  "{\"a\": {\"$ref\": \"#/$defs/size\"}, \"b\": {\"$ref\": \"#\"}}}"

/* References lead to the same places as in the schemas that are put together. */
static void
test_references (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = pt_call_schema (TOOLS, NULL, REFERRING, &error);
  g_autoptr (json_t) all = json_loads (text, 0, NULL);
  json_t *form = member (member (member (all, "$defs"), "answer"), "properties");

  g_assert_no_error (error);
  g_assert_cmpuint (json_array_size (member (all, "anyOf")), ==, 3);
  g_assert_cmpstr (json_string_value (member (json_array_get (member (all, "anyOf"), 2), "$ref")),
                   ==, "#/$defs/answer");
  g_assert_cmpstr (json_string_value (member (member (form, "a"), "$ref")), ==,
                   "#/$defs/answer/$defs/size");
  g_assert_cmpstr (json_string_value (member (member (form, "b"), "$ref")), ==, "#/$defs/answer");
  g_assert_null (pt_call_schema (TOOLS, NULL, "{", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (pt_call_schema ("[{\"function\": 1}, 2]", NULL, "{}", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  ADD ("/tasks/chat-thought/schema-behind", test_schema_behind);
  ADD ("/tasks/chat-thought/no-end", test_no_end);
  ADD ("/tasks/chat-thought/prompt", test_prompt);
  ADD ("/tasks/chat-thought/stop", test_stop);
  ADD ("/tasks/chat-thought/must-call", test_must_call);
  ADD ("/tasks/chat-thought/both", test_both);
  ADD ("/tasks/chat-thought/strict-calls", test_strict);
  ADD ("/tasks/chat-thought/strict-call-without-mark", test_strict_unmarked);
  g_test_add_func ("/tasks/chat-thought/strict-schema", test_strict_schema);
  g_test_add_func ("/tasks/chat-thought/call-watch", test_watch);
  g_test_add_func ("/tasks/chat-thought/references", test_references);
  return g_test_run ();
}
