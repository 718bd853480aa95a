/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * bench-host PTERIS CHAT_MODEL [ROUNDS [TOKENS]]
 *
 * What a process of its own costs (--isolate): to start it, for each token, and in memory. PTERIS
 * is the program that is started as the host. CHAT_MODEL is to be tiny: the costs are differences
 * to the same jobs in this process. The rounds alternate. Prints one JSON object: the medians of
 * the times, their least ones, which other work on the machine concerns least, and the private
 * memory of the host with the model. Linux.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pteris/engine.h>

#include "tests/bench/bench-figures.h"

#define MAX_ROUNDS 1000

typedef struct {
  PtEngine *engine;
  gboolean ended;
  gint64 ended_at; /* microseconds */
  guint n_texts;
} Side;

/* ---- jobs ---- */

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Side *side = user_data;

  switch (event->kind) {
  case PT_EVENT_TEXT: side->n_texts++; break;
  case PT_EVENT_FAILED: fprintf (stderr, "bench-host: %s\n", event->text); exit (1);
  case PT_EVENT_DONE:
    side->ended = TRUE;
    side->ended_at = g_get_monotonic_time ();
    break;
  default: break;
  }
}

/* Returns how long @job took, in microseconds. */
static double
run (Side *side, const PtJob *job)
{
  gint64 since = g_get_monotonic_time ();

  side->ended = FALSE;
  side->n_texts = 0;
  pt_engine_submit (side->engine, job);
  while (!side->ended)
    g_main_context_iteration (NULL, TRUE);
  return (double) (side->ended_at - since);
}

static double
load (Side *side, const char *model)
{
  PtJob job = PT_JOB_INIT (PT_JOB_LOAD);

  job.model.path = model;
  return run (side, &job);
}

static double
unload (Side *side)
{
  const PtJob job = PT_JOB_INIT (PT_JOB_UNLOAD);

  return run (side, &job);
}

/* Microseconds for each text of an answer; every answer begins with an empty KV cache. */
static double
chat (Side *side, guint number, int tokens)
{
  g_autofree char *text = g_strdup_printf ("%u. Tell me a long story about a fern.", number);
  const PtMessage messages[] = { { .role = "user", .text = text } };
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);
  double elapsed;

  job.chat.messages = messages;
  job.chat.n_messages = G_N_ELEMENTS (messages);
  job.chat.max_new_tokens = tokens;
  job.chat.seed = 5;
  elapsed = run (side, &job);
  return elapsed / MAX (side->n_texts, 1);
}

/* ---- figures ---- */

/* The number after @name in a file of /proc, in KiB. */
static double
number_in (const char *text, const char *name)
{
  const char *at = strstr (text, name);

  return at != NULL ? g_ascii_strtod (at + strlen (name), NULL) : 0;
}

/* Private memory of the only child of this process, in bytes; 0: unknown. */
static double
child_memory (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *task;

  while (tasks != NULL && (task = g_dir_read_name (tasks)) != NULL) {
    g_autofree char *list = g_build_filename ("/proc/self/task", task, "children", NULL);
    g_autofree char *children = NULL, *path = NULL, *text = NULL;

    if (!g_file_get_contents (list, &children, NULL, NULL) || children[0] == '\0')
      continue;
    path = g_strdup_printf ("/proc/%d/smaps_rollup", atoi (children));
    if (g_file_get_contents (path, &text, NULL, NULL))
      return 1024 * (number_in (text, "\nPrivate_Clean:") + number_in (text, "\nPrivate_Dirty:"));
  }
  return 0;
}

static Side *
side_new (PtIsolation isolation, const char *program)
{
  Side *side = g_new0 (Side, 1);
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;

  options.isolation = isolation;
  options.program = program;
  side->engine = pt_engine_new_with_options (&options, NULL, on_event, side);
  return side;
}

int
main (int argc, char **argv)
{
  guint rounds = argc > 3 ? (guint) atoi (argv[3]) : 21;
  int tokens = argc > 4 ? atoi (argv[4]) : 400;
  Figures start_here = { 0 }, start_there = { 0 }, token_here = { 0 }, token_there = { 0 };
  double memory;
  Side *here, *there;

  if (argc < 3 || rounds == 0 || rounds > MAX_ROUNDS || tokens <= 1) {
    fputs ("Usage: bench-host PTERIS CHAT_MODEL [ROUNDS [TOKENS]]\n", stderr);
    return 2;
  }
  here = side_new (PT_ISOLATION_NONE, NULL);
  there = side_new (PT_ISOLATION_ALL, argv[1]);
  load (here, argv[2]);
  load (there, argv[2]);
  for (guint i = 0; i < rounds; i++) {
    unload (here);
    unload (there);
    figures_add (&start_here, load (here, argv[2]));
    figures_add (&start_there, load (there, argv[2]));
  }
  memory = child_memory ();
  for (guint i = 0; i < rounds; i++) {
    figures_add (&token_here, chat (here, i, tokens));
    figures_add (&token_there, chat (there, i, tokens));
  }
  printf ("{\"start_ms\": %.1f, \"least_start_ms\": %.1f, \"token_us\": %.1f, \"least_token_us\": "
          "%.1f, \"token_here_us\": "
          "%.1f, \"host_bytes\": %.0f, "
          "\"rounds\": %u}\n",
          (figures_median (&start_there) - figures_median (&start_here)) / 1000,
          (figures_least (&start_there) - figures_least (&start_here)) / 1000,
          figures_median (&token_there) - figures_median (&token_here),
          figures_least (&token_there) - figures_least (&token_here), figures_median (&token_here),
          memory, rounds);
  pt_engine_free (here->engine);
  pt_engine_free (there->engine);
  g_free (here);
  g_free (there);
  return 0;
}
