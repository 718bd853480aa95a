/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/container.h"
#include "engine/cuda/cuda-payload.h"
#include "engine/cuda/storage.h"

G_BEGIN_DECLS

/**
 * PtCudaConstants: the constants of one container, which gets them when this is made: weights, and
 * the state that a model keeps from call to call, such as KV caches (docs/formats/cuda.md, section
 * 5).
 *
 * Constants with names share their storage with every delegate of the same program that has the
 * same key. Those of a blob are shared by name only when the program says which buffers change
 * (get_mutable_buffer_metadata): elsewhere equal names mean nothing.
 *
 * Which constants are state? Those that the metadata names; without it buffers, and constants of
 * unknown kind that are small or all zero, as caches are. And all on the host, which are flags.
 */
typedef struct _PtCudaConstants PtCudaConstants;

/** Upload and bind. @container: its constants are bound once; it must be gone before the constants
 * are freed. */
PtCudaConstants *pt_cuda_constants_new (const PtDelegateContext *context,
                                        const PtCudaPayload *payload, PtCudaContainer *container,
                                        GError **error);
void pt_cuda_constants_free (PtCudaConstants *constants);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaConstants, pt_cuda_constants_free)

/** Put state back to what it was at first, if there was a call since the last time. */
gboolean pt_cuda_constants_reset (PtCudaConstants *constants, GError **error);

/**
 * State number @state takes the place of the one that is in place now, which is kept. What is bound
 * stays where it is, and its bytes are exchanged: recorded graphs stay good, and a library needs no
 * functions to bind anew. This moves every byte of the state on the GPU three times.
 */
gboolean pt_cuda_constants_select (PtCudaConstants *constants, guint state, GError **error);
void pt_cuda_constants_forget (PtCudaConstants *constants, guint state);

/** Whether @part is in the name of some of the state. */
gboolean pt_cuda_constants_has_state (const PtCudaConstants *constants, const char *part);

/** A call is about to be made: state will change. */
void pt_cuda_constants_touch (PtCudaConstants *constants);

/** A number that changes when constants on the host do; 0 when there are none. */
guint64 pt_cuda_constants_host_state (const PtCudaConstants *constants);

/** The bytes of the constant that @pointer, on the GPU, lies in. FALSE when it is in none. */
gboolean pt_cuda_constants_find (const PtCudaConstants *constants, PtCuPointer pointer,
                                 PtCuPointer *start, gsize *size);

G_END_DECLS
