/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * several-gpus MODEL CHATS NUMBER...
 *
 * Answers CHATS conversations of one question each with the text model MODEL (a folder), and prints
 * the answers in their order. Each NUMBER is a GPU; "-" is none, whose conversations are left out.
 * They take turns: with two, the second one answers every other conversation. All work at the same
 * time, each in an engine of its own, without chance. So the answers of GPUs side by side can be
 * compared with those of one alone that answers the same conversations in the same order.
 */

#include <stdio.h>
#include <stdlib.h>

#include <pteris/engine.h>

#define MAX_TOKENS 180

typedef struct {
  PtEngine *engine;
  GPtrArray *answers; /* GString, of this GPU's conversations; the first is of the job that loads */
  guint n_done;
  gboolean failed;
} Gpu;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Gpu *gpu = user_data;

  if (event->kind == PT_EVENT_TEXT)
    g_string_append (gpu->answers->pdata[gpu->n_done], event->text);
  if (event->kind == PT_EVENT_FAILED) {
    fprintf (stderr, "%s\n", event->text);
    gpu->failed = TRUE;
  }
  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
      event->kind == PT_EVENT_STOPPED)
    gpu->n_done++;
}

static void
free_answer (gpointer data)
{
  g_string_free (data, TRUE);
}

static void
submit (Gpu *gpu, const PtJob *job)
{
  g_ptr_array_add (gpu->answers, g_string_new (NULL));
  pt_engine_submit (gpu->engine, job);
}

static void
ask (Gpu *gpu, guint chat)
{
  g_autofree char *text = g_strdup_printf ("Question %u, of its own beginning", chat * 7919);
  const PtMessage message = { .role = "user", .text = text };
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  job.chat.messages = &message;
  job.chat.n_messages = 1;
  job.chat.max_new_tokens = MAX_TOKENS;
  job.chat.sampling.temperature = 0;
  job.chat.raw = TRUE;
  submit (gpu, &job);
}

static void
start (Gpu *gpu, const char *model, int device)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;
  PtJob job = PT_JOB_INIT (PT_JOB_LOAD);

  options.isolation = PT_ISOLATION_NONE;
  gpu->engine = pt_engine_new_with_options (&options, NULL, on_event, gpu);
  gpu->answers = g_ptr_array_new_with_free_func (free_answer);
  job.model.path = model;
  job.model.device = device;
  job.model.trust = PT_TRUST_AS_READ;
  submit (gpu, &job);
}

int
main (int argc, char **argv)
{
  guint n_chats = argc > 3 ? (guint) atoi (argv[2]) : 0, n = argc > 3 ? (guint) argc - 3 : 0;
  g_autofree Gpu *gpus = g_new0 (Gpu, MAX (n, 1));
  gboolean failed = FALSE;

  if (n_chats == 0) {
    fputs ("Usage: several-gpus MODEL CHATS NUMBER...\n", stderr);
    return 2;
  }
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (argv[i + 3], "-") != 0)
      start (&gpus[i], argv[1], atoi (argv[i + 3]));
  for (guint chat = 0; chat < n_chats; chat++)
    if (gpus[chat % n].engine != NULL)
      ask (&gpus[chat % n], chat);
  for (guint i = 0; i < n; i++)
    while (gpus[i].engine != NULL && gpus[i].n_done < gpus[i].answers->len)
      g_main_context_iteration (NULL, TRUE);
  for (guint chat = 0; chat < n_chats; chat++)
    if (gpus[chat % n].engine != NULL) {
      const GString *answer = gpus[chat % n].answers->pdata[1 + chat / n];
      g_autofree char *line = g_strescape (answer->str, NULL);

      printf ("%u %s\n", chat, line);
    }
  for (guint i = 0; i < n; i++)
    if (gpus[i].engine != NULL) {
      failed |= gpus[i].failed;
      pt_engine_free (gpus[i].engine);
      g_ptr_array_unref (gpus[i].answers);
    }
  return failed ? 1 : 0;
}
