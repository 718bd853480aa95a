#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write what jinja2 makes of the templates of template_fixtures/constructs.py, and seeds for the fuzzer.

    python tools/make-template-fixtures.py

needs jinja2 3.1. tests/data/templates.json: the variables, and rows of a template and its text, null where it is
refused. tests/fuzz/corpus/template/construct-*: every sixth of them, with the variables behind a zero.
"""

import json
import pathlib

from template_fixtures import constructs, reference

TESTS = pathlib.Path(__file__).parent.parent / 'tests'


def main():
    rows = [[t, reference.render(t, constructs.VARIABLES).get('text')] for t in constructs.TEMPLATES]
    variables = json.dumps(constructs.VARIABLES, ensure_ascii=False)
    with open(TESTS / 'data/templates.json', 'w', encoding='utf-8') as f:
        f.write(f'{{"variables": {variables},\n"rows": [\n')
        f.write(',\n'.join(json.dumps(row, ensure_ascii=False) for row in rows))
        f.write(']}\n')
    for i in range(0, len(rows), 6):
        path = TESTS / f'fuzz/corpus/template/construct-{i:03}'
        path.write_bytes('\n'.join(r[0] for r in rows[i:i + 6] if r[1] is not None).encode() + b'\0' + variables.encode())


if __name__ == '__main__':
    main()
