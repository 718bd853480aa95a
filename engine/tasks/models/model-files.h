/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/** Fill @info->files with the files of @set, and with the programs beside it that are not used.
 * Blocking; any thread. */
void pt_model_files_list (const PtModelSet *set, PtModelInfo *info);

G_END_DECLS
