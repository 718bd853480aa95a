# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of all families: a writer of calls, dtypes, tolerances and random tensors."""

import json

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
    """A tensor that is also output number @number."""

    def __init__(self, tensor, number=0):
        self.tensor = tensor
        self.number = number


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
            return {'io': [a.number, self.tensor(a.tensor)]}
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
        in_place = {a.number for a in arguments if isinstance(a, InPlace)}
        line['args'] += ([{'ox': len(results)}] if out_list
                         else [{'o': i} for i in range(len(results)) if i not in in_place])
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
