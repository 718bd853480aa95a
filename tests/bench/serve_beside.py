#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pteris' server beside llama.cpp's on the same weights, or beside `pteris bench`: turn by turn, medians.

Usage: serve_beside.py PTERIS --models DIR [--llama LLAMA_SERVER --gguf FILE --clients N] [--rounds N] [--seconds S] [--threads N] [--json FILE]

DIR is a library with smollm2-135m-instruct; FILE has the same weights as Q8_0 (make_gguf.py). Each server runs by itself, without requests for the other
meanwhile. Clients ask questions that begin differently, and want 32 tokens each; a round has S seconds for each server. Without --llama, the tokens/s of
long answers through the server are set beside those of `pteris bench`.
"""
import argparse
import atexit
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../clients"))
sys.dont_write_bytecode = True
from load import Client  # noqa: E402

MODEL = "smollm2-135m-instruct"
TOKENS = 32
# So many tokens of an answer are measured, as many as `pteris bench` makes.
LONG, PROMPT = 64, 128


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    def __init__(self, command, port, environment=None):
        self.address = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.end)
        for _ in range(600):
            try:
                urllib.request.urlopen(self.address + "/v1/models", timeout=5).read()
                break
            except OSError:
                time.sleep(0.1)
        Client(self.address).ask(MODEL, "Hello", 2)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        if self.process.poll() is None:
            self.resume()
            self.process.terminate()
            self.process.wait(60)


def start_ours(args):
    port = free_port()
    return Server([args.pteris, "serve", "--quiet", "--port", str(port), "--threads", str(args.threads)], port,
                  dict(os.environ, PTERIS_MODELS=args.models))


def start_theirs(args):
    port = free_port()
    return Server([args.llama, "-m", args.gguf, "--port", str(port), "-t", str(args.threads), "-np", str(max(args.clients, 1)), "-c", str(2048 * max(args.clients, 1)),
                   "--no-webui"], port)


def put_load(address, clients, seconds, offset):
    """Requests/s, tokens/s and the median of the times to the first token."""
    firsts, tokens, ends, stop = [], [], [], time.monotonic() + seconds
    begin = time.monotonic()

    def work(i):
        client, n = Client(address), 0
        while time.monotonic() < stop:
            question = f"{offset + n} {i}: tell me a long story about a fern and a moss."
            try:
                first, _, usage = client.ask(MODEL, question, TOKENS, f"client-{i}")
            except http.client.RemoteDisconnected:
                # llama.cpp's server closes connections now and then.
                client = Client(address)
                continue
            firsts.append(first)
            tokens.append(usage["completion_tokens"])
            ends.append(time.monotonic())
            n += 1

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = max(ends) - begin
    return {"requests_per_s": len(ends) / took, "tokens_per_s": sum(tokens) / took, "first_token_s": statistics.median(firsts)}


def beside_llama(args):
    servers = {"Pteris": start_ours(args), "llama.cpp": start_theirs(args)}
    rows = {name: [] for name in servers}
    for server in servers.values():
        server.pause()
    for i in range(args.rounds):
        for name, server in servers.items():
            server.resume()
            rows[name].append(put_load(server.address, args.clients, args.seconds, 1000 * (i + 1)))
            server.pause()
    for server in servers.values():
        server.end()
    medians = {name: {figure: statistics.median(row[figure] for row in list_) for figure in list_[0]} for name, list_ in rows.items()}
    for figure in medians["Pteris"]:
        ours, theirs = medians["Pteris"][figure], medians["llama.cpp"][figure]
        print(f"{args.clients} clients, {figure}: Pteris {ours:.3f}, llama.cpp {theirs:.3f}, ratio {ours / theirs:.2f}")
    return {"clients": args.clients, "rounds": rows, "medians": medians}


def served_speed(address, offset):
    """Tokens/s from the first token of a long answer to its last, and the tokens of the prompt."""
    words = " ".join(f"fern {(offset + j) % 10}" for j in range(PROMPT // 4 - 12))
    first, last, usage = Client(address).ask(MODEL, f"{offset}: {words} Tell me a long story about a fern and a moss.", LONG)
    return (usage["completion_tokens"] - 1) / (last - first), usage


def bench_speed(args):
    """Tokens/s of decode by `pteris bench`: the median of its runs."""
    command = [args.pteris, "bench", os.path.join(args.models, MODEL), "--json", "--repeat", "2", "--threads", str(args.threads), "--prompt-tokens", str(PROMPT),
               "--new-tokens", str(LONG)]
    done = subprocess.run(command, check=True, capture_output=True)
    return json.loads(done.stdout)["decode_tokens_per_s"]


def beside_bench(args):
    server, rows = start_ours(args), {"served": [], "bench": []}
    for i in range(args.rounds):
        # In turn, and as close together as can be: machines are not equally fast all the time.
        before, _ = served_speed(server.address, 10 * i)
        server.pause()
        rows["bench"].append(bench_speed(args))
        server.resume()
        after, usage = served_speed(server.address, 10 * i + 1)
        rows["served"].append((before + after) / 2)
    server.end()
    ratios = [served / bench for served, bench in zip(rows["served"], rows["bench"])]
    print(f"{usage['prompt_tokens']} tokens of prompt, {usage['completion_tokens']} of the answer; tokens/s through the server "
          f"{statistics.median(rows['served']):.1f}, of pteris bench {statistics.median(rows['bench']):.1f}; ratio {statistics.median(ratios):.3f} "
          f"(quarters {', '.join(f'{x:.3f}' for x in statistics.quantiles(ratios))}); "
          f"ratio of the upper quarters {statistics.quantiles(rows['served'])[2] / statistics.quantiles(rows['bench'])[2]:.3f}")
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pteris")
    parser.add_argument("--models", required=True)
    parser.add_argument("--llama")
    parser.add_argument("--gguf")
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json")
    args = parser.parse_args()
    result = beside_llama(args) if args.llama else beside_bench(args)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
