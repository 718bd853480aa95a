/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"

G_BEGIN_DECLS

/*
 * Results of two kernels, bf16, compared. Both write into memory that was filled with junk, which
 * is no number, so that it shows what they wrote. Engine thread.
 */

/** Launches a kernel on the context's stream. FALSE: it failed. */
typedef gboolean (*PtCudaLaunchFunc) (gpointer user_data);

/**
 * The content of a block of [size] bytes after @launch wrote into junk; NULL: something failed.
 * Free with g_free().
 */
guint16 *pt_cuda_run_into_junk (PtCudaContext *context, PtCuPointer block, gsize size,
                                PtCudaLaunchFunc launch, gpointer user_data);

/** How many of @n numbers were written, if these are the first ones; else 0. */
gsize pt_cuda_count_written (const guint16 *numbers, gsize n);

/**
 * Whether both wrote the same elements of @n, and numbers that are equal up to the rounding of
 * their type. @difference: is raised to the norm of the difference relative to that of the result.
 */
gboolean pt_cuda_results_agree (const guint16 *theirs, const guint16 *ours, gsize n,
                                double *difference);

G_END_DECLS
