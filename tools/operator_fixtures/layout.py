# SPDX-License-Identifier: BSD-3-Clause
"""Operators that move, create or pick elements."""

import itertools

import torch

from .family import (BF16, BOOL, EXACT, F16, F32, F64, Family, HALVES, I16, I32, I64, I8, INF,
                     InPlace, Opt, REAL, U8, cl, rand, rand_complex)


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
        # Conversions that overflow an unsigned number are undefined.
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
