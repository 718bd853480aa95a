/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/driver.h"

G_BEGIN_DECLS

/**
 * PtCudaPool: device memory for tensors that come and go hundreds of times a token.
 *
 * Everything runs on one stream, so a freed block may be handed out again at once: whatever uses
 * it next is ordered behind what used it before. Blocks are kept by size and taken from the driver
 * only when none fits; no driver call and no lock on the hot path. Engine thread.
 *
 * A pool may have a parent. A CUDA graph records addresses, so that what is allocated while it is
 * captured comes from a pool of its own, which lives as long as the graph.
 */
typedef struct _PtCudaPool PtCudaPool;

PtCudaPool *pt_cuda_pool_new (const PtCuda *cu);
/** Gives everything back to the driver. No block may be in use. */
void pt_cuda_pool_free (PtCudaPool *pool);

/** @size bytes, aligned to 256; 0 bytes give 0. 0 with PT_ERROR_MEMORY, after a trim and a retry.
 */
PtCuPointer pt_cuda_pool_take (PtCudaPool *pool, gsize size, GError **error);
void pt_cuda_pool_give (PtCudaPool *pool, PtCuPointer pointer);

/** Blocks that are not in use go back to the driver. Synchronises @stream first. */
void pt_cuda_pool_trim (PtCudaPool *pool, PtCuStream stream);

gsize pt_cuda_pool_used (const PtCudaPool *pool);     /* bytes handed out */
gsize pt_cuda_pool_reserved (const PtCudaPool *pool); /* bytes taken from the driver */

G_END_DECLS
