#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Penalties of tokens that were said, in a copy of the logits: the same roundings as
// pt_sampling_penalise().
layout (local_size_x = 256) in;
layout (set = 0, binding = 0) buffer X { float logits[]; };
layout (set = 0, binding = 1) readonly buffer S { uint said[]; }; // pairs: token, count
layout (push_constant) uniform P
{
  uint n_said, n;
  float repetition, presence, frequency;
};

// Vulkan's division may be some units off; this is corrected by what it leaves.
float divide (float a, float b)
{
  precise float q = a / b, cq = 4097.0 * q, cb = 4097.0 * b;
  precise float qh = cq - (cq - q), bh = cb - (cb - b), ql = q - qh, bl = b - bh;
  precise float rest = (((a - qh * bh) - qh * bl) - ql * bh) - ql * bl;
  precise float better = q + rest / b;

  return abs (a) < 1e30 && abs (q) < 1e30 && b < 1e30 ? better : q;
}

void main ()
{
  uint i = gl_WorkGroupID.x * 256 + gl_LocalInvocationIndex;

  if (i >= n_said || said[2 * i] >= n)
    return;
  precise float x = logits[said[2 * i]], less = float (said[2 * i + 1]) * frequency;

  less = less + presence;
  x = x > 0.0 ? divide (x, repetition) : x * repetition;
  x = x - less;
  logits[said[2 * i]] = x;
}
