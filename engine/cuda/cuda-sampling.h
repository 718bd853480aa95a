/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"
#include "engine/runtime/device.h"

G_BEGIN_DECLS

/**
 * PtDevice.sample and take_sample: choose a token from logits on the GPU and copy only its four
 * bytes to the host. The host polls for them instead of sleeping, which would take longer.
 */
gboolean pt_cuda_sample (PtCudaContext *context, const PtDeviceSampling *how, gconstpointer logits,
                         PtDType dtype, gsize width, gpointer next_id, gpointer next_position,
                         GError **error);
gboolean pt_cuda_take_sample (PtCudaContext *context, gint32 *id, GError **error);

G_END_DECLS
