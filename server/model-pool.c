/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/model-pool-private.h"

#include <string.h>

#include <gio/gio.h>

#include "server/model-memory.h"

/* How long a model with jobs stays loaded while another one waits for its memory. */
#define LEAST_STAY_US (10 * G_USEC_PER_SEC)
/* How often models and requests are looked at whose time is over, and the longest time between two
 * looks while the computer does not sleep. */
#define SWEEP_MS 500
#define MOST_LOOKS_US (3 * G_USEC_PER_SEC)
/* On a GPU where a model did not fit or could not be loaded, it is not tried again before this time
 * is over, unless no other GPU is left. */
#define RETRY_CROWDED_US (10 * G_USEC_PER_SEC)
#define RETRY_FAILED_US (60 * G_USEC_PER_SEC)

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

/* All tasks that wait for @model fail with @event. */
static void
fail_waiting (PterisPooled *model, const PtEvent *event)
{
  PterisPoolJob *task;

  while ((task = pteris_turns_pop (model->turns, NULL, NULL)) != NULL) {
    model->pool->n_waiting--;
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
unload (PterisSlot *slot)
{
  g_clear_pointer (&slot->engine, pt_engine_free);
  slot->state = SLOT_UNLOADED;
  slot->yields = FALSE;
  slot->load = 0;
  slot->marks.n = 0;
}

/* Its jobs wait for another GPU, if there is one where it is, or may be loaded. */
static void
fail_load (PterisSlot *slot, const PtEvent *event)
{
  /* The engine is freed outside of its own callback. */
  slot->state = SLOT_UNLOADED;
  slot->retry = slot->used + RETRY_FAILED_US;
  if (pteris_slot_is_elsewhere (slot, SLOT_MEASURING) ||
      (slot->model->needs.gpu > 0 && pteris_slot_find_place (slot->model, slot->used) != NULL))
    g_message ("%s cannot be loaded on GPU %d: %s", slot->model->name, slot->device,
               event->kind == PT_EVENT_FAILED ? event->text : "it was stopped");
  else
    fail_waiting (slot->model, event);
}

static void
on_load_event (PterisSlot *slot, const PtEvent *event)
{
  if (event->kind == PT_EVENT_LOADED)
    slot->model->context_size = event->loaded->context_size;
  if (!is_last (event->kind))
    return;
  slot->load = 0;
  slot->used = slot->loaded = g_get_monotonic_time ();
  if (event->kind == PT_EVENT_DONE)
    slot->state = SLOT_READY;
  else
    fail_load (slot, event);
  work_later (slot->model->pool);
}

static void
on_engine_event (const PtEvent *event, gpointer data)
{
  PterisSlot *slot = data;
  PterisPoolJob *task = slot->running;
  gint64 now;

  if (event->kind == PT_EVENT_FALLBACK)
    g_message ("%s continues on the CPU: %s", slot->model->name, event->text);
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
  pteris_turns_charge (slot->model->turns, task->client,
                       (double) (look_at_clock (slot->model->pool) - task->begin) / G_USEC_PER_SEC);
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
  work_later (slot->model->pool);
}

static gboolean
is_loaded_first (const PterisSlot *slot)
{
  const char *task = slot->model->task;

  return strcmp (task, "chat") == 0 || strcmp (task, "transcribe") == 0;
}

static void
set_model (const PterisSlot *slot, PtJob *job)
{
  job->model = slot->model->pool->options.model;
  job->model.path = slot->model->path;
  job->model.device = slot->device;
  job->keep_device = slot->model->pool->options.keep_device;
}

static void
load (PterisSlot *slot)
{
  PtJob job = PT_JOB_INIT (PT_JOB_LOAD);

  slot->engine =
      pt_engine_new_with_options (&slot->model->pool->options.engine,
                                  g_main_context_get_thread_default (), on_engine_event, slot);
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

/* @slot does not fit beside others. For a model that is loaded elsewhere, or may fit on another
 * GPU, no other model has to go. */
static void
put_off (PterisSlot *slot)
{
  gint64 now = g_get_monotonic_time ();

  slot->retry = now + RETRY_CROWDED_US;
  slot->state = SLOT_UNLOADED;
  if (pteris_slot_is_elsewhere (slot, SLOT_LOADING) ||
      pteris_slot_find_place (slot->model, now) != NULL)
    return;
  slot->state = SLOT_CROWDED;
  pteris_slot_find_victim (slot->model->pool, slot->device)->yields = TRUE;
}

static void
on_measured (GObject *source, GAsyncResult *result, gpointer data)
{
  PterisMeasurement found;
  PterisSlot *slot = data;
  guint n_others;

  if (!pteris_model_measure_finish (result, &found))
    return;
  slot->model->needs = found.needs;
  slot->model->known = TRUE;
  work_later (slot->model->pool);
  if (pteris_slot_count_waiting (slot) == 0 ||
      (found.needs.gpu == 0 && slot != slot->model->slots->pdata[0])) {
    slot->state = SLOT_UNLOADED;
  } else if (pteris_slot_fits (slot, &found.memory, &n_others) || n_others == 0) {
    load (slot);
  } else {
    put_off (slot);
  }
}

static void
begin_loading (PterisSlot *slot)
{
  const PterisModelPool *pool = slot->model->pool;
  const PterisMeasured measured = { slot->model->path, slot->model->bytes,
                                    pool->devices->len > 1 ? slot->device : -1 };

  slot->state = SLOT_MEASURING;
  pteris_model_measure_async (&measured, pool->cancellable, on_measured, slot);
}

/* ---- turns ---- */

/* From now on, only @slot knows the conversation. */
static void
move_conversation (PterisSlot *slot, guint64 conversation)
{
  for (guint i = 0; i < slot->model->slots->len; i++)
    pteris_marks_remove (&((PterisSlot *) slot->model->slots->pdata[i])->marks, conversation);
  pteris_marks_add (&slot->marks, conversation);
}

static void
begin_task (PterisSlot *slot)
{
  PterisPoolJob *task = pteris_slot_take_job (slot);

  if (task == NULL)
    return;
  slot->model->pool->n_waiting--;
  slot->running = task;
  task->slot = slot;
  move_conversation (slot, task->conversation);
  if (is_loaded_first (slot)) {
    task->job.model = (PtModelOptions){ 0 };
  } else {
    set_model (slot, &task->job);
  }
  task->begin = look_at_clock (slot->model->pool);
  slot->used = slot->model->pool->looked;
  task->number = pt_engine_submit (slot->engine, &task->job);
}

/* Whether @slot, which is ready, makes room for another model now. While it has jobs, it works for
 * some time after it was loaded: otherwise two models that want the memory of one would be loaded
 * and unloaded all the time. */
static gboolean
makes_room (const PterisSlot *slot)
{
  if (!slot->yields || slot->running != NULL)
    return FALSE;
  return pteris_slot_count_waiting (slot) == 0 ||
         (slot->n_done > 0 && g_get_monotonic_time () - slot->loaded > LEAST_STAY_US);
}

/* One step of one model. TRUE: something has changed for others. */
static gboolean
work_on (PterisSlot *slot)
{
  gboolean wanted = pteris_slot_count_waiting (slot) > 0;

  /* An engine without a model: it could not be loaded, or was lost. */
  if (slot->state == SLOT_UNLOADED && slot->engine != NULL) {
    unload (slot);
    return TRUE;
  }
  if (slot->state == SLOT_READY && makes_room (slot)) {
    unload (slot);
    return TRUE;
  }
  if (slot->state == SLOT_UNLOADED && wanted && pteris_slot_is_wanted (slot))
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
    PterisSlot *slot = self->slots->pdata[i];

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
  guint limit = task->model->pool->options.job_seconds;

  return limit > 0 && now - task->queued > limit * G_USEC_PER_SEC;
}

/* Tasks that wait for too long. */
static void
stop_overdue (PterisPooled *model, gint64 now)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();
  PterisPoolJob *task;

  if (model->pool->options.job_seconds == 0)
    return;
  pteris_turns_collect (model->turns, kept);
  for (guint i = 0; i < kept->len; i++) {
    task = kept->pdata[i];
    if (!is_overdue (task, now) || !pteris_turns_remove (model->turns, task))
      continue;
    model->pool->n_waiting--;
    task->overdue = TRUE;
    stop_task (task);
  }
}

/* ... and the one that runs. */
static void
stop_running (PterisSlot *slot, gint64 now)
{
  if (slot->running == NULL || !is_overdue (slot->running, now) || slot->running->overdue)
    return;
  slot->running->overdue = TRUE;
  pt_engine_cancel (slot->engine, slot->running->number);
}

static gboolean
on_sweep (gpointer data)
{
  PterisModelPool *self = data;
  gint64 now = g_get_monotonic_time ();

  look_at_clock (self);
  for (guint i = 0; i < self->models->len; i++)
    stop_overdue (self->models->pdata[i], now);
  for (guint i = 0; i < self->slots->len; i++) {
    PterisSlot *slot = self->slots->pdata[i];

    stop_running (slot, now);
    if (self->options.unload_seconds > 0 && slot->state == SLOT_READY && slot->running == NULL &&
        pteris_slot_count_waiting (slot) == 0 &&
        now - slot->used > self->options.unload_seconds * G_USEC_PER_SEC)
      unload (slot);
  }
  return G_SOURCE_CONTINUE;
}

/* ---- the pool ---- */

static void
slot_free (gpointer data)
{
  PterisSlot *slot = data;

  g_clear_pointer (&slot->engine, pt_engine_free);
  if (slot->running != NULL)
    task_free (slot->running);
  g_free (slot);
}

static void
model_free (gpointer data)
{
  PterisPooled *model = data;
  PterisPoolJob *task;

  while ((task = pteris_turns_pop (model->turns, NULL, NULL)) != NULL)
    task_free (task);
  pteris_turns_free (model->turns);
  g_ptr_array_unref (model->slots);
  g_free (model->name);
  g_free (model->path);
  g_free (model->task);
  g_free (model);
}

PterisModelPool *
pteris_model_pool_new (const PterisPoolOptions *options)
{
  PterisModelPool *self = g_new0 (PterisModelPool, 1);

  self->options = *options;
  self->options.model.trust = g_strdup (options->model.trust);
  self->options.engine.program = g_strdup (options->engine.program);
  self->devices = g_array_new (FALSE, FALSE, sizeof (int));
  if (options->n_devices > 0)
    g_array_append_vals (self->devices, options->devices, options->n_devices);
  else
    g_array_append_val (self->devices, options->model.device);
  self->options.devices = NULL;
  self->models = g_ptr_array_new_with_free_func (model_free);
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
  g_ptr_array_set_size (self->models, 0);
  self->n_waiting = 0;
}

void
pteris_model_pool_free (PterisModelPool *self)
{
  if (self == NULL)
    return;
  pteris_model_pool_end (self);
  g_ptr_array_unref (self->slots);
  g_ptr_array_unref (self->models);
  g_array_unref (self->devices);
  g_object_unref (self->cancellable);
  g_free ((char *) self->options.model.trust);
  g_free ((char *) self->options.engine.program);
  g_free (self);
}

static PterisPooled *
find_model (PterisModelPool *self, const char *path)
{
  for (guint i = 0; i < self->models->len; i++)
    if (strcmp (((PterisPooled *) self->models->pdata[i])->path, path) == 0)
      return self->models->pdata[i];
  return NULL;
}

static PterisPooled *
add_model (PterisModelPool *self, const PtModelInfo *info)
{
  PterisPooled *model = g_new0 (PterisPooled, 1);

  model->pool = self;
  model->name = g_strdup (info->name);
  model->path = g_strdup (info->path);
  model->task = g_strdup (info->task);
  model->bytes = info->bytes;
  model->turns = pteris_turns_new ();
  model->slots = g_ptr_array_new ();
  for (guint i = 0; i < self->devices->len; i++) {
    PterisSlot *slot = g_new0 (PterisSlot, 1);

    slot->model = model;
    slot->device = g_array_index (self->devices, int, i);
    g_ptr_array_add (model->slots, slot);
    g_ptr_array_add (self->slots, slot);
  }
  g_ptr_array_add (self->models, model);
  return model;
}

PterisPoolJob *
pteris_model_pool_submit (PterisModelPool *self, const PtModelInfo *info, const char *client,
                          const PtJob *job, PtEventFunc func, gpointer user_data,
                          GDestroyNotify destroy, GError **error)
{
  PterisPoolJob *task;
  PterisPooled *model;

  if (self->ended) {
    pteris_fault_set (error, 503, NULL, NULL, "The server is being turned off.");
    return NULL;
  }
  if (self->n_waiting >= self->options.most_waiting) {
    pteris_fault_set (error, 503, "overloaded", NULL, "%u requests wait already. Try again later.",
                      self->n_waiting);
    return NULL;
  }
  model = find_model (self, info->path);
  if (model == NULL)
    model = add_model (self, info);
  task = g_new0 (PterisPoolJob, 1);
  task->model = model;
  task->job = *job;
  if (self->devices->len > 1 && job->kind == PT_JOB_CHAT)
    task->conversation = pteris_marks_of_chat (&job->chat);
  task->client = g_strdup (client);
  task->func = func;
  task->user_data = user_data;
  task->destroy = destroy;
  task->queued = g_get_monotonic_time ();
  self->n_waiting++;
  pteris_turns_push (model->turns, client, task);
  work_later (self);
  return task;
}

void
pteris_model_pool_cancel (PterisModelPool *self, PterisPoolJob *task)
{
  if (task->slot != NULL) {
    pt_engine_cancel (task->slot->engine, task->number);
  } else if (pteris_turns_remove (task->model->turns, task)) {
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
    *running += ((PterisSlot *) self->slots->pdata[i])->running != NULL;
}

/* FALSE: it is not loaded. */
static gboolean
describe (const PterisPooled *model, gint64 now, PterisPoolModel *about)
{
  gboolean loaded = FALSE;
  gint64 idle = G_MAXINT64;

  *about = (PterisPoolModel){
    .name = model->name,
    .n_jobs = pteris_turns_count (model->turns),
    .context_size = model->context_size,
  };
  for (guint i = 0; i < model->slots->len; i++) {
    const PterisSlot *slot = model->slots->pdata[i];

    if (slot->state == SLOT_UNLOADED)
      continue;
    loaded = TRUE;
    about->ready |= slot->state == SLOT_READY;
    about->n_jobs += slot->running != NULL;
    idle = MIN (idle, slot->running != NULL ? 0 : now - slot->used);
  }
  about->idle_seconds = idle / G_USEC_PER_SEC;
  return loaded;
}

GArray *
pteris_model_pool_list (PterisModelPool *self)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (PterisPoolModel));
  gint64 now = g_get_monotonic_time ();

  for (guint i = 0; i < self->models->len; i++) {
    PterisPoolModel about;

    if (describe (self->models->pdata[i], now, &about))
      g_array_append_val (list, about);
  }
  return list;
}

/* FALSE: it is busy, or loaded nowhere. */
static gboolean
unload_model (PterisPooled *model)
{
  guint n_ready = 0;

  for (guint i = 0; i < model->slots->len; i++) {
    const PterisSlot *slot = model->slots->pdata[i];

    if (slot->state == SLOT_READY && slot->running == NULL)
      n_ready++;
    else if (slot->state != SLOT_UNLOADED)
      return FALSE;
  }
  if (n_ready == 0 || pteris_turns_count (model->turns) > 0)
    return FALSE;
  for (guint i = 0; i < model->slots->len; i++)
    unload (model->slots->pdata[i]);
  return TRUE;
}

gboolean
pteris_model_pool_unload (PterisModelPool *self, const char *name)
{
  for (guint i = 0; i < self->models->len; i++) {
    PterisPooled *model = self->models->pdata[i];

    if (strcmp (model->name, name) == 0 && unload_model (model))
      return TRUE;
  }
  return FALSE;
}
