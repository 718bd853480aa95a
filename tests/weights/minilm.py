#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""minilm.py PTERIS STARTER MODELS HEAR: the starter model all-MiniLM-L6-v2 is made from its package, and `pteris embed`
gives the vectors and similarities of eager PyTorch. In TAP."""

import json
import os
import subprocess
import sys

import starter

NAME = "all-minilm-l6-v2"


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5


def largest(values):
    """NaN counts as infinite."""
    return max(v if v == v else float("inf") for v in values)


def main():
    pteris, maker, models = sys.argv[1:4]
    tap = starter.Tap()
    run = starter.make(maker, models, NAME)
    tap.check(run.returncode == 0, f"the model is made {run.stderr.strip()}")
    wanted = starter.expected("minilm.json")
    texts = [w["text"] for w in wanted]
    env = {**os.environ, "PTERIS_MODELS": models}
    run = subprocess.run([pteris, "embed", NAME, *texts, "--json"], capture_output=True, text=True, env=env)
    tap.check(run.returncode == 0, f"vectors are made {run.stderr.strip()}")
    got = json.loads(run.stdout)["data"] if run.returncode == 0 else []
    tap.check([g["tokens"] for g in got] == [w["tokens"] for w in wanted], "texts have the same tokens")
    tap.check([g["truncated"] for g in got] == [w["tokens"] == 128 for w in wanted], "the longest text is cut")
    pairs = list(zip(got, wanted))
    apart = largest([abs(x - y) for g, w in pairs for x, y in zip(g["embedding"], w["vector"])] or [1])
    tap.check(apart < 1e-4, f"vectors are {apart:.1e} apart at most")
    apart = largest([abs(cosine(g["embedding"], h["embedding"]) - cosine(w["vector"], v["vector"]))
                     for g, w in pairs for h, v in pairs] or [1])  # fmt: skip
    tap.check(apart < 1e-5, f"cosine similarities are {apart:.1e} apart at most")
    tap.end()


main()
