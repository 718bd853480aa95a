/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * Statistics of the machine: GPUs, CPU and memory now, and why no GPU can be used.
 */

/** Reasons why the clocks of a GPU are throttled; bits, numbered as in NVML. */
typedef enum {
  PT_THROTTLE_IDLE = 0x1,               /* nothing runs on it */
  PT_THROTTLE_APPLICATION_CLOCKS = 0x2, /* somebody set them */
  PT_THROTTLE_POWER_CAP = 0x4,          /* the limit of its power */
  PT_THROTTLE_HARDWARE = 0x8,           /* by temperature or power; see the next members */
  PT_THROTTLE_SYNC_BOOST = 0x10,        /* other GPUs of its group are slower */
  PT_THROTTLE_THERMAL = 0x20,           /* the driver keeps it cool */
  PT_THROTTLE_HARDWARE_THERMAL = 0x40,  /* it keeps itself cool */
  PT_THROTTLE_POWER_BRAKE = 0x80,       /* the power supply asks for it */
  PT_THROTTLE_DISPLAY_CLOCKS = 0x100,   /* clocks of the display */
} PtThrottle;

/** Bits for the members of PtGpuStats that are known. */
typedef enum {
  PT_GPU_MEMORY_TOTAL = 1 << 0,          /* PtGpuStats.memory_total */
  PT_GPU_MEMORY_USED = 1 << 1,           /* PtGpuStats.memory_used */
  PT_GPU_MEMORY_FREE = 1 << 2,           /* PtGpuStats.memory_free */
  PT_GPU_PROCESS_MEMORY = 1 << 3,        /* PtGpuStats.process_memory */
  PT_GPU_UTILIZATION = 1 << 4,           /* PtGpuStats.utilization */
  PT_GPU_MEMORY_UTILIZATION = 1 << 5,    /* PtGpuStats.memory_utilization */
  PT_GPU_TEMPERATURE = 1 << 6,           /* PtGpuStats.temperature */
  PT_GPU_POWER = 1 << 7,                 /* PtGpuStats.power */
  PT_GPU_POWER_LIMIT = 1 << 8,           /* PtGpuStats.power_limit */
  PT_GPU_SM_CLOCK = 1 << 9,              /* PtGpuStats.sm_clock */
  PT_GPU_MEMORY_CLOCK = 1 << 10,         /* PtGpuStats.memory_clock */
  PT_GPU_FAN = 1 << 11,                  /* PtGpuStats.fan */
  PT_GPU_PCIE_GENERATION = 1 << 12,      /* PtGpuStats.pcie_generation */
  PT_GPU_PCIE_MOST_GENERATION = 1 << 13, /* PtGpuStats.pcie_most_generation */
  PT_GPU_PCIE_WIDTH = 1 << 14,           /* PtGpuStats.pcie_width */
  PT_GPU_PCIE_MOST_WIDTH = 1 << 15,      /* PtGpuStats.pcie_most_width */
  PT_GPU_PCIE_TO_HOST = 1 << 16,         /* PtGpuStats.pcie_to_host */
  PT_GPU_PCIE_TO_GPU = 1 << 17,          /* PtGpuStats.pcie_to_gpu */
  PT_GPU_THROTTLE = 1 << 18,             /* PtGpuStats.throttle */
  PT_GPU_MIG = 1 << 19,                  /* PtGpuStats.mig */
} PtGpuValid;

/** A GPU. Members whose bit is not in @valid are 0. Texts are UTF-8. */
typedef struct {
  guint valid;              /* PtGpuValid */
  guint index;              /* the driver's number */
  char *name, *uuid;        /* NULL: unknown, as for a lost GPU */
  char *compute_capability; /* "9.0"; NULL: unknown */
  gboolean lost;            /* it no longer answers: the machine must be restarted */
  gboolean needs_reset;     /* it must be reset before it works again */
  gboolean mig;             /* divided into instances */
  guint64 memory_total, memory_used, memory_free; /* bytes */
  guint64 process_memory;                         /* bytes used by this process */
  guint utilization, memory_utilization, fan;     /* percent */
  int temperature;                                /* degrees Celsius */
  double power, power_limit;                      /* watts */
  guint sm_clock, memory_clock;                   /* MHz */
  guint pcie_generation, pcie_most_generation;    /* now (low when idle), and the highest */
  guint pcie_width, pcie_most_width;              /* lanes */
  guint64 pcie_to_host, pcie_to_gpu;              /* bytes per second, over the last 20 ms */
  guint64 throttle;                               /* PtThrottle; may have unknown bits */
} PtGpuStats;

/** Bits for the members of PtMachineStats that are known. */
typedef enum {
  PT_MACHINE_CPU_LOAD = 1 << 0,       /* @cpu_percent, @cpu_process_percent */
  PT_MACHINE_MEMORY = 1 << 1,         /* @memory_total, @memory_available */
  PT_MACHINE_PROCESS_MEMORY = 1 << 2, /* @resident_bytes, @peak_bytes */
} PtMachineValid;

/**
 * GPUs, CPU and memory at one moment. Members whose bit is not in @valid are 0. Texts are UTF-8.
 * Plain data; it owns all that it points to.
 */
typedef struct {
  guint valid;        /* PtMachineValid */
  char *cpu_name;     /* NULL: unknown */
  char *cpu_level;    /* instruction set that kernels use; NULL: unknown */
  guint cpu_cores;    /* physical cores that the process may use; 0: unknown */
  double cpu_percent; /* load by all programs since the last reading; 100: all CPUs are busy */
  double cpu_process_percent;             /* load by this process */
  guint64 memory_total, memory_available; /* bytes of the machine */
  guint64 resident_bytes, peak_bytes;     /* resident memory of this process: now, and its peak */
  PtGpuStats *gpus;                       /* @n_gpus of them; NULL: none */
  guint n_gpus;                           /* how many GPUs there are */
  PtGpuStats *vulkan_gpus; /* others that Vulkan can use: @n_vulkan_gpus of them; NULL: none, or
                              pt_stats_find_vulkan_gpus() was not called */
  guint n_vulkan_gpus;     /* how many of these */
  char *gpu_reason;        /* a sentence that says why @gpus is empty; NULL: it is not */
  char *gpu_driver;        /* version of the NVIDIA driver, "580.65.06"; NULL: unknown */
  char *cuda_version; /* highest CUDA version that the driver supports, "12.4"; NULL: unknown */
} PtMachineStats;

/**
 * Read the statistics of GPUs, CPU and memory; never NULL. The load of the CPU is unknown in the
 * first reading of a process. Takes up to 50 ms for each GPU, more the first time; any thread. Free
 * with pt_machine_stats_free().
 */
PT_API PtMachineStats *pt_stats_read (void);
/**
 * Look for GPUs of other vendors, which can be used through Vulkan; readings have them from now on.
 * Blocking: a driver is asked, in a process of its own, for 10 seconds at most. Any thread; once is
 * enough.
 */
PT_API void pt_stats_find_vulkan_gpus (void);
/** Free @stats and everything in it. NULL: does nothing. Any thread. */
PT_API void pt_machine_stats_free (PtMachineStats *stats);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMachineStats, pt_machine_stats_free)

/** One line of JSON (engine/README.md), for scripts and bug reports. Free with g_free(). */
PT_API char *pt_machine_stats_to_json (const PtMachineStats *stats);

/** "power limit" for PT_THROTTLE_POWER_CAP: English, for reports; NULL for several bits or an
 * unknown one. */
PT_API const char *pt_throttle_name (PtThrottle reason);

/** Memory of this machine in bytes; 0: unknown, or no GPU. */
typedef struct {
  guint64 ram_total, ram_free; /* bytes of the machine, and those that programs may still have */
  guint64 gpu_total, gpu_free; /* of the GPU with the most free memory */
} PtMemory;

/** The memory in @stats. */
PT_API PtMemory pt_memory_of (const PtMachineStats *stats);

/** Whether models can use a GPU in this process, and the details. */
typedef struct {
  gboolean usable; /* models can use a GPU */
  gboolean found;  /* the machine's driver has a GPU */
  char *reason;    /* why no GPU can be used, a sentence; NULL: one can */
  char *report;    /* lines for a bug report, in English, without names of users and folders */
} PtDiagnosis;

/**
 * Look for GPUs again, and initialise the CUDA driver unless that has been done. If the driver
 * fails once, it fails until the process ends: a restart may help when @found is set and @usable is
 * not. Takes up to some seconds; any thread.
 */
PT_API PtDiagnosis *pt_diagnose (void);
/** Free @diagnosis. Any thread. */
PT_API void pt_diagnosis_free (PtDiagnosis *diagnosis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtDiagnosis, pt_diagnosis_free)

G_END_DECLS
