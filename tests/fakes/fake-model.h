/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * Stand-ins for model libraries: hand-written C that behaves as generated code does
 * (docs/formats/cuda.md, sections 4.5, 5 and 6), without a C++ library.
 *
 *   fake-model-blob   torch 2.11: constants come from a blob; kernels are never unloaded
 *   fake-model-named  torch 2.13: constants are bound by name, one of them lies on the CPU
 *   fake-model-plain  torch 2.13: no constants; only the first output
 *
 * Inputs:  x  float32 [n, 8], any n from 1
 * Outputs: y  float32 [n, 8]  what the kernel "fake_scale" makes of a copy of x; the stand-in for
 *                             the driver runs no kernels, so y is x unless its launch hook acts
 *          s  float32 [1, 8]  the state before this run: the last row of the last x
 *          w  float32 [1, 8]  row 0 of the weight: a strided view of the constant's own memory
 *
 * Arguments of "fake_scale": pointers to the addresses of y and of the weight's storage (0: none),
 * and to the number of elements (int64).
 */

#define FAKE_MODEL_COLUMNS 8

/*
 * Constants, in the order of their indices. Internal names have "_" where FQNs have ".".
 *
 *   FQN            type     sizes   strides  offset  bytes of storage
 *   layer.weight   float32  [4, 8]  [1, 4]   8       160
 *   layer.folded   float32  [8]     [1]      0       32    only "blob": made by folding, not stored
 *   cache.state    float32  [1, 8]  [8, 1]   0       32    changes with every run
 *   mode           int64    [1]     [1]      0       8     FakeModelMode
 *   flag           bool     [1]     [1]      0       1     only "named", on the CPU: false before
 *                                                          the first run, true afterwards
 *
 * Element [r, c] of the weight is number 8 + r + 4 c of its storage. While the flag is false, s is
 * zeros instead of the state.
 */
#define FAKE_MODEL_BLOB_SIZE 200

/** Additional behaviours of a run; bits. */
typedef enum {
  FAKE_MODEL_DUPLICATE = 1,    /* s is the same handle as y */
  FAKE_MODEL_ALIAS_INPUT = 2,  /* y is a view of x */
  FAKE_MODEL_ALIAS_STATE = 4,  /* s is a view of the state: the last row of this x */
  FAKE_MODEL_PADDED = 8,       /* rows of y are 16 elements apart */
  FAKE_MODEL_FAIL = 16,        /* fails in the end */
  FAKE_MODEL_NO_OUTPUT = 32,   /* succeeds without setting s */
  FAKE_MODEL_SYNCHRONIZE = 64, /* reads a value from the GPU in between */
  FAKE_MODEL_LARGE = 128,      /* asks for a tensor of 1 TiB */
} FakeModelMode;
