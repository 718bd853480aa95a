/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attention and the KV cache of language models (docs/formats/operators.md, sections 20.1 and
 * 20.2).
 */
#include <math.h>
#include <string.h>

#include "engine/kernels/attention.h"
#include "engine/kernels/vector.h"
#include "engine/operators/families.h"
#include "engine/operators/index.h"
#include "engine/operators/move.h"
#include "engine/runtime/memory.h"

/*
 * The arguments of cache[:, start_pos : start_pos + S] = value. The out argument is a placeholder,
 * which is neither resized nor written.
 */
static gboolean
arg_cache (const PtValue *value_arg, const PtValue *cache_arg, PtView *value, PtView *cache,
           GError **error)
{
  if (!pt_arg_view (value_arg, "value", PT_ANY, value, error) ||
      !pt_arg_target (cache_arg, PT_ANY, cache, error))
    return FALSE;
  PT_CHECK (value->rank == 4 && cache->rank == 4 && value->sizes[0] == cache->sizes[0] &&
                value->sizes[2] == cache->sizes[2] && value->sizes[3] == cache->sizes[3],
            "The rows for a cache have another shape than those in it.");
  PT_CHECK (pt_dtype_size (value->dtype) == pt_dtype_size (cache->dtype),
            "The rows for a cache have another dtype than those in it.");
  return TRUE;
}

/*
 * Announces to the system that rows [start, start + n) of a cache will be written now, and the
 * following rows by later calls.
 */
static void
grow_cache (const PtView *cache, gint64 start, gint64 n)
{
  gsize row = (gsize) cache->strides[1] * pt_dtype_size (cache->dtype);
  guint8 *data = cache->data;

  if (cache->sizes[0] == 1 && pt_view_is_contiguous (cache))
    pt_pages_grow (data, data + (gsize) start * row, (gsize) n * row,
                   data + (gsize) cache->sizes[1] * row);
}

static gboolean
update_cache (PtExecution *execution, const PtValue *value_arg, const PtValue *cache_arg,
              gint64 start, GError **error)
{
  PtView value, cache;

  if (!arg_cache (value_arg, cache_arg, &value, &cache, error))
    return FALSE;
  PT_CHECK (start >= 0 && start <= cache.sizes[1] && value.sizes[1] <= cache.sizes[1] - start,
            "A cache of %" G_GINT64_FORMAT " positions cannot take %" G_GINT64_FORMAT
            " from position %" G_GINT64_FORMAT " on.",
            cache.sizes[1], value.sizes[1], start);
  grow_cache (&cache, start, value.sizes[1]);
  pt_view_slice (&cache, 1, start, value.sizes[1], 1);
  pt_move (execution, &cache, &value);
  return TRUE;
}

PT_KERNEL (update_cache_out)
{
  gint64 start;

  return pt_value_int (args[2], "start_pos", &start, error) &&
         update_cache (execution, args[0], args[1], start, error);
}

/* Token s of batch b is stored at position indices[b, s]. */
PT_KERNEL (update_cache_with_indices_out)
{
  PtView value, cache, indices;

  if (!arg_cache (args[0], args[1], &value, &cache, error) ||
      !pt_arg_view (args[3], "indices", PT_BIT (I64), &indices, error))
    return FALSE;
  PT_CHECK (indices.rank == 2 && indices.sizes[0] == value.sizes[0] &&
                indices.sizes[1] == value.sizes[1],
            "'indices' must have one number for each row.");
  for (gint64 b = 0; b < value.sizes[0]; b++)
    for (gint64 s = 0; s < value.sizes[1]; s++) {
      gint64 at = pt_index_at (&indices, b * indices.strides[0] + s * indices.strides[1]);
      PtView from = value, to = cache;

      if (at < 0 || at >= cache.sizes[1])
        return pt_fail_index (error, at, cache.sizes[1]);
      pt_view_select (&from, 1, s);
      pt_view_select (&from, 0, b);
      pt_view_select (&to, 1, at);
      pt_view_select (&to, 0, b);
      pt_move (execution, &to, &from);
    }
  return TRUE;
}

/*
 * The common arguments of all attention operators. q, k, v and out are [B, S, H, D]; keys and
 * values that are bytes have a zero point and a scale for each row: [B, S, H, 1].
 */
typedef struct {
  PtView q, k, v;
  PtView k_zeros, k_scales, v_zeros, v_scales;
  gint64 start;
  gboolean causal, has_mask;
  PtView mask;
  float scale;
} Arguments;

/* Reads the arguments after start_pos: mask, dropout, causal, scale. */
static gboolean
arg_attention (PtValue *const *args, gint64 start, Arguments *a, GError **error)
{
  double dropout, scale;

  a->start = start;
  if (!pt_arg_optional_view (args[0], "attn_mask", PT_BIT (F32), &a->mask, &a->has_mask, error) ||
      !pt_value_double (args[1], "dropout_p", &dropout, error) ||
      !pt_value_bool (args[2], "is_causal", &a->causal, error))
    return FALSE;
  PT_CHECK (!a->has_mask || !a->causal, "A mask and causal attention exclude each other.");
  PT_CHECK (a->q.rank == 4 && a->k.rank == 4 && a->v.rank == 4,
            "Attention needs queries, keys and values of four dimensions.");
  scale = 1.0 / sqrt ((double) MAX (a->q.sizes[3], 1));
  if (!pt_value_is_none (args[3]) && !pt_value_double (args[3], "scale", &scale, error))
    return FALSE;
  a->scale = (float) scale;
  return TRUE;
}

/* Checks that the shapes fit, and limits keys and values to the valid ones. */
static gboolean
check_attention (Arguments *a, GError **error)
{
  gint64 n_keys = a->k.sizes[1];

  PT_CHECK (a->k.sizes[0] == a->q.sizes[0] && a->v.sizes[0] == a->q.sizes[0] &&
                a->v.sizes[1] == n_keys && a->v.sizes[2] == a->k.sizes[2] &&
                a->k.sizes[3] == a->q.sizes[3] && a->v.sizes[3] == a->q.sizes[3],
            "Queries, keys and values do not fit together.");
  PT_CHECK (a->k.sizes[2] > 0 && a->q.sizes[2] % a->k.sizes[2] == 0,
            "The query heads are no multiple of the key heads.");
  /* With a mask start_pos is not used; with a ring of keys it grows without limit. */
  PT_CHECK (a->start >= 0 && (a->has_mask || a->start <= n_keys),
            "'start_pos' lies outside of the cache.");
  if (a->has_mask) {
    PT_CHECK (a->mask.rank == 2 && a->mask.sizes[0] == a->q.sizes[1] && a->mask.sizes[1] == n_keys,
              "The mask does not fit the queries and keys.");
    return TRUE;
  }
  n_keys = a->start + a->q.sizes[1];
  PT_CHECK (n_keys <= a->k.sizes[1], "The queries reach beyond the cache.");
  pt_view_slice (&a->k, 1, 0, n_keys, 1);
  pt_view_slice (&a->v, 1, 0, n_keys, 1);
  return TRUE;
}

static gboolean
rows_are_dense (const PtView *view)
{
  return view->sizes[3] == 1 || view->strides[3] == 1;
}

/* Converts @view to floats with a dense last dimension, unless it is so already. */
static gboolean
make_rows (PtExecution *execution, PtView *view, GError **error)
{
  if (view->dtype == PT_DTYPE_F32 && rows_are_dense (view))
    return TRUE;
  return pt_make_dense (execution, PT_DTYPE_F32, view, error);
}

/*
 * Dequantises rows of 8 bits; each has a zero point and a scale. Products of these floats differ
 * from upstream's exact integer sums only by rounding.
 */
static gboolean
dequantize (PtExecution *execution, const PtView *zero_view, const PtView *scale_view, PtView *data,
            GError **error)
{
  PtView zeros = *zero_view, scales = *scale_view, floats;
  gsize width = (gsize) data->sizes[3];

  if (!pt_make_dense (execution, PT_DTYPE_I8, &zeros, error) ||
      !pt_make_dense (execution, PT_DTYPE_F32, &scales, error) ||
      !pt_make_dense (execution, PT_DTYPE_I8, data, error) ||
      !pt_scratch_view (execution, PT_DTYPE_F32, 4, data->sizes, &floats, error))
    return FALSE;
  for (gsize row = 0; row < scales.numel; row++)
    pt_vector_i8_to_f32 (width, (const gint8 *) data->data + row * width,
                         ((const gint8 *) zeros.data)[row], ((const float *) scales.data)[row],
                         (float *) floats.data + row * width);
  *data = floats;
  return TRUE;
}

static PtRowNumbers
numbers_of (const PtView *view)
{
  return (PtRowNumbers){ view->data, (gsize) view->strides[0], (gsize) view->strides[2],
                         (gsize) view->strides[1] };
}

/*
 * Describes keys or values for the kernel, which reads those that are no floats as they are. Only
 * very large heads become floats first.
 */
static gboolean
describe_rows (PtExecution *execution, PtView *view, const PtView *zeros, const PtView *scales,
               PtAttentionRows *rows, GError **error)
{
  if (view->dtype != PT_DTYPE_F32 && view->sizes[3] > PT_ATTENTION_MAX_TYPED_DIM) {
    if (!(view->dtype == PT_DTYPE_I8 ? dequantize (execution, zeros, scales, view, error)
                                     : make_rows (execution, view, error)))
      return FALSE;
  } else if (!rows_are_dense (view) && !pt_make_dense (execution, view->dtype, view, error))
    return FALSE;
  *rows = (PtAttentionRows){
    .data = view->data,
    .type = view->dtype == PT_DTYPE_F32    ? PT_ROWS_F32
            : view->dtype == PT_DTYPE_F16  ? PT_ROWS_F16
            : view->dtype == PT_DTYPE_BF16 ? PT_ROWS_BF16
                                           : PT_ROWS_I8,
    .batch_stride = (gsize) view->strides[0],
    .row_stride = (gsize) view->strides[1],
    .head_stride = (gsize) view->strides[2],
  };
  if (rows->type == PT_ROWS_I8) {
    rows->zeros = numbers_of (zeros);
    rows->scales = numbers_of (scales);
  }
  return TRUE;
}

static gboolean
attend (PtExecution *execution, Arguments *a, const PtView *out, GError **error)
{
  PtAttention attention;
  PtAttentionRows k, v;
  PtView y = *out;

  if (out->numel == 0)
    return TRUE;
  if (!make_rows (execution, &a->q, error) ||
      !describe_rows (execution, &a->k, &a->k_zeros, &a->k_scales, &k, error) ||
      !describe_rows (execution, &a->v, &a->v_zeros, &a->v_scales, &v, error))
    return FALSE;
  if (a->has_mask && !pt_make_dense (execution, PT_DTYPE_F32, &a->mask, error))
    return FALSE;
  if ((y.dtype != PT_DTYPE_F32 || !rows_are_dense (&y)) &&
      !pt_scratch_view (execution, PT_DTYPE_F32, 4, out->sizes, &y, error))
    return FALSE;
  attention = (PtAttention){
    .q = (const float *) a->q.data,
    .k = k,
    .v = v,
    .out = (float *) y.data,
    .batch = (gsize) a->q.sizes[0],
    .heads = (gsize) a->q.sizes[2],
    .kv_heads = (gsize) a->k.sizes[2],
    .n_queries = (gsize) a->q.sizes[1],
    .n_keys = (gsize) a->k.sizes[1],
    .head_dim = (gsize) a->q.sizes[3],
    .value_dim = (gsize) a->v.sizes[3],
    .q_batch_stride = (gsize) a->q.strides[0],
    .q_row_stride = (gsize) a->q.strides[1],
    .q_head_stride = (gsize) a->q.strides[2],
    .out_batch_stride = (gsize) y.strides[0],
    .out_row_stride = (gsize) y.strides[1],
    .out_head_stride = (gsize) y.strides[2],
    .scale = a->scale,
    .causal = a->causal,
    .start_pos = (gsize) a->start,
    .mask = a->has_mask ? (const float *) a->mask.data : NULL,
    .mask_row_stride = a->has_mask ? (gsize) a->mask.sizes[1] : 0,
    .one_by_one = pt_execution_is_one_by_one (execution),
  };
  pt_attention_f32 (pt_execution_pool (execution), &attention);
  return pt_finish_work (execution, out, &y, error);
}

#define ATTENTION_DTYPES (PT_BIT (F32) | PT_HALF)

PT_KERNEL (custom_sdpa_out)
{
  Arguments a;
  gint64 start;
  PtView out;

  return pt_arg_view (args[0], "query", ATTENTION_DTYPES, &a.q, error) &&
         pt_arg_view (args[1], "key", 1u << a.q.dtype, &a.k, error) &&
         pt_arg_view (args[2], "value", 1u << a.q.dtype, &a.v, error) &&
         pt_value_int (args[3], "start_pos", &start, error) &&
         arg_attention (args + 4, start, &a, error) && check_attention (&a, error) &&
         pt_arg_out (args[8], 1u << a.q.dtype, 4, a.q.sizes, &out, error) &&
         attend (execution, &a, &out, error);
}

PT_KERNEL (sdpa_with_kv_cache_out)
{
  Arguments a;
  gint64 start, length;
  PtView rows, out;

  if (!pt_arg_view (args[0], "query", ATTENTION_DTYPES, &a.q, error) ||
      !pt_arg_view (args[1], "key", 1u << a.q.dtype, &rows, error) ||
      !pt_arg_view (args[3], "key_cache", 1u << a.q.dtype, &a.k, error) ||
      !pt_arg_view (args[4], "value_cache", 1u << a.q.dtype, &a.v, error) ||
      !pt_value_int (args[5], "start_pos", &start, error) ||
      !pt_value_int (args[6], "seq_len", &length, error) ||
      !arg_attention (args + 7, start, &a, error))
    return FALSE;
  PT_CHECK (rows.rank == 4 && rows.sizes[1] == length, "'seq_len' is not the number of keys.");
  return update_cache (execution, args[1], args[3], start, error) &&
         update_cache (execution, args[2], args[4], start, error) && check_attention (&a, error) &&
         pt_arg_out (args[11], 1u << a.q.dtype, 4, a.q.sizes, &out, error) &&
         attend (execution, &a, &out, error);
}

/* Reads the zero points and scales of @data, whose order of dimensions they have. */
static gboolean
arg_row_numbers (const PtValue *zero_value, const PtValue *scale_value, const char *what,
                 const PtView *data, PtView *zeros, PtView *scales, GError **error)
{
  if (!pt_arg_view (zero_value, what, PT_BIT (I8), zeros, error) ||
      !pt_arg_view (scale_value, what, PT_BIT (F32), scales, error))
    return FALSE;
  PT_CHECK (zeros->rank == 4 && scales->rank == 4 && zeros->sizes[3] == 1 && scales->sizes[3] == 1,
            "'%s' needs a zero point and a scale for each row.", what);
  for (guint i = 0; i < 3; i++)
    PT_CHECK (zeros->sizes[i] >= data->sizes[i] && scales->sizes[i] >= data->sizes[i],
              "'%s' needs a zero point and a scale for each row.", what);
  /* There may be parameters for the whole cache: use those of the valid rows. */
  for (guint i = 0; i < 3; i++) {
    pt_view_slice (zeros, i, 0, data->sizes[i], 1);
    pt_view_slice (scales, i, 0, data->sizes[i], 1);
  }
  return TRUE;
}

/* Makes a view [B, S, H, D] of [B, H, S, D], or the reverse. */
static void
swap_heads (PtView *view)
{
  static const guint order[4] = { 0, 2, 1, 3 };

  pt_view_permute (view, order);
}

PT_KERNEL (custom_quantized_sdpa_out)
{
  static const char *const names[3] = { "query", "key", "value" };
  Arguments a;
  PtView q_zeros, q_scales, out;
  PtView *views[3] = { &a.q, &a.k, &a.v };
  PtView *zeros[3] = { &q_zeros, &a.k_zeros, &a.v_zeros };
  PtView *scales[3] = { &q_scales, &a.k_scales, &a.v_scales };
  gint64 start, sizes[4];
  gboolean heads_first;

  for (guint i = 0; i < 3; i++)
    if (!pt_arg_view (args[i], names[i], PT_BIT (I8), views[i], error))
      return FALSE;
  if (!pt_value_int (args[3], "start_pos", &start, error) ||
      !pt_value_bool (args[14], "is_seq_at_dim_2", &heads_first, error) ||
      !arg_attention (args + 4, start, &a, error))
    return FALSE;
  memcpy (sizes, a.q.sizes, sizeof sizes);
  for (guint i = 0; i < 3 && heads_first; i++)
    swap_heads (views[i]);
  if (!check_attention (&a, error))
    return FALSE;
  for (guint i = 0; i < 3; i++) {
    if (heads_first)
      swap_heads (views[i]);
    if (!arg_row_numbers (args[8 + 2 * i], args[9 + 2 * i], names[i], views[i], zeros[i], scales[i],
                          error))
      return FALSE;
    if (heads_first) {
      swap_heads (views[i]);
      swap_heads (zeros[i]);
      swap_heads (scales[i]);
    }
  }
  if (!dequantize (execution, &q_zeros, &q_scales, &a.q, error) ||
      !pt_arg_out (args[15], PT_BIT (F32), 4, sizes, &out, error))
    return FALSE;
  if (heads_first)
    swap_heads (&out);
  return attend (execution, &a, &out, error);
}

PT_KERNEL (fallback_out)
{
  PtView in, out;

  if (!pt_arg_view (args[0], "input", PT_ANY, &in, error) ||
      !pt_arg_out (args[1], 1u << in.dtype, in.rank, in.sizes, &out, error))
    return FALSE;
  pt_move (execution, &out, &in);
  return TRUE;
}

PT_KERNEL (tile_crop_out)
{
  PtView in, out;
  gint64 tile, sizes[4];

  if (!pt_arg_view (args[0], "input", PT_ANY, &in, error) ||
      !pt_value_int (args[1], "tile_size", &tile, error))
    return FALSE;
  PT_CHECK (in.rank == 3 && tile > 0 && in.sizes[1] % tile == 0 && in.sizes[2] % tile == 0,
            "A picture must be a multiple of its tiles.");
  sizes[0] = in.sizes[1] / tile * (in.sizes[2] / tile);
  sizes[1] = in.sizes[0], sizes[2] = tile, sizes[3] = tile;
  if (!pt_arg_out (args[2], 1u << in.dtype, 4, sizes, &out, error))
    return FALSE;
  for (gint64 i = 0; i < sizes[0]; i++) {
    PtView from = in, to = out;
    gint64 columns = in.sizes[2] / tile;

    pt_view_slice (&from, 1, i / columns * tile, tile, 1);
    pt_view_slice (&from, 2, i % columns * tile, tile, 1);
    pt_view_select (&to, 0, i);
    pt_move (execution, &to, &from);
  }
  return TRUE;
}

static const PtOperator operators[] = {
  { "llama::custom_quantized_sdpa.out", custom_quantized_sdpa_out, 17, 15, 1 },
  { "llama::custom_sdpa.out", custom_sdpa_out, 10, 8, 1 },
  { "llama::fallback.out", fallback_out, 3, 1, 1 },
  { "llama::sdpa_with_kv_cache.out", sdpa_with_kv_cache_out, 13, 3, 2 },
  { "llama::update_cache.out", update_cache_out, 5, 1, 1 },
  { "llama::update_cache_with_indices.out", update_cache_with_indices_out, 6, 1, 1 },
  { "preprocess::tile_crop.out", tile_crop_out, 4, 2, 1 },
};

const PtOperatorFamily pt_llm_family = { operators, G_N_ELEMENTS (operators) };
