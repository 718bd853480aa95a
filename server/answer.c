/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/answer.h"

#include <math.h>
#include <string.h>

#include "engine/base/json.h"
#include "server/errand.h"

/* With these a call of a tool may begin. */
#define CALL_MARKS "<[{`"
/* The least time between two parts of an answer. A model that is faster than a person sees would
 * wake up its client for each token, which then takes the processor from it. */
#define PARTS_US (25 * 1000)

char *
pteris_new_id (const char *prefix)
{
  g_autoptr (GString) id = g_string_new (prefix);

  for (guint i = 0; i < 4; i++)
    g_string_append_printf (id, "%06x", (guint) g_random_int_range (0, 1 << 24));
  return g_string_free (g_steal_pointer (&id), FALSE);
}

static void
answer_free (gpointer data)
{
  PterisAnswer *self = data;

  if (self->more_free != NULL)
    self->more_free (self->more);
  pteris_exchange_unref (self->exchange);
  pteris_question_free (self->question);
  g_string_free (self->text, TRUE);
  g_string_free (self->thought, TRUE);
  g_string_free (self->held, TRUE);
  g_string_free (self->pending, TRUE);
  if (self->send != NULL)
    g_source_destroy (self->send);
  g_clear_pointer (&self->send, g_source_unref);
  json_decref (self->calls);
  json_decref (self->logprobs);
  json_decref (self->unsent);
  g_free (self->id);
  g_free (self);
}

const char *
pteris_answer_reason (const PterisAnswer *self)
{
  if (self->calls != NULL)
    return "tool_calls";
  return self->reason == PT_REASON_STOP ? "stop" : "length";
}

/* ---- log probabilities ---- */

static json_t *
token_json (const PtTokenLogprob *token)
{
  g_autofree char *text = g_utf8_make_valid ((const char *) token->bytes, (gssize) token->n_bytes);
  json_t *bytes = json_array ();

  for (guint i = 0; i < token->n_bytes; i++)
    json_array_append_new (bytes, json_integer (token->bytes[i]));
  /* JSON has no infinity; OpenAI sends this number. */
  return json_pack ("{s:o, s:f, s:o}", "token", pt_json_text (text), "logprob",
                    isfinite (token->logprob) ? token->logprob : -9999.0, "bytes", bytes);
}

static void
take_tokens (PterisAnswer *self, const PtEvent *event)
{
  for (guint i = 0; i < event->n_chosen; i++) {
    const PtChosenToken *chosen = &event->chosen[i];
    json_t *json = token_json (&chosen->token), *top = json_array ();

    for (guint j = 0; j < chosen->n_top; j++)
      json_array_append_new (top, token_json (&chosen->top[j]));
    json_object_set_new (json, "top_logprobs", top);
    json_array_append (self->logprobs, json);
    json_array_append_new (self->unsent, json);
  }
}

/* ---- text ---- */

static void
begin (PterisAnswer *self)
{
  if (self->begun)
    return;
  self->begun = TRUE;
  if (self->question->stream)
    self->style->begin (self);
}

/* Sends what pends. */
static void
send_part (PterisAnswer *self)
{
  g_autoptr (json_t) unsent = NULL;

  if (self->send != NULL)
    g_source_destroy (self->send);
  g_clear_pointer (&self->send, g_source_unref);
  if (self->pending->len == 0)
    return;
  self->sent_us = g_get_monotonic_time ();
  if (self->pends_thought) {
    self->style->thought (self, self->pending->str);
  } else {
    unsent = g_steal_pointer (&self->unsent);
    if (self->logprobs != NULL)
      self->unsent = json_array ();
    self->style->text (self, self->pending->str, unsent);
  }
  g_string_truncate (self->pending, 0);
}

static gboolean
on_send (gpointer self)
{
  send_part (self);
  return G_SOURCE_REMOVE;
}

/* Sends @text, or lets it wait for what comes soon. */
static void
add_part (PterisAnswer *self, const char *text, gboolean is_thought)
{
  gint64 wait;

  if (self->pends_thought != is_thought)
    send_part (self);
  self->pends_thought = is_thought;
  g_string_append (self->pending, text);
  wait = self->sent_us + PARTS_US - g_get_monotonic_time ();
  if (wait <= 0) {
    send_part (self);
  } else if (self->send == NULL) {
    self->send = g_timeout_source_new ((guint) (wait / 1000) + 1);
    g_source_set_callback (self->send, on_send, self, NULL);
    g_source_attach (self->send, g_main_context_get_thread_default ());
  }
}

static void
give_out (PterisAnswer *self, const char *text)
{
  if (*text == '\0')
    return;
  begin (self);
  g_string_append (self->text, text);
  if (self->question->stream)
    add_part (self, text, FALSE);
}

/* Where there are tools, what may be a call is held back until the end says whether it is one. */
static void
take_text (PterisAnswer *self, const char *text)
{
  gsize n = self->question->chat.must_call ? 0 : strcspn (text, CALL_MARKS);
  g_autofree char *before = NULL;

  if (self->question->chat.tools == NULL) {
    give_out (self, text);
    return;
  }
  if (self->held->len > 0) {
    g_string_append (self->held, text);
    return;
  }
  g_string_append (self->held, text + n);
  before = g_strndup (text, n);
  give_out (self, before);
}

/* Log probabilities are those of the answer; those of its thought have just come. */
static void
take_thought (PterisAnswer *self, const char *text, PtAnswerPart part)
{
  json_array_clear (self->logprobs);
  json_array_clear (self->unsent);
  if (part == PT_ANSWER_MARK)
    return;
  begin (self);
  g_string_append (self->thought, text);
  if (self->question->stream && self->style->thought != NULL)
    add_part (self, text, TRUE);
}

static void
take_calls (PterisAnswer *self, const char *text)
{
  json_t *calls = json_loads (text, 0, NULL);

  if (!json_is_array (calls) || json_array_size (calls) == 0) {
    json_decref (calls);
    return;
  }
  while (self->question->one_call && json_array_size (calls) > 1)
    json_array_remove (calls, json_array_size (calls) - 1);
  json_decref (self->calls);
  self->calls = calls;
}

/* ---- events ---- */

static void
take_stats (PterisAnswer *self, const PtStats *stats)
{
  PterisRecord *record = pteris_exchange_record (self->exchange);

  self->stats = *stats;
  record->prompt_tokens = stats->prompt_tokens;
  record->reused_tokens = stats->reused_tokens;
  record->new_tokens = stats->new_tokens;
  record->decode_s = stats->decode_s;
}

static void
end (PterisAnswer *self, const PtEvent *event)
{
  self->reason = event->reason;
  if (self->calls == NULL)
    give_out (self, self->held->str);
  begin (self);
  send_part (self);
  self->style->end (self);
}

static void
on_event (const PtEvent *event, gpointer data)
{
  PterisAnswer *self = data;

  switch (event->kind) {
  case PT_EVENT_TEXT:
    if (event->part == PT_ANSWER_TEXT)
      take_text (self, event->text);
    else
      take_thought (self, event->text, event->part);
    break;
  case PT_EVENT_TOKENS: take_tokens (self, event); break;
  case PT_EVENT_TOOL_CALLS: take_calls (self, event->text); break;
  case PT_EVENT_STATS: take_stats (self, &event->stats); break;
  case PT_EVENT_DONE: end (self, event); break;
  default: break;
  }
}

/* ---- beginning ---- */

/* The limit of the server, unless the request has a lower one. */
static void
limit_length (PterisAnswer *self)
{
  guint most = self->serving->most_tokens;
  int *wanted = &self->question->chat.max_new_tokens;

  if (most > 0 && (*wanted <= 0 || *wanted > (int) most))
    *wanted = (int) most;
}

void
pteris_answer_begin (PterisServing *serving, PterisExchange *exchange, PterisQuestion *question,
                     const PterisAnswerStyle *style, gpointer more, GDestroyNotify more_free)
{
  const PterisErrandNeeds needs = { question->model, "chat", question->user };
  PterisAnswer *self = g_new0 (PterisAnswer, 1);
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  self->style = style;
  self->serving = serving;
  self->exchange = pteris_exchange_ref (exchange);
  self->question = question;
  self->text = g_string_new (NULL);
  self->thought = g_string_new (NULL);
  self->held = g_string_new (NULL);
  self->pending = g_string_new (NULL);
  self->id = pteris_new_id ("");
  self->created = g_get_real_time () / G_USEC_PER_SEC;
  self->begin_us = g_get_monotonic_time ();
  self->more = more;
  self->more_free = more_free;
  if (question->chat.logprobs) {
    self->logprobs = json_array ();
    self->unsent = json_array ();
  }
  limit_length (self);
  job.chat = question->chat;
  job.chat.messages = (const PtMessage *) (gpointer) question->messages->data;
  job.chat.n_messages = question->messages->len;
  pteris_errand_begin (serving, exchange, &needs, &job, on_event, self, answer_free);
}
