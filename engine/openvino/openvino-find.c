/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-find.h"

#include <string.h>

#include "engine/base/folder.h"
#include "engine/base/set-error.h"

#ifdef G_OS_WIN32
#define LIBRARY "openvino_c.dll"
#define PIP "py -m pip"
#else
#define LIBRARY "libopenvino_c.so"
#define PIP "pip"
#endif

/* A search without a result is repeated after this time: the user may have installed it. */
#define AGAIN_US (2 * G_USEC_PER_SEC)

static GMutex mutex;
static PtOpenvinoPlace *found;
static char *found_for; /* the variables that decided */
static gint64 searched_at;

void
pt_openvino_place_free (PtOpenvinoPlace *place)
{
  if (place == NULL)
    return;
  g_free (place->path);
  g_free (place->version);
  g_free (place);
}

/* ---- names of the library ---- */

static gboolean
is_number (const char *text)
{
  return *text != '\0' && strspn (text, "0123456789") == strlen (text);
}

/* "2025.4.1" of "libopenvino_c.so.2541" and "libopenvino_c.so.2025.4.1". */
static char *
version_of (const char *name)
{
  const char *end = g_str_has_prefix (name, LIBRARY ".") ? name + strlen (LIBRARY ".") : "";
  g_auto (GStrv) parts = g_strsplit (end, ".", -1);

  if (is_number (end) && strlen (end) >= 4 && strlen (end) <= 5)
    return g_strdup_printf ("20%.2s.%c.%s", end, end[2], end + 3);
  if (g_strv_length (parts) != 3 || !is_number (parts[0]) || !is_number (parts[1]) ||
      !is_number (parts[2]))
    return NULL;
  return g_strdup (end);
}

/* A link without a version leads to the file with one. */
static char *
version_of_path (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *target = g_file_read_link (path, NULL);
  g_autofree char *other = target != NULL ? g_path_get_basename (target) : NULL;
  char *version = version_of (name);

  return version == NULL && other != NULL ? version_of (other) : version;
}

static gboolean
is_library (const char *name)
{
#ifdef G_OS_WIN32
  return g_ascii_strcasecmp (name, LIBRARY) == 0;
#else
  return strcmp (name, LIBRARY) == 0 ||
         (g_str_has_prefix (name, LIBRARY ".") && g_ascii_isdigit (name[strlen (LIBRARY ".")]));
#endif
}

/* Less than 0: @a is older. A name without a version is the oldest. */
static int
compare_versions (const char *a, const char *b)
{
  g_auto (GStrv) x = g_strsplit (a != NULL ? a : "", ".", -1);
  g_auto (GStrv) y = g_strsplit (b != NULL ? b : "", ".", -1);
  guint nx = g_strv_length (x), ny = g_strv_length (y);

  for (guint i = 0; i < MIN (nx, ny); i++) {
    guint64 p = g_ascii_strtoull (x[i], NULL, 10), q = g_ascii_strtoull (y[i], NULL, 10);

    if (p != q)
      return p < q ? -1 : 1;
  }
  return nx < ny ? -1 : nx > ny;
}

/* Takes @path. */
static PtOpenvinoPlace *
place_new (char *path)
{
  PtOpenvinoPlace *place = g_new (PtOpenvinoPlace, 1);

  place->path = path;
  place->version = version_of_path (path);
  return place;
}

/* The newest library of @folder itself, or NULL. */
static PtOpenvinoPlace *
in_folder (const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  PtOpenvinoPlace *best = NULL;
  const char *name;

  while (dir != NULL && (name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = is_library (name) ? g_build_filename (folder, name, NULL) : NULL;
    PtOpenvinoPlace *place;

    if (path == NULL || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
      continue;
    place = place_new (g_steal_pointer (&path));
    if (best == NULL || compare_versions (place->version, best->version) > 0) {
      pt_openvino_place_free (best);
      best = place;
    } else {
      pt_openvino_place_free (place);
    }
  }
  return best;
}

/* ---- folders ---- */

/* In @folder/NAME/@below, for the entries whose names begin with @prefix: "python3.11". */
static PtOpenvinoPlace *
below_each (const char *folder, const char *prefix, const char *below)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  PtOpenvinoPlace *best = NULL;
  const char *name;

  while (dir != NULL && (name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, below, NULL);
    PtOpenvinoPlace *place = g_str_has_prefix (name, prefix) ? in_folder (path) : NULL;

    if (place == NULL)
      continue;
    if (best == NULL || compare_versions (place->version, best->version) > 0) {
      pt_openvino_place_free (best);
      best = place;
    } else {
      pt_openvino_place_free (place);
    }
  }
  return best;
}

/* Where the library is in a folder that somebody names: the folder of the library, that of a
 * package, of packages (pip install --target), of a virtual environment, of Intel's archive. */
static PtOpenvinoPlace *
in_installation (const char *folder)
{
  static const char *const BELOW[] = { "",
                                       "libs",
                                       "openvino/libs",
                                       "Lib/site-packages/openvino/libs",
                                       "runtime/lib/intel64",
                                       "runtime/lib/aarch64",
                                       "runtime/bin/intel64/Release" };
  g_autofree char *lib = g_build_filename (folder, "lib", NULL);
  PtOpenvinoPlace *place = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (BELOW) && place == NULL; i++) {
    g_autofree char *path = g_build_filename (folder, BELOW[i], NULL);

    place = in_folder (path);
  }
  return place != NULL ? place : below_each (lib, "python3", "site-packages/openvino/libs");
}

/* Absolute folders of a list such as LD_LIBRARY_PATH. */
static PtOpenvinoPlace *
in_list (const char *list)
{
  g_auto (GStrv) folders = g_strsplit (list != NULL ? list : "", G_SEARCHPATH_SEPARATOR_S, -1);
  PtOpenvinoPlace *place = NULL;

  for (guint i = 0; folders[i] != NULL && place == NULL; i++)
    if (g_path_is_absolute (folders[i]))
      place = in_folder (folders[i]);
  return place;
}

#ifdef G_OS_WIN32

/* setupvars puts the folders of Intel's archive on PATH. */
static PtOpenvinoPlace *
in_system (void)
{
  return in_list (g_getenv ("PATH"));
}

static PtOpenvinoPlace *
below_variable (const char *variable, const char *folder, const char *prefix, const char *below)
{
  const char *value = g_getenv (variable);
  g_autofree char *path =
      value != NULL && g_path_is_absolute (value) ? g_build_filename (value, folder, NULL) : NULL;

  return path != NULL ? below_each (path, prefix, below) : NULL;
}

static PtOpenvinoPlace *
in_packages (void)
{
  PtOpenvinoPlace *place =
      below_variable ("APPDATA", "Python", "Python3", "site-packages/openvino/libs");

  if (place == NULL)
    place = below_variable ("LOCALAPPDATA", "Programs/Python", "Python3",
                            "Lib/site-packages/openvino/libs");
  if (place == NULL)
    place = below_variable ("ProgramFiles", "", "Python3", "Lib/site-packages/openvino/libs");
  return place;
}

static PtOpenvinoPlace *
in_installers_folders (void)
{
  static const char *const VARIABLES[] = { "ProgramFiles(x86)", "ProgramFiles" };
  PtOpenvinoPlace *place = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (VARIABLES) && place == NULL; i++)
    place = below_variable (VARIABLES[i], "Intel", "openvino", "runtime/bin/intel64/Release");
  return place;
}

#else

#if defined(__aarch64__)
#define TRIPLET "aarch64-linux-gnu"
#define ARCHIVE_LIB "runtime/lib/aarch64"
#else
#define TRIPLET "x86_64-linux-gnu"
#define ARCHIVE_LIB "runtime/lib/intel64"
#endif

/* The folders of the lines in @path, a file of ldconfig's settings. */
static PtOpenvinoPlace *
in_settings (const char *path)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  return in_list (g_strdelimit (text, "\r\n\t ", ':'));
}

static PtOpenvinoPlace *
in_loaders_settings (void)
{
  g_autoptr (PtFolder) dir = pt_folder_open ("/etc/ld.so.conf.d");
  PtOpenvinoPlace *place = NULL;
  const char *name;

  while (place == NULL && dir != NULL && (name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename ("/etc/ld.so.conf.d", name, NULL);

    place = in_settings (path);
  }
  return place;
}

static PtOpenvinoPlace *
in_system (void)
{
  PtOpenvinoPlace *place = in_list (g_getenv ("LD_LIBRARY_PATH"));

  if (place == NULL)
    place = in_loaders_settings ();
  if (place == NULL)
    place = in_list ("/usr/local/lib:/usr/local/lib/" TRIPLET ":/usr/lib/" TRIPLET ":/lib/" TRIPLET
                     ":/usr/lib64:/lib64:/usr/lib:/app/lib");
  return place;
}

static PtOpenvinoPlace *
in_packages (void)
{
  g_autofree char *user = g_build_filename (g_get_home_dir (), ".local", "lib", NULL);
  PtOpenvinoPlace *place = below_each (user, "python3", "site-packages/openvino/libs");

  if (place == NULL)
    place = below_each ("/usr/local/lib", "python3", "dist-packages/openvino/libs");
  if (place == NULL)
    place = below_each ("/usr/local/lib", "python3", "site-packages/openvino/libs");
  if (place == NULL)
    place = below_each ("/usr/lib", "python3", "site-packages/openvino/libs");
  if (place == NULL)
    place = below_each ("/usr/lib", "python3", "dist-packages/openvino/libs");
  return place;
}

static PtOpenvinoPlace *
in_installers_folders (void)
{
  PtOpenvinoPlace *place = below_each ("/opt/intel", "openvino", ARCHIVE_LIB);

  return place != NULL ? place : below_each ("/opt", "openvino", ARCHIVE_LIB);
}

#endif

static char *
own_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "openvino", NULL);
}

/* The folder that @variable names, or the file; NULL: it is not set, or names nothing. */
static PtOpenvinoPlace *
by_variable (const char *variable)
{
  const char *value = g_getenv (variable);
  g_autofree char *path =
      value != NULL && *value != '\0' ? g_canonicalize_filename (value, NULL) : NULL;

  if (path == NULL)
    return NULL;
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return in_installation (path);
  return g_file_test (path, G_FILE_TEST_IS_REGULAR) ? place_new (g_steal_pointer (&path)) : NULL;
}

static PtOpenvinoPlace *
search (void)
{
  g_autofree char *own = own_folder ();
  PtOpenvinoPlace *place = by_variable ("OPENVINO_LIB_PATH");

  if (place == NULL)
    place = by_variable ("INTEL_OPENVINO_DIR");
  if (place == NULL)
    place = in_installation (own);
  if (place == NULL)
    place = in_system ();
  if (place == NULL)
    place = by_variable ("VIRTUAL_ENV");
  if (place == NULL)
    place = in_packages ();
  return place != NULL ? place : in_installers_folders ();
}

/* ---- results ---- */

char *
pt_openvino_advice (const char *version)
{
  g_autofree char *folder = own_folder ();

  return g_strdup_printf (
      "Install it with “" PIP " install --no-deps --target \"%s\" openvino==%s”%s, or name its "
      "folder in the environment variable PTERIS_OPENVINO.",
      folder, version != NULL ? version : PT_OPENVINO_USUAL,
      version != NULL ? "" : " or the version that the program was compiled with");
}

static void
fail_missing (const char *version, GError **error)
{
  const char *named = g_getenv ("PTERIS_OPENVINO");
  g_autofree char *advice = pt_openvino_advice (version);

  if (named != NULL)
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "The environment variable PTERIS_OPENVINO names “%s”, where there is no OpenVINO "
             "library (" LIBRARY ").",
             named);
  else
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "There is no OpenVINO library (" LIBRARY ") on this computer. %s", advice);
}

static char *
variables (void)
{
  static const char *const NAMES[] = { "PTERIS_OPENVINO", "OPENVINO_LIB_PATH", "INTEL_OPENVINO_DIR",
                                       "VIRTUAL_ENV" };
  GString *all = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    const char *value = g_getenv (NAMES[i]);

    g_string_append_printf (all, "%s\n", value != NULL ? value : "");
  }
  return g_string_free (all, FALSE);
}

PtOpenvinoPlace *
pt_openvino_find (const char *version, GError **error)
{
  g_autofree char *now_for = variables ();
  gint64 now = g_get_monotonic_time ();
  PtOpenvinoPlace *result = NULL;

  g_mutex_lock (&mutex);
  if (g_strcmp0 (now_for, found_for) != 0) {
    g_clear_pointer (&found, pt_openvino_place_free);
    searched_at = 0;
  }
  if (found == NULL && (searched_at == 0 || now - searched_at > AGAIN_US)) {
    found = g_getenv ("PTERIS_OPENVINO") != NULL ? by_variable ("PTERIS_OPENVINO") : search ();
    searched_at = now;
    g_free (found_for);
    found_for = g_steal_pointer (&now_for);
  }
  if (found != NULL) {
    result = g_new (PtOpenvinoPlace, 1);
    *result = (PtOpenvinoPlace){ g_strdup (found->path), g_strdup (found->version) };
  }
  g_mutex_unlock (&mutex);
  if (result == NULL)
    fail_missing (version, error);
  return result;
}

/* The folder of Intel's archive that @folder is in: its TBB is in another one. */
static char *
archive_of (const char *folder)
{
  g_autofree char *slashes = g_strdup (folder);
  const char *runtime = g_strrstr (g_strdelimit (slashes, "\\", '/'), "/runtime/");

  return runtime != NULL ? g_strndup (folder, (gsize) (runtime - slashes) + strlen ("/runtime"))
                         : NULL;
}

char **
pt_openvino_folders (void)
{
  g_autoptr (PtOpenvinoPlace) place = pt_openvino_find (NULL, NULL);
  g_autofree char *folder = place != NULL ? g_path_get_dirname (place->path) : NULL;
  g_autofree char *target = place != NULL ? g_file_read_link (place->path, NULL) : NULL;
  g_autofree char *full = target != NULL ? g_canonicalize_filename (target, folder) : NULL;
  g_autoptr (GStrvBuilder) folders = NULL;
  char *archive;

  if (place == NULL)
    return NULL;
  folders = g_strv_builder_new ();
  archive = archive_of (folder);
  g_strv_builder_add (folders, archive != NULL ? archive : folder);
  g_free (archive);
  if (full != NULL) {
    g_autofree char *real = g_path_get_dirname (full);

    g_strv_builder_add (folders, real);
  }
  return g_strv_builder_end (folders);
}
