/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/engine.h>
#include <pteris/models.h>

#include "server/fault.h"

G_BEGIN_DECLS

/**
 * PterisModelPool: engines for the models that requests name. A model is loaded when the first job
 * needs it, and unloaded when it had no job for some time, or when another one needs its memory.
 * The jobs of a model take turns (turns.h); models work side by side. With several GPUs, a model
 * that needs one and has more jobs than it can begin is loaded on another one, too; conversations
 * go on where they are known, unless that GPU works and another one does not. Server thread.
 */
typedef struct _PterisModelPool PterisModelPool;
/** A job that has not ended. */
typedef struct _PterisPoolJob PterisPoolJob;

/** How models are loaded, and limits. Strings are copied. */
typedef struct {
  PtModelOptions model; /* for all models; without path */
  const int *devices;   /* numbers of the GPUs, each once, copied; NULL: that of @model */
  guint n_devices;      /* how many */
  gboolean keep_device; /* as in PtJob */
  PtEngineOptions engine;
  guint most_models;    /* loaded at a time */
  guint most_waiting;   /* jobs */
  guint unload_seconds; /* unload a model that had no job for so long; 0: never */
  guint job_seconds;    /* stop a job after so long, waiting included; 0: never */
} PterisPoolOptions;

/** A model that is loaded, or being loaded. */
typedef struct {
  const char *name;
  gboolean ready;
  guint n_jobs;        /* that run or wait */
  guint context_size;  /* as in PtLoadedModel */
  gint64 idle_seconds; /* since its last job */
} PterisPoolModel;

PterisModelPool *pteris_model_pool_new (const PterisPoolOptions *options);
/** Stops all jobs; their functions are not called, but their user data is freed. No more are taken.
 */
void pteris_model_pool_end (PterisModelPool *self);
/** Ends it, too. */
void pteris_model_pool_free (PterisModelPool *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisModelPool, pteris_model_pool_free)

/**
 * Queue @job for @info. Its members model.path and so on are set here. What it points to must live
 * until its last event: DONE, FAILED or STOPPED, after which @destroy is called with @user_data.
 * @client: who takes turns. @func also gets the LOADED of a model that was loaded for it. NULL with
 * 503: too many jobs wait, or the pool has ended.
 */
PterisPoolJob *pteris_model_pool_submit (PterisModelPool *self, const PtModelInfo *info,
                                         const char *client, const PtJob *job, PtEventFunc func,
                                         gpointer user_data, GDestroyNotify destroy,
                                         GError **error);

/** Stop @task. STOPPED follows, perhaps within the call, unless it has just ended. */
void pteris_model_pool_cancel (PterisModelPool *self, PterisPoolJob *task);

/** Jobs that run, and that wait. */
void pteris_model_pool_count (PterisModelPool *self, guint *running, guint *waiting);

/** PterisPoolModel; free with g_array_unref(). The names are valid until the next call. */
GArray *pteris_model_pool_list (PterisModelPool *self);

/** Unload a model that has no job. FALSE: it has one, or is not loaded. */
gboolean pteris_model_pool_unload (PterisModelPool *self, const char *name);

G_END_DECLS
