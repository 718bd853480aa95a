"""Text models of known shapes with random weights, for measuring speed: export them for NVIDIA GPUs with upstream's recipe.

Usage: random_llama.py SHAPE OUT_DIR [int4]      SHAPE: llama-1.2b, llama-8b, qwen3-0.6b, tiny; bfloat16 without int4

LLAMA_MAX_SEQ is the length of the cache (1024), LLAMA_LAYERS another number of layers. int4 is tile packed, in groups of
32; scales are those of the largest and smallest weight, because the search of the recipe takes minutes and random
weights have nothing to find. Weights are drawn by name, so that another process on the same kind of device makes the
same model again. Needs an NVIDIA GPU.
"""
import os
import sys
import types
import zlib

import torch
from transformers import AutoModelForCausalLM, GenerationConfig, LlamaConfig, Qwen3Config

LLAMA = dict(vocab_size=128256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
             num_attention_heads=32, num_key_value_heads=8, head_dim=64, max_position_embeddings=131072,
             rms_norm_eps=1e-5, rope_theta=500000.0, tie_word_embeddings=True, bos_token_id=128000, eos_token_id=128001)
LLAMA_8B = dict(LLAMA, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, head_dim=128,
                tie_word_embeddings=False)
QWEN3 = dict(vocab_size=151936, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16,
             num_key_value_heads=8, head_dim=128, max_position_embeddings=40960, rms_norm_eps=1e-6, rope_theta=1e6,
             tie_word_embeddings=True, bos_token_id=151643, eos_token_id=151645)
TINY = dict(LLAMA, vocab_size=1024, hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, bos_token_id=1, eos_token_id=2)
SHAPES = {"llama-1.2b": (LlamaConfig, LLAMA), "llama-8b": (LlamaConfig, LLAMA_8B), "qwen3-0.6b": (Qwen3Config, QWEN3),
          "tiny": (LlamaConfig, TINY)}
MAX_SEQ = int(os.environ.get("LLAMA_MAX_SEQ", "1024"))


def config(name=None):
    kind, shape = SHAPES[name or ("tiny" if os.environ.get("LLAMA_TINY") else "llama-1.2b")]
    return kind(**dict(shape, num_hidden_layers=int(os.environ.get("LLAMA_LAYERS", shape["num_hidden_layers"]))))


def fill(name, tensor):
    """Norms are ones; everything else is drawn from a generator seeded by the parameter's name."""
    if tensor.ndim == 1:
        return tensor.fill_(1.0)
    generator = torch.Generator(device=tensor.device).manual_seed(zlib.crc32(name.encode()))
    return tensor.normal_(0.0, 0.02, generator=generator)


def build(device, generation_config=None, attn_implementation="sdpa", dtype=torch.bfloat16, name=None):
    """The model on `device`, ready for upstream's exporter."""
    with torch.device(device):
        model = AutoModelForCausalLM.from_config(config(name), dtype=dtype, attn_implementation=attn_implementation)
    model.tie_weights()
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            fill(name, tensor)
    model.generation_config = generation_config or GenerationConfig(
        use_cache=True, cache_implementation="static", max_length=MAX_SEQ,
        cache_config={"batch_size": 1, "max_cache_len": MAX_SEQ})
    return model.eval()


def without_search():
    """int4 scales from the largest and smallest weight of a group, instead of the recipe's search."""
    from torchao.quantization import quant_api

    class Config(quant_api.Int4WeightOnlyConfig):
        def __init__(self, **options):
            super().__init__(**dict(options, int4_choose_qparams_algorithm="tinygemm"))

    quant_api.Int4WeightOnlyConfig = Config
    quant_api.register_quantize_module_handler(Config)(quant_api._int4_weight_only_transform)


def load(device, int4=False, dtype="bfloat16", name=None, **options):
    """The model of optimum's text-generation task, made here instead of read from a folder, and on `device` from the start:
    the weights can then be quantised on the GPU, which the packed int4 format needs. `options`: the task's."""
    recipe = "optimum.exporters.executorch.recipes.coreml"
    sys.modules.setdefault(recipe, types.ModuleType(recipe))  # needs a package that is of no use here
    from optimum.exporters.executorch.tasks import causal_lm

    class Loader:
        @staticmethod
        def from_pretrained(path, generation_config=None, attn_implementation="sdpa", **kw):
            return build(device, generation_config, attn_implementation, getattr(torch, dtype), name)

    original, causal_lm.AutoModelForCausalLM = causal_lm.AutoModelForCausalLM, Loader
    try:
        if int4:
            options.update(qlinear="4w", qlinear_packing_format="tile_packed_to_4d")
        return causal_lm.load_causal_lm_model("random-llama", dtype=dtype, config=config(name), max_seq_len=MAX_SEQ,
                                              **options)
    finally:
        causal_lm.AutoModelForCausalLM = original


def main(name, out, int4=None):
    if int4 is not None:
        without_search()
    model = load("cuda", int4 is not None, name=name)
    from optimum.exporters.executorch.recipes import cuda
    program = cuda.export_to_executorch_with_cuda(model)["model"]
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "model.pte"), "wb") as f:
        program.write_to_file(f)
    program.write_tensor_data_to_file(out)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in SHAPES or sys.argv[3:] not in ([], ["int4"]):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
