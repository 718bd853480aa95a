# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of this folder share: a hub with a repository, a library, and commands that use them."""

import hashlib
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import tempfile
import time

import server

PATIENCE_S = 3600
ID = "owner/qwen-3"
NAME = "owner--qwen-3"
# What runs programs for another system: Wine; empty: they run here.
RUNNER = shlex.split(os.environ.get("PTERIS_EXE_WRAPPER", ""))


def noise(size, seed):
    return random.Random(seed).randbytes(size)


def tree_of(folder):
    """Path to SHA-256 of all files below the folder but the one that Pteris keeps."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            if name != ".pteris-hub.json":
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder).replace(os.sep, "/")] = hashlib.sha256(file.read()).hexdigest()
    return found


def peak_of(process):
    """The most memory that it has had so far, in MB."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8") as file:
            found = re.search(r"VmHWM:\s*(\d+) kB", file.read())
    except OSError:
        return 0
    return int(found[1]) / 1024 if found else 0


class Secrets:
    """A bus with a secret store of its own; address is None where there is no dbus-daemon."""

    def __init__(self, program, *options):
        self.bus = self.store = self.address = None
        if shutil.which("dbus-daemon") is None:
            return
        self.bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL)
        self.address = self.bus.stdout.readline().decode().strip()
        self.store = subprocess.Popen([program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": self.address})
        assert self.store.stdout.readline() == b"ready\n"

    def stop(self):
        if self.bus is None:
            return
        self.store.stdin.close()
        self.store.wait()
        self.store.stdout.close()
        self.bus.terminate()
        self.bus.wait()
        self.bus.stdout.close()


class Case:
    client = None
    secrets = None

    def __init__(self, pteris, hub):
        self.pteris, self.hub = pteris, hub
        with open(pteris, "rb") as program:
            self.is_sanitized = b"__asan_init" in program.read()
        self.home = tempfile.mkdtemp(prefix="pteris-hub-")
        self.models = os.path.join(self.home, "models")
        hub.clear()
        hub.repos = {ID: server.Repo({
            "README.md": b"---\nlicense: apache-2.0\n---\n",
            ".gitattributes": b"*",
            "tokenizer.json": noise(60000, 1),
            "tokenizer_config.json": b'{"model_max_length": 1}',
            "0_6b/xnnpack/config.json": json.dumps({
                "$schema": "x", "model": "qwen_3", "backend": "xnnpack", "variants": [
                    {"file": "qwen_3_0_6b_xnnpack_8da4w.pte", "precision": "8da4w", "quantized": True, "default": True},
                    {"file": "qwen_3_0_6b_xnnpack_bf16.pte", "precision": "bf16"}]}).encode(),
            "0_6b/xnnpack/qwen_3_0_6b_xnnpack_8da4w.pte": noise(700000, 2),
            "0_6b/xnnpack/qwen_3_0_6b_xnnpack_bf16.pte": noise(900000, 3),
            "1_7b/xnnpack/qwen_3_1_7b_xnnpack_8da4w.pte": noise(1500000, 4),
            "0_6b/coreml/qwen_3_0_6b_coreml_fp16.pte": noise(5000, 5),
            "model.safetensors": noise(9000, 6)})}

    @property
    def repo(self):
        return self.hub.repos[ID]

    @property
    def folder(self):
        return os.path.join(self.models, NAME)

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items()
                if name not in ("HF_TOKEN", "HF_ENDPOINT") and not name.lower().endswith("_proxy")}
        own = {"HOME": self.home, "XDG_DATA_HOME": self.home, "PTERIS_MODELS": self.models,
               "PTERIS_HUB": self.hub.address, "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": self.home,
               "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
        if RUNNER:
            own |= {"HOME": os.environ["HOME"], "PTERIS_MODELS": "Z:" + self.models.replace("/", "\\")}
        return {**kept, **own, **more}

    def run(self, *arguments, status=0, environment=None, program=None, **options):
        # The limit is for a program that hangs, on however busy a computer.
        result = subprocess.run([*RUNNER, program or self.pteris, *arguments], capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE_S,
                                env=self.environment(**(environment or {})), **options)
        self.out, self.err = result.stdout.decode(), result.stderr.decode()
        if RUNNER and self.out.startswith("Z:\\"):
            self.out = self.out[2:].replace("\\", "/").replace("\r", "")
        assert result.returncode == status, (result.returncode, self.out, self.err)
        assert "g_" not in self.err and "CRITICAL" not in self.err, self.err

    def attack(self, *arguments, status=1, seconds=20, megabytes=200):
        """As run(), and it takes little of the processor's time and little memory."""
        start, self.peak, used = time.monotonic(), 0, None
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([*RUNNER, self.pteris, *arguments], stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                       env=self.environment())
            while used is None:
                self.peak = max(self.peak, peak_of(process.pid))
                time.sleep(0.005)
                ended, status_word, usage = os.wait4(process.pid, os.WNOHANG)
                if ended:
                    used = usage.ru_utime + usage.ru_stime
                    process.returncode = os.waitstatus_to_exitcode(status_word)
                elif time.monotonic() - start > PATIENCE_S:
                    process.kill()
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read().decode(), err.read().decode()
        if os.environ.get("PTERIS_TEST_VERBOSE"):
            print(f"# {used:.2f} s, {self.peak:.0f} MB: {self.err.strip()}")
        assert status in (None, process.returncode), (process.returncode, self.out, self.err)
        assert "CRITICAL" not in self.err and "\x1b" not in self.err, self.err
        assert used < seconds, (used, self.err)
        assert self.is_sanitized or self.peak < megabytes, (self.peak, self.err)

    def start(self, *arguments, **options):
        return subprocess.Popen([self.pteris, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, env=self.environment(), **options)

    def expected(self, *names):
        return {name: hashlib.sha256(self.repo.files[name]).hexdigest() for name in names}

    def small(self):
        return self.expected("README.md", "tokenizer.json", "tokenizer_config.json", "0_6b/xnnpack/config.json",
                             "0_6b/xnnpack/qwen_3_0_6b_xnnpack_8da4w.pte")

    def says(self, *words):
        for word in words:
            assert word in self.err, (word, self.err)

    def check_whole(self):
        found = tree_of(self.folder)
        assert found == self.small(), (sorted(found), sorted(self.small()))
        left = [name for name in os.listdir(self.models) if name != NAME]
        assert left == [], left

    def check_nothing(self):
        """Nothing of it is where the library looks."""
        shown = [name for name in os.listdir(self.models) if not name.startswith(".")] if os.path.exists(self.models) else []
        assert shown == [], shown
