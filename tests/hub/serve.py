#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""serve.py FOLDER: the hub of server.py as a process, for the tests of the window. It has one repository of the catalogue,
SmolLM2, whose program and tokenizer are those in FOLDER. The first line of output is its address. Each line of input is a
command, and is answered by a line of JSON:

    hold    files of more than one piece stop after the first one
    go      they go on
    ask     nothing

The answer has the number of answers with large files, and the offsets of those that began in the middle."""

import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import server  # noqa: E402

ID = "software-mansion/react-native-executorch-smolLm-2"
REVISION = "v0.9.0"
PROGRAM = "135m/xnnpack/smollm2_135m_xnnpack_8da4w.pte"


def contents(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def state(hub):
    asked = [headers.get("Range") for where, _, _, headers in hub.log if where == "cdn"]
    offsets = [int(re.match(r"bytes=(\d+)-$", text)[1]) for text in asked if text]
    return {"answers": len(asked), "offsets": offsets}


def main():
    folder = sys.argv[1]
    hub = server.Hub()
    hub.page = 100
    hub.piece = 16 << 10
    repo = server.Repo({"README.md": b"---\nlicense: apache-2.0\n---\n", PROGRAM: contents(folder, "model.pte"),
                        "tokenizer.json": contents(folder, "tokenizer.json")})
    repo.names.add(REVISION)
    hub.repos[ID] = repo
    print(hub.address, flush=True)
    for line in sys.stdin:
        if line.strip() == "hold":
            hub.open.clear()
        elif line.strip() == "go":
            hub.open.set()
        print(json.dumps(state(hub)), flush=True)
    hub.stop()


main()
