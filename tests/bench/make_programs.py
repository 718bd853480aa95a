"""Programs that peers.py compares: image classifiers with random weights, as .pte and .onnx, and 100 small operators.

Usage: make_programs.py OUT_DIR   (executorch 1.2.0, torch 2.11, torchvision 0.26, onnx)
"""
import os
import sys
import warnings

import torch
import torchvision
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower

SHAPE = (1, 3, 224, 224)


class Tiny(torch.nn.Module):
    """100 operators of 4 numbers."""

    def forward(self, x):
        for i in range(50):
            x = x + 1.0
            x = torch.tanh(x) if i % 5 == 0 else x * 0.5
        return x


def classifier(name):
    torch.manual_seed(1)
    model = getattr(torchvision.models, name)(weights=None).train()
    with torch.no_grad():
        for _ in range(2):  # so that batch norms have some statistics
            model(torch.randn(4, *SHAPE[1:]))
    return model.eval()


def write(path, model, example, partitioner):
    program = to_edge_transform_and_lower(torch.export.export(model, (example,)), partitioner=partitioner).to_executorch()
    with open(path, "wb") as f:
        f.write(program.buffer)


def main(out):
    warnings.simplefilter("ignore")
    os.makedirs(out, exist_ok=True)
    for name in ("mobilenet_v2", "resnet18"):
        model, example = classifier(name), torch.randn(SHAPE)
        write(f"{out}/{name}.pte", model, example, [XnnpackPartitioner()])
        torch.onnx.export(model, (example,), f"{out}/{name}.onnx", dynamo=False)
    write(f"{out}/tiny100.pte", Tiny(), torch.randn(4), [])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
