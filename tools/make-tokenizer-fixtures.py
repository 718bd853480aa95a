#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write the tokenizers of tests/data/tokenizers that are made here, with the ids they must give.

    python tools/make-tokenizer-fixtures.py [FOLDER]

needs sentencepiece 0.2.3, protobuf, tokenizers 0.23 and pytorch_tokenizers. Each is a folder NAME with the tokenizer
and a NAME.json: texts (or bytes that are no text, as base64) with the reference's ids and what these
decode to. The files change only when sentencepiece or tokenizer_fixtures does.
"""

import base64
import json
import pathlib
import sys
import tempfile

import sentencepiece

from tokenizer_fixtures import huggingface, models, texts


def write(folder, name, kind, vocab_size, rows):
    with open(folder / f'{name}.json', 'w', encoding='utf-8') as f:
        f.write(f'{{"name": "{name}", "kind": "{kind}", "vocab_size": {vocab_size}, "strings": [\n')
        f.write(',\n'.join(json.dumps(row, ensure_ascii=False) for row in rows))
        f.write(']}\n')


def sentencepiece_rows(model):
    p = sentencepiece.SentencePieceProcessor(model_proto=model)
    for text in [''] + texts.texts(1, 150, models.DEFINED + ['<s>', '</s>', '<unk>']):
        ids = p.encode(text)
        yield {'text': text, 'ids': ids, 'decoded': p.decode(ids)}
    for data in texts.damaged(2, 20):
        ids = p.encode(data)
        yield {'base64': base64.b64encode(data).decode(), 'ids': ids, 'decoded': p.decode(ids)}


def llama2c_rows(path):
    from pytorch_tokenizers import CppLlama2cTokenizer
    t = CppLlama2cTokenizer()
    t.load(str(path))
    for text in texts.texts(3, 150):
        # Upstream reads up to a zero, and refuses a text of nothing.
        text = text.replace('\0', '')
        if text:
            yield {'text': text, 'ids': t.encode(text, 0, 0)}


def huggingface_rows(t):
    for text in [''] + texts.texts(4, 150, ['[MASK]', '[CLS]', 'a|b']):
        if '\u061d' in text or '\u32ff' in text:
            continue  # newer than the library's tables of characters
        ids = t.encode(text, add_special_tokens=False).ids
        row = {'text': text, 'ids': ids, 'ids_with_special': t.encode(text).ids}
        if t.decoder is not None and '##' not in text:
            row['decoded_skip_special'] = t.decode(ids, skip_special_tokens=True)
            if row['decoded_skip_special'].startswith('##'):
                del row['decoded_skip_special']  # the library keeps the mark of a first piece
        yield row


def write_huggingface(folder):
    for name, t in huggingface.small():
        (folder / name).mkdir(parents=True, exist_ok=True)
        text = json.dumps(json.loads(t.to_str()), ensure_ascii=False, separators=(',', ':'))
        (folder / name / 'tokenizer.json').write_text(text, encoding='utf-8')
        write(folder, name, 'hf', t.get_vocab_size(), huggingface_rows(t))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parent.parent / 'tests/data/tokenizers')
    write_huggingface(folder)
    with tempfile.TemporaryDirectory() as scratch:
        for name, model in models.small(pathlib.Path(scratch)):
            (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / name / 'tokenizer.model').write_bytes(model)
            p = sentencepiece.SentencePieceProcessor(model_proto=model)
            write(folder, name, 'spm', p.vocab_size(), sentencepiece_rows(model))
    model = models.train(model_type='bpe', byte_fallback=True, vocab_size=600, remove_extra_whitespaces=False,
                         normalization_rule_name='identity')
    path = folder / 'llama2c' / 'tokenizer.bin'
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(models.llama2c(model))
    p = sentencepiece.SentencePieceProcessor(model_proto=model)
    write(folder, 'llama2c', 'llama2c', p.vocab_size(), llama2c_rows(path))


if __name__ == '__main__':
    main()
