/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/backend.h"
#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/**
 * Read and check a payload (docs/formats/xnnpack.md, sections 2 to 5): header, tables, ids, dims,
 * constants and their sizes. Every node input is a constant, an external input or the output of an
 * earlier node; every value is computed by one node. Constants point into the mapped files.
 *
 * Errors: PT_ERROR_PROGRAM (damaged), PT_ERROR_DELEGATE (another format), PT_ERROR_UNSUPPORTED
 * (a node or type that is not implemented; all such kinds of nodes are named at once),
 * PT_ERROR_MISSING_FILE and PT_ERROR_DATA (weights that are not there).
 */
PtXnnGraph *pt_xnn_payload_read (const PtDelegateContext *context, GError **error);

G_END_DECLS
