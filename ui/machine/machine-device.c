/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/machine-device.h"

#include "ui/i18n.h"

struct _PterisDevice {
  GObject parent_instance;

  gboolean gpu;
  char *name;
  char *uuid; /* or NULL: not told */
  char *capability;
  guint cores;
  guint index;
  gboolean lost, needs_reset, divided;
  guint64 throttle; /* PtThrottle */
  PterisDeviceFacts facts;
  PterisSeries series[PTERIS_N_QUANTITIES];
};

G_DEFINE_FINAL_TYPE (PterisDevice, pteris_device, G_TYPE_OBJECT)

/* ---- readings ---- */

/* Known texts are kept: a lost GPU reports none. */
static void
take_text (char **text, const char *value)
{
  if (value == NULL)
    return;
  g_free (*text);
  *text = g_strdup (value);
}

static double
known (guint valid, guint bit, double value)
{
  return (valid & bit) != 0 ? value : PTERIS_UNKNOWN;
}

void
pteris_device_take_gpu (PterisDevice *self, const PtGpuStats *gpu, gint64 time)
{
  const guint valid = gpu->valid;

  self->gpu = TRUE;
  self->index = gpu->index;
  take_text (&self->name, gpu->name);
  take_text (&self->uuid, gpu->uuid);
  take_text (&self->capability, gpu->compute_capability);
  self->lost = gpu->lost;
  self->needs_reset = gpu->needs_reset;
  self->divided = gpu->mig;
  self->throttle = gpu->throttle;
  self->facts = (PterisDeviceFacts){
    .memory_total = known (valid, PT_GPU_MEMORY_TOTAL, (double) gpu->memory_total),
    .power_limit = known (valid, PT_GPU_POWER_LIMIT, gpu->power_limit),
    .core_clock = known (valid, PT_GPU_SM_CLOCK, gpu->sm_clock),
    .memory_clock = known (valid, PT_GPU_MEMORY_CLOCK, gpu->memory_clock),
    .fan = known (valid, PT_GPU_FAN, gpu->fan),
    .pcie_generation = known (valid, PT_GPU_PCIE_GENERATION, gpu->pcie_generation),
    .pcie_most_generation = known (valid, PT_GPU_PCIE_MOST_GENERATION, gpu->pcie_most_generation),
    .pcie_width = known (valid, PT_GPU_PCIE_WIDTH, gpu->pcie_width),
    .pcie_most_width = known (valid, PT_GPU_PCIE_MOST_WIDTH, gpu->pcie_most_width),
    .to_gpu = known (valid, PT_GPU_PCIE_TO_GPU, (double) gpu->pcie_to_gpu),
    .to_host = known (valid, PT_GPU_PCIE_TO_HOST, (double) gpu->pcie_to_host),
  };
  pteris_series_add (&self->series[PTERIS_QUANTITY_LOAD], time,
                     known (valid, PT_GPU_UTILIZATION, gpu->utilization));
  pteris_series_add (&self->series[PTERIS_QUANTITY_MEMORY], time,
                     known (valid, PT_GPU_MEMORY_USED, (double) gpu->memory_used));
  pteris_series_add (&self->series[PTERIS_QUANTITY_OWN_MEMORY], time,
                     known (valid, PT_GPU_PROCESS_MEMORY, (double) gpu->process_memory));
  pteris_series_add (&self->series[PTERIS_QUANTITY_POWER], time,
                     known (valid, PT_GPU_POWER, gpu->power));
  pteris_series_add (&self->series[PTERIS_QUANTITY_TEMPERATURE], time,
                     known (valid, PT_GPU_TEMPERATURE, gpu->temperature));
}

void
pteris_device_take_machine (PterisDevice *self, const PtMachineStats *stats, gint64 time)
{
  const guint valid = stats->valid;
  double total = known (valid, PT_MACHINE_MEMORY, (double) stats->memory_total);

  take_text (&self->name, stats->cpu_name);
  take_text (&self->capability, stats->cpu_level);
  self->cores = stats->cpu_cores;
  self->facts.memory_total = total;
  pteris_series_add (&self->series[PTERIS_QUANTITY_LOAD], time,
                     known (valid, PT_MACHINE_CPU_LOAD, stats->cpu_percent));
  pteris_series_add (&self->series[PTERIS_QUANTITY_OWN_LOAD], time,
                     known (valid, PT_MACHINE_CPU_LOAD, stats->cpu_process_percent));
  pteris_series_add (&self->series[PTERIS_QUANTITY_MEMORY], time,
                     total - (double) stats->memory_available);
  pteris_series_add (&self->series[PTERIS_QUANTITY_OWN_MEMORY], time,
                     known (valid, PT_MACHINE_PROCESS_MEMORY, (double) stats->resident_bytes));
}

gboolean
pteris_device_is (PterisDevice *self, const PtGpuStats *gpu)
{
  if (gpu->uuid != NULL && self->uuid != NULL)
    return g_str_equal (gpu->uuid, self->uuid);
  return self->index == gpu->index;
}

/* ---- what is known ---- */

gboolean
pteris_device_is_gpu (PterisDevice *self)
{
  return self->gpu;
}

gboolean
pteris_device_is_lost (PterisDevice *self)
{
  return self->lost;
}

const char *
pteris_device_get_name (PterisDevice *self)
{
  if (self->name != NULL)
    return self->name;
  return self->gpu ? _ ("NVIDIA GPU") : _ ("CPU");
}

const char *
pteris_device_get_capability (PterisDevice *self)
{
  return self->capability;
}

guint
pteris_device_get_cores (PterisDevice *self)
{
  return self->cores;
}

const PterisSeries *
pteris_device_get_series (PterisDevice *self, PterisQuantity quantity)
{
  return &self->series[quantity];
}

const PterisDeviceFacts *
pteris_device_get_facts (PterisDevice *self)
{
  return &self->facts;
}

/* ---- in words ---- */

static const struct {
  PtThrottle bit;
  const char *sentence;
} REASONS[] = {
  { PT_THROTTLE_IDLE, N_ ("The clocks are low because the GPU is idle.") },
  { PT_THROTTLE_APPLICATION_CLOCKS, N_ ("The clocks are limited by a setting.") },
  { PT_THROTTLE_POWER_CAP, N_ ("Slowed down: the power limit is reached.") },
  { PT_THROTTLE_HARDWARE, N_ ("Slowed down by the hardware because of power or temperature.") },
  { PT_THROTTLE_SYNC_BOOST, N_ ("The clocks follow those of another GPU.") },
  { PT_THROTTLE_THERMAL, N_ ("Slowed down: the GPU is too hot.") },
  { PT_THROTTLE_HARDWARE_THERMAL, N_ ("Slowed down by the hardware: the GPU is much too hot.") },
  { PT_THROTTLE_POWER_BRAKE, N_ ("Slowed down by the power supply.") },
  { PT_THROTTLE_DISPLAY_CLOCKS, N_ ("The clocks are limited by the displays.") },
};

static void
add_sentence (GString *text, const char *sentence)
{
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append (text, sentence);
}

char *
pteris_device_describe_state (PterisDevice *self, gboolean *serious)
{
  GString *text = g_string_new (NULL);

  *serious = self->lost || self->needs_reset;
  if (self->lost)
    add_sentence (text, _ ("This GPU no longer responds. Restart the computer; if it happens "
                           "again, check its power supply and slot."));
  else if (self->needs_reset)
    add_sentence (text, _ ("This GPU needs a reset. Restart the computer."));
  if (self->divided)
    add_sentence (
        text, _ ("This GPU is divided into instances (MIG); the figures are for the whole GPU."));
  for (guint i = 0; i < G_N_ELEMENTS (REASONS); i++)
    if ((self->throttle & REASONS[i].bit) != 0)
      add_sentence (text, _ (REASONS[i].sentence));
  return g_string_free (text, FALSE);
}

/* ---- life ---- */

static void
pteris_device_finalize (GObject *object)
{
  PterisDevice *self = PTERIS_DEVICE (object);

  g_free (self->name);
  g_free (self->uuid);
  g_free (self->capability);
  G_OBJECT_CLASS (pteris_device_parent_class)->finalize (object);
}

static void
pteris_device_class_init (PterisDeviceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_device_finalize;
}

static void
pteris_device_init (PterisDevice *self)
{
  self->facts = (PterisDeviceFacts){
    PTERIS_UNKNOWN, PTERIS_UNKNOWN, PTERIS_UNKNOWN, PTERIS_UNKNOWN, PTERIS_UNKNOWN, PTERIS_UNKNOWN,
    PTERIS_UNKNOWN, PTERIS_UNKNOWN, PTERIS_UNKNOWN, PTERIS_UNKNOWN, PTERIS_UNKNOWN,
  };
}

PterisDevice *
pteris_device_new (void)
{
  return g_object_new (PTERIS_TYPE_DEVICE, NULL);
}
