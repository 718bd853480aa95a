#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kill.py PTERIS LIBRARY: pteris get is killed at every change of the disk that it makes, with the help of kill-at.c,
then goes on. After the kill the library has nothing or all of a model, at the end the same files. In TAP."""

import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hub_case  # noqa: E402
import server  # noqa: E402

# Of both cases.
POINTS = 120


def preloaded(library, **more):
    return dict(more, LD_PRELOAD=library, G_SLICE="always-malloc")


def is_whole(found, wanted):
    return all(found.get(path) == digest for path, digest in wanted.items())


def check_library(case, before, wanted):
    """Programs are seen with all that they need; what was there is there."""
    found = hub_case.tree_of(case.folder) if os.path.exists(case.folder) else {}
    for path, digest in before.items():
        assert found.get(path) == digest, ("lost", path)
    for path, digest in found.items():
        if path == ".pteris-hub.json.new":
            continue  # the next time writes it again
        assert wanted.get(path, before.get(path)) == digest, ("half written", path)
    if any(path.endswith(".pte") and path not in before for path in found):
        assert is_whole(found, wanted), sorted(found)
    shown = [name for name in os.listdir(case.models) if not name.startswith(".")] if os.path.exists(case.models) else []
    assert shown in ([], [hub_case.NAME]), shown


def small_case(pteris, hub):
    """Files of a few pieces each, so that the changes are of all kinds."""
    case = hub_case.Case(pteris, hub)
    for path, data in list(case.repo.files.items()):
        if path.endswith(".pte"):
            case.repo.files[path] = data[:100000]
    case.repo.change()
    hub.page = 1000
    return case


def kill_at(case, what, library, count, point):
    """Whether it was killed at its change number @point. The pieces in which a file arrives decide how many changes there
    are, so that the last points of another run may lie behind the end of this one."""
    if os.path.exists(count):
        os.unlink(count)
    try:
        case.run("get", what, status=-signal.SIGKILL, environment=preloaded(library, KILL_AT=str(point), KILL_COUNT=count))
    except AssertionError:
        with open(count, encoding="utf-8") as file:
            if int(file.read()) >= point:
                raise
        return False
    return True


def kill_everywhere(pteris, library, hub, second):
    """How often it was killed. @second: another variant comes to one that is there."""
    case = small_case(pteris, hub)
    before, wanted, what = {}, case.small(), hub_case.ID
    if second:
        wanted = {path: digest for path, digest in wanted.items() if not path.endswith("8da4w.pte")}
        wanted.update(case.expected("0_6b/xnnpack/qwen_3_0_6b_xnnpack_bf16.pte"))
        what = hub_case.ID + ":0_6b-bf16"

    def begin():
        subprocess.run(["rm", "-rf", case.models], check=True)
        if second:
            case.run("get", hub_case.ID)

    if second:
        case.run("get", hub_case.ID)
        before = hub_case.tree_of(case.folder)
    count = os.path.join(case.home, "count")
    case.run("get", what, environment=preloaded(library, KILL_COUNT=count))
    with open(count, encoding="utf-8") as file:
        changes = int(file.read())
    points = sorted({1 + round(i * (changes - 1) / (POINTS // 2 - 1)) for i in range(POINTS // 2)})
    killed = 0
    for point in points:
        begin()
        killed += kill_at(case, what, library, count, point)
        check_library(case, before, wanted)
        case.run("get", what)
        assert hub_case.tree_of(case.folder) == {**before, **wanted}, point
        left = [name for name in os.listdir(case.models) if name != hub_case.NAME]
        assert left == [], (point, left)
    assert killed >= len(points) * 3 // 4, (killed, len(points))
    subprocess.run(["rm", "-rf", case.home], check=True)
    return killed, changes


def main():
    pteris, library = sys.argv[1], os.path.abspath(sys.argv[2])
    hub = server.Hub()
    failed = False
    print("1..2", flush=True)
    for number, second in enumerate((False, True), 1):
        name = "second variant" if second else "new model"
        try:
            n, changes = kill_everywhere(pteris, library, hub, second)
            print(f"ok {number} {name}\n# killed at {n} of {changes} changes", flush=True)
        except Exception as problem:  # pylint: disable=broad-except
            failed = True
            import traceback
            text = "".join(traceback.format_exception(problem)).replace("\n", "\n# ")
            print(f"not ok {number} {name}\n# {text}", flush=True)
    hub.stop()
    return failed


if __name__ == "__main__":
    sys.exit(main())
