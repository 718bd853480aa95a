"""Export two small CUDA programs, a convolutional network and attention of a dynamic length, each a folder with
model.pte, aoti_cuda_blob.ptd and a case.json: inputs and the results of eager PyTorch on the CPU.

Usage: export_cuda_small.py OUT_DIR      (needs an NVIDIA GPU; torch 2.11, executorch 1.2.0)
"""
import json
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from executorch.backends.cuda.cuda_backend import CudaBackend
from executorch.backends.cuda.cuda_partitioner import CudaPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass

SCALAR_TYPES = {torch.int64: 4, torch.float32: 6, torch.bfloat16: 15}


class Attention(nn.Module):
    def __init__(self, width=256, heads=4):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm = nn.LayerNorm(width)

    def split(self, projection, x):
        n, t, c = x.shape
        return projection(self.norm(x)).view(n, t, self.heads, c // self.heads).transpose(1, 2)

    def forward(self, x):
        y = F.scaled_dot_product_attention(self.split(self.query, x), self.split(self.key, x), self.split(self.value, x))
        return x + self.out(y.transpose(1, 2).reshape(x.shape))


def convolutions():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1, groups=16), nn.ReLU6(), nn.Conv2d(16, 32, 1),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


def tensor(folder, name, x):
    x = x.detach().contiguous()
    x.view(torch.uint8).numpy().tofile(os.path.join(folder, name))
    return {"kind": "tensor", "dtype": str(x.dtype).removeprefix("torch."), "scalar_type": SCALAR_TYPES[x.dtype],
            "shape": list(x.shape), "file": name}


def export(folder, module, inputs, tolerance, dynamic=None):
    """The first input is the example; all are run on the CPU for the expected results."""
    os.makedirs(folder, exist_ok=True)
    module, steps = module.eval(), []
    with torch.no_grad():
        for i, x in enumerate(inputs):
            steps.append({"method": "forward", "inputs": [tensor(folder, f"s{i}_in0.bin", x)],
                          "outputs": [tensor(folder, f"s{i}_out0.bin", module(x))]})
    device = os.environ.get("EXPORT_DEVICE", "cuda")
    program = torch.export.export(module.to(device), (inputs[0].to(device),), dynamic_shapes=dynamic, strict=True)
    program = to_edge_transform_and_lower(
        {"forward": program}, partitioner={"forward": [CudaPartitioner([CudaBackend.generate_method_name_compile_spec("forward")])]},
        compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True),
    ).to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False)))
    with open(os.path.join(folder, "model.pte"), "wb") as f:
        program.write_to_file(f)
    program.write_tensor_data_to_file(folder)
    case = {"name": os.path.basename(folder), "program": "model.pte", "data": ["aoti_cuda_blob.ptd"],
            "tolerance": {"rtol": tolerance, "atol": tolerance}, "reference": "eager PyTorch on the CPU", "steps": steps}
    with open(os.path.join(folder, "case.json"), "w") as f:
        json.dump(case, f, indent=1)


def main(out):
    torch.manual_seed(0)
    export(os.path.join(out, "convnet_fp32"), convolutions(), [torch.randn(1, 3, 64, 64)], 1e-2)
    length = torch.export.Dim("length", min=2, max=512)
    # Without a mask, the exporter's attention kernel takes keys behind the end as zeros, up to a multiple of 64.
    export(os.path.join(out, "sdpa_bf16_dyn"), Attention().to(torch.bfloat16),
           [torch.randn(1, n, 256, dtype=torch.bfloat16) for n in (64, 128, 320, 512)], 3e-2, ({1: length},))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
