/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/backend.h"
#include "engine/vulkan/vk-graph.h"

G_BEGIN_DECLS

/**
 * Read and check a payload (docs/formats/vulkan.md, sections 2 to 5): header, tables, ids, dims,
 * constants and their sizes, names of operators, number and kinds of their arguments. Every tensor
 * is a constant, an input, or the output of one earlier call. Constants point into the mapped
 * files.
 *
 * Errors: PT_ERROR_PROGRAM (damaged), PT_ERROR_DELEGATE (another format), PT_ERROR_UNSUPPORTED
 * (operators, all named, that are not implemented), PT_ERROR_MISSING_FILE and PT_ERROR_DATA
 * (weights that are missing).
 */
PtVkGraph *pt_vk_payload_read (const PtDelegateContext *context, GError **error);

G_END_DECLS
