/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The process of a model is confined. This program is the host, too: there, SIGUSR1 makes it try
 * what it may not do, and write down how that ends in the folder of the job.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <pteris/engine.h>

#include "tests/unit/under-qemu.h"

/* Numbers of the C library, or 0: it worked. */
typedef struct {
  int write_secret, add_beside_secret, open_socket, fork_process, start_program;
  int read_secret, list_folder, read_passwords, make_local_socket, trace_parent, read_parent;
  int read_model, read_figures, read_cores;
} Tried;

static const char *secret, *beside, *result, *model_file;

/* ---- in the host ---- */

static int
try_open (const char *path, int flags)
{
  int fd = open (path, flags | O_CLOEXEC, 0600), problem = errno;

  if (fd < 0)
    return problem;
  close (fd);
  return 0;
}

static int
try_socket (int family)
{
  int fd = socket (family, SOCK_STREAM, 0), problem = errno;

  if (fd < 0)
    return problem;
  close (fd);
  return 0;
}

static int
try_fork (void)
{
  pid_t child = fork ();

  if (child == 0)
    _exit (0);
  return child < 0 ? errno : 0;
}

static int
try_trace (void)
{
  return ptrace (PTRACE_SEIZE, getppid (), NULL, NULL) == 0 ? 0 : errno;
}

static int
try_memory_of_parent (void)
{
  char path[64];

  g_snprintf (path, sizeof path, "/proc/%d/maps", (int) getppid ());
  return try_open (path, O_RDONLY);
}

static int
try_list (void)
{
  g_autofree char *folder = g_path_get_dirname (secret);

  return try_open (folder, O_RDONLY | O_DIRECTORY);
}

static int
try_program (void)
{
  char *const arguments[] = { (char *) "false", NULL };

  execv ("/bin/false", arguments);
  return errno;
}

static void
try_all (int number)
{
  const Tried tried = {
    .write_secret = try_open (secret, O_WRONLY),
    .add_beside_secret = try_open (beside, O_WRONLY | O_CREAT),
    .open_socket = try_socket (AF_INET),
    .make_local_socket = try_socket (AF_UNIX),
    .fork_process = try_fork (),
    .start_program = try_program (),
    .read_secret = try_open (secret, O_RDONLY),
    .list_folder = try_list (),
    .read_passwords = try_open ("/etc/passwd", O_RDONLY),
    .trace_parent = try_trace (),
    .read_parent = try_memory_of_parent (),
    .read_model = try_open (model_file, O_RDONLY),
    .read_figures = try_open ("/proc/self/status", O_RDONLY),
    .read_cores = try_open ("/sys/devices/system/cpu/online", O_RDONLY),
  };
  int fd = open (result, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  gssize written = write (fd, &tried, sizeof tried);

  (void) written;
  close (fd);
}

/* ---- in the test ---- */

typedef struct {
  char *top, *first, *second; /* folders */
  PtEngine *engine;
  PtEventKind last;
  guint n_ends;
} Place;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Place *place = user_data;

  if (event->kind == PT_EVENT_FAILED)
    g_test_message ("%s", event->text);
  if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED) {
    place->last = event->kind;
    place->n_ends++;
  }
}

static void
set_up (Place *place, gconstpointer unused)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;

  place->top = g_dir_make_tmp ("pteris-confined-XXXXXX", NULL);
  place->first = g_build_filename (place->top, "first", NULL);
  place->second = g_build_filename (place->top, "second", NULL);
  g_assert_cmpint (g_mkdir (place->first, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (place->second, 0700), ==, 0);
  secret = g_build_filename (place->top, "secret", NULL);
  beside = g_build_filename (place->top, "beside", NULL);
  result = g_build_filename (place->first, "result", NULL);
  model_file = g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  g_assert_true (g_file_set_contents (secret, "secret", -1, NULL));
  g_setenv ("PTERIS_TEST_SECRET", secret, TRUE);
  g_setenv ("PTERIS_TEST_BESIDE", beside, TRUE);
  g_setenv ("PTERIS_TEST_RESULT", result, TRUE);
  g_setenv ("PTERIS_TEST_MODEL", model_file, TRUE);
  options.isolation = PT_ISOLATION_ALL;
  place->engine = pt_engine_new_with_options (&options, NULL, on_event, place);
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
    g_autofree char *inside = g_build_filename (path, name, NULL);

    if (g_file_test (inside, G_FILE_TEST_IS_DIR))
      remove_folder (inside);
    else
      g_unlink (inside);
  }
  g_rmdir (path);
}

static void
tear_down (Place *place, gconstpointer unused)
{
  pt_engine_free (place->engine);
  remove_folder (place->top);
  g_free (place->top);
  g_free (place->first);
  g_free (place->second);
  g_free ((char *) secret);
  g_free ((char *) beside);
  g_free ((char *) result);
  g_free ((char *) model_file);
}

/* Runs a program that writes its output to @folder. */
static void
run (Place *place, const char *folder)
{
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", NULL);
  g_autofree char *output = g_build_filename (folder, "out0.npy", NULL);
  const char *inputs[] = { "zeros:", "zeros:", NULL };
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  guint n = place->n_ends;

  job.model.path = model;
  job.run.inputs = inputs;
  job.run.output_dir = folder;
  pt_engine_submit (place->engine, &job);
  while (place->n_ends == n)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpint (place->last, ==, PT_EVENT_DONE);
  g_assert_true (g_file_test (output, G_FILE_TEST_EXISTS));
}

/* The only process that this one has started. */
static int
find_child (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *task;
  int child = 0;

  while (child == 0 && (task = g_dir_read_name (tasks)) != NULL) {
    g_autofree char *path = g_build_filename ("/proc/self/task", task, "children", NULL);
    g_autofree char *text = NULL;

    if (g_file_get_contents (path, &text, NULL, NULL))
      child = atoi (text);
  }
  return child;
}

static Tried
try_in_host (int child)
{
  g_autofree char *bytes = NULL;
  gsize size = 0;
  Tried tried;

  g_assert_cmpint (kill (child, SIGUSR1), ==, 0);
  while (size != sizeof tried) {
    g_usleep (1000);
    g_clear_pointer (&bytes, g_free);
    g_file_get_contents (result, &bytes, &size, NULL);
  }
  memcpy (&tried, bytes, sizeof tried);
  return tried;
}

static void
test_refused (Place *place, gconstpointer unused)
{
  Tried tried;
  int child;

  if (under_qemu ()) {
    g_test_skip ("Programs under qemu cannot be confined.");
    return;
  }
  run (place, place->first);
  child = find_child ();
  if (child == 0) {
    g_test_skip ("The kernel does not tell the children of a process.");
    return;
  }
  tried = try_in_host (child);
  g_assert_cmpint (tried.open_socket, ==, EPERM);
  g_assert_cmpint (tried.fork_process, ==, EPERM);
  g_assert_cmpint (tried.start_program, ==, EPERM);
  g_assert_cmpint (tried.make_local_socket, ==, EPERM);
  g_assert_cmpint (tried.trace_parent, ==, EPERM);
  g_assert_cmpint (tried.read_model, ==, 0);
  g_assert_cmpint (tried.read_figures, ==, 0);
  g_assert_true (tried.read_cores == 0 || tried.read_cores == ENOENT);
  if (syscall (444, NULL, 0, 1) < 1) {
    g_test_skip ("The kernel lacks Landlock.");
    return;
  }
  g_assert_cmpint (tried.write_secret, ==, EACCES);
  g_assert_cmpint (tried.add_beside_secret, ==, EACCES);
  g_assert_false (g_file_test (beside, G_FILE_TEST_EXISTS));
  g_assert_cmpint (tried.read_secret, ==, EACCES);
  g_assert_cmpint (tried.list_folder, ==, EACCES);
  g_assert_cmpint (tried.read_passwords, ==, EACCES);
  g_assert_cmpint (tried.read_parent, ==, EACCES);
}

/* A job that writes elsewhere gets another process. */
static void
test_replaced (Place *place, gconstpointer unused)
{
  int child;

  run (place, place->first);
  child = find_child ();
  run (place, place->first);
  g_assert_cmpint (find_child (), ==, child);
  run (place, place->second);
  g_assert_true (child == 0 || find_child () != child);
}

int
main (int argc, char **argv)
{
  int status;

  secret = g_getenv ("PTERIS_TEST_SECRET");
  beside = g_getenv ("PTERIS_TEST_BESIDE");
  result = g_getenv ("PTERIS_TEST_RESULT");
  model_file = g_getenv ("PTERIS_TEST_MODEL");
  if (result != NULL)
    signal (SIGUSR1, try_all);
  status = pt_engine_host_main (argc, argv);
  if (status >= 0)
    return status;
  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/host/confined/refused", Place, NULL, set_up, test_refused, tear_down);
  g_test_add ("/host/confined/replaced", Place, NULL, set_up, test_replaced, tear_down);
  return g_test_run ();
}
