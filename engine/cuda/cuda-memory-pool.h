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
 * A block is at most an eighth larger than what was asked for, and up to 2 KB at most 255 bytes.
 * Up to 1 MB blocks are cut from slabs of 4 MB; larger ones are the driver's.
 */
typedef struct _PtCudaPool PtCudaPool;

PtCudaPool *pt_cuda_pool_new (const PtCuda *cu);

/**
 * A pool for what is allocated while a CUDA graph is captured. The graph records addresses, so
 * that nothing of it goes back to the driver before the pool is freed, with the graph. When the
 * driver has no more, @parent is trimmed. Small blocks are new ones for a while, so that kernels
 * do not wait for each other only because one uses the other's memory again.
 */
PtCudaPool *pt_cuda_pool_new_graph (PtCudaPool *parent);

/** Gives everything back to the driver. No block may be in use. */
void pt_cuda_pool_free (PtCudaPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaPool, pt_cuda_pool_free)

/** @size bytes, aligned to 256; 0 bytes give 0. 0 with PT_ERROR_MEMORY, after a trim and a retry.
 */
PtCuPointer pt_cuda_pool_take (PtCudaPool *pool, gsize size, GError **error);

/** @pointer of this pool; 0 is none. */
void pt_cuda_pool_give (PtCudaPool *pool, PtCuPointer pointer);

/** Blocks that are not in use go back to the driver. Synchronises @stream first. A graph's pool
 * keeps them. */
void pt_cuda_pool_trim (PtCudaPool *pool, PtCuStream stream);

/**
 * The block that @pointer lies in, whether it is in use or not. FALSE when it is none of @pool's.
 * Looks through all of them.
 */
gboolean pt_cuda_pool_find (const PtCudaPool *pool, PtCuPointer pointer, PtCuPointer *start,
                            gsize *size);

/** Whether a block of @pool begins at @pointer, and nobody uses it any more. */
gboolean pt_cuda_pool_is_idle (const PtCudaPool *pool, PtCuPointer pointer);

gsize pt_cuda_pool_used (const PtCudaPool *pool);     /* bytes handed out */
gsize pt_cuda_pool_reserved (const PtCudaPool *pool); /* bytes taken from the driver */

G_END_DECLS
