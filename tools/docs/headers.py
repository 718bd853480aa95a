#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""headers.py FILE: a public header on stdout, with its comments in the form that doxygen reads.
headers.py --check FOLDER: says what the headers in FOLDER declare without a comment; exit status 1 if there is any.

A comment behind a member or in front of it belongs to it, and so does a comment in front of a declaration that begins
with two stars. The first other comment is about the header. "@name" is a parameter or a member. A count n_things beside
things needs no comment."""

import os
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# typedef struct {, typedef enum {: what is in the braces are members.
BODY = re.compile(r"typedef (?:struct|enum)\s*\w*\s*\{$")
FUNCTION = re.compile(r"\s*(?:PT_API (?!extern)|static inline|typedef [^;{]*\(\*)")
DECLARATORS = re.compile(r"^(\s+)((?:const |unsigned )*\w+ )(\**\w+(?:, \**\w+)+);(\s*)$")
NAMES = {
    "function": re.compile(r"^(?:PT_API|static inline)\b[^;{]*?(\w+) \(", re.DOTALL),
    "variable": re.compile(r"^PT_API extern [^;]*?(\w+)(?:\[[^;]*)?;"),
    "macro": re.compile(r"^#define (\w+)"),
    "function type": re.compile(r"^typedef [^;{]*\(\*(\w+)\)", re.DOTALL),
    "type": re.compile(r"^typedef struct _\w+ (\w+);"),
}
MEMBER = re.compile(r"^\s+(?:[^;{}#=]*?\W)?(\w+)(?:\[\w*\])?(?:\s=\s[^,;]*)?[,;]?\s*$", re.DOTALL)


def words(comment, of_function, is_trailing=False):
    """The lines of a comment, without its marks, for doxygen. Lines of four spaces are code, but those of a comment
    behind a member are aligned with it."""
    lines, in_parameter, before = [], False, ""
    for line in re.sub(r"^\s*\* ?", "", re.sub(r"^/\*+ ?|\s*\*/$", "", comment), flags=re.MULTILINE).split("\n"):
        if is_trailing:
            line = line.lstrip()
        if not line.startswith("    "):
            line = line.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace("%", "%%")
            parameter = of_function and re.match(r"@(\w+): *(.*)", line)
            if parameter:
                line = f"\\param {parameter.group(1)} {parameter.group(2)}"
                if not in_parameter:
                    lines.append("")
            elif in_parameter and before.endswith("."):
                lines.append("")
            in_parameter = bool(parameter) or (in_parameter and not before.endswith("."))
            line = re.sub(r"(?<![\w.])@(\w+)", r"\\a \1", line)
        lines.append(line)
        before = line
    return lines


def block(mark, lines, indent=""):
    return f"\n{indent} * ".join([f"/**{mark} {lines[0]}".rstrip(), *lines[1:]]) + " */"


def split(text):
    """[(comment, code)]: pieces of a header; either may be empty."""
    pieces, at = [], 0
    for match in COMMENT.finditer(text):
        pieces += [("", text[at:match.start()]), (match.group(), "")]
        at = match.end()
    return pieces + [("", text[at:])]


def distribute(line, comment):
    """T a, b; with a comment behind it, as one declaration and comment for each."""
    match = DECLARATORS.match(line)
    if not match:
        return None
    indent, kind, names, _ = match.groups()
    return "\n".join(f"{indent}{kind}{name}; {comment}" for name in names.split(", "))


def convert(text, name):
    out, about, in_body = "", False, False
    pieces = split(text)
    for n, (comment, code) in enumerate(pieces):
        for line in code.splitlines():
            in_body = bool(BODY.match(line)) or (in_body and not line.startswith("}"))
        if not comment:
            out += code
            continue
        start = out.rfind("\n") + 1
        head = out[start:]
        following = "".join(code for _, code in pieces[n + 1:n + 2])
        lines = words(comment, bool(FUNCTION.match(following)), bool(head.strip()))
        if head.strip():
            here = block("<", lines, "  ")
            several = in_body and distribute(head, here)
            out = out[:start] + several if several else out + here
        elif in_body or comment.startswith("/**"):
            out += block("", lines, head)
        elif "SPDX" not in comment and not about:
            while lines and not lines[0]:
                lines.pop(0)
            out += block("", [f"\\file pteris/{name}", *lines])
        else:
            out += comment
        about = about or "SPDX" not in comment
    return out


def declarations(converted):
    """(kind, name, whether it has a comment) of everything that a converted header declares."""
    # Comments become marks of one letter that no code has: § in front, ¶ behind.
    text = re.sub(r"/\*\*<.*?\*/", "¶", converted, flags=re.DOTALL)
    text = re.sub(r"/\*\*.*?\*/", "§", text, flags=re.DOTALL)
    text = re.sub(r"\\\n", " ", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    for match in re.finditer(r"(§\n)?(typedef (?:struct|enum)(?: \w+)? \{\n(.*?)^\} (\w+);)", text, re.DOTALL | re.MULTILINE):
        yield "type", match.group(4), bool(match.group(1))
        for member in re.finditer(r"(§\s*)?([^§¶;,]+[;,]?) *(¶)?", match.group(3)):
            found = MEMBER.match("\n " + member.group(2).rstrip())
            if found:
                yield f"member of {match.group(4)}", found.group(1), bool(member.group(1) or member.group(3))
    text = re.sub(r"(§\n)?typedef (?:struct|enum)(?: \w+)? \{\n.*?^\} \w+;", "", text, flags=re.DOTALL | re.MULTILINE)
    for match in re.finditer(r"(§\n(?:#ifndef \w+\n#if .*\n)?)?^"
                             r"(#define [^\n]*|(?:PT_API|static|typedef)[^;{]*[;{][^\n]*)", text, re.MULTILINE):
        for kind, pattern in NAMES.items():
            found = pattern.match(match.group(2))
            if found and (kind != "function" or " extern " not in match.group(2)):
                yield kind, found.group(1), bool(match.group(1)) or "¶" in match.group(2)
                break


def faults_of(text, name):
    converted = convert(text, name)
    if "\\file" not in converted:
        yield f"{name}: no comment says what the header is for"
    for found in re.finditer(r"^(?! \*     ).*(?<![\w.])(@\w+)", converted, re.MULTILINE):
        yield f"{name}: {found.group(1)} stays as it is"
    # A macro that several branches define has its comment at the first.
    done = set()
    for kind, what, commented in declarations(converted):
        if not commented and what not in done and not (kind.startswith("member") and what.startswith("n_")):
            yield f"{name}: {kind} {what} has no comment"
        if commented:
            done.add(what)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


TRIAL = """/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * About it.
 */
/** A type. */
typedef struct _PtA PtA;
/** A struct. */
typedef struct {
  int a, b; /* two */
  /* One. */
  const char *const *c;
} PtB;
/** Values. */
typedef enum {
  PT_C, /* first */
  PT_D = 1 << 2 /* last, with
                 * @a of PtB */
} PtC;
/** A macro. */
#define PT_E 1
/** Called. */
typedef void (*PtF) (int a);
/** @a: what. */
PT_API int pt_g (int a,
                 int b);
"""


def trials():
    """Without any of its comments the trial has a fault."""
    if list(faults_of(TRIAL, "trial")):
        yield f"the trial has faults: {list(faults_of(TRIAL, 'trial'))}"
    for match in list(COMMENT.finditer(TRIAL))[1:]:
        if not list(faults_of(TRIAL[:match.start()] + TRIAL[match.end():], "trial")):
            yield f"no fault is found without {match.group()}"


def main():
    if len(sys.argv) == 2:
        print(convert(read(sys.argv[1]), os.path.basename(sys.argv[1])), end="")
        return
    folder = sys.argv[2]
    faults = list(trials())
    for name in sorted(os.listdir(folder)):
        faults += faults_of(read(os.path.join(folder, name)), name)
    for fault in faults:
        print(fault)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
