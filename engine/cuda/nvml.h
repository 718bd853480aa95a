/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>
#include <pteris/stats.h>

G_BEGIN_DECLS

/*
 * Figures about GPUs from NVML, the management library of the NVIDIA driver.
 *
 * The library is loaded at run time (libnvidia-ml.so.1, nvml.dll; the environment variable
 * PTERIS_NVML names another file, for tests). GPUs differ in the figures that they support. Every
 * number has a flag, so that an unsupported figure is not shown as 0.
 */

typedef struct {
  gboolean valid;
  guint64 value;
} PtReading;

typedef struct {
  char name[96]; /* text of the driver, perhaps not valid UTF-8; "" when unknown */
  char uuid[96];
  gboolean lost;        /* the GPU fell off the bus: only a restart of the machine helps */
  gboolean needs_reset; /* the GPU needs a reset */
  PtReading memory_total, memory_used, memory_free; /* bytes */
  PtReading process_memory;                         /* bytes of GPU memory that this process uses */
  PtReading utilization, memory_utilization, fan;   /* percent */
  PtReading temperature;                            /* degrees Celsius */
  PtReading power, power_limit;                     /* milliwatts */
  PtReading sm_clock, memory_clock;                 /* MHz */
  PtReading pcie_generation,
      pcie_most_generation;              /* current clock (low when idle), and the maximum */
  PtReading pcie_width, pcie_most_width; /* lanes */
  PtReading pcie_to_host, pcie_to_gpu;   /* bytes a second, over the last 20 ms */
  PtReading throttle;                    /* bits of PtThrottle; other bits may be set */
  PtReading compute_capability;          /* compute capability, 90 for 9.0 */
  PtReading mig;                         /* 1: divided into instances (MIG) */
} PtGpu;

typedef struct _PtNvml PtNvml;

/**
 * Load the library and start it. Free with pt_nvml_close().
 *
 * Returns: NULL with an error, one sentence with the cause: no driver, a driver that does not start
 * or was just updated, no device
 */
PtNvml *pt_nvml_open (GError **error);
void pt_nvml_close (PtNvml *nvml);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtNvml, pt_nvml_close)

/** Number of GPUs, at least 1. */
guint pt_nvml_n_gpus (const PtNvml *nvml);

/** Version of the driver such as "550.54.15", or NULL. */
const char *pt_nvml_driver_version (const PtNvml *nvml);

/** Highest CUDA version of the driver, 12040 for 12.4. */
PtReading pt_nvml_cuda_version (const PtNvml *nvml);

/**
 * Read the figures of GPU @i. Takes up to 50 ms, most of it for the PCIe traffic. Do not call it
 * from two threads at once, or from the thread of the user interface.
 */
void pt_nvml_read (const PtNvml *nvml, guint i, PtGpu *gpu);

G_END_DECLS
