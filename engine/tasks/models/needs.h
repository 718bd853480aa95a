/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/program/data-file.h"
#include "engine/program/program.h"

G_BEGIN_DECLS

/**
 * What running @program takes, from its tables alone. Methods count together, as tasks load all of
 * them; of logits only the last row counts where a task asks for no more, because memory that
 * nobody touches costs nothing.
 *
 * @data: its data files, or NULL: their weights are not counted then.
 * @weight_bits: of most weights, see PtModelDetails.
 */
void pt_needs_measure (const PtProgram *program, const PtDataMap *data, PtNeeds *needs,
                       guint *weight_bits);

G_END_DECLS
