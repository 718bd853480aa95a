/* SPDX-License-Identifier: BSD-3-Clause */
/* Hadamard transforms and the gated delta rule (docs/formats/operators.md, section 20.3). */
#include <math.h>
#include <string.h>

#include "engine/operators/families.h"
#include "engine/operators/move.h"

/* Walsh-Hadamard transform of @n = 2^k numbers, in natural order, times 1 / sqrt (n). */
static void
hadamard (float *x, gsize n)
{
  float scale = 1.0f / sqrtf ((float) n);

  for (gsize half = 1; half < n; half *= 2)
    for (gsize i = 0; i < n; i += 2 * half)
      for (gsize j = i; j < i + half; j++) {
        float a = x[j], b = x[j + half];

        x[j] = a + b;
        x[j + half] = a - b;
      }
  for (gsize i = 0; i < n; i++)
    x[i] *= scale;
}

/* The matrix consists of 4 x 4 circulant matrices of size 7, whose first rows are listed. */
static float
hadamard_28_at (gsize row, gsize column)
{
  static const char *const first_rows[4][4] = {
    { "+------", "++----+", "+-+--+-", "+--++--" },
    { "--++++-", "+------", "-++--++", "+-+--+-" },
    { "-+-++-+", "+--++--", "+------", "--++++-" },
    { "-++--++", "-+-++-+", "++----+", "+------" },
  };
  gsize shift = (column % 7 + 7 - row % 7) % 7;

  return first_rows[row / 7][column / 7][shift] == '+' ? 1.0f : -1.0f;
}

/* Transforms a row of 28 blocks of @m: within each block, then across blocks. */
static void
hadamard_28 (float *x, gsize m)
{
  for (gsize block = 0; block < 28; block++)
    hadamard (x + block * m, m);
  for (gsize i = 0; i < m; i++) {
    float column[28];

    for (gsize row = 0; row < 28; row++) {
      column[row] = 0;
      for (gsize k = 0; k < 28; k++)
        column[row] += hadamard_28_at (row, k) * x[k * m + i];
    }
    for (gsize row = 0; row < 28; row++)
      x[row * m + i] = column[row];
  }
}

PT_KERNEL (fast_hadamard_transform_out)
{
  PtView in, out, y;
  gsize n, power;

  if (!pt_arg_view (args[0], "mat", PT_BIT (F32) | PT_HALF, &in, error))
    return FALSE;
  PT_CHECK (in.rank > 0 && in.sizes[in.rank - 1] > 0, "A Hadamard transform needs rows.");
  n = (gsize) in.sizes[in.rank - 1];
  power = n % 28 == 0 ? n / 28 : n;
  PT_CHECK ((power & (power - 1)) == 0,
            "A Hadamard transform needs rows of a power of two, or 28 times one.");
  if (!pt_arg_out (args[1], 1u << in.dtype, in.rank, in.sizes, &out, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &out, &y, error) ||
      !pt_move_convert (execution, &y, &in, error))
    return FALSE;
  for (gsize i = 0; i < y.numel; i += n) {
    if (power == n)
      hadamard ((float *) y.data + i, n);
    else
      hadamard_28 ((float *) y.data + i, power);
  }
  return pt_finish_work (execution, &out, &y, error);
}

/* S is [K, V]; q and k are [T, K], v and out [T, V], for each batch and head. */
typedef struct {
  gsize heads, group, length, keys, values;
  gsize decay_width; /* K, or 1 for a common decay */
  const float *q, *k, *v, *decay, *beta;
  float *state, *out; /* state is the final state; it starts as the initial state */
} DeltaRule;

static void
delta_step (const DeltaRule *job, gsize head, gsize t, float *delta)
{
  gsize row = head * job->length + t;
  const float *k = job->k + row * job->keys, *v = job->v + row * job->values;
  const float *decay = job->decay + row * job->decay_width;
  float *state = job->state + head * job->keys * job->values;

  for (gsize j = 0; j < job->values; j++)
    delta[j] = 0;
  for (gsize i = 0; i < job->keys; i++) {
    float factor = decay[job->decay_width == 1 ? 0 : i];
    float *s = state + i * job->values;

    for (gsize j = 0; j < job->values; j++) {
      s[j] *= factor;
      delta[j] += s[j] * k[i];
    }
  }
  for (gsize j = 0; j < job->values; j++)
    delta[j] = job->beta[row] * (v[j] - delta[j]);
  for (gsize i = 0; i < job->keys; i++)
    for (gsize j = 0; j < job->values; j++)
      state[i * job->values + j] += k[i] * delta[j];
}

/* The queries of all heads of the group read the state. */
static void
read_state (const DeltaRule *job, gsize head, gsize t)
{
  const float *state = job->state + head * job->keys * job->values;

  for (gsize g = 0; g < job->group; g++) {
    gsize row = (head * job->group + g) * job->length + t;
    const float *q = job->q + row * job->keys;
    float *out = job->out + row * job->values;

    for (gsize j = 0; j < job->values; j++)
      out[j] = 0;
    for (gsize i = 0; i < job->keys; i++)
      for (gsize j = 0; j < job->values; j++)
        out[j] += q[i] * state[i * job->values + j];
  }
}

/* Item: one head. Each worker has a row of @deltas. */
typedef struct {
  DeltaRule rule;
  float *deltas; /* [workers, V] */
} DeltaJob;

static void
delta_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const DeltaJob *job = data;

  for (gsize head = begin; head < end; head++)
    for (gsize t = 0; t < job->rule.length; t++) {
      delta_step (&job->rule, head, t, job->deltas + worker * job->rule.values);
      read_state (&job->rule, head, t);
    }
}

/* Reads argument @what, which must have rank @rank and the given @sizes, and makes it dense. */
static gboolean
arg_rows (PtExecution *execution, const PtValue *value, const char *what, guint rank,
          const gint64 *sizes, PtView *view, GError **error)
{
  if (!pt_arg_view (value, what, PT_BIT (F32), view, error))
    return FALSE;
  PT_CHECK (view->rank == rank && memcmp (view->sizes, sizes, rank * sizeof *sizes) == 0,
            "'%s' has another shape than the rest.", what);
  return pt_make_dense (execution, PT_DTYPE_F32, view, error);
}

PT_KERNEL (gated_delta_rule_out)
{
  PtView q, k, v, decay, beta, initial, out, final, y, state;
  gint64 sizes[4], state_sizes[4];
  DeltaJob job;

  if (!pt_arg_view (args[0], "q", PT_BIT (F32), &q, error) ||
      !pt_arg_view (args[1], "k", PT_BIT (F32), &k, error) ||
      !pt_arg_view (args[2], "v", PT_BIT (F32), &v, error) ||
      !pt_arg_view (args[3], "decay", PT_BIT (F32), &decay, error))
    return FALSE;
  PT_CHECK (q.rank == 4 && k.rank == 4 && v.rank == 4 && q.sizes[0] == k.sizes[0] &&
                q.sizes[2] == k.sizes[2] && q.sizes[3] == k.sizes[3] && k.sizes[1] > 0 &&
                q.sizes[1] % k.sizes[1] == 0,
            "Queries and keys do not fit together.");
  memcpy (sizes, k.sizes, sizeof sizes);
  if (!arg_rows (execution, args[3], "decay", decay.rank == 3 ? 3 : 4, sizes, &decay, error) ||
      !arg_rows (execution, args[4], "beta", 3, sizes, &beta, error))
    return FALSE;
  state_sizes[0] = sizes[0], state_sizes[1] = sizes[1];
  state_sizes[2] = k.sizes[3], state_sizes[3] = v.sizes[3];
  sizes[3] = v.sizes[3];
  if (!arg_rows (execution, args[2], "v", 4, sizes, &v, error) ||
      !arg_rows (execution, args[5], "initial_state", 4, state_sizes, &initial, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &q, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &k, error))
    return FALSE;
  sizes[1] = q.sizes[1];
  if (!pt_arg_out (args[6], PT_BIT (F32), 4, sizes, &out, error) ||
      !pt_arg_out (args[7], PT_BIT (F32), 4, state_sizes, &final, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &out, &y, error) ||
      !pt_make_work (execution, PT_DTYPE_F32, &final, &state, error))
    return FALSE;
  pt_move (execution, &state, &initial);
  job.rule = (DeltaRule){ .heads = (gsize) k.sizes[1],
                          .group = (gsize) (q.sizes[1] / k.sizes[1]),
                          .length = (gsize) k.sizes[2],
                          .keys = (gsize) k.sizes[3],
                          .values = (gsize) v.sizes[3],
                          .decay_width = decay.rank == 3 ? 1 : (gsize) k.sizes[3],
                          .q = (const float *) q.data,
                          .k = (const float *) k.data,
                          .v = (const float *) v.data,
                          .decay = (const float *) decay.data,
                          .beta = (const float *) beta.data,
                          .state = (float *) state.data,
                          .out = (float *) y.data };
  job.deltas = pt_execution_scratch (
      execution,
      pt_pool_n_workers (pt_execution_pool (execution)) * job.rule.values * sizeof (float) + 1,
      error);
  if (job.deltas == NULL)
    return FALSE;
  pt_pool_run (pt_execution_pool (execution), (gsize) (k.sizes[0] * k.sizes[1]), 1, delta_range,
               &job);
  return pt_finish_work (execution, &out, &y, error) &&
         pt_finish_work (execution, &final, &state, error);
}

static const PtOperator operators[] = {
  { "llama::channelwise_gated_delta_rule.out", gated_delta_rule_out, 9, 6, 2 },
  { "llama::fast_hadamard_transform.out", fast_hadamard_transform_out, 3, 1, 1 },
  { "llama::gated_delta_rule.out", gated_delta_rule_out, 9, 6, 2 },
};

const PtOperatorFamily pt_recurrent_family = { operators, G_N_ELEMENTS (operators) };
