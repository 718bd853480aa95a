/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-sound.h"

#include <gst/gst.h>

/* ---- what is plugged in ---- */

typedef struct {
  char *id, *name;
  gboolean is_sink, is_monitor, is_default;
  FakeSoundFault fault;
  gint64 n_bytes; /* of 16-bit samples at @rate; under the lock */
  int rate;
} Plugged;

static GMutex lock;
static GPtrArray *plugged; /* Plugged; they are never freed: elements refer to them */

static Plugged *
find (const char *id)
{
  for (guint i = 0; i < plugged->len; i++)
    if (g_str_equal (((Plugged *) plugged->pdata[i])->id, id))
      return plugged->pdata[i];
  return NULL;
}

/* Not a new reference; it is never freed. */
static Plugged *
add (const char *id, const char *name, gboolean is_sink, gboolean is_monitor, gboolean is_default,
     FakeSoundFault fault)
{
  Plugged *device = g_new0 (Plugged, 1);

  device->id = g_strdup (id);
  device->name = g_strdup (name);
  device->is_sink = is_sink;
  device->is_monitor = is_monitor;
  device->is_default = is_default;
  device->fault = fault;
  device->rate = 48000;
  g_mutex_lock (&lock);
  g_ptr_array_add (plugged, device);
  g_mutex_unlock (&lock);
  return device;
}

/* ---- a device of GStreamer ---- */

typedef struct {
  GstDevice parent;
  Plugged *plugged;
} FakeDevice;
typedef GstDeviceClass FakeDeviceClass;

static GType fake_device_get_type (void);
G_DEFINE_TYPE (FakeDevice, fake_device, GST_TYPE_DEVICE)

/* What the elements of PulseAudio and PipeWire post. */
static void
post_fault (GstElement *element, FakeSoundFault fault, gboolean is_sink)
{
  GQuark domain = GST_RESOURCE_ERROR;
  GstStructure *details = gst_structure_new_empty ("details");
  int code = is_sink ? GST_RESOURCE_ERROR_WRITE : GST_RESOURCE_ERROR_READ;

  if (fault == FAKE_SOUND_DENIED)
    code = GST_RESOURCE_ERROR_NOT_AUTHORIZED;
  else if (fault == FAKE_SOUND_BUSY)
    code = GST_RESOURCE_ERROR_BUSY;
  else if (fault == FAKE_SOUND_REFUSES_FORMAT) {
    domain = GST_STREAM_ERROR;
    code = GST_STREAM_ERROR_FAILED;
    gst_structure_set (details, "flow-return", G_TYPE_INT, GST_FLOW_NOT_NEGOTIATED, NULL);
  }
  gst_element_message_full_with_details (element, GST_MESSAGE_ERROR, domain, code,
                                         g_strdup ("raw words of an element"), NULL, "fake", "fake",
                                         1, details);
}

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Plugged *device = user_data;
  GstElement *element = gst_pad_get_parent_element (pad);
  gboolean fails;

  g_mutex_lock (&lock);
  fails = device->fault >= FAKE_SOUND_REFUSES_FORMAT ||
          (device->fault == FAKE_SOUND_LOST && device->n_bytes > device->rate);
  if (!fails)
    device->n_bytes += (gint64) gst_buffer_get_size (gst_pad_probe_info_get_buffer (info));
  g_mutex_unlock (&lock);
  if (fails)
    post_fault (element, device->fault, device->is_sink);
  gst_object_unref (element);
  return fails ? GST_PAD_PROBE_REMOVE : GST_PAD_PROBE_OK;
}

/* ---- an element that says, as PulseAudio's does, which device it uses ---- */

typedef struct {
  GstBin parent;
  char *device;
} FakeElement;
typedef GstBinClass FakeElementClass;

static GType fake_element_get_type (void);
G_DEFINE_TYPE (FakeElement, fake_element, GST_TYPE_BIN)

static void
fake_element_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_mutex_lock (&lock);
  g_value_set_string (value, ((FakeElement *) object)->device);
  g_mutex_unlock (&lock);
}

static void
fake_element_finalize (GObject *object)
{
  g_free (((FakeElement *) object)->device);
  G_OBJECT_CLASS (fake_element_parent_class)->finalize (object);
}

static void
fake_element_class_init (FakeElementClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = fake_element_get_property;
  object_class->finalize = fake_element_finalize;
  g_object_class_install_property (object_class, 1,
                                   g_param_spec_string ("current-device", NULL, NULL, NULL,
                                                        G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void
fake_element_init (FakeElement *self)
{
}

static GWeakRef latest; /* the FakeElement that was made last */

/* @inner as such an element. */
static GstElement *
wrap (GstElement *inner, const char *device)
{
  FakeElement *self = g_object_new (fake_element_get_type (), NULL);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (inner, "src");

  self->device = g_strdup (device);
  gst_bin_add (GST_BIN (self), inner);
  gst_element_add_pad (GST_ELEMENT (self), gst_ghost_pad_new ("src", pad));
  g_weak_ref_set (&latest, self);
  return GST_ELEMENT (self);
}

void
fake_sound_move (const char *id)
{
  g_autoptr (GObject) element = g_weak_ref_get (&latest);

  g_mutex_lock (&lock);
  g_free (((FakeElement *) element)->device);
  ((FakeElement *) element)->device = g_strdup (id);
  g_mutex_unlock (&lock);
  g_object_notify (element, "current-device");
}

/* The rate is fixed, so that seconds can be counted. */
#define CAPS "audio/x-raw,format=S16LE,channels=1,rate=%d"

static GstElement *
fake_device_create_element (GstDevice *device, const char *name)
{
  Plugged *self = ((FakeDevice *) device)->plugged;
  g_autofree char *source =
      g_strdup_printf ("audiotestsrc name=end is-live=true wave=%s ! capsfilter caps=\"" CAPS "\"",
                       self->fault == FAKE_SOUND_QUIET ? "silence" : "sine", self->rate);
  g_autofree char *sink =
      g_strdup_printf ("capsfilter caps=\"" CAPS "\" ! fakesink name=end sync=true", self->rate);
  GstElement *bin = gst_parse_bin_from_description (self->is_sink ? sink : source, TRUE, NULL);
  g_autoptr (GstElement) end = gst_bin_get_by_name (GST_BIN (bin), "end");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (end, self->is_sink ? "sink" : "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, self, NULL);
  return self->is_sink ? bin : wrap (bin, self->id);
}

static void
fake_device_class_init (FakeDeviceClass *klass)
{
  klass->create_element = fake_device_create_element;
}

static void
fake_device_init (FakeDevice *self)
{
}

static GstDevice *
make_device (Plugged *from)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("audio/x-raw");
  g_autoptr (GstStructure) properties =
      gst_structure_new ("fake-proplist", "node.name", G_TYPE_STRING, from->id, "is-default",
                         G_TYPE_BOOLEAN, from->is_default, "device.class", G_TYPE_STRING,
                         from->is_monitor ? "monitor" : "sound", NULL);
  FakeDevice *self = g_object_new (fake_device_get_type (), "display-name", from->name,
                                   "device-class", from->is_sink ? "Audio/Sink" : "Audio/Source",
                                   "caps", caps, "properties", properties, NULL);

  self->plugged = from;
  return GST_DEVICE (self);
}

/* ---- the provider ---- */

typedef GstDeviceProvider FakeProvider;
typedef GstDeviceProviderClass FakeProviderClass;

static GType fake_provider_get_type (void);
G_DEFINE_TYPE (FakeProvider, fake_provider, GST_TYPE_DEVICE_PROVIDER)

static GList *
fake_provider_probe (GstDeviceProvider *provider)
{
  GList *list = NULL;

  g_mutex_lock (&lock);
  for (guint i = 0; i < plugged->len; i++)
    list = g_list_append (list, make_device (plugged->pdata[i]));
  g_mutex_unlock (&lock);
  return list;
}

/* Held while devices are plugged in or unplugged, and those who watch are told. */
static GMutex watch_lock;
static FakeProvider *watched; /* NULL: nobody watches */

static gboolean
fake_provider_start (GstDeviceProvider *provider)
{
  GList *list;

  g_mutex_lock (&watch_lock);
  list = fake_provider_probe (provider);
  for (GList *l = list; l != NULL; l = l->next)
    gst_device_provider_device_add (provider, l->data);
  watched = provider;
  g_mutex_unlock (&watch_lock);
  g_list_free (list);
  return TRUE;
}

static void
fake_provider_stop (GstDeviceProvider *provider)
{
  g_mutex_lock (&watch_lock);
  watched = NULL;
  g_mutex_unlock (&watch_lock);
}

static void
fake_provider_class_init (FakeProviderClass *klass)
{
  klass->probe = fake_provider_probe;
  klass->start = fake_provider_start;
  klass->stop = fake_provider_stop;
  gst_device_provider_class_set_static_metadata (klass, "Fake", "Audio/Source/Sink", "Of a test",
                                                 "Pteris");
}

static void
fake_provider_init (FakeProvider *self)
{
}

void
fake_sound_begin (void)
{
  g_setenv ("GST_PLUGIN_FEATURE_RANK",
            "pulsedeviceprovider:NONE,pipewiredeviceprovider:NONE,alsadeviceprovider:NONE,"
            "jackdeviceprovider:NONE,openaldeviceprovider:NONE",
            TRUE);
  plugged = g_ptr_array_new ();
  gst_init (NULL, NULL);
  g_assert_true (gst_device_provider_register (NULL, "pterisfakeprovider", GST_RANK_PRIMARY,
                                               fake_provider_get_type ()));
}

static void
tell_of (Plugged *device)
{
  if (watched != NULL)
    gst_device_provider_device_add (watched, make_device (device));
}

/* Under watch_lock. */
static void
tell_all_gone (void)
{
  GList *gone = NULL;

  if (watched == NULL)
    return;
  GST_OBJECT_LOCK (watched);
  for (GList *l = watched->devices; l != NULL; l = l->next)
    gone = g_list_prepend (gone, gst_object_ref (l->data));
  GST_OBJECT_UNLOCK (watched);
  for (GList *l = gone; l != NULL; l = l->next)
    gst_device_provider_device_remove (watched, l->data);
  g_list_free_full (gone, gst_object_unref);
}

guint
fake_sound_n_watching (void)
{
  guint n;

  g_mutex_lock (&watch_lock);
  n = watched != NULL ? 1 : 0;
  g_mutex_unlock (&watch_lock);
  return n;
}

void
fake_sound_plug (PterisSoundKind kind, const char *id, const char *name, gboolean is_default,
                 FakeSoundFault fault)
{
  gboolean is_sink = kind == PTERIS_SOUND_OUTPUT;
  g_autofree char *loopback = fake_sound_loopback_id (id);
  g_autofree char *monitor = g_strdup_printf ("Monitor of %s", name);

  g_mutex_lock (&watch_lock);
  tell_of (add (id, name, is_sink, FALSE, is_default, fault));
  if (is_sink)
    tell_of (add (loopback, monitor, FALSE, TRUE, FALSE, fault));
  g_mutex_unlock (&watch_lock);
}

void
fake_sound_unplug_all (void)
{
  g_mutex_lock (&watch_lock);
  g_mutex_lock (&lock);
  g_ptr_array_set_size (plugged, 0);
  g_mutex_unlock (&lock);
  tell_all_gone ();
  g_mutex_unlock (&watch_lock);
}

char *
fake_sound_loopback_id (const char *id)
{
  return g_strconcat (id, ".monitor", NULL);
}

double
fake_sound_seconds (const char *id)
{
  double seconds = 0;
  const Plugged *device;

  g_mutex_lock (&lock);
  device = find (id);
  if (device != NULL)
    seconds = (double) device->n_bytes / 2 / device->rate;
  g_mutex_unlock (&lock);
  return seconds;
}

guint
fake_sound_n_open (void)
{
  return 0;
}
