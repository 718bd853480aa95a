# SPDX-License-Identifier: BSD-3-Clause
"""Weights of 1 to 8 bits in torchao's packed forms, and mixtures of experts made of them."""

import numpy as np
import torch

from .family import F32, I32, I8, Family, rand

CLOSE = (1e-5, 1e-5)
EXACT_ROWS = (1e-6, 1e-7)




def pack_3(u):
    p = np.zeros((3, u.shape[1]), np.uint8)
    p[0] = (u[6] & 3) << 6 | u[0] << 3 | u[1]
    p[1] = (u[7] & 3) << 6 | u[2] << 3 | u[3]
    p[2] = (u[6] & 4) << 5 | (u[7] & 4) << 4 | u[4] << 3 | u[5]
    return p


def pack_5(u):
    p = np.zeros((5, u.shape[1]), np.uint8)
    for j in range(4):
        p[j] = u[2 * j] | (u[2 * j + 1] & 7) << 5
        p[4] |= (u[2 * j + 1] >> 3) << 2 * j
    return p


def pack_7(u):
    return np.stack([u[j] | (u[7] >> j & 1) << 7 for j in range(7)])


def pack_5_of_64(v):
    first = [v[0:16] | (v[16:32] & 7) << 5, v[32:48] | (v[48:64] & 7) << 5]
    last = v[16:24] >> 3 | v[24:32] >> 3 << 2 | v[48:56] >> 3 << 4 | v[56:64] >> 3 << 6
    return np.concatenate(first + [last])


def pack_1(v):
    n = len(v)
    if n == 128:
        u = v.reshape(8, 16)
        return sum(u[j] << (7 - j) for j in range(8)).astype(np.uint8)
    if n == 64:
        u = v.reshape(4, 2, 8)
        nibble = sum(u[j] << (3 - j) for j in range(4))
        return (nibble[0] | nibble[1] << 4).astype(np.uint8)
    return np.packbits(v)


def pack_piece(bits, v):
    n = len(v)
    if bits == 1:
        return pack_1(v)
    if bits == 8:
        return v
    if bits == 5 and n == 64:
        return pack_5_of_64(v)
    if bits in (3, 5, 7):
        pack = {3: pack_3, 5: pack_5, 7: pack_7}[bits]
        pieces = [v] if n != 32 else np.split(v, 4)
        return np.concatenate([pack(p.reshape(8, -1)).reshape(-1) for p in pieces])
    if bits == 4:
        return np.concatenate([p[:16] | p[16:] << 4 for p in np.split(v, n // 32)])
    quarters = [p.reshape(4, -1) for p in np.split(v, max(n // 64, 1))]
    if bits == 2:
        return np.concatenate([u[0] << 6 | u[1] << 4 | u[2] << 2 | u[3] for u in quarters])
    return np.concatenate([np.concatenate([u[i] | (u[3] >> 2 * i & 3) << 6 for i in range(3)])
                           for u in quarters])


def pack(bits, values):
    """Signed values, 128, 64 or 32 of them, as bytes."""
    v = np.asarray(values, np.int32) + ((1 << (bits - 1)) if bits < 8 else 0)
    packed = pack_piece(bits, v.astype(np.uint8))
    assert len(packed) == len(values) * bits // 8
    return packed.astype(np.uint8).tobytes()


def pack_linear(bits, q, scales, zeros, bias):
    """A blob of weights q [n, k] with scales and zeros [n, groups] and biases [n]."""
    n, k = q.shape
    groups = scales.shape[1]
    group = k // groups
    blob = np.array([6712, 1, bits, zeros is not None, bias is not None, 8, 16, 2] + [0] * 8,
                    np.int32).tobytes()
    wide = lambda x: np.concatenate([x, np.zeros((-n % 8,) + x.shape[1:], x.dtype)])
    q, scales = wide(q.astype(np.int32)), wide(scales)
    zeros = None if zeros is None else wide(zeros.astype(np.int32))
    for block in range(0, n, 8):
        rows = slice(block, block + 8)
        for g in range(groups):
            for column in range(g * group, (g + 1) * group, 16):
                piece = q[rows, column:column + 16].reshape(8, 2, 8).transpose(1, 0, 2)
                blob += pack(bits, piece.reshape(-1))
            sums = q[rows, g * group:(g + 1) * group].sum(1).astype(np.int32)
            blob += scales[rows, g].astype(np.float32).tobytes() + sums.tobytes()
            if zeros is not None:
                blob += zeros[rows, g].astype(np.int32).tobytes()
        if bias is not None:
            blob += wide(bias)[rows].astype(np.float32).tobytes()
    return np.frombuffer(blob, np.uint8)


def pack_embedding(bits, q, header=True):
    blob = np.array([6712, 2, 1, bits, 32, 128] + [0] * 10, np.int32).tobytes() if header else b''
    for row in q:
        at = 0
        while at < len(row):
            n = next(n for n in (128, 64, 32) if len(row) - at >= n)
            blob += pack(bits, row[at:at + n])
            at += n
    return np.frombuffer(blob, np.uint8)


def random_weights(bits, n, k, groups):
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    q = rand(n, k, low=low - 0.5, high=high + 0.5).round().clamp(low, high).numpy().astype(np.int32)
    scales = rand(n, groups, low=0.01, high=0.1).numpy()
    zeros = rand(n, groups, low=low, high=high).round().numpy().astype(np.int32)
    return q, scales, zeros


def real(q, scales, zeros):
    """The numbers that quantised ones stand for, as float64."""
    group = q.shape[1] // scales.shape[1]
    spread = lambda x: np.repeat(x.astype(np.float64), group, 1)
    return (q - (spread(zeros) if zeros is not None else 0)) * spread(scales)


def quantize_rows(x):
    """The quantised activations of a layer: 8 bits with a zero point in each row."""
    least, most = x.min(1, keepdims=True), x.max(1, keepdims=True)
    scale = ((most - least) / np.float32(255)).astype(np.float32)
    zero = np.clip(-128 - np.rint(least / scale), -128, 127)
    inverse = (1.0 / (scale.astype(np.float64) + 1e-16)).astype(np.float32)
    q = np.clip(np.rint((x.astype(np.float64) * inverse + zero).astype(np.float32)), -128, 127)
    return (q - zero) * scale.astype(np.float64)


def as_i8(blob):
    return torch.from_numpy(blob.view(np.int8).copy())


def experts(f, bits, score, bias, scale, tokens=5, dim=32, hidden=16, count=4, chosen=2, group=16):
    x, gate = rand(tokens, dim), rand(count, dim, low=-0.3, high=0.3)
    shift = rand(count, low=-1, high=1) if bias else torch.empty(0)
    blobs, dense = ([], []), ([], [])
    for _ in range(count):
        for i, (n, k) in enumerate(((2 * hidden, dim), (dim, hidden))):
            q, scales, _zeros = random_weights(bits, n, k, k // group)
            scales = scales * np.float32(2.0 ** (1 - bits))  # weights below 0.1
            blobs[i].append(pack_linear(bits, q, scales, None, None))
            dense[i].append(torch.from_numpy(real(q, scales, None)))
    logits = x.double() @ gate.double().T
    scores = logits.sigmoid() if score == 'sigmoid' else logits
    picks = (scores + shift if bias else scores).topk(chosen).indices
    weights = scores.gather(1, picks)
    weights = weights.softmax(1) if score == 'softmax' else weights * scale / weights.sum(1, True)
    out = torch.zeros(tokens, dim, dtype=torch.float64)
    for t in range(tokens):
        for e, weight in zip(picks[t].tolist(), weights[t]):
            h = dense[0][e] @ x[t].double()
            middle = torch.nn.functional.silu(h[:hidden]) * h[hidden:]
            out[t] += weight * (dense[1][e] @ middle)
    packed = [torch.from_numpy(np.stack(b)) for b in blobs]
    f.add('llama::quantized_moe_ffn.out',
          [x, gate, shift, *packed, chosen, count, hidden, dim, group, bits, score, scale],
          [out.float()], tolerance=(1e-5, 1e-6))


def lowbit():
    f = Family('lowbit')
    for bits in range(1, 9):
        name = f'torchao::_linear_8bit_act_{bits}bit_weight.out'
        for m, n, k, groups, with_zeros, with_bias in ((1, 16, 64, 2, False, False),
                                                       (5, 11, 48, 3, True, True),
                                                       (18, 8, 32, 1, True, False),
                                                       (3, 3, 96, 2, False, True)):
            q, scales, zeros = random_weights(bits, n, k, groups)
            zeros = zeros if with_zeros else None
            bias = rand(n).numpy() if with_bias else None
            blob, x = as_i8(pack_linear(bits, q, scales, zeros, bias)), rand(m, k)
            y = quantize_rows(x.numpy()) @ real(q, scales, zeros).T
            f.add(name, [x, blob, k // groups, n, k],
                  [torch.from_numpy((y + (bias if with_bias else 0)).astype(np.float32))],
                  tolerance=CLOSE)
            at = rand(4, low=0, high=n - 1, dtype=I32)
            f.add(f'torchao::_shared_embedding_{bits}bit.out', [blob, k // groups, n, k, at],
                  [torch.from_numpy(real(q, scales, zeros)[at.numpy()].astype(np.float32))],
                  tolerance=EXACT_ROWS)
        for width, groups, header in ((32, 1, True), (64, 2, True), (128, 1, True), (352, 11, True),
                                      (224, 1, False)):
            q, scales, zeros = random_weights(bits, 5, width, groups)
            blob = as_i8(pack_embedding(bits, q, header))
            at = torch.tensor([4, 0, 2, 4])
            f.add(f'torchao::_embedding_{bits}bit.out',
                  [blob if header else blob.reshape(5, -1), 5, width, torch.from_numpy(scales),
                   torch.from_numpy(zeros).to(I8), at if header else at.to(I32)],
                  [torch.from_numpy(real(q, scales, zeros)[at.numpy()].astype(np.float32))],
                  tolerance=EXACT_ROWS)
    experts(f, 4, 'sigmoid', True, 1.0)
    experts(f, 8, 'sigmoid', False, 2.5)
    experts(f, 4, 'softmax', False, 1.0, tokens=1, chosen=3)
    experts(f, 8, 'softmax', False, 1.0, tokens=40, count=2, chosen=2)
    return f
