# SPDX-License-Identifier: BSD-3-Clause
"""Small tokenizer.json of every model, normalizer and pre-tokenizer but those of the byte pairs in tests/data."""

import pathlib
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE, Unigram, WordLevel, WordPiece
from tokenizers.trainers import BpeTrainer, WordLevelTrainer, WordPieceTrainer

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


def marked(pre_tokenizer, decoder, byte_level=False, **options):
    """Byte pairs that mark the end or the inside of words."""
    tokenizer = Tokenizer(BPE(unk_token='[UNK]', **options))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoder
    marks = {k: options[k] for k in ('end_of_word_suffix', 'continuing_subword_prefix') if k in options}
    letters = pre_tokenizers.ByteLevel.alphabet() if byte_level else []
    tokenizer.train_from_iterator(texts.SENTENCES * 3, BpeTrainer(
        vocab_size=900, special_tokens=['[UNK]', '[MASK]'], initial_alphabet=letters, show_progress=False, **marks))
    return tokenizer


def letters():
    """One token a letter, as of speech models that are trained with CTC."""
    names = ['<pad>', '<s>', '</s>', '<unk>', '|'] + list("ETAOINHSRDLUMWCFGYPBVK'XJQZ.?")
    tokenizer = Tokenizer(WordLevel({name: i for i, name in enumerate(names)}, unk_token='<unk>'))
    tokenizer.normalizer = normalizers.Replace(Regex(r'[^\S\n]'), '|')
    tokenizer.pre_tokenizer = pre_tokenizers.Split('', 'isolated')
    tokenizer.decoder = decoders.CTC()
    tokenizer.add_special_tokens(['<pad>', '<s>', '</s>', '<unk>'])
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
        ('hf_bpe_end', marked(p.Whitespace(), d.BPEDecoder(), end_of_word_suffix='</w>')),
        ('hf_bpe_inside', marked(p.BertPreTokenizer(), d.WordPiece(), continuing_subword_prefix='##')),
        ('hf_letters', letters()),
    ]


def many():
    """All that there are, for comparisons: (name, tokenizer)."""
    n, p, d = normalizers, pre_tokenizers, decoders
    nfkc = n.Precompiled(charsmap('nmt_nfkc'))
    return small() + [
        ('bpe-both', marked(p.Whitespace(), d.BPEDecoder('@@'), end_of_word_suffix='@@',
                            continuing_subword_prefix='##', fuse_unk=True)),
        ('bpe-end-bytes', marked(p.ByteLevel(False), d.ByteLevel(), True, end_of_word_suffix='</w>')),
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
        ('level-any', word_level(None, p.Split(Regex(r'[\s\S]'), 'isolated'))),
        ('level-none', word_level(None, p.Split(Regex(r'[^\S\n]+'), 'removed'))),
        ('level-empty-previous', word_level(None, p.Split(Regex(r'\s*'), 'merged_with_previous'))),
        ('level-empty-next', word_level(None, p.Split(Regex(r' ?'), 'merged_with_next'))),
        ('level-empty-contiguous', word_level(n.Replace('', '-'), p.Split(Regex(r'\p{L}*'), 'contiguous'))),
        ('level-empty-inverted', word_level(n.Replace(Regex('x*'), '-'), p.Split(Regex(r'\d*'), 'removed', True))),
    ]
