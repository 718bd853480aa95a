/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/fallback.h"

#include <string.h>

#include "engine/job-copy.h"

void
pt_shown_init (PtShown *self)
{
  *self = (PtShown){ .text = g_string_new (NULL) };
}

void
pt_shown_clear (PtShown *self)
{
  g_string_free (self->text, TRUE);
  self->text = NULL;
}

/* ---- events ---- */

/* The prompt of an answer that goes on has its beginning, too, which was never asked for. */
static void
add_stats (PtStats *stats, const PtStats *before)
{
  if (before->prompt_tokens > 0)
    stats->prompt_tokens = before->prompt_tokens;
  if (before->first_token_s > 0)
    stats->first_token_s = before->first_token_s;
  stats->new_tokens += before->new_tokens;
  stats->thought_tokens += before->thought_tokens;
  stats->prefill_s += before->prefill_s;
  stats->decode_s += before->decode_s;
  stats->elapsed_s += before->elapsed_s;
}

void
pt_shown_take (PtShown *self, PtEvent *event)
{
  switch (event->kind) {
  case PT_EVENT_TEXT: g_string_append (self->text, event->text); break;
  case PT_EVENT_SEGMENT:
    g_string_truncate (self->text, 0);
    self->n_segments++;
    self->end = event->end;
    break;
  case PT_EVENT_STATS:
    if (self->goes_on)
      add_stats (&event->stats, &self->before);
    self->stats = event->stats;
    break;
  case PT_EVENT_DONE:
    if (event->reason == PT_REASON_NO_SPEECH && self->n_segments > 0)
      event->reason = PT_REASON_STOP;
    break;
  default: break;
  }
}

/* ---- going on ---- */

/* The last message becomes, or is followed by, the answer so far. */
static PtJob *
continue_answer (const PtShown *self, const PtJob *job)
{
  const PtChatOptions *chat = &job->chat;
  const PtMessage *last = &chat->messages[chat->n_messages - 1];
  gboolean is_begun = chat->raw || strcmp (last->role, "assistant") == 0;
  guint n = is_begun ? chat->n_messages : chat->n_messages + 1;
  g_autofree PtMessage *messages = g_new0 (PtMessage, n);
  g_autofree char *text = g_strconcat (is_begun ? last->text : "", self->text->str, NULL);
  PtJob next = *job;

  memcpy (messages, chat->messages, chat->n_messages * sizeof *messages);
  if (!is_begun)
    messages[n - 1].role = "assistant";
  messages[n - 1].text = text;
  next.chat.messages = messages;
  next.chat.n_messages = n;
  if (chat->max_new_tokens > 0)
    next.chat.max_new_tokens = MAX (chat->max_new_tokens - (int) self->stats.new_tokens, 1);
  return pt_job_copy (&next, NULL);
}

/* Windows without speech have no segments: they are not read again. */
static PtJob *
continue_transcript (const PtShown *self, const PtJob *job)
{
  PtJob next = *job;

  next.speech.start = MAX (job->speech.start, MAX (self->end, self->stats.audio_s));
  if (job->speech.language == NULL && self->stats.language[0] != '\0')
    next.speech.language = self->stats.language;
  return pt_job_copy (&next, NULL);
}

/* The text of a call leaves out the tokens that mark it, and what was read from standard input
 * cannot be read again. */
static gboolean
can_go_on (const PtShown *self, const PtJob *job)
{
  if (job->kind == PT_JOB_TRANSCRIBE)
    return self->text->len == 0 && g_strcmp0 (job->speech.audio, "-") != 0;
  return job->kind != PT_JOB_CHAT || self->text->len == 0 || job->chat.tools == NULL;
}

PtJob *
pt_shown_go_on (PtShown *self, const PtJob *job)
{
  if (!can_go_on (self, job))
    return NULL;
  self->before = self->stats;
  self->goes_on = TRUE;
  if (job->kind == PT_JOB_TRANSCRIBE)
    return continue_transcript (self, job);
  if (job->kind == PT_JOB_CHAT && self->text->len > 0)
    return continue_answer (self, job);
  return pt_job_copy (job, NULL);
}
