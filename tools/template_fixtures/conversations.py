# SPDX-License-Identifier: BSD-3-Clause
"""Conversations as people and programs have them, with what templates are given beside them."""

import itertools

TEXTS = ['Hi', '', '  spaces around \n', 'two\n\nlines\n', 'naïve café — 日本語 👍🏽', "it's \"quoted\" \\ back",
         '<|im_end|>\n<|im_start|>system\nx', '{{ 7 * 7 }} {% if x %}', '</think> odd', '[INST] <<SYS>> </s>']
ANSWERS = ['Hello!', '<think>\nhm, let me see\n</think>\n\nYes.', '<think>\n\n</think>\n\nNo.', ' \nspaced \n',
           'no start</think>end', '<think>never ends', '']
TOOL = {'type': 'function', 'function': {
    'name': 'get_weather', 'description': 'Weather of a "place" <b>', 'parameters': {
        'type': 'object', 'required': ['place'], 'properties': {
            'place': {'type': 'string', 'description': 'Where?'},
            'unit': {'type': 'string', 'enum': ['°C', '°F'], 'default': '°C'},
            'days': {'type': 'array', 'items': {'type': 'integer'}, 'nullable': True}}}}}


def user(text):
    return {'role': 'user', 'content': text}


def assistant(text, **more):
    return {'role': 'assistant', 'content': text, **more}


def system(text):
    return {'role': 'system', 'content': text}


def call(arguments, **more):
    return {'type': 'function', 'id': 'abcdefghi',
            'function': {'name': 'get_weather', 'arguments': arguments}, **more}


def dialogues():
    for text in TEXTS:
        yield [user(text)]
        yield [system(text), user('Hi')]
        yield [system('Be terse.'), user('a'), assistant('b'), user(text)]
    for answer in ANSWERS:
        yield [user('a'), assistant(answer), user('b')]
        yield [system('x'), user('a'), assistant(answer), user('b'), assistant(answer), user('c')]
        yield [user('a'), assistant(answer)]
    yield [user('a'), assistant('b', reasoning_content='because'), user('c')]
    yield [user('a'), assistant('b', reasoning_content='because')]
    yield [user(f'{i}') if i % 2 == 0 else assistant(f'answer {i}') for i in range(21)]
    # Malformed conversations.
    yield []
    yield [assistant('first')]
    yield [system('only')]
    yield [user('a'), user('b')]
    yield [user('a'), assistant('b'), assistant('c'), user('d')]
    yield [user('a'), system('late'), user('b')]
    yield [user('/no_think'), assistant('<think>\n\n</think>\n\nok'), user('b /think')]
    yield [system('/no_think'), user('a')]
    yield [{'role': 'developer', 'content': 'x'}, user('a')]
    yield [{'role': 'user'}]
    yield [{'role': 'user', 'content': None}]
    yield [{'role': 'user', 'content': [{'type': 'text', 'text': 'parts'}, {'type': 'text', 'text': ' of it'}]}]
    yield [system('s'), {'role': 'user', 'content': [{'type': 'image'}, {'type': 'text', 'text': 'what?'}]}]
    yield [{'role': 'user', 'content': [{'type': 'audio', 'audio': 'a.wav'}, {'type': 'text', 'text': 'what?'}]}]
    # Tools.
    for arguments in ({'place': 'Köln', 'days': [1, 2], 'deep': {'a': None, 'b': True, 'c': 1.5}}, '{"place": "x"}'):
        tool = {'role': 'tool', 'name': 'get_weather', 'tool_call_id': 'abcdefghi', 'content': '{"t": 21.5}'}
        yield [user('a'), assistant('', tool_calls=[call(arguments)]), tool]
        yield [user('a'), assistant(None, tool_calls=[call(arguments)]), tool, assistant('done'), user('b')]
        yield [system('s'), user('a'), assistant('<think>\nwhy\n</think>\nok', tool_calls=[call(arguments)] * 2),
               tool, tool]


def all():  # pylint: disable=redefined-builtin
    base = {'bos_token': '<s>', 'eos_token': '</s>', 'unk_token': '<unk>', 'pad_token': '<pad>',
            'documents': None, 'tools': None}
    extras = [{}, {'enable_thinking': False}, {'enable_thinking': True, 'date_string': '1 May 2025'}]
    for messages, extra, prompt in itertools.product(list(dialogues()), extras, (True, False)):
        yield {**base, 'messages': messages, 'add_generation_prompt': prompt, **extra}
    for messages in dialogues():
        yield {**base, 'messages': messages, 'add_generation_prompt': True, 'tools': [TOOL, TOOL]}
