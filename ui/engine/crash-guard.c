/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/crash-guard.h"

#include <string.h>
#include <glib/gstdio.h>

#include "ui/engine/model-notes.h"

static GPtrArray *used; /* of char *: what the file says; a model in two engines is there twice */

static char *
marker_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "in-use", NULL);
}

/* The paths end with 0, since a path may contain line breaks. */
static void
write_marker (void)
{
  g_autofree char *marker = marker_path ();
  g_autofree char *folder = g_path_get_dirname (marker);
  g_autoptr (GString) text = g_string_new (NULL);

  if (used->len == 0) {
    g_unlink (marker);
    return;
  }
  for (guint i = 0; i < used->len; i++) {
    const char *path = g_ptr_array_index (used, i);

    g_string_append_len (text, path, (gssize) strlen (path) + 1);
  }
  g_mkdir_with_parents (folder, 0700);
  /* The file must survive a crash of this process, not of the machine: no fsync. */
  g_file_set_contents_full (marker, text->str, (gssize) text->len, G_FILE_SET_CONTENTS_NONE, 0600,
                            NULL);
}

void
pteris_crash_guard_enter (const char *path)
{
  if (path == NULL)
    return;
  if (used == NULL)
    used = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (used, g_strdup (path));
  write_marker ();
}

void
pteris_crash_guard_leave (const char *path)
{
  guint i;

  if (path == NULL || used == NULL ||
      !g_ptr_array_find_with_equal_func (used, path, g_str_equal, &i))
    return;
  g_ptr_array_remove_index (used, i);
  write_marker ();
}

char **
pteris_crash_guard_take (void)
{
  g_autofree char *marker = marker_path ();
  g_autofree char *text = NULL;
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();
  gsize size;
  gboolean any = FALSE;

  if ((used != NULL && used->len > 0) || !g_file_get_contents (marker, &text, &size, NULL))
    return NULL;
  g_unlink (marker);
  /* g_file_get_contents() ends the text with another 0. */
  for (const char *path = text; path < text + size; path += strlen (path) + 1) {
    if (*path == '\0' || !g_utf8_validate (path, -1, NULL))
      continue;
    pteris_notes_set_held (path, TRUE);
    g_strv_builder_add (paths, path);
    any = TRUE;
  }
  if (!any)
    return NULL;
  pteris_notes_save ();
  return g_strv_builder_end (paths);
}
