/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/cuda/context.h"

G_BEGIN_DECLS

/**
 * PtCudaUpload: copies many or large pieces of a mapped file to the GPU at the speed of the bus.
 * Threads read the file into pinned buffers while earlier buffers are copied. The copies are
 * ordered on the context's stream. Engine thread.
 *
 * After a failure or a cancellation every call fails, and the bytes that were copied must not be
 * used.
 */
typedef struct _PtCudaUpload PtCudaUpload;

PtCudaUpload *pt_cuda_upload_new (PtCudaContext *context, GError **error);

/**
 * Copy @size bytes. The source must stay valid until pt_cuda_upload_finish() or
 * pt_cuda_upload_free().
 *
 * Returns: FALSE with PT_ERROR_CANCELLED, or when the GPU fails
 */
gboolean pt_cuda_upload_copy (PtCudaUpload *upload, PtCuPointer to, gconstpointer from, gsize size,
                              GCancellable *cancellable, GError **error);

/**
 * Wait until all copies are complete. More may be started after that. The caller must check that
 * the file was not shortened (pt_mapping_is_intact()).
 */
gboolean pt_cuda_upload_finish (PtCudaUpload *upload, GError **error);

/** Free at once, also with copies under way, which are cancelled. */
void pt_cuda_upload_free (PtCudaUpload *upload);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaUpload, pt_cuda_upload_free)

G_END_DECLS
