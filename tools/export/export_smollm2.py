"""Export SmolLM2 for the CPU: 8-bit weights and dynamic activations, 8-bit embedding, llama::custom_sdpa with its KV
cache, and every weight outside the program. "8da4w" makes linear layers of 4 bits in groups of 32 instead. In the place
of a folder, "llama-1b" is the model of random_llama.py. The folder of flatc must be on the PATH.

Usage: export_smollm2.py HF_DIR|llama-1b OUT_DIR [8da8w|8da4w]
"""
import os
import sys

import executorch.extension.llm.export.export_passes as export_passes
import optimum.exporters.executorch.convert  # noqa: F401 (registers the recipes)
import optimum.exporters.executorch.quantization as quantization
import optimum.exporters.executorch.recipes.xnnpack as recipe
import random_llama
from executorch.exir.passes.external_constants_pass import delegate_external_constants_pass_unlifted
from optimum.exporters.executorch.tasks.causal_lm import load_causal_lm_model


class TagConstants(export_passes.RemoveRedundantTransposes):
    """The last pass of the recipe before lowering: also sends the delegates' constants to model.ptd."""

    def __call__(self, graph_module):
        result = super().__call__(graph_module)
        delegate_external_constants_pass_unlifted(result[0], lambda node: "model")
        return result


def load(source, **options):
    if source != "llama-1b":
        return load_causal_lm_model(source, max_seq_len=2048, **options)
    quantization.DEFAULT_QPARAMS_ALGORITHM = "affine"  # weights that mean nothing need not be rounded well
    return random_llama.load("cpu", dtype="float32", **options)


def main(source, out, qlinear="8da8w"):
    export_passes.RemoveRedundantTransposes = TagConstants
    config = recipe.ExecutorchBackendConfig
    recipe.ExecutorchBackendConfig = lambda **kw: config(external_constants=lambda node: "model", **kw)
    model = load(source, use_custom_sdpa=True, use_custom_kv_cache=True, qlinear=qlinear, qembedding="8w")
    program = recipe.export_to_executorch_with_xnnpack(model)["model"]
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "model.pte"), "wb") as f:
        program.write_to_file(f)
    program.write_tensor_data_to_file(out)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
