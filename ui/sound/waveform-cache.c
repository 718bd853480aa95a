/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/waveform-cache.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/folder.h"

/* The format: MAGIC, the duration in milliseconds (8 bytes, little-endian), the peaks. */
#define MAGIC "PTWAVE1\n"
#define HEAD_SIZE 16

/* The most entries. */
#define MAX_KEPT 500

static char *
cache_folder (void)
{
  return g_build_filename (g_get_user_cache_dir (), "pteris", "waveforms", NULL);
}

/* NULL: the file does not exist. */
static char *
cache_path (const char *path)
{
  g_autofree char *folder = cache_folder ();
  g_autofree char *name = NULL, *hash = NULL;
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    return NULL;
  name = g_strdup_printf ("%s\n%" G_GINT64_FORMAT "\n%" G_GINT64_FORMAT, path,
                          (gint64) info.st_size, (gint64) info.st_mtime);
  hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, name, -1);
  return g_build_filename (folder, hash, NULL);
}

static PtWaveform *
read_cached (const char *path)
{
  g_autofree char *bytes = NULL;
  PtWaveform *waveform;
  guint64 milliseconds;
  gsize size;

  if (path == NULL || !g_file_get_contents (path, &bytes, &size, NULL) || size < HEAD_SIZE ||
      size - HEAD_SIZE > PT_WAVEFORM_MAX || memcmp (bytes, MAGIC, strlen (MAGIC)) != 0)
    return NULL;
  memcpy (&milliseconds, bytes + strlen (MAGIC), sizeof milliseconds);
  milliseconds = MIN (GUINT64_FROM_LE (milliseconds), (guint64) 3600 * 24 * 365 * 1000);
  waveform = g_new0 (PtWaveform, 1);
  waveform->duration = (double) milliseconds / 1000;
  waveform->n = (guint) (size - HEAD_SIZE);
  waveform->peaks = g_memdup2 (bytes + HEAD_SIZE, waveform->n);
  return waveform;
}

/* Deletes old entries; a deleted one is computed again when it is needed. */
static void
drop_old (const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;
  guint n = 0;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (++n > MAX_KEPT)
      g_unlink (path);
  }
}

static void
write_cached (const char *path, const PtWaveform *waveform)
{
  g_autofree char *folder = cache_folder ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint64 milliseconds = GUINT64_TO_LE ((guint64) (waveform->duration * 1000));

  if (path == NULL || g_mkdir_with_parents (folder, 0700) != 0)
    return;
  drop_old (folder);
  g_byte_array_append (bytes, (const guint8 *) MAGIC, (guint) strlen (MAGIC));
  g_byte_array_append (bytes, (const guint8 *) &milliseconds, sizeof milliseconds);
  g_byte_array_append (bytes, waveform->peaks, waveform->n);
  g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL);
}

static void
load_in_thread (GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  g_autofree char *cached = cache_path (path);
  PtWaveform *waveform = read_cached (cached);
  GError *error = NULL;

  if (waveform == NULL) {
    waveform = pt_waveform_read (path, cancellable, &error);
    if (waveform != NULL)
      write_cached (cached, waveform);
  }
  if (waveform != NULL)
    g_task_return_pointer (task, waveform, (GDestroyNotify) pt_waveform_free);
  else
    g_task_return_error (task, error);
}

void
pteris_waveform_load_async (const char *path, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, pteris_waveform_load_async);
  g_task_set_priority (task, G_PRIORITY_LOW);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, load_in_thread);
}

PtWaveform *
pteris_waveform_load_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
