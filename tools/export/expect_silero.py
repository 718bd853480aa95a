#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What upstream's Silero VAD gives in PyTorch: a list of probabilities for each WAV (16 kHz, mono, 16 bits).

    python expect_silero.py SILERO_VAD_JIT OUT_JSON WAV...
"""
import json
import pathlib
import sys
import wave

import torch


def probabilities(model, path):
    with wave.open(path) as w:
        x = torch.frombuffer(bytearray(w.readframes(w.getnframes())), dtype=torch.int16) / 32768
    state, context, out = torch.zeros(2, 1, 128), torch.zeros(64), []
    for i in range(0, len(x) - 511, 512):
        window = x[i:i + 512]
        p, state = model(torch.cat([context, window])[None], state)
        context = window[-64:]
        out.append(round(p.item(), 6))
    return out


def main():
    model = torch.jit.load(sys.argv[1], map_location="cpu")._model
    with torch.no_grad():
        made = {pathlib.Path(p).stem: probabilities(model, p) for p in sys.argv[3:]}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(made) + "\n")


main()
