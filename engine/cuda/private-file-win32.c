/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/private-file.h"

#include <string.h>
#include <windows.h>

#include <glib/gstdio.h>

#include "engine/base/folder.h"

/*
 * Windows cannot delete a library that is loaded, so a process that is terminated leaves files
 * behind. Each process has its own folder with its id in the name. When a process makes its first
 * file, it deletes the folders of processes that have ended.
 */
#define FOLDER_PREFIX "pteris-native-"

struct _PtPrivateFile {
  char *path;
  HANDLE handle; /* while this handle is open, nobody can change or replace the file */
};

static gboolean
fail_system (GError **error, const char *what)
{
  g_autofree char *why = g_win32_error_message ((int) GetLastError ());

  return pt_fail (error, PT_ERROR_FILE, "The model's library cannot be loaded: %s: %s", what, why);
}

static gboolean
is_running (guint64 pid)
{
  HANDLE process = OpenProcess (SYNCHRONIZE, FALSE, (DWORD) pid);
  gboolean running;

  if (process == NULL)
    return GetLastError () == ERROR_ACCESS_DENIED;
  running = WaitForSingleObject (process, 0) == WAIT_TIMEOUT;
  CloseHandle (process);
  return running;
}

static void
remove_folder (const char *path)
{
  g_autoptr (PtFolder) dir = pt_folder_open (path);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);

    g_unlink (file);
  }
  g_clear_pointer (&dir, pt_folder_close);
  g_rmdir (path);
}

static void
remove_stale (const char *temp)
{
  g_autoptr (PtFolder) dir = pt_folder_open (temp);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (temp, name, NULL);
    guint64 pid;

    if (!g_str_has_prefix (name, FOLDER_PREFIX) || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      continue;
    pid = g_ascii_strtoull (name + strlen (FOLDER_PREFIX), NULL, 10);
    if (pid != 0 && !is_running (pid))
      remove_folder (path);
  }
}

/* The folder of this process. Only this user can access the folder for temporary files. */
static const char *
private_folder (GError **error)
{
  static char *folder;

  if (g_once_init_enter (&folder)) {
    wchar_t wide[MAX_PATH + 1];
    DWORD length = GetTempPathW (MAX_PATH + 1, wide);
    g_autofree char *random = g_uuid_string_random ();
    g_autofree char *temp = length > 0
                                ? g_utf16_to_utf8 ((const gunichar2 *) wide, -1, NULL, NULL, NULL)
                                : g_strdup (g_get_tmp_dir ());
    g_autofree char *name =
        g_strdup_printf (FOLDER_PREFIX "%lu-%s", GetCurrentProcessId (), random);
    char *path = g_build_filename (temp, name, NULL);

    remove_stale (temp);
    g_once_init_leave (&folder, path);
  }
  if (g_mkdir (folder, 0700) == 0 || g_file_test (folder, G_FILE_TEST_IS_DIR))
    return folder;
  fail_system (error, "there is no folder for temporary files");
  return NULL;
}

static gboolean
write_new (const wchar_t *path, const guint8 *bytes, gsize size)
{
  HANDLE file =
      CreateFileW (path, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_TEMPORARY, NULL);
  gboolean ok = file != INVALID_HANDLE_VALUE;

  while (ok && size > 0) {
    DWORD n = 0;

    ok = WriteFile (file, bytes, (DWORD) MIN (size, 1u << 30), &n, NULL) && n > 0;
    bytes += n;
    size -= n;
  }
  if (file != INVALID_HANDLE_VALUE)
    CloseHandle (file);
  return ok;
}

/* Whether @file contains exactly @bytes. */
static gboolean
contains (HANDLE file, const guint8 *bytes, gsize size)
{
  enum { PIECE = 1 << 16 };
  g_autofree guint8 *piece = g_malloc (PIECE);
  DWORD n = 0;

  while (ReadFile (file, piece, PIECE, &n, NULL) && n > 0) {
    if (n > size || memcmp (piece, bytes, n) != 0)
      return FALSE;
    bytes += n;
    size -= n;
  }
  return size == 0;
}

/*
 * The loader does not open a file that is open for writing. Therefore the file is closed and opened
 * again for reading, without sharing for writing or deletion, and its content is compared.
 */
static gboolean
lock (PtPrivateFile *file, const wchar_t *path, const guint8 *bytes, gsize size, GError **error)
{
  file->handle = CreateFileW (path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file->handle == INVALID_HANDLE_VALUE)
    return fail_system (error, "it cannot be read");
  return contains (file->handle, bytes, size) ||
         pt_fail (error, PT_ERROR_FILE,
                  "The model's library cannot be loaded: its copy was modified.");
}

PtPrivateFile *
pt_private_file_new_in (PtPrivatePlace place, gconstpointer bytes, gsize size, GError **error)
{
  g_autoptr (PtPrivateFile) file = g_new0 (PtPrivateFile, 1);
  g_autofree char *random = g_uuid_string_random ();
  g_autofree char *name = g_strconcat (random, ".dll", NULL);
  g_autofree gunichar2 *wide = NULL;
  const char *folder;

  file->handle = INVALID_HANDLE_VALUE;
  if (place != PT_PRIVATE_TEMP) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "There is no such place on Windows.");
    return NULL;
  }
  folder = private_folder (error);
  if (folder == NULL)
    return NULL;
  file->path = g_build_filename (folder, name, NULL);
  wide = g_utf8_to_utf16 (file->path, -1, NULL, NULL, NULL);
  if (!write_new ((const wchar_t *) wide, bytes, size)) {
    fail_system (error, "it cannot be written");
    return NULL;
  }
  return lock (file, (const wchar_t *) wide, bytes, size, error) ? g_steal_pointer (&file) : NULL;
}

PtPrivateFile *
pt_private_file_new (gconstpointer bytes, gsize size, GError **error)
{
  return pt_private_file_new_in (PT_PRIVATE_TEMP, bytes, size, error);
}

const char *
pt_private_file_path (const PtPrivateFile *file)
{
  return file->path;
}

/* Delete the folder together with its last file. */
void
pt_private_file_free (PtPrivateFile *file)
{
  if (file->handle != INVALID_HANDLE_VALUE)
    CloseHandle (file->handle);
  if (file->path != NULL) {
    g_autofree char *folder = g_path_get_dirname (file->path);

    g_unlink (file->path);
    g_rmdir (folder);
    g_free (file->path);
  }
  g_free (file);
}
