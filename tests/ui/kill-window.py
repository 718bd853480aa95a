#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""kill-window.py KILLED_WINDOW [--points N] [--seed N] [--models FOLDER] [--only ACTIVITY] [--what window|models]
[--flush]: SIGKILL at N
random points for the window and at N for the processes of its models, while it chats, transcribes, records, exports,
changes settings and the library. What was on the screen for a second is kept, the database is sound, the next window
goes on, and no process, lock or temporary file is left. Needs a display (xvfb.sh). In TAP."""

import argparse
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import wave

ACTIVITIES = ["chat", "transcribe", "record", "export", "settings", "library"]
PATIENCE_S = 300
# After which a process that was killed in its idle time is no longer waited for.
AGAIN_S = 5
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
SOUND = os.path.join(DATA, "..", "..", "resources", "starter", "jfk.wav")
# Of a recording.
RATE = 24000
END = "The end of this very long answer."


class Home:
    """The folders of a user, with models and a history to export."""

    def __init__(self, models):
        self.path = tempfile.mkdtemp(prefix="pteris-kill-")
        self.work = self.make("work")
        self.data = self.make("data/pteris")
        self.config = self.make("config/pteris")
        self.make("work/export/all")
        self.models = os.path.abspath(models) if models else self.tiny_models()
        self.environment = dict(
            os.environ, XDG_DATA_HOME=os.path.dirname(self.data), XDG_CONFIG_HOME=os.path.dirname(self.config),
            XDG_STATE_HOME=self.make("state"), XDG_CACHE_HOME=self.make("cache"), TMPDIR=self.make("tmp"),
            XDG_MUSIC_DIR=self.make("music"), HOME=self.path, PTERIS_MODELS=self.models,
            PTERIS_AUDIO_SOURCE=f'filesrc location="{self.work}/sound.wav" ! wavparse ! identity sync=true',
            GIO_MODULE_DIR="/nowhere", GSK_RENDERER="cairo", GDK_BACKEND="x11", LC_ALL="C.UTF-8")
        self.environment.pop("GSETTINGS_BACKEND", None)
        make_sound(os.path.join(self.work, "sound.wav"))
        for i in range(30):
            self.link(os.path.join(DATA, "chat", "qwen3_xnnpack_8da4w"), f"work/m{i}")

    def make(self, name):
        path = os.path.join(self.path, name)
        os.makedirs(path, exist_ok=True)
        return path

    def link(self, source, name):
        folder = self.make(name)
        for file in os.listdir(source):
            os.symlink(os.path.join(os.path.abspath(source), file), os.path.join(folder, file))

    def tiny_models(self):
        self.link(os.path.join(DATA, "chat", "qwen3_xnnpack_8da4w"), "models/chat")
        self.link(os.path.join(DATA, "whisper-mini"), "models/whisper")
        return os.path.join(self.path, "models")


def make_sound(path):
    """The words of jfk.wav, for ten minutes."""
    with wave.open(SOUND) as source, wave.open(path, "wb") as out:
        frames = source.readframes(source.getnframes())
        out.setparams(source.getparams())
        for _ in range(55):
            out.writeframesraw(frames)


class Window:
    """One run of the program."""

    def __init__(self, home, program, *arguments):
        self.home = home
        self.lines, self.safe, self.crashes, self.ready = [], {}, [], threading.Event()
        self.errors = tempfile.TemporaryFile()
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=self.errors,
                                        env=home.environment, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            word, *rest = line.split()
            if word == "SAFE":
                what, key, number = rest
                self.safe[what, key] = max(int(number), self.safe.get((what, key), 0))
            elif word == "CRASHED":
                self.crashes.append(rest[0])
            elif word == "READY":
                self.ready.set()

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-3000:]

    def wait_ready(self):
        end = time.monotonic() + PATIENCE_S
        while not self.ready.wait(0.05):
            assert self.process.poll() is None, ("the window ended", self.process.returncode, self.said())
            assert time.monotonic() < end, ("the window does not begin", self.said())

    def hosts(self):
        """Processes of models that this window has started."""
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parent = file.read().rpartition(")")[2].split()[1]
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    is_host = b"--engine-host" in file.read()
                if int(parent) == self.process.pid and is_host:
                    found.append(int(name))
            except OSError:
                pass
        return found

    def kill(self):
        hosts = self.hosts()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.reader.join()
        end = time.monotonic() + PATIENCE_S
        while any(is_running(host) for host in hosts):
            assert time.monotonic() < end, ("a model's process is left", hosts)
            time.sleep(0.01)
        return len(hosts)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---- what is kept ----

def query(home, sql, *arguments):
    database = sqlite3.connect(os.path.join(home.data, "history.db"))
    try:
        return database.execute(sql, arguments).fetchall()
    finally:
        database.close()


def kept_chat(home, key):
    return query(home, "SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM message WHERE conversation = ?",
                 int(key))[0][0]


def kept_segments(home, key):
    return query(home, "SELECT count(*) FROM segment WHERE transcript = ?", int(key))[0][0]


def kept_sound(home, key):
    """Seconds in the file, whatever its header says; the next start corrects it."""
    pattern = key.replace("?", " ")
    for folder, _, files in os.walk(home.path):
        if pattern in files:
            return (os.path.getsize(os.path.join(folder, pattern)) - 44) / 2 / RATE
    return -1


def kept_setting(home, _key):
    with open(os.path.join(home.config, "preferences.ini"), encoding="utf-8") as file:
        text = file.read()
    width = int(re.search(r"^width=(\d+)$", text, re.M).group(1))
    return width


def kept_library(home, key):
    with open(os.path.join(home.config, "preferences.ini"), encoding="utf-8") as file:
        return 1 if f"/{key}/model.pte" in file.read() else 0


def kept_export(home, key):
    return 1 if os.path.exists(os.path.join(home.work, "export", key)) else 0


def kept_live(home, key):
    """The text of a recording in progress may become shorter."""
    return 1 if kept_segments(home, key) > 0 else 0


KEPT = {"chat": kept_chat, "live": kept_live, "segments": kept_segments, "sound": kept_sound, "setting": kept_setting,
        "library": kept_library, "export": kept_export}


def check_exports(home):
    """A file that is there is whole."""
    folder = os.path.join(home.work, "export")
    for path in [os.path.join(folder, name) for name in os.listdir(folder) if name != "all"] + \
            [os.path.join(folder, "all", name) for name in os.listdir(os.path.join(folder, "all"))]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        name = os.path.basename(path)
        assert not is_temporary(name), ("left", path)
        if name.endswith(".json"):
            json.loads(text)
        elif name.endswith(".md"):
            assert END in text, ("half written", path, len(text))
        else:
            # Of other recordings, as much as there is.
            assert END in text or "sound" in name or "Recording" in name, ("half written", path, len(text))


def check_kept(home, safe):
    if os.path.exists(os.path.join(home.data, "history.db")):
        assert query(home, "PRAGMA integrity_check") == [("ok",)]
    for (what, key), number in safe.items():
        kept = KEPT[what](home, key)
        assert kept >= number, (what, key, "on the screen", number, "kept", kept)
    check_exports(home)


# ---- what is left ----

def is_temporary(name):
    return name.startswith(".goutputstream-") or re.search(r"\.[A-Za-z0-9]{6}$", name) is not None and \
        not name.endswith((".models", ".damage")) or name.endswith((".new", ".tmp", ".lock", "-journal"))


def check_left(home, program):
    """After a last, regular run."""
    done = subprocess.run([program, "end", home.work], env=home.environment, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    for folder, _, files in os.walk(home.path):
        if folder.startswith(home.models):
            continue
        for name in files:
            path = os.path.join(folder, name)
            assert not is_temporary(name), ("left", path)
            assert not name.endswith(("-wal", "-shm")) and name != "in-use", ("left", path)
            if name.endswith(".wav") and name != "sound.wav":
                check_wav(path)
    assert not os.listdir(os.path.join(home.path, "tmp")), os.listdir(os.path.join(home.path, "tmp"))


def check_wav(path):
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        header = file.read(44)
    assert struct.unpack("<I", header[40:44])[0] == size - 44 & ~1, ("header", path, size)


def age_files(home):
    """Temporary files of programs that still run are not touched: let these be old ones."""
    for folder, _, files in os.walk(home.path):
        for name in files:
            if is_temporary(name):
                os.utime(os.path.join(folder, name), (time.time() - 86400,) * 2, follow_symlinks=False)


# ---- the points ----

def seed_history(home, program):
    """A conversation and a transcript that take a while to be exported."""
    subprocess.run([program, "end", home.work], env=home.environment, check=True, stderr=subprocess.DEVNULL)
    database = sqlite3.connect(os.path.join(home.data, "history.db"))
    text = "word " * 600000 + END
    database.execute("INSERT INTO conversation (id, title, updated, leaf) VALUES (1, 'Long', 1, 3)")
    database.execute("INSERT INTO message (id, conversation, parent, text, state) VALUES (2, 1, 0, 'Tell me', 1)")
    database.execute("INSERT INTO message (id, conversation, parent, author, text, state, reason)"
                     " VALUES (3, 1, 2, 'Model', ?, 2, 'stop')", (text,))
    # The window shows the newest one.
    database.execute("INSERT INTO conversation (id, title, updated, leaf) VALUES (5, 'Short', 2, 6)")
    database.execute("INSERT INTO message (id, conversation, parent, text, state) VALUES (6, 5, 0, 'Tell me', 1)")
    database.execute("INSERT INTO transcript (id, path, state, title) VALUES (4, '/nowhere/long.wav', 2, 'long.wav')")
    for i in range(3000):
        database.execute("INSERT INTO segment (id, transcript, start, end, text) VALUES (?, 4, ?, ?, ?)",
                         (10 + i, i, i + 1, "word " * 40 if i < 2999 else END))
    database.commit()
    database.close()


def kill_windows(home, program, activities, points, more, rng):
    """Each run begins with what the one before left."""
    n_hosts = 0
    for i in range(points):
        activity = activities[i % len(activities)]
        window = Window(home, program, activity, home.work, *more)
        try:
            if rng.random() < 0.1:
                time.sleep(rng.uniform(0, 1))
            else:
                window.wait_ready()
                time.sleep(rng.uniform(0, 3))
            assert window.process.poll() is None, ("the window ended", activity, window.process.returncode, window.said())
        finally:
            n_hosts += window.kill()
        check_kept(home, window.safe)
    age_files(home)
    check_left(home, program)
    return n_hosts


def kill_hosts(home, program, activities, points, more, rng):
    """The window goes on: the next process comes, once for each that was killed."""
    for number, activity in enumerate(activities):
        n = len(range(number, points, len(activities)))
        if n == 0:
            continue
        chats = [] if activity in ("chat", "transcribe", "record") else ["--with-chat"]
        window = Window(home, program, activity, home.work, *chats, *more)
        try:
            window.wait_ready()
            for _ in range(n):
                kill_one(window, rng)
        finally:
            window.kill()
        check_kept(home, window.safe)
    age_files(home)
    check_left(home, program)


def kill_one(window, rng):
    """All processes of models at once; again after a while, since they may all have had nothing to do."""
    end = time.monotonic() + PATIENCE_S
    before, again = len(window.crashes), 0
    time.sleep(rng.uniform(0, 2))
    while len(window.crashes) == before:
        assert window.process.poll() is None, ("the window ended", window.process.returncode, window.said())
        assert time.monotonic() < end, ("no message about the end of the process", window.hosts(), window.said())
        if time.monotonic() > again:
            for host in window.hosts():
                os.kill(host, signal.SIGKILL)
            again = time.monotonic() + AGAIN_S
        time.sleep(0.02)
    check_kept(window.home, dict(window.safe))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--points", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models")
    parser.add_argument("--only")
    parser.add_argument("--what", choices=["window", "models"])
    parser.add_argument("--flush", action="store_true")
    options = parser.parse_args()
    activities = [options.only] if options.only else ACTIVITIES
    more = ["--flush"] if options.flush else []
    failed = False
    print("1..2", flush=True)
    for number, (name, kill) in enumerate((("window", kill_windows), ("models", kill_hosts)), 1):
        if options.what not in (None, name):
            continue
        home = Home(options.models)
        try:
            seed_history(home, options.program)
            kill(home, options.program, activities, options.points, more, random.Random(options.seed))
            print(f"ok {number} {name}\n# killed {options.points} times", flush=True)
            shutil.rmtree(home.path)
        except Exception as problem:  # pylint: disable=broad-except
            failed = True
            import traceback
            text = "".join(traceback.format_exception(problem)).replace("\n", "\n# ")
            print(f"not ok {number} {name}\n# {home.path}\n# {text}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
