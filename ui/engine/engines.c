/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/engines.h"

#include "ui/settings.h"

struct _PterisEngines {
  GObject parent_instance;

  PterisEngineClient *clients[PTERIS_N_ENGINES];
  gint64 ready[PTERIS_N_ENGINES]; /* when its model was loaded; 0: it is not */
  guint64 used[PTERIS_N_ENGINES]; /* number of its latest change of jobs */
  guint64 n_uses;
  PtMemory memory;
  gint64 measured; /* when @memory was set */
  gboolean trying;
};

G_DEFINE_FINAL_TYPE (PterisEngines, pteris_engines, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- memory ---- */

static PtNeeds
needs_of (PterisModel *model)
{
  const PtModelDetails *details = pteris_model_get_details (model);

  return details != NULL ? details->needs
                         : pt_needs_of_files (pteris_model_get_info (model)->bytes);
}

/* Whether @model fits into memory beside all of @others (PterisEngineClient), which have models. */
static gboolean
fits_beside (PterisEngines *self, PterisModel *model, const GPtrArray *others)
{
  PtNeeds needs = needs_of (model);
  PtLoadedNeeds loaded[PTERIS_N_ENGINES];
  guint n = 0;

  switch ((PterisSideBySide) pteris_settings_get_enum (PTERIS_SETTING_SIDE_BY_SIDE)) {
  case PTERIS_SIDE_BY_SIDE_ALWAYS: return TRUE;
  case PTERIS_SIDE_BY_SIDE_NEVER: return FALSE;
  default: break;
  }
  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    gboolean stays = g_ptr_array_find ((GPtrArray *) others, self->clients[i], NULL);
    gboolean taken = self->ready[i] != 0 && self->ready[i] <= self->measured;

    if (!stays && !taken)
      continue;
    loaded[n].needs = needs_of (pteris_engine_client_get_model (self->clients[i]));
    loaded[n].taken = taken;
    loaded[n++].leaves = !stays;
  }
  return pt_fits_beside (&needs, loaded, n, &self->memory);
}

/* ---- admission ---- */

/* A model that waits for memory itself takes none. */
static gboolean
takes_memory (PterisEngineClient *client)
{
  PterisModelState state = pteris_engine_client_get_state (client);
  PtJobKind kind;

  return !pteris_engine_client_is_waiting (client) &&
         (state == PTERIS_MODEL_READY || state == PTERIS_MODEL_LOADING ||
          pteris_engine_client_get_jobs (client, &kind) > 0);
}

static guint
index_of (PterisEngines *self, PterisEngineClient *client)
{
  guint i = 0;

  while (i < PTERIS_N_ENGINES && self->clients[i] != client)
    i++;
  return i;
}

/* The one of @clients that has no job, for the longest time; NULL: all have. */
static PterisEngineClient *
find_idle (PterisEngines *self, const GPtrArray *clients)
{
  PterisEngineClient *found = NULL;

  for (guint i = 0; i < clients->len; i++) {
    PterisEngineClient *client = clients->pdata[i];
    PtJobKind kind;

    if (pteris_engine_client_get_jobs (client, &kind) == 0 &&
        (found == NULL || self->used[index_of (self, client)] < self->used[index_of (self, found)]))
      found = client;
  }
  return found;
}

/* Whether the others leave enough memory for @model. If not, the idle one that was not used for the
 * longest time is unloaded; the end of that job asks again. */
static gboolean
admit (PterisEngineClient *client, PterisModel *model, gpointer user_data)
{
  PterisEngines *self = user_data;
  g_autoptr (GPtrArray) others = g_ptr_array_new ();
  gboolean known = TRUE;
  PterisEngineClient *idle;

  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    PterisEngineClient *other = self->clients[i];

    if (other == NULL || other == client || !takes_memory (other))
      continue;
    known &= pteris_engine_client_get_model (other) != NULL;
    g_ptr_array_add (others, other);
  }
  if (others->len == 0 || (known && fits_beside (self, model, others)))
    return TRUE;
  idle = find_idle (self, others);
  if (idle != NULL)
    pteris_engine_client_unload (idle);
  return FALSE;
}

/* With PTERIS_SIDE_BY_SIDE_NEVER one loaded model stays: one that has a job, or the one that was
 * used last. The other idle ones are unloaded. */
static void
keep_one (PterisEngines *self)
{
  g_autoptr (GPtrArray) loaded = g_ptr_array_new ();
  PterisEngineClient *idle;

  if (pteris_settings_get_enum (PTERIS_SETTING_SIDE_BY_SIDE) != PTERIS_SIDE_BY_SIDE_NEVER)
    return;
  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    if (self->ready[i] != 0)
      g_ptr_array_add (loaded, self->clients[i]);
  while (loaded->len > 1 && (idle = find_idle (self, loaded)) != NULL) {
    g_ptr_array_remove (loaded, idle);
    pteris_engine_client_unload (idle);
  }
}

/* Asks again for the clients that wait, after anything has changed. */
static void
retry (PterisEngines *self)
{
  if (self->trying)
    return;
  self->trying = TRUE;
  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    if (self->clients[i] != NULL)
      pteris_engine_client_retry (self->clients[i]);
  keep_one (self);
  self->trying = FALSE;
}

static void
on_jobs (PterisEngines *self, PterisEngineClient *client)
{
  self->used[index_of (self, client)] = ++self->n_uses;
  retry (self);
}

static void
on_side_by_side_changed (gpointer self)
{
  retry (self);
}

static void
on_changed (PterisEngines *self)
{
  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    gboolean ready = self->clients[i] != NULL &&
                     pteris_engine_client_get_state (self->clients[i]) == PTERIS_MODEL_READY;

    if (!ready)
      self->ready[i] = 0;
    else if (self->ready[i] == 0)
      self->ready[i] = g_get_monotonic_time ();
  }
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- clients ---- */

PterisEngineClient *
pteris_engines_get (PterisEngines *self, PterisEngineRole role)
{
  return self->clients[role];
}

PterisEngineClient *
pteris_engines_get_for (PterisEngines *self, PterisModel *model)
{
  PterisTask task = model != NULL ? pteris_model_get_task (model) : PTERIS_TASK_CHAT;

  return self->clients[task == PTERIS_TASK_TRANSCRIBE ? PTERIS_ENGINE_SPEECH
                       : task == PTERIS_TASK_LOOK     ? PTERIS_ENGINE_PICTURES
                                                      : PTERIS_ENGINE_CHAT];
}

void
pteris_engines_set_memory (PterisEngines *self, const PtMemory *memory)
{
  self->memory = *memory;
  self->measured = g_get_monotonic_time ();
}

guint
pteris_engines_count_jobs (PterisEngines *self)
{
  guint n = 0;
  PtJobKind kind;

  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    n += pteris_engine_client_get_jobs (self->clients[i], &kind);
  return n;
}

static void
pteris_engines_dispose (GObject *object)
{
  PterisEngines *self = PTERIS_ENGINES (object);

  /* Ends the engine threads, whoever else holds the clients. */
  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    if (self->clients[i] != NULL) {
      g_signal_handlers_disconnect_by_data (self->clients[i], self);
      g_object_run_dispose (G_OBJECT (self->clients[i]));
      g_clear_object (&self->clients[i]);
    }
  G_OBJECT_CLASS (pteris_engines_parent_class)->dispose (object);
}

static void
pteris_engines_class_init (PterisEnginesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_engines_dispose;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_ENGINES, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_engines_init (PterisEngines *self)
{
  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    PterisEngineClient *client = pteris_engine_client_new (i == PTERIS_ENGINE_SPEECH, admit, self);

    self->clients[i] = client;
    g_signal_connect_object (client, "jobs", G_CALLBACK (on_jobs), self, G_CONNECT_SWAPPED);
    g_signal_connect_object (client, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  }
  pteris_settings_watch (PTERIS_SETTING_SIDE_BY_SIDE, on_side_by_side_changed, self);
}

PterisEngines *
pteris_engines_new (void)
{
  return g_object_new (PTERIS_TYPE_ENGINES, NULL);
}
