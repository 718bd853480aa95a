/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "ui/engine/model.h"

G_BEGIN_DECLS

/**
 * PterisEngineClient: the engine, for widgets. It owns the PtEngine, knows which model is loaded or
 * being loaded, and gives every job's events to the one who submitted it. UI thread only.
 *
 * Signals:
 *   changed (): the model, its state or its progress
 *   jobs (): a job was submitted, or has ended
 *   stats (guint kind, const PtStats *stats): figures of a running or just finished job
 */
#define PTERIS_TYPE_ENGINE_CLIENT (pteris_engine_client_get_type ())
G_DECLARE_FINAL_TYPE (PterisEngineClient, pteris_engine_client, PTERIS, ENGINE_CLIENT, GObject)

typedef enum {
  PTERIS_MODEL_UNLOADED,
  PTERIS_MODEL_LOADING,
  PTERIS_MODEL_READY,
  PTERIS_MODEL_FAILED,
} PterisModelState;

/** Gets the events of one job; the last is DONE, FAILED or STOPPED. */
typedef void (*PterisJobFunc) (const PtEvent *event, gpointer user_data);

PterisEngineClient *pteris_engine_client_new (void);

PterisModelState pteris_engine_client_get_state (PterisEngineClient *self);

/** The model that is loaded, being loaded, or has failed to load; or NULL. Not a new reference. */
PterisModel *pteris_engine_client_get_model (PterisEngineClient *self);

/** Of loading, 0..1; -1 while unknown or waiting for its turn. */
double pteris_engine_client_get_progress (PterisEngineClient *self);

/** Why loading failed, a sentence; or NULL. */
const char *pteris_engine_client_get_error (PterisEngineClient *self);
PtError pteris_engine_client_get_error_code (PterisEngineClient *self);

/** After a failure: the path of a program beside the model's that needs no GPU, or NULL. */
const char *pteris_engine_client_get_alternative (PterisEngineClient *self);

/** After PT_ERROR_UNTRUSTED: the SHA-256 of the file that the error is about, or NULL. */
const char *pteris_engine_client_get_digest (PterisEngineClient *self);

/** Where the loaded model runs: "CPU", or the name of a GPU. */
const char *pteris_engine_client_get_device (PterisEngineClient *self);

/** Seconds that loading the model took; 0 while none is loaded. */
double pteris_engine_client_get_load_time (PterisEngineClient *self);

/** Load @model in place of the present one. Nothing happens when it is loaded or on its way. */
void pteris_engine_client_load (PterisEngineClient *self, PterisModel *model);
/** The same on @backend. A model that is there on another one is loaded anew. */
void pteris_engine_client_load_on (PterisEngineClient *self, PterisModel *model,
                                   PtBackendChoice backend);
/** The same after the user agreed to run the native code of the file with the SHA-256 @digest,
 * which is remembered. Another file in its place is asked about again. */
void pteris_engine_client_load_trusted (PterisEngineClient *self, PterisModel *model,
                                        const char *digest);
void pteris_engine_client_unload (PterisEngineClient *self);

/**
 * Submit @job. With @model, it is loaded first unless it is there; its PROGRESS is passed to @func,
 * and a failure to load it is the failure of the job. @destroy frees @user_data after the last
 * event.
 */
guint64 pteris_engine_client_submit (PterisEngineClient *self, PterisModel *model, const PtJob *job,
                                     PterisJobFunc func, gpointer user_data,
                                     GDestroyNotify destroy);

/** Stop @job, and the loading that it alone waits for. STOPPED follows unless it has just ended. */
void pteris_engine_client_cancel (PterisEngineClient *self, guint64 job);

/** The recording that @job follows is complete: it ends when all of that is done. */
void pteris_engine_client_finish (PterisEngineClient *self, guint64 job);

/** TRUE while a job of @kind is queued or runs. */
gboolean pteris_engine_client_has_job (PterisEngineClient *self, PtJobKind kind);

/** Jobs that have not ended; the one that runs is of @kind, which is not set when there is none. */
guint pteris_engine_client_get_jobs (PterisEngineClient *self, PtJobKind *kind);

G_END_DECLS
