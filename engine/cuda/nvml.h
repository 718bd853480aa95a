/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>
#include <pteris/stats.h>

G_BEGIN_DECLS

/*
 * What NVML, the management library of the NVIDIA driver, says about GPUs.
 *
 * The library is loaded at run time (libnvidia-ml.so.1, nvml.dll; the environment variable
 * PTERIS_NVML names another file, for tests). GPUs differ in what they can tell, so every number
 * carries a flag: what is not supported is not shown as 0.
 */

typedef struct {
  gboolean valid;
  guint64 value;
} PtReading;

typedef struct {
  char name[96]; /* "" when unknown; text of the driver, perhaps not UTF-8 */
  char uuid[96];
  gboolean lost;        /* it fell off the bus: only a restart of the machine helps */
  gboolean needs_reset; /* it does not work before it is reset */
  PtReading memory_total, memory_used, memory_free; /* bytes */
  PtReading process_memory;                         /* bytes that this process has there */
  PtReading utilization, memory_utilization, fan;   /* percent */
  PtReading temperature;                            /* degrees Celsius */
  PtReading power, power_limit;                     /* milliwatts */
  PtReading sm_clock, memory_clock;                 /* MHz */
  PtReading pcie_generation, pcie_most_generation;  /* now (low when idle), at most */
  PtReading pcie_width, pcie_most_width;            /* lanes */
  PtReading pcie_to_host, pcie_to_gpu;              /* bytes a second, in the last 20 ms */
  PtReading throttle;                               /* PtThrottle; others may come */
  PtReading compute_capability;                     /* 90 means 9.0 */
  PtReading mig;                                    /* 1: divided into instances */
} PtGpu;

typedef struct _PtNvml PtNvml;

/**
 * Load the library and start it. Free with pt_nvml_close().
 *
 * Returns: NULL with an error that says in a sentence why there is no GPU to report: no driver,
 *   a driver that does not run or was just updated, no device
 */
PtNvml *pt_nvml_open (GError **error);
void pt_nvml_close (PtNvml *nvml);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtNvml, pt_nvml_close)

/** At least 1. */
guint pt_nvml_n_gpus (const PtNvml *nvml);

/** Version of the driver, "550.54.15", or NULL. */
const char *pt_nvml_driver_version (const PtNvml *nvml);

/** Highest CUDA version of the driver, 12040 meaning 12.4. */
PtReading pt_nvml_cuda_version (const PtNvml *nvml);

/** Read GPU @i now. Takes up to 50 ms, most of it for the traffic on PCIe. Not from two threads at
 * once, and not on the user interface's. */
void pt_nvml_read (const PtNvml *nvml, guint i, PtGpu *gpu);

G_END_DECLS
