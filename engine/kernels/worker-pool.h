/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The worker pool: parallel loops for kernels. One pool is enough for an engine thread. Workers
 * spin for some microseconds after a loop, then sleep; an idle pool uses no CPU time. While other
 * programs want the cores, fewer workers take part, and none spins.
 */

typedef struct _PtPool PtPool;

/**
 * Do items [begin, end) of a loop. @worker: 0 .. pt_pool_n_workers() - 1; the caller of the loop is
 * worker 0.
 */
typedef void (*PtPoolTask) (gpointer data, gsize begin, gsize end, guint worker);

/** The maximum of workers in a pool. */
#define PT_POOL_MAX_WORKERS 256

/** Set the default number of threads of the pools that are made from now on. 0: one for each fast
 * core that the process may use: a loop ends with its slowest worker. */
void pt_pool_set_default_threads (guint n_threads);
/** @n_threads, or the default number in place of 0. */
guint pt_pool_choose_threads (guint n_threads);

/** Make a pool. @n_threads: 0: the default number. Never fails: without threads, the caller works
 * alone. */
PtPool *pt_pool_new (guint n_threads);
void pt_pool_free (PtPool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPool, pt_pool_free)

/** The pool of the calling thread (pt_pool_use()), else that of the process, made at the first use.
 */
PtPool *pt_pool_default (void);
/** Give the calling thread a pool of its own, so that its loops may run while another thread uses
 * the pool of the process. @pool: borrowed; NULL: none. */
void pt_pool_use (PtPool *pool);

guint pt_pool_n_workers (const PtPool *pool);

/**
 * Let @n_workers of them take part in the next loops, the caller included; 0, as at first: as many
 * as find a core. Between loops, on the thread that calls pt_pool_run().
 */
void pt_pool_set_active (PtPool *pool, guint n_workers);

/**
 * Run @task over [0, @n) in pieces of about @grain items and wait for all of it. With many workers,
 * pieces are smaller: down to an eighth of @grain.
 *
 * The first pieces of a worker are contiguous, and as far as possible the same part of each loop.
 * One that has finished its share takes pieces from the ends of other shares.
 *
 * Runs in the caller alone when @n <= @grain. Allocates nothing. Not reentrant: a
 * task must not call pt_pool_run(). One caller at a time (the engine thread).
 */
void pt_pool_run (PtPool *pool, gsize n, gsize grain, PtPoolTask task, gpointer data);

/**
 * Whether the results of loops are no longer wanted. Called often, on any thread: it should cost no
 * more than an atomic load.
 */
typedef gboolean (*PtPoolStop) (gpointer data);

/**
 * Set a function that stops loops. When @stop returns TRUE, a loop skips the pieces that have not
 * begun, and later loops skip all pieces; discard their results. NULL: loops are not stopped. Call
 * it between loops, on the thread that calls pt_pool_run().
 */
void pt_pool_set_stop (PtPool *pool, PtPoolStop stop, gpointer data);

/**
 * Make @pool give way to urgent work of other pools in this process: while there is some, its
 * caller pauses between loops and works for a quarter of the time. Before its first loop.
 */
void pt_pool_set_gives_way (PtPool *pool, gboolean gives_way);
/** Urgent work begins, and ends: an answer that a person waits for. Counted. Any thread. */
void pt_pool_urgent_begin (void);
void pt_pool_urgent_end (void);

/** The memory that a loop reads: @item_bytes for each item, contiguous from @base on. */
typedef struct {
  gconstpointer base; /* NULL: unknown */
  gsize item_bytes;
} PtStream;

/**
 * Run a loop that streams memory: the same, but a worker takes several pieces of its share at a
 * time, so that the processor can prefetch, and pieces are never smaller than @grain.
 *
 * The pool remembers the order of @stream arguments (NULL: unknown). While a worker waits, it
 * prefetches the beginning of its share of the stream that came next the last time, so that memory
 * is busy while the caller does serial work.
 */
void pt_pool_run_shares (PtPool *pool, gsize n, gsize grain, const PtStream *stream,
                         PtPoolTask task, gpointer data);

/** The items [*begin, *end) of such a loop that @worker begins with. */
void pt_pool_share (const PtPool *pool, gsize n, gsize grain, guint worker, gsize *begin,
                    gsize *end);

/**
 * In a task of such a loop: the address and size of the memory that @worker will probably read in
 * the next one; NULL: unknown. The address may be invalid: only prefetch it.
 */
gconstpointer pt_pool_upcoming (const PtPool *pool, guint worker, gsize *size);

/**
 * Scratch of a worker for kernels: PT_POOL_SCRATCH bytes, aligned to 64. The content stays between
 * loops.
 */
#define PT_POOL_SCRATCH (1024 * 1024)
gpointer pt_pool_scratch (PtPool *pool, guint worker);

G_END_DECLS
