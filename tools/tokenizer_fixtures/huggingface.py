# SPDX-License-Identifier: BSD-3-Clause
"""Small tokenizer.json of every model, normalizer and pre-tokenizer but those of the byte pairs in tests/data."""

import pathlib
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram, WordLevel, WordPiece
from tokenizers.trainers import WordLevelTrainer, WordPieceTrainer

from . import models, texts

BERT_SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']


def charsmap(name):
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(models.train(model_type='unigram', normalization_rule_name=name))
    return proto.normalizer_spec.precompiled_charsmap


def bert(normalizer, pre_tokenizer=None, **options):
    tokenizer = Tokenizer(WordPiece(unk_token='[UNK]', **options))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer or pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(texts.SENTENCES * 3, WordPieceTrainer(
        vocab_size=700, special_tokens=BERT_SPECIAL, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single='[CLS] $A [SEP]', pair='[CLS] $A [SEP] $B:1 [SEP]:1', special_tokens=[('[CLS]', 2), ('[SEP]', 3)])
    return tokenizer


def unigram(normalizer, pre_tokenizer, decoder, byte_fallback=False):
    p = sentencepiece.SentencePieceProcessor(model_proto=models.train(
        model_type='unigram', byte_fallback=byte_fallback, vocab_size=700,
        normalization_rule_name='identity', remove_extra_whitespaces=False))
    vocab = [(p.id_to_piece(i), p.get_score(i)) for i in range(p.vocab_size())]
    tokenizer = Tokenizer(Unigram(vocab, 0, byte_fallback))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoder
    tokenizer.add_special_tokens(['<s>', '</s>', AddedToken('[MASK]', lstrip=True)])
    return tokenizer


def word_level(normalizer, pre_tokenizer):
    tokenizer = Tokenizer(WordLevel(unk_token='[UNK]'))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(texts.SENTENCES * 3, WordLevelTrainer(
        vocab_size=400, special_tokens=BERT_SPECIAL, show_progress=False))
    return tokenizer


def small():
    """The ones in tests/data: (name, tokenizer)."""
    n, p, d = normalizers, pre_tokenizers, decoders
    rules = sentencepiece_model_pb2.ModelProto()
    with tempfile.TemporaryDirectory() as folder:
        rules.ParseFromString(models.train(
            model_type='unigram', normalization_rule_tsv=models.rules(pathlib.Path(folder))))
    own = n.Precompiled(rules.normalizer_spec.precompiled_charsmap)
    return [
        ('hf_word_piece', bert(n.BertNormalizer())),
        ('hf_unigram', unigram(n.Sequence([own, n.Replace(' {2,}', ' ')]), p.Metaspace(), d.Metaspace())),
        ('hf_unigram_bytes', unigram(n.NFKC(), p.Metaspace(prepend_scheme='first'), d.Sequence(
            [d.ByteFallback(), d.Metaspace(prepend_scheme='first')]), True)),
        ('hf_word_level', word_level(n.Sequence([n.NFD(), n.StripAccents(), n.Lowercase()]),
                                     p.Sequence([p.CharDelimiterSplit('|'), p.Whitespace()]))),
    ]


def many():
    """All that there are, for comparisons: (name, tokenizer)."""
    n, p, d = normalizers, pre_tokenizers, decoders
    nfkc = n.Precompiled(charsmap('nmt_nfkc'))
    return small() + [
        ('wp-cased', bert(n.BertNormalizer(lowercase=False))),
        ('wp-accents', bert(n.BertNormalizer(lowercase=True, strip_accents=False, handle_chinese_chars=False))),
        ('wp-dirty', bert(n.BertNormalizer(clean_text=False, strip_accents=True, lowercase=False))),
        ('wp-whitespace', bert(n.Sequence([n.NFKD(), n.StripAccents(), n.Lowercase()]), p.Whitespace())),
        ('wp-short', bert(n.NFKC(), p.WhitespaceSplit(), max_input_chars_per_word=12)),
        ('wp-punctuation', bert(n.Strip(), p.Sequence([p.WhitespaceSplit(), p.Punctuation('merged_with_previous'),
                                                       p.Digits(True)]))),
        ('uni-nfkc', unigram(nfkc, p.Metaspace(), d.Metaspace())),
        ('uni-nfkc-cf', unigram(n.Sequence([n.Precompiled(charsmap('nmt_nfkc_cf')), n.Strip(left=False)]),
                                p.Sequence([p.WhitespaceSplit(), p.Metaspace()]), d.Metaspace())),
        ('uni-bytes', unigram(n.NFC(), p.Metaspace(prepend_scheme='never', split=False), d.Sequence(
            [d.ByteFallback(), d.Metaspace(prepend_scheme='never')]), True)),
        ('uni-replace', unigram(n.Sequence([n.Prepend('\u2581'), n.Replace(' ', '\u2581')]), None, d.Sequence(
            [d.Replace('\u2581', ' '), d.Fuse(), d.Strip(' ', 1, 0)]))),
        ('level-split', word_level(None, p.Split(' ', 'merged_with_next'))),
        ('level-delimiter', word_level(n.Nmt(), p.CharDelimiterSplit(' '))),
        ('level-bert', word_level(n.Lowercase(), p.BertPreTokenizer())),
    ]
