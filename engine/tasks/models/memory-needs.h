/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/program/data-file.h"
#include "engine/program/program-file.h"

G_BEGIN_DECLS

/**
 * Compute how much memory @program needs to run, from its tables alone. All methods are added up,
 * as tasks load all of them; of logits only the last row counts where a task needs no more, because
 * memory that is not touched costs nothing.
 *
 * @data: its data files, or NULL: then their weights are not counted.
 * @weight_bits: the width of most weights, see PtModelDetails.
 */
void pt_needs_measure (const PtProgram *program, const PtDataMap *data, PtNeeds *needs,
                       guint *weight_bits);

G_END_DECLS
