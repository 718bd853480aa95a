"""Match every segment of an exported model.ptd with the original tensor it came from.

Usage: make_manifest.py smollm2|whisper|minilm|silero MODEL SOURCE_WEIGHTS OUT_DIR

MODEL is a .ptd, or a .pte with its weights inside. Writes OUT_DIR/manifest.json (see tools/starter/pack.h) and the head
of the file, OUT_DIR/model.ptd.head or model.pte.head, and checks that the transforms give
the bytes back.
"""
import json
import pathlib
import sys
import zipfile

import numpy as np
from executorch.extension.flat_tensor.serialize.serialize import FlatTensorHeader, _deserialize_to_flat_tensor

from weights import read_ctranslate2, read_gguf, read_safetensors


def int8_rows(w):
    s = row_scales(w)
    return np.clip(np.rint(w / s[:, None].reshape((-1,) + (1,) * (w.ndim - 1))), -127, 127).astype(np.int8)


def row_scales(w):
    s = np.abs(w.reshape(w.shape[0], -1)).max(1).astype(np.float32) / np.float32(127)
    s[s == 0] = 1
    return s


TRANSFORMS = {
    "f32": lambda w: w,
    "f32_perm_021": lambda w: w.transpose(0, 2, 1) if w.ndim == 3 else None,
    "int8_rows": lambda w: int8_rows(w) if w.ndim >= 2 else None,
    "row_scales": lambda w: row_scales(w) if w.ndim >= 2 else None,
}


def fused_parts(name):
    """The number of projections that CTranslate2 stacked in one tensor."""
    if "self_attention/linear_0/" in name:
        return 3
    if "/attention/linear_1/" in name:
        return 2
    return 1


def silero_tensors(jit):
    """Those of 16 kHz in the order of upstream's JIT file, as source.json names them."""
    archive, out = zipfile.ZipFile(jit), {}
    with open(f"{pathlib.Path(__file__).parent}/../../resources/starter/silero-vad/source.json") as f:
        wanted = json.load(f)
    for file, tensor in zip(wanted["files"], wanted["tensors"]):
        out[tensor["name"]] = np.frombuffer(archive.read(file["member"]), np.float32).reshape(tensor["shape"])
    return out


def candidates(kind, source):
    """(tensor name, first row, end row) -> rows."""
    data = open(source, "rb").read()
    if kind == "smollm2":
        return {(name, 0, a.shape[0]): a for name, a in read_gguf(data)[1].items()}
    if kind == "silero":
        return {(name, 0, a.shape[0]): a for name, a in silero_tensors(source).items()}
    if kind == "minilm":
        return {(name, 0, a.shape[0]): a for name, a in read_safetensors(data).items() if a.ndim > 0}
    out = {}
    for name, a in read_ctranslate2(data).items():
        step = a.shape[0] // fused_parts(name)
        for begin in range(0, a.shape[0], step):
            out[name, begin, begin + step] = a[begin:begin + step]
    return out


def write(out, name, data, entries):
    head = min(e["offset"] for e in entries)
    with open(f"{out}/manifest.json", "w") as f:
        json.dump({"file_size": len(data), "head_size": head, "entries": entries}, f, indent=0)
    with open(f"{out}/{name}.head", "wb") as f:
        f.write(data[:head])


def inside_program(kind, pte, source, out):
    """The weights by their bytes, and what is between them."""
    data = open(pte, "rb").read()
    found = []
    for (tensor, begin, end), rows in candidates(kind, source).items():
        made = [(t, np.ascontiguousarray(f(rows)).tobytes()) for t, f in TRANSFORMS.items() if f(rows) is not None]
        places = [(data.find(raw), len(raw), t) for t, raw in made if len(raw) > 64 and raw in data]
        if not places:
            print("not in the program, or small:", tensor, rows.shape)
            continue
        offset, size, transform = places[0]
        found.append({"key": tensor, "offset": offset, "size": size, "tensor": tensor, "rows": [begin, end],
                      "transform": transform})  # fmt: skip
    found.sort(key=lambda e: e["offset"])
    entries = []
    for e, after in zip(found, [*(f["offset"] for f in found[1:]), len(data)]):
        end = e["offset"] + e["size"]
        rest = data[end:after].rstrip(b"\0")
        entries.append(e)
        if rest:
            entries.append({"key": f"after {e['key']}", "offset": end, "size": len(rest), "transform": "bytes",
                            "hex": rest.hex()})  # fmt: skip
    write(out, "model.pte", data, entries)


def main(kind, ptd, source, out):
    if ptd.endswith(".pte"):
        inside_program(kind, ptd, source, out)
        return
    data = open(ptd, "rb").read()
    base = FlatTensorHeader.from_bytes(data[8:48]).segment_base_offset
    table = _deserialize_to_flat_tensor(data)
    by_bytes = {}
    for where, rows in candidates(kind, source).items():
        for name, transform in TRANSFORMS.items():
            made = transform(rows)
            if made is not None:
                by_bytes.setdefault(np.ascontiguousarray(made).tobytes(), (where, name))
    entries, unmatched = [], []
    for named in table.named_data:
        segment = table.segments[named.segment_index]
        entry = {"key": named.key, "offset": base + segment.offset, "size": segment.size}
        raw = data[entry["offset"]:entry["offset"] + segment.size]
        if raw in by_bytes:
            (tensor, begin, end), transform = by_bytes[raw]
            entry.update(tensor=tensor, rows=[begin, end], transform=transform)
        elif segment.size <= 4096:
            entry.update(transform="bytes", hex=raw.hex())
        else:
            unmatched.append((named.key, segment.size))
        entries.append(entry)
    if unmatched:
        raise SystemExit(f"no source for {unmatched}")
    write(out, "model.ptd", data, entries)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
