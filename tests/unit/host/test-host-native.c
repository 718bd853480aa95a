/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The native code of a model fails in every way that it can, in a process of its own: each time the
 * job ends with the reason, this process and its engine go on, and the GPU's memory is free again.
 * This program is the host, too.
 *
 * The driver is a stand-in. By hand with a real GPU, which also tries failures on the GPU:
 *
 *     PTERIS_TEST_GPU=1 tests/unit/host/test-host-native
 */

#include <string.h>
#include <glib/gstdio.h>
#include <pteris/engine.h>
#include <pteris/stats.h>

#ifndef G_OS_WIN32
#include <signal.h>
#endif

#include "engine/base/sanitizer.h"
#include "tests/fakes/crashing-model.h"
#include "tests/fakes/fake-program.h"

static char *folder, *model;
static gboolean real_gpu;

/* ---- the engine ---- */

typedef struct {
  PtEngine *engine;
  guint n_finals;
  PtEventKind final;
  PtError code;
  PtHostExitKind kind;
  int exit_code;
  char *text;
} Watch;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Watch *watch = user_data;

  if (event->kind != PT_EVENT_DONE && event->kind != PT_EVENT_FAILED &&
      event->kind != PT_EVENT_STOPPED)
    return;
  watch->n_finals++;
  watch->final = event->kind;
  watch->code = event->code;
  g_free (watch->text);
  watch->text = g_strdup (event->text);
  if (event->host != NULL) {
    watch->kind = event->host->kind;
    watch->exit_code = event->host->code;
  }
}

static char *
write_bytes (const char *name, gconstpointer bytes, gsize size)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, bytes, (gssize) size, &error);
  g_assert_no_error (error);
  return path;
}

static guint64
submit (Watch *watch, CrashingModelMode mode)
{
  const float x[8] = { (float) mode, 1, 2, 3, 4, 5, 6, 7 };
  g_autofree char *input = write_bytes ("x.bin", x, sizeof x);
  const char *const inputs[] = { input, NULL }, *const shapes[] = { "1,8", NULL };
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = model;
  job.model.trust = PT_TRUST_AS_READ;
  job.run.inputs = inputs;
  job.run.shapes = shapes;
  job.run.repeat = 1;
  return pt_engine_submit (watch->engine, &job);
}

static void
wait_for_end (Watch *watch)
{
  guint n = watch->n_finals;

  while (watch->n_finals == n)
    g_main_context_iteration (NULL, TRUE);
  g_test_message ("%s", watch->text != NULL ? watch->text : "no text");
}

/* ---- the GPU's memory ---- */

static guint64
gpu_memory_used (void)
{
  g_autoptr (PtMachineStats) stats = pt_stats_read ();

  return stats->n_gpus > 0 ? stats->gpus[0].memory_used : 0;
}

/* The driver frees the memory of a process shortly after its end. */
static void
check_memory_is_back (guint64 before)
{
  guint64 after = gpu_memory_used ();

  for (guint i = 0; i < 100 && after > before + CRASHING_MODEL_BALLAST / 4; i++) {
    g_usleep (100000);
    after = gpu_memory_used ();
  }
  g_test_message ("GPU memory: %" G_GUINT64_FORMAT " bytes before, %" G_GUINT64_FORMAT " after",
                  before, after);
  g_assert_cmpuint (after, <=, before + CRASHING_MODEL_BALLAST / 4);
}

/* ---- tests ---- */

typedef struct {
  const char *name;
  CrashingModelMode mode;
  PtHostExitKind kind;
  int code; /* 0: any */
  gboolean needs_gpu;
} Crash;

/* AddressSanitizer writes its report, or one of leaks at an exit, and exits with a status of its
 * own. */
#ifdef PT_ADDRESS_SANITIZER
#define NULL_READ PT_HOST_EXIT_STATUS, 0
#define FREED_TWICE PT_HOST_EXIT_STATUS, 0
#define STATUS 0
#else
#define NULL_READ PT_HOST_EXIT_SIGNAL, SIGSEGV
#define FREED_TWICE PT_HOST_EXIT_ABORT, 0
#define STATUS CRASHING_MODEL_STATUS
#endif

static const Crash CRASHES[] = {
#ifdef G_OS_WIN32
  { "null", CRASHING_MODEL_NULL, PT_HOST_EXIT_SIGNAL, 0, FALSE },
#else
  { "null", CRASHING_MODEL_NULL, NULL_READ, FALSE },
  { "free-twice", CRASHING_MODEL_FREE_TWICE, FREED_TWICE, FALSE },
#endif
  { "abort", CRASHING_MODEL_ABORT, PT_HOST_EXIT_ABORT, 0, FALSE },
  { "exit", CRASHING_MODEL_EXIT, PT_HOST_EXIT_STATUS, STATUS, FALSE },
  { "gpu-null", CRASHING_MODEL_GPU_NULL, PT_HOST_EXIT_GPU, 700, TRUE },
};

static void
set_up (Watch *watch, gconstpointer unused)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;

  options.isolation = PT_ISOLATION_NATIVE;
  watch->engine = pt_engine_new_with_options (&options, NULL, on_event, watch);
}

static void
tear_down (Watch *watch, gconstpointer unused)
{
  pt_engine_free (watch->engine);
  g_free (watch->text);
}

static void
check_goes_on (Watch *watch)
{
  submit (watch, CRASHING_MODEL_GOOD);
  wait_for_end (watch);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
}

static void
test_crash (Watch *watch, gconstpointer data)
{
  const Crash *crash = data;
  guint64 before = gpu_memory_used ();

  if (crash->needs_gpu && !real_gpu) {
    g_test_skip ("needs a GPU");
    return;
  }
  submit (watch, crash->mode);
  wait_for_end (watch);
  g_assert_cmpint (watch->final, ==, PT_EVENT_FAILED);
  g_assert_cmpint (watch->code, ==, PT_ERROR_HOST);
  g_assert_cmpstr (pt_host_exit_name (watch->kind), ==, pt_host_exit_name (crash->kind));
  if (crash->code != 0)
    g_assert_cmpint (watch->exit_code, ==, crash->code);
  if (real_gpu)
    check_memory_is_back (before);
  check_goes_on (watch);
}

static gboolean
cancel (gpointer user_data)
{
  Watch *watch = user_data;

  pt_engine_cancel (watch->engine, watch->n_finals + 1);
  return G_SOURCE_REMOVE;
}

/* A call that never returns is stopped with its process. */
static void
test_loop (Watch *watch, gconstpointer mode)
{
  guint64 before = gpu_memory_used ();

  if (GPOINTER_TO_INT (mode) == CRASHING_MODEL_GPU_LOOP && !real_gpu) {
    g_test_skip ("needs a GPU");
    return;
  }
  g_assert_cmpuint (submit (watch, (CrashingModelMode) GPOINTER_TO_INT (mode)), ==, 1);
  g_timeout_add (real_gpu ? 5000 : 1000, cancel, watch);
  wait_for_end (watch);
  g_assert_cmpint (watch->final, ==, PT_EVENT_STOPPED);
  if (real_gpu)
    check_memory_is_back (before);
  check_goes_on (watch);
}

/* ---- the model ---- */

static void
write_model (void)
{
  const FakeProgram spec = {
    .form = FAKE_PROGRAM_HOST, .library = CRASHING_MODEL_PATH, .n_outputs = 1, .named = TRUE
  };
  g_autoptr (GBytes) program = fake_program_new (&spec);

  folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  model = write_bytes ("model.pte", g_bytes_get_data (program, NULL), g_bytes_get_size (program));
  g_setenv ("XDG_DATA_HOME", folder, TRUE); /* where consent is remembered */
}

static void
remove_model (void)
{
  static const char *const names[] = { "model.pte", "x.bin", "pteris/trusted", "pteris", "" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);

    g_remove (path);
  }
  g_free (model);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  int status = pt_engine_host_main (argc, argv);

  if (status >= 0)
    return status;
  real_gpu = g_getenv ("PTERIS_TEST_GPU") != NULL;
  if (!real_gpu) {
    g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
    g_setenv ("PTERIS_CUDA_SHIMS", CUDA_SHIMS_PATH, TRUE);
  }
  g_test_init (&argc, &argv, NULL);
  write_model ();
  for (guint i = 0; i < G_N_ELEMENTS (CRASHES); i++) {
    g_autofree char *path = g_strdup_printf ("/host/native/%s", CRASHES[i].name);

    g_test_add (path, Watch, &CRASHES[i], set_up, test_crash, tear_down);
  }
  g_test_add ("/host/native/loop", Watch, GINT_TO_POINTER (CRASHING_MODEL_LOOP), set_up, test_loop,
              tear_down);
  g_test_add ("/host/native/gpu-loop", Watch, GINT_TO_POINTER (CRASHING_MODEL_GPU_LOOP), set_up,
              test_loop, tear_down);
  status = g_test_run ();
  remove_model ();
  return status;
}
