/* SPDX-License-Identifier: BSD-3-Clause */

/* The player of a Pteris that was built without GStreamer: it says so. */

#include "ui/player.h"

#include "ui/i18n.h"

struct _PterisPlayer {
  GObject parent_instance;

  double position;
  const char *error;
};

G_DEFINE_FINAL_TYPE (PterisPlayer, pteris_player, G_TYPE_OBJECT)

static guint signal_changed;

static void
pteris_player_class_init (PterisPlayerClass *klass)
{
  signal_changed = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_player_init (PterisPlayer *self)
{
}

PterisPlayer *
pteris_player_new (void)
{
  return g_object_new (PTERIS_TYPE_PLAYER, NULL);
}

void
pteris_player_set_path (PterisPlayer *self, const char *path)
{
  self->position = 0;
  self->error = NULL;
  g_signal_emit (self, signal_changed, 0);
}

void
pteris_player_play (PterisPlayer *self)
{
  self->error = _ ("This Pteris was built without GStreamer, so it cannot play recordings.");
  g_signal_emit (self, signal_changed, 0);
}

void
pteris_player_pause (PterisPlayer *self)
{
}

gboolean
pteris_player_is_playing (PterisPlayer *self)
{
  return FALSE;
}

void
pteris_player_seek (PterisPlayer *self, double seconds)
{
  self->position = MAX (seconds, 0);
  g_signal_emit (self, signal_changed, 0);
}

double
pteris_player_get_position (PterisPlayer *self)
{
  return self->position;
}

double
pteris_player_get_duration (PterisPlayer *self)
{
  return -1;
}

void
pteris_player_set_speed (PterisPlayer *self, double speed)
{
}

double
pteris_player_get_speed (PterisPlayer *self)
{
  return 1;
}

const char *
pteris_player_get_error (PterisPlayer *self)
{
  return self->error;
}
