#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""completion.py PTERIS SCRIPTS SHELL: types into a real shell, presses Tab, and looks at what it wrote."""

import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

# The text typed before Tab, and the expected line; "…": it must at least be offered.
EXPECTED = [
    ("pteris tr", "pteris transcribe "),
    ("pteris chat --max", "pteris chat --max-new-tokens "),
    ("pteris transcribe ww x.wav --format=s", "pteris transcribe ww x.wav --format=srt "),
    ("pteris bench x --backend cu", "pteris bench x --backend cuda "),
    ("pteris transcribe x.pte --timestamps=w", "pteris transcribe x.pte --timestamps=word "),
    ("pteris chat x.pte --family=vi", "pteris chat x.pte --family=vision-chat "),
    ("pteris chat x.pte --variant=sp", "pteris chat x.pte --variant=spinquant "),
    ("pteris inspect net_xn --variant a", "pteris inspect net_xn --variant a8w8 "),
    ("pteris chat x.pte --file b", r"pteris chat x.pte --file b\ c.WAV "),
    ("pteris classify x.pte y", "pteris classify x.pte y.png "),
    ("pteris chat tiny", "pteris chat tiny-talker "),
    ("pteris inspect x", "pteris inspect x.pte "),
    ("pteris remove tiny", "pteris remove tiny-talker "),
    ("pteris transcribe x.pte b", r"pteris transcribe x.pte b\ c.WAV "),
    ("pteris run x.pte --output-dir m", r"pteris run x.pte --output-dir my\ talks/"),
    ("pteris run x.pte -i rand", "pteris run x.pte -i random:"),
    ("pteris transcribe x.pte ", "… a.wav"),
]
# Arguments that cannot be completed.
FREE_VALUES = {"TEXT", "X", "N", "N,N", "T", "P", "REV", "REPO:PATH", "IP", "MB", "ORIGIN", "S"}
FREE_NAMES = {("chat", "method"), ("run", "method"), ("classify", "method"), ("look", "method"), ("embed", "method"),
              ("privacy", "method"), ("serve", "allow-host")}
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             ["PS1='> '", "bind 'set bell-style none'", "bind 'set enable-bracketed-paste off'",
              "bind 'set completion-query-items 0'", "source {scripts}/pteris.bash"]),
    "zsh": (["zsh", "-f", "-i"],
            ["PS1='> '", "unsetopt beep prompt_sp", "fpath=({scripts} $fpath)", "autoload -U compinit", "compinit -u -D"]),
}


class Shell:
    def __init__(self, name, scripts, folder, environment):
        command, setup = START[name]
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        for line in setup:
            os.write(self.terminal, (line.format(scripts=scripts) + "\n").encode())
        os.write(self.terminal, b"echo rea''dy\n")
        self.read(lambda text: re.search(r"[\r\n]ready", text))
        self.read(lambda text: False, 0.3)

    def read(self, enough, seconds=20):
        """Its output until that is enough, or until the timeout."""
        text, end = "", time.monotonic() + seconds
        while time.monotonic() < end and not enough(text):
            if select.select([self.terminal], [], [], 0.05)[0]:
                try:
                    text += os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:
                    break
        return text

    def complete(self, line, expected):
        tabs = 2 if expected.startswith("…") else 1
        os.write(self.terminal, (line + "\t" * tabs).encode())
        wanted = expected.lstrip("… ")
        text = self.read(lambda text: wanted in plain(text), 10)
        os.write(self.terminal, b"\x15")  # forgets the line
        self.read(lambda text: False, 0.2)
        return plain(text)


def plain(text):
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x07\r]", "", text)
    while "\x08" in text:
        text = re.sub(r"[^\x08]?\x08", "", text, count=1)
    return text


def ask_fish(scripts, folder, environment, line):
    script = f"source {scripts}/pteris.fish; complete -C '{line}'"
    result = subprocess.run(["fish", "--no-config", "-c", script], cwd=folder, env=environment, capture_output=True,
                            text=True, timeout=600)
    return [answer.split("\t")[0] for answer in result.stdout.splitlines()]


def fish_accepts(line, expected, answers):
    word = expected.lstrip("… ") if expected.startswith("…") else expected.replace(r"\ ", "\0").split()[-1]
    return word.replace("\0", " ") in answers


def values_without_an_offer(pteris, environment):
    """Options whose value is a file, a folder or one of a few words, and of which nothing is offered."""
    help_text = subprocess.run([pteris, "--help"], check=True, capture_output=True, text=True).stdout
    for command in re.findall(r"^  pteris ([a-z]+) ", help_text, re.MULTILINE):
        options = subprocess.run([pteris, command, "--help"], check=True, capture_output=True, text=True).stdout
        for option, value in re.findall(r"--([a-z-]+)=(\S+)", options):
            if value in FREE_VALUES or (command, option) in FREE_NAMES:
                continue
            if not subprocess.run([pteris, "--complete", command, "x", f"--{option}", ""], env=environment,
                                  check=True, capture_output=True, text=True).stdout:
                yield f"{command} --{option}={value}"


def main():
    pteris, scripts, shell = sys.argv[1:]
    scripts = os.path.abspath(scripts)
    program_folder = os.path.dirname(os.path.abspath(pteris))
    failed = 0
    print(f"1..{len(EXPECTED) + 1}")
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/chat/qwen3_xnnpack_8da4w")
        os.makedirs(f"{folder}/models")
        os.makedirs(f"{folder}/here/my talks")
        os.symlink(os.path.abspath(model), f"{folder}/models/tiny-talker")
        os.makedirs(f"{folder}/models/duo")
        for precision in ("bf16", "a8w8"):
            os.symlink(f"{os.path.abspath(model)}/model.pte", f"{folder}/models/duo/net_xnnpack_{precision}.pte")
        for name in ("a.wav", "b c.WAV", "b d.txt", "x.pte", "x.txt", "my.txt", "y.png", "y.txt"):
            open(f"{folder}/here/{name}", "w").close()
        environment = dict(os.environ, PTERIS_MODELS=f"{folder}/models", TERM="dumb", HOME=folder, LC_ALL="C.UTF-8",
                           PATH=f"{program_folder}:{os.environ['PATH']}", COLUMNS="100")
        typed = Shell(shell, scripts, f"{folder}/here", environment) if shell != "fish" else None
        for number, (line, expected) in enumerate(EXPECTED, 1):
            if typed:
                answer = typed.complete(line, expected)
                ok = expected.lstrip("… ") in answer
            else:
                answer = ask_fish(scripts, f"{folder}/here", environment, line)
                ok = fish_accepts(line, expected, answer)
            failed += not ok
            print(f"{'ok' if ok else 'not ok'} {number} {line}")
            if not ok:
                print(f"# expected {expected!r}, got {answer!r}")
        left_out = list(values_without_an_offer(pteris, environment))
        failed += bool(left_out)
        print(f"{'not ok' if left_out else 'ok'} {len(EXPECTED) + 1} values that can be completed")
        for option in left_out:
            print(f"# nothing is offered for {option}")
        if typed:
            os.close(typed.terminal)
            os.waitpid(typed.process, 0)
    return failed != 0


sys.exit(main())
