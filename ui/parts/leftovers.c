/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/leftovers.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/folder.h"

#define STREAM ".goutputstream-"
/* Letters and digits that GLib puts at the end of a name. */
#define N_LETTERS 6
/* Seconds. The clock may have been set back since. */
#define AGE 60

/* Folders in ours with files of the user, whose names are his. */
static const char *const OTHERS[] = { "imported", "models", "recordings", NULL };

static gboolean
is_temporary (const char *name)
{
  gsize length = strlen (name);
  const char *end = length > N_LETTERS + 1 ? name + length - N_LETTERS : NULL;

  for (guint i = 0; end != NULL && i < N_LETTERS; i++)
    if (!g_ascii_isalnum (end[i]))
      return FALSE;
  return end != NULL && (end[-1] == '.' || (g_str_has_prefix (name, STREAM) && end[-1] == '-'));
}

static gboolean
is_old (const GStatBuf *status)
{
  return ABS (g_get_real_time () / G_USEC_PER_SEC - (gint64) status->st_mtime) > AGE;
}

static void
remove_in (const char *folder, gboolean inside)
{
  g_autoptr (PtFolder) entries = pt_folder_open (folder);
  const char *name;

  while ((name = pt_folder_next (entries)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    GStatBuf status;

    if (g_lstat (path, &status) != 0)
      continue;
    if (S_ISREG (status.st_mode) && is_temporary (name) && is_old (&status))
      g_unlink (path);
    else if (S_ISDIR (status.st_mode) && inside && !g_strv_contains (OTHERS, name))
      remove_in (path, FALSE);
  }
}

void
pteris_leftovers_remove_in (const char *folder)
{
  remove_in (folder, TRUE);
}

static void
remove_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const char *const folders[] = { g_get_user_config_dir (), g_get_user_data_dir (),
                                  g_get_user_cache_dir (), g_get_user_state_dir () };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++) {
    g_autofree char *own = g_build_filename (folders[i], "pteris", NULL);

    pteris_leftovers_remove_in (own);
  }
  g_task_return_boolean (task, TRUE);
}

void
pteris_leftovers_remove (void)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, NULL, NULL);

  g_task_set_source_tag (task, pteris_leftovers_remove);
  g_task_run_in_thread (task, remove_in_thread);
}
