/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/driver.h"

G_BEGIN_DECLS

/**
 * PtCudaPool: device memory for tensors, which are allocated and freed hundreds of times for each
 * token.
 *
 * All work runs on one stream, so a freed block can be reused at once: its next use is ordered
 * behind its last one. Free blocks are kept by size, and the driver is called only when none fits;
 * the hot path has no driver call and no lock. Engine thread.
 *
 * A block is at most an eighth larger than the request, or at most 255 bytes larger up to 2 KB.
 * Blocks of up to 1 MB are cut from slabs of 4 MB; each larger block is an allocation of the
 * driver.
 */
typedef struct _PtCudaPool PtCudaPool;

PtCudaPool *pt_cuda_pool_new (const PtCuda *cu);

/**
 * Make a pool for allocations during the capture of a CUDA graph. The graph contains addresses, so
 * the memory stays allocated until the pool is freed with the graph. When the driver has no more
 * memory, @parent is trimmed. Small blocks are not reused at first, so that kernels do not wait for
 * each other only because of reused memory.
 */
PtCudaPool *pt_cuda_pool_new_graph (PtCudaPool *parent);

/** Free the pool and return its memory to the driver. No block may be in use. */
void pt_cuda_pool_free (PtCudaPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaPool, pt_cuda_pool_free)

/**
 * Allocate @size bytes, aligned to 256. 0 for size 0. When memory is short, it trims the pool and
 * tries again; then 0 with PT_ERROR_MEMORY.
 */
PtCuPointer pt_cuda_pool_allocate (PtCudaPool *pool, gsize size, GError **error);

/** Free a block. @pointer: allocated from this pool, or 0. */
void pt_cuda_pool_release (PtCudaPool *pool, PtCuPointer pointer);

/**
 * Return all unused blocks to the driver, after synchronising @stream. Does nothing for the pool of
 * a graph.
 */
void pt_cuda_pool_trim (PtCudaPool *pool, PtCuStream stream);

/**
 * Find the block that contains @pointer, used or free. FALSE when @pool has none. The search is
 * linear.
 */
gboolean pt_cuda_pool_find (const PtCudaPool *pool, PtCuPointer pointer, PtCuPointer *start,
                            gsize *size);

/** Whether a block of @pool begins at @pointer and is free. */
gboolean pt_cuda_pool_is_idle (const PtCudaPool *pool, PtCuPointer pointer);

gsize pt_cuda_pool_used (const PtCudaPool *pool);     /* bytes in use */
gsize pt_cuda_pool_reserved (const PtCudaPool *pool); /* bytes allocated from the driver */

G_END_DECLS
