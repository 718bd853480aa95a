#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Convolution, also transposed. Each invocation makes CHANNELS neighbouring channels of one place
// of the output, so that it reads each input once for all of them.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_control_flow_attributes : enable

layout (local_size_x = 128) in;
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (constant_id = 1) const uint TRANSPOSED = 0;
layout (constant_id = 2) const uint CHANNELS = 1;
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

// The place that tap k of output o reads; negative: none.
int place (int o, int k, int stride, int padding, int dilation, int size)
{
  int at = TRANSPOSED != 0 ? o + padding - k * dilation : o * stride - padding + k * dilation;

  if (TRANSPOSED != 0) {
    if (at < 0 || at % stride != 0)
      return -1;
    at /= stride;
  }
  return at < size ? at : -1;
}

void main ()
{
  int blocks = (out_channels + int (CHANNELS) - 1) / int (CHANNELS);
  int p = int (gl_GlobalInvocationID.x), g = int (gl_WorkGroupID.y) / blocks;
  int first = int (gl_WorkGroupID.y) % blocks * int (CHANNELS), batch = int (gl_WorkGroupID.z);

  if (p >= out_h * out_w)
    return;
  int oy = p / out_w, ox = p % out_w, taps = kernel_h * kernel_w;
  float sum[CHANNELS];

  for (int o = 0; o < CHANNELS; o++)
    sum[o] = 0.0;
  for (int ky = 0; ky < kernel_h; ky++) {
    int iy = place (oy, ky, stride_h, padding_h, dilation_h, in_h);

    if (iy < 0)
      continue;
    for (int kx = 0; kx < kernel_w; kx++) {
      int ix = place (ox, kx, stride_w, padding_w, dilation_w, in_w);

      if (ix < 0)
        continue;
      for (int c = 0; c < in_channels; c++) {
        float v = x[(((batch * groups + g) * in_channels + c) * in_h + iy) * in_w + ix];

        for (int o = 0; o < CHANNELS; o++) {
          int k = min (first + o, out_channels - 1);
          int row = TRANSPOSED != 0 ? (g * in_channels + c) * out_channels + k
                                    : (g * out_channels + k) * in_channels + c;

          sum[o] = fma (v, w[row * taps + ky * kernel_w + kx], sum[o]);
        }
      }
    }
  }
  for (int o = 0; o < CHANNELS; o++)
    if (first + o < out_channels) {
      int channel = g * out_channels + first + o;
      float v = HAS_BIAS != 0 ? sum[o] + bias[channel] : sum[o];

      y[((batch * groups * out_channels + channel) * out_h + oy) * out_w + ox]
          = clamp (v, least, most);
    }
}
