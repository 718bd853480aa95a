/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/device.h"

#include "ui/i18n.h"

struct _PterisDevice {
  GObject parent_instance;

  gboolean gpu;
  char *name;
  char *uuid; /* or NULL: not told */
  char *capability;
  guint cores;
  json_int_t index;
  gboolean lost, needs_reset, divided;
  GPtrArray *throttle; /* reasons, as the engine names them */
  PterisDeviceFacts facts;
  PterisSeries series[PTERIS_N_QUANTITIES];
};

G_DEFINE_FINAL_TYPE (PterisDevice, pteris_device, G_TYPE_OBJECT)

/* ---- reading JSON ---- */

static double
get_number (json_t *object, const char *key)
{
  json_t *value = json_object_get (object, key);

  return json_is_number (value) ? json_number_value (value) : PTERIS_UNKNOWN;
}

/* What was told once stays: a lost GPU tells nothing. */
static void
take_text (char **text, json_t *object, const char *key)
{
  const char *value = json_string_value (json_object_get (object, key));

  if (value == NULL)
    return;
  g_free (*text);
  *text = g_strdup (value);
}

static void
take_throttle (PterisDevice *self, json_t *reasons)
{
  json_t *reason;
  gsize i;

  g_ptr_array_set_size (self->throttle, 0);
  json_array_foreach (reasons, i, reason)
    if (json_is_string (reason))
      g_ptr_array_add (self->throttle, g_strdup (json_string_value (reason)));
}

void
pteris_device_take_gpu (PterisDevice *self, json_t *object, gint64 time)
{
  self->gpu = TRUE;
  self->index = json_integer_value (json_object_get (object, "index"));
  take_text (&self->name, object, "name");
  take_text (&self->uuid, object, "uuid");
  take_text (&self->capability, object, "compute_capability");
  self->lost = json_is_true (json_object_get (object, "lost"));
  self->needs_reset = json_is_true (json_object_get (object, "needs_reset"));
  self->divided = json_is_true (json_object_get (object, "mig"));
  take_throttle (self, json_object_get (object, "throttle"));
  self->facts = (PterisDeviceFacts){
    .memory_total = get_number (object, "memory_total_bytes"),
    .power_limit = get_number (object, "power_limit_watts"),
    .core_clock = get_number (object, "sm_clock_mhz"),
    .memory_clock = get_number (object, "memory_clock_mhz"),
    .fan = get_number (object, "fan_percent"),
    .pcie_generation = get_number (object, "pcie_generation"),
    .pcie_most_generation = get_number (object, "pcie_most_generation"),
    .pcie_width = get_number (object, "pcie_width"),
    .pcie_most_width = get_number (object, "pcie_most_width"),
    .to_gpu = get_number (object, "pcie_to_gpu_bytes_per_s"),
    .to_host = get_number (object, "pcie_to_host_bytes_per_s"),
  };
  pteris_series_add (&self->series[PTERIS_QUANTITY_LOAD], time,
                     get_number (object, "utilization_percent"));
  pteris_series_add (&self->series[PTERIS_QUANTITY_MEMORY], time,
                     get_number (object, "memory_used_bytes"));
  pteris_series_add (&self->series[PTERIS_QUANTITY_OWN_MEMORY], time,
                     get_number (object, "process_memory_bytes"));
  pteris_series_add (&self->series[PTERIS_QUANTITY_POWER], time,
                     get_number (object, "power_watts"));
  pteris_series_add (&self->series[PTERIS_QUANTITY_TEMPERATURE], time,
                     get_number (object, "temperature_celsius"));
}

void
pteris_device_take_machine (PterisDevice *self, json_t *root, gint64 time)
{
  json_t *cpu = json_object_get (root, "cpu");
  json_t *memory = json_object_get (root, "memory");
  double total = get_number (memory, "total_bytes");
  double cores = get_number (cpu, "cores");

  take_text (&self->name, cpu, "name");
  take_text (&self->capability, cpu, "level");
  self->cores = cores >= 1 && cores <= G_MAXUINT16 ? (guint) cores : 0;
  self->facts.memory_total = total;
  pteris_series_add (&self->series[PTERIS_QUANTITY_LOAD], time,
                     get_number (cpu, "machine_percent"));
  pteris_series_add (&self->series[PTERIS_QUANTITY_OWN_LOAD], time,
                     get_number (cpu, "process_percent"));
  pteris_series_add (&self->series[PTERIS_QUANTITY_MEMORY], time,
                     total - get_number (memory, "available_bytes"));
  pteris_series_add (&self->series[PTERIS_QUANTITY_OWN_MEMORY], time,
                     get_number (json_object_get (root, "process"), "resident_bytes"));
}

gboolean
pteris_device_is (PterisDevice *self, json_t *object)
{
  const char *uuid = json_string_value (json_object_get (object, "uuid"));

  if (uuid != NULL && self->uuid != NULL)
    return g_str_equal (uuid, self->uuid);
  return self->index == json_integer_value (json_object_get (object, "index"));
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
  const char *name; /* the engine's */
  const char *sentence;
} REASONS[] = {
  { "idle", N_ ("The clocks are low because the GPU is idle.") },
  { "application clocks", N_ ("The clocks are limited by a setting.") },
  { "power limit", N_ ("Slowed down: the power limit is reached.") },
  { "hardware", N_ ("Slowed down by the hardware because of power or temperature.") },
  { "sync boost", N_ ("The clocks follow those of another GPU.") },
  { "temperature", N_ ("Slowed down: the GPU is too hot.") },
  { "temperature (hardware)", N_ ("Slowed down by the hardware: the GPU is much too hot.") },
  { "power brake", N_ ("Slowed down by the power supply.") },
  { "display clocks", N_ ("The clocks are limited by the displays.") },
};

static void
add_sentence (GString *text, const char *sentence)
{
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append (text, sentence);
}

static void
add_reason (GString *text, const char *name)
{
  g_autofree char *unknown = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (REASONS); i++)
    if (g_str_equal (REASONS[i].name, name)) {
      add_sentence (text, _ (REASONS[i].sentence));
      return;
    }
  /* Translators: a reason that only the driver knows, in English. */
  unknown = g_strdup_printf (_ ("Slowed down: %s."), name);
  add_sentence (text, unknown);
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
  for (guint i = 0; i < self->throttle->len; i++)
    add_reason (text, self->throttle->pdata[i]);
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
  g_ptr_array_unref (self->throttle);
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
  self->throttle = g_ptr_array_new_with_free_func (g_free);
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
