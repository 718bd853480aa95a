/* SPDX-License-Identifier: BSD-3-Clause */
/* Resizing images and sampling them on a grid (docs/formats/operators.md, section 17). */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/operators/families.h"
#include "engine/operators/move.h"

/* One axis of a resize: the inputs of each output, and their weights. */
typedef struct {
  gint64 in, out;
  float ratio;
  gboolean align_corners;
  guint taps;      /* taps of each output */
  gint32 *sources; /* [out, taps] */
  float *weights;  /* [out, taps] */
} Axis;

static gboolean
take_taps (PtExecution *execution, Axis *axis, guint taps, GError **error)
{
  gsize n = (gsize) axis->out * taps;

  axis->taps = taps;
  axis->sources = pt_execution_scratch (execution, n * sizeof *axis->sources + 1, error);
  axis->weights = pt_execution_scratch (execution, n * sizeof *axis->weights + 1, error);
  return axis->sources != NULL && axis->weights != NULL;
}

/* Sets the ratio of input to output. @scale: the enlargement; 0: computed from the sizes. */
static void
set_ratio (Axis *axis, double scale)
{
  if (axis->align_corners)
    axis->ratio =
        axis->out > 1 ? (float) ((double) (axis->in - 1) / (double) (axis->out - 1)) : 0.0f;
  else
    axis->ratio = (float) (scale > 0 ? 1.0 / scale : (double) axis->in / (double) axis->out);
}

static void
set_bilinear (Axis *axis)
{
  for (gint64 o = 0; o < axis->out; o++) {
    float source = axis->align_corners ? axis->ratio * (float) o
                                       : MAX (axis->ratio * ((float) o + 0.5f) - 0.5f, 0.0f);
    gint64 first = MIN ((gint64) source, axis->in - 1);
    float weight = CLAMP (source - (float) first, 0.0f, 1.0f);

    if (axis->in == axis->out) {
      first = o;
      weight = 0;
    }
    axis->sources[2 * o] = (gint32) first;
    axis->sources[2 * o + 1] = (gint32) (first + (first < axis->in - 1));
    axis->weights[2 * o] = 1.0f - weight;
    axis->weights[2 * o + 1] = weight;
  }
}

static guint
antialias_taps (const Axis *axis)
{
  gint64 taps = (gint64) ceilf (MAX (axis->ratio, 1.0f)) * 2 + 1;

  return (guint) MIN (taps, axis->in);
}

/* Triangle weights, over as many inputs as one output covers. */
static void
set_antialias (Axis *axis)
{
  float support = MAX (axis->ratio, 1.0f), inverse = MIN (1.0f, 1.0f / axis->ratio);

  for (gint64 o = 0; o < axis->out; o++) {
    float center = axis->ratio * ((float) o + 0.5f), sum = 0;
    gint64 first = MAX ((gint64) (center - support + 0.5f), 0);
    gint64 last = MIN ((gint64) (center + support + 0.5f), axis->in);
    gint32 *sources = axis->sources + o * axis->taps;
    float *weights = axis->weights + o * axis->taps;

    for (guint i = 0; i < axis->taps; i++) {
      gboolean inside = first + i < last;

      sources[i] = (gint32) (inside ? first + i : 0);
      weights[i] =
          inside ? MAX (0.0f, 1.0f - fabsf (((float) (first + i) - center + 0.5f) * inverse)) : 0;
      sum += weights[i];
    }
    for (guint i = 0; i < axis->taps && sum > 0; i++)
      weights[i] /= sum;
    if (!(sum > 0)) {
      sources[0] = (gint32) CLAMP ((gint64) center, 0, axis->in - 1);
      weights[0] = 1;
    }
  }
}

typedef struct {
  const Axis *axes; /* height, width */
  const double *x;
  double *y;
} Resize;

static void
resize_rows (gpointer data, gsize begin, gsize end, guint worker)
{
  const Resize *job = data;
  const Axis *height = &job->axes[0], *width = &job->axes[1];

  for (gsize row = begin; row < end; row++) {
    gsize oy = row % (gsize) height->out;
    const double *x = job->x + row / (gsize) height->out * (gsize) (height->in * width->in);
    double *y = job->y + row * (gsize) width->out;

    for (gint64 ox = 0; ox < width->out; ox++) {
      const gint32 *columns = width->sources + ox * width->taps;
      const float *weights = width->weights + ox * width->taps;
      double sum = 0;

      for (guint i = 0; i < height->taps; i++) {
        const double *from = x + height->sources[oy * height->taps + i] * width->in;
        float weight = height->weights[oy * height->taps + i];
        double part = 0;

        if (weight == 0)
          continue;
        for (guint j = 0; j < width->taps; j++)
          if (weights[j] != 0)
            part += from[columns[j]] * (double) weights[j];
        sum += part * (double) weight;
      }
      y[ox] = sum;
    }
  }
}

static gboolean
resize (PtExecution *execution, Axis *axes, PtView *in, const PtView *out, GError **error)
{
  Resize job = { axes };
  PtView y;

  if (!pt_make_dense (execution, PT_DTYPE_F64, in, error) ||
      !pt_make_work (execution, PT_DTYPE_F64, out, &y, error))
    return FALSE;
  job.x = (const double *) in->data;
  job.y = (double *) y.data;
  pt_pool_run (pt_execution_pool (execution), out->numel / (gsize) axes[1].out,
               (gsize) MAX (1, 4096 / axes[1].out), resize_rows, &job);
  return pt_finish_work (execution, out, &y, error);
}

/* Reads output sizes or scale factors for two axes; exactly one of them is given. */
static gboolean
arg_output_size (const PtValue *size_value, const PtValue *scale_value, const PtView *in,
                 Axis *axes, double *scales, GError **error)
{
  gint64 sizes[2];

  PT_CHECK (in->rank == 4 && in->sizes[2] > 0 && in->sizes[3] > 0,
            "Only pictures of four dimensions can be resized.");
  PT_CHECK (pt_value_is_none (size_value) != pt_value_is_none (scale_value),
            "A resize needs either sizes or factors.");
  scales[0] = scales[1] = 0;
  if (!pt_value_is_none (size_value)) {
    if (!pt_arg_ints_n (size_value, "output_size", sizes, 2, error))
      return FALSE;
  } else {
    if (scale_value->kind != PT_VALUE_DOUBLE_LIST || scale_value->as_doubles.count != 2)
      return pt_fail (error, PT_ERROR_TYPE, "'scale_factors' must be two numbers.");
    for (guint i = 0; i < 2; i++) {
      scales[i] = scale_value->as_doubles.items[i];
      PT_CHECK (scales[i] > 0 && scales[i] <= G_MAXINT32, "A factor must be positive.");
      sizes[i] = (gint64) ((double) in->sizes[i + 2] * scales[i]);
    }
  }
  for (guint i = 0; i < 2; i++) {
    PT_CHECK (sizes[i] > 0 && sizes[i] <= G_MAXINT32, "A picture cannot have this size.");
    axes[i].in = in->sizes[i + 2];
    axes[i].out = sizes[i];
  }
  return TRUE;
}

static gboolean
arg_resized (const PtValue *out_value, const PtView *in, const Axis *axes, PtView *out,
             GError **error)
{
  gint64 sizes[4] = { in->sizes[0], in->sizes[1], axes[0].out, axes[1].out };

  return pt_arg_out (out_value, 1u << in->dtype, 4, sizes, out, error);
}

PT_KERNEL (upsample_bilinear2d_out)
{
  Axis axes[2] = { 0 };
  PtView in, out;
  double scales[2];
  gboolean align;

  if (!pt_arg_view (args[0], "input", PT_RH, &in, error) ||
      !arg_output_size (args[1], args[3], &in, axes, scales, error) ||
      !pt_value_bool (args[2], "align_corners", &align, error) ||
      !arg_resized (args[4], &in, axes, &out, error))
    return FALSE;
  if (out.numel == 0)
    return TRUE;
  for (guint i = 0; i < 2; i++) {
    axes[i].align_corners = align;
    set_ratio (&axes[i], scales[i]);
    if (!take_taps (execution, &axes[i], 2, error))
      return FALSE;
    set_bilinear (&axes[i]);
  }
  return resize (execution, axes, &in, &out, error);
}

PT_KERNEL (upsample_nearest2d_out)
{
  Axis axes[2] = { 0 };
  const gint32 *maps[4] = { NULL };
  PtView in, out;
  double scales[2];

  if (!pt_arg_view (args[0], "input", PT_ANY, &in, error) ||
      !arg_output_size (args[1], args[2], &in, axes, scales, error) ||
      !arg_resized (args[3], &in, axes, &out, error))
    return FALSE;
  if (out.numel == 0)
    return TRUE;
  for (guint i = 0; i < 2; i++) {
    set_ratio (&axes[i], scales[i]);
    if (!take_taps (execution, &axes[i], 1, error))
      return FALSE;
    for (gint64 o = 0; o < axes[i].out; o++)
      axes[i].sources[o] = (gint32) MIN ((gint64) ((float) o * axes[i].ratio), axes[i].in - 1);
    maps[i + 2] = axes[i].sources;
  }
  pt_move_mapped (execution, &out, &in, maps);
  return TRUE;
}

PT_KERNEL (upsample_bilinear2d_aa_out)
{
  static const PtValue none = { .kind = PT_VALUE_NONE };
  Axis axes[2] = { 0 };
  PtView in, out;
  double scales[2], given[2] = { 0, 0 };
  gboolean align;

  if (!pt_arg_view (args[0], "self", PT_RH, &in, error) ||
      !arg_output_size (args[1], &none, &in, axes, scales, error) ||
      !pt_value_bool (args[2], "align_corners", &align, error))
    return FALSE;
  if (!pt_value_is_none (args[3]) && !pt_value_is_none (args[4])) {
    if (!pt_value_double (args[3], "scales_h", &given[0], error) ||
        !pt_value_double (args[4], "scales_w", &given[1], error))
      return FALSE;
    PT_CHECK (given[0] > 1e-6 && given[1] > 1e-6, "A factor must be positive.");
  }
  if (!arg_resized (args[5], &in, axes, &out, error))
    return FALSE;
  if (out.numel == 0)
    return TRUE;
  for (guint i = 0; i < 2; i++) {
    axes[i].align_corners = align;
    set_ratio (&axes[i], given[i]);
    if (!take_taps (execution, &axes[i], antialias_taps (&axes[i]), error))
      return FALSE;
    set_antialias (&axes[i]);
  }
  return resize (execution, axes, &in, &out, error);
}

/* Sampling on a grid. */

typedef enum { GRID_BILINEAR, GRID_NEAREST, GRID_BICUBIC } GridMode;

typedef enum { GRID_ZEROS, GRID_BORDER, GRID_REFLECTION } GridPadding;

typedef struct {
  GridMode mode;
  GridPadding padding;
  gboolean align;
  gint64 channels, height, width, out_height, out_width;
  const double *x, *grid;
  double *y;
} Grid;

/* Reflects @v back and forth between @low and @high. */
static double
reflect (double v, double low, double high)
{
  double span = high - low, folded, times;

  if (span <= 0)
    return 0;
  v = fabs (v - low);
  folded = fmod (v, span);
  times = floor (v / span);
  return fmod (times, 2) == 0 ? folded + low : span - folded + low;
}

static double
pad_coordinate (const Grid *g, double v, gint64 n)
{
  if (g->padding == GRID_ZEROS)
    return v;
  if (g->padding == GRID_REFLECTION)
    v = g->align ? reflect (v, 0, (double) (n - 1)) : reflect (v, -0.5, (double) n - 0.5);
  /* NaN takes this branch, too. */
  return v > 0 ? MIN (v, (double) (n - 1)) : 0;
}

static double
unnormalize (const Grid *g, double v, gint64 n)
{
  return g->align ? (v + 1) / 2 * (double) (n - 1) : ((v + 1) * (double) n - 1) / 2;
}

/* The value of a pixel; 0 outside of the image. */
static double
pixel (const Grid *g, const double *x, double row, double column)
{
  if (!(row >= 0 && row < (double) g->height && column >= 0 && column < (double) g->width))
    return 0;
  return x[(gint64) row * g->width + (gint64) column];
}

static void
cubic_weights (double t, double *weights)
{
  const double a = -0.75;
  double distances[4] = { t + 1, t, 1 - t, 2 - t };

  for (guint i = 0; i < 4; i++) {
    double d = distances[i];

    weights[i] = i == 1 || i == 2 ? ((a + 2) * d - (a + 3)) * d * d + 1
                                  : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  }
}

static double
sample (const Grid *g, const double *x, double row, double column)
{
  double r0, c0, sum = 0, wr[4], wc[4];

  if (g->mode == GRID_BICUBIC) {
    r0 = floor (row), c0 = floor (column);
    cubic_weights (row - r0, wr);
    cubic_weights (column - c0, wc);
    for (gint i = 0; i < 4; i++)
      for (gint j = 0; j < 4; j++)
        sum += wr[i] * wc[j] *
               pixel (g, x, pad_coordinate (g, r0 - 1 + i, g->height),
                      pad_coordinate (g, c0 - 1 + j, g->width));
    return sum;
  }
  row = pad_coordinate (g, row, g->height);
  column = pad_coordinate (g, column, g->width);
  if (g->mode == GRID_NEAREST)
    return pixel (g, x, nearbyint (row), nearbyint (column));
  r0 = floor (row), c0 = floor (column);
  return pixel (g, x, r0, c0) * (r0 + 1 - row) * (c0 + 1 - column) +
         pixel (g, x, r0, c0 + 1) * (r0 + 1 - row) * (column - c0) +
         pixel (g, x, r0 + 1, c0) * (row - r0) * (c0 + 1 - column) +
         pixel (g, x, r0 + 1, c0 + 1) * (row - r0) * (column - c0);
}

/* Item: one image. */
static void
grid_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Grid *g = data;
  gsize outputs = (gsize) (g->out_height * g->out_width), plane = (gsize) (g->height * g->width);

  for (gsize n = begin; n < end; n++)
    for (gsize i = 0; i < outputs; i++) {
      const double *at = g->grid + 2 * (n * outputs + i);
      double column = unnormalize (g, at[0], g->width), row = unnormalize (g, at[1], g->height);

      for (gsize c = 0; c < (gsize) g->channels; c++) {
        gsize p = n * (gsize) g->channels + c;

        g->y[p * outputs + i] = sample (g, g->x + p * plane, row, column);
      }
    }
}

PT_KERNEL (grid_sampler_2d_out)
{
  PtView in, grid, out, y;
  gint64 mode, padding, sizes[4];
  Grid g;

  if (!pt_arg_view (args[0], "input", PT_FL, &in, error) ||
      !pt_arg_view (args[1], "grid", 1u << in.dtype, &grid, error) ||
      !pt_value_int (args[2], "interpolation_mode", &mode, error) ||
      !pt_value_int (args[3], "padding_mode", &padding, error) ||
      !pt_value_bool (args[4], "align_corners", &g.align, error))
    return FALSE;
  PT_CHECK (in.rank == 4 && grid.rank == 4 && grid.sizes[0] == in.sizes[0] && grid.sizes[3] == 2 &&
                in.sizes[2] > 0 && in.sizes[3] > 0,
            "A grid does not fit its pictures.");
  PT_CHECK (mode >= 0 && mode <= GRID_BICUBIC && padding >= 0 && padding <= GRID_REFLECTION,
            "There is no such mode of sampling.");
  sizes[0] = in.sizes[0], sizes[1] = in.sizes[1];
  sizes[2] = grid.sizes[1], sizes[3] = grid.sizes[2];
  if (!pt_arg_out (args[5], 1u << in.dtype, 4, sizes, &out, error) ||
      !pt_make_dense (execution, PT_DTYPE_F64, &in, error) ||
      !pt_make_dense (execution, PT_DTYPE_F64, &grid, error) ||
      !pt_make_work (execution, PT_DTYPE_F64, &out, &y, error))
    return FALSE;
  g.mode = (GridMode) mode;
  g.padding = (GridPadding) padding;
  g.channels = sizes[1], g.height = in.sizes[2], g.width = in.sizes[3];
  g.out_height = sizes[2], g.out_width = sizes[3];
  g.x = (const double *) in.data;
  g.grid = (const double *) grid.data;
  g.y = (double *) y.data;
  if (out.numel > 0)
    pt_pool_run (pt_execution_pool (execution), (gsize) sizes[0], 1, grid_range, &g);
  return pt_finish_work (execution, &out, &y, error);
}

static const PtOperator operators[] = {
  { "aten::_upsample_bilinear2d_aa.out", upsample_bilinear2d_aa_out, 7, 5, 1 },
  { "aten::grid_sampler_2d.out", grid_sampler_2d_out, 7, 5, 1 },
  { "aten::upsample_bilinear2d.vec_out", upsample_bilinear2d_out, 6, 4, 1 },
  { "aten::upsample_nearest2d.vec_out", upsample_nearest2d_out, 5, 3, 1 },
};

const PtOperatorFamily pt_resample_family = { operators, G_N_ELEMENTS (operators) };
