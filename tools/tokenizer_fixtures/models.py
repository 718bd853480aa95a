# SPDX-License-Identifier: BSD-3-Clause
"""Small tokenizers of every kind, trained on the sentences of texts.py."""

import io
import random
import struct

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from . import texts

DEFINED = ['<x>', '\u2581\u2581', 'Men', '\n\n', 'a b']
# Instead of the large table of NFKC: some of everything it does.
RULES = ''.join(f'{a}\t{b}\n' for a, b in (
    ('A', '61'), ('B', '62'), ('FB01', '66 69'), ('2026', '2E 2E 2E'), ('3000', '20'), ('A0', '20'), ('9', '20'),
    ('65 301', 'E9'), ('200B', ''), ('FF46 FF55', '66 75'), ('1D400', '41'), ('BD', '31 2044 32'), ('D', '')))


def train(**options):
    model = io.BytesIO()
    options.setdefault('vocab_size', 400)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts.SENTENCES * 3), model_writer=model, minloglevel=2, num_threads=1,
        hard_vocab_limit=False, **options)
    return model.getvalue()


def edited(model, change):
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model)
    change(proto)
    return proto.SerializeToString()


def some_unused(proto):
    rand = random.Random(5)
    for piece in proto.pieces:
        if piece.type == 1 and len(piece.piece) > 1 and rand.random() < 0.3:
            piece.type = 5


def unescaped(proto):
    proto.normalizer_spec.escape_whitespaces = False


def other_surface(proto):
    proto.trainer_spec.unk_surface = '?!'


def rules(folder):
    path = folder / 'rules.tsv'
    path.write_text(RULES)
    return str(path)


def small(folder):
    """The ones in tests/data: (name, bytes)."""
    own = {'normalization_rule_tsv': rules(folder)}
    bpe = train(model_type='bpe', byte_fallback=True, vocab_size=600, character_coverage=0.98,
                user_defined_symbols=DEFINED, **own)
    return [
        ('spm_bpe_rules', edited(bpe, some_unused)),
        ('spm_bpe_suffix', train(model_type='bpe', treat_whitespace_as_suffix=True, **own)),
        ('spm_unigram_bytes', train(model_type='unigram', byte_fallback=True, vocab_size=600,
                                    normalization_rule_name='identity', remove_extra_whitespaces=False)),
        ('spm_unigram_defined', edited(train(model_type='unigram', user_defined_symbols=DEFINED, **own),
                                       other_surface)),
        ('spm_char', train(model_type='char', vocab_size=300, user_defined_symbols=DEFINED, **own)),
        ('spm_word', train(model_type='word', vocab_size=200, normalization_rule_name='identity')),
    ]


def many(folder):
    """All kinds that there are, for comparisons: (name, bytes)."""
    nfkc = {'normalization_rule_name': 'nmt_nfkc'}
    same = {'normalization_rule_name': 'identity', 'remove_extra_whitespaces': False}
    defined = {'user_defined_symbols': DEFINED}
    bpe = train(model_type='bpe', byte_fallback=True, vocab_size=700, **same)
    bpe_nfkc = train(model_type='bpe', **nfkc, **defined)
    unigram = train(model_type='unigram', **nfkc, **defined)
    return small(folder) + [
        ('bpe', bpe),
        ('bpe-unused', edited(bpe, some_unused)),
        ('bpe-unescaped', edited(bpe, unescaped)),
        ('bpe-nfkc', bpe_nfkc),
        ('bpe-nfkc-unused', edited(bpe_nfkc, some_unused)),
        ('bpe-casefold', train(model_type='bpe', normalization_rule_name='nmt_nfkc_cf', add_dummy_prefix=False,
                               byte_fallback=True, character_coverage=0.99, vocab_size=700)),
        ('bpe-suffix', train(model_type='bpe', treat_whitespace_as_suffix=True, **nfkc, **defined)),
        ('bpe-sentences', train(model_type='bpe', split_by_whitespace=False, split_by_unicode_script=False)),
        ('unigram', unigram),
        ('unigram-unused', edited(unigram, some_unused)),
        ('unigram-bytes', train(model_type='unigram', byte_fallback=True, vocab_size=700, **same)),
        ('unigram-sentences', train(model_type='unigram', split_by_whitespace=False, add_dummy_prefix=False,
                                    allow_whitespace_only_pieces=True, remove_extra_whitespaces=False,
                                    normalization_rule_name='nfkc')),
        ('unigram-suffix', train(model_type='unigram', treat_whitespace_as_suffix=True)),
        ('char', train(model_type='char', vocab_size=300, **nfkc, **defined)),
        ('word', train(model_type='word', vocab_size=300, **nfkc, **defined)),
    ]


def llama2c(model):
    """llama2.c's export of a SentencePiece model."""
    p = sentencepiece.SentencePieceProcessor(model_proto=model)
    pieces = [p.id_to_piece(i).replace('\u2581', ' ').encode() for i in range(p.vocab_size())]
    out = struct.pack('<4i', len(pieces), p.bos_id(), p.eos_id(), max(map(len, pieces)))
    for i, piece in enumerate(pieces):
        out += struct.pack('<fi', p.get_score(i), len(piece)) + piece
    return out
