/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "engine/base/error.h"

struct _PtLock {
  char *path;
  int fd;
};

/* Who had it has removed it: the file that is open is nobody's any more. */
static gboolean
is_there (int fd, const char *path)
{
  struct stat ours, there;

  return fstat (fd, &ours) == 0 && g_stat (path, &there) == 0 && ours.st_dev == there.st_dev &&
         ours.st_ino == there.st_ino;
}

/* Belongs to the open file, so that it keeps other threads out as well. */
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
    return pt_fail (error, PT_ERROR_BUSY, "Somebody else has “%s”.", path);
  return pt_fail (error, PT_ERROR_FILE, "“%s” cannot be locked: %s.", path, g_strerror (problem));
}

/* The locked file, or -1 with the reason. */
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
  /* Before it is given back: afterwards it may be another's. */
  g_unlink (self->path);
  close (self->fd);
  g_free (self->path);
  g_free (self);
}
