/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * soak MINUTES [PROGRAM CHAT_MODEL SPEECH_MODEL RECORDING [SEED]]
 *
 * Loads, chats, transcribes, cancels and unloads at random, with two engines at the same time, in
 * this process and in processes of the models, which are also killed. A third engine keeps its
 * model, in a process of its own, to the end. After each round the two engines are empty, and
 * memory, descriptors, threads and GPU memory are measured. Whatever grows over the last three
 * quarters of the time is a leak: the slope of the least squares line is above its error, and the
 * growth above what an allocator may do. Prints the slopes; fails when there is a leak, when a job
 * ends in no or a wrong way, or when a process is left. Linux.
 *
 * The caches that malloc keeps for each thread fill for hours. They look like a small leak; to see
 * without them: GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1
 * G_SLICE=always-malloc
 */
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <pteris/engine.h>
#include <pteris/stats.h>

#include "engine/base/sanitizer.h"

#define MAX_SAMPLES 20000
/* Jobs of a round, for both engines together. */
#define MIN_JOBS 2
#define MAX_JOBS 9

typedef struct {
  PtEngine *engine;
  const char *model;
  gboolean speaks; /* its model transcribes */
  gboolean loaded;
  guint64 job; /* the last submitted */
  guint n_submitted, n_ended;
} Side;

typedef enum { MEMORY, HOST_MEMORY, DESCRIPTORS, THREADS, GPU_MEMORY, N_QUANTITIES } Quantity;

static const struct {
  const char *name, *unit;
  double least; /* growth that counts */
} QUANTITIES[] = {
  [MEMORY] = { "memory", "bytes", 4e6 },
  [HOST_MEMORY] = { "memory of a model's process", "bytes", 4e6 },
  [DESCRIPTORS] = { "descriptors", "", 1.5 },
  [THREADS] = { "threads", "", 1.5 },
  [GPU_MEMORY] = { "GPU memory", "bytes", 16e6 },
};

typedef struct {
  double at[MAX_SAMPLES];
  double values[N_QUANTITIES][MAX_SAMPLES];
  guint n;
} Samples;

static Samples samples;
static GRand *chance;
static const char *recording;
static guint n_jobs[PT_N_JOBS], n_killed, n_cancelled, n_rounds;

/* ---- jobs ---- */

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Side *side = user_data;

  if (event->kind == PT_EVENT_LOADED)
    side->loaded = TRUE;
  if (event->kind == PT_EVENT_FAILED && event->code == PT_ERROR_HOST)
    side->loaded = FALSE;
  else if (event->kind == PT_EVENT_FAILED && event->code != PT_ERROR_STATE) {
    fprintf (stderr, "soak: a job failed: %s\n", event->text);
    exit (1);
  }
  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
      event->kind == PT_EVENT_STOPPED)
    side->n_ended++;
}

static void
submit (Side *side, const PtJob *job)
{
  side->job = pt_engine_submit (side->engine, job);
  side->n_submitted++;
  n_jobs[job->kind]++;
}

static void
load (Side *side)
{
  PtJob job = PT_JOB_INIT (PT_JOB_LOAD);

  job.model.path = side->model;
  submit (side, &job);
}

static void
unload (Side *side)
{
  const PtJob job = PT_JOB_INIT (PT_JOB_UNLOAD);

  submit (side, &job);
  side->loaded = FALSE;
}

static void
use (Side *side)
{
  g_autofree char *text = g_strdup_printf ("%u. Tell me.", g_rand_int (chance) % 1000);
  const PtMessage messages[] = { { .role = "user", .text = text } };
  PtJob job = PT_JOB_INIT (side->speaks ? PT_JOB_TRANSCRIBE : PT_JOB_CHAT);

  if (side->speaks) {
    job.speech.audio = recording;
    job.speech.language = "en";
  } else {
    job.chat.messages = messages;
    job.chat.n_messages = G_N_ELEMENTS (messages);
    job.chat.max_new_tokens = g_rand_int_range (chance, 1, 80);
    job.chat.seed = g_rand_int (chance);
  }
  submit (side, &job);
}

static gboolean
on_late (gpointer late)
{
  *(gboolean *) late = TRUE;
  return G_SOURCE_REMOVE;
}

/* Waits until @side has at most @open jobs; ends the program if none ends for minutes. */
static void
wait_for (Side *side, guint open)
{
  while (side->n_submitted - side->n_ended > open) {
    guint ended = side->n_ended;
    gboolean late = FALSE;
    guint timer = g_timeout_add_seconds (600, on_late, &late);

    while (side->n_ended == ended && !late)
      g_main_context_iteration (NULL, TRUE);
    if (late) {
      fputs ("soak: a job does not end.\n", stderr);
      exit (1);
    }
    g_source_remove (timer);
  }
}

/* ---- processes ---- */

/* Processes that this one has started, without @spared. */
static GArray *
children (GPid spared)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (GPid));
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *task;

  while (tasks != NULL && (task = g_dir_read_name (tasks)) != NULL) {
    g_autofree char *path = g_build_filename ("/proc/self/task", task, "children", NULL);
    g_autofree char *text = NULL;
    g_auto (GStrv) words = NULL;

    if (!g_file_get_contents (path, &text, NULL, NULL))
      continue;
    words = g_strsplit (g_strstrip (text), " ", -1);
    for (guint i = 0; words[i] != NULL; i++) {
      GPid pid = atoi (words[i]);

      if (pid > 0 && pid != spared)
        g_array_append_val (found, pid);
    }
  }
  return found;
}

/* A model's process ends whenever that is. */
static void
kill_one (GPid spared)
{
  g_autoptr (GArray) found = children (spared);

  if (found->len == 0)
    return;
  kill (g_array_index (found, GPid, g_rand_int (chance) % found->len), SIGKILL);
  n_killed++;
}

/* ---- figures ---- */

/* The numbers after @name in @text, in KiB, added. */
static double
kib_after (const char *text, const char *name)
{
  const char *at = strstr (text, name);

  return at != NULL ? 1024 * g_ascii_strtod (at + strlen (name), NULL) : 0;
}

static double
private_memory (GPid pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/smaps_rollup", pid);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  return kib_after (text, "\nPrivate_Clean:") + kib_after (text, "\nPrivate_Dirty:");
}

static double
count_entries (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static double
gpu_memory (void)
{
  g_autoptr (PtMachineStats) stats = pt_stats_read ();
  double used = 0;

  for (guint i = 0; stats != NULL && i < stats->n_gpus; i++)
    used += (double) stats->gpus[i].memory_used;
  return used;
}

static void
measure (gint64 since, GPid old_host)
{
  guint i = samples.n;

  if (i == MAX_SAMPLES)
    return;
  malloc_trim (0);
  samples.at[i] = (double) (g_get_monotonic_time () - since) / G_USEC_PER_SEC;
  samples.values[MEMORY][i] = private_memory (getpid ());
  samples.values[HOST_MEMORY][i] = private_memory (old_host);
  samples.values[DESCRIPTORS][i] = count_entries ("/proc/self/fd");
  samples.values[THREADS][i] = count_entries ("/proc/self/task");
  samples.values[GPU_MEMORY][i] = gpu_memory ();
  samples.n++;
}

/* The least squares line over the samples from @first on. */
static void
fit (const double *values, guint first, double *slope, double *error, double *mean)
{
  guint n = samples.n - first;
  double t = 0, y = 0, tt = 0, ty = 0, rest = 0;

  for (guint i = first; i < samples.n; i++) {
    t += samples.at[i] / n;
    y += values[i] / n;
  }
  for (guint i = first; i < samples.n; i++) {
    tt += (samples.at[i] - t) * (samples.at[i] - t);
    ty += (samples.at[i] - t) * (values[i] - y);
  }
  *slope = tt > 0 ? ty / tt : 0;
  for (guint i = first; i < samples.n; i++) {
    double off = values[i] - y - *slope * (samples.at[i] - t);

    rest += off * off;
  }
  *error = n > 2 && tt > 0 ? sqrt (rest / (n - 2) / tt) : 0;
  *mean = y;
}

/* TRUE: nothing grows. */
static gboolean
report (void)
{
  guint first = samples.n / 4;
  double seconds = samples.n > 0 ? samples.at[samples.n - 1] - samples.at[first] : 0;
  gboolean good = TRUE;

  printf ("# %u rounds in %.0f s; jobs: %u loads, %u chats, %u transcriptions, %u unloads; %u "
          "cancelled, %u processes killed\n",
          n_rounds, samples.n > 0 ? samples.at[samples.n - 1] : 0, n_jobs[PT_JOB_LOAD],
          n_jobs[PT_JOB_CHAT], n_jobs[PT_JOB_TRANSCRIBE], n_jobs[PT_JOB_UNLOAD], n_cancelled,
          n_killed);
  for (guint i = 0; i < N_QUANTITIES; i++) {
    double slope, error, mean;
    gboolean grows;

    fit (samples.values[i], first, &slope, &error, &mean);
    grows = slope > 4 * error && slope * seconds > QUANTITIES[i].least;
#ifdef PT_ADDRESS_SANITIZER
    /* It keeps what was freed. */
    grows = grows && i != MEMORY && i != HOST_MEMORY;
#endif
    printf ("# %s: mean %.0f %s, slope %+.3g ± %.2g %s per hour%s\n", QUANTITIES[i].name, mean,
            QUANTITIES[i].unit, slope * 3600, error * 3600, QUANTITIES[i].unit,
            grows ? ": grows" : "");
    good = good && !grows;
  }
  return good;
}

/* ---- rounds ---- */

static void
one_job (Side *side)
{
  guint what = g_rand_int (chance) % 10;

  if (!side->loaded || what == 0) {
    pt_engine_set_isolation (side->engine,
                             g_rand_boolean (chance) ? PT_ISOLATION_ALL : PT_ISOLATION_NONE);
    load (side);
  } else if (what == 1) {
    unload (side);
  } else {
    use (side);
  }
}

static void
play_round (Side *sides, GPid old_host)
{
  guint n = (guint) g_rand_int_range (chance, MIN_JOBS, MAX_JOBS);

  for (guint i = 0; i < n; i++) {
    Side *side = &sides[g_rand_int (chance) % 2];
    guint what = g_rand_int (chance) % 12;

    one_job (side);
    if (what == 0) {
      g_usleep ((gulong) g_rand_int_range (chance, 0, 50000));
      pt_engine_cancel (side->engine, side->job);
      n_cancelled++;
    } else if (what == 1) {
      g_usleep ((gulong) g_rand_int_range (chance, 0, 50000));
      kill_one (old_host);
    }
    wait_for (side, g_rand_boolean (chance) ? 0 : 2);
  }
  for (guint i = 0; i < 2; i++) {
    unload (&sides[i]);
    wait_for (&sides[i], 0);
  }
  n_rounds++;
}

static void
begin (Side *side, const char *program, gboolean gives_way)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;

  options.program = program;
  options.gives_way = gives_way;
  side->engine = pt_engine_new_with_options (&options, NULL, on_event, side);
}

/* Returns its process. */
static GPid
begin_old (Side *side, const char *program)
{
  g_autoptr (GArray) found = NULL;

  begin (side, program, FALSE);
  pt_engine_set_isolation (side->engine, PT_ISOLATION_ALL);
  load (side);
  wait_for (side, 0);
  found = children (0);
  if (found->len != 1) {
    fputs ("soak: there is no process of the model.\n", stderr);
    exit (1);
  }
  return g_array_index (found, GPid, 0);
}

static gboolean
soak (double minutes, const char *program, const char *chat, const char *speech)
{
  Side sides[2] = { { .model = chat }, { .model = speech, .speaks = TRUE } };
  Side old = { .model = chat };
  GPid old_host = begin_old (&old, program);
  gint64 since = g_get_monotonic_time ();
  gboolean good;

  begin (&sides[0], program, FALSE);
  begin (&sides[1], program, TRUE);
  while ((double) (g_get_monotonic_time () - since) < minutes * 60 * G_USEC_PER_SEC) {
    play_round (sides, old_host);
    use (&old);
    wait_for (&old, 0);
    measure (since, old_host);
  }
  good = report ();
  pt_engine_free (sides[0].engine);
  pt_engine_free (sides[1].engine);
  pt_engine_free (old.engine);
  if (waitpid (-1, NULL, WNOHANG) != -1) {
    puts ("# a process is left");
    good = FALSE;
  }
  return good;
}

int
main (int argc, char **argv)
{
  int status = pt_engine_host_main (argc, argv);
  double minutes = argc > 1 ? g_ascii_strtod (argv[1], NULL) : 0;
  g_autofree char *chat = g_build_filename (PTERIS_TEST_DATA, "chat", "qwen3_xnnpack_8da4w", NULL);
  g_autofree char *speech = g_build_filename (PTERIS_TEST_DATA, "whisper-mini", NULL);
  g_autofree char *sound =
      g_build_filename (PTERIS_TEST_DATA, "..", "..", "resources", "starter", "jfk.wav", NULL);
  guint32 seed = argc > 6 ? (guint32) strtoul (argv[6], NULL, 10) : g_random_int ();
  gboolean named = argc > 5, good;

  if (status >= 0)
    return status;
  if (minutes <= 0 || (argc > 2 && !named)) {
    fputs ("Usage: soak MINUTES [PROGRAM CHAT_MODEL SPEECH_MODEL RECORDING [SEED]]\n", stderr);
    return 2;
  }
  memset (&samples, 0, sizeof samples); /* so that it is in memory from the beginning */
  chance = g_rand_new_with_seed (seed);
  recording = named ? argv[5] : sound;
  printf ("1..1\n# seed %u\n", seed);
  fflush (stdout);
  good = soak (minutes, named ? argv[2] : NULL, named ? argv[3] : chat, named ? argv[4] : speech);
  printf ("%sok 1 soak\n", good ? "" : "not ");
  g_rand_free (chance);
  return good ? 0 : 1;
}
