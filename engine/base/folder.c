/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/folder.h"

PtFolder *
pt_folder_open (const char *path)
{
  return (PtFolder *) g_dir_open (path, 0, NULL);
}

const char *
pt_folder_next (PtFolder *folder)
{
  return folder != NULL ? g_dir_read_name ((GDir *) folder) : NULL;
}

void
pt_folder_close (PtFolder *folder)
{
  g_dir_close ((GDir *) folder);
}
