/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatches of products of quantised rows and 4-bit groups, by integers. */
#include "engine/vulkan/vk-emit-matrices.h"
#include "engine/vulkan/vk-emit-strides.h"

/* Of shaders/quantize-rows.comp: elements of a chunk, and bytes of it in the weights. */
#define CHUNK 32
#define CHUNK_BYTES 16
/* Of shaders/matmul-dot.comp. */
#define TILE 64

/* Of shaders/matmul-matrix.comp: chunks at a time; a tile, and the part of it that a subgroup has.
 */
#define MATRIX_DEPTH 4

typedef struct {
  guint32 rows, columns, part_rows, part_columns;
} MatrixTile;

/* The second one is for GPUs with little shared memory. */
static const MatrixTile TILES[] = { { 64, 64, 32, 32 }, { 32, 64, 32, 32 } };

gboolean
pt_vk_has_chunks (PtVkEmitter *emitter, const PtVkProduct *p)
{
  return p->k % CHUNK == 0 && p->stride % CHUNK_BYTES == 0 && p->group % CHUNK == 0 && p->m > 0 &&
         p->stride / CHUNK_BYTES >= p->k / CHUNK && p->m * MAX (p->k, p->n) <= G_MAXINT32 &&
         pt_vk_constant_of (emitter->graph, &emitter->graph->values[p->scales]) != NULL;
}

/* The rows as bytes, and their sums, as temporaries. FALSE with an error. */
static gboolean
quantize_rows (PtVkEmitter *emitter, const PtVkProduct *p, PtVkQuantizedRows *rows, GError **error)
{
  gsize chunks = p->k / CHUNK;
  gboolean is_byte = emitter->graph->values[rows->zero].stored == PT_DTYPE_I8;
  PtVkDispatch *d;

  rows->words = pt_vk_temporary (emitter, p->m * p->k);
  rows->sums = pt_vk_temporary (emitter, p->m * (chunks + 1) * sizeof (gint32));
  d = pt_vk_dispatch (emitter,
                      is_byte ? PT_VK_SHADER_quantize_rows_i8 : PT_VK_SHADER_quantize_rows_i32);
  if (!pt_vk_bind_in (emitter, d, rows->rows, error) ||
      !pt_vk_bind_in (emitter, d, rows->scale, error) ||
      !pt_vk_bind_in (emitter, d, rows->zero, error))
    return FALSE;
  pt_vk_bind_temporary (emitter, d, rows->words, PT_VK_WRITE);
  pt_vk_bind_temporary (emitter, d, rows->sums, PT_VK_WRITE);
  pt_vk_push (d, (guint32) (p->m * chunks * 4));
  pt_vk_push (d, (guint32) p->m);
  pt_vk_push (d, (guint32) chunks);
  pt_vk_groups (emitter, d, p->m * chunks * 4, PT_VK_ITEMS);
  return TRUE;
}

static gboolean
bind_product (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p,
              const PtVkQuantizedRows *rows, GError **error)
{
  pt_vk_bind_temporary (emitter, d, rows->words, PT_VK_READ);
  if (!pt_vk_bind_weight (emitter, d, p, error))
    return FALSE;
  /* In the place of a bias that is not there: the weight. */
  if (p->bias == PT_VK_NONE)
    d->bindings[d->n_bindings++] = d->bindings[1];
  else if (!pt_vk_bind_in (emitter, d, p->bias, error))
    return FALSE;
  pt_vk_bind_out (emitter, d, p->y);
  if (!pt_vk_bind_group_scales (emitter, d, p, error))
    return FALSE;
  pt_vk_bind_temporary (emitter, d, rows->sums, PT_VK_READ);
  return pt_vk_bind_in (emitter, d, rows->scale, error);
}

/* ---- By matrix instructions ---- */

/* Of a tile: two halves of rows and columns with 16 bytes more each, scales, and positions. */
static gsize
shared_bytes (const MatrixTile *tile, const PtVkMatrixSize *size)
{
  return 2 * (tile->rows + tile->columns) * (MATRIX_DEPTH * 2 + 1) * 16 +
         2 * MATRIX_DEPTH * tile->columns * 4 + size->m * size->n * 4;
}

static guint32
count_threads (const MatrixTile *tile, guint32 lanes)
{
  return tile->rows / tile->part_rows * (tile->columns / tile->part_columns) * lanes;
}

/* NULL: none; the shader has no pieces. */
static const MatrixTile *
choose_tile (const PtVkContext *context, const PtVkProduct *p)
{
  const VkPhysicalDeviceLimits *limits = &context->limits;

  if (context->matrix.m == 0 || p->m <= PT_VK_VECTOR_ROWS || p->n < p->columns)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (TILES); i++)
    if (shared_bytes (&TILES[i], &context->matrix) <= limits->maxComputeSharedMemorySize &&
        count_threads (&TILES[i], context->subgroup_size) <=
            MIN (limits->maxComputeWorkGroupInvocations, limits->maxComputeWorkGroupSize[0]))
      return &TILES[i];
  return NULL;
}

static gboolean
complete_matrix (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p,
                 const MatrixTile *tile)
{
  const PtVkContext *context = emitter->context;

  d->shader = PT_VK_SHADER_matmul_matrix;
  d->work /= 8;
  pt_vk_constant (d, count_threads (tile, context->subgroup_size));
  pt_vk_constant (d, context->matrix.m);
  pt_vk_constant (d, context->matrix.n);
  pt_vk_constant (d, context->matrix.k);
  pt_vk_constant (d, tile->rows);
  pt_vk_constant (d, tile->columns);
  pt_vk_constant (d, tile->part_rows);
  pt_vk_constant (d, tile->part_columns);
  return pt_vk_groups_3d (emitter, d, (p->n + tile->columns - 1) / tile->columns,
                          (p->m + tile->rows - 1) / tile->rows, 1);
}

/* ---- Products ---- */

/* FALSE: too many groups. */
static gboolean
complete_product (PtVkEmitter *emitter, PtVkDispatch *d, const PtVkProduct *p)
{
  gboolean is_vector = p->m <= PT_VK_VECTOR_ROWS;
  gboolean has_dot = emitter->context->has_dot;
  const MatrixTile *tile = choose_tile (emitter->context, p);

  if (is_vector)
    d->shader = has_dot ? PT_VK_SHADER_matvec_dot : PT_VK_SHADER_matvec_dot_plain;
  else
    d->shader = has_dot ? PT_VK_SHADER_matmul_dot : PT_VK_SHADER_matmul_dot_plain;
  d->work = (double) p->m * (double) p->n * (double) p->k / 4;
  pt_vk_constant (d, p->bias != PT_VK_NONE);
  pt_vk_push (d, (guint32) p->m);
  pt_vk_push (d, (guint32) p->n);
  pt_vk_push (d, (guint32) (p->k / CHUNK));
  pt_vk_push (d, (guint32) (p->stride / CHUNK_BYTES));
  pt_vk_push (d, (guint32) (p->group / CHUNK));
  pt_vk_push (d, (guint32) ((p->k + p->group - 1) / p->group));
  pt_vk_push (d, (guint32) p->first);
  pt_vk_push (d, (guint32) p->columns);
  if (tile != NULL)
    return complete_matrix (emitter, d, p, tile);
  if (!is_vector)
    return pt_vk_groups_3d (emitter, d, (p->n + TILE - 1) / TILE, (p->m + TILE - 1) / TILE, 1);
  pt_vk_constant (d, (guint32) p->m);
  pt_vk_constant (d, PT_VK_LANES (p->k / CHUNK));
  pt_vk_groups (emitter, d, p->n, PT_VK_VECTOR_COLUMNS);
  return TRUE;
}

PtVkEmitted
pt_vk_emit_dot_product (PtVkEmitter *emitter, const PtVkProduct *p, guint32 scale, guint32 zero,
                        GError **error)
{
  PtVkQuantizedRows rows = { .rows = p->a, .scale = scale, .zero = zero };
  const PtVkQuantizedRows *last = &emitter->quantized;
  gsize n = pt_vk_columns_at_once (emitter, p);
  PtVkChain *row = pt_vk_row_of (emitter, scale);

  if (row != NULL)
    return pt_vk_emit_row_product (emitter, p, row, error);
  if (n == 0 || !pt_vk_has_chunks (emitter, p))
    return PT_VK_DECLINED;
  if (last->sums > 0 && last->rows == p->a && last->scale == scale && last->zero == zero)
    rows = *last;
  else if (!quantize_rows (emitter, p, &rows, error))
    return PT_VK_FAILED;
  for (gsize first = 0; first < p->n; first += n) {
    PtVkProduct piece = pt_vk_product_piece (p, first, n);
    PtVkDispatch *d = pt_vk_dispatch (emitter, PT_VK_SHADER_matmul_dot);

    if (!bind_product (emitter, d, &piece, &rows, error))
      return PT_VK_FAILED;
    if (!complete_product (emitter, d, &piece))
      return PT_VK_DECLINED;
  }
  emitter->quantized = rows;
  return PT_VK_EMITTED;
}
