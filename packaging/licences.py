# SPDX-License-Identifier: BSD-3-Clause
"""Under which licences libraries are that are shipped beside Pteris: licences.json, by source package of Debian.

Pteris can be given on under the BSD-3-Clause as a whole: what is beside it is under a permissive licence, or is a library
under the LGPL that is linked dynamically. A choice (OR) is enough. An entry is an expression of SPDX; or an object, with
the reason ("why") where Debian's notes of the whole source name the GPL and the files that are shipped are under another.
"""

import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
STRONG = re.compile(r"^(GPL|AGPL|SSPL|OSL|EUPL|CC-BY-(NC|ND))\b")
WITH_EXCEPTION = re.compile(r"GPL-\S+ WITH GCC-exception-3\.1")
WEAK = re.compile(r"\b(LGPL|Lesser|Library General)", re.IGNORECASE)

with open(os.path.join(HERE, "licences.json"), encoding="utf-8") as _file:
    _ENTRIES = json.load(_file)


class Refused(Exception):
    """A sentence for a person."""


def _entry(source):
    if source not in _ENTRIES:
        raise Refused(f"packaging/licences.json says nothing of “{source}”.")
    entry = _ENTRIES[source]
    return (entry, None) if isinstance(entry, str) else (entry["licence"], entry["why"])


def can_be_shipped(expression):
    """Without brackets, as all expressions here are: AND binds stronger than OR."""
    def all_of(choice):
        parts = [WITH_EXCEPTION.sub("exception", part) for part in choice.split(" AND ")]
        return not any(STRONG.match(part) for part in parts)

    return any(all_of(choice) for choice in expression.split(" OR "))


def of(source):
    """The licence of a source package as an expression of SPDX; Refused where it cannot be shipped."""
    expression = _entry(source)[0]
    if not can_be_shipped(expression):
        raise Refused(f"“{source}” is under {expression}.")
    return expression


def _of_all_files(notes):
    """The license of “Files: *” in machine-readable notes of Debian; None for plain text."""
    if "copyright-format" not in notes[:500]:
        return None
    for stanza in re.split(r"\n\s*\n", notes):
        files = re.search(r"^Files:((?:.*\n)(?:[ \t].*\n)*)", stanza, re.MULTILINE)
        licence = re.search(r"^License:[ \t]*(.*(?:\n .*)?)", stanza, re.MULTILINE)
        if files and licence and "*" in re.split(r"[\s,]+", files.group(1)):
            return licence.group(1).strip()
    return ""


def names_only_strong(notes):
    """Whether Debian's notes on a package name the GPL for the whole of it, and no other licence beside it."""
    whole = _of_all_files(notes)
    if whole is None:
        return "General Public License" in re.sub(r"(Lesser|Library)\s+General Public License", "", notes)
    choices = [choice for choice in re.split(r",|\bor\b", whole.split("\n")[0]) if choice.strip()]
    return bool(choices) and all(re.search(r"(?<![A-Za-z])A?GPL", choice) and not WEAK.search(choice) for choice in choices)


def check(source, notes):
    """Check that licences.json agrees with Debian's @notes on a source package, or gives a reason."""
    of(source)
    if names_only_strong(notes) and not _entry(source)[1]:
        raise Refused(f"Debian's notes put “{source}” under the GPL; packaging/licences.json does not say why it can be shipped.")
