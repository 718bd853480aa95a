/* SPDX-License-Identifier: BSD-3-Clause */
/* Before the headers whose GUIDs it defines. */
#include <initguid.h>

#include "ui/sound/sound-wasapi.h"

#include <functiondiscoverykeys_devpkey.h>

#include "ui/i18n.h"

/* Size of the system's buffer in units of 100 ns: 200 ms, of which a part of 10 ms is filled. */
#define BUFFER_TIME 2000000
/* In Windows' headers only since version 10. */
#define STREAM_FLAGS                                                        \
  (AUDCLNT_STREAMFLAGS_EVENTCALLBACK | AUDCLNT_STREAMFLAGS_AUTOCONVERTPCM | \
   AUDCLNT_STREAMFLAGS_SRC_DEFAULT_QUALITY)

static IMMDeviceEnumerator *other_enumerator; /* of a test */

void
pteris_wasapi_use (IMMDeviceEnumerator *enumerator)
{
  other_enumerator = enumerator;
}

gboolean
pteris_wasapi_enter (void)
{
  return SUCCEEDED (CoInitializeEx (NULL, COINIT_MULTITHREADED));
}

void
pteris_wasapi_leave (gboolean entered)
{
  if (entered)
    CoUninitialize ();
}

HRESULT
pteris_wasapi_get_enumerator (IMMDeviceEnumerator **enumerator)
{
  if (other_enumerator == NULL)
    return CoCreateInstance (&CLSID_MMDeviceEnumerator, NULL, CLSCTX_ALL, &IID_IMMDeviceEnumerator,
                             (void **) enumerator);
  IMMDeviceEnumerator_AddRef (other_enumerator);
  *enumerator = other_enumerator;
  return S_OK;
}

static EDataFlow
flow_of (PterisSoundKind kind)
{
  return kind == PTERIS_SOUND_MICROPHONE ? eCapture : eRender;
}

/* ---- errors ---- */

static const char *
describe_access (PterisSoundKind kind)
{
  if (kind == PTERIS_SOUND_MICROPHONE)
    return _ ("Windows does not allow it. Open Settings → Privacy & security → Microphone, turn on "
              "“Microphone access” and “Let desktop apps access your microphone”, then try again.");
  return _ ("Windows does not allow it. Choose another device in Preferences, or ask whoever "
            "manages this computer.");
}

static const char *
describe_missing (PterisSoundKind kind)
{
  if (kind == PTERIS_SOUND_MICROPHONE)
    return _ ("none is connected. Connect one, or turn it on in Windows’ sound settings, then try "
              "again.");
  return _ ("no loudspeaker or headphones are connected. Connect some, or turn on an output in "
            "Windows’ sound settings, then try again.");
}

/* NULL: nothing better than Windows' own words. */
static const char *
describe (HRESULT result, PterisSoundKind kind)
{
  switch (result) {
  case E_ACCESSDENIED: return describe_access (kind);
  case HRESULT_FROM_WIN32 (ERROR_NOT_FOUND): return describe_missing (kind);
  case AUDCLNT_E_DEVICE_INVALIDATED:
    return _ ("the device was disconnected or turned off. Connect it again or choose another one "
              "in Preferences, then try again.");
  case AUDCLNT_E_DEVICE_IN_USE:
  case AUDCLNT_E_EXCLUSIVE_MODE_ONLY:
    return _ ("another program uses the device alone. Close that program, then try again.");
  case AUDCLNT_E_UNSUPPORTED_FORMAT:
    return _ ("the device refuses the format of this program. Choose another one in Preferences.");
  case AUDCLNT_E_WRONG_ENDPOINT_TYPE: /* Wine 8 */
    return _ ("this system cannot record what an output plays. Record from a microphone.");
  case AUDCLNT_E_SERVICE_NOT_RUNNING:
    return _ ("the service “Windows Audio” does not run. Start it in Windows’ services, or restart "
              "the computer.");
  case AUDCLNT_E_ENDPOINT_CREATE_FAILED:
    return _ ("its driver cannot open it. Update the driver, or choose another device in "
              "Preferences.");
  case HRESULT_FROM_WIN32 (ERROR_TIMEOUT):
    return _ ("the device plays nothing. Choose another one in Preferences.");
  default: return NULL;
  }
}

GError *
pteris_wasapi_explain (HRESULT result, PterisSoundKind kind)
{
  const char *text = describe (result, kind);
  g_autofree char *words = NULL;

  if (SUCCEEDED (result))
    return NULL;
  if (text != NULL)
    return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, text);
  words = g_win32_error_message (result);
  /* Translators: what Windows says, and the number of its error. */
  return g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED, _ ("%s (error 0x%08x of Windows)"),
                      words != NULL && *words != '\0' ? words : _ ("the device does not work."),
                      (guint) result);
}

/* ---- the list ---- */

static char *
id_of (IMMDevice *device)
{
  wchar_t *wide = NULL;
  char *id;

  if (FAILED (IMMDevice_GetId (device, &wide)))
    return NULL;
  id = g_utf16_to_utf8 ((const gunichar2 *) wide, -1, NULL, NULL, NULL);
  CoTaskMemFree (wide);
  return id;
}

static char *
name_of (IMMDevice *device)
{
  IPropertyStore *properties;
  PROPVARIANT value;
  char *name = NULL;

  if (FAILED (IMMDevice_OpenPropertyStore (device, STGM_READ, &properties)))
    return NULL;
  PropVariantInit (&value);
  if (SUCCEEDED (IPropertyStore_GetValue (properties, &PKEY_Device_FriendlyName, &value)) &&
      value.vt == VT_LPWSTR)
    name = g_utf16_to_utf8 ((const gunichar2 *) value.pwszVal, -1, NULL, NULL, NULL);
  PropVariantClear (&value);
  IPropertyStore_Release (properties);
  return name;
}

gboolean
pteris_wasapi_is_name (const PROPERTYKEY *key)
{
  return IsEqualPropertyKey (*key, PKEY_Device_FriendlyName);
}

/* NULL: there is none. */
static char *
default_id (IMMDeviceEnumerator *enumerator, EDataFlow flow)
{
  IMMDevice *device;
  char *id;

  if (FAILED (IMMDeviceEnumerator_GetDefaultAudioEndpoint (enumerator, flow, eConsole, &device)))
    return NULL;
  id = id_of (device);
  IMMDevice_Release (device);
  return id;
}

static void
add_device (GPtrArray *devices, PterisSoundKind kind, IMMDevice *device, const char *chosen)
{
  g_autofree char *id = id_of (device);
  g_autofree char *name = name_of (device);

  if (id != NULL)
    g_ptr_array_add (devices, pteris_sound_device_new (kind, id, name != NULL ? name : id,
                                                       g_strcmp0 (id, chosen) == 0, NULL));
}

static HRESULT
list_devices (IMMDeviceEnumerator *enumerator, PterisSoundKind kind, GPtrArray *devices)
{
  g_autofree char *chosen = default_id (enumerator, flow_of (kind));
  IMMDeviceCollection *all;
  UINT n = 0;
  HRESULT result = IMMDeviceEnumerator_EnumAudioEndpoints (enumerator, flow_of (kind),
                                                           DEVICE_STATE_ACTIVE, &all);

  if (FAILED (result))
    return result;
  result = IMMDeviceCollection_GetCount (all, &n);
  for (UINT i = 0; SUCCEEDED (result) && i < n; i++) {
    IMMDevice *device;

    /* One that was unplugged in the meantime is left out. */
    if (FAILED (IMMDeviceCollection_Item (all, i, &device)))
      continue;
    add_device (devices, kind, device, chosen);
    IMMDevice_Release (device);
  }
  IMMDeviceCollection_Release (all);
  return result;
}

GPtrArray *
pteris_sound_list (PterisSoundKind kind, GError **error)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func ((GDestroyNotify) pteris_sound_device_unref);
  gboolean entered = pteris_wasapi_enter ();
  IMMDeviceEnumerator *enumerator;
  HRESULT result = pteris_wasapi_get_enumerator (&enumerator);

  if (SUCCEEDED (result)) {
    result = list_devices (enumerator, kind, devices);
    IMMDeviceEnumerator_Release (enumerator);
  }
  pteris_wasapi_leave (entered);
  if (SUCCEEDED (result))
    return devices;
  g_propagate_error (error, pteris_wasapi_explain (result, kind));
  g_ptr_array_unref (devices);
  return NULL;
}

/* ---- opening ---- */

static HRESULT
get_device (PterisSoundKind kind, const char *id, IMMDevice **device)
{
  g_autofree wchar_t *wide =
      id != NULL ? (wchar_t *) g_utf8_to_utf16 (id, -1, NULL, NULL, NULL) : NULL;
  IMMDeviceEnumerator *enumerator;
  HRESULT result = pteris_wasapi_get_enumerator (&enumerator);

  if (FAILED (result))
    return result;
  if (wide != NULL)
    result = IMMDeviceEnumerator_GetDevice (enumerator, wide, device);
  else
    result =
        IMMDeviceEnumerator_GetDefaultAudioEndpoint (enumerator, flow_of (kind), eConsole, device);
  IMMDeviceEnumerator_Release (enumerator);
  return result;
}

static HRESULT
start_client (IAudioClient *client, PterisSoundKind kind, guint rate, HANDLE event)
{
  const WAVEFORMATEX format = { .wFormatTag = WAVE_FORMAT_PCM,
                                .nChannels = 1,
                                .nSamplesPerSec = rate,
                                .nAvgBytesPerSec = rate * 2,
                                .nBlockAlign = 2,
                                .wBitsPerSample = 16 };
  DWORD flags = STREAM_FLAGS;
  HRESULT result;

  if (kind == PTERIS_SOUND_COMPUTER)
    flags |= AUDCLNT_STREAMFLAGS_LOOPBACK;
  result = IAudioClient_Initialize (client, AUDCLNT_SHAREMODE_SHARED, flags, BUFFER_TIME, 0,
                                    &format, NULL);
  return SUCCEEDED (result) ? IAudioClient_SetEventHandle (client, event) : result;
}

HRESULT
pteris_wasapi_open (PterisSoundKind kind, const char *id, guint rate, HANDLE event,
                    IAudioClient **client)
{
  IMMDevice *device;
  HRESULT result = get_device (kind, id, &device);

  if (FAILED (result))
    return result;
  result = IMMDevice_Activate (device, &IID_IAudioClient, CLSCTX_ALL, NULL, (void **) client);
  IMMDevice_Release (device);
  if (FAILED (result))
    return result;
  result = start_client (*client, kind, rate, event);
  if (FAILED (result))
    IAudioClient_Release (*client);
  return result;
}
