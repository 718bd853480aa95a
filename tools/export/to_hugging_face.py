"""The original weights of a starter model -> a Hugging Face folder that the export recipes load.

Usage: to_hugging_face.py smollm2 GGUF OUT_DIR
       to_hugging_face.py whisper MODEL_BIN OUT_DIR TOKENIZER_JSON
"""
import shutil
import sys

import torch
from transformers import (LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, WhisperConfig,
                          WhisperFeatureExtractor, WhisperForConditionalGeneration)

from weights import read_ctranslate2, read_gguf


def load(model, state):
    result = model.load_state_dict({k: torch.from_numpy(v.copy()) for k, v in state.items()}, strict=False)
    unexpected = [k for k in result.missing_keys if k not in ("lm_head.weight", "proj_out.weight")]
    if unexpected or result.unexpected_keys:
        raise SystemExit(f"missing {unexpected}, unexpected {result.unexpected_keys}")
    model.tie_weights()
    return model.eval()


def smollm2(source, out):
    meta, tensors = read_gguf(open(source, "rb").read())
    names = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
             "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
             "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
    state = {"model.embed_tokens.weight": tensors["token_embd.weight"],
             "model.norm.weight": tensors["output_norm.weight"]}
    layers = meta["llama.block_count"]
    for i in range(layers):
        for gguf, hf in names.items():
            state[f"model.layers.{i}.{hf}.weight"] = tensors[f"blk.{i}.{gguf}.weight"]
    config = LlamaConfig(
        vocab_size=len(meta["tokenizer.ggml.tokens"]), hidden_size=meta["llama.embedding_length"],
        intermediate_size=meta["llama.feed_forward_length"], num_hidden_layers=layers,
        num_attention_heads=meta["llama.attention.head_count"],
        num_key_value_heads=meta["llama.attention.head_count_kv"], max_position_embeddings=8192,
        rms_norm_eps=meta["llama.attention.layer_norm_rms_epsilon"], rope_theta=meta["llama.rope.freq_base"],
        tie_word_embeddings=True, bos_token_id=1, eos_token_id=2)
    load(LlamaForCausalLM(config), state).save_pretrained(out)
    smollm2_tokenizer(meta).save_pretrained(out)


def smollm2_tokenizer(meta):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    tokens = meta["tokenizer.ggml.tokens"]
    merges = [tuple(m.split(" ")) for m in meta["tokenizer.ggml.merges"]]
    t = Tokenizer(models.BPE(vocab={s: i for i, s in enumerate(tokens)}, merges=merges, fuse_unk=False))
    t.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)])
    t.decoder = decoders.ByteLevel()
    control = [s for s, kind in zip(tokens, meta["tokenizer.ggml.token_type"]) if kind == 3]
    t.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in control])
    fast = PreTrainedTokenizerFast(tokenizer_object=t, bos_token="<|im_start|>", eos_token="<|im_end|>",
                                   unk_token="<|endoftext|>", pad_token="<|im_end|>")
    fast.chat_template = meta["tokenizer.chat_template"]
    return fast


def whisper_state(v):
    state = {}

    def norm(dst, src):
        state[dst + ".weight"], state[dst + ".bias"] = v[src + "/gamma"], v[src + "/beta"]

    def linear(dst, src):
        state[dst + ".weight"], state[dst + ".bias"] = v[src + "/weight"], v[src + "/bias"]

    def split(dsts, src):
        # Fused projections, one below the other; keys have no bias in Whisper.
        w, b = v[src + "/weight"], v[src + "/bias"]
        d = w.shape[0] // len(dsts)
        for i, dst in enumerate(dsts):
            state[dst + ".weight"] = w[i * d:(i + 1) * d]
            if not dst.endswith("k_proj"):
                state[dst + ".bias"] = b[i * d:(i + 1) * d]

    for side in ("encoder", "decoder"):
        for i in range(6):
            p, q = f"model.{side}.layers.{i}", f"{side}/layer_{i}"
            norm(p + ".self_attn_layer_norm", q + "/self_attention/layer_norm")
            split([f"{p}.self_attn.{x}_proj" for x in "qkv"], q + "/self_attention/linear_0")
            linear(p + ".self_attn.out_proj", q + "/self_attention/linear_1")
            if side == "decoder":
                norm(p + ".encoder_attn_layer_norm", q + "/attention/layer_norm")
                linear(p + ".encoder_attn.q_proj", q + "/attention/linear_0")
                split([f"{p}.encoder_attn.{x}_proj" for x in "kv"], q + "/attention/linear_1")
                linear(p + ".encoder_attn.out_proj", q + "/attention/linear_2")
            norm(p + ".final_layer_norm", q + "/ffn/layer_norm")
            linear(p + ".fc1", q + "/ffn/linear_0")
            linear(p + ".fc2", q + "/ffn/linear_1")
        norm(f"model.{side}.layer_norm", f"{side}/layer_norm")
        state[f"model.{side}.embed_positions.weight"] = v[f"{side}/position_encodings/encodings"]
    for n in (1, 2):
        linear(f"model.encoder.conv{n}", f"encoder/conv{n}")
    state["model.decoder.embed_tokens.weight"] = v["decoder/embeddings/weight"]
    return state


def whisper(source, out, tokenizer_json):
    config = WhisperConfig(
        vocab_size=51865, num_mel_bins=80, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8,
        decoder_attention_heads=8, encoder_ffn_dim=2048, decoder_ffn_dim=2048, d_model=512,
        max_source_positions=1500, max_target_positions=448, bos_token_id=50257, eos_token_id=50257,
        pad_token_id=50257, decoder_start_token_id=50258)
    model = load(WhisperForConditionalGeneration(config), whisper_state(read_ctranslate2(open(source, "rb").read())))
    model.generation_config.decoder_start_token_id = 50258
    model.generation_config.eos_token_id = 50257
    model.save_pretrained(out)
    WhisperFeatureExtractor(feature_size=80).save_pretrained(out)
    shutil.copy(tokenizer_json, out + "/tokenizer.json")


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("smollm2", "whisper"):
        raise SystemExit(__doc__)
    {"smollm2": smollm2, "whisper": whisper}[sys.argv[1]](*sys.argv[2:])
