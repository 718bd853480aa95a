/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * The machine: its GPUs, processors and memory now, and why a GPU cannot be used.
 */

/**
 * GPUs, CPU and memory now, as JSON (engine/README.md). Takes some milliseconds at most, more
 * the first time; any thread. Free with g_free().
 */
PT_API char *pt_stats_read (void);

/** Memory of this machine; 0: not known, or no GPU. */
typedef struct {
  guint64 ram_total, ram_free;
  guint64 gpu_total, gpu_free; /* of the GPU with most of it free */
} PtMemory;

/** What the text of pt_stats_read() says of memory. */
PT_API PtMemory pt_memory_parse (const char *stats);

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
