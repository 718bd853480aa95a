/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Finds out whether programs can use CUDA on this machine: asks the CUDA driver (libcuda.so.1,
 * nvcuda.dll; the environment variable PTERIS_CUDA names another file, for tests) for its devices.
 */

typedef struct {
  char name[96];
  guint64 memory;           /* bytes; 0: unknown */
  guint compute_capability; /* compute capability, 90 for 9.0; 0: unknown */
} PtCudaDevice;

typedef struct {
  guint driver_version; /* CUDA version of the driver, 12040 for 12.4; 0: unknown */
  PtCudaDevice *devices;
  guint n_devices; /* at least 1 */
} PtCudaProbe;

/**
 * Query the driver. The first call starts it, which may take 100 ms; do not call it on the thread
 * of the user interface. Free with pt_cuda_probe_free().
 *
 * Returns: NULL with a sentence that says why CUDA cannot be used
 */
PtCudaProbe *pt_cuda_probe (GError **error);
void pt_cuda_probe_free (PtCudaProbe *probe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaProbe, pt_cuda_probe_free)

G_END_DECLS
