/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/presets.h"

#include <math.h>

#include "ui/chat/chat-store.h"
#include "ui/i18n.h"
#include "ui/history/history-store.h"

/* Numbers that differ less are equal: they pass through texts and fields with two decimals. */
#define NEAR 0.005

/* Numbers as in PtSampling. Small models must end their answers with them (tests/answers): low
 * top-p, and a penalty for repetition. */
static const struct {
  const char *name;
  PtSampling sampling;
} FIXED[] = {
  { N_ ("Balanced"), PT_SAMPLING_INIT },
  { N_ ("Precise"), { 0.2, 20, 0.9, 0.1, 1.15, 256, 0, 0 } },
  { N_ ("Creative"), { 0.9, 40, 0.9, 0.1, 1.1, 256, 0, 0 } },
};

struct _PterisPresets {
  GObject parent_instance;

  GPtrArray *list; /* of PterisPreset */
};

G_DEFINE_FINAL_TYPE (PterisPresets, pteris_presets, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
preset_free (gpointer data)
{
  PterisPreset *preset = data;

  pteris_chat_settings_clear (&preset->settings);
  g_free (preset->name);
  g_free (preset);
}

static PterisPreset *
preset_new (gint64 id, const char *name, const PterisChatSettings *settings)
{
  PterisPreset *preset = g_new0 (PterisPreset, 1);

  preset->id = id;
  preset->name = g_strdup (name);
  pteris_chat_settings_assign (&preset->settings, settings);
  /* The first read message belongs to one conversation. */
  preset->settings.start = 0;
  return preset;
}

gboolean
pteris_presets_get_fixed (guint i, const char **name, PterisChatSettings *settings)
{
  if (i >= G_N_ELEMENTS (FIXED))
    return FALSE;
  *name = FIXED[i].name;
  *settings = (PterisChatSettings){ .sampling = FIXED[i].sampling };
  return TRUE;
}

static void
changed (PterisPresets *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

guint
pteris_presets_get_n (PterisPresets *self)
{
  return self->list->len;
}

const PterisPreset *
pteris_presets_get (PterisPresets *self, guint i)
{
  return self->list->pdata[i];
}

static gboolean
is_same_sampling (const PtSampling *a, const PtSampling *b)
{
  for (guint i = 0; i < PT_SAMPLING_N_FIELDS; i++)
    if (fabs (pt_sampling_get (a, i) - pt_sampling_get (b, i)) >= NEAR)
      return FALSE;
  return TRUE;
}

static gboolean
is_same_text (const char *a, const char *b)
{
  return g_str_equal (a != NULL ? a : "", b != NULL ? b : "");
}

static gboolean
is_same (const PterisPreset *preset, const PterisChatSettings *settings)
{
  const PterisChatSettings *own = &preset->settings;

  return is_same_sampling (&own->sampling, &settings->sampling) &&
         own->max_new_tokens == settings->max_new_tokens && own->seed == settings->seed &&
         own->thinking == settings->thinking && is_same_text (own->stop, settings->stop) &&
         (preset->id == 0 || is_same_text (own->system, settings->system));
}

int
pteris_presets_find (PterisPresets *self, const PterisChatSettings *settings)
{
  /* The user's own presets are compared first: they have more members. */
  for (guint i = self->list->len; i-- > 0;)
    if (is_same (self->list->pdata[i], settings))
      return (int) i;
  return -1;
}

void
pteris_presets_apply (PterisPresets *self, guint i, PterisChatSettings *settings)
{
  const PterisPreset *preset = self->list->pdata[i];
  g_autofree char *system = g_strdup (settings->system);
  gint64 start = settings->start;

  pteris_chat_settings_assign (settings, &preset->settings);
  settings->start = start;
  if (preset->id != 0)
    return;
  g_free (settings->system);
  settings->system = g_steal_pointer (&system);
}

static void
keep (const PterisPreset *preset)
{
  g_autofree char *settings = pteris_chat_settings_to_json (&preset->settings);

  pteris_store_write ("INSERT OR REPLACE INTO preset (id, name, settings) VALUES (?1, ?2, ?3)",
                      "iss", preset->id, preset->name, settings);
}

void
pteris_presets_add (PterisPresets *self, const char *name, const PterisChatSettings *settings)
{
  PterisPreset *preset = preset_new (pteris_store_new_id (), name, settings);

  g_ptr_array_add (self->list, preset);
  keep (preset);
  changed (self);
}

void
pteris_presets_rename (PterisPresets *self, guint i, const char *name)
{
  PterisPreset *preset = self->list->pdata[i];

  g_return_if_fail (preset->id != 0);
  g_free (preset->name);
  preset->name = g_strdup (name);
  keep (preset);
  changed (self);
}

void
pteris_presets_remove (PterisPresets *self, guint i)
{
  PterisPreset *preset = self->list->pdata[i];

  g_return_if_fail (preset->id != 0);
  pteris_store_write ("DELETE FROM preset WHERE id = ?1", "i", preset->id);
  g_ptr_array_remove_index (self->list, i);
  changed (self);
}

/* ---- reading ---- */

static void
take_row (const PterisRow *row, gpointer list)
{
  g_auto (PterisChatSettings) settings = pteris_chat_settings_from_json (pteris_row_text (row, 2));

  g_ptr_array_add (list, preset_new (pteris_row_int (row, 0), pteris_row_text (row, 1), &settings));
}

static void
read_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (preset_free);

  pteris_store_read (NULL, take_row, list, "SELECT id, name, settings FROM preset ORDER BY id", "");
  g_task_return_pointer (task, list, (GDestroyNotify) g_ptr_array_unref);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisPresets *self = PTERIS_PRESETS (source);
  g_autoptr (GPtrArray) list = g_task_propagate_pointer (G_TASK (result), NULL);

  if (list == NULL || list->len == 0)
    return;
  g_ptr_array_extend_and_steal (self->list, g_steal_pointer (&list));
  changed (self);
}

static void
pteris_presets_finalize (GObject *object)
{
  g_ptr_array_unref (PTERIS_PRESETS (object)->list);
  G_OBJECT_CLASS (pteris_presets_parent_class)->finalize (object);
}

static void
pteris_presets_class_init (PterisPresetsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_presets_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_PRESETS, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_presets_init (PterisPresets *self)
{
  PterisChatSettings settings;
  const char *name;

  self->list = g_ptr_array_new_with_free_func (preset_free);
  for (guint i = 0; pteris_presets_get_fixed (i, &name, &settings); i++)
    g_ptr_array_add (self->list, preset_new (0, _ (name), &settings));
}

PterisPresets *
pteris_presets_new (void)
{
  PterisPresets *self = g_object_new (PTERIS_TYPE_PRESETS, NULL);
  g_autoptr (GTask) task = g_task_new (self, NULL, on_read, NULL);

  g_task_set_source_tag (task, pteris_presets_new);
  g_task_run_in_thread (task, read_in_thread);
  return self;
}
