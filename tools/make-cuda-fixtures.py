#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write tests/data/cuda: programs with CUDA delegates for the tests of reports and consent.

    python tools/make-cuda-fixtures.py

needs executorch 1.2. Each is tests/data/tiny/xnnpack_linear with another delegate, whose library is
a small one of the fuzzers' corpus: it can be looked through, but not run.
"""

import hashlib
import pathlib
import struct

from executorch.exir._serialize import _program
from executorch.exir._serialize.data_serializer import DataEntry
from executorch.exir._serialize._named_data_store import NamedDataStoreOutput
from executorch.exir.schema import BackendDelegate, BackendDelegateDataReference, CompileSpec

TESTS = pathlib.Path(__file__).resolve().parent.parent / 'tests'
WEIGHT = 'cuda_fqn_weight:cuda:linear.weight'
BIAS = 'cuda_fqn_weight:cuda:linear.bias'


def library(name):
    return (TESTS / 'fuzz/corpus/image' / name).read_bytes()


def text(string):
    return struct.pack('<I', len(string)) + string.encode()


def constant(fqn, key, nbytes, sizes, strides):
    return (text(fqn) + text(key) + struct.pack('<QiiqI', nbytes, 6, 1, 0, len(sizes)) +
            struct.pack(f'<{2 * len(sizes)}q', *sizes, *strides))


CONSTANTS = struct.pack('<I', 2) + constant('linear.weight', WEIGHT, 48, [3, 4], [4, 1]) + \
    constant('linear.bias', BIAS, 12, [3], [1])
WEIGHTS = {WEIGHT: bytes(48), BIAS: bytes(12)}


def so_key(content):
    return hashlib.sha256(content).hexdigest() + '_so_blob'


def write(name, payload, blobs, specs=()):
    """A program with one CUDA delegate; blobs: named data in the program, by key."""
    pte = _program.deserialize_pte_binary((TESTS / 'data/tiny/xnnpack_linear/model.pte').read_bytes())
    plan = pte.program.execution_plan[0]
    delegate: BackendDelegate = plan.delegates[0]
    delegate.id = 'CudaBackend'
    delegate.compile_specs = [CompileSpec(key, value.encode()) for key, value in specs]
    pte.program.backend_delegate_data[delegate.processed.index].data = payload
    store = NamedDataStoreOutput(
        buffers=list(blobs.values()),
        pte_data={key: DataEntry(i, 128, None) for i, key in enumerate(blobs)}, external_data={})
    pte.named_data = store
    folder = TESTS / 'data/cuda' / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'model.pte').write_bytes(bytes(_program.serialize_pte_binary(pte)))


def main():
    linux, windows = library('elf-gnu-hash'), library('pe')
    key = so_key(linux)
    write('names', b'ETCUDAFQN3' + text(key) + CONSTANTS, {key: linux} | WEIGHTS)
    # One storage is not there, and the key of the library is of another.
    write('no_weights', b'ETCUDAFQN3' + text(key) + CONSTANTS, {key: linux[:-1] + b'x', BIAS: bytes(12)})
    key = so_key(windows)
    write('windows', f'{key}\nweights_blob'.encode(), {key: windows, 'weights_blob': bytes(60)},
          [('platform', 'windows')])
    write('method_keys', b'', {'forward_so_blob': linux}, [('method_name', 'forward')])
    # Its code says when it runs (tests/data/cuda/canary.c).
    canary = library('elf-canary')
    write('canary', b'ETCUDAFQN3' + text(so_key(canary)) + struct.pack('<I', 0), {so_key(canary): canary})
    targets = [(90, 0, 0, linux), (80, 80, 1, windows)]
    payload = b'ETCUDAFQN5' + struct.pack('<I', len(targets))
    for target, ptx, flags, content in targets:
        payload += struct.pack('<III', target, ptx, flags) + text(so_key(content))
    write('targets', payload + CONSTANTS,
          {so_key(content): content for *_, content in targets} | WEIGHTS)


if __name__ == '__main__':
    main()
