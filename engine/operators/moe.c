/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mixture of experts with packed weights (docs/formats/operators.md, section 20.3). Activations
 * stay in float. Weights are unpacked block by block, and each block is multiplied with all tokens
 * of the expert.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/kernels/gemm.h"
#include "engine/operators/families.h"
#include "engine/operators/lowbit.h"
#include "engine/operators/move.h"
#include "engine/program/checked.h"

/* x [T, D]; each expert is [D] -> [2F] -> [F] -> [D]. */
typedef struct {
  gsize tokens, dim, hidden, experts, chosen;
  gint64 group;
  guint bits;
  gboolean is_sigmoid, has_bias;
  float route_scale;
  PtView x, gate, bias, packed_up, packed_down;
  PtPool *pool;
  float *unpacked; /* [workers, PT_LOWBIT_ROWS, max (D, F)] */
  gint32 *picks;   /* [T, chosen]: expert of each choice */
  float *weights;  /* [T, chosen] */
} Moe;

/* ---- Choosing experts ---- */

/* Whether @a comes before @b: higher scores first; of equal ones, the lower expert; NaN last. */
static gboolean
precedes (const float *scores, gsize a, gsize b)
{
  float x = scores[a], y = scores[b];

  if (isnan (x) != isnan (y))
    return isnan (y);
  return x > y || (!(x < y) && a < b);
}

static void
pick (const Moe *moe, const float *scores, gint32 *picks)
{
  for (gsize i = 0; i < moe->chosen; i++) {
    gint32 best = -1;

    for (gsize e = 0; e < moe->experts; e++)
      if ((i == 0 || precedes (scores, (gsize) picks[i - 1], e)) &&
          (best < 0 || precedes (scores, e, (gsize) best)))
        best = (gint32) e;
    picks[i] = best;
  }
}

static float
sigmoid (float x)
{
  float e = expf (-fabsf (x));

  return x >= 0 ? 1.0f / (1.0f + e) : e / (1.0f + e);
}

static void
weigh_by_sigmoid (const Moe *moe, const float *scores, const gint32 *picks, float *weights)
{
  float sum = 0;

  for (gsize i = 0; i < moe->chosen; i++)
    sum += weights[i] = scores[picks[i]];
  sum = sum < FLT_MIN ? FLT_MIN : sum;
  for (gsize i = 0; i < moe->chosen; i++)
    weights[i] *= moe->route_scale / sum;
}

static void
weigh_by_softmax (const Moe *moe, const float *scores, const gint32 *picks, float *weights)
{
  float most = scores[picks[0]], sum = 0;

  for (gsize i = 0; i < moe->chosen; i++)
    sum += weights[i] = expf (scores[picks[i]] - most);
  for (gsize i = 0; i < moe->chosen; i++)
    weights[i] /= sum;
}

/* Chooses experts for one token. @scores: its logits; @biased: memory of the same size. */
static void
route (const Moe *moe, float *scores, float *biased, gint32 *picks, float *weights)
{
  const float *bias = (const float *) moe->bias.data;

  if (!moe->is_sigmoid) {
    pick (moe, scores, picks);
    weigh_by_softmax (moe, scores, picks, weights);
    return;
  }
  for (gsize e = 0; e < moe->experts; e++) {
    scores[e] = sigmoid (scores[e]);
    biased[e] = scores[e] + (moe->has_bias ? bias[e] : 0.0f);
  }
  pick (moe, biased, picks);
  weigh_by_sigmoid (moe, scores, picks, weights);
}

/* Allocates scratch for @count * @width numbers; NULL with an error, also on overflow. */
static gpointer
scratch (PtExecution *execution, gsize count, gsize width, GError **error)
{
  gsize size;

  if (pt_mul_size (count, width, &size) && pt_mul_size (size, sizeof (float), &size))
    return pt_execution_scratch (execution, MAX (size, 1), error);
  pt_fail (error, PT_ERROR_MEMORY, "A layer of experts needs more memory than there is.");
  return NULL;
}

static gboolean
route_all (PtExecution *execution, Moe *moe, GError **error)
{
  const PtEpilogue plain = { NULL, -INFINITY, INFINITY };
  float *scores = scratch (execution, moe->tokens + 1, moe->experts, error);

  if (scores == NULL)
    return FALSE;
  moe->picks = scratch (execution, moe->tokens, moe->chosen, error);
  if (moe->picks == NULL)
    return FALSE;
  moe->weights = scratch (execution, moe->tokens, moe->chosen, error);
  if (moe->weights == NULL)
    return FALSE;
  pt_gemm_f32 (moe->pool, moe->tokens, moe->experts, moe->dim, (const float *) moe->x.data,
               moe->dim, (const float *) moe->gate.data, moe->dim, TRUE, &plain, scores,
               moe->experts);
  for (gsize t = 0; t < moe->tokens; t++)
    route (moe, scores + t * moe->experts, scores + moe->tokens * moe->experts,
           moe->picks + t * moe->chosen, moe->weights + t * moe->chosen);
  return TRUE;
}

/* ---- Computing an expert ---- */

typedef struct {
  const Moe *moe;
  PtLowbitLinear w;
  gsize m;
  const float *x;
  float *y;
} Product;

/* Unpacks a block of weights to floats [PT_LOWBIT_ROWS, k]. */
static void
unpack_block (const PtLowbitLinear *w, gsize block, float *out)
{
  for (gsize group = 0; group < w->k / w->group; group++) {
    PtLowbitGroup g;

    pt_lowbit_linear_group (w, block, group, &g);
    for (gsize column = 0; column < w->group; column += PT_LOWBIT_COLUMNS) {
      gint8 weights[PT_LOWBIT_PIECE];
      float *to = out + group * w->group + column;

      pt_lowbit_linear_columns (w, block, group, column, weights);
      for (gsize row = 0; row < PT_LOWBIT_ROWS; row++)
        for (gsize j = 0; j < PT_LOWBIT_COLUMNS; j++)
          to[row * w->k + j] = (float) weights[row * PT_LOWBIT_COLUMNS + j] * g.scales[row];
    }
  }
}

static void
multiply_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const PtEpilogue plain = { NULL, -INFINITY, INFINITY };
  const Product *p = data;
  const Moe *moe = p->moe;
  float *weights = moe->unpacked + worker * PT_LOWBIT_ROWS * MAX (moe->dim, moe->hidden);

  for (gsize block = begin; block < end; block++) {
    gsize column = block * PT_LOWBIT_ROWS, n = MIN (PT_LOWBIT_ROWS, p->w.n - column);

    unpack_block (&p->w, block, weights);
    pt_gemm_f32_serial (p->m, n, p->w.k, p->x, p->w.k, weights, p->w.k, TRUE, &plain, p->y + column,
                        p->w.n, pt_pool_scratch (moe->pool, worker));
  }
}

static gboolean
multiply (const Moe *moe, const PtView *packed, gsize expert, gsize m, gsize n, gsize k,
          const float *x, float *y, GError **error)
{
  gsize size = (gsize) packed->sizes[1];
  Product p = { .moe = moe, .m = m, .x = x, .y = y };

  if (!pt_lowbit_linear_init (&p.w, packed->data + expert * size, size, moe->bits, moe->group,
                              (gint64) n, (gint64) k, error))
    return FALSE;
  PT_CHECK (!p.w.has_zeros && !p.w.has_bias, "The weights of an expert have zeros or biases.");
  pt_pool_run (moe->pool, pt_lowbit_n_blocks (&p.w), MAX (1, 4096 / k), multiply_range, &p);
  return TRUE;
}

/* out = silu (h[0..F)) * h[F..2F), for each row. */
static void
gate_rows (const float *h, gsize m, gsize hidden, float *out)
{
  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j < hidden; j++) {
      float up = h[i * 2 * hidden + j];

      out[i * hidden + j] = up * sigmoid (up) * h[i * 2 * hidden + hidden + j];
    }
}

/* Memory for the tokens of one expert. */
typedef struct {
  float *x, *h, *middle, *y; /* [T, D], [T, 2F], [T, F], [T, D] */
  gint32 *tokens;
  float *weights;
} Room;

static gboolean
make_room (PtExecution *execution, const Moe *moe, Room *room, GError **error)
{
  gsize t = moe->tokens;

  return (room->x = scratch (execution, t, moe->dim, error)) != NULL &&
         (room->y = scratch (execution, t, moe->dim, error)) != NULL &&
         (room->middle = scratch (execution, t, moe->hidden, error)) != NULL &&
         (room->h = scratch (execution, t, 2 * moe->hidden, error)) != NULL &&
         (room->tokens = scratch (execution, t, 1, error)) != NULL &&
         (room->weights = scratch (execution, t, 1, error)) != NULL;
}

/* Copies the tokens that chose @expert, one after the other. Returns their number. */
static gsize
gather (const Moe *moe, gsize expert, Room *room)
{
  gsize m = 0;

  for (gsize i = 0; i < moe->tokens * moe->chosen; i++) {
    gsize token = i / moe->chosen;

    if (moe->picks[i] != (gint32) expert)
      continue;
    memcpy (room->x + m * moe->dim, (const float *) moe->x.data + token * moe->dim,
            moe->dim * sizeof (float));
    room->tokens[m] = (gint32) token;
    room->weights[m++] = moe->weights[i];
  }
  return m;
}

static gboolean
run_expert (const Moe *moe, gsize expert, Room *room, float *out, GError **error)
{
  gsize m = gather (moe, expert, room);

  if (m == 0)
    return TRUE;
  if (!multiply (moe, &moe->packed_up, expert, m, 2 * moe->hidden, moe->dim, room->x, room->h,
                 error))
    return FALSE;
  gate_rows (room->h, m, moe->hidden, room->middle);
  if (!multiply (moe, &moe->packed_down, expert, m, moe->dim, moe->hidden, room->middle, room->y,
                 error))
    return FALSE;
  for (gsize i = 0; i < m; i++) {
    float *to = out + (gsize) room->tokens[i] * moe->dim;

    for (gsize j = 0; j < moe->dim; j++)
      to[j] += room->weights[i] * room->y[i * moe->dim + j];
  }
  return TRUE;
}

/* ---- Arguments ---- */

static gboolean
arg_packed (PtExecution *execution, const PtValue *value, const char *what, gint64 experts,
            PtView *view, GError **error)
{
  if (!pt_arg_view (value, what, PT_BIT (U8), view, error))
    return FALSE;
  PT_CHECK (view->rank == 2 && view->sizes[0] == experts,
            "'%s' must have a row of bytes for each expert.", what);
  return pt_make_dense (execution, PT_DTYPE_U8, view, error);
}

static gboolean
arg_numbers (PtValue *const *args, Moe *moe, GError **error)
{
  static const char *const names[6] = {
    "num_activated_experts", "num_experts", "hidden_dim", "dim", "group_size", "weight_nbit"
  };
  gint64 n[6];
  double scale;

  for (guint i = 0; i < 6; i++) {
    if (!pt_value_int (args[i], names[i], &n[i], error))
      return FALSE;
    PT_CHECK (n[i] > 0 && n[i] < G_MAXINT32 / 2, "'%s' cannot be %" G_GINT64_FORMAT ".", names[i],
              n[i]);
  }
  PT_CHECK (n[0] <= n[1], "A token cannot go to more experts than there are.");
  PT_CHECK (n[5] == 4 || n[5] == 8, "The weights of experts must have 4 or 8 bits.");
  moe->is_sigmoid = pt_arg_string_is (args[6], "sigmoid");
  PT_CHECK (moe->is_sigmoid || pt_arg_string_is (args[6], "softmax"),
            "'score_func' must be sigmoid or softmax.");
  if (!pt_value_double (args[7], "route_scale", &scale, error))
    return FALSE;
  moe->chosen = (gsize) n[0], moe->experts = (gsize) n[1];
  moe->hidden = (gsize) n[2], moe->dim = (gsize) n[3];
  moe->group = n[4], moe->bits = (guint) n[5];
  moe->route_scale = (float) scale;
  return TRUE;
}

static gboolean
arg_tensors (PtExecution *execution, PtValue *const *args, Moe *moe, GError **error)
{
  gint64 experts = (gint64) moe->experts, dim = (gint64) moe->dim;

  if (!pt_arg_view (args[0], "x", PT_BIT (F32), &moe->x, error) ||
      !pt_arg_view (args[1], "gate_weight", PT_BIT (F32), &moe->gate, error) ||
      !pt_arg_view (args[2], "expert_bias", PT_BIT (F32), &moe->bias, error) ||
      !arg_packed (execution, args[3], "packed_w13", experts, &moe->packed_up, error) ||
      !arg_packed (execution, args[4], "packed_w2", experts, &moe->packed_down, error))
    return FALSE;
  moe->has_bias = moe->bias.numel > 0;
  PT_CHECK (moe->x.rank == 2 && moe->x.sizes[1] == dim, "'x' does not have rows of 'dim' numbers.");
  PT_CHECK (moe->gate.rank == 2 && moe->gate.sizes[0] == experts && moe->gate.sizes[1] == dim,
            "'gate_weight' must have a row for each expert.");
  PT_CHECK (!moe->has_bias || (moe->bias.rank == 1 && moe->bias.sizes[0] == experts),
            "'expert_bias' must have a number for each expert.");
  PT_CHECK (!moe->has_bias || moe->is_sigmoid, "'expert_bias' needs the score function sigmoid.");
  moe->tokens = (gsize) moe->x.sizes[0];
  return pt_make_dense (execution, PT_DTYPE_F32, &moe->x, error) &&
         pt_make_dense (execution, PT_DTYPE_F32, &moe->gate, error) &&
         pt_make_dense (execution, PT_DTYPE_F32, &moe->bias, error);
}

PT_KERNEL (quantized_moe_ffn_out)
{
  Moe moe = { .pool = pt_execution_pool (execution) };
  PtView out, y;
  Room room;

  if (!arg_numbers (args + 5, &moe, error) || !arg_tensors (execution, args, &moe, error) ||
      !route_all (execution, &moe, error) || !make_room (execution, &moe, &room, error))
    return FALSE;
  moe.unpacked = scratch (execution, pt_pool_n_workers (moe.pool) * PT_LOWBIT_ROWS,
                          MAX (moe.dim, moe.hidden), error);
  if (moe.unpacked == NULL || !pt_arg_out (args[13], PT_BIT (F32), 2, moe.x.sizes, &out, error) ||
      !pt_scratch_view (execution, PT_DTYPE_F32, 2, out.sizes, &y, error))
    return FALSE;
  /* Results are not written in place, because later experts read x again. */
  if (y.numel > 0)
    memset (y.data, 0, y.numel * sizeof (float));
  for (gsize expert = 0; expert < moe.experts; expert++)
    if (!run_expert (&moe, expert, &room, (float *) y.data, error))
      return FALSE;
  return pt_finish_work (execution, &out, &y, error);
}

static const PtOperator operators[] = {
  { "llama::quantized_moe_ffn.out", quantized_moe_ffn_out, 15, 13, 1 },
};

const PtOperatorFamily pt_moe_family = { operators, G_N_ELEMENTS (operators) };
