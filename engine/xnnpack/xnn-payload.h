/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/backend.h"
#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/**
 * Read and check a payload (docs/formats/xnnpack.md, sections 2 to 5): header, tables, ids, dims,
 * constants and their sizes. Every node input is a constant, an external input or the output of an
 * earlier node, and one node computes each value. Constants point into the mapped files.
 *
 * Errors: PT_ERROR_PROGRAM (damaged), PT_ERROR_DELEGATE (another format), PT_ERROR_UNSUPPORTED
 * (kinds of nodes, all named, or a type that are not implemented), PT_ERROR_MISSING_FILE and
 * PT_ERROR_DATA (weights that are missing).
 */
PtXnnGraph *pt_xnn_payload_read (const PtDelegateContext *context, GError **error);

G_END_DECLS
