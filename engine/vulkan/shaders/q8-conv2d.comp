#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Convolution of bytes with bytes (et_vk.q8ta_conv2d); sums are exact. One output for each
// invocation.
#extension GL_GOOGLE_include_directive : enable
#extension GL_EXT_shader_8bit_storage : enable

layout (local_size_x = 128) in;
layout (constant_id = 0) const uint HAS_BIAS = 0;
layout (constant_id = 1) const uint IS_DEPTHWISE = 0;
layout (constant_id = 2) const uint IS_RELU = 0;
layout (set = 0, binding = 0) readonly buffer X { int8_t x[]; };
layout (set = 0, binding = 1) readonly buffer W { int8_t w[]; };
layout (set = 0, binding = 2) readonly buffer S { float scales[]; };
layout (set = 0, binding = 3) readonly buffer B { float bias[]; };
layout (set = 0, binding = 4) writeonly buffer Y { int8_t y[]; };
layout (push_constant) uniform P
{
  int in_channels, out_channels; // of one group
  int groups;
  int in_h, in_w, out_h, out_w;
  int kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w;
  int row; // bytes of the weight of one output channel, or of one tap
  int zero;
  float scale, inverse, out_zero;
};

void main ()
{
  int p = int (gl_GlobalInvocationID.x), channel = int (gl_WorkGroupID.y), batch = int (gl_WorkGroupID.z);

  if (p >= out_h * out_w)
    return;
  int oy = p / out_w, ox = p % out_w, g = channel / out_channels, sum = 0;

  for (int ky = 0; ky < kernel_h; ky++)
    for (int kx = 0; kx < kernel_w; kx++) {
      int iy = oy * stride_h - padding_h + ky * dilation_h, ix = ox * stride_w - padding_w + kx * dilation_w;
      int tap = ky * kernel_w + kx;

      if (iy < 0 || iy >= in_h || ix < 0 || ix >= in_w)
        continue; // the padding is the real number 0
      for (int c = 0; c < in_channels; c++) {
        int at = IS_DEPTHWISE != 0 ? tap * row + channel : channel * row + tap * in_channels + c;

        sum += (int (x[(((batch * groups + g) * in_channels + c) * in_h + iy) * in_w + ix]) - zero) * int (w[at]);
      }
    }
  float v = float (sum) * scale * scales[channel];

  if (HAS_BIAS != 0)
    v += bias[channel];
  if (IS_RELU != 0)
    v = max (v, 0.0);
  y[((batch * groups * out_channels + channel) * out_h + oy) * out_w + ox]
      = int8_t (int (clamp (roundEven (v * inverse) + out_zero, -128.0, 127.0)));
}
