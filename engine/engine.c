/* SPDX-License-Identifier: BSD-3-Clause */
#include <pteris/engine.h>

#include <string.h>

#include "engine/init.h"
#include "engine/base/set-error.h"
#include "engine/fallback.h"
#include "engine/host/crash-report.h"
#include "engine/host/host-process.h"
#include "engine/isolation.h"
#include "engine/job-copy.h"
#include "engine/job-files.h"
#include "engine/session.h"
#include "engine/kernels/worker-pool.h"
#include "engine/tasks/models/model-library.h"

/*
 * Jobs are queued for the engine thread; events return through a PtChannel. The engine thread does
 * a job itself, or has a process of its own do it (engine/host).
 */

typedef struct {
  guint64 number;
  PtJob *job;    /* NULL: @fault */
  GError *fault; /* why the job cannot be done at all */
  GCancellable *cancellable;
  GCancellable *finish; /* cancelled when the recording that the job follows is complete */
  PtModelSet *searched; /* the model that the job names, if it was opened to choose the process */
  PtIsolation isolation;
} QueuedJob;

struct _PtEngine {
  GThread *thread;
  PtChannel *channel;
  GMutex mutex;
  GCond wake;
  GQueue jobs;        /* QueuedJob, waiting */
  QueuedJob *current; /* being done */
  guint64 last_number;
  gboolean quit, paused;
  PtIsolation isolation; /* of the next job */
  guint n_threads;
  gboolean gives_way;

  /* Of the engine thread. */
  PtPool *pool;
  gboolean pool_is_small; /* it has one thread, as long as every job is done in a host */
  char *host_program;
  guint patience_ms;
  PtHost *host;            /* with the loaded model; NULL: none was needed yet */
  PtHost *side_host;       /* for jobs that bring their model; NULL: ... */
  gboolean loaded_in_host; /* where the last PT_JOB_LOAD was done */
  PtJob *loaded;           /* that job; NULL: there was none, or the model was unloaded */
  GHashTable *fallen;      /* key_of() a job whose GPU failed -> path of the program for the CPU */
};

/* ---- the engine thread ---- */

static void
queued_job_free (QueuedJob *queued)
{
  pt_job_free (queued->job);
  g_clear_error (&queued->fault);
  g_clear_pointer (&queued->searched, pt_model_set_free);
  g_object_unref (queued->cancellable);
  g_object_unref (queued->finish);
  g_free (queued);
}

/** The next job, or NULL when the engine ends. */
static QueuedJob *
wait_for_job (PtEngine *self)
{
  QueuedJob *queued = NULL;

  g_mutex_lock (&self->mutex);
  while (!self->quit && (self->paused || g_queue_is_empty (&self->jobs)))
    g_cond_wait (&self->wake, &self->mutex);
  if (!self->quit)
    queued = g_queue_pop_head (&self->jobs);
  self->current = queued;
  g_mutex_unlock (&self->mutex);
  return queued;
}

static PtError
error_code (const GError *error)
{
  if (error->domain == PT_ERROR)
    return (PtError) error->code;
  return error->domain == G_IO_ERROR || error->domain == G_FILE_ERROR ? PT_ERROR_FILE
                                                                      : PT_ERROR_INTERNAL;
}

/* From here on the job cannot be cancelled: its last event is decided. */
static void
forget_current (PtEngine *self)
{
  g_mutex_lock (&self->mutex);
  self->current = NULL;
  g_mutex_unlock (&self->mutex);
}

/* The last event of a job. */
typedef struct {
  PtEvent event;
  PtHeap *heap; /* owns what it points to */
} Last;

static void
run_job_here (PtEngine *self, PtSession *session, QueuedJob *queued, PtShown *shown, Last *last)
{
  PtEmitter emitter = { self->channel, queued->number, queued->finish, shown };
  g_autoptr (GError) error = NULL;
  g_autofree char *alternative = NULL;
  PtReason reason = PT_REASON_NONE;

  last->event = (PtEvent){ .kind = PT_EVENT_STOPPED };
  if (g_cancellable_is_cancelled (queued->cancellable)) {
    last->event.reason = PT_REASON_STOPPED;
  } else if (pt_session_run (session, queued->job, g_steal_pointer (&queued->searched), &emitter,
                             queued->cancellable, &reason, &error)) {
    last->event = (PtEvent){ .kind = PT_EVENT_DONE, .reason = reason };
  } else if (g_error_matches (error, PT_ERROR, PT_ERROR_CANCELLED) ||
             g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)) {
    last->event.reason = PT_REASON_STOPPED;
  } else {
    last->event = (PtEvent){ .kind = PT_EVENT_FAILED, .code = error_code (error) };
    last->event.text = pt_heap_text (last->heap, error->message);
    if (last->event.code == PT_ERROR_UNTRUSTED)
      last->event.digest = pt_heap_text (last->heap, pt_error_get_digest (error));
    alternative = pt_job_find_alternative (queued->job, last->event.code);
    last->event.alternative = pt_heap_text (last->heap, alternative);
  }
}

/* ---- jobs in another process ---- */

/* The events of a job in a host. */
typedef struct {
  PtEngine *engine;
  PtShown *shown;
} HostWatch;

static void
on_host_event (PtEvent *event, PtHeap *heap, gpointer user_data)
{
  const HostWatch *watch = user_data;

  pt_shown_take (watch->shown, event);
  pt_channel_pass (watch->engine->channel, event, heap);
}

static gboolean
uses_loaded (const PtJob *job)
{
  return job->kind == PT_JOB_LOAD || job->kind == PT_JOB_UNLOAD || job->kind == PT_JOB_CHAT ||
         job->kind == PT_JOB_TRANSCRIBE || (job->kind == PT_JOB_LOOK && job->model.path == NULL);
}

/* Sets the program for the CPU that could do the job, after the process of a model has ended. */
static void
offer_alternative (PtEngine *self, const PtJob *job, PtEvent *last, PtHeap *heap)
{
  const PtJob *named = job->model.path == NULL && self->loaded != NULL ? self->loaded : job;
  g_autofree char *path = NULL;

  if (last->kind == PT_EVENT_FAILED && last->code == PT_ERROR_HOST)
    path = pt_job_find_alternative (named, last->code);
  if (path != NULL)
    last->alternative = pt_heap_text (heap, path);
}

/* Writes the file for a bug report. */
static void
report_exit (PtEngine *self, const PtJob *job, PtEvent *last, PtHeap *heap)
{
  const char *name =
      job->model.path == NULL && self->loaded != NULL ? self->loaded->model.path : job->model.path;
  PtHostExit *exit;
  g_autofree char *path = NULL, *report = NULL;

  if (last->kind != PT_EVENT_FAILED || last->host == NULL)
    return;
  path = name != NULL ? pt_library_find (name, NULL, NULL) : NULL;
  report = pt_crash_report_write (last->host, job->kind, path);
  if (report == NULL)
    return;
  exit = pt_heap_new0 (heap, PtHostExit, 1);
  *exit = *last->host;
  exit->report = pt_heap_text (heap, report);
  last->host = exit;
}

static void
run_job_in_host (PtEngine *self, QueuedJob *queued, PtShown *shown, Last *last)
{
  const PtHostOptions options = { self->host_program, self->n_threads, self->patience_ms };
  HostWatch watch = { self, shown };
  PtJob sent = *queued->job;
  const PtHostJob job = { .number = queued->number,
                          .job = &sent,
                          .cancellable = queued->cancellable,
                          .finish = queued->finish,
                          .func = on_host_event,
                          .user_data = &watch };
  PtHost **host = uses_loaded (queued->job) ? &self->host : &self->side_host;

  last->event = (PtEvent){ .kind = PT_EVENT_STOPPED, .reason = PT_REASON_STOPPED };
  /* What goes on after a failure is decided here. */
  sent.keep_device = TRUE;
  if (*host == NULL)
    *host = pt_host_new (&options);
  if (!g_cancellable_is_cancelled (queued->cancellable))
    pt_host_run (*host, &job, &last->event, last->heap);
  offer_alternative (self, queued->job, &last->event, last->heap);
  report_exit (self, queued->job, &last->event, last->heap);
}

/* Whether @queued is done in the host. */
static gboolean
belongs_to_host (const PtEngine *self, QueuedJob *queued)
{
  PtJobKind kind = queued->job->kind;

  if (uses_loaded (queued->job) && kind != PT_JOB_LOAD)
    return self->loaded_in_host;
  if (queued->isolation != PT_ISOLATION_NATIVE)
    return queued->isolation == PT_ISOLATION_ALL;
  return kind != PT_JOB_INSPECT && pt_job_is_native (queued->job, &queued->searched);
}

/* A pool with all threads, or a small one if there is none yet. */
static void
use_pool (PtEngine *self, gboolean small)
{
  PtPool *old = self->pool;

  if (old != NULL && (small || !self->pool_is_small))
    return;
  self->pool = pt_pool_new (small ? 1 : self->n_threads);
  self->pool_is_small = small;
  pt_pool_set_gives_way (self->pool, self->gives_way);
  pt_pool_use (self->pool);
  g_clear_pointer (&old, pt_pool_free);
}

/* There is one loaded model, here or there. */
static void
unload_other (PtEngine *self, PtSession *session, gboolean in_host)
{
  if (in_host)
    pt_session_unload (session);
  else
    g_clear_pointer (&self->host, pt_host_free);
}

static void
send_last (PtEngine *self, QueuedJob *queued, Last *last)
{
  last->event.job = queued->number;
  forget_current (self);
  pt_channel_pass (self->channel, &last->event, last->heap);
}

static void
refuse_job (PtEngine *self, QueuedJob *queued)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  Last last = { { .kind = PT_EVENT_FAILED, .code = error_code (queued->fault) }, heap };

  last.event.text = pt_heap_text (heap, queued->fault->message);
  if (g_cancellable_is_cancelled (queued->cancellable))
    last.event = (PtEvent){ .kind = PT_EVENT_STOPPED, .reason = PT_REASON_STOPPED };
  send_last (self, queued, &last);
}

static void
do_job (PtEngine *self, PtSession *session, QueuedJob *queued, PtShown *shown, Last *last)
{
  PtJobKind kind = queued->job->kind;
  gboolean in_host = belongs_to_host (self, queued);

  if (kind == PT_JOB_LOAD || kind == PT_JOB_UNLOAD) {
    unload_other (self, session, in_host);
    g_clear_pointer (&self->side_host, pt_host_free);
    g_clear_pointer (&self->loaded, pt_job_free);
    g_hash_table_remove_all (self->fallen);
  }
  if (kind == PT_JOB_LOAD) {
    self->loaded_in_host = in_host;
    self->loaded = pt_job_copy (queued->job, NULL);
  }
  if (in_host) {
    g_clear_pointer (&queued->searched, pt_model_set_free);
    run_job_in_host (self, queued, shown, last);
    return;
  }
  use_pool (self, FALSE);
  run_job_here (self, session, queued, shown, last);
}

/* ---- going on without the GPU ---- */

/* Does @job instead of @queued. */
static void
do_instead (PtEngine *self, PtSession *session, const QueuedJob *queued, const PtJob *job,
            PtShown *shown, Last *last)
{
  QueuedJob *next = g_new0 (QueuedJob, 1);

  next->number = queued->number;
  next->job = pt_job_copy (job, NULL);
  next->cancellable = g_object_ref (queued->cancellable);
  next->finish = g_object_ref (queued->finish);
  next->isolation = queued->isolation;
  do_job (self, session, next, shown, last);
  queued_job_free (next);
}

static void
send_fallback (PtEngine *self, const QueuedJob *queued, const PtEvent *failure, const char *program)
{
  PtEvent event = *failure;

  event.kind = PT_EVENT_FALLBACK;
  event.job = queued->number;
  event.alternative = program;
  pt_channel_send (self->channel, &event);
}

/* The model that @job is done with: its own, or the loaded one. */
static const PtJob *
model_of (const PtEngine *self, const PtJob *job)
{
  return uses_loaded (job) && job->kind != PT_JOB_LOAD ? self->loaded : job;
}

static void
put_on_cpu (PtJob *job, const char *program)
{
  job->model.path = program;
  job->model.variant = NULL;
  job->model.backend = PT_BACKEND_CPU;
  job->model.device = 0;
}

/* What jobs have in common that bring the same model for the same purpose. */
static char *
key_of (const PtJob *job)
{
  return g_strdup_printf ("%d\n%s\n%s", job->kind, job->model.path, job->model.variant);
}

/* A job whose model brought the GPU to fail before begins with the program for the CPU. */
static void
remember_fallback (PtEngine *self, PtJob *job)
{
  g_autofree char *key = key_of (job);
  const char *program = g_hash_table_lookup (self->fallen, key);

  if (program != NULL && job->model.backend == PT_BACKEND_AUTO && !job->keep_device)
    put_on_cpu (job, program);
}

/* The failure of a job whose model is there again. */
static void
fail_for_gpu (PtEvent *event)
{
  if (event->code == PT_ERROR_HOST)
    event->code = PT_ERROR_GPU;
  event->alternative = NULL;
  event->host = NULL;
}

/*
 * @last is the failure of @queued. If the GPU failed, and the model has a program for the CPU, that
 * is loaded and the job goes on with it, to another end in @last.
 */
static void
fall_back (PtEngine *self, PtSession *session, QueuedJob *queued, PtShown *shown, Last *last)
{
  const PtEvent failure = last->event;
  const PtJob *model = model_of (self, queued->job);
  g_autofree char *program =
      model != NULL ? pt_job_find_fallback (model, queued->job->kind, &failure) : NULL;
  g_autoptr (PtJob) on_cpu = NULL, rest = NULL;
  gboolean is_whole = model == queued->job;

  if (program == NULL)
    return;
  send_fallback (self, queued, &failure, program);
  on_cpu = pt_job_copy (model, NULL);
  put_on_cpu (on_cpu, program);
  if (!uses_loaded (queued->job))
    g_hash_table_insert (self->fallen, key_of (queued->job), g_strdup (program));
  do_instead (self, session, queued, on_cpu, shown, last);
  /* What is done is the job itself, or a LOAD before it. */
  if (is_whole || last->event.kind != PT_EVENT_DONE)
    return;
  rest = pt_shown_go_on (shown, queued->job);
  if (rest != NULL) {
    do_instead (self, session, queued, rest, shown, last);
  } else {
    last->event = failure;
    fail_for_gpu (&last->event);
  }
}

static void
run_job (PtEngine *self, PtSession *session, QueuedJob *queued)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  Last last = { .heap = heap };
  PtShown shown;

  pt_shown_init (&shown);
  remember_fallback (self, queued->job);
  do_job (self, session, queued, &shown, &last);
  if (last.event.kind == PT_EVENT_FAILED && !g_cancellable_is_cancelled (queued->cancellable))
    fall_back (self, session, queued, &shown, &last);
  pt_shown_take (&shown, &last.event);
  pt_shown_clear (&shown);
  send_last (self, queued, &last);
}

static gpointer
engine_main (gpointer data)
{
  PtEngine *self = data;
  PtSession *session;
  QueuedJob *queued;

  self->fallen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  use_pool (self, self->loaded_in_host);
  session = pt_session_new ();
  while ((queued = wait_for_job (self)) != NULL) {
    if (!self->gives_way)
      pt_pool_urgent_begin ();
    if (queued->job != NULL)
      run_job (self, session, queued);
    else
      refuse_job (self, queued);
    if (!self->gives_way)
      pt_pool_urgent_end ();
    queued_job_free (queued);
  }
  pt_session_free (session);
  g_clear_pointer (&self->host, pt_host_free);
  g_clear_pointer (&self->side_host, pt_host_free);
  g_clear_pointer (&self->loaded, pt_job_free);
  g_clear_pointer (&self->fallen, g_hash_table_unref);
  g_clear_pointer (&self->pool, pt_pool_free);
  return NULL;
}

/* ---- the handle ---- */

PtEngine *
pt_engine_new_with_options (const PtEngineOptions *options, GMainContext *context, PtEventFunc func,
                            gpointer user_data)
{
  PtEngine *self = g_new0 (PtEngine, 1);
  PtEngineOptions all = PT_ENGINE_OPTIONS_INIT;

  if (options != NULL)
    memcpy (&all, options, MIN (options->size, sizeof all));
  self->isolation = all.isolation;
  self->loaded_in_host = all.isolation == PT_ISOLATION_ALL;
  self->host_program = g_strdup (all.program);
  self->patience_ms = all.patience_ms;
  pt_init ();
  self->n_threads = pt_pool_choose_threads (all.n_threads);
  self->gives_way = all.gives_way;
  self->channel = pt_channel_new (context, func, user_data);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->wake);
  g_queue_init (&self->jobs);
  self->thread = g_thread_new ("pteris-engine", engine_main, self);
  return self;
}

PtEngine *
pt_engine_new (GMainContext *context, PtEventFunc func, gpointer user_data)
{
  return pt_engine_new_with_options (NULL, context, func, user_data);
}

void
pt_engine_free (PtEngine *self)
{
  if (self == NULL)
    return;
  pt_channel_close (self->channel);
  g_mutex_lock (&self->mutex);
  self->quit = TRUE;
  if (self->current != NULL)
    g_cancellable_cancel (self->current->cancellable);
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->mutex);
  g_thread_join (self->thread);

  g_queue_clear_full (&self->jobs, (GDestroyNotify) queued_job_free);
  pt_channel_unref (self->channel);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->wake);
  g_free (self->host_program);
  g_free (self);
}

guint64
pt_engine_submit (PtEngine *self, const PtJob *job)
{
  QueuedJob *queued = g_new0 (QueuedJob, 1);
  guint64 number;

  queued->job = pt_job_copy (job, &queued->fault);
  queued->cancellable = g_cancellable_new ();
  queued->finish = g_cancellable_new ();
  g_mutex_lock (&self->mutex);
  number = queued->number = ++self->last_number;
  queued->isolation = self->isolation;
  g_queue_push_tail (&self->jobs, queued);
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->mutex);
  return number;
}

static QueuedJob *
take_waiting (PtEngine *self, guint64 number)
{
  for (GList *link = self->jobs.head; link != NULL; link = link->next) {
    QueuedJob *queued = link->data;

    if (queued->number == number) {
      g_queue_delete_link (&self->jobs, link);
      return queued;
    }
  }
  return NULL;
}

void
pt_engine_cancel (PtEngine *self, guint64 number)
{
  PtEvent stopped = { .kind = PT_EVENT_STOPPED, .job = number, .reason = PT_REASON_STOPPED };
  QueuedJob *queued;

  g_mutex_lock (&self->mutex);
  if (self->current != NULL && self->current->number == number)
    g_cancellable_cancel (self->current->cancellable);
  queued = take_waiting (self, number);
  g_mutex_unlock (&self->mutex);

  if (queued != NULL) {
    pt_channel_send (self->channel, &stopped);
    queued_job_free (queued);
  }
}

void
pt_engine_set_isolation (PtEngine *self, PtIsolation isolation)
{
  g_mutex_lock (&self->mutex);
  self->isolation = isolation;
  g_mutex_unlock (&self->mutex);
}

void
pt_engine_set_paused (PtEngine *self, gboolean paused)
{
  g_mutex_lock (&self->mutex);
  self->paused = paused;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->mutex);
}

void
pt_engine_finish (PtEngine *self, guint64 number)
{
  g_mutex_lock (&self->mutex);
  if (self->current != NULL && self->current->number == number)
    g_cancellable_cancel (self->current->finish);
  for (GList *link = self->jobs.head; link != NULL; link = link->next) {
    QueuedJob *queued = link->data;

    if (queued->number == number)
      g_cancellable_cancel (queued->finish);
  }
  g_mutex_unlock (&self->mutex);
}

void
pt_engine_set_threads (guint n_threads)
{
  pt_pool_set_default_threads (n_threads);
}
