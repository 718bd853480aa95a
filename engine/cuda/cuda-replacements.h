/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"
#include "engine/cuda/cuda-derivations.h"
#include "engine/cuda/kernel-pattern.h"

G_BEGIN_DECLS

/**
 * PtCudaReplacements: our kernels in place of kernels of one model library, in its CUDA graphs.
 *
 * A kernel is recognised by its code (kernel-pattern.h). Before a graph is recorded, some calls are
 * watched: before each launch of such a kernel, it runs on memory that was filled with junk, and so
 * does ours. Both must write the same elements, and the numbers must agree within the rounding of
 * their type (cuda-comparison.h). Where the code leaves open what a kernel computes, each way is
 * compared (cuda-operation.h). What differs once is never used.
 *
 * The size of a product is not in its arguments: it has as many outputs as elements were written,
 * and as many inputs as the weights, a constant of the library, then have columns.
 *
 * Libraries expand keys and values to all heads by a kernel that copies. Where a copy is made from
 * something that did not change since, ours also reads the source in place of the copy, if the
 * results then agree, too. The copy is then read by nobody (unread-nodes.c). Likewise, heads may be
 * turned by two kernels, of which ours replaces both.
 *
 * The environment variable PTERIS_CUDA_REPLACE=0 turns replacements off. Engine thread.
 */
typedef struct _PtCudaReplacements PtCudaReplacements;

/** A launch that a library makes. */
typedef struct {
  PtCuFunction function;
  guint grid[3], block[3];
  guint shared_bytes;
  void **arguments;
  const PtPtxEffects *effects;    /* NULL: unknown */
  const PtKernelPattern *pattern; /* NULL: nothing that ours may replace */
} PtCudaLaunch;

typedef enum {
  PT_CUDA_REPLACE_NOTHING,
  PT_CUDA_REPLACE_WATCH, /* compare */
  PT_CUDA_REPLACE_USE    /* replace; the GPU may compute nothing meanwhile */
} PtCudaReplaceMode;

/** @context must outlive the object. */
PtCudaReplacements *pt_cuda_replacements_new (PtCudaContext *context);
void pt_cuda_replacements_free (PtCudaReplacements *replacements);

/** Begin a call of the library; @find is used until the end. Does nothing if they are turned off.
 */
void pt_cuda_replacements_begin (PtCudaReplacements *replacements, PtCudaReplaceMode mode,
                                 PtCudaFindMemory find, gpointer user_data);
void pt_cuda_replacements_end (PtCudaReplacements *replacements);

/** Whether launches must be passed to the functions below. */
gboolean pt_cuda_replacements_are_active (const PtCudaReplacements *replacements);

/** Launch ours in place of @launch, or, when watching, compare the two. FALSE: launch the
 * library's. */
gboolean pt_cuda_replacements_take (PtCudaReplacements *replacements, const PtCudaLaunch *launch);

/** Note that the library's kernel was launched. */
void pt_cuda_replacements_note (PtCudaReplacements *replacements, const PtCudaLaunch *launch);

/**
 * A sentence about the latest call that was replaced, or NULL when nothing was recognised. Free
 * with g_free().
 */
char *pt_cuda_replacements_describe (const PtCudaReplacements *replacements);

G_END_DECLS
