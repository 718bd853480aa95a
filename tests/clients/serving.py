# SPDX-License-Identifier: BSD-3-Clause
"""pteris serve with small models, for tests."""

import json
import os
import shutil
import subprocess
import tempfile

# The names of the starter models, and small models of the same kinds.
LOOK_ALIKES = {
    "smollm2-135m-instruct": "chat/qwen3_xnnpack_8da4w",
    "whisper-base": "whisper-mini",
    "all-minilm-l6-v2": "embed/text-embedding",
}


class Serving:
    """A server with the library of models in the folder library, or one of its own, from with to the end of the block."""

    def __init__(self, pteris, source, *options, library=None):
        self.command = [pteris, "serve", "--json", "--quiet", *options]
        self.source = source
        self.library = library
        self.own = None

    def __enter__(self):
        if self.library is None:
            self.library = self.own = tempfile.mkdtemp(prefix="pteris-clients-")
            for name, path in LOOK_ALIKES.items():
                shutil.copytree(os.path.join(self.source, "tests/data", path), os.path.join(self.own, name))
        environment = dict(os.environ, PTERIS_MODELS=self.library, LC_ALL="C.UTF-8")
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, env=environment)
        self.address = json.loads(self.process.stdout.readline())["address"]
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.status = self.process.wait(60)
        self.process.stdout.close()
        if self.own is not None:
            shutil.rmtree(self.own)


class Tap:
    """Results of tests on stdout."""

    def __init__(self):
        self.n = self.failed = 0

    def check(self, name, good, why=""):
        self.n += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} {name}")
        if not good:
            print("".join(f"# {line}\n" for line in str(why).splitlines()), end="")

    def end(self):
        print(f"1..{self.n}")
        return 1 if self.failed else 0
