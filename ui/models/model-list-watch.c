/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/model-list-watch.h"

/* Copying a model causes many events; one notification after the last is enough. */
#define CALM_MS 600
/* The system limits the number of monitors of all programs together. */
#define MAX_FOLDERS 1024

struct _PterisLibraryWatch {
  GHashTable *monitors; /* path -> GFileMonitor */
  void (*func) (gpointer user_data);
  gpointer user_data;
  guint timer;
};

PterisLibraryWatch *
pteris_library_watch_new (void (*func) (gpointer user_data), gpointer user_data)
{
  PterisLibraryWatch *self = g_new0 (PterisLibraryWatch, 1);

  self->monitors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  self->func = func;
  self->user_data = user_data;
  return self;
}

void
pteris_library_watch_free (PterisLibraryWatch *self)
{
  GHashTableIter iter;
  gpointer monitor;

  if (self == NULL)
    return;
  g_clear_handle_id (&self->timer, g_source_remove);
  /* A monitor that is emitting a signal may have other references. */
  g_hash_table_iter_init (&iter, self->monitors);
  while (g_hash_table_iter_next (&iter, NULL, &monitor))
    g_signal_handlers_disconnect_by_data (monitor, self);
  g_hash_table_unref (self->monitors);
  g_free (self);
}

static gboolean
on_calm (gpointer user_data)
{
  PterisLibraryWatch *self = user_data;

  self->timer = 0;
  self->func (self->user_data);
  return G_SOURCE_REMOVE;
}

static void
on_changed (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event,
            PterisLibraryWatch *self)
{
  /* A file that is being written is only scanned when it is complete. */
  if (event == G_FILE_MONITOR_EVENT_CHANGED || event == G_FILE_MONITOR_EVENT_ATTRIBUTE_CHANGED)
    return;
  g_clear_handle_id (&self->timer, g_source_remove);
  self->timer = g_timeout_add (CALM_MS, on_calm, self);
}

static void
add (PterisLibraryWatch *self, const char *folder)
{
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  GFileMonitor *monitor = g_file_monitor_directory (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);

  /* Without a monitor the user can still rescan. */
  if (monitor == NULL)
    return;
  g_signal_connect (monitor, "changed", G_CALLBACK (on_changed), self);
  g_hash_table_insert (self->monitors, g_strdup (folder), monitor);
}

static gboolean
is_unwanted (gpointer path, gpointer monitor, gpointer folders)
{
  if (g_hash_table_contains (folders, path))
    return FALSE;
  g_file_monitor_cancel (monitor);
  return TRUE;
}

void
pteris_library_watch_set (PterisLibraryWatch *self, GHashTable *folders)
{
  GHashTableIter iter;
  gpointer path;

  g_hash_table_foreach_remove (self->monitors, is_unwanted, folders);
  g_hash_table_iter_init (&iter, folders);
  while (g_hash_table_iter_next (&iter, &path, NULL) &&
         g_hash_table_size (self->monitors) < MAX_FOLDERS)
    if (!g_hash_table_contains (self->monitors, path))
      add (self, path);
}
