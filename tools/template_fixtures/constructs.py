# SPDX-License-Identifier: BSD-3-Clause
"""Small templates, a few for every construct; tests/data/templates.json holds what jinja2 makes of them."""

VARIABLES = {
    'n': 3, 'x': 2.5, 'yes': True, 'none_': None, 's': ' Some Text\n', 'empty': '', 'e': [],
    'list': ['b', 'A', 'c'], 'numbers': [3, 1, 2], 'map': {'one': 1, 'Two': 'zwei', 'items': 'mine'},
    'messages': [{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'Hello ü'},
                 {'role': 'user', 'content': '<b> "q" \'s\' \\ \n'}],
    'deep': {'a': {'b': [1, {'c': None}]}, 'f': 1e20, 'g': 0.1, 'h': -3},
}

TEMPLATES = r'''
{{ n }} {{ x }} {{ yes }} {{ none_ }} {{ missing }} {{ list }} {{ map }} {{ deep }} {{ messages }}
{{ 1 + 2 * 3 - 4 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7.5 // 2 }} {{ 2 ** 10 }} {{ 2 ** -1 }}
{{ -2 ** 2 }} {{ 2 ** 3 ** 2 }} {{ (1, 2) + (3,) }} {{ [1] * 3 }} {{ 'ab' * 2 }} {{ 1 / 3 }} {{ 1e100 }} {{ 1_000 }}
{{ 10 / 2 }} {{ 1e-5 }} {{ 123456789.125 }} {{ 1e15 }} {{ 1e16 }} {{ 100 * 1.1 }} {{ -0.5 % 3 }} {{ true + 1 }}
{{ 'a' ~ 1 ~ none ~ true ~ missing ~ [1, 'x'] }} {{ 'a' + 'b' }} {{ "q" 'r' }}
{{ 1 + 'a' }}
{{ 'a' + 1 }}
{{ missing + 'a' }}
{{ missing.attr }}
{{ none_.attr }}|{{ n.attr }}|{{ 'x'.attr }}|{{ list[9] }}|{{ map['nope'] }}
{{ none_.attr.more }}
{{ 1 == 1.0 }} {{ 1 == true }} {{ 'a' == 1 }} {{ [1] == [1] }} {{ (1,) == [1] }} {{ none_ == missing }} {{ 1 != 2 }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ 1 <= 1 }} {{ 2 > 1 >= 1 }}
{{ 1 < 'a' }}
{{ 'a' in 'abc' }} {{ 'x' not in 'abc' }} {{ 1 in [1, 2] }} {{ 'one' in map }} {{ 1 in missing }} {{ not 1 in [2] }}
{{ 1 in 'abc' }}
{{ 1 in 5 }}
{{ yes and 'a' or 'b' }} {{ empty or 'b' }} {{ not empty }} {{ not not n }} {{ yes and empty }}|
{{ 'a' if yes else 'b' }} {{ 'a' if empty else 'b' }} {{ 'a' if empty }}| {{ 'a' if 0 else 'b' if 0 else 'c' }}
{% if empty %}a{% elif n == 3 %}b{% else %}c{% endif %} {% if [] or {} or 0 or '' or none %}a{% else %}b{% endif %}
{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{% endfor %}
{% for m in messages %}{{ loop.revindex }}{{ loop.revindex0 }} {{ loop.depth }};{% endfor %}
{% for m in messages %}{% if loop.previtem is defined %}{{ loop.previtem.content }}{% endif %}{% endfor %}
{% for m in messages if m.role == 'user' %}{{ loop.index }}/{{ loop.length }}{{ m.content }}{% else %}none{% endfor %}
{% for m in messages if m.role == 'nobody' %}x{% else %}none{% endfor %}{% for x in missing %}x{% else %}e{% endfor %}
{% for k, v in map.items() %}{{ k }}={{ v }};{% endfor %}{% for k in map %}{{ k }}{% endfor %}{% for c in 'üx' %}[{{ c }}]{% endfor %}
{% for k in map.keys() %}{{ k }}{% endfor %}{% for k in map.values() %}{{ k }}{% endfor %}{{ map.get('one') }}{{ map.get('x') }}{{ map.get('x', 5) }}
{% for a, b in [(1, 2), [3, 4]] %}{{ a }}-{{ b }} {% endfor %}
{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}
{% for a in 5 %}{{ a }}{% endfor %}
{% for i in range(5) %}{% if i == 1 %}{% continue %}{% endif %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}
{{ range(3) | list }} {{ range(1, 7, 2) | list }} {{ range(5, 0, -2) | list }} {{ range(3)[1] }} {% for i in range(2) %}{{ i }}{% endfor %}
{{ range(1000000) | length }}
{% set a = 1 %}{% for i in range(3) %}{% set a = a + 1 %}{{ a }}{% endfor %}{{ a }}
{% set ns = namespace(a=1, b='x') %}{% for i in range(3) %}{% set ns.a = ns.a + 1 %}{% endfor %}{{ ns.a }}{{ ns.b }}{{ ns.c }}
{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}
{% set map.one = 2 %}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set a = 1, 2 %}{{ a }}
{% if yes %}{% set a = 'in if' %}{% endif %}{{ a }}{% for i in [1] %}{% set b = 1 %}{% endfor %}{{ b }}
{% set a %}block {{ n }}{% endset %}{{ a }}{% set a | upper | trim %} block {{ n }} {% endset %}[{{ a }}]
{% macro f(a, b='d', c=a) %}({{ a }},{{ b }},{{ c }}){% endmacro %}{{ f(1) }}{{ f(1, 2) }}{{ f(b=3, a=4) }}{{ f() }}
{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, 2) }}
{% macro f(a) %}{{ a }}{% endmacro %}{{ f(z=2) }}
{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}
{% macro f() %}[{{ caller() }}]{% endmacro %}{% call f() %}in {{ n }}{% endcall %}
{% macro f() %}[{{ caller(1, 2) }}]{% endmacro %}{% call(a, b) f() %}{{ a }}-{{ b }}{% endcall %}
{% macro f() %}{{ q }}{% endmacro %}{% set q = 1 %}{{ f() }}{% set q = 2 %}{{ f() }}
{% macro f(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ f(*[1, 2]) }}{{ f(**{'a': 3, 'b': 4}) }}
{% filter upper %}abc {{ s }}{% endfilter %}{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a }}
{% generation %}x{% set q = 1 %}{{ q }}{% endgeneration %}{{ q }}
{{ 'a-b-c'.split('-') }} {{ ' a  b '.split() }} {{ 'a-b-c'.split('-', 1) }} {{ 'abc'.split('x') }} {{ ''.split() }} {{ ''.split('x') }} {{ ' a b c '.split(None, 1) }}
{{ 'a-b-c'.rsplit('-', 1) }} {{ 'x</think>y'.split('</think>')[-1] }} {{ 'x'.split('</think>')[0] }} {{ 'a\nb\r\nc\n'.splitlines() }}
{{ 'abc'.split('') }}
[{{ s.strip() }}][{{ s.lstrip() }}][{{ s.rstrip() }}][{{ 'xxaxx'.strip('x') }}][{{ 'abcba'.lstrip('ab') }}][{{ 'a\n'.rstrip('\n') }}]
{{ 'abc'.startswith('ab') }} {{ 'abc'.endswith('bc') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.find('c') }} {{ 'abc'.count('b') }} {{ 'ü'.find('x') }}
{{ 'aXbXc'.replace('X', '-') }} {{ 'aXbXc'.replace('X', '-', 1) }} {{ 'ab'.replace('', '.') }} {{ 'hello wORLD'.title() }} {{ 'hello wORLD'.capitalize() }}
{{ 'straße éÉ'.upper() }} {{ 'ÀB'.lower() }} {{ "it's o'clock".title() }} {{ '-'.join(['a', 'b']) }} {{ 'abc'.isdigit() }} {{ '12'.isdigit() }}
{{ 'abc'.removeprefix('a') }} {{ 'abc'.removesuffix('bc') }} {{ 'ABC'.isupper() }} {{ ' '.isspace() }}
{{ 'abc'[0] }}{{ 'abc'[-1] }}{{ 'abc'[5] }}{{ 'abcdef'[1:3] }} {{ 'abcdef'[::-1] }} {{ 'abcdef'[::2] }} {{ 'abcdef'[-3:] }} {{ 'üöä'[1:] }} {{ 'abcdef'[4:1:-1] }}
{{ list[1:] }} {{ list[::-1] }} {{ list[-2:] }} {{ list[:1] }} {{ list[5:] }} {{ messages[-1].role }} {{ messages[0]['role'] }} {{ (1, 2, 3)[1:] }}
{{ list['x'] }}|{{ list[none] }}
{{ map['items'] }} {{ map.one }} {{ map['Two'] }} {{ deep.a.b[1].c }} {{ deep['a']['b'][0] }} {{ deep.a.b.0 }}
{{ s | trim }}|{{ s | upper }}|{{ s | lower }}|{{ 'hello-world (foo)' | title }}|{{ 'hELLO' | capitalize }}|{{ 'xax' | trim('x') }}
{{ list | length }} {{ s | length }} {{ map | length }} {{ missing | length }} {{ 'ü' | length }} {{ list | count }}
{{ 5 | length }}
{{ list | first }} {{ list | last }} {{ e | first }} {{ 'abc' | first }} {{ 'abc' | last }} {{ e | last }}
{{ list | join(', ') }} {{ list | join }} {{ messages | join(', ', attribute='role') }} {{ [1, none, 'a'] | join('-') }}
{{ missing | default('d') }} {{ empty | default('d') }} {{ empty | default('d', true) }} {{ none_ | default('d') }} {{ missing | d }}|
{{ 'aXb' | replace('X', 'Y') }} {{ 123 | replace(2, 'x') }} {{ 'aaa' | replace('a', 'b', 2) }}
{{ '42' | int }} {{ '4.7' | int }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ 4.7 | int }} {{ '0x1f' | int(0, 16) }} {{ none | int }} {{ true | int }} {{ '1.5' | float }}
{{ -3 | abs }} {{ 2.5 | round }} {{ 3.14159 | round(2) }} {{ 2.1 | round(0, 'ceil') }} {{ 3 | string ~ 'x' }} {{ 3.0 | string }}
{{ numbers | sum }} {{ numbers | max }} {{ numbers | min }} {{ list | max }} {{ numbers | sort }} {{ list | sort }} {{ list | sort(reverse=true) }} {{ list | sort(case_sensitive=true) }}
{{ numbers | sort | reverse | list }} {{ 'abc' | reverse }} {{ ['a', 'A', 'b'] | unique | list }} {{ map | dictsort }}
{{ {'b': 1, 'a': 2} | dictsort(false, 'value') }} {{ {'b': 1, 'a': 2} | dictsort(by='value', reverse=true) }}
{{ map | dictsort(false, 'value') }}
{{ map | dictsort(reverse=true) | first }} {{ messages | sort(attribute='content') | map(attribute='role') | list }}
{{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | rejectattr('role', 'eq', 'user') | map(attribute='content') | join }}
{{ messages | selectattr('nope') | list }} {{ messages | selectattr('role', 'in', ['user']) | list | length }} {{ messages | selectattr('tool', 'defined') | list }}
{{ numbers | select('odd') | list }} {{ numbers | reject('greaterthan', 1) | list }} {{ ['', 'a'] | select | list }} {{ list | map('upper') | list }} {{ list | map('replace', 'b', 'x') | join }}
{{ messages | map(attribute='nope', default='-') | list }} {% if messages | selectattr('nope') %}always{% endif %} {{ none_ | map('upper') | list }}
{{ [deep] | map(attribute='a.b.0') | list }} {{ map | list }} {{ 'abc' | list }} {{ map | items | list }} {{ missing | items | list }}
{{ deep | tojson }} {{ messages | tojson }} {{ 'ü"\\\n\t/<>&' | tojson }} {{ '\x01' | tojson }} {{ none | tojson }} {{ [] | tojson }}{{ {} | tojson }}
{{ deep | tojson(indent=2) }} {{ map | tojson(sort_keys=true) }} {{ 'ü👍' | tojson(ensure_ascii=true) }} {{ [1, 2] | tojson(separators=(',', ':')) }} {{ [[], {}] | tojson(indent=4) }}
{{ missing | tojson }}
{{ {1: 2, none: 3, true: 4} | tojson }} {{ 1.0 | tojson }} {{ (1, 2) | tojson }} {{ true | tojson }}
{{ 'a\nb\n\nc' | indent }} {{ 'a\nb' | indent(2, true) }} {{ 'a\n\nb' | indent(2, blank=true) }} {{ 'a\nb\n' | indent(2) }}| {{ 'a\nb' | indent('> ') }}
{{ '<a>' | safe }} {{ '<a & "b">' | e }} {{ 'x' | string }}
{{ n is defined }} {{ missing is defined }} {{ missing is undefined }} {{ none_ is none }} {{ s is string }} {{ map is mapping }} {{ list is mapping }} {{ n is number }} {{ yes is number }}
{{ n is integer }} {{ yes is integer }} {{ x is float }} {{ yes is boolean }} {{ yes is true }} {{ yes is false }} {{ 1 is true }} {{ list is iterable }} {{ s is iterable }} {{ n is iterable }} {{ missing is iterable }}
{{ list is sequence }} {{ map is sequence }} {{ n is sequence }} {{ 3 is odd }} {{ 3 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 1 is eq 1 }} {{ 1 is equalto(2) }} {{ 1 is ne 2 }} {{ 1 is lt 2 }} {{ 2 is ge 2 }}
{{ 'a' is in 'abc' }} {{ n is not none }} {{ n is not defined }} {{ none is sameas none }} {{ 'ab' is lower }} {{ 'AB' is upper }} {{ range is callable }} {{ not n is defined }} {{ n is defined and n == 3 }}
{{ n is defined and missing is not defined or false }} {{ messages[0].role is string and true }} {{ x is number == true }}
{{ n is nonsense }}
{{ n | nonsense }}
{{ nonsense(1) }}
{{ 'it''s' }} {{ "a\"b" }} {{ 'a\'b' }} {{ '\u00e9\x41\101' }} {{ 'tab\there' }} {{ '\q' }} {{ 'line\
joined' }}
{{ {'a': {'b': '}}'}}['a']['b'] }} {{ '%}' }} {{ {} }}{{ {'a': 1,} }} {{ [1, 2,] }} {{ () }} {{ (1,) }}
{# a comment #}x{#- y -#}  z {# {{ n }} #}
{% raw %}{{ n }} {% if %}{% endraw %} x{% raw -%}  y  {%- endraw %}
{{ raise_exception('no ' ~ n) }}
{{ strftime_now('%Y-%m-%d %H:%M:%S %B %b %A %a %y %j %p %I %% %d %-d') }}
{{ dict(a=1, b='x') }} {{ dict({'q': 1}) }} {{ ['it', "it's", 'say "x"', '\'"', '\n', '\x00é\u200b'] }}
{{ 1 if missing is defined and missing.x else 2 }} {{ (n > 2) and (n < 4) }} {{ [n, n + 1][1] }} {{ {'a': n}.a }}
{%- if true -%}   a   {%- endif -%}   b   {{- ' c ' -}}   d   {#- x -#}   e
'''.strip('\n').replace('{{ \'line\\\njoined\' }}', '').split('\n') + [
    'a\n{% if true %}\nb\n{% endif %}\nc\n', 'a\n   {% if true %}   \n  b\n   {% endif %}  c\n', '  {% set x = 1 %}  \n  {{ x }}  \n',
    'a\n\n{% if true %}\n\nb\n\n{% endif %}\n\nc\n\n', 'x  {%+ if true %}\n y {% endif +%}\n z', '   {#- c -#}   \n  x', '{# c #}\nx\n  {# d #}\ny',
    'a\r\nb\rc\n{% if true %}\r\nd{% endif %}', '{% for i in [1, 2] %}\n  {{ i }}\n{% endfor %}\nend', '{% for i in [1, 2] -%}\n  {{ i }}\n{%- endfor %}\nend',
    '{% if true %}\n\t{% if true %}\n\t\tx\n\t{% endif %}\n{% endif %}', '{{ "a" }}\n\n', '{{ "a\nb" }}\n{{- "c" }}', '{% raw %}\n  x\n{% endraw %}\ny', '  {% raw %}  x  {% endraw %}  ',
    '{{ 1 -}}\n {{+ 2 }}', '{{-1}} {{ -1 }} {{- 1 -}} x', '\n\n{% if true %}x{% endif %}\n', '\u3000{% if true %}x{% endif %}', 'x\u2003{%- if true -%}\u2003y{% endif %}',
    '{% if true %}', '{% endif %}', '{{ ', '{% for %}', '{{ 1 + }}', '{% if x %}{% else %}{% else %}{% endif %}', '{{ (1 }}', '{{ [1) }}', '{# never', '{% unknown %}', "{{ 'x }}", '{{ 1 2 }}', '{% set %}',
    '{%if yes%}a{%endif%}{{n}}', '{% set x = "a" "b" %}{{x}}', "{{ messages[0]['content'] + ('x' if loop is defined else 'y') }}", '{{ messages | length - 1 }}', '{{ -n | abs }}', "{{ 'a' ~ 'b' | upper }}", '{{ not n == 3 }}',
    '{{ [1, 2, 3] | map("string") | join("+") ~ "!" }}', '{{ 5 }}{{ 5.0 }}{{ 5e3 }}{{ 0.1 + 0.2 }}', '{{ messages[1:] | length }}', '{{ messages[::-1][0].content }}', '',
]
