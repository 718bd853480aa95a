#version 450
// SPDX-License-Identifier: BSD-3-Clause
// Rotary embedding of x [1, T, heads, D] with tables of angles; each invocation does one pair:
// neighbours (row T of a table has D / 2 numbers), or halves of the first "width" elements (row
// symbols[symbol] + T has "width" numbers). With TO_CACHE y is a cache of y_rows rows, and row T goes
// into row symbols[y_symbol] + T of it; rows outside of it are left out.
#extension GL_GOOGLE_include_directive : enable
#include "common.glsl"

layout (local_size_x = ITEM_GROUP) in;
layout (constant_id = 0) const uint BY_HALVES = 0;
layout (constant_id = 1) const uint TO_CACHE = 0;
layout (set = 0, binding = 0) readonly buffer X { float x[]; };
layout (set = 0, binding = 1) readonly buffer C { float cosine[]; };
layout (set = 0, binding = 2) readonly buffer S { float sine[]; };
layout (set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout (set = 0, binding = 4) readonly buffer N { int symbols[]; };
layout (push_constant) uniform P
{
  uint pairs, heads, head, length;
  uint width, symbol;
  int rows;  // of the tables
  int start; // added to the row where there is no symbol (symbol = 0xffffffff)
  uint y_symbol;
  int y_rows, y_start;
};

void main ()
{
  uint i = item_index ();

  if (i >= pairs)
    return;
  uint half_head = head / 2, p = i % half_head, row = i / half_head;
  uint t = row / heads % length, base = row * head, to = base;

  if (TO_CACHE != 0) {
    int y_first = y_symbol == 0xffffffffu ? y_start : symbols[y_symbol];

    if (y_first < 0 || y_first + int (t) >= y_rows)
      return;
    to += uint (y_first) * heads * head;
  }
  if (BY_HALVES == 0) {
    float c = cosine[t * half_head + p], s = sine[t * half_head + p];
    float a = x[base + 2 * p], b = x[base + 2 * p + 1];

    y[to + 2 * p] = a * c - b * s;
    y[to + 2 * p + 1] = a * s + b * c;
    return;
  }
  int first = symbol == 0xffffffffu ? start : symbols[symbol];
  uint at = uint (clamp (first + int (t), 0, rows - 1)) * width, other = p + width / 2;

  if (p < width / 2) {
    float a = x[base + p], b = x[base + other];

    y[to + p] = a * cosine[at + p] - b * sine[at + p];
    y[to + other] = b * cosine[at + other] + a * sine[at + other];
  } else {
    // The elements behind "width" pass: two for each remaining pair.
    uint k = width + 2 * (p - width / 2);

    y[to + k] = x[base + k];
    y[to + k + 1] = x[base + k + 1];
  }
}
