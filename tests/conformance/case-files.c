/* SPDX-License-Identifier: BSD-3-Clause */
#include "case-files.h"

#include <string.h>

static int
compare_strings (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
find_below (const char *folder, GPtrArray *cases)
{
  g_autofree char *file = g_build_filename (folder, "case.json", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (g_file_test (file, G_FILE_TEST_IS_REGULAR))
    g_ptr_array_add (cases, g_steal_pointer (&file));
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      find_below (path, cases);
  }
}

static void
find_in_list (const char *list, GPtrArray *cases)
{
  g_auto (GStrv) folders = g_strsplit (list, G_SEARCHPATH_SEPARATOR_S, -1);

  for (guint i = 0; folders[i] != NULL; i++)
    if (folders[i][0] != '\0')
      find_below (folders[i], cases);
}

GPtrArray *
case_files_find (int n_folders, char **folders)
{
  GPtrArray *cases = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < n_folders; i++) {
    const char *list = folders[i][0] == '$' ? g_getenv (folders[i] + 1) : folders[i];

    if (list != NULL)
      find_in_list (list, cases);
  }
  g_ptr_array_sort (cases, compare_strings);
  return cases;
}
