"""Export Whisper for the CPU: the encoder returns the decoder's cross-attention keys and values
[2 * layers, 1500, heads, head_dim], the decoder takes several tokens at once. Method names and the order of arguments
are those of upstream's layout.

Usage: export_whisper.py HF_DIR OUT_DIR
"""
import copy
import os
import sys

import optimum.exporters.executorch.convert  # noqa: F401 (registers the quantised operators)
import torch
import torch.nn.functional as F
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.external_constants_pass import delegate_external_constants_pass_unlifted
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401 (registers llama::*)
from optimum.executorch.passes.remove_padding_idx_embedding_pass import RemovePaddingIdxEmbeddingPass
from optimum.exporters.executorch.quantization import quantize_model_
from torch import nn
from transformers import WhisperForConditionalGeneration

sdpa = torch.ops.llama.custom_sdpa


class Shape:
    def __init__(self, config):
        self.layers, self.heads = config.decoder_layers, config.decoder_attention_heads
        self.dim = config.d_model // self.heads
        self.frames, self.positions = config.max_source_positions, config.max_target_positions

    def split(self, x, n):
        return x.view(1, n, self.heads, self.dim)

    def join(self, x, n):
        return x.reshape(1, n, self.heads * self.dim)


class Encoder(nn.Module):
    def __init__(self, model, shape):
        super().__init__()
        self.shape, self.encoder = shape, model.model.encoder
        layers = model.model.decoder.layers
        self.keys = nn.ModuleList([copy.deepcopy(x.encoder_attn.k_proj) for x in layers])
        self.values = nn.ModuleList([copy.deepcopy(x.encoder_attn.v_proj) for x in layers])

    def forward(self, mel):
        s, e = self.shape, self.encoder
        x = F.gelu(e.conv2(F.gelu(e.conv1(mel)))).permute(0, 2, 1) + e.embed_positions.weight
        for layer in e.layers:
            h, a = layer.self_attn_layer_norm(x), layer.self_attn
            q, k, v = (s.split(p(h), s.frames) for p in (a.q_proj, a.k_proj, a.v_proj))
            x = x + a.out_proj(s.join(sdpa(q, k, v, 0, None, 0.0, False, s.dim**-0.5), s.frames))
            x = x + layer.fc2(F.gelu(layer.fc1(layer.final_layer_norm(x))))
        x = e.layer_norm(x)
        pairs = [s.split(p(x), s.frames) for kv in zip(self.keys, self.values) for p in kv]
        return torch.cat(pairs, 0)


class Decoder(nn.Module):
    def __init__(self, model, shape):
        super().__init__()
        d = model.model.decoder
        self.shape, self.embed, self.layers, self.norm, self.proj = shape, d.embed_tokens, d.layers, d.layer_norm, model.proj_out
        self.register_buffer("positions", d.embed_positions.weight.detach().clone())
        for i in range(shape.layers):
            for name in (f"k{i}", f"v{i}"):
                cache = torch.zeros(1, shape.positions, shape.heads, shape.dim)
                self.register_buffer(name, cache, persistent=False)

    def self_attention(self, layer, i, h, n, start):
        s, a = self.shape, layer.self_attn
        q, k, v = (s.split(p(h), n) for p in (a.q_proj, a.k_proj, a.v_proj))
        keys, values = getattr(self, f"k{i}"), getattr(self, f"v{i}")
        torch.ops.llama.update_cache(k, keys, start)
        torch.ops.llama.update_cache(v, values, start)
        return a.out_proj(s.join(sdpa(q, keys, values, start, None, 0.0, True, s.dim**-0.5), n))

    def cross_attention(self, layer, i, h, n, kv):
        s, a = self.shape, layer.encoder_attn
        q = s.split(a.q_proj(h), n)
        # start_pos + n = frames: all keys are considered.
        o = sdpa(q, kv[2 * i:2 * i + 1], kv[2 * i + 1:2 * i + 2], s.frames - n, None, 0.0, False, s.dim**-0.5)
        return a.out_proj(s.join(o, n))

    def forward(self, ids, kv, cache_position):
        n, start = ids.shape[1], cache_position[0].item()
        torch._check(start >= 0)
        torch._check(start + n <= self.shape.positions)
        x = self.embed(ids) + self.positions[cache_position]
        for i, layer in enumerate(self.layers):
            x = x + self.self_attention(layer, i, layer.self_attn_layer_norm(x), n, start)
            x = x + self.cross_attention(layer, i, layer.encoder_attn_layer_norm(x), n, kv)
            x = x + layer.fc2(F.gelu(layer.fc1(layer.final_layer_norm(x))))
        return self.proj(self.norm(x))


def quantize(encoder, decoder):
    quantize_model_(eager_model=encoder, qlinear_config="8da8w")
    quantize_model_(eager_model=decoder.layers, qlinear_config="8da8w")
    quantize_model_(eager_model=nn.Sequential(decoder.proj), qlinear_config="8da8w")
    quantize_model_(eager_model=decoder, qembedding_config="8w")


def export_tagged(module, args, **kw):
    """Exports twice: the tags that send a delegate's constants to model.ptd go on in between."""
    graph = torch.export.export(module, args, strict=True, **kw).module()
    delegate_external_constants_pass_unlifted(graph, lambda node: "model")
    return torch.export.export(graph, args, strict=True, **kw)


def main(source, out):
    model = WhisperForConditionalGeneration.from_pretrained(source, dtype=torch.float32).eval()
    config, shape = model.config, Shape(model.config)
    model.proj_out.weight = nn.Parameter(model.proj_out.weight.detach().clone(), requires_grad=False)
    encoder, decoder = Encoder(model, shape).eval(), Decoder(model, shape).eval()
    quantize(encoder, decoder)
    n = torch.export.Dim("n", min=1, max=shape.positions - 1)
    mel = torch.randn(1, config.num_mel_bins, 2 * shape.frames)
    with torch.no_grad():
        args = (torch.zeros(1, 3, dtype=torch.long), encoder(mel), torch.arange(3))
        methods = {"encoder": export_tagged(encoder, (mel,)),
                   "text_decoder": export_tagged(decoder, args, dynamic_shapes=({1: n}, None, {0: n}))}
    metadata = {"get_max_seq_len": shape.positions, "get_vocab_size": config.vocab_size, "decoder_start_token_id": 50258,
                "get_bos_id": 50257, "get_eos_id": 50257, "get_n_layers": shape.layers, "get_head_dim": shape.dim,
                "sample_rate": 16000, "get_n_mels": config.num_mel_bins, "use_kv_cache": True,
                "enable_dynamic_shape": True}
    program = to_edge_transform_and_lower(
        methods, partitioner=[XnnpackPartitioner()], constant_methods=metadata,
        compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True),
        transform_passes=[RemovePaddingIdxEmbeddingPass()],
    ).to_executorch(ExecutorchBackendConfig(
        extract_delegate_segments=True, do_quant_fusion_and_const_prop=True,
        memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False), external_constants=lambda node: "model"))
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "model.pte"), "wb") as f:
        program.write_to_file(f)
    program.write_tensor_data_to_file(out)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
