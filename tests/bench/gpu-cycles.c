/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/trust.h>

#include "engine/base/system-usage.h"
#include "engine/cuda/nvml.h"
#include "engine/init.h"
#include "engine/tasks/llm/llm.h"

/*
 * Checks that a text model on a GPU leaks no memory: it is loaded, run and unloaded CYCLES times,
 * and then decodes STEPS tokens. Prints the memory of the GPU and of the process before and after;
 * exit status 1 if it has grown. Then runs three conversations in turn, whose answers must equal
 * those of each conversation alone, and measures the switch between them. No other program may use
 * the GPU meanwhile. Not a test.
 *
 *     gpu-cycles MODEL_DIR [CYCLES [STEPS]]
 */

#define PROMPT 16
#define ANSWER 8 /* enough for graphs */
/* Growth of the first load and the first steps: code of the driver, tables, memory that libraries
   keep. */
#define WARM_CYCLES 5
#define WARM_STEPS 200
/* Conversations, the tokens of each, and how often it is their turn. */
#define CONVERSATIONS 3
#define QUESTION 100
#define TURN 8
#define TURNS 4
/* A process also grows by fragmentation of its heap. */
#define SLACK_PROCESS (16 << 20)

typedef struct {
  guint64 gpu, process;
} Memory;

static PtNvml *nvml;

static void
check (gboolean ok, GError **error)
{
  if (ok)
    return;
  g_printerr ("gpu-cycles: %s\n", *error != NULL ? (*error)->message : "failed");
  exit (2);
}

static Memory
measure (void)
{
  Memory memory = { 0 };
  guint64 peak;
  PtGpu gpu;

  pt_nvml_read (nvml, 0, &gpu);
  if (gpu.memory_used.valid)
    memory.gpu = gpu.memory_used.value;
  pt_process_memory (&memory.process, &peak);
  return memory;
}

static void
report (const char *when, Memory memory)
{
  g_print ("%-28s GPU %9.2f MiB, process %9.2f MiB\n", when, (double) memory.gpu / (1 << 20),
           (double) memory.process / (1 << 20));
}

static gboolean
has_grown (const char *what, Memory from, Memory to, guint64 slack)
{
  gboolean grown = to.gpu > from.gpu || to.process > from.process + slack;

  g_print ("%s: GPU %+.2f MiB, process %+.2f MiB: %s\n", what,
           ((double) to.gpu - (double) from.gpu) / (1 << 20),
           ((double) to.process - (double) from.process) / (1 << 20), grown ? "GROWN" : "ok");
  return grown;
}

static PtModule *
open_model (const char *folder)
{
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *data = g_build_filename (folder, "aoti_cuda_blob.ptd", NULL);
  const char *const paths[] = { data, NULL };
  const PtMethodOptions options = { .trust = PT_TRUST_AS_READ };
  GError *error = NULL;
  PtModule *module = pt_module_open (program, paths, &options, &error);

  check (module != NULL, &error);
  return module;
}

/* Prefills a prompt into an empty cache and decodes @n tokens greedily. */
static void
ask (PtLlm *llm, PtSampler *sampler, guint start, guint n)
{
  gint32 ids[PROMPT], id;
  GError *error = NULL;
  guint kept;

  for (guint i = 0; i < PROMPT; i++)
    ids[i] = (gint32) (start + i);
  check (pt_llm_rewind (llm, ids, PROMPT, &kept, &error) &&
             pt_llm_read (llm, ids + kept, PROMPT - kept, NULL, &error) &&
             pt_llm_sample (llm, sampler, pt_llm_width (llm), &id, &error),
         &error);
  for (guint i = 0; i < n; i++)
    check (pt_llm_read (llm, &id, 1, NULL, &error) &&
               pt_llm_sample (llm, sampler, pt_llm_width (llm), &id, &error),
           &error);
}

static PtLlm *
start_llm (PtModule *module, PtSampler **sampler)
{
  GError *error = NULL;
  PtLlm *llm = pt_llm_new (module, &error);

  check (llm != NULL, &error);
  *sampler = pt_sampler_new (pt_llm_width (llm), &error);
  check (*sampler != NULL, &error);
  return llm;
}

static gboolean
cycle (const char *folder, guint n_cycles)
{
  Memory before = measure (), warm = before, after;

  report ("before the first load", before);
  for (guint i = 0; i < n_cycles; i++) {
    PtModule *module = open_model (folder);
    PtSampler *sampler;
    PtLlm *llm = start_llm (module, &sampler);

    ask (llm, sampler, 1, ANSWER);
    if (i == 0)
      report ("loaded", measure ());
    pt_sampler_free (sampler);
    pt_llm_free (llm);
    pt_module_free (module);
    if (i + 1 == WARM_CYCLES)
      report ("after the first unloads", warm = measure ());
  }
  report ("after all", after = measure ());
  g_print ("GPU memory, against before the first load: %+.2f MiB\n",
           ((double) after.gpu - (double) before.gpu) / (1 << 20));
  return has_grown ("cycles", n_cycles >= WARM_CYCLES ? warm : before, after, SLACK_PROCESS);
}

static gboolean
decode (const char *folder, guint n_steps)
{
  PtModule *module = open_model (folder);
  PtSampler *sampler;
  PtLlm *llm = start_llm (module, &sampler);
  guint chunk = pt_llm_context (llm) - PROMPT, done = MIN (WARM_STEPS, chunk);
  Memory warm, after;

  ask (llm, sampler, 1, done);
  warm = measure ();
  for (guint n, i = 2; done < n_steps; done += n, i++) {
    n = MIN (chunk, n_steps - done);
    ask (llm, sampler, i, n);
  }
  after = measure ();
  report ("after the first steps", warm);
  report ("after all steps", after);
  pt_sampler_free (sampler);
  pt_llm_free (llm);
  pt_module_free (module);
  return has_grown ("steps", warm, after, SLACK_PROCESS);
}

/* ---- conversations ---- */

typedef struct {
  gint32 ids[QUESTION + TURNS * TURN];
  guint n;
} Talk;

static void
begin_talk (Talk *talk, guint which)
{
  for (guint i = 0; i < QUESTION; i++)
    talk->ids[i] = (gint32) (1000 * which + i);
  talk->n = QUESTION;
}

/* Greedily. Returns the seconds until the model was where the conversation had stopped. */
static double
take_turn (PtLlm *llm, PtSampler *sampler, Talk *talk)
{
  gint64 start = g_get_monotonic_time ();
  GError *error = NULL;
  double seconds;
  guint kept;

  check (pt_llm_rewind (llm, talk->ids, talk->n, &kept, &error) && pt_llm_wait (llm, &error),
         &error);
  seconds = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  pt_llm_set_end (llm, talk->n + TURN - 1);
  check (pt_llm_read (llm, talk->ids + kept, talk->n - kept, NULL, &error), &error);
  for (guint i = 0; i < TURN; i++) {
    if (i > 0)
      check (pt_llm_read (llm, &talk->ids[talk->n - 1], 1, NULL, &error), &error);
    check (pt_llm_sample (llm, sampler, pt_llm_width (llm), &talk->ids[talk->n], &error), &error);
    talk->n++;
  }
  return seconds;
}

/* Every one with an empty cache. */
static void
talk_alone (const char *folder, Talk *talks)
{
  for (guint i = 0; i < CONVERSATIONS; i++) {
    PtModule *module = open_model (folder);
    PtSampler *sampler;
    PtLlm *llm = start_llm (module, &sampler);

    begin_talk (&talks[i], i + 1);
    for (guint turn = 0; turn < TURNS; turn++)
      take_turn (llm, sampler, &talks[i]);
    pt_sampler_free (sampler);
    pt_llm_free (llm);
    pt_module_free (module);
  }
}

/* Runs the conversations in turn. Returns the seconds of a switch. */
static double
talk_in_turn (PtLlm *llm, PtSampler *sampler, Talk *talks)
{
  double seconds = 0;

  for (guint i = 0; i < CONVERSATIONS; i++)
    begin_talk (&talks[i], i + 1);
  for (guint turn = 0; turn < TURNS; turn++)
    for (guint i = 0; i < CONVERSATIONS; i++) {
      double change = take_turn (llm, sampler, &talks[i]);

      if (turn == TURNS - 1)
        seconds += change / CONVERSATIONS;
    }
  return seconds;
}

static gboolean
are_same (const Talk *a, const Talk *b)
{
  for (guint i = 0; i < CONVERSATIONS; i++)
    for (guint k = 0; k < a[i].n; k++)
      if (a[i].ids[k] != b[i].ids[k]) {
        g_print ("conversation %u differs from token %u on\n", i, k - QUESTION);
        return FALSE;
      }
  return TRUE;
}

static gboolean
converse (const char *folder)
{
  PtModule *module;
  PtSampler *sampler;
  PtLlm *llm;
  Talk alone[CONVERSATIONS], mixed[CONVERSATIONS];
  double seconds;
  gboolean same;

  talk_alone (folder, alone);
  module = open_model (folder);
  llm = start_llm (module, &sampler);
  pt_llm_keep_conversations (llm, CONVERSATIONS);
  seconds = talk_in_turn (llm, sampler, mixed);
  same = are_same (alone, mixed);
  g_print ("%u conversations in turn: %s; a change takes %.3f ms\n", CONVERSATIONS,
           same ? "the same tokens" : "OTHER TOKENS", seconds * 1e3);
  pt_sampler_free (sampler);
  pt_llm_free (llm);
  pt_module_free (module);
  return same;
}

int
main (int argc, char **argv)
{
  guint n_cycles = argc > 2 ? (guint) atoi (argv[2]) : 50;
  guint n_steps = argc > 3 ? (guint) atoi (argv[3]) : 1000;
  GError *error = NULL;
  gboolean grown, same;

  if (argc < 2 || argc > 4) {
    g_printerr ("usage: gpu-cycles MODEL_DIR [CYCLES [STEPS]]\n");
    return 2;
  }
  pt_init ();
  nvml = pt_nvml_open (&error);
  check (nvml != NULL, &error);
  grown = cycle (argv[1], n_cycles);
  grown = decode (argv[1], n_steps) || grown;
  same = converse (argv[1]);
  pt_nvml_close (nvml);
  return grown || !same ? 1 : 0;
}
