"""A Llama of 1.2 B shape (that of Llama 3.2 1B) with random weights, for measuring speed.

Weights are drawn by name, so that another process on the same kind of device makes the same model again.
"""
import os
import sys
import types
import zlib

import torch
from transformers import AutoModelForCausalLM, GenerationConfig, LlamaConfig

SHAPE = dict(vocab_size=128256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
             num_attention_heads=32, num_key_value_heads=8, head_dim=64, max_position_embeddings=131072,
             rms_norm_eps=1e-5, rope_theta=500000.0, tie_word_embeddings=True, bos_token_id=128000, eos_token_id=128001)
TINY = dict(SHAPE, vocab_size=1024, hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, bos_token_id=1, eos_token_id=2)
MAX_SEQ = int(os.environ.get("LLAMA_MAX_SEQ", "1024"))


def config():
    shape = TINY if os.environ.get("LLAMA_TINY") else SHAPE
    return LlamaConfig(**dict(shape, num_hidden_layers=int(os.environ.get("LLAMA_LAYERS", shape["num_hidden_layers"]))))


def fill(name, tensor):
    """Norms are ones; everything else is drawn from a generator seeded by the parameter's name."""
    if tensor.ndim == 1:
        return tensor.fill_(1.0)
    generator = torch.Generator(device=tensor.device).manual_seed(zlib.crc32(name.encode()))
    return tensor.normal_(0.0, 0.02, generator=generator)


def build(device, generation_config=None, attn_implementation="sdpa", dtype=torch.bfloat16):
    """The model on `device`, ready for upstream's exporter."""
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config(), dtype=dtype, attn_implementation=attn_implementation)
    model.tie_weights()
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            fill(name, tensor)
    model.generation_config = generation_config or GenerationConfig(
        use_cache=True, cache_implementation="static", max_length=MAX_SEQ,
        cache_config={"batch_size": 1, "max_cache_len": MAX_SEQ})
    return model.eval()


def load(device, int4=False, dtype="bfloat16", **options):
    """The model of optimum's text-generation task, made here instead of read from a folder, and on `device` from the start:
    the weights can then be quantised on the GPU, which the packed int4 format needs. `options`: the task's."""
    name = "optimum.exporters.executorch.recipes.coreml"
    sys.modules.setdefault(name, types.ModuleType(name))  # needs a package that is of no use here
    from optimum.exporters.executorch.tasks import causal_lm

    class Loader:
        @staticmethod
        def from_pretrained(path, generation_config=None, attn_implementation="sdpa", **kw):
            return build(device, generation_config, attn_implementation, getattr(torch, dtype))

    original, causal_lm.AutoModelForCausalLM = causal_lm.AutoModelForCausalLM, Loader
    try:
        if int4:
            options.update(qlinear="4w", qlinear_packing_format="tile_packed_to_4d")
        return causal_lm.load_causal_lm_model("random-llama", dtype=dtype, config=config(), max_seq_len=MAX_SEQ, **options)
    finally:
        causal_lm.AutoModelForCausalLM = original
