/* SPDX-License-Identifier: BSD-3-Clause */

/* Every symbolic icon that the window names is in GTK itself or among those that the build for
 * Windows carries. */
#include <gtk/gtk.h>
#include <string.h>

#include "engine/base/folder.h"

/* Names of our own icons, as the build for Windows lists them. */
static GHashTable *
carried (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "windows-icons.gresource.xml", NULL);
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) parts = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  parts = g_strsplit (text, ".symbolic.png\"", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    if (parts[i + 1] != NULL)
      g_hash_table_add (names, g_strdup (strrchr (parts[i], '/') + 1));
  return names;
}

static void
add_built_in (GHashTable *names, const char *folder)
{
  g_auto (GStrv) children = g_resources_enumerate_children (folder, 0, NULL);

  for (guint i = 0; children != NULL && children[i] != NULL; i++) {
    g_autofree char *path = g_strconcat (folder, children[i], NULL);
    char *end = strstr (children[i], ".symbolic.png");

    if (g_str_has_suffix (children[i], "/"))
      add_built_in (names, path);
    else if (end != NULL)
      g_hash_table_add (names, g_strndup (children[i], (gsize) (end - children[i])));
  }
}

static guint
check_file (const char *path, GHashTable *known)
{
  g_autoptr (GRegex) regex = g_regex_new ("[\">]([a-z0-9-]+-symbolic)[\"<]", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *text = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL), n++) {
    g_autofree char *name = g_match_info_fetch (match, 1);

    if (!g_hash_table_contains (known, name)) {
      g_test_message ("%s: %s is nowhere on Windows", path, name);
      g_test_fail ();
    }
  }
  return n;
}

static guint
check_folder (const char *path, const char *suffix, GHashTable *known)
{
  g_autoptr (PtFolder) folder = pt_folder_open (path);
  const char *file;
  guint n = 0;

  while ((file = pt_folder_next (folder)) != NULL) {
    g_autofree char *whole = g_build_filename (path, file, NULL);

    if (g_str_has_suffix (file, suffix))
      n += check_file (whole, known);
    else if (g_file_test (whole, G_FILE_TEST_IS_DIR))
      n += check_folder (whole, suffix, known);
  }
  return n;
}

static void
test_icons (void)
{
  g_autoptr (GHashTable) known = carried ();
  g_autofree char *layouts = g_test_build_filename (G_TEST_DIST, "../resources/ui", NULL);
  g_autofree char *code = g_test_build_filename (G_TEST_DIST, "../ui", NULL);
  guint n_carried = g_hash_table_size (known);

  add_built_in (known, "/org/gtk/libgtk/icons/");
  g_assert_cmpuint (g_hash_table_size (known), >, n_carried + 50);
  g_assert_cmpuint (check_folder (layouts, ".ui", known), >, 20);
  g_assert_cmpuint (check_folder (code, ".c", known), >, 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gtk_init_check (); /* registers its icons; a display is not needed */
  g_test_add_func ("/icons/windows", test_icons);
  return g_test_run ();
}
