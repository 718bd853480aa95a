#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make-look-fixtures.py OUT: small look-alikes of published vision models with random weights (ExecuTorch 1.2), a
picture, and what is in it by eager PyTorch and numpy (expected.json), for tests/unit/tasks/test-look.c."""

import json
import os
import struct
import sys
import zlib

import numpy as np
import torch
from torch import nn
from torch.export import export
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
OUT = sys.argv[1]

def lower(methods):
    eps = {n: export(m.eval(), a, strict=False) for n, (m, a) in methods.items()}
    edge = to_edge_transform_and_lower(eps, partitioner={n: [XnnpackPartitioner()] for n in eps},
                                       compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False)))

def save(name, methods, file="model.pte"):
    d = os.path.join(OUT, name); os.makedirs(d, exist_ok=True)
    with open(os.path.join(d, file), "wb") as f: f.write(lower(methods).buffer)
    print(name, os.path.getsize(os.path.join(d, file)))

class Heads(nn.Module):
    """Boxes of a grid; the weights make bright places score."""
    def __init__(self, kind, q=6, k=17, m=16, first=0, classes=5):
        super().__init__()
        self.first = first  # number of the first class
        self.conv, self.q, self.kind, self.k, self.m = nn.Conv2d(3, 8, 16, 16), q, kind, k, m
        self.box, self.cls = nn.Linear(8, 4), nn.Linear(8, classes)
        self.more = nn.Linear(8, k * 3 if kind == "pose" else m * m)
    def forward(self, x):
        s = x.shape[-1]
        f = self.conv(x).flatten(2).transpose(1, 2)[0][: self.q]
        b = self.box(f).sigmoid() * s
        b = torch.cat([torch.minimum(b[:, :2], b[:, 2:]), torch.maximum(b[:, :2], b[:, 2:])], -1)
        score, label = (self.cls(f) * 3).sigmoid().max(-1)
        label = label.float() + self.first
        if self.kind == "detect": return b, score, label
        if self.kind == "pose":
            p = self.more(f).reshape(self.q, self.k, 3).sigmoid()
            return b, score, p * torch.tensor([float(s), float(s), 1.0])
        mask = (self.more(f) * 3).reshape(self.q, self.m, self.m)
        if self.kind == "seg9": return b[None], torch.stack([score, label], -1)[None], mask[None]
        return b, score, label, mask

class Segment(nn.Module):
    def __init__(self, c):
        super().__init__(); self.conv = nn.Conv2d(3, c, 3, padding=1)
    def forward(self, x): return self.conv(x) * 4

class SegmentTwice(nn.Module):
    """With a second map for training, as torchvision's have."""
    def __init__(self, c):
        super().__init__(); self.m, self.aux = Segment(c), Segment(c)
    def forward(self, x): return self.m(x), self.aux(x)

class Person(nn.Module):
    def __init__(self):
        super().__init__(); self.conv = nn.Conv2d(3, 1, 3, padding=1)
    def forward(self, x): return (self.conv(x) * 8).sigmoid()

class Style(nn.Module):
    def __init__(self):
        super().__init__(); self.conv = nn.Conv2d(3, 3, 3, padding=1)
    def forward(self, x): return self.conv(x).sigmoid()

class Classes(nn.Module):
    """Normalises its input itself, as the published ones do."""
    def __init__(self, n):
        super().__init__(); self.conv, self.out = nn.Conv2d(3, 8, 8, 8), nn.Linear(8, n)
    def forward(self, x):
        return self.out(self.conv((x - 0.45) / 0.225).mean((2, 3))) * 4

class ClipImage(nn.Module):
    """The half for pictures; that for texts is of make-embed-cases.py, as long as this one's vectors."""
    def __init__(self, d):
        super().__init__(); self.conv, self.out = nn.Conv2d(3, 8, 8, 8), nn.Linear(8, d)
    def forward(self, x):
        v = self.out(self.conv(x).mean((2, 3)))
        return v / v.norm(dim=-1, keepdim=True)

class NoBatch(nn.Module):
    """The same model with pictures and results that have no dimension of the batch."""
    def __init__(self, m):
        super().__init__(); self.m = m
    def forward(self, x): return self.m(x[None])[0]

class Craft(nn.Module):
    """Dark places are text: the mean of 2 by 2 pixels, spread."""
    def __init__(self):
        super().__init__(); self.pool = nn.AvgPool2d(2); self.blur = nn.AvgPool2d(5, 1, 2)
    def forward(self, x):
        dark = (0.0 - self.pool(x).mean(1, keepdim=True)) * 0.8
        t = self.blur(dark)
        return torch.cat([t, t * 0.5], 1).permute(0, 2, 3, 1).contiguous()

class Crnn(nn.Module):
    def __init__(self, n):
        super().__init__(); self.conv, self.out = nn.Conv2d(1, 16, (64, 8), 4), nn.Linear(16, n)
    def forward(self, x): return self.out(self.conv(x)[:, :, 0].transpose(1, 2)) * 6


# --- what is expected, computed with numpy


def png(path, a):
    raw = b"".join(b"\0" + a[y].tobytes() for y in range(a.shape[0]))
    chunk = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", a.shape[1], a.shape[0], 8, 2, 0, 0, 0)))
        f.write(chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def linear(a, h, w):
    """Between the nearest two rows and columns, as cv::INTER_LINEAR; [h, w, ...] of floats."""

    def axis(n, m):
        at = (np.arange(m) + 0.5) * n / m - 0.5
        lo = np.floor(at)
        return np.clip(lo, 0, n - 1).astype(int), np.clip(lo + 1, 0, n - 1).astype(int), at - lo

    y0, y1, fy = axis(a.shape[0], h)
    x0, x1, fx = axis(a.shape[1], w)
    fx, fy = fx.reshape(1, -1, *[1] * (a.ndim - 2)), fy.reshape(-1, 1, *[1] * (a.ndim - 2))
    rows = a[y0] * (1 - fy) + a[y1] * fy
    return rows[:, x0] * (1 - fx) + rows[:, x1] * fx


def tensor(a, h, w, normal=False):
    v = np.floor(linear(a.astype(float), h, w) + 0.5) / 255
    if normal:
        v = (v - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    return torch.tensor(v.transpose(2, 0, 1)[None].copy(), dtype=torch.float32)


def iou(a, b):
    w, h = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    i = max(w, 0) * max(h, 0)
    u = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - i
    return i / u if u > 0 else 0


def objects(a, boxes, scores, labels, names, least, most, side, points=None, masks=None):
    H, W = a.shape[:2]
    scale = np.array([W, H, W, H]) / side
    out = []
    for i in sorted(range(len(scores)), key=lambda i: -scores[i]):
        box = boxes[i] * scale
        label = int(labels[i]) if labels is not None else 0
        if scores[i] < least or (most and any(o["index"] == label and iou(o["box"], box) > most for o in out)):
            continue
        o = {"index": label, "label": names(label), "score": float(scores[i]), "box": [float(v) for v in box]}
        if points is not None:
            o["keypoints"] = [
                {"visibility": float(p[2]), "found": bool(p[2] >= 0.5)}
                | ({"x": float(p[0] * W / side), "y": float(p[1] * H / side)} if p[2] >= 0.5 else {})
                for p in points[i]
            ]
        if masks is not None:
            p = linear(1 / (1 + np.exp(-masks[i].astype(float))), H, W) > 0.5
            x, y = np.arange(W) + 0.5, np.arange(H) + 0.5
            inside = ((x >= box[0]) & (x < box[2]))[None] & ((y >= box[1]) & (y < box[3]))[:, None]
            o["mask"] = {"area": int((p & inside).sum())}
        out.append(o)
    return out


def expect(name, picture, kind, findings):
    with open(os.path.join(OUT, name, "expected.json"), "w") as f:
        json.dump({"kind": kind, "images": [{"width": picture.shape[1], "height": picture.shape[0], **findings}]}, f, indent=1)
        f.write("\n")


def regions(a, m):
    H, W = a.shape[:2]
    big = m[np.arange(H) * m.shape[0] // H][:, np.arange(W) * m.shape[1] // W]
    n = np.bincount(big.reshape(-1))
    order = sorted((i for i in range(len(n)) if n[i]), key=lambda i: (-n[i], i))
    return [{"index": i, "pixels": int(n[i]), "share": float(n[i] / (H * W))} for i in order]


COCO80 = ["person", "bicycle", "car", "motorcycle", "airplane"]
numbers = lambda t: [v.numpy() for v in t]


def main():
    y, x = np.mgrid[0:150, 0:200]
    a = np.stack([x * 255 // 199, y * 255 // 149, ((x // 20 + y // 20) % 2) * 200 + 20], -1).astype(np.uint8)
    os.makedirs(OUT, exist_ok=True)
    png(os.path.join(OUT, "picture.png"), a)

    def r(seed, m, scale=2.0):
        g = torch.Generator().manual_seed(seed)
        for p in m.parameters():
            p.copy_(torch.randn(p.shape, generator=g) * (scale / p[0].numel() ** 0.5 if p.dim() > 1 else 0.3))
        return m.eval()

    e = lambda s: (torch.rand(1, 3, s, s),)
    m = r(1, Heads("detect"))
    save("detector", {f"forward_{s}": (m, e(s)) for s in (64, 96)})
    b, s, l = numbers(m(tensor(a, 64, 64)))
    expect("detector", a, "objects", {"objects": objects(a, b, s, l, lambda i: COCO80[i], 0.5, 0.5, 64)})
    m = r(2, Heads("pose"))
    save("pose", {"forward": (m, e(64))})
    b, s, p = numbers(m(tensor(a, 64, 64)))
    expect("pose", a, "poses", {"objects": objects(a, b, s, None, lambda i: "person", 0.5, 0, 64, points=p)})
    m = r(3, Heads("seg9"))
    save("instances-yolo", {"forward_64": (m, e(64))})
    b, s, k = (v[0] for v in numbers(m(tensor(a, 64, 64))))
    found = objects(a, b, s[:, 0], s[:, 1], lambda i: COCO80[i], 0.5, 0, 64, masks=k)
    expect("instances-yolo", a, "instances", {"objects": found})
    m = r(4, Heads("seg10"))
    save("instances-rfdetr", {"forward": (m, e(64))})
    b, s, l, k = numbers(m(tensor(a, 64, 64, normal=True)))
    found = objects(a, b, s, l, lambda i: COCO80[i], 0.5, 0.5, 64, masks=k)
    expect("instances-rfdetr", a, "instances", {"objects": found})
    for seed, name, side, least, normal in ((11, "detector-ssdlite", 96, 0.7, False), (12, "detector-rfdetr", 64, 0.7, True)):
        m = r(seed, Heads("detect", first=1))
        save(name, {"forward": (m, e(side))})
        b, s, l = numbers(m(tensor(a, side, side, normal)))
        expect(name, a, "objects", {"objects": objects(a, b, s, l, lambda i: COCO80[i - 1], least, 0.55, side)})
    m = r(13, Heads("pose"))
    save("pose-rfdetr", {"forward": (m, e(80))})
    b, s, p = numbers(m(tensor(a, 80, 80)))
    expect("pose-rfdetr", a, "poses", {"objects": objects(a, b, s, None, lambda i: "person", 0.5, 0, 80, points=p)})
    for name, kind in (("instances-fastsam", "seg9"), ("instances-fastsam4", "seg10")):
        m = r(15, Heads(kind, classes=1))
        save(name, {"forward": (m, e(64))})
        out = numbers(m(tensor(a, 64, 64)))
        b, s, l, k = (out[0][0], out[1][0, :, 0], out[1][0, :, 1], out[2][0]) if kind == "seg9" else out
        found = objects(a, b, s, l, lambda i: "object", 0.5, 0.9, 64, masks=k)
        expect(name, a, "instances", {"objects": found})
    m = r(16, SegmentTwice(21))
    save("segmentation-twice", {"forward": (m, (torch.rand(1, 3, 40, 56),))})
    c = m(tensor(a, 40, 56, normal=True))[0][0].argmax(0).numpy()
    expect("segmentation-twice", a, "segments", {"regions": regions(a, c)})
    m = r(5, Segment(21))
    save("segmentation", {"forward": (m, (torch.rand(1, 3, 40, 56),))})
    c = m(tensor(a, 40, 56, normal=True))[0].argmax(0).numpy()
    expect("segmentation", a, "segments", {"regions": regions(a, c)})
    m = r(6, Person())
    save("selfie", {"forward": (m, e(48))})
    expect("selfie", a, "person", {"regions": regions(a, (m(tensor(a, 48, 48))[0, 0] > 0.5).int().numpy())})
    m = r(7, Style())
    save("style", {"forward": (m, e(48))})
    expect("style", a, "style", {})
    v = linear(np.floor(np.clip(m(tensor(a, 48, 48))[0].numpy(), 0, 1) * 255 + 0.5).transpose(1, 2, 0), 150, 200)
    np.floor(v + 0.5).astype(np.uint8).tofile(os.path.join(OUT, "style", "expected.rgb"))
    for seed, name, side in ((5, "segmentation", (40, 56)), (7, "style", (48, 48))):
        m = r(seed, Segment(21) if name == "segmentation" else Style())
        save(name + "-rank3", {"forward": (NoBatch(m), (torch.rand(3, *side),))})
        with open(os.path.join(OUT, name, "expected.json")) as f, open(os.path.join(OUT, name + "-rank3", "expected.json"), "w") as to:
            to.write(f.read())
    m = r(9, Classes(7))
    p = m(tensor(a, 32, 48))[0].softmax(-1).numpy()
    best = [{"index": int(i), "probability": float(p[i])} for i in np.argsort(-p)[:5]]
    save("classes-rank3", {"forward": (NoBatch(m), (torch.rand(3, 32, 48),))})
    expect("classes-rank3", a, "classes", {"classes": best})
    save("classes-half", {"forward": (r(9, Classes(7)).half(), (torch.rand(1, 3, 32, 48).half(),))})
    expect("classes-half", a, "classes", {"classes": best})
    m = r(10, ClipImage(64))
    save("clip", {"forward": (m, e(32))}, "image.pte")
    with open(os.path.join(OUT, "clip", "expected.json"), "w") as f:
        json.dump([round(float(v), 6) for v in m(tensor(a, 32, 32))[0]], f)
        f.write("\n")
    m = Craft()
    save("ocr", {"forward_320": (m, e(320))}, "craft.pte")
    m = r(8, Crnn(97))
    save("ocr", {f"forward_{w}": (m, (torch.rand(1, 1, 64, w),)) for w in (128, 256)}, "crnn_english.pte")


if __name__ == "__main__":
    with torch.no_grad():
        main()
