/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/fair-share.h"

#ifdef G_OS_WIN32
#include <windows.h>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#define cycles() __rdtsc ()
#endif
#elif defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#endif

/*
 * Schedulers give a thread slices of some milliseconds. A window is several of them; one that is
 * much longer holds time without work, and says nothing.
 */
#define WINDOW 20000
#define LONGEST_WINDOW 1000000

/* Of a core's time: waits that are normal, and those that mean that a thread is too many. */
#define QUIET 0.05
#define CROWDED 0.2

/* Microseconds that it takes to wake up a thread on a core that sleeps, at most. The wait for
 * another program's slice is longer. */
#define WAKE 200

/* More threads are tried after a pause, which doubles each time that they had to wait. */
#define SHORTEST_PAUSE 100000
#define LONGEST_PAUSE 3200000

void
pt_fair_share_init (PtFairShare *self, guint n_threads)
{
  *self = (PtFairShare){ .n_threads = n_threads, .n_active = n_threads, .pause = SHORTEST_PAUSE };
}

/* @lost: the number of threads that waited, on average. */
static void
take_fewer (PtFairShare *self, gint64 now, double lost)
{
  gboolean is_failed_try = self->tried > 0 && now - self->tried <= SHORTEST_PAUSE;
  guint n = MAX (1, (guint) (lost + 0.5));

  self->pause = is_failed_try ? MIN (self->pause * 2, LONGEST_PAUSE) : SHORTEST_PAUSE;
  self->n_active = self->n_active > n ? self->n_active - n : 1;
  self->next_try = now + self->pause;
  self->tried = 0;
}

static void
take_more (PtFairShare *self, gint64 now)
{
  guint more = MAX (1, self->n_active / 2);

  self->n_active = MIN (self->n_threads, self->n_active + more);
  self->next_try = now + SHORTEST_PAUSE;
  self->tried = now;
}

guint
pt_fair_share_update (PtFairShare *self, gint64 now, gint64 waited)
{
  gint64 window = now - self->began;
  double lost;

  if (window < WINDOW)
    return self->n_active;
  lost = (double) (waited - self->waited) / (double) window;
  self->began = now;
  self->waited = waited;
  if (window > LONGEST_WINDOW)
    return self->n_active;
  self->is_crowded = lost > QUIET;
  /* Threads that meet on a core by chance are moved to another one soon: one window is no proof,
   * unless others worked just before. */
  self->n_crowded = lost > CROWDED ? self->n_crowded + 1 : 0;
  if (self->n_active > 1 && (self->n_crowded > 1 || (self->n_crowded > 0 && self->tried > 0)))
    take_fewer (self, now, lost);
  else if (lost <= QUIET && self->n_active < self->n_threads && now >= self->next_try)
    take_more (self, now);
  return self->n_active;
}

/* ---- clocks ---- */

#if defined(__linux__)

/* Of a thread: time on a core, time in the queue (both in nanoseconds), number of slices. */
void
pt_wait_clock_begin (PtWaitClock *self)
{
  *self = (PtWaitClock){ .file = open ("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC) };
}

void
pt_wait_clock_end (PtWaitClock *self)
{
  if (self->file >= 0)
    close (self->file);
  self->file = -1;
}

void
pt_wait_clock_pause (PtWaitClock *self)
{
}

void
pt_wait_clock_resume (PtWaitClock *self)
{
}

gint64
pt_wait_clock_read (PtWaitClock *self)
{
  char text[96];
  gssize n = self->file >= 0 ? pread (self->file, text, sizeof text - 1, 0) : 0;
  guint64 queued, slices;
  gint64 waited;
  char *end;

  if (n <= 0)
    return 0;
  text[n] = '\0';
  g_ascii_strtoull (text, &end, 10);
  queued = g_ascii_strtoull (end, &end, 10);
  slices = g_ascii_strtoull (end, NULL, 10);
  waited = (gint64) (queued - self->queued) / 1000 - WAKE * (gint64) (slices - self->slices);
  self->queued = queued;
  self->slices = slices;
  self->waited += MAX (waited, 0);
  return self->waited;
}

#elif defined(G_OS_WIN32) && defined(cycles)

/* Windows counts a thread's cycles with the counter that RDTSC reads. If there are this many times
 * fewer, the system counts something else. */
#define OTHER_UNIT 64

static guint64
cycles_of_thread (void)
{
  ULONG64 n = 0;

  return QueryThreadCycleTime (GetCurrentThread (), &n) ? n : 0;
}

/* Cycles of the counter in a microsecond. */
static double
cycles_per_microsecond (void)
{
  static gint64 first_time;
  static guint64 first_cycles;
  static gsize known = 0;
  gint64 passed;

  if (g_once_init_enter (&known)) {
    first_time = g_get_monotonic_time ();
    first_cycles = cycles ();
    g_once_init_leave (&known, 1);
  }
  passed = g_get_monotonic_time () - first_time;
  return passed < WINDOW / 2 ? 0 : (double) (cycles () - first_cycles) / (double) passed;
}

void
pt_wait_clock_begin (PtWaitClock *self)
{
  cycles_per_microsecond ();
  *self = (PtWaitClock){ .file = -1, .ran = cycles_of_thread (), .awake_since = cycles () };
}

void
pt_wait_clock_end (PtWaitClock *self)
{
}

void
pt_wait_clock_pause (PtWaitClock *self)
{
  self->awake += cycles () - self->awake_since;
}

void
pt_wait_clock_resume (PtWaitClock *self)
{
  self->awake_since = cycles ();
}

gint64
pt_wait_clock_read (PtWaitClock *self)
{
  double speed = cycles_per_microsecond ();
  guint64 now = cycles_of_thread (), awake;

  awake = self->awake + (cycles () - self->awake_since);
  if (now <= self->ran || awake <= now - self->ran || speed == 0)
    return 0;
  if (awake / OTHER_UNIT > now - self->ran)
    return 0;
  return (gint64) ((double) (awake - (now - self->ran)) / speed);
}

#else

void
pt_wait_clock_begin (PtWaitClock *self)
{
  *self = (PtWaitClock){ .file = -1 };
}

void
pt_wait_clock_end (PtWaitClock *self)
{
}

void
pt_wait_clock_pause (PtWaitClock *self)
{
}

void
pt_wait_clock_resume (PtWaitClock *self)
{
}

gint64
pt_wait_clock_read (PtWaitClock *self)
{
  return 0;
}

#endif
