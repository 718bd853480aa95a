"""Pteris beside its peers on a CPU, turn by turn: medians, spread and ratios, against the targets.

Usage: peers.py BENCH_MODELS --models DIR --python PYTHON [--gguf DIR] [--programs DIR] [--exports DIR] [--rounds N] [--realtime] [--json FILE]

PYTHON has executorch 1.2.0, torch 2.11, torchvision, timm, onnx, onnxruntime, llama-cpp-python and gguf (`./dev bench peers` makes one). DIR of --models is the
library with the starter models, that of --exports has smollm2-8da4w and llama-1b-8da4w (tools/export/README.md) and whisper-optimum
(optimum-executorch, one token a call): rows whose model is missing are left out. Files for llama.cpp are made in the DIR of --gguf, the first time.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OURS, UPSTREAM = "Pteris", "ExecuTorch"
PROMPT, NEW = 512, 256
LAST_ROW, DECODE, FIRST, AGAIN = "prefill_last_row_tokens_per_s", "decode_tokens_per_s", "first_step_s", "first_step_again_s"
ENCODER, RUN = "encoder_s", "run_s"
SMALLER_IS_BETTER = (FIRST, AGAIN, ENCODER, RUN)
# The allocator keeps what is freed, so that a second load writes to no new page of memory.
KEEP_MEMORY = {"GLIBC_TUNABLES": f"glibc.malloc.mmap_threshold={1 << 32}:glibc.malloc.trim_threshold={1 << 33}:glibc.malloc.top_pad={1 << 30}"}
ONNX = "onnxruntime"
# model: folder, peers' GGUF files by name, (source, quantisation) to make them
MODELS = {
    "SmolLM2 8da8w": ("smollm2-135m-instruct", {"llama.cpp Q8_0": ("smollm2-q8_0.gguf", "Q8_0"), "llama.cpp Q4_1": ("smollm2-q4_1.gguf", None)}),
    "SmolLM2 8da4w": ("smollm2-8da4w", {"llama.cpp Q4_1": ("smollm2-q4_1.gguf", None)}),
    "Llama 1B shape 8da4w": ("llama-1b-8da4w", {"llama.cpp Q4_0": ("llama-1b-q4_0.gguf", "Q4_0")}),
}
# model: file, shape of its input, is there an .onnx beside it (make_programs.py)
PROGRAMS = {
    "MobileNet v2 fp32": ("mobilenet_v2.pte", "1,3,224,224", True),
    "ResNet 18 fp32": ("resnet18.pte", "1,3,224,224", True),
    "MobileNet v2 int8": ("mobilenet_v2_int8.pte", "1,3,224,224", False),
    "MobileNet v3 large int8": ("mobilenet_v3_large_int8.pte", "1,3,224,224", False),
    "MobileNet v4 small int8": ("mobilenet_v4_small_int8.pte", "1,3,224,224", False),
    "MobileNet v4 medium int8": ("mobilenet_v4_medium_int8.pte", "1,3,224,224", False),
    "EfficientNet-lite 0 int8": ("efficientnet_lite0_int8.pte", "1,3,224,224", False),
    "ResNet 18 int8": ("resnet18_int8.pte", "1,3,224,224", False),
    "LR-ASPP int8": ("lraspp_int8.pte", "1,3,224,224", False),
    "100 operators of 4 numbers": ("tiny100.pte", "4", False),
}
# model: folder, tokens that are generated
WHISPERS = {
    "Whisper base 8da8w": ("whisper-base", NEW),
    "Whisper base 8da8w, optimum's layout": ("whisper-optimum", 20),
}
WHISPER, OPTIMUM = WHISPERS
CHAT_FIGURES = {
    FIRST: "from opening to the end of a first step, new process, s",
    AGAIN: "the same with memory at hand, s",
    LAST_ROW: f"prefill of {PROMPT} tokens, tokens/s",
    DECODE: f"decode of {NEW} tokens from position {PROMPT} on, tokens/s",
}
FIGURES = {model: CHAT_FIGURES for model in MODELS}
FIGURES.update({model: {ENCODER: "encoder, 30 s of sound, s", DECODE: f"decoder, {n} tokens, tokens/s"} for model, (_, n) in WHISPERS.items()})
FIGURES.update({model: {RUN: "one call, s"} for model in PROGRAMS})
# (model, figure): [(peer, or None for the best of all, times as fast at least)]
TARGETS = {
    ("SmolLM2 8da8w", FIRST): [(UPSTREAM, 10), ("llama.cpp", 1)],
    ("SmolLM2 8da8w", AGAIN): [("llama.cpp", 1)],
    ("SmolLM2 8da8w", LAST_ROW): [(None, 2)],
    ("SmolLM2 8da8w", DECODE): [(UPSTREAM, 2), ("llama.cpp", 1.6)],
    ("SmolLM2 8da4w", FIRST): [(UPSTREAM, 10), ("llama.cpp", 1)],
    ("SmolLM2 8da4w", AGAIN): [("llama.cpp", 1)],
    ("SmolLM2 8da4w", LAST_ROW): [(UPSTREAM, 2)],
    ("SmolLM2 8da4w", DECODE): [(UPSTREAM, 1.6)],
    ("Llama 1B shape 8da4w", LAST_ROW): [(None, 1.5)],
    ("Llama 1B shape 8da4w", DECODE): [(None, 1.2)],
    (WHISPER, ENCODER): [(UPSTREAM, 2)],
    (OPTIMUM, DECODE): [(UPSTREAM, 5)],
    ("MobileNet v2 fp32", RUN): [(UPSTREAM, 1.2), (ONNX, 0.9)],
    ("ResNet 18 fp32", RUN): [(UPSTREAM, 1.2), (ONNX, 0.9)],
    ("MobileNet v2 int8", RUN): [(UPSTREAM, 1.3)],
    ("MobileNet v3 large int8", RUN): [(UPSTREAM, 1.3)],
    ("MobileNet v4 small int8", RUN): [(UPSTREAM, 1.3)],
    ("MobileNet v4 medium int8", RUN): [(UPSTREAM, 1.3)],
    ("EfficientNet-lite 0 int8", RUN): [(UPSTREAM, 1.3)],
    ("ResNet 18 int8", RUN): [(UPSTREAM, 1.3)],
    ("LR-ASPP int8", RUN): [(UPSTREAM, 1.3)],
    ("100 operators of 4 numbers", RUN): [(UPSTREAM, 3.33)],
}


def run(command, realtime, environment={}):
    if realtime:
        command = ["chrt", "-r", "5", *command]
    out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    if out.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{out.stderr[-2000:]}")
    return json.loads(out.stdout.strip().splitlines()[-1])


def physical_cores():
    text = subprocess.run(["lscpu", "--parse=CORE,SOCKET"], capture_output=True, text=True).stdout
    cores = {line for line in text.splitlines() if not line.startswith("#")}
    return max(1, min(len(cores), len(os.sched_getaffinity(0))))


def make_gguf(o, name, kind, source):
    path = os.path.join(o.gguf, name)
    if os.path.exists(path):
        return path
    os.makedirs(o.gguf, exist_ok=True)
    if kind is None:
        os.symlink(os.path.abspath(source), path)
    else:
        subprocess.run([o.python, os.path.join(HERE, "make_gguf.py"), source, path + ".part", kind], check=True)
        os.rename(path + ".part", path)
    return path


def has_modules(python, *modules):
    return subprocess.run([python, "-c", "import " + ", ".join(modules)], capture_output=True).returncode == 0


def make_programs(o):
    if not all(os.path.exists(os.path.join(o.programs, file)) for file, _, _ in PROGRAMS.values()):
        # The exporter calls flatc, which lies beside its Python.
        path = os.path.dirname(os.path.abspath(o.python)) + os.pathsep + os.environ["PATH"]
        subprocess.run([o.python, os.path.join(HERE, "make_programs.py"), o.programs], check=True, env={**os.environ, "PATH": path})


def program_commands(o, model, threads):
    file, shape, has_onnx = PROGRAMS[model]
    make_programs(o)
    path, options = os.path.join(o.programs, file), ["--shape", shape, "--threads", str(threads)]
    result = {OURS: [o.bench_models, "program", path, "20"],
              UPSTREAM: [o.python, os.path.join(HERE, "upstream.py"), "program", path, "--runs", "20", *options]}
    if has_onnx and has_modules(o.python, "onnxruntime"):
        result[ONNX] = [o.python, os.path.join(HERE, "peer_onnx.py"), path.replace(".pte", ".onnx"), *options]
    return result


def find_model(o, folder):
    return next((p for p in (os.path.join(d, folder) for d in (o.models, o.exports) if d) if os.path.exists(p + "/model.pte")), None)


def whisper_commands(o, model, threads):
    folder, n_new = WHISPERS[model]
    path = find_model(o, folder)
    if path is None:
        return None
    return {OURS: [o.bench_models, "transcribe", path, "4", str(n_new), "1"],
            UPSTREAM: [o.python, os.path.join(HERE, "upstream.py"), "transcribe", path, "--runs", "1",
                       "--new-tokens", str(n_new), "--threads", str(threads)]}


def commands(o, model, threads):
    """Peer: command that measures it once."""
    if model in PROGRAMS:
        return program_commands(o, model, threads)
    return (whisper_commands if model in WHISPERS else chat_commands)(o, model, threads)


def chat_commands(o, model, threads, task="chat"):
    folder, files = MODELS[model]
    source = "llama-1b" if folder.startswith("llama-1b") else o.source
    path = find_model(o, folder)
    if path is None:
        return None
    counts = ["--prompt-tokens", str(PROMPT), "--new-tokens", str(NEW), "--threads", str(threads)]
    ours = {"chat": [path, str(PROMPT), str(NEW), "1"], "open": [path, "3"]}[task]
    runs = {"chat": "1", "open": "3"}[task]
    result = {OURS: [o.bench_models, task, *ours],
              UPSTREAM: [o.python, os.path.join(HERE, "upstream.py"), task, path, "--runs", runs, *counts]}
    if not has_modules(o.python, "llama_cpp", "gguf"):
        print(f"{o.python} has no llama-cpp-python with gguf: llama.cpp is left out", file=sys.stderr)
        files = {}
    for name, (file, kind) in files.items():
        if source:
            result[name] = [o.python, os.path.join(HERE, "peer_llama.py"), task, make_gguf(o, file, kind, source), *counts]
    return result


def open_models(o, model, threads, rounds):
    """
    Adds what `open` of each peer says to the rounds. Never with real-time priority: that keeps threads of the kernel
    waiting that a load waits for, up to a second. Says how many pages of new memory a load writes to, and their cost.
    """
    for r in rounds:
        for peer, command in chat_commands(o, model, threads, "open").items():
            r[peer].update(run(command, False, KEEP_MEMORY))
    pages = {peer: statistics.median(r[peer]["page_faults"] for r in rounds) for peer in rounds[0]}
    print(f"{model}: a load writes to new pages: {', '.join(f'{peer} {n:.0f}' for peer, n in pages.items())}; "
          f"a page takes {spread([r[OURS]['new_page_us'] for r in rounds])} µs", file=sys.stderr)


def measure(o, model, threads):
    """figure: {peer: [one value a round]}"""
    peers = commands(o, model, threads)
    if peers is None:
        return None
    rounds = []
    for i in range(o.rounds):
        print(f"{model}: round {i + 1} of {o.rounds}", file=sys.stderr)
        rounds.append({peer: run(command, o.realtime) for peer, command in peers.items()})
    if model in MODELS:
        open_models(o, model, threads, rounds)
    for r in rounds if model in MODELS else []:
        r[UPSTREAM][LAST_ROW] = r[UPSTREAM]["prefill_tokens_per_s"]  # it has all rows or none
    return {f: {peer: [r[peer][f] for r in rounds] for peer in peers} for f in FIGURES[model]}


def times_as_fast(figure, ours, theirs):
    """The median over the rounds of the ratio within a round: what slows both down, slows neither."""
    return statistics.median((t / o) if figure in SMALLER_IS_BETTER else (o / t) for o, t in zip(ours, theirs))


def judge(model, figure, values):
    """[(peer, ratio, target or None, passed or None)], the best peer of a target without a name first."""
    ratios = {p: times_as_fast(figure, values[OURS], v) for p, v in values.items() if p != OURS}
    rows = {p: [p, r, None, None] for p, r in ratios.items()}
    for peer, target in TARGETS.get((model, figure), []):
        named = [p for p in ratios if peer is None or p.startswith(peer)]
        if named:
            worst = min(named, key=ratios.get)
            rows[worst][2:] = [target, ratios[worst] >= target]
    return list(rows.values())


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def spread(values):
    return f"{number(statistics.median(values))} ({number(min(values))} to {number(max(values))})"


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("bench_models")
    p.add_argument("--models", required=True)
    p.add_argument("--python", required=True)
    p.add_argument("--source", help="the GGUF that SmolLM2's starter model comes from")
    p.add_argument("--gguf", default=".dev/gguf")
    p.add_argument("--programs", default=".dev/programs", help="where make_programs.py writes")
    p.add_argument("--exports")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--realtime", action="store_true", help="chrt -r 5, for a machine that is busy (not where a model is opened)")
    p.add_argument("--only", help="models whose name contains this")
    p.add_argument("--json")
    o = p.parse_args()
    threads, report = physical_cores(), []
    print(f"{threads} threads each, {o.rounds} rounds, medians (least to most); ratios within a round, medians\n")
    print("| model | figure | Pteris | peer | its figure | times as fast | target | |\n|---|---|---|---|---|---|---|---|")
    for model in FIGURES:
        results = measure(o, model, threads) if not o.only or o.only in model else None
        for figure, values in (results or {}).items():
            for peer, ratio, target, passed in judge(model, figure, values):
                verdict = "" if passed is None else "pass" if passed else "FAIL"
                print(f"| {model} | {FIGURES[model][figure]} | {spread(values[OURS])} | {peer} | {spread(values[peer])} | "
                      f"{ratio:.2f} | {'' if target is None else target} | {verdict} |")
                report.append(dict(model=model, figure=figure, peer=peer, ours=values[OURS], theirs=values[peer],
                                   times_as_fast=ratio, target=target, passed=passed))
    if o.json:
        with open(o.json, "w") as f:
            json.dump({"threads": threads, "rounds": o.rounds, "rows": report}, f, indent=1)


if __name__ == "__main__":
    main()
