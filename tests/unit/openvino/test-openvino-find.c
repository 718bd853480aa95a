/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-find.h"

#include <string.h>
#include <glib/gstdio.h>
#ifndef G_OS_WIN32
#include <unistd.h>
#endif

#include <pteris/error.h>

/* Where OpenVINO is looked for (docs/formats/openvino.md, section 3.1). Nothing is loaded. */

static char *base;

static char *
put (const char *relative)
{
  char *path = g_build_filename (base, relative, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, "a library", -1, NULL));
  return path;
}

static void
take_away (const char *path)
{
  g_assert_cmpint (g_remove (path), ==, 0);
}

static void
check (const char *expected, const char *version)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtOpenvinoPlace) place = pt_openvino_find (NULL, &error);

  g_assert_no_error (error);
  if (G_DIR_SEPARATOR == '\\') {
    g_autofree char *found = g_strdelimit (g_strdup (place->path), "/", '\\');
    g_autofree char *wanted = g_strdelimit (g_strdup (expected), "/", '\\');

    g_assert_cmpstr (found, ==, wanted);
  } else {
    g_assert_cmpstr (place->path, ==, expected);
  }
  g_assert_cmpstr (place->version, ==, version);
}

#ifdef G_OS_WIN32
#define NAME "openvino_c.dll"
#define VERSION NULL
#define OTHER NULL
#else
#define NAME "libopenvino_c.so.2541"
#define VERSION "2025.4.1"
#define OTHER "2026.0.0"
#endif

/* The forms of a folder that the variable names. */
static void
test_folders (void)
{
  static const char *const PLACES[] = { "a/" NAME,
                                        "b/libs/" NAME,
                                        "c/openvino/libs/" NAME,
                                        "d/Lib/site-packages/openvino/libs/" NAME,
                                        "e/lib/python3.11/site-packages/openvino/libs/" NAME,
                                        "f/runtime/lib/intel64/" NAME,
                                        "g/runtime/bin/intel64/Release/" NAME };

  for (guint i = 0; i < G_N_ELEMENTS (PLACES); i++) {
    g_autofree char *path = put (PLACES[i]);
    g_autofree char *folder = g_strdup_printf ("%s%c%c", base, G_DIR_SEPARATOR, PLACES[i][0]);

    g_setenv ("PTERIS_OPENVINO", folder, TRUE);
    check (path, VERSION);
    /* The file itself. */
    g_setenv ("PTERIS_OPENVINO", path, TRUE);
    check (path, VERSION);
    take_away (path);
  }
  g_unsetenv ("PTERIS_OPENVINO");
}

#ifndef G_OS_WIN32

static void
test_names (void)
{
  g_autofree char *plain = put ("names/libopenvino_c.so");
  g_autofree char *old = put ("names/libopenvino_c.so.2541");
  g_autofree char *folder = g_path_get_dirname (plain);
  g_autofree char *frontend = put ("names/libopenvino_c.so.txt");
  g_autofree char *newest = NULL, *link = g_build_filename (base, "names2", NULL);
  g_autofree char *linked = g_build_filename (link, "libopenvino_c.so", NULL);

  g_setenv ("PTERIS_OPENVINO", folder, TRUE);
  check (old, "2025.4.1");
  newest = put ("names/libopenvino_c.so.2025.12.0");
  check (old, "2025.4.1"); /* remembered */
  g_setenv ("PTERIS_OPENVINO", base, TRUE);
  g_assert_null (pt_openvino_find (NULL, NULL));
  g_setenv ("PTERIS_OPENVINO", folder, TRUE);
  check (newest, "2025.12.0");
  /* A link of a package for developers. */
  g_assert_cmpint (g_mkdir (link, 0700), ==, 0);
  g_assert_cmpint (symlink ("../names/libopenvino_c.so.2541", linked), ==, 0);
  g_setenv ("PTERIS_OPENVINO", linked, TRUE);
  check (linked, "2025.4.1");
  take_away (linked);
  take_away (plain);
  take_away (old);
  take_away (newest);
  take_away (frontend);
  g_unsetenv ("PTERIS_OPENVINO");
}

/* The order of places. */
static void
test_order (void)
{
  g_autofree char *system = put ("system/libopenvino_c.so.2540");
  g_autofree char *system_folder = g_path_get_dirname (system);
  g_autofree char *list = g_strconcat ("relative:", system_folder, NULL);
  g_autofree char *own = put ("data/pteris/openvino/openvino/libs/" NAME);
  g_autofree char *upstream = put ("upstream/libopenvino_c.so.2600");

  g_setenv ("LD_LIBRARY_PATH", list, TRUE);
  g_setenv ("OPENVINO_LIB_PATH", upstream, TRUE);
  check (upstream, OTHER);
  g_unsetenv ("OPENVINO_LIB_PATH");
  check (own, VERSION);
  take_away (own);
  /* A change of any variable makes it look again. */
  g_setenv ("VIRTUAL_ENV", base, TRUE);
  check (system, "2025.4.0");
  g_unsetenv ("VIRTUAL_ENV");
  g_unsetenv ("LD_LIBRARY_PATH");
  take_away (system);
  take_away (upstream);
}

/* A confined process reads the library's folder, and where a link leads to. */
static void
test_readable (void)
{
  g_autofree char *archive = put ("opt/openvino_2025/runtime/lib/intel64/" NAME);
  g_autofree char *folder = g_build_filename (base, "opt", "openvino_2025", NULL);
  g_autofree char *runtime = g_build_filename (folder, "runtime", NULL);
  g_auto (GStrv) folders = NULL;

  g_setenv ("PTERIS_OPENVINO", folder, TRUE);
  folders = pt_openvino_folders ();
  g_assert_cmpuint (g_strv_length (folders), ==, 1);
  g_assert_cmpstr (folders[0], ==, runtime);
  take_away (archive);
  g_unsetenv ("PTERIS_OPENVINO");
}

#endif

static void
test_missing (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *advice = pt_openvino_advice ("2026.4.1");
  g_autofree char *folder = g_build_filename (base, "data", "pteris", "openvino", NULL);

  g_setenv ("PTERIS_OPENVINO", base, TRUE);
  g_assert_null (pt_openvino_find (NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, base));
  g_assert_null (pt_openvino_folders ());
  g_unsetenv ("PTERIS_OPENVINO");
  g_assert_nonnull (strstr (advice, "openvino==2026.4.1"));
  g_assert_nonnull (strstr (advice, folder));
}

static void
remove_all (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *below = g_build_filename (path, name, NULL);

    remove_all (below);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}

int
main (int argc, char **argv)
{
  static const char *const NAMES[] = { "PTERIS_OPENVINO", "OPENVINO_LIB_PATH", "VIRTUAL_ENV",
                                       "INTEL_OPENVINO_DIR" };
  g_autofree char *made = g_dir_make_tmp ("pteris-test-XXXXXX", NULL), *data = NULL;
  int status;

  base = g_canonicalize_filename (made, NULL);
  data = g_build_filename (base, "data", NULL);
  g_setenv ("XDG_DATA_HOME", data, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++)
    g_unsetenv (NAMES[i]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/openvino/find/folders", test_folders);
#ifndef G_OS_WIN32
  g_test_add_func ("/openvino/find/names", test_names);
  g_test_add_func ("/openvino/find/order", test_order);
  g_test_add_func ("/openvino/find/readable", test_readable);
#endif
  g_test_add_func ("/openvino/find/missing", test_missing);
  status = g_test_run ();
  remove_all (base);
  g_free (base);
  return status;
}
