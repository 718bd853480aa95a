#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""examples.py PTERIS SOURCE: runs the examples of docs/server.md, those in Python where their packages are."""

import importlib.util
import os
import re
import subprocess
import sys

from serving import Serving, Tap

ADDRESS = "http://127.0.0.1:11435"


def blocks_of(text):
    """Indented blocks; empty lines within them belong to them where Python goes on."""
    found, block = [], []
    for line in text.splitlines() + ["end"]:
        if line.startswith("    "):
            block.append(line[4:])
        elif not line and block and block[0].startswith("from "):
            block.append("")
        elif block:
            found.append("\n".join(block).strip())
            block = []
    return found


def main():
    pteris, source = sys.argv[1:3]
    text = open(os.path.join(source, "docs/server.md"), encoding="utf-8").read()
    tap = Tap()
    with Serving(pteris, source) as serving:
        for block in blocks_of(text):
            first = block.splitlines()[0]
            command = block.replace(ADDRESS, serving.address)
            if first.startswith("curl "):
                # An error of the server is one of the example.
                done = subprocess.run(["sh", "-ec", re.sub(r"^curl ", "curl -sS --fail-with-body ", command)], cwd=source,
                                      capture_output=True, timeout=100)
            elif first.startswith("from ") and importlib.util.find_spec(first.split()[1]):
                done = subprocess.run([sys.executable, "-c", command], cwd=source, capture_output=True, timeout=100)
            elif first.startswith("from "):
                tap.check(f"{first} # SKIP its package is not installed", True)
                continue
            else:
                continue
            tap.check(first.replace("#", ""), done.returncode == 0 and done.stdout.strip(), done.stdout + done.stderr)
    tap.check("SIGTERM ends the server", serving.status == 0, serving.status)
    tap.check("there are examples", tap.n > 6)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
