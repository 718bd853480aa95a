"""llama.cpp (by way of llama-cpp-python) on a GGUF file: the calls of upstream.py's `chat` and `open`, and bench-models' `deep`. Prints one JSON object.

Usage: peer_llama.py chat|open|deep MODEL_GGUF [--prompt-tokens N] [--new-tokens N] [--runs N] [--threads N]
"""
import argparse
import ctypes
import json
import os
import resource
import statistics
import time

import llama_cpp


class Model:
    def __init__(self, o):
        self.model = llama_cpp.llama_model_load_from_file(o.model.encode(), llama_cpp.llama_model_default_params())
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = o.prompt_tokens + o.new_tokens + 64
        params.n_batch = params.n_ubatch = min(max(o.prompt_tokens, 32), 512 if o.task == "deep" else 1 << 30)
        params.n_threads = params.n_threads_batch = o.threads
        self.context = llama_cpp.llama_init_from_model(self.model, params)

    def forward(self, ids):
        """Seconds that it takes."""
        tokens = (llama_cpp.llama_token * len(ids))(*ids)
        begin = time.perf_counter()
        if llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(tokens, len(ids))) != 0:
            raise SystemExit("llama_decode() failed")
        llama_cpp.llama_get_logits(self.context)  # waits for them
        return time.perf_counter() - begin

    def forget(self):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)

    def close(self):
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)


def open_model(o):
    seconds, faults = [], resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for run in range(o.runs + 1):
        begin = time.perf_counter()
        model = Model(o)
        model.forward([1000])
        seconds.append(time.perf_counter() - begin)
        if run == 0:
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
        model.close()
    return {"first_step_s": seconds[0], "first_step_again_s": statistics.median(seconds[1:]), "page_faults": faults}


def chat(o):
    begin = time.perf_counter()
    model = Model(o)
    load = time.perf_counter() - begin
    model.forward([1000])
    ids = [i % 1000 + 1000 for i in range(o.prompt_tokens)]
    for _ in range(2):
        model.forget()
        prefill = model.forward(ids)
    decodes = [model.forward(ids[:1]) for _ in range(o.new_tokens)]
    return {"load_s": load, "prefill_last_row_tokens_per_s": o.prompt_tokens / prefill,
            "decode_tokens_per_s": 1 / statistics.median(decodes), "system": llama_cpp.llama_print_system_info().decode().strip()}


def deep(o):
    model = Model(o)
    ids = [i + 1000 for i in range(512)]
    fill = sum(model.forward(ids[: min(512, o.prompt_tokens - at)]) for at in range(0, o.prompt_tokens, 512))
    decodes = [model.forward(ids[:1]) for _ in range(o.new_tokens)]
    return {"fill_tokens_per_s": o.prompt_tokens / fill, "decode_tokens_per_s": 1 / statistics.median(decodes)}


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("task", choices=("chat", "deep", "open"))
    p.add_argument("model")
    p.add_argument("--prompt-tokens", type=int, default=512)
    p.add_argument("--new-tokens", type=int, default=256)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    o = p.parse_args()
    quiet = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(quiet, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()
    print(json.dumps({"chat": chat, "deep": deep, "open": open_model}[o.task](o)))


if __name__ == "__main__":
    main()
