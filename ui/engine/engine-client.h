/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "ui/engine/model.h"

G_BEGIN_DECLS

/**
 * PterisEngineClient: an engine for widgets (pteris_engines_get()). It owns the PtEngine, keeps
 * track of the loaded model, and passes the events of each job to its callback. UI thread only.
 *
 * Signals:
 *   changed (): the model, its state or its progress
 *   jobs (): a job was submitted, or has ended
 *   stats (guint kind, const PtStats *stats): figures of a running or just finished job; of a
 *       continued transcription, without the part of the recording that was done before
 *   fallback (const char *program, const char *why): the GPU failed, and the job continues with
 *       @program on the CPU
 */
#define PTERIS_TYPE_ENGINE_CLIENT (pteris_engine_client_get_type ())
G_DECLARE_FINAL_TYPE (PterisEngineClient, pteris_engine_client, PTERIS, ENGINE_CLIENT, GObject)

typedef enum {
  PTERIS_MODEL_UNLOADED,
  PTERIS_MODEL_LOADING,
  PTERIS_MODEL_READY,
  PTERIS_MODEL_FAILED,
} PterisModelState;

/** Which models run in a process of their own: the values of PTERIS_SETTING_ISOLATION. */
typedef enum {
  PTERIS_ISOLATION_NATIVE, /* those with native code */
  PTERIS_ISOLATION_EVERY,
  PTERIS_ISOLATION_NEVER,
} PterisIsolation;

/** Called with the events of one job; the last is DONE, FAILED or STOPPED. */
typedef void (*PterisJobFunc) (const PtEvent *event, gpointer user_data);

/** Whether @model may be loaded now (engines.c). */
typedef gboolean (*PterisAdmitFunc) (PterisEngineClient *self, PterisModel *model,
                                     gpointer user_data);

/** @gives_way: see PtEngineOptions. @admit: asked before each LOAD; while it returns FALSE, the
 * LOAD and the jobs behind it wait for pteris_engine_client_retry(). NULL: every LOAD may begin. */
PterisEngineClient *pteris_engine_client_new (gboolean gives_way, PterisAdmitFunc admit,
                                              gpointer user_data);

/** Whether a LOAD waits because it was not admitted. */
gboolean pteris_engine_client_is_waiting (PterisEngineClient *self);
/** Ask again whether the LOAD may begin. */
void pteris_engine_client_retry (PterisEngineClient *self);

PterisModelState pteris_engine_client_get_state (PterisEngineClient *self);

/** The model that is loaded, being loaded, or has failed to load; or NULL. Not a new reference. */
PterisModel *pteris_engine_client_get_model (PterisEngineClient *self);

/** Progress of loading, 0..1; -1 while unknown or queued. */
double pteris_engine_client_get_progress (PterisEngineClient *self);

/** The sentence of the error in loading; or NULL. */
const char *pteris_engine_client_get_error (PterisEngineClient *self);
PtError pteris_engine_client_get_error_code (PterisEngineClient *self);

/** After a failure: the path of the same model's program that needs no GPU, or NULL. */
const char *pteris_engine_client_get_alternative (PterisEngineClient *self);

/** After PT_ERROR_UNTRUSTED: the SHA-256 of the program, or NULL. */
const char *pteris_engine_client_get_digest (PterisEngineClient *self);

/** The device of the loaded model: "CPU", or the name of a GPU. */
const char *pteris_engine_client_get_device (PterisEngineClient *self);

/** Seconds that loading took; 0: no model is loaded. */
double pteris_engine_client_get_load_time (PterisEngineClient *self);

/** Make @job use @model with the files that the user chose for it, on the device of the settings.
 * @job borrows its strings. */
void pteris_engine_client_set_model (PtJob *job, PterisModel *model);

/** Load @model in place of the current one. Does nothing if it is loaded or being loaded. */
void pteris_engine_client_load (PterisEngineClient *self, PterisModel *model);
/** The same on @backend. If the model is on another backend, it is loaded again. */
void pteris_engine_client_load_on (PterisEngineClient *self, PterisModel *model,
                                   PtBackendChoice backend);
/** The same after the user agreed to run the native code of the program with the SHA-256 @digest,
 * which is recorded. A changed file needs consent again. */
void pteris_engine_client_load_trusted (PterisEngineClient *self, PterisModel *model,
                                        const char *digest);
void pteris_engine_client_unload (PterisEngineClient *self);

/**
 * Submit @job. @model, if not NULL, is loaded first unless it is loaded; the PROGRESS of loading is
 * passed to @func, and an error of loading fails the job. @destroy frees @user_data after the last
 * event.
 */
guint64 pteris_engine_client_submit (PterisEngineClient *self, PterisModel *model, const PtJob *job,
                                     PterisJobFunc func, gpointer user_data,
                                     GDestroyNotify destroy);

/** Stop @job, and the LOAD that only it waits for. STOPPED follows unless it has just ended. */
void pteris_engine_client_cancel (PterisEngineClient *self, guint64 job);

/** The recording that @job follows is complete: the job transcribes the rest and ends. */
void pteris_engine_client_finish (PterisEngineClient *self, guint64 job);

/** The number of jobs that have not ended. @kind: set to the kind of the running one, if there is
 * one. */
guint pteris_engine_client_get_jobs (PterisEngineClient *self, PtJobKind *kind);

G_END_DECLS
