/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/hub/hub-api.h"

G_BEGIN_DECLS

/*
 * The record of downloaded files: their origin, sizes and checksums. It is a JSON file in the
 * model's folder and in each staging folder.
 */

/** A variant that is installed or being downloaded. */
typedef struct {
  char *name;
  char *commit;
  char **programs; /* paths */
} PtHubKept;

typedef struct {
  char *id, *endpoint, *revision, *commit, *license;
  GPtrArray *variants; /* PtHubKept */
  GPtrArray *files;    /* PtHubEntry */
} PtHubState;

PtHubState *pt_hub_state_new (const PtHubRepo *repo, const PtHubVariant *variant);
void pt_hub_state_free (PtHubState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHubState, pt_hub_state_free)

/** Read the record at @path. NULL if there is none, or if it is damaged. */
PtHubState *pt_hub_state_load (const char *path);
/** Write @state to @path, as a whole or not at all. */
gboolean pt_hub_state_save (const PtHubState *state, const char *path, GError **error);

/** Add to @state the files and variants of @older that it does not replace. */
void pt_hub_state_keep (PtHubState *state, const PtHubState *older);

/** The file at @path; NULL: it has none. */
const PtHubEntry *pt_hub_state_file (const PtHubState *state, const char *path);

G_END_DECLS
