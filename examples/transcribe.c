/* SPDX-License-Identifier: BSD-3-Clause */

/* transcribe MODEL AUDIO: prints what is said in a recording, a line for each segment. */

#include <stdio.h>

#include <pteris/engine.h>

typedef struct {
  PtEngine *engine;
  GMainLoop *loop;
  gboolean done; /* the last job ended without an error */
} Program;

/* The engine calls this in the main loop, in the thread that runs it. */
static void
on_event (const PtEvent *event, gpointer user_data)
{
  Program *program = user_data;

  switch (event->kind) {
  case PT_EVENT_SEGMENT:
    printf ("%.2f-%.2f %s\n", event->start, event->end, event->text);
    fflush (stdout);
    break;
  case PT_EVENT_FAILED: fprintf (stderr, "transcribe: %s\n", event->text); break;
  case PT_EVENT_DONE: program->done = TRUE; break;
  default: break;
  }
  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
      event->kind == PT_EVENT_STOPPED)
    g_main_loop_quit (program->loop);
}

/* Give @job to the engine and wait for its end. The engine copies what @job points to. */
static gboolean
run_job (Program *program, const PtJob *job)
{
  program->done = FALSE;
  pt_engine_submit (program->engine, job);
  g_main_loop_run (program->loop);
  return program->done;
}

int
main (int argc, char **argv)
{
  Program program = { 0 };
  PtJob load = PT_JOB_INIT (PT_JOB_LOAD), transcribe = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
  gboolean ok;

  if (argc != 3) {
    fputs ("Usage: transcribe MODEL AUDIO\n", stderr);
    return 2;
  }
  program.loop = g_main_loop_new (NULL, FALSE);
  program.engine = pt_engine_new (NULL, on_event, &program);
  load.model.path = argv[1];
  transcribe.speech.audio = argv[2];
  ok = run_job (&program, &load) && run_job (&program, &transcribe);
  pt_engine_free (program.engine);
  g_main_loop_unref (program.loop);
  return ok ? 0 : 1;
}
