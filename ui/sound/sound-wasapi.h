/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#define COBJMACROS
#include <windows.h>

#include <audioclient.h>
#include <mmdeviceapi.h>

#include "ui/sound/sound.h"

G_BEGIN_DECLS

/*
 * Windows' sound devices (WASAPI), for sound-win32.c and sound-watch-win32.c. Any thread.
 */

/** Let this thread use WASAPI. Give what it returns to pteris_wasapi_leave(). */
gboolean pteris_wasapi_enter (void);
void pteris_wasapi_leave (gboolean entered);

/** The list of devices, or the one of pteris_wasapi_use(). @enumerator: to release, unless the
 * result is a failure. */
HRESULT pteris_wasapi_get_enumerator (IMMDeviceEnumerator **enumerator);

/** Whether the property @key of a device is the name that pteris_sound_list() tells. */
gboolean pteris_wasapi_is_name (const PROPERTYKEY *key);

/**
 * Open the device with @id, or the default of @kind if @id is NULL, in shared mode, for 16-bit mono
 * samples at @rate, which Windows converts. @event is signalled for each part. @client: to release,
 * unless the result is a failure.
 */
HRESULT pteris_wasapi_open (PterisSoundKind kind, const char *id, guint rate, HANDLE event,
                            IAudioClient **client);

/** What @result means and what to do next; the message completes a sentence. NULL: no failure. */
GError *pteris_wasapi_explain (HRESULT result, PterisSoundKind kind);

/** Use @enumerator in place of Windows' own, for tests; NULL: Windows' own. */
void pteris_wasapi_use (IMMDeviceEnumerator *enumerator);

G_END_DECLS
