"""A GGUF file for llama.cpp: the weights of another GGUF in another quantisation, or a Llama of random weights.

Usage: make_gguf.py SOURCE_GGUF OUT_GGUF Q8_0|Q4_0|Q4_1
       make_gguf.py llama-1b OUT_GGUF Q8_0|Q4_0|Q4_1   (the shape of tools/export/random_llama.py)
"""
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, LlamaFileType, dequantize, quantize

LLAMA_1B = dict(vocab=128256, width=2048, hidden=8192, layers=16, heads=32, kv_heads=8, rope=500000.0, eps=1e-5)


def add(writer, name, weights, kind):
    """Matrices are quantised, vectors stay floats."""
    if weights.ndim == 1:
        writer.add_tensor(name, weights.astype(np.float32))
        return
    writer.add_tensor(name, quantize(weights.astype(np.float32), kind), raw_dtype=kind)


def finish(writer, kind):
    writer.add_file_type(getattr(LlamaFileType, f"MOSTLY_{kind.name}"))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def convert(source, out, kind):
    reader = GGUFReader(source)
    writer = GGUFWriter(out, reader.fields["general.architecture"].contents())
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue
        if field.types[0] == GGUFValueType.ARRAY:
            writer.add_array(name, field.contents())
        else:
            writer.add_key_value(name, field.contents(), field.types[0])
    for t in reader.tensors:
        shape = tuple(int(n) for n in reversed(t.shape))
        add(writer, t.name, dequantize(t.data, t.tensor_type).reshape(shape), kind)
    finish(writer, kind)


def random_llama(out, kind, s):
    random = np.random.default_rng(0)
    head = s["width"] // s["heads"]
    writer = GGUFWriter(out, "llama")
    writer.add_block_count(s["layers"])
    writer.add_context_length(2048)
    writer.add_embedding_length(s["width"])
    writer.add_feed_forward_length(s["hidden"])
    writer.add_head_count(s["heads"])
    writer.add_head_count_kv(s["kv_heads"])
    writer.add_layer_norm_rms_eps(s["eps"])
    writer.add_rope_freq_base(s["rope"])
    writer.add_rope_dimension_count(head)
    writer.add_vocab_size(s["vocab"])
    writer.add_tokenizer_model("no_vocab")

    def matrix(name, rows, columns):
        add(writer, name, random.normal(0, 0.02, (rows, columns)).astype(np.float32), kind)

    matrix("token_embd.weight", s["vocab"], s["width"])
    add(writer, "output_norm.weight", np.ones(s["width"], np.float32), kind)
    for i in range(s["layers"]):
        for norm in ("attn_norm", "ffn_norm"):
            add(writer, f"blk.{i}.{norm}.weight", np.ones(s["width"], np.float32), kind)
        matrix(f"blk.{i}.attn_q.weight", s["width"], s["width"])
        matrix(f"blk.{i}.attn_k.weight", s["kv_heads"] * head, s["width"])
        matrix(f"blk.{i}.attn_v.weight", s["kv_heads"] * head, s["width"])
        matrix(f"blk.{i}.attn_output.weight", s["width"], s["width"])
        matrix(f"blk.{i}.ffn_gate.weight", s["hidden"], s["width"])
        matrix(f"blk.{i}.ffn_up.weight", s["hidden"], s["width"])
        matrix(f"blk.{i}.ffn_down.weight", s["width"], s["hidden"])
    finish(writer, kind)


def main(source, out, kind):
    kind = GGMLQuantizationType[kind]
    if source == "llama-1b":
        random_llama(out, kind, LLAMA_1B)
    else:
        convert(source, out, kind)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
