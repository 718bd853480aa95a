/* SPDX-License-Identifier: BSD-3-Clause */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include "engine/base/given-files.h"

#include <errno.h>
#include <fcntl.h>

#include <glib/gstdio.h>

#ifdef __linux__

#include <unistd.h>

static GMutex mutex;
static GHashTable *given; /* path -> descriptor, GINT_TO_POINTER(); NULL: none was given */

static void
close_given (gpointer data)
{
  close (GPOINTER_TO_INT (data));
}

void
pt_given_add (const char *path, int fd)
{
  g_mutex_lock (&mutex);
  if (given == NULL)
    given = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, close_given);
  g_hash_table_replace (given, g_strdup (path), GINT_TO_POINTER (fd));
  g_mutex_unlock (&mutex);
}

void
pt_given_clear (void)
{
  g_mutex_lock (&mutex);
  if (given != NULL)
    g_hash_table_remove_all (given);
  g_mutex_unlock (&mutex);
}

/* A descriptor of its own; -1 with ENOENT: the file was not given. */
static int
take (const char *path)
{
  gpointer found = NULL;
  int fd = -1, problem = ENOENT;

  g_mutex_lock (&mutex);
  if (given != NULL && g_hash_table_lookup_extended (given, path, NULL, &found)) {
    fd = fcntl (GPOINTER_TO_INT (found), F_DUPFD_CLOEXEC, 0);
    problem = errno;
  }
  g_mutex_unlock (&mutex);
  if (fd < 0)
    errno = problem;
  return fd;
}

gboolean
pt_given_has (const char *path)
{
  gboolean has;

  g_mutex_lock (&mutex);
  has = given != NULL && g_hash_table_contains (given, path);
  g_mutex_unlock (&mutex);
  return has;
}

int
pt_input_open (const char *path, int flags)
{
  int fd = take (path);

  if (fd < 0)
    return errno == ENOENT ? g_open (path, flags, 0) : -1;
  lseek (fd, 0, SEEK_SET);
  return fd;
}

/* Copies of a descriptor share its position, so that a stream keeps its own. */
typedef struct {
  int fd;
  off64_t position;
} Stream;

static ssize_t
stream_read (void *data, char *bytes, size_t size)
{
  Stream *self = data;
  ssize_t n;

  do
    n = pread (self->fd, bytes, size, self->position);
  while (n < 0 && errno == EINTR);
  if (n > 0)
    self->position += n;
  return n;
}

static int
stream_seek (void *data, off64_t *offset, int whence)
{
  Stream *self = data;
  off64_t from = 0;

  if (whence == SEEK_CUR)
    from = self->position;
  else if (whence == SEEK_END)
    from = lseek (self->fd, 0, SEEK_END);
  if (from < 0 || *offset < -from || *offset > G_MAXINT64 - from)
    return -1;
  *offset = self->position = from + *offset;
  return 0;
}

static int
stream_close (void *data)
{
  Stream *self = data;
  int result = close (self->fd);

  g_free (self);
  return result;
}

FILE *
pt_input_fopen (const char *path)
{
  const cookie_io_functions_t functions = { .read = stream_read,
                                            .seek = stream_seek,
                                            .close = stream_close };
  int fd = take (path);
  Stream *self;
  FILE *file;

  if (fd < 0)
    return errno == ENOENT ? g_fopen (path, "rb") : NULL;
  self = g_new (Stream, 1);
  *self = (Stream){ .fd = fd };
  file = fopencookie (self, "rb", functions);
  if (file == NULL)
    stream_close (self);
  return file;
}

#else

void
pt_given_add (const char *path, int fd)
{
  g_close (fd, NULL);
}

void
pt_given_clear (void)
{
}

gboolean
pt_given_has (const char *path)
{
  return FALSE;
}

int
pt_input_open (const char *path, int flags)
{
  return g_open (path, flags, 0);
}

FILE *
pt_input_fopen (const char *path)
{
  return g_fopen (path, "rb");
}

#endif
