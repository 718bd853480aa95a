/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#ifdef G_OS_WIN32
#include <io.h>
#include <windows.h>

#include "engine/base/long-paths.h"
#else
#include <unistd.h>
#endif

#include <glib/gstdio.h>

#include "engine/base/set-error.h"

#ifndef O_BINARY
#define O_BINARY 0
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

#define NPY_MAGIC "\x93NUMPY"
#define PNG_MAGIC "\x89PNG\r\n"
/* This many first bytes tell a text file from other files. */
#define HEAD_BYTES 4096
#define MAX_LINKS 40

/* ---- Checking the existing file ---- */

#ifdef G_OS_WIN32

static gboolean
identify (const char *path, BY_HANDLE_FILE_INFORMATION *info)
{
  g_autofree gunichar2 *wide = pt_long_path (path);
  HANDLE file = wide != NULL ? CreateFileW ((const wchar_t *) wide, 0,
                                            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                            NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL)
                             : INVALID_HANDLE_VALUE;
  gboolean found = file != INVALID_HANDLE_VALUE && GetFileInformationByHandle (file, info);

  if (file != INVALID_HANDLE_VALUE)
    CloseHandle (file);
  return found;
}

static gboolean
is_same_file (const char *path, const char *other)
{
  BY_HANDLE_FILE_INFORMATION a, b;

  return identify (path, &a) && identify (other, &b) &&
         a.dwVolumeSerialNumber == b.dwVolumeSerialNumber && a.nFileIndexHigh == b.nFileIndexHigh &&
         a.nFileIndexLow == b.nFileIndexLow;
}

/* Pipes and devices of Windows have names outside the file system, which is_stream() never gets. */
static gboolean
is_stream (const char *path)
{
  return FALSE;
}

#else

static gboolean
is_same_file (const char *path, const char *other)
{
  GStatBuf a, b;

  return g_stat (path, &a) == 0 && g_stat (other, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/* These paths name open descriptors: a write must use their file and its position. */
static gboolean
is_open_file (const char *path)
{
  return g_str_has_prefix (path, "/dev/std") || g_str_has_prefix (path, "/dev/fd/") ||
         g_str_has_prefix (path, "/proc/");
}

static gboolean
is_stream (const char *path)
{
  GStatBuf status;

  return g_stat (path, &status) == 0 && (!S_ISREG (status.st_mode) || is_open_file (path));
}

#endif

/* The head may end within a character of up to 4 bytes. */
static gboolean
is_utf8 (const guint8 *head, gsize length)
{
  const char *end = NULL;

  return g_utf8_validate ((const char *) head, (gssize) length, &end) ||
         (length == HEAD_BYTES && (const char *) head + length - end < 4);
}

/*
 * Control characters make a text of an old encoding another kind of file. UTF-8 may have them, as
 * an answer of a model does. Texts of two bytes a character (UTF-16) are never accepted.
 */
static gboolean
is_text (const guint8 *head, gsize length)
{
  static const char KEPT[] =
      "\t\n\v\f\r\x1b"; /* line ends, form feeds, escape sequences of terminals */
  gboolean plain = TRUE;

  if (memchr (head, 0, length) != NULL)
    return FALSE;
  for (gsize i = 0; i < length && plain; i++)
    plain = head[i] >= 0x20 || strchr (KEPT, head[i]) != NULL;
  return plain || is_utf8 (head, length);
}

static gboolean
is_of_kind (const guint8 *head, gsize length, PtOutputKind kind)
{
  const char *magic = kind == PT_OUTPUT_PNG ? PNG_MAGIC : NPY_MAGIC;

  if (kind == PT_OUTPUT_TEXT)
    return is_text (head, length);
  if (kind == PT_OUTPUT_WAV)
    return length >= 12 && memcmp (head, "RIFF", 4) == 0 && memcmp (head + 8, "WAVE", 4) == 0;
  return length >= strlen (magic) && memcmp (head, magic, strlen (magic)) == 0;
}

static gboolean
check_contents (const char *path, PtOutputKind kind, GError **error)
{
  guint8 head[HEAD_BYTES];
  FILE *file = g_fopen (path, "rb");
  gsize length;

  if (file == NULL)
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” exists and cannot be read: %s. Choose another name for the output.", path,
                    g_strerror (errno));
  length = fread (head, 1, sizeof head, file);
  fclose (file);
  if (length == 0 || is_of_kind (head, length, kind))
    return TRUE;
  return pt_fail (error, PT_ERROR_FILE,
                  "“%s” exists and is not %s: it would be lost. Choose another name for the "
                  "output, or remove it first.",
                  path,
                  kind == PT_OUTPUT_TEXT    ? "a text file"
                  : kind == PT_OUTPUT_ARRAY ? "an array (.npy)"
                  : kind == PT_OUTPUT_WAV   ? "a WAV file"
                                            : "a PNG picture");
}

gboolean
pt_output_check (const char *path, PtOutputKind kind, const char *const *inputs, GError **error)
{
  GStatBuf status;

  for (guint i = 0; inputs != NULL && inputs[i] != NULL; i++)
    if (is_same_file (path, inputs[i]))
      return pt_fail (error, PT_ERROR_FILE,
                      "“%s” is one of the inputs and would be lost. Choose another name for the "
                      "output.",
                      path);
  if (g_stat (path, &status) != 0)
    return TRUE;
  if (S_ISDIR (status.st_mode))
    return pt_fail (error, PT_ERROR_FILE, "“%s” is a folder. Choose a file for the output.", path);
#ifdef S_ISBLK
  if (S_ISBLK (status.st_mode))
    return pt_fail (error, PT_ERROR_FILE, "“%s” is a disk. Choose a file for the output.", path);
#endif
  return is_stream (path) || check_contents (path, kind, error);
}

/* ---- Writing ---- */

static gboolean
fail_write (const char *path, int problem, GError **error)
{
  return pt_fail (error, PT_ERROR_FILE, "“%s” cannot be written: %s.", path, g_strerror (problem));
}

/* Returns 0 or the number of the system's error; closes @file. */
static int
write_parts (FILE *file, const PtOutputPart *parts, guint n, gboolean sync)
{
  int problem = 0;

  for (guint i = 0; i < n && problem == 0; i++)
    if (parts[i].size > 0 && fwrite (parts[i].data, 1, parts[i].size, file) != parts[i].size)
      problem = errno;
  if (problem == 0 && fflush (file) != 0)
    problem = errno;
#ifdef G_OS_UNIX
  if (problem == 0 && sync && fsync (fileno (file)) != 0)
    problem = errno;
#endif
  if (fclose (file) != 0 && problem == 0)
    problem = errno;
  return problem;
}

static int
write_to (int fd, const PtOutputPart *parts, guint n, gboolean sync)
{
  FILE *file = fd >= 0 ? fdopen (fd, "wb") : NULL;
  int problem = errno;

  if (file != NULL)
    return write_parts (file, parts, n, sync);
  if (fd >= 0)
    g_close (fd, NULL);
  return problem;
}

/* When @path is another name of standard output, both must share one file position. */
static int
open_stream (const char *path)
{
#ifdef G_OS_UNIX
  GStatBuf ours, status;

  if (fstat (STDOUT_FILENO, &ours) == 0 && g_stat (path, &status) == 0 &&
      ours.st_dev == status.st_dev && ours.st_ino == status.st_ino)
    return fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
#endif
  return g_open (path, O_WRONLY | O_TRUNC | O_BINARY | O_CLOEXEC, 0);
}

/* Resolves symbolic links; the target need not exist. NULL when the links form a circle. */
static char *
follow_links (const char *path)
{
  g_autofree char *at = g_strdup (path);

  for (guint i = 0; i < MAX_LINKS; i++) {
    g_autofree char *link = g_file_read_link (at, NULL);
    g_autofree char *folder = g_path_get_dirname (at);

    if (link == NULL)
      return g_steal_pointer (&at);
    g_free (at);
    at = g_path_is_absolute (link) ? g_strdup (link) : g_build_filename (folder, link, NULL);
  }
  return NULL;
}

#ifdef G_OS_UNIX
/* A new file has no rights that the umask forbids. A confined process cannot add them
 * (engine/confine), and some file systems have none: then fewer may use the file than before. */
static void
keep_mode (int fd, mode_t mode)
{
  struct stat now;

  if (fstat (fd, &now) == 0 && (now.st_mode & 0777) != mode)
    fchmod (fd, mode);
}
#endif

/* Renames without replacing a file. */
static int
rename_new (const char *from, const char *to)
{
#ifdef G_OS_WIN32
  g_autofree gunichar2 *wide = pt_long_path (from), *wide_to = pt_long_path (to);

  if (wide == NULL || wide_to == NULL)
    return EINVAL;
  if (MoveFileExW ((const wchar_t *) wide, (const wchar_t *) wide_to, 0))
    return 0;
  return GetLastError () == ERROR_ALREADY_EXISTS ? EEXIST : EACCES;
#else
  int problem = link (from, to) == 0 ? 0 : errno;

  /* A file system without links. */
  if (problem == EPERM || problem == EOPNOTSUPP || problem == ENOSYS)
    problem = g_file_test (to, G_FILE_TEST_EXISTS) ? EEXIST : g_rename (from, to) == 0 ? 0 : errno;
  else if (problem == 0)
    g_remove (from);
  return problem;
#endif
}

#ifdef O_TMPFILE

/* Gives the nameless file @fd a name that nobody has. */
static int
give_name (int fd, const char *path)
{
  g_autofree char *file = g_strdup_printf ("/proc/self/fd/%d", fd);

  return linkat (AT_FDCWD, file, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int
rename_over (int fd, const char *path)
{
  g_autofree char *temporary = NULL;
  int problem;

  do {
    g_free (temporary);
    temporary = g_strdup_printf ("%s.%06x", path, g_random_int () & 0xffffff);
    problem = give_name (fd, temporary);
  } while (problem == EEXIST);
  if (problem == 0 && g_rename (temporary, path) != 0) {
    problem = errno;
    g_remove (temporary);
  }
  return problem;
}

/* A file without a name is gone when the program is killed. -1: the file system has none, or a
 * confined process may not name it. */
static int
write_nameless (const char *path, const GStatBuf *before, const PtOutputPart *parts, guint n)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC,
                 before != NULL ? before->st_mode & 0777 : 0666);
  int problem;

  if (fd < 0)
    return -1;
  if (before != NULL)
    keep_mode (fd, before->st_mode & 0777);
  problem = write_to (fcntl (fd, F_DUPFD_CLOEXEC, 0), parts, n, before != NULL);
  if (problem == 0)
    problem = before != NULL ? rename_over (fd, path) : give_name (fd, path);
  close (fd);
  return problem == ENOENT || problem == EXDEV || problem == EACCES || problem == EPERM ? -1
                                                                                        : problem;
}

#else

static int
write_nameless (const char *path, const GStatBuf *before, const PtOutputPart *parts, guint n)
{
  return -1;
}

#endif

/* Writes to a temporary file and renames it, so that a full disk leaves the old file unchanged.
 * @before: of the file that is replaced; NULL: none is. */
static int
write_named (const char *path, const GStatBuf *before, const PtOutputPart *parts, guint n)
{
  g_autofree char *temporary = g_strconcat (path, ".XXXXXX", NULL);
  int problem, fd = g_mkstemp_full (temporary, O_WRONLY | O_BINARY | O_CLOEXEC,
                                    before != NULL ? before->st_mode & 0777 : 0666);

  if (fd < 0)
    return errno;
#ifdef G_OS_UNIX
  if (before != NULL)
    keep_mode (fd, before->st_mode & 0777);
#endif
  problem = write_to (fd, parts, n, before != NULL);
  if (problem == 0 && before == NULL)
    problem = rename_new (temporary, path);
  else if (problem == 0 && g_rename (temporary, path) != 0)
    problem = errno;
  if (problem != 0)
    g_remove (temporary);
  return problem;
}

int
pt_output_create (const char *path, const PtOutputPart *parts, guint n)
{
  int problem;

  if (g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    return EEXIST;
  problem = write_nameless (path, NULL, parts, n);
  return problem >= 0 ? problem : write_named (path, NULL, parts, n);
}

static int
replace (const char *path, const PtOutputPart *parts, guint n)
{
  GStatBuf before;
  int problem;

  if (g_stat (path, &before) != 0) {
    problem = pt_output_create (path, parts, n);
    if (problem != EEXIST || g_stat (path, &before) != 0)
      return problem;
  }
  problem = write_nameless (path, &before, parts, n);
  return problem >= 0 ? problem : write_named (path, &before, parts, n);
}

int
pt_output_replace (const char *path, const PtOutputPart *parts, guint n)
{
  g_autofree char *target = NULL;

  if (is_stream (path))
    return write_to (open_stream (path), parts, n, FALSE);
  target = follow_links (path);
  return target != NULL ? replace (target, parts, n) : ELOOP;
}

gboolean
pt_output_write (const char *path, PtOutputKind kind, const char *const *inputs,
                 const PtOutputPart *parts, guint n, GError **error)
{
  int problem;

  if (!pt_output_check (path, kind, inputs, error))
    return FALSE;
  problem = pt_output_replace (path, parts, n);
  return problem == 0 || fail_write (path, problem, error);
}
