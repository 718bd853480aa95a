/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/sound/sound-choice.h"

G_BEGIN_DECLS

/**
 * PterisSoundDevices: what the user can choose for a use: the default devices, those that are
 * connected, and the one that is chosen, connected or not. UI thread.
 *
 * Signals:
 *   changed (): the system's devices are known
 */
#define PTERIS_TYPE_SOUND_DEVICES (pteris_sound_devices_get_type ())
G_DECLARE_FINAL_TYPE (PterisSoundDevices, pteris_sound_devices, PTERIS, SOUND_DEVICES, GObject)

/** Knows the default and the chosen device until it is refreshed. */
PterisSoundDevices *pteris_sound_devices_new (PterisSoundUse use);

/** Ask the system which devices are connected, in a thread. */
void pteris_sound_devices_refresh (PterisSoundDevices *self);

/** Refresh whenever devices come or go, until pteris_sound_devices_unwatch(). */
void pteris_sound_devices_watch (PterisSoundDevices *self);
void pteris_sound_devices_unwatch (PterisSoundDevices *self);

guint pteris_sound_devices_count (PterisSoundDevices *self);
/** Not a new reference. */
PterisSoundDevice *pteris_sound_devices_nth (PterisSoundDevices *self, guint i);
/** Its name in a list of choices. Free with g_free(). */
char *pteris_sound_devices_label (PterisSoundDevices *self, guint i);
/** The number of the device that is chosen. */
guint pteris_sound_devices_find_chosen (PterisSoundDevices *self);

G_END_DECLS
