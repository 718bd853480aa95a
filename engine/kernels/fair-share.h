/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * How many threads of a worker pool are worth running while other programs want the cores. Threads
 * that wait for a core show that there are too many: loops end with the slowest worker, and other
 * programs lose what the threads take.
 */

typedef struct {
  guint n_threads, n_active; /* all, and those that should run: 1 .. n_threads */
  gboolean is_crowded;       /* threads waited for cores in the last window */
  guint n_crowded;           /* such windows in a row */
  gint64 began, waited;      /* of the window: time, and waits of the threads so far */
  gint64 next_try, pause;    /* when more threads are tried, and after which pause */
  gint64 tried;              /* when that was last done; 0: never */
} PtFairShare;

/** Begin with all of @n_threads. */
void pt_fair_share_init (PtFairShare *self, guint n_threads);

/**
 * Tell that at @now (microseconds) the active threads together have been ready to run, without
 * running, for @waited microseconds since they exist. Cheap; often. Returns self->n_active.
 */
guint pt_fair_share_update (PtFairShare *self, gint64 now, gint64 waited);

/** The clock of a thread, for the time in which it was ready to run and did not. */
typedef struct {
  gint file;                       /* Linux: what the scheduler says; -1: it does not */
  guint64 queued, slices;          /* what it said last: nanoseconds, number */
  gint64 waited;                   /* microseconds so far */
  guint64 awake, ran, awake_since; /* Windows: cycles */
} PtWaitClock;

/** On the thread that is measured. */
void pt_wait_clock_begin (PtWaitClock *self);
void pt_wait_clock_end (PtWaitClock *self);
/** The thread is about to sleep, and has woken up. */
void pt_wait_clock_pause (PtWaitClock *self);
void pt_wait_clock_resume (PtWaitClock *self);
/** Microseconds so far, without the time that it takes to wake up; 0 where the system does not say.
 */
gint64 pt_wait_clock_read (PtWaitClock *self);

G_END_DECLS
