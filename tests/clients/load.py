#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""load.py PTERIS SOURCE [--clients N] [--seconds S] [--threads N] [--library DIR --model NAME]: load on pteris serve.

Clients ask one question after the other for some time. Nothing may be lost, each client gets its share within 20 %, and
memory does not grow. With a model of DIR whose context suffices, it is also measured how much sooner a prompt is
answered whose first 1,500 tokens were read before. Without, a small model of the tests answers.
"""

import argparse
import http.client
import json
import os
import statistics
import sys
import threading
import time
from urllib.parse import urlparse

from serving import Serving, Tap

SHARE = 0.2
# Allocators keep some of what was freed.
GROWTH, SLACK = 1.05, 8e6


class Client:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(urlparse(address).netloc, timeout=1800)

    def ask(self, model, text, tokens, agent="load"):
        """(seconds to the first text, seconds to the last one, usage)"""
        body = {"model": model, "messages": [{"role": "user", "content": text}], "max_tokens": tokens, "stream": True,
                "temperature": 0, "stream_options": {"include_usage": True}}
        begin, first, last, usage, reason = time.monotonic(), None, None, None, None
        self.connection.request("POST", "/v1/chat/completions", json.dumps(body), {"User-Agent": agent})
        response = self.connection.getresponse()
        if response.status != 200:
            raise RuntimeError(response.read())
        for line in response:
            if line.startswith(b"data: {"):
                part = json.loads(line[6:])
                if part["choices"] and part["choices"][0]["delta"].get("content"):
                    last = time.monotonic() - begin
                    first = first or last
                usage = part.get("usage") or usage
                reason = part["choices"] and part["choices"][0]["finish_reason"] or reason
        if usage is None or reason is None:
            raise RuntimeError("the answer has no end")
        return first, last, usage


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_reuse(tap, address, model, rounds):
    client, ratios, kept, prompt = Client(address), [], 0, 0
    for i in range(rounds):
        # About 1,500 tokens that differ from those of earlier rounds from the first word on.
        text = " ".join(f"{i}{j % 10} fern" for j in range(370))
        cold, _, _ = client.ask(model, text + " One?", 4)
        warm, _, usage = client.ask(model, text + " Two?", 4)
        prompt, kept = usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]
        ratios.append(cold / warm)
        print(f"# {prompt} tokens, {kept} kept: {cold:.3f} s, then {warm:.3f} s: {ratios[-1]:.1f} times")
    print(f"# a prompt that was read before is answered {statistics.median(ratios):.1f} times sooner (median)")
    tap.check("all but the end of a prompt is not read again", kept > 0.95 * prompt, f"{kept} of {prompt}")


def put_load(tap, serving, model, clients, seconds):
    done, lost, stop = [0] * clients, [], time.monotonic() + seconds
    pid, early = serving.process.pid, 0

    def work(i):
        client = Client(serving.address)
        while time.monotonic() < stop:
            try:
                client.ask(model, f"Client {i} asks: how tall is a fern?", 16, f"client-{i}")
                done[i] += 1
            except Exception as error:  # Everything that a client can meet counts.
                lost.append(error)
                client = Client(serving.address)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(clients)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    time.sleep(seconds / 5)
    early = resident(pid)
    for thread in threads:
        thread.join()
    late, mean = resident(pid), statistics.mean(done)
    low, high = min(done) / mean - 1, max(done) / mean - 1
    print(f"# {clients} clients, {time.monotonic() - begin:.0f} s: {sum(done)} answers, {len(lost)} lost; of each client "
          f"{min(done)} to {max(done)}, {low:+.1%} to {high:+.1%} of the mean")
    print(f"# memory after a fifth of the time {early / 1e6:.0f} MB, at the end {late / 1e6:.0f} MB")
    tap.check("no answer is lost", not lost, lost[:3])
    # Few answers cannot be divided evenly.
    tap.check("each client has its share", max(-low, high) <= SHARE + 1.5 / mean, done)
    tap.check("memory does not grow", late <= early * GROWTH + SLACK, f"{early}, then {late}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pteris")
    parser.add_argument("source")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--library")
    parser.add_argument("--model", default="smollm2-135m-instruct")
    args = parser.parse_args()
    tap = Tap()
    with Serving(args.pteris, args.source, "--threads", str(args.threads), library=args.library) as serving:
        if args.library:
            measure_reuse(tap, serving.address, args.model, 3)
        put_load(tap, serving, args.model, args.clients, args.seconds)
    tap.check("SIGTERM ends the server", serving.status == 0, serving.status)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
