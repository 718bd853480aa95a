/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/sound/player.h"

G_BEGIN_DECLS

/** PterisPlayerBar: the waveform of a recording with playback controls. */
#define PTERIS_TYPE_PLAYER_BAR (pteris_player_bar_get_type ())
G_DECLARE_FINAL_TYPE (PterisPlayerBar, pteris_player_bar, PTERIS, PLAYER_BAR, GtkWidget)

/** The recording at @path; NULL: none. @duration: in seconds; <= 0: unknown. */
void pteris_player_bar_set_path (PterisPlayerBar *self, const char *path, double duration);

/** Its player; not a new reference. */
PterisPlayer *pteris_player_bar_get_player (PterisPlayerBar *self);

void pteris_player_bar_toggle (PterisPlayerBar *self);

G_END_DECLS
