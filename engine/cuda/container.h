/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/model-symbols.h"
#include "engine/cuda/shims.h"

G_BEGIN_DECLS

/**
 * PtCudaContainer: a loaded model library with its container, the object that computes
 * (docs/formats/cuda.md, sections 4.5 and 6). All calls into the library go through this file.
 * Engine thread.
 */
typedef struct _PtCudaContainer PtCudaContainer;

/**
 * Make the container on @context, which it references. Takes ownership of @library, also on
 * failure. NULL with an error.
 */
PtCudaContainer *pt_cuda_container_new (PtCudaContext *context, PtModelLibrary *library,
                                        GError **error);

/** Delete the container in the library. It then no longer uses the constants that were bound. */
void pt_cuda_container_close (PtCudaContainer *container);
/** Free the object, unload the library, and unload its modules from the GPU. */
void pt_cuda_container_free (PtCudaContainer *container);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaContainer, pt_cuda_container_free)

PtCudaContext *pt_cuda_container_context (const PtCudaContainer *container);
const PtModelSymbols *pt_cuda_container_symbols (const PtCudaContainer *container);
PtModelContainer pt_cuda_container_handle (const PtCudaContainer *container);
guint pt_cuda_container_n_inputs (const PtCudaContainer *container);
guint pt_cuda_container_n_outputs (const PtCudaContainer *container);

/** The memory effects of @function, or NULL when it is not a kernel of the library. */
const PtPtxEffects *pt_cuda_container_effects (PtCudaContainer *container, PtCuFunction function);

/** Our kernels in place of the library's. */
PtCudaReplacements *pt_cuda_container_replacements (PtCudaContainer *container);

/**
 * Call these before and after any call into the library. @code: the result of the call. When it is
 * not 0: FALSE with one error, made of the notes of our functions, the library and the driver.
 * @what: names the failed action.
 */
void pt_cuda_container_enter (PtCudaContainer *container);
gboolean pt_cuda_container_leave (PtCudaContainer *container, int code, const char *what,
                                  GError **error);

/**
 * Start a call without waiting for its end.
 *
 * @inputs: [n_inputs]; takes ownership and sets the entries to NULL.
 * @outputs: [n_outputs], new handles; two of them may be the same; all NULL on failure.
 */
gboolean pt_cuda_container_run (PtCudaContainer *container, PtShimTensor **inputs,
                                PtShimTensor **outputs, GError **error);

/** Free handles and set them to NULL. Handles may be NULL, or the same. */
void pt_cuda_free_handles (PtShimTensor **handles, guint n);

G_END_DECLS
