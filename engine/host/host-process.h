/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/job.h>

#include "engine/base/heap.h"

G_BEGIN_DECLS

/**
 * PtHost: does jobs in a process of its own, which is started when a job needs it, and ends with
 * the model: a PT_JOB_LOAD after another one gets a new process, and so does every job after an end
 * of the process. One thread.
 */
typedef struct _PtHost PtHost;

typedef struct {
  const char *program; /* which has pt_engine_host_main(); NULL: this program; must stay */
  guint threads;       /* of its worker pool; 0: one per fast core */
  guint patience_ms;   /* how long the process may be silent when it is asked; 0: the default */
} PtHostOptions;

/** Called with every event but the last one, in another thread. @heap owns the event; a reference
 * keeps it. */
typedef void (*PtHostFunc) (PtEvent *event, PtHeap *heap, gpointer user_data);

PtHost *pt_host_new (const PtHostOptions *options);
/** Ends the process. NULL: does nothing. */
void pt_host_free (PtHost *host);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHost, pt_host_free)

/** A job for pt_host_run(). */
typedef struct {
  guint64 number; /* over 0, and another one for each job */
  const PtJob *job;
  GCancellable *cancellable;
  GCancellable *finish; /* cancelled when the recording that the job follows is complete */
  PtHostFunc func;
  gpointer user_data;
} PtHostJob;

/**
 * Does a job and returns its last event, DONE, FAILED or STOPPED, in @last, which @heap owns. A
 * cancelled job ends within 300 ms: a process that does not obey is ended.
 */
void pt_host_run (PtHost *host, const PtHostJob *job, PtEvent *last, PtHeap *heap);

/** The number of the process for the system; 0: there is none. */
guint64 pt_host_pid (PtHost *host);

G_END_DECLS
