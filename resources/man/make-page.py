#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-page.py TEMPLATE VERSION METAINFO PROGRAM [COMMAND]: a manual page on stdout.

Its options and commands are those that the program itself tells with --help, so that they are written down once.
"""

import os
import re
import subprocess
import sys

PAGES = ["pteris", "pteris-chat", "pteris-transcribe", "pteris-classify", "pteris-look", "pteris-speak",
         "pteris-embed", "pteris-privacy",
         "pteris-run", "pteris-inspect", "pteris-bench", "pteris-serve", "pteris-stats", "pteris-get", "pteris-models", "pteris-remove", "pteris-update", "pteris-starter"]


def roff(text):
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    text = text.replace("“", r"\(lq").replace("”", r"\(rq").replace('"', r"\(dq").replace("’", r"\(cq")
    return re.sub(r"^([.'])", r"\&\1", text)


def options_of(help_text):
    """[(short or None, long, value or None, meaning)] of GOption's help."""
    found = re.findall(r"^  (?:-(\w), )?--([\w-]+)(?:=(\S+))? +(.*)$", help_text, re.MULTILINE)
    return [(short or None, name, value or None, meaning) for short, name, value, meaning in found]


def commands_of(help_text):
    """[(name, arguments, meaning)] of pteris --help."""
    return re.findall(r"^  pteris ([a-z]+) ?((?:[A-Z…:\[\]]+ ?)*?)  +(.*)$", help_text, re.MULTILINE)


def show_options(help_text):
    lines = []
    for short, name, value, meaning in options_of(help_text):
        names = (rf"\fB\-{short}\fR, " if short else "") + rf"\fB\-\-{roff(name)}\fR"
        lines += [".TP", names + (rf"=\fI{roff(value)}\fR" if value else ""), roff(meaning) + "."]
    return "\n".join(lines)


def show_commands(help_text):
    lines = []
    for name, arguments, meaning in commands_of(help_text):
        lines += [".TP", rf"\fB{roff(name)}\fR \fI{roff(arguments)}\fR".replace(r" \fI\fR", ""),
                  roff(meaning[0].upper() + meaning[1:]) + "."]
    return "\n".join(lines)


def main():
    template, version, metainfo, *command = sys.argv[1:]
    environment = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="1000", LANGUAGE="", ASAN_OPTIONS="detect_leaks=0")
    help_text = subprocess.run([*command, "--help"], check=True, capture_output=True, env=environment).stdout.decode()
    release = re.search(r'<release version="[^"]*" date="([^"]*)"', open(metainfo, encoding="utf-8").read())
    text = open(template, encoding="utf-8").read()
    own = os.path.basename(template).removesuffix(".1.in")
    others = [rf".BR {roff(page)} (1)" for page in PAGES if page != own]
    for name, value in {"DATE": release[1], "VERSION": version, "OPTIONS": show_options(help_text),
                        "COMMANDS": show_commands(help_text), "SEE_ALSO": ",\n".join(others)}.items():
        text = text.replace(f"@{name}@", value)
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()
