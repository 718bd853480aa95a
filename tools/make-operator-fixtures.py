#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write tests/data/operators: calls of CPU operators with the results they must have.

    python tools/make-operator-fixtures.py [FOLDER]

needs PyTorch 2.11. Results come from eager PyTorch, or from the few lines of NumPy below where an
operator exists in ExecuTorch only, or where ExecuTorch's differs on purpose. Each family is a
FAMILY.json, one call a line, and a FAMILY.bin with the bytes of all its tensors.

An argument is null or an object with one member: i, d, b, s (numbers, flags, text), il, dl, bl
(lists of them), t (a tensor: dtype, sizes, offset in the .bin, dim order where it is not the default
one), tl (tensors), ol (tensors or null), o (output number n) or io (a tensor that is also output n).
"""

import itertools
import json
import pathlib
import sys

import numpy as np
import torch

DTYPES = {
    torch.uint8: 'uint8', torch.int8: 'int8', torch.int16: 'int16', torch.int32: 'int32',
    torch.int64: 'int64', torch.float16: 'float16', torch.float32: 'float32',
    torch.float64: 'float64', torch.complex64: 'complex64', torch.complex128: 'complex128',
    torch.bool: 'bool', torch.bfloat16: 'bfloat16', torch.uint16: 'uint16',
}
CODES = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5,
    torch.float32: 6, torch.float64: 7, torch.bool: 11, torch.bfloat16: 15, torch.uint16: 27,
}
F32, F64, F16, BF16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
I8, U8, I16, I32, I64, BOOL = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64,
                               torch.bool)
REAL = [U8, I8, I16, I32, I64, F32, F64]
HALVES = [F16, BF16]
FLOATING = [F32, F64, F16, BF16]

INF, NAN = float('inf'), float('nan')


class Opt(list):
    """A list of tensors or None."""


class InPlace:
    def __init__(self, tensor):
        self.tensor = tensor


class Family:
    def __init__(self, name):
        self.name = name
        self.data = bytearray()
        self.known = {}
        self.lines = []

    def tensor(self, t):
        """dtype, sizes, offset, and the dim order where it is not the default one."""
        order = None
        if t.dim() in (4, 5) and t.numel() and not t.is_contiguous():
            layout = torch.channels_last if t.dim() == 4 else torch.channels_last_3d
            if t.is_contiguous(memory_format=layout):
                order = [0, 2, 3, 1] if t.dim() == 4 else [0, 2, 3, 4, 1]
        dense = t.permute(order).contiguous() if order else t.contiguous()
        raw = dense.detach().reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b''
        key = (raw, t.dtype)
        if key not in self.known:
            self.data += bytes(-len(self.data) % 16)
            self.known[key] = len(self.data)
            self.data += raw
        entry = [DTYPES[t.dtype], list(t.shape), self.known[key]]
        return entry + [order] if order else entry

    def argument(self, a):
        if a is None:
            return None
        if isinstance(a, InPlace):
            return {'io': [0, self.tensor(a.tensor)]}
        if isinstance(a, torch.Tensor):
            return {'t': self.tensor(a)}
        if isinstance(a, bool):
            return {'b': a}
        if isinstance(a, torch.dtype):
            return {'i': CODES[a]}
        if isinstance(a, int):
            return {'i': a}
        if isinstance(a, float):
            return {'d': a if np.isfinite(a) else str(a)}
        if isinstance(a, str):
            return {'s': a}
        if isinstance(a, Opt):
            return {'ol': [None if x is None else self.tensor(x) for x in a]}
        assert isinstance(a, (list, tuple)), a
        if a and isinstance(a[0], torch.Tensor):
            return {'tl': [self.tensor(x) for x in a]}
        if a and isinstance(a[0], bool):
            return {'bl': list(a)}
        if a and isinstance(a[0], float):
            return {'dl': list(a)}
        return {'il': list(a)}

    def add(self, op, arguments, results, out_list=False, tolerance=None):
        """One call: its arguments without the outputs, and what the outputs must hold."""
        line = {'op': op, 'args': [self.argument(a) for a in arguments]}
        in_place = any(isinstance(a, InPlace) for a in arguments)
        if not in_place:
            line['args'] += ([{'ox': len(results)}] if out_list
                             else [{'o': i} for i in range(len(results))])
        line['want'] = [self.tensor(r) for r in results]
        line['tol'] = list(tolerance or tolerance_of(results))
        self.lines.append(json.dumps(line, separators=(',', ':')))

    def aten(self, op, *arguments, out=None, channels_last=False, tolerance=None, want=None,
             call=None):
        """A call of aten::@op; @out are the dtypes of its outputs. @call: what computes it."""
        name, _, overload = op.partition('.')
        packet = getattr(getattr(torch.ops.aten, name), overload or 'default')
        schema = packet._schema
        outs = [a for a in schema.arguments if a.is_out]
        first = next(a.dtype for a in flatten(arguments) if isinstance(a, torch.Tensor)) \
            if out is None else None
        dtypes = out or [first] * len(outs)
        if want is None:
            given = {a.name: v for a, v in zip(schema.arguments, arguments)}
            results = [torch.empty(0, dtype=d) for d in dtypes]
            positional = [a.name for a in schema.arguments if not a.kwarg_only]
            keywords = {a.name: given[a.name] for a in schema.arguments
                        if a.kwarg_only and not a.is_out}
            keywords.update({a.name: r for a, r in zip(outs, results)})
            (call or packet)(*[given[n] for n in positional], **keywords)
        else:
            results = want
        if channels_last:
            results = [r.contiguous(memory_format=torch.channels_last) if r.dim() == 4 else r
                       for r in results]
        self.add('aten::' + op, arguments, results, tolerance=tolerance)

    def write(self, folder):
        (folder / (self.name + '.json')).write_text('[\n' + ',\n'.join(self.lines) + '\n]\n')
        (folder / (self.name + '.bin')).write_bytes(self.data)
        print(f'{self.name}: {len(self.lines)} calls, {len(self.data)} bytes')


def flatten(arguments):
    for a in arguments:
        if isinstance(a, (list, tuple)):
            yield from flatten(a)
        else:
            yield a


def tolerance_of(results):
    dtypes = {r.dtype for r in results}
    if BF16 in dtypes:
        return 2e-2, 1e-2
    if F16 in dtypes:
        return 2e-3, 1e-3
    if dtypes & {F32, F64, torch.complex64, torch.complex128}:
        return 2e-6, 3e-7
    return 0, 0


EXACT = (0, 0)
SUMS = (1e-5, 2e-6)

generator = torch.Generator().manual_seed(20)


def rand(*sizes, dtype=F32, low=-4.0, high=4.0):
    """Random numbers; integers in the same range, bools half true."""
    x = torch.rand(sizes, generator=generator, dtype=F64) * (high - low) + low
    if dtype == BOOL:
        return x > (low + high) / 2
    if dtype == U8:
        x = x.abs()
    return x.round().to(dtype) if not dtype.is_floating_point else x.to(dtype)


def rand_complex(*sizes, dtype=torch.complex64):
    return torch.complex(rand(*sizes, dtype=F64), rand(*sizes, dtype=F64)).to(dtype)


def cl(t):
    return t.contiguous(memory_format=torch.channels_last)


SPECIALS = torch.tensor([NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1e-30, 3e30, -1e10, 2.0,
                         -2.5, 3.5, 1e-3])


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


def shape():
    f = Family('shape')
    every = REAL + HALVES + [BOOL, torch.complex64]
    make = lambda d, *s: rand_complex(*s) if d.is_complex else rand(*s, dtype=d)
    for dtype in every:
        x = make(dtype, 2, 3, 4)
        f.aten('permute_copy.out', x, [2, 0, -2])
        f.aten('slice_copy.Tensor_out', x, 1, 1, 2**63 - 1, 1)
        f.aten('expand_copy.out', make(dtype, 3, 1), [2, -1, 4], False)
    x = rand(2, 3, 4)
    f.aten('permute_copy.out', rand(40, 50), [1, 0])
    f.aten('permute_copy.out', rand(2, 33, 3, 20), [0, 2, 3, 1])
    f.aten('permute_copy.out', rand(3, 17, 18, dtype=U8), [2, 1, 0])
    f.aten('permute_copy.out', torch.tensor(3.0), [])
    f.aten('permute_copy.out', torch.empty(0, 3), [1, 0])
    f.aten('transpose_copy.int_out', x, 0, -1)
    f.aten('t_copy.out', rand(3, 4))
    f.aten('t_copy.out', rand(3))
    f.aten('select_copy.int_out', x, 1, -1)
    f.aten('select_copy.int_out', x, -1, 0)
    f.aten('select_copy.int_out', rand(3), 0, 1)
    for args in ((0, None, None, 1), (-1, 1, 4, 2), (2, -3, -1, 1), (1, 2, 1, 1), (1, -9, 99, 5),
                 (0, 1, 2**63 - 1, 2**62), (2, 0, 3, 3)):
        f.aten('slice_copy.Tensor_out', x, *args)
    f.aten('slice_copy.Tensor_out', cl(rand(2, 3, 4, 2)), 1, 1, 3, 1, channels_last=True)
    f.aten('narrow_copy.out', x, 1, 1, 2)
    f.aten('narrow_copy.out', x, 2, 4, 0)
    f.aten('view_copy.out', x, [4, -1])
    f.aten('view_copy.out', x, [24])
    f.aten('view_copy.out', rand(1), [])
    f.aten('view_copy.out', torch.empty(0, 3), [3, 0])
    f.aten('unsqueeze_copy.out', x, 0)
    f.aten('unsqueeze_copy.out', x, -1)
    f.aten('unsqueeze_copy.out', torch.tensor(2.0), 0)
    f.aten('squeeze_copy.dim_out', rand(1, 3, 1), 0)
    f.aten('squeeze_copy.dim_out', rand(1, 3, 1), 1)
    f.aten('squeeze_copy.dims_out', rand(1, 3, 1), [0, -1])
    f.aten('squeeze_copy.dims_out', rand(1, 3, 1), [0, 1])
    f.aten('expand_copy.out', torch.tensor(2), [2, 2], False)
    f.aten('expand_copy.out', x, [2, 3, 4], False)
    f.aten('repeat.out', rand(2, 3), [2, 1, 3])
    f.aten('repeat.out', rand(1, 3, dtype=I64), [4, 2])
    f.aten('repeat.out', rand(2, 3), [0, 1])
    f.aten('unfold_copy.out', rand(10), 0, 4, 3)
    f.aten('unfold_copy.out', rand(2, 7, 3), 1, 3, 2)
    f.aten('unfold_copy.out', rand(2, 7), -1, 7, 1)
    f.aten('as_strided_copy.out', rand(12), [3, 2], [2, 5], 1)
    f.aten('as_strided_copy.out', rand(12), [3, 2], [0, 1], None)
    for offset in (0, 1, -1, 9):
        f.aten('diagonal_copy.out', x, offset, 0, 2)
    f.aten('diagonal_copy.out', x, 1, 2, -2)
    f.aten('flip.out', x, [0, -1])
    f.aten('flip.out', rand(3, dtype=BOOL), [0])
    f.aten('roll.out', x, [1, -2], [0, 2])
    f.aten('roll.out', rand(5), [7], [0])
    f.aten('roll.out', rand(5), [1, 1], [0, 0])
    f.aten('pixel_shuffle.out', rand(2, 8, 3, 2), 2)
    f.aten('pixel_shuffle.out', rand(18, 2, 1), 3)
    f.aten('pixel_unshuffle.out', rand(2, 2, 4, 6), 2)
    for diagonal in (0, 1, -1, 5, -5):
        f.aten('tril.out', rand(2, 3, 4), diagonal)
    f.aten('view_as_real_copy.out', rand_complex(2, 3), out=[F32])
    f.aten('clone.out', x, None)
    f.aten('clone.out', cl(rand(2, 3, 2, 2)), 1, channels_last=True)
    for op in ('alias_copy', 'detach_copy', 'lift_fresh_copy'):
        f.aten(f'{op}.out', x)
    for a, b in itertools.product([U8, I8, I32, I64, F32, F64, F16, BF16, BOOL], repeat=2):
        # What does not fit an unsigned number is nobody's promise.
        v = rand(7, dtype=a) if b != U8 else rand(7, dtype=a, low=0)
        f.aten('_to_copy.out', v, False, None, want=[v.to(b)], tolerance=EXACT)
    v = rand(2, 3, 2, 4)
    for src, dst in ((v, cl(v)), (cl(v), v), (v, v), (cl(v), cl(v))):
        order = [0, 2, 3, 1] if dst.stride(1) == 1 else [0, 1, 2, 3]
        f.add('dim_order_ops::_clone_dim_order.out', [src, False, order], [dst], tolerance=EXACT)
        f.add('dim_order_ops::_to_dim_order_copy.out', [src, False, order], [dst.to(F16)])
    f.add('dim_order_ops::_to_dim_order_copy.out', [rand(3, dtype=I32), False, None],
          [torch.zeros(3)], tolerance=(0, 9))
    z = rand_complex(3)
    f.add('dim_order_ops::_to_dim_order_copy.out', [z, False, None], [z.real.clone()])
    f.add('dim_order_ops::_to_dim_order_copy.out', [z.real.clone(), False, None],
          [z.real.to(torch.complex64)])
    f.add('dim_order_ops::_empty_dim_order.out', [[0, 3], None], [torch.empty(0, 3)])
    f.aten('copy.out', rand(2, 3), rand(3), False)
    f.aten('copy.out', rand(2, 3, dtype=I32), rand(2, 1), False)
    a, b = rand(2, 3), rand(3, dtype=F64)
    f.add('aten::copy_', [InPlace(a), b, False], [b.to(F32).expand(2, 3).clone()], tolerance=EXACT)
    # Joining and splitting.
    f.aten('cat.out', [rand(2, 3), rand(2, 1), rand(2, 0)], 1)
    f.aten('cat.out', [rand(2, 3), torch.empty(0), rand(1, 3)], 0)
    f.aten('cat.out', [rand(1, 2, 300), rand(1, 3, 300)], -2)
    f.aten('cat.out', [rand(2, dtype=I32), rand(3, dtype=I64)], 0, out=[I64])
    f.aten('cat.out', [rand(2, dtype=F16), rand(3)], 0, out=[F32])
    f.aten('cat.out', [torch.empty(0), torch.empty(0)], 0)
    f.aten('stack.out', [rand(2, 3), rand(2, 3)], -1)
    f.aten('stack.out', [rand(2), rand(2), rand(2)], 0)
    y = rand(5, 2)
    f.add('aten::split_copy.Tensor_out', [y, 2, 0], list(y.split(2)), out_list=True)
    f.add('aten::split_with_sizes_copy.out', [y, [1, 0, 4], 0], list(y.split([1, 0, 4])),
          out_list=True)
    f.add('aten::split_with_sizes_copy.out', [y, [2], 1], [y], out_list=True)
    f.add('aten::unbind_copy.int_out', [y, 1], list(y.unbind(1)), out_list=True)
    # Padding.
    f.aten('constant_pad_nd.out', rand(2, 3), [1, 2], 0.5)
    f.aten('constant_pad_nd.out', rand(2, 3, dtype=I32), [0, 1, 2, 0], 7)
    f.aten('constant_pad_nd.out', rand(2, 3), [], 0)
    f.aten('constant_pad_nd.out', torch.empty(0, 2), [0, 0, 1, 1], 3.0)
    f.aten('constant_pad_nd.out', cl(rand(1, 2, 2, 3)), [1, 1, 0, 2], 1.0, channels_last=True)
    for op, n in (('reflection_pad1d', 1), ('replication_pad1d', 1), ('reflection_pad2d', 2),
                  ('replication_pad2d', 2), ('reflection_pad3d', 3), ('replication_pad3d', 3)):
        f.aten(f'{op}.out', rand(2, *[3, 4, 5][:n]), [2, 1, 0, 2, 1, 2][:2 * n])
        f.aten(f'{op}.out', rand(1, 2, *[3, 4, 5][:n]), [1, 0, 1, 1, 0, 1][:2 * n])
    f.aten('replication_pad1d.out', rand(2, 5), [-1, 3])
    f.aten('select_scatter.out', x, rand(2, 4), 1, -1)
    f.aten('slice_scatter.out', x, rand(2, 2, 4), 1, 0, 2**63 - 1, 2)
    # Creation.
    f.aten('arange.out', 5, out=[I64])
    f.aten('arange.start_out', 2, 11, 3, out=[I32])
    f.aten('arange.start_out', 1.0, -1.0, -0.25, out=[F32])
    f.aten('arange.start_out', 0, 700, 1, out=[F16])
    f.aten('arange.start_out', 3, 3, 1, out=[I64])
    f.aten('full.out', [2, 3], 1.5, out=[F32])
    f.aten('full.out', [], 7, out=[I64])
    f.aten('full.out', [0], True, out=[BOOL])
    f.aten('full.out', [3], -INF, out=[F16])
    f.aten('full_like.out', rand(2, 3), 0, None)
    f.aten('full_like.out', rand(2, 3), 3, None, out=[I32])
    f.aten('ones.out', [2, 2], out=[BF16])
    f.aten('zeros.out', [3], out=[I32])
    f.aten('scalar_tensor.out', 3.5, out=[F32], want=[torch.tensor(3.5)])
    f.aten('scalar_tensor.out', 3, out=[I64], want=[torch.tensor(3)])
    f.aten('fill.Scalar_out', rand(3), 2)
    f.aten('fill.Tensor_out', rand(3), torch.tensor(2.5))
    f.aten('empty.out', [0, 4], None, out=[F32])
    d = rand(5)
    f.aten('native_dropout.out', d, 0.5, False, want=[d, torch.ones(5, dtype=BOOL)])
    return f


def index():
    f = Family('index')
    table = rand(7, 4)
    f.aten('embedding.out', table, torch.tensor([[0, 6], [3, 3]]), -1, False, False)
    f.aten('embedding.out', table.to(BF16), torch.tensor([5, 1], dtype=I32), -1, False, False)
    f.aten('embedding.out', table, torch.tensor(2), -1, False, False)
    f.aten('index_select.out', rand(3, 4), 1, torch.tensor([3, 0, 3]))
    f.aten('index_select.out', rand(3, 4, dtype=I8), 0, torch.tensor([2], dtype=I32))
    f.aten('index_select.out', rand(3, 4), -1, torch.tensor([], dtype=I64))
    x = rand(3, 4, 5)
    i, j = torch.tensor([2, -1, 0]), torch.tensor([0, 3, -2])
    chosen = [[i], [None, j], [i, j], [None, i, j], [i, None, j], [i.reshape(3, 1), j],
              [None, None, torch.tensor([[4, 0], [1, 1]])], [i, j, torch.tensor([1])],
              [rand(3, dtype=BOOL)], [rand(3, 4, dtype=BOOL)], [None, rand(4, dtype=BOOL), i[:1]],
              [torch.tensor([], dtype=I64)], [i.to(I32), j], [torch.tensor(1), None, torch.tensor(2)]]
    for one in chosen:
        f.aten('index.Tensor_out', x, Opt(one))
    f.aten('index.Tensor_out', rand(9, dtype=U8), Opt([torch.tensor([8, 0, 1])]))
    f.aten('index.Tensor_out', rand(9, dtype=F16), Opt([torch.tensor([[8, 0], [1, 1]])]))
    f.aten('index.Tensor_out', rand(4, dtype=F64), Opt([torch.tensor([3, 2])]))
    f.aten('index.Tensor_out', rand_complex(4).to(torch.complex128), Opt([torch.tensor([3, 2])]))
    for one in chosen:
        shape_of = x[tuple(slice(None) if k is None else k.long() if k.dtype == I32 else k
                           for k in one)].shape
        f.aten('index_put.out', x, Opt(one), rand(*shape_of), False)
        f.aten('index_put.out', x, Opt(one), torch.tensor(2.0), True)
    f.aten('index_put.out', rand(5, dtype=I32), Opt([torch.tensor([1, 1, 4])]),
           torch.tensor([1, 2, 3], dtype=I32), True)
    values = rand(3, 2, 5)
    at = torch.tensor([3, 1])
    f.add('aten::index_put_', [InPlace(x), Opt([None, at]), values, False],
          [x.index_put((torch.arange(3).reshape(3, 1), at), values)], tolerance=EXACT)
    k = torch.tensor([[0, 1, 2], [2, 0, 0]])
    f.aten('gather.out', rand(3, 3), 0, k, False)
    f.aten('gather.out', rand(2, 4, dtype=I16), 1, k, False)
    f.aten('gather.out', rand(5), 0, torch.tensor([4, 4]), False)
    f.aten('scatter.src_out', rand(3, 4), 0, k, rand(2, 3))
    f.aten('scatter.src_out', rand(2, 5, dtype=U8), 1, torch.tensor([[4, 1], [0, 2]]),
           rand(3, 2, dtype=U8))
    f.aten('scatter.value_out', rand(3, 4), 0, k, 2.5)
    f.aten('scatter_add.out', rand(3, 4), 0, k, rand(2, 3))
    f.aten('scatter_add.out', rand(4, dtype=I64), 0, torch.tensor([1, 1, 1]),
           torch.tensor([1, 2, 3]))
    for dtype in (BOOL, F32, I32):
        f.aten('nonzero.out', rand(3, 4, dtype=dtype, low=-1, high=1), out=[I64])
    f.aten('nonzero.out', torch.zeros(2, 2), out=[I64])
    f.aten('masked_select.out', rand(3, 4), rand(4, dtype=BOOL))
    f.aten('masked_scatter.out', rand(3, 4), rand(3, 4, dtype=BOOL), rand(12))
    f.aten('repeat_interleave.Tensor_out', torch.tensor([2, 0, 3]), None)
    f.aten('repeat_interleave.Tensor_out', torch.tensor([2, 0, 3], dtype=I32), 5)
    return f


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


def attention(q, k, v, start, mask, causal, scale):
    """[B, S, H, D], in float64."""
    q, k, v = (t.double().transpose(1, 2) for t in (q, k, v))
    k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], 1) for t in (k, v))
    n = k.shape[2] if mask is not None else start + q.shape[2]
    scores = q @ k[:, :, :n].transpose(2, 3) * (scale or q.shape[3] ** -0.5)
    if mask is not None:
        scores = scores + mask.double()
    if causal:
        visible = torch.arange(n) <= start + torch.arange(q.shape[2]).reshape(-1, 1)
        scores = scores.masked_fill(~visible, -INF)
    return (scores.softmax(-1) @ v[:, :, :n]).transpose(1, 2).contiguous()


def hadamard(n):
    return torch.ones(1, 1) if n == 1 else torch.kron(torch.tensor([[1., 1], [1, -1]]),
                                                      hadamard(n // 2))


def hadamard_28():
    rows = """+------ ++----+ +-+--+- +--++--
              --++++- +------ -++--++ +-+--+-
              -+-++-+ +--++-- +------ --++++-
              -++--++ -+-++-+ ++----+ +------""".split()
    blocks = [torch.stack([torch.tensor([1. if c == '+' else -1. for c in r]).roll(i)
                           for i in range(7)]) for r in rows]
    return torch.cat([torch.cat(blocks[i:i + 4], 1) for i in range(0, 16, 4)])


def delta_rule(q, k, v, decay, beta, state):
    state, out = state.double().clone(), torch.zeros(*q.shape[:3], v.shape[3], dtype=F64)
    group = q.shape[1] // k.shape[1]
    if decay.dim() == 3:
        decay = decay.unsqueeze(3)
    for b, h, t in itertools.product(*map(range, k.shape[:3])):
        s = state[b, h] * decay[b, h, t].reshape(-1, 1)
        delta = beta[b, h, t] * (v[b, h, t] - s.T @ k[b, h, t].double())
        state[b, h] = s + k[b, h, t].double().outer(delta)
        for g in range(h * group, (h + 1) * group):
            out[b, g, t] = state[b, h].T @ q[b, g, t].double()
    return out.float(), state.float()


def llm():
    f = Family('llm')
    close = (1e-5, 2e-6)
    none = torch.zeros(1)
    for dtype in (F32, I8, F64):
        cache, value = rand(2, 6, 2, 3, dtype=dtype), rand(2, 2, 2, 3, dtype=dtype)
        want = cache.clone()
        want[:, 3:5] = value
        f.add('llama::update_cache.out', [value, InPlace(cache), 3, none], [want])
    cache, value = rand(2, 6, 2, 3), rand(2, 2, 2, 3)
    at = torch.tensor([[0, 5], [4, 2]])
    want = cache.clone()
    for b, s in itertools.product(range(2), range(2)):
        want[b, at[b, s]] = value[b, s]
    f.add('llama::update_cache_with_indices.out', [value, InPlace(cache), 0, at, none], [want])
    for b, s, h, kv, d, start, n in ((1, 1, 2, 2, 8, 5, 9), (2, 3, 4, 2, 16, 2, 7),
                                     (1, 7, 3, 1, 10, 0, 7), (1, 2, 2, 2, 64, 90, 100)):
        q, k, v = rand(b, s, h, d), rand(b, n, kv, d), rand(b, n, kv, d)
        for causal, scale, mask in ((True, None, None), (False, 0.3, None),
                                    (False, None, rand(s, n))):
            f.add('llama::custom_sdpa.out', [q, k, v, start, mask, 0.0, causal, scale],
                  [attention(q, k, v, start, mask, causal, scale).float()], tolerance=close)
    for dtype in HALVES:
        q, k, v = (rand(1, 2, 2, 16, dtype=dtype), rand(1, 4, 2, 16, dtype=dtype),
                   rand(1, 4, 2, 16, dtype=dtype))
        f.add('llama::custom_sdpa.out', [q, k, v, 1, None, 0.0, True, None],
              [attention(q, k, v, 1, None, True, None).to(dtype)])
    for heads_first in (False, True):
        args, real = [], []
        for s, h in ((3, 4), (6, 2), (6, 2)):
            x = rand(1, s, h, 8, low=-100, high=100, dtype=I8)
            z = rand(1, s, h, 1, low=-9, high=9, dtype=I8)
            scale = rand(1, s, h, 1, low=0.01, high=0.05)
            real.append((x.double() - z.double()) * scale.double())
            swap = (lambda t: t.transpose(1, 2).contiguous()) if heads_first else (lambda t: t)
            args.append([swap(t) for t in (x, z, scale)])
        want = attention(*real, 2, None, True, None).float()
        f.add('llama::custom_quantized_sdpa.out',
              [a[0] for a in args] + [2, None, 0.0, True, None] +
              [t for a in args for t in a[1:]] + [heads_first],
              [want.transpose(1, 2).contiguous() if heads_first else want], tolerance=close)
    for n in (1, 2, 8, 64):
        x = rand(3, n)
        f.add('llama::fast_hadamard_transform.out', [x], [x @ hadamard(n) / n ** 0.5],
              tolerance=close)
    for m in (1, 4):
        x = rand(2, 28 * m)
        inner = x.reshape(2, 28, m) @ hadamard(m) / m ** 0.5
        f.add('llama::fast_hadamard_transform.out', [x],
              [torch.einsum('ij,bjm->bim', hadamard_28(), inner).reshape(2, -1)],
              tolerance=(1e-5, 1e-4))
    for decay_shape in ((2, 2, 3, 4), (2, 2, 3)):
        args = [rand(2, 4, 3, 4), rand(2, 2, 3, 4), rand(2, 2, 3, 5), rand(*decay_shape, low=0.5,
                high=1), rand(2, 2, 3, low=0, high=1), rand(2, 2, 4, 5)]
        f.add('llama::gated_delta_rule.out', args, list(delta_rule(*args)), tolerance=(1e-4, 1e-3))
    x = rand(3, 4, 6)
    tiles = [x[:, i:i + 2, j:j + 2] for i in (0, 2) for j in (0, 2, 4)]
    f.add('preprocess::tile_crop.out', [x, 2], [torch.stack(tiles)])
    f.add('llama::fallback.out', [x], [x])
    return f


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


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parent.parent / 'tests/data/operators')
    folder.mkdir(parents=True, exist_ok=True)
    for family in (unary, binary, shape, index, reduce, matrix, signal, llm, quantized):
        family().write(folder)


if __name__ == '__main__':
    import warnings
    warnings.filterwarnings('ignore')
    main()
