/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * bench-beside CHAT_MODEL SPEECH_MODEL RECORDING [ROUNDS [TOKENS]]
 *
 * How fast a chat decodes alone and while another engine, which gives way, transcribes; and how
 * fast that goes on meanwhile. The rounds alternate, so that other work on the machine concerns all
 * figures alike. Prints one JSON object with the medians. RECORDING starts anew in each round, and
 * is to be longer than a minute's work.
 */

#include <stdio.h>
#include <stdlib.h>

#include <pteris/engine.h>

#include "tests/bench/bench-figures.h"

#define MAX_ROUNDS 100
/* Whisper reads 30 s of sound at a time, which takes several seconds. */
#define PHASE_S 30

typedef struct {
  PtEngine *engine;
  PtStats stats; /* of the latest job, and the latest event */
  gboolean ended;
} Side;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Side *side = user_data;

  switch (event->kind) {
  case PT_EVENT_STATS: side->stats = event->stats; break;
  case PT_EVENT_FAILED: fprintf (stderr, "bench-beside: %s\n", event->text); exit (1);
  case PT_EVENT_DONE:
  case PT_EVENT_STOPPED: side->ended = TRUE; break;
  default: break;
  }
}

static guint64
begin (Side *side, const PtJob *job)
{
  side->ended = FALSE;
  side->stats = (PtStats){ 0 };
  return pt_engine_submit (side->engine, job);
}

static void
wait_for (const Side *side)
{
  while (!side->ended)
    g_main_context_iteration (NULL, TRUE);
}

static void
load (Side *side, const char *model, gboolean gives_way)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;
  PtJob job = PT_JOB_INIT (PT_JOB_LOAD);

  options.gives_way = gives_way;
  side->engine = pt_engine_new_with_options (&options, NULL, on_event, side);
  job.model.path = model;
  begin (side, &job);
  wait_for (side);
}

static void
add_rate (Figures *figures, double amount, double seconds)
{
  if (seconds > 0)
    figures_add (figures, amount / seconds);
}

/* Answers a question; every time with an empty KV cache, since its first word differs. */
static void
chat (Side *side, int tokens)
{
  static guint number;
  g_autofree char *text = g_strdup_printf ("%u. Tell me a long story about a fern.", number++);
  const PtMessage messages[] = { { .role = "user", .text = text } };
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  job.chat.messages = messages;
  job.chat.n_messages = G_N_ELEMENTS (messages);
  job.chat.sampling = (PtSampling) PT_SAMPLING_GREEDY;
  job.chat.max_new_tokens = tokens;
  begin (side, &job);
  wait_for (side);
}

static double
seconds_since (gint64 time)
{
  return (double) (g_get_monotonic_time () - time) / G_USEC_PER_SEC;
}

/* Answers for PHASE_S, or until @other ends, if there is one. */
static void
answer_for_a_phase (Side *side, int tokens, const Side *other, Figures *figures)
{
  gint64 since = g_get_monotonic_time ();

  while (seconds_since (since) < PHASE_S) {
    chat (side, tokens);
    if (other != NULL && other->ended) {
      fputs ("bench-beside: the recording is too short.\n", stderr);
      return;
    }
    add_rate (figures, side->stats.new_tokens, side->stats.decode_s);
  }
}

/* A transcription that is under way. */
static guint64
transcribe (Side *side, const char *recording)
{
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
  guint64 number;

  job.speech.audio = recording;
  job.speech.language = "en";
  number = begin (side, &job);
  while (side->stats.audio_s <= 0 && !side->ended)
    g_main_context_iteration (NULL, TRUE);
  return number;
}

int
main (int argc, char **argv)
{
  guint rounds = argc > 4 ? (guint) atoi (argv[4]) : 5;
  int tokens = argc > 5 ? atoi (argv[5]) : 200;
  Figures alone = { 0 }, beside = { 0 }, speech_alone = { 0 }, speech_beside = { 0 };
  Side answer = { 0 }, speech = { 0 };

  if (argc < 4 || rounds == 0 || rounds > MAX_ROUNDS || tokens <= 0) {
    fputs ("Usage: bench-beside CHAT_MODEL SPEECH_MODEL RECORDING [ROUNDS [TOKENS]]\n", stderr);
    return 2;
  }
  load (&answer, argv[1], FALSE);
  load (&speech, argv[2], TRUE);
  chat (&answer, tokens); /* reads the weights */
  for (guint i = 0; i < rounds; i++) {
    guint64 job;
    double heard;
    gint64 since;

    answer_for_a_phase (&answer, tokens, NULL, &alone);
    job = transcribe (&speech, argv[3]);
    add_rate (&speech_alone, speech.stats.audio_s, speech.stats.elapsed_s);
    heard = speech.stats.audio_s;
    since = g_get_monotonic_time ();
    answer_for_a_phase (&answer, tokens, &speech, &beside);
    add_rate (&speech_beside, speech.stats.audio_s - heard, seconds_since (since));
    pt_engine_cancel (speech.engine, job);
    wait_for (&speech);
  }
  printf ("{\"chat_alone\": %.1f, \"chat_beside\": %.1f, \"chat_share\": %.2f, "
          "\"speech_alone\": %.2f, \"speech_beside\": %.2f, \"rounds\": %u}\n",
          figures_median (&alone), figures_median (&beside),
          figures_median (&beside) / figures_median (&alone), figures_median (&speech_alone),
          figures_median (&speech_beside), beside.n);
  pt_engine_free (answer.engine);
  pt_engine_free (speech.engine);
  return 0;
}
