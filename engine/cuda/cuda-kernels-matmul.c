/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

/* ---- int4, tile packed ---- */

#define INT4_CHECK "_weight_int4pack_mm"
#define MOST_SLABS 4096
/* A block with this much shared memory has room for the rings of twice as many warps. */
#define ROOMY_SHARED ((gsize) 128 << 10)

/* The division of a product into blocks. */
typedef struct {
  PtKernel kernel;
  PtKernelShape shape;
  gint32 slab; /* chunks of k in a slab */
  guint n_slabs;
  gint32 tiles; /* tiles of a block, for few rows */
} Int4Plan;

static gint64
divide_up (gint64 a, gint64 b)
{
  return (a + b - 1) / b;
}

/* Bytes of the weights in a chunk. */
static guint
int4_groups (gint64 group)
{
  return group >= PT_INT4_CHUNK ? 1 : (guint) (PT_INT4_CHUNK / group);
}

/* Index of the kernel for this number of groups in a chunk: 1, 2 or 4. */
static guint
int4_variant (guint groups)
{
  return groups / 2;
}

/* The factor that replaces a division by a multiplication. */
static guint32
inverse (gint64 n_chunks)
{
  return (guint32) divide_up ((gint64) 1 << 31, n_chunks);
}

/* Bytes of shared memory of a block of @warps warps with @tiles tiles and @slab chunks. */
static gsize
rows_shared (const PtCudaInt4 *p, gsize slab, gsize tiles, gsize warps)
{
  gsize rows = p->m > 8 ? 16 : p->m > 1 ? 8 : 1, m = (gsize) p->m;
  gsize groups = int4_groups (p->group), n_strips = (tiles + 1) / 2;
  gsize stage = 2 * PT_INT4_CHUNK * 4 + groups * 16 * 4;
  gsize activations = slab * (m * PT_INT4_LINE + groups * rows * 8);

  return warps * PT_INT4_ROWS_STAGES * stage + activations +
         (n_strips + warps) * m * 16 * sizeof (float) + n_strips * 2 * sizeof (gint32);
}

/* Whether a block of this size fits; also whether the division by multiplication is exact. */
static gboolean
rows_fit (const PtCudaInt4 *p, gint64 slab, gint64 tiles, gsize warps, gsize budget)
{
  return rows_shared (p, (gsize) slab, (gsize) tiles, warps) <= budget &&
         (tiles + 1) / 2 * slab * slab <= 1 << 30;
}

/*
 * Each multiprocessor gets one block, with the activations of all of k if they fit beside the
 * rings. Otherwise k is cut into slabs. Each block of a slab reads the slab's activations, which
 * should not take longer than its weights. Therefore blocks with few tiles get more slabs. When the
 * sums do not fit, blocks get smaller, but keep at least one tile for each row.
 */
static void
plan_rows (PtCudaContext *context, const PtCudaInt4 *p, Int4Plan *plan)
{
  gsize budget = context->shared_per_block;
  gsize warps = budget >= ROOMY_SHARED ? PT_INT4_ROWS_WARPS : PT_INT4_ROWS_WARPS / 2;
  gint64 n_chunks = divide_up (p->k, PT_INT4_CHUNK), n_tiles = divide_up (p->n, 8), slab, tiles;
  gint64 n_slabs = 0, balanced = MIN (p->m * context->n_multiprocessors / n_tiles, n_chunks / 4);

  do {
    n_slabs = n_slabs == 1 ? MAX (balanced, 2) : n_slabs + 1;
    slab = divide_up (n_chunks, n_slabs);
    tiles = divide_up (n_tiles, MAX (context->n_multiprocessors / n_slabs, 1));
    while (tiles > (slab > 1 ? 2 * p->m : 2) && !rows_fit (p, slab, tiles, warps, budget))
      tiles = (tiles + 1) / 2;
  } while (slab > 1 && !rows_fit (p, slab, tiles, warps, budget));
  plan->slab = (gint32) slab;
  plan->tiles = (gint32) tiles;
  plan->shape.shared = rows_shared (p, (gsize) slab, (gsize) tiles, warps);
  plan->n_slabs = (guint) divide_up (n_chunks, slab);
  plan->shape.threads = (guint) warps * 32;
  plan->shape.grid[0] = (guint) divide_up (n_tiles, tiles);
  plan->shape.grid[1] = plan->n_slabs;
  plan->kernel = PT_KERNEL_int4_rows_1_8_1 + (p->m > 1 ? 6 : 0) + (p->m > 8 ? 6 : 0) +
                 (p->inner == 8 ? 0 : 3) + int4_variant (int4_groups (p->group));
}

/*
 * Small blocks use more multiprocessors when the result is small; large blocks need less traffic to
 * shared memory. When small blocks still leave multiprocessors idle, k is cut into slabs.
 */
static void
plan_tiles (PtCudaContext *context, const PtCudaInt4 *p, Int4Plan *plan)
{
  gint64 n_processors = context->n_multiprocessors;
  gint64 small = divide_up (p->m, 64) * divide_up (p->n, 64);
  gint64 large = divide_up (p->m, 128) * divide_up (p->n, 128);
  gboolean is_large = divide_up (large, n_processors) * 16 <= divide_up (small, n_processors) * 5;
  gint32 n_chunks = (gint32) divide_up (p->k, PT_INT4_CHUNK);
  gint64 size = is_large ? 128 : 64;
  gsize stage = (gsize) size * (2 * PT_INT4_CHUNK + PT_INT4_CHUNK / 2 + int4_groups (p->group) * 4);

  plan->n_slabs = is_large ? 1 : (guint) CLAMP (n_processors / small, 1, divide_up (n_chunks, 4));
  plan->slab = (gint32) divide_up (n_chunks, MIN (plan->n_slabs, MOST_SLABS));
  plan->n_slabs = (guint) divide_up (n_chunks, plan->slab);
  plan->shape.threads = is_large ? PT_INT4_TILES_128_THREADS : PT_INT4_TILES_64_THREADS;
  plan->shape.shared = stage * (is_large ? PT_INT4_TILES_128_STAGES : PT_INT4_TILES_64_STAGES);
  plan->shape.grid[0] = (guint) divide_up (p->m, size);
  plan->shape.grid[1] = (guint) divide_up (p->n, size);
  plan->shape.grid[2] = plan->n_slabs;
  plan->kernel = PT_KERNEL_int4_tiles_64_8_1 + (is_large ? 6 : 0) + (p->inner == 8 ? 0 : 3) +
                 int4_variant (int4_groups (p->group));
}

static void
plan_int4 (PtCudaContext *context, const PtCudaInt4 *p, Int4Plan *plan)
{
  *plan = (Int4Plan){ 0 };
  if (p->m <= 16)
    plan_rows (context, p, plan);
  else
    plan_tiles (context, p, plan);
}

/* Also checks that no index in the kernels can overflow. */
static gboolean
check_int4 (PtCudaContext *context, const PtCudaInt4 *p, GError **error)
{
  const PtCuPointer addresses[] = { p->input, p->weights, p->scales, p->output };

  if (context->capability < 80)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The model's int4 weights need a GPU of compute capability 8.0 or newer; this "
                    "one has %u.%u.",
                    context->capability / 10, context->capability % 10);
  if (p->inner != 2 && p->inner != 4 && p->inner != 8)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    INT4_CHECK ": %" G_GINT64_FORMAT " inner k tiles; 2, 4 or 8 are possible.",
                    p->inner);
  if (p->group != 32 && p->group != 64 && p->group != 128 && p->group != 256)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    INT4_CHECK ": groups of %" G_GINT64_FORMAT
                               " weights; 32, 64, 128 or 256 are possible.",
                    p->group);
  if (p->m < 0 || p->n < 0 || p->k <= 0 || p->n % 8 != 0 || p->k % (16 * p->inner) != 0 ||
      p->k % p->group != 0 || p->m > G_MAXINT32 / 2 || p->n > 1 << 22 || p->k > 1 << 22)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    INT4_CHECK ": shapes do not fit: m %" G_GINT64_FORMAT ", n %" G_GINT64_FORMAT
                               ", k %" G_GINT64_FORMAT ", groups of %" G_GINT64_FORMAT ".",
                    p->m, p->n, p->k, p->group);
  return pt_kernel_check_aligned (INT4_CHECK, addresses, G_N_ELEMENTS (addresses), 16, error);
}

gsize
pt_cuda_int4_scratch (PtCudaContext *context, gint64 m, gint64 n, gint64 k)
{
  /* Smaller groups take more shared memory, so there may be more slabs. */
  const PtCudaInt4 product = { .m = m, .n = n, .k = k, .inner = 8, .group = 32 };
  Int4Plan plan;

  if (m <= 0 || n <= 0 || k <= 0 || m > G_MAXINT32 / 2 || n > 1 << 22 || k > 1 << 22)
    return 0;
  plan_int4 (context, &product, &plan);
  return plan.n_slabs > 1 ? plan.n_slabs * (gsize) m * (gsize) n * sizeof (float) : 0;
}

gboolean
pt_kernel_prepare_int4 (PtCudaContext *context, const PtCudaInt4 *p, PtCuPointer scratch,
                        PtKernelLaunch *launch, GError **error)
{
  Int4Plan plan;

  if (!check_int4 (context, p, error))
    return FALSE;
  plan_int4 (context, p, &plan);
  *launch = (PtKernelLaunch){ .kernel = plan.kernel, .shape = plan.shape };
  launch->int4 = (PtInt4Arguments){
    .input = p->input,
    .weights = p->weights,
    .scales = p->scales,
    .output = p->output,
    .partial = scratch,
    .m = (gint32) p->m,
    .n = (gint32) p->n,
    .k = (gint32) p->k,
    .inner = (gint32) p->inner,
    .group_shift = g_bit_nth_lsf ((gulong) p->group, -1),
    .slab = plan.slab,
    .tiles = plan.tiles,
    .slab_inverse = inverse (plan.slab),
    .last_slab_inverse =
        inverse (divide_up (p->k, PT_INT4_CHUNK) - (gint64) (plan.n_slabs - 1) * plan.slab),
  };
  return TRUE;
}

/* Adds the slabs of a launch. */
static gboolean
finish_int4 (PtCudaContext *context, PtInt4Arguments *arguments, guint n_slabs, GError **error)
{
  PtKernelShape shape = { .threads = 256 };

  arguments->slab = (gint32) n_slabs;
  shape.grid[0] =
      pt_kernel_blocks ((gint64) arguments->m * arguments->n, shape.threads, G_MAXINT32);
  return pt_kernel_launch (context, PT_KERNEL_int4_finish, &shape, arguments, error);
}

gboolean
pt_cuda_kernel_int4 (PtCudaContext *context, const PtCudaInt4 *p, PtCuPointer scratch,
                     GError **error)
{
  PtKernelLaunch launch;
  guint n_slabs;

  if (p->m == 0 || p->n == 0)
    return check_int4 (context, p, error);
  if (!pt_kernel_prepare_int4 (context, p, scratch, &launch, error) ||
      !pt_kernel_launch (context, launch.kernel, &launch.shape, &launch.int4, error))
    return FALSE;
  n_slabs = (guint) divide_up (divide_up (p->k, PT_INT4_CHUNK), launch.int4.slab);
  return n_slabs == 1 || finish_int4 (context, &launch.int4, n_slabs, error);
}

/* ---- Plain quantised weights ---- */

static const struct {
  const char *name;
  PtKernel kernel; /* the kernel for one row; those for up to 4 and 8 rows follow it */
  guint k_multiple;
  guint least_group;
  guint unit; /* number of weights that share a scale and a sum in the kernel */
} plain_kinds[] = {
  [PT_CUDA_PLAIN_INT4_FLOAT] = { "int4_plain_mm", PT_KERNEL_plain_int4_float_1, 32, 8, 32 },
  [PT_CUDA_PLAIN_INT4] = { "int4_plain_mm", PT_KERNEL_plain_int4_1, 256, 8, 32 },
  [PT_CUDA_PLAIN_INT5] = { "int5_plain_mm", PT_KERNEL_plain_int5_1, 256, 32, 32 },
  [PT_CUDA_PLAIN_INT6] = { "int6_plain_mm", PT_KERNEL_plain_int6_1, 256, 8, 32 },
  [PT_CUDA_PLAIN_INT8] = { "int8_plain_mm", PT_KERNEL_plain_int8_1, 32, 32, 16 },
};

static gsize
plain_shared_per_row (const PtCudaPlain *p)
{
  return (gsize) p->k + (gsize) p->k / plain_kinds[p->kind].unit * 8;
}

static gboolean
check_plain (PtCudaContext *context, const PtCudaPlain *p, GError **error)
{
  const char *name = plain_kinds[p->kind].name;
  const PtCuPointer large[] = { p->input, p->low };
  const PtCuPointer small[] = { p->scale_step, p->zero_step, p->output };
  const PtCuPointer bf16[] = { p->scale };
  gboolean is_bf16 = p->kind == PT_CUDA_PLAIN_INT4_FLOAT || p->kind == PT_CUDA_PLAIN_INT8;

  if (p->group < plain_kinds[p->kind].least_group || (p->group & (p->group - 1)) != 0)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "%s: groups of %" G_GINT64_FORMAT
                    " weights; powers of two from %u on are possible.",
                    name, p->group, plain_kinds[p->kind].least_group);
  if (p->m < 0 || p->n < 0 || p->k <= 0 || p->k % plain_kinds[p->kind].k_multiple != 0 ||
      p->k % p->group != 0 || p->m > G_MAXINT32 || p->n > G_MAXINT32 / 2 || p->k > 1 << 22)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "%s: shapes do not fit: m %" G_GINT64_FORMAT ", n %" G_GINT64_FORMAT
                    ", k %" G_GINT64_FORMAT ", groups of %" G_GINT64_FORMAT ".",
                    name, p->m, p->n, p->k, p->group);
  if (plain_shared_per_row (p) > context->shared_per_block)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "%s: rows of %" G_GINT64_FORMAT
                    " do not fit into this GPU's shared memory of %" G_GSIZE_FORMAT " KB.",
                    name, p->k, context->shared_per_block >> 10);
  return pt_kernel_check_aligned (name, large, G_N_ELEMENTS (large), 16, error) &&
         pt_kernel_check_aligned (name, &p->high, 1, 8, error) &&
         pt_kernel_check_aligned (name, bf16, is_bf16 ? 1 : 0, 2, error) &&
         pt_kernel_check_aligned (name, small, G_N_ELEMENTS (small), 2, error);
}

static gboolean
launch_plain (PtCudaContext *context, const PtCudaPlain *p, gint64 row, gint64 n_rows,
              GError **error)
{
  gint64 columns = PT_PLAIN_THREADS / 32 * (n_rows > 1 ? 4 : 1);
  PtPlainArguments arguments = {
    .input = p->input + (PtCuPointer) (row * p->k * 2),
    .low = p->low,
    .high = p->high,
    .scale = p->scale,
    .scale_step = p->scale_step,
    .zero = p->zero,
    .zero_step = p->zero_step,
    .output = p->output + (PtCuPointer) (row * p->n * 2),
    .n = (gint32) p->n,
    .k = (gint32) p->k,
    .rows = (gint32) n_rows,
    .group_shift = g_bit_nth_lsf ((gulong) p->group, -1),
  };
  PtKernelShape shape = {
    .threads = PT_PLAIN_THREADS,
    .shared = plain_shared_per_row (p) * (gsize) n_rows,
  };
  guint n_blocks = (guint) MIN ((context->shared_per_block + 1024) / (shape.shared + 1024), 4);

  shape.grid[0] = (guint) MIN (divide_up (p->n, columns),
                               MAX (n_blocks, 1) * (gint64) context->n_multiprocessors);
  return pt_kernel_launch (context,
                           plain_kinds[p->kind].kernel + (n_rows > 4   ? 2
                                                          : n_rows > 1 ? 1
                                                                       : 0),
                           &shape, &arguments, error);
}

gboolean
pt_cuda_kernel_plain (PtCudaContext *context, const PtCudaPlain *p, GError **error)
{
  gint64 most;

  if (!check_plain (context, p, error))
    return FALSE;
  if (p->n == 0)
    return TRUE;
  most = (gint64) MIN (context->shared_per_block / plain_shared_per_row (p), 8);
  for (gint64 row = 0; row < p->m; row += most)
    if (!launch_plain (context, p, row, MIN (p->m - row, most), error))
      return FALSE;
  return TRUE;
}
