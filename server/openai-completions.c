/* SPDX-License-Identifier: BSD-3-Clause */

/* POST /v1/completions: a text that the model continues, without a chat template. */

#include <string.h>

#include "server/answer.h"
#include "server/openai-content.h"
#include "server/openai-usage.h"
#include "server/readers.h"

/* OpenAI's default length of a completion. */
#define USUAL_LENGTH 16
#define MOST_LOGPROBS 5

/* The prompt, where the answer begins with it. */
typedef struct {
  char *echo; /* or NULL */
} Completion;

static void
completion_free (gpointer data)
{
  g_free (((Completion *) data)->echo);
  g_free (data);
}

/* ---- the request ---- */

static void
read_prompt (PterisQuestion *question, PterisFields *fields)
{
  g_autofree const char **texts = NULL;

  pteris_fields_need (fields, "prompt");
  texts = pteris_fields_texts (fields, "prompt", 1);
  if (texts == NULL)
    return;
  if (texts[0] == NULL || *texts[0] == '\0')
    pteris_fields_fail (fields, "prompt", PTERIS_FAULT_VALUE, "is empty.");
  else
    pteris_question_add (question, "user", texts[0], NULL);
  question->chat.raw = TRUE;
}

static void
read_options (PterisQuestion *question, PterisFields *fields)
{
  gint64 logprobs = pteris_fields_int (fields, "logprobs", 0, MOST_LOGPROBS, -1);

  question->chat.max_new_tokens =
      (int) pteris_fields_int (fields, "max_tokens", 1, G_MAXINT, USUAL_LENGTH);
  question->chat.logprobs = logprobs >= 0;
  question->chat.top_logprobs = (guint) MAX (logprobs, 0);
  pteris_fields_refuse (fields, "n", json_integer (1), "one answer is given to each request.");
  pteris_fields_refuse (fields, "best_of", json_integer (1),
                        "one answer is given to each request.");
  pteris_fields_refuse (fields, "suffix", NULL, "models of this server do not fill in.");
}

PterisQuestion *
pteris_openai_completions_read (const json_t *json, char **echo, GError **error)
{
  g_autoptr (PterisQuestion) question = pteris_question_new ();
  PterisFields fields;

  pteris_fields_begin (&fields, json, NULL, error);
  if (pteris_fields_failed (&fields))
    return NULL;
  pteris_question_read_model (question, &fields);
  read_prompt (question, &fields);
  read_options (question, &fields);
  pteris_openai_read_sampling (question, &fields);
  pteris_question_read_stop (question, &fields, "stop");
  pteris_question_read_seed (question, &fields, "seed");
  pteris_openai_read_stream (question, &fields);
  pteris_openai_read_sender (question, &fields);
  if (pteris_fields_bool (&fields, "echo", FALSE) && !pteris_fields_failed (&fields))
    *echo = g_strdup (g_array_index (question->messages, PtMessage, 0).text);
  if (*echo != NULL && question->chat.logprobs)
    pteris_fields_fail (&fields, "echo", PTERIS_FAULT_UNSUPPORTED,
                        "is not supported together with “logprobs”.");
  return pteris_fields_end (&fields) ? g_steal_pointer (&question) : NULL;
}

/* ---- the response ---- */

/* The older form of log probabilities. @offset: characters before the first token. */
static json_t *
old_logprobs (const json_t *list, glong offset)
{
  json_t *tokens = json_array (), *numbers = json_array (), *tops = json_array ();
  json_t *offsets = json_array ();

  for (gsize i = 0; i < json_array_size (list); i++) {
    const json_t *one = json_array_get (list, i), *top = json_object_get (one, "top_logprobs");
    json_t *token = json_object_get (one, "token"), *names = json_object ();

    json_array_append (tokens, token);
    json_array_append (numbers, json_object_get (one, "logprob"));
    for (gsize j = 0; j < json_array_size (top); j++)
      json_object_set (names,
                       json_string_value (json_object_get (json_array_get (top, j), "token")),
                       json_object_get (json_array_get (top, j), "logprob"));
    json_array_append_new (tops, names);
    json_array_append_new (offsets, json_integer (offset));
    offset += g_utf8_strlen (json_string_value (token), -1);
  }
  return json_pack ("{s:o, s:o, s:o, s:o}", "tokens", tokens, "token_logprobs", numbers,
                    "top_logprobs", tops, "text_offset", offsets);
}

static json_t *
make_response (const PterisAnswer *self, const char *text, json_t *logprobs, const char *reason)
{
  g_autofree char *id = g_strconcat ("cmpl-", self->id, NULL);

  return json_pack ("{s:s, s:s, s:I, s:s, s:[{s:s, s:i, s:o, s:s?}]}", "id", id, "object",
                    "text_completion", "created", (json_int_t) self->created, "model",
                    self->question->model, "choices", "text", text, "index", 0, "logprobs",
                    logprobs, "finish_reason", reason);
}

static void
begin_parts (PterisAnswer *self)
{
  Completion *more = self->more;

  pteris_exchange_begin (self->exchange);
  if (more->echo != NULL)
    pteris_exchange_send (self->exchange, NULL,
                          make_response (self, more->echo, json_null (), NULL));
}

static void
send_text (PterisAnswer *self, const char *text, json_t *logprobs)
{
  glong before = g_utf8_strlen (self->text->str, -1) - g_utf8_strlen (text, -1);

  pteris_exchange_send (
      self->exchange, NULL,
      make_response (self, text, logprobs != NULL ? old_logprobs (logprobs, before) : json_null (),
                     NULL));
}

static void
end (PterisAnswer *self)
{
  Completion *more = self->more;
  const char *reason = pteris_answer_reason (self);
  g_autofree char *text = NULL;
  json_t *json;

  if (self->question->stream) {
    pteris_exchange_send (self->exchange, NULL, make_response (self, "", json_null (), reason));
    if (self->question->usage) {
      json = make_response (self, "", json_null (), NULL);
      json_array_clear (json_object_get (json, "choices"));
      json_object_set_new (json, "usage", pteris_openai_usage (&self->stats));
      pteris_exchange_send (self->exchange, NULL, json);
    }
    pteris_exchange_end (self->exchange, TRUE);
    return;
  }
  text = g_strconcat (more->echo != NULL ? more->echo : "", self->text->str, NULL);
  json = make_response (
      self, text, self->logprobs != NULL ? old_logprobs (self->logprobs, 0) : json_null (), reason);
  json_object_set_new (json, "usage", pteris_openai_usage (&self->stats));
  pteris_exchange_answer (self->exchange, 200, json);
}

static const PterisAnswerStyle STYLE = { begin_parts, send_text, NULL, end };

void
pteris_openai_completions (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  g_autoptr (GError) error = NULL;
  Completion *more = g_new0 (Completion, 1);
  PterisQuestion *question = pteris_openai_completions_read (body->json, &more->echo, &error);

  if (question != NULL) {
    pteris_answer_begin (serving, exchange, question, &STYLE, more, completion_free);
    return;
  }
  completion_free (more);
  pteris_exchange_fail (exchange, error);
}
