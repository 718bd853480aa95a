/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "norm.cuh"

/** What a layer does with the results of two products: one times SiLU of the other. */
KERNEL
__launch_bounds__ (PT_GATE_THREADS) pt_gate (const __grid_constant__ PtGateArguments p)
{
  int unit = (int) (blockIdx.x * blockDim.x + threadIdx.x);
  NormUnit gate, x;

  wait_for_earlier ();
  let_later_start ();
  if (unit >= p.n / NORM_UNIT)
    return;
  gate = load_unit (p.gate, unit);
  x = load_unit (p.input, unit);
#pragma unroll
  for (int i = 0; i < NORM_UNIT / 2; i++) {
    uint32_t factor = pair_of (silu (low_of (gate.x[i])), silu (high_of (gate.x[i])));

    x.x[i] = pair_of (low_of (x.x[i]) * low_of (factor), high_of (x.x[i]) * high_of (factor));
  }
  store_unit (p.output, unit, x);
}
