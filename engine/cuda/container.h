/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/model-symbols.h"
#include "engine/cuda/shims.h"

G_BEGIN_DECLS

/**
 * PtCudaContainer: a loaded model library and its container, the object in it that computes
 * (docs/formats/cuda.md, sections 4.5 and 6). Every call into the library goes through here. Engine
 * thread.
 */
typedef struct _PtCudaContainer PtCudaContainer;

/**
 * Make the container on @context, of which a reference is kept. Takes @library, also when it
 * fails.
 */
PtCudaContainer *pt_cuda_container_new (PtCudaContext *context, PtModelLibrary *library,
                                        GError **error);

/** Delete what is in the library; what was bound to it is not used any more. */
void pt_cuda_container_close (PtCudaContainer *container);
/** Close it, and give back the library and what it had loaded onto the GPU. */
void pt_cuda_container_free (PtCudaContainer *container);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaContainer, pt_cuda_container_free)

PtCudaContext *pt_cuda_container_context (const PtCudaContainer *container);
const PtModelSymbols *pt_cuda_container_symbols (const PtCudaContainer *container);
PtModelContainer pt_cuda_container_handle (const PtCudaContainer *container);
guint pt_cuda_container_n_inputs (const PtCudaContainer *container);
guint pt_cuda_container_n_outputs (const PtCudaContainer *container);

/** What memory a kernel of the library uses, or NULL when it is not one of them. */
const PtPtxEffects *pt_cuda_container_effects (PtCudaContainer *container, PtCuFunction function);

/**
 * Around any call into the library; @code is what it returned. FALSE when that is not 0, with the
 * best of the reasons that our functions, the library and the driver give for @what having failed.
 */
void pt_cuda_container_enter (PtCudaContainer *container);
gboolean pt_cuda_container_leave (PtCudaContainer *container, int code, const char *what,
                                  GError **error);

/**
 * Start a call. Nothing is waited for.
 *
 * @inputs: [n_inputs], taken; the entries become NULL.
 * @outputs: [n_outputs], new handles, of which two may be the same; all NULL after an error.
 */
gboolean pt_cuda_container_run (PtCudaContainer *container, PtShimTensor **inputs,
                                PtShimTensor **outputs, GError **error);

/** Free handles, of which some may be NULL or the same, and set them to NULL. */
void pt_cuda_free_handles (PtShimTensor **handles, guint n);

G_END_DECLS
