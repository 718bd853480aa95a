/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/sound/sound.h"

/*
 * Devices of sound that a test plugs in, in place of the system's: a provider of GStreamer's device
 * monitor, or an IMMDeviceEnumerator of Windows.
 */

typedef enum {
  FAKE_SOUND_WORKS, /* a tone of microphones and of what outputs play */
  FAKE_SOUND_QUIET, /* an output that plays nothing; microphones: silence */
  FAKE_SOUND_LOST,  /* after about half a second of sound */
  FAKE_SOUND_REFUSES_FORMAT,
  FAKE_SOUND_DENIED,
  FAKE_SOUND_BUSY,
} FakeSoundFault;

/** Take the place of the system's devices; there are none. Once, before any other sound. */
void fake_sound_begin (void);

/** Plug in a microphone or an output. What the output plays can be recorded. */
void fake_sound_plug (PterisSoundKind kind, const char *id, const char *name, gboolean is_default,
                      FakeSoundFault fault);
void fake_sound_unplug_all (void);

/** How many watch for devices that come and go; at most 1 with GStreamer, which is asked once. */
guint fake_sound_n_watching (void);

/** The id under which what the output @id plays can be recorded. Free with g_free(). */
char *fake_sound_loopback_id (const char *id);

/** With GStreamer: let the latest stream go on with device @id, as PulseAudio does. */
void fake_sound_move (const char *id);

/** Seconds of sound that device @id has given or played since it was plugged in. */
double fake_sound_seconds (const char *id);

/** Streams that are open; always 0 with GStreamer, which is not asked. */
guint fake_sound_n_open (void);
