/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A recording that was found. */
typedef struct {
  char *path;
  goffset size; /* bytes */
} PterisRecording;

/** What files and folders that somebody opened turned out to be. */
typedef struct {
  GPtrArray *recordings; /* of PterisRecording, in the order of names */
  GPtrArray *models;     /* of GFile: folders with a model in them */
  guint n_empty;         /* folders with neither */
  char *error;           /* what could not be brought here, a sentence; or NULL */
} PterisRecordings;

void pteris_recordings_free (PterisRecordings *found);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisRecordings, pteris_recordings_free)

/**
 * Look through @files (of GFile): recordings as they are, folders with all that is in them and
 * below, but for what is hidden. What is not on a disk of this machine is copied to
 * Pteris's folder of the user's data. In a thread.
 */
void pteris_recordings_find_async (GSList *files, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
/** Free with pteris_recordings_free(); NULL with @error: cancelled. */
PterisRecordings *pteris_recordings_find_finish (GAsyncResult *result, GError **error);

/** Where Pteris keeps recordings of its own; made if need be. Free with g_free(). */
char *pteris_recordings_folder (void);

G_END_DECLS
