/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/kernels/vector.h"
#include "graph-builder.h"

/* Fully connected nodes and convolutions in all types, against plain loops. */

enum { TAG_FC = 2, TAG_CONV = 7, TAG_DEPTHWISE = 13, TAG_CONVERT = 18, TAG_CONV_TRANSPOSE = 39 };

static gpointer
keep (GPtrArray *pool, gsize size)
{
  gpointer block = g_malloc0 (size);

  g_ptr_array_add (pool, block);
  return block;
}

static PtDType
dtype_of (int type)
{
  switch (type) {
  case PT_XNN_F16: return PT_DTYPE_F16;
  case PT_XNN_BF16: return PT_DTYPE_BF16;
  case PT_XNN_QI8: return PT_DTYPE_I8;
  case PT_XNN_QU8: return PT_DTYPE_U8;
  default: return PT_DTYPE_F32;
  }
}

/* Random numbers as a type holds them; @real gets what they stand for. */
static gpointer
fill (GPtrArray *pool, int type, gsize n, guint32 seed, float scale, gint32 zero, float *real)
{
  guint8 *out = keep (pool, n * 4);

  for (gsize i = 0; i < n; i++) {
    float x = next_random (&seed);
    guint16 half;

    switch (type) {
    case PT_XNN_F16:
      half = pt_f32_to_f16 (x);
      ((guint16 *) out)[i] = half;
      real[i] = pt_f16_to_f32 (half);
      break;
    case PT_XNN_BF16:
      half = pt_f32_to_bf16 (x);
      ((guint16 *) out)[i] = half;
      real[i] = pt_bf16_to_f32 (half);
      break;
    case PT_XNN_QI8:
    case PT_XNN_QC8:
      ((gint8 *) out)[i] = (gint8) lrintf (x * 127.0f);
      real[i] = (float) (((gint8 *) out)[i] - zero) * scale;
      break;
    case PT_XNN_QU8:
      out[i] = (guint8) lrintf ((x + 1.0f) * 127.5f);
      real[i] = (float) (out[i] - zero) * scale;
      break;
    default: ((float *) out)[i] = real[i] = x;
    }
  }
  return out;
}

static void
load (int type, gsize n, gconstpointer data, float scale, gint32 zero, float *out)
{
  for (gsize i = 0; i < n; i++)
    switch (type) {
    case PT_XNN_F16: out[i] = pt_f16_to_f32 (((const guint16 *) data)[i]); break;
    case PT_XNN_BF16: out[i] = pt_bf16_to_f32 (((const guint16 *) data)[i]); break;
    case PT_XNN_QI8: out[i] = (float) (((const gint8 *) data)[i] - zero) * scale; break;
    case PT_XNN_QU8: out[i] = (float) (((const guint8 *) data)[i] - zero) * scale; break;
    default: out[i] = ((const float *) data)[i];
    }
}

/* Quantises a row as a whole, as nodes do while running (docs/formats/xnnpack.md, section 8.2). */
static void
quantize_row (const float *x, gsize n, gint32 *q, float *scale)
{
  float lo = 0.0f, hi = 0.0f, s, a, b, z;

  for (gsize i = 0; i < n; i++) {
    lo = MIN (lo, x[i]);
    hi = MAX (hi, x[i]);
  }
  s = lo == hi ? 1.0f : 255.0f / (hi - lo);
  a = lo * s;
  b = hi * s;
  z = (-128.0f + a) + (127.0f + b) > 0.0f ? -128.0f - a : 127.0f - b;
  z = rintf (CLAMP (z, -128.0f, 127.0f));
  for (gsize i = 0; i < n; i++)
    q[i] = (gint32) (CLAMP (rintf (x[i] * s) + z, -128.0f, 127.0f) - z);
  *scale = 1.0f / s;
}

static void
check (const float *got, const float *want, gsize n, float tolerance, const char *what)
{
  for (gsize i = 0; i < n; i++)
    if (!(fabsf (got[i] - want[i]) <= tolerance * (1.0f + fabsf (want[i]))))
      g_error ("%s: element %" G_GSIZE_FORMAT " is %g instead of %g", what, i, (double) got[i],
               (double) want[i]);
}

/* ---- Fully connected ---- */

typedef struct {
  const char *name;
  int in, filter, out;
  gboolean transposed, bias, dynamic_filter;
  gsize rows, k, n, group;
  float tolerance;
} Product;

static const Product products[] = {
  { "f32", PT_XNN_F32, PT_XNN_F32, PT_XNN_F32, FALSE, TRUE, FALSE, 5, 33, 17, 0, 1e-5f },
  { "f32-one-row", PT_XNN_F32, PT_XNN_F32, PT_XNN_F32, FALSE, FALSE, FALSE, 1, 64, 40, 0, 1e-5f },
  { "f32-transposed", PT_XNN_F32, PT_XNN_F32, PT_XNN_F32, TRUE, TRUE, FALSE, 5, 33, 17, 0, 1e-5f },
  { "f32-dynamic", PT_XNN_F32, PT_XNN_F32, PT_XNN_F32, FALSE, FALSE, TRUE, 70, 20, 9, 0, 1e-5f },
  { "f16", PT_XNN_F16, PT_XNN_F16, PT_XNN_F16, FALSE, TRUE, FALSE, 70, 33, 77, 0, 2e-3f },
  { "f16-transposed", PT_XNN_F16, PT_XNN_F16, PT_XNN_F16, TRUE, FALSE, FALSE, 3, 33, 77, 0, 2e-3f },
  { "f16-f32", PT_XNN_F16, PT_XNN_F32, PT_XNN_F16, FALSE, TRUE, FALSE, 5, 33, 17, 0, 2e-3f },
  { "bf16-f32-transposed", PT_XNN_BF16, PT_XNN_F32, PT_XNN_BF16, TRUE, FALSE, FALSE, 1, 33, 17, 0,
    1e-2f },
  { "bf16", PT_XNN_BF16, PT_XNN_BF16, PT_XNN_BF16, FALSE, TRUE, FALSE, 2, 33, 40, 0, 1e-2f },
  { "qd8-qc8", PT_XNN_QD8, PT_XNN_QC8, PT_XNN_F32, FALSE, TRUE, FALSE, 5, 70, 17, 0, 1e-6f },
  { "qd8-qc8-transposed", PT_XNN_QD8, PT_XNN_QC8, PT_XNN_F32, TRUE, FALSE, FALSE, 5, 70, 17, 0,
    1e-6f },
  { "qd8-qc8-f16", PT_XNN_QD8, PT_XNN_QC8, PT_XNN_F16, FALSE, TRUE, FALSE, 5, 70, 17, 0, 2e-3f },
  { "qd8-qc4", PT_XNN_QD8, PT_XNN_QC4, PT_XNN_F32, FALSE, TRUE, FALSE, 5, 71, 18, 0, 1e-6f },
  { "qd8-qc4-transposed", PT_XNN_QD8, PT_XNN_QC4, PT_XNN_F32, TRUE, TRUE, FALSE, 5, 71, 17, 0,
    1e-6f },
  { "qd8-qb4", PT_XNN_QD8, PT_XNN_QB4, PT_XNN_F32, FALSE, TRUE, FALSE, 5, 192, 18, 64, 1e-6f },
  { "qs8", PT_XNN_QI8, PT_XNN_QC8, PT_XNN_QI8, FALSE, TRUE, FALSE, 5, 70, 17, 0, 0.0f },
  { "qs8-transposed", PT_XNN_QI8, PT_XNN_QC8, PT_XNN_QI8, TRUE, TRUE, FALSE, 5, 70, 17, 0, 0.0f },
  { "qu8", PT_XNN_QU8, PT_XNN_QU8, PT_XNN_QU8, FALSE, TRUE, FALSE, 5, 70, 17, 0, 0.0f },
  { "qu8-many-rows", PT_XNN_QU8, PT_XNN_QU8, PT_XNN_QU8, FALSE, TRUE, FALSE, 40, 70, 300, 0, 0.0f },
  { "qu8-transposed", PT_XNN_QU8, PT_XNN_QU8, PT_XNN_QU8, TRUE, FALSE, FALSE, 5, 70, 17, 0, 0.0f },
  { "qu8-qc8", PT_XNN_QU8, PT_XNN_QC8, PT_XNN_QI8, FALSE, TRUE, FALSE, 5, 70, 17, 0, 0.0f },
};

typedef struct {
  GPtrArray *pool;
  gpointer x, w, bias;    /* as stored */
  float *x_real, *w_real; /* w_real: [n, k] */
  float *bias_real;
  float *scales;
  guint16 *group_scales;
} Data;

#define X_SCALE 0.02f
#define X_ZERO 3
#define Y_SCALE 0.3f
#define Y_ZERO (-7)
#define W_ZERO 90 /* unsigned weights */

static gboolean
is_q8 (int type)
{
  return type == PT_XNN_QI8 || type == PT_XNN_QU8;
}

/* Unsigned numbers are 128 above signed ones. */
static gint32
x_zero (int type)
{
  return type == PT_XNN_QU8 ? X_ZERO + 128 : X_ZERO;
}

/* A sum as the number that is stored. */
static float
store_q8 (int type, float sum, float scale)
{
  float above = type == PT_XNN_QU8 ? 128.0f : 0.0f;

  return rintf (CLAMP (sum * ((X_SCALE * scale) / Y_SCALE), -128.0f - Y_ZERO, 127.0f - Y_ZERO)) +
         Y_ZERO + above;
}

static void
make_int4 (Data *d, const Product *p)
{
  gsize stride = (p->k + 1) / 2, n_groups = p->group > 0 ? p->k / p->group : 1;
  guint8 *packed = keep (d->pool, (p->n + 1) * (p->k + 1));
  guint32 seed = 77;

  d->w = packed;
  d->group_scales = keep (d->pool, p->n * n_groups * 2);
  for (gsize i = 0; i < p->n * n_groups; i++)
    d->group_scales[i] = pt_f32_to_bf16 (0.01f + 0.001f * (float) (i % 13));
  for (gsize o = 0; o < p->n; o++)
    for (gsize i = 0; i < p->k; i++) {
      guint stored = (guint) ((next_random (&seed) + 1.0f) * 7.99f);

      if (p->transposed)
        packed[i * ((p->n + 1) / 2) + o / 2] |= (guint8) (stored << (o % 2 * 4));
      else
        packed[o * stride + i / 2] |= (guint8) (stored << (i % 2 * 4));
      d->w_real[o * p->k + i] = (float) stored - 8.0f;
    }
}

/* Weights [n, k] or [k, n] as @type; w_real holds integers for int8, numbers else. */
static void
make_weights (Data *d, const Product *p)
{
  float *real = keep (d->pool, p->n * p->k * 4);

  d->w_real = keep (d->pool, p->n * p->k * 4);
  if (p->filter == PT_XNN_QC4 || p->filter == PT_XNN_QB4) {
    make_int4 (d, p);
    return;
  }
  d->w =
      fill (d->pool, p->filter, p->n * p->k, 99, 1.0f, p->filter == PT_XNN_QU8 ? W_ZERO : 0, real);
  for (gsize o = 0; o < p->n; o++)
    for (gsize i = 0; i < p->k; i++)
      d->w_real[o * p->k + i] = p->transposed ? real[i * p->n + o] : real[o * p->k + i];
}

static void
make_bias (Data *d, const Product *p)
{
  gint32 *ints = keep (d->pool, p->n * 4);

  d->bias_real = keep (d->pool, p->n * 4);
  d->bias = fill (d->pool, PT_XNN_F32, p->n, 5, 1.0f, 0, d->bias_real);
  if (!is_q8 (p->in))
    return;
  for (gsize i = 0; i < p->n; i++) {
    ints[i] = (gint32) (d->bias_real[i] * 20000.0f);
    d->bias_real[i] = (float) ints[i];
  }
  d->bias = ints;
}

static Data
make_data (const Product *p)
{
  Data d = { .pool = g_ptr_array_new_with_free_func (g_free) };

  d.x_real = keep (d.pool, p->rows * p->k * 4);
  d.x = fill (d.pool, p->in == PT_XNN_QD8 ? PT_XNN_F32 : p->in, p->rows * p->k, 1, 1.0f,
              x_zero (p->in), d.x_real);
  d.scales = keep (d.pool, p->n * 4);
  for (gsize i = 0; i < p->n; i++)
    d.scales[i] = p->filter == PT_XNN_QU8 ? 0.003f : 0.003f + 0.0001f * (float) i;
  make_weights (&d, p);
  make_bias (&d, p);
  return d;
}

/* One output before the clamp; int8 results as stored. */
static float
reference (const Product *p, const Data *d, const gint32 *q, float row_scale, const float *x,
           gsize o)
{
  const float *w = d->w_real + o * p->k;
  float bias = p->bias ? d->bias_real[o] : 0.0f;
  float acc = 0.0f;
  double sum = 0.0;
  gint32 d32 = 0;

  if (is_q8 (p->in)) {
    d32 = (gint32) bias;
    for (gsize i = 0; i < p->k; i++)
      d32 += (gint32) (x[i] * w[i]);
    return store_q8 (p->out, (float) d32, d->scales[o]);
  }
  if (p->in != PT_XNN_QD8) {
    for (gsize i = 0; i < p->k; i++)
      sum += (double) x[i] * (double) w[i];
    return (float) (sum + (double) bias);
  }
  for (gsize i = 0; i < p->k; i++) {
    d32 += q[i] * (gint32) w[i];
    if (p->group > 0 && (i + 1) % p->group == 0) {
      acc += (float) d32 * pt_bf16_to_f32 (d->group_scales[o * (p->k / p->group) + i / p->group]);
      d32 = 0;
    }
  }
  return p->group > 0 ? acc * row_scale + bias : ((float) d32 * row_scale) * d->scales[o] + bias;
}

static guint32
add_filter (Builder *b, const Product *p, const Data *d)
{
  Value w = { .type = p->filter, .rank = 2, .data = d->w };

  w.dims[0] = (guint32) (p->transposed ? p->k : p->n);
  w.dims[1] = (guint32) (p->transposed ? p->n : p->k);
  w.size = p->n * p->k * pt_xnn_type_size (p->filter);
  if (p->filter == PT_XNN_QC4 || p->filter == PT_XNN_QB4)
    w.size = w.dims[0] * ((w.dims[1] + 1) / 2);
  if (p->filter == PT_XNN_QU8) {
    w.scale = d->scales[0];
    w.zero_point = W_ZERO;
  }
  if (p->filter == PT_XNN_QC8 || p->filter == PT_XNN_QC4) {
    w.scales = d->scales;
    w.n_scales = (guint) p->n;
    w.channel_dim = p->transposed ? 1 : 0;
  }
  if (p->filter == PT_XNN_QB4) {
    w.group = (gint32) p->group;
    w.group_scales = d->group_scales;
    w.n_scales = (guint) (p->n * p->k / p->group);
  }
  if (p->dynamic_filter) {
    w.data = NULL;
    w.flags = INPUT;
    w.external = 1;
  }
  return builder_value (b, w);
}

static guint32
add_bias (Builder *b, const Product *p, const Data *d)
{
  Value bias = {
    .type = PT_XNN_F32, .rank = 1, .dims = { (guint32) p->n }, .data = d->bias, .size = p->n * 4
  };

  if (!p->bias)
    return NONE;
  if (is_q8 (p->in)) {
    bias.type = PT_XNN_QC32;
    bias.scales = d->scales;
    bias.n_scales = (guint) p->n;
  }
  return builder_value (b, bias);
}

static guint32
add_quantized (Builder *b, int type, guint rank, const guint32 *dims, guint32 flags,
               guint32 external, float scale, gint32 zero)
{
  Value value = { .type = type, .rank = rank, .flags = flags, .external = external };

  memcpy (value.dims, dims, rank * sizeof *dims);
  if (is_q8 (type)) {
    value.scale = scale;
    value.zero_point = zero + (type == PT_XNN_QU8 ? 128 : 0);
  }
  return builder_value (b, value);
}

static Builder *
make_product (const Product *p, const Data *d)
{
  Builder *b = builder_new ();
  guint32 in_dims[] = { (guint32) p->rows, (guint32) p->k };
  guint32 out_dims[] = { (guint32) p->rows, (guint32) p->n };
  int in_type = p->in == PT_XNN_QD8 ? PT_XNN_F32 : p->in;
  guint32 x = add_quantized (b, in_type, 2, in_dims, INPUT, 0, X_SCALE, X_ZERO);
  guint32 w = add_filter (b, p, d), bias = add_bias (b, p, d);
  guint32 y =
      add_quantized (b, p->out, 2, out_dims, OUTPUT, p->dynamic_filter ? 2 : 1, Y_SCALE, Y_ZERO);

  if (p->in == PT_XNN_QD8) {
    guint32 q = builder_value (b, (Value){ .type = PT_XNN_QD8,
                                           .rank = 2,
                                           .dims = { in_dims[0], in_dims[1] },
                                           .n_nonbatch = 1 });

    builder_simple (b, TAG_CONVERT, 2, (guint32[]){ x, q });
    x = q;
  }
  builder_node (b, (Node){ .tag = TAG_FC,
                           .n_slots = 5,
                           .slots = { x, w, bias, y, p->transposed ? 1 : 0 },
                           .clamped = TRUE,
                           .min = -2.0f,
                           .max = 1000.0f });
  return b;
}

static void
test_product (gconstpointer user_data)
{
  const Product *p = user_data;
  Data d = make_data (p);
  g_autoptr (Builder) b = make_product (p, &d);
  g_autofree float *want = g_new (float, p->rows * p->n);
  g_autofree float *got = g_new (float, p->rows * p->n);
  g_autofree gint32 *q = g_new (gint32, p->k);
  gint64 x_sizes[] = { (gint64) p->rows, (gint64) p->k };
  gint64 w_sizes[] = { (gint64) p->n, (gint64) p->k };
  gint64 y_sizes[] = { (gint64) p->rows, (gint64) p->n };
  gpointer y_data = keep (d.pool, p->rows * p->n * 4);
  PtTensor x = make_tensor (dtype_of (p->in), 2, x_sizes, d.x, p->rows * p->k * 4);
  PtTensor w = make_tensor (PT_DTYPE_F32, 2, w_sizes, d.w, p->n * p->k * 4);
  PtTensor y = make_tensor (dtype_of (p->out), 2, y_sizes, y_data, p->rows * p->n * 4);

  for (gsize r = 0; r < p->rows; r++) {
    float scale = 0.0f;

    if (p->in == PT_XNN_QD8)
      quantize_row (d.x_real + r * p->k, p->k, q, &scale);
    for (gsize o = 0; o < p->n; o++) {
      float v = reference (p, &d, q, scale, d.x_real + r * p->k, o);
      /* -2 is stored as -7 - 7. */
      float lo = p->out == PT_XNN_QI8   ? rintf (-2.0f / Y_SCALE) + Y_ZERO
                 : p->out == PT_XNN_QU8 ? rintf (-2.0f / Y_SCALE) + Y_ZERO + 128
                                        : -2.0f;

      want[r * p->n + o] = MAX (v, lo);
    }
  }
  if (p->dynamic_filter)
    run_graph (b, (PtTensor *[]){ &x, &w, &y }, 3);
  else
    run_graph (b, (PtTensor *[]){ &x, &y }, 2);
  load (p->out, p->rows * p->n, y_data, 1.0f, 0, got);
  check (got, want, p->rows * p->n, p->tolerance, p->name);
  g_ptr_array_unref (d.pool);
}

/* ---- Convolutions ---- */

typedef struct {
  const char *name;
  guint8 tag;
  int type; /* of the input; QD8: dynamic */
  guint batch, h, w;
  guint group_in, group_out, groups;
  guint kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  guint top, right, bottom, left, adjust_h, adjust_w;
  gboolean wide_filter; /* fp32, whatever the input is */
} Conv;

#define GEOMETRY 3, 2, 2, 1, 1, 2, 1, 2, 0, 1

static const Conv convs[] = {
  { "plain", TAG_CONV, PT_XNN_F32, 2, 7, 9, 4, 6, 1, GEOMETRY },
  { "one-tap", TAG_CONV, PT_XNN_F32, 2, 7, 9, 4, 6, 1, 1, 1, 1, 1, 1, 1 },
  { "one-tap-groups", TAG_CONV, PT_XNN_F32, 2, 7, 9, 4, 6, 3, 1, 1, 1, 1, 1, 1 },
  { "one-tap-steps", TAG_CONV, PT_XNN_F32, 1, 7, 9, 4, 6, 1, 1, 1, 2, 2, 1, 1 },
  { "three-by-three", TAG_CONV, PT_XNN_F32, 2, 7, 9, 16, 20, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1 },
  { "groups", TAG_CONV, PT_XNN_F32, 2, 7, 9, 3, 2, 2, GEOMETRY },
  { "f16", TAG_CONV, PT_XNN_F16, 2, 7, 9, 3, 2, 2, GEOMETRY },
  { "f16-f32", TAG_CONV, PT_XNN_F16, 2, 7, 9, 3, 2, 2, GEOMETRY, .wide_filter = TRUE },
  { "qs8", TAG_CONV, PT_XNN_QI8, 2, 7, 9, 3, 2, 2, GEOMETRY },
  { "qs8-one-tap", TAG_CONV, PT_XNN_QI8, 2, 7, 9, 3, 5, 2, 1, 1, 1, 1, 1, 1 },
  { "qd8", TAG_CONV, PT_XNN_QD8, 2, 7, 9, 3, 2, 2, GEOMETRY },
  { "qu8", TAG_CONV, PT_XNN_QU8, 2, 7, 9, 3, 2, 2, GEOMETRY },
  { "qu8-one-tap", TAG_CONV, PT_XNN_QU8, 2, 7, 9, 3, 5, 2, 1, 1, 1, 1, 1, 1 },
  { "depthwise-qu8", TAG_DEPTHWISE, PT_XNN_QU8, 2, 7, 9, 1, 2, 5, GEOMETRY },
  { "depthwise", TAG_DEPTHWISE, PT_XNN_F32, 2, 7, 9, 1, 1, 5, GEOMETRY },
  { "depthwise-rows", TAG_DEPTHWISE, PT_XNN_F32, 2, 7, 9, 1, 1, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1 },
  { "depthwise-twice", TAG_DEPTHWISE, PT_XNN_F32, 2, 7, 9, 1, 2, 5, GEOMETRY },
  { "depthwise-f16", TAG_DEPTHWISE, PT_XNN_F16, 2, 7, 9, 1, 2, 5, GEOMETRY },
  { "depthwise-f16-f32", TAG_DEPTHWISE, PT_XNN_F16, 2, 7, 9, 1, 2, 5, GEOMETRY,
    .wide_filter = TRUE },
  { "depthwise-qs8", TAG_DEPTHWISE, PT_XNN_QI8, 2, 7, 9, 1, 2, 5, GEOMETRY },
  { "depthwise-qd8", TAG_DEPTHWISE, PT_XNN_QD8, 2, 7, 9, 1, 1, 5, GEOMETRY },
  { "transposed",
    TAG_CONV_TRANSPOSE,
    PT_XNN_F32,
    2,
    5,
    4,
    4,
    6,
    1,
    3,
    2,
    2,
    3,
    1,
    2,
    1,
    1,
    0,
    1,
    1,
    2 },
  { "transposed-groups",
    TAG_CONV_TRANSPOSE,
    PT_XNN_F32,
    1,
    5,
    4,
    2,
    3,
    2,
    3,
    3,
    2,
    2,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1 },
  { "transposed-f16", TAG_CONV_TRANSPOSE, PT_XNN_F16, 2, 5, 4, 4, 6, 1, 3, 2, 2, 3, 1, 2, 1, 1 },
  { "transposed-narrow", TAG_CONV_TRANSPOSE, PT_XNN_F32, 1, 5, 4, 4, 6, 1, 2, 1, 3, 2, 1, 1 },
  { "transposed-gaps", TAG_CONV_TRANSPOSE, PT_XNN_QD8, 1, 5, 4, 4, 6, 1, 3, 3, 2, 4, 2, 6, 2, 0,
    1 },
  { "transposed-qu8", TAG_CONV_TRANSPOSE, PT_XNN_QU8, 2, 5, 4, 4, 6, 1, 4, 4, 2, 2, 1, 1, 1, 1, 1,
    1 },
  { "transposed-far", TAG_CONV_TRANSPOSE, PT_XNN_F32, 1, 3, 2, 2, 3, 1, 2, 2, 9, 8, 1, 1 },
  { "transposed-plain", TAG_CONV_TRANSPOSE, PT_XNN_QI8, 1, 3, 5, 2, 3, 1, 2, 2, 1, 1, 2, 1, 1 },
  { "transposed-qs8",
    TAG_CONV_TRANSPOSE,
    PT_XNN_QI8,
    1,
    5,
    4,
    2,
    3,
    2,
    3,
    3,
    2,
    2,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1 },
  { "transposed-qd8",
    TAG_CONV_TRANSPOSE,
    PT_XNN_QD8,
    2,
    5,
    4,
    2,
    3,
    2,
    3,
    3,
    2,
    2,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1 },
};

typedef struct {
  guint in_c, out_c, out_h, out_w;
} Extent;

static Extent
extent_of (const Conv *c)
{
  Extent e = { c->groups * c->group_in, c->groups * c->group_out, 0, 0 };
  guint reach_h = c->dilation_h * (c->kernel_h - 1) + 1;
  guint reach_w = c->dilation_w * (c->kernel_w - 1) + 1;

  if (c->tag == TAG_CONV_TRANSPOSE) {
    e.out_h = c->stride_h * (c->h - 1) + c->adjust_h + reach_h - c->top - c->bottom;
    e.out_w = c->stride_w * (c->w - 1) + c->adjust_w + reach_w - c->left - c->right;
  } else {
    e.out_h = (c->h + c->top + c->bottom - reach_h) / c->stride_h + 1;
    e.out_w = (c->w + c->left + c->right - reach_w) / c->stride_w + 1;
  }
  return e;
}

/* Sum over taps by scattering (transposed) or gathering; x and w hold numbers without zeros. */
static void
convolve (const Conv *c, const Extent *e, const float *x, const float *w, double *y)
{
  gboolean up = c->tag == TAG_CONV_TRANSPOSE;
  guint n_h = up ? c->h : e->out_h, n_w = up ? c->w : e->out_w;

  for (guint b = 0; b < c->batch; b++)
    for (guint o = 0; o < e->out_c; o++)
      for (guint i = 0; i < c->group_in; i++)
        for (guint r = 0; r < n_h * n_w; r++)
          for (guint t = 0; t < c->kernel_h * c->kernel_w; t++) {
            guint ky = t / c->kernel_w, kx = t % c->kernel_w;
            int far_y = (int) (r / n_w * c->stride_h + ky * c->dilation_h) - (int) c->top;
            int far_x = (int) (r % n_w * c->stride_w + kx * c->dilation_w) - (int) c->left;
            guint iy = up ? r / n_w : (guint) far_y, ix = up ? r % n_w : (guint) far_x;
            guint oy = up ? (guint) far_y : r / n_w, ox = up ? (guint) far_x : r % n_w;
            guint channel = o / c->group_out * c->group_in + i;
            gsize at_w = c->tag == TAG_DEPTHWISE
                             ? t * e->out_c + o
                             : (o * c->kernel_h * c->kernel_w + t) * c->group_in + i;

            if (iy < c->h && ix < c->w && oy < e->out_h && ox < e->out_w)
              y[((b * e->out_h + oy) * e->out_w + ox) * e->out_c + o] +=
                  (double) x[((b * c->h + iy) * c->w + ix) * e->in_c + channel] * (double) w[at_w];
          }
}

static void
test_conv (gconstpointer user_data)
{
  const Conv *c = user_data;
  Extent e = extent_of (c);
  g_autoptr (GPtrArray) pool = g_ptr_array_new_with_free_func (g_free);
  gboolean dynamic = c->type == PT_XNN_QD8, is_static = is_q8 (c->type);
  gsize n_x = c->batch * c->h * c->w * e.in_c, n_y = c->batch * e.out_h * e.out_w * e.out_c;
  gsize n_w = e.out_c * c->kernel_h * c->kernel_w * c->group_in, item = n_x / c->batch;
  int filter_type = c->wide_filter                     ? PT_XNN_F32
                    : dynamic || c->type == PT_XNN_QI8 ? PT_XNN_QC8
                                                       : c->type;
  float *x_real = keep (pool, n_x * 4), *w_real = keep (pool, n_w * 4);
  float *bias_real = keep (pool, e.out_c * 4), *scales = keep (pool, e.out_c * 4);
  float *row_scale = keep (pool, c->batch * 4), *want = keep (pool, n_y * 4);
  float *got = keep (pool, n_y * 4);
  gint32 *bias_ints = keep (pool, e.out_c * 4), *q = keep (pool, item * 4);
  double *sums = keep (pool, n_y * sizeof *sums);
  gpointer x = fill (pool, dynamic ? PT_XNN_F32 : c->type, n_x, 3, 1.0f, x_zero (c->type), x_real);
  gpointer w =
      fill (pool, filter_type, n_w, 4, 1.0f, filter_type == PT_XNN_QU8 ? W_ZERO : 0, w_real);
  gpointer bias = fill (pool, PT_XNN_F32, e.out_c, 5, 1.0f, 0, bias_real);
  gpointer y = keep (pool, n_y * 4);
  guint32 in_dims[] = { c->batch, c->h, c->w, e.in_c };
  guint32 out_dims[] = { c->batch, e.out_h, e.out_w, e.out_c };
  gint64 in_sizes[] = { c->batch, c->h, c->w, e.in_c };
  gint64 out_sizes[] = { c->batch, e.out_h, e.out_w, e.out_c };
  int out_type = dynamic ? PT_XNN_F32 : c->type;
  PtTensor in = make_tensor (dtype_of (c->type), 4, in_sizes, x, n_x * 4);
  PtTensor out = make_tensor (dtype_of (out_type), 4, out_sizes, y, n_y * 4);
  g_autoptr (Builder) b = builder_new ();
  Value filter = { .type = filter_type,
                   .rank = 4,
                   .data = w,
                   .size = n_w * pt_xnn_type_size (filter_type),
                   .scale = 0.004f,
                   .zero_point = filter_type == PT_XNN_QU8 ? W_ZERO : 0,
                   .dims = { e.out_c, c->kernel_h, c->kernel_w, c->group_in } };
  guint32 vx, vw, vb, vy;

  for (guint o = 0; o < e.out_c; o++) {
    scales[o] = filter_type == PT_XNN_QU8 ? 0.004f : 0.004f + 0.0003f * (float) o;
    bias_ints[o] = (gint32) (bias_real[o] * 3000.0f);
  }
  if (c->tag == TAG_DEPTHWISE) {
    filter.dims[0] = 1;
    filter.dims[3] = e.out_c;
  }
  if (filter_type == PT_XNN_QC8) {
    filter.scales = scales;
    filter.n_scales = e.out_c;
    filter.channel_dim = c->tag == TAG_DEPTHWISE ? 3 : 0;
  }
  vx = add_quantized (b, dynamic ? PT_XNN_F32 : c->type, 4, in_dims, INPUT, 0, X_SCALE, X_ZERO);
  vw = builder_value (b, filter);
  if (is_static)
    vb = builder_value (b, (Value){ .type = PT_XNN_QC32,
                                    .rank = 1,
                                    .dims = { e.out_c },
                                    .data = bias_ints,
                                    .size = e.out_c * 4,
                                    .scales = scales,
                                    .n_scales = e.out_c });
  else
    vb = builder_constant (b, PT_XNN_F32, 1, DIMS (e.out_c), bias, e.out_c * 4);
  vy = add_quantized (b, out_type, 4, out_dims, OUTPUT, 1, Y_SCALE, Y_ZERO);
  if (dynamic) {
    guint32 vq = builder_value (b, (Value){ .type = PT_XNN_QD8,
                                            .rank = 4,
                                            .dims = { c->batch, c->h, c->w, e.in_c },
                                            .n_nonbatch = 3 });

    builder_simple (b, TAG_CONVERT, 2, (guint32[]){ vx, vq });
    vx = vq;
    for (guint i = 0; i < c->batch; i++) {
      quantize_row (x_real + i * item, item, q, &row_scale[i]);
      for (gsize k = 0; k < item; k++)
        x_real[i * item + k] = (float) q[k];
    }
  }
  builder_node (
      b, (Node){ .tag = c->tag,
                 .n_slots = 19,
                 .slots = { c->top, c->right, c->bottom, c->left, c->kernel_h, c->kernel_w,
                            c->stride_h, c->stride_w, c->dilation_h, c->dilation_w, c->group_in,
                            c->group_out, c->groups, c->adjust_h, c->adjust_w, vx, vw, vb, vy } });
  convolve (c, &e, x_real, w_real, sums);
  for (gsize i = 0; i < n_y; i++) {
    gsize o = i % e.out_c;

    if (is_static)
      want[i] = store_q8 (c->type, (float) (sums[i] + bias_ints[o]), scales[o]);
    else if (dynamic)
      want[i] = (float) sums[i] * row_scale[i / (n_y / c->batch)] * scales[o] + bias_real[o];
    else
      want[i] = (float) sums[i] + bias_real[o];
  }
  run_graph (b, (PtTensor *[]){ &in, &out }, 2);
  load (out_type, n_y, y, 1.0f, 0, got);
  check (got, want, n_y, is_static ? 0.0f : c->type == PT_XNN_F16 ? 2e-3f : 1e-5f, c->name);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (products); i++) {
    g_autofree char *path = g_strdup_printf ("/xnnpack/fully-connected/%s", products[i].name);

    g_test_add_data_func (path, &products[i], test_product);
  }
  for (guint i = 0; i < G_N_ELEMENTS (convs); i++) {
    g_autofree char *path = g_strdup_printf ("/xnnpack/convolution/%s", convs[i].name);

    g_test_add_data_func (path, &convs[i], test_conv);
  }
  return g_test_run ();
}
