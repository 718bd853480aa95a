/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>

#include <glib.h>

#include "engine/kernels/worker-pool.h"

typedef struct {
  gsize n, grain;
  guint n_workers;
  guint8 *done;
  _Atomic gsize n_done;
  PtPool *pool;
} Loop;

static void
mark (gpointer data, gsize begin, gsize end, guint worker)
{
  Loop *loop = data;
  guint8 *scratch = pt_pool_scratch (loop->pool, worker);

  g_assert_cmpuint (worker, <, loop->n_workers);
  g_assert_cmpuint (begin, <, end);
  g_assert_cmpuint (end, <=, loop->n);
  g_assert_cmpuint ((gsize) scratch % 64, ==, 0);
  scratch[0] = scratch[PT_POOL_SCRATCH - 1] = (guint8) worker;
  for (gsize i = begin; i < end; i++)
    loop->done[i]++;
  atomic_fetch_add (&loop->n_done, end - begin);
}

typedef void (*Run) (PtPool *pool, gsize n, gsize grain, PtPoolTask task, gpointer data);

static void
run_loop_by (Run run, PtPool *pool, gsize n, gsize grain)
{
  g_autofree guint8 *done = g_malloc0 (n + 1);
  Loop loop = { n, grain, pt_pool_n_workers (pool), done, 0, pool };

  run (pool, n, grain, mark, &loop);
  g_assert_cmpuint (atomic_load (&loop.n_done), ==, n);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpuint (done[i], ==, 1);
}

static void
run_shares (PtPool *pool, gsize n, gsize grain, PtPoolTask task, gpointer data)
{
  static const PtStream none = { NULL, 0 };
  /* These bytes are not read. */
  PtStream stream = { GSIZE_TO_POINTER (4096 * (n + 1)), grain + 1 };

  pt_pool_run_shares (pool, n, grain, n % 3 == 0 ? NULL : n % 3 == 1 ? &none : &stream, task, data);
}

static void
run_loop (PtPool *pool, gsize n, gsize grain)
{
  run_loop_by (pt_pool_run, pool, n, grain);
  run_loop_by (run_shares, pool, n, grain);
}

/* Shares follow each other and are everything. */
static void
check_shares (const PtPool *pool, gsize n, gsize grain)
{
  gsize begin, end, last = 0;

  for (guint i = 0; i < pt_pool_n_workers (pool); i++) {
    pt_pool_share (pool, n, grain, i, &begin, &end);
    g_assert_cmpuint (begin, ==, last);
    g_assert_cmpuint (end, >=, begin);
    g_assert_true (end == n || grain == 0 || end % grain == 0);
    last = end;
  }
  g_assert_cmpuint (last, ==, n);
}

static void
test_every_item_once (void)
{
  const gsize sizes[] = { 0, 1, 2, 3, 17, 100, 1000 };
  const gsize grains[] = { 0, 1, 2, 7, 100, 5000 };

  for (guint n_threads = 1; n_threads <= 5; n_threads++) {
    g_autoptr (PtPool) pool = pt_pool_new (n_threads);

    g_assert_cmpuint (pt_pool_n_workers (pool), ==, n_threads);
    for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
      for (gsize j = 0; j < G_N_ELEMENTS (grains); j++) {
        run_loop (pool, sizes[i], grains[j]);
        check_shares (pool, sizes[i], grains[j]);
      }
  }
}

/* Loops in a row, with pauses that let the workers spin, and others that send them to sleep. */
static void
test_many_loops (void)
{
  g_autoptr (PtPool) pool = pt_pool_new (3);

  for (guint i = 0; i < 2000; i++) {
    run_loop (pool, 1 + i % 40, 1 + i % 3);
    if (i % 200 == 0)
      g_usleep (1000);
    else if (i % 7 == 0)
      g_usleep (10);
  }
}

static void
test_small_loops_stay_here (void)
{
  g_autoptr (PtPool) pool = pt_pool_new (2);
  g_autofree guint8 *done = g_malloc0 (10);
  Loop loop = { 10, 10, 1, done, 0, pool };

  pt_pool_run (pool, 10, 10, mark, &loop); /* n_workers = 1: any other worker would fail */
  g_assert_cmpuint (done[9], ==, 1);
}

static void
test_new_and_free (void)
{
  for (guint i = 0; i < 50; i++) {
    PtPool *pool = pt_pool_new (4);

    if (i % 2)
      run_loop (pool, 100, 1);
    pt_pool_free (pool);
  }
  g_assert_cmpuint (pt_pool_n_workers (pt_pool_default ()), >=, 1);
  g_assert_true (pt_pool_default () == pt_pool_default ());
}

/* ---- fewer workers than threads ---- */

typedef struct {
  guint n_active;
  gsize n;
  _Atomic gsize n_done;
} Few;

static void
check_active (gpointer data, gsize begin, gsize end, guint worker)
{
  Few *few = data;

  g_assert_cmpuint (worker, <, few->n_active);
  g_assert_cmpuint (end, <=, few->n);
  atomic_fetch_add (&few->n_done, end - begin);
}

/* Loops are whole with any number of workers, the others never arrive. */
static void
test_few_active (void)
{
  g_autoptr (PtPool) pool = pt_pool_new (5);

  for (guint i = 0; i < 500; i++) {
    guint n_active = 1 + i * 7 % 5;
    Few few = { n_active, 1 + i * 13 % 300, 0 };

    pt_pool_set_active (pool, n_active);
    /* A worker that was active before may still be on its way into the first loop. */
    run_loop (pool, 100, 3);
    check_shares (pool, 100, 3);
    if (n_active == 1) {
      pt_pool_run (pool, few.n, 2, check_active, &few);
      pt_pool_run_shares (pool, few.n, 2, NULL, check_active, &few);
      g_assert_cmpuint (atomic_load (&few.n_done), ==, 2 * few.n);
    }
  }
  pt_pool_set_active (pool, 100);
  run_loop (pool, 1000, 1);
  pt_pool_set_active (pool, 0);
  run_loop (pool, 1000, 1);
}

#define N_RIVALS 12

static gpointer
be_busy (gpointer data)
{
  while (!atomic_load ((_Atomic gboolean *) data))
    ;
  return NULL;
}

/* Results do not depend on who else wants the cores: pieces of workers that wait for one. */
static void
test_crowded (void)
{
  g_autoptr (PtPool) pool = pt_pool_new (4);
  GThread *rivals[N_RIVALS];
  _Atomic gboolean is_over = FALSE;

  for (guint i = 0; i < N_RIVALS; i++)
    rivals[i] = g_thread_new ("rival", be_busy, &is_over);
  for (guint i = 0; i < 300; i++)
    run_loop (pool, 1 + i * 11 % 700, 1 + i % 5);
  atomic_store (&is_over, TRUE);
  for (guint i = 0; i < N_RIVALS; i++)
    g_thread_join (rivals[i]);
  for (guint i = 0; i < 300; i++)
    run_loop (pool, 1 + i * 11 % 700, 1 + i % 5);
}

/* ---- a stop ---- */

#define STOP_AFTER 20

typedef struct {
  _Atomic guint n_begun;
  _Atomic gboolean is_stopped;
} Stop;

static gboolean
is_stopped (gpointer data)
{
  return atomic_load (&((Stop *) data)->is_stopped);
}

/* The piece that is begun as number STOP_AFTER stops the others; those that were begun meanwhile
 * wait until it has. */
static void
count_until_stop (gpointer data, gsize begin, gsize end, guint worker)
{
  Stop *stop = data;

  guint number = atomic_fetch_add (&stop->n_begun, 1) + 1;

  if (number == STOP_AFTER)
    atomic_store (&stop->is_stopped, TRUE);
  while (number > STOP_AFTER && !is_stopped (data))
    g_thread_yield ();
}

/* After a stop only pieces that have begun are finished; nothing else runs until the stop is
   removed. */
static void
check_stop (Run run, guint n_threads)
{
  g_autoptr (PtPool) pool = pt_pool_new (n_threads);
  Stop stop = { 0, FALSE };

  pt_pool_set_stop (pool, is_stopped, &stop);
  run (pool, 1000000, 1, count_until_stop, &stop);
  g_assert_cmpuint (atomic_load (&stop.n_begun), >=, STOP_AFTER);
  g_assert_cmpuint (atomic_load (&stop.n_begun), <, STOP_AFTER + n_threads);
  for (guint i = 0; i < 3; i++)
    run (pool, i * 100 + 1, 100, count_until_stop, &stop);
  g_assert_cmpuint (atomic_load (&stop.n_begun), <, STOP_AFTER + n_threads);
  pt_pool_set_stop (pool, NULL, NULL);
  run_loop_by (run, pool, 1000, 7);
}

static void
test_stop (void)
{
  for (guint n_threads = 1; n_threads <= 4; n_threads++) {
    check_stop (pt_pool_run, n_threads);
    check_stop (run_shares, n_threads);
  }
}

/* ---- giving way ---- */

#define LOOP_MICROSECONDS 5000
#define N_LOOPS 10

/* A sleep cannot be shorter than asked for, however busy the machine is. */
static void
take_time (gpointer data, gsize begin, gsize end, guint worker)
{
  g_usleep (LOOP_MICROSECONDS);
}

static gint64
time_of_loops (PtPool *pool)
{
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < N_LOOPS; i++)
    pt_pool_run (pool, 1, 1, take_time, NULL);
  return g_get_monotonic_time () - start;
}

static gpointer
run_loops (gpointer data)
{
  time_of_loops (data);
  return NULL;
}

static void
test_gives_way (void)
{
  g_autoptr (PtPool) pool = pt_pool_new (1);
  GThread *thread;
  Stop stop = { 0, TRUE };

  /* A pause of three times its work before each loop but the first. */
  pt_pool_set_gives_way (pool, TRUE);
  pt_pool_urgent_begin ();
  g_assert_cmpint (time_of_loops (pool), >=, (N_LOOPS - 1) * 4 * LOOP_MICROSECONDS);

  /* Nothing is done, or waited for, after a stop. */
  pt_pool_set_stop (pool, is_stopped, &stop);
  time_of_loops (pool);
  pt_pool_set_stop (pool, NULL, NULL);

  /* The pause ends with what is urgent, or there is none. */
  thread = g_thread_new ("loops", run_loops, pool);
  pt_pool_urgent_end ();
  g_thread_join (thread);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool/every-item-once", test_every_item_once);
  g_test_add_func ("/pool/many-loops", test_many_loops);
  g_test_add_func ("/pool/small-loops-stay-here", test_small_loops_stay_here);
  g_test_add_func ("/pool/few-active", test_few_active);
  g_test_add_func ("/pool/crowded", test_crowded);
  g_test_add_func ("/pool/stop", test_stop);
  g_test_add_func ("/pool/gives-way", test_gives_way);
  g_test_add_func ("/pool/new-and-free", test_new_and_free);
  return g_test_run ();
}
