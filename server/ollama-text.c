/* SPDX-License-Identifier: BSD-3-Clause */

/* Ollama's POST /api/chat and /api/generate. */

#include <string.h>

#include "engine/base/json.h"
#include "server/answer.h"
#include "server/ollama.h"
#include "server/readers.h"

#define MOST_MESSAGES 4096
#define MOST_PICTURES 64

/* How the answer is sent. */
typedef struct {
  gboolean is_chat;
} Shape;

/* ---- the request ---- */

static void
read_options (PterisQuestion *question, PterisFields *fields)
{
  static const struct {
    const char *name, *setting;
  } names[] = {
    { "temperature", "temperature" },
    { "top_k", "top_k" },
    { "top_p", "top_p" },
    { "min_p", "min_p" },
    { "repeat_penalty", "repetition_penalty" },
    { "repeat_last_n", "repetition_window" },
    { "presence_penalty", "presence_penalty" },
    { "frequency_penalty", "frequency_penalty" },
  };
  /* How a program is loaded is decided when it is exported, and by the options of this server. */
  static const char *const of_loading[] = { "num_ctx",  "num_batch", "num_gpu", "main_gpu",
                                            "use_mmap", "use_mlock", "numa",    "num_thread",
                                            "low_vram", "vocab_only" };
  const json_t *options = pteris_fields_object (fields, "options");
  PterisFields inner;
  gint64 length;

  if (options == NULL)
    return;
  pteris_fields_begin (&inner, options, "options", fields->error);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    pteris_question_read_sampling (question, &inner, names[i].name, names[i].setting);
  pteris_question_read_stop (question, &inner, "stop");
  pteris_question_read_seed (question, &inner, "seed");
  /* -1: no limit, -2: to the end of the context. */
  length = pteris_fields_int (&inner, "num_predict", -2, G_MAXINT, -1);
  question->chat.max_new_tokens = length > 0 ? (int) length : 0;
  for (guint i = 0; i < G_N_ELEMENTS (of_loading); i++)
    pteris_fields_skip (&inner, of_loading[i]);
  pteris_fields_refuse (&inner, "num_keep", json_integer (0), "messages are never dropped.");
  pteris_fields_refuse (&inner, "mirostat", json_integer (0), NULL);
  pteris_fields_refuse (&inner, "tfs_z", json_integer (1), NULL);
  pteris_fields_refuse (&inner, "typical_p", json_integer (1), NULL);
  pteris_fields_end (&inner);
}

static void
read_thinking (PterisQuestion *question, PterisFields *fields)
{
  const json_t *think = pteris_fields_any (fields, "think");
  static const char *const levels[] = { "low", "medium", "high", NULL };

  if (think == NULL)
    return;
  if (json_is_boolean (think))
    question->chat.thinking = json_is_true (think) ? PT_THINKING_ON : PT_THINKING_OFF;
  else if (json_is_string (think) && g_strv_contains (levels, json_string_value (think)))
    question->chat.thinking = PT_THINKING_ON;
  else
    pteris_fields_fail (fields, "think", PTERIS_FAULT_TYPE,
                        "must be true, false, “low”, “medium” or “high”.");
}

/* "format": "json", or a JSON Schema. */
static void
read_format (PterisQuestion *question, PterisFields *fields)
{
  const json_t *format = pteris_fields_any (fields, "format");

  if (format == NULL || (json_is_string (format) && json_string_length (format) == 0))
    return;
  if (json_is_object (format))
    question->chat.json_schema = pt_json_steal_text (json_deep_copy (format));
  else if (g_strcmp0 (json_string_value (format), "json") == 0)
    question->chat.json_schema = g_strdup ("{\"type\": \"object\"}");
  else
    pteris_fields_fail (fields, "format", PTERIS_FAULT_VALUE, "must be “json” or a JSON Schema.");
}

static void
read_common (PterisQuestion *question, PterisFields *fields)
{
  pteris_question_read_model (question, fields);
  question->stream = pteris_fields_bool (fields, "stream", TRUE);
  read_options (question, fields);
  read_thinking (question, fields);
  /* When a model is unloaded is decided by the options of this server. */
  pteris_fields_skip (fields, "keep_alive");
  pteris_fields_refuse (fields, "logprobs", json_false (), "use /v1/chat/completions.");
  pteris_fields_refuse (fields, "top_logprobs", json_integer (0), "use /v1/chat/completions.");
  pteris_fields_refuse (fields, "truncate", json_false (), "messages are never dropped.");
  pteris_fields_refuse (fields, "shift", json_false (), "messages are never dropped.");
}

/* "images": pictures as base64. */
static GPtrArray *
read_pictures (PterisQuestion *question, PterisFields *fields)
{
  g_autofree const char **pictures = pteris_fields_texts (fields, "images", MOST_PICTURES);
  g_autofree char *path = pteris_fields_path (fields, "images");
  GPtrArray *files = g_ptr_array_new ();

  for (guint i = 0; pictures != NULL && pictures[i] != NULL; i++) {
    const char *file =
        pteris_data_files_add_base64 (question->files, pictures[i], "image", path, fields->error);

    if (file != NULL)
      g_ptr_array_add (files, (char *) file);
  }
  return files;
}

/* {"function": {"name", "arguments": an object}}, as a list of {"name", "arguments"}. */
static void
append_calls (PterisFields *message, GString *text)
{
  const json_t *calls = pteris_fields_array (message, "tool_calls");
  g_autoptr (json_t) list = json_array ();
  g_autofree char *written = NULL;

  for (gsize i = 0; i < json_array_size (calls); i++) {
    const json_t *function = json_object_get (json_array_get (calls, i), "function");
    json_t *name = json_object_get (function, "name");
    json_t *arguments = json_object_get (function, "arguments");

    if (!json_is_string (name) || (arguments != NULL && !json_is_object (arguments))) {
      pteris_fields_fail (message, "tool_calls", PTERIS_FAULT_VALUE,
                          "must have functions, each with a name and an object with arguments.");
      return;
    }
    json_array_append_new (
        list, json_pack ("{s:O, s:o}", "name", name, "arguments",
                         arguments != NULL ? json_incref (arguments) : json_object ()));
  }
  if (json_array_size (list) == 0)
    return;
  written = pteris_question_calls_text (list);
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append (text, written);
}

static void
read_message (PterisQuestion *question, const json_t *json, const char *path, GError **error)
{
  static const char *const roles[] = { "system", "user", "assistant", "tool", NULL };
  PterisFields message;
  const char *role, *content;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GPtrArray) files = NULL;

  pteris_fields_begin (&message, json, path, error);
  pteris_fields_need (&message, "role");
  role = pteris_fields_text (&message, "role");
  if (role != NULL && !g_strv_contains (roles, role))
    pteris_fields_fail (&message, "role", PTERIS_FAULT_VALUE,
                        "must be “system”, “user”, “assistant” or “tool”.");
  content = pteris_fields_text (&message, "content");
  g_string_append (text, content != NULL ? content : "");
  files = read_pictures (question, &message);
  pteris_fields_text (&message, "thinking");
  pteris_fields_text (&message, "tool_name");
  pteris_fields_text (&message, "tool_call_id");
  if (g_strcmp0 (role, "assistant") == 0)
    append_calls (&message, text);
  if (pteris_fields_end (&message))
    pteris_question_add (question, role, text->str, g_steal_pointer (&files));
}

PterisQuestion *
pteris_ollama_chat_read (const json_t *json, GError **error)
{
  g_autoptr (PterisQuestion) question = pteris_question_new ();
  PterisFields fields;
  const json_t *messages;

  pteris_fields_begin (&fields, json, NULL, error);
  if (pteris_fields_failed (&fields))
    return NULL;
  read_common (question, &fields);
  pteris_fields_need (&fields, "messages");
  messages = pteris_fields_array (&fields, "messages");
  if (json_array_size (messages) > MOST_MESSAGES)
    pteris_fields_fail (&fields, "messages", PTERIS_FAULT_VALUE, "may have at most %d messages.",
                        MOST_MESSAGES);
  for (gsize i = 0; i < json_array_size (messages) && !pteris_fields_failed (&fields); i++) {
    g_autofree char *path = g_strdup_printf ("messages[%u]", (guint) i);

    read_message (question, json_array_get (messages, i), path, error);
  }
  pteris_question_read_tools (question, &fields, "tools");
  read_format (question, &fields);
  if (!pteris_fields_end (&fields))
    return NULL;
  return g_steal_pointer (&question);
}

PterisQuestion *
pteris_ollama_generate_read (const json_t *json, GError **error)
{
  g_autoptr (PterisQuestion) question = pteris_question_new ();
  g_autoptr (GPtrArray) files = NULL;
  PterisFields fields;
  const char *prompt, *system;

  pteris_fields_begin (&fields, json, NULL, error);
  if (pteris_fields_failed (&fields))
    return NULL;
  read_common (question, &fields);
  prompt = pteris_fields_text (&fields, "prompt");
  system = pteris_fields_text (&fields, "system");
  question->chat.raw = pteris_fields_bool (&fields, "raw", FALSE);
  files = read_pictures (question, &fields);
  read_format (question, &fields);
  pteris_fields_refuse (&fields, "suffix", json_string (""),
                        "models of this server do not fill in.");
  pteris_fields_refuse (&fields, "template", json_string (""), "use “raw”: true.");
  pteris_fields_refuse (&fields, "context", json_array (), "use /api/chat.");
  if (question->chat.raw && (system != NULL || files->len > 0))
    pteris_fields_fail (&fields, "raw", PTERIS_FAULT_UNSUPPORTED,
                        "cannot be used together with “system” and “images”.");
  if (!pteris_fields_end (&fields))
    return NULL;
  if (system != NULL && *system != '\0')
    pteris_question_add (question, "system", system, NULL);
  /* Without a prompt, the model is only loaded. */
  if (prompt != NULL && *prompt != '\0')
    pteris_question_add (question, "user", prompt, g_steal_pointer (&files));
  else
    g_array_set_size (question->messages, 0);
  return g_steal_pointer (&question);
}

/* ---- the response ---- */

static json_t *
calls_json (const PterisAnswer *self)
{
  json_t *list = json_array ();

  for (gsize i = 0; i < json_array_size (self->calls); i++)
    json_array_append_new (list, json_pack ("{s:O}", "function", json_array_get (self->calls, i)));
  return list;
}

/* One object of the stream. */
static json_t *
make_part (const PterisAnswer *self, const char *text, const char *thought, gboolean done)
{
  const Shape *shape = self->more;
  g_autofree char *now = pteris_ollama_now ();
  json_t *part = json_pack ("{s:s, s:s, s:b}", "model", self->question->model, "created_at", now,
                            "done", done);

  if (shape->is_chat)
    json_object_set_new (part, "message",
                         json_pack ("{s:s, s:s}", "role", "assistant", "content", text));
  else
    json_object_set_new (part, "response", json_string (text));
  if (*thought != '\0')
    json_object_set_new (shape->is_chat ? json_object_get (part, "message") : part, "thinking",
                         json_string (thought));
  return part;
}

static void
begin_parts (PterisAnswer *self)
{
  pteris_exchange_begin (self->exchange);
}

static void
send_text (PterisAnswer *self, const char *text, json_t *logprobs)
{
  pteris_exchange_send (self->exchange, NULL, make_part (self, text, "", FALSE));
}

static void
send_thought (PterisAnswer *self, const char *text)
{
  pteris_exchange_send (self->exchange, NULL, make_part (self, "", text, FALSE));
}

static void
end (PterisAnswer *self)
{
  const PtStats *stats = &self->stats;
  gboolean stream = self->question->stream;
  json_t *last =
      make_part (self, stream ? "" : self->text->str, stream ? "" : self->thought->str, TRUE);
  json_int_t total = (json_int_t) (g_get_monotonic_time () - self->begin_us) * 1000;
  double worked = stats->prefill_s + stats->decode_s;

  if (self->calls != NULL)
    json_object_set_new (json_object_get (last, "message"), "tool_calls", calls_json (self));
  json_object_set_new (last, "done_reason",
                       json_string (self->reason == PT_REASON_STOP ? "stop" : "length"));
  json_object_set_new (last, "total_duration", json_integer (total));
  json_object_set_new (last, "load_duration",
                       json_integer (MAX (total - (json_int_t) (worked * 1e9), 0)));
  json_object_set_new (last, "prompt_eval_count", json_integer (stats->prompt_tokens));
  json_object_set_new (last, "prompt_eval_duration",
                       json_integer ((json_int_t) (stats->prefill_s * 1e9)));
  json_object_set_new (last, "eval_count", json_integer (stats->new_tokens));
  json_object_set_new (last, "eval_duration", json_integer ((json_int_t) (stats->decode_s * 1e9)));
  if (!stream) {
    pteris_exchange_answer (self->exchange, 200, last);
    return;
  }
  pteris_exchange_send (self->exchange, NULL, last);
  pteris_exchange_end (self->exchange, FALSE);
}

static const PterisAnswerStyle STYLE = { begin_parts, send_text, send_thought, end };

/* A model that is asked nothing. */
typedef struct {
  PterisExchange *exchange;
  char *model;
  gboolean is_chat;
} Nothing;

/* Ollama loads it. This server loads it with the first question. */
static void
answer_nothing (PterisServedModels *models, gpointer data)
{
  Nothing *self = data;
  g_autofree char *now = pteris_ollama_now ();
  g_autoptr (GError) error = NULL;
  json_t *json;

  if (pteris_served_models_find (models, self->model, "model", &error) == NULL) {
    pteris_exchange_fail (self->exchange, error);
  } else {
    json = json_pack ("{s:s, s:s, s:b, s:s}", "model", self->model, "created_at", now, "done", TRUE,
                      "done_reason", "load");
    if (self->is_chat)
      json_object_set_new (json, "message",
                           json_pack ("{s:s, s:s}", "role", "assistant", "content", ""));
    else
      json_object_set_new (json, "response", json_string (""));
    pteris_exchange_answer (self->exchange, 200, json);
  }
  pteris_exchange_unref (self->exchange);
  g_free (self->model);
  g_free (self);
}

static void
begin (PterisServing *serving, PterisExchange *exchange, const PterisBody *body, gboolean is_chat)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisQuestion) question = is_chat ? pteris_ollama_chat_read (body->json, &error)
                                                : pteris_ollama_generate_read (body->json, &error);
  Nothing *nothing;
  Shape *shape;

  if (question == NULL) {
    pteris_exchange_fail (exchange, error);
    return;
  }
  if (question->messages->len == 0) {
    nothing = g_new0 (Nothing, 1);
    nothing->exchange = pteris_exchange_ref (exchange);
    nothing->model = g_strdup (question->model);
    nothing->is_chat = is_chat;
    pteris_served_models_ask (serving->models, answer_nothing, nothing);
    return;
  }
  question->chat.reseed = TRUE;
  shape = g_new0 (Shape, 1);
  shape->is_chat = is_chat;
  pteris_answer_begin (serving, exchange, g_steal_pointer (&question), &STYLE, shape, g_free);
}

void
pteris_ollama_chat (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  begin (serving, exchange, body, TRUE);
}

void
pteris_ollama_generate (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  begin (serving, exchange, body, FALSE);
}
