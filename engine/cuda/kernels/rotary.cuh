/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "norm.cuh"

/*
 * Heads turned by the angles of their position, into a tensor or a row of a cache; with the values
 * of the same position and the mask, where a model's kernel writes these, too. A block of one warp
 * takes one head, one head of values, or a part of the mask.
 */

enum { ROTARY_PAIRS = PT_ROTARY_DIM / 2 / LANES };

DEVICE float
rounded (float x)
{
  return bf16_to_f32 (f32_to_bf16 (x));
}

/** Where a head is written; NULL: nowhere, because the cache has no such row. */
DEVICE uint16_t *
head_of (const PtRotaryArguments &p, uint16_t *output, int head)
{
  int64_t row = 0;

  if (p.position != NULL) {
    row = *p.position;
    row += row < 0 ? p.length : 0;
    if (row < 0 || row >= p.length)
      return NULL;
  }
  return output + head * p.head_stride + row * p.dim;
}

DEVICE void
turn_head (const PtRotaryArguments &p, int head)
{
  const uint16_t *input = p.input + (int64_t) head * p.dim;
  uint16_t *output = head_of (p, p.output, head);
  float low[ROTARY_PAIRS] = {}, high[ROTARY_PAIRS] = {}, squares = 0, factor;
  int half = p.dim / 2;

#pragma unroll
  for (int i = 0; i < ROTARY_PAIRS; i++) {
    int at = i * LANES + lane_id ();

    if (at < half) {
      low[i] = bf16_to_f32 (input[at]);
      high[i] = bf16_to_f32 (input[at + half]);
      squares = fmaf (low[i], low[i], fmaf (high[i], high[i], squares));
    }
  }
  factor = rsqrtf (sum_of_warp (squares) / (float) p.dim + p.epsilon);
#pragma unroll
  for (int i = 0; i < ROTARY_PAIRS; i++) {
    int at = i * LANES + lane_id ();
    float c, s;

    if (at >= half || output == NULL)
      break;
    if (p.weights != NULL) {
      low[i] = rounded (rounded (low[i] * factor) * bf16_to_f32 (p.weights[at]));
      high[i] = rounded (rounded (high[i] * factor) * bf16_to_f32 (p.weights[at + half]));
    }
    sincosf (p.angles[at], &s, &c);
    c = rounded (c) * p.cosines;
    s = rounded (s);
    output[at * p.number_stride] = f32_to_bf16 (rounded (low[i] * c) - rounded (high[i] * s));
    output[(at + half) * p.number_stride] =
        f32_to_bf16 (rounded (high[i] * c) + rounded (low[i] * s));
  }
}

DEVICE void
copy_head (const PtRotaryArguments &p, int head)
{
  uint16_t *output = head_of (p, p.value_output, head);

  for (int i = lane_id (); output != NULL && i < p.dim; i += LANES)
    output[i * p.number_stride] = p.values[(int64_t) head * p.dim + i];
}

DEVICE void
write_mask (const PtRotaryArguments &p, int block)
{
  int64_t position = *p.position;
  int first = block * PT_ROTARY_MASK;

  for (int i = lane_id (); i < PT_ROTARY_MASK && first + i < p.length; i += LANES)
    p.mask[first + i] = first + i <= position;
}

KERNEL
__launch_bounds__ (PT_ROTARY_THREADS) pt_rotary (const __grid_constant__ PtRotaryArguments p)
{
  int block = (int) blockIdx.x, turned = p.heads, copied = p.values != NULL ? p.heads : 0;

  wait_for_earlier ();
  let_later_start ();
  if (block < turned)
    turn_head (p, block);
  else if (block < turned + copied)
    copy_head (p, block - turned);
  else
    write_mask (p, block - turned - copied);
}
