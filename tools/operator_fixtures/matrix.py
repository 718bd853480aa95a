# SPDX-License-Identifier: BSD-3-Clause
"""Products, convolutions, pools, norms; Fourier transforms and resampling."""

import itertools

import torch

from .family import (BF16, F16, F32, F64, Family, HALVES, I32, I64, SUMS, U8, cl, generator, rand,
                     rand_complex)


def matrix():
    f = Family('matrix')
    products = (1e-5, 2e-5)
    half = (2e-2, 6e-2)
    for m, k, n in ((3, 4, 5), (1, 33, 7), (17, 70, 40), (2, 0, 3), (0, 2, 3)):
        f.aten('mm.out', rand(m, k), rand(k, n), tolerance=products)
        f.aten('addmm.out', rand(n), rand(m, k), rand(k, n), 1, 1, tolerance=products)
        f.aten('linear.out', rand(m, k), rand(n, k), rand(n), tolerance=products)
        f.aten('bmm.out', rand(3, m, k), rand(3, k, n), tolerance=products)
    for dtype in (F64, I32, I64, F16, BF16):
        loose = half if dtype in HALVES else products
        f.aten('mm.out', rand(3, 6, dtype=dtype), rand(6, 2, dtype=dtype), tolerance=loose)
        f.aten('bmm.out', rand(2, 3, 6, dtype=dtype), rand(2, 6, 2, dtype=dtype), tolerance=loose)
        f.aten('addmm.out', rand(3, 2, dtype=dtype), rand(3, 6, dtype=dtype),
               rand(6, 2, dtype=dtype), 2, 3, tolerance=loose)
        if dtype.is_floating_point:
            f.aten('linear.out', rand(2, 3, 6, dtype=dtype), rand(2, 6, dtype=dtype), None,
                   tolerance=loose)
    f.aten('addmm.out', rand(3, 1), rand(3, 4), rand(4, 5), 0.5, 2.0, tolerance=products)
    f.aten('addmm.out', rand(1), rand(3, 4), rand(4, 5), 0.5, 2.0, tolerance=products)
    f.aten('bmm.out', rand_complex(2, 3, 4), rand_complex(2, 4, 2), tolerance=products)
    f.aten('linear.out', rand(2, 3, 8), rand(5, 8), rand(5), tolerance=products)
    conv = lambda *a, **k: f.aten('convolution.out', *a, tolerance=products, **k)
    no, one, two = [0], [1], [2]
    conv(rand(1, 3, 8, 9), rand(4, 3, 3, 3), rand(4), [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
    conv(rand(2, 4, 7, 6), rand(6, 2, 3, 2), None, [2, 1], [1, 0], [1, 2], False, [0, 0], 2)
    conv(rand(1, 4, 6, 6), rand(4, 1, 3, 3), rand(4), [2, 2], [1, 1], [1, 1], False, [0, 0], 4)
    conv(rand(1, 4, 6, 7), rand(8, 1, 3, 3), rand(8), [1, 2], [0, 2], [1, 1], False, [0, 0], 4)
    conv(rand(2, 5, 4, 4), rand(3, 5, 1, 1), rand(3), one, no, one, False, no, 1)
    conv(rand(1, 2, 5, 5), rand(3, 2, 1, 1), None, two, one, one, False, no, 1)
    conv(rand(2, 3, 12), rand(4, 3, 3), rand(4), two, one, one, False, no, 1)
    conv(rand(1, 3, 5), rand(6, 1, 5), rand(6), one, two, one, False, no, 3)
    conv(rand(1, 2, 3, 3), rand(3, 2, 2, 2), rand(3), one, [3], two, False, no, 1)
    conv(cl(rand(2, 3, 5, 5)), rand(4, 3, 3, 3), rand(4), one, one, one, False, no, 1,
         channels_last=True)
    conv(cl(rand(1, 4, 5, 5)), cl(rand(4, 1, 3, 3)), None, one, one, one, False, no, 4,
         channels_last=True)
    conv(rand(2, 4, 5, 3), rand(4, 3, 3, 2), rand(3), two, one, one, True, one, 1)
    conv(rand(1, 4, 5, 5), rand(4, 2, 2, 2), rand(4), [2, 2], no, two, True, no, 2)
    conv(rand(1, 3, 6), rand(3, 4, 4), rand(4), two, one, one, True, no, 1)
    conv(rand(1, 3, 4, 4, dtype=F64), rand(2, 3, 2, 2, dtype=F64), rand(2, dtype=F64), one, no, one,
         False, no, 1)
    f.aten('convolution.out', rand(1, 3, 4, 4, dtype=F16), rand(2, 3, 2, 2, dtype=F16),
           rand(2, dtype=F16), one, no, one, False, no, 1, tolerance=half)
    conv(rand(1, 2, 4, 4, dtype=I32), rand(2, 2, 2, 2, dtype=I32), None, one, no, one, False, no, 1)
    g = rand(2, 4, 3, 3)
    for mask in ([True, True, True], [False, True, False]):
        x, w = rand(2, 6, 5, 5), rand(4, 3, 3, 3)
        want = torch.ops.aten.convolution_backward(g, x, w, [4], [2, 2], [1, 1], [1, 1], False,
                                                   [0, 0], 2, [True] * 3)
        f.add('aten::convolution_backward.out',
              [g, x, w, [4], [2, 2], [1, 1], [1, 1], False, [0, 0], 2, mask],
              [r if m else torch.zeros(0) for r, m in zip(want, mask)], tolerance=products)
    pool = lambda *a: f.aten('max_pool2d_with_indices.out', *a, out=[a[0].dtype, I64])
    pool(rand(2, 3, 7, 8), [3, 2], [2, 2], [1, 1], [1, 1], False)
    pool(rand(3, 6, 6), [2], [], [0], [1], False)
    pool(rand(1, 2, 7, 7), [3, 3], [2, 2], [0, 0], [1, 2], True)
    pool(rand(1, 2, 5, 5, dtype=F64), [2, 2], [1, 1], [1, 1], [1, 1], True)
    pool(rand(1, 2, 5, 5, dtype=BF16), [2, 2], [1, 1], [0, 0], [1, 1], False)
    pool(torch.randperm(50, generator=generator).reshape(2, 5, 5), [2, 2], [2, 2], [0, 0], [1, 1],
         False)
    for pad, divisor, ceil in itertools.product((True, False), (None, 3), (False, True)):
        f.aten('avg_pool2d.out', rand(2, 3, 7, 6), [3, 2], [2, 2], [1, 1], ceil, pad, divisor,
               tolerance=SUMS)
    f.aten('avg_pool2d.out', rand(3, 6, 6, dtype=F64), [2], [], [0], False, True, None)
    f.aten('_adaptive_avg_pool2d.out', rand(2, 3, 7, 5), [3, 2], tolerance=SUMS)
    f.aten('_adaptive_avg_pool2d.out', rand(2, 3, 7, 5), [1, 1], tolerance=SUMS)
    f.aten('_adaptive_avg_pool2d.out', rand(3, 2, 2), [3, 5], tolerance=SUMS)
    x = rand(1, 2, 6, 6)
    y, at = torch.ops.aten.max_pool2d_with_indices(x, [2, 2], [2, 2])
    f.aten('max_pool2d_with_indices_backward.grad_input', rand(*y.shape), x, [2, 2], [2, 2], [0, 0],
           [1, 1], False, at)
    # Norms.
    for shape_of, tail in (((3, 10), [10]), ((2, 3, 4), [3, 4]), ((2, 384), [384]), ((5,), [5]),
                           ((0, 4), [4]), ((2, 300), [300])):
        n = tuple(tail)
        f.aten('native_layer_norm.out', rand(*shape_of), tail, rand(*n), rand(*n), 1e-5,
               tolerance=(1e-5, 2e-6))
    f.aten('native_layer_norm.out', rand(3, 6), [6], None, None, 1e-6, tolerance=(1e-5, 2e-6))
    f.aten('native_layer_norm.out', rand(3, 6), [6], rand(6), None, 1e-6, tolerance=(1e-5, 2e-6))
    f.aten('native_layer_norm.out', rand(3, 6, dtype=F64), [6], None, rand(6, dtype=F64), 1e-6,
           tolerance=(1e-5, 2e-6))
    x = rand(3, 16, dtype=F16)
    f.aten('native_layer_norm.out', x, [16], None, None, 1e-5, tolerance=(4e-3, 2e-3))
    for weight, bias in ((None, None), (rand(6), rand(6)), (rand(6), None)):
        f.aten('native_group_norm.out', rand(2, 6, 5), weight, bias, 2, 6, 5, 3, 1e-5,
               tolerance=(1e-5, 3e-6))
    f.aten('native_group_norm.out', rand(1, 4, 2, 3, dtype=F64), None, None, 1, 4, 6, 2, 1e-5)
    for dtype in (F32, F64):
        mean, var = rand(3, dtype=dtype), rand(3, dtype=dtype, low=0.5)
        for weight, bias in ((rand(3, dtype=dtype), rand(3, dtype=dtype)), (None, None)):
            x = rand(2, 3, 4, 2, dtype=dtype)
            y = torch.nn.functional.batch_norm(x, mean, var, weight, bias, False, 0.1, 1e-5)
            empty = torch.empty(0, dtype=dtype)
            f.add('aten::_native_batch_norm_legit_no_training.out',
                  [x, weight, bias, mean, var, 0.1, 1e-5], [y, empty, empty],
                  tolerance=(1e-5, 3e-6))
            f.add('aten::_native_batch_norm_legit.out',
                  [x, weight, bias, mean, var, False, 0.1, 1e-5], [y, empty, empty],
                  tolerance=(1e-5, 3e-6))
            f.aten('_native_batch_norm_legit.no_stats_out', x, weight, bias, True, 0.1, 1e-5,
                   tolerance=(1e-5, 3e-6))
    return f


def signal():
    f = Family('signal')
    loose = (1e-5, 1e-4)
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 25, 49, 60, 77, 100, 121, 400):
        f.aten('_fft_r2c.out', rand(2, n), [1], 0, True, out=[torch.complex64], tolerance=loose)
    for n in (8, 30, 35):
        f.aten('_fft_r2c.out', rand(20, n, dtype=F64), [1], 1, True, out=[torch.complex128])
    f.aten('_fft_r2c.out', rand(6, 5), [0], 2, True, out=[torch.complex64], tolerance=loose)
    f.aten('_fft_r2c.out', rand(3, 6, 5), [0, 2], 0, True, out=[torch.complex64], tolerance=loose)
    f.aten('_fft_r2c.out', rand(3, 6, 8), [2, 1], 1, True, out=[torch.complex64], tolerance=loose)
    for n in (1, 2, 5, 8, 15, 400):
        z = torch.fft.rfft(rand(2, n))
        f.aten('_fft_c2r.out', z, [1], 2, n, out=[F32], tolerance=loose)
    f.aten('_fft_c2r.out', torch.fft.rfft2(rand(3, 4, 6)), [1, 2], 2, 6, out=[F32], tolerance=loose)
    f.aten('_fft_c2r.out', torch.fft.rfft(rand(4, 9, dtype=F64)), [1], 0, 9, out=[F64])
    x = rand(1, 2, 4, 5)
    for align in (False, True):
        f.aten('upsample_bilinear2d.vec_out', x, [7, 8], align, None, tolerance=SUMS,
               call=lambda i, size, corners, scale, out: out.resize_(1, 2, 7, 8).copy_(
                   torch.ops.aten.upsample_bilinear2d.vec(i, size, corners, scale)))
        f.aten('upsample_bilinear2d.vec_out', x, None, align, [1.5, 2.0], tolerance=SUMS,
               call=lambda i, size, corners, scale, out: out.resize_(1, 2, 6, 10).copy_(
                   torch.ops.aten.upsample_bilinear2d.vec(i, size, corners, scale)))
        f.aten('upsample_bilinear2d.vec_out', x, [2, 5], align, None, tolerance=SUMS,
               call=lambda i, size, corners, scale, out: out.resize_(1, 2, 2, 5).copy_(
                   torch.ops.aten.upsample_bilinear2d.vec(i, size, corners, scale)))
        f.aten('_upsample_bilinear2d_aa.out', rand(1, 2, 9, 7), [4, 3], align, None, None,
               tolerance=SUMS)
        f.aten('_upsample_bilinear2d_aa.out', rand(1, 1, 3, 4), [6, 5], align, None, None,
               tolerance=SUMS)
    for dtype in (F32, U8, F16):
        x = rand(1, 2, 4, 5, dtype=dtype)
        for size, scale in (([7, 8], None), (None, [2.0, 1.5]), ([2, 3], None)):
            y = torch.ops.aten.upsample_nearest2d.vec(x, size, scale)
            f.aten('upsample_nearest2d.vec_out', x, size, scale, want=[y])
    for mode, padding, align in itertools.product((0, 1, 2), (0, 1, 2), (False, True)):
        x, grid = rand(2, 2, 4, 5), rand(2, 3, 3, 2, low=-1.4, high=1.4)
        y = torch.ops.aten.grid_sampler_2d(x, grid, mode, padding, align)
        f.aten('grid_sampler_2d.out', x, grid, mode, padding, align, want=[y], tolerance=loose)
    return f
