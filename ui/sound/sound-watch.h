/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/sound/sound.h"

G_BEGIN_DECLS

/*
 * What implementations of sound share to notice devices that come and go (sound.h).
 */

/** Of the implementation: call pteris_sound_watch_note() at once and at every change until
 * pteris_sound_watch_wait() returns. Runs in a thread of @watch; returns earlier if the system
 * cannot be watched. */
void pteris_sound_watch_run (PterisSoundWatch *watch);

/** Something has changed. Any thread, while pteris_sound_watch_run() runs. */
void pteris_sound_watch_note (PterisSoundWatch *watch);

/** Wait until nobody watches any more. Thread of pteris_sound_watch_run(). */
void pteris_sound_watch_wait (PterisSoundWatch *watch);

G_END_DECLS
