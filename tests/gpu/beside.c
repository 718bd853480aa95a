/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * beside TIMES CASE...
 *
 * Makes the calls of every CASE (a folder with a case.json) TIMES times, each case in an engine of
 * its own, all engines at the same time, and compares all outputs. Every second case is in an
 * engine that gives way. Exit status: 0 when all outputs were right.
 */

#include <stdio.h>
#include <stdlib.h>

#include <pteris/engine.h>

typedef struct {
  const char *folder;
  PtEngine *engine;
  guint n_left;         /* jobs that have not ended */
  guint passed, failed; /* outputs */
} Side;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Side *side = user_data;

  if (event->kind == PT_EVENT_FAILED) {
    fprintf (stderr, "%s: %s\n", side->folder, event->text);
    side->failed++;
  }
  if (event->run != NULL) {
    side->passed += event->run->passed;
    side->failed += event->run->failed;
  }
  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
      event->kind == PT_EVENT_STOPPED)
    side->n_left--;
}

static void
start (Side *side, const char *folder, guint times, gboolean gives_way)
{
  g_autofree char *steps = g_build_filename (folder, "case.json", NULL);
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  options.gives_way = gives_way;
  side->folder = folder;
  side->engine = pt_engine_new_with_options (&options, NULL, on_event, side);
  side->n_left = times;
  job.run.steps = steps;
  job.model.trust = PT_TRUST_AS_READ;
  for (guint i = 0; i < times; i++)
    pt_engine_submit (side->engine, &job);
}

int
main (int argc, char **argv)
{
  guint times = argc > 2 ? (guint) atoi (argv[1]) : 0, n = (guint) argc - 2, failed = 0;
  g_autofree Side *sides = NULL;

  if (times == 0) {
    fputs ("Usage: beside TIMES CASE...\n", stderr);
    return 2;
  }
  sides = g_new0 (Side, n);
  for (guint i = 0; i < n; i++)
    start (&sides[i], argv[i + 2], times, i % 2 == 1);
  for (guint i = 0; i < n; i++)
    while (sides[i].n_left > 0)
      g_main_context_iteration (NULL, TRUE);
  for (guint i = 0; i < n; i++) {
    printf ("%s %s: %u right, %u wrong\n",
            sides[i].failed == 0 && sides[i].passed > 0 ? "ok  " : "FAIL", sides[i].folder,
            sides[i].passed, sides[i].failed);
    failed += sides[i].failed + (sides[i].passed == 0);
    pt_engine_free (sides[i].engine);
  }
  return failed == 0 ? 0 : 1;
}
