/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * PterisPlayer: plays a recording of any format that the engine reads on the device that the user
 * has chosen (ui/sound/sound-choice.h).
 * The file is opened when playback starts; no function blocks. UI thread.
 *
 * Signals:
 *   changed (): playing or not, speed, error, duration; and the position, 20 times a second while
 *   playing
 */
#define PTERIS_TYPE_PLAYER (pteris_player_get_type ())
G_DECLARE_FINAL_TYPE (PterisPlayer, pteris_player, PTERIS, PLAYER, GObject)

PterisPlayer *pteris_player_new (void);

/** Set the recording; it plays from its beginning. NULL: none. */
void pteris_player_set_path (PterisPlayer *self, const char *path);

void pteris_player_play (PterisPlayer *self);
void pteris_player_pause (PterisPlayer *self);
gboolean pteris_player_is_playing (PterisPlayer *self);

/** Seek to @seconds, playing or not. */
void pteris_player_seek (PterisPlayer *self, double seconds);
double pteris_player_get_position (PterisPlayer *self);

/** In seconds; < 0 while unknown. */
double pteris_player_get_duration (PterisPlayer *self);

/** From 0.5 to 2; 1 is the original speed. The pitch does not change. */
void pteris_player_set_speed (PterisPlayer *self, double speed);
double pteris_player_get_speed (PterisPlayer *self);

/** What is said of the device: the chosen one is not connected. NULL: nothing. */
const char *pteris_player_get_note (PterisPlayer *self);

/** The sentence of the error; or NULL. */
const char *pteris_player_get_error (PterisPlayer *self);

G_END_DECLS
