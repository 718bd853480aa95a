/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/xnnpack/xnn-convolution.h"

/*
 * A transposed convolution with stride s spreads its inputs: an output row reads only the taps
 * whose distance to it is a multiple of s. Output rows with equal remainders modulo s read the same
 * taps. So each pair of remainders (of row and column) is a dense convolution with a part of the
 * filter.
 */

/* Larger strides, which no real model has, are computed as one phase that multiplies zeros. */
#define MAX_PHASES 64

#define GRAIN_BYTES (64 * 1024)

static gsize
greatest_divisor (gsize a, gsize b)
{
  while (b != 0) {
    gsize rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

/* The taps with tap * @dilation = @rest modulo @stride: from @first on, every @step-th. */
static gsize
find_taps (gsize kernel, gsize stride, gsize dilation, gsize rest, gsize *first, gsize *step)
{
  *step = stride / greatest_divisor (stride, dilation);
  for (*first = 0; *first < MIN (*step, kernel); ++*first)
    if (*first * dilation % stride == rest)
      return (kernel - *first + *step - 1) / *step;
  /* There is no such tap: use any one, which will find no input. */
  *first = 0;
  return 1;
}

static gboolean
has_phases (const PtXnnNode *node)
{
  const PtXnnWindow *w = &node->window;

  return node->klass->detail == PT_XNN_CONV_TRANSPOSED && w->stride_h <= MAX_PHASES &&
         w->stride_w <= MAX_PHASES && w->stride_h * w->stride_w <= MAX_PHASES;
}

gboolean
pt_xnn_make_phases (PtXnnGraph *graph, PtXnnNode *node, GError **error)
{
  const PtXnnWindow *w = &node->window;
  gsize filter = 0;
  PtXnnConv *conv = node->state;

  conv->step_h = has_phases (node) ? w->stride_h : 1;
  conv->step_w = has_phases (node) ? w->stride_w : 1;
  conv->n_phases = conv->step_h * conv->step_w;
  conv->phases = pt_xnn_graph_alloc (graph, conv->n_phases, sizeof *conv->phases, error);
  if (conv->phases == NULL)
    return FALSE;
  for (gsize i = 0; i < conv->n_phases; i++) {
    PtXnnPhase *p = &conv->phases[i];

    p->rest_y = i / conv->step_w;
    p->rest_x = i % conv->step_w;
    p->n_ky = find_taps (w->kernel_h, conv->step_h, w->dilation_h, p->rest_y, &p->first_ky,
                         &conv->tap_step_h);
    p->n_kx = find_taps (w->kernel_w, conv->step_w, w->dilation_w, p->rest_x, &p->first_kx,
                         &conv->tap_step_w);
    p->k = p->n_ky * p->n_kx * w->group_in;
    p->filter = filter;
    filter += w->groups * w->group_out * p->k;
  }
  return TRUE;
}

/* Copies the taps of a phase that exist in the filter; the others stay zero. */
static void
pack_phase (const PtXnnNode *node, const PtXnnPhase *p, const guint8 *filter, gsize width,
            guint8 *out)
{
  const PtXnnWindow *w = &node->window;
  const PtXnnConv *conv = node->state;
  gsize bytes = w->group_in * width;

  for (gsize o = 0; o < w->groups * w->group_out; o++)
    for (gsize i = 0; i < p->n_ky * p->n_kx; i++, out += bytes) {
      gsize ky = p->first_ky + i / p->n_kx * conv->tap_step_h;
      gsize kx = p->first_kx + i % p->n_kx * conv->tap_step_w;

      if (ky * w->dilation_h % conv->step_h == p->rest_y &&
          kx * w->dilation_w % conv->step_w == p->rest_x)
        memcpy (out, filter + ((o * w->kernel_h + ky) * w->kernel_w + kx) * bytes, bytes);
    }
}

gconstpointer
pt_xnn_pack_phases (PtXnnGraph *graph, const PtXnnNode *node, gconstpointer filter, gsize width,
                    GError **error)
{
  const PtXnnConv *conv = node->state;
  const PtXnnPhase *last = &conv->phases[conv->n_phases - 1];
  gsize n = last->filter + node->window.groups * node->window.group_out * last->k;
  guint8 *out;

  if (conv->n_phases == 1 || filter == NULL)
    return filter;
  out = pt_xnn_graph_alloc (graph, n, width, error);
  for (gsize i = 0; out != NULL && i < conv->n_phases; i++)
    pack_phase (node, &conv->phases[i], filter, width, out + conv->phases[i].filter * width);
  return out;
}

/* The outputs o of @size with (o + @pad) % @step = @rest: from @first on. */
static gsize
find_outputs (gsize size, gsize pad, gsize step, gsize rest, gsize *first)
{
  *first = (rest + step - pad % step) % step;
  return *first < size ? (size - *first + step - 1) / step : 0;
}

gsize
pt_xnn_setup_phases (PtXnnNode *node)
{
  const PtXnnWindow *w = &node->window;
  PtXnnConv *conv = node->state;
  gsize longest = 0;

  for (gsize i = 0; i < conv->n_phases; i++) {
    PtXnnPhase *p = &conv->phases[i];

    p->n_y = find_outputs (conv->out_h, w->pad_top, conv->step_h, p->rest_y, &p->first_y);
    p->n_x = find_outputs (conv->out_w, w->pad_left, conv->step_w, p->rest_x, &p->first_x);
    p->n_pixels = conv->batch * p->n_y * p->n_x;
    longest = MAX (longest, p->k);
  }
  return longest;
}

typedef struct {
  const PtXnnConv *conv;
  const PtXnnPhase *phase;
  gsize begin, pixel; /* pixel: bytes of one pixel */
  const guint8 *from;
  guint8 *to;
} Job;

static void
scatter_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;

  for (gsize i = begin; i < end; i++) {
    gsize item, y, x;

    pt_xnn_phase_pixel (job->conv, job->phase, job->begin + i, &item, &y, &x);
    memcpy (job->to + ((item * job->conv->out_h + y) * job->conv->out_w + x) * job->pixel,
            job->from + i * job->pixel, job->pixel);
  }
}

void
pt_xnn_scatter_pixels (PtPool *pool, const PtXnnNode *node, const PtXnnPhase *phase, gsize begin,
                       gsize count, gsize width, gconstpointer from, gpointer to)
{
  const PtXnnConv *conv = node->state;
  Job job = { conv, phase, begin, conv->out_c * width, from, to };

  pt_pool_run (pool, count, MAX (GRAIN_BYTES / job.pixel, 1), scatter_range, &job);
}
