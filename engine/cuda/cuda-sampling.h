/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"
#include "engine/runtime/device.h"

G_BEGIN_DECLS

/**
 * PtDevice.sample and take_sample: from logits on the GPU to a token on the host, of which four
 * bytes travel. The host looks for them all the time instead of sleeping, which would take longer.
 */
gboolean pt_cuda_sample (PtCudaContext *context, const PtDeviceSampling *how, gconstpointer logits,
                         PtDType dtype, gsize width, gpointer next_id, gpointer next_position,
                         GError **error);
gboolean pt_cuda_take_sample (PtCudaContext *context, gint32 *id, GError **error);

G_END_DECLS
