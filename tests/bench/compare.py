"""Our runtime and upstream's on the same model files, turn by turn: medians and ratios as a Markdown table.

Usage: compare.py BENCH_MODELS MODELS_DIR [--python PYTHON] [--rounds N]

PYTHON is a Python 3.11 with executorch 1.2.0 and torch 2.11; without it only our figures are printed.
"""
import argparse
import json
import os
import statistics
import subprocess

TASKS = {"chat": "smollm2-135m-instruct", "transcribe": "whisper-base"}
# name: (what it is, True when smaller is better)
FIGURES = {
    "load_s": ("load, s", True),
    "prefill_tokens_per_s": ("prefill of 256 tokens, all logits, tokens/s", False),
    "prefill_last_row_tokens_per_s": ("prefill of 256 tokens, last logits, tokens/s", False),
    "encoder_s": ("encoder, 30 s of audio, s", True),
    "decode_tokens_per_s": ("decode, tokens/s", False),
}


def measure(command):
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(out.strip().splitlines()[-1])


def medians(rounds):
    return {k: statistics.median(r[k] for r in rounds) for k in rounds[0]}


def figure(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def ratio(name, ours, theirs):
    if name == "prefill_last_row_tokens_per_s":
        theirs = dict(theirs, **{name: theirs["prefill_tokens_per_s"]})
    if name not in theirs:
        return "", ""
    r = theirs[name] / ours[name] if FIGURES[name][1] else ours[name] / theirs[name]
    return figure(theirs[name]), f"{r:.2f}"


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("bench_models")
    p.add_argument("models")
    p.add_argument("--python")
    p.add_argument("--rounds", type=int, default=5)
    o = p.parse_args()
    upstream = os.path.join(os.path.dirname(os.path.abspath(__file__)), "upstream.py")
    print("| model | figure | Pteris | ExecuTorch 1.2.0 | times as fast |\n|---|---|---|---|---|")
    for task, model in TASKS.items():
        folder = os.path.join(o.models, model)
        ours, theirs = [], []
        for _ in range(o.rounds):
            ours.append(measure([o.bench_models, task, folder]))
            theirs.append(measure([o.python, upstream, task, folder]) if o.python else {})
        ours, theirs = medians(ours), medians(theirs) if o.python else {}
        for name, value in ours.items():
            print("| {} | {} | {} | {} | {} |".format(model, FIGURES[name][0], figure(value), *ratio(name, ours, theirs)))


if __name__ == "__main__":
    main()
