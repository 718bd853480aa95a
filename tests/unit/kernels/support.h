/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>
#include <string.h>

#include <glib.h>

#include "engine/kernels/cpu.h"

#ifndef G_OS_WIN32
#include <sys/mman.h>
#include <unistd.h>
#endif

/*
 * Helpers of the kernel tests: every CPU level in turn, reproducible data, and buffers that end at
 * a guard page.
 */

typedef void (*LevelTest) (void);

/** Run @test once for each level that this CPU has. */
static inline void
for_each_level (LevelTest test)
{
  PtCpuLevel best = pt_cpu_level ();

  for (PtCpuLevel level = PT_CPU_PORTABLE; level <= best; level++) {
    if (pt_cpu_set_level (level) != level)
      continue;
    g_test_message ("level %s", pt_cpu_level_name (level));
    test ();
  }
  pt_cpu_set_level (best);
}

typedef struct {
  guint8 *map;
  gsize map_size;
  gpointer data;
} Guarded;

/** @size bytes that end right before a page without access. */
static inline gpointer
guarded_new (Guarded *guarded, gsize size)
{
#ifdef G_OS_WIN32
  guarded->data = g_malloc (MAX (size, 1));
#else
  gsize page = (gsize) sysconf (_SC_PAGESIZE), used = (size + page - 1) / page * page;

  guarded->map_size = used + page;
  guarded->map =
      mmap (NULL, guarded->map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  g_assert_true (guarded->map != MAP_FAILED);
  g_assert_cmpint (mprotect (guarded->map + used, page, PROT_NONE), ==, 0);
  guarded->data = guarded->map + used - size;
#endif
  return guarded->data;
}

static inline void
guarded_clear (Guarded *guarded)
{
#ifdef G_OS_WIN32
  g_free (guarded->data);
#else
  munmap (guarded->map, guarded->map_size);
#endif
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Guarded, guarded_clear)

static guint32 random_state = 1;

static inline guint32
random_bits (void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state >> 8;
}

/** Uniform in [-1, 1). */
static inline float
random_float (void)
{
  return (float) random_bits () * 0x1p-23f - 1.0f;
}

static inline void
fill_floats (float *x, gsize n)
{
  for (gsize i = 0; i < n; i++)
    x[i] = random_float ();
}

static inline void
fill_bytes (gpointer x, gsize n)
{
  for (gsize i = 0; i < n; i++)
    ((guint8 *) x)[i] = (guint8) (random_bits () >> 4);
}

/** Equal up to @tolerance (absolute); infinities and NaN must agree. */
static inline void
assert_close (float a, double b, double tolerance)
{
  if (isnan (b) || isinf (b))
    g_assert_true (isnan (b) ? isnan (a) : a == b);
  else if (!(fabs (a - b) <= tolerance))
    g_error ("%.9g is not %.9g (tolerance %g)", a, b, tolerance);
}
