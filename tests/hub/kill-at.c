/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Loaded with LD_PRELOAD: the program ends by SIGKILL right before its KILL_AT-th change of the
 * disk, as if it had been killed there. Without that, the number of changes is written to the file
 * KILL_COUNT at the end. A write is cut in the middle first, so that half of it is there.
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define VISIBLE __attribute__ ((visibility ("default")))
#define NEXT(name) ((__typeof__ (&name)) dlsym (RTLD_NEXT, #name))

static int changes;

static int
is_last (void)
{
  const char *at = getenv ("KILL_AT");

  return ++changes == (at != NULL ? atoi (at) : -1);
}

static void
change (void)
{
  if (is_last ())
    kill (getpid (), SIGKILL);
}

__attribute__ ((destructor)) static void
tell (void)
{
  const char *path = getenv ("KILL_COUNT");
  FILE *file = path != NULL ? fopen (path, "w") : NULL;

  if (file == NULL)
    return;
  fprintf (file, "%d\n", changes);
  fclose (file);
}

VISIBLE ssize_t
write (int fd, const void *data, size_t size)
{
  struct stat status;

  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && is_last ()) {
    if (NEXT (write) (fd, data, size / 2) >= 0)
      kill (getpid (), SIGKILL);
  }
  return NEXT (write) (fd, data, size);
}

VISIBLE int
rename (const char *from, const char *to)
{
  change ();
  return NEXT (rename) (from, to);
}

VISIBLE int
fsync (int fd)
{
  change ();
  return NEXT (fsync) (fd);
}

VISIBLE int
mkdir (const char *path, mode_t mode)
{
  change ();
  return NEXT (mkdir) (path, mode);
}

VISIBLE int
unlink (const char *path)
{
  change ();
  return NEXT (unlink) (path);
}

VISIBLE int
rmdir (const char *path)
{
  change ();
  return NEXT (rmdir) (path);
}

static int
mode_of (int flags, va_list args)
{
  return (flags & O_CREAT) != 0 ? va_arg (args, int) : 0;
}

/* Which is open64() where files are large. */
VISIBLE int
open (const char *path, int flags, ...)
{
  va_list args;
  int mode;

  va_start (args, flags);
  mode = mode_of (flags, args);
  va_end (args);
  if ((flags & (O_CREAT | O_TRUNC)) != 0)
    change ();
  return NEXT (open) (path, flags, mode);
}
