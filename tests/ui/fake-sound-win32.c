/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-sound.h"

#include <math.h>
#include <string.h>

#include "ui/sound/sound-wasapi.h"

/* COM objects of sound devices. None is freed; streams that are open are counted. */

#define GET_SELF(type, member, object) \
  ((type *) (gpointer) ((char *) (object) -G_STRUCT_OFFSET (type, member)))
/* Seconds until FAKE_SOUND_LOST. */
#define LOST_AFTER 0.5

typedef struct {
  IMMDevice device;
  IPropertyStore properties;
  char *id, *name;
  EDataFlow flow;
  gboolean is_default;
  FakeSoundFault fault;
  double seconds; /* under the lock */
} FakeDevice;

typedef struct {
  IAudioClient client;
  IAudioCaptureClient capture;
  IAudioRenderClient render;
  IAudioClock clock;
  FakeDevice *device;
  gboolean is_loopback;
  UINT32 rate;
  UINT64 n_done; /* samples that were recorded, or given to be played */
  gint64 start_us;
  gint16 *samples; /* a buffer of a second */
  UINT32 n_lent;
} FakeClient;

typedef struct {
  IMMDeviceCollection collection;
  GPtrArray *devices;
} FakeCollection;

static GMutex lock;
static GPtrArray *plugged;

/* ---- what all objects have ---- */

static HRESULT WINAPI
query_nothing (IUnknown *object, REFIID id, void **result)
{
  *result = NULL;
  return E_NOINTERFACE;
}

static ULONG WINAPI
keep (IUnknown *object)
{
  return 1;
}

#define RELEASED_BY(type, function)                                               \
  .QueryInterface = (HRESULT (WINAPI *) (type *, REFIID, void **)) query_nothing, \
  .AddRef = (ULONG (WINAPI *) (type *)) keep, .Release = (ULONG (WINAPI *) (type *)) function
#define UNKNOWN(type) RELEASED_BY (type, keep)

/* ---- a stream ---- */

static gboolean
is_lost (FakeClient *self)
{
  gboolean unplugged;

  g_mutex_lock (&lock);
  unplugged = !g_ptr_array_find (plugged, self->device, NULL);
  g_mutex_unlock (&lock);
  return unplugged ||
         (self->device->fault == FAKE_SOUND_LOST && self->n_done > LOST_AFTER * self->rate);
}

static void
note_done (FakeClient *self, UINT32 n)
{
  self->n_done += n;
  g_mutex_lock (&lock);
  self->device->seconds += (double) n / self->rate;
  g_mutex_unlock (&lock);
}

/* Samples since the start, by the clock. */
static UINT64
elapsed (FakeClient *self)
{
  if (self->start_us == 0)
    return 0;
  return (UINT64) (g_get_monotonic_time () - self->start_us) * self->rate / G_USEC_PER_SEC;
}

static HRESULT WINAPI
client_initialize (IAudioClient *client, AUDCLNT_SHAREMODE mode, DWORD flags,
                   REFERENCE_TIME duration, REFERENCE_TIME period, const WAVEFORMATEX *format,
                   const GUID *session)
{
  FakeClient *self = GET_SELF (FakeClient, client, client);

  g_assert_cmpint (mode, ==, AUDCLNT_SHAREMODE_SHARED);
  g_assert_cmpint (period, ==, 0);
  g_assert_true (flags & AUDCLNT_STREAMFLAGS_EVENTCALLBACK);
  g_assert_true (flags & AUDCLNT_STREAMFLAGS_AUTOCONVERTPCM);
  g_assert_cmpuint (format->nChannels, ==, 1);
  g_assert_cmpuint (format->nAvgBytesPerSec, ==, format->nSamplesPerSec * 2);
  self->is_loopback = (flags & AUDCLNT_STREAMFLAGS_LOOPBACK) != 0;
  if (self->is_loopback && self->device->flow == eCapture)
    return AUDCLNT_E_WRONG_ENDPOINT_TYPE;
  if (self->device->fault == FAKE_SOUND_REFUSES_FORMAT)
    return AUDCLNT_E_UNSUPPORTED_FORMAT;
  if (self->device->fault == FAKE_SOUND_BUSY)
    return AUDCLNT_E_DEVICE_IN_USE;
  self->rate = format->nSamplesPerSec;
  self->samples = g_new0 (gint16, self->rate);
  return S_OK;
}

static HRESULT WINAPI
client_get_buffer_size (IAudioClient *client, UINT32 *n)
{
  *n = GET_SELF (FakeClient, client, client)->rate / 5;
  return S_OK;
}

static HRESULT WINAPI
client_get_padding (IAudioClient *client, UINT32 *n)
{
  FakeClient *self = GET_SELF (FakeClient, client, client);

  *n = (UINT32) (self->n_done - MIN (self->n_done, elapsed (self)));
  return is_lost (self) ? AUDCLNT_E_DEVICE_INVALIDATED : S_OK;
}

static HRESULT WINAPI
client_start (IAudioClient *client)
{
  GET_SELF (FakeClient, client, client)->start_us = g_get_monotonic_time ();
  return S_OK;
}

static HRESULT WINAPI
client_stop (IAudioClient *client)
{
  return S_OK;
}

static HRESULT WINAPI
client_set_event (IAudioClient *client, HANDLE event)
{
  g_assert_nonnull (event);
  return S_OK;
}

static HRESULT WINAPI
client_get_service (IAudioClient *client, REFIID id, void **result)
{
  FakeClient *self = GET_SELF (FakeClient, client, client);
  gboolean captures = self->device->flow == eCapture || self->is_loopback;

  if (IsEqualGUID (id, &IID_IAudioCaptureClient) && captures)
    *result = &self->capture;
  else if (IsEqualGUID (id, &IID_IAudioRenderClient) && !captures)
    *result = &self->render;
  else if (IsEqualGUID (id, &IID_IAudioClock))
    *result = &self->clock;
  else
    return E_NOINTERFACE;
  return S_OK;
}

static HRESULT WINAPI
capture_next (IAudioCaptureClient *capture, UINT32 *n)
{
  FakeClient *self = GET_SELF (FakeClient, capture, capture);

  *n = (UINT32) MIN (elapsed (self) - MIN (self->n_done, elapsed (self)), self->rate / 100);
  /* What plays nothing gives nothing to record. */
  if (self->is_loopback && self->device->fault == FAKE_SOUND_QUIET)
    *n = 0;
  return is_lost (self) ? AUDCLNT_E_DEVICE_INVALIDATED : S_OK;
}

static HRESULT WINAPI
capture_get (IAudioCaptureClient *capture, BYTE **bytes, UINT32 *n, DWORD *flags, UINT64 *position,
             UINT64 *counter)
{
  FakeClient *self = GET_SELF (FakeClient, capture, capture);
  HRESULT result = capture_next (capture, n);

  for (UINT32 i = 0; i < *n; i++)
    self->samples[i] = (gint16) (8000 * sin ((double) (self->n_done + i) * 0.1));
  self->n_lent = *n;
  *bytes = (BYTE *) self->samples;
  *flags = self->device->fault == FAKE_SOUND_QUIET ? AUDCLNT_BUFFERFLAGS_SILENT : 0;
  return result;
}

static HRESULT WINAPI
capture_release (IAudioCaptureClient *capture, UINT32 n)
{
  FakeClient *self = GET_SELF (FakeClient, capture, capture);

  g_assert_cmpuint (n, ==, self->n_lent);
  note_done (self, n);
  return S_OK;
}

static HRESULT WINAPI
render_get (IAudioRenderClient *render, UINT32 n, BYTE **bytes)
{
  FakeClient *self = GET_SELF (FakeClient, render, render);
  UINT32 queued;
  HRESULT result = client_get_padding (&self->client, &queued);

  g_assert_cmpuint (n, <=, self->rate / 5 - queued);
  self->n_lent = n;
  *bytes = (BYTE *) self->samples;
  return result;
}

static HRESULT WINAPI
render_release (IAudioRenderClient *render, UINT32 n, DWORD flags)
{
  FakeClient *self = GET_SELF (FakeClient, render, render);

  g_assert_cmpuint (n, <=, self->n_lent);
  note_done (self, n);
  return S_OK;
}

static HRESULT WINAPI
clock_frequency (IAudioClock *clock, UINT64 *frequency)
{
  *frequency = 1000000;
  return S_OK;
}

static HRESULT WINAPI
clock_position (IAudioClock *clock, UINT64 *position, UINT64 *counter)
{
  FakeClient *self = GET_SELF (FakeClient, clock, clock);

  *position = MIN (self->n_done, elapsed (self)) * 1000000 / self->rate;
  return S_OK;
}

static int n_open; /* streams that were not released; atomic */

static ULONG WINAPI
client_release (IAudioClient *client)
{
  g_atomic_int_add (&n_open, -1);
  return 0;
}

static IAudioClientVtbl client_table = {
  RELEASED_BY (IAudioClient, client_release),
  .Initialize = client_initialize,
  .GetBufferSize = client_get_buffer_size,
  .GetCurrentPadding = client_get_padding,
  .Start = client_start,
  .Stop = client_stop,
  .SetEventHandle = client_set_event,
  .GetService = client_get_service,
};
static IAudioCaptureClientVtbl capture_table = {
  UNKNOWN (IAudioCaptureClient),
  .GetBuffer = capture_get,
  .ReleaseBuffer = capture_release,
  .GetNextPacketSize = capture_next,
};
static IAudioRenderClientVtbl render_table = {
  UNKNOWN (IAudioRenderClient),
  .GetBuffer = render_get,
  .ReleaseBuffer = render_release,
};
static IAudioClockVtbl clock_table = {
  UNKNOWN (IAudioClock),
  .GetFrequency = clock_frequency,
  .GetPosition = clock_position,
};

/* ---- a device ---- */

static HRESULT WINAPI
device_activate (IMMDevice *device, REFIID id, DWORD context, PROPVARIANT *arguments, void **result)
{
  FakeDevice *self = GET_SELF (FakeDevice, device, device);
  FakeClient *client;

  *result = NULL;
  if (self->fault == FAKE_SOUND_DENIED)
    return E_ACCESSDENIED;
  g_assert_true (IsEqualGUID (id, &IID_IAudioClient));
  client = g_new0 (FakeClient, 1);
  client->client.lpVtbl = &client_table;
  client->capture.lpVtbl = &capture_table;
  client->render.lpVtbl = &render_table;
  client->clock.lpVtbl = &clock_table;
  client->device = self;
  g_atomic_int_inc (&n_open);
  *result = &client->client;
  return S_OK;
}

static wchar_t *
to_wide (const char *text)
{
  glong n;
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (text, -1, NULL, &n, NULL);
  gsize size = ((gsize) n + 1) * sizeof *wide;

  return memcpy (CoTaskMemAlloc (size), wide, size);
}

static HRESULT WINAPI
properties_get (IPropertyStore *properties, REFPROPERTYKEY key, PROPVARIANT *value)
{
  value->vt = VT_LPWSTR;
  value->pwszVal = to_wide (GET_SELF (FakeDevice, properties, properties)->name);
  return S_OK;
}

static IPropertyStoreVtbl properties_table = {
  UNKNOWN (IPropertyStore),
  .GetValue = properties_get,
};

static HRESULT WINAPI
device_open_properties (IMMDevice *device, DWORD access, IPropertyStore **properties)
{
  *properties = &GET_SELF (FakeDevice, device, device)->properties;
  return S_OK;
}

static HRESULT WINAPI
device_get_id (IMMDevice *device, wchar_t **id)
{
  *id = to_wide (GET_SELF (FakeDevice, device, device)->id);
  return S_OK;
}

static IMMDeviceVtbl device_table = {
  UNKNOWN (IMMDevice),
  .Activate = device_activate,
  .OpenPropertyStore = device_open_properties,
  .GetId = device_get_id,
};

/* ---- all devices ---- */

static HRESULT WINAPI
collection_count (IMMDeviceCollection *collection, UINT *n)
{
  *n = GET_SELF (FakeCollection, collection, collection)->devices->len;
  return S_OK;
}

static HRESULT WINAPI
collection_item (IMMDeviceCollection *collection, UINT i, IMMDevice **device)
{
  *device = &((FakeDevice *) GET_SELF (FakeCollection, collection, collection)->devices->pdata[i])
                 ->device;
  return S_OK;
}

static IMMDeviceCollectionVtbl collection_table = {
  UNKNOWN (IMMDeviceCollection),
  .GetCount = collection_count,
  .Item = collection_item,
};

static HRESULT WINAPI
enumerate (IMMDeviceEnumerator *enumerator, EDataFlow flow, DWORD states,
           IMMDeviceCollection **result)
{
  FakeCollection *collection = g_new0 (FakeCollection, 1);

  g_assert_cmpuint (states, ==, DEVICE_STATE_ACTIVE);
  collection->collection.lpVtbl = &collection_table;
  collection->devices = g_ptr_array_new ();
  g_mutex_lock (&lock);
  for (guint i = 0; i < plugged->len; i++)
    if (((FakeDevice *) plugged->pdata[i])->flow == flow)
      g_ptr_array_add (collection->devices, plugged->pdata[i]);
  g_mutex_unlock (&lock);
  *result = &collection->collection;
  return S_OK;
}

static FakeDevice *
find (const char *id)
{
  FakeDevice *found = NULL;

  g_mutex_lock (&lock);
  for (guint i = 0; i < plugged->len; i++)
    if (g_str_equal (((FakeDevice *) plugged->pdata[i])->id, id))
      found = plugged->pdata[i];
  g_mutex_unlock (&lock);
  return found;
}

static HRESULT WINAPI
get_default (IMMDeviceEnumerator *enumerator, EDataFlow flow, ERole role, IMMDevice **device)
{
  HRESULT result = HRESULT_FROM_WIN32 (ERROR_NOT_FOUND);

  g_mutex_lock (&lock);
  for (guint i = 0; i < plugged->len; i++) {
    FakeDevice *one = plugged->pdata[i];

    if (one->flow == flow && one->is_default) {
      *device = &one->device;
      result = S_OK;
    }
  }
  g_mutex_unlock (&lock);
  return result;
}

static HRESULT WINAPI
get_device (IMMDeviceEnumerator *enumerator, const wchar_t *wide, IMMDevice **device)
{
  g_autofree char *id = g_utf16_to_utf8 ((const gunichar2 *) wide, -1, NULL, NULL, NULL);
  FakeDevice *found = find (id);

  if (found == NULL)
    return HRESULT_FROM_WIN32 (ERROR_NOT_FOUND);
  *device = &found->device;
  return S_OK;
}

/* ---- those who are told ---- */

static GPtrArray *clients; /* IMMNotificationClient; under the lock */

static HRESULT WINAPI
add_client (IMMDeviceEnumerator *enumerator, IMMNotificationClient *client)
{
  IMMNotificationClient_AddRef (client);
  g_mutex_lock (&lock);
  g_ptr_array_add (clients, client);
  g_mutex_unlock (&lock);
  return S_OK;
}

static HRESULT WINAPI
remove_client (IMMDeviceEnumerator *enumerator, IMMNotificationClient *client)
{
  gboolean is_known;

  g_mutex_lock (&lock);
  is_known = g_ptr_array_remove (clients, client);
  g_mutex_unlock (&lock);
  if (!is_known)
    return HRESULT_FROM_WIN32 (ERROR_NOT_FOUND);
  IMMNotificationClient_Release (client);
  return S_OK;
}

/* As Windows does, in another thread, and several times for one device. */
static gpointer
tell_clients (gpointer device)
{
  g_autofree wchar_t *id =
      (wchar_t *) g_utf8_to_utf16 (((FakeDevice *) device)->id, -1, NULL, NULL, NULL);

  g_mutex_lock (&lock);
  for (guint i = 0; i < clients->len; i++) {
    IMMNotificationClient *client = clients->pdata[i];
    gboolean is_there = g_ptr_array_find (plugged, device, NULL);

    IMMNotificationClient_OnDeviceStateChanged (
        client, id, is_there ? DEVICE_STATE_ACTIVE : DEVICE_STATE_UNPLUGGED);
    if (is_there)
      IMMNotificationClient_OnDeviceAdded (client, id);
    else
      IMMNotificationClient_OnDeviceRemoved (client, id);
  }
  g_mutex_unlock (&lock);
  return NULL;
}

static void
tell_of (FakeDevice *device)
{
  g_thread_join (g_thread_new ("devices", tell_clients, device));
}

guint
fake_sound_n_watching (void)
{
  guint n;

  g_mutex_lock (&lock);
  n = clients->len;
  g_mutex_unlock (&lock);
  return n;
}

static IMMDeviceEnumeratorVtbl enumerator_table = {
  UNKNOWN (IMMDeviceEnumerator),
  .EnumAudioEndpoints = enumerate,
  .GetDefaultAudioEndpoint = get_default,
  .GetDevice = get_device,
  .RegisterEndpointNotificationCallback = add_client,
  .UnregisterEndpointNotificationCallback = remove_client,
};

void
fake_sound_begin (void)
{
  static IMMDeviceEnumerator enumerator = { .lpVtbl = &enumerator_table };

  plugged = g_ptr_array_new ();
  clients = g_ptr_array_new ();
  pteris_wasapi_use (&enumerator);
}

void
fake_sound_plug (PterisSoundKind kind, const char *id, const char *name, gboolean is_default,
                 FakeSoundFault fault)
{
  FakeDevice *device = g_new0 (FakeDevice, 1);

  device->device.lpVtbl = &device_table;
  device->properties.lpVtbl = &properties_table;
  device->id = g_strdup (id);
  device->name = g_strdup (name);
  device->flow = kind == PTERIS_SOUND_OUTPUT ? eRender : eCapture;
  device->is_default = is_default;
  device->fault = fault;
  g_mutex_lock (&lock);
  g_ptr_array_add (plugged, device);
  g_mutex_unlock (&lock);
  tell_of (device);
}

void
fake_sound_unplug_all (void)
{
  g_autoptr (GPtrArray) gone = NULL;

  g_mutex_lock (&lock);
  gone = g_steal_pointer (&plugged);
  plugged = g_ptr_array_new ();
  g_mutex_unlock (&lock);
  for (guint i = 0; i < gone->len; i++)
    tell_of (gone->pdata[i]);
}

char *
fake_sound_loopback_id (const char *id)
{
  return g_strdup (id);
}

double
fake_sound_seconds (const char *id)
{
  FakeDevice *device = find (id);
  double seconds;

  g_mutex_lock (&lock);
  seconds = device != NULL ? device->seconds : 0;
  g_mutex_unlock (&lock);
  return seconds;
}

guint
fake_sound_n_open (void)
{
  return (guint) g_atomic_int_get (&n_open);
}
