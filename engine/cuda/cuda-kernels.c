/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

struct _PtCudaKernels {
  const PtCuda *cu;
  PtCuModule module;
  PtCuFunction functions[PT_N_KERNELS];
  gconstpointer image;
  PtPtxEffects *effects[PT_N_KERNELS]; /* NULL: not computed yet */
};

static const char *const names[] = {
#define X(name) "pt_" #name,
  PT_KERNELS_DYNAMIC PT_KERNELS_STATIC
#undef X
};

static gboolean has_other_image;
static gconstpointer other_image;

void
pt_cuda_kernels_use_image (gconstpointer image)
{
  has_other_image = TRUE;
  other_image = image;
}

static void
kernels_free (PtCudaKernels *kernels)
{
  if (kernels->module != NULL)
    kernels->cu->cuModuleUnload (kernels->module);
  for (guint i = 0; i < PT_N_KERNELS; i++)
    g_free (kernels->effects[i]);
  g_free (kernels);
}

static gboolean
load (PtCudaContext *context, PtCudaKernels *kernels, gconstpointer image, GError **error)
{
  const PtCuda *cu = context->cu;
  const char *what = "Loading Pteris's GPU kernels";
  PtCuResult code = cu->cuModuleLoadData (&kernels->module, image);

  for (guint i = 0; code == PT_CU_SUCCESS && i < PT_N_KERNELS; i++) {
    code = cu->cuModuleGetFunction (&kernels->functions[i], kernels->module, names[i]);
    if (code == PT_CU_SUCCESS && i < PT_N_DYNAMIC_KERNELS)
      code = cu->cuFuncSetAttribute (kernels->functions[i],
                                     PT_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     (int) context->shared_per_block);
  }
  return pt_cuda_context_check (context, code, what, error);
}

gboolean
pt_cuda_kernels_prepare (PtCudaContext *context, GError **error)
{
  gconstpointer image = has_other_image ? other_image : pt_cuda_kernels_image ();
  PtCudaKernels *kernels;

  if (G_LIKELY (context->kernels != NULL))
    return TRUE;
  if (image == NULL)
    return pt_fail (error, PT_ERROR_MISSING_OPERATOR,
                    "This build of Pteris has no GPU kernels, and the model needs them.");
  kernels = g_new0 (PtCudaKernels, 1);
  kernels->cu = context->cu;
  kernels->image = image;
  if (!load (context, kernels, image, error)) {
    kernels_free (kernels);
    return FALSE;
  }
  context->kernels = kernels;
  context->free_kernels = kernels_free;
  return TRUE;
}

/* PT_N_KERNELS: it is another function. */
static guint
find_kernel (const PtCudaKernels *kernels, PtCuFunction function)
{
  guint i = 0;

  while (i < PT_N_KERNELS && (kernels == NULL || kernels->functions[i] != function))
    i++;
  return i;
}

static gboolean
is_among (guint kernel, guint first, guint n)
{
  return kernel - first < n;
}

static gboolean
is_int4_rows (guint kernel)
{
#define X(name) name,
  enum { PT_INT4_ROWS_KERNELS (PT_KERNEL_INT4_ROWS) N };
#undef X

  return is_among (kernel, PT_KERNEL_int4_rows_1_8_1, N);
}

static gboolean
is_row (guint kernel)
{
#define X(name) name,
  enum { PT_ROW_KERNELS (PT_KERNEL_ROW) PT_ROW_PAIR_KERNELS (PT_KERNEL_ROW_PAIR) N };
#undef X

  return is_among (kernel, PT_KERNEL_row_1, N);
}

/* Those that call wait_for_earlier() (kernels/common.cuh). */
static gboolean
waits (guint kernel)
{
#define X(name) name,
  enum { PT_ATTENTION_KERNELS (PT_KERNEL_ATTENTION) N };
#undef X

  return is_int4_rows (kernel) || is_row (kernel) ||
         is_among (kernel, PT_KERNEL_attention_64_1, N) || kernel == PT_KERNEL_gate ||
         kernel == PT_KERNEL_norm || kernel == PT_KERNEL_rotary;
}

gboolean
pt_cuda_kernels_start_early (PtCudaContext *context, PtCuFunction function)
{
  guint kernel = find_kernel (context->kernels, function);
  int version = 0;

  /* Code for older GPUs does not wait. */
  return kernel < PT_N_KERNELS && waits (kernel) &&
         context->cu->cuFuncGetAttribute (&version, PT_CU_FUNCTION_PTX_VERSION, function) ==
             PT_CU_SUCCESS &&
         version >= 90;
}

const PtPtxEffects *
pt_cuda_kernels_effects (PtCudaContext *context, PtCuFunction function)
{
  PtCudaKernels *kernels = context->kernels;
  guint i = find_kernel (kernels, function);

  if (i == PT_N_KERNELS)
    return NULL;
  if (kernels->effects[i] == NULL) {
    gsize size;
    g_autofree char *text = pt_ptx_text (kernels->image, &size);

    kernels->effects[i] = g_new0 (PtPtxEffects, 1);
    if (text != NULL)
      pt_ptx_effects (text, size, names[i], kernels->effects[i]);
  }
  return kernels->effects[i];
}

/* ---- launches in graphs ---- */

/* int4 products of fewer columns are slower when they read their weights early: on an H200, 8192 x
 * 2048 takes 4.46 instead of 4.22 us, but 4096 x 4096 4.40 instead of 4.78. */
#define LEAST_INT4_COLUMNS 4096

/* A launch of a product. FALSE: of something else. */
static gboolean
read_launch (PtCudaContext *context, const PtCuKernelNode *node, PtKernelLaunch *launch)
{
  guint kernel = find_kernel (context->kernels, node->function);

  if (kernel == PT_N_KERNELS || (!is_int4_rows (kernel) && !is_row (kernel)) ||
      node->arguments == NULL)
    return FALSE;
  *launch = (PtKernelLaunch){ .kernel = (PtKernel) kernel };
  memcpy (launch->shape.grid, node->grid, sizeof launch->shape.grid);
  if (is_row (kernel))
    memcpy (&launch->row, node->arguments[0], sizeof launch->row);
  else
    memcpy (&launch->int4, node->arguments[0], sizeof launch->int4);
  return TRUE;
}

/* @node: what does not change comes from it. */
static void
write_launch (PtCudaContext *context, const PtCuKernelNode *node, const PtKernelLaunch *launch,
              PtCudaKernelChange *change)
{
  G_STATIC_ASSERT (sizeof launch->row <= sizeof change->argument &&
                   sizeof launch->int4 <= sizeof change->argument);

  memset (change, 0, sizeof *change);
  memcpy (change->argument, &launch->row,
          is_row (launch->kernel) ? sizeof launch->row : sizeof launch->int4);
  change->pointers[0] = change->argument;
  change->node = *node;
  change->node.function = context->kernels->functions[launch->kernel];
  change->node.arguments = change->pointers;
  change->node.extra = NULL;
}

gboolean
pt_cuda_kernels_combine (PtCudaContext *context, const PtCuKernelNode *first,
                         const PtCuKernelNode *second, PtCudaKernelChange *both)
{
  PtKernelLaunch a, b, launch;

  if (!read_launch (context, first, &a) || !is_row (a.kernel) ||
      !read_launch (context, second, &b) || !is_row (b.kernel) ||
      !pt_kernel_pair_rows (context, &a, &b, &launch))
    return FALSE;
  write_launch (context, first, &launch, both);
  both->node.grid[0] = launch.shape.grid[0];
  both->node.block[0] = launch.shape.threads;
  return TRUE;
}

guint
pt_cuda_kernels_weights (PtCudaContext *context, const PtCuKernelNode *node, PtCuPointer *addresses)
{
  PtKernelLaunch launch;

  if (!read_launch (context, node, &launch))
    return 0;
  if (is_row (launch.kernel)) {
    addresses[0] = launch.row.weights;
    addresses[1] = launch.row.gate_weights;
    return launch.row.gate_weights != 0 ? 2 : 1;
  }
  addresses[0] = launch.int4.weights;
  addresses[1] = launch.int4.scales;
  return launch.int4.k >= LEAST_INT4_COLUMNS ? 2 : 0;
}

void
pt_cuda_kernels_read_early (PtCudaContext *context, const PtCuKernelNode *node,
                            PtCudaKernelChange *changed)
{
  PtKernelLaunch launch = { 0 };

  g_return_if_fail (read_launch (context, node, &launch));
  if (is_row (launch.kernel))
    launch.row.is_constant = 1;
  else
    launch.int4.is_constant = 1;
  write_launch (context, node, &launch, changed);
}

/* ---- launching ---- */

gboolean
pt_kernel_launch (PtCudaContext *context, PtKernel kernel, const PtKernelShape *shape,
                  const void *arguments, GError **error)
{
  void *pointers[] = { (void *) arguments };
  PtCuResult code;

  if (!pt_cuda_kernels_prepare (context, error))
    return FALSE;
  code =
      context->cu->cuLaunchKernel (context->kernels->functions[kernel], shape->grid[0],
                                   MAX (shape->grid[1], 1), MAX (shape->grid[2], 1), shape->threads,
                                   1, 1, (guint) shape->shared, context->stream, pointers, NULL);
  return pt_cuda_context_check (context, code, names[kernel], error);
}

guint
pt_kernel_blocks (gint64 n, guint threads, guint most)
{
  return (guint) MIN ((n - 1) / threads + 1, most);
}

gboolean
pt_kernel_check_aligned (const char *what, const PtCuPointer *addresses, guint n, gsize alignment,
                         GError **error)
{
  for (guint i = 0; i < n; i++)
    if (addresses[i] % alignment != 0)
      return pt_fail (error, PT_ERROR_ARGUMENT,
                      "%s: a tensor on the GPU is not aligned to %" G_GSIZE_FORMAT " bytes.", what,
                      alignment);
  return TRUE;
}
