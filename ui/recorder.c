/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/recorder.h"

#include <gst/app/gstappsink.h>

#include "ui/gst.h"
#include "ui/i18n.h"
#include "ui/sound-level.h"
#include "ui/wav-file.h"

/* All of speech, in files that are not large: 170 MB an hour. */
#define RATE 24000
#define TICK_MS 100

struct _PterisRecorder {
  GObject parent_instance;

  PterisRecorderState state;
  char *path;
  GstElement *pipeline;
  guint watch, tick;
  char *error;
  double level;

  GMutex lock; /* over what the thread of GStreamer uses */
  PterisWavFile *file;
  int peak;
  double seconds;
  GError *failure;
};

G_DEFINE_FINAL_TYPE (PterisRecorder, pteris_recorder, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisRecorder *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- the file ---- */

/* In a thread of GStreamer. */
static GstFlowReturn
on_sample (GstAppSink *sink, gpointer user_data)
{
  PterisRecorder *self = user_data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer = sample != NULL ? gst_sample_get_buffer (sample) : NULL;
  GstMapInfo map;

  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_FLOW_OK;
  g_mutex_lock (&self->lock);
  if (self->file != NULL && self->failure == NULL) {
    const gint16 *samples = (const gint16 *) (gpointer) map.data;
    gsize n = map.size / sizeof *samples;

    for (gsize i = 0; i < n; i++)
      self->peak = MAX (self->peak, ABS ((int) samples[i]));
    pteris_wav_append (self->file, samples, n, &self->failure);
    self->seconds = pteris_wav_seconds (self->file);
  }
  g_mutex_unlock (&self->lock);
  gst_buffer_unmap (buffer, &map);
  return GST_FLOW_OK;
}

static void
close_all (PterisRecorder *self)
{
  g_clear_handle_id (&self->watch, g_source_remove);
  g_clear_handle_id (&self->tick, g_source_remove);
  if (self->pipeline != NULL) {
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
    g_clear_pointer (&self->pipeline, gst_object_unref);
  }
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->file, pteris_wav_close);
  g_clear_error (&self->failure);
  g_mutex_unlock (&self->lock);
  self->level = 0;
  self->state = PTERIS_RECORDER_IDLE;
}

static void
fail (PterisRecorder *self, char *why)
{
  close_all (self);
  g_free (self->error);
  self->error = why;
  changed (self);
}

/* ---- the pipeline ---- */

static gboolean
on_tick (gpointer user_data)
{
  PterisRecorder *self = user_data;
  char *failure = NULL;
  int peak;

  g_mutex_lock (&self->lock);
  peak = self->peak;
  self->peak = 0;
  if (self->failure != NULL)
    failure = g_strdup (self->failure->message);
  g_mutex_unlock (&self->lock);
  if (failure != NULL) {
    self->tick = 0;
    fail (self, failure);
    return G_SOURCE_REMOVE;
  }
  /* It falls slower than it rises, so that the eye can follow. */
  self->level = MAX (pteris_sound_level (peak), self->level * 0.75);
  if (self->state == PTERIS_RECORDER_STARTING && pteris_recorder_get_seconds (self) > 0)
    self->state = PTERIS_RECORDER_RECORDING;
  changed (self);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer user_data)
{
  PterisRecorder *self = user_data;
  g_autoptr (GError) reason = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
    pteris_recorder_stop (self);
    return G_SOURCE_CONTINUE;
  }
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR)
    return G_SOURCE_CONTINUE;
  gst_message_parse_error (message, &reason, NULL);
  self->watch = 0;
  fail (self, g_strdup_printf (_ ("No microphone can be used: %s"), reason->message));
  return G_SOURCE_REMOVE;
}

static gboolean
build (PterisRecorder *self, GError **error)
{
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample };
  g_autoptr (GstCaps) caps = gst_caps_new_simple (
      "audio/x-raw", "format", G_TYPE_STRING, "S16LE", "layout", G_TYPE_STRING, "interleaved",
      "channels", G_TYPE_INT, 1, "rate", G_TYPE_INT, RATE, NULL);
  GstElement *source, *convert, *resample, *sink;

  self->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  source = pteris_gst_make ("PTERIS_AUDIO_SOURCE", "autoaudiosrc", error);
  if (source == NULL)
    return FALSE;
  convert = gst_element_factory_make ("audioconvert", NULL);
  resample = gst_element_factory_make ("audioresample", NULL);
  sink = gst_element_factory_make ("appsink", NULL);
  gst_bin_add (GST_BIN (self->pipeline), source);
  if (convert == NULL || resample == NULL || sink == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
                 _ ("plug-ins of GStreamer are missing. Install the package %s"),
                 "gstreamer1.0-plugins-base");
    return FALSE;
  }
  gst_bin_add_many (GST_BIN (self->pipeline), convert, resample, sink, NULL);
  g_object_set (sink, "caps", caps, "sync", FALSE, NULL);
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, self, NULL);
  if (!gst_element_link_many (source, convert, resample, sink, NULL)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("it gives no sound"));
    return FALSE;
  }
  return TRUE;
}

static void
on_initialized (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisRecorder) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GstBus) bus = NULL;

  if (self->state != PTERIS_RECORDER_STARTING)
    return;
  if (!pteris_gst_init_finish (result, &error) || !build (self, &error)) {
    fail (self, g_strdup_printf (_ ("No microphone can be used: %s"), error->message));
    return;
  }
  self->file = pteris_wav_create (self->path, RATE, &error);
  if (self->file == NULL) {
    fail (self, g_strdup (error->message));
    return;
  }
  bus = gst_element_get_bus (self->pipeline);
  self->watch = gst_bus_add_watch (bus, on_message, self);
  self->tick = g_timeout_add (TICK_MS, on_tick, self);
  gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
}

/* ---- what others do with it ---- */

void
pteris_recorder_start (PterisRecorder *self, const char *path)
{
  close_all (self);
  g_clear_pointer (&self->error, g_free);
  g_free (self->path);
  self->path = g_strdup (path);
  self->seconds = 0;
  self->state = PTERIS_RECORDER_STARTING;
  pteris_gst_init_async (on_initialized, g_object_ref (self));
  changed (self);
}

/* A paused source goes on hearing in some systems: it is stopped instead. */
void
pteris_recorder_set_paused (PterisRecorder *self, gboolean paused)
{
  if (self->pipeline == NULL || self->state == PTERIS_RECORDER_IDLE)
    return;
  gst_element_set_state (self->pipeline, paused ? GST_STATE_READY : GST_STATE_PLAYING);
  self->state = paused ? PTERIS_RECORDER_PAUSED : PTERIS_RECORDER_RECORDING;
  changed (self);
}

void
pteris_recorder_stop (PterisRecorder *self)
{
  if (self->state == PTERIS_RECORDER_IDLE)
    return;
  close_all (self);
  changed (self);
}

PterisRecorderState
pteris_recorder_get_state (PterisRecorder *self)
{
  return self->state;
}

double
pteris_recorder_get_seconds (PterisRecorder *self)
{
  double seconds;

  g_mutex_lock (&self->lock);
  seconds = self->seconds;
  g_mutex_unlock (&self->lock);
  return seconds;
}

double
pteris_recorder_sync (PterisRecorder *self)
{
  double seconds;

  g_mutex_lock (&self->lock);
  if (self->file != NULL)
    pteris_wav_sync (self->file);
  seconds = self->seconds;
  g_mutex_unlock (&self->lock);
  return seconds;
}

double
pteris_recorder_get_level (PterisRecorder *self)
{
  return self->level;
}

const char *
pteris_recorder_get_error (PterisRecorder *self)
{
  return self->error;
}

/* ---- the object ---- */

static void
pteris_recorder_finalize (GObject *object)
{
  PterisRecorder *self = PTERIS_RECORDER (object);

  close_all (self);
  g_mutex_clear (&self->lock);
  g_free (self->path);
  g_free (self->error);
  G_OBJECT_CLASS (pteris_recorder_parent_class)->finalize (object);
}

static void
pteris_recorder_class_init (PterisRecorderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_recorder_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_recorder_init (PterisRecorder *self)
{
  g_mutex_init (&self->lock);
}

PterisRecorder *
pteris_recorder_new (void)
{
  return g_object_new (PTERIS_TYPE_RECORDER, NULL);
}
