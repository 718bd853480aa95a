/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/watchdog.h"

#if defined(__linux__) && defined(__GLIBC__)
#define HAVE_FRAMES
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#endif

#define LIMIT_MS 50

static guint n_stalls;

/* ---- backtraces ---- */

#ifdef HAVE_FRAMES

#define MAX_FRAMES 14

/* Frames of the handler itself and of the system's call to it. */
#define OWN_FRAMES 2

static timer_t timer;
static gboolean have_timer;
static void *frames[MAX_FRAMES];
static volatile int n_frames;

static void
on_alarm (int number)
{
  n_frames = backtrace (frames, MAX_FRAMES);
}

static void
prepare_alarm (void)
{
  struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
  struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 4 };

  /* The first call loads a library, which a signal handler must not do. */
  backtrace (frames, 1);
  event._sigev_un._tid = gettid ();
  have_timer = sigaction (event.sigev_signo, &action, NULL) == 0 &&
               timer_create (CLOCK_MONOTONIC, &event, &timer) == 0;
}

static void
set_alarm (int ms)
{
  const struct itimerspec time = { .it_value.tv_nsec = ms * 1000000L };

  if (have_timer)
    timer_settime (timer, 0, &time, NULL);
}

static void
tell_frames (void)
{
  int n = n_frames;
  char **names = n > OWN_FRAMES ? backtrace_symbols (frames, n) : NULL;
  g_autoptr (GString) text =
      g_string_new ("Backtrace (addr2line -f -e FILE ADDRESS shows the place):");

  n_frames = 0;
  if (names == NULL)
    return;
  for (int i = OWN_FRAMES; i < n; i++)
    g_string_append_printf (text, "\n  %s", names[i]);
  g_message ("%s", text->str);
  /* Allocated by malloc(), so not g_free(). */
  free (names); // NOLINT
}

#else

static void
prepare_alarm (void)
{
}

static void
set_alarm (int ms)
{
}

static void
tell_frames (void)
{
}

#endif

/* ---- watching ---- */

/*
 * A source with the highest priority: an iteration begins at its check, after the poll, and ends at
 * its next prepare.
 */
typedef struct {
  GSource parent;
  gint64 begin; /* microseconds; 0: the loop sleeps */
} Watchdog;

static gboolean
prepare (GSource *source, int *timeout)
{
  Watchdog *self = (Watchdog *) source;
  gint64 took = self->begin != 0 ? g_get_monotonic_time () - self->begin : 0;

  *timeout = -1;
  self->begin = 0;
  set_alarm (0);
  if (took > LIMIT_MS * G_TIME_SPAN_MILLISECOND) {
    n_stalls++;
    g_message ("The window did not respond for %d ms.", (int) (took / G_TIME_SPAN_MILLISECOND));
    tell_frames ();
  }
  return FALSE;
}

static gboolean
check (GSource *source)
{
  ((Watchdog *) source)->begin = g_get_monotonic_time ();
  set_alarm (LIMIT_MS);
  return FALSE;
}

static gboolean
dispatch (GSource *source, GSourceFunc func, gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

void
pteris_watchdog_start (void)
{
  static GSourceFuncs FUNCS = { .prepare = prepare, .check = check, .dispatch = dispatch };
  GSource *source = g_source_new (&FUNCS, sizeof (Watchdog));

  prepare_alarm ();
  g_source_set_static_name (source, "watchdog");
  g_source_set_priority (source, G_MININT);
  g_source_attach (source, NULL);
  g_source_unref (source);
}

guint
pteris_watchdog_get_stalls (void)
{
  return n_stalls;
}
