/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * Models in a process of their own, the host. PtEngineOptions.isolation (pteris/engine.h) says
 * which jobs run there. Jobs and events are the same as in the program's own process.
 *
 * When a host ends by itself, the job that it was doing FAILS with PT_ERROR_HOST, and the model is
 * not loaded any more. The next PT_JOB_LOAD starts another host; until then, jobs with the loaded
 * model fail.
 *
 *     case PT_EVENT_FAILED:
 *       if (event->code == PT_ERROR_HOST)
 *         offer_to_load_again (self, event->text, pt_host_exit_name (event->host->kind));
 */

/** Which jobs of an engine run in a host. */
typedef enum {
  PT_ISOLATION_NONE,   /* none */
  PT_ISOLATION_NATIVE, /* those with models that carry native code (CUDA) */
  PT_ISOLATION_ALL,    /* all */
} PtIsolation;

/** How a host ended. */
typedef enum {
  PT_HOST_EXIT_START,       /* it could not be started, or is of another build */
  PT_HOST_EXIT_STATUS,      /* it left with the status @code, as native code can make it do */
  PT_HOST_EXIT_SIGNAL,      /* a fault: @code is the signal, on Windows the exception */
  PT_HOST_EXIT_ABORT,       /* it aborted itself; its last words are in @detail */
  PT_HOST_EXIT_MEMORY,      /* there was not enough memory */
  PT_HOST_EXIT_GPU,         /* a program failed on the GPU, which the process cannot use any more:
                               @code is CUDA's error */
  PT_HOST_EXIT_GPU_TIMEOUT, /* the same, because it took too long */
  PT_HOST_EXIT_KILLED,      /* somebody else ended it with the signal @code */
  PT_HOST_EXIT_SILENT,      /* it did not read or answer, and was ended */
  PT_HOST_EXIT_PROTOCOL,    /* it sent what no host sends, and was ended; @detail says what */
  PT_N_HOST_EXITS,          /* how many there are */
} PtHostExitKind;

/** The end of a host. */
typedef struct {
  PtHostExitKind kind; /* how */
  int code;            /* see PtHostExitKind; else 0 */
  guint64 job;         /* number of the job that it was doing; 0: none */
  const char *detail;  /* in English, such as the last lines that it wrote to stderr; or NULL */
  const char *trace;   /* lines "MODULE+0xOFFSET", the calls in which it crashed; or NULL */
  const char *report;  /* path of a file for a bug report, which has no text of the user; or NULL */
} PtHostExit;

/** Actions that the process of a model is denied; bits. */
typedef enum {
  PT_HOST_STOPS_NETWORK = 1 << 0,  /* use the network, and talk to other programs */
  PT_HOST_STOPS_PROGRAMS = 1 << 1, /* start programs */
  PT_HOST_STOPS_READING = 1 << 2,  /* read files that are not the model's, the library's, the
                                      system's or the job's */
  PT_HOST_STOPS_WRITING = 1 << 3,  /* write files besides those of the job */
} PtHostStops;

/** The actions that this system denies a host (PtHostStops): on Linux, those that seccomp and
 * Landlock of the kernel can deny. Hosts that read a text aloud start espeak-ng; nothing is denied
 * to them. Any thread. */
PT_API guint pt_host_stops (void);

/** One English sentence about pt_host_stops(), for reports. Static; any thread. */
PT_API const char *pt_host_stops_text (void);

/** "start", "status", "signal", "abort", "memory", "gpu", "gpu-timeout", "killed", "silent",
 * "protocol", for scripts. Static; any thread. */
PT_API const char *pt_host_exit_name (PtHostExitKind kind);

G_END_DECLS
