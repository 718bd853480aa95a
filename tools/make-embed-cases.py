#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write look-alikes of embedding models and of a privacy filter with random weights, and what they
should give: tests/data/embed. "text-embedding" there is not made by this.

    python tools/make-embed-cases.py OUT

Needs ExecuTorch 1.2 and tokenizers.
"""
import json
import os
import re
import sys

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import nn
from torch.export import Dim, export

TEXTS = ["Hello, world!", "What is the capital of France?", "a",
         "The quick brown fox jumps over the lazy dog, and then it does so again and again and again."]


class Encoder(nn.Module):
    """One layer of attention that heeds the mask; @pool: "mean", "first" or "none"."""

    def __init__(self, vocab, d, out, pool):
        super().__init__()
        self.tokens, self.norm, self.out, self.pool = nn.Embedding(vocab, d), nn.LayerNorm(d), nn.Linear(d, out), pool
        self.q, self.k, self.v = (nn.Linear(d, d) for _ in range(3))

    def forward(self, ids, mask):
        x = self.norm(self.tokens(ids))
        m = mask.to(x.dtype)
        a = self.q(x) @ self.k(x).transpose(1, 2) / x.shape[-1] ** 0.5 + (1 - m)[:, None] * -1e4
        x = self.out(x + a.softmax(-1) @ self.v(x))
        if self.pool == "none":
            return x
        x = (x * m[..., None]).sum(1) / m.sum(1, keepdim=True) if self.pool == "mean" else x[:, :1]
        return x / x.norm(dim=-1, keepdim=True)


class Rows(Encoder):
    def forward(self, ids, mask):
        x = super().forward(ids, mask)
        return x / x.norm(dim=-1, keepdim=True)


def program(path, module, n, fixed):
    bound = None if fixed else Dim("n", min=1, max=n)
    example = (torch.ones(1, n if fixed else 8, dtype=torch.int64),) * 2
    shapes = None if fixed else ({1: bound}, {1: bound})
    edge = to_edge_transform_and_lower(
        export(module.eval(), (example[0], example[1].clone()), dynamic_shapes=shapes, strict=False),
        partitioner=[XnnpackPartitioner()], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    pte = edge.to_executorch(ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
        sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass()))
    with open(path, "wb") as f:
        f.write(pte.buffer)


def words():
    """A small WordPiece tokenizer as BERT's, with a template and padding."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + list("!\"',.?:")
    letters = "abcdefghijklmnopqrstuvwxyz"
    names += list(letters) + ["##" + c for c in letters]
    names += ["hello", "world", "what", "is", "the", "of", "quick", "fox", "dog", "and", "again", "##ing", "##er"]
    t = Tokenizer(models.WordPiece({w: i for i, w in enumerate(names)}, unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    t.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return t


def pieces():
    """A small Unigram tokenizer as XLM-RoBERTa's: id 0 is a real token."""
    names = ["<s>", "<pad>", "</s>", "<unk>"]
    vocab = [(w, 0.0) for w in names] + [("▁", -3.0)]
    vocab += [(c, -6.0 - i / 10) for i, c in enumerate("eatoinshrdlucmfwypvbgkjqxz,.?!HWTF")]
    vocab += [("▁the", -4.0), ("▁and", -4.2), ("▁again", -5.0), ("ing", -5.1), ("er", -5.2), ("llo", -5.5), ("▁wor", -5.6)]
    t = Tokenizer(models.Unigram(vocab, 3))
    t.normalizer, t.pre_tokenizer = normalizers.NFKC(), pre_tokenizers.Metaspace()
    t.decoder = decoders.Metaspace()
    t.add_special_tokens(names)
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return t


def letters():
    """Byte-level BPE without merges but a few; any text can be put together again from its tokens."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {c: i for i, c in enumerate(alphabet)}
    merges = [("Ġ", "t"), ("h", "e"), ("i", "n"), ("Ġt", "he"), ("a", "n"), ("l", "l"), ("Ġ", "A"), ("o", "m")]
    for a, b in merges:
        vocab[a + b] = len(vocab)
    t = Tokenizer(models.BPE(vocab, merges))
    t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    t.add_special_tokens(["<|endoftext|>"])
    return t


def write(folder, family, tokenizer, module, n, fixed, extra):
    os.makedirs(folder, exist_ok=True)
    program(os.path.join(folder, "model.pte"), module, n, fixed)
    tokenizer.save(os.path.join(folder, "tokenizer.json"), pretty=False)
    case = {"name": os.path.basename(folder), "family": family, "program": "model.pte", "tokenizer": "tokenizer.json",
            "tolerance": {"rtol": 1e-3, "atol": 2e-4}, **extra}
    with open(os.path.join(folder, "case.json"), "w") as f:
        json.dump(case, f, ensure_ascii=False)


def encode(tokenizer, text, n, fixed, pad):
    t = Tokenizer.from_str(tokenizer.to_str())
    t.enable_truncation(min(n, t.truncation["max_length"]) if t.truncation else n)
    if fixed:
        t.enable_padding(length=n, pad_id=pad)
    e = t.encode(text)
    return torch.tensor([e.ids]), torch.tensor([e.attention_mask])


def embedding(out, name, tokenizer, d, n, fixed, pool, prompts=("", ""), pad=0):
    vocab = tokenizer.get_vocab_size()
    module = (Rows if pool == "none" else Encoder)(vocab, 16, d, pool)
    want = []
    for text in TEXTS:
        for i, prompt in enumerate(prompts):
            ids, mask = encode(tokenizer, prompt + text, n, fixed, pad)
            with torch.no_grad():
                y = module(ids, mask).reshape(-1, d)
            if pool == "none":
                y = y[: int(mask.sum())]
            want.append({"text": text, "query": i == 0, "tokens": int(mask.sum()),
                         "vectors": [[round(float(v), 6) for v in row] for row in y]})
    write(os.path.join(out, name), "token-embedding" if pool == "none" else "text-embedding", tokenizer, module, n, fixed,
          {"embeddings": want})


def viterbi(scores, roles):
    """The best path by trying the grammar's steps, as protocols.md says it."""
    def ok(a, b):
        if a[0] in "BI":
            return b[0] in "IE" and a[1:] == b[1:]
        return b[0] in "OBS"
    sums, back = [s if roles[i][0] in "OBS" else -1e30 for i, s in enumerate(scores[0])], []
    for row in scores[1:]:
        steps = [max(((sums[i], -i) for i in range(len(roles)) if ok(roles[i], roles[j])), default=(-1e30, 0)) for j in range(len(roles))]
        back.append([-s[1] for s in steps])
        sums = [s[0] + row[j] for j, s in enumerate(steps)]
    path = [max(range(len(sums)), key=lambda i: sums[i])]
    for row in reversed(back):
        path.append(row[path[-1]])
    return path[::-1]


def privacy(out, name, labels, n):
    tokenizer, pad = letters(), letters().token_to_id("<|endoftext|>")
    module = Encoder(tokenizer.get_vocab_size(), 16, len(labels), "none")
    with torch.no_grad():
        module.out.weight *= 6
    want = []
    for text in ["My name is Tom.", "Alice lives in Zürich, and the tall man calls her on 044 123 45 67 every day at noon. " * 3, ""]:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        found, begin = [0] * len(ids), 0
        while begin < len(ids):
            part = ids[begin:begin + n]
            x = torch.tensor([part + [pad] * (n - len(part))])
            m = torch.tensor([[1] * len(part) + [0] * (n - len(part))])
            with torch.no_grad():
                path = viterbi(module(x, m)[0, :len(part)].tolist(), labels)
            last = begin + n >= len(ids)
            first, end = 0 if begin == 0 else n // 4, len(part) if last else n - n // 4
            found[begin + first:begin + end] = path[first:end]
            begin += n // 2
            if last:
                break
        spans, i = [], 0
        tokens = [tokenizer.id_to_token(x) for x in ids]
        byte = {c: b for b, c in enumerate_bytes()}
        raw = [bytes(byte[c] for c in token) for token in tokens]
        while i < len(ids):
            entity, k = labels[found[i]][2:], i
            while k < len(ids) and labels[found[k]][2:] == entity:
                k += 1
            part = b"".join(raw[i:k])
            start = sum(map(len, raw[:i])) + len(part) - len(part.lstrip())
            end, data = start + len(part.strip()), b"".join(raw)
            if spans:
                start = max(start, spans[-1]["end"])
            while start > 0 and start < len(data) and data[start] & 0xC0 == 0x80:
                start -= 1
            while end < len(data) and data[end] & 0xC0 == 0x80:
                end += 1
            if entity and part.strip() and start < end:
                spans.append({"label": entity, "start": start, "end": end})
            i = k
        want.append({"text": text, "tokens": len(ids), "spans": spans})
    write(os.path.join(out, name), "token-classifier", tokenizer, module, n, True,
          {"privacy": want, "labels": len(labels)})


def enumerate_bytes():
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    more = [b for b in range(256) if b not in plain]
    return [(b, chr(b)) for b in plain] + [(b, chr(256 + i)) for i, b in enumerate(more)]


class Misfit(nn.Module):
    """Takes ids and a mask as the others, and returns what none of them does."""

    def __init__(self, kind):
        super().__init__()
        self.tokens, self.kind = nn.Embedding(96, 32), kind
        if kind == "labels":
            self.out = nn.Linear(32, 33)

    def forward(self, ids, mask):
        x = self.tokens(ids)
        if self.kind == "nan":
            return torch.log(-1 - x.sum(1) ** 2)
        if self.kind == "labels":  # as a privacy filter, but of any length
            return self.out(x * mask.to(x.dtype)[..., None])
        if self.kind == "rows":
            return x[:, :3] * mask.to(x.dtype).sum()
        return x.mean(1) * mask.to(x.dtype).sum()


def main():
    out = sys.argv[1]
    os.makedirs(os.path.join(out, "../embed-misfits"), exist_ok=True)
    for kind, n, fixed in (("nan", 16, False), ("rows", 16, True), ("one", 1, True), ("labels", 16, False)):
        program(os.path.join(out, "../embed-misfits", kind + ".pte"), Misfit(kind), n, fixed)
    torch.manual_seed(3)
    bert = words()
    bert.enable_truncation(24)
    bert.enable_padding(length=24, pad_id=0, pad_token="[PAD]")
    embedding(out, "bert-embedding", bert, 48, 40, False, "mean")
    embedding(out, "xlmr-embedding", pieces(), 40, 32, False, "mean")
    clip = words()
    clip.enable_truncation(20)
    clip.enable_padding(length=20, pad_id=0, pad_token="[PAD]")
    embedding(out, "clip-text", clip, 64, 20, True, "mean")
    embedding(out, "lfm2.5-embedding", words(), 56, 64, False, "first", ("query: ", "document: "))
    colbert = words()
    colbert.add_special_tokens(["[Q] ", "[D] "])
    embedding(out, "colbert", colbert, 36, 48, False, "none", ("[Q] ", "[D] "))
    names = ["account_number", "private_address", "private_date", "private_email", "private_person", "private_phone",
             "private_url", "secret"]
    with open(os.path.join(os.path.dirname(__file__), "../engine/tasks/embed/privacy-labels.c"), encoding="utf-8") as f:
        detailed = re.findall(r'"(\w+)"', f.read().split("DETAILED[] = {")[1].split("};")[0])
    nemotron = ["O"] + [p + "-" + e for e in detailed for p in "BIES"]
    privacy(out, "privacy-filter", ["O"] + [p + "-" + e for e in names for p in "BIES"], 32)
    privacy(out, "privacy-filter-nemotron", nemotron, 48)


main()
