/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "engine/base/set-error.h"

struct _PtLock {
  char *path;
  int fd;
};

/* FALSE when the former owner has deleted the file: a lock on a deleted file excludes nobody. */
static gboolean
is_there (int fd, const char *path)
{
  struct stat ours, there;

  return fstat (fd, &ours) == 0 && g_stat (path, &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

/* flock() locks the open file description, so that it also excludes other threads. */
static int
lock (int fd, gboolean wait)
{
  while (flock (fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
    if (errno == ENOLCK || errno == EOPNOTSUPP || errno == ENOSYS)
      return 0;
    if (errno != EINTR)
      return errno;
  }
  return 0;
}

static gboolean
fail (const char *path, int problem, GError **error)
{
  if (problem == EWOULDBLOCK)
    return pt_fail (error, PT_ERROR_BUSY,
                    "“%s” is locked by another program. Wait until it is done, and try again.",
                    path);
  return pt_fail (error, PT_ERROR_FILE, "“%s” cannot be locked: %s.", path, g_strerror (problem));
}

/* Returns the descriptor of the locked file, or -1 and sets @problem. */
static int
open_locked (const char *path, gboolean wait, int *problem)
{
  for (;;) {
    int fd = g_open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    *problem = fd >= 0 ? lock (fd, wait) : errno;
    if (fd >= 0 && *problem == 0 && is_there (fd, path))
      return fd;
    if (fd >= 0)
      close (fd);
    if (*problem != 0)
      return -1;
  }
}

PtLock *
pt_lock_take (const char *path, gboolean wait, GError **error)
{
  int problem, fd = open_locked (path, wait, &problem);
  PtLock *self;

  if (fd < 0) {
    fail (path, problem, error);
    return NULL;
  }
  self = g_new (PtLock, 1);
  self->path = g_strdup (path);
  self->fd = fd;
  return self;
}

void
pt_lock_free (PtLock *self)
{
  if (self == NULL)
    return;
  /* Delete the file before the lock is released: afterwards another process may own it. */
  g_unlink (self->path);
  close (self->fd);
  g_free (self->path);
  g_free (self);
}
