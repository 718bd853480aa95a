/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/heap.h"
#include "engine/base/set-error.h"
#include "engine/base/system-usage.h"
#include "engine/kernels/cpu.h"
#include "engine/kernels/worker-pool.h"
#include "engine/runtime/module.h"
#include "engine/tasks/llm/llm.h"
#include "engine/tasks/models/backend-choice.h"
#include "engine/tasks/speech/transcribe-job.h"
#include "engine/text/sampler.h"
#include "engine/text/tokenizer.h"

#define DEFAULT_RUNS 5
#define MAX_RUNS 1000
#define PROMPT_TOKENS 128
#define NEW_TOKENS 64
#define WARM_UP_TOKENS 8 /* the graphs of a GPU are recorded within this many tokens */
#define SOUND_SECONDS 30
#define SOUND_RATE 16000

/* A benchmark and the report of its results. */
typedef struct {
  const PtModelSet *set;
  const PtJob *job;
  guint runs;
  PtStepFunc progress;
  gpointer user_data;
  GCancellable *cancellable;
  PtHeap *heap; /* of the report */
  PtBenchReport *report;
} Bench;

typedef struct {
  double values[MAX_RUNS];
} Series;

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (Series *series, guint n)
{
  qsort (series->values, n, sizeof (double), compare_doubles);
  return n % 2 == 1 ? series->values[n / 2]
                    : (series->values[n / 2 - 1] + series->values[n / 2]) / 2;
}

static double
seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

static gboolean
next_run (Bench *bench, guint run, GError **error)
{
  if (g_cancellable_is_cancelled (bench->cancellable))
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  if (bench->progress != NULL)
    bench->progress (PT_STEP_MEASURING, run + 1, bench->runs, bench->user_data);
  return TRUE;
}

static PtModule *
open_module (const Bench *bench, GError **error)
{
  PtMethodOptions options = { .device = bench->job->model.device,
                              .trust = bench->job->model.trust,
                              .exact = bench->job->model.exact };
  g_autoptr (PtModule) module =
      pt_module_open (bench->set->program, (const char *const *) bench->set->data, &options, error);
  PtProgram *program;

  if (module == NULL)
    return NULL;
  program = pt_module_program (module);
  if (!pt_backend_choice_check (bench->job->model.backend, program, error))
    return NULL;
  bench->report->device =
      pt_heap_text (bench->heap, pt_backend_choice_foreign_name (program, options.device));
  return g_steal_pointer (&module);
}

/* ---- chat ---- */

typedef struct {
  Series load, first, prefill, decode;
  gint32 ids[PT_BENCH_MAX_TOKENS]; /* first ids of the last answer */
  guint n_ids;
} ChatSeries;

static gboolean
greedy (PtLlm *llm, PtSampler *sampler, gint32 *id, GError **error)
{
  if (!pt_llm_sample (llm, sampler, pt_llm_width (llm), id, error))
    return FALSE;
  *id = MAX (*id, 0);
  return TRUE;
}

/** How many seconds the phases of one answer took, and its first ids. */
typedef struct {
  double first, prefill, decode;
  gint32 ids[PT_BENCH_MAX_TOKENS];
  guint n_ids;
} ChatAnswer;

/**
 * Reads a made-up prompt that begins with id @start, and writes @n_new tokens. Which tokens these
 * are does not matter here.
 */
static gboolean
answer (Bench *bench, PtLlm *llm, PtSampler *sampler, guint start, guint n_prompt, guint n_new,
        ChatAnswer *result, GError **error)
{
  g_autofree gint32 *ids = g_new (gint32, n_prompt);
  gint64 begin;
  gint32 id;
  guint kept;

  for (guint i = 0; i < n_prompt; i++)
    ids[i] = (gint32) ((i * 37 + start) % MIN (pt_llm_width (llm), 4096));
  if (!pt_llm_rewind (llm, ids, n_prompt, &kept, error))
    return FALSE;
  pt_llm_set_end (llm, n_prompt + n_new);
  begin = g_get_monotonic_time ();
  if (!pt_llm_read (llm, ids + kept, n_prompt - kept, bench->cancellable, error) ||
      !pt_llm_wait (llm, error))
    return FALSE;
  result->prefill = seconds_since (begin);
  if (!greedy (llm, sampler, &id, error))
    return FALSE;
  result->first = seconds_since (begin);
  begin = g_get_monotonic_time ();
  for (guint i = 0; i < n_new; i++) {
    if (i < PT_BENCH_MAX_TOKENS)
      result->ids[i] = id;
    if (!pt_llm_read (llm, &id, 1, bench->cancellable, error) || !greedy (llm, sampler, &id, error))
      return FALSE;
  }
  result->decode = seconds_since (begin);
  result->n_ids = MIN (n_new, PT_BENCH_MAX_TOKENS);
  return TRUE;
}

static gboolean
chat_run (Bench *bench, guint run, ChatSeries *series, guint n_prompt, guint n_new, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (PtModule) module = open_module (bench, error);
  g_autoptr (PtLlm) llm = module != NULL ? pt_llm_new (module, error) : NULL;
  g_autoptr (PtSampler) sampler = NULL;
  ChatAnswer cold, warm;

  if (llm == NULL)
    return FALSE;
  series->load.values[run] = seconds_since (begin);
  sampler = pt_sampler_new (pt_llm_width (llm), error);
  if (sampler == NULL ||
      !answer (bench, llm, sampler, 1, n_prompt, MIN (n_new, WARM_UP_TOKENS), &cold, error) ||
      !answer (bench, llm, sampler, 2, n_prompt, n_new, &warm, error))
    return FALSE;
  series->first.values[run] = cold.first;
  series->prefill.values[run] = warm.prefill;
  series->decode.values[run] = warm.decode;
  memcpy (series->ids, warm.ids, sizeof warm.ids);
  series->n_ids = warm.n_ids;
  return TRUE;
}

/* The number of tokens: @asked, or @usual if that is 0, but at most @most. */
static guint
tokens (guint asked, guint usual, guint most)
{
  return CLAMP (asked > 0 ? asked : usual, 1, MAX (most, 1));
}

static gboolean
bench_chat (Bench *bench, GError **error)
{
  g_autofree ChatSeries *series = g_new0 (ChatSeries, 1);
  g_autoptr (PtModule) module = open_module (bench, error);
  g_autoptr (PtLlm) llm = module != NULL ? pt_llm_new (module, error) : NULL;
  PtBenchReport *report = bench->report;
  guint context, n_prompt, n_new;

  if (llm == NULL)
    return FALSE;
  context = pt_llm_context (llm);
  n_prompt =
      tokens (bench->job->bench.prompt_tokens, MIN (PROMPT_TOKENS, context / 2), context - 1);
  n_new = MIN (tokens (bench->job->bench.new_tokens, NEW_TOKENS, context), context - n_prompt);
  g_clear_pointer (&llm, pt_llm_free);
  g_clear_pointer (&module, pt_module_free);

  for (guint run = 0; run < bench->runs; run++)
    if (!next_run (bench, run, error) || !chat_run (bench, run, series, n_prompt, n_new, error))
      return FALSE;
  report->prompt_tokens = n_prompt;
  report->new_tokens = n_new;
  report->load_s = median (&series->load, bench->runs);
  report->first_token_s = median (&series->first, bench->runs);
  report->prefill_tokens_per_s = n_prompt / median (&series->prefill, bench->runs);
  report->decode_tokens_per_s = n_new / median (&series->decode, bench->runs);
  memcpy (report->tokens, series->ids, sizeof report->tokens);
  report->n_tokens = series->n_ids;
  return TRUE;
}

/* ---- transcription ---- */

typedef struct {
  Series load, encode, decode, elapsed;
  double audio_s;
} SpeechSeries;

static void
put_u32 (guint8 *to, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (to, &value, 4);
}

/** Makes a WAV file with tones that come and go four times a second, about as syllables do. */
static char *
make_sound (GError **error)
{
  const guint32 n = SOUND_SECONDS * SOUND_RATE;
  g_autofree guint8 *file = g_malloc0 (44 + 2 * (gsize) n);
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("pteris-bench-XXXXXX.wav", &path, error);

  if (fd < 0 || !g_close (fd, error))
    return NULL;
  memcpy (file, "RIFF\0\0\0\0WAVEfmt \20\0\0\0\1\0\1\0", 24);
  put_u32 (file + 4, 36 + 2 * n);
  put_u32 (file + 24, SOUND_RATE);
  put_u32 (file + 28, 2 * SOUND_RATE);
  memcpy (file + 32, "\2\0\20\0data", 8);
  put_u32 (file + 40, 2 * n);
  for (guint32 i = 0; i < n; i++) {
    double t = (double) i / SOUND_RATE;
    double loud = pow (sin (2 * G_PI * 2 * t), 2) * (fmod (t, 4) < 3.2 ? 0.2 : 0);
    double tone = sin (2 * G_PI * 140 * t) + 0.6 * sin (2 * G_PI * (600 + 200 * sin (5 * t)) * t) +
                  0.4 * sin (2 * G_PI * 1900 * t);
    gint16 sample = GINT16_TO_LE ((gint16) (loud * tone * 16000));

    memcpy (file + 44 + 2 * (gsize) i, &sample, 2);
  }
  if (!g_file_set_contents (path, (const char *) file, 44 + 2 * (gssize) n, error)) {
    g_unlink (path);
    return NULL;
  }
  return g_steal_pointer (&path);
}

static void
ignore_segment (const PtSegment *segment, gpointer user_data)
{
}

static gboolean
speech_run (Bench *bench, guint run, SpeechSeries *series, const PtTokenizer *tokenizer,
            const char *audio, GError **error)
{
  PtTranscribeOptions options = { bench->job->speech.language != NULL ? bench->job->speech.language
                                                                      : "en",
                                  FALSE };
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (PtModule) module = open_module (bench, error);
  g_autoptr (PtTranscriber) transcriber =
      module != NULL ? pt_transcriber_new (module, tokenizer, NULL, error) : NULL;
  PtTranscribeResult result;

  if (transcriber == NULL)
    return FALSE;
  series->load.values[run] = seconds_since (begin);
  begin = g_get_monotonic_time ();
  if (!pt_transcriber_run (transcriber, &options, audio, ignore_segment, NULL, NULL,
                           bench->cancellable, &result, error))
    return FALSE;
  series->elapsed.values[run] = seconds_since (begin);
  series->encode.values[run] = result.stats.prefill_s;
  series->decode.values[run] = result.stats.decode_s;
  series->audio_s = result.stats.audio_s;
  return TRUE;
}

static gboolean
bench_speech (Bench *bench, GError **error)
{
  g_autofree SpeechSeries *series = g_new0 (SpeechSeries, 1);
  g_autoptr (PtTokenizer) tokenizer = pt_tokenizer_open (bench->set->tokenizer, error);
  g_autofree char *made = NULL;
  const char *audio = bench->job->bench.audio;
  PtBenchReport *report = bench->report;
  gboolean ok = tokenizer != NULL;

  if (ok && audio == NULL) {
    audio = made = make_sound (error);
    ok = made != NULL;
  }
  for (guint run = 0; ok && run < bench->runs; run++)
    ok = next_run (bench, run, error) && speech_run (bench, run, series, tokenizer, audio, error);
  if (made != NULL)
    g_unlink (made);
  if (!ok)
    return FALSE;
  report->load_s = median (&series->load, bench->runs);
  report->audio_s = series->audio_s;
  report->encode_s = median (&series->encode, bench->runs);
  report->decode_s = median (&series->decode, bench->runs);
  report->elapsed_s = median (&series->elapsed, bench->runs);
  report->real_time_factor = series->audio_s > 0 ? report->elapsed_s / series->audio_s : 0;
  return TRUE;
}

static PtBenchReport *
start_report (const PtModelSet *set, guint runs, PtHeap *heap)
{
  PtBenchReport *report = pt_heap_new0 (heap, PtBenchReport, 1);

  report->kind = set->task == PT_TASK_CHAT ? PT_BENCH_CHAT : PT_BENCH_SPEECH;
  report->model = pt_heap_text (heap, set->name);
  report->cpu = pt_heap_text (heap, pt_cpu_name ());
  report->cpu_level = pt_cpu_level_name (pt_cpu_level ());
  report->threads = pt_pool_n_workers (pt_pool_default ());
  report->runs = runs;
  report->bytes = set->bytes;
  return report;
}

PtBenchReport *
pt_bench (const PtModelSet *set, const PtJob *job, PtStepFunc progress, gpointer user_data,
          GCancellable *cancellable, GError **error)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  Bench bench = { set,      job,       CLAMP (job->bench.repeat, 1, MAX_RUNS),
                  progress, user_data, cancellable,
                  heap,     NULL };
  guint64 resident;
  gboolean ok;

  if (job->bench.repeat < 2)
    bench.runs = DEFAULT_RUNS;
  if (set->task != PT_TASK_CHAT && set->task != PT_TASK_TRANSCRIBE) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "“%s” is neither for chat nor for transcription. Use “pteris run” with --repeat to "
             "time a method.",
             set->name);
    return NULL;
  }
  bench.report = start_report (set, bench.runs, heap);
  ok = set->task == PT_TASK_CHAT ? bench_chat (&bench, error) : bench_speech (&bench, error);
  if (!ok)
    return NULL;
  pt_process_memory (&resident, &bench.report->peak_bytes);
  bench.report->owner = g_steal_pointer (&heap);
  return bench.report;
}
