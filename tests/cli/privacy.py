#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""privacy.py PTERIS CASE: `pteris privacy` with a small program in the form of the published filters finds what its case says."""

import json
import os
import subprocess
import sys


def run(pteris, *arguments, text=None):
    done = subprocess.run([pteris, "privacy", *arguments], input=text, capture_output=True, check=True)
    return done.stdout.decode()


def replaced(text, spans):
    whole, at = text.encode(), 0
    out = b""
    for span in spans:
        out += whole[at:span["start"]] + f"[{span['label']}]".encode()
        at = span["end"]
    return (out + whole[at:]).decode()


def problems(pteris, folder, expected):
    text, spans = expected["text"], expected["spans"]
    found = json.loads(run(pteris, folder, text, "--json"))["texts"][0]
    if [{key: span[key] for key in ("label", "start", "end")} for span in found["spans"]] != spans:
        yield f"--json: {found['spans']}"
    if found["tokens"] != expected["tokens"]:
        yield f"--json: {found['tokens']} tokens"
    if found["replaced"] != replaced(text, spans):
        yield f"--json: {found['replaced']}"
    plain = run(pteris, folder, text, "--replace")
    if plain != replaced(text, spans) + "\n":
        yield f"--replace: {plain}"
    # A text that is read stays as it is, with or without an end of its last line.
    if run(pteris, folder, "-", "--replace", text=text.encode()) + "\n" != plain:
        yield "other text from the standard input"
    if run(pteris, folder, "-", "--replace", text=(text + "\n").encode()) != run(pteris, folder, text + "\n", "--replace"):
        yield "other text of a line from the standard input"
    lines = run(pteris, folder, text).splitlines()
    if len(lines) != len(spans):
        yield f"{len(lines)} lines for {len(spans)} spans"


def main():
    pteris, folder = sys.argv[1:3]
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
        texts = [text for text in json.load(file)["privacy"] if text["text"]]
    failed = 0
    print(f"1..{len(texts)}")
    for number, expected in enumerate(texts, 1):
        found = list(problems(pteris, folder, expected))
        failed += bool(found)
        print(*(f"# {problem}" for problem in found), f"{'not ' if found else ''}ok {number} {expected['tokens']} tokens", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
