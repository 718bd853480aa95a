"""Read the original weights of the starter models: GGUF, CTranslate2 and safetensors files as float32 arrays."""
import json
import struct

import numpy as np


class Cursor:
    """Little-endian numbers and strings from bytes, front to back."""

    def __init__(self, data, pos=0):
        self.data, self.pos = data, pos

    def take(self, fmt):
        value = struct.unpack_from("<" + fmt, self.data, self.pos)
        self.pos += struct.calcsize("<" + fmt)
        return value[0] if len(value) == 1 else value

    def text(self, length_fmt):
        n = self.take(length_fmt)
        raw = self.data[self.pos:self.pos + n]
        self.pos += n
        return raw.decode("utf-8", "replace").rstrip("\0")


def read_ctranslate2(data):
    """All float16 variables of a CTranslate2 model.bin: {name: array}."""
    c = Cursor(data)
    c.take("I"), c.text("H"), c.take("I")
    tensors = {}
    for _ in range(c.take("I")):
        name, rank = c.text("H"), c.take("B")
        dims = [c.take("I") for _ in range(rank)]
        kind, size = c.take("B"), c.take("I")
        if kind == 4:
            tensors[name] = np.frombuffer(data, np.float16, size // 2, c.pos).astype(np.float32).reshape(dims)
        c.pos += size
    return tensors


def read_safetensors(data):
    """All float32 and float16 tensors of a safetensors file: {name: array}."""
    length = struct.unpack_from("<Q", data)[0]
    kinds = {"F32": np.float32, "F16": np.float16}
    tensors = {}
    for name, t in json.loads(data[8:8 + length]).items():
        if t.get("dtype") in kinds:
            begin, end = (8 + length + x for x in t["data_offsets"])
            tensors[name] = np.frombuffer(data[begin:end], kinds[t["dtype"]]).astype(np.float32).reshape(t["shape"])
    return tensors


FIXED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}


def gguf_value(c, kind):
    if kind == 8:
        return c.text("Q")
    if kind == 9:
        inner, n = c.take("I"), c.take("Q")
        return [gguf_value(c, inner) for _ in range(n)]
    return c.take(FIXED[kind])


def gguf_blocks(data, kind, n, at):
    """n elements of GGUF tensor type `kind` at byte `at`, dequantised."""
    if kind == 0:
        return np.frombuffer(data, np.float32, n, at)
    if kind == 8:  # Q8_0: float16 scale, 32 int8
        b = np.frombuffer(data, np.dtype([("d", "<f2"), ("q", "i1", 32)]), n // 32, at)
        return b["q"].astype(np.float32) * b["d"].astype(np.float32)[:, None]
    if kind == 3:  # Q4_1: float16 scale and minimum, 32 nibbles, the low ones first
        b = np.frombuffer(data, np.dtype([("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)]), n // 32, at)
        q = np.concatenate([b["q"] & 15, b["q"] >> 4], 1).astype(np.float32)
        return q * b["d"].astype(np.float32)[:, None] + b["m"].astype(np.float32)[:, None]
    raise SystemExit(f"GGUF tensor type {kind} is not handled")


def read_gguf(data):
    """(metadata, tensors) of a GGUF file; query and key rows in the order of Hugging Face: [head, half, 2]."""
    c = Cursor(data, 4)
    _, n_tensors, n_values = c.take("I"), c.take("Q"), c.take("Q")
    meta = {}
    for _ in range(n_values):
        key = c.text("Q")
        meta[key] = gguf_value(c, c.take("I"))
    infos = []
    for _ in range(n_tensors):
        name, rank = c.text("Q"), c.take("I")
        dims = [c.take("Q") for _ in range(rank)]
        infos.append((name, dims[::-1], c.take("I"), c.take("Q")))
    align = meta.get("general.alignment", 32)
    base = (c.pos + align - 1) // align * align
    tensors = {}
    for name, dims, kind, offset in infos:
        a = np.asarray(gguf_blocks(data, kind, int(np.prod(dims)), base + offset), np.float32).reshape(dims)
        heads = {"attn_q.": "llama.attention.head_count", "attn_k.": "llama.attention.head_count_kv"}
        for part, key in heads.items():
            if part in name:
                a = a.reshape(meta[key], dims[0] // meta[key] // 2, 2, dims[1]).swapaxes(1, 2).reshape(dims)
        tensors[name] = a
    return meta, tensors
