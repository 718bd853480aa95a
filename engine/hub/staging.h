/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/hub.h>

G_BEGIN_DECLS

/* The folder of the library, and the hidden folders beside the models that hold partial downloads.
 */

/** The folders of a repository's files, and of one of its variants. */
typedef struct {
  char *name;    /* "owner--name" */
  char *folder;  /* LIBRARY/owner--name */
  char *lock;    /* LIBRARY/.owner--name.lock */
  char *staging; /* LIBRARY/.owner--name.1a2b3c4d.part, or NULL */
  char *files;   /* STAGING/files */
  char *state;   /* STAGING/state.json */
} PtHubPlaces;

/** The folders of the repository @id and of its variant with @program (or NULL). */
PtHubPlaces *pt_hub_places_new (const char *id, const char *program);
void pt_hub_places_free (PtHubPlaces *places);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHubPlaces, pt_hub_places_free)

/** Whether @name, of the library's folder, is the staging folder of a variant of the model @model
 * (NULL: of any). */
gboolean pt_hub_is_staging (const char *name, const char *model);

/** LIBRARY/NAME/.pteris-hub.json. Free with g_free(). */
char *pt_hub_state_path (const char *folder);

/** @path of a repository below @folder. Free with g_free(). */
char *pt_hub_join (const char *folder, const char *path);

/** Make @folder and those above it. */
gboolean pt_hub_make_folder (const char *folder, GError **error);

/** Make the folders in which the file @path shall lie. */
gboolean pt_hub_make_parent (const char *path, GError **error);

/** Write a small file as a whole or not at all, also when the power fails. */
gboolean pt_hub_write_file (const char *path, const char *text, GError **error);

/** Waits a moment for another program that holds a file (Windows); tests replace it. */
extern void (*pt_hub_pause_for_holder) (void);

/** @from becomes @to, in place of what is there, also after a crash. */
gboolean pt_hub_move (const char *from, const char *to, GError **error);

/** Have @folder's names written to the disk. */
void pt_hub_sync_folder (const char *folder);

/** Delete @path: a file, a link, or a folder with all in it. FALSE if a part of it stays. */
gboolean pt_hub_delete (const char *path, GError **error);

/** Size of the regular file @path (no link) into @bytes. */
gboolean pt_hub_size_of (const char *path, guint64 *bytes);

/** PT_ERROR_FILE where @bytes more do not fit on the disk of @folder. */
gboolean pt_hub_check_space (const char *folder, guint64 bytes, GError **error);

/** Why @path could not be written: @problem, an errno. */
gboolean pt_hub_fail_write (const char *path, int problem, GError **error);

G_END_DECLS
