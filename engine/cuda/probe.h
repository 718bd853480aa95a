/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Whether programs could use CUDA on this machine: the CUDA driver (libcuda.so.1, nvcuda.dll; the
 * environment variable PTERIS_CUDA names another file, for tests) and its devices.
 */

typedef struct {
  char name[96];
  guint64 memory;           /* bytes; 0: unknown */
  guint compute_capability; /* 90 means 9.0; 0: unknown */
} PtCudaDevice;

typedef struct {
  guint driver_version; /* 12040 means CUDA 12.4; 0: unknown */
  PtCudaDevice *devices;
  guint n_devices; /* at least 1 */
} PtCudaProbe;

/**
 * Ask the driver. The first call starts it, which may take some 100 ms; not on the user
 * interface's thread. Free with pt_cuda_probe_free().
 *
 * Returns: NULL with a sentence that says why CUDA cannot be used
 */
PtCudaProbe *pt_cuda_probe (GError **error);
void pt_cuda_probe_free (PtCudaProbe *probe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtCudaProbe, pt_cuda_probe_free)

G_END_DECLS
