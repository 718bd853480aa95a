/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/driver.h"
#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

/*
 * PtCudaDerivations: which blocks of memory were computed from which others during a call of a
 * library, by kernels that read one or two blocks and write one. Ours may read the sources in place
 * of what was computed from them, as long as these have not changed since. Engine thread.
 */
typedef struct _PtCudaDerivations PtCudaDerivations;

/** The bounds of the allocation that contains @pointer; FALSE: unknown memory. */
typedef gboolean (*PtCudaFindMemory) (PtCuPointer pointer, PtCuPointer *start, gsize *size,
                                      gpointer user_data);

/** A block that a kernel wrote. */
typedef struct {
  PtCuPointer written; /* as given to the kernel, as the following */
  guint n_sources;
  struct {
    PtCuPointer pointer, block;
    gsize size; /* of the block */
    guint version;
  } sources[2];
} PtCudaDerivation;

PtCudaDerivations *pt_cuda_derivations_new (void);
void pt_cuda_derivations_free (PtCudaDerivations *derivations);

/** Begin a call; nothing is known yet. */
void pt_cuda_derivations_begin (PtCudaDerivations *derivations, PtCudaFindMemory find,
                                gpointer user_data);

/** A kernel with @effects, NULL: unknown ones, was launched with @arguments. */
void pt_cuda_derivations_note (PtCudaDerivations *derivations, const PtPtxEffects *effects,
                               void *const *arguments);

/** How @pointer was computed, if its sources have not changed since; NULL: not known. */
const PtCudaDerivation *pt_cuda_derivations_find (PtCudaDerivations *derivations,
                                                  PtCuPointer pointer);

G_END_DECLS
