# SPDX-License-Identifier: BSD-3-Clause
"""Operators on 8-bit and smaller numbers of quantized_decomposed."""

import itertools

import numpy as np
import torch

from .family import (BF16, F16, F32, F64, Family, I16, I32, I64, I8, INF, U8, rand)


def quantize(x, scale, zero, low, high, dtype):
    inverse = (np.float32(1) / scale.numpy().astype(np.float32))
    q = np.rint((inverse.astype(np.float64) * x.double().numpy()).astype(np.float32))
    return torch.from_numpy(np.clip(q + zero.numpy(), low, high)).to(dtype)


def dequantize(q, scale, zero, dtype=F32):
    return ((q.to(I64) - zero).float() * scale.float()).to(dtype)


def choose(row, low, high):
    least, most = np.float32(min(row.min(), 0)), np.float32(max(row.max(), 0))
    small = np.float32(6.1e-5)
    scale = (float(most) - float(least)) / (high - low)
    if np.float32(scale) == 0 or np.isinf(np.float32(1) / np.float32(scale)):
        scale = 0.1
    if scale < small:
        old, scale = np.float32(scale), float(small)
        if least == 0:
            most = small * np.float32(high - low)
        elif most == 0:
            least = -small * np.float32(high - low)
        else:
            least, most = least * (small / old), most * (small / old)
    z_low, z_high = low - float(least) / scale, high - float(most) / scale
    e_low, e_high = abs(low) - abs(float(least) / scale), abs(high) - abs(float(most) / scale)
    zero = z_low if e_low < e_high else z_high
    return scale, int(low if zero < low else high if zero > high else np.rint(np.float32(zero)))


def quantized():
    f = Family('quantized')
    q = 'quantized_decomposed::'
    limits = {U8: (0, 255), I8: (-128, 127), I16: (-32768, 32767), I32: (-2**31, 2**31 - 1),
              torch.uint16: (0, 65535)}
    t = lambda v, d: torch.tensor([v], dtype=d)
    for dtype, (low, high) in limits.items():
        x, zero = rand(3, 5), 3 if dtype != I8 else -3
        scale = 0.05 if dtype in (U8, I8) else 0.001
        want = quantize(x, torch.tensor(scale), torch.tensor(zero), low, high, dtype)
        f.add(q + 'quantize_per_tensor.out', [x, scale, zero, low, high, dtype], [want])
        f.add(q + 'quantize_per_tensor.Tensor_out', [x, t(scale, F64), t(zero, I64), low, high,
                                                     dtype], [want])
        back = dequantize(want, torch.tensor(scale), zero)
        f.add(q + 'dequantize_per_tensor.out', [want, scale, zero, low, high, dtype, None], [back])
        f.add(q + 'dequantize_per_tensor.Tensor_out',
              [want, t(scale, F64), t(zero, I64), low, high, dtype, F32], [back])
    x = torch.tensor([INF, -INF, 1e30, -1e30, 0.5, 1.5, 2.5])
    f.add(q + 'quantize_per_tensor.out', [x, 1.0, 0, -128, 127, I8],
          [torch.tensor([127, -128, 127, -128, 0, 2, 2], dtype=I8)])
    for axis in (0, 1, -1):
        x = rand(3, 4, 2)
        n = x.shape[axis]
        scales, zeros = rand(n, dtype=F64, low=0.01, high=0.1), rand(n, dtype=I64)
        wide = [1, 1, 1]
        wide[axis] = n
        s, z = scales.reshape(wide), zeros.reshape(wide)
        want = quantize(x, s, z, -128, 127, I8)
        f.add(q + 'quantize_per_channel.out', [x, scales, zeros, axis, -128, 127, I8], [want])
        f.add(q + 'dequantize_per_channel.out', [want, scales, zeros, axis, -128, 127, I8, None],
              [dequantize(want, s, z)])
        f.add(q + 'dequantize_per_channel.out', [want, scales.float(), None, axis, -128, 127, I8,
                                                 None], [dequantize(want, s.float(), 0)])
    x = torch.cat([rand(2, 3, 16), rand(2, 1, 16, low=1, high=2), torch.zeros(2, 1, 16),
                   rand(2, 1, 16, low=-1e-4, high=1e-4), rand(2, 1, 16, low=-3, high=-1)], 1)
    chosen = [choose(r, -128, 127) for r in x.reshape(-1, 16).numpy()]
    scales = torch.tensor([c[0] for c in chosen], dtype=F64).reshape(2, 7, 1)
    zeros = torch.tensor([c[1] for c in chosen]).reshape(2, 7, 1)
    f.add(q + 'choose_qparams_per_token_asymmetric.out', [x, I8], [scales, zeros],
          tolerance=(1e-7, 0))
    want = quantize(x, scales, zeros, -128, 127, I8)
    f.add(q + 'quantize_per_token.out', [x, scales, zeros, -128, 127, I8], [want])
    f.add(q + 'dequantize_per_token.out', [want, scales, zeros, -128, 127, I8, F32],
          [dequantize(want, scales, zeros)])
    scale, zero = choose(x.numpy(), 0, 255)
    f.add(q + 'choose_qparams.Tensor_out', [x, 0, 255, 1e-5, U8], [t(scale, F64), t(zero, I64)],
          tolerance=(1e-7, 0))
    a, b = rand(3, 4, dtype=U8, low=0, high=255), rand(3, 4, dtype=U8, low=0, high=255)
    total = dequantize(a, torch.tensor(0.1), 3) + dequantize(b, torch.tensor(0.05), 100)
    f.add(q + 'add.out', [a, 0.1, 3, 0, 255, b, 0.05, 100, 0, 255, 0.2, 20, 0, 255],
          [quantize(total, torch.tensor(0.2), torch.tensor(20), 0, 255, U8)])
    x, w, s = rand(3, 8), rand(8, 5, dtype=I8, low=-100, high=100), rand(8, low=0.01, high=0.1)
    f.add(q + 'mixed_mm.out', [x, w, s, None], [x @ (w.float() * s.reshape(-1, 1))],
          tolerance=(1e-5, 1e-4))
    w, s = rand(5, 8, dtype=I8, low=-100, high=100), rand(5, 2, low=0.01, high=0.1)
    f.add(q + 'mixed_linear.out', [x, w, s, None, None],
          [x @ (w.float() * s.repeat_interleave(4, 1)).T], tolerance=(1e-5, 1e-4))
    f.add(q + 'mixed_linear.out', [x, w, s[:, 0].clone(), None, F32],
          [x @ (w.float() * s[:, :1]).T], tolerance=(1e-5, 1e-4))
    at = torch.tensor([[1, 0, 4], [4, 4, 2]])
    for wide, groups, zeros in itertools.product((F32, F16, BF16), (1, 2), (False, True)):
        shape_of = (5, groups) if groups > 1 else (5,)
        s = rand(*shape_of, low=0.01, high=0.1, dtype=wide)
        z = rand(*shape_of, dtype=wide).round() if zeros else None
        spread = lambda v: v.float().reshape(5, groups).repeat_interleave(8 // groups, 1)
        for bits, table in ((8, rand(5, 8, dtype=I8, low=-128, high=127)),
                            (8, rand(5, 8, dtype=U8, low=0, high=255)),
                            (4, rand(5, 4, dtype=U8, low=0, high=255)),
                            (2, rand(5, 2, dtype=U8, low=0, high=255))):
            if bits == 8:
                values = table.float()
            elif bits == 4:
                values = torch.stack([table >> 4, table & 15], 2).reshape(5, 8).float() - 8
            else:
                values = torch.stack([table >> n & 3 for n in (0, 2, 4, 6)], 2).reshape(5, 8
                                                                                        ).float() - 2
            real = (values - (spread(z) if zeros else 0)) * spread(s)
            name = q + ('embedding_byte' if bits == 8 else f'embedding_{bits}bit')
            low, high = (0, 255) if table.dtype == U8 else (-128, 127)
            f.add(name + '.out', [table, s, z, low, high, at], [real[at].to(wide)])
            f.add(name + '.dtype_out', [table, s, z, low, high, at, F32], [real[at]])
    return f
