// SPDX-License-Identifier: BSD-3-Clause
// The second matrix of a product, by variant: load_weight (n, k) is column n, row k of it.
//   W_ROWS      float [K, N]
//   W_F32       float [N, K]            W_F16   half [N, K]
//   W_I8        int8 [N, K], scales [N]
//   W_I8_GROUPS int8 [N, K], scales [N, groups]
//   W_Q4        4 bits [N, stride * 2], the even column in the low half, scales [N, groups]
//   W_Q4_HIGH   4 bits, the even column in the high half, scales [N]
#extension GL_EXT_shader_8bit_storage : enable
#extension GL_EXT_shader_16bit_storage : enable

#if defined W_ROWS || defined W_F32
layout (set = 0, binding = 1) readonly buffer B { float b[]; };
#elif defined W_F16
layout (set = 0, binding = 1) readonly buffer B { float16_t b[]; };
#elif defined W_I8 || defined W_I8_GROUPS
layout (set = 0, binding = 1) readonly buffer B { int8_t b[]; };
#else
layout (set = 0, binding = 1) readonly buffer B { uint8_t b[]; };
#endif
#if defined W_I8 || defined W_I8_GROUPS || defined W_Q4 || defined W_Q4_HIGH
layout (set = 0, binding = 4) readonly buffer S { float scales[]; };
#define HAS_SCALES
#endif

// offset: first element; stride: bytes or elements of a row; group: columns of one scale
float load_weight (uint n, uint k, uint offset, uint stride, uint group, uint n_groups)
{
#if defined W_ROWS
  return b[offset + k * stride + n];
#elif defined W_I8
  return float (int (b[n * stride + k])) * scales[n];
#elif defined W_I8_GROUPS
  return float (int (b[n * stride + k])) * scales[n * n_groups + k / group];
#elif defined W_Q4
  uint pair = uint (b[n * stride + k / 2]);

  return float (int (k % 2 == 0 ? pair & 15 : pair >> 4) - 8) * scales[n * n_groups + k / group];
#elif defined W_Q4_HIGH
  uint pair = uint (b[n * stride + k / 2]);

  return float (int (k % 2 == 0 ? pair >> 4 : pair & 15) - 8) * scales[n];
#else
  return float (b[offset + n * stride + k]);
#endif
}
