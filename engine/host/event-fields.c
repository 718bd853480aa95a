/* SPDX-License-Identifier: BSD-3-Clause */

/* The members of PtEvent, and which of them an event must have. */

#include "engine/host/messages.h"

#include <string.h>

static const PtField word[] = {
  PT_PLAIN (PtWord, start), PT_PLAIN (PtWord, length), PT_PLAIN (PtWord, probability),
  PT_PLAIN (PtWord, from),  PT_PLAIN (PtWord, to),
};
static PT_STRUCT (word_info, PtWord, word, NULL);

static const PtField logprob[] = {
  PT_PLAIN (PtTokenLogprob, id),
  PT_PLAIN (PtTokenLogprob, logprob),
  PT_NUMBERS (PtTokenLogprob, bytes, n_bytes),
};
static PT_STRUCT (logprob_info, PtTokenLogprob, logprob, NULL);

static const PtField chosen[] = {
  PT_INSIDE (PtChosenToken, token, &logprob_info),
  PT_ROWS (PtChosenToken, top, n_top, &logprob_info),
};
static PT_STRUCT (chosen_info, PtChosenToken, chosen, NULL);

static const PtField loaded[] = {
  PT_NAME (PtLoadedModel, name),      PT_NAME (PtLoadedModel, title),
  PT_NAME (PtLoadedModel, task),      PT_TEXT (PtLoadedModel, license),
  PT_PATH (PtLoadedModel, path),      PT_PATHS (PtLoadedModel, data),
  PT_PATH (PtLoadedModel, tokenizer), PT_PLAIN (PtLoadedModel, bytes),
  PT_NAME (PtLoadedModel, device),    PT_PLAIN (PtLoadedModel, load_s),
  PT_BOOL (PtLoadedModel, streams),   PT_PLAIN (PtLoadedModel, context_size),
};

static const char *
check_loaded (gconstpointer self, gconstpointer parent)
{
  return ((const PtLoadedModel *) self)->path == NULL ? "a model has no path" : NULL;
}

static PT_STRUCT (loaded_info, PtLoadedModel, loaded, check_loaded);

static const PtField stats[] = {
  PT_PLAIN (PtStats, prompt_tokens), PT_PLAIN (PtStats, reused_tokens),
  PT_PLAIN (PtStats, new_tokens),    PT_PLAIN (PtStats, context_used),
  PT_PLAIN (PtStats, context_size),  PT_PLAIN (PtStats, first_token_s),
  PT_PLAIN (PtStats, prefill_s),     PT_PLAIN (PtStats, decode_s),
  PT_PLAIN (PtStats, audio_s),       PT_PLAIN (PtStats, audio_total_s),
  PT_PLAIN (PtStats, elapsed_s),     PT_PLAIN (PtStats, resident_bytes),
  PT_PLAIN (PtStats, language),      PT_PLAIN (PtStats, thought_tokens),
};

static const char *
check_stats (gconstpointer self, gconstpointer parent)
{
  const char *language = ((const PtStats *) self)->language;

  if (memchr (language, '\0', sizeof ((PtStats *) 0)->language) == NULL ||
      !g_utf8_validate (language, -1, NULL))
    return "a language has no end";
  return NULL;
}

static PT_STRUCT (stats_info, PtStats, stats, check_stats);

static const PtField host_exit[] = {
  PT_ENUM (PtHostExit, kind, PT_N_HOST_EXITS),
  PT_PLAIN (PtHostExit, code),
  PT_PLAIN (PtHostExit, job),
  PT_TEXT (PtHostExit, detail),
  PT_TEXT (PtHostExit, trace),
  PT_PATH (PtHostExit, report),
};
PT_STRUCT (pt_host_exit_fields, PtHostExit, host_exit, NULL);

static const PtField event_members[] = {
  PT_ENUM (PtEvent, kind, PT_N_EVENTS),
  PT_PLAIN (PtEvent, job),
  PT_TEXT (PtEvent, text),
  PT_PLAIN (PtEvent, fraction),
  PT_ENUM (PtEvent, step, PT_N_STEPS),
  PT_PLAIN (PtEvent, number),
  PT_PLAIN (PtEvent, count),
  PT_PLAIN (PtEvent, start),
  PT_PLAIN (PtEvent, end),
  PT_ROWS (PtEvent, words, n_words, &word_info),
  PT_ROWS (PtEvent, tokens, n_tokens, &word_info),
  PT_NUMBERS (PtEvent, samples, n_samples),
  PT_ROWS (PtEvent, chosen, n_chosen, &chosen_info),
  PT_PLAIN (PtEvent, speaker),
  PT_ENUM (PtEvent, code, PT_N_ERRORS),
  PT_PATH (PtEvent, alternative),
  PT_TEXT (PtEvent, digest),
  PT_ENUM (PtEvent, reason, PT_N_REASONS),
  PT_ONE (PtEvent, host, &pt_host_exit_fields),
  PT_ONE (PtEvent, loaded, &loaded_info),
  PT_ONE (PtEvent, classification, &pt_classification_fields),
  PT_ONE (PtEvent, inspect, &pt_inspect_fields),
  PT_ONE (PtEvent, run, &pt_run_fields),
  PT_ONE (PtEvent, bench, &pt_bench_fields),
  PT_ONE (PtEvent, embedded, &pt_embed_fields),
  PT_ONE (PtEvent, privacy, &pt_privacy_fields),
  PT_ONE (PtEvent, look, &pt_look_fields),
  PT_INSIDE (PtEvent, stats, &stats_info),
  PT_ENUM (PtEvent, part, PT_ANSWER_MARK + 1),
};

/* Words are ranges of bytes in the text. */
static gboolean
words_fit (const PtWord *words, guint n, gsize length)
{
  for (guint i = 0; i < n; i++)
    if (words[i].start > length || words[i].length > length - words[i].start)
      return FALSE;
  return TRUE;
}

static const char *
check_event (gconstpointer self, gconstpointer parent)
{
  const PtEvent *e = self;
  gsize length = e->text != NULL ? strlen (e->text) : 0;

  if (!words_fit (e->words, e->n_words, length) || !words_fit (e->tokens, e->n_tokens, length))
    return "a word lies outside of its text";
  if (e->digest != NULL && *e->digest != '\0' && strlen (e->digest) != 64)
    return "a digest has a wrong length";
  switch (e->kind) {
  case PT_EVENT_TEXT:
  case PT_EVENT_SEGMENT:
  case PT_EVENT_FAILED:
  case PT_EVENT_FALLBACK:
  case PT_EVENT_TOOL_CALLS: return e->text == NULL ? "an event has no text" : NULL;
  case PT_EVENT_LOADED: return e->loaded == NULL ? "an event has no model" : NULL;
  case PT_EVENT_TOKENS: return e->chosen == NULL ? "an event has no tokens" : NULL;
  case PT_EVENT_SAMPLES: return e->samples == NULL ? "an event has no samples" : NULL;
  default: return NULL;
  }
}

PT_STRUCT (pt_event_fields, PtEvent, event_members, check_event);

/* Whether a job of @kind has the report that @event brings. */
static gboolean
has_report (const PtEvent *event, PtJobKind kind)
{
  switch (kind) {
  case PT_JOB_CLASSIFY: return event->classification != NULL;
  case PT_JOB_INSPECT: return event->inspect != NULL;
  case PT_JOB_RUN: return event->run != NULL;
  case PT_JOB_BENCH: return event->bench != NULL;
  case PT_JOB_EMBED: return event->embedded != NULL;
  case PT_JOB_PRIVACY: return event->privacy != NULL;
  case PT_JOB_LOOK: return event->look != NULL;
  default: return FALSE;
  }
}

static guint
n_reports (const PtEvent *event)
{
  return (event->classification != NULL) + (event->inspect != NULL) + (event->run != NULL) +
         (event->bench != NULL) + (event->embedded != NULL) + (event->privacy != NULL) +
         (event->look != NULL);
}

const char *
pt_event_misfit (const PtEvent *event, PtJobKind kind)
{
  gboolean is_report = event->kind == PT_EVENT_REPORT;

  if (n_reports (event) != (is_report ? 1 : 0) || (is_report && !has_report (event, kind)))
    return "a report is missing, or of another kind of job";
  if ((event->loaded != NULL) != (event->kind == PT_EVENT_LOADED) ||
      (event->kind == PT_EVENT_LOADED && kind != PT_JOB_LOAD))
    return "a model is said to be loaded that is not";
  if ((event->kind == PT_EVENT_SEGMENT && kind != PT_JOB_TRANSCRIBE) ||
      ((event->kind == PT_EVENT_TOOL_CALLS || event->kind == PT_EVENT_TOKENS) &&
       kind != PT_JOB_CHAT) ||
      (event->kind == PT_EVENT_SAMPLES && kind != PT_JOB_SPEAK))
    return "an event is of another kind of job";
  if (event->kind == PT_EVENT_FALLBACK)
    return "it decides what the program decides";
  if (event->host != NULL || (event->kind == PT_EVENT_FAILED && event->code == PT_ERROR_HOST))
    return "it reports its own end";
  return NULL;
}
