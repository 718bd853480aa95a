/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/player.h"

#include "ui/gst.h"
#include "ui/i18n.h"

/* How often the place is looked at while playing. */
#define TICK_MS 50

struct _PterisPlayer {
  GObject parent_instance;

  char *path;
  GstElement *pipeline; /* NULL: not wanted yet, or it has failed */
  GstElement *convert;  /* where decoded sound goes in */
  guint watch, tick;
  gboolean is_starting; /* GStreamer is */
  gboolean is_ready;    /* the pipeline can be asked to seek */
  gboolean wants_play;
  double position; /* the last one known */
  double wanted;   /* go there once that is possible; < 0: nowhere */
  double duration, speed;
  double applied_speed; /* what the pipeline knows of */
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

static void
close_pipeline (PterisPlayer *self)
{
  g_clear_handle_id (&self->watch, g_source_remove);
  g_clear_handle_id (&self->tick, g_source_remove);
  if (self->pipeline != NULL) {
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
    g_clear_pointer (&self->pipeline, gst_object_unref);
  }
  self->is_ready = FALSE;
}

static void
fail (PterisPlayer *self, const char *why)
{
  close_pipeline (self);
  self->wants_play = FALSE;
  g_free (self->error);
  self->error = g_strdup_printf (_ ("The recording cannot be played: %s"), why);
  changed (self);
}

/* ---- the place ---- */

static gboolean
on_tick (gpointer user_data)
{
  PterisPlayer *self = user_data;
  gint64 time;

  if (self->wanted < 0 && gst_element_query_position (self->pipeline, GST_FORMAT_TIME, &time) &&
      time >= 0)
    self->position = (double) time / GST_SECOND;
  changed (self);
  return G_SOURCE_CONTINUE;
}

static void
update_tick (PterisPlayer *self)
{
  gboolean needed = self->pipeline != NULL && self->wants_play;

  if (needed && self->tick == 0)
    self->tick = g_timeout_add (TICK_MS, on_tick, self);
  else if (!needed)
    g_clear_handle_id (&self->tick, g_source_remove);
}

static void
seek_now (PterisPlayer *self)
{
  double to = self->wanted >= 0 ? self->wanted : self->position;

  /* The next one waits until this one has arrived. */
  self->is_ready = FALSE;
  self->wanted = -1;
  self->position = to;
  self->applied_speed = self->speed;
  if (!gst_element_seek (self->pipeline, self->speed, GST_FORMAT_TIME,
                         GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
                         (gint64) (to * GST_SECOND), GST_SEEK_TYPE_NONE, 0))
    self->is_ready = TRUE;
}

static void
look_at_duration (PterisPlayer *self)
{
  gint64 time;

  if (gst_element_query_duration (self->pipeline, GST_FORMAT_TIME, &time) && time > 0)
    self->duration = (double) time / GST_SECOND;
}

/* ---- what the pipeline says ---- */

static void
on_arrived (PterisPlayer *self)
{
  self->is_ready = TRUE;
  look_at_duration (self);
  /* A pipeline begins at its beginning and with the usual speed. */
  if (self->wanted >= 0 || ABS (self->speed - self->applied_speed) > 0.001)
    seek_now (self);
  changed (self);
}

static void
on_end (PterisPlayer *self)
{
  self->wants_play = FALSE;
  self->position = self->duration >= 0 ? self->duration : self->position;
  gst_element_set_state (self->pipeline, GST_STATE_PAUSED);
  update_tick (self);
  changed (self);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  PterisPlayer *self = user_data;
  g_autoptr (GError) reason = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
  case GST_MESSAGE_ASYNC_DONE: on_arrived (self); break;
  case GST_MESSAGE_EOS: on_end (self); break;
  case GST_MESSAGE_DURATION_CHANGED: look_at_duration (self); break;
  case GST_MESSAGE_ERROR:
    gst_message_parse_error (message, &reason, NULL);
    self->watch = 0;
    fail (self, reason->message);
    return G_SOURCE_REMOVE;
  default: break;
  }
  return G_SOURCE_CONTINUE;
}

/* ---- the pipeline ---- */

/* In a thread of GStreamer. The first track of sound is the one. */
static void
on_pad_added (GstElement *bin, GstPad *pad, GstElement *convert)
{
  g_autoptr (GstPad) target = gst_element_get_static_pad (convert, "sink");

  if (!gst_pad_is_linked (target))
    gst_pad_link (pad, target);
}

static GstElement *
add_element (PterisPlayer *self, GstElement *element)
{
  if (element != NULL)
    gst_bin_add (GST_BIN (self->pipeline), element);
  return element;
}

static gboolean
build (PterisPlayer *self, GError **error)
{
  GstElement *source, *decoder, *stretch, *resample, *sink;

  self->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  source = add_element (self, gst_element_factory_make ("filesrc", NULL));
  decoder = add_element (self, pteris_gst_make_decoder ());
  self->convert = add_element (self, gst_element_factory_make ("audioconvert", NULL));
  stretch = add_element (self, gst_element_factory_make ("scaletempo", NULL));
  resample = add_element (self, gst_element_factory_make ("audioresample", NULL));
  sink = add_element (self, pteris_gst_make ("PTERIS_AUDIO_SINK", "autoaudiosink", error));
  if (sink == NULL)
    return FALSE;
  /* Without the plug-in that keeps the pitch, fast speech is high. */
  if (stretch == NULL)
    stretch = add_element (self, gst_element_factory_make ("identity", NULL));
  if (source == NULL || decoder == NULL || self->convert == NULL || resample == NULL ||
      !gst_element_link (source, decoder) ||
      !gst_element_link_many (self->convert, stretch, resample, sink, NULL)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 _ ("plug-ins of GStreamer are missing. Install the package %s"),
                 "gstreamer1.0-plugins-base");
    return FALSE;
  }
  g_object_set (source, "location", self->path, NULL);
  g_signal_connect_object (decoder, "pad-added", G_CALLBACK (on_pad_added), self->convert, 0);
  return TRUE;
}

static void
open_pipeline (PterisPlayer *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;

  self->duration = -1;
  self->applied_speed = 1;
  if (!build (self, &error)) {
    fail (self, error->message);
    return;
  }
  bus = gst_element_get_bus (self->pipeline);
  self->watch = gst_bus_add_watch (bus, on_message, self);
  if (self->wanted < 0 && self->position > 0)
    self->wanted = self->position;
  gst_element_set_state (self->pipeline, self->wants_play ? GST_STATE_PLAYING : GST_STATE_PAUSED);
  update_tick (self);
}

static void
on_initialized (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisPlayer) self = user_data;
  g_autoptr (GError) error = NULL;
  gboolean good = pteris_gst_init_finish (result, &error);

  self->is_starting = FALSE;
  if (!good)
    fail (self, error->message);
  else if (self->path != NULL && self->wants_play && self->pipeline == NULL)
    open_pipeline (self);
}

/* ---- what others do with it ---- */

void
pteris_player_set_path (PterisPlayer *self, const char *path)
{
  char *copy = g_strdup (path);

  close_pipeline (self);
  g_free (self->path);
  self->path = copy;
  self->wants_play = FALSE;
  self->position = 0;
  self->wanted = -1;
  self->duration = -1;
  g_clear_pointer (&self->error, g_free);
  changed (self);
}

void
pteris_player_play (PterisPlayer *self)
{
  if (self->path == NULL || self->wants_play)
    return;
  g_clear_pointer (&self->error, g_free);
  if (!g_file_test (self->path, G_FILE_TEST_EXISTS)) {
    fail (self, _ ("its file is not there any more."));
    return;
  }
  self->wants_play = TRUE;
  /* Who plays at the end wants to hear it again. */
  if (self->duration > 0 && self->position >= self->duration - 0.1)
    pteris_player_seek (self, 0);
  if (self->pipeline != NULL) {
    gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
    update_tick (self);
  } else if (!self->is_starting) {
    self->is_starting = TRUE;
    pteris_gst_init_async (on_initialized, g_object_ref (self));
  }
  changed (self);
}

void
pteris_player_pause (PterisPlayer *self)
{
  if (!self->wants_play)
    return;
  self->wants_play = FALSE;
  if (self->pipeline != NULL)
    gst_element_set_state (self->pipeline, GST_STATE_PAUSED);
  update_tick (self);
  changed (self);
}

gboolean
pteris_player_is_playing (PterisPlayer *self)
{
  return self->wants_play;
}

void
pteris_player_seek (PterisPlayer *self, double seconds)
{
  self->position = self->wanted = MAX (seconds, 0);
  if (self->pipeline == NULL)
    self->wanted = -1;
  else if (self->is_ready)
    seek_now (self);
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
  if (self->pipeline != NULL && self->is_ready)
    seek_now (self);
  changed (self);
}

double
pteris_player_get_speed (PterisPlayer *self)
{
  return self->speed;
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

  close_pipeline (self);
  g_free (self->path);
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
  self->wanted = -1;
  self->duration = -1;
}

PterisPlayer *
pteris_player_new (void)
{
  return g_object_new (PTERIS_TYPE_PLAYER, NULL);
}
