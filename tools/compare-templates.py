#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the chat templates that Pteris evaluates with jinja2.

    python tools/compare-templates.py [--build FOLDER] [TEMPLATE...]

needs jinja2 3.1 and a build with its benchmarks. TEMPLATE: a .jinja file, a tokenizer_config.json, or a
folder with such; without one, templates of every construct are compared (template_fixtures/constructs.py).
Each is rendered for many conversations, with the settings of transformers; the texts must be equal, and
where one refuses a conversation so must the other.
"""

import argparse
import json
import pathlib
import subprocess
import sys

from template_fixtures import constructs, conversations, reference

TOP = pathlib.Path(__file__).parent.parent


class Ours:
    def __init__(self, build):
        self.process = subprocess.Popen([build / 'tests/bench/render'], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding='utf-8')

    def __call__(self, template, variables):
        self.process.stdin.write(json.dumps({'template': template, 'variables': variables}) + '\n')
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def read(path):
    """Names and texts of the templates in a file or folder."""
    if path.is_dir():
        for inner in sorted(path.rglob('*')):
            if inner.suffix == '.jinja' or inner.name == 'tokenizer_config.json':
                yield from read(inner)
    elif path.suffix == '.jinja':
        yield path.name, path.read_bytes().decode()
    else:
        found = json.loads(path.read_text(encoding='utf-8')).get('chat_template') or []
        if isinstance(found, str):
            found = [{'name': 'default', 'template': found}]
        for item in found:
            yield f'{path.parent.name}/{item["name"]}', item['template']


def compare(ours, name, template, cases):
    rendered = refused = wrong = 0
    for variables in cases:
        mine, theirs = ours(template, variables), reference.render(template, variables)
        if ('text' in mine) != ('text' in theirs) or mine.get('text') != theirs.get('text'):
            wrong += 1
            if wrong <= 2:
                print('   ', json.dumps(variables, ensure_ascii=False)[:600])
                print('      ours:  ', repr(mine.get('text', mine.get('error'))))
                print('      theirs:', repr(theirs.get('text', theirs.get('error'))))
        rendered += 'text' in theirs
        refused += 'text' not in theirs
    print(f'{name}: {rendered} rendered, {refused} refused, {wrong} differ', flush=True)
    return rendered, refused, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', default=TOP / 'build', type=pathlib.Path)
    parser.add_argument('template', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    ours = Ours(options.build)
    total = [0, 0, 0]
    if options.template:
        work = [(n, t, conversations.all()) for p in options.template for n, t in read(p)]
    else:
        work = [(t.replace('\n', ' ')[:60], t, [constructs.VARIABLES]) for t in constructs.TEMPLATES]
    for name, template, cases in work:
        total = [a + b for a, b in zip(total, compare(ours, name, template, cases))]
    print(f'{len(work)} templates: {total[0]} rendered, {total[1]} refused by both, {total[2]} differ')
    sys.exit(total[2] > 0)


if __name__ == '__main__':
    main()
