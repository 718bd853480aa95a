/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/sound.h"

#include "ui/i18n.h"

/* ---- a device ---- */

PterisSoundDevice *
pteris_sound_device_new (PterisSoundKind kind, const char *id, const char *name,
                         gboolean is_default, gpointer handle)
{
  PterisSoundDevice *self = g_atomic_rc_box_new0 (PterisSoundDevice);

  self->kind = kind;
  self->id = g_strdup (id);
  self->name = g_strdup (name);
  self->is_default = is_default;
  self->handle = handle != NULL ? g_object_ref (handle) : NULL;
  return self;
}

PterisSoundDevice *
pteris_sound_device_ref (PterisSoundDevice *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
device_clear (gpointer data)
{
  PterisSoundDevice *self = data;

  g_free (self->id);
  g_free (self->name);
  g_free (self->instead_of);
  g_clear_object (&self->handle);
}

void
pteris_sound_device_unref (PterisSoundDevice *self)
{
  g_atomic_rc_box_release_full (self, device_clear);
}

/* ---- finding one ---- */

static PterisSoundDevice *
find_by_id (GPtrArray *devices, const char *id)
{
  for (guint i = 0; i < devices->len; i++) {
    PterisSoundDevice *device = devices->pdata[i];

    if (g_strcmp0 (device->id, id) == 0)
      return pteris_sound_device_ref (device);
  }
  return NULL;
}

/* The output whose sound is recorded by default; NULL with @error when there is none. */
static PterisSoundDevice *
find_loopback (GPtrArray *devices, GError **error)
{
  for (guint i = 0; i < devices->len; i++) {
    PterisSoundDevice *device = devices->pdata[i];

    if (device->is_default)
      return pteris_sound_device_ref (device);
  }
  if (devices->len > 0)
    return pteris_sound_device_ref (devices->pdata[0]);
#ifdef G_OS_WIN32
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                       _ ("no loudspeaker or headphones are connected. Connect some, or turn on "
                          "an output in Windows’ sound settings, then try again."));
#else
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                       _ ("no output is connected whose sound can be recorded. That needs "
                          "PulseAudio, or PipeWire with the package pipewire-pulse."));
#endif
  return NULL;
}

PterisSoundDevice *
pteris_sound_find (const PterisSoundDevice *wanted, GError **error)
{
  g_autoptr (GPtrArray) devices = NULL;
  PterisSoundDevice *found = NULL;

  if (!pteris_sound_prepare (error))
    return NULL;
  /* The system finds its default microphone and output by itself. */
  if (wanted->id == NULL && wanted->kind != PTERIS_SOUND_COMPUTER)
    return pteris_sound_device_new (wanted->kind, NULL, NULL, TRUE, NULL);
  devices = pteris_sound_list (wanted->kind, error);
  if (devices == NULL)
    return NULL;
  if (wanted->id != NULL)
    found = find_by_id (devices, wanted->id);
  if (found != NULL)
    return found;
  found = wanted->kind == PTERIS_SOUND_COMPUTER
              ? find_loopback (devices, error)
              : pteris_sound_device_new (wanted->kind, NULL, NULL, TRUE, NULL);
  /* Nobody else has a reference to a device of this list. */
  if (found != NULL && wanted->id != NULL)
    found->instead_of = g_strdup (wanted->name != NULL ? wanted->name : wanted->id);
  return found;
}

static void
find_in_thread (GTask *task, gpointer source, gpointer wanted, GCancellable *cancellable)
{
  GError *error = NULL;
  PterisSoundDevice *device = pteris_sound_find (wanted, &error);

  if (device != NULL)
    g_task_return_pointer (task, device, (GDestroyNotify) pteris_sound_device_unref);
  else
    g_task_return_error (task, error);
}

void
pteris_sound_find_async (gpointer source, PterisSoundDevice *wanted, GCancellable *cancellable,
                         GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (source, cancellable, callback, NULL);

  g_task_set_source_tag (task, pteris_sound_find_async);
  g_task_set_task_data (task, pteris_sound_device_ref (wanted),
                        (GDestroyNotify) pteris_sound_device_unref);
  g_task_run_in_thread (task, find_in_thread);
}

PterisSoundDevice *
pteris_sound_find_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
