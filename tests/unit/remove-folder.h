/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib/gstdio.h>

/** Remove @path and, if it is a folder, all that is in it. */
static inline void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir =
      g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *inner = g_build_filename (path, name, NULL);

    remove_folder (inner);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}
