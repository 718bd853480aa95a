# SPDX-License-Identifier: BSD-3-Clause
"""OpenVINO from PyPI, installed as Pteris advises, and tests in TAP."""

import os
import subprocess
import sys


def install(folder, version):
    """The folder with OpenVINO of that version; installed below `folder` if it is not there yet."""
    target = os.path.join(folder, f"openvino-{version}")
    if not os.path.isdir(os.path.join(target, "openvino", "libs")):
        run = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target,
                              f"openvino=={version}"], capture_output=True, text=True)  # fmt: skip
        if run.returncode != 0:
            print(f"1..0 # SKIP OpenVINO {version} cannot be installed: {run.stderr.strip()[-300:]}".replace("\n", " "))
            sys.exit(0)
    return target


class Tap:
    def __init__(self):
        self.n = self.failed = 0

    def check(self, good, name):
        self.n += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} - {name}".replace("\n", " "), flush=True)

    def end(self):
        print(f"1..{self.n}")
        sys.exit(self.failed > 0)
