/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix products (docs/formats/operators.md, section 7). */
#include <math.h>
#include <string.h>

#include "engine/kernels/gemm.h"
#include "engine/operators/convert.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

static const PtEpilogue no_epilogue = { NULL, -INFINITY, INFINITY };

/* c[m, n] = a[m, k] . b */
typedef struct {
  gsize m, n, k;
  gboolean transposed; /* b is [n, k] */
  gconstpointer a, b;
  gpointer c;
  PtFloatType type; /* of b, in products of floats */
} Product;

#define DEFINE_PRODUCT(name, T, zero, accumulate)                        \
  static void name (gpointer data, gsize begin, gsize end, guint worker) \
  {                                                                      \
    const Product *job = data;                                           \
                                                                         \
    for (gsize row = begin; row < end; row++) {                          \
      const T *a = (const T *) job->a + row * job->k;                    \
      T *c = (T *) job->c + row * job->n;                                \
                                                                         \
      for (gsize j = 0; j < job->n; j++)                                 \
        c[j] = zero;                                                     \
      if (job->transposed) {                                             \
        for (gsize j = 0; j < job->n; j++) {                             \
          const T *b = (const T *) job->b + j * job->k;                  \
                                                                         \
          for (gsize i = 0; i < job->k; i++)                             \
            accumulate (c[j], a[i], b[i]);                               \
        }                                                                \
      } else {                                                           \
        for (gsize i = 0; i < job->k; i++) {                             \
          const T *b = (const T *) job->b + i * job->n;                  \
                                                                         \
          for (gsize j = 0; j < job->n; j++)                             \
            accumulate (c[j], a[i], b[j]);                               \
        }                                                                \
      }                                                                  \
    }                                                                    \
  }

#define ADD_INTEGER(c, a, b) c = (gint64) ((guint64) (c) + (guint64) (a) * (guint64) (b))
#define ADD_DOUBLE(c, a, b) c += (a) * (b)
#define ADD_COMPLEX(c, a, b) \
  (c).re += (a).re * (b).re - (a).im * (b).im, (c).im += (a).re * (b).im + (a).im * (b).re

/* clang-format off */
DEFINE_PRODUCT (product_i64, gint64, 0, ADD_INTEGER)
DEFINE_PRODUCT (product_f64, double, 0, ADD_DOUBLE)
DEFINE_PRODUCT (product_c128, PtComplex, ((PtComplex) { 0, 0 }), ADD_COMPLEX)
/* clang-format on */

/* Multiplies dense matrices of the compute type. */
static void
multiply (PtPool *pool, PtCompute compute, const Product *product)
{
  static const PtPoolTask tasks[PT_N_COMPUTES] = { product_i64, NULL, product_f64, product_c128 };
  gsize work = MAX (product->n * product->k, 1);

  if (product->m == 0 || product->n == 0)
    return;
  if (compute == PT_COMPUTE_F32 && product->k > 0)
    pt_gemm_typed (pool, product->m, product->n, product->k, product->a, product->k, product->type,
                   product->b, product->transposed ? product->k : product->n, product->transposed,
                   &no_epilogue, product->c, product->n);
  else if (compute == PT_COMPUTE_F32)
    memset (product->c, 0, product->m * product->n * sizeof (float));
  else
    pt_pool_run (pool, product->m, MAX (1, 65536 / work), tasks[compute], (gpointer) product);
}

static PtFloatType
float_type (PtDType dtype)
{
  return dtype == PT_DTYPE_F16    ? PT_FLOAT_F16
         : dtype == PT_DTYPE_BF16 ? PT_FLOAT_BF16
                                  : PT_FLOAT_F32;
}

/*
 * Makes both factors dense, and allocates memory for the product unless @out can be used. Halves of
 * b, which are mostly weights, stay halves.
 */
static gboolean
prepare (PtExecution *execution, PtCompute compute, PtView *a, PtView *b, const PtView *out,
         PtView *work, GError **error)
{
  PtDType dtype = pt_compute_dtype (compute);
  PtDType b_dtype = float_type (b->dtype) != PT_FLOAT_F32 ? b->dtype : dtype;

  return pt_make_dense (execution, dtype, a, error) &&
         pt_make_dense (execution, b_dtype, b, error) &&
         pt_make_work (execution, dtype, out, work, error);
}

PT_KERNEL (mm_out)
{
  PtView a, b, out, work;
  PtCompute compute;
  Product product;
  gint64 sizes[2];

  if (!pt_arg_view (args[0], "self", PT_RH, &a, error) ||
      !pt_arg_view (args[1], "mat2", 1u << a.dtype, &b, error))
    return FALSE;
  PT_CHECK (a.rank == 2 && b.rank == 2 && a.sizes[1] == b.sizes[0],
            "These matrices cannot be multiplied.");
  sizes[0] = a.sizes[0], sizes[1] = b.sizes[1];
  compute = pt_compute_of (a.dtype);
  if (!pt_arg_out (args[2], 1u << a.dtype, 2, sizes, &out, error) ||
      !prepare (execution, compute, &a, &b, &out, &work, error))
    return FALSE;
  product =
      (Product){ (gsize) sizes[0], (gsize) sizes[1], (gsize) a.sizes[1], FALSE,
                 a.data,           b.data,           work.data,          float_type (b.dtype) };
  multiply (pt_execution_pool (execution), compute, &product);
  return pt_finish_work (execution, &out, &work, error);
}

/* Many small products: each one is computed by one thread. */
typedef struct {
  PtPool *pool;
  Product product; /* pointers of the first pair */
} Batch;

static void
batch_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Batch *batch = data;
  const Product *p = &batch->product;

  for (gsize i = begin; i < end; i++)
    pt_gemm_f32_serial (p->m, p->n, p->k, (const float *) p->a + i * p->m * p->k, p->k,
                        (const float *) p->b + i * p->k * p->n, p->n, FALSE, &no_epilogue,
                        (float *) p->c + i * p->m * p->n, p->n,
                        pt_pool_scratch (batch->pool, worker));
}

PT_KERNEL (bmm_out)
{
  PtView a, b, out, work;
  PtCompute compute;
  Batch batch;
  Product *product = &batch.product;
  gint64 sizes[3];
  gsize count, element;

  if (!pt_arg_view (args[0], "self", PT_RH | PT_CPX, &a, error) ||
      !pt_arg_view (args[1], "mat2", 1u << a.dtype, &b, error))
    return FALSE;
  PT_CHECK (a.rank == 3 && b.rank == 3 && a.sizes[0] == b.sizes[0] && a.sizes[2] == b.sizes[1],
            "These matrices cannot be multiplied.");
  sizes[0] = a.sizes[0], sizes[1] = a.sizes[1], sizes[2] = b.sizes[2];
  compute = pt_compute_of (a.dtype);
  if (!pt_arg_out (args[2], 1u << a.dtype, 3, sizes, &out, error) ||
      !pt_make_dense (execution, pt_compute_dtype (compute), &b, error) ||
      !prepare (execution, compute, &a, &b, &out, &work, error))
    return FALSE;
  count = (gsize) sizes[0];
  element = pt_dtype_size (pt_compute_dtype (compute));
  *product =
      (Product){ (gsize) sizes[1], (gsize) sizes[2], (gsize) a.sizes[2], FALSE,
                 a.data,           b.data,           work.data,          float_type (b.dtype) };
  batch.pool = pt_execution_pool (execution);
  if (out.numel == 0)
    return TRUE;
  if (compute == PT_COMPUTE_F32 && product->k > 0 && count >= pt_pool_n_workers (batch.pool)) {
    pt_pool_run (batch.pool, count, MAX (1, 65536 / (product->m * product->n * product->k + 1)),
                 batch_range, &batch);
  } else {
    for (gsize i = 0; i < count; i++) {
      Product one = *product;

      one.a = a.data + i * one.m * one.k * element;
      one.b = b.data + i * one.k * one.n * element;
      one.c = work.data + i * one.m * one.n * element;
      multiply (batch.pool, compute, &one);
    }
  }
  return pt_finish_work (execution, &out, &work, error);
}

/* out = beta * self + alpha * product, in the compute type. */
typedef struct {
  PtCompute compute;
  gsize columns;
  gconstpointer self;
  gint64 row_stride, column_stride; /* strides of self */
  gpointer c;
  PtScalar alpha, beta;
} Blend;

#define DEFINE_BLEND(T, alpha_value, beta_value, sum)                          \
  {                                                                            \
    T alpha = alpha_value, beta = beta_value;                                  \
                                                                               \
    for (gsize i = begin; i < end; i++) {                                      \
      const T *self = (const T *) job->self + (gint64) i * job->row_stride;    \
      T *c = (T *) job->c + i * job->columns;                                  \
                                                                               \
      for (gsize j = 0; j < job->columns; j++)                                 \
        c[j] = sum (c[j], alpha, self[(gint64) j * job->column_stride], beta); \
    }                                                                          \
  }
#define SUM_FLOATING(c, alpha, s, beta) ((c) * (alpha) + (s) * (beta))
#define SUM_INTEGER(c, alpha, s, beta) \
  ((gint64) ((guint64) (c) * (guint64) (alpha) + (guint64) (s) * (guint64) (beta)))

static void
blend_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Blend *job = data;

  if (job->compute == PT_COMPUTE_F32)
    DEFINE_BLEND (float, (float) job->alpha.d, (float) job->beta.d, SUM_FLOATING)
  else if (job->compute == PT_COMPUTE_F64)
    DEFINE_BLEND (double, job->alpha.d, job->beta.d, SUM_FLOATING)
  else
    DEFINE_BLEND (gint64, job->alpha.i, job->beta.i, SUM_INTEGER)
}

PT_KERNEL (addmm_out)
{
  PtView self, a, b, out, work;
  Product product;
  Blend blend;
  gint64 sizes[2];

  if (!pt_arg_view (args[0], "self", PT_RH, &self, error) ||
      !pt_arg_view (args[1], "mat1", 1u << self.dtype, &a, error) ||
      !pt_arg_view (args[2], "mat2", 1u << self.dtype, &b, error) ||
      !pt_arg_scalar (args[3], "beta", &blend.beta, error) ||
      !pt_arg_scalar (args[4], "alpha", &blend.alpha, error))
    return FALSE;
  PT_CHECK (a.rank == 2 && b.rank == 2 && a.sizes[1] == b.sizes[0],
            "These matrices cannot be multiplied.");
  sizes[0] = a.sizes[0], sizes[1] = b.sizes[1];
  PT_CHECK (pt_broadcasts_to (&self, 2, sizes), "'self' does not broadcast to the product.");
  blend.compute = pt_compute_of (a.dtype);
  if (!pt_arg_out (args[5], 1u << a.dtype, 2, sizes, &out, error) ||
      !prepare (execution, blend.compute, &a, &b, &out, &work, error) ||
      !pt_make_dense (execution, pt_compute_dtype (blend.compute), &self, error))
    return FALSE;
  product =
      (Product){ (gsize) sizes[0], (gsize) sizes[1], (gsize) a.sizes[1], FALSE,
                 a.data,           b.data,           work.data,          float_type (b.dtype) };
  multiply (pt_execution_pool (execution), blend.compute, &product);
  while (self.rank < 2)
    pt_view_insert (&self, 0, 1, 0);
  blend.self = self.data;
  blend.row_stride = self.sizes[0] == 1 ? 0 : self.strides[0];
  blend.column_stride = self.sizes[1] == 1 ? 0 : self.strides[1];
  blend.columns = product.n;
  blend.c = work.data;
  if (out.numel > 0)
    pt_pool_run (pt_execution_pool (execution), product.m, MAX (1, 16384 / product.n), blend_range,
                 &blend);
  return pt_finish_work (execution, &out, &work, error);
}

PT_KERNEL (linear_out)
{
  PtView in, weight, bias, out, work;
  gboolean has_bias;
  PtCompute compute;
  Product product;
  gint64 sizes[PT_MAX_RANK];

  if (!pt_arg_view (args[0], "input", PT_RH, &in, error) ||
      !pt_arg_view (args[1], "weight", 1u << in.dtype, &weight, error) ||
      !pt_arg_optional_view (args[2], "bias", 1u << in.dtype, &bias, &has_bias, error))
    return FALSE;
  PT_CHECK (in.rank >= 1 && weight.rank == 2 && in.sizes[in.rank - 1] == weight.sizes[1],
            "The weights of a linear layer do not fit its input.");
  PT_CHECK (!has_bias ||
                (bias.rank == 1 && (bias.sizes[0] == weight.sizes[0] || bias.sizes[0] == 1)),
            "The bias of a linear layer does not fit its weights.");
  memcpy (sizes, in.sizes, sizeof sizes);
  sizes[in.rank - 1] = weight.sizes[0];
  compute = pt_compute_of (in.dtype);
  if (!pt_arg_out (args[3], 1u << in.dtype, in.rank, sizes, &out, error) ||
      !prepare (execution, compute, &in, &weight, &out, &work, error))
    return FALSE;
  product = (Product){ pt_view_count (&in, 0, in.rank - 1),
                       (gsize) weight.sizes[0],
                       (gsize) weight.sizes[1],
                       TRUE,
                       in.data,
                       weight.data,
                       work.data,
                       float_type (weight.dtype) };
  if (out.numel == 0)
    return TRUE;
  multiply (pt_execution_pool (execution), compute, &product);
  if (has_bias) {
    Blend blend = { compute,
                    product.n,
                    NULL,
                    0,
                    bias.sizes[0] == 1 ? 0 : 1,
                    work.data,
                    { PT_VALUE_INT, 1, 1 },
                    { PT_VALUE_INT, 1, 1 } };

    if (!pt_make_dense (execution, pt_compute_dtype (compute), &bias, error))
      return FALSE;
    blend.self = bias.data;
    pt_pool_run (pt_execution_pool (execution), product.m, MAX (1, 16384 / product.n), blend_range,
                 &blend);
  }
  return pt_finish_work (execution, &out, &work, error);
}

static const PtOperator operators[] = {
  { "aten::addmm.out", addmm_out, 7, 5, 1 },
  { "aten::bmm.out", bmm_out, 4, 2, 1 },
  { "aten::linear.out", linear_out, 5, 3, 1 },
  { "aten::mm.out", mm_out, 4, 2, 1 },
};

const PtOperatorFamily pt_matmul_family = { operators, G_N_ELEMENTS (operators) };
