/* SPDX-License-Identifier: BSD-3-Clause */

/* POST /v1/chat/completions. */

#include <string.h>

#include "server/answer.h"
#include "server/openai-content.h"
#include "server/openai-usage.h"
#include "server/readers.h"

/* ---- the request ---- */

static void
read_length (PterisQuestion *question, PterisFields *fields)
{
  gint64 old = pteris_fields_int (fields, "max_tokens", 1, G_MAXINT, 0);
  gint64 length = pteris_fields_int (fields, "max_completion_tokens", 1, G_MAXINT, old);

  if (old > 0 && length != old)
    pteris_fields_fail (fields, "max_tokens", PTERIS_FAULT_VALUE,
                        "and “max_completion_tokens” differ. Use the second one only.");
  if (length > 0)
    question->chat.max_new_tokens = (int) length;
}

static void
read_logprobs (PterisQuestion *question, PterisFields *fields)
{
  question->chat.logprobs = pteris_fields_bool (fields, "logprobs", FALSE);
  question->chat.top_logprobs =
      (guint) pteris_fields_int (fields, "top_logprobs", 0, PT_MAX_TOP_LOGPROBS, 0);
  if (question->chat.top_logprobs > 0 && !question->chat.logprobs)
    pteris_fields_fail (fields, "top_logprobs", PTERIS_FAULT_VALUE, "needs “logprobs”: true.");
}

/* What other servers and OpenAI's have, and this one does not. */
static void
refuse_others (PterisFields *fields)
{
  pteris_fields_refuse (fields, "n", json_integer (1), "one answer is given to each request.");
  pteris_fields_refuse (fields, "audio", NULL, "use /v1/audio/speech.");
  pteris_fields_refuse (fields, "modalities", json_pack ("[s]", "text"),
                        "answers are text. Use /v1/audio/speech.");
  pteris_fields_refuse (fields, "functions", NULL, "use “tools”.");
  pteris_fields_refuse (fields, "function_call", NULL, "use “tool_choice”.");
  pteris_fields_refuse (fields, "prediction", NULL, NULL);
  pteris_fields_refuse (fields, "web_search_options", NULL, "this server fetches nothing.");
  pteris_fields_refuse (fields, "verbosity", json_string ("medium"), NULL);
  if (g_strcmp0 (pteris_fields_text (fields, "service_tier"), "default") != 0)
    pteris_fields_refuse (fields, "service_tier", json_string ("auto"), NULL);
}

PterisQuestion *
pteris_openai_chat_read (const json_t *json, GError **error)
{
  g_autoptr (PterisQuestion) question = pteris_question_new ();
  PterisFields fields;

  pteris_fields_begin (&fields, json, NULL, error);
  if (pteris_fields_failed (&fields))
    return NULL;
  pteris_question_read_model (question, &fields);
  pteris_openai_read_messages (question, &fields);
  pteris_openai_read_sampling (question, &fields);
  pteris_question_read_stop (question, &fields, "stop");
  pteris_question_read_seed (question, &fields, "seed");
  read_length (question, &fields);
  read_logprobs (question, &fields);
  pteris_openai_read_stream (question, &fields);
  pteris_question_read_tools (question, &fields, "tools");
  pteris_openai_read_tool_choice (question, &fields);
  pteris_openai_read_format (question, pteris_fields_object (&fields, "response_format"),
                             "response_format", FALSE, error);
  pteris_openai_read_effort (question, &fields, "reasoning_effort");
  pteris_openai_read_sender (question, &fields);
  refuse_others (&fields);
  if (!pteris_fields_end (&fields))
    return NULL;
  return g_steal_pointer (&question);
}

/* ---- the response ---- */

static json_t *
make_part (const PterisAnswer *self, json_t *delta, const char *reason, json_t *logprobs)
{
  g_autofree char *id = g_strconcat ("chatcmpl-", self->id, NULL);
  json_t *part = json_pack (
      "{s:s, s:s, s:I, s:s, s:[{s:i, s:o, s:s?, s:o}]}", "id", id, "object",
      "chat.completion.chunk", "created", (json_int_t) self->created, "model",
      self->question->model, "choices", "index", 0, "delta", delta, "finish_reason", reason,
      "logprobs",
      logprobs != NULL ? json_pack ("{s:O, s:n}", "content", logprobs, "refusal") : json_null ());

  if (self->question->usage)
    json_object_set_new (part, "usage", json_null ());
  return part;
}

static void
begin_parts (PterisAnswer *self)
{
  pteris_exchange_begin (self->exchange);
  pteris_exchange_send (
      self->exchange, NULL,
      make_part (self, json_pack ("{s:s, s:s}", "role", "assistant", "content", ""), NULL, NULL));
}

static void
send_text (PterisAnswer *self, const char *text, json_t *logprobs)
{
  pteris_exchange_send (self->exchange, NULL,
                        make_part (self, json_pack ("{s:s}", "content", text), NULL, logprobs));
}

/* The member is DeepSeek's and llama.cpp's: OpenAI shows no thoughts here. */
static void
send_thought (PterisAnswer *self, const char *text)
{
  pteris_exchange_send (
      self->exchange, NULL,
      make_part (self, json_pack ("{s:s}", "reasoning_content", text), NULL, NULL));
}

static void
end_parts (PterisAnswer *self)
{
  json_t *usage;

  if (self->calls != NULL)
    pteris_exchange_send (
        self->exchange, NULL,
        make_part (self, json_pack ("{s:o}", "tool_calls", pteris_openai_calls (self->calls, TRUE)),
                   NULL, NULL));
  pteris_exchange_send (self->exchange, NULL,
                        make_part (self, json_object (), pteris_answer_reason (self), NULL));
  if (self->question->usage) {
    usage = make_part (self, json_object (), NULL, NULL);
    json_array_clear (json_object_get (usage, "choices"));
    json_object_set_new (usage, "usage", pteris_openai_usage (&self->stats));
    pteris_exchange_send (self->exchange, NULL, usage);
  }
  pteris_exchange_end (self->exchange, TRUE);
}

static void
end_whole (PterisAnswer *self)
{
  g_autofree char *id = g_strconcat ("chatcmpl-", self->id, NULL);
  json_t *message = json_pack ("{s:s, s:s?, s:n, s:[]}", "role", "assistant", "content",
                               self->calls != NULL && self->text->len == 0 ? NULL : self->text->str,
                               "refusal", "annotations");
  json_t *logprobs = self->logprobs != NULL
                         ? json_pack ("{s:O, s:n}", "content", self->logprobs, "refusal")
                         : json_null ();

  if (self->thought->len > 0)
    json_object_set_new (message, "reasoning_content", json_string (self->thought->str));
  if (self->calls != NULL)
    json_object_set_new (message, "tool_calls", pteris_openai_calls (self->calls, FALSE));
  pteris_exchange_answer (self->exchange, 200,
                          json_pack ("{s:s, s:s, s:I, s:s, s:[{s:i, s:o, s:s, s:o}], s:o}", "id",
                                     id, "object", "chat.completion", "created",
                                     (json_int_t) self->created, "model", self->question->model,
                                     "choices", "index", 0, "message", message, "finish_reason",
                                     pteris_answer_reason (self), "logprobs", logprobs, "usage",
                                     pteris_openai_usage (&self->stats)));
}

static void
end (PterisAnswer *self)
{
  if (self->question->stream)
    end_parts (self);
  else
    end_whole (self);
}

static const PterisAnswerStyle STYLE = { begin_parts, send_text, send_thought, end };

void
pteris_openai_chat (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  g_autoptr (GError) error = NULL;
  PterisQuestion *question = pteris_openai_chat_read (body->json, &error);

  if (question != NULL)
    pteris_answer_begin (serving, exchange, question, &STYLE, NULL, NULL);
  else
    pteris_exchange_fail (exchange, error);
}
