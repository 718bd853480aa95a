/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

#define MOST_BLOCKS 65535
#define MOST_SLICES_AT_ONCE 4096 /* number of blocks in y */

/* ---- Sorting ---- */

static gboolean
is_sortable (const PtCudaSort *p)
{
  switch (p->dtype) {
  case PT_DTYPE_I64:
  case PT_DTYPE_I32:
  case PT_DTYPE_F32:
  case PT_DTYPE_F16:
  case PT_DTYPE_BF16: break;
  default: return FALSE;
  }
  return p->outer >= 0 && p->length >= 0 && p->inner >= 0 && p->length <= G_MAXINT32 &&
         p->outer <= (gint64) 1 << 40 && p->inner <= (gint64) 1 << 40 &&
         (p->outer == 0 || p->inner <= ((gint64) 1 << 40) / p->outer) &&
         (p->length == 0 || p->outer * p->inner <= ((gint64) 1 << 40) / p->length);
}

typedef struct {
  gsize keys[2], order[2], counts, totals, size;
  guint n_passes;
  gint64 tiles;
} SortLayout;

static gsize
layout_add (gsize *size, gsize bytes)
{
  gsize at = *size;

  *size += (bytes + 255) / 256 * 256;
  return at;
}

/*
 * Each pass writes the buffer that the previous pass did not read; the last pass writes the result.
 */
static void
lay_out_sort (const PtCudaSort *p, SortLayout *layout)
{
  gsize element = pt_dtype_size (p->dtype), key = MAX (element, 4);
  gsize slices = (gsize) (p->outer * p->inner), n = slices * (gsize) p->length;

  *layout = (SortLayout){ .n_passes = (guint) element };
  layout->tiles = (p->length + PT_SORT_TILE - 1) / PT_SORT_TILE;
  for (guint i = 0; i < MIN (layout->n_passes - 1, 2); i++) {
    layout->keys[i] = layout_add (&layout->size, n * key);
    layout->order[i] = layout_add (&layout->size, n * 4);
  }
  layout->counts = layout_add (&layout->size, slices * (gsize) layout->tiles * PT_SORT_DIGITS * 4);
  layout->totals = layout_add (&layout->size, slices * PT_SORT_DIGITS * 4);
}

gsize
pt_cuda_sort_scratch (const PtCudaSort *p)
{
  SortLayout layout;

  if (!is_sortable (p) || p->length <= PT_SORT_BLOCK)
    return 0;
  lay_out_sort (p, &layout);
  return layout.size;
}

static gboolean
sort_short (PtCudaContext *context, const PtCudaSort *p, PtSortArguments *arguments, GError **error)
{
  gboolean is_wide = p->dtype == PT_DTYPE_I64;
  gint64 capacity, each;
  PtKernelShape shape = { .threads = PT_SORT_THREADS };

  for (arguments->padded = 1; arguments->padded < p->length;)
    arguments->padded *= 2;
  capacity = MAX (arguments->padded, PT_SORT_SHARED);
  each = capacity / arguments->padded;
  if ((arguments->slices - 1) / each >= G_MAXINT32)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "sort_stable: too many slices.");
  shape.grid[0] = (guint) ((arguments->slices - 1) / each + 1);
  shape.shared = (gsize) capacity * (is_wide ? 12 : 8);
  return pt_kernel_launch (context, is_wide ? PT_KERNEL_sort_block_wide : PT_KERNEL_sort_block,
                           &shape, arguments, error);
}

static gboolean
sort_pass (PtCudaContext *context, const PtCudaSort *p, PtSortArguments *arguments, GError **error)
{
  gboolean is_wide = p->dtype == PT_DTYPE_I64;
  PtKernelShape tiles = { .threads = PT_SORT_DIGITS };
  PtKernelShape rows = { .threads = PT_SORT_DIGITS };

  tiles.grid[0] = (guint) arguments->tiles;
  tiles.grid[1] = (guint) MIN (arguments->slices, MOST_SLICES_AT_ONCE);
  rows.grid[0] = (guint) (arguments->slices * 32); /* one warp for each of 256 digits */
  return pt_kernel_launch (context, is_wide ? PT_KERNEL_sort_count_64 : PT_KERNEL_sort_count_32,
                           &tiles, arguments, error) &&
         pt_kernel_launch (context, PT_KERNEL_sort_sum, &rows, arguments, error) &&
         pt_kernel_launch (context, is_wide ? PT_KERNEL_sort_move_64 : PT_KERNEL_sort_move_32,
                           &tiles, arguments, error);
}

static gboolean
sort_long (PtCudaContext *context, const PtCudaSort *p, PtSortArguments *arguments,
           PtCuPointer scratch, GError **error)
{
  SortLayout layout;

  lay_out_sort (p, &layout);
  if (arguments->slices > G_MAXINT32 / 32)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "sort_stable: too many slices.");
  arguments->tiles = (gint32) layout.tiles;
  arguments->counts = scratch + layout.counts;
  arguments->totals = scratch + layout.totals;
  for (guint i = 0; i < layout.n_passes; i++) {
    gboolean is_last = i == layout.n_passes - 1;

    arguments->shift = (gint32) (8 * i);
    arguments->keys_in = i == 0 ? 0 : scratch + layout.keys[(i - 1) % 2];
    arguments->order_in = i == 0 ? 0 : scratch + layout.order[(i - 1) % 2];
    arguments->keys_out = is_last ? 0 : scratch + layout.keys[i % 2];
    arguments->order_out = is_last ? 0 : scratch + layout.order[i % 2];
    if (!sort_pass (context, p, arguments, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
pt_cuda_kernel_sort (PtCudaContext *context, const PtCudaSort *p, PtCuPointer scratch,
                     GError **error)
{
  const PtCuPointer addresses[] = { p->input, p->values };
  PtSortArguments arguments = {
    .input = p->input,
    .values = p->values,
    .indices = p->indices,
    .descending = p->descending ? 1 : 0,
    .dtype = (gint32) p->dtype,
  };

  if (!is_sortable (p))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "sort_stable: %s in slices of %" G_GINT64_FORMAT " cannot be sorted.",
                    pt_dtype_name (p->dtype), p->length);
  if (!pt_kernel_check_aligned ("sort_stable", addresses, 2, pt_dtype_size (p->dtype), error) ||
      !pt_kernel_check_aligned ("sort_stable", &p->indices, 1, 8, error))
    return FALSE;
  if (p->outer == 0 || p->length == 0 || p->inner == 0)
    return TRUE;
  arguments.slices = p->outer * p->inner;
  arguments.inner = p->inner;
  arguments.length = (gint32) p->length;
  if (p->length <= PT_SORT_BLOCK)
    return sort_short (context, p, &arguments, error);
  return sort_long (context, p, &arguments, scratch, error);
}

/* ---- Random numbers ---- */

G_STATIC_ASSERT (sizeof (PtRandomState) == PT_CUDA_RANDOM_STATE_SIZE);

gboolean
pt_cuda_kernel_random_seed (PtCudaContext *context, PtCuPointer state, guint64 seed, GError **error)
{
  const PtRandomArguments arguments = { .state = state, .low = seed };
  const PtKernelShape shape = { .grid = { 1 }, .threads = 1 };

  return pt_kernel_check_aligned ("rand", &state, 1, 8, error) &&
         pt_kernel_launch (context, PT_KERNEL_random_seed, &shape, &arguments, error);
}

static gboolean
launch_random (PtCudaContext *context, PtKernel kernel, const PtRandomArguments *arguments,
               gsize element, GError **error)
{
  PtKernelShape shape = { .threads = 256 };

  if (!pt_kernel_check_aligned ("rand", &arguments->state, 1, 8, error) ||
      !pt_kernel_check_aligned ("rand", &arguments->output, 1, element, error))
    return FALSE;
  if (arguments->n <= 0)
    return TRUE;
  shape.grid[0] = pt_kernel_blocks (arguments->n, shape.threads, context->n_multiprocessors * 8);
  return pt_kernel_launch (context, kernel, &shape, arguments, error);
}

gboolean
pt_cuda_kernel_rand (PtCudaContext *context, PtCuPointer state, PtCuPointer output, PtDType dtype,
                     gint64 n, GError **error)
{
  const PtRandomArguments arguments = { .state = state, .output = output, .n = n };

  if (dtype != PT_DTYPE_F32 && dtype != PT_DTYPE_BF16)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "rand: numbers of type %s; float32 and bfloat16 are possible.",
                    pt_dtype_name (dtype));
  return launch_random (context,
                        dtype == PT_DTYPE_F32 ? PT_KERNEL_random_f32 : PT_KERNEL_random_bf16,
                        &arguments, pt_dtype_size (dtype), error);
}

gboolean
pt_cuda_kernel_randint (PtCudaContext *context, PtCuPointer state, PtCuPointer output, gint64 n,
                        gint64 low, gint64 high, GError **error)
{
  const PtRandomArguments arguments = {
    .state = state,
    .output = output,
    .n = n,
    .low = (guint64) low,
    .range = (guint64) high - (guint64) low,
  };

  if (low >= high)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "randint: there is no number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                    ".",
                    low, high);
  return launch_random (context, PT_KERNEL_random_i64, &arguments, 8, error);
}

/* ---- Copies ---- */

#define MOST_DIMENSIONS 16

typedef struct {
  gint64 size, from, to;
} Dimension;

/* Removes dimensions of one element, and merges dimensions that are contiguous. */
static guint
merge_dimensions (Dimension *to, const gint64 *sizes, const gint64 *from_strides,
                  const gint64 *to_strides, guint rank)
{
  guint n = 0;

  for (guint i = 0; i < rank; i++) {
    const Dimension next = { sizes[i], from_strides[i], to_strides[i] };

    if (next.size == 1)
      continue;
    if (n > 0 && to[n - 1].from == next.size * next.from && to[n - 1].to == next.size * next.to) {
      to[n - 1].size *= next.size;
      to[n - 1].from = next.from;
      to[n - 1].to = next.to;
    } else {
      to[n++] = next;
    }
  }
  return n;
}

/*
 * Copies larger elements where the last dimension is contiguous and all other strides are multiples
 * of the larger size.
 */
static gsize
widen_element (Dimension *dimensions, guint n, PtCuPointer to, PtCuPointer from, gsize element)
{
  Dimension *last = &dimensions[n - 1];

  while (n > 0 && last->from == 1 && last->to == 1 && element < 16) {
    gsize next = element * 2;

    if (last->size % 2 != 0 || to % next != 0 || from % next != 0)
      break;
    for (guint i = 0; i + 1 < n; i++)
      if (dimensions[i].from % 2 != 0 || dimensions[i].to % 2 != 0)
        return element;
    for (guint i = 0; i + 1 < n; i++) {
      dimensions[i].from /= 2;
      dimensions[i].to /= 2;
    }
    last->size /= 2;
    element = next;
  }
  return element;
}

static gboolean
check_copy (const gint64 *sizes, const gint64 *from_strides, const gint64 *to_strides, guint rank,
            gsize element, gint64 *n, GError **error)
{
  *n = 1;
  if (rank > MOST_DIMENSIONS || (element != 1 && element != 2 && element != 4 && element != 8))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "Copying on the GPU: %u dimensions of %" G_GSIZE_FORMAT
                    " bytes an element are not supported.",
                    rank, element);
  for (guint i = 0; i < rank; i++) {
    if (sizes[i] < 0 || from_strides[i] < 0 || to_strides[i] < 0 ||
        (sizes[i] > 0 && *n > ((gint64) 1 << 48) / sizes[i]))
      return pt_fail (error, PT_ERROR_ARGUMENT, "Copying on the GPU: the layout is not possible.");
    *n *= sizes[i];
  }
  return TRUE;
}

gboolean
pt_cuda_kernel_copy (PtCudaContext *context, PtCuPointer to, const gint64 *to_strides,
                     PtCuPointer from, const gint64 *from_strides, const gint64 *sizes, guint rank,
                     gsize element, GError **error)
{
  const PtCuPointer addresses[] = { to, from };
  Dimension dimensions[MOST_DIMENSIONS];
  PtCopyArguments arguments = { .to = to, .from = from, .n = 1 };
  PtKernelShape shape = { .threads = 256 };
  gint64 n;
  guint n_dimensions;

  if (!check_copy (sizes, from_strides, to_strides, rank, element, &n, error) ||
      !pt_kernel_check_aligned ("Copying on the GPU", addresses, 2, element, error))
    return FALSE;
  if (n == 0)
    return TRUE;
  n_dimensions = merge_dimensions (dimensions, sizes, from_strides, to_strides, rank);
  if (n_dimensions == 0 || (n_dimensions == 1 && dimensions[0].from == 1 && dimensions[0].to == 1))
    return pt_cuda_context_check (
        context, context->cu->cuMemcpyDtoDAsync (to, from, (gsize) n * element, context->stream),
        "Copying on the GPU", error);
  if (n_dimensions > PT_COPY_RANK)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "Copying on the GPU: a layout of %u dimensions is not supported.",
                    n_dimensions);
  element = widen_element (dimensions, n_dimensions, to, from, element);
  arguments.rank = (gint32) n_dimensions;
  for (guint i = 0; i < n_dimensions; i++) {
    arguments.n *= dimensions[i].size;
    arguments.sizes[i] = dimensions[i].size;
    arguments.from_strides[i] = dimensions[i].from;
    arguments.to_strides[i] = dimensions[i].to;
  }
  shape.grid[0] = pt_kernel_blocks (arguments.n, shape.threads, MOST_BLOCKS);
  return pt_kernel_launch (context, PT_KERNEL_copy_1 + (guint) g_bit_nth_lsf (element, -1), &shape,
                           &arguments, error);
}

gboolean
pt_cuda_kernel_fill (PtCudaContext *context, PtCuPointer to, gsize n, gsize element, guint64 value,
                     GError **error)
{
  PtFillArguments arguments = { .to = to, .size = (gint64) (n * element) };
  PtKernelShape shape = { .threads = 256 };

  if ((element != 1 && element != 2 && element != 4 && element != 8) || n > G_MAXINT64 / 8)
    return pt_fail (error, PT_ERROR_ARGUMENT, "Filling on the GPU: the size is not possible.");
  if (!pt_kernel_check_aligned ("Filling on the GPU", &to, 1, element, error))
    return FALSE;
  if (n == 0)
    return TRUE;
  for (gsize i = 0; i < 8; i++)
    arguments.pattern |= (value >> (i % element * 8) & 0xff) << (i * 8);
  shape.grid[0] = pt_kernel_blocks ((arguments.size + 7) / 8, shape.threads, MOST_BLOCKS);
  return pt_kernel_launch (context, PT_KERNEL_fill, &shape, &arguments, error);
}

/* ---- Sampling ---- */

gsize
pt_cuda_sample_scratch (gint64 n)
{
  return n < 0 ? 0 : sizeof (PtSampleState) + (gsize) n * sizeof (float);
}

static gboolean
check_sample (const PtCudaSample *p, GError **error)
{
  const PtCuPointer wide[] = { p->random, p->wide_id, p->position };
  const PtCuPointer narrow[] = { p->coin, p->id, p->said };

  if (p->dtype != PT_DTYPE_F32 && p->dtype != PT_DTYPE_F16 && p->dtype != PT_DTYPE_BF16)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "Sampling on the GPU: logits of type %s.",
                    pt_dtype_name (p->dtype));
  if (p->n <= 0 || p->n > G_MAXINT32 / 2)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Sampling on the GPU: %" G_GINT64_FORMAT " logits are not possible.", p->n);
  if (p->temperature > 0 && p->random == 0 && p->coin == 0)
    return pt_fail (error, PT_ERROR_ARGUMENT, "Sampling on the GPU: no random number.");
  if (p->n_said > G_MAXINT32 || p->top_k > G_MAXINT32)
    return pt_fail (error, PT_ERROR_ARGUMENT, "Sampling on the GPU: too many tokens.");
  return pt_kernel_check_aligned ("Sampling on the GPU", &p->logits, 1, pt_dtype_size (p->dtype),
                                  error) &&
         pt_kernel_check_aligned ("Sampling on the GPU", wide, G_N_ELEMENTS (wide), 8, error) &&
         pt_kernel_check_aligned ("Sampling on the GPU", narrow, G_N_ELEMENTS (narrow), 4, error);
}

gboolean
pt_cuda_kernel_sample (PtCudaContext *context, const PtCudaSample *p, PtCuPointer scratch,
                       GError **error)
{
  static const gint32 passes[] = { 6, 7, 8, 0, 1, 2, 4, 5 };
  const PtKernelShape shape = { .grid = { PT_SAMPLE_BLOCKS }, .threads = 256 };
  PtSampleArguments arguments = {
    .logits = p->logits,
    .state = scratch,
    .weights = scratch + sizeof (PtSampleState),
    .random = p->random,
    .coin = p->coin,
    .id = p->id,
    .wide_id = p->wide_id,
    .position = p->position,
    .dtype = (gint32) p->dtype,
    .temperature = (float) p->temperature,
    .top_k = p->top_k < p->n ? (gint32) p->top_k : 0,
    .top_p = (float) p->top_p,
    .min_p = (float) p->min_p,
    .repetition_penalty = (float) p->repetition_penalty,
    .presence_penalty = (float) p->presence_penalty,
    .frequency_penalty = (float) p->frequency_penalty,
    .said = p->said,
    .n_said = (gint32) p->n_said,
  };

  if (!check_sample (p, error) ||
      !pt_kernel_check_aligned ("Sampling on the GPU", &scratch, 1, 16, error))
    return FALSE;
  arguments.n = (gint32) p->n;
  if (p->n_said > 0) {
    if (!pt_kernel_launch (context, PT_KERNEL_sample_said, &shape, &arguments, error))
      return FALSE;
    arguments.logits = arguments.weights;
    arguments.dtype = PT_DTYPE_F32;
  }
  if (!pt_kernel_launch (context, PT_KERNEL_sample_max, &shape, &arguments, error))
    return FALSE;
  if (!(arguments.temperature > 0))
    return TRUE;
  if (arguments.top_k == 0 && p->min_p <= 0 && (p->top_p <= 0 || p->top_p >= 1))
    return pt_kernel_launch (context, PT_KERNEL_sample_all, &shape, &arguments, error);
  for (guint i = arguments.top_k == 0 ? 3 : 0; i < G_N_ELEMENTS (passes); i++) {
    arguments.pass = passes[i];
    if (!pt_kernel_launch (context, PT_KERNEL_sample_pass, &shape, &arguments, error))
      return FALSE;
  }
  return pt_kernel_launch (context, PT_KERNEL_sample_find, &shape, &arguments, error);
}
