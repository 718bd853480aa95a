/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/model.h"

G_BEGIN_DECLS

/* Scans the folders of the library. Blocking; any thread. */

/**
 * All models in @folders and the default folder, and those at @paths: a GPtrArray of PterisModel.
 * Damaged models are included with the reason; models on a drive that is not mounted are included
 * as recorded.
 */
GPtrArray *pteris_library_scan_all (const char *const *folders, const char *const *paths);

/** The model at @path with its chosen files; NULL with @error. A program of a model with variants
 * is the chosen one from then on. */
PterisModel *pteris_library_scan_one (const char *path, GError **error);

/** Leave the model @info with all its variants out of the next scans, or no longer; call
 * pteris_notes_save() then. Any thread. */
void pteris_library_hide (const PtModelInfo *info, gboolean hidden);

/** The first model in @folder, or NULL. */
PterisModel *pteris_library_scan_first (const char *folder);

G_END_DECLS
