/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * PterisPlayer: plays a recording. Nothing is opened before somebody wants to hear it, and nothing
 * waits for it. UI thread.
 *
 * It reads what the engine reads, and speaks through ui/sound/sound.h.
 *
 * Signals:
 *   changed (): playing or not, speed, error, duration; and the place, 20 times a second while
 *     playing
 */
#define PTERIS_TYPE_PLAYER (pteris_player_get_type ())
G_DECLARE_FINAL_TYPE (PterisPlayer, pteris_player, PTERIS, PLAYER, GObject)

PterisPlayer *pteris_player_new (void);

/** What to play, from its beginning on, once it is wanted; NULL: nothing. */
void pteris_player_set_path (PterisPlayer *self, const char *path);

void pteris_player_play (PterisPlayer *self);
void pteris_player_pause (PterisPlayer *self);
gboolean pteris_player_is_playing (PterisPlayer *self);

/** Go to @seconds, playing or not. */
void pteris_player_seek (PterisPlayer *self, double seconds);
double pteris_player_get_position (PterisPlayer *self);

/** Seconds; < 0 while unknown. */
double pteris_player_get_duration (PterisPlayer *self);

/** 0.5 to 2: as fast as it was recorded is 1. The pitch stays. */
void pteris_player_set_speed (PterisPlayer *self, double speed);
double pteris_player_get_speed (PterisPlayer *self);

/** Why it cannot be played, a sentence; or NULL. */
const char *pteris_player_get_error (PterisPlayer *self);

G_END_DECLS
