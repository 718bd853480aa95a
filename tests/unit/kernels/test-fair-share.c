/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/fair-share.h"

#define SECOND 1000000
#define STEP 1000

typedef struct {
  PtFairShare share;
  gint64 now, waited;
  guint n_cores, n_rivals;
  gint64 beyond; /* time of threads beyond the cores that are free */
} Machine;

/* Runs a machine whose cores are shared fairly, step by step. Returns the number of threads. */
static guint
run_machine (Machine *m, gint64 time)
{
  for (gint64 i = 0; i < time; i += STEP) {
    guint n = m->share.n_active, wanted = n + m->n_rivals;

    if (wanted > m->n_cores) {
      /* Only waits of workers are counted, not those of the caller. */
      m->waited += (gint64) (n - 1) * STEP * (wanted - m->n_cores) / wanted;
      m->beyond += n > 1 ? STEP : 0;
    }
    m->now += STEP;
    pt_fair_share_update (&m->share, m->now, m->waited);
  }
  return m->share.n_active;
}

static void
begin (Machine *m, guint n_cores)
{
  *m = (Machine){ .n_cores = n_cores };
  pt_fair_share_init (&m->share, n_cores);
}

static void
test_alone (void)
{
  Machine m;

  begin (&m, 8);
  g_assert_cmpuint (run_machine (&m, 5 * SECOND), ==, 8);
  g_assert_false (m.share.is_crowded);
}

/* A program with one thread leaves one thread less, and is disturbed seldom. */
static void
test_one_rival (void)
{
  Machine m;

  begin (&m, 2);
  run_machine (&m, SECOND);
  m.n_rivals = 1;
  run_machine (&m, 3 * SECOND);
  m.beyond = 0;
  run_machine (&m, 20 * SECOND);
  g_assert_cmpint (m.beyond, <, SECOND);
  /* It ends: all threads work again, in the longest pause between two tries. */
  m.n_rivals = 0;
  g_assert_cmpuint (run_machine (&m, 4 * SECOND), ==, 2);
}

static void
test_many_rivals (void)
{
  Machine m;

  begin (&m, 16);
  m.n_rivals = 40;
  run_machine (&m, 2 * SECOND);
  m.beyond = 0;
  run_machine (&m, 20 * SECOND);
  g_assert_cmpint (m.beyond, <, SECOND);
  m.n_rivals = 0;
  g_assert_cmpuint (run_machine (&m, 5 * SECOND), ==, 16);
}

/* Threads that met on a core once stay; a pause without work says nothing. */
static void
test_chance (void)
{
  Machine m;

  begin (&m, 4);
  run_machine (&m, SECOND);
  m.waited += 15000;
  g_assert_cmpuint (run_machine (&m, SECOND), ==, 4);
  m.now += 100 * (gint64) SECOND;
  m.waited += 50 * (gint64) SECOND;
  g_assert_cmpuint (run_machine (&m, SECOND), ==, 4);
}

static void
test_one_thread (void)
{
  Machine m;

  begin (&m, 1);
  m.n_rivals = 5;
  g_assert_cmpuint (run_machine (&m, SECOND), ==, 1);
}

/* The clock never goes back, and a thread that sleeps does not wait for a core. */
static void
test_clock (void)
{
  PtWaitClock clock;
  gint64 last = 0;

  pt_wait_clock_begin (&clock);
  for (guint i = 0; i < 20; i++) {
    gint64 now;

    pt_wait_clock_pause (&clock);
    g_usleep (100);
    pt_wait_clock_resume (&clock);
    now = pt_wait_clock_read (&clock);
#ifdef __linux__
    g_assert_cmpint (now, >=, last);
#endif
    last = now;
  }
  g_assert_cmpint (last, >=, 0);
  pt_wait_clock_end (&clock);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fair-share/alone", test_alone);
  g_test_add_func ("/fair-share/one-rival", test_one_rival);
  g_test_add_func ("/fair-share/many-rivals", test_many_rivals);
  g_test_add_func ("/fair-share/chance", test_chance);
  g_test_add_func ("/fair-share/one-thread", test_one_thread);
  g_test_add_func ("/fair-share/clock", test_clock);
  return g_test_run ();
}
