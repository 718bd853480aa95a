#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""manual.py PAGES PTERIS STARTER: every option of --help is in its manual page, and no other; pages are well formed."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../resources/man")


def load_generator():
    spec = importlib.util.spec_from_file_location("make_page", f"{SOURCES}/make-page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def render(path):
    """The page as a reader sees it, and groff's complaints."""
    if not shutil.which("groff"):
        return re.sub(r"\\f.|\\(?=-)|^\.[A-Z]+ ", "", open(path, encoding="utf-8").read(), flags=re.MULTILINE), ""
    result = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-rLL=200n", "-P-c", path], capture_output=True,
                            env=dict(os.environ, LC_ALL="C.UTF-8"))
    return re.sub(".\b", "", result.stdout.decode()), result.stderr.decode()


def section(text, name):
    found = re.search(rf"^(?:SH )?{name}\n(.*?)(?=^(?:SH )?[A-Z][A-Z ]+\n)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def problems(generator, pages, name, command, is_about_model):
    help_text = subprocess.run([*command, "--help"], check=True, capture_output=True).stdout.decode()
    wanted = {option[1] for option in generator.options_of(help_text)}
    text, complaints = render(f"{pages}/{name}.1")
    documented = re.findall(r"^ *(?:-\w, )?--([a-z][\w-]*)", section(text, "OPTIONS"), re.MULTILINE)
    if complaints:
        yield complaints
    if "@" in text:
        yield "something was not filled in"
    if len(documented) != len(set(documented)):
        yield "an option is documented twice"
    if name == "pteris":
        # It does not list its options; each option here must be in its help, or be the help.
        wanted = set(re.findall(r"--([a-z][\w-]*)", help_text))
        listed = {found[0] for found in generator.commands_of(help_text)}
        if not listed or any(not re.search(rf"^ *{command}\b", section(text, "COMMANDS"), re.MULTILINE)
                             for command in listed):
            yield "a command is missing"
    elif not wanted:
        yield "--help tells no options"
    for option in wanted - set(documented):
        yield f"--{option} is not documented"
    for option in set(documented) - wanted:
        yield f"--{option} does not exist"
    if is_about_model and ("variant" not in wanted or "--variant" not in section(text, "DESCRIPTION")):
        yield "--variant is missing, or is not in its description"
    if name != "pteris":
        for option in set(re.findall(r"(?<![\w-])--([a-z][\w-]*)", text)) - wanted:
            yield f"--{option} is mentioned and does not exist"


def main():
    pages, pteris, starter = sys.argv[1:]
    generator = load_generator()
    help_text = subprocess.run([pteris, "--help"], check=True, capture_output=True).stdout.decode()
    cases = {"pteris": [pteris], "pteris-starter": [starter]}
    commands = generator.commands_of(help_text)
    cases |= {f"pteris-{command}": [pteris, command] for command, _, _ in commands}
    # What they do is about files in the library, not about a model that is loaded; the server has many models.
    on_models = {f"pteris-{command}" for command, arguments, _ in commands
                 if "MODEL" in arguments and command not in ("get", "remove", "models", "serve")}
    print(f"1..{len(cases) + 1}")
    failed = set(cases) != set(generator.PAGES)
    print("not ok" if failed else "ok", "1 a page for each command")
    for number, (name, command) in enumerate(cases.items(), 2):
        found = list(problems(generator, pages, name, command, name in on_models))
        failed |= bool(found)
        print("not ok" if found else "ok", number, name)
        for problem in found:
            print(f"# {problem}")
    return failed


sys.exit(main())
