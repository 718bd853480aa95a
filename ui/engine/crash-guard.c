/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/crash-guard.h"

#include <glib/gstdio.h>

#include "ui/engine/model-notes.h"

static char *current; /* what the file says */

static char *
marker_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "in-use", NULL);
}

void
pteris_crash_guard_set (const char *path)
{
  g_autofree char *marker = NULL;

  if (g_strcmp0 (current, path) == 0)
    return;
  g_free (current);
  current = g_strdup (path);
  marker = marker_path ();
  if (path == NULL) {
    g_unlink (marker);
  } else {
    g_autofree char *folder = g_path_get_dirname (marker);

    g_mkdir_with_parents (folder, 0700);
    /* The file must survive a crash of this process, not of the machine: no fsync. */
    g_file_set_contents_full (marker, path, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL);
  }
}

char *
pteris_crash_guard_take (void)
{
  g_autofree char *marker = marker_path ();
  g_autofree char *path = NULL;

  if (current != NULL || !g_file_get_contents (marker, &path, NULL, NULL))
    return NULL;
  g_unlink (marker);
  if (*path == '\0' || !g_utf8_validate (path, -1, NULL))
    return NULL;
  pteris_notes_set_held (path, TRUE);
  pteris_notes_save ();
  return g_steal_pointer (&path);
}
