/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/machine.h"

#include <pteris/stats.h>

static const guint INTERVALS[PTERIS_N_PACES] = { 1, 4 };

struct _PterisMachine {
  GObject parent_instance;

  PterisDevice *processor;
  GListStore *gpus;
  char *reason;
  char *driver;
  double free_memory;
  PtMemory memory;
  gint64 time;

  guint watchers[PTERIS_N_PACES];
  guint interval; /* of the timer, seconds */
  guint timer;
  gboolean asking;
};

G_DEFINE_FINAL_TYPE (PterisMachine, pteris_machine, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- a reading ---- */

static void
set_text (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
}

static PterisDevice *
find_gpu (PterisMachine *self, const PtGpuStats *stats)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->gpus));

  for (guint i = 0; i < n; i++) {
    PterisDevice *gpu = g_list_model_get_item (G_LIST_MODEL (self->gpus), i);

    if (pteris_device_is (gpu, stats))
      return gpu;
    g_object_unref (gpu);
  }
  return NULL;
}

static void
add_gpus (PterisMachine *self, GPtrArray *found, const PtGpuStats *gpus, guint n, gint64 time)
{
  for (guint i = 0; i < n; i++) {
    PterisDevice *gpu = find_gpu (self, &gpus[i]);

    if (gpu == NULL || g_ptr_array_find (found, gpu, NULL)) {
      g_clear_object (&gpu);
      gpu = pteris_device_new ();
    }
    pteris_device_take_gpu (gpu, &gpus[i], time);
    g_ptr_array_add (found, gpu);
  }
}

/* After a new search the driver may list other GPUs, or in another order. */
static void
take_gpus (PterisMachine *self, const PtMachineStats *stats, gint64 time)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_object_unref);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->gpus));
  gboolean same;

  add_gpus (self, found, stats->gpus, stats->n_gpus, time);
  add_gpus (self, found, stats->vulkan_gpus, stats->n_vulkan_gpus, time);
  same = found->len == n;
  for (guint k = 0; k < n && same; k++) {
    g_autoptr (PterisDevice) gpu = g_list_model_get_item (G_LIST_MODEL (self->gpus), k);

    same = gpu == found->pdata[k];
  }
  if (!same)
    g_list_store_splice (self->gpus, 0, n, found->pdata, found->len);
}

void
pteris_machine_take (PterisMachine *self, const PtMachineStats *stats, gint64 time)
{
  self->time = time;
  self->memory = pt_memory_of (stats);
  self->free_memory =
      (stats->valid & PT_MACHINE_MEMORY) != 0 ? (double) stats->memory_available : PTERIS_UNKNOWN;
  pteris_device_take_machine (self->processor, stats, time);
  set_text (&self->reason, stats->gpu_reason);
  set_text (&self->driver, stats->gpu_driver);
  take_gpus (self, stats, time);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- asking ---- */

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  g_task_return_pointer (task, pt_stats_read (), (GDestroyNotify) pt_machine_stats_free);
  /* For the next reading: a driver may need seconds to answer. */
  pt_stats_find_vulkan_gpus ();
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisMachine *self = PTERIS_MACHINE (source);
  g_autoptr (PtMachineStats) stats = g_task_propagate_pointer (G_TASK (result), NULL);

  self->asking = FALSE;
  if (stats != NULL)
    pteris_machine_take (self, stats, g_get_monotonic_time ());
}

static gboolean
ask (gpointer user_data)
{
  PterisMachine *self = PTERIS_MACHINE (user_data);
  g_autoptr (GTask) task = NULL;

  if (self->asking)
    return G_SOURCE_CONTINUE;
  self->asking = TRUE;
  task = g_task_new (self, NULL, on_read, NULL);
  g_task_set_source_tag (task, ask);
  g_task_run_in_thread (task, read_in_thread);
  return G_SOURCE_CONTINUE;
}

/* Timers of whole seconds are grouped with others, which saves wake-ups. */
static void
update_timer (PterisMachine *self)
{
  guint interval = 0;

  for (guint i = PTERIS_N_PACES; i-- > 0;)
    if (self->watchers[i] > 0)
      interval = INTERVALS[i];
  if (interval == self->interval)
    return;
  g_clear_handle_id (&self->timer, g_source_remove);
  self->interval = interval;
  if (interval == 0)
    return;
  if (g_get_monotonic_time () - self->time > interval * G_TIME_SPAN_SECOND / 2)
    ask (self);
  self->timer = g_timeout_add_seconds (interval, ask, self);
}

void
pteris_machine_watch (PterisMachine *self, PterisPace pace)
{
  self->watchers[pace]++;
  update_timer (self);
}

void
pteris_machine_unwatch (PterisMachine *self, PterisPace pace)
{
  g_return_if_fail (self->watchers[pace] > 0);

  self->watchers[pace]--;
  update_timer (self);
}

gboolean
pteris_machine_is_polling (PterisMachine *self)
{
  return self->timer != 0;
}

/* ---- what is known ---- */

gint64
pteris_machine_get_time (PterisMachine *self)
{
  return self->time;
}

PterisDevice *
pteris_machine_get_processor (PterisMachine *self)
{
  return self->processor;
}

GListModel *
pteris_machine_get_gpus (PterisMachine *self)
{
  return G_LIST_MODEL (self->gpus);
}

const char *
pteris_machine_get_gpu_reason (PterisMachine *self)
{
  return self->reason;
}

const char *
pteris_machine_get_driver (PterisMachine *self)
{
  return self->driver;
}

double
pteris_machine_get_free_memory (PterisMachine *self)
{
  return self->free_memory;
}

const PtMemory *
pteris_machine_get_memory (PterisMachine *self)
{
  return &self->memory;
}

/* ---- life ---- */

static void
pteris_machine_dispose (GObject *object)
{
  PterisMachine *self = PTERIS_MACHINE (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  G_OBJECT_CLASS (pteris_machine_parent_class)->dispose (object);
}

static void
pteris_machine_finalize (GObject *object)
{
  PterisMachine *self = PTERIS_MACHINE (object);

  g_object_unref (self->processor);
  g_object_unref (self->gpus);
  g_free (self->reason);
  g_free (self->driver);
  G_OBJECT_CLASS (pteris_machine_parent_class)->finalize (object);
}

static void
pteris_machine_class_init (PterisMachineClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = pteris_machine_dispose;
  object_class->finalize = pteris_machine_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_MACHINE, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_machine_init (PterisMachine *self)
{
  self->processor = pteris_device_new ();
  self->gpus = g_list_store_new (PTERIS_TYPE_DEVICE);
  self->free_memory = PTERIS_UNKNOWN;
}

PterisMachine *
pteris_machine_new (void)
{
  return g_object_new (PTERIS_TYPE_MACHINE, NULL);
}
