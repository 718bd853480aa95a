#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write tests/data/operators: calls of CPU operators with the results they must have.

    python tools/make-operator-fixtures.py [FOLDER]

needs PyTorch 2.11. Results come from eager PyTorch, or from a few lines of NumPy in
operator_fixtures where an operator exists in ExecuTorch only, or where ExecuTorch's differs on
purpose. Each family is a FAMILY.json, one call a line, and a FAMILY.bin with the bytes of all its
tensors.

An argument is null or an object with one member: i, d, b, s (numbers, flags, text), il, dl, bl
(lists of them), t (a tensor: dtype, sizes, offset in the .bin, dim order where it is not the default
one), tl (tensors), ol (tensors or null), o (output number n) or io (a tensor that is also output n).
"""

import pathlib
import sys
import warnings

from operator_fixtures import elementwise, layout, llm, lowbit, matrix, quantized, reductions

# In this order: they draw from one sequence of random numbers.
FAMILIES = (elementwise.unary, elementwise.binary, layout.shape, layout.index, reductions.reduce,
            matrix.matrix, matrix.signal, llm.llm, quantized.quantized, lowbit.lowbit)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parent.parent / 'tests/data/operators')
    folder.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        family().write(folder)


if __name__ == '__main__':
    warnings.filterwarnings('ignore')
    main()
