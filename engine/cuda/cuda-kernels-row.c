/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

#define WARPS (PT_ROW_THREADS / 32)
/* So many warps on each multiprocessor keep the memory busy. */
#define BUSY_WARPS 24
/* Each warp that shares a row reads at least so many numbers of it. */
#define LEAST_PART 512
/* Rows that a warp takes at once. */
#define MOST_ROWS 4

gboolean
pt_cuda_row_fits (const PtCudaRow *self)
{
  return self->end <= PT_CUDA_ROW_SILU && (self->other != 0) == (self->end != PT_CUDA_ROW_PLAIN) &&
         self->n > 0 && self->k > 0 && self->k % 8 == 0 && self->n <= G_MAXINT32 / 8 &&
         self->k <= G_MAXINT32 / 64 && self->n <= G_MAXINT64 / 2 / self->k;
}

/* ---- the division among warps ---- */

static gint64
busy_warps (const PtCudaContext *context)
{
  return (gint64) context->n_multiprocessors * BUSY_WARPS;
}

/* Rows that a warp takes at once when there are @n: a power of two. */
static gint64
plan_rows (const PtCudaContext *context, gint64 n)
{
  gint64 rows = 1;

  while (rows < MOST_ROWS && n >= 2 * rows * busy_warps (context))
    rows *= 2;
  return rows;
}

/* Warps that share a row, also in a pair. */
static gint32
plan_parts (const PtCudaContext *context, gint64 n, gint64 k)
{
  gint64 rows = plan_rows (context, n), warps = (n + rows - 1) / rows;
  gint32 parts = 1;

  while (parts < PT_ROW_MOST_PARTS && warps * parts < busy_warps (context) &&
         k >= 2 * parts * LEAST_PART)
    parts *= 2;
  return parts;
}

/* @rows: of each matrix that a warp takes at once */
static void
set_shape (PtKernelLaunch *launch, gint64 rows)
{
  gint64 in_block = WARPS / launch->row.parts * rows;

  launch->shape.threads = PT_ROW_THREADS;
  launch->shape.grid[0] = (guint) ((launch->row.n + in_block - 1) / in_block);
}

/* ---- launches ---- */

gboolean
pt_kernel_prepare_row (PtCudaContext *context, const PtCudaRow *self, PtKernelLaunch *launch,
                       GError **error)
{
  static const gint32 ends[] = { PT_ROW_PLAIN, PT_ROW_ADD, PT_ROW_SILU };
  const PtCuPointer rows[] = { self->input, self->weights };
  const PtCuPointer others[] = { self->other, self->output };
  gint64 n_rows;

  *launch = (PtKernelLaunch){ 0 };
  if (!pt_cuda_row_fits (self))
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "A product of this shape has no GPU kernel.");
  if (!pt_kernel_check_aligned ("A product", rows, G_N_ELEMENTS (rows), 16, error) ||
      !pt_kernel_check_aligned ("A product", others, G_N_ELEMENTS (others), 2, error))
    return FALSE;
  n_rows = plan_rows (context, self->n);
  launch->kernel = PT_KERNEL_row_1 + (guint) n_rows / 2;
  launch->row = (PtRowArguments){ .input = self->input,
                                  .weights = self->weights,
                                  .other = self->other,
                                  .output = self->output,
                                  .n = (gint32) self->n,
                                  .k = (gint32) self->k,
                                  .parts = plan_parts (context, self->n, self->k),
                                  .end = ends[self->end] };
  set_shape (launch, n_rows);
  return TRUE;
}

gboolean
pt_cuda_kernel_row (PtCudaContext *context, const PtCudaRow *self, GError **error)
{
  PtKernelLaunch launch;

  return pt_kernel_prepare_row (context, self, &launch, error) &&
         pt_kernel_launch (context, launch.kernel, &launch.shape, &launch.row, error);
}

gboolean
pt_kernel_pair_rows (PtCudaContext *context, const PtKernelLaunch *gate, const PtKernelLaunch *up,
                     PtKernelLaunch *both)
{
  const PtRowArguments *first = &gate->row, *second = &up->row;
  gint64 rows = MAX (plan_rows (context, 2 * (gint64) second->n), 2);

  if (gate->kernel > PT_KERNEL_row_4 || up->kernel > PT_KERNEL_row_4 ||
      first->end != PT_ROW_PLAIN || second->end != PT_ROW_SILU || second->other != first->output ||
      first->input != second->input || first->n != second->n || first->k != second->k)
    return FALSE;
  *both = *up;
  both->kernel = rows == 2 ? PT_KERNEL_row_pair_2 : PT_KERNEL_row_pair_4;
  both->row.other = 0;
  both->row.gate_weights = first->weights;
  both->row.gate_output = first->output;
  set_shape (both, rows / 2);
  return TRUE;
}
