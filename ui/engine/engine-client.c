/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/engine-client.h"

#include <pteris/engine.h>

#include "ui/engine/crash-guard.h"
#include "ui/engine/model-notes.h"
#include "ui/settings.h"

/* A job that has not ended. */
typedef struct {
  guint64 id;
  PtJobKind kind;
  guint64 needs;      /* id of the LOAD that must succeed first; 0: none */
  PterisModel *model; /* LOAD: which */
  char *path;         /* path of the program that the job uses, or NULL */
  double skipped;     /* TRANSCRIBE: seconds of the recording before its start */
  PterisJobFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
} Job;

struct _PterisEngineClient {
  GObject parent_instance;

  PtEngine *engine;
  PterisAdmitFunc admit;
  gpointer admit_data;
  gboolean waiting; /* the engine is paused until the LOAD of @wanted is admitted */
  PterisModel *wanted;
  char *guarded;    /* what the crash guard has of this engine */
  GHashTable *jobs; /* id -> Job */

  PterisModelState state;
  PterisModel *model;
  double progress;
  char *error;
  PtError code;
  char *alternative;
  char *digest;
  char *device;
  double load_time;
  guint64 load; /* id of the latest LOAD, until it has ended */
  PtBackendChoice backend;
};

G_DEFINE_FINAL_TYPE (PterisEngineClient, pteris_engine_client, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, SIGNAL_JOBS, SIGNAL_STATS, SIGNAL_FALLBACK, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
job_free (Job *job)
{
  if (job->destroy != NULL)
    job->destroy (job->user_data);
  g_clear_object (&job->model);
  g_free (job->path);
  g_free (job);
}

/* The running job: the engine runs jobs in the order of their ids. */
static Job *
first_job (PterisEngineClient *self)
{
  Job *first = NULL;
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->jobs);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (first == NULL || ((Job *) value)->id < first->id)
      first = value;
  return first;
}

/* Tells the crash guard which program is in use; NULL: none. */
static void
guard (PterisEngineClient *self, const char *path)
{
  if (g_strcmp0 (path, self->guarded) == 0)
    return;
  pteris_crash_guard_enter (path);
  pteris_crash_guard_leave (self->guarded);
  g_free (self->guarded);
  self->guarded = g_strdup (path);
}

static void
guard_first_job (PterisEngineClient *self)
{
  Job *job = first_job (self);

  guard (self, job != NULL ? job->path : NULL);
}

/* The path of the program that @request uses; of the loaded model if it names none. */
static char *
used_path (PterisEngineClient *self, const PtJob *request)
{
  switch (request->kind) {
  case PT_JOB_INSPECT:
  case PT_JOB_UNLOAD: return NULL;
  case PT_JOB_CHAT:
  case PT_JOB_TRANSCRIBE:
    return self->model != NULL ? g_strdup (pteris_model_get_info (self->model)->path) : NULL;
  case PT_JOB_LOOK:
    if (request->model.path == NULL && self->model != NULL)
      return g_strdup (pteris_model_get_info (self->model)->path);
    return g_strdup (request->model.path);
  default: return g_strdup (request->model.path);
  }
}

static gboolean
is_last (PtEventKind kind)
{
  return kind == PT_EVENT_DONE || kind == PT_EVENT_FAILED || kind == PT_EVENT_STOPPED;
}

static void
set_state (PterisEngineClient *self, PterisModelState state, PterisModel *model, const char *error)
{
  g_autofree char *copy = g_strdup (error);

  self->state = state;
  g_set_object (&self->model, model);
  g_free (self->error);
  self->error = g_steal_pointer (&copy);
  self->progress = -1;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* Of a LOAD, or of another job that went on with the program for the CPU. */
static void
take_loaded (PterisEngineClient *self, const PtLoadedModel *loaded)
{
  g_free (self->device);
  self->device = g_strdup (loaded->device);
  self->load_time = loaded->load_s;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* The jobs that wait for LOAD @id. A copy, since callbacks may change the table. */
static GArray *
find_dependents (PterisEngineClient *self, guint64 id)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (guint64));
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->jobs);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Job *job = value;

    if (job->needs == id)
      g_array_append_val (found, job->id);
  }
  return found;
}

static void
deliver (PterisEngineClient *self, const PtEvent *event)
{
  gboolean last = is_last (event->kind);
  Job *job = g_hash_table_lookup (self->jobs, &event->job);

  if (job == NULL)
    return;
  if (last)
    g_hash_table_steal (self->jobs, &event->job);
  if (job->func != NULL)
    job->func (event, job->user_data);
  if (!last)
    return;
  job_free (job);
  guard_first_job (self);
  g_signal_emit (self, signals[SIGNAL_JOBS], 0);
}

/* Passes the events of a LOAD to the jobs that wait for it; if it fails, they end with it. */
static void
tell_dependents (PterisEngineClient *self, const PtEvent *event)
{
  g_autoptr (GArray) ids = find_dependents (self, event->job);

  for (guint i = 0; i < ids->len; i++) {
    PtEvent copy = *event;

    copy.job = g_array_index (ids, guint64, i);
    if (event->kind == PT_EVENT_FAILED || event->kind == PT_EVENT_STOPPED)
      pt_engine_cancel (self->engine, copy.job);
    deliver (self, &copy);
  }
}

static void
forget_need (PterisEngineClient *self, guint64 load)
{
  g_autoptr (GArray) ids = find_dependents (self, load);

  for (guint i = 0; i < ids->len; i++) {
    Job *job = g_hash_table_lookup (self->jobs, &g_array_index (ids, guint64, i));

    job->needs = 0;
  }
}

static void
set_waiting (PterisEngineClient *self, gboolean waiting)
{
  if (self->waiting == waiting)
    return;
  self->waiting = waiting;
  pt_engine_set_paused (self->engine, waiting);
}

static void
on_load_event (PterisEngineClient *self, Job *job, const PtEvent *event)
{
  gboolean current = self->load == job->id;

  switch (event->kind) {
  case PT_EVENT_PROGRESS:
    if (current) {
      self->progress = event->fraction;
      g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
    }
    tell_dependents (self, event);
    break;
  case PT_EVENT_DONE:
    forget_need (self, job->id);
    /* The job has succeeded: the model is no longer held back. */
    if (pteris_model_is_held (job->model)) {
      pteris_notes_set_held (pteris_model_get_info (job->model)->path, FALSE);
      pteris_notes_save ();
      pteris_model_set_held (job->model, FALSE);
    }
    if (current) {
      self->load = 0;
      set_state (self, PTERIS_MODEL_READY, job->model, NULL);
    }
    break;
  case PT_EVENT_FAILED:
  case PT_EVENT_STOPPED:
    if (current) {
      gboolean failed = event->kind == PT_EVENT_FAILED;

      set_waiting (self, FALSE);
      self->load = 0;
      self->code = event->code;
      g_free (self->alternative);
      self->alternative = g_strdup (event->alternative);
      g_free (self->digest);
      self->digest = g_strdup (event->digest);
      set_state (self, failed ? PTERIS_MODEL_FAILED : PTERIS_MODEL_UNLOADED, job->model,
                 failed ? event->text : NULL);
    }
    tell_dependents (self, event);
    break;
  default: break;
  }
}

/* The process of the model has ended during a job that used it: the model is loaded again when the
 * next job needs it. */
static void
lose_model (PterisEngineClient *self)
{
  self->load = 0;
  set_state (self, PTERIS_MODEL_UNLOADED, NULL, NULL);
}

static gboolean
uses_loaded (PtJobKind kind)
{
  return kind == PT_JOB_CHAT || kind == PT_JOB_TRANSCRIBE;
}

/* Without what a continued transcription skips, so that the speed is that of the job. */
static void
emit_stats (PterisEngineClient *self, const Job *job, PtStats stats)
{
  stats.audio_s = MAX (stats.audio_s - job->skipped, 0);
  stats.audio_total_s = MAX (stats.audio_total_s - job->skipped, 0);
  g_signal_emit (self, signals[SIGNAL_STATS], 0, (guint) job->kind, &stats);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  g_autoptr (PterisEngineClient) self = g_object_ref (user_data);
  Job *job = g_hash_table_lookup (self->jobs, &event->job);

  if (job == NULL)
    return;
  if (event->kind == PT_EVENT_STATS)
    emit_stats (self, job, event->stats);
  if (event->kind == PT_EVENT_LOADED)
    take_loaded (self, event->loaded);
  if (event->kind == PT_EVENT_FALLBACK)
    g_signal_emit (self, signals[SIGNAL_FALLBACK], 0, event->alternative, event->text);
  if (job->kind == PT_JOB_LOAD)
    on_load_event (self, job, event);
  if (event->host != NULL && is_last (event->kind) && uses_loaded (job->kind))
    lose_model (self);
  deliver (self, event);
}

/* The setting, for models that are loaded from now on. */
static void
choose_isolation (PterisEngineClient *self)
{
  switch ((PterisIsolation) pteris_settings_get_enum (PTERIS_SETTING_ISOLATION)) {
  case PTERIS_ISOLATION_EVERY: pt_engine_set_isolation (self->engine, PT_ISOLATION_ALL); break;
  case PTERIS_ISOLATION_NEVER: pt_engine_set_isolation (self->engine, PT_ISOLATION_NONE); break;
  default: pt_engine_set_isolation (self->engine, PT_ISOLATION_NATIVE); break;
  }
}

static Job *
add_job (PterisEngineClient *self, const PtJob *request)
{
  Job *job = g_new0 (Job, 1);

  job->kind = request->kind;
  job->skipped = request->kind == PT_JOB_TRANSCRIBE ? MAX (request->speech.start, 0) : 0;
  job->path = used_path (self, request);
  /* Before the engine uses the program. */
  if (job->path != NULL && first_job (self) == NULL)
    guard (self, job->path);
  choose_isolation (self);
  job->id = pt_engine_submit (self->engine, request);
  g_hash_table_insert (self->jobs, &job->id, job);
  g_signal_emit (self, signals[SIGNAL_JOBS], 0);
  return job;
}

/* The setting: "auto", "cpu" or the number of a GPU. CPU models ignore it. */
static void
choose_device (PtJob *request)
{
  g_autofree char *device = pteris_settings_get_string (PTERIS_SETTING_DEVICE);

  if (g_strcmp0 (device, "cpu") == 0)
    request->model.backend = PT_BACKEND_CPU;
  else if (device != NULL && g_ascii_isdigit (*device))
    request->model.device = (int) g_ascii_strtoll (device, NULL, 10);
}

void
pteris_engine_client_set_model (PtJob *job, PterisModel *model)
{
  const PterisCompanions *companions = pteris_model_get_companions (model);

  if (companions != NULL) {
    job->model.data = (const char *const *) companions->data;
    job->model.tokenizer = companions->tokenizer;
    job->model.preprocessor = companions->preprocessor;
    job->model.family = companions->family;
  }
  job->model.path = pteris_model_get_info (model)->path;
  choose_device (job);
}

static void
wait_for_admission (PterisEngineClient *self, PterisModel *model)
{
  g_set_object (&self->wanted, model);
  set_waiting (self, self->admit != NULL && !self->admit (self, model, self->admit_data));
}

gboolean
pteris_engine_client_is_waiting (PterisEngineClient *self)
{
  return self->waiting;
}

void
pteris_engine_client_retry (PterisEngineClient *self)
{
  if (!self->waiting)
    return;
  wait_for_admission (self, self->wanted);
  if (!self->waiting)
    g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
load (PterisEngineClient *self, PterisModel *model, PtBackendChoice backend, const char *trust)
{
  PtJob request = PT_JOB_INIT (PT_JOB_LOAD);
  Job *job;

  g_return_if_fail (PTERIS_IS_MODEL (model));

  if (pteris_model_equal (self->model, model) && self->backend == backend &&
      (self->state == PTERIS_MODEL_READY || self->load != 0))
    return;
  pteris_engine_client_set_model (&request, model);
  self->backend = backend;
  request.model.trust = trust;
  if (backend != PT_BACKEND_AUTO)
    request.model.backend = backend;
  wait_for_admission (self, model);
  job = add_job (self, &request);
  job->model = g_object_ref (model);
  self->load = job->id;
  set_state (self, PTERIS_MODEL_LOADING, model, NULL);
}

void
pteris_engine_client_load (PterisEngineClient *self, PterisModel *model)
{
  PtBackendChoice backend = PT_BACKEND_AUTO;

  /* A model that the user has moved to the CPU stays there. */
  if (pteris_model_equal (self->model, model) &&
      (self->state == PTERIS_MODEL_READY || self->load != 0))
    backend = self->backend;
  load (self, model, backend, NULL);
}

void
pteris_engine_client_load_on (PterisEngineClient *self, PterisModel *model, PtBackendChoice backend)
{
  load (self, model, backend, NULL);
}

void
pteris_engine_client_load_trusted (PterisEngineClient *self, PterisModel *model, const char *digest)
{
  load (self, model, PT_BACKEND_AUTO, digest);
}

void
pteris_engine_client_unload (PterisEngineClient *self)
{
  PtJob request = PT_JOB_INIT (PT_JOB_UNLOAD);

  if (self->load != 0)
    pt_engine_cancel (self->engine, self->load);
  self->load = 0;
  set_waiting (self, FALSE);
  add_job (self, &request);
  set_state (self, PTERIS_MODEL_UNLOADED, NULL, NULL);
}

guint64
pteris_engine_client_submit (PterisEngineClient *self, PterisModel *model, const PtJob *request,
                             PterisJobFunc func, gpointer user_data, GDestroyNotify destroy)
{
  Job *job;

  if (model != NULL)
    pteris_engine_client_load (self, model);
  job = add_job (self, request);
  job->needs = model != NULL ? self->load : 0;
  job->func = func;
  job->user_data = user_data;
  job->destroy = destroy;
  return job->id;
}

void
pteris_engine_client_cancel (PterisEngineClient *self, guint64 id)
{
  Job *job = g_hash_table_lookup (self->jobs, &id);

  if (job == NULL)
    return;
  if (job->needs != 0) {
    g_autoptr (GArray) others = find_dependents (self, job->needs);

    if (others->len == 1)
      pt_engine_cancel (self->engine, job->needs);
  }
  pt_engine_cancel (self->engine, id);
}

void
pteris_engine_client_finish (PterisEngineClient *self, guint64 id)
{
  pt_engine_finish (self->engine, id);
}

guint
pteris_engine_client_get_jobs (PterisEngineClient *self, PtJobKind *kind)
{
  Job *first = first_job (self);

  if (first != NULL)
    *kind = first->kind;
  return g_hash_table_size (self->jobs);
}

PterisModelState
pteris_engine_client_get_state (PterisEngineClient *self)
{
  return self->state;
}

PterisModel *
pteris_engine_client_get_model (PterisEngineClient *self)
{
  return self->model;
}

double
pteris_engine_client_get_progress (PterisEngineClient *self)
{
  return self->progress;
}

const char *
pteris_engine_client_get_error (PterisEngineClient *self)
{
  return self->error;
}

PtError
pteris_engine_client_get_error_code (PterisEngineClient *self)
{
  return self->code;
}

const char *
pteris_engine_client_get_alternative (PterisEngineClient *self)
{
  return self->alternative;
}

const char *
pteris_engine_client_get_digest (PterisEngineClient *self)
{
  return self->digest;
}

const char *
pteris_engine_client_get_device (PterisEngineClient *self)
{
  return self->device;
}

double
pteris_engine_client_get_load_time (PterisEngineClient *self)
{
  return self->state == PTERIS_MODEL_READY ? self->load_time : 0;
}

static void
pteris_engine_client_dispose (GObject *object)
{
  PterisEngineClient *self = PTERIS_ENGINE_CLIENT (object);

  g_clear_pointer (&self->engine, pt_engine_free);
  guard (self, NULL);
  g_hash_table_remove_all (self->jobs);
  g_clear_object (&self->model);
  g_clear_object (&self->wanted);
  G_OBJECT_CLASS (pteris_engine_client_parent_class)->dispose (object);
}

static void
pteris_engine_client_finalize (GObject *object)
{
  PterisEngineClient *self = PTERIS_ENGINE_CLIENT (object);

  g_hash_table_unref (self->jobs);
  g_free (self->error);
  g_free (self->device);
  g_free (self->alternative);
  g_free (self->digest);
  G_OBJECT_CLASS (pteris_engine_client_parent_class)->finalize (object);
}

static void
pteris_engine_client_class_init (PterisEngineClientClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = pteris_engine_client_dispose;
  object_class->finalize = pteris_engine_client_finalize;

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_ENGINE_CLIENT, G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_JOBS] = g_signal_new ("jobs", PTERIS_TYPE_ENGINE_CLIENT, G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_STATS] =
      g_signal_new ("stats", PTERIS_TYPE_ENGINE_CLIENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_POINTER);
  signals[SIGNAL_FALLBACK] =
      g_signal_new ("fallback", PTERIS_TYPE_ENGINE_CLIENT, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
}

static void
pteris_engine_client_init (PterisEngineClient *self)
{
  self->jobs = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, (GDestroyNotify) job_free);
  self->device = g_strdup ("CPU");
  self->progress = -1;
}

PterisEngineClient *
pteris_engine_client_new (gboolean gives_way, PterisAdmitFunc admit, gpointer user_data)
{
  PterisEngineClient *self = g_object_new (PTERIS_TYPE_ENGINE_CLIENT, NULL);
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;

  options.gives_way = gives_way;
  self->engine = pt_engine_new_with_options (&options, NULL, on_event, self);
  self->admit = admit;
  self->admit_data = user_data;
  return self;
}
