# SPDX-License-Identifier: BSD-3-Clause
"""Operators of one, two or three tensors, element by element."""

import itertools

import torch

from .family import (BF16, BOOL, EXACT, F16, F32, F64, FLOATING, Family, HALVES, I16, I32, I64, I8,
                     INF, NAN, REAL, SPECIALS, SUMS, U8, cl, rand, rand_complex)


def unary():
    f = Family('unary')
    domains = {'acos': (-1, 1), 'asin': (-1, 1), 'atanh': (-0.99, 0.99), 'acosh': (1, 9),
               'log': (0.01, 9), 'log10': (0.01, 9), 'log1p': (-0.9, 9), 'log2': (0.01, 9),
               'rsqrt': (0.1, 9), 'sqrt': (0, 9)}
    for name in ('acos acosh asin asinh atan atanh cos cosh erf exp expm1 log log10 log1p log2 '
                 'reciprocal rsqrt sigmoid sin sinh sqrt tan tanh').split():
        low, high = domains.get(name, (-3, 3))
        loose = (2e-6, 5e-6) if name == 'tan' else None
        for dtype in FLOATING:
            f.aten(f'{name}.out', rand(3, 7, dtype=dtype, low=low, high=high), tolerance=loose)
        f.aten(f'{name}.out', rand(2, 3, dtype=I32, low=max(low, 0), high=max(high, 1)), out=[F32])
        f.aten(f'{name}.out', torch.empty(0, 3))
        f.aten(f'{name}.out', rand(1, low=low, high=high).reshape(()))
    for name in 'exp log log2 sqrt rsqrt reciprocal sigmoid tanh sin cos erf expm1'.split():
        f.aten(f'{name}.out', SPECIALS[:9] if name in ('sin', 'cos', 'reciprocal') else SPECIALS)
    f.aten('sigmoid.out', rand(2, 2, dtype=BOOL), out=[F32])
    f.aten('sin.out', cl(rand(2, 3, 2, 2)), channels_last=True)
    f.aten('exp.out', rand(1500))
    for name in 'abs neg relu ceil floor trunc round sign'.split():
        for dtype in REAL + HALVES:
            if (name == 'neg' or name == 'relu') and dtype == U8:
                continue
            f.aten(f'{name}.out', rand(2, 5, dtype=dtype), tolerance=EXACT)
        f.aten(f'{name}.out', SPECIALS if name != 'sign' else SPECIALS[1:],
               want=None, tolerance=EXACT)
    f.aten('abs.out', torch.tensor([-128, 127, 0], dtype=I8))
    f.aten('neg.out', torch.tensor([-2**63, 5, 0], dtype=I64))
    f.aten('abs.out', rand_complex(3, 4), out=[F32])
    f.aten('abs.out', rand_complex(3, dtype=torch.complex128), out=[F64])
    f.aten('_conj_physical.out', rand_complex(2, 3))
    for dtype in (U8, I8, I16, I32, I64, BOOL):
        f.aten('bitwise_not.out', rand(7, dtype=dtype))
    for dtype in [F32, F16, I32, BOOL]:
        x = rand(2, 3, dtype=dtype)
        f.aten('logical_not.out', x, out=[BOOL])
        f.aten('isnan.out', x, out=[BOOL])
        f.aten('isinf.out', x, out=[BOOL])
    f.aten('logical_not.out', rand(5, low=-1, high=1, dtype=I8), out=[F32])
    f.aten('isnan.out', SPECIALS, out=[BOOL])
    f.aten('isinf.out', SPECIALS, out=[BOOL])
    for dtype in FLOATING:
        x = rand(3, 6, dtype=dtype)
        for how in ('none', 'tanh'):
            f.aten('gelu.out', x, how, tolerance=None if dtype in HALVES else (2e-6, 1e-6))
        f.aten('elu.out', x, 1.5, 1, 0.5)
        f.aten('leaky_relu.out', x, 0.02)
        f.aten('hardtanh.out', x, -1.5, 2)
        if dtype not in HALVES:
            f.aten('glu.out', x, -1)
            f.aten('glu.out', rand(4, 3, dtype=dtype), 0)
    f.aten('gelu.out', torch.tensor([INF, -INF, NAN, 0.0, -10.0, 10.0]), 'none', want=[
        torch.tensor([INF, 0, NAN, 0, 0, 10])])
    f.aten('hardtanh.out', SPECIALS, -1, 1)
    f.aten('hardtanh.out', rand(6, dtype=I32), -2, 2)
    f.aten('logit.out', rand(7, low=0.01, high=0.99), None)
    f.aten('logit.out', torch.tensor([0.0, 0.2, 1.0]), 0.1)
    return f


def binary():
    f = Family('binary')
    kinds = REAL + HALVES + [BOOL]
    shapes = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1, 3), (4, 1)), ((), (3,)), ((0, 2), (1, 2))]
    for a, b in itertools.product(kinds, kinds):
        common = torch.promote_types(a, b)
        x, y = rand(2, 3, dtype=a), rand(3, dtype=b)
        f.aten('add.out', x, y, 1, out=[common])
        if common != BOOL:
            f.aten('mul.out', x, y, out=[common])
            f.aten('lt.Tensor_out', x, y, out=[BOOL])
    for op in ('add', 'sub'):
        for s, t in shapes:
            f.aten(f'{op}.out', rand(*s), rand(*t), 2)
        f.aten(f'{op}.out', rand(4, dtype=I32), rand(4, dtype=I32), 3)
        f.aten(f'{op}.out', rand(4, dtype=F16), rand(4), 0.5, out=[F32])
        f.aten(f'{op}.Scalar_out', rand(2, 3), 1.25, 2)
        f.aten(f'{op}.Scalar_out', rand(3, dtype=I64), 3, 2)
        f.aten(f'{op}.Scalar_out', rand(3, dtype=U8, low=3), 1, 2)
        f.aten(f'{op}.Scalar_out', rand(3, dtype=I32), 0.5, 1, out=[F32])
        f.aten(f'{op}.out', cl(rand(1, 3, 2, 2)), cl(rand(2, 3, 2, 2)), 1, channels_last=True)
    f.aten('rsub.Scalar_out', rand(4), 2.0, 3, want=None)
    f.aten('rsub.Scalar_out', rand(4, dtype=I32), 2, 3)
    f.aten('add.out', rand_complex(2, 3), rand_complex(2, 3), 1)
    f.aten('mul.out', rand_complex(2, 3), rand_complex(3))
    f.aten('div.out', rand_complex(3), rand_complex(3))
    f.aten('mul.out', torch.tensor([2**62, -5, 7]), torch.tensor([4, 5, -6]))
    f.aten('add.out', torch.tensor([250, 10], dtype=U8), torch.tensor([10, 10], dtype=U8), 1,
           out=[I32], want=[torch.tensor([4, 20], dtype=I32)])
    f.aten('add.out', SPECIALS, SPECIALS.flip(0), 1)
    f.aten('mul.out', SPECIALS, SPECIALS.flip(0))
    f.aten('add.out', rand(4, 1, 70), rand(10, 1), 1, tolerance=EXACT)
    f.aten('mul.out', rand(3, 100, 5), rand(3, 1, 5), tolerance=EXACT)
    for dtype in (F32, F16, I32, BOOL, I64):
        f.aten('mul.Scalar_out', rand(2, 3, dtype=dtype), True if dtype == BOOL else 3)
    f.aten('mul.Scalar_out', rand(2, 3, dtype=I16), 0.5, out=[F32])
    for a, b in [(F32, F32), (F32, I32), (I32, I32), (U8, F64), (F16, F16), (BOOL, I8), (F16, BF16)]:
        y = rand(2, 3, dtype=b, low=1, high=5)
        result = torch.div(rand(1), 1).dtype if not (a.is_floating_point or b.is_floating_point) \
            else torch.promote_types(a, b)
        f.aten('div.out', rand(2, 3, dtype=a), y, out=[result])
        if BOOL not in (a, b):
            for mode in ('trunc', 'floor'):
                f.aten('div.out_mode', rand(2, 3, dtype=a, low=-20, high=20), y, mode,
                       out=[torch.promote_types(a, b)])
            f.aten('floor_divide.out', rand(2, 3, dtype=a, low=-20, high=20), y,
                   out=[torch.promote_types(a, b)])
    f.aten('div.out_mode', rand(3), rand(3, low=1), None)
    f.aten('div.out', SPECIALS, SPECIALS.flip(0))
    f.aten('div.Scalar_out', rand(5), 3.0)
    f.aten('div.Scalar_out', rand(5, dtype=I32), 4, out=[F32])
    f.aten('div.Scalar_mode_out', rand(5, dtype=I32, low=-20, high=20), 3, 'floor')
    f.aten('div.Scalar_mode_out', rand(5, low=-20, high=20), 3, 'trunc')
    f.aten('fmod.Tensor_out', rand(6, low=-20, high=20), rand(6, low=1, high=4))
    f.aten('fmod.Tensor_out', rand(6, dtype=I32, low=-20, high=20), rand(6, dtype=I32, low=1))
    f.aten('fmod.Scalar_out', rand(6, low=-20, high=20), 3)
    f.aten('remainder.Tensor_out', rand(6, low=-20, high=20), rand(6, low=1, high=4),
           tolerance=SUMS)
    f.aten('remainder.Tensor_out', rand(6, dtype=I64, low=0, high=20), rand(6, dtype=I64, low=1))
    f.aten('remainder.Scalar_out', rand(6, low=-20, high=20), 3.5, tolerance=SUMS)
    f.aten('remainder.Scalar_out', rand(6, low=0, high=20, dtype=I32), 3)
    f.aten('pow.Tensor_Scalar_out', rand(6, low=0.1), 2)
    f.aten('pow.Tensor_Scalar_out', rand(6, dtype=I32), 3)
    f.aten('pow.Tensor_Scalar_out', rand(6, dtype=F16), 2)
    f.aten('pow.Tensor_Tensor_out', rand(2, 3, low=0.1), rand(3))
    f.aten('pow.Scalar_out', 2.5, rand(4))
    f.aten('atan2.out', rand(3, 4), rand(4))
    f.aten('atan2.out', rand(3, dtype=I32), rand(3, dtype=I32, low=1), out=[F32])
    for op in ('maximum', 'minimum'):
        for dtype in (F32, I32, BF16, BOOL):
            f.aten(f'{op}.out', rand(2, 3, dtype=dtype), rand(3, dtype=dtype))
        f.aten(f'{op}.out', SPECIALS, SPECIALS.flip(0))
        f.aten(f'{op}.out', rand(3, dtype=U8), rand(3, dtype=I8), out=[I16])
    for op in 'eq ne lt le gt ge'.split():
        for dtype in (F32, F64, F16, I32, U8, BOOL):
            x, y = rand(2, 5, dtype=dtype).round() if dtype.is_floating_point else \
                rand(2, 5, dtype=dtype), rand(5, dtype=dtype)
            f.aten(f'{op}.Tensor_out', x, y.round() if dtype.is_floating_point else y, out=[BOOL])
            f.aten(f'{op}.Scalar_out', x, 1, out=[BOOL])
        f.aten(f'{op}.Scalar_out', rand(4, dtype=I32), 0.5, out=[BOOL])
        f.aten(f'{op}.Scalar_out', SPECIALS, -INF, out=[BOOL])
        f.aten(f'{op}.Tensor_out', SPECIALS, SPECIALS.flip(0), out=[BOOL])
    for op in 'logical_and logical_or logical_xor'.split():
        for a, b in [(BOOL, BOOL), (F32, I32), (U8, F16)]:
            f.aten(f'{op}.out', rand(2, 4, dtype=a, low=-1, high=1), rand(4, dtype=b, low=-1, high=1),
                   out=[BOOL])
    for op in 'bitwise_and bitwise_or bitwise_xor'.split():
        for dtype in (U8, I8, I16, I32, I64, BOOL):
            x = rand(6, dtype=dtype, low=-100, high=100)
            f.aten(f'{op}.Tensor_out', x, rand(6, dtype=dtype, low=-100, high=100))
            f.aten(f'{op}.Scalar_out', x, True if dtype == BOOL else 6)
        f.aten(f'{op}.Tensor_out', rand(3, dtype=U8), rand(3, dtype=I8), out=[I16])
    for op in 'bitwise_left_shift bitwise_right_shift'.split():
        f.aten(f'{op}.Tensor_out', rand(5, dtype=I32, low=-90, high=90),
               rand(5, dtype=I32, low=0, high=5))
        f.aten(f'{op}.Tensor_Scalar_out', rand(5, dtype=U8, low=1, high=90), 2)
    for dtype in (F32, F16, I64, BOOL):
        c = rand(2, 1, 3, dtype=BOOL)
        f.aten('where.self_out', c, rand(4, 1, dtype=dtype), rand(2, 4, 3, dtype=dtype),
               out=[dtype])
    f.aten('where.self_out', rand(3, dtype=BOOL), rand(3, dtype=I32), rand(3), out=[F32])
    f.aten('where.self_out', rand(3, 4, dtype=BOOL), torch.tensor(-INF), torch.tensor(0.0),
           out=[F32])
    f.aten('where.self_out', rand(2, 600, dtype=BOOL), rand(2, 600), rand(1), out=[F32])
    for dtype in (F32, I32, BF16):
        x = rand(3, 4, dtype=dtype)
        f.aten('clamp.out', x, -1, 2)
        f.aten('clamp.out', x, None, 1)
        f.aten('clamp.out', x, 0, None)
        f.aten('clamp.Tensor_out', x, rand(4, dtype=dtype, low=-3, high=0), rand(3, 1, dtype=dtype,
                                                                               low=0))
        f.aten('masked_fill.Scalar_out', x, rand(4, dtype=BOOL), 7)
    f.aten('clamp.out', rand(4, dtype=I32), 0.5, None, out=[F32])
    f.aten('clamp.out', SPECIALS, -1.0, 1.0)
    f.aten('clamp.out', rand(4), 2.0, 1.0)
    f.aten('clamp.Tensor_out', SPECIALS, None, SPECIALS.flip(0))
    f.aten('masked_fill.Scalar_out', rand(2, 3), torch.tensor(True), -INF)
    return f
