/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/hub/hub-api.h"

G_BEGIN_DECLS

/*
 * What is known of downloaded files: from where they are and what they should be. A JSON file in
 * the model's folder and in each staging folder.
 */

/** A variant that is there. */
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

/** NULL when there is none at @path, or none that makes sense. */
PtHubState *pt_hub_state_load (const char *path);
/** As a whole or not at all. */
gboolean pt_hub_state_save (const PtHubState *state, const char *path, GError **error);

/** Add to @state what is in @older and not replaced by it. */
void pt_hub_state_keep (PtHubState *state, const PtHubState *older);

/** The file at @path; NULL: it has none. */
const PtHubEntry *pt_hub_state_file (const PtHubState *state, const char *path);

G_END_DECLS
