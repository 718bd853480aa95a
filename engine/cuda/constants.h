/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/container.h"
#include "engine/cuda/cuda-payload.h"
#include "engine/cuda/storage.h"

G_BEGIN_DECLS

/**
 * PtCudaConstants: the constants of one container: weights, and the state that a model keeps
 * between calls, such as KV caches (docs/formats/cuda.md, section 5). Making this object binds them
 * to the container.
 *
 * Constants with names share their storage with every delegate of the same program that uses the
 * same key. Constants in a blob are shared by name only when the program lists its mutable buffers
 * (get_mutable_buffer_metadata); otherwise equal names do not mean equal constants.
 *
 * State consists of the buffers in that list. Without a list, state consists of all buffers, and of
 * constants of unknown kind that are small or all zero, as caches are. Constants on the host are
 * flags, and always state.
 */
typedef struct _PtCudaConstants PtCudaConstants;

/**
 * Upload the constants and bind them to @container. Free the container before the constants. NULL
 * with an error.
 */
PtCudaConstants *pt_cuda_constants_new (const PtDelegateContext *context,
                                        const PtCudaPayload *payload, PtCudaContainer *container,
                                        GError **error);
void pt_cuda_constants_free (PtCudaConstants *constants);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaConstants, pt_cuda_constants_free)

/** Reset state to its initial values, if there was a call since the last reset. */
gboolean pt_cuda_constants_reset (PtCudaConstants *constants, GError **error);

/**
 * Select state number @state and keep the bytes of the former state elsewhere. The addresses of
 * bound storages do not change, only their bytes are exchanged. Therefore recorded graphs stay
 * valid, and the library need not support a new binding. The GPU moves all bytes of the state three
 * times.
 */
gboolean pt_cuda_constants_select (PtCudaConstants *constants, guint state, GError **error);
void pt_cuda_constants_forget (PtCudaConstants *constants, guint state);

/** Whether the name of a piece of state contains @part. */
gboolean pt_cuda_constants_has_state (const PtCudaConstants *constants, const char *part);

/** Note that a call begins, which will change state. */
void pt_cuda_constants_touch (PtCudaConstants *constants);

/** A number that changes when constants on the host change; 0 when there are none. */
guint64 pt_cuda_constants_host_state (const PtCudaConstants *constants);

/** Find the storage on the GPU that contains @pointer. FALSE when no constant does. */
gboolean pt_cuda_constants_find (const PtCudaConstants *constants, PtCuPointer pointer,
                                 PtCuPointer *start, gsize *size);

G_END_DECLS
