/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/device.h"
#include "engine/vulkan/vk-store.h"

G_BEGIN_DECLS

/*
 * Choosing tokens on the GPU (shaders/sample.glsl), by the rules of PtSampler, so that four bytes
 * come to the host and not the logits. The work goes behind what the queue has already.
 */

/**
 * Start choosing a token from the logits in @range, float32. FALSE with PT_ERROR_UNSUPPORTED for
 * what the shaders do not take.
 */
gboolean pt_vk_sample (PtVkContext *context, const PtDeviceSampling *how, const PtVkRange *range,
                       GError **error);
/** Wait for the token; -1 when no logit is a number. */
gboolean pt_vk_take_sample (PtVkContext *context, gint32 *id, GError **error);

/** Copy @range to the host, behind what the queue has already. */
gboolean pt_vk_fetch (PtVkContext *context, const PtVkRange *range, gpointer to, GError **error);

/** Wait for everything that the queue has. */
gboolean pt_vk_finish (PtVkContext *context, GError **error);

G_END_DECLS
