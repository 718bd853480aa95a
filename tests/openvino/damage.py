#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""damage.py PTERIS FOLDER VERSION CASES: damaged copies of payloads, which OpenVINO reads in a process of its own.
Whatever becomes of that process: the command ends with a result or a reason, in time, and the next one works. In
TAP."""

import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import wheel

CASES = ["linear", "conv_int8", "mixed_types", "dynamic"]
COPIES = 40


def damages(program, delegate, seed):
    """Copies of the program with one thing wrong in its payload, and what it is."""
    numbers = random.Random(seed)
    begin, size = delegate["offset"], delegate["size"]
    for k in range(COPIES):
        copy = bytearray(program)
        at = begin + (numbers.randrange(48) if k % 4 == 0 else numbers.randrange(size))
        if k % 4 == 1:
            end = min(at + numbers.randrange(1, 64), begin + size)
            copy[at:end] = bytes(end - at)
            what = f"zeros at {at - begin}"
        elif k % 4 == 2:
            copy[at : begin + size] = copy[at + 1 : begin + size] + b"\xff"
            what = f"byte {at - begin} missing"
        else:
            copy[at] ^= 1 << numbers.randrange(8)
            what = f"a bit at {at - begin}"
        yield bytes(copy), what


def run(pteris, path, environment):
    try:
        return subprocess.run([pteris, "run", "--trust", "--steps", path], capture_output=True, text=True,
                              env=environment, timeout=60)  # fmt: skip
    except subprocess.TimeoutExpired:
        return None


def main():
    pteris, folder, version, cases = sys.argv[1:5]
    library = wheel.install(folder, version)
    tap = wheel.Tap()
    ends = collections.Counter()
    with tempfile.TemporaryDirectory() as copies:
        environment = {**os.environ, "PTERIS_OPENVINO": library, "XDG_DATA_HOME": os.path.join(copies, "data")}
        for name in CASES:
            # A confined process reads the case's own folder only.
            case = os.path.join(copies, name)
            shutil.copytree(os.path.join(cases, name), case, copy_function=shutil.copyfile)
            os.chmod(case, 0o755)
            path, model = os.path.join(case, "case.json"), os.path.join(case, "model.pte")
            with open(path) as file:
                delegate = json.load(file)["delegates"][0]
            with open(model, "rb") as file:
                good = file.read()
            bad = []
            for program, what in damages(good, delegate, name):
                with open(model, "wb") as file:
                    file.write(program)
                done = run(pteris, path, environment)
                if done is None or done.returncode not in (0, 1) or not done.stderr + done.stdout:
                    bad.append(what)
                crashed = done is not None and "crashed" in done.stderr
                differs = done is not None and " different" in done.stdout
                ends["crashed" if crashed else "ran" if differs or done.returncode == 0 else "refused"] += 1
                if crashed:
                    print(f"# {name}, {what}: {done.stderr.strip()[:200]}")
            tap.check(not bad, f"{COPIES} damaged copies of {name} {bad}")
            with open(model, "wb") as file:
                file.write(good)
            done = run(pteris, path, environment)
            tap.check(done is not None and done.returncode == 0, f"{name} itself still works")
    print(f"# {dict(ends)}")
    tap.end()


main()
