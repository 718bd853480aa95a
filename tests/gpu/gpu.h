/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/cuda-kernels.h"

/*
 * Helpers of the tests of our kernels. They run on a GPU, or on the CPU if built with EMULATED.
 */

extern PtCudaContext *gpu;
extern gboolean gpu_is_quick; /* fewer and smaller cases */

void gpu_start (void);
void gpu_stop (void);

#ifdef EMULATED
/** Let the stand-in for the driver emulate kernels, as gpu_start() does. */
void gpu_emulate (void);
#endif

/** Exits, with a message, when @ok is FALSE. */
void gpu_check (gboolean ok, GError *error);

/**
 * Device memory with a copy of @data, or with junk when it is NULL, and bytes around it that must
 * stay as they are. It lasts until gpu_free_all().
 */
PtCuPointer gpu_new (gconstpointer data, gsize size);

/** Reads the whole allocation of gpu_new() after a synchronisation. Fails the test if bytes around
 * it have changed. */
gpointer gpu_read (PtCuPointer pointer) G_GNUC_WARN_UNUSED_RESULT;
void gpu_free_all (void);
#define GPU_JUNK 0xff

/** Reports the first difference of a case, and fails the running test. */
void gpu_fail (const char *format, ...) G_GNUC_PRINTF (1, 2);

void add_matmul_tests (void);
void add_row_product_tests (void);
void add_attention_tests (void);
void add_norm_tests (void);
void add_rotary_tests (void);
void add_misc_tests (void);
void add_replacement_tests (void);
void add_replaced_product_tests (void);
void add_replaced_small_tests (void);
void add_sample_tests (void);
/** @only: the name of a group, or NULL for all of them. */
void bench_all (const char *only);
