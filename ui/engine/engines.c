/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/engines.h"

#include "ui/settings.h"

/* Of a model whose details are not known yet, beside its files. */
#define WORKING_PART 4

struct _PterisEngines {
  GObject parent_instance;

  PterisEngineClient *clients[PTERIS_N_ENGINES];
  gint64 ready[PTERIS_N_ENGINES]; /* when its model was loaded; 0: it is not */
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
  guint64 bytes = pteris_model_get_info (model)->bytes;

  if (details != NULL)
    return details->needs;
  return (PtNeeds){ .weights = bytes, .working = bytes / WORKING_PART };
}

/* Adds the memory that the model of engine @i has taken, and will free, to @memory. */
static void
add_taken (PterisEngines *self, guint i, PtMemory *memory)
{
  PtNeeds needs;

  if (self->ready[i] == 0 || self->ready[i] > self->measured)
    return;
  needs = needs_of (pteris_engine_client_get_model (self->clients[i]));
  memory->ram_free = MIN (memory->ram_free + needs.working, memory->ram_total);
  memory->gpu_free = MIN (memory->gpu_free + needs.gpu, memory->gpu_total);
}

/* Whether @model of @client fits into memory beside that of @other. */
static gboolean
fits_beside (PterisEngines *self, PterisModel *model, PterisEngineClient *other)
{
  PtNeeds both = needs_of (model), needs = needs_of (pteris_engine_client_get_model (other));
  PtMemory memory = self->memory;
  gboolean gpu;
  PtFit fit;

  switch ((PterisSideBySide) pteris_settings_get_enum (PTERIS_SETTING_SIDE_BY_SIDE)) {
  case PTERIS_SIDE_BY_SIDE_ALWAYS: return TRUE;
  case PTERIS_SIDE_BY_SIDE_NEVER: return FALSE;
  default: break;
  }
  both.weights += needs.weights;
  both.working += needs.working;
  both.gpu += needs.gpu;
  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    add_taken (self, i, &memory);
  fit = pt_fit_judge (&both, &memory, &gpu);
  return fit == PT_FIT_WELL || fit == PT_FIT_UNKNOWN;
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

/* Whether @other leaves enough memory for @model. If it is idle, its model is unloaded; the end of
 * that job asks again. */
static gboolean
makes_room (PterisEngines *self, PterisEngineClient *other, PterisModel *model)
{
  PterisModel *loaded = pteris_engine_client_get_model (other);
  PtJobKind kind;

  if (!takes_memory (other) || (loaded != NULL && fits_beside (self, model, other)))
    return TRUE;
  if (pteris_engine_client_get_jobs (other, &kind) == 0)
    pteris_engine_client_unload (other);
  return FALSE;
}

static gboolean
admit (PterisEngineClient *client, PterisModel *model, gpointer user_data)
{
  PterisEngines *self = user_data;

  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    PterisEngineClient *other = self->clients[i];

    if (other != NULL && other != client && !makes_room (self, other, model))
      return FALSE;
  }
  return TRUE;
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
  self->trying = FALSE;
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
  gboolean speech = model != NULL && pteris_model_get_task (model) == PTERIS_TASK_TRANSCRIBE;

  return self->clients[speech ? PTERIS_ENGINE_SPEECH : PTERIS_ENGINE_CHAT];
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
    g_signal_connect_object (client, "jobs", G_CALLBACK (retry), self, G_CONNECT_SWAPPED);
    g_signal_connect_object (client, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  }
}

PterisEngines *
pteris_engines_new (void)
{
  return g_object_new (PTERIS_TYPE_ENGINES, NULL);
}
