/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/sound-devices.h"

#include "ui/i18n.h"

struct _PterisSoundDevices {
  GObject parent_instance;

  PterisSoundUse use;
  GPtrArray *choices;              /* PterisSoundDevice */
  const PterisSoundDevice *absent; /* the chosen one is not connected; NULL: it is, or is default */
  GCancellable *listing;           /* of the latest refresh; NULL: none is under way */
  PterisSoundWatch *watch;         /* NULL: not watching */
};

G_DEFINE_FINAL_TYPE (PterisSoundDevices, pteris_sound_devices, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- the choices ---- */

static gboolean
is_same (const PterisSoundDevice *a, const PterisSoundDevice *b)
{
  return a->kind == b->kind && g_strcmp0 (a->id, b->id) == 0;
}

static void
add_default (GPtrArray *choices, PterisSoundKind kind)
{
  g_ptr_array_add (choices, pteris_sound_device_new (kind, NULL, NULL, TRUE, NULL));
}

/* Adds the default device of @kind, and those of @kind in @found; NULL: not known. */
static void
add_kind (PterisSoundDevices *self, PterisSoundKind kind, GPtrArray *found)
{
  add_default (self->choices, kind);
  for (guint i = 0; found != NULL && i < found->len; i++) {
    PterisSoundDevice *device = found->pdata[i];

    if (device->kind == kind)
      g_ptr_array_add (self->choices, pteris_sound_device_ref (device));
  }
}

static gboolean
has (PterisSoundDevices *self, const PterisSoundDevice *device)
{
  for (guint i = 0; i < self->choices->len; i++)
    if (is_same (self->choices->pdata[i], device))
      return TRUE;
  return FALSE;
}

static void
set_found (PterisSoundDevices *self, GPtrArray *found)
{
  g_autoptr (PterisSoundDevice) chosen = pteris_sound_choice_get (self->use);

  g_ptr_array_set_size (self->choices, 0);
  self->absent = NULL;
  if (self->use == PTERIS_SOUND_RECORDS) {
    add_kind (self, PTERIS_SOUND_MICROPHONE, found);
    add_kind (self, PTERIS_SOUND_COMPUTER, found);
  } else
    add_kind (self, PTERIS_SOUND_OUTPUT, found);
  if (has (self, chosen))
    return;
  if (found != NULL)
    self->absent = chosen;
  g_ptr_array_add (self->choices, g_steal_pointer (&chosen));
}

/* ---- asking the system ---- */

static void
add_listed (GPtrArray *found, PterisSoundKind kind)
{
  g_autoptr (GPtrArray) listed = pteris_sound_list (kind, NULL);

  for (guint i = 0; listed != NULL && i < listed->len; i++)
    g_ptr_array_add (found, pteris_sound_device_ref (listed->pdata[i]));
}

/* Without sound there are no devices; recording and playing say why. */
static void
list_in_thread (GTask *task, gpointer source, gpointer use, GCancellable *cancellable)
{
  GPtrArray *found = g_ptr_array_new_with_free_func ((GDestroyNotify) pteris_sound_device_unref);

  if (pteris_sound_prepare (NULL)) {
    if (GPOINTER_TO_INT (use) == PTERIS_SOUND_RECORDS) {
      add_listed (found, PTERIS_SOUND_MICROPHONE);
      add_listed (found, PTERIS_SOUND_COMPUTER);
    } else
      add_listed (found, PTERIS_SOUND_OUTPUT);
  }
  g_task_return_pointer (task, found, (GDestroyNotify) g_ptr_array_unref);
}

static void
on_listed (GObject *object, GAsyncResult *result, gpointer user_data)
{
  PterisSoundDevices *self = PTERIS_SOUND_DEVICES (object);
  g_autoptr (GPtrArray) found = g_task_propagate_pointer (G_TASK (result), NULL);

  /* Another refresh has begun since. */
  if (found == NULL || g_task_get_cancellable (G_TASK (result)) != self->listing)
    return;
  g_clear_object (&self->listing);
  set_found (self, found);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

void
pteris_sound_devices_refresh (PterisSoundDevices *self)
{
  g_autoptr (GTask) task = NULL;

  g_clear_object (&self->listing);
  self->listing = g_cancellable_new ();
  task = g_task_new (self, self->listing, on_listed, NULL);
  g_task_set_source_tag (task, pteris_sound_devices_refresh);
  g_task_set_task_data (task, GINT_TO_POINTER (self->use), NULL);
  g_task_run_in_thread (task, list_in_thread);
}

void
pteris_sound_devices_watch (PterisSoundDevices *self)
{
  if (self->watch == NULL)
    self->watch =
        pteris_sound_watch_new ((PterisSoundChanged *) pteris_sound_devices_refresh, self);
}

void
pteris_sound_devices_unwatch (PterisSoundDevices *self)
{
  g_clear_pointer (&self->watch, pteris_sound_watch_free);
}

/* ---- what there is ---- */

guint
pteris_sound_devices_count (PterisSoundDevices *self)
{
  return self->choices->len;
}

PterisSoundDevice *
pteris_sound_devices_nth (PterisSoundDevices *self, guint i)
{
  return self->choices->pdata[i];
}

/* Free with g_free(). */
static char *
name_of (const PterisSoundDevice *device)
{
  const char *name = device->name != NULL ? device->name : device->id;

  switch (device->kind) {
  case PTERIS_SOUND_MICROPHONE: return g_strdup (name != NULL ? name : _ ("Default Microphone"));
  case PTERIS_SOUND_COMPUTER:
    /* Translators: %s is the name of loudspeakers or headphones. */
    return name != NULL ? g_strdup_printf (_ ("What “%s” Plays"), name)
                        : g_strdup (_ ("What the Computer Plays"));
  case PTERIS_SOUND_OUTPUT: break;
  }
  return g_strdup (name != NULL ? name : _ ("Default Output"));
}

char *
pteris_sound_devices_label (PterisSoundDevices *self, guint i)
{
  const PterisSoundDevice *device = self->choices->pdata[i];
  g_autofree char *name = name_of (device);

  if (device != self->absent)
    return g_steal_pointer (&name);
  /* Translators: %s is the name of a microphone, loudspeakers or headphones. */
  return g_strdup_printf (_ ("%s (not connected)"), name);
}

guint
pteris_sound_devices_find_chosen (PterisSoundDevices *self)
{
  g_autoptr (PterisSoundDevice) chosen = pteris_sound_choice_get (self->use);

  for (guint i = 0; i < self->choices->len; i++)
    if (is_same (self->choices->pdata[i], chosen))
      return i;
  return 0;
}

/* ---- the object ---- */

static void
pteris_sound_devices_finalize (GObject *object)
{
  PterisSoundDevices *self = PTERIS_SOUND_DEVICES (object);

  pteris_sound_devices_unwatch (self);
  g_clear_object (&self->listing);
  g_ptr_array_unref (self->choices);
  G_OBJECT_CLASS (pteris_sound_devices_parent_class)->finalize (object);
}

static void
pteris_sound_devices_class_init (PterisSoundDevicesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_sound_devices_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_sound_devices_init (PterisSoundDevices *self)
{
  self->choices = g_ptr_array_new_with_free_func ((GDestroyNotify) pteris_sound_device_unref);
}

PterisSoundDevices *
pteris_sound_devices_new (PterisSoundUse use)
{
  PterisSoundDevices *self = g_object_new (PTERIS_TYPE_SOUND_DEVICES, NULL);

  self->use = use;
  set_found (self, NULL);
  return self;
}
