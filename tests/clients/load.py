#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""load.py ADDRESS MODEL [--clients N] [--seconds S] [--pid P]: load on pteris serve. By hand, not a test.

Measures how much sooner a prompt is answered whose beginning was read before, then has clients ask one question after
the other for some time: what is lost, the share of each client, the memory of process P at the begin and the end.
"""

import argparse
import http.client
import json
import statistics
import sys
import threading
import time
from urllib.parse import urlparse


class Client:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(urlparse(address).netloc, timeout=1800)

    def ask(self, model, text, tokens, agent="load"):
        """(seconds to the first part, seconds in all, usage)"""
        body = {"model": model, "messages": [{"role": "user", "content": text}], "max_tokens": tokens, "stream": True,
                "temperature": 0, "stream_options": {"include_usage": True}}
        begin, first, usage = time.monotonic(), None, None
        self.connection.request("POST", "/v1/chat/completions", json.dumps(body), {"User-Agent": agent})
        response = self.connection.getresponse()
        if response.status != 200:
            raise RuntimeError(response.read())
        for line in response:
            if line.startswith(b"data: {"):
                part = json.loads(line[6:])
                if first is None and part["choices"] and part["choices"][0]["delta"].get("content"):
                    first = time.monotonic() - begin
                usage = part.get("usage") or usage
        return first, time.monotonic() - begin, usage


def resident(pid):
    if not pid:
        return 0
    with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * 4096


def measure_reuse(address, model, rounds):
    client, ratios = Client(address), []
    for i in range(rounds):
        # About 1500 tokens that differ from those of earlier rounds from the first word on.
        text = " ".join(f"{i}{j % 10} fern" for j in range(500))
        cold, _, _ = client.ask(model, text + " One?", 4)
        warm, _, usage = client.ask(model, text + " Two?", 4)
        kept = usage["prompt_tokens_details"]["cached_tokens"]
        ratios.append(cold / warm)
        print(f"{usage['prompt_tokens']} tokens, {kept} kept: {cold:.3f} s, then {warm:.3f} s: {ratios[-1]:.1f} times")
    print(f"a prompt that was read before is answered {statistics.median(ratios):.1f} times sooner (median)")


def put_load(args):
    done, lost, stop = [0] * args.clients, [], time.monotonic() + args.seconds

    def work(i):
        client = Client(args.address)
        while time.monotonic() < stop:
            try:
                client.ask(args.model, f"Client {i} asks: how tall is a fern?", 16, f"client-{i}")
                done[i] += 1
            except Exception as error:  # Everything that a client can meet counts.
                lost.append(error)
                client = Client(args.address)

    before = resident(args.pid)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(args.clients)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    time.sleep(args.seconds / 10)
    early = resident(args.pid)
    for thread in threads:
        thread.join()
    took = time.monotonic() - begin
    mean = statistics.mean(done)
    print(f"{args.clients} clients, {took:.0f} s: {sum(done)} answers, {len(lost)} lost, "
          f"{sum(done) * 16 / took:.1f} tokens/s; of each client {min(done)} to {max(done)}, "
          f"{min(done) / mean - 1:+.0%} to {max(done) / mean - 1:+.0%} of the mean")
    print(f"memory {before / 1e6:.0f} MB, after a tenth of the time {early / 1e6:.0f}, at the end {resident(args.pid) / 1e6:.0f}")
    return 1 if lost else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("model")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--pid", type=int)
    args = parser.parse_args()
    measure_reuse(args.address, args.model, 3)
    return put_load(args)


if __name__ == "__main__":
    sys.exit(main())
