"""The peer of `bench-models program`: onnxruntime on the same network. Prints {"run_s": seconds}.

Usage: peer_onnx.py MODEL.onnx --shape N,N,... [--runs N] [--threads N]
"""
import argparse
import json
import statistics
import time

import numpy
import onnxruntime

CALLS = 10


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("model")
    p.add_argument("--shape", required=True)
    p.add_argument("--runs", type=int, default=20)
    p.add_argument("--threads", type=int, default=0)
    o = p.parse_args()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = o.threads
    session = onnxruntime.InferenceSession(o.model, options, providers=["CPUExecutionProvider"])
    inputs = {session.get_inputs()[0].name: numpy.zeros([int(n) for n in o.shape.split(",")], numpy.float32)}
    times = []
    for _ in range(o.runs + 3):
        begin = time.perf_counter()
        for _ in range(CALLS):
            session.run(None, inputs)
        times.append((time.perf_counter() - begin) / CALLS)
    print(json.dumps({"run_s": statistics.median(times[3:])}))


if __name__ == "__main__":
    main()
