/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * How the library crashing-model.c ends a run: the first element of its input, float32 [n, 8].
 * Otherwise its output is its input. Wrap it into a program with FakeProgram (fake-program.h).
 */
typedef enum {
  CRASHING_MODEL_GOOD,
  CRASHING_MODEL_NULL,       /* reads from address 0 */
  CRASHING_MODEL_ABORT,      /* writes to stderr and aborts */
  CRASHING_MODEL_LOOP,       /* never returns */
  CRASHING_MODEL_FREE_TWICE, /* frees the same memory twice */
  CRASHING_MODEL_EXIT,       /* ends the process with CRASHING_MODEL_STATUS */
  CRASHING_MODEL_GPU_NULL,   /* a kernel writes to address 0: on a real GPU only */
  CRASHING_MODEL_GPU_LOOP,   /* a kernel that never ends: on a real GPU only */
} CrashingModelMode;

/** No status of abort(): 3 on Windows. */
#define CRASHING_MODEL_STATUS 5

/** Bytes of GPU memory that a run takes before it fails. */
#define CRASHING_MODEL_BALLAST (512u << 20)
