/* SPDX-License-Identifier: BSD-3-Clause */

/* The devices that GStreamer's device monitor finds: those of PulseAudio, PipeWire or ALSA. */

#include <string.h>

#include <gst/gst.h>

#include "ui/sound/sound-watch.h"

#define CLASS_SOURCE "Audio/Source"
#define CLASS_SINK "Audio/Sink"

static gboolean
is_sink (GstDevice *device)
{
  return gst_device_has_classes (device, CLASS_SINK);
}

/* A source that gives what a sink plays. */
static gboolean
is_monitor (GstDevice *device)
{
  g_autoptr (GstStructure) properties = gst_device_get_properties (device);

  return properties != NULL &&
         g_strcmp0 (gst_structure_get_string (properties, "device.class"), "monitor") == 0;
}

static gboolean
is_default (GstDevice *device)
{
  g_autoptr (GstStructure) properties = gst_device_get_properties (device);
  gboolean answer = FALSE;

  return properties != NULL && gst_structure_get_boolean (properties, "is-default", &answer) &&
         answer;
}

/* What the sound service calls it, the same after a restart. Free with g_free(). */
static char *
id_of (GstDevice *device)
{
  g_autoptr (GstStructure) properties = NULL;
  const char *name;
  char *id = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (device), "internal-name") != NULL)
    g_object_get (device, "internal-name", &id, NULL);
  if (id != NULL)
    return id;
  properties = gst_device_get_properties (device);
  name = properties != NULL ? gst_structure_get_string (properties, "node.name") : NULL;
  return name != NULL ? g_strdup (name) : gst_device_get_display_name (device);
}

static gboolean
is_of_kind (GstDevice *device, PterisSoundKind kind)
{
  switch (kind) {
  case PTERIS_SOUND_MICROPHONE: return !is_sink (device) && !is_monitor (device);
  case PTERIS_SOUND_COMPUTER: return !is_sink (device) && is_monitor (device);
  case PTERIS_SOUND_OUTPUT: break;
  }
  return is_sink (device);
}

/* PulseAudio, and PipeWire for it, name the monitor of a sink so. */
static gboolean
is_monitor_of (const char *source, const char *sink)
{
  g_autofree char *monitor = g_strconcat (sink, ".monitor", NULL);

  return strcmp (source, monitor) == 0;
}

/* ALSA's devices are those that the sound service already shows under better names. */
static gboolean
is_alsa (GstDevice *device)
{
  return strcmp (G_OBJECT_TYPE_NAME (device), "GstAlsaDevice") == 0;
}

static gboolean
has_service (GList *found)
{
  for (GList *l = found; l != NULL; l = l->next)
    if (!is_alsa (l->data))
      return TRUE;
  return FALSE;
}

/* The id of the sink that the system plays on; NULL: unknown. */
static char *
default_sink (GList *found)
{
  for (GList *l = found; l != NULL; l = l->next)
    if (is_sink (l->data) && is_default (l->data))
      return id_of (l->data);
  return NULL;
}

static gboolean
has_id (GPtrArray *devices, const char *id)
{
  for (guint i = 0; i < devices->len; i++)
    if (strcmp (((const PterisSoundDevice *) devices->pdata[i])->id, id) == 0)
      return TRUE;
  return FALSE;
}

/* What an output plays is called like the output. Free with g_free(). */
static char *
name_of (GstDevice *device, GList *found)
{
  g_autofree char *id = id_of (device);

  for (GList *l = found; l != NULL && is_monitor (device); l = l->next) {
    g_autofree char *sink = id_of (l->data);

    if (is_sink (l->data) && is_monitor_of (id, sink))
      return gst_device_get_display_name (l->data);
  }
  return gst_device_get_display_name (device);
}

static void
add_device (GPtrArray *devices, PterisSoundKind kind, GstDevice *device, GList *found,
            const char *sink)
{
  g_autofree char *name = name_of (device, found);
  g_autofree char *id = id_of (device);
  gboolean chosen = kind == PTERIS_SOUND_COMPUTER ? sink != NULL && is_monitor_of (id, sink)
                                                  : is_default (device);

  if (!has_id (devices, id))
    g_ptr_array_add (devices, pteris_sound_device_new (kind, id, name, chosen, device));
}

/* ---- the monitor ---- */

/* There is one: a second one would take the messages of the first (GStreamer 1.22). */
static GMutex monitor_lock;
static GstDeviceMonitor *monitor; /* NULL: not needed yet */
static guint n_monitoring;        /* who has started it and has not stopped it */

static GMutex watches_lock;
static GPtrArray *watches; /* PterisSoundWatch; NULL: none yet */

/* In a thread of GStreamer or of the sound service. */
static GstBusSyncReply
on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  GstMessageType type = GST_MESSAGE_TYPE (message);
  gboolean matters = type == GST_MESSAGE_DEVICE_ADDED || type == GST_MESSAGE_DEVICE_REMOVED ||
                     type == GST_MESSAGE_DEVICE_CHANGED;

  g_mutex_lock (&watches_lock);
  for (guint i = 0; matters && watches != NULL && i < watches->len; i++)
    pteris_sound_watch_note (watches->pdata[i]);
  g_mutex_unlock (&watches_lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
make_monitor (void)
{
  g_autoptr (GstBus) bus = NULL;

  monitor = gst_device_monitor_new ();
  gst_device_monitor_add_filter (monitor, CLASS_SOURCE, NULL);
  gst_device_monitor_add_filter (monitor, CLASS_SINK, NULL);
  bus = gst_device_monitor_get_bus (monitor);
  gst_bus_set_sync_handler (bus, on_message, NULL, NULL);
}

/* Under the lock. FALSE: there is nothing to monitor. */
static gboolean
start_monitor (void)
{
  if (monitor == NULL)
    make_monitor ();
  if (n_monitoring == 0 && !gst_device_monitor_start (monitor))
    return FALSE;
  n_monitoring++;
  return TRUE;
}

/* Under the lock. */
static void
stop_monitor (void)
{
  n_monitoring--;
  if (n_monitoring == 0)
    gst_device_monitor_stop (monitor);
}

/* Free with g_list_free_full() and gst_object_unref(). */
static GList *
find_devices (PterisSoundKind kind)
{
  GList *found = NULL;

  g_mutex_lock (&monitor_lock);
  if (start_monitor ()) {
    /* PipeWire's plug-in lists no monitors, and hides PulseAudio's, which does. */
    gst_device_monitor_set_show_all_devices (monitor, kind == PTERIS_SOUND_COMPUTER);
    found = gst_device_monitor_get_devices (monitor);
    stop_monitor ();
  }
  g_mutex_unlock (&monitor_lock);
  return found;
}

GPtrArray *
pteris_sound_list (PterisSoundKind kind, GError **error)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func ((GDestroyNotify) pteris_sound_device_unref);
  GList *found = find_devices (kind);
  g_autofree char *sink = default_sink (found);

  for (GList *l = found; l != NULL; l = l->next)
    if (is_of_kind (l->data, kind) && !(is_alsa (l->data) && has_service (found)))
      add_device (devices, kind, l->data, found, sink);
  g_list_free_full (found, gst_object_unref);
  return devices;
}

/* ---- watching ---- */

static void
add_watch (PterisSoundWatch *watch)
{
  g_mutex_lock (&watches_lock);
  if (watches == NULL)
    watches = g_ptr_array_new ();
  g_ptr_array_add (watches, watch);
  g_mutex_unlock (&watches_lock);
}

static void
remove_watch (PterisSoundWatch *watch)
{
  g_mutex_lock (&watches_lock);
  g_ptr_array_remove (watches, watch);
  g_mutex_unlock (&watches_lock);
}

void
pteris_sound_watch_run (PterisSoundWatch *watch)
{
  gboolean started;

  if (!pteris_sound_prepare (NULL))
    return;
  add_watch (watch);
  g_mutex_lock (&monitor_lock);
  started = start_monitor ();
  g_mutex_unlock (&monitor_lock);
  if (started) {
    /* What came before it began. */
    pteris_sound_watch_note (watch);
    pteris_sound_watch_wait (watch);
    g_mutex_lock (&monitor_lock);
    stop_monitor ();
    g_mutex_unlock (&monitor_lock);
  }
  remove_watch (watch);
}
