/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/hub/hub-api.h"

G_BEGIN_DECLS

/* Which files of a repository belong together, and which of them run on these computers. */

/** The paths of files "config.json" beside programs of @entries (PtHubEntry), which may say more
 * about them; at most @max. They belong to @entries. Free with g_ptr_array_unref(). */
GPtrArray *pt_hub_config_paths (const GPtrArray *entries, guint max);

/**
 * Fill @repo->variants from the files @entries. @configs: path → json_t of those that were read.
 * @capability: of the best GPU here, 90 for 9.0; 0: none. PT_ERROR_NOT_FOUND when there is nothing
 * to run.
 */
gboolean pt_hub_find_variants (PtHubRepo *repo, const GPtrArray *entries, GHashTable *configs,
                               guint capability, GError **error);

/** Fill @repo->variants with one variant that has all files @entries. */
void pt_hub_take_all (PtHubRepo *repo, const GPtrArray *entries);

/** Whether the names of @variant's files can be written side by side on every system. */
gboolean pt_hub_check_names (const PtHubVariant *variant, GError **error);

void pt_hub_variant_clear (PtHubVariant *variant);

G_END_DECLS
