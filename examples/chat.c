/* SPDX-License-Identifier: BSD-3-Clause */

/* chat MODEL "QUESTION": prints the answer of a language model while the model writes it. */

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
  case PT_EVENT_TEXT:
    fputs (event->text, stdout);
    fflush (stdout);
    break;
  case PT_EVENT_FAILED: fprintf (stderr, "chat: %s\n", event->text); break;
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

static gboolean
answer (Program *program, const char *model, const char *question)
{
  const PtMessage messages[] = { { .role = "user", .text = question } };
  PtJob load = PT_JOB_INIT (PT_JOB_LOAD), chat = PT_JOB_INIT (PT_JOB_CHAT);

  load.model.path = model;
  chat.chat.messages = messages;
  chat.chat.n_messages = G_N_ELEMENTS (messages);
  chat.chat.sampling = (PtSampling) PT_SAMPLING_GREEDY; /* the same answer every time */
  return run_job (program, &load) && run_job (program, &chat);
}

int
main (int argc, char **argv)
{
  Program program = { 0 };
  gboolean ok;

  if (argc != 3 || !g_utf8_validate (argv[2], -1, NULL)) {
    fputs ("Usage: chat MODEL \"QUESTION\"\n", stderr);
    return 2;
  }
  program.loop = g_main_loop_new (NULL, FALSE);
  program.engine = pt_engine_new (NULL, on_event, &program);
  ok = answer (&program, argv[1], argv[2]);
  if (ok)
    putchar ('\n');
  pt_engine_free (program.engine);
  g_main_loop_unref (program.loop);
  return ok ? 0 : 1;
}
