/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/kernels/kernel-arguments.h"

typedef struct _PtCudaKernels PtCudaKernels;

/* The kernels by name, in groups; launchers rely on the order within a group. */

#define PT_KERNEL_INT4_ROWS(rows, inner, groups) X (int4_rows_##rows##_##inner##_##groups)
#define PT_KERNEL_INT4_TILES(size, inner, groups) X (int4_tiles_##size##_##inner##_##groups)
#define PT_KERNEL_PLAIN(name, kind, rows, columns, unroll) X (plain_##name##_##rows)

#define PT_KERNEL_ATTENTION(dim, heads) X (attention_##dim##_##heads)
#define PT_KERNEL_ROW(rows) X (row_##rows)
#define PT_KERNEL_ROW_PAIR(rows) X (row_pair_##rows)

/* X is a macro that the includer defines. Kernels with dynamic shared memory come first. */
#define PT_KERNELS_DYNAMIC                     \
  PT_INT4_ROWS_KERNELS (PT_KERNEL_INT4_ROWS)   \
  PT_INT4_TILES_KERNELS (PT_KERNEL_INT4_TILES) \
  PT_PLAIN_KERNELS (PT_KERNEL_PLAIN)           \
  X (sort_block) X (sort_block_wide)

#define PT_KERNELS_STATIC                    \
  PT_ATTENTION_KERNELS (PT_KERNEL_ATTENTION) \
  PT_ROW_KERNELS (PT_KERNEL_ROW)             \
  PT_ROW_PAIR_KERNELS (PT_KERNEL_ROW_PAIR)   \
  X (int4_finish)                            \
  X (gate)                                   \
  X (norm)                                   \
  X (rotary)                                 \
  X (sort_count_32)                          \
  X (sort_count_64)                          \
  X (sort_sum)                               \
  X (sort_move_32)                           \
  X (sort_move_64)                           \
  X (random_f32)                             \
  X (random_bf16)                            \
  X (random_i64)                             \
  X (random_seed)                            \
  X (copy_1)                                 \
  X (copy_2)                                 \
  X (copy_4)                                 \
  X (copy_8)                                 \
  X (copy_16)                                \
  X (fill)                                   \
  X (sample_said)                            \
  X (sample_max)                             \
  X (sample_all)                             \
  X (sample_pass)                            \
  X (sample_find)

typedef enum {
#define X(name) PT_KERNEL_##name,
  PT_KERNELS_DYNAMIC PT_N_DYNAMIC_KERNELS,
  PT_KERNEL_before_static = PT_N_DYNAMIC_KERNELS - 1,
  PT_KERNELS_STATIC
#undef X
      PT_N_KERNELS
} PtKernel;

typedef struct {
  guint grid[3];
  guint threads;
  gsize shared; /* bytes of dynamic shared memory, for kernels that use it */
} PtKernelShape;

/** A launch of a product with its one argument. */
typedef struct {
  PtKernel kernel;
  PtKernelShape shape;
  union {
    PtRowArguments row;
    PtInt4Arguments int4;
  };
} PtKernelLaunch;

/** Launch @kernel with its one argument (@arguments, a struct of kernels/kernel-arguments.h). */
gboolean pt_kernel_launch (PtCudaContext *context, PtKernel kernel, const PtKernelShape *shape,
                           const void *arguments, GError **error);

/** Number of blocks of @threads threads for @n items, at most @most. */
guint pt_kernel_blocks (gint64 n, guint threads, guint most);

/**
 * FALSE with an error that names @what unless all of the @n addresses are multiples of @alignment.
 */
gboolean pt_kernel_check_aligned (const char *what, const PtCuPointer *addresses, guint n,
                                  gsize alignment, GError **error);

/** The launch of a product of one row. */
gboolean pt_kernel_prepare_row (PtCudaContext *context, const PtCudaRow *row,
                                PtKernelLaunch *launch, GError **error);
/** The launch of an int4 product, without the one that adds slabs; m and n are not 0. */
gboolean pt_kernel_prepare_int4 (PtCudaContext *context, const PtCudaInt4 *product,
                                 PtCuPointer scratch, PtKernelLaunch *launch, GError **error);

/**
 * One launch for two of rows with the same input, of which the second multiplies by SiLU of the
 * first one's results. The results are the same bits. FALSE: they are others.
 */
gboolean pt_kernel_pair_rows (PtCudaContext *context, const PtKernelLaunch *gate,
                              const PtKernelLaunch *up, PtKernelLaunch *both);

/** The fat binary with the kernels of this build, or NULL. */
gconstpointer pt_cuda_kernels_image (void);
