"""Programs that peers.py compares: image classifiers with random weights, as .pte and .onnx, the same with static 8-bit values
(pt2e for XNNPACK), and 100 small operators.

Usage: make_programs.py OUT_DIR   (executorch 1.2.0, torch 2.11, torchvision 0.26, timm 1.0, onnx)
"""
import os
import sys
import warnings

import timm
import torch
import torchvision
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
from executorch.exir import to_edge_transform_and_lower
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

SHAPE = (1, 3, 224, 224)
# Models that torchvision does not have: name of the file, name in timm
TIMM = {"mobilenet_v4_small": "mobilenetv4_conv_small", "mobilenet_v4_medium": "mobilenetv4_conv_medium",
        "efficientnet_lite0": "efficientnet_lite0"}


class Tiny(torch.nn.Module):
    """100 operators of 4 numbers."""

    def forward(self, x):
        for i in range(50):
            x = x + 1.0
            x = torch.tanh(x) if i % 5 == 0 else x * 0.5
        return x


class Segmentation(torch.nn.Module):
    """LR-ASPP, whose result is a tensor."""

    def __init__(self):
        super().__init__()
        self.model = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)

    def forward(self, x):
        return self.model(x)["out"]


def classifier(name):
    torch.manual_seed(1)
    if name == "lraspp":
        model = Segmentation()
    elif name in TIMM:
        model = timm.create_model(TIMM[name], pretrained=False)
    else:
        model = getattr(torchvision.models, name)(weights=None)
    model.train()
    with torch.no_grad():
        for _ in range(2):  # so that batch norms have some statistics
            model(torch.randn(4, *SHAPE[1:]))
    return model.eval()


def quantize(model, example):
    """Activations and weights of 8 bits, one scale for each output channel."""
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(torch.export.export(model, (example,)).module(), quantizer)
    for _ in range(2):
        prepared(torch.randn(SHAPE))
    return convert_pt2e(prepared)


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
    for name in ("mobilenet_v2", "mobilenet_v3_large", *TIMM, "resnet18", "lraspp"):
        model, example = classifier(name), torch.randn(SHAPE)
        write(f"{out}/{name}_int8.pte", quantize(model, example), example, [XnnpackPartitioner()])
    write(f"{out}/tiny100.pte", Tiny(), torch.randn(4), [])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
