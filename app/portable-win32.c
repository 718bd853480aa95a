/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/portable.h"

#include <glib/gstdio.h>

#define MARKER "portable.txt"

/* Programs that this one starts inherit it. */
static void
set_folder (const char *variable, const char *data, const char *name)
{
  g_autofree char *folder = g_build_filename (data, name, NULL);

  g_setenv (variable, folder, FALSE);
}

void
pteris_portable_init (void)
{
  g_autofree char *package = g_win32_get_package_installation_directory_of_module (NULL);
  g_autofree char *marker = NULL;
  g_autofree char *data = NULL;

  if (package == NULL)
    return;
  marker = g_build_filename (package, MARKER, NULL);
  data = g_build_filename (package, "data", NULL);
  if (!g_file_test (marker, G_FILE_TEST_IS_REGULAR) || g_mkdir_with_parents (data, 0700) != 0)
    return;
  set_folder ("XDG_DATA_HOME", data, "");
  set_folder ("XDG_CONFIG_HOME", data, "");
  set_folder ("XDG_STATE_HOME", data, "");
  set_folder ("XDG_CACHE_HOME", data, "cache");
}
