/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

#define WARPS (PT_ROW_THREADS / 32)
/* So many warps on each multiprocessor keep the memory busy. */
#define BUSY_WARPS 24
/* Each warp that shares a row reads at least so many numbers of it. */
#define LEAST_PART 512

/* The division of a product among warps. */
typedef struct {
  PtKernel kernel;
  gint64 rows; /* that a warp takes at once */
  gint32 parts;
} Plan;

gboolean
pt_cuda_row_fits (const PtCudaRow *self)
{
  return self->end <= PT_CUDA_ROW_SILU && (self->other != 0) == (self->end != PT_CUDA_ROW_PLAIN) &&
         self->n > 0 && self->k > 0 && self->k % 8 == 0 && self->n <= G_MAXINT32 / 8 &&
         self->k <= G_MAXINT32 / 64 && self->n <= G_MAXINT64 / 2 / self->k;
}

static void
make_plan (const PtCudaContext *context, const PtCudaRow *self, Plan *plan)
{
  gint64 busy = (gint64) context->n_multiprocessors * BUSY_WARPS;
  gint64 warps;

  *plan = (Plan){ PT_KERNEL_row_1, 1, 1 };
  while (plan->rows < 4 && self->n >= 2 * plan->rows * busy) {
    plan->rows *= 2;
    plan->kernel++;
  }
  warps = (self->n + plan->rows - 1) / plan->rows;
  while (plan->parts < PT_ROW_MOST_PARTS && warps * plan->parts < busy &&
         self->k >= 2 * plan->parts * LEAST_PART)
    plan->parts *= 2;
}

gboolean
pt_cuda_kernel_row (PtCudaContext *context, const PtCudaRow *self, GError **error)
{
  static const gint32 ends[] = { PT_ROW_PLAIN, PT_ROW_ADD, PT_ROW_SILU };
  const PtCuPointer rows[] = { self->input, self->weights };
  const PtCuPointer others[] = { self->other, self->output };
  PtKernelShape shape = { { 1, 1, 1 }, PT_ROW_THREADS, 0 };
  PtRowArguments arguments = { 0 };
  gint64 in_block;
  Plan plan;

  if (!pt_cuda_row_fits (self))
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "A product of this shape has no GPU kernel.");
  if (!pt_kernel_check_aligned ("A product", rows, G_N_ELEMENTS (rows), 16, error) ||
      !pt_kernel_check_aligned ("A product", others, G_N_ELEMENTS (others), 2, error))
    return FALSE;
  make_plan (context, self, &plan);
  in_block = WARPS / plan.parts * plan.rows;
  shape.grid[0] = (guint) ((self->n + in_block - 1) / in_block);
  arguments.input = self->input;
  arguments.weights = self->weights;
  arguments.other = self->other;
  arguments.output = self->output;
  arguments.n = (gint32) self->n;
  arguments.k = (gint32) self->k;
  arguments.parts = plan.parts;
  arguments.end = ends[self->end];
  return pt_kernel_launch (context, plan.kernel, &shape, &arguments, error);
}
