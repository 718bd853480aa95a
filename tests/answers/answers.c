/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * answers [SEED...]: 20 questions to the starter model with each preset of the window. Answers that
 * end in a loop or at a limit are listed; more than 2 of 60 for a seed are too many. Takes minutes:
 * meson test --suite answers.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/init.h"
#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/models/model-set.h"
#include "ui/chat/presets.h"

#define SKIPPED 77
#define MOST_BAD 2

static const char *const QUESTIONS[] = {
  "What is the capital of France?",
  "Why is the sky blue? Explain it to a child.",
  "Give me three ideas for a rainy Sunday.",
  "Write a short poem about the sea.",
  "Explain how photosynthesis works.",
  "List five healthy breakfast ideas.",
  "What is the difference between a frog and a toad?",
  "Write a polite email that declines an invitation to a birthday party.",
  "Tell me a short story about a lost dog.",
  "How do I boil an egg?",
  "Who wrote Romeo and Juliet?",
  "Translate \"Good morning\" into French.",
  "Write a Python function that adds two numbers.",
  "What are the planets of the solar system?",
  "Summarise in one sentence: The tide was high when the boats came in. They brought salt, cloth "
  "and "
  "letters for the islands, and they left again in the morning.",
  "Give me a recipe for pancakes.",
  "What is 12 plus 30?",
  "Name three ferns.",
  "How can I sleep better?",
  "Hello! Who are you?",
};

typedef struct {
  PtModelSet *set;
  PtModule *module;
  PtTokenizer *tokenizer;
  guint n, n_bad, tokens;
} Run;

static gboolean
open_model (Run *run, GError **error)
{
  g_autofree char *path = pt_library_find ("smollm2-135m-instruct", NULL, error);

  if (path == NULL)
    return FALSE;
  run->set = pt_model_set_find (path, NULL, NULL, NULL, NULL, error);
  if (run->set == NULL)
    return FALSE;
  run->module =
      pt_module_open (run->set->program, (const char *const *) run->set->data, NULL, error);
  if (run->module == NULL)
    return FALSE;
  run->tokenizer = pt_tokenizer_open (run->set->tokenizer, error);
  return run->tokenizer != NULL;
}

static void
on_text (const char *text, PtAnswerPart part, const PtStats *stats, gpointer user_data)
{
  g_string_append (user_data, text);
}

/* The end of an answer, in a line. */
static void
list_answer (const char *preset, const char *question, PtReason reason, const PtStats *stats,
             GString *text)
{
  const char *end = text->str + (text->len > 80 ? text->len - 80 : 0);
  g_autofree char *shown = NULL;

  while ((guchar) *end >= 0x80 && (guchar) *end < 0xc0)
    end++;
  shown = g_strdelimit (g_strdup (end), "\n", ' ');
  printf ("# %s, %u tokens, %s: %s …%s\n", preset, stats->new_tokens, pt_reason_name (reason),
          question, shown);
}

static void
ask (Run *run, const char *preset, const PterisChatSettings *settings, const char *question,
     guint64 seed)
{
  const PtMessage message = { "user", question };
  const PtChatOptions request = { .messages = &message,
                                  .n_messages = 1,
                                  .max_new_tokens =
                                      settings->max_new_tokens > 0 ? settings->max_new_tokens : -1,
                                  .sampling = settings->sampling,
                                  .seed = seed };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtChat) chat = pt_chat_new (run->module, run->tokenizer, run->set->folder, &error);
  PtReason reason;
  PtStats stats;

  g_assert_no_error (error);
  reason = pt_chat_answer (chat, &request, on_text, text, NULL, &stats, &error);
  g_assert_no_error (error);
  run->n++;
  run->tokens += stats.new_tokens;
  if (reason == PT_REASON_STOP)
    return;
  run->n_bad++;
  list_answer (preset, question, reason, &stats, text);
}

/* All presets, with one seed. */
static gboolean
try_seed (Run *run, guint64 seed)
{
  const char *name;
  PterisChatSettings settings;

  run->n = run->n_bad = run->tokens = 0;
  for (guint i = 0; pteris_presets_get_fixed (i, &name, &settings); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (QUESTIONS); j++)
      ask (run, name, &settings, QUESTIONS[j], seed);
  printf ("# seed %" G_GUINT64_FORMAT
          ": %u of %u answers end in a loop or at a limit; %.0f tokens each\n",
          seed, run->n_bad, run->n, (double) run->tokens / run->n);
  return run->n_bad <= MOST_BAD;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  Run run = { 0 };
  int status = EXIT_SUCCESS;

  pt_init ();
  if (!open_model (&run, &error)) {
    printf ("1..0 # SKIP %s\n", error->message);
    return SKIPPED;
  }
  setvbuf (stdout, NULL, _IOLBF, 0);
  printf ("1..%d\n", MAX (argc - 1, 1));
  for (int i = 1; i < MAX (argc, 2); i++) {
    guint64 seed = argc > 1 ? g_ascii_strtoull (argv[i], NULL, 10) : 1;
    gboolean ok = try_seed (&run, seed);

    printf ("%s %d seed %" G_GUINT64_FORMAT "\n", ok ? "ok" : "not ok", i, seed);
    if (!ok)
      status = EXIT_FAILURE;
  }
  pt_tokenizer_free (run.tokenizer);
  pt_module_free (run.module);
  pt_model_set_free (run.set);
  return status;
}
