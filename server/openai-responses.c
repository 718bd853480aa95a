/* SPDX-License-Identifier: BSD-3-Clause */

/* POST /v1/responses: the part of it that is about text and calls of tools. */

#include <string.h>

#include "engine/base/json.h"
#include "server/answer.h"
#include "server/openai-content.h"
#include "server/openai-usage.h"
#include "server/readers.h"

#define MOST_ITEMS 4096

/* What the response repeats of its request, and where its stream is. */
typedef struct {
  json_t *echo;    /* members of the response object */
  guint sequence;  /* of the next event */
  guint n_items;   /* of the output that are complete */
  gboolean thinks; /* the item with the thought has begun, and has not ended */
  gboolean writes; /* the item with the text has begun */
} Response;

static void
response_free (gpointer data)
{
  json_decref (((Response *) data)->echo);
  g_free (data);
}

/* ---- the request ---- */

static void
read_message (PterisQuestion *question, PterisFields *item, const char *role)
{
  const json_t *content = pteris_fields_any (item, "content");
  g_autofree char *path = pteris_fields_path (item, "content");
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  static const char *const roles[] = { "system", "user", "assistant", NULL };

  pteris_fields_need (item, "content");
  pteris_fields_skip (item, "id");
  pteris_fields_skip (item, "status");
  if (strcmp (role, "developer") == 0)
    role = "system";
  if (!g_strv_contains (roles, role))
    pteris_fields_fail (item, "role", PTERIS_FAULT_VALUE,
                        "must be “system”, “developer”, “user” or “assistant”.");
  if (content != NULL)
    pteris_openai_read_content (question, content, path, text, files, item->error);
  if (pteris_fields_end (item))
    pteris_question_add (question, role, text->str, g_steal_pointer (&files));
}

/* A call that the model asked for earlier. */
static void
read_call (PterisQuestion *question, PterisFields *item)
{
  const char *name = pteris_fields_text (item, "name");
  const char *arguments = pteris_fields_text (item, "arguments");
  g_autoptr (json_t) calls = NULL;
  g_autofree char *text = NULL;
  json_t *parsed;

  pteris_fields_need (item, "name");
  pteris_fields_text (item, "call_id");
  pteris_fields_skip (item, "id");
  pteris_fields_skip (item, "status");
  if (!pteris_fields_end (item))
    return;
  parsed = json_loads (arguments != NULL && *arguments != '\0' ? arguments : "{}", 0, NULL);
  if (!json_is_object (parsed)) {
    json_decref (parsed);
    pteris_fields_fail (item, "arguments", PTERIS_FAULT_VALUE,
                        "must be the text of a JSON object.");
    return;
  }
  calls = json_pack ("[{s:s, s:o}]", "name", name, "arguments", parsed);
  text = pteris_question_calls_text (calls);
  pteris_question_add (question, "assistant", text, NULL);
}

/* A thought of an earlier response. It is not shown to the model again. */
static void
skip_reasoning (PterisFields *item)
{
  static const char *const members[] = { "id", "status", "summary", "content",
                                         "encrypted_content" };

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    pteris_fields_skip (item, members[i]);
  pteris_fields_end (item);
}

static void
read_item (PterisQuestion *question, const json_t *json, const char *path, GError **error)
{
  PterisFields item;
  const char *type, *role, *output;

  pteris_fields_begin (&item, json, path, error);
  type = pteris_fields_text (&item, "type");
  role = pteris_fields_text (&item, "role");
  if (pteris_fields_failed (&item))
    return;
  if (type == NULL || strcmp (type, "message") == 0) {
    pteris_fields_need (&item, "role");
    if (role != NULL)
      read_message (question, &item, role);
  } else if (strcmp (type, "function_call") == 0) {
    read_call (question, &item);
  } else if (strcmp (type, "function_call_output") == 0) {
    pteris_fields_need (&item, "output");
    output = pteris_fields_text (&item, "output");
    pteris_fields_text (&item, "call_id");
    pteris_fields_skip (&item, "id");
    pteris_fields_skip (&item, "status");
    if (pteris_fields_end (&item))
      pteris_question_add (question, "tool", output, NULL);
  } else if (strcmp (type, "reasoning") == 0) {
    skip_reasoning (&item);
  } else {
    pteris_fields_fail (&item, "type", PTERIS_FAULT_UNSUPPORTED,
                        "must be “message”, “function_call”, “function_call_output” or "
                        "“reasoning”.");
  }
}

static void
read_input (PterisQuestion *question, PterisFields *fields)
{
  const json_t *input = pteris_fields_any (fields, "input");
  const char *instructions = pteris_fields_text (fields, "instructions");

  pteris_fields_need (fields, "input");
  if (pteris_fields_failed (fields))
    return;
  if (instructions != NULL)
    pteris_question_add (question, "system", instructions, NULL);
  if (json_is_string (input)) {
    pteris_question_add (question, "user", pteris_fields_text (fields, "input"), NULL);
    return;
  }
  if (!json_is_array (input) || json_array_size (input) == 0 ||
      json_array_size (input) > MOST_ITEMS) {
    pteris_fields_fail (fields, "input", PTERIS_FAULT_TYPE,
                        "must be a text or a list of 1 to %d items.", MOST_ITEMS);
    return;
  }
  for (gsize i = 0; i < json_array_size (input) && !pteris_fields_failed (fields); i++) {
    g_autofree char *path = g_strdup_printf ("input[%u]", (guint) i);

    read_item (question, json_array_get (input, i), path, fields->error);
  }
}

/* Tools have no “function” around their members here. */
static void
read_tools (PterisQuestion *question, PterisFields *fields)
{
  const json_t *tools = pteris_fields_array (fields, "tools");
  g_autoptr (json_t) list = json_array (), holder = NULL;
  PterisFields inner;

  for (gsize i = 0; i < json_array_size (tools); i++) {
    json_t *tool = json_copy (json_array_get (tools, i));

    if (json_is_object (tool) &&
        g_strcmp0 (json_string_value (json_object_get (tool, "type")), "function") == 0) {
      json_object_del (tool, "type");
      json_array_append_new (list, json_pack ("{s:s, s:o}", "type", "function", "function", tool));
    } else {
      g_autofree char *path = g_strdup_printf ("tools[%u].type", (guint) i);

      json_decref (tool);
      pteris_fault_set (fields->error, 400, PTERIS_FAULT_UNSUPPORTED, path,
                        "“%s” must be “function”.", path);
    }
  }
  if (pteris_fields_failed (fields) || json_array_size (list) == 0)
    return;
  holder = json_pack ("{s:O}", "tools", list);
  pteris_fields_begin (&inner, holder, NULL, fields->error);
  pteris_question_read_tools (question, &inner, "tools");
}

static void
read_text_options (PterisQuestion *question, PterisFields *fields)
{
  const json_t *text = pteris_fields_object (fields, "text");
  const json_t *reasoning = pteris_fields_object (fields, "reasoning");
  PterisFields inner;

  if (text != NULL) {
    pteris_fields_begin (&inner, text, "text", fields->error);
    pteris_openai_read_format (question, pteris_fields_object (&inner, "format"), "text.format",
                               TRUE, fields->error);
    pteris_fields_refuse (&inner, "verbosity", json_string ("medium"), NULL);
    pteris_fields_end (&inner);
  }
  if (reasoning != NULL && !pteris_fields_failed (fields)) {
    pteris_fields_begin (&inner, reasoning, "reasoning", fields->error);
    pteris_openai_read_effort (question, &inner, "effort");
    pteris_fields_refuse (&inner, "summary", NULL, NULL);
    pteris_fields_end (&inner);
  }
}

static void
refuse_others (PterisFields *fields)
{
  const char *kept = "this server keeps no conversations: send all messages.";

  pteris_fields_refuse (fields, "previous_response_id", NULL, kept);
  pteris_fields_refuse (fields, "conversation", NULL, kept);
  pteris_fields_refuse (fields, "prompt", NULL, "this server keeps no prompts.");
  pteris_fields_refuse (fields, "background", json_false (), NULL);
  pteris_fields_refuse (fields, "include", json_array (), NULL);
  pteris_fields_refuse (fields, "truncation", json_string ("disabled"),
                        "messages are never dropped.");
  pteris_fields_refuse (fields, "max_tool_calls", NULL, NULL);
  pteris_fields_refuse (fields, "top_logprobs", json_integer (0), NULL);
  pteris_fields_refuse (fields, "service_tier", json_string ("auto"), NULL);
  pteris_fields_refuse (fields, "stream_options", json_object (), NULL);
}

/* Members that the response repeats. */
static json_t *
make_echo (const json_t *json)
{
  static const struct {
    const char *name, *usual;
  } members[] = {
    { "instructions", "null" },
    { "max_output_tokens", "null" },
    { "metadata", "{}" },
    { "parallel_tool_calls", "true" },
    { "temperature", "null" },
    { "text", "{\"format\": {\"type\": \"text\"}}" },
    { "tool_choice", "\"auto\"" },
    { "tools", "[]" },
    { "top_p", "null" },
    { "user", "null" },
    { "previous_response_id", "null" },
    { "truncation", "\"disabled\"" },
    { "reasoning", "{\"effort\": null, \"summary\": null}" },
  };
  json_t *echo = json_object ();

  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    json_t *value = json_object_get (json, members[i].name);

    if (value != NULL && !json_is_null (value))
      json_object_set (echo, members[i].name, value);
    else
      json_object_set_new (echo, members[i].name,
                           json_loads (members[i].usual, JSON_DECODE_ANY, NULL));
  }
  json_object_set_new (echo, "store", json_false ());
  json_object_set_new (echo, "background", json_false ());
  return echo;
}

PterisQuestion *
pteris_openai_responses_read (const json_t *json, GError **error)
{
  g_autoptr (PterisQuestion) question = pteris_question_new ();
  PterisFields fields;
  gint64 length;

  pteris_fields_begin (&fields, json, NULL, error);
  if (pteris_fields_failed (&fields))
    return NULL;
  pteris_question_read_model (question, &fields);
  read_input (question, &fields);
  pteris_openai_read_sampling (question, &fields);
  pteris_question_read_seed (question, &fields, "seed");
  length = pteris_fields_int (&fields, "max_output_tokens", 1, G_MAXINT, 0);
  if (length > 0)
    question->chat.max_new_tokens = (int) length;
  question->stream = pteris_fields_bool (&fields, "stream", FALSE);
  read_tools (question, &fields);
  pteris_openai_read_tool_choice (question, &fields);
  read_text_options (question, &fields);
  pteris_openai_read_sender (question, &fields);
  refuse_others (&fields);
  if (!pteris_fields_end (&fields))
    return NULL;
  return g_steal_pointer (&question);
}

/* ---- the response ---- */

static json_t *
text_part (const char *text)
{
  return json_pack ("{s:s, s:s, s:[], s:[]}", "type", "output_text", "text", text, "annotations",
                    "logprobs");
}

static json_t *
message_item (const PterisAnswer *self, gboolean complete)
{
  g_autofree char *id = g_strconcat ("msg_", self->id, NULL);
  json_t *item = json_pack ("{s:s, s:s, s:s, s:s, s:[]}", "type", "message", "id", id, "status",
                            !complete                        ? "in_progress"
                            : self->reason == PT_REASON_STOP ? "completed"
                                                             : "incomplete",
                            "role", "assistant", "content");

  if (complete)
    json_array_append_new (json_object_get (item, "content"), text_part (self->text->str));
  return item;
}

static json_t *
thought_part (const char *text)
{
  return json_pack ("{s:s, s:s}", "type", "reasoning_text", "text", text);
}

/* The item with the thought. */
static json_t *
thought_item (const PterisAnswer *self, gboolean complete)
{
  g_autofree char *id = g_strconcat ("rs_", self->id, NULL);
  json_t *item = json_pack ("{s:s, s:s, s:s, s:[], s:[]}", "type", "reasoning", "id", id, "status",
                            complete ? "completed" : "in_progress", "summary", "content");

  if (complete)
    json_array_append_new (json_object_get (item, "content"), thought_part (self->thought->str));
  return item;
}

/* Items with the calls of tools. */
static json_t *
call_items (const PterisAnswer *self)
{
  g_autoptr (json_t) calls = pteris_openai_calls (self->calls, FALSE);
  json_t *items = json_array ();

  for (gsize i = 0; i < json_array_size (calls); i++) {
    json_t *call = json_array_get (calls, i), *function = json_object_get (call, "function");
    g_autofree char *id = pteris_new_id ("fc_");

    json_array_append_new (
        items,
        json_pack ("{s:s, s:s, s:O, s:O, s:O, s:s}", "type", "function_call", "id", id, "call_id",
                   json_object_get (call, "id"), "name", json_object_get (function, "name"),
                   "arguments", json_object_get (function, "arguments"), "status", "completed"));
  }
  return items;
}

/* The response object. @output: consumed; NULL: it has just begun. */
static json_t *
response_json (const PterisAnswer *self, json_t *output)
{
  const Response *more = self->more;
  g_autofree char *id = g_strconcat ("resp_", self->id, NULL);
  gboolean whole = self->reason == PT_REASON_STOP;
  json_t *json = json_pack ("{s:s, s:s, s:I, s:s, s:n, s:n, s:s, s:o, s:n}", "id", id, "object",
                            "response", "created_at", (json_int_t) self->created, "status",
                            output == NULL ? "in_progress"
                            : whole        ? "completed"
                                           : "incomplete",
                            "error", "incomplete_details", "model", self->question->model, "output",
                            output != NULL ? output : json_array (), "usage");
  const PtStats *stats = &self->stats;

  json_object_update (json, more->echo);
  if (output == NULL)
    return json;
  if (!whole)
    json_object_set_new (json, "incomplete_details",
                         json_pack ("{s:s}", "reason", "max_output_tokens"));
  json_object_set_new (json, "usage",
                       json_pack ("{s:i, s:{s:i}, s:i, s:{s:i}, s:i}", "input_tokens",
                                  (int) stats->prompt_tokens, "input_tokens_details",
                                  "cached_tokens", (int) stats->reused_tokens, "output_tokens",
                                  (int) stats->new_tokens, "output_tokens_details",
                                  "reasoning_tokens", (int) stats->thought_tokens, "total_tokens",
                                  (int) (stats->prompt_tokens + stats->new_tokens)));
  return json;
}

/* @json: consumed. */
static void
send_event (PterisAnswer *self, const char *type, json_t *json)
{
  Response *more = self->more;

  json_object_set_new (json, "type", json_string (type));
  json_object_set_new (json, "sequence_number", json_integer (more->sequence++));
  pteris_exchange_send (self->exchange, type, json);
}

/* An event about the text or the thought, whose item has @prefix. */
static void
send_part_event (PterisAnswer *self, const char *prefix, const char *type, const char *name,
                 json_t *value)
{
  const Response *more = self->more;
  g_autofree char *id = g_strconcat (prefix, self->id, NULL);

  send_event (self, type,
              json_pack ("{s:s, s:i, s:i, s:o}", "item_id", id, "output_index", (int) more->n_items,
                         "content_index", 0, name, value));
}

static void
send_text_event (PterisAnswer *self, const char *type, const char *name, json_t *value)
{
  send_part_event (self, "msg_", type, name, value);
}

/* An item of the output begins or ends. @item: consumed. */
static void
send_item (PterisAnswer *self, const char *type, json_t *item)
{
  const Response *more = self->more;

  send_event (self, type,
              json_pack ("{s:i, s:o}", "output_index", (int) more->n_items, "item", item));
}

static void
begin_parts (PterisAnswer *self)
{
  pteris_exchange_begin (self->exchange);
  send_event (self, "response.created",
              json_pack ("{s:o}", "response", response_json (self, NULL)));
  send_event (self, "response.in_progress",
              json_pack ("{s:o}", "response", response_json (self, NULL)));
}

static void
send_thought (PterisAnswer *self, const char *text)
{
  Response *more = self->more;

  if (!more->thinks) {
    more->thinks = TRUE;
    send_item (self, "response.output_item.added", thought_item (self, FALSE));
    send_part_event (self, "rs_", "response.content_part.added", "part", thought_part (""));
  }
  send_part_event (self, "rs_", "response.reasoning_text.delta", "delta", json_string (text));
}

static void
end_thought (PterisAnswer *self)
{
  Response *more = self->more;

  if (!more->thinks)
    return;
  more->thinks = FALSE;
  send_part_event (self, "rs_", "response.reasoning_text.done", "text",
                   json_string (self->thought->str));
  send_part_event (self, "rs_", "response.content_part.done", "part",
                   thought_part (self->thought->str));
  send_item (self, "response.output_item.done", thought_item (self, TRUE));
  more->n_items++;
}

static void
send_text (PterisAnswer *self, const char *text, json_t *logprobs)
{
  Response *more = self->more;
  json_t *delta = json_string (text);

  end_thought (self);
  if (!more->writes) {
    more->writes = TRUE;
    send_item (self, "response.output_item.added", message_item (self, FALSE));
    send_text_event (self, "response.content_part.added", "part", text_part (""));
  }
  send_text_event (self, "response.output_text.delta", "delta", delta);
}

static void
end_text (PterisAnswer *self)
{
  Response *more = self->more;

  send_text_event (self, "response.output_text.done", "text", json_string (self->text->str));
  send_text_event (self, "response.content_part.done", "part", text_part (self->text->str));
  send_item (self, "response.output_item.done", message_item (self, TRUE));
  more->n_items++;
}

static void
send_call (PterisAnswer *self, json_t *item)
{
  Response *more = self->more;
  json_t *id = json_object_get (item, "id"), *arguments = json_object_get (item, "arguments");
  g_autoptr (json_t) begun = json_copy (item);

  json_object_set_new (begun, "arguments", json_string (""));
  json_object_set_new (begun, "status", json_string ("in_progress"));
  send_item (self, "response.output_item.added", json_incref (begun));
  send_event (self, "response.function_call_arguments.delta",
              json_pack ("{s:O, s:i, s:O}", "item_id", id, "output_index", (int) more->n_items,
                         "delta", arguments));
  send_event (self, "response.function_call_arguments.done",
              json_pack ("{s:O, s:i, s:O, s:O}", "item_id", id, "output_index", (int) more->n_items,
                         "name", json_object_get (item, "name"), "arguments", arguments));
  send_item (self, "response.output_item.done", json_incref (item));
  more->n_items++;
}

static void
end (PterisAnswer *self)
{
  Response *more = self->more;
  json_t *output = json_array ();
  g_autoptr (json_t) calls = call_items (self);

  if (self->thought->len > 0)
    json_array_append_new (output, thought_item (self, TRUE));
  if (self->text->len > 0 || self->calls == NULL)
    json_array_append_new (output, message_item (self, TRUE));
  json_array_extend (output, calls);
  if (!self->question->stream) {
    pteris_exchange_answer (self->exchange, 200, response_json (self, output));
    return;
  }
  end_thought (self);
  if (more->writes)
    end_text (self);
  for (gsize i = 0; i < json_array_size (calls); i++)
    send_call (self, json_array_get (calls, i));
  send_event (self, self->reason == PT_REASON_STOP ? "response.completed" : "response.incomplete",
              json_pack ("{s:o}", "response", response_json (self, output)));
  pteris_exchange_end (self->exchange, FALSE);
}

static const PterisAnswerStyle STYLE = { begin_parts, send_text, send_thought, end };

void
pteris_openai_responses (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  g_autoptr (GError) error = NULL;
  PterisQuestion *question = pteris_openai_responses_read (body->json, &error);
  Response *more;

  if (question == NULL) {
    pteris_exchange_fail (exchange, error);
    return;
  }
  more = g_new0 (Response, 1);
  more->echo = make_echo (body->json);
  pteris_answer_begin (serving, exchange, question, &STYLE, more, response_free);
}
