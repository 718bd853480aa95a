/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/player.h"

#include <pteris/audio.h>

#include "ui/i18n.h"
#include "ui/sound/sound-choice.h"
#include "ui/sound/stretch.h"

#define RATE 44100
/* Interval of updates of the position while playing. */
#define TICK_MS 50

/* One playback from a position to the end. A seek or a new speed starts another one. */
typedef struct {
  char *path;
  double start, speed;
  GCancellable *cancellable;
  PterisSoundDevice *device; /* as chosen, then as found */

  PtAudioReader *reader; /* from here on only used by the sink's thread */
  PterisStretch *stretch;
  float *piece;
  GError *failure; /* of reading */
} Way;

struct _PterisPlayer {
  GObject parent_instance;

  char *path;
  GCancellable *cancellable; /* of the playback in progress; NULL: it does not play */
  Way *way;                  /* the playback in progress; used by the sink */
  PterisSoundSink *sink;     /* NULL: none is heard yet */
  guint tick;
  double position, duration, speed;
  char *note; /* about the device; NULL: none */
  char *error;
};

G_DEFINE_FINAL_TYPE (PterisPlayer, pteris_player, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisPlayer *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- a way ---- */

static void
way_free (gpointer data)
{
  Way *way = data;

  g_clear_pointer (&way->stretch, pteris_stretch_free);
  pt_audio_reader_free (way->reader);
  g_object_unref (way->cancellable);
  pteris_sound_device_unref (way->device);
  g_clear_error (&way->failure);
  g_free (way->piece);
  g_free (way->path);
  g_free (way);
}

static gsize
read_samples (gpointer user_data, float *samples, gsize n)
{
  Way *way = user_data;
  gssize got = way->failure == NULL
                   ? pt_audio_reader_read (way->reader, samples, n, way->cancellable, &way->failure)
                   : 0;

  return (gsize) MAX (got, 0);
}

/* In the sink's thread. */
static gboolean
fill_piece (gpointer user_data, gint16 *samples)
{
  Way *way = user_data;
  gsize n = pteris_stretch_piece (way->stretch);

  if (g_cancellable_is_cancelled (way->cancellable) ||
      !pteris_stretch_next (way->stretch, way->piece))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    samples[i] = (gint16) (CLAMP (way->piece[i], -1, 1) * 32767);
  return TRUE;
}

static void
open_in_thread (GTask *task, gpointer self, gpointer data, GCancellable *cancellable)
{
  Way *way = data;
  GError *error = NULL;
  PterisSoundDevice *device = pteris_sound_find (way->device, &error);

  if (device != NULL) {
    pteris_sound_device_unref (way->device);
    way->device = device;
    way->reader = pt_audio_reader_open_at (way->path, way->start, RATE, cancellable, &error);
  }
  if (way->reader == NULL) {
    g_task_return_error (task, error);
    return;
  }
  way->stretch = pteris_stretch_new (RATE, way->speed, read_samples, way);
  way->piece = g_new (float, pteris_stretch_piece (way->stretch));
  g_task_return_boolean (task, TRUE);
}

/* ---- playing ---- */

static void
end (PterisPlayer *self)
{
  g_clear_handle_id (&self->tick, g_source_remove);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->way = NULL;
  g_clear_pointer (&self->sink, pteris_sound_sink_free);
}

static void
fail (PterisPlayer *self, const char *why)
{
  end (self);
  g_free (self->error);
  self->error = g_strdup_printf (_ ("The recording cannot be played: %s"), why);
  changed (self);
}

static void
note_place (PterisPlayer *self)
{
  self->position = self->way->start + pteris_sound_sink_get_seconds (self->sink) * self->way->speed;
  if (self->duration >= 0)
    self->position = MIN (self->position, self->duration);
}

static gboolean
on_tick (gpointer user_data)
{
  PterisPlayer *self = user_data;
  g_autoptr (GError) error = NULL;

  note_place (self);
  if (pteris_sound_sink_check (self->sink, &error)) {
    changed (self);
    return G_SOURCE_CONTINUE;
  }
  self->tick = 0;
  if (error == NULL)
    error = g_steal_pointer (&self->way->failure);
  if (error != NULL) {
    fail (self, error->message);
    return G_SOURCE_REMOVE;
  }
  if (self->duration < 0)
    self->duration = self->position;
  self->position = self->duration;
  end (self);
  changed (self);
  return G_SOURCE_REMOVE;
}

static void
on_opened (GObject *object, GAsyncResult *result, gpointer user_data)
{
  PterisPlayer *self = PTERIS_PLAYER (object);
  Way *way = user_data;
  g_autoptr (GError) error = NULL;
  gboolean good = g_task_propagate_boolean (G_TASK (result), &error);

  if (way->cancellable != self->cancellable) {
    way_free (way);
    return;
  }
  if (!good) {
    way_free (way);
    fail (self, error->message);
    return;
  }
  if (pt_audio_reader_duration (way->reader) >= 0)
    self->duration = pt_audio_reader_duration (way->reader);
  self->way = way;
  g_free (self->note);
  self->note = pteris_sound_choice_note (way->device);
  self->sink = pteris_sound_sink_new (way->device, RATE, pteris_stretch_piece (way->stretch),
                                      fill_piece, way, way_free);
  self->tick = g_timeout_add (TICK_MS, on_tick, self);
  changed (self);
}

static void
begin (PterisPlayer *self)
{
  g_autoptr (GTask) task = NULL;
  Way *way = g_new0 (Way, 1);

  end (self);
  self->cancellable = g_cancellable_new ();
  way->path = g_strdup (self->path);
  way->start = self->position;
  way->speed = self->speed;
  way->cancellable = g_object_ref (self->cancellable);
  way->device = pteris_sound_choice_get (PTERIS_SOUND_PLAYS);
  task = g_task_new (self, way->cancellable, on_opened, way);
  g_task_set_source_tag (task, begin);
  g_task_set_task_data (task, way, NULL);
  g_task_run_in_thread (task, open_in_thread);
}

/* ---- public functions ---- */

void
pteris_player_set_path (PterisPlayer *self, const char *path)
{
  char *copy = g_strdup (path);

  end (self);
  g_free (self->path);
  self->path = copy;
  self->position = 0;
  self->duration = -1;
  g_clear_pointer (&self->error, g_free);
  changed (self);
}

void
pteris_player_play (PterisPlayer *self)
{
  if (self->path == NULL || self->cancellable != NULL)
    return;
  g_clear_pointer (&self->error, g_free);
  if (!g_file_test (self->path, G_FILE_TEST_EXISTS)) {
    fail (self, _ ("its file no longer exists."));
    return;
  }
  /* At the end, playback starts again from the beginning. */
  if (self->duration > 0 && self->position >= self->duration - 0.1)
    self->position = 0;
  begin (self);
  changed (self);
}

void
pteris_player_pause (PterisPlayer *self)
{
  if (self->cancellable == NULL)
    return;
  if (self->sink != NULL)
    note_place (self);
  end (self);
  changed (self);
}

gboolean
pteris_player_is_playing (PterisPlayer *self)
{
  return self->cancellable != NULL;
}

void
pteris_player_seek (PterisPlayer *self, double seconds)
{
  self->position = MAX (seconds, 0);
  if (self->cancellable != NULL)
    begin (self);
  changed (self);
}

double
pteris_player_get_position (PterisPlayer *self)
{
  return self->position;
}

double
pteris_player_get_duration (PterisPlayer *self)
{
  return self->duration;
}

void
pteris_player_set_speed (PterisPlayer *self, double speed)
{
  self->speed = CLAMP (speed, 0.5, 2);
  if (self->sink != NULL)
    note_place (self);
  if (self->cancellable != NULL)
    begin (self);
  changed (self);
}

double
pteris_player_get_speed (PterisPlayer *self)
{
  return self->speed;
}

const char *
pteris_player_get_note (PterisPlayer *self)
{
  return self->note;
}

const char *
pteris_player_get_error (PterisPlayer *self)
{
  return self->error;
}

/* ---- the object ---- */

static void
pteris_player_finalize (GObject *object)
{
  PterisPlayer *self = PTERIS_PLAYER (object);

  end (self);
  g_free (self->path);
  g_free (self->note);
  g_free (self->error);
  G_OBJECT_CLASS (pteris_player_parent_class)->finalize (object);
}

static void
pteris_player_class_init (PterisPlayerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_player_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_player_init (PterisPlayer *self)
{
  self->speed = 1;
  self->duration = -1;
}

PterisPlayer *
pteris_player_new (void)
{
  return g_object_new (PTERIS_TYPE_PLAYER, NULL);
}
