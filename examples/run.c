/* SPDX-License-Identifier: BSD-3-Clause */

/* run MODEL INPUT...: calls a program with tensors and prints the report, a JSON text. An input is
 * a .npy or .bin file, or generated: "zeros:", "ones:1,7", "random:", "scalar:3". */

#include <stdio.h>

#include <pteris/engine.h>

typedef struct {
  GMainLoop *loop;
  gboolean done; /* the job ended without an error */
} Program;

/* The engine calls this in the main loop, in the thread that runs it. */
static void
on_event (const PtEvent *event, gpointer user_data)
{
  Program *program = user_data;

  switch (event->kind) {
  case PT_EVENT_REPORT: {
    char *json = pt_run_report_to_json (event->run);

    puts (json);
    g_free (json);
    break;
  }
  case PT_EVENT_FAILED: fprintf (stderr, "run: %s\n", event->text); break;
  case PT_EVENT_DONE: program->done = TRUE; break;
  default: break;
  }
  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
      event->kind == PT_EVENT_STOPPED)
    g_main_loop_quit (program->loop);
}

int
main (int argc, char **argv)
{
  Program program = { 0 };
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  PtEngine *engine;

  if (argc < 2) {
    fputs ("Usage: run MODEL INPUT...\n", stderr);
    return 2;
  }
  program.loop = g_main_loop_new (NULL, FALSE);
  engine = pt_engine_new (NULL, on_event, &program);
  job.model.path = argv[1];
  job.run.inputs = (const char *const *) argv + 2; /* argv ends in NULL */
  pt_engine_submit (engine, &job);
  g_main_loop_run (program.loop);
  pt_engine_free (engine);
  g_main_loop_unref (program.loop);
  return program.done ? 0 : 1;
}
