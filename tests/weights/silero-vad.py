#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""silero-vad.py PTERIS STARTER MODELS HEAR: the starter model Silero VAD is made from its package, and gives the
probabilities of PyTorch for real speech with its pauses, for silence and for faint noise. In TAP."""

import array
import os
import subprocess
import sys
import wave

import starter

NAME = "silero-vad"
RATE = 16000
SPEECH = os.path.join(starter.DATA, "..", "..", "resources", "starter", "jfk.wav")


def noise(n, largest):
    """The same on every machine."""
    state = 1
    for _ in range(n):
        state = (state * 1103515245 + 12345) % 2**31
        yield (state >> 8) % (2 * largest + 1) - largest


def write(path, samples):
    with wave.open(path, "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(RATE)
        w.writeframes(array.array("h", samples).tobytes())
    return path


def sounds(folder):
    yield SPEECH
    yield write(os.path.join(folder, "silence.wav"), [0] * (3 * RATE))
    yield write(os.path.join(folder, "noise.wav"), list(noise(3 * RATE, 60)))


def main():
    _, maker, models, hear = sys.argv[1:]
    tap = starter.Tap()
    run = starter.make(maker, models, NAME)
    tap.check(run.returncode == 0, f"the model is made {run.stderr.strip()}")
    wanted = starter.expected("silero-vad.json")
    for path in sounds(models):
        name = os.path.basename(path)[:-4]
        run = subprocess.run([hear, os.path.join(models, NAME, "model.pte"), path], capture_output=True, text=True)
        tap.check(run.returncode == 0, f"{name} is heard {run.stderr.strip()}")
        got = [float(line) for line in run.stdout.split()]
        pairs = list(zip(got, wanted[name]))
        tap.check(len(pairs) == len(wanted[name]), f"{name}: {len(got)} probabilities")
        apart = max((abs(x - y) for x, y in pairs), default=1)
        tap.check(apart < 1e-4, f"{name}: probabilities are {apart:.1e} apart at most")
        if path == SPEECH:
            tap.check(sum(x > 0.5 for x in got) > len(got) / 2, "most of the speech is speech")
            tap.check(min(got, default=1) < 0.1, "its pauses are none")
        else:
            tap.check(max(got, default=1) < 0.35, f"{name} is no speech")
    tap.end()


main()
