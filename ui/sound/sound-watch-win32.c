/* SPDX-License-Identifier: BSD-3-Clause */

/* Windows tells a COM object of ours which devices come and go, in threads of its own. */

#include "ui/sound/sound-watch.h"

#include "ui/sound/sound-wasapi.h"

typedef struct {
  IMMNotificationClient client; /* first */
  gatomicrefcount n_refs;
  PterisSoundWatch *watch; /* alive until Windows is told to stop */
} Listener;

static HRESULT
note (IMMNotificationClient *client)
{
  pteris_sound_watch_note (((Listener *) client)->watch);
  return S_OK;
}

/* ---- IUnknown ---- */

static ULONG WINAPI
listener_add_ref (IMMNotificationClient *client)
{
  g_atomic_ref_count_inc (&((Listener *) client)->n_refs);
  return 2;
}

static ULONG WINAPI
listener_release (IMMNotificationClient *client)
{
  if (!g_atomic_ref_count_dec (&((Listener *) client)->n_refs))
    return 1;
  g_free (client);
  return 0;
}

static HRESULT WINAPI
listener_query_interface (IMMNotificationClient *client, REFIID id, void **result)
{
  if (IsEqualIID (id, &IID_IUnknown) || IsEqualIID (id, &IID_IMMNotificationClient)) {
    listener_add_ref (client);
    *result = client;
    return S_OK;
  }
  *result = NULL;
  return E_NOINTERFACE;
}

/* ---- IMMNotificationClient ---- */

/* Plugged in, pulled out, or turned on or off. */
static HRESULT WINAPI
listener_state (IMMNotificationClient *client, const wchar_t *id, DWORD state)
{
  return note (client);
}

static HRESULT WINAPI
listener_added_or_removed (IMMNotificationClient *client, const wchar_t *id)
{
  return note (client);
}

static HRESULT WINAPI
listener_default (IMMNotificationClient *client, EDataFlow flow, ERole role, const wchar_t *id)
{
  return note (client);
}

/* Its name, for example. Some drivers change other properties all the time. */
static HRESULT WINAPI
listener_property (IMMNotificationClient *client, const wchar_t *id, const PROPERTYKEY key)
{
  return pteris_wasapi_is_name (&key) ? note (client) : S_OK;
}

static IMMNotificationClientVtbl listener_table = {
  .QueryInterface = listener_query_interface,
  .AddRef = listener_add_ref,
  .Release = listener_release,
  .OnDeviceStateChanged = listener_state,
  .OnDeviceAdded = listener_added_or_removed,
  .OnDeviceRemoved = listener_added_or_removed,
  .OnDefaultDeviceChanged = listener_default,
  .OnPropertyValueChanged = listener_property,
};

static void
run_listener (IMMDeviceEnumerator *enumerator, PterisSoundWatch *watch)
{
  Listener *listener = g_new0 (Listener, 1);

  listener->client.lpVtbl = &listener_table;
  g_atomic_ref_count_init (&listener->n_refs);
  listener->watch = watch;
  if (SUCCEEDED (IMMDeviceEnumerator_RegisterEndpointNotificationCallback (enumerator,
                                                                           &listener->client))) {
    /* What came before it began. */
    pteris_sound_watch_note (watch);
    pteris_sound_watch_wait (watch);
    IMMDeviceEnumerator_UnregisterEndpointNotificationCallback (enumerator, &listener->client);
  }
  listener_release (&listener->client);
}

void
pteris_sound_watch_run (PterisSoundWatch *watch)
{
  gboolean entered = pteris_wasapi_enter ();
  IMMDeviceEnumerator *enumerator;

  if (SUCCEEDED (pteris_wasapi_get_enumerator (&enumerator))) {
    run_listener (enumerator, watch);
    IMMDeviceEnumerator_Release (enumerator);
  }
  pteris_wasapi_leave (entered);
}
