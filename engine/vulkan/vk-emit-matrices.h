/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-fuse.h"

G_BEGIN_DECLS

/** The layout of the second matrix of a product: shaders/weights.glsl. */
typedef enum {
  PT_VK_WEIGHT_ROWS,      /* float [k, n] */
  PT_VK_WEIGHT_FLOAT,     /* float or half [n, k] */
  PT_VK_WEIGHT_I8,        /* int8 [n, k] */
  PT_VK_WEIGHT_I8_GROUPS, /* int8 [n, k], scales [n, groups] */
  PT_VK_WEIGHT_Q4,        /* 4 bits, the even column in the low half, groups */
  PT_VK_WEIGHT_Q4_HIGH,   /* 4 bits, the even column in the high half */
} PtVkWeight;

/** y [batch, m, n] = alpha * a [batch, m, k] . b + beta * bias. */
typedef struct {
  PtVkWeight kind;
  gsize batch, m, n, k;
  guint32 a; /* a value, or with @a_is_temporary a temporary */
  gboolean a_is_temporary;
  guint32 b;
  gsize b_batch;        /* elements of b from batch to batch */
  gsize stride;         /* elements or bytes of a row of b */
  guint32 scales;       /* PT_VK_NONE: none */
  gsize group;          /* columns of one scale, with groups */
  gsize first, columns; /* a piece of a product: columns @first .. @first + @n of @columns */
  guint32 bias;         /* PT_VK_NONE: none */
  gsize bias_row, bias_column;
  double alpha, beta, least, most;
  guint32 y;
  gboolean y_is_temporary;
} PtVkProduct;

/** A product without bias, scales and limits. */
PtVkProduct pt_vk_product (void);

/** Invocations that share the columns of shaders/column-sums.glsl, for rows of @chunks. */
#define PT_VK_LANES(chunks) \
  ((chunks) <= 32 ? 32 : (chunks) <= 64 ? 64 : (chunks) <= 128 ? 128 : 256)
/** Rows and columns that they make at most. */
#define PT_VK_VECTOR_ROWS 4
#define PT_VK_VECTOR_COLUMNS 4

/**
 * How many columns of a product are computed at once: all, unless the weight is too large for one
 * buffer. 0: it cannot be computed.
 */
gsize pt_vk_columns_at_once (const PtVkEmitter *emitter, const PtVkProduct *product);

/** The piece of at most @n columns from column @first on. */
PtVkProduct pt_vk_product_piece (const PtVkProduct *product, gsize first, gsize n);

/** Bind the rows of the weight, in its stored dtype, that a piece reads. FALSE with an error. */
gboolean pt_vk_bind_weight (PtVkEmitter *emitter, PtVkDispatch *dispatch,
                            const PtVkProduct *product, GError **error);

/** Bind the scales [groups, n or more] of 4-bit groups as [n, groups]. FALSE with an error. */
gboolean pt_vk_bind_group_scales (PtVkEmitter *emitter, PtVkDispatch *dispatch,
                                  const PtVkProduct *product, GError **error);

/**
 * A product of rows that are quantised to bytes, with scale and zero point of each in the values
 * @scale and @zero, and 4-bit groups (PT_VK_WEIGHT_Q4): integers are multiplied, by instructions
 * for four bytes where the GPU has them. PT_VK_DECLINED where rows are not of whole chunks.
 */
PtVkEmitted pt_vk_emit_dot_product (PtVkEmitter *emitter, const PtVkProduct *product, guint32 scale,
                                    guint32 zero, GError **error);

/** Whether the rows and the weight of such a product are of whole chunks. */
gboolean pt_vk_has_chunks (PtVkEmitter *emitter, const PtVkProduct *product);

/** Whether a product of one row can make its bytes itself (shaders/row-product.comp). */
gboolean pt_vk_is_row_product (PtVkEmitter *emitter, const PtVkProduct *product);
PtVkEmitted pt_vk_emit_row_product (PtVkEmitter *emitter, const PtVkProduct *product,
                                    PtVkChain *row, GError **error);
/** The same for the layer @call, which may come later. */
gboolean pt_vk_takes_row (PtVkEmitter *emitter, const PtVkCall *call);

/**
 * Has the last two dispatches, if they are layers of one row that make @a and @b, make one row
 * instead, @out = a * sigmoid (a) * b. Nothing else may read @a and @b.
 */
gboolean pt_vk_join_gate (PtVkEmitter *emitter, guint32 a, guint32 b, guint32 out);

PtVkEmitted pt_vk_emit_product (PtVkEmitter *emitter, const PtVkProduct *product, GError **error);

G_END_DECLS
