"""The peer of `pteris bench`: upstream's runtime on the same files. Prints one JSON object with the same names.

Usage: upstream.py chat|transcribe MODEL_DIR [--prompt-tokens N] [--new-tokens N] [--runs N]
       upstream.py open MODEL_DIR [--runs N]
       upstream.py program MODEL.pte --shape N,N,... [--runs N]
       (Python 3.11, executorch 1.2.0, torch 2.11)
"""
import argparse
import json
import os
import resource
import statistics
import time

import torch


def timed(call):
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def load(folder):
    from executorch.extension.pybindings.portable_lib import _load_for_executorch
    data = f"{folder}/model.ptd"
    return _load_for_executorch(f"{folder}/model.pte", *([data] if os.path.exists(data) else []))


def open_model(folder, o):
    """From opening to the end of a first step: the first time in this process, and again (median)."""
    step, seconds = (torch.tensor([[1000]]), torch.tensor([0])), []
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for run in range(o.runs + 1):
        seconds.append(timed(lambda: load(folder).run_method("forward", step))[0])
        if run == 0:
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
    return {"first_step_s": seconds[0], "first_step_again_s": statistics.median(seconds[1:]), "page_faults": faults}


def takes_first_position(module):
    """Some programs want the position of the first token only."""
    return list(module.method_meta("forward").input_tensor_meta(1).sizes()) == [1]


def chat(folder, o):
    """Load ends when the method is ready: upstream loads it in the first call, so a call of one token is taken off."""
    ids = torch.arange(o.prompt_tokens).reshape(1, -1) % 1000 + 1000
    loads, prefills, decodes = [], [], []
    for _ in range(o.runs):
        opened, module = timed(lambda: load(folder))
        first = timed(lambda: module.run_method("forward", (ids[:, :1], torch.tensor([0]))))[0]
        second = timed(lambda: module.run_method("forward", (ids[:, :1], torch.tensor([0]))))[0]
        loads.append(opened + first - second)
        positions = torch.arange(1 if takes_first_position(module) else o.prompt_tokens)
        module.run_method("forward", (ids, positions))
        prefills.append(timed(lambda: module.run_method("forward", (ids, positions)))[0])
        for i in range(o.new_tokens):
            step = (ids[:, :1], torch.tensor([o.prompt_tokens + i]))
            decodes.append(timed(lambda: module.run_method("forward", step))[0])
    prefill, decode = statistics.median(prefills), statistics.median(decodes)
    return {"load_s": statistics.median(loads), "prefill_tokens_per_s": o.prompt_tokens / prefill,
            "decode_tokens_per_s": 1 / decode}


def transcribe(folder, o):
    mel = torch.zeros(1, 80, 3000)
    ids = torch.tensor([[50258, 50259, 50359, 50363]])
    loads, encoders, decodes = [], [], []
    for _ in range(o.runs):
        module = load(folder)
        first, encoded = timed(lambda: module.run_method("encoder", (mel,))[0])
        seconds = [timed(lambda: module.run_method("encoder", (mel,)))[0] for _ in range(2)]
        encoders += seconds
        step = (ids[:, :1], encoded, torch.tensor([0]))
        first_decode = timed(lambda: module.run_method("text_decoder", step))[0]
        loads.append(first - min(seconds) + first_decode - timed(lambda: module.run_method("text_decoder", step))[0])
        for i in range(4):  # one by one: some decoders take no more
            module.run_method("text_decoder", (ids[:, i:i + 1], encoded, torch.tensor([i])))
        for i in range(o.new_tokens):
            step = (ids[:, :1], encoded, torch.tensor([4 + i]))
            decodes.append(timed(lambda: module.run_method("text_decoder", step))[0])
    return {"load_s": statistics.median(loads), "encoder_s": statistics.median(encoders),
            "decode_tokens_per_s": 1 / statistics.median(decodes)}


def program(path, o):
    """forward (of zeros), several calls at a time."""
    from executorch.extension.pybindings.portable_lib import _load_for_executorch
    module, calls = _load_for_executorch(path), 10
    args = (torch.zeros([int(n) for n in o.shape.split(",")]),)
    times = [timed(lambda: [module.run_method("forward", args) for _ in range(calls)])[0] for _ in range(o.runs + 3)]
    return {"run_s": statistics.median(times[3:]) / calls}


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("task", choices=("chat", "transcribe", "open", "program"))
    p.add_argument("folder")
    p.add_argument("--prompt-tokens", type=int, default=256)
    p.add_argument("--new-tokens", type=int, default=64)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--shape", help="of a program's input")
    p.add_argument("--threads", type=int, help="of upstream's pool; default: its own choice")
    o = p.parse_args()
    import executorch.extension.llm.custom_ops.custom_ops  # noqa: F401 (registers llama::*)
    import executorch.kernels.quantized  # noqa: F401
    if o.threads:
        from executorch.extension.pybindings import _portable_lib
        _portable_lib._unsafe_reset_threadpool(o.threads)
        torch.set_num_threads(o.threads)
    tasks = {"chat": chat, "transcribe": transcribe, "open": open_model, "program": program}
    print(json.dumps(tasks[o.task](o.folder, o)))


if __name__ == "__main__":
    main()
