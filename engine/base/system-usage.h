/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Figures of the operating system about the machine and this process. Any thread. */

/** Times since the system or the process started. The unit is unknown but equal for all fields. */
typedef struct {
  guint64 total;   /* all processors, idle time included */
  guint64 busy;    /* all processors, without idle time */
  guint64 process; /* this process, on any processor */
} PtCpuTimes;

/* The functions return FALSE where the system does not provide the figure. */

gboolean pt_machine_cpu_times (PtCpuTimes *times);

/**
 * Physical memory in bytes: all of it, and how much programs can still allocate without swapping.
 */
gboolean pt_machine_memory (guint64 *total, guint64 *available);

/** Memory of this process in bytes, mapped files included: now, and the maximum so far. */
gboolean pt_process_memory (guint64 *resident, guint64 *peak);

G_END_DECLS
