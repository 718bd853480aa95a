/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/*
 * An engine: one thread that owns its model and every conversation's KV cache.
 *
 * Callers submit jobs from any thread and get events on the GMainContext given to
 * pt_engine_new(). Jobs run one after the other, in the order of submission.
 *
 *     PtEngine *engine = pt_engine_new (NULL, on_event, self);
 *     PtJob job = PT_JOB_INIT (PT_JOB_LOAD);
 *     job.model.path = "/models/smollm2";
 *     guint64 id = pt_engine_submit (engine, &job);
 *     ... on_event(): PROGRESS*, LOADED, DONE   or   FAILED   or   STOPPED
 *
 * Every job ends in exactly one of DONE, FAILED, STOPPED, and nothing follows it.
 */

/** The engine thread with its queue of jobs and its model. */
typedef struct _PtEngine PtEngine;

/** Called on the engine's GMainContext. @event is valid during the call only. */
typedef void (*PtEventFunc) (const PtEvent *event, gpointer user_data);

/**
 * Start the engine thread. Never NULL; free with pt_engine_free(). Any thread.
 * @context: where events are delivered; referenced; the caller must run it. NULL: the
 * thread-default context of the caller.
 * @func: called for every event, with @user_data, which must live as long as the engine.
 */
PT_API PtEngine *pt_engine_new (GMainContext *context, PtEventFunc func, gpointer user_data);

/** How an engine does its jobs. Start from PT_ENGINE_OPTIONS_INIT. */
typedef struct {
  gsize size;            /* of this struct, for later members; PT_ENGINE_OPTIONS_INIT sets it */
  guint n_threads;       /* CPU threads of its jobs; 0: as pt_engine_set_threads() says */
  gboolean gives_way;    /* while another engine of this process works, use a quarter of the time;
                            not in a host */
  PtIsolation isolation; /* which jobs run in a process of their own (pteris/host.h) */
  const char *program;   /* path of a program that begins with pt_engine_host_main(), which is
                            started for that; NULL: the program that runs. Copied */
  guint patience_ms;     /* how long a host may not answer before it is ended; 0: 30 s */
} PtEngineOptions;

/** Options without a wish: every job runs in this process. */
#define PT_ENGINE_OPTIONS_INIT        \
  {                                   \
    .size = sizeof (PtEngineOptions), \
  }

/**
 * The same as pt_engine_new() with @options; NULL: the defaults. Engines work side by side, each
 * with a model of its own. Whether a host can be started shows when a job needs it, which FAILS
 * with PT_ERROR_HOST if it cannot.
 */
PT_API PtEngine *pt_engine_new_with_options (const PtEngineOptions *options, GMainContext *context,
                                             PtEventFunc func, gpointer user_data);

/**
 * To be called at the beginning of main() by a program that is started as a host, which is itself
 * unless PtEngineOptions.program names another one:
 *
 *     int status = pt_engine_host_main (argc, argv);
 *
 *     if (status >= 0)
 *       return status;
 *
 * -1: the program was not started as a host, and goes on. Otherwise it was, all is done, and main()
 * returns the status.
 */
PT_API int pt_engine_host_main (int argc, char **argv);

/** Cancels what runs, waits for the engine thread and frees everything. No event follows. Call it
 * in the thread that runs the engine's GMainContext, but not in @func. NULL: does nothing. */
PT_API void pt_engine_free (PtEngine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtEngine, pt_engine_free)

/** Queue @job, copied with all that it points to, and return its number (> 0). Errors in it are
 * reported by its FAILED event. Any thread. */
PT_API guint64 pt_engine_submit (PtEngine *engine, const PtJob *job);

/** Stop @job within 300 ms, or drop it from the queue. STOPPED follows unless it has just ended. An
 * unknown job is ignored. Any thread. */
PT_API void pt_engine_cancel (PtEngine *engine, guint64 job);

/** Which of the jobs that are submitted from now on run in a process of their own; jobs with the
 * loaded model run where it was loaded. Any thread. */
PT_API void pt_engine_set_isolation (PtEngine *engine, PtIsolation isolation);

/** TRUE: begin no job until it is set to FALSE; the running one goes on. Queued jobs can be
 * cancelled meanwhile. Any thread. */
PT_API void pt_engine_set_paused (PtEngine *engine, gboolean paused);

/** The recording that @job follows is complete: the job transcribes the rest and ends. Any thread.
 */
PT_API void pt_engine_finish (PtEngine *engine, guint64 job);

/** Versions of the libraries under the engine, "jansson 2.14, ..."; free with g_free(). Any thread.
 */
PT_API char *pt_engine_versions (void);

/** Threads of the worker pool, 0: one per fast core. Before the first pt_engine_new(). */
PT_API void pt_engine_set_threads (guint n_threads);

G_END_DECLS
