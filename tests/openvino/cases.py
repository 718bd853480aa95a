#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cases.py PTERIS FOLDER VERSION CASES: each case of CASES, and of the folder PTERIS_OPENVINO_CASES if it is set, with
OpenVINO VERSION of PyPI, which is installed below FOLDER: at the tolerance of the precision that OpenVINO chooses, and
at that of float32. Cases for another version must be refused with a reason. In TAP."""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import wheel

# These versions take all programs of 2025.4.1; of others, some are refused (docs/formats/openvino.md, section 5).
TAKES_ALL = ("2025.4.0", "2025.4.1", "2026.0.0")


def run(pteris, case, environment):
    return subprocess.run([pteris, "run", "--trust", "--json", "--steps", os.path.join(case, "case.json")],
                          capture_output=True, text=True, env=environment, timeout=120)  # fmt: skip


def with_tolerance(case, description, folder):
    """A copy of the case that is compared as float32."""
    copy = os.path.join(folder, os.path.basename(case))
    shutil.copytree(case, copy, copy_function=shutil.copyfile)
    os.chmod(copy, 0o755)
    with open(os.path.join(copy, "case.json"), "w") as file:
        json.dump({**description, "tolerance": description["tolerance_f32"]}, file)
    return copy


def worst(text):
    steps = json.loads(text)["steps"] if text.strip() else []
    return max((o["max_abs_diff"] for s in steps for o in s["outputs"] if o["max_abs_diff"] is not None), default=0)


def check(tap, pteris, case, version, environment, folder):
    with open(os.path.join(case, "case.json")) as file:
        description = json.load(file)
    name = os.path.basename(case)
    made_with = description["openvino_build"].split("-")[0]
    done = run(pteris, case, environment)
    if done.returncode != 0 and (description.get("requires") or version not in TAKES_ALL):
        refused = done.returncode == 1 and "OpenVINO" in done.stderr and "Traceback" not in done.stderr
        tap.check(refused and made_with != version, f"{name} of {made_with} is refused: {done.stderr.strip()[:400]}")
        return
    reason = done.stderr.strip() if done.returncode != 0 else f"{worst(done.stdout):.1e} apart"
    tap.check(done.returncode == 0, f"{name}, {reason}")
    done = run(pteris, with_tolerance(case, description, folder), environment)
    reason = done.stderr.strip() if done.returncode != 0 else f"{worst(done.stdout):.1e} apart"
    tap.check(done.returncode == 0, f"{name} in float32, {reason}")


def main():
    pteris, folder, version, cases = sys.argv[1:5]
    library = wheel.install(folder, version)
    folders = [cases] + [f for f in [os.environ.get("PTERIS_OPENVINO_CASES")] if f]
    tap = wheel.Tap()
    with tempfile.TemporaryDirectory() as copies:
        environment = {**os.environ, "PTERIS_OPENVINO": library, "XDG_DATA_HOME": os.path.join(copies, "data")}
        for number, folder in enumerate(folders):
            for path in sorted(glob.glob(os.path.join(folder, "*", "case.json"))):
                check(tap, pteris, os.path.dirname(path), version, environment, os.path.join(copies, str(number)))
    tap.end()


main()
