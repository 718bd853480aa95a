#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-whisper-fixtures.py OUT: look-alikes of the published layouts of Whisper that read samples (ExecuTorch 1.2), for
tests/unit/tasks/test-whisper-levels.c. They transcribe: the loudness of each two seconds of a window is a word, so what
a recording of any length must become is known.

Ids: 256 bytes, a word for each place and loudness, then end, start, en, de, translate, transcribe, startoflm,
startofprev, nospeech, notimestamps, and 1501 timestamps."""

import os
import sys

import torch
from torch import nn
from torch.export import Dim, export
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass

OUT = sys.argv[1]
PLACES, LEVELS, STEP = 14, 10, 0.08
WORDS = 256
END = WORDS + PLACES * LEVELS
START, GERMAN, TIMES = END + 1, END + 3, END + 10
N = TIMES + 1501
PROMPT = 4  # start, language, task, 0.00


class Samples(nn.Module):
    """[n] -> [1, 1500, 2]: the mean of |x| of 20 ms, and whether there is a sound."""

    def forward(self, x):
        x = x.reshape(1, -1)
        a = nn.functional.pad(x, (0, 480000 - x.shape[1])).abs().reshape(1, 1500, 320).mean(-1)
        return torch.stack([a, (a > 0.01).to(a.dtype)], -1)


class Magnitudes(nn.Module):
    """[frames, 256] in dB -> the same, for a square wave of 200 Hz."""

    def __init__(self):
        super().__init__()
        k = torch.arange(16000)
        x = torch.where((k // 40) % 2 == 0, 1.0, -1.0).unfold(0, 512, 160) * torch.hann_window(512)
        self.one = float(torch.fft.rfft(x)[:, :256].abs().sum(-1).mean())

    def forward(self, x):
        y = (torch.exp(x * 0.11512925464970229) - 2**-23).sum(-1) * (512 / self.one)
        a = nn.functional.pad(y, (0, 3000 - y.shape[0])).reshape(1, 1500, 2).mean(-1)
        return torch.stack([a, (a > 0.01).to(a.dtype)], -1)


class Rule(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ids", torch.arange(N).float())

    def forward(self, place, sound):
        """place [n]: how many ids are behind the start token -> logits [1, n, N]"""
        step = torch.clamp(place - (PROMPT - 1), min=0)
        g = torch.floor(step / 3)
        r = step - 3 * g
        level = torch.floor(sound[0, : PLACES * 100, 0].reshape(PLACES, 100).mean(-1) / STEP)
        at = (g[:, None] == torch.arange(PLACES).float()[None]).float() @ level[:, None]
        end = torch.full_like(g, float(END))
        close = TIMES + 100 * (g + 1)
        word = torch.where(g >= PLACES, end, WORDS + LEVELS * g + at[:, 0])
        after = torch.where(100 * (g + 1) >= sound[0, :, 1].sum() - 3, end, close)
        best = torch.where(r < 0.5, word, torch.where(r < 1.5, close, after))
        best = torch.where(place < 0.5, torch.full_like(best, float(GERMAN)), best)
        return (-4.0 * (self.ids[None] - best[:, None]).abs())[None]


class One(nn.Module):
    def __init__(self):
        super().__init__()
        self.rule = Rule()

    def forward(self, ids, position, sound):
        return self.rule(position.to(torch.float32) + 0 * ids.reshape(-1).float(), sound)


class All(nn.Module):
    """All ids in each call; text of before may precede the start token."""

    def __init__(self):
        super().__init__()
        self.rule = Rule()

    def forward(self, ids, sound):
        at = torch.arange(ids.shape[1]).float()
        return self.rule(at - ((ids[0] == START).float() * at).amax(), sound)


def save(name, methods):
    eps = {n: export(m.eval(), a, dynamic_shapes=d, strict=False) for n, (m, a, d) in methods.items()}
    edge = to_edge_transform_and_lower(eps, partitioner={n: [XnnpackPartitioner()] for n in eps},
                                       compile_config=EdgeCompileConfig(_check_ir_validity=False))
    program = edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False)))
    with open(os.path.join(OUT, name), "wb") as f:
        f.write(program.buffer)
    print(name, len(program.buffer))


def main():
    os.makedirs(OUT, exist_ok=True)
    sound, id64 = torch.rand(1, 1500, 2), torch.tensor([[1]])
    samples = {0: Dim("n", min=16000, max=464000)}
    encode = (Samples(), (torch.randn(32000),), (samples,))
    save("one.pte", {"encode": encode, "decode": (One(), (id64, torch.tensor([0]), sound), None)})
    save("encoder.pte", {"forward": encode})
    save("magnitudes.pte", {"forward": (Magnitudes(), (torch.rand(200, 256),), ({0: Dim("f", min=64, max=3000)},))})
    save("decoder.pte", {"forward": (All(), (torch.zeros(1, 6, dtype=torch.int64), sound), ({1: Dim("k", min=1, max=448)}, None))})


if __name__ == "__main__":
    with torch.no_grad():
        main()
