# SPDX-License-Identifier: BSD-3-Clause
"""Attention, caches and the other operators of language models."""

import itertools

import torch

from .family import (F32, F64, Family, HALVES, I8, INF, InPlace, rand)


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


def wave(*sizes):
    """Numbers that are not drawn: what comes later keeps its own."""
    return (torch.arange(torch.Size(sizes).numel(), dtype=F32) * 0.7).sin().reshape(sizes)


def kv_cache_calls(f):
    for start, causal, masked in ((0, True, False), (3, False, False), (2, False, True)):
        q, k, v = wave(2, 2, 4, 8), wave(2, 2, 2, 8).flip(0), wave(2, 2, 2, 8) * 0.5
        caches = [wave(2, 7, 2, 8) + 0.1, wave(2, 7, 2, 8) - 0.2]
        mask = wave(2, 7) if masked else None
        full = [c.clone() for c in caches]
        for c, rows in zip(full, (k, v)):
            c[:, start:start + 2] = rows
        want = attention(q, *full, start, mask, causal, None).float()
        f.add('llama::sdpa_with_kv_cache.out',
              [q, k, v, InPlace(caches[0], 0), InPlace(caches[1], 1), start, 2, mask, 0.0, causal,
               None], full + [want], tolerance=(1e-5, 2e-6))


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
    args = [wave(1, 2, 3, 4), wave(1, 2, 3, 4) * 0.3, wave(1, 2, 3, 5), wave(1, 2, 3, 4).abs(),
            wave(1, 2, 3).abs(), wave(1, 2, 4, 5)]
    f.add('llama::channelwise_gated_delta_rule.out', args, list(delta_rule(*args)),
          tolerance=(1e-5, 1e-5))
    kv_cache_calls(f)
    return f
