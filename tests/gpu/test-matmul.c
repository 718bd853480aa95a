/* SPDX-License-Identifier: BSD-3-Clause */

/* Matrix products with quantised weights. */

#include <math.h>
#include <string.h>

#include "engine/cuda/cuda-kernels-private.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/reference.h"

#define JUNK_BF16 0xffff

static guint8 *
random_bytes (gsize n, guint limit, guint64 *state)
{
  guint8 *x = g_new (guint8, n);

  for (gsize i = 0; i < n; i++)
    x[i] = (guint8) (reference_random (state) % limit);
  return x;
}

/* Steps between 1/1024 and 1/512 or so. */
static guint16 *
random_f16_steps (gsize n, guint64 *state)
{
  guint16 *x = g_new (guint16, n);

  for (gsize i = 0; i < n; i++)
    x[i] = (guint16) (0x1400 + reference_random (state) % 0x0400);
  return x;
}

/* ---- int4, tile packed ---- */

typedef struct {
  gint64 m, n, k, inner, group;
} Int4Case;

typedef struct {
  guint16 *input, *scales;
  float *weights;
  guint32 *packed;
} Int4Data;

static void
int4_data_clear (Int4Data *data)
{
  g_free (data->input);
  g_free (data->weights);
  g_free (data->scales);
  g_free (data->packed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Int4Data, int4_data_clear)

static void
int4_data_make (Int4Data *data, const Int4Case *c)
{
  guint64 state = (guint64) (c->m * 1000003 + c->n * 10007 + c->k * 101 + c->inner + c->group);
  gsize n = (gsize) (c->n * c->k);
  g_autofree guint8 *plain = random_bytes (n, 16, &state);

  data->input = reference_random_bf16 ((gsize) (c->m * c->k), 1, &state);
  data->scales = reference_random_bf16 ((gsize) (c->k / c->group * c->n * 2), 0.1f, &state);
  data->packed = g_new (guint32, n / 8);
  data->weights = g_new (float, n);
  reference_int4_pack (data->packed, plain, c->n, c->k, (gint) c->inner);
  /* Few rows are multiplied by weights as they are, which is nearer to the truth than upstream's
   * rounded ones. */
  reference_int4_dequantise (data->weights, data->packed, data->scales, c->n, c->k, (gint) c->inner,
                             c->group, c->m > 16);
}

/* All elements when there are few, else some; no element may be left out. */
static void
check_int4 (const Int4Case *c, const Int4Data *data, const guint16 *got)
{
  guint64 state = 7;
  gsize n = (gsize) (c->m * c->n);
  gsize n_checked = MIN (n, (gsize) ((gint64) 200000000 / c->k));
  guint n_wrong = 0;

  for (gsize i = 0; i < n; i++)
    if (got[i] == JUNK_BF16) {
      gpu_fail ("m %d n %d k %d inner %d group %d: element %d, %d was not written", (int) c->m,
                (int) c->n, (int) c->k, (int) c->inner, (int) c->group, (int) (i / (gsize) c->n),
                (int) (i % (gsize) c->n));
      return;
    }
  for (gsize j = 0; j < n_checked; j++) {
    gsize i = n_checked == n ? j : reference_random (&state) % n;
    gint64 row = (gint64) i / c->n, column = (gint64) i % c->n;
    ReferenceSum sum = reference_product (data->input, data->weights, c->k, row, column);

    if (reference_accepts (sum, got[i]))
      continue;
    if (n_wrong++ < 3)
      gpu_fail ("m %d n %d k %d inner %d group %d: element %d, %d is %g, should be %g (+- %g)",
                (int) c->m, (int) c->n, (int) c->k, (int) c->inner, (int) c->group, (int) row,
                (int) column, (double) reference_from_bf16 (got[i]), sum.value,
                fabs (sum.value) / 256 + sum.magnitude * 1e-5);
  }
  if (n_wrong > 0)
    gpu_fail ("m %d n %d k %d inner %d group %d: %u of %u elements are wrong", (int) c->m,
              (int) c->n, (int) c->k, (int) c->inner, (int) c->group, n_wrong, (guint) n_checked);
}

static void
run_int4 (const Int4Case *c)
{
  g_auto (Int4Data) data = { NULL };
  gsize n = (gsize) (c->n * c->k), n_scales = (gsize) (c->k / c->group * c->n * 2);
  g_autofree guint16 *got = NULL, *again = NULL;
  GError *error = NULL;
  PtCudaInt4 product = { .m = c->m, .n = c->n, .k = c->k, .inner = c->inner, .group = c->group };
  PtCuPointer scratch;

  int4_data_make (&data, c);
  product.input = gpu_new (data.input, (gsize) (c->m * c->k) * 2);
  product.weights = gpu_new (data.packed, n / 2);
  product.scales = gpu_new (data.scales, n_scales * 2);
  product.output = gpu_new (NULL, (gsize) (c->m * c->n) * 2);
  scratch = gpu_new (NULL, pt_cuda_int4_scratch (gpu, c->m, c->n, c->k));
  gpu_check (pt_cuda_kernel_int4 (gpu, &product, scratch, &error), error);
  got = gpu_read (product.output);
  check_int4 (c, &data, got);
  gpu_check (pt_cuda_kernel_int4 (gpu, &product, scratch, &error), error);
  again = gpu_read (product.output);
  if (memcmp (got, again, (gsize) (c->m * c->n) * 2) != 0)
    gpu_fail ("m %d n %d k %d inner %d group %d: twice the same gives different bits", (int) c->m,
              (int) c->n, (int) c->k, (int) c->inner, (int) c->group);
  g_free (gpu_read (scratch));
  gpu_free_all ();
}

/* @rows of the result, all packings and groups; k is not a multiple of a chunk where it can be. */
static void
test_int4 (gconstpointer user_data)
{
  gint64 m = GPOINTER_TO_INT (user_data);
  gboolean is_long = m > 64 && gpu_is_quick;

  for (gint64 inner = 2; inner <= 8; inner *= 2)
    for (gint64 group = 32; group <= 256; group *= 2) {
      gint64 unit = MAX (16 * inner, group);
      gint64 k = unit * (((gpu_is_quick ? 340 : 1400) / unit) | 1);
      const Int4Case odd = { m, gpu_is_quick ? 40 : 1048, k, inner, group };
      const Int4Case least = { m, 8, unit, inner, group };

      if (is_long && (inner == 4 || group == 64))
        continue;
      run_int4 (&odd);
      run_int4 (&least);
    }
}

/* Shapes of real models, where blocks have several pieces of work and k is cut. */
static void
test_int4_large (void)
{
  static const Int4Case cases[] = {
    { 1, 2048, 2048, 8, 128 },  { 1, 64008, 2048, 8, 32 },  { 1, 8192, 28672, 8, 128 },
    { 4, 8192, 8192, 8, 64 },   { 8, 4096, 28672, 8, 128 }, { 16, 8192, 8192, 8, 32 },
    { 13, 1024, 28672, 4, 64 }, { 64, 512, 8192, 8, 128 },  { 512, 2048, 2048, 8, 128 },
    { 512, 8192, 2048, 8, 32 }, { 513, 512, 8192, 2, 256 }, { 1000, 3072, 8192, 8, 128 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    run_int4 (&cases[i]);
}

/* The same on little memory and few processors. */
static void
test_int4_cut (void)
{
  static const Int4Case cases[] = {
    { 5, 72, 2048, 8, 128 },  { 16, 24, 1536, 2, 32 },  { 33, 72, 2048, 8, 64 },
    { 200, 248, 384, 8, 64 }, { 128, 128, 352, 2, 32 }, { 256, 248, 256, 8, 256 },
    { 1, 264, 640, 8, 128 },  { 1, 264, 352, 2, 32 },
  };
  gsize shared = gpu->shared_per_block;
  guint n_multiprocessors = gpu->n_multiprocessors;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gpu->shared_per_block = MIN (shared, 99 << 10);
    gpu->n_multiprocessors = i == 2 ? 16 : 1;
    run_int4 (&cases[i]);
    /* With so little shared memory, k must be cut. */
    gpu->shared_per_block = cases[i].m <= 16 ? 60 << 10 : gpu->shared_per_block;
    run_int4 (&cases[i]);
  }
  gpu->shared_per_block = shared;
  gpu->n_multiprocessors = n_multiprocessors;
}

/* Weights that are read before the kernel waits give the same. */
static void
run_int4_early (const Int4Case *c)
{
  g_auto (Int4Data) data = { NULL };
  gsize n = (gsize) (c->n * c->k), n_scales = (gsize) (c->k / c->group * c->n * 2);
  gsize size = (gsize) (c->m * c->n) * 2;
  PtCudaInt4 product = { .m = c->m, .n = c->n, .k = c->k, .inner = c->inner, .group = c->group };
  g_autofree guint16 *late = NULL, *early = NULL;
  GError *error = NULL;
  PtKernelLaunch launch;

  int4_data_make (&data, c);
  product.input = gpu_new (data.input, (gsize) (c->m * c->k) * 2);
  product.weights = gpu_new (data.packed, n / 2);
  product.scales = gpu_new (data.scales, n_scales * 2);
  product.output = gpu_new (NULL, size);
  gpu_check (pt_kernel_prepare_int4 (gpu, &product, 0, &launch, &error), error);
  g_assert_cmpuint (launch.shape.grid[1], ==, 1);
  gpu_check (pt_kernel_launch (gpu, launch.kernel, &launch.shape, &launch.int4, &error), error);
  late = gpu_read (product.output);
  check_int4 (c, &data, late);
  gpu->cu->cuMemsetD8Async (product.output, GPU_JUNK, size, gpu->stream);
  launch.int4.is_constant = 1;
  gpu_check (pt_kernel_launch (gpu, launch.kernel, &launch.shape, &launch.int4, &error), error);
  early = gpu_read (product.output);
  if (memcmp (late, early, size) != 0)
    gpu_fail ("m %d n %d k %d inner %d group %d: weights that are read early give other bits",
              (int) c->m, (int) c->n, (int) c->k, (int) c->inner, (int) c->group);
  gpu_free_all ();
}

static void
test_int4_early (void)
{
  static const Int4Case cases[] = {
    { 1, 8, 32, 2, 32 },      { 1, 40, 384, 8, 128 },    { 1, 64, 640, 8, 32 },
    { 3, 72, 352, 2, 32 },    { 13, 48, 256, 4, 256 },   { 1, 4096, 4096, 8, 128 },
    { 1, 1024, 4096, 8, 32 }, { 1, 4096, 14336, 8, 32 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (!gpu_is_quick || cases[i].n < 1024)
      run_int4_early (&cases[i]);
}

static void
test_int4_refuses (void)
{
  static const Int4Case cases[] = {
    { 1, 8, 128, 3, 32 }, { 1, 8, 128, 8, 16 },  { 1, 12, 128, 8, 32 },
    { 1, 8, 96, 8, 32 },  { 1, 8, 128, 8, 256 }, { -1, 8, 128, 8, 32 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Int4Case *c = &cases[i];
    const PtCudaInt4 product = {
      .m = c->m, .n = c->n, .k = c->k, .inner = c->inner, .group = c->group
    };
    g_autoptr (GError) error = NULL;

    g_assert_false (pt_cuda_kernel_int4 (gpu, &product, 0, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  }
}

/* ---- Plain quantised weights ---- */

typedef struct {
  PtCudaPlainKind kind;
  gint64 m, n, k, group;
} PlainCase;

typedef struct {
  guint16 *input;
  guint8 *weights; /* one byte each */
  guint8 *low, *high;
  gpointer scale, zero;
  guint16 *scale_step, *zero_step;
} PlainData;

static void
plain_data_clear (PlainData *data)
{
  g_free (data->input);
  g_free (data->weights);
  g_free (data->low);
  g_free (data->high);
  g_free (data->scale);
  g_free (data->zero);
  g_free (data->scale_step);
  g_free (data->zero_step);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PlainData, plain_data_clear)

static gint
plain_bits (PtCudaPlainKind kind)
{
  return kind == PT_CUDA_PLAIN_INT8   ? 8
         : kind == PT_CUDA_PLAIN_INT6 ? 6
         : kind == PT_CUDA_PLAIN_INT5 ? 5
                                      : 4;
}

static gsize
high_row (const PlainCase *c)
{
  return (gsize) c->k / (c->kind == PT_CUDA_PLAIN_INT5   ? 8
                         : c->kind == PT_CUDA_PLAIN_INT6 ? 4
                                                         : (gsize) c->k);
}

static void
plain_data_make (PlainData *data, const PlainCase *c)
{
  guint64 state = (guint64) (c->m * 1000003 + c->n * 10007 + c->k * 101 + c->group) + c->kind;
  gint bits = plain_bits (c->kind);
  gsize n_groups = (gsize) (c->n * (c->k / c->group)), n = (gsize) c->n, k = (gsize) c->k;
  gsize n_steps = n * MAX (k / 256, 1);

  data->input = reference_random_bf16 ((gsize) c->m * k, 3, &state);
  if (c->m > 0)
    memset (data->input, 0, MIN (k, 32) * 2); /* a block of zeros */
  data->weights = random_bytes (n * k, 1u << bits, &state);
  data->low = g_new (guint8, n * k);
  data->high = g_new (guint8, n * high_row (c));
  for (gsize i = 0; bits < 8 && i < n; i++)
    reference_plain_pack (data->low + i * k / 2, data->high + i * high_row (c),
                          data->weights + i * k, c->k, bits);
  if (bits == 8)
    memcpy (data->low, data->weights, n * k);
  data->scale_step = random_f16_steps (n_steps, &state);
  data->zero_step = random_f16_steps (n_steps, &state);
  data->zero = random_bytes (n_groups * 2, 256, &state);
  if (c->kind == PT_CUDA_PLAIN_INT4_FLOAT) {
    g_free (data->zero);
    data->zero = reference_random_bf16 (n_groups, 16, &state);
  }
  data->scale = c->kind == PT_CUDA_PLAIN_INT4_FLOAT || c->kind == PT_CUDA_PLAIN_INT8
                    ? (gpointer) reference_random_bf16 (n_groups, 0.1f, &state)
                    : (gpointer) random_bytes (n_groups, 256, &state);
}

static void
plain_scale (const PlainCase *c, const PlainData *data, gint64 column, gint64 k, double *scale,
             double *zero)
{
  gint64 at = column * (c->k / c->group) + k / c->group;
  gint64 step = column * (c->k / 256) + k / 256;

  switch (c->kind) {
  case PT_CUDA_PLAIN_INT4_FLOAT:
    at = k / c->group * c->n + column;
    *scale = (double) reference_from_bf16 (((const guint16 *) data->scale)[at]);
    *zero = (double) reference_from_bf16 (((const guint16 *) data->zero)[at]);
    break;
  case PT_CUDA_PLAIN_INT6:
    *scale =
        ((const gint8 *) data->scale)[at] * (double) reference_from_f16 (data->scale_step[step]);
    *zero = 32;
    break;
  case PT_CUDA_PLAIN_INT8:
    *scale = (double) reference_from_bf16 (((const guint16 *) data->scale)[at]);
    *zero = ((const gint8 *) data->zero)[at];
    break;
  default:
    *scale =
        ((const guint8 *) data->scale)[at] * (double) reference_from_f16 (data->scale_step[step]);
    *zero = ((const guint8 *) data->zero)[at] * (double) reference_from_f16 (data->zero_step[step]);
    break;
  }
}

/* Word by word of 8 weights (docs/formats/cuda.md, section 9.4). */
static ReferenceSum
plain_product (const PlainCase *c, const PlainData *data, const gint8 *rounded, const float *scales,
               gint64 column)
{
  ReferenceSum sum = { 0, 0 };

  for (gint64 word = 0; word < c->k / 8; word++) {
    gint dot = 0, total = 0;
    double scale, zero, factor;

    for (gint64 i = word * 8; i < word * 8 + 8; i++) {
      gint weight = data->weights[column * c->k + i];

      if (c->kind == PT_CUDA_PLAIN_INT8)
        weight = (gint8) weight;
      dot += weight * rounded[i];
      total += rounded[i];
    }
    plain_scale (c, data, column, word * 8, &scale, &zero);
    factor = scale * (double) scales[word / 4];
    sum.value += factor * (dot - zero * total);
    sum.magnitude += fabs (factor) * (abs (dot) + fabs (zero * total));
  }
  return sum;
}

static void
check_plain (const PlainCase *c, const PlainData *data, const guint16 *got)
{
  g_autofree gint8 *rounded = g_new (gint8, (gsize) c->k);
  g_autofree float *scales = g_new (float, (gsize) c->k / 32);
  guint n_wrong = 0;

  for (gint64 row = 0; row < c->m; row++) {
    reference_round_row (rounded, scales, data->input + row * c->k, c->k);
    for (gint64 column = 0; column < c->n; column++) {
      ReferenceSum sum = plain_product (c, data, rounded, scales, column);
      guint16 x = got[row * c->n + column];

      if ((x == JUNK_BF16 || !reference_accepts (sum, x)) && n_wrong++ < 3)
        gpu_fail ("kind %d m %d n %d k %d group %d: element %d, %d is %g, should be %g (+- %g)",
                  (int) c->kind, (int) c->m, (int) c->n, (int) c->k, (int) c->group, (int) row,
                  (int) column, (double) reference_from_bf16 (x), sum.value,
                  fabs (sum.value) / 256 + sum.magnitude * 1e-5);
    }
  }
  if (n_wrong > 0)
    gpu_fail ("kind %d m %d n %d k %d group %d: %u of %u elements are wrong", (int) c->kind,
              (int) c->m, (int) c->n, (int) c->k, (int) c->group, n_wrong, (guint) (c->m * c->n));
}

static void
run_plain (const PlainCase *c)
{
  g_auto (PlainData) data = { NULL };
  gsize n = (gsize) c->n, k = (gsize) c->k, n_groups = n * (k / (gsize) c->group);
  gsize scale_size = c->kind == PT_CUDA_PLAIN_INT4_FLOAT || c->kind == PT_CUDA_PLAIN_INT8 ? 2 : 1;
  gsize zero_size = c->kind == PT_CUDA_PLAIN_INT4_FLOAT ? 2 : 1;
  g_autofree guint16 *got = NULL;
  GError *error = NULL;
  PtCudaPlain product = { .kind = c->kind, .m = c->m, .n = c->n, .k = c->k, .group = c->group };

  plain_data_make (&data, c);
  product.input = gpu_new (data.input, (gsize) c->m * k * 2);
  product.low = gpu_new (data.low, c->kind == PT_CUDA_PLAIN_INT8 ? n * k : n * k / 2);
  product.high = gpu_new (data.high, n * high_row (c));
  product.scale = gpu_new (data.scale, n_groups * scale_size);
  product.scale_step = gpu_new (data.scale_step, n * (k / 256) * 2);
  product.zero = gpu_new (data.zero, n_groups * zero_size);
  product.zero_step = gpu_new (data.zero_step, n * (k / 256) * 2);
  product.output = gpu_new (NULL, (gsize) c->m * n * 2);
  gpu_check (pt_cuda_kernel_plain (gpu, &product, &error), error);
  got = gpu_read (product.output);
  check_plain (c, &data, got);
  gpu_free_all ();
}

static void
test_plain (gconstpointer user_data)
{
  static const gint64 sizes[] = { 256, 2816, 4096 };
  PtCudaPlainKind kind = (PtCudaPlainKind) GPOINTER_TO_INT (user_data);
  gboolean is_fine = kind != PT_CUDA_PLAIN_INT5 && kind != PT_CUDA_PLAIN_INT8;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (gint64 m = 1; m <= 8; m++)
      for (gint64 group = is_fine ? 8 : 32; group <= 256; group *= group < 32 ? 2 : 8) {
        gint64 n = gpu_is_quick ? 5 + 8 * (gint64) i : 333;
        const PlainCase c = { kind, m, n, sizes[i], group };

        if (gpu_is_quick && i > 0 && (m > 1 && m < 7))
          continue;
        run_plain (&c);
      }
}

/* More rows than one kernel takes, few columns, and k that is no multiple of 256. */
static void
test_plain_shapes (void)
{
  static const PlainCase cases[] = {
    { PT_CUDA_PLAIN_INT4, 19, 40, 512, 32 },      { PT_CUDA_PLAIN_INT8, 9, 3, 96, 32 },
    { PT_CUDA_PLAIN_INT8, 2, 17, 32, 32 },        { PT_CUDA_PLAIN_INT4_FLOAT, 3, 24, 352, 32 },
    { PT_CUDA_PLAIN_INT4_FLOAT, 1, 1, 32, 32 },   { PT_CUDA_PLAIN_INT6, 4, 1, 256, 16 },
    { PT_CUDA_PLAIN_INT5, 2, 2050, 256, 32 },     { PT_CUDA_PLAIN_INT4, 0, 8, 256, 32 },
    { PT_CUDA_PLAIN_INT4_FLOAT, 3, 40, 288, 16 },
  };
  gsize shared = gpu->shared_per_block;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    run_plain (&cases[i]);
  gpu->shared_per_block = 2048; /* three rows at a time */
  run_plain (&cases[0]);
  gpu->shared_per_block = shared;
}

/* The formulas one way and the other. */
static void
test_packing (void)
{
  const gint64 n = 24, k = 512;
  guint64 state = 3;
  g_autofree guint8 *weights = random_bytes ((gsize) (n * k), 64, &state);
  g_autofree guint8 *nibbles = random_bytes ((gsize) (n * k), 16, &state);
  g_autofree guint8 *low = g_new (guint8, (gsize) k / 2), *high = g_new (guint8, (gsize) k / 4);
  g_autofree guint32 *packed = g_new (guint32, (gsize) (n * k / 8));

  for (gint inner = 2; inner <= 8; inner *= 2) {
    reference_int4_pack (packed, nibbles, n, k, inner);
    for (gint64 i = 0; i < n * k; i++)
      g_assert_cmpuint (reference_int4_unpack (packed, k, inner, i / k, i % k), ==, nibbles[i]);
  }
  for (gint bits = 4; bits <= 6; bits++) {
    g_autofree guint8 *row = g_new (guint8, (gsize) k);

    for (gint64 i = 0; i < k; i++)
      row[i] = weights[i] & (guint8) ((1 << bits) - 1);
    reference_plain_pack (low, high, row, k, bits);
    for (gint64 i = 0; i < k; i++)
      g_assert_cmpuint (reference_plain_unpack (low, high, i, bits), ==, row[i]);
  }
}

void
add_matmul_tests (void)
{
  static const gint rows[] = { 1, 2, 7, 8, 9, 16, 17, 64, 65, 513 };

  g_test_add_func ("/kernels/packing", test_packing);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *path = g_strdup_printf ("/kernels/int4/%d-rows", rows[i]);

    g_test_add_data_func (path, GINT_TO_POINTER (rows[i]), test_int4);
  }
  g_test_add_func ("/kernels/int4/cut", test_int4_cut);
  g_test_add_func ("/kernels/int4/early", test_int4_early);
  g_test_add_func ("/kernels/int4/refuses", test_int4_refuses);
  if (!gpu_is_quick)
    g_test_add_func ("/kernels/int4/large", test_int4_large);
  for (gint kind = PT_CUDA_PLAIN_INT4_FLOAT; kind <= PT_CUDA_PLAIN_INT8; kind++) {
    g_autofree char *path = g_strdup_printf ("/kernels/plain/kind-%d", kind);

    g_test_add_data_func (path, GINT_TO_POINTER (kind), test_plain);
  }
  g_test_add_func ("/kernels/plain/shapes", test_plain_shapes);
}
