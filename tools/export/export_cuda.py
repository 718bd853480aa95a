"""Export a program for NVIDIA GPUs with upstream's recipe (optimum-executorch's "cuda"), in bfloat16.

Usage: export_cuda.py whisper HF_DIR OUT_DIR          encoder, text_decoder, sampler
       export_cuda.py chat HF_DIR OUT_DIR [MAX_SEQ]   forward (ids, positions) -> logits, cache inside

Needs an NVIDIA GPU; the kernels are tuned for it and run on its architecture only.
"""
import os
import shutil
import sys

FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "preprocessor_config.json")


def without_core_ml():
    """The recipe loader imports every recipe; the one for Core ML needs a package that is of no use here."""
    import types
    name = "optimum.exporters.executorch.recipes.coreml"
    sys.modules.setdefault(name, types.ModuleType(name))


def main(kind, source, out, max_seq="2048"):
    without_core_ml()
    from optimum.exporters.executorch import main_export
    task, options = {
        "whisper": ("automatic-speech-recognition", {"device": os.environ.get("EXPORT_DEVICE", "cuda")}),
        "chat": ("text-generation", {"max_seq_len": int(max_seq)}),
    }[kind]
    main_export(source, task, "cuda", out, dtype="bfloat16", **options)
    for name in FILES:
        if os.path.exists(os.path.join(source, name)):
            shutil.copy(os.path.join(source, name), out)


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
