/* SPDX-License-Identifier: BSD-3-Clause */

/* Where models are loaded, and which place takes a job. */

#include "server/model-pool-private.h"

guint
pteris_slot_count_waiting (const PterisSlot *slot)
{
  return pteris_turns_count (slot->model->turns);
}

gboolean
pteris_slot_takes_memory (const PterisSlot *slot)
{
  return slot->state >= SLOT_LOADING;
}

gboolean
pteris_slot_is_elsewhere (const PterisSlot *slot, PterisSlotState least)
{
  for (guint i = 0; i < slot->model->slots->len; i++) {
    const PterisSlot *other = slot->model->slots->pdata[i];

    if (other != slot && other->state >= least)
      return TRUE;
  }
  return FALSE;
}

/* ---- memory ---- */

static guint
count_models (const GPtrArray *slots, const PterisPooled *except)
{
  g_autoptr (GHashTable) found = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < slots->len; i++) {
    const PterisSlot *slot = slots->pdata[i];

    if (slot->model != except && pteris_slot_takes_memory (slot))
      g_hash_table_add (found, slot->model);
  }
  return g_hash_table_size (found);
}

/* What @other takes of the memory that @slot wants: GPU memory of the same GPU, and no weights
 * that are mapped already. */
static PtLoadedNeeds
needs_beside (const PterisSlot *other, const PterisSlot *slot)
{
  PtLoadedNeeds loaded = { other->model->needs, other->state == SLOT_READY, FALSE };

  if (other->device != slot->device)
    loaded.needs.gpu = 0;
  if (other->model == slot->model)
    loaded.needs.weights = 0;
  return loaded;
}

gboolean
pteris_slot_fits (const PterisSlot *slot, const PtMemory *memory, guint *n_others)
{
  const PterisModelPool *pool = slot->model->pool;
  PtNeeds needs = slot->model->needs;
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (PtLoadedNeeds));

  for (guint i = 0; i < pool->slots->len; i++) {
    const PterisSlot *other = pool->slots->pdata[i];

    if (other != slot && pteris_slot_takes_memory (other)) {
      const PtLoadedNeeds loaded = needs_beside (other, slot);

      g_array_append_val (others, loaded);
    }
  }
  *n_others = others->len;
  /* Nothing is known of GPUs: whether it fits, loading shows. */
  if (memory->gpu_total == 0)
    needs.gpu = 0;
  return count_models (pool->slots, slot->model) < pool->options.most_models &&
         pt_fits_beside (&needs, (const PtLoadedNeeds *) others->data, others->len, memory);
}

static gboolean
is_busy (const PterisSlot *slot)
{
  return slot->running != NULL || slot->state == SLOT_LOADING ||
         pteris_slot_count_waiting (slot) > 0;
}

static gboolean
is_better_victim (const PterisSlot *slot, const PterisSlot *other, int device)
{
  if (slot->yields != other->yields)
    return slot->yields;
  if (is_busy (slot) != is_busy (other))
    return !is_busy (slot);
  if ((slot->device == device) != (other->device == device))
    return slot->device == device;
  return slot->used < other->used;
}

PterisSlot *
pteris_slot_find_victim (PterisModelPool *self, int device)
{
  PterisSlot *found = NULL;

  for (guint i = 0; i < self->slots->len; i++) {
    PterisSlot *slot = self->slots->pdata[i];

    if (pteris_slot_takes_memory (slot) &&
        (found == NULL || is_better_victim (slot, found, device)))
      found = slot;
  }
  return found;
}

/* ---- places ---- */

static guint
count_on_device (const PterisModelPool *self, int device)
{
  guint n = 0;

  for (guint i = 0; i < self->slots->len; i++) {
    const PterisSlot *slot = self->slots->pdata[i];

    n += slot->device == device && slot->state != SLOT_UNLOADED;
  }
  return n;
}

const PterisSlot *
pteris_slot_find_place (const PterisPooled *model, gint64 now)
{
  const PterisSlot *found = NULL;
  guint least = G_MAXUINT;
  /* A model without a GPU has one place. */
  guint n_slots = model->known && model->needs.gpu == 0 ? 1 : model->slots->len;

  for (guint i = 0; i < n_slots; i++) {
    const PterisSlot *slot = model->slots->pdata[i];
    guint n = count_on_device (model->pool, slot->device);

    if (slot->state == SLOT_UNLOADED && slot->engine == NULL && slot->retry <= now && n < least) {
      found = slot;
      least = n;
    }
  }
  return found;
}

/* Whether @slot takes the next job without delay, or will soon. */
static gboolean
is_coming (const PterisSlot *slot)
{
  return slot->state == SLOT_READY ? slot->running == NULL && !slot->yields
                                   : slot->state != SLOT_UNLOADED;
}

gboolean
pteris_slot_is_wanted (const PterisSlot *slot)
{
  const PterisPooled *model = slot->model;
  guint n_coming = 0, n_places = 0;
  const PterisSlot *place;

  for (guint i = 0; i < model->slots->len; i++) {
    n_places += ((PterisSlot *) model->slots->pdata[i])->state != SLOT_UNLOADED;
    n_coming += is_coming (model->slots->pdata[i]);
  }
  place = pteris_slot_find_place (model, g_get_monotonic_time ());
  /* Where nothing else is left, a place that failed is tried again. */
  if (place == NULL && n_places == 0)
    place = pteris_slot_find_place (model, G_MAXINT64);
  if (place != slot || n_places == 0)
    return place == slot;
  return model->known && model->needs.gpu > 0 && pteris_slot_count_waiting (slot) > n_coming;
}

/* The place that knows the conversation of @task; NULL: none. */
static const PterisSlot *
find_known (const PterisPoolJob *task)
{
  for (guint i = 0; i < task->model->slots->len; i++) {
    const PterisSlot *slot = task->model->slots->pdata[i];

    if (slot->state == SLOT_READY && pteris_marks_know (&slot->marks, task->conversation))
      return slot;
  }
  return NULL;
}

/* Not what another place knows better. */
static gboolean
is_for (gconstpointer item, gconstpointer slot)
{
  const PterisSlot *known = find_known (item);

  return known == NULL || known == slot;
}

/* Also what a place knows that is at work, so that no GPU is idle. */
static gboolean
is_free_for (gconstpointer item, gconstpointer slot)
{
  const PterisSlot *known = find_known (item);

  return known == NULL || known == slot || known->running != NULL || known->yields;
}

PterisPoolJob *
pteris_slot_take_job (PterisSlot *slot)
{
  PterisTurns *turns = slot->model->turns;
  PterisPoolJob *task = pteris_turns_pop (turns, is_for, slot);

  return task != NULL ? task : pteris_turns_pop (turns, is_free_for, slot);
}
