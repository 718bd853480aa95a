#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""library.py MESON BUILD SOURCE PTERIS COMPILER...: libpteris as other programs find it. Installs it, looks at its
headers and symbols, compiles the examples with the commands of examples/README.md, and runs them. Writes TAP."""

import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

EXAMPLES = ["chat", "transcribe", "run"]
STRICT = ["-Wall", "-Wextra", "-Werror"]
QUESTION = "What is the capital of France?"
# As PT_SAMPLING_GREEDY.
GREEDY = ["--temperature", "0", "--top-k", "0", "--top-p", "1", "--min-p", "0", "--repetition-penalty", "1",
          "--repetition-window", "0"]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def same(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: {got!r} and not {want!r}")


class Library:
    def __init__(self, meson, build, source, folder):
        run(meson, "install", "-C", build, "--no-rebuild", "--quiet", "--tags", "runtime,devel",
            env={**os.environ, "DESTDIR": folder})
        found = [f"{where}/pteris.pc" for where, _, names in os.walk(folder) if "pteris.pc" in names]
        same("files called pteris.pc", len(found), 1)
        text = open(found[0], encoding="utf-8").read()
        prefix = re.search(r"^prefix=(.*)$", text, re.MULTILINE).group(1)
        # As if it had been configured for this folder.
        self.prefix = folder + prefix
        self.pkgconfig = f"{folder}/pkgconfig"
        os.mkdir(self.pkgconfig)
        for name in ("pteris.pc", "pteris-static.pc"):
            text = open(f"{os.path.dirname(found[0])}/{name}", encoding="utf-8").read()
            with open(f"{self.pkgconfig}/{name}", "w", encoding="utf-8") as file:
                file.write(text.replace(f"prefix={prefix}\n", f"prefix={self.prefix}\n"))
        self.source, self.folder = source, folder
        self.libdir = os.path.dirname(os.path.dirname(found[0]))
        self.include = f"{self.prefix}/include"
        data = f"{folder}/data"
        self.env = {**os.environ, "PKG_CONFIG_PATH": self.pkgconfig, "LD_LIBRARY_PATH": self.libdir,
                    "XDG_DATA_HOME": data, "XDG_CONFIG_HOME": data, "XDG_CACHE_HOME": data}

    def headers(self):
        return sorted(os.listdir(f"{self.include}/pteris"))

    def declared(self):
        """Names of the functions and variables that the installed headers declare with PT_API."""
        names = set()
        for header in self.headers():
            text = open(f"{self.include}/pteris/{header}", encoding="utf-8").read()
            text = re.sub(r"/\*.*?\*/|^\s*#.*?(?<!\\)$", "", text, flags=re.DOTALL | re.MULTILINE)
            for declaration in re.findall(r"\bPT_API\b([^;]*);", text):
                names.add(re.search(r"(\w+)\s*[(\[]", declaration).group(1))
        return names

    def flags(self):
        return run("pkg-config", "--cflags", "pteris", env=self.env).split()

    def build_command(self, kind, name, compiler):
        """The command of examples/README.md for chat.c, for another program and with another compiler."""
        readme = open(f"{self.source}/examples/README.md", encoding="utf-8").read()
        commands = re.findall(r"^    (cc chat\.c .*)$", readme, re.MULTILINE)
        same("commands in examples/README.md", len(commands), 2)
        command = commands[kind == "static"].replace("chat", name)
        return command.replace("cc ", shlex.join([*compiler, *STRICT]) + " ", 1)


def test_headers(library, compiler):
    same("headers", library.headers(), sorted(os.listdir(f"{library.source}/engine/include/pteris")))
    languages = [[*compiler, "-std=c11"]] + [[name, "-std=c++17"] for name in ("c++",) if shutil.which(name)]
    for header in library.headers():
        for language in languages:
            file = f"{library.folder}/alone.{'cpp' if 'c++' in language[0] else 'c'}"
            with open(file, "w", encoding="utf-8") as out:
                out.write(f"#include <pteris/{header}>\n#include <pteris/{header}>\nint main (void) {{ return 0; }}\n")
            run(*language, *STRICT, "-fsyntax-only", file, *library.flags())


def test_symbols(library):
    shared = f"{library.libdir}/libpteris.so.0"
    names = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", shared).splitlines()}
    same("exported, but in no header", sorted(names - library.declared()), [])
    same("in a header, but not exported", sorted(library.declared() - names), [])
    same("name of the library", re.findall(r"SONAME.*\[(.*)\]", run("readelf", "-d", shared)), ["libpteris.so.0"])


def test_compile(library, kind, compiler):
    for name in EXAMPLES:
        folder = f"{library.folder}/{kind}"
        os.makedirs(folder, exist_ok=True)
        shutil.copy(f"{library.source}/examples/{name}.c", folder)
        run("sh", "-c", library.build_command(kind, name, compiler), cwd=folder, env=library.env)
        needed = re.findall(r"NEEDED.*\[(libpteris.*)\]", run("readelf", "-d", f"{folder}/{name}"))
        same(f"libraries of {name}", needed, ["libpteris.so.0"] if kind == "shared" else [])


def test_chat(library, kind, pteris):
    model = f"{library.source}/tests/data/chat/qwen3_xnnpack_8da4w/model.pte"
    want = run(pteris, "chat", model, "--prompt", QUESTION, *GREEDY, env=library.env)
    if len(want) < 2:
        raise AssertionError("the model of the test answers nothing")
    same("answer", run(f"{library.folder}/{kind}/chat", model, QUESTION, env=library.env), want)


def test_transcribe(library, kind, pteris):
    folder = f"{library.source}/tests/data/speech/transducer"
    arguments = [f"{folder}/model.pte", f"{folder}/audio0.wav"]
    segments = json.loads(run(pteris, "transcribe", *arguments, "--format", "json", env=library.env))["segments"]
    if not segments:
        raise AssertionError("the model of the test hears nothing")
    want = "".join(f"{s['start']:.2f}-{s['end']:.2f} {s['text']}\n" for s in segments)
    same("transcript", run(f"{library.folder}/{kind}/transcribe", *arguments, env=library.env), want)


def test_run(library, kind):
    folder = f"{library.source}/tests/data/tiny/add_f32"
    report = json.loads(run(f"{library.folder}/{kind}/run", f"{folder}/model.pte", f"{folder}/s0_in0.bin",
                            f"{folder}/s0_in1.bin", env=library.env))
    values = report["outputs"][0]["values"]
    same("output", struct.pack("<6f", *values), open(f"{folder}/s0_out0.bin", "rb").read())


def test_errors(library, kind):
    for name in EXAMPLES:
        program = f"{library.folder}/{kind}/{name}"
        missing = subprocess.run([program, "/nowhere/model.pte", "x"], capture_output=True, text=True, env=library.env)
        same(f"exit status of {name} without a model", missing.returncode, 1)
        if not missing.stderr.startswith(f"{name}: ") or "/nowhere/model.pte" not in missing.stderr:
            raise AssertionError(f"{name} without a model says: {missing.stderr}")
        usage = subprocess.run([program], capture_output=True, text=True, env=library.env)
        same(f"exit status of {name} without arguments", usage.returncode, 2)


def main():
    meson, build, source, pteris, *compiler = sys.argv[1:]
    n, failed = 0, False
    with tempfile.TemporaryDirectory() as folder:
        library = Library(meson, build, source, folder)
        checks = [("the headers are complete, each by itself", test_headers, compiler),
                  ("what the headers declare is exported, and nothing else", test_symbols)]
        for kind in ("shared", "static"):
            checks += [(f"{kind}: the examples compile", test_compile, kind, compiler),
                       (f"{kind}: chat answers as the program does", test_chat, kind, pteris),
                       (f"{kind}: transcribe hears what the program hears", test_transcribe, kind, pteris),
                       (f"{kind}: run computes what is expected", test_run, kind),
                       (f"{kind}: errors are told", test_errors, kind)]
        for name, check, *arguments in checks:
            n += 1
            try:
                check(library, *arguments)
                print(f"ok {n} {name}", flush=True)
            except Exception as error:  # pylint: disable=broad-except
                failed = True
                print(f"not ok {n} {name}")
                print("".join(f"# {line}\n" for line in repr(error).replace("\\n", "\n").splitlines()), end="", flush=True)
    print(f"1..{n}")
    sys.exit(failed)


main()
