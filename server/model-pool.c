/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/model-pool.h"

#include <string.h>

#include <gio/gio.h>
#include <pteris/stats.h>

#include "server/turns.h"

/* How long a model with jobs stays loaded while another one waits for its memory. */
#define LEAST_STAY_US (10 * G_USEC_PER_SEC)
/* How often models and requests are looked at whose time is over, and the longest time between two
 * looks while the computer does not sleep. */
#define SWEEP_MS 500
#define MOST_LOOKS_US (3 * G_USEC_PER_SEC)

typedef enum {
  SLOT_UNLOADED,
  SLOT_MEASURING, /* a thread finds out what it needs, and what memory there is */
  SLOT_CROWDED,   /* it waits until another model is unloaded */
  SLOT_LOADING,
  SLOT_READY,
} SlotState;

/* A model with its engine and the jobs that wait for it. */
typedef struct {
  PterisModelPool *pool;
  char *name, *path, *task;
  guint64 bytes;
  SlotState state;
  PtEngine *engine; /* LOADING, READY */
  guint64 load;     /* number of the job LOAD; 0: it has ended */
  PterisTurns *turns;
  PterisPoolJob *running;
  gint64 used;     /* monotonic time of its last job */
  gint64 loaded;   /* ... when it was loaded */
  guint n_done;    /* jobs since then */
  gboolean yields; /* it begins no job, so that another model gets its memory */
  gboolean known;  /* @needs */
  PtNeeds needs;
  guint context_size;
} Slot;

struct _PterisPoolJob {
  Slot *slot;
  PtJob job;
  char *client;
  PtEventFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
  guint64 number; /* of the job of the engine; 0: it waits */
  gint64 queued;  /* monotonic time */
  gint64 begin;   /* time of the pool's clock */
  gboolean overdue;
};

struct _PterisModelPool {
  PterisPoolOptions options;
  GPtrArray *slots; /* Slot */
  GSource *sweep;
  GSource *working;
  GCancellable *cancellable; /* of threads that measure */
  guint n_waiting;
  gboolean ended;
  gint64 awake;  /* the pool's clock: microseconds in which this process could work */
  gint64 looked; /* monotonic time of the last look at it */
};

static void work_later (PterisModelPool *self);

/* The pool's clock. It stands still while the computer sleeps or the process is stopped: nobody is
 * charged for that. */
static gint64
look_at_clock (PterisModelPool *self)
{
  gint64 now = g_get_monotonic_time ();

  self->awake += MIN (now - self->looked, MOST_LOOKS_US);
  self->looked = now;
  return self->awake;
}

/* ---- tasks ---- */

static void
task_free (PterisPoolJob *task)
{
  if (task->destroy != NULL)
    task->destroy (task->user_data);
  g_free (task->client);
  g_free (task);
}

/* The last event of a task. */
static void
finish_task (PterisPoolJob *task, const PtEvent *event)
{
  task->func (event, task->user_data);
  task_free (task);
}

static void
stop_task (PterisPoolJob *task)
{
  const PtEvent stopped = { .kind = PT_EVENT_STOPPED, .reason = PT_REASON_STOPPED };
  const PtEvent overdue = { .kind = PT_EVENT_FAILED,
                            .code = PT_ERROR_BUSY,
                            .text =
                                "The time of this request is over. Ask for a shorter answer, or "
                                "try again later." };

  finish_task (task, task->overdue ? &overdue : &stopped);
}

/* All tasks that wait for @slot fail with @event. */
static void
fail_waiting (Slot *slot, const PtEvent *event)
{
  PterisPoolJob *task;

  while ((task = pteris_turns_pop (slot->turns)) != NULL) {
    slot->pool->n_waiting--;
    finish_task (task, event);
  }
}

/* ---- engines ---- */

static gboolean
is_last (PtEventKind kind)
{
  return kind == PT_EVENT_DONE || kind == PT_EVENT_FAILED || kind == PT_EVENT_STOPPED;
}

static void
unload (Slot *slot)
{
  g_clear_pointer (&slot->engine, pt_engine_free);
  slot->state = SLOT_UNLOADED;
  slot->yields = FALSE;
  slot->load = 0;
}

static void
on_load_event (Slot *slot, const PtEvent *event)
{
  if (event->kind == PT_EVENT_LOADED)
    slot->context_size = event->loaded->context_size;
  if (!is_last (event->kind))
    return;
  slot->load = 0;
  slot->used = slot->loaded = g_get_monotonic_time ();
  if (event->kind == PT_EVENT_DONE) {
    slot->state = SLOT_READY;
  } else {
    /* The engine is freed outside of its own callback. */
    slot->state = SLOT_UNLOADED;
    fail_waiting (slot, event);
  }
  work_later (slot->pool);
}

static void
on_engine_event (const PtEvent *event, gpointer data)
{
  Slot *slot = data;
  PterisPoolJob *task = slot->running;
  gint64 now;

  if (event->job == slot->load) {
    on_load_event (slot, event);
    return;
  }
  if (task == NULL || event->job != task->number)
    return;
  if (!is_last (event->kind)) {
    task->func (event, task->user_data);
    return;
  }
  now = g_get_monotonic_time ();
  pteris_turns_charge (slot->turns, task->client,
                       (double) (look_at_clock (slot->pool) - task->begin) / G_USEC_PER_SEC);
  slot->running = NULL;
  slot->used = now;
  slot->n_done++;
  /* The process of the model has ended, and the model with it. */
  if (event->host != NULL)
    slot->state = SLOT_UNLOADED;
  if (event->kind == PT_EVENT_STOPPED)
    stop_task (task);
  else
    finish_task (task, event);
  work_later (slot->pool);
}

static gboolean
is_loaded_first (const Slot *slot)
{
  return strcmp (slot->task, "chat") == 0 || strcmp (slot->task, "transcribe") == 0;
}

static void
set_model (const Slot *slot, PtJob *job)
{
  job->model = slot->pool->options.model;
  job->model.path = slot->path;
}

static void
load (Slot *slot)
{
  PtJob job = PT_JOB_INIT (PT_JOB_LOAD);

  slot->engine = pt_engine_new_with_options (
      &slot->pool->options.engine, g_main_context_get_thread_default (), on_engine_event, slot);
  /* The others bring their model with each job, and keep it. */
  slot->state = SLOT_READY;
  slot->used = slot->loaded = g_get_monotonic_time ();
  slot->n_done = 0;
  if (!is_loaded_first (slot))
    return;
  set_model (slot, &job);
  slot->state = SLOT_LOADING;
  slot->load = pt_engine_submit (slot->engine, &job);
}

/* ---- memory ---- */

typedef struct {
  char *path;
  guint64 bytes;
  PtNeeds needs;
  PtMemory memory;
  Slot *slot;
} Measure;

static void
measure_free (gpointer data)
{
  g_free (((Measure *) data)->path);
  g_free (data);
}

static void
measure (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Measure *self = data;
  PtModelDetails *details = pt_library_examine (self->path, NULL, NULL);
  PtMachineStats *stats = pt_stats_read ();

  self->needs = details != NULL ? details->needs : pt_needs_of_files (self->bytes);
  self->memory = pt_memory_of (stats);
  pt_model_details_free (details);
  pt_machine_stats_free (stats);
  g_task_return_boolean (task, TRUE);
}

static gboolean
takes_memory (const Slot *slot)
{
  return slot->state == SLOT_LOADING || slot->state == SLOT_READY;
}

/* Whether @slot fits beside the others, of which @n_others are loaded. */
static gboolean
fits (const Slot *slot, const PtMemory *memory, guint *n_others)
{
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (PtLoadedNeeds));

  for (guint i = 0; i < slot->pool->slots->len; i++) {
    const Slot *other = slot->pool->slots->pdata[i];
    const PtLoadedNeeds loaded = { other->needs, other->state == SLOT_READY, FALSE };

    if (other != slot && takes_memory (other))
      g_array_append_val (others, loaded);
  }
  *n_others = others->len;
  return others->len < slot->pool->options.most_models &&
         pt_fits_beside (&slot->needs, (const PtLoadedNeeds *) others->data, others->len, memory);
}

static gboolean
is_busy (const Slot *slot)
{
  return slot->running != NULL || slot->state == SLOT_LOADING ||
         pteris_turns_count (slot->turns) > 0;
}

static gboolean
is_better_victim (const Slot *slot, const Slot *other)
{
  if (slot->yields != other->yields)
    return slot->yields;
  if (is_busy (slot) != is_busy (other))
    return !is_busy (slot);
  return slot->used < other->used;
}

/* The loaded model that has to make room: one without a job, of these the one whose last job is the
 * longest ago. NULL: none is loaded. */
static Slot *
find_victim (PterisModelPool *self)
{
  Slot *found = NULL;

  for (guint i = 0; i < self->slots->len; i++) {
    Slot *slot = self->slots->pdata[i];

    if (takes_memory (slot) && (found == NULL || is_better_victim (slot, found)))
      found = slot;
  }
  return found;
}

static void
on_measured (GObject *source, GAsyncResult *result, gpointer data)
{
  Measure *self = g_task_get_task_data (G_TASK (result));
  Slot *slot = self->slot, *victim;
  guint n_others;

  if (g_cancellable_is_cancelled (g_task_get_cancellable (G_TASK (result))))
    return;
  slot->needs = self->needs;
  slot->known = TRUE;
  if (pteris_turns_count (slot->turns) == 0) {
    slot->state = SLOT_UNLOADED;
    return;
  }
  if (fits (slot, &self->memory, &n_others) || n_others == 0) {
    load (slot);
    work_later (slot->pool);
    return;
  }
  slot->state = SLOT_CROWDED;
  victim = find_victim (slot->pool);
  victim->yields = TRUE;
  work_later (slot->pool);
}

static void
begin_loading (Slot *slot)
{
  g_autoptr (GTask) task = g_task_new (NULL, slot->pool->cancellable, on_measured, NULL);
  Measure *self = g_new0 (Measure, 1);

  slot->state = SLOT_MEASURING;
  self->path = g_strdup (slot->path);
  self->bytes = slot->bytes;
  self->slot = slot;
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, self, measure_free);
  g_task_run_in_thread (task, measure);
}

/* ---- turns ---- */

static void
begin_task (Slot *slot)
{
  PterisPoolJob *task = pteris_turns_pop (slot->turns);

  slot->pool->n_waiting--;
  slot->running = task;
  if (is_loaded_first (slot)) {
    task->job.model = (PtModelOptions){ 0 };
  } else {
    set_model (slot, &task->job);
  }
  task->begin = look_at_clock (slot->pool);
  slot->used = slot->pool->looked;
  task->number = pt_engine_submit (slot->engine, &task->job);
}

/* Whether @slot, which is ready, makes room for another model now. While it has jobs, it works for
 * some time after it was loaded: otherwise two models that want the memory of one would be loaded
 * and unloaded all the time. */
static gboolean
makes_room (const Slot *slot)
{
  if (!slot->yields || slot->running != NULL)
    return FALSE;
  return pteris_turns_count (slot->turns) == 0 ||
         (slot->n_done > 0 && g_get_monotonic_time () - slot->loaded > LEAST_STAY_US);
}

/* One step of one model. TRUE: something has changed for others. */
static gboolean
work_on (Slot *slot)
{
  gboolean wanted = pteris_turns_count (slot->turns) > 0;

  /* An engine without a model: it could not be loaded, or was lost. */
  if (slot->state == SLOT_UNLOADED && slot->engine != NULL) {
    unload (slot);
    return TRUE;
  }
  if (slot->state == SLOT_READY && makes_room (slot)) {
    unload (slot);
    return TRUE;
  }
  if (slot->state == SLOT_UNLOADED && wanted)
    begin_loading (slot);
  else if (slot->state == SLOT_READY && slot->running == NULL && wanted)
    begin_task (slot);
  return FALSE;
}

static gboolean
on_work (gpointer data)
{
  PterisModelPool *self = data;
  gboolean freed = FALSE;

  g_clear_pointer (&self->working, g_source_unref);
  for (guint i = 0; i < self->slots->len; i++)
    freed |= work_on (self->slots->pdata[i]);
  if (!freed)
    return G_SOURCE_REMOVE;
  /* Those that waited for memory ask again. */
  for (guint i = 0; i < self->slots->len; i++) {
    Slot *slot = self->slots->pdata[i];

    if (slot->state == SLOT_CROWDED)
      slot->state = SLOT_UNLOADED;
  }
  work_later (self);
  return G_SOURCE_REMOVE;
}

/* Outside of the callbacks of engines, which may be freed. */
static void
work_later (PterisModelPool *self)
{
  if (self->working != NULL)
    return;
  self->working = g_idle_source_new ();
  g_source_set_priority (self->working, G_PRIORITY_DEFAULT);
  g_source_set_callback (self->working, on_work, self, NULL);
  g_source_attach (self->working, g_main_context_get_thread_default ());
}

static gboolean
is_overdue (const PterisPoolJob *task, gint64 now)
{
  guint limit = task->slot->pool->options.job_seconds;

  return limit > 0 && now - task->queued > limit * G_USEC_PER_SEC;
}

/* Tasks that wait for too long; the running one is stopped in the same way. */
static void
stop_overdue (Slot *slot, gint64 now)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  PterisPoolJob *task;

  if (slot->running != NULL && is_overdue (slot->running, now) && !slot->running->overdue) {
    slot->running->overdue = TRUE;
    pt_engine_cancel (slot->engine, slot->running->number);
  }
  if (slot->pool->options.job_seconds == 0)
    return;
  pteris_turns_collect (slot->turns, kept);
  for (guint i = 0; i < kept->len; i++) {
    task = kept->pdata[i];
    if (!is_overdue (task, now) || !pteris_turns_remove (slot->turns, task))
      continue;
    slot->pool->n_waiting--;
    task->overdue = TRUE;
    stop_task (task);
  }
}

static gboolean
on_sweep (gpointer data)
{
  PterisModelPool *self = data;
  gint64 now = g_get_monotonic_time ();

  look_at_clock (self);
  for (guint i = 0; i < self->slots->len; i++) {
    Slot *slot = self->slots->pdata[i];

    stop_overdue (slot, now);
    if (self->options.unload_seconds > 0 && slot->state == SLOT_READY && slot->running == NULL &&
        pteris_turns_count (slot->turns) == 0 &&
        now - slot->used > self->options.unload_seconds * G_USEC_PER_SEC)
      unload (slot);
  }
  return G_SOURCE_CONTINUE;
}

/* ---- the pool ---- */

static void
slot_free (gpointer data)
{
  Slot *slot = data;
  PterisPoolJob *task;

  g_clear_pointer (&slot->engine, pt_engine_free);
  if (slot->running != NULL)
    task_free (slot->running);
  while ((task = pteris_turns_pop (slot->turns)) != NULL)
    task_free (task);
  pteris_turns_free (slot->turns);
  g_free (slot->name);
  g_free (slot->path);
  g_free (slot->task);
  g_free (slot);
}

PterisModelPool *
pteris_model_pool_new (const PterisPoolOptions *options)
{
  PterisModelPool *self = g_new0 (PterisModelPool, 1);

  self->options = *options;
  self->options.model.trust = g_strdup (options->model.trust);
  self->options.engine.program = g_strdup (options->engine.program);
  self->slots = g_ptr_array_new_with_free_func (slot_free);
  self->cancellable = g_cancellable_new ();
  self->looked = g_get_monotonic_time ();
  self->sweep = g_timeout_source_new (SWEEP_MS);
  g_source_set_callback (self->sweep, on_sweep, self, NULL);
  g_source_attach (self->sweep, g_main_context_get_thread_default ());
  return self;
}

void
pteris_model_pool_end (PterisModelPool *self)
{
  if (self->ended)
    return;
  self->ended = TRUE;
  g_cancellable_cancel (self->cancellable);
  g_source_destroy (self->sweep);
  g_source_unref (self->sweep);
  if (self->working != NULL)
    g_source_destroy (self->working);
  g_clear_pointer (&self->working, g_source_unref);
  g_ptr_array_set_size (self->slots, 0);
  self->n_waiting = 0;
}

void
pteris_model_pool_free (PterisModelPool *self)
{
  if (self == NULL)
    return;
  pteris_model_pool_end (self);
  g_ptr_array_unref (self->slots);
  g_object_unref (self->cancellable);
  g_free ((char *) self->options.model.trust);
  g_free ((char *) self->options.engine.program);
  g_free (self);
}

static Slot *
find_slot (PterisModelPool *self, const char *path)
{
  for (guint i = 0; i < self->slots->len; i++)
    if (strcmp (((Slot *) self->slots->pdata[i])->path, path) == 0)
      return self->slots->pdata[i];
  return NULL;
}

static Slot *
add_slot (PterisModelPool *self, const PtModelInfo *info)
{
  Slot *slot = g_new0 (Slot, 1);

  slot->pool = self;
  slot->name = g_strdup (info->name);
  slot->path = g_strdup (info->path);
  slot->task = g_strdup (info->task);
  slot->bytes = info->bytes;
  slot->turns = pteris_turns_new ();
  g_ptr_array_add (self->slots, slot);
  return slot;
}

PterisPoolJob *
pteris_model_pool_submit (PterisModelPool *self, const PtModelInfo *info, const char *client,
                          const PtJob *job, PtEventFunc func, gpointer user_data,
                          GDestroyNotify destroy, GError **error)
{
  PterisPoolJob *task;
  Slot *slot;

  if (self->ended) {
    pteris_fault_set (error, 503, NULL, NULL, "The server is being turned off.");
    return NULL;
  }
  if (self->n_waiting >= self->options.most_waiting) {
    pteris_fault_set (error, 503, "overloaded", NULL, "%u requests wait already. Try again later.",
                      self->n_waiting);
    return NULL;
  }
  slot = find_slot (self, info->path);
  if (slot == NULL)
    slot = add_slot (self, info);
  task = g_new0 (PterisPoolJob, 1);
  task->slot = slot;
  task->job = *job;
  task->client = g_strdup (client);
  task->func = func;
  task->user_data = user_data;
  task->destroy = destroy;
  task->queued = g_get_monotonic_time ();
  self->n_waiting++;
  pteris_turns_push (slot->turns, client, task);
  work_later (self);
  return task;
}

void
pteris_model_pool_cancel (PterisModelPool *self, PterisPoolJob *task)
{
  if (task->number != 0) {
    pt_engine_cancel (task->slot->engine, task->number);
  } else if (pteris_turns_remove (task->slot->turns, task)) {
    self->n_waiting--;
    stop_task (task);
  }
}

void
pteris_model_pool_count (PterisModelPool *self, guint *running, guint *waiting)
{
  *waiting = self->n_waiting;
  *running = 0;
  for (guint i = 0; i < self->slots->len; i++)
    *running += ((Slot *) self->slots->pdata[i])->running != NULL;
}

GArray *
pteris_model_pool_list (PterisModelPool *self)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (PterisPoolModel));
  gint64 now = g_get_monotonic_time ();

  for (guint i = 0; i < self->slots->len; i++) {
    const Slot *slot = self->slots->pdata[i];
    PterisPoolModel model = {
      .name = slot->name,
      .ready = slot->state == SLOT_READY,
      .n_jobs = pteris_turns_count (slot->turns) + (slot->running != NULL),
      .context_size = slot->context_size,
      .idle_seconds = slot->running != NULL ? 0 : (now - slot->used) / G_USEC_PER_SEC,
    };

    if (slot->state != SLOT_UNLOADED)
      g_array_append_val (list, model);
  }
  return list;
}

gboolean
pteris_model_pool_unload (PterisModelPool *self, const char *name)
{
  for (guint i = 0; i < self->slots->len; i++) {
    Slot *slot = self->slots->pdata[i];

    if (strcmp (slot->name, name) != 0 || slot->state != SLOT_READY || slot->running != NULL ||
        pteris_turns_count (slot->turns) > 0)
      continue;
    unload (slot);
    return TRUE;
  }
  return FALSE;
}
