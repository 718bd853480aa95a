#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Convolution as a product of the weights [channels, K] and the inputs of each place of the output
// [K, places], K = in_channels * KERNEL_H * KERNEL_W, in tiles of 32 x 32. Small pictures make few
// tiles, so four SLICES of invocations share a tile: each takes its part of K with 4 x 4 sums an
// invocation, which are added at the end.
#extension GL_EXT_control_flow_attributes : enable

#define TILE 32
#define DEPTH 8
#define SLICES 4
#define LANES 64 // of a slice

layout (local_size_x = SLICES * LANES) in;
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (constant_id = 1) const int KERNEL_H = 1;
layout (constant_id = 2) const int KERNEL_W = 1;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) readonly buffer W { float w[]; };
layout (set = 0, binding = 2) readonly buffer B { float bias[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (push_constant) uniform P
{
  int in_channels, out_channels; // of one group
  int groups;
  int in_h, in_w, out_h, out_w;
  int kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w;
  float least, most;
};

// Tiles of each slice while it adds, read by fours; then the sums of all slices but the first.
#define PITCH (TILE + 4)
#define SLICE_SIZE (2 * DEPTH * PITCH)
shared vec4 memory[(SLICES - 1) * TILE * TILE / 4];

void put (int at, float v) { memory[at / 4][at % 4] = v; }

void load_weights (int to, int k0, int size, int first, int group, int lane)
{
  int k = lane % DEPTH;

  [[unroll]] for (int i = 0; i < TILE * DEPTH / LANES; i++) {
    int o = lane / DEPTH + i * (LANES / DEPTH), channel = first + o;
    bool is_inside = k0 + k < size && channel < out_channels;

    put (to + k * PITCH + o,
         is_inside ? w[(group * out_channels + channel) * size + k0 + k] : 0.0);
  }
}

// @top, @left: the first input of the place that this invocation loads, outside for none.
void load_inputs (int to, int k0, int size, int plane0, int top, int left, int lane)
{
  int p = lane % TILE;

  [[unroll]] for (int i = 0; i < TILE * DEPTH / LANES; i++) {
    int at = lane / TILE + i * (LANES / TILE), k = k0 + at;
    int c = k / (KERNEL_H * KERNEL_W), tap = k % (KERNEL_H * KERNEL_W);
    int iy = top + tap / KERNEL_W * dilation_h, ix = left + tap % KERNEL_W * dilation_w;
    bool is_inside = k < size && iy >= 0 && iy < in_h && ix >= 0 && ix < in_w;

    put (to + at * PITCH + p, is_inside ? x[((plane0 + c) * in_h + iy) * in_w + ix] : 0.0);
  }
}

void add_products (int slice, int tx, int ty, inout float sum[4][4])
{
  int u0 = slice * SLICE_SIZE / 4, v0 = u0 + DEPTH * PITCH / 4;

  [[unroll]] for (int k = 0; k < DEPTH; k++) {
    vec4 u = memory[u0 + k * PITCH / 4 + ty], v = memory[v0 + k * PITCH / 4 + tx];

    [[unroll]] for (int i = 0; i < 4; i++)
      [[unroll]] for (int j = 0; j < 4; j++)
        sum[i][j] = fma (u[i], v[j], sum[i][j]);
  }
}

// Adds the sums of the other slices to those of the first, which writes y.
void finish (int slice, int lane, int first, int place0, int group, int batch, float sum[4][4])
{
  int tx = lane % 8, ty = lane / 8;

  if (slice > 0)
    [[unroll]] for (int i = 0; i < 4; i++)
      memory[((slice - 1) * 4 + i) * LANES + lane] =
          vec4 (sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
  barrier ();
  if (slice > 0)
    return;
  [[unroll]] for (int i = 0; i < 16; i++) {
    int channel = first + ty * 4 + i / 4, place = place0 + tx * 4 + i % 4;
    float v = sum[i / 4][i % 4];

    [[unroll]] for (int s = 0; s < SLICES - 1; s++)
      v += memory[(s * 4 + i / 4) * LANES + lane][i % 4];
    if (channel < out_channels && place < out_h * out_w) {
      int row = group * out_channels + channel;

      if (HAS_BIAS != 0)
        v += bias[row];
      y[(batch * groups * out_channels + row) * out_h * out_w + place] = clamp (v, least, most);
    }
  }
}

void main ()
{
  int blocks = (out_channels + TILE - 1) / TILE;
  int slice = int (gl_LocalInvocationIndex) / LANES, lane = int (gl_LocalInvocationIndex) % LANES;
  int place0 = int (gl_WorkGroupID.x) * TILE, group = int (gl_WorkGroupID.y) / blocks;
  int first = int (gl_WorkGroupID.y) % blocks * TILE, batch = int (gl_WorkGroupID.z);
  int size = in_channels * KERNEL_H * KERNEL_W, to = slice * SLICE_SIZE;
  int place = place0 + lane % TILE;
  int top = place < out_h * out_w ? place / out_w * stride_h - padding_h : -0x10000000;
  int left = place % out_w * stride_w - padding_w;
  float sum[4][4];

  [[unroll]] for (int i = 0; i < 4; i++)
    [[unroll]] for (int j = 0; j < 4; j++)
      sum[i][j] = 0.0;
  for (int k0 = 0; k0 < size; k0 += SLICES * DEPTH) {
    int k = k0 + slice * DEPTH;

    load_weights (to, k, size, first, group, lane);
    load_inputs (to + DEPTH * PITCH, k, size, (batch * groups + group) * in_channels, top, left,
                 lane);
    barrier ();
    add_products (slice, lane % 8, lane / 8, sum);
    barrier ();
  }
  finish (slice, lane, first, place0, group, batch, sum);
}
