# SPDX-License-Identifier: BSD-3-Clause
"""Small programs with the methods of Kokoro as react-native-executorch publishes it, a voice, and
the samples that docs/formats/protocols.md, section 17 gives for them; and a phonemizer, with the
phonemes that it gives. ExecuTorch 1.2.

    python tools/make-speak-fixtures.py tests/data/speak
"""
import json
import math
import os
import struct
import sys

import torch
from torch import nn
from torch.export import Dim, export
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass

WIDTH, TICK, TICKS = 64, 600, 40
LENGTHS = (12, 20)
VOCABULARY = {c: i for i, c in zip(
    [*range(1, 7), *range(9, 26), 31, 33, 35, 36, 39, *range(41, 49), *range(50, 73), *range(75, 79), *range(80, 84), 85, 86,
     87, 90, 92, 99, *range(101, 104), *range(110, 117), 118, 119, 120, 123, 125, 126, *range(128, 134), 135, 136, 138,
     139, 140, 142, 143, 147, 148, 156, 157, 158, 162, 164, 169, 171, 172, 173, 177],
    ";:,.!?—…\"()“” \u0303ʣʥʦʨᵝ\uAB67AIOQSTWYᵊabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔˈˌːʰʲ↓→↗↘ᵻ")}
PAUSES = {".": 375, "?": 500, "!": 250, ";": 400, "…": 600, ",": 130, ":": 250, "-": 200, "—": 250}


class Predictor(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(178, 16)
        self.features = nn.Linear(16, WIDTH)
        self.durations = nn.Linear(16, 1)
        self.style = nn.Linear(128, 16)

    def forward(self, tokens, mask, style, speed):
        x = (self.table(tokens) + self.style(style).unsqueeze(1)) * mask.unsqueeze(-1).float()
        seconds = torch.sigmoid(self.durations(x)).squeeze(-1).squeeze(0) * 4 / speed
        return seconds.round().clamp(min=1).to(torch.int64), self.features(x)


class Synthesizer(nn.Module):
    """A tone whose loudness and pitch are features of each tick's token."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(178, 16)
        self.mix = nn.Linear(WIDTH, 16)
        self.style = nn.Linear(256, 16)
        self.wave = nn.Linear(16, TICK)

    def forward(self, tokens, mask, indices, features, style):
        x = (self.table(tokens) + self.mix(features)) * mask.unsqueeze(-1).float()
        x = torch.index_select(x, 1, indices) + self.style(style).unsqueeze(1)
        return torch.tanh(self.wave(torch.tanh(x))).reshape(-1)


LETTERS = "'abcdefghijklmnopqrstuvwxyzßàáâãäåæç"  # the first ones
CLASSES = [None, *VOCABULARY, "ʑ"]  # class 0 separates phonemes
LEXICON = {"hello": "həlˈO", "the": {"DEFAULT": "ðə", "None": "ði"}, "NASA": "nˈæsə", "well-known": "wˈɛlnˈOn", "forty": "fˈɔɹɾi",
           "two": "tˈu", "point": "pˈYnt"}


class Phonemizer(nn.Module):
    """Two steps for each letter, that depend on it and its neighbours."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(144, 24)
        self.mix = nn.Conv1d(24, 48, 3, padding=1)
        self.classes = nn.Linear(24, len(CLASSES))

    def forward(self, letters):
        x = torch.tanh(self.mix(self.table(letters).transpose(1, 2)))
        x = x.reshape(1, 24, 2, -1).permute(0, 3, 2, 1).reshape(1, -1, 24)
        return torch.log_softmax(self.classes(x), -1)


def phonemes_of_letters(phonemizer, word):
    """Connectionist temporal classification, 20 letters at a time."""
    out = ""
    for i in range(0, len(word), 20):
        ids = [LETTERS.index(c) + 1 for c in word[i:i + 20].lower() if c in LETTERS]
        if ids:
            best = phonemizer(torch.tensor([ids]))[0].argmax(-1).tolist()
            out += "".join(CLASSES[c] for k, c in enumerate(best) if c != 0 and (k == 0 or best[k - 1] != c))
    return out


def phonemes_of_word(phonemizer, word):
    value = LEXICON.get(word, LEXICON.get(word.lower()))
    if isinstance(value, dict):
        value = value["DEFAULT"]
    return value if value is not None else phonemes_of_letters(phonemizer, word)


def make_texts(phonemizer):
    """Texts as the words that are said for them, with marks and spaces."""
    texts = [("Hello, THE world!", ["Hello", ",", " ", "THE", " ", "world", "!"]),
             ("NASA nasa?", ["NASA", " ", "nasa", "?"]),
             ("well-known self-made.", ["well-known", " ", "self", " ", "made", "."]),
             ("42.5% of 1,300", ["forty", " ", "two", " ", "point", " ", "five", " ", "percent", " ", "of", " ", "one", " ", "thousand",
                                  " ", "three", " ", "hundred"]),
             ("pneumonoultramicroscopicsilicovolcanoconiosis", ["pneumonoultramicroscopicsilicovolcanoconiosis"]),
             ("Ärger’s façade: xylophone aaa", ["ärger's", " ", "façade", ":", " ", "xylophone", " ", "aaa"])]
    return [{"text": t, "phonemes": "".join(w if not any(c.isalnum() for c in w) else phonemes_of_word(phonemizer, w) for w in words)}
            for t, words in texts]


def save_phonemizer(phonemizer, folder):
    n = Dim("n", min=1, max=20)
    path = os.path.join(folder, "phonemizer", "en-us")
    lower({"forward": (phonemizer, (torch.arange(7).unsqueeze(0),), ({1: n},))}, os.path.join(path, "phonemizer_en_us.pte"))
    with open(os.path.join(path, "lexicon.json"), "w", encoding="utf-8") as f:
        json.dump(LEXICON, f, ensure_ascii=False, indent=1)
        f.write("\n")
    with torch.no_grad(), open(os.path.join(folder, "phonemes.json"), "w", encoding="utf-8") as f:
        json.dump({"cases": make_texts(phonemizer)}, f, ensure_ascii=False, indent=1)
        f.write("\n")


def lower(methods, path):
    programs = {n: export(m.eval(), a, dynamic_shapes=d, strict=False) for n, (m, a, d) in methods.items()}
    edge = to_edge_transform_and_lower(
        programs, partitioner={n: [XnnpackPartitioner()] for n in programs},
        compile_config=EdgeCompileConfig(_check_ir_validity=False))
    program = edge.to_executorch(ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
        sym_shape_eval_pass={n: ConstraintBasedSymShapeEvalPass() for n in programs}))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        program.write_to_file(f)


def inputs(n, ticks):
    tokens = torch.arange(n).unsqueeze(0) % 178
    mask = torch.ones(1, n, dtype=torch.bool)
    return tokens, mask, torch.arange(ticks) % n, torch.zeros(1, n, WIDTH), torch.zeros(1, 256)


def save(predictor, synthesizer, folder):
    two, five = {}, {}
    for n in LENGTHS:
        tokens, mask, indices, features, style = inputs(n - 1, TICKS - 1)
        length, ticks = Dim("length", min=4, max=n), Dim("ticks", min=4, max=TICKS)
        two[f"forward_{n}"] = (predictor, (tokens, mask, style[:, :128], torch.ones(1)),
                               ({1: length}, {1: length}, None, None))
        five[f"forward_{n}"] = (synthesizer, (tokens, mask, indices, features, style),
                                ({1: length}, {1: length}, {0: ticks}, {1: length}, None))
    lower(two, os.path.join(folder, "duration_predictor.pte"))
    lower(five, os.path.join(folder, "synthesizer.pte"))


def scale(durations, target):
    total = sum(durations)
    factor = torch.tensor(target, dtype=torch.float32) / total
    exact = [(factor * d).item() for d in durations]
    shrinks = factor.item() < 1
    whole = [math.ceil(x) if shrinks else math.floor(x) for x in exact]
    order = sorted(range(len(whole)), key=lambda i: (abs(whole[i] - exact[i]), i), reverse=True)
    for i in order[:abs(target - sum(whole))]:
        whole[i] += -1 if shrinks else 1
    return whole


def trim(samples):
    def first(x):
        loud = [max(0.0, abs(v) - 0.005) for v in x]
        for i in range(9, len(x)):
            if sum(loud[i - 9:i + 1]) / 10 >= 0.005:
                return i
        return len(x) - 1
    begin, end = first(samples), len(samples) - 1 - first(samples[::-1])
    begin, end = max(begin - 1200, 0), min(end + 1200, len(samples) - 1)
    return samples[begin:end + 1]


def say(predictor, synthesizer, voice, piece, speed):
    last = piece[-1]
    piece = piece[1:] if piece[0] == " " else piece
    n = min(max(len(piece) + 2, 8), LENGTHS[-1])
    known = [VOCABULARY[c] for c in piece if c in VOCABULARY]
    ids = [0] + known + [0] * (n - 1 - len(known))
    tokens = torch.tensor([ids])
    mask = torch.tensor([[i < len(piece) + 2 for i in range(n)]])
    row = voice[min(len(piece), n, len(voice)) - 1].unsqueeze(0)
    durations, features = predictor(tokens, mask, row[:, 128:], torch.tensor([speed]))
    durations = durations.tolist()
    wanted = min(max(sum(durations), 16), TICKS)
    if wanted != sum(durations):
        durations = scale(durations, wanted)
    indices = torch.repeat_interleave(torch.arange(n), torch.tensor(durations))
    samples = synthesizer(tokens, mask, indices, features, row)
    pad = ids.index(0, 1)
    cut = n - 1 if last.isalpha() else n - 2
    samples = samples[:TICK * min(sum(durations[:pad + 1]), sum(durations[:cut]))]
    return trim(samples.tolist()) + [0.0] * (24 * PAUSES.get(last, 0))


def main(folder):
    torch.manual_seed(5)
    predictor, synthesizer = Predictor(), Synthesizer()
    with torch.no_grad():
        synthesizer.wave.weight.mul_(0.3)
    voice = torch.randn(18, 256) * 0.3
    save(predictor, synthesizer, folder)
    os.makedirs(os.path.join(folder, "voices"), exist_ok=True)
    with open(os.path.join(folder, "voices", "af_test.bin"), "wb") as f:
        f.write(struct.pack(f"<{voice.numel()}f", *voice.flatten().tolist()))
    torch.manual_seed(8)
    save_phonemizer(Phonemizer().eval(), folder)
    cases = []
    with torch.no_grad():
        for pieces, speed in ((["həlˈO"], 1.0), (["həlˈO wˈɜɹld."], 1.0), (["a b!"], 0.2),
                              (["wˈʌn tˈu,", " θɹˈi fˈɔɹ fˈIv?"], 1.7), (["ab#cd ef gh"], 1.0)):
            samples = [v for p in pieces for v in say(predictor, synthesizer, voice, p, speed)]
            cases.append({"phonemes": "".join(pieces), "speed": speed, "n": len(samples),
                          "samples": [round(v, 6) for v in samples[::97]]})
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as f:
        json.dump({"every": 97, "cases": cases}, f, ensure_ascii=False)
        f.write("\n")


main(sys.argv[1])
