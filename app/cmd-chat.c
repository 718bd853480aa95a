/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris chat: one question, or a conversation on stdin. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "app/cli.h"
#include "engine/base/json.h"

/* The largest file with tools or a schema. */
#define MAX_FILE (4 * 1024 * 1024)

typedef struct {
  char *prompt, *system;
  char **files;
  int max_new_tokens;
  PtSampling sampling;
  char **stop;
  gint64 seed;
  gboolean thinking, no_thinking, lookup;
  char *tools, *json_schema; /* paths */
  int top_logprobs;          /* -1: not asked for */
  char *method;
} ChatOptions;

typedef struct {
  const PterisOptions *common;
  const ChatOptions *options;
  PterisCli *cli;
  GArray *messages; /* PtMessage; texts and files are ours */
  GPtrArray *files; /* paths: they go with the next message */
  GString *written; /* all that the model wrote: its thought, and the answer */
  GString *thought, *answer;
  const char *tools;       /* a JSON list, or NULL */
  const char *json_schema; /* or NULL */
  json_t *logprobs;        /* tokens of the answer, or NULL */
  json_t *calls;           /* calls of tools in the answer, or NULL */
  PtStats stats;
  PtReason reason;
} Chat;

/* Of PtSampling, for the help. */
#define USUAL(name) G_STRINGIFY (PT_USUAL_##name)

/* In a conversation: what follows is a path. */
#define FILE_COMMAND "/file"

static void
clear_message (gpointer data)
{
  PtMessage *message = data;

  g_free ((char *) message->text);
  g_strfreev ((char **) message->files);
}

static void
add_message (Chat *chat, const char *role, const char *text)
{
  PtMessage message = { role, g_utf8_make_valid (text, -1), NULL };

  g_array_append_val (chat->messages, message);
}

/** A message of the user, with the files that were named before it. */
static void
add_question (Chat *chat, const char *text)
{
  add_message (chat, "user", text);
  if (chat->files->len == 0)
    return;
  g_ptr_array_add (chat->files, NULL);
  g_array_index (chat->messages, PtMessage, chat->messages->len - 1).files =
      (const char *const *) g_ptr_array_steal (chat->files, NULL);
}

static gboolean
is_file_command (const char *line)
{
  gsize length = strlen (FILE_COMMAND);

  return strncmp (line, FILE_COMMAND, length) == 0 &&
         (line[length] == '\0' || g_ascii_isspace (line[length]));
}

/** Keep the file that @line names for the next message; FALSE, and said so, when there is none. */
static gboolean
take_file (Chat *chat, const char *line)
{
  g_autofree char *path = NULL, *name = NULL;

  path = g_strstrip (g_strdup (line + strlen (FILE_COMMAND)));
  name = g_filename_display_basename (path);
  if (*path == '\0') {
    pteris_complain ("Name the image or recording to attach: " FILE_COMMAND " PATH");
    return FALSE;
  }
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    pteris_complain ("There is no file “%s”.", path);
    return FALSE;
  }
  g_ptr_array_add (chat->files, g_steal_pointer (&path));
  if (pteris_is_terminal (0))
    pteris_note ("[“%s” is attached to your next message]", name);
  return TRUE;
}

/* A token as OpenAI's interface describes it; null for a probability of 0. */
static json_t *
describe_token (const PtTokenLogprob *token)
{
  g_autofree char *text = g_utf8_make_valid ((const char *) token->bytes, (gssize) token->n_bytes);
  json_t *bytes = json_array ();

  for (guint i = 0; i < token->n_bytes; i++)
    json_array_append_new (bytes, json_integer (token->bytes[i]));
  return json_pack ("{s:s, s:o, s:o}", "token", text, "logprob",
                    isfinite (token->logprob) ? json_real (token->logprob) : json_null (), "bytes",
                    bytes);
}

static void
add_logprobs (Chat *chat, const PtEvent *event)
{
  for (guint i = 0; i < event->n_chosen && chat->logprobs != NULL; i++) {
    const PtChosenToken *chosen = &event->chosen[i];
    json_t *token = describe_token (&chosen->token), *top = json_array ();

    for (guint j = 0; j < chosen->n_top; j++)
      json_array_append_new (top, describe_token (&chosen->top[j]));
    json_object_set_new (token, "top_logprobs", top);
    json_array_append_new (chat->logprobs, token);
  }
}

/* Where JSON is wanted, nothing else is put out. */
static void
take_text (Chat *chat, const PtEvent *event)
{
  g_string_append (chat->written, event->text);
  if (event->part == PT_ANSWER_TEXT)
    g_string_append (chat->answer, event->text);
  if (event->part == PT_ANSWER_THOUGHT)
    g_string_append (chat->thought, event->text);
  if (!chat->common->json && (event->part == PT_ANSWER_TEXT || chat->json_schema == NULL))
    pteris_put (event->text);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Chat *chat = user_data;

  switch (event->kind) {
  case PT_EVENT_TEXT: take_text (chat, event); break;
  case PT_EVENT_STATS: chat->stats = event->stats; break;
  case PT_EVENT_DONE: chat->reason = event->reason; break;
  case PT_EVENT_TOKENS: add_logprobs (chat, event); break;
  case PT_EVENT_TOOL_CALLS: chat->calls = json_loads (event->text, 0, NULL); break;
  default: break;
  }
}

static void
put_json (const Chat *chat, PtReason reason)
{
  const PtStats *s = &chat->stats;
  double prefilled = s->prompt_tokens - s->reused_tokens;
  json_t *json =
      json_pack ("{s:s, s:s, s:{s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:I}}", "text",
                 chat->answer->str, "reason", pt_reason_name (reason), "stats", "prompt_tokens",
                 (int) s->prompt_tokens, "reused_tokens", (int) s->reused_tokens, "new_tokens",
                 (int) s->new_tokens, "context_used", (int) s->context_used, "context_size",
                 (int) s->context_size, "first_token_s", s->first_token_s, "prefill_s",
                 s->prefill_s, "decode_s", s->decode_s, "prefill_tokens_per_s",
                 s->prefill_s > 0 ? prefilled / s->prefill_s : 0.0, "decode_tokens_per_s",
                 s->decode_s > 0 ? s->new_tokens / s->decode_s : 0.0, "resident_bytes",
                 (json_int_t) s->resident_bytes);
  char *text;

  if (chat->thought->len > 0)
    json_object_set_new (json, "thinking", json_string (chat->thought->str));
  if (chat->calls != NULL)
    json_object_set (json, "tool_calls", chat->calls);
  if (chat->logprobs != NULL)
    json_object_set (json, "logprobs", chat->logprobs);
  text = json_dumps (json, JSON_COMPACT | JSON_REAL_PRECISION (9));

  pteris_put_json (text);
  free (text);
  json_decref (json);
}

static void
show_end (const Chat *chat, int status)
{
  const PtStats *s = &chat->stats;

  if (chat->common->json) {
    if (status != PTERIS_EXIT_FAILED)
      put_json (chat, status == PTERIS_EXIT_STOPPED ? PT_REASON_STOPPED : chat->reason);
    return;
  }
  if (chat->written->len > 0 || status == PTERIS_EXIT_DONE)
    pteris_put ("\n");
  if (status == PTERIS_EXIT_DONE && chat->reason == PT_REASON_CONTEXT)
    pteris_complain ("The answer ends here: the context of %u tokens is full.", s->context_size);
  if (status == PTERIS_EXIT_DONE && chat->reason == PT_REASON_LOOP)
    pteris_complain ("The answer was stopped because it repeated itself.");
  if (status == PTERIS_EXIT_DONE && pteris_is_terminal (2) && s->decode_s > 0)
    pteris_note ("[%u prompt tokens, %u from the KV cache, %u generated, %.1f tokens/s]",
                 s->prompt_tokens - s->reused_tokens, s->reused_tokens, s->new_tokens,
                 s->new_tokens / s->decode_s);
}

/** One question and its answer. A question that failed is taken back. */
static int
ask (Chat *chat, const char *text)
{
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);
  int status;

  add_question (chat, text);
  job.chat.messages = (const PtMessage *) (gpointer) chat->messages->data;
  job.chat.n_messages = chat->messages->len;
  job.chat.max_new_tokens = chat->options->max_new_tokens;
  job.chat.sampling = chat->options->sampling;
  job.chat.stop = (const char *const *) chat->options->stop;
  job.chat.seed = (guint64) chat->options->seed;
  job.chat.thinking = chat->options->no_thinking ? PT_THINKING_OFF
                      : chat->options->thinking  ? PT_THINKING_ON
                                                 : PT_THINKING_DEFAULT;
  job.chat.lookup = chat->options->lookup;
  job.chat.tools = chat->tools;
  job.chat.json_schema = chat->json_schema;
  job.chat.logprobs = chat->options->top_logprobs >= 0;
  job.chat.top_logprobs = (guint) MAX (chat->options->top_logprobs, 0);
  g_string_truncate (chat->written, 0);
  g_string_truncate (chat->thought, 0);
  g_string_truncate (chat->answer, 0);
  g_clear_pointer (&chat->calls, json_decref);
  g_clear_pointer (&chat->logprobs, json_decref);
  if (job.chat.logprobs)
    chat->logprobs = json_array ();
  status = pteris_cli_run (chat->cli, &job, on_event, chat);
  show_end (chat, status);
  if (status == PTERIS_EXIT_FAILED)
    g_array_set_size (chat->messages, chat->messages->len - 1);
  else
    add_message (chat, "assistant", chat->written->str);
  return status;
}

static int
talk (Chat *chat)
{
  gboolean person = pteris_is_terminal (0);
  int status = PTERIS_EXIT_DONE;

  for (;;) {
    g_autofree char *line = NULL;
    int end;

    if (person) {
      fputs ("> ", stderr);
      fflush (stderr);
    }
    line = pteris_cli_read_line (&end);
    if (line == NULL) {
      if (person)
        fputc ('\n', stderr);
      return end != PTERIS_EXIT_DONE ? end : status;
    }
    if (g_strstrip (line)[0] == '\0')
      continue;
    if (is_file_command (line)) {
      if (!take_file (chat, line) && !person)
        return PTERIS_EXIT_FAILED;
      continue;
    }
    /* To a person an answer that was stopped or refused is no reason to leave. */
    status = ask (chat, line);
    if (person)
      status = PTERIS_EXIT_DONE;
    else if (status != PTERIS_EXIT_DONE)
      return status;
  }
}

static gboolean
may_be (const PtSampling *sampling, guint field)
{
  double value = pt_sampling_get (sampling, field);

  /* An option that was not given has exactly this value. */
  return (value >= PT_SAMPLING_UNSET && value <= PT_SAMPLING_UNSET) ||
         pt_sampling_may_be (field, value);
}

static int
complain_of (const PtSamplingField *field)
{
  g_autofree char *option = g_strdelimit (g_strdup (field->name), "_", '-');

  return pteris_usage_error ("chat", "--%s must be %s from %g to %g.", option,
                             field->is_whole ? "a whole number" : "a number", field->least,
                             field->most);
}

static int
check (const ChatOptions *options, gboolean json)
{
  if (options->thinking && options->no_thinking)
    return pteris_usage_error ("chat", "Use either --thinking or --no-thinking, not both.");
  if (options->max_new_tokens < -1)
    return pteris_usage_error ("chat", "--max-new-tokens must be 1 or more, or 0 for no limit.");
  if (options->top_logprobs < -1 || options->top_logprobs > PT_MAX_TOP_LOGPROBS)
    return pteris_usage_error ("chat", "--logprobs must be from 0 to %d.", PT_MAX_TOP_LOGPROBS);
  if (options->top_logprobs >= 0 && !json)
    return pteris_usage_error ("chat", "--logprobs needs --json, which shows them.");
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    if (!may_be (&options->sampling, i))
      return complain_of (&PT_SAMPLING_FIELDS[i]);
  return -1;
}

/* Reads a file for the job. Returns an exit status, or -1; also where there is no path. */
static int
read_text (const char *path, char **text)
{
  g_autoptr (GError) error = NULL;
  gsize length;

  if (path == NULL)
    return -1;
  *text = pt_text_load (path, MAX_FILE, &length, &error);
  if (*text != NULL)
    return -1;
  pteris_complain ("%s", error->message);
  return PTERIS_EXIT_FAILED;
}

/* Loads the model, and answers the prompt or the lines of standard input. */
static int
chat_with_model (const PterisOptions *common, const ChatOptions *options, const char *tools,
                 const char *json_schema)
{
  Chat chat = { .common = common, .options = options, .tools = tools, .json_schema = json_schema };
  PtJob load = pteris_options_job (common, PT_JOB_LOAD, common->arguments[0]);
  int status;

  load.model.method = options->method;
  chat.cli = pteris_cli_new (common);
  chat.written = g_string_new (NULL);
  chat.thought = g_string_new (NULL);
  chat.answer = g_string_new (NULL);
  chat.files = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; options->files != NULL && options->files[i] != NULL; i++)
    g_ptr_array_add (chat.files, g_strdup (options->files[i]));
  chat.messages = g_array_new (FALSE, FALSE, sizeof (PtMessage));
  g_array_set_clear_func (chat.messages, clear_message);
  if (options->system != NULL)
    add_message (&chat, "system", options->system);
  status = pteris_cli_run (chat.cli, &load, NULL, NULL);
  if (status == PTERIS_EXIT_DONE)
    status = options->prompt != NULL ? ask (&chat, options->prompt) : talk (&chat);
  pteris_cli_free (chat.cli);
  g_string_free (chat.written, TRUE);
  g_string_free (chat.thought, TRUE);
  g_string_free (chat.answer, TRUE);
  json_decref (chat.calls);
  json_decref (chat.logprobs);
  g_array_unref (chat.messages);
  g_ptr_array_unref (chat.files);
  return status;
}

static void
clear_options (ChatOptions *options)
{
  g_free (options->prompt);
  g_free (options->system);
  g_strfreev (options->files);
  g_strfreev (options->stop);
  g_free (options->method);
  g_free (options->tools);
  g_free (options->json_schema);
}

int
pteris_chat_command (int argc, char **argv)
{
  ChatOptions options = { .max_new_tokens = -1, .top_logprobs = -1, .sampling = PT_SAMPLING_INIT };
  PtSampling *sampling = &options.sampling;
  const GOptionEntry entries[] = {
    { "prompt", 'p', 0, G_OPTION_ARG_FILENAME, &options.prompt, "Answer this prompt and exit",
      "TEXT" },
    { "system", 's', 0, G_OPTION_ARG_FILENAME, &options.system, "System prompt", "TEXT" },
    { "file", 'f', 0, G_OPTION_ARG_FILENAME_ARRAY, &options.files,
      "Image or recording to attach; repeat for several", "PATH" },
    { "max-new-tokens", 'n', 0, G_OPTION_ARG_INT, &options.max_new_tokens,
      "Maximum answer length in tokens; default: up to the end of the context", "N" },
    { "temperature", 't', 0, G_OPTION_ARG_DOUBLE, &sampling->temperature,
      "Sampling temperature, 0 for the most likely token; default: " USUAL (TEMPERATURE), "T" },
    { "top-k", 0, 0, G_OPTION_ARG_DOUBLE, &sampling->top_k,
      "Number of most likely tokens to sample from, 0 for all; default: " USUAL (TOP_K), "N" },
    { "top-p", 0, 0, G_OPTION_ARG_DOUBLE, &sampling->top_p,
      "Sample from the most likely tokens with this total probability; default: " USUAL (TOP_P),
      "P" },
    { "min-p", 0, 0, G_OPTION_ARG_DOUBLE, &sampling->min_p,
      "Minimum probability, relative to the most likely token; default: " USUAL (MIN_P), "P" },
    { "repetition-penalty", 0, 0, G_OPTION_ARG_DOUBLE, &sampling->repetition_penalty,
      "Repetition penalty, 1 for none; default: " USUAL (REPETITION_PENALTY), "P" },
    { "repetition-window", 0, 0, G_OPTION_ARG_DOUBLE, &sampling->repetition_window,
      "Recent tokens that penalties consider, -1 for all; default: " USUAL (REPETITION_WINDOW),
      "N" },
    { "presence-penalty", 0, 0, G_OPTION_ARG_DOUBLE, &sampling->presence_penalty,
      "Penalty for tokens that were already used; default: 0", "P" },
    { "frequency-penalty", 0, 0, G_OPTION_ARG_DOUBLE, &sampling->frequency_penalty,
      "Penalty for each use of a token; default: 0", "P" },
    { "stop", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.stop,
      "End the answer before this text; repeat for several", "TEXT" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Random seed, for reproducible answers",
      "N" },
    { "thinking", 0, 0, G_OPTION_ARG_NONE, &options.thinking,
      "Let the model think before it answers, if it can", NULL },
    { "no-thinking", 0, 0, G_OPTION_ARG_NONE, &options.no_thinking, "Answer without thinking first",
      NULL },
    { "lookup", 0, 0, G_OPTION_ARG_NONE, &options.lookup,
      "Prompt lookup decoding: the same answer, faster where text repeats", NULL },
    { "tools", 0, 0, G_OPTION_ARG_FILENAME, &options.tools,
      "JSON list of tools that the model may call; --json has its calls", "F.json" },
    { "json-schema", 0, 0, G_OPTION_ARG_FILENAME, &options.json_schema,
      "Answer with JSON that this JSON Schema accepts; with --tools, or with a call", "F.json" },
    { "logprobs", 0, 0, G_OPTION_ARG_INT, &options.top_logprobs,
      "With --json, show how likely each token was, and the N likeliest", "N" },
    { "method", 'm', 0, G_OPTION_ARG_FILENAME, &options.method,
      "Method to run, if the model has several (such as with and without LoRA)", "NAME" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  g_autofree char *tools = NULL, *json_schema = NULL;
  int status = pteris_options_parse (
      &common, "chat MODEL",
      "Chat with a model. Without --prompt, each line on standard input is a message; “/file PATH” "
      "attaches an image or a recording to the next one.",
      entries, 1, 1, argc, argv);

  if (status < 0)
    status = check (&options, common.json);
  if (status < 0)
    status = read_text (options.tools, &tools);
  if (status < 0)
    status = read_text (options.json_schema, &json_schema);
  if (status < 0)
    status = chat_with_model (&common, &options, tools, json_schema);
  clear_options (&options);
  return status;
}
