/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/stats.h>

G_BEGIN_DECLS

/*
 * What Windows counts for GPUs of every vendor (Task Manager shows the same). Its names of what it
 * counts hold the LUID that Vulkan tells of a GPU.
 */

/** A figure, and Windows' name of what it belongs to. */
typedef struct {
  char *instance; /* "pid_4_luid_0x00000000_0x0000D1B5_phys_0_eng_0_engtype_3D"; UTF-8 */
  double value;
} PtGpuCounter;

/** All figures of one moment; arrays of PtGpuCounter. */
typedef struct {
  GArray *loads;     /* of an engine of a GPU by one process since the last reading, percent */
  GArray *dedicated; /* bytes in use of a GPU's own memory */
  GArray *shared;    /* bytes in use of the computer's memory by a GPU */
} PtGpuCounters;

/** No figures yet. */
PtGpuCounters *pt_gpu_counters_new (void);

void pt_gpu_counters_free (PtGpuCounters *counters);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtGpuCounters, pt_gpu_counters_free)

/** Add a figure to one of the arrays. Copies @instance. */
void pt_gpu_counters_append (GArray *counters, const char *instance, double value);

/**
 * Ask the system. NULL: it counts nothing, as everywhere but on Windows. Loads come with the second
 * reading. One thread at a time.
 */
PtGpuCounters *pt_gpu_counters_read (void);

/**
 * Set in @stats what @counters say of the GPU @luid (not 0): the load of its busiest engine, and
 * the memory in use where stats->memory_total is known and not less. @integrated: its memory is the
 * computer's. What is not said stays as it is. Any thread.
 */
void pt_gpu_counters_take (const PtGpuCounters *counters, guint64 luid, gboolean integrated,
                           PtGpuStats *stats);

G_END_DECLS
