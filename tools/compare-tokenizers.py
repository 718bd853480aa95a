#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare Pteris's tokenizers with the reference libraries on texts at random.

    python tools/compare-tokenizers.py [--count N] [--build FOLDER] [TOKENIZER...]

needs sentencepiece 0.2.3, protobuf, tiktoken, tokenizers 0.23 and pytorch_tokenizers, and a build with its benchmarks.
Without tokenizers it trains small ones of every kind (tokenizer_fixtures/models.py) and takes those
of tests/data; else the .model, .json and .bin files that are named. Ids, and what they decode to, must
be equal; texts at random have scripts, emoji, combining marks, spaces of all sorts, control characters, names of
special tokens, and for those libraries that take it bytes that are not UTF-8.
"""

import argparse
import base64
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

import sentencepiece
import tiktoken
import tokenizers

from tokenizer_fixtures import huggingface, models, texts

TOP = pathlib.Path(__file__).parent.parent
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def ours(tool, path, data, flags):
    """Pteris's results: a list of (ids, decoded bytes)."""
    query = b''.join(struct.pack('<I', len(d)) + d for d in data)
    answer = subprocess.run([tool, path, flags], input=query, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for _ in data:
        n, = struct.unpack_from('<I', answer, at)
        ids = list(struct.unpack_from(f'<{n}i', answer, at + 4))
        at += 4 + 4 * n
        n, = struct.unpack_from('<I', answer, at)
        yield ids, answer[at + 4:at + 4 + n]
        at += 4 + n


class SentencePiece:
    extra = models.DEFINED + ['<s>', '</s>', '<unk>']
    flags = 'p'

    def __init__(self, path):
        self.model = sentencepiece.SentencePieceProcessor(model_file=str(path))

    def __call__(self, data):
        ids = self.model.encode(data)
        return ids, self.model.decode(ids).encode()


class Tiktoken:
    extra = ['<|eot_id|>', '<|begin_of_text|>', '<|python_tag|>', '<|reserved_special_token_3|>', '<|eot']
    flags = 'sk'

    def __init__(self, path):
        ranks = {base64.b64decode(a): int(b) for a, b in (s.split() for s in open(path, 'rb') if s.strip())}
        n = len(ranks)
        special = {'<|begin_of_text|>': n, '<|eot_id|>': n + 9, '<|python_tag|>': n + 10,
                   '<|reserved_special_token_3|>': n + 12}
        self.model = tiktoken.Encoding('x', pat_str=LLAMA3, mergeable_ranks=ranks, special_tokens=special)

    def __call__(self, data):
        try:
            ids = self.model.encode(data.decode(), allowed_special='all')
        except UnicodeDecodeError:
            if any(e.encode() in data for e in self.extra):
                return None
            ids = self.model._encode_bytes(data)
        return ids, self.model.decode_bytes(ids).decode(errors='replace').encode()


class HuggingFace:
    """tokenizer.json. Special tokens are always recognised there, and not decoded."""
    extra = ['[MASK]', '<s>', '##', '[CLS]', 'a|b']
    flags = 's'

    def __init__(self, path):
        self.model = tokenizers.Tokenizer.from_file(str(path))

    def __call__(self, data):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        try:
            ids = self.model.encode(text, add_special_tokens=False).ids
        except Exception:  # pylint: disable=broad-except
            return None
        # Its tables of characters are older than these; it keeps the "##" of a first piece.
        if '\u061d' in text or '\u32ff' in text:
            return None
        names = [t for t in (self.model.id_to_token(i) for i in ids) if not (t[0] == '[' and t[-1] == ']')]
        odd = self.model.decoder is None or any(t.startswith('##') for t in names[:1])
        return ids, None if odd else self.model.decode(ids, skip_special_tokens=True).encode()


class Tekken:
    extra = ['[INST]', '<s>', '<SPECIAL_30>']
    flags = 'p'

    def __init__(self, path):
        tekken = json.load(open(path, encoding='utf-8'))
        self.first = tekken['config']['default_num_special_tokens']
        size = tekken['config']['default_vocab_size'] - self.first
        ranks = {base64.b64decode(t['token_bytes']): t['rank'] for t in tekken['vocab'] if t['rank'] < size}
        self.model = tiktoken.Encoding('x', pat_str=tekken['config']['pattern'], mergeable_ranks=ranks,
                                       special_tokens={})

    def __call__(self, data):
        try:
            ids = self.model.encode(data.decode())
        except UnicodeDecodeError:
            ids = self.model._encode_bytes(data)
        return [i + self.first for i in ids], self.model.decode_bytes(ids).decode(errors='replace').encode()


class Llama2c:
    extra = []
    flags = 'p'

    def __init__(self, path):
        from pytorch_tokenizers import CppLlama2cTokenizer
        self.model = CppLlama2cTokenizer()
        self.model.load(str(path))

    def __call__(self, data):
        # Upstream reads up to a zero, refuses nothing and what is not UTF-8, and decodes piece by piece.
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        return None if '\0' in text or not text else (self.model.encode(text, 0, 0), None)


def reference(path):
    head = path.read_bytes()[:4096]
    if path.suffix == '.json':
        return HuggingFace(path) if b'"added_tokens"' in path.read_bytes() else Tekken(path)
    if path.suffix == '.bin':
        return Llama2c(path)
    return SentencePiece(path) if head[0] == 10 else Tiktoken(path)


def compare(tool, path, count):
    theirs = reference(path)
    data = [t.encode() for t in texts.texts(11, count, theirs.extra)] + texts.damaged(12, count // 10)
    wrong = compared = 0
    for text, (ids, decoded) in zip(data, ours(tool, path, data, theirs.flags)):
        answer = theirs(text)
        if answer is None:
            continue
        compared += 1
        if answer[0] != ids or answer[1] not in (None, decoded):
            wrong += 1
            if wrong <= 3:
                print('   ', text, '\n     ', ids, decoded, '\n     ', *answer)
    print(f'{path}: {compared} texts, {wrong} differ', flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--count', type=int, default=10000)
    parser.add_argument('--build', default=TOP / 'build', type=pathlib.Path)
    parser.add_argument('tokenizer', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = options.tokenizer
        if not paths:
            data = TOP / 'tests/data/tokenizers'
            paths = list(data.glob('*/*'))
            for name, model in models.many(pathlib.Path(folder)):
                paths.append(pathlib.Path(folder) / f'{name}.model')
                paths[-1].write_bytes(model)
            for name, model in huggingface.many():
                paths.append(pathlib.Path(folder) / f'{name}.json')
                model.save(str(paths[-1]))
        wrong = sum(compare(options.build / 'tests/bench/tokenize', p, options.count) for p in sorted(paths))
    sys.exit(wrong > 0)


if __name__ == '__main__':
    main()
