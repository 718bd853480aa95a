/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of embedding tables in 8, 4 and 2 bits (docs/formats/operators.md, section 19.4). */
#include <string.h>

#include "engine/kernels/vector.h"
#include "engine/operators/convert.h"
#include "engine/operators/families.h"
#include "engine/operators/index.h"
#include "engine/operators/move.h"

/* Maximum of numbers of a group that are dequantised at once. */
#define BLOCK 512

typedef struct {
  PtView table;         /* u8 or i8, [V, D * bits / 8] */
  guint bits;           /* 8, 4 or 2 */
  gsize width;          /* D */
  gsize groups;         /* groups in a row; each has a scale */
  PtView scales, zeros; /* [V, groups] */
  gboolean has_zeros;
  const gint64 *rows; /* checked */
  PtView out;         /* dense */
} Embedding;

/* Unpacks elements [@begin, @begin + @n) of a row, without zero point and scale. */
static void
unpack (const Embedding *e, const guint8 *row, gsize begin, gsize n, float *to)
{
  if (e->bits == 4) {
    /* The even element is in the high nibble. */
    for (gsize i = begin; i < begin + n; i++)
      *to++ = (float) ((gint) (row[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15) - 8);
  } else {
    for (gsize i = begin; i < begin + n; i++)
      *to++ = (float) ((gint) (row[i / 4] >> (2 * (i % 4)) & 3) - 2);
  }
}

/* Dequantises part of a group: at most BLOCK elements. */
static void
dequantize (const Embedding *e, const guint8 *row, gsize begin, gsize n, float zero, float scale,
            float *to)
{
  if (e->bits == 8 && e->table.dtype == PT_DTYPE_I8) {
    pt_vector_i8_to_f32 (n, (const gint8 *) row + begin, zero, scale, to);
    return;
  }
  if (e->bits == 8)
    pt_load (PT_DTYPE_U8, PT_COMPUTE_F32, n, row + begin, 1, to);
  else
    unpack (e, row, begin, n, to);
  for (gsize i = 0; i < n; i++)
    to[i] = (to[i] - zero) * scale;
}

static void
embed_range (gpointer data, gsize begin, gsize end, guint worker)
{
  const Embedding *e = data;
  gsize group = e->width / e->groups, out_size = pt_dtype_size (e->out.dtype);

  for (gsize i = begin; i < end; i++) {
    const guint8 *row = e->table.data + e->rows[i] * e->table.strides[0];
    guint8 *out = e->out.data + i * e->width * out_size;

    for (gsize g = 0; g < e->groups; g++) {
      gint64 at = e->rows[i] * (gint64) e->groups + (gint64) g;
      float scale, zero = 0;

      pt_load (e->scales.dtype, PT_COMPUTE_F32, 1, pt_view_at (&e->scales, at), 1, &scale);
      if (e->has_zeros)
        pt_load (e->zeros.dtype, PT_COMPUTE_F32, 1, pt_view_at (&e->zeros, at), 1, &zero);
      for (gsize j = g * group; j < (g + 1) * group; j += BLOCK) {
        gsize n = MIN (BLOCK, (g + 1) * group - j);
        float block[BLOCK];

        if (e->out.dtype == PT_DTYPE_F32) {
          dequantize (e, row, j, n, zero, scale, (float *) out + j);
        } else {
          dequantize (e, row, j, n, zero, scale, block);
          pt_store (e->out.dtype, PT_COMPUTE_F32, n, block, out + j * out_size, 1);
        }
      }
    }
  }
}

/* Checks scales or zero points, [V] or [V, G], and makes them dense. */
static gboolean
check_parameters (PtExecution *execution, const PtView *table, PtView *view, GError **error)
{
  PT_CHECK ((view->rank == 1 || view->rank == 2) && view->sizes[0] == table->sizes[0],
            "An embedding needs scales for each row.");
  return pt_make_dense (execution, view->dtype, view, error);
}

/* Reads the table and its parameters. */
static gboolean
arg_table (PtExecution *execution, PtValue *const *args, guint bits, PtDTypeSet scale_dtypes,
           Embedding *e, GError **error)
{
  gint64 unused;

  e->bits = bits;
  if (!pt_arg_view (args[0], "weight", bits == 8 ? PT_BIT (U8) | PT_BIT (I8) : PT_BIT (U8),
                    &e->table, error) ||
      !pt_arg_view (args[1], "weight_scales", scale_dtypes, &e->scales, error) ||
      !pt_arg_optional_view (args[2], "weight_zero_points", 1u << e->scales.dtype, &e->zeros,
                             &e->has_zeros, error) ||
      !pt_value_int (args[3], "weight_quant_min", &unused, error) ||
      !pt_value_int (args[4], "weight_quant_max", &unused, error))
    return FALSE;
  PT_CHECK (e->table.rank == 2, "An embedding needs a table of rows.");
  e->width = (gsize) e->table.sizes[1] * (8 / bits);
  if (!pt_make_dense (execution, e->table.dtype, &e->table, error) ||
      !check_parameters (execution, &e->table, &e->scales, error))
    return FALSE;
  e->groups = e->scales.rank == 2 ? (gsize) e->scales.sizes[1] : 1;
  PT_CHECK (e->groups > 0 && e->width % e->groups == 0,
            "The rows of an embedding do not divide into groups.");
  if (!e->has_zeros)
    return TRUE;
  PT_CHECK (pt_view_same_shape (&e->zeros, &e->scales),
            "An embedding needs as many zero points as scales.");
  return check_parameters (execution, &e->table, &e->zeros, error);
}

/* Checks and copies the indices, because they may share memory with the result. */
static gboolean
arg_rows (PtExecution *execution, PtView *indices, Embedding *e, GError **error)
{
  gint64 *rows = pt_execution_scratch (execution, indices->numel * sizeof *rows + 1, error);

  if (rows == NULL || !pt_make_dense (execution, indices->dtype, indices, error))
    return FALSE;
  for (gsize i = 0; i < indices->numel; i++) {
    rows[i] = pt_index_at (indices, (gint64) i);
    if (rows[i] < 0 || rows[i] >= e->table.sizes[0])
      return pt_fail_index (error, rows[i], e->table.sizes[0]);
  }
  e->rows = rows;
  return TRUE;
}

static gboolean
embed (PtExecution *execution, PtValue *const *args, guint bits, gboolean has_dtype, GError **error)
{
  const PtValue *out_value = args[has_dtype ? 7 : 6];
  Embedding e;
  PtView indices, out;
  gint64 sizes[PT_MAX_RANK], dtype;
  PtDType out_dtype;

  if (!pt_arg_out_dtype (out_value, PT_BIT (F32) | PT_HALF, &out_dtype, error) ||
      !arg_table (execution, args, bits, has_dtype ? PT_FL : 1u << out_dtype, &e, error) ||
      !pt_arg_view (args[5], "indices", PT_INDEX, &indices, error))
    return FALSE;
  if (has_dtype) {
    if (!pt_value_optional_int (args[6], "dtype", out_dtype, &dtype, error))
      return FALSE;
    PT_CHECK (dtype == (gint64) out_dtype, "'dtype' is not the dtype of the result.");
  }
  PT_CHECK (indices.rank < PT_MAX_RANK, "A result would have too many dimensions.");
  memcpy (sizes, indices.sizes, sizeof sizes);
  sizes[indices.rank] = (gint64) e.width;
  if (!arg_rows (execution, &indices, &e, error) ||
      !pt_arg_out (out_value, PT_BIT (F32) | PT_HALF, indices.rank + 1, sizes, &out, error) ||
      !pt_make_work (execution, out_dtype, &out, &e.out, error))
    return FALSE;
  if (out.numel > 0)
    pt_pool_run (pt_execution_pool (execution), indices.numel, MAX (1, 16384 / e.width),
                 embed_range, &e);
  return pt_finish_work (execution, &out, &e.out, error);
}

#define DEFINE_EMBEDDING(name, bits, has_dtype)             \
  PT_KERNEL (name)                                          \
  {                                                         \
    return embed (execution, args, bits, has_dtype, error); \
  }

/* clang-format off */
DEFINE_EMBEDDING (embedding_byte_out, 8, FALSE)
DEFINE_EMBEDDING (embedding_byte_dtype_out, 8, TRUE)
DEFINE_EMBEDDING (embedding_4bit_out, 4, FALSE)
DEFINE_EMBEDDING (embedding_4bit_dtype_out, 4, TRUE)
DEFINE_EMBEDDING (embedding_2bit_out, 2, FALSE)
DEFINE_EMBEDDING (embedding_2bit_dtype_out, 2, TRUE)
/* clang-format on */

static const PtOperator operators[] = {
  { "quantized_decomposed::embedding_2bit.dtype_out", embedding_2bit_dtype_out, 9, 7, 1 },
  { "quantized_decomposed::embedding_2bit.out", embedding_2bit_out, 8, 6, 1 },
  { "quantized_decomposed::embedding_4bit.dtype_out", embedding_4bit_dtype_out, 9, 7, 1 },
  { "quantized_decomposed::embedding_4bit.out", embedding_4bit_out, 8, 6, 1 },
  { "quantized_decomposed::embedding_byte.dtype_out", embedding_byte_dtype_out, 9, 7, 1 },
  { "quantized_decomposed::embedding_byte.out", embedding_byte_out, 8, 6, 1 },
};

const PtOperatorFamily pt_quantized_embedding_family = { operators, G_N_ELEMENTS (operators) };
