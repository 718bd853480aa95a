/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a confined process can and cannot do. Each attempt runs in a process of its own, once
 * without and once with the confinement: what is refused inside must work outside.
 */
#include "engine/confine/confine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "tests/unit/tasks/fixtures.h"

/* Exit statuses of an attempt. */
enum { WORKED = 0, REFUSED = 1, OTHER = 2, BROKEN = 3 };

/* The folders of a test, given to each attempt. */
typedef struct {
  char *home, *model, *private_folder;
  char *secret, *program;
} Place;

/* Returns an errno, or 0. */
typedef int (*AttemptFunc) (const Place *place);

static const char *own_path;

static int
result (gboolean good)
{
  return good ? 0 : errno;
}

static int
read_file (const char *path)
{
  char byte;
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  int problem = result (fd >= 0 && read (fd, &byte, 1) >= 0);

  if (fd >= 0)
    close (fd);
  return problem;
}

static int
write_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  int fd = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  int problem = result (fd >= 0 && write (fd, "x", 1) == 1);

  if (fd >= 0)
    close (fd);
  return problem;
}

static int
read_secret (const Place *place)
{
  return read_file (place->secret);
}

static int
list_home (const Place *place)
{
  int fd = open (place->home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  return result (fd >= 0);
}

static int
read_passwords (const Place *place)
{
  (void) place;
  return read_file ("/etc/passwd");
}

static int
read_parent (const Place *place)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int) getppid ());

  (void) place;
  return read_file (path);
}

static int
write_home (const Place *place)
{
  return write_file (place->home, "written");
}

static int
write_model (const Place *place)
{
  return write_file (place->model, "model.pte");
}

static int
add_to_model (const Place *place)
{
  return write_file (place->model, "added");
}

static int
truncate_secret (const Place *place)
{
  return result (truncate (place->secret, 0) == 0);
}

static int
delete_secret (const Place *place)
{
  return result (unlink (place->secret) == 0);
}

static int
rename_secret (const Place *place)
{
  g_autofree char *other = g_strconcat (place->secret, "2", NULL);

  return result (rename (place->secret, other) == 0);
}

static int
link_secret (const Place *place)
{
  g_autofree char *other = g_build_filename (place->private_folder, "link", NULL);

  return result (link (place->secret, other) == 0);
}

static int
change_mode (const Place *place)
{
  return result (chmod (place->secret, 0644) == 0);
}

static int
change_times (const Place *place)
{
  return result (utimensat (AT_FDCWD, place->secret, NULL, 0) == 0);
}

static int
watch_home (const Place *place)
{
  int fd = inotify_init1 (IN_CLOEXEC);

  return result (fd >= 0 && inotify_add_watch (fd, place->home, IN_CREATE) >= 0);
}

static int
start_program (const Place *place)
{
  char *const arguments[] = { (char *) "true", NULL };

  (void) place;
  execv ("/bin/true", arguments);
  return errno;
}

static int
spawn (const Place *place)
{
  const char *arguments[] = { "/bin/true", NULL };

  (void) place;
  return g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                       NULL, NULL)
             ? 0
             : EPERM;
}

static int
fork_process (const Place *place)
{
  pid_t child = fork ();

  (void) place;
  if (child == 0)
    _exit (0);
  if (child > 0)
    waitpid (child, NULL, 0);
  return result (child > 0);
}

static int
fork_by_call (const Place *place)
{
  long child = syscall (SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

  (void) place;
  if (child == 0)
    _exit (0);
  return result (child > 0);
}

static int
open_inet (const Place *place)
{
  (void) place;
  return result (socket (AF_INET, SOCK_STREAM, 0) >= 0);
}

static int
open_unix (const Place *place)
{
  (void) place;
  return result (socket (AF_UNIX, SOCK_STREAM, 0) >= 0);
}

/* A name that no file has. */
static int
bind_packets (int fd, struct sockaddr_un *address)
{
  *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
  g_snprintf (address->sun_path + 1, sizeof address->sun_path - 1, "pteris-%d", (int) getpid ());
  return bind (fd, (struct sockaddr *) address, sizeof *address) == 0 && listen (fd, 1) == 0;
}

/* As CUDA does when it starts. */
static int
open_packets (const Place *place)
{
  struct sockaddr_un address;
  int fd = socket (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

  (void) place;
  return result (fd >= 0 && bind_packets (fd, &address));
}

static int
connect_packets (const Place *place)
{
  struct sockaddr_un address;
  int listens = socket (AF_UNIX, SOCK_SEQPACKET, 0), asks = socket (AF_UNIX, SOCK_SEQPACKET, 0);

  (void) place;
  return result (bind_packets (listens, &address) &&
                 connect (asks, (struct sockaddr *) &address, sizeof address) == 0);
}

static int
name_thread (const Place *place)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/task/%d/comm", (int) syscall (SYS_gettid));
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

  (void) place;
  return result (fd >= 0 && write (fd, "name", 4) == 4);
}

static int
open_datagrams (const Place *place)
{
  (void) place;
  return result (socket (AF_UNIX, SOCK_DGRAM, 0) >= 0);
}

static int
open_netlink (const Place *place)
{
  (void) place;
  return result (socket (AF_NETLINK, SOCK_RAW, 0) >= 0);
}

static int
signal_parent (const Place *place)
{
  (void) place;
  return result (kill (getppid (), 0) == 0);
}

static int
signal_group (const Place *place)
{
  (void) place;
  return result (kill (0, 0) == 0);
}

static int
limit_parent (const Place *place)
{
  struct rlimit now;

  (void) place;
  return result (syscall (SYS_prlimit64, getppid (), RLIMIT_CORE, NULL, &now) == 0);
}

static int
read_parents_memory (const Place *place)
{
  char bytes[8];
  struct iovec here = { bytes, sizeof bytes }, there = { &own_path, sizeof bytes };
  gssize n = process_vm_readv (getppid (), &here, 1, &there, 1, 0);

  (void) place;
  /* EFAULT: it would read, but there is nothing at this address. */
  return n >= 0 || errno == EFAULT ? 0 : errno;
}

static int
trace_parent (const Place *place)
{
  (void) place;
  if (ptrace (PTRACE_SEIZE, getppid (), NULL, NULL) != 0)
    return errno;
  return result (ptrace (PTRACE_DETACH, getppid (), NULL, NULL) == 0 || TRUE);
}

static int
set_up_ring (const Place *place)
{
  guint8 parameters[256] = { 0 };
  long fd = syscall (425, 1, parameters);

  (void) place;
  return result (fd >= 0);
}

static int
leave_namespace (const Place *place)
{
  (void) place;
  return result (unshare (CLONE_NEWUSER) == 0);
}

static int
dump_core (const Place *place)
{
  struct rlimit now;

  (void) place;
  getrlimit (RLIMIT_CORE, &now);
  return now.rlim_max == 0 ? EPERM : 0;
}

/* What has to work. */

static int
read_model (const Place *place)
{
  return read_file (place->program);
}

static int
write_private (const Place *place)
{
  g_autofree char *old = g_build_filename (place->private_folder, "cache", NULL);
  g_autofree char *renamed = g_build_filename (place->private_folder, "renamed", NULL);
  int problem = write_file (place->private_folder, "cache");

  return problem != 0 ? problem : result (rename (old, renamed) == 0 && unlink (renamed) == 0);
}

static int
load_library (const Place *place)
{
  (void) place;
  return dlopen ("libz.so.1", RTLD_NOW) != NULL ? 0 : EPERM;
}

/* As a model's library is loaded: from memory, by its path in /proc. */
static int
map_code (const Place *place)
{
  int fd = memfd_create ("code", MFD_CLOEXEC);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  int again;

  (void) place;
  if (fd < 0 || write (fd, "code", 4) != 4 || (again = open (path, O_RDONLY | O_CLOEXEC)) < 0)
    return errno;
  return result (mmap (NULL, 4, PROT_READ | PROT_EXEC, MAP_PRIVATE, again, 0) != MAP_FAILED);
}

static gpointer
do_nothing (gpointer data)
{
  return data;
}

static int
start_thread (const Place *place)
{
  g_autoptr (GThread) thread = g_thread_try_new ("thread", do_nothing, NULL, NULL);

  (void) place;
  if (thread == NULL)
    return EPERM;
  g_thread_join (g_steal_pointer (&thread));
  return 0;
}

/* How a process ends by itself must stay visible to its parent. */
static int
signal_self (const Place *place)
{
  (void) place;
  signal (SIGUSR1, SIG_IGN);
  return result (raise (SIGUSR1) == 0 && kill (getpid (), SIGUSR1) == 0);
}

static int
read_figures (const Place *place)
{
  int problem = read_file ("/proc/self/status");

  (void) place;
  problem = problem != 0 ? problem : read_file ("/proc/meminfo");
  return problem != 0 ? problem : read_file ("/dev/urandom");
}

static int
talk_to_parent (const Place *place)
{
  int pair[2];
  char byte;

  (void) place;
  return result (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 &&
                 send (pair[0], "x", 1, 0) == 1 && recv (pair[1], &byte, 1, 0) == 1);
}

typedef struct {
  const char *name;
  AttemptFunc attempt;
  PtConfined means;  /* what refuses it; 0: it works inside, too */
  gboolean anywhere; /* refused outside on some systems */
} Attempt;

static const Attempt attempts[] = {
  { "read-secret", read_secret, PT_CONFINED_READING, FALSE },
  { "list-home", list_home, PT_CONFINED_READING, FALSE },
  { "read-passwords", read_passwords, PT_CONFINED_READING, FALSE },
  { "read-parent", read_parent, PT_CONFINED_READING, TRUE },
  { "write-home", write_home, PT_CONFINED_WRITING, FALSE },
  { "write-model", write_model, PT_CONFINED_WRITING, FALSE },
  { "add-to-model", add_to_model, PT_CONFINED_WRITING, FALSE },
  { "truncate-secret", truncate_secret, PT_CONFINED_WRITING, FALSE },
  { "delete-secret", delete_secret, PT_CONFINED_WRITING, FALSE },
  { "rename-secret", rename_secret, PT_CONFINED_WRITING, FALSE },
  { "link-secret", link_secret, PT_CONFINED_WRITING, FALSE },
  { "change-mode", change_mode, PT_CONFINED_CALLS, FALSE },
  { "change-times", change_times, PT_CONFINED_CALLS, FALSE },
  { "watch-home", watch_home, PT_CONFINED_CALLS, FALSE },
  { "start-program", start_program, PT_CONFINED_CALLS, FALSE },
  { "spawn", spawn, PT_CONFINED_CALLS, FALSE },
  { "fork", fork_process, PT_CONFINED_CALLS, FALSE },
  { "fork-by-call", fork_by_call, PT_CONFINED_CALLS, FALSE },
  { "inet-socket", open_inet, PT_CONFINED_CALLS, FALSE },
  { "unix-socket", open_unix, PT_CONFINED_CALLS, FALSE },
  { "datagram-socket", open_datagrams, PT_CONFINED_CALLS, FALSE },
  { "connect-packets", connect_packets, PT_CONFINED_CALLS, FALSE },
  { "netlink-socket", open_netlink, PT_CONFINED_CALLS, TRUE },
  { "signal-parent", signal_parent, PT_CONFINED_CALLS, FALSE },
  { "signal-group", signal_group, PT_CONFINED_CALLS, FALSE },
  { "limit-parent", limit_parent, PT_CONFINED_CALLS, TRUE },
  { "read-parents-memory", read_parents_memory, PT_CONFINED_CALLS, TRUE },
  { "trace-parent", trace_parent, PT_CONFINED_CALLS, TRUE },
  { "io-uring", set_up_ring, PT_CONFINED_CALLS, TRUE },
  { "namespace", leave_namespace, PT_CONFINED_CALLS, TRUE },
  { "core-dump", dump_core, PT_CONFINED_LIMITS, TRUE },
  { "read-model", read_model, 0, FALSE },
  { "write-private", write_private, 0, FALSE },
  { "load-library", load_library, 0, FALSE },
  { "map-code", map_code, 0, FALSE },
  { "thread", start_thread, 0, FALSE },
  { "signal-self", signal_self, 0, FALSE },
  { "figures", read_figures, 0, FALSE },
  { "packets", open_packets, 0, FALSE },
  { "name-thread", name_thread, 0, FALSE },
  { "socket-pair", talk_to_parent, 0, FALSE },
};

static void
make_place (Place *place, const char *top)
{
  place->home = g_build_filename (top, "home", NULL);
  place->model = g_build_filename (top, "model", NULL);
  place->private_folder = g_build_filename (top, "private", NULL);
  place->secret = g_build_filename (place->home, "secret", NULL);
  place->program = g_build_filename (place->model, "model.pte", NULL);
}

static void
clear_place (Place *place)
{
  g_free (place->home);
  g_free (place->model);
  g_free (place->private_folder);
  g_free (place->secret);
  g_free (place->program);
}

static PtConfined
confine (const Place *place)
{
  const char *readable[] = { place->model, "/nowhere", NULL };
  const char *writable[] = { place->private_folder, NULL };
  PtConfinement allowed = { .readable = readable, .writable = writable, .gpu = TRUE };
  g_autoptr (GError) error = NULL;
  PtConfined done;

  if (!pt_confine (&allowed, &done, &error)) {
    g_printerr ("%s\n", error->message);
    _exit (BROKEN);
  }
  return done;
}

/* The process of an attempt: pteris-test --inside NAME TOP. Prints what holds. */
static int
attempt_here (gboolean inside, const char *name, const char *top)
{
  Place place;

  make_place (&place, top);
  if (inside)
    g_print ("%u\n", confine (&place));
  for (guint i = 0; i < G_N_ELEMENTS (attempts); i++)
    if (g_str_equal (attempts[i].name, name)) {
      int problem = attempts[i].attempt (&place);

      g_printerr ("%s: %s\n", name, g_strerror (problem));
      clear_place (&place);
      if (problem == 0)
        return WORKED;
      /* EXDEV: how Landlock refuses links to other folders. */
      return problem == EPERM || problem == EACCES || problem == EXDEV ? REFUSED : OTHER;
    }
  return BROKEN;
}

/* Runs an attempt with a fresh secret and a fresh model. @holds: what the process printed. */
static int
run_attempt (const char *name, gboolean inside, PtConfined *holds)
{
  g_autofree char *top = g_dir_make_tmp ("pteris-confine-XXXXXX", NULL);
  const char *arguments[] = { own_path, inside ? "--inside" : "--outside", name, top, NULL };
  g_autofree char *printed = NULL;
  g_autoptr (GError) error = NULL;
  Place place;
  int status = -1;

  make_place (&place, top);
  g_mkdir (place.home, 0700);
  g_mkdir (place.model, 0700);
  g_mkdir (place.private_folder, 0700);
  g_assert_true (g_file_set_contents (place.secret, "secret", -1, NULL));
  g_assert_true (g_file_set_contents (place.program, "model", -1, NULL));
  g_assert_true (g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                               NULL, &printed, NULL, &status, &error));
  g_assert_no_error (error);
  *holds = (PtConfined) g_ascii_strtoull (printed, NULL, 10);
  remove_folder (place.home);
  remove_folder (place.model);
  remove_folder (place.private_folder);
  remove_folder (top);
  clear_place (&place);
  return WIFEXITED (status) ? WEXITSTATUS (status) : BROKEN;
}

static void
test_attempt (gconstpointer data)
{
  const Attempt *attempt = data;
  PtConfined holds;
  int outside = run_attempt (attempt->name, FALSE, &holds);
  int inside = run_attempt (attempt->name, TRUE, &holds);

  if (!attempt->anywhere)
    g_assert_cmpint (outside, ==, WORKED);
  if ((holds & attempt->means) != attempt->means)
    g_test_skip ("The kernel lacks the means.");
  else
    g_assert_cmpint (inside, ==, attempt->means != 0 ? REFUSED : WORKED);
}

int
main (int argc, char **argv)
{
  if (argc == 4) {
    int status = attempt_here (g_str_equal (argv[1], "--inside"), argv[2], argv[3]);

    /* Without the leak checker of a sanitizer, which would start a process. */
    fflush (stdout);
    _exit (status);
  }
  g_test_init (&argc, &argv, NULL);
  own_path = argv[0];
  for (guint i = 0; i < G_N_ELEMENTS (attempts); i++) {
    g_autofree char *path = g_strconcat ("/confine/", attempts[i].name, NULL);

    g_test_add_data_func (path, &attempts[i], test_attempt);
  }
  return g_test_run ();
}
