#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""instructions.py OBJECT [FUNCTION]: the innermost loops of functions for 64-bit ARM that multiply, with the number of their
instructions and of the products that these make. FUNCTION is a regular expression.

A loop that also adds or converts sums, or multiplies by ones, has fewer products that count than it makes.
"""

import re
import subprocess
import sys

# Products of an instruction on whole vectors.
PRODUCTS = {"sdot": 16, "usdot": 16, "smmla": 32, "smull": 8, "smull2": 8, "smlal": 8, "smlal2": 8, "fmla": 4}
BRANCH = re.compile(r"^(b(\.\w+)?|cbn?z|tbn?z)$")


def functions(path):
    """(name, [(address, mnemonic, operands)]) of an object."""
    text = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", path],
                          check=True, capture_output=True, text=True).stdout
    for part in re.split(r"\n(?=[0-9a-f]+ <.+>:\n)", text)[1:]:
        head, _, body = part.partition("\n")
        lines = re.findall(r"^\s+([0-9a-f]+):\t(\S+)\s*([^/\n]*)", body, re.MULTILINE)
        yield re.search(r"<(.+)>", head)[1], [(int(at, 16), what, rest) for at, what, rest in lines]


def innermost(code):
    """[(first, last)] of loops that contain no other."""
    index = {at: i for i, (at, _, _) in enumerate(code)}
    loops = set()
    for i, (_, what, rest) in enumerate(code):
        target = re.search(r"([0-9a-f]+) <", rest) if BRANCH.match(what) else None
        if target and index.get(int(target[1], 16), i + 1) <= i:
            loops.add((index[int(target[1], 16)], i))
    return sorted(a for a in loops if not any(b != a and b[0] >= a[0] and b[1] <= a[1] for b in loops))


def products_of(what, rest):
    if what in ("smull", "smlal", "smull2", "smlal2") and rest.split(",")[0].endswith(".4s"):
        return 4
    return PRODUCTS.get(what, 0)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n")[0])
    for name, code in functions(sys.argv[1]):
        if len(sys.argv) == 3 and not re.search(sys.argv[2], name):
            continue
        for first, last in innermost(code):
            body = code[first:last + 1]
            products = sum(products_of(what, rest) for _, what, rest in body)
            if products > 0:
                print(f"{name} at {body[0][0]:x}: {len(body)} instructions, {products} products, {len(body) / products:.3f}")


main()
