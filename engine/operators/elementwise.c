/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/elementwise.h"

#include <string.h>

#include "engine/operators/convert.h"

/* Elements that are converted at once; four such arrays stay in the L1 cache. */
#define BLOCK 512

/* Shorter runs are gathered into one block instead of one call for each. */
#define SHORT_RUN 64

/* How a loop gets the elements of an input. */
typedef enum {
  IN_PLACE, /* in place: it is contiguous and of the compute type */
  PER_RUN,  /* in place for blocks that lie in one run */
  CONSTANT, /* a single number, converted once */
  CONVERTED
} Access;

typedef struct {
  const PtElementwise *op;
  PtLoop loop;
  PtLoopNest nest; /* operand 0 is the output */
  const PtView *out;
  const PtView *inputs;
  guint n_inputs;
  gsize element; /* bytes of an element of the compute type */
  Access access[PT_MAX_OPERANDS];
  gboolean store;   /* the output dtype differs from the type that the loop writes */
  gboolean wrap;    /* integers must wrap to the common dtype before they are stored */
  gboolean by_runs; /* blocks must end at the ends of runs */
  gsize block;      /* maximum of elements in a block */
} Job;

typedef union {
  guint8 bytes[BLOCK * sizeof (PtComplex)];
  PtComplex align;
} Buffer;

/* Converts @n elements of input @k from @cursor on, across the ends of runs. */
static void
gather (const Job *job, guint k, gsize n, PtCursor cursor, guint8 *to)
{
  const PtView *view = &job->inputs[k];

  while (n > 0) {
    gsize run = MIN (n, pt_loop_nest_run (&job->nest, &cursor));

    pt_load (view->dtype, job->op->compute, run, pt_view_at (view, cursor.offsets[k + 1]),
             pt_loop_nest_stride (&job->nest, k + 1), to);
    pt_loop_nest_advance (&job->nest, run, &cursor);
    to += run * job->element;
    n -= run;
  }
}

static void
skip (const Job *job, gsize n, PtCursor *cursor)
{
  while (n > 0) {
    gsize run = MIN (n, pt_loop_nest_run (&job->nest, cursor));

    pt_loop_nest_advance (&job->nest, run, cursor);
    n -= run;
  }
}

static void
run_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Job *job = data;
  const PtElementwise *op = job->op;
  Buffer buffers[PT_MAX_OPERANDS];
  gconstpointer x[PT_MAX_OPERANDS - 1];
  PtCursor cursor;

  for (guint k = 0; k < job->n_inputs; k++)
    if (job->access[k] == CONSTANT) {
      pt_load (job->inputs[k].dtype, op->compute, MIN (end - begin, BLOCK), job->inputs[k].data, 0,
               buffers[k].bytes);
      x[k] = buffers[k].bytes;
    }
  pt_loop_nest_seek (&job->nest, begin, &cursor);
  while (begin < end) {
    gsize run = pt_loop_nest_run (&job->nest, &cursor);
    gsize n = MIN (job->by_runs ? MIN (run, job->block) : job->block, end - begin);
    gpointer y = job->store ? buffers[job->n_inputs].bytes : job->out->data + begin * job->element;

    for (guint k = 0; k < job->n_inputs; k++) {
      if (job->access[k] == IN_PLACE)
        x[k] = job->inputs[k].data + begin * job->element;
      else if (job->access[k] == PER_RUN && n <= run)
        x[k] = pt_view_at (&job->inputs[k], cursor.offsets[k + 1]);
      else if (job->access[k] != CONSTANT) {
        gather (job, k, n, cursor, buffers[k].bytes);
        x[k] = buffers[k].bytes;
      }
    }
    job->loop (n, x, y, op->params);
    if (job->wrap)
      pt_wrap_array (op->common, n, y);
    if (job->store)
      pt_store (job->out->dtype, op->compute, n, y, pt_view_at (job->out, (gint64) begin), 1);
    skip (job, n, &cursor);
    begin += n;
  }
}

static Access
access_of (const Job *job, guint k)
{
  gboolean same = job->inputs[k].dtype == pt_compute_dtype (job->op->compute);

  if (job->inputs[k].numel == 1)
    return CONSTANT;
  if (same && pt_loop_nest_is_linear (&job->nest, k + 1))
    return IN_PLACE;
  return same && pt_loop_nest_stride (&job->nest, k + 1) == 1 ? PER_RUN : CONVERTED;
}

void
pt_elementwise_run (PtExecution *execution, const PtElementwise *op, guint n_inputs,
                    const PtView *inputs, const PtView *out)
{
  const PtView *operands[PT_MAX_OPERANDS] = { out };
  Job job = { .op = op,
              .loop = op->loops->loops[op->compute],
              .out = out,
              .inputs = inputs,
              .n_inputs = n_inputs,
              .element = pt_dtype_size (pt_compute_dtype (op->compute)) };
  gboolean per_run = FALSE;

  if (out->numel == 0)
    return;
  for (guint k = 0; k < n_inputs; k++)
    operands[k + 1] = &inputs[k];
  pt_loop_nest_init (&job.nest, n_inputs + 1, operands);
  job.store = out->dtype != pt_compute_dtype (op->compute);
  job.wrap =
      op->compute == PT_COMPUTE_I64 && out->dtype != op->common && op->common != PT_DTYPE_I64;
  job.block = job.store ? BLOCK : G_MAXSIZE;
  for (guint k = 0; k < n_inputs; k++) {
    job.access[k] = access_of (&job, k);
    per_run = per_run || job.access[k] == PER_RUN;
    if (job.access[k] == CONSTANT || job.access[k] == CONVERTED)
      job.block = BLOCK;
  }
  job.by_runs = per_run && job.nest.sizes[job.nest.rank - 1] >= SHORT_RUN;
  if (per_run && !job.by_runs)
    job.block = BLOCK;
  pt_pool_run (pt_execution_pool (execution), out->numel, op->is_slow ? 4096 : 32768, run_range,
               &job);
}

gboolean
pt_check_out_rule (PtOutRule rule, PtDType common, PtDType out, GError **error)
{
  gboolean ok;

  switch (rule) {
  case PT_OUT_ACCEPTS:
    ok = pt_can_cast (common, out) && pt_dtype_in (common, PT_CPX) == pt_dtype_in (out, PT_CPX);
    break;
  case PT_OUT_SAME:
    ok = out == common ||
         (pt_compute_of (common) == PT_COMPUTE_F32 && pt_compute_of (out) == PT_COMPUTE_F32);
    break;
  case PT_OUT_FLOATING: ok = pt_dtype_in (out, PT_FL); break;
  default: ok = pt_dtype_in (out, PT_RHB); break;
  }
  PT_CHECK (ok, "A result of dtype %s cannot be stored as %s here.", pt_dtype_name (common),
            pt_dtype_name (out));
  return TRUE;
}

gboolean
pt_elementwise (PtExecution *execution, const PtElementwise *op, guint n_inputs,
                const PtView *inputs, const PtValue *out_value, GError **error)
{
  gint64 sizes[PT_MAX_RANK];
  guint rank;
  PtDType dtype;
  PtView out;

  PT_CHECK (op->loops->loops[op->compute] != NULL, "This operator does not work on dtype %s.",
            pt_dtype_name (op->common));
  if (!pt_arg_out_dtype (out_value, PT_RHB | PT_CPX, &dtype, error) ||
      !pt_check_out_rule (op->rule, op->common, dtype, error) ||
      !pt_broadcast (n_inputs, inputs, &rank, sizes, error) ||
      !pt_arg_out (out_value, PT_RHB | PT_CPX, rank, sizes, &out, error))
    return FALSE;
  pt_elementwise_run (execution, op, n_inputs, inputs, &out);
  return TRUE;
}
