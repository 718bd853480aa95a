/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <pteris/models.h>

#include <glib/gstdio.h>

#ifdef G_OS_WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include "engine/base/set-error.h"
#include "engine/base/folder.h"
#include "engine/base/sha256.h"
#include "engine/hub/repo-names.h"

#ifndef O_BINARY
#define O_BINARY 0
#endif
#ifndef O_CLOEXEC
#define O_CLOEXEC 0
#endif

#define STATE_NAME ".pteris-hub.json"
#define STAGING_END ".part"
#define DIGITS 8
/* Bytes that stay free on a disk. */
#define MARGIN (16u << 20)
#define MAX_DEPTH 64
/* How long is waited for another program to let go of a file: two seconds. */
#define MAX_HELD 40
#define HELD_US (50 * 1000)

/* ---- places ---- */

PtHubPlaces *
pt_hub_places_new (const char *id, const char *program)
{
  PtHubPlaces *self = g_new0 (PtHubPlaces, 1);
  const char *library = pt_library_default_folder ();
  g_autofree char *lock = NULL, *staging = NULL, *digest = NULL;

  self->name = pt_hub_folder_name (id);
  self->folder = g_build_filename (library, self->name, NULL);
  lock = g_strdup_printf (".%s.lock", self->name);
  self->lock = g_build_filename (library, lock, NULL);
  if (program == NULL)
    return self;
  digest = pt_sha256 (program, strlen (program));
  staging = g_strdup_printf (".%s.%.*s" STAGING_END, self->name, DIGITS, digest);
  self->staging = g_build_filename (library, staging, NULL);
  self->files = g_build_filename (self->staging, "files", NULL);
  self->state = g_build_filename (self->staging, "state.json", NULL);
  return self;
}

void
pt_hub_places_free (PtHubPlaces *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->folder);
  g_free (self->lock);
  g_free (self->staging);
  g_free (self->files);
  g_free (self->state);
  g_free (self);
}

gboolean
pt_hub_is_staging (const char *name, const char *model)
{
  gsize length = strlen (name), end = strlen (STAGING_END), before;

  if (name[0] != '.' || length < 1 + 1 + DIGITS + end || !g_str_has_suffix (name, STAGING_END))
    return FALSE;
  before = length - end - DIGITS - 1;
  if (name[before] != '.' || strspn (name + before + 1, "0123456789abcdef") != DIGITS)
    return FALSE;
  return model == NULL ||
         (strlen (model) == before - 1 && memcmp (name + 1, model, before - 1) == 0);
}

char *
pt_hub_state_path (const char *folder)
{
  return g_build_filename (folder, STATE_NAME, NULL);
}

char *
pt_hub_join (const char *folder, const char *path)
{
  g_autofree char *own = g_strdelimit (g_strdup (path), "/", G_DIR_SEPARATOR);

  return g_build_filename (folder, own, NULL);
}

/* ---- errors ---- */

gboolean
pt_hub_fail_write (const char *path, int problem, GError **error)
{
  if (problem == ENOSPC)
    return pt_fail (
        error, PT_ERROR_FILE,
        "The disk with “%s” is full. Make room and try again; what has arrived is kept.", path);
#ifdef EDQUOT
  if (problem == EDQUOT)
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” would exceed what you may use of its disk. Make room and try again; what "
                    "has arrived is kept.",
                    path);
#endif
  if (problem == EFBIG)
    return pt_fail (error, PT_ERROR_FILE,
                    "The disk with “%s” cannot hold a file of this size. Name a folder on another "
                    "disk in PTERIS_MODELS.",
                    path);
  return pt_fail (error, PT_ERROR_FILE,
                  "“%s” cannot be written: %s. Check the folder and its disk, and try again.", path,
                  g_strerror (problem));
}

/* ---- folders ---- */

gboolean
pt_hub_make_folder (const char *folder, GError **error)
{
  return g_mkdir_with_parents (folder, 0755) == 0 || pt_hub_fail_write (folder, errno, error);
}

gboolean
pt_hub_make_parent (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  return pt_hub_make_folder (folder, error);
}

void
pt_hub_sync_folder (const char *folder)
{
#ifdef G_OS_UNIX
  int fd = g_open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

  if (fd < 0)
    return;
  fsync (fd);
  close (fd);
#endif
}

/* ---- files that others hold ---- */

static void
pause_a_moment (void)
{
  g_usleep (HELD_US);
}

void (*pt_hub_pause_for_holder) (void) = pause_a_moment;

/* On Windows a virus scanner or an indexer opens what was just written, and a folder is not empty
 * until it has let go of a file that was deleted. Elsewhere nobody can hold a file. */
static gboolean
is_held (int problem, guint attempt)
{
#ifdef G_OS_WIN32
  if (attempt >= MAX_HELD ||
      (problem != EACCES && problem != EBUSY && problem != ENOTEMPTY && problem != EPERM))
    return FALSE;
  pt_hub_pause_for_holder ();
  return TRUE;
#else
  return FALSE;
#endif
}

/* Each returns 0 or an errno. */

static int
rename_patiently (const char *from, const char *to)
{
  int problem = 0;

  for (guint i = 0; g_rename (from, to) != 0; i++)
    if (!is_held (problem = errno, i))
      return problem;
  return 0;
}

static int
unlink_patiently (const char *path)
{
  int problem = 0;

  for (guint i = 0; g_unlink (path) != 0; i++)
    if ((problem = errno) == ENOENT || !is_held (problem, i))
      return problem == ENOENT ? 0 : problem;
  return 0;
}

static int
rmdir_patiently (const char *path)
{
  int problem = 0;

  for (guint i = 0; g_rmdir (path) != 0; i++)
    if ((problem = errno) == ENOENT || !is_held (problem, i))
      return problem == ENOENT ? 0 : problem;
  return 0;
}

gboolean
pt_hub_move (const char *from, const char *to, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (to);
  int problem = rename_patiently (from, to);

  if (problem != 0)
    return pt_hub_fail_write (to, problem, error);
  pt_hub_sync_folder (folder);
  return TRUE;
}

/* Writes, and returns 0 or an errno. */
static int
write_text (int fd, const char *text)
{
  gsize left = strlen (text);

  while (left > 0) {
    gssize n = write (fd, text, (guint) MIN (left, 1u << 20));

    if (n <= 0 && errno != EINTR)
      return n < 0 ? errno : ENOSPC;
    if (n > 0) {
      text += n;
      left -= (gsize) n;
    }
  }
  return g_fsync (fd) == 0 ? 0 : errno;
}

/* Always under the same other name first, so that the next time takes what a crash left. */
gboolean
pt_hub_write_file (const char *path, const char *text, GError **error)
{
  g_autofree char *other = g_strconcat (path, ".new", NULL);
  int fd = g_open (other, O_WRONLY | O_CREAT | O_TRUNC | O_BINARY | O_CLOEXEC, 0644);
  int problem = fd >= 0 ? write_text (fd, text) : errno;

  if (fd >= 0)
    g_close (fd, NULL);
  return problem == 0 ? pt_hub_move (other, path, error) : pt_hub_fail_write (path, problem, error);
}

static gboolean
is_real_folder (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK);
}

static int
delete_all (const char *path, guint depth)
{
  g_autoptr (PtFolder) folder = NULL;
  g_autoptr (GPtrArray) names = NULL;
  const char *name;
  int problem = 0;

  if (!is_real_folder (path))
    return unlink_patiently (path);
  if (depth > MAX_DEPTH)
    return ELOOP;
  names = g_ptr_array_new_with_free_func (g_free);
  folder = pt_folder_open (path);
  while ((name = pt_folder_next (folder)) != NULL)
    g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_clear_pointer (&folder, pt_folder_close);
  for (guint i = 0; i < names->len && problem == 0; i++)
    problem = delete_all (names->pdata[i], depth + 1);
  return problem == 0 ? rmdir_patiently (path) : problem;
}

gboolean
pt_hub_delete (const char *path, GError **error)
{
  int problem = delete_all (path, 0);

  return problem == 0 || pt_fail (error, PT_ERROR_FILE,
                                  "“%s” cannot be deleted: %s. Close what uses it, and try again.",
                                  path, g_strerror (problem));
}

gboolean
pt_hub_size_of (const char *path, guint64 *bytes)
{
  GStatBuf status;

  if (g_lstat (path, &status) != 0 || !S_ISREG (status.st_mode) || status.st_size < 0)
    return FALSE;
  *bytes = (guint64) status.st_size;
  return TRUE;
}

gboolean
pt_hub_check_space (const char *folder, guint64 bytes, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  g_autoptr (GFileInfo) info =
      g_file_query_filesystem_info (file, G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL);
  guint64 left;

  /* Not every file system reports its free space. */
  if (bytes == 0 || info == NULL ||
      !g_file_info_has_attribute (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE))
    return TRUE;
  left = g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE);
  if (left >= MARGIN && left - MARGIN >= bytes)
    return TRUE;
  return pt_fail (error, PT_ERROR_FILE,
                  "The disk with “%s” has %" G_GUINT64_FORMAT " MB left, and %" G_GUINT64_FORMAT
                  " MB are needed. Make room, or name a folder on another disk in PTERIS_MODELS.",
                  folder, left / 1000000, (bytes + MARGIN) / 1000000 + 1);
}
