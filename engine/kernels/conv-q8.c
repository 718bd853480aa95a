/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/kernel-tables.h"
#include "engine/kernels/packed-q8.h"

/*
 * Static 8-bit convolutions without patches. A worker prepares the rows of the input that a band of
 * output rows reads, with their padding. Neighbours in a row of the output read neighbours there, a
 * stride apart, so a tile of them is multiplied in place.
 */

/* Bytes of the prepared rows of a band, which stay in the L2 cache. */
#define BAND_BYTES (256 * 1024)
/* Pieces for each worker, because workers are not equally fast. */
#define PIECES 4
/* Convolutions below this many multiplications are not worth a second thread. */
#define WORK_INLINE (256 * 1024)

void
pt_conv_q8_runs (const PtConvQ8 *conv, PtPackedQ8 *packed)
{
  gboolean is_row = conv->dilation_w == 1;

  packed->runs = is_row ? conv->kernel_h : conv->kernel_h * conv->kernel_w;
  packed->k = is_row ? conv->kernel_w * conv->in_c : conv->in_c;
}

/* Rows of the input that one row of the output reads. */
static gsize
window_rows (const PtConvQ8 *conv)
{
  return (conv->kernel_h - 1) * conv->dilation_h + 1;
}

/* Pixels of a prepared row. */
static gsize
row_pixels (const PtConvQ8 *conv)
{
  gsize reach = (conv->out_w - 1) * conv->stride_w + (conv->kernel_w - 1) * conv->dilation_w + 1;

  return MAX (reach, conv->pad_left + conv->in_w);
}

/* Bytes from one prepared row to the next. */
static gsize
row_stride (const PtConvQ8 *conv)
{
  gsize bytes = row_pixels (conv) * conv->in_c * pt_q8_kernels ()->element;

  return pt_div_up (bytes, PT_Q8_SLACK) * PT_Q8_SLACK + PT_Q8_SLACK;
}

gsize
pt_conv_q8_scratch (const PtConvQ8 *conv)
{
  PtConvQ8 one = *conv;
  gsize size;

  one.out_w = MAX (conv->out_w, 1);
  /* Each factor is checked before it is used. */
  if (!g_size_checked_mul (&size, one.out_w, one.stride_w) || size > G_MAXUINT32 ||
      !g_size_checked_mul (&size, one.kernel_w, one.dilation_w) || size > G_MAXUINT32 ||
      !g_size_checked_mul (&size, one.kernel_h, one.dilation_h) || size > G_MAXUINT32 ||
      one.pad_left > G_MAXUINT32 || one.in_w > G_MAXUINT32 ||
      !g_size_checked_mul (&size, row_pixels (&one), one.in_c) || size > G_MAXSSIZE / 8 ||
      !g_size_checked_mul (&size, row_stride (&one), window_rows (&one)) || size > G_MAXSSIZE / 8)
    return 0;
  return size;
}

typedef struct {
  PtPool *pool;
  const PtConvQ8 *conv;
  const PtPackedQ8 *packed;
  const gint8 *x;
  gint8 *y;
  guint8 *scratch; /* or NULL: that of the pool */
  gsize scratch_size;
  gsize stride;                  /* bytes of a prepared row */
  gsize rows, n_bands;           /* output rows of a band, bands of an image */
  gsize panels, n_column_blocks; /* panels of a block of columns */
  gsize runs[PT_PACKED_Q8_MAX_RUNS];
} Job;

/* Prepares row @iy of an image, or a row of padding. */
static void
prepare_row (const Job *job, const gint8 *image, gsize iy, guint8 *row)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  const PtConvQ8 *c = job->conv;
  gsize left = c->pad_left * c->in_c, n = c->in_w * c->in_c, all = row_pixels (c) * c->in_c;
  gint8 zero = (gint8) job->packed->x_zero;

  if (iy >= c->in_h) {
    kernels->fill_row (all, zero, row);
    return;
  }
  kernels->prepare_row (n, image + iy * n, row + left * kernels->element);
  kernels->fill_row (left, zero, row);
  kernels->fill_row (all - left - n, zero, row + (left + n) * kernels->element);
}

/* The rows that output rows [@oy, @oy + @count) read. */
static void
prepare_band (const Job *job, const gint8 *image, gsize oy, gsize count, guint8 *rows)
{
  const PtConvQ8 *c = job->conv;
  gsize n = (count - 1) * c->stride_h + window_rows (c);

  /* Rows before the first wrap around, so they compare as larger than the last one. */
  for (gsize i = 0; i < n; i++)
    if (i % c->stride_h < window_rows (c))
      prepare_row (job, image, oy * c->stride_h + i - c->pad_top, rows + i * job->stride);
}

/* Do two rows of the output fit a tile? */
static gboolean
are_short_rows (const PtConvQ8 *conv)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();

  return kernels->tile_of_two != NULL && conv->out_w <= kernels->mr / 2;
}

/* Multiplies @count rows of the output with one panel. */
static void
multiply_rows (const Job *job, gsize panel, const guint8 *rows, gsize count, gint8 *y)
{
  const PtQ8Kernels *kernels = pt_q8_kernels ();
  const PtConvQ8 *c = job->conv;
  const PtPackedQ8 *p = job->packed;
  const PtQ8Kernels *own = pt_q8_panel_kernels (p->n - panel * kernels->nr);
  gsize column = panel * kernels->nr, here = MIN (kernels->nr, p->n - column);
  gsize ldx = c->stride_w * c->in_c * kernels->element, next = c->stride_h * job->stride;
  gsize width = pt_div_up (c->out_w, pt_div_up (c->out_w, kernels->mr));
  gboolean are_short = are_short_rows (c);
  const guint8 *weights = p->panels + panel * kernels->panel_size (p->runs, p->k);
  PtQ8Ends ends = { p->y_zero, p->y_min, p->y_max };
  gsize row = 0;

  y += column;
  for (; are_short && row + 2 <= count; row += 2)
    own->tile_of_two (c->out_w, here, p->runs, job->runs, p->k, rows + row * next, ldx, next,
                      weights, &ends, y + row * c->out_w * p->n, p->n);
  for (; row < count; row++)
    for (gsize ox = 0; ox < c->out_w; ox += width)
      own->tile (MIN (width, c->out_w - ox), here, p->runs, job->runs, p->k,
                 rows + row * next + ox * ldx, ldx, weights, &ends,
                 y + (row * c->out_w + ox) * p->n, p->n);
}

/* Item: a block of columns of a band of an image. */
static void
multiply_bands (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtConvQ8 *c = job->conv;
  gsize n_panels = pt_div_up (job->packed->n, pt_q8_kernels ()->nr);
  guint8 *rows = job->scratch != NULL ? job->scratch + worker * job->scratch_size
                                      : pt_pool_scratch (job->pool, worker);

  for (gsize i = begin; i < end; i++) {
    gsize band = i / job->n_column_blocks, panel = i % job->n_column_blocks * job->panels;
    gsize item = band / job->n_bands, oy = band % job->n_bands * job->rows;
    gsize last = MIN (n_panels, panel + job->panels), count = MIN (job->rows, c->out_h - oy);
    gint8 *y = job->y + (item * c->out_h + oy) * c->out_w * job->packed->n;

    prepare_band (job, job->x + item * c->in_h * c->in_w * c->in_c, oy, count, rows);
    for (; panel < last; panel++)
      multiply_rows (job, panel, rows, count, y);
  }
}

/* Chooses enough blocks that all workers finish together; rows are divided before columns. */
static void
choose_blocks (Job *job)
{
  const PtConvQ8 *c = job->conv;
  const PtPackedQ8 *p = job->packed;
  gsize n_panels = pt_div_up (p->n, pt_q8_kernels ()->nr);
  gsize room = MAX (job->scratch_size, BAND_BYTES) / job->stride, window = window_rows (c);
  gsize most = room > window ? (room - window) / c->stride_h + 1 : 1;
  double work = (double) c->batch * (double) c->out_h * (double) c->out_w * (double) p->n *
                (double) p->runs * (double) p->k;
  guint n_workers = work < WORK_INLINE ? 1 : pt_pool_n_workers (job->pool);
  gsize wanted = n_workers > 1 ? PIECES * (gsize) n_workers : 1;
  /* Less than a window of rows would be prepared too often. */
  gsize rows = MAX (pt_div_up (c->out_h, pt_div_up (wanted, c->batch)), window);

  if (are_short_rows (c))
    rows = pt_div_up (rows, 2) * 2;
  job->rows = MIN (MIN (rows, most), c->out_h);
  job->n_bands = pt_div_up (c->out_h, job->rows);
  job->panels = pt_div_up (n_panels, MIN (pt_div_up (wanted, job->n_bands * c->batch), n_panels));
  job->n_column_blocks = pt_div_up (n_panels, job->panels);
}

void
pt_conv_q8 (PtPool *pool, const PtConvQ8 *conv, const PtPackedQ8 *packed, const gint8 *x, gint8 *y,
            gpointer scratch)
{
  gsize size = pt_conv_q8_scratch (conv), element = pt_q8_kernels ()->element;
  gsize in_row = packed->runs / conv->kernel_h; /* runs of a row of the window */
  Job job = { .pool = pool,
              .conv = conv,
              .packed = packed,
              .x = x,
              .y = y,
              .scratch = size > PT_POOL_SCRATCH ? scratch : NULL,
              .scratch_size = size,
              .stride = row_stride (conv) };

  if (conv->batch == 0 || conv->out_h == 0 || conv->out_w == 0)
    return;
  choose_blocks (&job);
  for (gsize run = 0; run < packed->runs; run++)
    job.runs[run] = run / in_row * conv->dilation_h * job.stride +
                    run % in_row * conv->dilation_w * conv->in_c * element;
  pt_pool_run_shares (pool, conv->batch * job.n_bands * job.n_column_blocks, 1, NULL,
                      multiply_bands, &job);
}
