/* SPDX-License-Identifier: BSD-3-Clause */

/* The pipe on Linux: a socket pair, over which memfds are passed. */

#include "engine/host/link.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib-unix.h>

#include "engine/base/set-error.h"
#include "engine/host/trace.h"

/* The socket's number in a host. */
#define HOST_SOCKET 3
/* A pipe for the calls of a crash, likewise; and how much of it is read. */
#define HOST_TRACE 4
#define TRACE_BYTES (16 * 1024)
/* Of the last lines on stderr. */
#define STDERR_BYTES 4096
/* Memory that was received, and that no frame has named yet. */
#define MAX_WAITING 4

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

struct _PtLink {
  int fd;
  GMutex mutex;             /* of writing */
  gboolean broken;          /* half a frame was written */
  int waiting[MAX_WAITING]; /* descriptors, the first one is the next frame's */
  guint n_waiting;
  /* Of a host that we started. */
  pid_t pid; /* 0: it has ended, or is not ours */
  PtLinkEnd end;
  int stderr_fd; /* its stderr, or -1 */
  int trace_fd;  /* where it writes the calls of a crash, or -1 */
  GString *stderr_tail;
  guint64 oom_kills; /* when it started */
};

static gboolean
fail_errno (GError **error, const char *what, int number)
{
  return pt_fail (error, number == ENOMEM ? PT_ERROR_MEMORY : PT_ERROR_HOST,
                  "The model's process %s: %s.", what, g_strerror (number));
}

static PtLink *
link_new (int fd)
{
  PtLink *link = g_new0 (PtLink, 1);

  link->fd = fd;
  link->stderr_fd = -1;
  link->trace_fd = -1;
  link->stderr_tail = g_string_new (NULL);
  g_mutex_init (&link->mutex);
  return link;
}

/* ---- starting ---- */

/* How many processes the system has ended for want of memory. */
static guint64
count_oom_kills (void)
{
  g_autofree char *text = NULL;
  const char *at;

  if (!g_file_get_contents ("/proc/vmstat", &text, NULL, NULL))
    return 0;
  at = strstr (text, "\noom_kill ");
  return at != NULL ? g_ascii_strtoull (at + strlen ("\noom_kill "), NULL, 10) : 0;
}

/* /proc/self/exe is the file that runs, even if an update has replaced it. */
static gboolean
spawn (const char *program, const int fds[2], pid_t *pid, int *stderr_fd, GError **error)
{
  const char *exe = program != NULL ? program : "/proc/self/exe";
  const char *name = program != NULL ? program : "pteris";
  const char *const argv[] = { exe, name, PT_LINK_ARGUMENT, NULL };
  const int targets[] = { HOST_SOCKET, HOST_TRACE };
  g_auto (GStrv) environ_ = g_environ_setenv (g_get_environ (), "PTERIS_HOST", "1", TRUE);
  g_autoptr (GError) cause = NULL;
  GPid child;

  if (!g_spawn_async_with_pipes_and_fds (NULL, argv, (const char *const *) environ_,
                                         G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_FILE_AND_ARGV_ZERO |
                                             G_SPAWN_CHILD_INHERITS_STDIN | G_SPAWN_CLOEXEC_PIPES,
                                         NULL, NULL, -1, -1, -1, fds, targets, 2, &child, NULL,
                                         NULL, stderr_fd, &cause))
    return pt_fail (error, PT_ERROR_HOST, "The model's process cannot be started: %s",
                    cause->message);
  *pid = child;
  return TRUE;
}

PtLink *
pt_link_start (const char *program, GError **error)
{
  int fds[2], trace[2];
  gboolean started;
  PtLink *link;

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    fail_errno (error, "cannot be started", errno);
    return NULL;
  }
  link = link_new (fds[0]);
  link->oom_kills = count_oom_kills ();
  if (!g_unix_open_pipe (trace, FD_CLOEXEC, NULL)) {
    fail_errno (error, "cannot be started", errno);
    close (fds[1]);
    pt_link_free (link);
    return NULL;
  }
  link->trace_fd = trace[0];
  fcntl (trace[0], F_SETFL, O_NONBLOCK);
  fcntl (trace[1], F_SETFL, O_NONBLOCK);
  started = spawn (program, (const int[]){ fds[1], trace[1] }, &link->pid, &link->stderr_fd, error);
  close (fds[1]);
  close (trace[1]);
  if (!started) {
    pt_link_free (link);
    return NULL;
  }
  fcntl (link->stderr_fd, F_SETFL, fcntl (link->stderr_fd, F_GETFL) | O_NONBLOCK);
  return link;
}

PtLink *
pt_link_adopt (int argc, char **argv, GError **error)
{
  struct stat info;

  if (fstat (HOST_SOCKET, &info) != 0 || !S_ISSOCK (info.st_mode)) {
    pt_fail (error, PT_ERROR_HOST,
             "%s is for Pteris itself, which starts a model's process with it.", PT_LINK_ARGUMENT);
    return NULL;
  }
  fcntl (HOST_SOCKET, F_SETFD, FD_CLOEXEC);
  if (fstat (HOST_TRACE, &info) == 0 && S_ISFIFO (info.st_mode)) {
    fcntl (HOST_TRACE, F_SETFD, FD_CLOEXEC);
    pt_trace_install (HOST_TRACE);
  }
  /* Ctrl-C is for the program that started us; we end with it. */
  signal (SIGINT, SIG_IGN);
  signal (SIGPIPE, SIG_IGN);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  prctl (PR_SET_NAME, "pteris-host");
  return link_new (HOST_SOCKET);
}

void
pt_link_free (PtLink *link)
{
  PtLinkEnd ignored;

  if (link == NULL)
    return;
  if (link->pid != 0) {
    pt_link_kill (link);
    pt_link_wait (link, G_MAXUINT, &ignored);
  }
  for (guint i = 0; i < link->n_waiting; i++)
    close (link->waiting[i]);
  close (link->fd);
  if (link->stderr_fd >= 0)
    close (link->stderr_fd);
  if (link->trace_fd >= 0)
    close (link->trace_fd);
  g_string_free (link->stderr_tail, TRUE);
  g_mutex_clear (&link->mutex);
  g_free (link);
}

/* ---- reading ---- */

static void
read_stderr (PtLink *link)
{
  char bytes[1024];
  gssize n;

  while ((n = read (link->stderr_fd, bytes, sizeof bytes)) > 0) {
    gssize written = write (2, bytes, (gsize) n);

    (void) written;
    g_mutex_lock (&link->mutex);
    g_string_append_len (link->stderr_tail, bytes, n);
    if (link->stderr_tail->len > STDERR_BYTES)
      g_string_erase (link->stderr_tail, 0, (gssize) (link->stderr_tail->len - STDERR_BYTES));
    g_mutex_unlock (&link->mutex);
  }
  if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    close (link->stderr_fd);
    link->stderr_fd = -1;
  }
}

/* Keeps the descriptors of a message. */
static gboolean
keep_descriptors (PtLink *link, struct msghdr *message, GError **error)
{
  gboolean fits = (message->msg_flags & MSG_CTRUNC) == 0;

  for (struct cmsghdr *part = CMSG_FIRSTHDR (message); part != NULL;
       part = CMSG_NXTHDR (message, part)) {
    const guint8 *fds = CMSG_DATA (part);
    gsize n = part->cmsg_len >= CMSG_LEN (0) ? (part->cmsg_len - CMSG_LEN (0)) / sizeof (int) : 0;

    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    for (gsize i = 0; i < n; i++) {
      int fd;

      memcpy (&fd, fds + i * sizeof fd, sizeof fd);
      if (link->n_waiting < MAX_WAITING) {
        link->waiting[link->n_waiting++] = fd;
      } else {
        close (fd);
        fits = FALSE;
      }
    }
  }
  return fits || pt_fail (error, PT_ERROR_HOST, "The pipe carries more memory than frames.");
}

static gssize
receive (PtLink *link, guint8 *bytes, gsize size, GError **error)
{
  union {
    struct cmsghdr align;
    char room[CMSG_SPACE (MAX_WAITING * sizeof (int))];
  } control;
  struct iovec part = { bytes, size };
  struct msghdr message = { .msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.room,
                            .msg_controllen = sizeof control.room };
  gssize n;

  do
    n = recvmsg (link->fd, &message, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n < 0 && errno != ECONNRESET) {
    fail_errno (error, "cannot be read", errno);
    return -1;
  }
  return keep_descriptors (link, &message, error) ? MAX (n, 0) : -1;
}

gssize
pt_link_read (PtLink *link, guint8 *bytes, gsize size, GError **error)
{
  gssize n;

  for (;;) {
    struct pollfd fds[2] = { { .fd = link->fd, .events = POLLIN },
                             { .fd = link->stderr_fd, .events = POLLIN } };

    if (link->stderr_fd < 0)
      break;
    if (poll (fds, 2, -1) < 0 && errno != EINTR)
      break;
    if (fds[1].revents != 0)
      read_stderr (link);
    if (fds[0].revents != 0)
      break;
  }
  n = receive (link, bytes, size, error);
  if (n <= 0 && link->stderr_fd >= 0)
    read_stderr (link);
  return n;
}

/* ---- shared memory ---- */

struct _PtShared {
  int fd;
  guint8 *data;
  gsize size;
};

PtShared *
pt_shared_new (gsize size, GError **error)
{
  PtShared *shared = g_new0 (PtShared, 1);
  gpointer data;

  shared->size = size;
  shared->fd = memfd_create ("pteris", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  /* Reserved, so that writing to the mapping cannot fail. */
  if (shared->fd < 0 || posix_fallocate (shared->fd, 0, (off_t) size) != 0) {
    pt_fail (error, PT_ERROR_MEMORY, "There are no %" G_GSIZE_FORMAT " bytes of shared memory.",
             size);
    pt_shared_free (shared);
    return NULL;
  }
  data = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
  if (data == MAP_FAILED) {
    pt_fail (error, PT_ERROR_MEMORY, "%" G_GSIZE_FORMAT " bytes cannot be mapped.", size);
    pt_shared_free (shared);
    return NULL;
  }
  shared->data = data;
  return shared;
}

guint8 *
pt_shared_data (PtShared *shared)
{
  return shared->data;
}

static void
shared_unmap (PtShared *shared)
{
  if (shared->data != NULL)
    munmap (shared->data, shared->size);
  shared->data = NULL;
}

void
pt_shared_free (PtShared *shared)
{
  shared_unmap (shared);
  if (shared->fd >= 0)
    close (shared->fd);
  g_free (shared);
}

typedef struct {
  gpointer data;
  gsize size;
} Mapping;

static void
mapping_free (gpointer data)
{
  Mapping *mapping = data;

  munmap (mapping->data, mapping->size);
  g_free (mapping);
}

static GBytes *
map_sealed (int fd, gsize size, GError **error)
{
  struct stat info;
  Mapping *mapping;
  gpointer data;

  if (fcntl (fd, F_GET_SEALS) != SEALS || fstat (fd, &info) != 0 || info.st_size != (off_t) size) {
    pt_fail (error, PT_ERROR_HOST, "Shared memory is not sealed, or of another size.");
    return NULL;
  }
  data = mmap (NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) {
    pt_fail (error, PT_ERROR_MEMORY, "%" G_GSIZE_FORMAT " bytes cannot be mapped.", size);
    return NULL;
  }
  mapping = g_new (Mapping, 1);
  *mapping = (Mapping){ data, size };
  return g_bytes_new_with_free_func (data, size, mapping_free, mapping);
}

static int
take_waiting (PtLink *link)
{
  int fd = link->waiting[0];

  link->n_waiting--;
  memmove (link->waiting, link->waiting + 1, link->n_waiting * sizeof *link->waiting);
  return fd;
}

GBytes *
pt_link_take_shared (const PtSharedNote *note, gpointer user_data, GError **error)
{
  PtLink *link = user_data;
  GBytes *bytes;
  int fd;

  if (link->n_waiting == 0) {
    pt_fail (error, PT_ERROR_HOST, "The pipe names memory that it does not carry.");
    return NULL;
  }
  fd = take_waiting (link);
  bytes = map_sealed (fd, (gsize) note->size, error);
  close (fd);
  return bytes;
}

/* ---- writing ---- */

static gssize
send_some (PtLink *link, const guint8 *bytes, gsize size, int fd)
{
  union {
    struct cmsghdr align;
    char room[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct iovec part = { (gpointer) bytes, size };
  struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

  if (fd >= 0) {
    struct cmsghdr *rights;

    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    rights = CMSG_FIRSTHDR (&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN (sizeof fd);
    memcpy (CMSG_DATA (rights), &fd, sizeof fd);
  }
  return sendmsg (link->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Waits until the socket takes bytes again. */
static gboolean
wait_for_room (PtLink *link, gint64 deadline, GCancellable *cancellable, GError **error)
{
  GPollFD fds[2] = { { .fd = link->fd, .events = G_IO_OUT } };
  gboolean watched = cancellable != NULL && g_cancellable_make_pollfd (cancellable, &fds[1]);
  gint64 left = deadline == 0 ? -1 : MAX (deadline - g_get_monotonic_time (), 0) / 1000;

  g_poll (fds, watched ? 2 : 1, left < 0 ? -1 : (int) MIN (left, G_MAXINT));
  if (watched)
    g_cancellable_release_fd (cancellable);
  if (g_cancellable_is_cancelled (cancellable))
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  if (deadline != 0 && g_get_monotonic_time () >= deadline)
    return pt_fail (error, PT_ERROR_HOST, "The other process does not read.");
  return TRUE;
}

static gboolean
write_all (PtLink *link, const guint8 *bytes, gsize size, int fd, gint64 deadline,
           GCancellable *cancellable, GError **error)
{
  while (size > 0) {
    gssize n = send_some (link, bytes, size, fd);

    if (n > 0) {
      bytes += n;
      size -= (gsize) n;
      fd = -1;
    } else if (n < 0 && errno == EAGAIN) {
      if (!wait_for_room (link, deadline, cancellable, error))
        return FALSE;
    } else if (n < 0 && errno != EINTR) {
      return fail_errno (error, "cannot be reached", errno);
    }
  }
  return TRUE;
}

gboolean
pt_link_write (PtLink *link, const guint8 *bytes, gsize size, PtShared *shared, guint patience_ms,
               GCancellable *cancellable, GError **error)
{
  gint64 deadline = patience_ms > 0 ? g_get_monotonic_time () + (gint64) patience_ms * 1000 : 0;
  gboolean written;

  if (shared != NULL) {
    shared_unmap (shared);
    if (fcntl (shared->fd, F_ADD_SEALS, SEALS) != 0)
      return fail_errno (error, "cannot share memory", errno);
  }
  g_mutex_lock (&link->mutex);
  written = !link->broken ? write_all (link, bytes, size, shared != NULL ? shared->fd : -1,
                                       deadline, cancellable, error)
                          : pt_fail (error, PT_ERROR_HOST, "The other process does not read.");
  link->broken |= !written;
  g_mutex_unlock (&link->mutex);
  return written;
}

/* Opening a pipe would wait without O_NONBLOCK. */
static int
open_regular (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  struct stat info;

  if (fd >= 0 && (fstat (fd, &info) != 0 || !S_ISREG (info.st_mode))) {
    close (fd);
    fd = -1;
  }
  return fd;
}

gboolean
pt_link_give_file (PtLink *link, const char *path, guint patience_ms, GCancellable *cancellable,
                   GError **error)
{
  gint64 deadline = patience_ms > 0 ? g_get_monotonic_time () + (gint64) patience_ms * 1000 : 0;
  const PtGivenFile given = { path };
  guint8 frame[8 + 2 * PATH_MAX];
  PtWriter writer = { .data = frame + 8, .room = sizeof frame - 8 };
  int fd = strlen (path) < PATH_MAX ? open_regular (path) : -1;
  gboolean written;

  if (fd < 0)
    return TRUE;
  pt_writer_put_u64 (&writer, 0);
  pt_fields_write (&writer, &pt_given_file_fields, &given);
  pt_frame_header (frame, PT_FRAME_FILE, (guint32) writer.used, FALSE);
  g_mutex_lock (&link->mutex);
  written = !link->broken
                ? write_all (link, frame, 8 + writer.used, fd, deadline, cancellable, error)
                : pt_fail (error, PT_ERROR_HOST, "The other process does not read.");
  link->broken |= !written;
  g_mutex_unlock (&link->mutex);
  close (fd);
  return written;
}

int
pt_link_take_file (PtLink *link, GError **error)
{
  if (link->n_waiting == 0) {
    pt_fail (error, PT_ERROR_HOST, "The pipe names a file that it does not carry.");
    return -1;
  }
  return take_waiting (link);
}

void
pt_link_shut (PtLink *link)
{
  shutdown (link->fd, SHUT_RDWR);
}

/* ---- the process at the other end ---- */

void
pt_link_kill (PtLink *link)
{
  if (link->pid != 0)
    kill (link->pid, SIGKILL);
}

gboolean
pt_link_wait (PtLink *link, guint ms, PtLinkEnd *end)
{
  gint64 deadline = g_get_monotonic_time () + (gint64) ms * 1000;
  int status = 0;
  pid_t got;

  while (link->pid != 0) {
    got = waitpid (link->pid, &status, ms == G_MAXUINT ? 0 : WNOHANG);
    if (got == link->pid || (got < 0 && errno != EINTR)) {
      link->pid = 0;
      link->end.died = got > 0 && WIFSIGNALED (status);
      link->end.code = link->end.died ? WTERMSIG (status) : WEXITSTATUS (status);
      link->end.oom = count_oom_kills () > link->oom_kills;
    } else if (g_get_monotonic_time () >= deadline && ms != G_MAXUINT) {
      return FALSE;
    } else if (got == 0) {
      g_usleep (500);
    }
  }
  *end = link->end;
  return TRUE;
}

char *
pt_link_last_words (PtLink *link)
{
  char *words;

  g_mutex_lock (&link->mutex);
  words = g_utf8_make_valid (link->stderr_tail->str, (gssize) link->stderr_tail->len);
  g_mutex_unlock (&link->mutex);
  return words;
}

char *
pt_link_trace (PtLink *link)
{
  g_autofree char *bytes = g_malloc (TRACE_BYTES + 1);
  gsize size = 0;
  gssize n;

  while (size < TRACE_BYTES && (n = read (link->trace_fd, bytes + size, TRACE_BYTES - size)) > 0)
    size += (gsize) n;
  bytes[size] = '\0';
  return pt_trace_clean (bytes);
}

guint64
pt_link_pid (PtLink *link)
{
  return (guint64) link->pid;
}
