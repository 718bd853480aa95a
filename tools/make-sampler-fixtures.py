#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-sampler-fixtures.py FILE: what the logits processors of Hugging Face transformers make of
random logits, for tests/unit/text/test-sampler.c. Needs torch and transformers.

Logits are made by the generator that the test has, too; the file has the settings, what was said,
and the tokens that are left with their probabilities, the likeliest first. transformers has no
presence and frequency penalties: those of llama.cpp (llama_sampler_penalties_apply) are written out
here."""

import json
import sys

import torch
from transformers.generation.logits_process import (
    MinPLogitsWarper, RepetitionPenaltyLogitsProcessor, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper)

CASES = [
    # n, spread, said, settings
    (50, 6, [], {"temperature": 1, "top_k": 5}),
    (50, 6, [], {"temperature": 0.7, "top_k": 12}),
    (50, 6, [], {"temperature": 0.7, "top_k": 50}),
    (64, 8, [], {"temperature": 1, "top_p": 0.9}),
    (64, 8, [], {"temperature": 1.6, "top_p": 0.5}),
    (64, 8, [], {"temperature": 0.3, "top_p": 0.999}),
    (64, 8, [], {"temperature": 1, "min_p": 0.05}),
    (64, 8, [], {"temperature": 2, "min_p": 0.3}),
    (64, 8, [], {"temperature": 0.5, "min_p": 1}),
    (300, 10, [], {"temperature": 0.8, "top_k": 40, "top_p": 0.95, "min_p": 0.05}),
    (300, 3, [], {"temperature": 1.2, "top_k": 100, "top_p": 0.8, "min_p": 0.2}),
    (300, 3, [], {"temperature": 1, "top_p": 0.9, "min_p": 0.5}),
    (300, 3, [], {"temperature": 1, "top_k": 7, "top_p": 0.9}),
    (60, 6, [1, 2, 3, 3, 40, 41, 2], {"temperature": 1, "top_k": 20, "repetition_penalty": 1.3}),
    (60, 6, [1, 2, 3, 3, 40, 41, 2], {"temperature": 1, "top_k": 20, "repetition_penalty": 0.7}),
    (60, 6, list(range(0, 60, 2)), {"temperature": 0.9, "top_p": 0.9, "repetition_penalty": 1.1}),
    (60, 6, [5, 6, 7, 8, 9, 10], {"temperature": 1, "top_k": 15, "repetition_penalty": 2, "repetition_window": 3}),
    (60, 6, [5, 5, 5, 8, 9, 10, 5, 9], {"temperature": 1, "top_k": 15, "presence_penalty": 1.5}),
    (60, 6, [5, 5, 5, 8, 9, 10, 5, 9], {"temperature": 1, "top_k": 15, "frequency_penalty": 0.4}),
    (60, 6, [5, 5, 5, 8, 9, 10, 5, 9], {"temperature": 1, "top_k": 15, "frequency_penalty": -0.5, "presence_penalty": -1}),
    (60, 6, [5, 5, 5, 8, 9, 10, 5, 9, 5, 5], {"temperature": 0.7, "top_k": 30, "top_p": 0.95, "min_p": 0.02, "repetition_penalty": 1.2,
             "repetition_window": 6, "frequency_penalty": 0.3, "presence_penalty": 0.2}),
]


def logits_of(case, n, spread):
    """A linear congruential generator: the numbers are exact in every language."""
    state = case + 1
    out = []
    for _ in range(n):
        state = (state * 1103515245 + 12345) % (1 << 31)
        out.append((state >> 11) / (1 << 20) * 2 * spread - spread)
    return torch.tensor([out], dtype=torch.float32)


def penalise(scores, said, how):
    window = how.get("repetition_window", -1)
    recent = said if window < 0 else said[len(said) - window:]
    if not recent:
        return scores
    ids = torch.tensor([recent])
    if "repetition_penalty" in how:
        scores = RepetitionPenaltyLogitsProcessor(float(how["repetition_penalty"]))(ids, scores)
    for token in set(recent):
        scores[0, token] -= recent.count(token) * how.get("frequency_penalty", 0) + how.get("presence_penalty", 0)
    return scores


def warp(scores, how):
    none = torch.tensor([[0]])
    scores = TemperatureLogitsWarper(float(how["temperature"]))(none, scores)
    if "top_k" in how:
        scores = TopKLogitsWarper(how["top_k"])(none, scores)
    if "top_p" in how:
        scores = TopPLogitsWarper(how["top_p"])(none, scores)
    if "min_p" in how:
        scores = MinPLogitsWarper(how["min_p"])(none, scores)
    return scores


def main():
    out = []
    for number, (n, spread, said, how) in enumerate(CASES):
        scores = warp(penalise(logits_of(number, n, spread), said, how), how)
        probabilities = torch.softmax(scores.double(), dim=-1)[0]
        kept = [i for i in range(n) if torch.isfinite(scores[0, i])]
        kept.sort(key=lambda i: (-probabilities[i].item(), i))
        out.append({"n": n, "spread": spread, "said": said, **how, "kept": kept,
                    "probabilities": [round(probabilities[i].item(), 7) for i in kept]})
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(case) for case in out) + "\n]\n")


if __name__ == "__main__":
    main()
