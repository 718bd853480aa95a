/* SPDX-License-Identifier: BSD-3-Clause */

/* Input and output of sound with GStreamer pipelines. Its devices are in sound-gst-devices.c. */

#include "ui/sound/sound.h"

#include <string.h>

#include <gio/gio.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include "ui/i18n.h"

/* The common part of source and sink: a pipeline and its error. */
typedef struct {
  GstElement *pipeline;
  GError *failure; /* it could not be made */
  gboolean is_over;
} Line;

struct _PterisSoundSource {
  Line line;
  PterisSoundReceive *receive;
  gpointer user_data;
};

struct _PterisSoundSink {
  Line line;
  guint rate;
  gsize piece;
  guint64 n_filled; /* samples */
  PterisSoundFill *fill;
  gpointer user_data;
  GDestroyNotify destroy;
  double seconds; /* the last place known */
};

/* ---- devices and plug-ins ---- */

typedef enum { PACKAGE_BASE, PACKAGE_GOOD, PACKAGE_SERVICE, N_PACKAGES } Package;

/* Packages of GStreamer's plug-ins, and of the service that mixes the sound of all programs. */
static const struct {
  const char *system; /* of os-release: ID or ID_LIKE */
  const char *names[N_PACKAGES];
} SYSTEMS[] = {
  { "fedora", { "gstreamer1-plugins-base", "gstreamer1-plugins-good", "pipewire-pulseaudio" } },
  { "suse", { "gstreamer-plugins-base", "gstreamer-plugins-good", "pipewire-pulseaudio" } },
  { "arch", { "gst-plugins-base", "gst-plugins-good", "pipewire-pulse" } },
  { "debian", { "gstreamer1.0-plugins-base", "gstreamer1.0-plugins-good", "pipewire-pulse" } },
};

/* The package's name on this system; on an unknown system, Debian's. */
static const char *
package_name (Package package)
{
  g_autofree char *id = g_get_os_info (G_OS_INFO_KEY_ID);
  g_autofree char *like = g_get_os_info ("ID_LIKE");
  g_autofree char *all = g_strdup_printf ("%s %s", id != NULL ? id : "", like != NULL ? like : "");
  guint i = 0;

  while (i < G_N_ELEMENTS (SYSTEMS) - 1 && strstr (all, SYSTEMS[i].system) == NULL)
    i++;
  return SYSTEMS[i].names[package];
}

static void
fail_for_plug_in (GError **error, Package package)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
               _ ("GStreamer has no plug-in for the sound of this computer. Install the package "
                  "%s, then try again."),
               package_name (package));
}

static gboolean
has_plug_in (const char *name)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (name);

  return factory != NULL &&
         gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE (factory)) > GST_RANK_NONE;
}

/* Whether there is a plug-in for a sound service or hardware. OSS plug-ins do not count. */
static gboolean
has_device_plug_in (void)
{
  return has_plug_in ("pulsesink") || has_plug_in ("pipewiresink") || has_plug_in ("alsasink");
}

static gboolean
has_service (void)
{
  g_autofree char *pulse = g_find_program_in_path ("pulseaudio");
  g_autofree char *pipewire = g_find_program_in_path ("pipewire-pulse");

  return pulse != NULL || pipewire != NULL || g_getenv ("PULSE_SERVER") != NULL ||
         has_plug_in ("alsasink") || has_plug_in ("pipewiresink");
}

/* The error when GStreamer finds no device to play or to record. */
static GError *
explain_silence (gboolean plays)
{
  if (!has_service ())
    return g_error_new (G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                        _ ("this computer has no sound service. Install the package %s, then try "
                           "again."),
                        package_name (PACKAGE_SERVICE));
  return g_error_new_literal (
      G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
      plays ? _ ("no loudspeaker or headphones are connected, or the sound service of this "
                 "computer does not run.")
            : _ ("none is connected, or the sound service of this computer does not run."));
}

/*
 * Searches for plug-ins again, which may have been installed since. Every list of devices asks for
 * it in a thread of its own, and GStreamer cannot search in two threads at once.
 */
static void
look_for_plug_ins (void)
{
  static GMutex searching;
  static gboolean has_looked;

  g_mutex_lock (&searching);
  /* The first start has just searched. */
  if (has_looked && !has_device_plug_in ())
    gst_update_registry ();
  has_looked = TRUE;
  g_mutex_unlock (&searching);
}

gboolean
pteris_sound_prepare (GError **error)
{
  /* Waits for another thread that is at it; gst_is_initialized() is true before its search ends. */
  if (gst_init_check (NULL, NULL, error)) {
    look_for_plug_ins ();
    return TRUE;
  }
  if (error != NULL && *error == NULL)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "GStreamer cannot be started");
  return FALSE;
}

/* ---- pipelines ---- */

/* Makes the element of a device from the list. */
static GstElement *
make_listed (PterisSoundDevice *device, GError **error)
{
  GstElement *element = gst_device_create_element (GST_DEVICE (device->handle), NULL);

  if (element == NULL)
    fail_for_plug_in (error, PACKAGE_GOOD);
  return element;
}

/* Makes the element of the default device: from the description in the environment variable @name,
 * else from @fallback. */
static GstElement *
make_default (const char *name, const char *fallback, GError **error)
{
  const char *description = g_getenv (name);
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (fallback);

  if (description == NULL && (factory == NULL || !has_device_plug_in ())) {
    fail_for_plug_in (error, PACKAGE_GOOD);
    return NULL;
  }
  return gst_parse_bin_from_description_full (
      description != NULL ? description : fallback, TRUE, NULL,
      GST_PARSE_FLAG_NO_SINGLE_ELEMENT_BINS | GST_PARSE_FLAG_FATAL_ERRORS, error);
}

static GstElement *
add_element (Line *line, GstElement *element)
{
  if (element != NULL)
    gst_bin_add (GST_BIN (line->pipeline), element);
  return element;
}

/* Links @first and @last, with conversion elements between them. */
static gboolean
link_line (Line *line, GstElement *first, GstElement *last)
{
  GstElement *convert = add_element (line, gst_element_factory_make ("audioconvert", NULL));
  GstElement *resample = add_element (line, gst_element_factory_make ("audioresample", NULL));

  if (first == NULL || convert == NULL || resample == NULL || last == NULL) {
    fail_for_plug_in (&line->failure, PACKAGE_BASE);
    return FALSE;
  }
  if (!gst_element_link_many (first, convert, resample, last, NULL)) {
    g_set_error (&line->failure, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("it gives no audio."));
    return FALSE;
  }
  return TRUE;
}

static GstCaps *
make_caps (guint rate)
{
  return gst_caps_new_simple ("audio/x-raw", "format", G_TYPE_STRING,
                              G_BYTE_ORDER == G_LITTLE_ENDIAN ? "S16LE" : "S16BE", "layout",
                              G_TYPE_STRING, "interleaved", "channels", G_TYPE_INT, 1, "rate",
                              G_TYPE_INT, (int) rate, NULL);
}

/* Without a device, GStreamer chooses a silent element and posts a warning. */
static gboolean
says_no_device (GstMessage *message)
{
  GstElementFactory *factory =
      GST_IS_ELEMENT (GST_MESSAGE_SRC (message))
          ? gst_element_get_factory (GST_ELEMENT (GST_MESSAGE_SRC (message)))
          : NULL;

  return GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING && factory != NULL &&
         g_str_has_prefix (GST_OBJECT_NAME (factory), "autoaudio");
}

static gboolean
is_any_of (const GError *error, const int *codes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (error->code == codes[i])
      return TRUE;
  return FALSE;
}

/* What the elements of sound services and hardware say when a device is gone. */
static gboolean
says_lost (const GError *error)
{
  static const int RESOURCE[] = { GST_RESOURCE_ERROR_READ, GST_RESOURCE_ERROR_WRITE,
                                  GST_RESOURCE_ERROR_FAILED, GST_RESOURCE_ERROR_NOT_FOUND };

  return g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED) ||
         (error->domain == GST_RESOURCE_ERROR &&
          is_any_of (error, RESOURCE, G_N_ELEMENTS (RESOURCE)));
}

/* The element and this program agree on no format. */
static gboolean
says_format (const GError *error, GstMessage *message)
{
  static const int STREAM[] = { GST_STREAM_ERROR_FORMAT, GST_STREAM_ERROR_WRONG_TYPE };
  const GstStructure *details = NULL;
  int flow = GST_FLOW_OK;

  gst_message_parse_error_details (message, &details);
  return (details != NULL && gst_structure_get_int (details, "flow-return", &flow) &&
          flow == GST_FLOW_NOT_NEGOTIATED) ||
         g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION) ||
         (error->domain == GST_STREAM_ERROR && is_any_of (error, STREAM, G_N_ELEMENTS (STREAM)));
}

/* The error of @message, with what to do next where that is known. */
static GError *
explain (GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  const char *text;

  gst_message_parse_error (message, &error, NULL);
  if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_AUTHORIZED))
    text = _ ("this system does not allow it. Allow sound for Pteris in the system's privacy "
              "settings, then try again.");
  else if (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY))
    text = _ ("another program uses the device alone. Close that program, then try again.");
  else if (says_format (error, message))
    text = _ ("the device refuses the format of this program. Choose another one in Preferences.");
  else if (says_lost (error))
    text = _ ("the device was disconnected, or the sound service of this computer has ended.");
  else
    return g_steal_pointer (&error);
  return g_error_new_literal (error->domain, error->code, text);
}

static gboolean
check_line (Line *line, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (line->pipeline);

  while (line->failure == NULL && !line->is_over) {
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);

    if (message == NULL)
      return TRUE;
    if (says_no_device (message))
      line->failure = explain_silence (
          GST_OBJECT_FLAG_IS_SET (GST_MESSAGE_SRC (message), GST_ELEMENT_FLAG_SINK));
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
      continue;
    else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      line->failure = explain (message);
    line->is_over = TRUE;
  }
  if (line->failure != NULL)
    g_propagate_error (error, g_error_copy (line->failure));
  return FALSE;
}

static void
end_line (Line *line)
{
  gst_element_set_state (line->pipeline, GST_STATE_NULL);
  gst_object_unref (line->pipeline);
  g_clear_error (&line->failure);
}

/* ---- the microphone ---- */

/* Runs in a thread of GStreamer. */
static GstFlowReturn
on_sample (GstAppSink *sink, gpointer user_data)
{
  PterisSoundSource *self = user_data;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer = sample != NULL ? gst_sample_get_buffer (sample) : NULL;
  GstMapInfo map;

  if (buffer == NULL || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return GST_FLOW_OK;
  self->receive (self->user_data, (const gint16 *) (gpointer) map.data, map.size / sizeof (gint16));
  gst_buffer_unmap (buffer, &map);
  return GST_FLOW_OK;
}

/*
 * When an output is gone, PulseAudio may go on with a microphone, which nobody wants to record by
 * surprise. Runs in a thread of GStreamer, or before the pipeline plays.
 */
static void
on_moved (GObject *element, GParamSpec *pspec, gpointer user_data)
{
  g_autofree char *device = NULL;

  g_object_get (element, "current-device", &device, NULL);
  if (device != NULL && !g_str_has_suffix (device, ".monitor"))
    GST_ELEMENT_ERROR (element, RESOURCE, READ, ("The output is gone."), ("now %s", device));
}

static void
watch_moves (PterisSoundDevice *device, GstElement *element)
{
  if (device->kind == PTERIS_SOUND_COMPUTER &&
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), "current-device") != NULL)
    g_signal_connect (element, "notify::current-device", G_CALLBACK (on_moved), NULL);
}

PterisSoundSource *
pteris_sound_source_new (PterisSoundDevice *device, guint rate, PterisSoundReceive *receive,
                         gpointer user_data)
{
  GstAppSinkCallbacks callbacks = { .new_sample = on_sample };
  PterisSoundSource *self = g_new0 (PterisSoundSource, 1);
  g_autoptr (GstCaps) caps = make_caps (rate);
  Line *line = &self->line;
  GstElement *source, *sink;

  self->receive = receive;
  self->user_data = user_data;
  line->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  source = add_element (line,
                        device->handle != NULL
                            ? make_listed (device, &line->failure)
                            : make_default ("PTERIS_AUDIO_SOURCE", "autoaudiosrc", &line->failure));
  if (source == NULL)
    return self;
  watch_moves (device, source);
  sink = add_element (line, gst_element_factory_make ("appsink", NULL));
  if (!link_line (line, source, sink))
    return self;
  g_object_set (sink, "caps", caps, "sync", FALSE, NULL);
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, self, NULL);
  gst_element_set_state (line->pipeline, GST_STATE_PLAYING);
  return self;
}

gboolean
pteris_sound_source_check (PterisSoundSource *self, GError **error)
{
  return check_line (&self->line, error);
}

void
pteris_sound_source_free (PterisSoundSource *self)
{
  end_line (&self->line);
  g_free (self);
}

/* ---- the loudspeaker ---- */

/* Runs in a thread of GStreamer when it needs samples. */
static void
on_need_data (GstAppSrc *source, guint length, gpointer user_data)
{
  PterisSoundSink *self = user_data;
  gsize size = self->piece * sizeof (gint16);
  gint16 *samples = g_malloc (size);
  GstBuffer *buffer;

  if (!self->fill (self->user_data, samples)) {
    g_free (samples);
    gst_app_src_end_of_stream (source);
    return;
  }
  buffer = gst_buffer_new_wrapped (samples, size);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (self->n_filled, GST_SECOND, self->rate);
  GST_BUFFER_DURATION (buffer) = gst_util_uint64_scale (self->piece, GST_SECOND, self->rate);
  self->n_filled += self->piece;
  gst_app_src_push_buffer (source, buffer);
}

PterisSoundSink *
pteris_sound_sink_new (PterisSoundDevice *device, guint rate, gsize piece, PterisSoundFill *fill,
                       gpointer user_data, GDestroyNotify destroy)
{
  GstAppSrcCallbacks callbacks = { .need_data = on_need_data };
  PterisSoundSink *self = g_new0 (PterisSoundSink, 1);
  g_autoptr (GstCaps) caps = make_caps (rate);
  Line *line = &self->line;
  GstElement *source, *sink;

  self->rate = rate;
  self->piece = piece;
  self->fill = fill;
  self->user_data = user_data;
  self->destroy = destroy;
  line->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  sink =
      add_element (line, device->handle != NULL
                             ? make_listed (device, &line->failure)
                             : make_default ("PTERIS_AUDIO_SINK", "autoaudiosink", &line->failure));
  if (sink == NULL)
    return self;
  source = add_element (line, gst_element_factory_make ("appsrc", NULL));
  if (!link_line (line, source, sink))
    return self;
  g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  gst_app_src_set_callbacks (GST_APP_SRC (source), &callbacks, self, NULL);
  gst_element_set_state (line->pipeline, GST_STATE_PLAYING);
  return self;
}

double
pteris_sound_sink_get_seconds (PterisSoundSink *self)
{
  gint64 time;

  if (gst_element_query_position (self->line.pipeline, GST_FORMAT_TIME, &time) && time >= 0)
    self->seconds = (double) time / GST_SECOND;
  return self->seconds;
}

gboolean
pteris_sound_sink_check (PterisSoundSink *self, GError **error)
{
  return check_line (&self->line, error);
}

void
pteris_sound_sink_free (PterisSoundSink *self)
{
  end_line (&self->line);
  self->destroy (self->user_data);
  g_free (self);
}
