/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>
#include <pteris/models.h>

#include "engine/base/folder.h"

#ifdef G_OS_UNIX
#include <unistd.h>
#endif

static char *
make_folder (void)
{
  return g_dir_make_tmp ("pteris-folder-XXXXXX", NULL);
}

static char *
make_file (const char *folder, const char *name)
{
  char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, "x", 1, NULL));
  return path;
}

static GHashTable *
names_in (const char *path)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (PtFolder) folder = pt_folder_open (path);
  const char *name;

  g_assert_nonnull (folder);
  while ((name = pt_folder_next (folder)) != NULL)
    g_assert_true (g_hash_table_add (names, g_strdup (name)));
  return names;
}

static void
test_none (void)
{
  g_autofree char *path = make_folder ();
  g_autofree char *missing = g_build_filename (path, "none", NULL);
  g_autofree char *file = make_file (path, "file");

  g_assert_null (pt_folder_open (missing));
  g_assert_null (pt_folder_open (file));
  g_assert_null (pt_folder_next (NULL));
  g_unlink (file);
  g_rmdir (path);
}

static void
test_names (void)
{
  static const char *const NAMES[] = { "plain.pte", "with space", "Модель",
                                       "模型",      "🌿.ptd",      ".hidden" };
  g_autofree char *path = make_folder ();
  g_autoptr (GHashTable) names = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    g_free (make_file (path, NAMES[i]));
  names = names_in (path);
  g_assert_cmpuint (g_hash_table_size (names), ==, G_N_ELEMENTS (NAMES));
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *file = g_build_filename (path, NAMES[i], NULL);

    g_assert_true (g_hash_table_contains (names, NAMES[i]));
    g_unlink (file);
  }
  g_clear_pointer (&names, g_hash_table_unref);
  names = names_in (path);
  g_assert_cmpuint (g_hash_table_size (names), ==, 0);
  g_rmdir (path);
}

static PtEntryKind
kind_of (const char *path, const char *wanted)
{
  g_autoptr (PtFolder) folder = pt_folder_open (path);
  const char *name;

  while ((name = pt_folder_next (folder)) != NULL)
    if (g_str_equal (name, wanted))
      return pt_folder_kind (folder);
  g_assert_not_reached ();
}

static void
test_kinds (void)
{
  g_autofree char *path = make_folder ();
  g_autofree char *file = make_file (path, "file");
  g_autofree char *inner = g_build_filename (path, "folder", NULL);

  g_assert_cmpint (g_mkdir (inner, 0700), ==, 0);
  g_assert_cmpint (kind_of (path, "file"), ==, PT_ENTRY_FILE);
  g_assert_cmpint (kind_of (path, "folder"), ==, PT_ENTRY_FOLDER);
#ifdef G_OS_UNIX
  for (guint i = 0; i < 3; i++) {
    static const char *const TARGETS[] = { "file", "folder", "nothing" };
    g_autofree char *link = g_build_filename (path, "link", NULL);

    g_assert_cmpint (symlink (TARGETS[i], link), ==, 0);
    g_assert_cmpint (kind_of (path, "link"), ==, PT_ENTRY_LINK);
    g_unlink (link);
  }
#endif
  g_unlink (file);
  g_rmdir (inner);
  g_rmdir (path);
}

/* Deeper than the 260 characters that old functions of Windows take. */
static void
test_long (void)
{
  g_autofree char *path = make_folder ();
  g_autofree char *deep = g_strdup (path);
  g_autofree char *file = NULL;
  g_autoptr (GHashTable) names = NULL;
  g_autoptr (GPtrArray) models = NULL;
  g_auto (GStrv) folders = g_new0 (char *, 2);
  gboolean found = FALSE;

  while (g_utf8_strlen (deep, -1) < 400) {
    char *deeper = g_build_filename (deep, "Ordner mit Моделями 模型 🌿", NULL);

    g_free (deep);
    deep = deeper;
  }
  g_assert_cmpint (g_mkdir_with_parents (deep, 0700), ==, 0);
  file = make_file (deep, "model.pte");
  names = names_in (deep);
  g_assert_cmpuint (g_hash_table_size (names), ==, 1);
  g_assert_true (g_hash_table_contains (names, "model.pte"));

  /* The library finds it, and says what is the matter with it. */
  folders[0] = g_strdup (deep);
  models = pt_library_scan ((const char *const *) folders);
  for (guint i = 0; i < models->len; i++) {
    const PtModelInfo *info = g_ptr_array_index (models, i);

    found = found || (g_str_equal (info->path, file) && info->damaged);
  }
  g_assert_true (found);

  g_unlink (file);
  while (!g_str_equal (deep, path)) {
    char *parent = g_path_get_dirname (deep);

    g_rmdir (deep);
    g_free (deep);
    deep = parent;
  }
  g_rmdir (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/folder/none", test_none);
  g_test_add_func ("/folder/names", test_names);
  g_test_add_func ("/folder/kinds", test_kinds);
  g_test_add_func ("/folder/long", test_long);
  return g_test_run ();
}
