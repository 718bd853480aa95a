/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolution of one and two dimensions, plain and transposed (docs/formats/operators.md, section
 * 8.1). */
#include <math.h>

#include "engine/kernels/gemm.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

/* Most elements in the patches that are made at once; they stay in the L2 cache. */
#define PATCH_NUMBERS (256 * 1024)

/* All tensors are dense: [n, channels, height, width]. Index 0 is height, 1 is width. */
typedef struct {
  PtCompute compute;
  gsize n, in_channels, out_channels, groups;
  gsize in[2], out[2], kernel[2];
  gint64 stride[2], padding[2], dilation[2];
  gboolean transposed;
  const guint8 *x, *w, *bias; /* bias may be NULL */
  guint8 *y;
} Convolution;

/*
 * The outputs [begin, end) along one dimension that read an input through tap @tap, and the input
 * of the first one.
 */
static void
tap_range (const Convolution *c, guint dim, gsize tap, gint64 *begin, gint64 *end, gint64 *first)
{
  gint64 shift = (gint64) tap * c->dilation[dim] - c->padding[dim], stride = c->stride[dim];
  gint64 last = (gint64) c->in[dim] - 1 - shift;

  *begin = shift < 0 ? (-shift + stride - 1) / stride : 0;
  *end = last < 0 ? 0 : MIN (last / stride + 1, (gint64) c->out[dim]);
  *first = *begin * stride + shift;
}

/*
 * Computes one output plane from its input planes, tap by tap, for depthwise convolutions and
 * dtypes without a matrix product.
 */
#define DEFINE_PLANE(name, T, add)                                      \
  static void name (const Convolution *c, const T *w, const T *x, T *y) \
  {                                                                     \
    gsize channels = c->in_channels / c->groups;                        \
                                                                        \
    for (gsize i = 0; i < channels; i++, x += c->in[0] * c->in[1])      \
      for (gsize ky = 0; ky < c->kernel[0]; ky++)                       \
        for (gsize kx = 0; kx < c->kernel[1]; kx++, w++) {              \
          gint64 y0, y1, in_y, x0, x1, in_x;                            \
          T weight = *w;                                                \
                                                                        \
          tap_range (c, 0, ky, &y0, &y1, &in_y);                        \
          tap_range (c, 1, kx, &x0, &x1, &in_x);                        \
          for (gint64 oy = y0; oy < y1; oy++, in_y += c->stride[0]) {   \
            const T *from = x + in_y * (gint64) c->in[1] + in_x;        \
            T *to = y + oy * (gint64) c->out[1];                        \
                                                                        \
            if (c->stride[1] == 1)                                      \
              for (gint64 ox = x0; ox < x1; ox++)                       \
                add (to[ox], weight, from[ox - x0]);                    \
            else                                                        \
              for (gint64 ox = x0; ox < x1; ox++, from += c->stride[1]) \
                add (to[ox], weight, *from);                            \
          }                                                             \
        }                                                               \
  }

/* The same for a transposed convolution: each input element adds to the outputs that it reaches. */
#define DEFINE_TRANSPOSED_PLANE(name, T, add)                                         \
  static void name (const Convolution *c, const T *w, const T *x, T *y)               \
  {                                                                                   \
    gsize channels = c->in_channels / c->groups, taps = c->kernel[0] * c->kernel[1];  \
    gsize w_stride = c->out_channels / c->groups * taps;                              \
                                                                                      \
    for (gsize i = 0; i < channels; i++, x += c->in[0] * c->in[1], w += w_stride)     \
      for (gsize tap = 0; tap < taps; tap++)                                          \
        for (gsize iy = 0; iy < c->in[0]; iy++) {                                     \
          gint64 oy = (gint64) iy * c->stride[0] +                                    \
                      (gint64) (tap / c->kernel[1]) * c->dilation[0] - c->padding[0]; \
          gint64 ox = (gint64) (tap % c->kernel[1]) * c->dilation[1] - c->padding[1]; \
                                                                                      \
          if (oy < 0 || oy >= (gint64) c->out[0])                                     \
            continue;                                                                 \
          for (gsize ix = 0; ix < c->in[1]; ix++, ox += c->stride[1])                 \
            if (ox >= 0 && ox < (gint64) c->out[1])                                   \
              add (y[oy * (gint64) c->out[1] + ox], w[tap], x[iy * c->in[1] + ix]);   \
        }                                                                             \
  }

#define ADD_FLOATING(y, w, x) y += (w) * (x)
#define ADD_INTEGER(y, w, x) y = (gint64) ((guint64) (y) + (guint64) (w) * (guint64) (x))

/* clang-format off */
DEFINE_PLANE (plane_f32, float, ADD_FLOATING)
DEFINE_PLANE (plane_f64, double, ADD_FLOATING)
DEFINE_PLANE (plane_i64, gint64, ADD_INTEGER)
DEFINE_TRANSPOSED_PLANE (transposed_plane_f32, float, ADD_FLOATING)
DEFINE_TRANSPOSED_PLANE (transposed_plane_f64, double, ADD_FLOATING)
DEFINE_TRANSPOSED_PLANE (transposed_plane_i64, gint64, ADD_INTEGER)
/* clang-format on */

#define DEFINE_PLANES(name, T, plane, transposed_plane)                                         \
  static void name (gpointer data, gsize begin, gsize end, guint worker)                        \
  {                                                                                             \
    const Convolution *c = data;                                                                \
    gsize in_group = c->in_channels / c->groups, out_group = c->out_channels / c->groups;       \
    gsize taps = c->kernel[0] * c->kernel[1], out_plane = c->out[0] * c->out[1];                \
                                                                                                \
    for (gsize i = begin; i < end; i++) {                                                       \
      gsize oc = i % c->out_channels, g = oc / out_group;                                       \
      const T *x = (const T *) c->x +                                                           \
                   (i / c->out_channels * c->in_channels + g * in_group) * c->in[0] * c->in[1]; \
      T *y = (T *) c->y + i * out_plane;                                                        \
      T bias = c->bias != NULL ? ((const T *) c->bias)[oc] : 0;                                 \
                                                                                                \
      for (gsize j = 0; j < out_plane; j++)                                                     \
        y[j] = c->transposed ? bias : 0;                                                        \
      if (c->transposed) {                                                                      \
        transposed_plane (                                                                      \
            c, (const T *) c->w + (g * in_group * out_group + oc % out_group) * taps, x, y);    \
        continue;                                                                               \
      }                                                                                         \
      plane (c, (const T *) c->w + oc * in_group * taps, x, y);                                 \
      for (gsize j = 0; j < out_plane && c->bias != NULL; j++)                                  \
        y[j] += bias;                                                                           \
    }                                                                                           \
  }

/* clang-format off */
DEFINE_PLANES (planes_f32, float, plane_f32, transposed_plane_f32)
DEFINE_PLANES (planes_f64, double, plane_f64, transposed_plane_f64)
DEFINE_PLANES (planes_i64, gint64, plane_i64, transposed_plane_i64)
/* clang-format on */

static void
convolve_planes (PtPool *pool, Convolution *c)
{
  static const PtPoolTask tasks[PT_N_COMPUTES] = { planes_i64, planes_f32, planes_f64 };

  pt_pool_run (pool, c->n * c->out_channels, 1, tasks[c->compute], c);
}

/* Float convolutions are matrix products of the weights with patches of the input. */
typedef struct {
  const Convolution *c;
  const float *x; /* input channels of one group */
  float *patches; /* [taps of all channels, positions] */
  gsize first, n; /* output positions */
} Patches;

/* Row @row of the patches: the inputs of one tap of one channel for every output position. */
static void
patch_rows (gpointer data, gsize begin, gsize end, guint worker)
{
  const Patches *p = data;
  const Convolution *c = p->c;
  gsize taps = c->kernel[0] * c->kernel[1];

  for (gsize row = begin; row < end; row++) {
    const float *x = p->x + row / taps * c->in[0] * c->in[1];
    float *to = p->patches + row * p->n;
    gsize tap = row % taps;
    gint64 y0, y1, x0, x1, first_y, first_x;

    tap_range (c, 0, tap / c->kernel[1], &y0, &y1, &first_y);
    tap_range (c, 1, tap % c->kernel[1], &x0, &x1, &first_x);
    for (gsize at = p->first, last = p->first + p->n; at < last;) {
      gint64 oy = (gint64) (at / c->out[1]), ox = (gint64) (at % c->out[1]);
      gint64 stop = MIN ((gint64) c->out[1], ox + (gint64) (last - at));
      gboolean outside = oy < y0 || oy >= y1 || x0 >= x1;
      const float *from =
          outside ? x : x + (first_y + (oy - y0) * c->stride[0]) * (gint64) c->in[1] + first_x;

      at += (gsize) (stop - ox);
      for (; ox < stop && (outside || ox < x0); ox++)
        *to++ = 0;
      if (c->stride[1] == 1)
        for (; ox < MIN (stop, x1); ox++)
          *to++ = from[ox - x0];
      else
        for (; ox < MIN (stop, x1); ox++)
          *to++ = from[(ox - x0) * c->stride[1]];
      for (; ox < stop; ox++)
        *to++ = 0;
    }
  }
}

static void
add_bias_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Convolution *c = data;
  gsize plane = c->out[0] * c->out[1];

  for (gsize i = begin; i < end; i++) {
    float bias = ((const float *) c->bias)[i % c->out_channels];
    float *y = (float *) c->y + i * plane;

    for (gsize j = 0; j < plane; j++)
      y[j] += bias;
  }
}

static gboolean
is_pointwise (const Convolution *c)
{
  for (guint i = 0; i < 2; i++)
    if (c->kernel[i] != 1 || c->stride[i] != 1 || c->padding[i] != 0)
      return FALSE;
  return TRUE;
}

static gboolean
convolve_by_product (PtExecution *execution, Convolution *c, GError **error)
{
  static const PtEpilogue none = { NULL, -INFINITY, INFINITY };
  PtPool *pool = pt_execution_pool (execution);
  gsize in_group = c->in_channels / c->groups, out_group = c->out_channels / c->groups;
  gsize rows = in_group * c->kernel[0] * c->kernel[1], positions = c->out[0] * c->out[1];
  gsize step = MIN (MAX (PATCH_NUMBERS / rows, 64), positions);
  gboolean pointwise = is_pointwise (c);
  Patches p = { .c = c };

  if (!pointwise) {
    p.patches = pt_execution_scratch (execution, rows * step * sizeof (float), error);
    if (p.patches == NULL)
      return FALSE;
  }
  for (gsize i = 0; i < c->n * c->groups; i++) {
    const float *w = (const float *) c->w + i % c->groups * out_group * rows;
    float *y = (float *) c->y + i * out_group * positions;

    p.x = (const float *) c->x + i * in_group * c->in[0] * c->in[1];
    if (pointwise) {
      pt_gemm_f32 (pool, out_group, positions, rows, w, rows, p.x, positions, FALSE, &none, y,
                   positions);
      continue;
    }
    for (p.first = 0; p.first < positions; p.first += step) {
      p.n = MIN (step, positions - p.first);
      pt_pool_run (pool, rows, MAX (1, 16384 / p.n), patch_rows, &p);
      pt_gemm_f32 (pool, out_group, p.n, rows, w, rows, p.patches, p.n, FALSE, &none, y + p.first,
                   positions);
    }
  }
  if (c->bias != NULL)
    pt_pool_run (pool, c->n * c->out_channels, MAX (1, 16384 / positions), add_bias_range, c);
  return TRUE;
}

/* Reads a number for each spatial dimension. In one dimension out[0], the height, is @fallback. */
static gboolean
arg_spatial (const PtValue *value, const char *what, guint n, gint64 fallback, gint64 min,
             gint64 *out, GError **error)
{
  gint64 numbers[2];

  if (!pt_arg_ints_n (value, what, numbers, n, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    PT_CHECK (numbers[i] >= min && numbers[i] <= G_MAXINT32, "'%s' has an impossible number.",
              what);
  out[0] = n == 2 ? numbers[0] : fallback;
  out[1] = numbers[n - 1];
  return TRUE;
}

static gboolean
plan_sizes (Convolution *c, const PtView *in, const PtView *weight, const gint64 *extra,
            GError **error)
{
  c->n = (gsize) in->sizes[0];
  c->in_channels = (gsize) in->sizes[1];
  PT_CHECK ((gsize) weight->sizes[0] % c->groups == 0 && c->in_channels % c->groups == 0,
            "The channels of a convolution do not divide into its groups.");
  if (c->transposed) {
    PT_CHECK ((gsize) weight->sizes[0] == c->in_channels,
              "The weights of a convolution do not fit its input.");
    c->out_channels = (gsize) weight->sizes[1] * c->groups;
  } else {
    PT_CHECK ((gsize) weight->sizes[1] * c->groups == c->in_channels,
              "The weights of a convolution do not fit its input.");
    c->out_channels = (gsize) weight->sizes[0];
  }
  for (guint i = 0; i < 2; i++) {
    gint64 size = in->sizes[i + 2], kernel = weight->sizes[i + 2], reach, out;

    PT_CHECK (kernel > 0, "A convolution needs a kernel.");
    reach = c->dilation[i] * (kernel - 1);
    if (c->transposed) {
      PT_CHECK (extra[i] < MAX (c->stride[i], c->dilation[i]), "'output_padding' is too large.");
      out = (size - 1) * c->stride[i] - 2 * c->padding[i] + reach + extra[i] + 1;
    } else {
      out = size + 2 * c->padding[i] - reach - 1;
      out = out < 0 ? 0 : out / c->stride[i] + 1;
    }
    PT_CHECK (out > 0 && out <= G_MAXINT32, "A convolution would have no output.");
    c->in[i] = (gsize) size;
    c->kernel[i] = (gsize) kernel;
    c->out[i] = (gsize) out;
  }
  return TRUE;
}

static gboolean
arg_geometry (PtValue *const *args, guint n, const PtView *in, const PtView *weight, Convolution *c,
              GError **error)
{
  gint64 extra[2], groups;

  if (!arg_spatial (args[3], "stride", n, 1, 1, c->stride, error) ||
      !arg_spatial (args[4], "padding", n, 0, 0, c->padding, error) ||
      !arg_spatial (args[5], "dilation", n, 1, 1, c->dilation, error) ||
      !pt_value_bool (args[6], "transposed", &c->transposed, error) ||
      !arg_spatial (args[7], "output_padding", n, 0, 0, extra, error) ||
      !pt_value_int (args[8], "groups", &groups, error))
    return FALSE;
  PT_CHECK (groups > 0 && groups <= G_MAXINT32, "A convolution needs at least one group.");
  c->groups = (gsize) groups;
  return plan_sizes (c, in, weight, extra, error);
}

static gboolean
arg_bias (PtExecution *execution, const PtValue *value, Convolution *c, GError **error)
{
  PtView bias;
  gboolean present;

  if (!pt_arg_optional_view (value, "bias", PT_RH, &bias, &present, error))
    return FALSE;
  if (!present)
    return TRUE;
  PT_CHECK (bias.numel == c->out_channels, "The bias of a convolution does not fit its channels.");
  if (!pt_make_dense (execution, pt_compute_dtype (c->compute), &bias, error))
    return FALSE;
  c->bias = bias.data;
  return TRUE;
}

PT_KERNEL (convolution_out)
{
  Convolution c = { 0 };
  PtView in, weight, out, work;
  gint64 sizes[4];
  guint n;
  PtDType dtype;

  if (!pt_arg_view (args[0], "input", PT_RH, &in, error) ||
      !pt_arg_view (args[1], "weight", 1u << in.dtype, &weight, error))
    return FALSE;
  PT_CHECK ((in.rank == 3 || in.rank == 4) && weight.rank == in.rank,
            "A convolution has one or two spatial dimensions.");
  n = in.rank - 2;
  if (n == 1) {
    pt_view_insert (&in, 2, 1, 0);
    pt_view_insert (&weight, 2, 1, 0);
  }
  c.compute = pt_compute_of (in.dtype);
  dtype = pt_compute_dtype (c.compute);
  if (!arg_geometry (args, n, &in, &weight, &c, error) || !arg_bias (execution, args[2], &c, error))
    return FALSE;
  sizes[0] = (gint64) c.n, sizes[1] = (gint64) c.out_channels;
  sizes[2] = (gint64) c.out[0], sizes[n + 1] = (gint64) c.out[1];
  if (!pt_arg_out (args[9], 1u << in.dtype, n + 2, sizes, &out, error) ||
      !pt_make_dense (execution, dtype, &in, error) ||
      !pt_make_dense (execution, dtype, &weight, error) ||
      !pt_make_work (execution, dtype, &out, &work, error))
    return FALSE;
  if (out.numel == 0)
    return TRUE;
  c.x = in.data;
  c.w = weight.data;
  c.y = work.data;
  if (c.compute == PT_COMPUTE_F32 && !c.transposed && c.in_channels > c.groups) {
    if (!convolve_by_product (execution, &c, error))
      return FALSE;
  } else {
    convolve_planes (pt_execution_pool (execution), &c);
  }
  return pt_finish_work (execution, &out, &work, error);
}

static const PtOperator operators[] = {
  { "aten::convolution.out", convolution_out, 11, 9, 1 },
};

const PtOperatorFamily pt_convolution_family = { operators, G_N_ELEMENTS (operators) };
