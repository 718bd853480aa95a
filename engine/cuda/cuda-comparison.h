/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"

G_BEGIN_DECLS

/*
 * Results of two kernels, compared. Both write into memory that was filled with junk, which is no
 * number, so that it shows what they wrote; or into what they also read. Engine thread.
 */

/** Launches a kernel on the context's stream. FALSE: it failed. */
typedef gboolean (*PtCudaLaunchFunc) (gpointer user_data);

typedef enum {
  PT_CUDA_RESULT_NUMBERS,  /* bf16 */
  PT_CUDA_RESULT_IN_PLACE, /* bf16 that the kernel reads, too: there is no junk */
  PT_CUDA_RESULT_BYTES     /* which must be the same */
} PtCudaResultKind;

/** Memory that a kernel may write. Such pieces do not overlap. */
typedef struct {
  PtCuPointer start;
  gsize size;
  PtCudaResultKind kind;
} PtCudaResult;

/** The contents of @n pieces of memory, one after another; NULL: they cannot be read. Free with
 * g_free(). */
guint8 *pt_cuda_results_read (PtCudaContext *context, const PtCudaResult *results, guint n);

/** Write back what pt_cuda_results_read() returned. */
gboolean pt_cuda_results_restore (PtCudaContext *context, const PtCudaResult *results, guint n,
                                  const guint8 *contents);

/**
 * The contents after @launch; before it, they are junk, or as in @contents. NULL: something failed.
 * Free with g_free().
 */
guint8 *pt_cuda_results_run (PtCudaContext *context, const PtCudaResult *results, guint n,
                             const guint8 *contents, PtCudaLaunchFunc launch, gpointer user_data);

/** How many bf16 of a piece were written, if these are the first ones; else 0. */
gsize pt_cuda_count_written (const guint8 *contents, gsize size);

/**
 * Whether both wrote the same elements of each piece, and numbers that are equal up to the rounding
 * of their type. @difference: is raised to the norm of the difference relative to that of the
 * result.
 */
gboolean pt_cuda_results_agree (const PtCudaResult *results, guint n, const guint8 *theirs,
                                const guint8 *ours, double *difference);

G_END_DECLS
