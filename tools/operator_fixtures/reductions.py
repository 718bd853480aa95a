# SPDX-License-Identifier: BSD-3-Clause
"""Reductions, softmax, sorting."""

import itertools

import torch

from .family import (BF16, BOOL, F16, F32, F64, Family, I32, I64, INF, NAN, SPECIALS, SUMS, U8, cl,
                     generator, rand, rand_complex)


def reduce():
    f = Family('reduce')
    x = rand(3, 4, 5)
    for dims, keep in ((None, False), ([], True), ([0], False), ([-1], True), ([0, 2], False),
                       ([1, -1], True), ([1], True)):
        f.aten('sum.IntList_out', x, dims, keep, None, tolerance=SUMS)
        f.aten('mean.out', x, dims, keep, None, tolerance=SUMS)
        f.aten('var.out', x, dims, True, keep, tolerance=SUMS)
        f.aten('var.correction_out', x, dims, 0, keep, tolerance=SUMS)
        f.aten('amax.out', x, dims or [], keep)
        f.aten('amin.out', x, dims or [], keep)
        if dims != []:
            f.aten('any.dims_out', x > 3, dims, keep, out=[BOOL])
    for dtype in (F64, F16, BF16):
        f.aten('mean.out', rand(3, 40, dtype=dtype), [-1], True, None)
        f.aten('sum.IntList_out', rand(3, 40, dtype=dtype), [-1], True, None,
               tolerance=(2e-2, 5e-2) if dtype != F64 else None)
        f.aten('var.out', rand(3, 40, dtype=dtype), [-1], True, True)
    f.aten('mean.out', rand(2, 700), [-1], True, None, tolerance=SUMS)
    f.aten('mean.out', rand(2, 3, 7, 7), [-1, -2], True, None, tolerance=SUMS)
    f.aten('mean.out', cl(rand(2, 3, 4, 4)), [2, 3], False, None, tolerance=SUMS)
    f.aten('mean.out', rand(4, dtype=I32), None, False, F32, out=[F32])
    f.aten('mean.dtype_out', rand(2, 3), None, tolerance=SUMS)
    f.aten('mean.out', torch.tensor(2.0), [0], False, None)
    for dtype in (U8, I32, I64, BOOL):
        f.aten('sum.IntList_out', rand(3, 4, dtype=dtype), [0], False, None, out=[I64])
        f.aten('amax.out', rand(3, 4, dtype=dtype), [1], False)
        f.aten('any.out', rand(3, 4, dtype=dtype, low=-0.8, high=0.8), -1, True, out=[BOOL])
    f.aten('sum.IntList_out', rand(3, 4, dtype=I32), [0], False, F32, out=[F32])
    f.aten('sum.IntList_out', torch.empty(0, 3), [0], False, None)
    f.aten('sum.IntList_out', rand_complex(3, 4), [1], False, None)
    for op, dtype in itertools.product(('prod',), (F32, I64, F64)):
        f.aten('prod.out', rand(5, dtype=dtype, low=1), None)
        f.aten('prod.int_out', rand(2, 5, dtype=dtype, low=1), 1, True, None)
    f.aten('prod.out', rand(5, dtype=U8, low=1), None, out=[I64])
    for op in ('max', 'min'):
        for dtype in (F32, I32, F16, U8):
            f.aten(f'{op}.unary_out', rand(3, 7, dtype=dtype))
        f.aten(f'{op}.unary_out', SPECIALS)
        f.aten(f'{op}.unary_out', SPECIALS[1:])
        for dim in (0, 1, -1):
            p = torch.randperm(24, generator=generator).reshape(2, 3, 4).to(F32)
            f.aten(f'{op}.dim_{op}', p, dim, dim == 0, out=[F32, I64])
            f.aten(f'arg{op}.out', p, dim, dim == 0, out=[I64])
        f.aten(f'arg{op}.out', torch.randperm(12, generator=generator).reshape(3, 4), None, False,
               out=[I64])
        f.aten(f'arg{op}.out', SPECIALS, None, False, out=[I64])
        f.aten(f'a{op}.out', torch.tensor([[1.0, NAN, 3.0], [4.0, 5.0, 6.0]]), [1], False)
        f.aten(f'a{op}.out', torch.tensor(5.0), [], False)
    f.aten('argmax.out', torch.zeros(4), None, True, out=[I64])
    f.aten('any.all_out', torch.zeros(3, 2), out=[BOOL])
    f.aten('any.all_out', torch.tensor([0.0, NAN]), out=[BOOL])
    f.aten('any.dims_out', torch.tensor([0.0, 2.0]), [], False, out=[BOOL],
           want=[torch.tensor([False, True])])
    f.aten('any.out', rand(3, 4) == -INF, -1, True, out=[BOOL])
    f.aten('var_mean.correction_out', x, [1], 1, False, out=[F32, F32], tolerance=SUMS)
    f.aten('var_mean.correction_out', x, None, None, True, out=[F32, F32], tolerance=SUMS)
    f.aten('var.out', rand(1), [0], True, False)
    for dim in (0, 1, -1):
        f.aten('cumsum.out', rand(3, 4), dim, None, tolerance=SUMS)
    f.aten('cumsum.out', rand(5, dtype=I32), 0, None, out=[I64])
    f.aten('cumsum.out', rand(5, dtype=BOOL), 0, I32, out=[I32])
    for dim in (-1, 0, 1):
        for op in ('_softmax', '_log_softmax'):
            f.aten(f'{op}.out', rand(3, 4, 5), dim, False)
    for op in ('_softmax', '_log_softmax'):
        for dtype in (F64, F16, BF16):
            f.aten(f'{op}.out', rand(3, 9, dtype=dtype), 1, False)
        f.aten(f'{op}.out', rand(2, 600, high=20), 1, False)
        f.aten(f'{op}.out', torch.tensor(3.0), 0, False)
        f.aten(f'{op}.out', torch.tensor([[-INF, 0.0, 1.0], [-INF, -INF, -INF]]), 1, False)
        f.aten(f'{op}.out', torch.empty(0, 3), 1, False)
    p = torch.randperm(60, generator=generator).reshape(3, 20)
    for k, dim, largest in ((3, 1, True), (20, 1, False), (2, 0, True), (0, 1, True)):
        f.aten('topk.values', p.to(F32), k, dim, largest, True, out=[F32, I64])
        f.aten('topk.values', p, k, dim, largest, True, out=[I64, I64])
    f.aten('topk.values', torch.tensor([1.0, NAN, 3.0, -INF, INF]), 3, 0, True, True, out=[F32, I64])
    for p_norm in (0.0, 1.0, 2.0, INF, 3.0):
        f.aten('_cdist_forward.out', rand(2, 3, 4), rand(5, 4), p_norm, None, tolerance=SUMS)
        f.aten('_pdist_forward.out', rand(4, 3), p_norm, tolerance=SUMS)
    y = rand(4)
    for other, close in ((y, True), (y + 1, False), (y + 1e-7, True)):
        f.add('aten::allclose.out', [y, other, 1e-5, 1e-6, False, False],
              [torch.tensor([close])])
    return f
