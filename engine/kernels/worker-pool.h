/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The worker pool: parallel loops for kernels. One pool per process is enough.
 * Workers spin for some microseconds after a loop, then sleep; an idle pool
 * costs nothing.
 */

typedef struct _PtPool PtPool;

/** Do items [begin, end) of a loop. @worker: 0 .. pt_pool_n_workers() - 1, the caller is one of
 * them. */
typedef void (*PtPoolTask) (gpointer data, gsize begin, gsize end, guint worker);

/** The most workers that a pool has. */
#define PT_POOL_MAX_WORKERS 256

/** @n_threads: 0 = one per physical core the process may use. Never fails; runs alone if it must.
 */
PtPool *pt_pool_new (guint n_threads);
void pt_pool_free (PtPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPool, pt_pool_free)

/** The pool of the process, made at first use. */
PtPool *pt_pool_default (void);
/** Set the number of threads of pt_pool_default(). Before its first use. */
void pt_pool_set_default_threads (guint n_threads);

guint pt_pool_n_workers (const PtPool *pool);

/**
 * Run @task over [0, @n) in pieces of about @grain items and wait for all of it.
 *
 * Runs in the caller alone when @n <= @grain. Allocates nothing. Not reentrant: a
 * task must not call pt_pool_run(). One caller at a time (the engine thread).
 */
void pt_pool_run (PtPool *pool, gsize n, gsize grain, PtPoolTask task, gpointer data);

/** Whether the results of loops are no longer wanted. Called often and in any thread, so it should
 * be no more than one atomic load. */
typedef gboolean (*PtPoolStop) (gpointer data);

/**
 * From now on a loop leaves out the pieces that have not begun when @stop returns TRUE, and later
 * loops leave out all pieces; their results are then of no use. NULL: loops are not stopped. Called
 * between loops, by the thread that calls pt_pool_run().
 */
void pt_pool_set_stop (PtPool *pool, PtPoolStop stop, gpointer data);

/** What a loop reads from memory: @item_bytes for each item, one after the other from @base on. */
typedef struct {
  gconstpointer base; /* NULL: not known */
  gsize item_bytes;
} PtStream;

/**
 * The same for loops that stream memory: the pieces a worker begins with follow each other, so that
 * the processor can read ahead. A worker that has done its share takes pieces from the ends of the
 * shares of others.
 *
 * The pool remembers which @stream (or NULL) came after which. While a worker waits, it asks its
 * cache for the beginning of its share of what came next the last time: the memory is busy while
 * the caller does what only one thread can do.
 */
void pt_pool_run_shares (PtPool *pool, gsize n, gsize grain, const PtStream *stream,
                         PtPoolTask task, gpointer data);

/** Which items of such a loop @worker begins with: [*begin, *end). */
void pt_pool_share (const PtPool *pool, gsize n, gsize grain, guint worker, gsize *begin,
                    gsize *end);

/** In a task of such a loop: where the memory begins that @worker is expected to read in the next
 * one, and how much that is; NULL: nothing is known. The address may be stale: never read it, only
 * ask the cache for it. */
gconstpointer pt_pool_upcoming (const PtPool *pool, guint worker, gsize *size);

/** Per-worker scratch for kernels: PT_POOL_SCRATCH bytes, aligned to 64, kept between loops. */
#define PT_POOL_SCRATCH (1024 * 1024)
gpointer pt_pool_scratch (PtPool *pool, guint worker);

G_END_DECLS
