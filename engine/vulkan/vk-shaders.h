/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The shaders, compiled at build time. Each has its buffers as bindings 0 .. n - 1 of set 0, at
 * most PT_VK_MAX_PUSH bytes of push constants, and specialisation constants from 0 on.
 */

#define PT_VK_MAX_BINDINGS 11
#define PT_VK_MAX_PUSH 128
#define PT_VK_MAX_GROUP 256 /* invocations */

/* X (name, number of bindings); meson.build has the same names. */
#define PT_VK_SHADERS(X)    \
  X (unary_f32, 2)          \
  X (unary_i32, 2)          \
  X (binary_f32, 3)         \
  X (binary_i32, 3)         \
  X (compare_f32, 3)        \
  X (compare_i32, 3)        \
  X (compare_u8, 3)         \
  X (binary_u8, 3)          \
  X (where_32, 4)           \
  X (where_8, 4)            \
  X (copy_32, 3)            \
  X (copy_8, 3)             \
  X (convert_f32_i32, 2)    \
  X (convert_f32_8, 2)      \
  X (convert_i32_f32, 2)    \
  X (convert_i32_8, 2)      \
  X (convert_i8_f32, 2)     \
  X (convert_i8_i32, 2)     \
  X (convert_u8_f32, 2)     \
  X (convert_u8_i32, 2)     \
  X (fill_32, 1)            \
  X (fill_8, 1)             \
  X (arange_f32, 1)         \
  X (arange_i32, 1)         \
  X (grid_priors, 1)        \
  X (index_32, 3)           \
  X (gather_32, 3)          \
  X (reduce, 2)             \
  X (reduce_place, 2)       \
  X (softmax, 2)            \
  X (norm, 6)               \
  X (batch_norm, 6)         \
  X (matmul_rows, 4)        \
  X (matmul_f32, 4)         \
  X (matmul_f16, 4)         \
  X (matmul_i8, 5)          \
  X (matmul_i8_groups, 5)   \
  X (matmul_q4, 5)          \
  X (matmul_q4_high, 5)     \
  X (matvec_f32, 4)         \
  X (matvec_f16, 4)         \
  X (matvec_i8, 5)          \
  X (matvec_i8_groups, 5)   \
  X (matvec_q4, 5)          \
  X (matvec_q4_high, 5)     \
  X (conv2d, 4)             \
  X (conv_tile, 4)          \
  X (q8_conv2d, 5)          \
  X (pool, 3)               \
  X (upsample, 2)           \
  X (rotary, 5)             \
  X (rotary_interleaved, 3) \
  X (cache_write, 3)        \
  X (attention, 8)          \
  X (attention_tile, 6)     \
  X (quantize, 3)           \
  X (dequantize, 3)         \
  X (requantize, 3)         \
  X (choose_qparams_i8, 3)  \
  X (choose_qparams_i32, 3) \
  X (round_rows_i8, 4)      \
  X (round_rows_i32, 4)     \
  X (quantize_rows_i8, 5)   \
  X (quantize_rows_i32, 5)  \
  X (rows_i8, 9)            \
  X (rows_i32, 9)           \
  X (matvec_dot, 7)         \
  X (matvec_dot_plain, 7)   \
  X (matmul_dot, 7)         \
  X (matmul_dot_plain, 7)   \
  X (matmul_matrix, 7)      \
  X (row_product, 11)       \
  X (row_product_plain, 11) \
  X (wide_row, 11)          \
  X (wide_row_plain, 11)    \
  X (embedding_q4, 4)       \
  X (sample_said, 2)        \
  X (sample_max, 3)         \
  X (sample_bins, 3)        \
  X (sample_sums, 3)        \
  X (sample_pick, 3)

typedef enum {
#define PT_VK_SHADER_ENUM(name, n) PT_VK_SHADER_##name,
  PT_VK_SHADERS (PT_VK_SHADER_ENUM)
#undef PT_VK_SHADER_ENUM
      PT_VK_N_SHADERS
} PtVkShader;

typedef struct {
  const char *name;
  const guint32 *words;
  gsize size; /* in bytes */
  guint n_bindings;
} PtVkShaderCode;

const PtVkShaderCode *pt_vk_shader_code (PtVkShader shader);

G_END_DECLS
