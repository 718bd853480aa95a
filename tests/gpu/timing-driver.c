/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * NVIDIA's driver with a clock in it: how long the GPU works on a decode step. A step goes from the
 * start of a graph to the end of the last kernel launched before the next graph, as events on its
 * stream tell. What the whole step takes beyond that is what the host costs. Steps are started
 * before the one before is done, so that their times are asked for later. Functions that are not
 * here come from libcuda itself.
 *
 *     gcc -O2 -shared -fPIC tests/gpu/timing-driver.c -o timing-driver.so -Wl,--no-as-needed -lcuda
 *     PTERIS_CUDA=$PWD/timing-driver.so pteris bench MODEL
 *
 * The last line on stderr is the result.
 */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include <dlfcn.h>

#define MAX_STEPS 100000
/* Steps whose times nobody has asked for yet. */
#define N_OPEN 8

typedef struct CUstream_st *Stream;
typedef struct CUevent_st *Event;
typedef int (*LaunchGraph) (void *graph, Stream stream);
typedef int (*LaunchKernel) (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                             Stream stream, void **parameters, void **extra);

static struct {
  LaunchGraph launch_graph;
  LaunchKernel launch_kernel;
  int (*create) (Event *event, unsigned flags);
  int (*record) (Event event, Stream stream);
  int (*elapsed) (float *milliseconds, Event from, Event to);
  int (*is_capturing) (Stream stream, int *status);
  int (*release) (int device);
} real;

typedef struct {
  Event begin, end;
  int is_open;
} Step;

static Step open_steps[N_OPEN];
static int now = -1; /* the step that has begun; -1: none */
static float steps[MAX_STEPS];
static int n_steps, n_kernels;

static void *
find (void *library, const char *name)
{
  void *symbol = dlsym (library, name);

  if (symbol == NULL) {
    fprintf (stderr, "timing-driver: no %s\n", name);
    exit (2);
  }
  return symbol;
}

static void
load (void)
{
  void *library;

  if (real.launch_graph != NULL)
    return;
  library = dlopen ("libcuda.so.1", RTLD_NOW);
  if (library == NULL) {
    fprintf (stderr, "timing-driver: %s\n", dlerror ());
    exit (2);
  }
  real.launch_kernel = (LaunchKernel) find (library, "cuLaunchKernel");
  real.create = (int (*) (Event *, unsigned)) find (library, "cuEventCreate");
  real.record = (int (*) (Event, Stream)) find (library, "cuEventRecord");
  real.elapsed = (int (*) (float *, Event, Event)) find (library, "cuEventElapsedTime");
  real.is_capturing = (int (*) (Stream, int *)) find (library, "cuStreamIsCapturing");
  real.release = (int (*) (int)) find (library, "cuDevicePrimaryCtxRelease_v2");
  real.launch_graph = (LaunchGraph) find (library, "cuGraphLaunch");
}

static void
close_step (Step *step)
{
  float milliseconds;

  if (step->is_open && n_steps < MAX_STEPS &&
      real.elapsed (&milliseconds, step->begin, step->end) == 0)
    steps[n_steps++] = milliseconds * 1000;
  step->is_open = 0;
}

/* Events go with their context. */
int
cuDevicePrimaryCtxRelease_v2 (int device)
{
  load ();
  for (int i = 0; i < N_OPEN; i++) {
    close_step (&open_steps[i]);
    open_steps[i].begin = NULL;
  }
  now = -1;
  return real.release (device);
}

int
cuGraphLaunch (void *graph, Stream stream)
{
  Step *step;
  int status;

  load ();
  now = (now + 1) % N_OPEN;
  step = &open_steps[now];
  close_step (step);
  if (step->begin == NULL) {
    real.create (&step->begin, 0);
    real.create (&step->end, 0);
  }
  real.record (step->begin, stream);
  status = real.launch_graph (graph, stream);
  real.record (step->end, stream);
  step->is_open = 1;
  return status;
}

int
cuLaunchKernel (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared, Stream stream,
                void **parameters, void **extra)
{
  int status, capturing = 1;

  load ();
  status = real.launch_kernel (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                               stream, parameters, extra);
  if (now >= 0 && real.is_capturing (stream, &capturing) == 0 && capturing == 0) {
    real.record (open_steps[now].end, stream);
    n_kernels++;
  }
  return status;
}

static int
compare (const void *a, const void *b)
{
  float x = *(const float *) a, y = *(const float *) b;

  return (x > y) - (x < y);
}

__attribute__ ((destructor)) static void
report (void)
{
  if (n_steps == 0)
    return;
  qsort (steps, (size_t) n_steps, sizeof steps[0], compare);
  fprintf (stderr,
           "GPU time of %d steps, us: median %.1f, least %.1f, 95th percentile %.1f; %.1f kernels "
           "behind a graph\n",
           n_steps, steps[n_steps / 2], steps[0], steps[n_steps * 95 / 100],
           (double) n_kernels / n_steps);
}
