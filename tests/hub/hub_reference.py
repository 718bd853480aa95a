#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""hub_reference.py PTERIS FOLDER: the Python library huggingface_hub gets the same files from the same hub. Where it is not
installed, it is installed into a virtual environment in FOLDER, from PyPI; skipped where that fails. In TAP."""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hub_case  # noqa: E402
import server  # noqa: E402


def install(folder):
    """Its Python with the library; or None and the reason."""
    python = os.path.join(folder, "bin", "python")
    has_it = [python, "-c", "import huggingface_hub"]
    if os.path.exists(python) and subprocess.run(has_it, capture_output=True).returncode == 0:
        return python, None
    for command in ([sys.executable, "-m", "venv", "--clear", folder],
                    [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "20",
                     "--retries", "1", "huggingface_hub"], has_it):
        try:
            result = subprocess.run(command, capture_output=True, timeout=240)
        except (OSError, subprocess.TimeoutExpired) as problem:
            return None, str(problem).splitlines()[0]
        if result.returncode != 0:
            return None, (result.stderr.decode(errors="replace").strip().splitlines() or ["no reason"])[-1][:200]
    return python, None


def main():
    if importlib.util.find_spec("huggingface_hub") is None and len(sys.argv) > 2:
        python, reason = install(sys.argv[2])
        if python is None:
            print(f"1..0 # SKIP huggingface_hub cannot be installed: {reason}")
            return 0
        os.execv(python, [python, os.path.abspath(__file__), sys.argv[1]])
    hub = server.Hub()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HF_ENDPOINT=hub.address, HF_HOME=folder, HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1")
        os.environ.pop("HF_TOKEN", None)
        try:
            import huggingface_hub
        except ImportError:
            print("1..0 # SKIP huggingface_hub is not installed")
            return 0
        case = hub_case.Case(sys.argv[1], hub)
        print("1..3", flush=True)
        case.run("get", hub_case.ID)
        found = hub_case.tree_of(case.folder)
        there = huggingface_hub.snapshot_download(hub_case.ID, allow_patterns=list(found))
        same = hub_case.tree_of(there) == found
        print(f"{'ok' if same else 'not ok'} 1 files")
        info = huggingface_hub.HfApi().model_info(hub_case.ID)
        print(f"{'ok' if info.sha == case.repo.commit else 'not ok'} 2 commit")
        listed = {entry.path: entry for entry in huggingface_hub.HfApi().list_repo_tree(hub_case.ID, recursive=True)
                  if hasattr(entry, "blob_id")}
        right = all((entry.lfs.sha256 if entry.lfs else None) in (None, hashlib.sha256(case.repo.files[path]).hexdigest())
                    for path, entry in listed.items())
        print(f"{'ok' if right and set(listed) == set(case.repo.files) else 'not ok'} 3 list")
    hub.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
