"""llama.cpp (by way of llama-cpp-python) on a GGUF file: the calls of upstream.py's `chat`. Prints one JSON object.

Usage: peer_llama.py MODEL_GGUF [--prompt-tokens N] [--new-tokens N] [--threads N]
"""
import argparse
import ctypes
import json
import os
import statistics
import time

import llama_cpp


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("model")
    p.add_argument("--prompt-tokens", type=int, default=512)
    p.add_argument("--new-tokens", type=int, default=256)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    o = p.parse_args()
    quiet = llama_cpp.llama_log_callback(lambda level, text, data: None)
    llama_cpp.llama_log_set(quiet, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()

    begin = time.perf_counter()
    model = llama_cpp.llama_model_load_from_file(o.model.encode(), llama_cpp.llama_model_default_params())
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = o.prompt_tokens + o.new_tokens + 64
    params.n_batch = params.n_ubatch = max(o.prompt_tokens, 32)
    params.n_threads = params.n_threads_batch = o.threads
    context = llama_cpp.llama_init_from_model(model, params)
    memory = llama_cpp.llama_get_memory(context)
    load = time.perf_counter() - begin

    def forward(ids):
        tokens = (llama_cpp.llama_token * len(ids))(*ids)
        begin = time.perf_counter()
        if llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(tokens, len(ids))) != 0:
            raise SystemExit("llama_decode() failed")
        llama_cpp.llama_get_logits(context)  # waits for them
        return time.perf_counter() - begin

    first = forward([1000])
    ids = [i % 1000 + 1000 for i in range(o.prompt_tokens)]
    for _ in range(2):
        llama_cpp.llama_memory_clear(memory, True)
        prefill = forward(ids)
    decodes = [forward(ids[:1]) for _ in range(o.new_tokens)]
    print(json.dumps({"load_s": load, "first_step_s": load + first, "prefill_last_row_tokens_per_s": o.prompt_tokens / prefill,
                      "decode_tokens_per_s": 1 / statistics.median(decodes),
                      "system": llama_cpp.llama_print_system_info().decode().strip()}))


if __name__ == "__main__":
    main()
