/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The cores of the CPU. Many CPUs have two or three kinds: fast ones, and slower ones that save
 * power.
 */

typedef struct {
  guint n_physical; /* cores that this process may use; several hardware threads are one core */
  guint n_fast;     /* the fast ones of them; all, when they are alike. 1 .. n_physical */
} PtCpuCores;

/** The cores of this machine, within the process's affinity and its group's limit of CPU time. */
PtCpuCores pt_cpu_cores (void);

/**
 * Read the cores from the files of Linux. @system: "/sys", or a copy of it. @allowed: one value for
 * each of @n hardware threads. Zeros when none is allowed.
 */
PtCpuCores pt_cpu_cores_from_files (const char *system, const gboolean *allowed, guint n);

#ifdef G_OS_WIN32
/**
 * Read the cores from what GetLogicalProcessorInformationEx (RelationProcessorCore) returned:
 * @size bytes at @records. @allowed: mask of hardware threads in the first group; others are
 * allowed.
 */
PtCpuCores pt_cpu_cores_from_records (gconstpointer records, gsize size, guint64 allowed);
#endif

G_END_DECLS
