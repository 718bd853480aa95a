/* SPDX-License-Identifier: BSD-3-Clause */

/* Sorting, random numbers, copies. */

#include <math.h>
#include <string.h>

#include "tests/gpu/gpu.h"
#include "tests/gpu/reference.h"

/* ---- Sorting ---- */

/* Few different values, so that there are many ties; some not-a-number, infinities, both zeros. */
static gpointer
sort_values (PtDType dtype, gsize n, gboolean is_coarse, guint64 *state)
{
  gsize size = pt_dtype_size (dtype);
  guint8 *values = g_malloc (n * size);

  for (gsize i = 0; i < n; i++) {
    guint64 bits = (guint64) reference_random (state) << 32 | reference_random (state);

    if (is_coarse)
      bits = dtype == PT_DTYPE_I64 || dtype == PT_DTYPE_I32
                 ? (guint64) ((gint64) (bits >> 60) - 8)
                 : bits & (dtype == PT_DTYPE_F32 ? 0xe2c00000 : 0xe2c0);
    memcpy (values + i * size, &bits, size);
  }
  return values;
}

static void
run_sort (PtDType dtype, gint64 outer, gint64 length, gint64 inner, gboolean descending,
          gboolean is_coarse)
{
  guint64 state = (guint64) (outer * 31 + length * 7 + inner) + dtype;
  gsize n = (gsize) (outer * length * inner), size = pt_dtype_size (dtype);
  g_autofree guint8 *input = sort_values (dtype, n, is_coarse, &state);
  g_autofree gint64 *order = g_new (gint64, (gsize) MAX (length, 1));
  g_autofree guint8 *values = NULL;
  g_autofree gint64 *indices = NULL;
  GError *error = NULL;
  PtCudaSort sort = {
    .outer = outer, .length = length, .inner = inner, .dtype = dtype, .descending = descending
  };
  PtCuPointer scratch;

  sort.input = gpu_new (input, n * size);
  sort.values = gpu_new (NULL, n * size);
  sort.indices = gpu_new (NULL, n * 8);
  scratch = gpu_new (NULL, pt_cuda_sort_scratch (&sort));
  gpu_check (pt_cuda_kernel_sort (gpu, &sort, scratch, &error), error);
  values = gpu_read (sort.values);
  indices = gpu_read (sort.indices);
  for (gint64 slice = 0; slice < outer * inner && !g_test_failed (); slice++) {
    gint64 first = slice / inner * length * inner + slice % inner;

    reference_sort (order, input, dtype, first, inner, length, descending);
    for (gint64 i = 0; i < length; i++) {
      gint64 at = first + i * inner, from = first + order[i] * inner;

      if (indices[at] == order[i] &&
          memcmp (values + at * (gint64) size, input + from * (gint64) size, size) == 0)
        continue;
      gpu_fail ("%s [%d][%d][%d] %s: slice %d place %d has index %" G_GINT64_FORMAT
                ", should have %" G_GINT64_FORMAT,
                pt_dtype_name (dtype), (int) outer, (int) length, (int) inner,
                descending ? "descending" : "ascending", (int) slice, (int) i, indices[at],
                order[i]);
      break;
    }
  }
  g_free (gpu_read (scratch));
  gpu_free_all ();
}

static const PtDType sort_dtypes[] = { PT_DTYPE_I64, PT_DTYPE_I32, PT_DTYPE_F32, PT_DTYPE_F16,
                                       PT_DTYPE_BF16 };

static void
test_sort (gconstpointer user_data)
{
  static const struct {
    gint64 outer, length, inner;
  } shapes[] = {
    { 1, 1, 1 },    { 3, 2, 1 },    { 5, 7, 3 },    { 33, 64, 1 },  { 2, 100, 5 }, { 1, 513, 1 },
    { 3, 2048, 1 }, { 1, 4096, 1 }, { 2, 4097, 1 }, { 1, 9000, 2 }, { 0, 5, 1 },   { 4, 0, 1 },
  };
  gboolean descending = GPOINTER_TO_INT (user_data);

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint j = 0; j < G_N_ELEMENTS (sort_dtypes); j++) {
      run_sort (sort_dtypes[j], shapes[i].outer, shapes[i].length, shapes[i].inner, descending,
                FALSE);
      run_sort (sort_dtypes[j], shapes[i].outer, shapes[i].length, shapes[i].inner, descending,
                TRUE);
    }
}

static void
test_sort_large (void)
{
  run_sort (PT_DTYPE_F32, 1, 1000000, 1, FALSE, FALSE);
  run_sort (PT_DTYPE_I64, 1, 1000000, 1, TRUE, TRUE);
  run_sort (PT_DTYPE_BF16, 1, 1000000, 1, TRUE, FALSE);
  run_sort (PT_DTYPE_F32, 100000, 64, 1, TRUE, TRUE);
  run_sort (PT_DTYPE_F32, 5000, 4100, 1, FALSE, TRUE); /* more than a kernel has at once */
}

static void
test_sort_refuses (void)
{
  const PtCudaSort sort = { .outer = 1, .length = 8, .inner = 1, .dtype = PT_DTYPE_U8 };
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (pt_cuda_sort_scratch (&sort), ==, 0);
  g_assert_false (pt_cuda_kernel_sort (gpu, &sort, 0, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

/* ---- Random numbers ---- */

static void
test_philox (void)
{
  /* Known answers of the generator's authors. */
  static const struct {
    guint32 counter[4];
    guint64 key;
    guint32 result[4];
  } known[] = {
    { { 0, 0, 0, 0 }, 0, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      G_MAXUINT64,
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      G_GUINT64_CONSTANT (0x299f31d0a4093822),
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    guint32 result[4];

    reference_philox (result, known[i].counter, known[i].key);
    g_assert_cmpmem (result, sizeof result, known[i].result, sizeof result);
  }
}

static void
test_rand (void)
{
  const guint64 seed = G_GUINT64_CONSTANT (0x123456789abcdef0);
  const gsize n = gpu_is_quick ? 1000 : 100001;
  PtCuPointer state = gpu_new (NULL, PT_CUDA_RANDOM_STATE_SIZE);
  guint64 counter = 0;
  GError *error = NULL;

  gpu_check (pt_cuda_kernel_random_seed (gpu, state, seed, &error), error);
  for (guint round = 0; round < 3; round++) {
    PtCuPointer f32 = gpu_new (NULL, n * 4), bf16 = gpu_new (NULL, n * 2);
    g_autofree float *x = NULL;
    g_autofree guint16 *y = NULL;
    double sum = 0;

    gpu_check (pt_cuda_kernel_rand (gpu, state, f32, PT_DTYPE_F32, (gint64) n, &error), error);
    gpu_check (pt_cuda_kernel_rand (gpu, state, bf16, PT_DTYPE_BF16, (gint64) n, &error), error);
    x = gpu_read (f32);
    y = gpu_read (bf16);
    for (gsize i = 0; i < n; i++) {
      float expected =
          (float) (reference_random_number (seed, i, counter) & 0xffffff) / 16777216.0f;
      float other =
          (float) (reference_random_number (seed, i, counter + n) & 0xffffff) / 16777216.0f;

      sum += (double) x[i];
      if (x[i] != expected || y[i] != reference_to_bf16 ((double) other)) {
        gpu_fail ("round %u number %d is %g, %g, should be %g, %g", round, (int) i, (double) x[i],
                  (double) reference_from_bf16 (y[i]), (double) expected, (double) other);
        break;
      }
    }
    g_assert_cmpfloat_with_epsilon (sum / (double) n, 0.5, 4 * 0.29 / sqrt ((double) n));
    counter += 2 * n;
  }
  gpu_free_all ();
}

static void
test_randint (void)
{
  static const gint64 limits[][2] = {
    { 0, 10 }, { -5, -4 }, { G_MININT64, G_MAXINT64 }, { -1, G_MAXINT64 }, { 7, 1000000007 },
  };
  const gsize n = gpu_is_quick ? 70 : 5000;
  PtCuPointer state = gpu_new (NULL, PT_CUDA_RANDOM_STATE_SIZE);
  g_autoptr (GError) refused = NULL;
  GError *error = NULL;

  gpu_check (pt_cuda_kernel_random_seed (gpu, state, 99, &error), error);
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    PtCuPointer output = gpu_new (NULL, n * 8);
    guint64 low = (guint64) limits[i][0], range = (guint64) limits[i][1] - low;
    g_autofree guint64 *x = NULL;

    gpu_check (
        pt_cuda_kernel_randint (gpu, state, output, (gint64) n, limits[i][0], limits[i][1], &error),
        error);
    x = gpu_read (output);
    for (gsize j = 0; j < n; j++) {
      guint64 high = reference_random_number (99, j, i * n);
      guint64 draw = high << 32 | reference_random_number (99, j, i * n + 1);

      if (x[j] == low + draw % range)
        continue;
      gpu_fail ("range %u number %d is %" G_GUINT64_FORMAT ", should be %" G_GUINT64_FORMAT, i,
                (int) j, x[j], low + draw % range);
      break;
    }
  }
  g_assert_false (pt_cuda_kernel_randint (gpu, state, state, 1, 5, 5, &refused));
  g_assert_error (refused, PT_ERROR, PT_ERROR_ARGUMENT);
  gpu_free_all ();
}

/* ---- Copies ---- */

typedef struct {
  guint rank;
  gint64 sizes[9], from[9], to[9];
} CopyCase;

static gsize
extent (const CopyCase *c, const gint64 *strides)
{
  gint64 last = 0;

  for (guint i = 0; i < c->rank; i++) {
    if (c->sizes[i] == 0)
      return 0;
    last += (c->sizes[i] - 1) * strides[i];
  }
  return (gsize) last + 1;
}

static void
run_copy (const CopyCase *c, gsize element, guint number)
{
  gsize from_size = extent (c, c->from) * element, to_size = extent (c, c->to) * element;
  g_autofree guint8 *input = g_malloc (MAX (from_size, 1));
  g_autofree guint8 *expected = g_malloc (MAX (to_size, 1));
  g_autofree guint8 *got = NULL;
  PtCuPointer from, to;
  GError *error = NULL;
  gint64 n = 1;

  for (gsize i = 0; i < from_size; i++)
    input[i] = (guint8) (i * 7 + i / 251);
  memset (expected, GPU_JUNK, to_size);
  for (guint i = 0; i < c->rank; i++)
    n *= c->sizes[i];
  for (gint64 i = 0; i < n; i++) {
    gint64 rest = i, a = 0, b = 0;

    for (guint d = c->rank; d-- > 0; rest /= c->sizes[d]) {
      a += rest % c->sizes[d] * c->from[d];
      b += rest % c->sizes[d] * c->to[d];
    }
    memcpy (expected + b * (gint64) element, input + a * (gint64) element, element);
  }
  from = gpu_new (input, from_size);
  to = gpu_new (NULL, to_size);
  gpu_check (
      pt_cuda_kernel_copy (gpu, to, c->to, from, c->from, c->sizes, c->rank, element, &error),
      error);
  got = gpu_read (to);
  for (gsize i = 0; i < to_size; i++)
    if (got[i] != expected[i]) {
      gpu_fail ("case %u, elements of %d bytes: byte %d is %d, should be %d", number, (int) element,
                (int) i, got[i], expected[i]);
      break;
    }
  gpu_free_all ();
}

static void
test_copy (void)
{
  static const CopyCase cases[] = {
    { 0 },
    { 1, { 37 }, { 1 }, { 1 } },
    { 1, { 37 }, { 3 }, { 1 } },
    { 2, { 5, 0 }, { 3, 1 }, { 1, 5 } },
    { 2, { 33, 70 }, { 70, 1 }, { 1, 33 } },
    { 2, { 33, 64 }, { 128, 1 }, { 64, 1 } },
    { 2, { 33, 64 }, { 0, 1 }, { 64, 1 } },
    { 3, { 4, 6, 10 }, { 60, 10, 1 }, { 120, 20, 1 } },
    { 4, { 2, 3, 4, 5 }, { 1, 2, 6, 24 }, { 60, 20, 5, 1 } },
    { 9,
      { 2, 1, 2, 2, 2, 2, 2, 2, 3 },
      { 1, 5, 2, 4, 8, 16, 32, 64, 128 },
      { 192, 9, 96, 48, 24, 12, 6, 3, 1 } },
  };
  const CopyCase *last = &cases[G_N_ELEMENTS (cases) - 1];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize element = 1; element <= 8; element *= 2)
      run_copy (&cases[i], element, i);
  g_assert_false (
      pt_cuda_kernel_copy (gpu, 0, last->to, 0, last->from, last->sizes, 17, 4, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
}

static void
test_fill (void)
{
  const guint64 value = G_GUINT64_CONSTANT (0x1122334455667788);
  GError *error = NULL;

  for (gsize element = 1; element <= 8; element *= 2)
    for (gsize offset = 0; offset <= 8; offset += element)
      for (gsize n = 0; n < 600; n += 1 + n / 2) {
        PtCuPointer to = gpu_new (NULL, n * element + 8);
        g_autofree guint8 *got = NULL;

        gpu_check (pt_cuda_kernel_fill (gpu, to + offset, n, element, value, &error), error);
        got = gpu_read (to);
        for (gsize i = 0; i < n * element + 8; i++) {
          gboolean is_inside = i >= offset && i - offset < n * element;
          guint expected =
              is_inside ? (guint) (value >> ((i - offset) % element * 8) & 0xff) : GPU_JUNK;

          if (got[i] == expected)
            continue;
          gpu_fail ("%d elements of %d bytes at %d: byte %d is %u, should be %u", (int) n,
                    (int) element, (int) offset, (int) i, got[i], expected);
          break;
        }
        gpu_free_all ();
      }
}

void
add_misc_tests (void)
{
  g_test_add_data_func ("/kernels/sort/ascending", GINT_TO_POINTER (FALSE), test_sort);
  g_test_add_data_func ("/kernels/sort/descending", GINT_TO_POINTER (TRUE), test_sort);
  g_test_add_func ("/kernels/sort/refuses", test_sort_refuses);
  if (!gpu_is_quick)
    g_test_add_func ("/kernels/sort/large", test_sort_large);
  g_test_add_func ("/kernels/random/philox", test_philox);
  g_test_add_func ("/kernels/random/rand", test_rand);
  g_test_add_func ("/kernels/random/randint", test_randint);
  g_test_add_func ("/kernels/copy", test_copy);
  g_test_add_func ("/kernels/fill", test_fill);
}
