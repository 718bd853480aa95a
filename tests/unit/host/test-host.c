/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The process of a model ends in every way that there is, and says what it should not. Each time
 * the job fails once, with the reason, and the same engine goes on. This program is the host, too:
 * PTERIS_TEST_HOST says how it misbehaves, nothing for a host that behaves.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <glib/gstdio.h>
#include <pteris/engine.h>

#include "engine/base/sanitizer.h"
#include "engine/host/link.h"
#include "tests/unit/under-qemu.h"

#ifdef G_OS_WIN32
#include <windows.h>
#else
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

/* ---- hosts ---- */

static PtLink *other_end;
static PtFrames *frames;

/* The next frame from the engine; the end of the process if there is none. */
static PtFrame
next_frame (void)
{
  guint8 bytes[4096];
  PtFrame frame;
  gssize n;

  while (!pt_frames_next (frames, &frame, NULL)) {
    n = pt_link_read (other_end, bytes, sizeof bytes, NULL);
    if (n <= 0)
      exit (0);
    pt_frames_put (frames, bytes, (gsize) n);
  }
  return frame;
}

static void
send_event (guint64 job, PtEventKind kind)
{
  const PtEvent event = { .kind = kind, .job = job, .text = "text", .reason = PT_REASON_STOP };

  pt_link_send (other_end, PT_FRAME_EVENT, 0, &pt_event_fields, &event, 0, NULL, NULL);
}

static void
send_end (PtHostExitKind kind, int code)
{
  const PtHostExit end = { .kind = kind, .code = code, .detail = "CUDA error" };

  pt_link_send (other_end, PT_FRAME_END, 0, &pt_host_exit_fields, &end, 0, NULL, NULL);
}

static void
write_frame (PtFrameKind kind, guint32 size, gboolean shared)
{
  guint8 frame[64] = { 0 };

  pt_frame_header (frame, kind, size, shared);
  frame[8 + 2] = 1;
  pt_link_write (other_end, frame, sizeof frame, NULL, 0, NULL, NULL);
}

/* Bytes that depend on @seed; every other time after the header of a frame. */
static void
write_random (PtLink *link, guint64 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) seed);
  guint8 bytes[4096];
  gsize size = (gsize) g_rand_int_range (random, 64, sizeof bytes);

  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8) g_rand_int (random);
  if (seed % 2 == 0)
    pt_frame_header (bytes, seed % 4 == 0 ? PT_FRAME_EVENT : PT_FRAME_JOB, (guint32) size - 8,
                     FALSE);
  pt_link_write (link, bytes, size, NULL, 0, NULL, NULL);
}

static void
misbehave (const char *how, guint64 job)
{
  if (g_str_equal (how, "exit"))
    exit (7);
  if (g_str_equal (how, "abort")) {
    fputs ("first line\nthe kernel is confused\n", stderr);
    abort ();
  }
  if (g_str_equal (how, "memory")) {
    fputs ("GLib-ERROR: failed to allocate 99999999999 bytes\n", stderr);
    abort ();
  }
#ifndef G_OS_WIN32
  if (g_str_equal (how, "segfault")) {
    signal (SIGSEGV, SIG_DFL); /* sanitizers catch it */
    raise (SIGSEGV);
  }
  if (g_str_equal (how, "null"))
    *(volatile int *) g_getenv ("PTERIS_TEST_NO_SUCH_VARIABLE") = 1;
  if (g_str_equal (how, "free")) {
    void *volatile block = malloc (24);

    free (block);
    free (block);
  }
  if (g_str_equal (how, "killed"))
    raise (SIGTERM);
  if (g_str_equal (how, "stopped"))
    raise (SIGSTOP);
#endif
  if (g_str_equal (how, "gpu"))
    send_end (PT_HOST_EXIT_GPU, 700);
  else if (g_str_equal (how, "gpu-timeout"))
    send_end (PT_HOST_EXIT_GPU_TIMEOUT, 702);
  else if (g_str_equal (how, "late"))
    send_event (job - 1, PT_EVENT_DONE);
  else if (g_str_equal (how, "other-kind"))
    send_event (job, PT_EVENT_SEGMENT);
  else if (g_str_equal (how, "garbage"))
    pt_link_write (other_end, (const guint8 *) "garbage on the pipe", 19, NULL, 0, NULL, NULL);
  else if (g_str_equal (how, "random"))
    write_random (other_end, job);
  else if (g_str_equal (how, "long"))
    write_frame (PT_FRAME_EVENT, G_MAXUINT32, FALSE);
  else if (g_str_equal (how, "no-memory"))
    write_frame (PT_FRAME_EVENT, sizeof (PtSharedNote), TRUE);
  else if (g_str_equal (how, "damaged"))
    write_frame (PT_FRAME_EVENT, 40, FALSE);
  else if (g_str_equal (how, "our-frame"))
    write_frame (PT_FRAME_JOB, 40, FALSE);
  else if (g_str_equal (how, "pong"))
    pt_link_send (other_end, PT_FRAME_PONG, 5, NULL, NULL, 0, NULL, NULL);
  else if (g_str_equal (how, "close"))
    pt_link_shut (other_end);
  else
    g_usleep (60 * G_USEC_PER_SEC);
  g_usleep (20 * G_USEC_PER_SEC);
  exit (0);
}

static void
say_hello (const char *how)
{
  PtHello hello = pt_hello_init ();

  if (g_str_equal (how, "other-build"))
    hello.build = "0.0.1";
  if (!g_str_equal (how, "no-hello"))
    pt_link_send (other_end, PT_FRAME_HELLO, 0, &pt_hello_fields, &hello, 0, NULL, NULL);
}

/* Answers three times that it is there, and is done then. */
static void
answer_slowly (guint64 job)
{
  for (guint n = 0; n < 3;) {
    PtFrame frame = next_frame ();
    g_autoptr (PtHeap) heap = pt_heap_new ();
    guint64 number = 0;

    if (frame.kind != PT_FRAME_PING)
      continue;
    g_assert_true (pt_frame_read (&frame, &number, NULL, NULL, heap, NULL));
    pt_link_send (other_end, PT_FRAME_PONG, number, NULL, NULL, 0, NULL, NULL);
    n++;
  }
  send_event (job, PT_EVENT_DONE);
}

static int
host_main (int argc, char **argv, const char *how)
{
  g_autoptr (GError) error = NULL;
  guint64 job = 0;

  if (g_str_equal (how, "status"))
    return 9;
  other_end = pt_link_adopt (argc, argv, &error);
  g_assert_no_error (error);
  frames = pt_frames_new (pt_link_take_shared, other_end);
  say_hello (how);
  for (;;) {
    PtFrame frame = next_frame ();
    g_autoptr (PtHeap) heap = pt_heap_new ();
    PtJob ignored;

    if (frame.kind == PT_FRAME_CANCEL || frame.kind == PT_FRAME_PING)
      continue;
    if (frame.kind == PT_FRAME_HELLO && g_str_equal (how, "deaf"))
      g_usleep (60 * G_USEC_PER_SEC);
    if (frame.kind != PT_FRAME_JOB)
      continue;
    g_assert_true (pt_frame_read (&frame, &job, &pt_job_fields, &ignored, heap, &error));
    send_event (job, PT_EVENT_PROGRESS);
    if (g_str_equal (how, "slow")) {
      answer_slowly (job);
    } else if (g_str_equal (how, "twice")) {
      send_event (job, PT_EVENT_DONE);
      send_event (job, PT_EVENT_DONE);
    } else {
      misbehave (how, job);
    }
  }
}

/* ---- the engine ---- */

typedef struct {
  PtEngine *engine;
  guint n_finals, n_progress;
  PtEventKind final;
  PtError code;
  PtHostExit exit;
  char *text, *detail;
  guint64 job;
  char *report;
} Watch;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Watch *watch = user_data;

  if (event->kind == PT_EVENT_PROGRESS)
    watch->n_progress++;
  if (event->kind != PT_EVENT_DONE && event->kind != PT_EVENT_FAILED &&
      event->kind != PT_EVENT_STOPPED)
    return;
  watch->n_finals++;
  watch->final = event->kind;
  watch->job = event->job;
  watch->code = event->code;
  g_free (watch->text);
  g_free (watch->detail);
  watch->text = g_strdup (event->text);
  watch->detail = event->host != NULL ? g_strdup (event->host->detail) : NULL;
  if (event->host != NULL) {
    watch->exit = *event->host;
    g_free (watch->report);
    watch->report = g_strdup (event->host->report);
  }
  if (event->kind != PT_EVENT_STOPPED)
    g_assert_true ((event->host != NULL) ==
                   (event->kind == PT_EVENT_FAILED && event->code == PT_ERROR_HOST));
}

static void
begin (Watch *watch, guint patience_ms)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;

  options.isolation = PT_ISOLATION_ALL;
  options.patience_ms = patience_ms;
  watch->engine = pt_engine_new_with_options (&options, NULL, on_event, watch);
}

static void
set_up (Watch *watch, gconstpointer unused)
{
  begin (watch, 1000);
}

#ifdef __linux__
static void
set_up_patient (Watch *watch, gconstpointer unused)
{
  begin (watch, 4000);
}
#endif

static void
tear_down (Watch *watch, gconstpointer unused)
{
  pt_engine_free (watch->engine);
#ifndef G_OS_WIN32
  /* No process is left, running or not. */
  g_assert_cmpint (waitpid (-1, NULL, WNOHANG), ==, -1);
  g_assert_cmpint (errno, ==, ECHILD);
#endif
  g_free (watch->text);
  g_free (watch->detail);
  g_free (watch->report);
  g_unsetenv ("PTERIS_TEST_HOST");
}

static guint64
submit (Watch *watch, PtJobKind kind)
{
  g_autofree char *model =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  PtJob job = PT_JOB_INIT (kind);

  job.model.path = model;
  return pt_engine_submit (watch->engine, &job);
}

static void
wait_for (Watch *watch, guint n_finals)
{
  while (watch->n_finals < n_finals)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (watch->n_finals, ==, n_finals);
}

/* The same engine does a job in a new process. */
static void
check_goes_on (Watch *watch)
{
  guint n = watch->n_finals;

  g_unsetenv ("PTERIS_TEST_HOST");
  submit (watch, PT_JOB_INSPECT);
  wait_for (watch, n + 1);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
}

typedef struct {
  const char *how;
  PtHostExitKind kind;
  int code; /* -1: any */
  const char *says;
} End;

static const End ENDS[] = {
  { "exit", PT_HOST_EXIT_STATUS, 7, "left with status 7" },
  { "abort", PT_HOST_EXIT_ABORT, -1, "the kernel is confused" },
  { "memory", PT_HOST_EXIT_MEMORY, -1, "not enough memory" },
#ifndef G_OS_WIN32
  { "segfault", PT_HOST_EXIT_SIGNAL, SIGSEGV, "signal 11" },
#ifndef PT_ADDRESS_SANITIZER
  { "null", PT_HOST_EXIT_SIGNAL, SIGSEGV, "The process of “add_f32” crashed" },
  { "free", PT_HOST_EXIT_ABORT, SIGABRT, "free" },
#endif
  { "killed", PT_HOST_EXIT_KILLED, SIGTERM, "from outside" },
  { "stopped", PT_HOST_EXIT_SILENT, 0, "did not answer" },
  /* Under Wine a pipe stays open while the process lives. */
  { "close", PT_HOST_EXIT_PROTOCOL, 0, "closed the pipe" },
#endif
  { "hang", PT_HOST_EXIT_SILENT, 0, "did not answer" },
  { "gpu", PT_HOST_EXIT_GPU, 700, "CUDA error 700" },
  { "gpu-timeout", PT_HOST_EXIT_GPU_TIMEOUT, 702, "took too long" },
  { "late", PT_HOST_EXIT_PROTOCOL, 0, "a job that it does not do" },
  { "other-kind", PT_HOST_EXIT_PROTOCOL, 0, "another kind of job" },
  { "garbage", PT_HOST_EXIT_PROTOCOL, 0, "unknown kind" },
  { "long", PT_HOST_EXIT_PROTOCOL, 0, "4294967295 bytes" },
  { "no-memory", PT_HOST_EXIT_PROTOCOL, 0, "" },
  { "damaged", PT_HOST_EXIT_PROTOCOL, 0, "" },
  { "our-frame", PT_HOST_EXIT_PROTOCOL, 0, "only we send" },
  { "pong", PT_HOST_EXIT_PROTOCOL, 0, "nobody asked" },
  { "status", PT_HOST_EXIT_START, 9, "could not be started" },
  { "other-build", PT_HOST_EXIT_START, 0, "0.0.1" },
};

/* It tells the reason, the model and, after a crash, the calls; but no path of the model. */
static void
check_report (Watch *watch, const End *end)
{
  const char *name = pt_host_exit_name (end->kind);
  g_autofree char *text = NULL, *line = g_strdup_printf ("\nend: %s ", name);

  g_assert_nonnull (watch->report);
  g_assert_true (g_file_get_contents (watch->report, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, line));
  g_assert_nonnull (strstr (text, "\njob: load\n"));
  g_assert_nonnull (strstr (text, "SHA-256"));
  g_assert_null (strstr (text, "add_f32"));
  g_assert_null (strstr (text, "the kernel is confused"));
#if defined(__GLIBC__) && !defined(PT_ADDRESS_SANITIZER)
  if (g_str_equal (end->how, "null") || g_str_equal (end->how, "free"))
    g_assert_nonnull (strstr (text, "\ncalls:\npteris"));
#endif
}

static void
test_end (Watch *watch, gconstpointer data)
{
  const End *end = data;
  guint64 job;

  g_setenv ("PTERIS_TEST_HOST", end->how, TRUE);
  job = submit (watch, PT_JOB_LOAD);
  wait_for (watch, 1);
  g_test_message ("%s (%s)", watch->text, watch->detail);
  g_assert_cmpint (watch->final, ==, PT_EVENT_FAILED);
  g_assert_cmpint (watch->code, ==, PT_ERROR_HOST);
  g_assert_cmpuint (watch->job, ==, job);
  g_assert_cmpuint (watch->exit.job, ==, job);
  g_assert_cmpstr (pt_host_exit_name (watch->exit.kind), ==, pt_host_exit_name (end->kind));
  if (end->code >= 0)
    g_assert_cmpint (watch->exit.code, ==, end->code);
  if (!under_qemu ()) /* whose line about the signal is the last one */
    g_assert_nonnull (strstr (watch->text, end->says));
  check_report (watch, end);
  /* The model is not loaded again by itself. */
  submit (watch, PT_JOB_CHAT);
  wait_for (watch, 2);
  g_assert_cmpint (watch->final, ==, PT_EVENT_FAILED);
  check_goes_on (watch);
}

/* It answers a job twice: the first answer counts, and the next job finds a process that has gone.
 */
static void
test_twice (Watch *watch, gconstpointer unused)
{
  g_setenv ("PTERIS_TEST_HOST", "twice", TRUE);
  submit (watch, PT_JOB_INSPECT);
  wait_for (watch, 1);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  g_unsetenv ("PTERIS_TEST_HOST");
  g_usleep (100000);
  submit (watch, PT_JOB_INSPECT);
  wait_for (watch, 2);
  if (watch->final == PT_EVENT_FAILED)
    g_assert_cmpint (watch->exit.kind, ==, PT_HOST_EXIT_PROTOCOL);
  check_goes_on (watch);
}

/* The host sends random bytes. */
static void
test_random_events (Watch *watch, gconstpointer unused)
{
  for (guint i = 0; i < 40; i++) {
    g_setenv ("PTERIS_TEST_HOST", "random", TRUE);
    submit (watch, PT_JOB_LOAD);
    wait_for (watch, i + 1);
    g_assert_cmpint (watch->final, ==, PT_EVENT_FAILED);
    g_assert_cmpint (watch->code, ==, PT_ERROR_HOST);
    g_assert_true (watch->exit.kind == PT_HOST_EXIT_PROTOCOL ||
                   watch->exit.kind == PT_HOST_EXIT_SILENT);
  }
  check_goes_on (watch);
}

/* A host gets random bytes, with and without a hello before them: it ends, and does not crash. */
static void
test_random_jobs (void)
{
  for (guint i = 0; i < 40; i++) {
    const PtHello hello = pt_hello_init ();
    g_autoptr (GError) error = NULL;
    PtLink *link = pt_link_start (NULL, &error);
    PtLinkEnd end = { 0 };

    g_assert_no_error (error);
    if (i % 3 != 0)
      pt_link_send (link, PT_FRAME_HELLO, 0, &pt_hello_fields, &hello, 0, NULL, NULL);
    write_random (link, i);
    pt_link_shut (link);
    g_assert_true (pt_link_wait (link, 20000, &end));
    g_assert_false (end.died);
    g_assert_cmpint (end.code, <=, 1);
    pt_link_free (link);
  }
}

/* A process that does not obey is ended, after 300 ms, and the job is stopped, not failed. */
static void
test_cancel (Watch *watch, gconstpointer how)
{
  guint64 job, waiting;
  gint64 begin;

  g_setenv ("PTERIS_TEST_HOST", how, TRUE);
  job = submit (watch, PT_JOB_LOAD);
  waiting = submit (watch, PT_JOB_CHAT);
  while (watch->n_progress == 0)
    g_main_context_iteration (NULL, TRUE);
  pt_engine_cancel (watch->engine, waiting);
  begin = g_get_monotonic_time ();
  pt_engine_cancel (watch->engine, job);
  wait_for (watch, 2);
  g_assert_cmpint (watch->final, ==, PT_EVENT_STOPPED);
  g_assert_cmpuint (watch->job, ==, job);
  g_test_message ("stopped after %.0f ms", (double) (g_get_monotonic_time () - begin) / 1000);
  check_goes_on (watch);
}

#ifdef __linux__
/* Ctrl-Z in a terminal, for longer than a process may be silent, and "fg": program and process are
 * both stopped, and both go on. */
static void
test_stopped_both (Watch *watch, gconstpointer unused)
{
  g_autofree char *self = g_strdup_printf ("%d", (int) getpid ());
  const char *const script =
      "host=$(cat /proc/$0/task/*/children | tr ' ' '\\n' | grep -vx $$ | head -n 1);"
      "sleep 1; kill -STOP $host $0; sleep 6; kill -CONT $host $0";
  const char *const arguments[] = { "sh", "-c", script, self, NULL };
  g_autoptr (GError) error = NULL;

  g_setenv ("PTERIS_TEST_HOST", "slow", TRUE);
  submit (watch, PT_JOB_INSPECT);
  while (watch->n_progress == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (g_spawn_async (NULL, (char **) arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                                NULL, &error));
  g_assert_no_error (error);
  wait_for (watch, 1);
  g_test_message ("%s", watch->text);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
}
#endif

/* It reads nothing: a job that does not fit into the pipe cannot be given to it. */
static void
test_deaf (Watch *watch, gconstpointer unused)
{
  g_autofree char *text = g_malloc0 (60000);
  PtMessage messages[40];
  PtJob job = PT_JOB_INIT (PT_JOB_CHAT);

  memset (text, 'a', 59999);
  for (guint i = 0; i < G_N_ELEMENTS (messages); i++)
    messages[i] = (PtMessage){ .role = "user", .text = text };
  job.chat.messages = messages;
  job.chat.n_messages = G_N_ELEMENTS (messages);
  g_setenv ("PTERIS_TEST_HOST", "deaf", TRUE);
  pt_engine_submit (watch->engine, &job);
  wait_for (watch, 1);
  g_assert_cmpint (watch->exit.kind, ==, PT_HOST_EXIT_SILENT);
  check_goes_on (watch);
}

/* The engine is freed while a host hangs. */
static void
test_free (Watch *watch, gconstpointer unused)
{
  g_setenv ("PTERIS_TEST_HOST", "hang", TRUE);
  submit (watch, PT_JOB_LOAD);
  while (watch->n_progress == 0)
    g_main_context_iteration (NULL, TRUE);
  g_clear_pointer (&watch->engine, pt_engine_free);
  g_assert_cmpuint (watch->n_finals, ==, 0);
}

#ifdef __linux__
static guint
count_entries (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Starting and stopping leaves no descriptor and no thread. */
static void
test_cycles (Watch *watch, gconstpointer unused)
{
  guint fds = 0, threads = 0;

  for (guint i = 0; i < 200; i++) {
    submit (watch, PT_JOB_INSPECT);
    submit (watch, PT_JOB_UNLOAD);
    wait_for (watch, 2 * i + 2);
    g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
    if (i == 9) {
      fds = count_entries ("/proc/self/fd");
      threads = count_entries ("/proc/self/task");
    }
  }
  g_assert_cmpuint (count_entries ("/proc/self/fd"), ==, fds);
  g_assert_cmpuint (count_entries ("/proc/self/task"), ==, threads);
}
#endif

static void
remove_reports (const char *state)
{
  g_autofree char *own = g_build_filename (state, "pteris", NULL);
  g_autofree char *folder = g_build_filename (own, "crashes", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
    n++;
  }
  g_rmdir (folder);
  g_rmdir (own);
  g_rmdir (state);
  /* Only the newest are kept. */
  g_assert_cmpuint (n, <=, 10);
}

int
main (int argc, char **argv)
{
  const char *how = g_getenv ("PTERIS_TEST_HOST");
  g_autofree char *state = NULL;
  int status;

  if (how != NULL && argc > 1 && g_str_equal (argv[1], PT_LINK_ARGUMENT))
    return host_main (argc, argv, how);
  status = pt_engine_host_main (argc, argv);
  if (status >= 0)
    return status;
  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  state = g_dir_make_tmp ("test-host-XXXXXX", NULL);
  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ENDS); i++) {
    g_autofree char *path = g_strdup_printf ("/host/end/%s", ENDS[i].how);

    g_test_add (path, Watch, &ENDS[i], set_up, test_end, tear_down);
  }
  g_test_add ("/host/twice", Watch, NULL, set_up, test_twice, tear_down);
  g_test_add ("/host/random/events", Watch, NULL, set_up, test_random_events, tear_down);
  g_test_add_func ("/host/random/jobs", test_random_jobs);
  g_test_add ("/host/cancel/hang", Watch, "hang", set_up, test_cancel, tear_down);
#ifndef G_OS_WIN32
  g_test_add ("/host/cancel/stopped", Watch, "stopped", set_up, test_cancel, tear_down);
#endif
  g_test_add ("/host/deaf", Watch, NULL, set_up, test_deaf, tear_down);
  g_test_add ("/host/free", Watch, NULL, set_up, test_free, tear_down);
#ifdef __linux__
  g_test_add ("/host/stopped-both", Watch, NULL, set_up_patient, test_stopped_both, tear_down);
  g_test_add ("/host/cycles", Watch, NULL, set_up, test_cycles, tear_down);
#endif
  status = g_test_run ();
  remove_reports (state);
  return status;
}
