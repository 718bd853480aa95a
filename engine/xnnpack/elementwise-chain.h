/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/*
 * Chains of element-wise nodes on floats. Each node of a chain would read from memory what the one
 * before it wrote. Together they do a block of elements after another, which stays in the L1 cache,
 * and share one loop over the workers. The results have the same bits.
 */

/**
 * Run the chain that begins with node @i, whose values are bound. Returns how many nodes it has,
 * views among them; 0, with nothing done, when there are fewer than two to run together.
 */
guint pt_xnn_run_chain (const PtXnnGraph *graph, guint i);

G_END_DECLS
