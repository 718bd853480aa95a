/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/cuda/context.h"

G_BEGIN_DECLS

/**
 * PtCudaUpload: copies many or large pieces of a mapped file to the GPU as fast as the bus takes
 * them: threads read the file into pinned buffers while earlier ones travel. The copies are
 * ordered on the context's stream. Engine thread.
 *
 * After a failure or a cancellation nothing more is copied: every call fails, and what was copied
 * is of no use.
 */
typedef struct _PtCudaUpload PtCudaUpload;

PtCudaUpload *pt_cuda_upload_new (PtCudaContext *context, GError **error);

/**
 * Copy @size bytes. They may still be read after the return, until pt_cuda_upload_finish() or
 * pt_cuda_upload_free().
 *
 * Returns: FALSE with PT_ERROR_CANCELLED, or when the GPU fails
 */
gboolean pt_cuda_upload_copy (PtCudaUpload *upload, PtCuPointer to, gconstpointer from, gsize size,
                              GCancellable *cancellable, GError **error);

/** Wait until all is on the GPU. More may be copied after that. Whether the file was there to its
 * end is for the caller to ask (pt_mapping_is_intact()). */
gboolean pt_cuda_upload_finish (PtCudaUpload *upload, GError **error);

/** At once, also with copies under way, which are given up. */
void pt_cuda_upload_free (PtCudaUpload *upload);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaUpload, pt_cuda_upload_free)

G_END_DECLS
