/* SPDX-License-Identifier: BSD-3-Clause */
/* Fourier transforms of any length along any dimensions (docs/formats/operators.md, section 18). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/kernels/real-fft.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"
#include "engine/operators/loop-nest.h"
#include "engine/program/checked.h"

/* Rows that are transformed together: one or a few vector registers of each number. */
#define LANES 16

/* A length has at most this many prime factors. */
#define MAX_STAGES 32

typedef enum {
  FFT_REAL_TO_COMPLEX, /* n real to n / 2 + 1 complex numbers */
  FFT_COMPLEX,
  FFT_COMPLEX_TO_REAL
} Kind;

/* A transform of many rows. Strides are in numbers of the element type, not in complex numbers. */
typedef struct {
  Kind kind;
  gboolean inverse;
  gsize n;      /* length of a row in the time domain */
  gsize length; /* length of the complex transform: n, or n / 2 for real rows of even length */
  guint n_stages;
  guint radices[MAX_STAGES];
  gpointer twiddles; /* e^(-2 pi i k / n): n cosines, then n sines */
  PtRealFft real;    /* replaces the stages for float and the lengths that it supports */
  double scale;
  PtView in, out;  /* sizes without the transformed dimension */
  PtLoopNest nest; /* loops over rows; operand 0: out, 1: in */
  gint64 in_stride, out_stride;
  guint8 *scratch; /* scratch_size bytes for each worker */
  gsize scratch_size;
} Transform;

/* clang-format off */
#define REAL float
#define NAME(name) name##_f32
#include "engine/operators/fft-stages.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(name) name##_f64
#include "engine/operators/fft-stages.h"
#undef REAL
#undef NAME
/* clang-format on */

/* The rows in one PtFour. */
#define FOUR 4

/* Transforms groups [@begin, @end) of four float rows, in upstream's order of operations. */
static void
real_rows (gpointer data, gsize begin, gsize end, guint worker)
{
  const Transform *t = data;
  PtFour *a = (PtFour *) (gpointer) (t->scratch + worker * t->scratch_size), *b = a + t->n;
  const float scale = (float) t->scale;
  PtCursor cursor, first;

  pt_loop_nest_seek (&t->nest, begin * FOUR, &cursor);
  for (gsize group = begin; group < end; group++) {
    guint lanes = (guint) MIN (FOUR, t->nest.numel - group * FOUR);
    const PtFour *spectrum;

    first = cursor;
    if (lanes < FOUR)
      memset (a, 0, t->n * sizeof *a);
    for (guint l = 0; l < lanes; l++) {
      const float *x = pt_view_at (&t->in, cursor.offsets[1]);

      for (gsize i = 0; i < t->n; i++)
        a[i][l] = x[(gint64) i * t->in_stride];
      pt_loop_nest_advance (&t->nest, 1, &cursor);
    }
    spectrum = pt_real_fft_run (&t->real, a, b);
    for (guint l = 0; l < lanes; l++) {
      float *y = pt_view_at (&t->out, first.offsets[0]);

      for (gsize k = 0; 2 * k <= t->n; k++) {
        float *z = y + 2 * (gint64) k * t->out_stride;

        z[0] = spectrum[k == 0 ? 0 : 2 * k - 1][l] * scale;
        z[1] = k == 0 || 2 * k == t->n ? 0 : spectrum[2 * k][l] * scale;
      }
      pt_loop_nest_advance (&t->nest, 1, &first);
    }
  }
}

/* Divides the length by 4, 2, 3 and 5 as often as possible, then by larger primes. */
static void
factor (Transform *t)
{
  static const guint preferred[] = { 4, 2, 3, 5 };
  gsize rest = t->length;

  t->n_stages = 0;
  for (guint i = 0; i < G_N_ELEMENTS (preferred); i++)
    for (; rest % preferred[i] == 0; rest /= preferred[i])
      t->radices[t->n_stages++] = preferred[i];
  for (gsize p = 7; p * p <= rest; p += 2)
    for (; rest % p == 0; rest /= p)
      t->radices[t->n_stages++] = (guint) p;
  if (rest > 1)
    t->radices[t->n_stages++] = (guint) rest;
}

/*
 * Transforms the rows of @in along @dim to those of @out. @n: length of a row in the time domain.
 */
static gboolean
transform (PtExecution *execution, Kind kind, gboolean inverse, gsize n, double scale,
           const PtView *in, const PtView *out, guint dim, GError **error)
{
  Transform t = {
    .kind = kind, .inverse = inverse, .n = n, .scale = scale, .in = *in, .out = *out
  };
  const PtView *operands[2] = { &t.out, &t.in };
  PtPool *pool = pt_execution_pool (execution);
  gboolean is_float = out->dtype == PT_DTYPE_C64 || out->dtype == PT_DTYPE_F32;
  gsize real = is_float ? sizeof (float) : sizeof (double), bytes, groups;

  if (out->numel == 0)
    return TRUE;
  t.length = kind == FFT_REAL_TO_COMPLEX && n % 2 == 0 ? n / 2 : n;
  factor (&t);
  t.in_stride = in->strides[dim];
  t.out_stride = out->strides[dim];
  pt_view_select (&t.in, dim, 0);
  pt_view_select (&t.out, dim, 0);
  pt_loop_nest_init (&t.nest, 2, operands);
  /*
   * For each worker: two arrays of complex numbers, each LANES wide, and one more row for a stage.
   */
  t.scratch_size = (4 * t.length + 4) * LANES * real;
  if (!pt_mul_size (t.scratch_size, pt_pool_n_workers (pool), &bytes))
    return pt_fail (error, PT_ERROR_MEMORY, "A row does not fit in memory.");
  t.scratch = pt_execution_scratch (execution, bytes, error);
  t.twiddles = pt_execution_scratch (execution, 2 * n * real, error);
  if (t.scratch == NULL || t.twiddles == NULL)
    return FALSE;
  if (kind == FFT_REAL_TO_COMPLEX && is_float && pt_real_fft_init (&t.real, n, t.twiddles)) {
    pt_pool_run (pool, (t.nest.numel + FOUR - 1) / FOUR, MAX (1, 8192 / n), real_rows, &t);
    return TRUE;
  }
  if (is_float)
    fill_twiddles_f32 (&t);
  else
    fill_twiddles_f64 (&t);
  groups = (t.nest.numel + LANES - 1) / LANES;
  pt_pool_run (pool, groups, MAX (1, 2048 / n), is_float ? rows_f32 : rows_f64, &t);
  return TRUE;
}

static double
scale_of (gint64 normalization, double n)
{
  return normalization == 0 ? 1 : normalization == 1 ? 1 / sqrt (n) : 1 / n;
}

/* Reads the dimensions of a transform, in order, and its normalization. */
static gboolean
arg_transform (PtValue *const *args, const PtView *in, guint *dims, guint *n_dims,
               gint64 *normalization, GError **error)
{
  gint64 numbers[PT_MAX_RANK];
  guint mask = 0;

  if (!pt_arg_ints (args[1], "dim", numbers, PT_MAX_RANK, n_dims, error) ||
      !pt_value_int (args[2], "normalization", normalization, error))
    return FALSE;
  PT_CHECK (*n_dims > 0 && in->rank > 0, "A Fourier transform needs a dimension.");
  PT_CHECK (*normalization >= 0 && *normalization <= 2, "There is no such normalization.");
  for (guint i = 0; i < *n_dims; i++) {
    if (!pt_wrap_dim (numbers[i], in->rank, &dims[i], error))
      return FALSE;
    PT_CHECK ((mask & 1u << dims[i]) == 0, "Dimension %u is named twice.", dims[i]);
    mask |= 1u << dims[i];
  }
  return TRUE;
}

PT_KERNEL (fft_r2c_out)
{
  PtView in, out;
  guint dims[PT_MAX_RANK], n_dims, last;
  gint64 normalization, sizes[PT_MAX_RANK];
  gboolean onesided;
  double count = 1;

  if (!pt_arg_view (args[0], "self", PT_BIT (F32) | PT_BIT (F64), &in, error) ||
      !arg_transform (args, &in, dims, &n_dims, &normalization, error) ||
      !pt_value_bool (args[3], "onesided", &onesided, error))
    return FALSE;
  PT_CHECK (onesided, "Only one-sided Fourier transforms are supported.");
  memcpy (sizes, in.sizes, sizeof sizes);
  for (guint i = 0; i < n_dims; i++) {
    PT_CHECK (in.sizes[dims[i]] > 0, "Nothing cannot be transformed.");
    count *= (double) in.sizes[dims[i]];
  }
  last = dims[n_dims - 1];
  sizes[last] = in.sizes[last] / 2 + 1;
  if (!pt_arg_out (args[4], in.dtype == PT_DTYPE_F32 ? PT_BIT (C64) : PT_BIT (C128), in.rank, sizes,
                   &out, error) ||
      !transform (execution, FFT_REAL_TO_COMPLEX, FALSE, (gsize) in.sizes[last],
                  scale_of (normalization, count), &in, &out, last, error))
    return FALSE;
  for (guint i = 0; i + 1 < n_dims; i++)
    if (!transform (execution, FFT_COMPLEX, FALSE, (gsize) in.sizes[dims[i]], 1, &out, &out,
                    dims[i], error))
      return FALSE;
  return TRUE;
}

PT_KERNEL (fft_c2r_out)
{
  PtView in, out, copy;
  guint dims[PT_MAX_RANK], n_dims, last;
  gint64 normalization, n, sizes[PT_MAX_RANK];
  double count;

  if (!pt_arg_view (args[0], "self", PT_BIT (C64) | PT_BIT (C128), &in, error) ||
      !arg_transform (args, &in, dims, &n_dims, &normalization, error) ||
      !pt_value_int (args[3], "last_dim_size", &n, error))
    return FALSE;
  last = dims[n_dims - 1];
  PT_CHECK (n > 0 && n <= G_MAXINT32 && in.sizes[last] == n / 2 + 1,
            "'last_dim_size' does not fit the input.");
  count = (double) n;
  memcpy (sizes, in.sizes, sizeof sizes);
  sizes[last] = n;
  for (guint i = 0; i + 1 < n_dims; i++)
    count *= (double) in.sizes[dims[i]];
  if (!pt_arg_out (args[4], in.dtype == PT_DTYPE_C64 ? PT_BIT (F32) : PT_BIT (F64), in.rank, sizes,
                   &out, error))
    return FALSE;
  if (n_dims > 1) {
    if (!pt_scratch_view (execution, in.dtype, in.rank, in.sizes, &copy, error))
      return FALSE;
    pt_move (execution, &copy, &in);
    in = copy;
  }
  for (guint i = 0; i + 1 < n_dims; i++)
    if (!transform (execution, FFT_COMPLEX, TRUE, (gsize) in.sizes[dims[i]], 1, &in, &in, dims[i],
                    error))
      return FALSE;
  return transform (execution, FFT_COMPLEX_TO_REAL, TRUE, (gsize) n,
                    scale_of (normalization, count), &in, &out, last, error);
}

static const PtOperator operators[] = {
  { "aten::_fft_c2r.out", fft_c2r_out, 6, 4, 1 },
  { "aten::_fft_r2c.out", fft_r2c_out, 6, 4, 1 },
};

const PtOperatorFamily pt_fft_family = { operators, G_N_ELEMENTS (operators) };
