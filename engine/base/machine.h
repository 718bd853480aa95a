/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the operating system says about the machine and this process. Any thread. */

/** Time spent since the start, in one unknown unit. */
typedef struct {
  guint64 total;   /* of all processors, idle or not */
  guint64 busy;    /* of all processors */
  guint64 process; /* of this process on any of them */
} PtCpuTimes;

/* Each returns FALSE where the system does not tell. */

gboolean pt_machine_cpu_times (PtCpuTimes *times);

/** Bytes of memory: all, and what programs can still get without swapping. */
gboolean pt_machine_memory (guint64 *total, guint64 *available);

/** Bytes of this process in memory, mapped files included: now, and the most so far. */
gboolean pt_process_memory (guint64 *resident, guint64 *peak);

G_END_DECLS
