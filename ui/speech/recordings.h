/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A recording that was found. */
typedef struct {
  char *path;
  goffset size; /* bytes */
} PterisRecording;

/** The contents of opened files and folders. */
typedef struct {
  GPtrArray *recordings; /* of PterisRecording, sorted by name */
  GPtrArray *models;     /* of GFile: folders that contain a model */
  guint n_empty;         /* folders with neither */
  char *error;           /* a sentence on files that could not be copied; or NULL */
} PterisRecordings;

void pteris_recordings_free (PterisRecordings *found);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisRecordings, pteris_recordings_free)

/**
 * Find recordings in @files (of GFile): the recordings themselves, and those in folders and their
 * subfolders, except hidden ones. Files that are not local are copied to Pteris's folder in the
 * user's data folder. Runs in a thread.
 */
void pteris_recordings_find_async (GSList *files, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
/** Free with pteris_recordings_free(); NULL with @error: cancelled. */
PterisRecordings *pteris_recordings_find_finish (GAsyncResult *result, GError **error);

/** The folder for Pteris's own recordings; created if needed. Free with g_free(). */
char *pteris_recordings_folder (void);

G_END_DECLS
