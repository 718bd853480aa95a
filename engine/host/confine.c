/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/confine.h"

#include "engine/host/messages.h"

gboolean
pt_host_confine (const char *const *folders, const PtJob *job, GError **error)
{
  return TRUE;
}

/* A path that names a folder stands for itself, and every other one for the folder it is in. */
static void
add_folder (const char *path, gpointer user_data)
{
  GPtrArray *folders = user_data;
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  char *folder = g_file_test (absolute, G_FILE_TEST_IS_DIR) ? g_strdup (absolute)
                                                            : g_path_get_dirname (absolute);

  if (g_ptr_array_find_with_equal_func (folders, folder, g_str_equal, NULL))
    g_free (folder);
  else
    g_ptr_array_add (folders, folder);
}

char **
pt_host_folders (const PtJob *job)
{
  GPtrArray *folders = g_ptr_array_new ();

  pt_fields_each_path (&pt_job_fields, job, add_folder, folders);
  g_ptr_array_add (folders, NULL);
  return (char **) g_ptr_array_free (folders, FALSE);
}
