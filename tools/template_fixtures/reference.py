# SPDX-License-Identifier: BSD-3-Clause
"""jinja2 with the settings, filters and functions that transformers gives chat templates."""

import datetime
import functools
import json

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2024, 7, 2, 9, 5, 3)


class Generation(Extension):
    tags = {'generation'}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(['name:endgeneration'], drop_needle=True)
        return nodes.CallBlock(self.call_method('_pass'), [], [], body).set_lineno(line)

    @staticmethod
    def _pass(caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


@functools.lru_cache
def compile_template(text):
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                        extensions=[Generation, 'jinja2.ext.loopcontrols'])
    env.filters['tojson'] = tojson
    env.globals['raise_exception'] = raise_exception
    env.globals['strftime_now'] = NOW.strftime
    return env.from_string(text)


def render(template, variables):
    try:
        return {'text': compile_template(template).render(**variables)}
    except Exception as error:  # pylint: disable=broad-except
        return {'error': f'{type(error).__name__}: {error}'}
