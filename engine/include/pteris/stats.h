/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * The machine: its GPUs, processors and memory now, and why a GPU cannot be used.
 */

/** Why the clocks of a GPU are not higher; bits, as the driver numbers them. */
typedef enum {
  PT_THROTTLE_IDLE = 0x1,
  PT_THROTTLE_APPLICATION_CLOCKS = 0x2, /* somebody set them */
  PT_THROTTLE_POWER_CAP = 0x4,
  PT_THROTTLE_HARDWARE = 0x8, /* temperature or power, see the next ones */
  PT_THROTTLE_SYNC_BOOST = 0x10,
  PT_THROTTLE_THERMAL = 0x20,
  PT_THROTTLE_HARDWARE_THERMAL = 0x40,
  PT_THROTTLE_POWER_BRAKE = 0x80,
  PT_THROTTLE_DISPLAY_CLOCKS = 0x100,
} PtThrottle;

/** Members of PtGpuStats that are known; bits. */
typedef enum {
  PT_GPU_MEMORY_TOTAL = 1 << 0,
  PT_GPU_MEMORY_USED = 1 << 1,
  PT_GPU_MEMORY_FREE = 1 << 2,
  PT_GPU_PROCESS_MEMORY = 1 << 3,
  PT_GPU_UTILIZATION = 1 << 4,
  PT_GPU_MEMORY_UTILIZATION = 1 << 5,
  PT_GPU_TEMPERATURE = 1 << 6,
  PT_GPU_POWER = 1 << 7,
  PT_GPU_POWER_LIMIT = 1 << 8,
  PT_GPU_SM_CLOCK = 1 << 9,
  PT_GPU_MEMORY_CLOCK = 1 << 10,
  PT_GPU_FAN = 1 << 11,
  PT_GPU_PCIE_GENERATION = 1 << 12,
  PT_GPU_PCIE_MOST_GENERATION = 1 << 13,
  PT_GPU_PCIE_WIDTH = 1 << 14,
  PT_GPU_PCIE_MOST_WIDTH = 1 << 15,
  PT_GPU_PCIE_TO_HOST = 1 << 16,
  PT_GPU_PCIE_TO_GPU = 1 << 17,
  PT_GPU_THROTTLE = 1 << 18,
  PT_GPU_MIG = 1 << 19,
} PtGpuValid;

/** A GPU. Numbers whose bit is not in @valid are 0. Texts are UTF-8. */
typedef struct {
  guint valid;              /* PtGpuValid */
  guint index;              /* the driver's number */
  char *name, *uuid;        /* each NULL when unknown: a lost GPU tells nothing */
  char *compute_capability; /* "9.0"; NULL: unknown */
  gboolean lost;            /* it no longer answers: only a restart of the machine helps */
  gboolean needs_reset;     /* it does not work before it is reset */
  gboolean mig;             /* divided into instances */
  guint64 memory_total, memory_used, memory_free; /* bytes */
  guint64 process_memory;                         /* bytes that this process has there */
  guint utilization, memory_utilization, fan;     /* percent */
  int temperature;                                /* degrees Celsius */
  double power, power_limit;                      /* watts */
  guint sm_clock, memory_clock;                   /* MHz */
  guint pcie_generation, pcie_most_generation;    /* of the link now (low when idle), at most */
  guint pcie_width, pcie_most_width;              /* lanes */
  guint64 pcie_to_host, pcie_to_gpu;              /* bytes a second, in the last 20 ms */
  guint64 throttle;                               /* PtThrottle; others may come */
} PtGpuStats;

/** Members of PtMachineStats that are known; bits. */
typedef enum {
  PT_MACHINE_CPU_LOAD = 1 << 0,       /* @cpu_percent, @cpu_process_percent */
  PT_MACHINE_MEMORY = 1 << 1,         /* @memory_total, @memory_available */
  PT_MACHINE_PROCESS_MEMORY = 1 << 2, /* @resident_bytes, @peak_bytes */
} PtMachineValid;

/**
 * GPUs, CPU and memory at one moment. Numbers whose bit is not in @valid are 0. Texts are UTF-8.
 * Plain data: everything in it belongs to it.
 */
typedef struct {
  guint valid;        /* PtMachineValid */
  char *cpu_name;     /* NULL: unknown */
  char *cpu_level;    /* instruction set that kernels use; NULL: unknown */
  guint cpu_cores;    /* physical cores that the process may use; 0: unknown */
  double cpu_percent; /* load by all programs since the last reading; 100: every CPU is busy */
  double cpu_process_percent;             /* the same by this process */
  guint64 memory_total, memory_available; /* bytes of the machine */
  guint64 resident_bytes, peak_bytes;     /* of this process: in memory now, and at most so far */
  PtGpuStats *gpus;
  guint n_gpus;
  char *gpu_reason;   /* a sentence that says why there is no GPU; NULL when there is one */
  char *gpu_driver;   /* version of the NVIDIA driver, "580.65.06"; NULL: unknown */
  char *cuda_version; /* highest CUDA version of it, "12.4"; NULL: unknown */
} PtMachineStats;

/**
 * GPUs, CPU and memory now; never NULL. Load of the CPU is unknown in the first reading of the
 * process. Takes up to 50 ms for each GPU, more the first time; any thread. Free with
 * pt_machine_stats_free().
 */
PT_API PtMachineStats *pt_stats_read (void);
PT_API void pt_machine_stats_free (PtMachineStats *stats);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMachineStats, pt_machine_stats_free)

/** One line of JSON (engine/README.md), for scripts and bug reports. Free with g_free(). */
PT_API char *pt_machine_stats_to_json (const PtMachineStats *stats);

/** "power limit" for PT_THROTTLE_POWER_CAP: English, for reports; NULL for several bits or one that
 * has no name. */
PT_API const char *pt_throttle_name (PtThrottle reason);

/** Memory of this machine; 0: not known, or no GPU. */
typedef struct {
  guint64 ram_total, ram_free;
  guint64 gpu_total, gpu_free; /* of the GPU with most of it free */
} PtMemory;

/** What @stats says of memory. */
PT_API PtMemory pt_memory_of (const PtMachineStats *stats);

/** Whether models can use a GPU in this process, and what was found on the way. */
typedef struct {
  gboolean usable;
  gboolean found; /* the driver of the machine has a GPU */
  char *reason;   /* why none can be used, a sentence; NULL when one can */
  char *report;   /* lines for a bug report, in English, without names of users and folders */
} PtDiagnosis;

/**
 * Look for GPUs anew, and start the CUDA driver unless it has been. Once it has refused, it refuses
 * until the process ends: @found without @usable may be cured by a restart. Takes up to some
 * seconds; any thread.
 */
PT_API PtDiagnosis *pt_diagnose (void);
PT_API void pt_diagnosis_free (PtDiagnosis *diagnosis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtDiagnosis, pt_diagnosis_free)

G_END_DECLS
