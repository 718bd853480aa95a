/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-emit.h"

G_BEGIN_DECLS

/* The emit functions of operators, and the codes by which shaders tell operators apart. */

#define PT_VK_EMIT(name) \
  PtVkEmitted pt_vk_emit_##name (PtVkEmitter *emitter, const PtVkCall *call, GError **error)

/* shaders/unary.comp */
enum {
  PT_VK_UNARY_ABS,
  PT_VK_UNARY_COS,
  PT_VK_UNARY_EXP,
  PT_VK_UNARY_NEG,
  PT_VK_UNARY_SIN,
  PT_VK_UNARY_SQRT,
  PT_VK_UNARY_RSQRT,
  PT_VK_UNARY_TANH,
  PT_VK_UNARY_SIGMOID,
  PT_VK_UNARY_RELU,
  PT_VK_UNARY_ROUND,
  PT_VK_UNARY_TAN,
  PT_VK_UNARY_LOG10,
  PT_VK_UNARY_NOT,
  PT_VK_UNARY_HARDSWISH,
  PT_VK_UNARY_HARDSIGMOID,
  PT_VK_UNARY_RELU6,
  PT_VK_UNARY_HARDSHRINK,
  PT_VK_UNARY_LEAKY_RELU,
  PT_VK_UNARY_GELU,
  PT_VK_UNARY_GELU_TANH,
  PT_VK_UNARY_CLAMP,
};

/* shaders/binary.comp */
enum {
  PT_VK_BINARY_ADD,
  PT_VK_BINARY_SUB,
  PT_VK_BINARY_MUL,
  PT_VK_BINARY_DIV,
  PT_VK_BINARY_MINIMUM,
  PT_VK_BINARY_MAXIMUM,
  PT_VK_BINARY_POW,
  PT_VK_BINARY_DIV_FLOOR,
  PT_VK_BINARY_DIV_TRUNC,
  PT_VK_BINARY_EQ,
  PT_VK_BINARY_LT,
  PT_VK_BINARY_LE,
  PT_VK_BINARY_GT,
  PT_VK_BINARY_GE,
  PT_VK_BINARY_NE,
  PT_VK_BINARY_AND,
  PT_VK_BINARY_OR,
  PT_VK_BINARY_LOGICAL_AND,
  PT_VK_BINARY_LOGICAL_OR,
};

/* Code of fill: the number itself, or this and the number of the argument. */
#define PT_VK_FILL_ARGUMENT 16

/* shaders/reduce.comp */
enum {
  PT_VK_REDUCE_SUM,
  PT_VK_REDUCE_MEAN,
  PT_VK_REDUCE_MAX,
  PT_VK_REDUCE_MIN,
  PT_VK_REDUCE_ARGMAX,
  PT_VK_REDUCE_ARGMIN,
};

/* vk-emit-elementwise.c */
PT_VK_EMIT (unary);
PT_VK_EMIT (gelu);
PT_VK_EMIT (clamp);
PT_VK_EMIT (binary);
PT_VK_EMIT (binary_scalar);
PT_VK_EMIT (div_mode);
PT_VK_EMIT (where);

/* vk-emit-copies.c */
PT_VK_EMIT (convert);
PT_VK_EMIT (permute);
PT_VK_EMIT (transpose);
PT_VK_EMIT (select);
PT_VK_EMIT (slice);
PT_VK_EMIT (split);
PT_VK_EMIT (cat);
PT_VK_EMIT (expand);
PT_VK_EMIT (repeat);
PT_VK_EMIT (flip);
PT_VK_EMIT (pad);
PT_VK_EMIT (pixel_shuffle);
PT_VK_EMIT (unfold);
PT_VK_EMIT (gather);
PT_VK_EMIT (index_select);
PT_VK_EMIT (index);
PT_VK_EMIT (embedding);
PT_VK_EMIT (fill);
PT_VK_EMIT (arange);
PT_VK_EMIT (grid_priors);

/* vk-emit-reductions.c */
PT_VK_EMIT (reduce);
PT_VK_EMIT (softmax);
PT_VK_EMIT (layer_norm);
PT_VK_EMIT (group_norm);
PT_VK_EMIT (batch_norm);
PT_VK_EMIT (rms_norm);

/* vk-emit-matrices.c */
PT_VK_EMIT (matmul);
PT_VK_EMIT (addmm);
/** Whether the linear layer @call reads the bytes of a weight that another call unpacks. */
gboolean pt_vk_reads_packed (const PtVkGraph *graph, const PtVkCall *call);
PT_VK_EMIT (linear);

/* vk-emit-pictures.c */
PT_VK_EMIT (convolution);
PT_VK_EMIT (max_pool);
PT_VK_EMIT (avg_pool);
PT_VK_EMIT (upsample);

/* vk-emit-language.c */
PT_VK_EMIT (rotary);
PT_VK_EMIT (rotary_hf);
PT_VK_EMIT (rotary_interleaved);
/**
 * Has the last dispatch, if it is the rotary embedding that only argument @arg reads, write its
 * rows into the state @to from the position of argument @position on.
 */
gboolean pt_vk_turn_into_cache (PtVkEmitter *emitter, guint arg, guint32 to, guint position);
/** The first of the two tables of a rotary embedding: an argument. */
#define PT_VK_TURN_TABLE 2
/** A rotary embedding, by halves with tables of @rows of @width. */
typedef struct {
  gboolean by_halves;
  gsize width, rows;
  guint position; /* an argument, or PT_VK_NONE */
} PtVkTurn;
/**
 * The layer of one row that makes argument @arg (vk-emit-row.c) writes the output of this number
 * turned. PT_VK_DECLINED: there is none that only this call reads.
 */
PtVkEmitted pt_vk_turn_layer (PtVkEmitter *emitter, guint arg, const PtVkTurn *turn,
                              GError **error);
/** It writes into the state @to, at the position of argument @position. FALSE: it does not. */
gboolean pt_vk_layer_into_cache (PtVkEmitter *emitter, guint arg, guint32 to, guint position);
PT_VK_EMIT (attention);
PT_VK_EMIT (custom_sdpa);
PT_VK_EMIT (update_cache);
PT_VK_EMIT (sdpa);

/* vk-emit-quantized.c */
PT_VK_EMIT (linear_8w);
PT_VK_EMIT (linear_qcs4w);
PT_VK_EMIT (linear_q4gsw);
PT_VK_EMIT (linear_dq8ca_q4gsw);
PT_VK_EMIT (q8_linear);
PT_VK_EMIT (choose_qparams);
PT_VK_EMIT (quantize);
PT_VK_EMIT (dequantize);
PT_VK_EMIT (q8_convolution);
PT_VK_EMIT (q8_add);
PT_VK_EMIT (q8_relu);
PT_VK_EMIT (embedding_q4);

G_END_DECLS
