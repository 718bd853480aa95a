/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gmodule.h>

/*
 * A stand-in for the CUDA driver (libcuda.so.1), for machines without a GPU.
 *
 * Device memory is host memory behind addresses that cannot be accessed directly, only by copies.
 * Work on a stream is queued until it is synchronised or polled, in order, as on a GPU: data that
 * is read too early is the old data. Synchronous copies wait for blocking streams only. Kernels are
 * counted and do nothing, but those that a test computes itself. Graphs replay the copies and
 * launches that were captured, in any order that their dependencies allow.
 *
 * The environment, read at cuInit():
 *   FAKE_CUDA_CAPABILITY  90 (the default) means 9.0
 *   FAKE_CUDA_VERSION     of CUDA in the driver, 13000 by default
 *   FAKE_CUDA_MEMORY      bytes of each device, 8 GiB by default
 *   FAKE_CUDA_DEVICES     how many, 1 by default
 *   FAKE_CUDA_FAIL        FUNCTION:NTH:CODE[,...]: see fail() below
 *   CUDA_VISIBLE_DEVICES  "" and "-1" hide all devices
 */

typedef struct {
  char name[128];
  guint grid[3], block[3];
  guint shared_bytes;
  gboolean is_replay; /* by a graph */
} FakeLaunch;

#define FAKE_MOST_ARGUMENTS 24

/** Counts of live objects of all devices. */
typedef struct {
  guint contexts; /* references to primary contexts */
  guint allocations, host_allocations;
  guint streams, events, modules, graphs; /* graphs: those that can be launched, too */
  gsize bytes, most_bytes, host_bytes;
  guint leaked; /* things that were still there when their primary context went */
} FakeCounts;

typedef void FakeLaunchHook (const FakeLaunch *launch, void **arguments, gpointer user_data);

/** Controls. Any thread. */
typedef struct {
  /** Forget calls, launches, failures, leaks and the hook. What lives goes on. */
  void (*reset) (void);
  /** The @nth call of @function from now on (1: the next; 0: every one) gives @code. Codes that
   * kill a context do. A name of a call that has a "_v2" is given without. */
  void (*fail) (const char *function, guint nth, int code);
  /** All current contexts return only @code from now on, as after a fault. */
  void (*kill) (int code);
  guint (*n_calls) (const char *function);
  guint (*n_launches) (void);
  gboolean (*launch) (guint i, FakeLaunch *launch);
  void (*counts) (FakeCounts *counts);
  /** The host address of device memory; NULL: not device memory. */
  gpointer (*memory) (guint64 pointer);
  /** Devices have so many bytes from now on. */
  void (*set_memory) (gsize bytes);
  /** Called in cuLaunchKernel(), not at replays. NULL: none. */
  void (*set_launch_hook) (FakeLaunchHook *hook, gpointer user_data);
  /** @kernel has so many arguments of 8 bytes, and computes what @run does when its turn comes, on
   * a stream or in a graph. Until the next reset. */
  void (*set_kernel) (const char *kernel, guint n_arguments, FakeLaunchHook *run,
                      gpointer user_data);
} FakeCuda;

/** The controls of the stand-in at @path, which is loaded and stays. */
static inline const FakeCuda *
fake_cuda_open (const char *path)
{
  GModule *module = g_module_open (path, (GModuleFlags) (G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL));
  gpointer symbol = NULL;

  g_assert_nonnull (module);
  g_assert_true (g_module_symbol (module, "fake_cuda_control", &symbol));
  return ((const FakeCuda *(*) (void) ) symbol) ();
}
