/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/decoder.h"
#include "engine/base/given-files.h"
#include "engine/base/set-error.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/pbutils/missing-plugins.h>

#include "engine/audio/mpeg.h"

/* Time after which a stalled decoder is stopped, in microseconds. */
#define PATIENCE (20 * G_USEC_PER_SEC)

/* The same before the first samples: some damaged files make it wait for more data. */
#define FIRST_PATIENCE (3 * G_USEC_PER_SEC)
/* Some damaged files end without an error; then no thread of the pipeline works. This many checks
   in a row must find that. */
#define IDLE_LOOKS 3
/* Interval of checks for cancellation while waiting. */
#define TICK (50 * GST_MSECOND)
/* Decoded buffers in the queue: decoding ahead of the model costs memory and gains nothing. */
#define MAX_BUFFERS 8
/* Most elements of the pipeline: a file of nested tags would create thousands. */
#define MAX_ELEMENTS 64
#define DEFAULT_RATE 16000
/* Return values of decodebin's autoplug-select. */
#define SELECT_TRY 0
#define SELECT_SKIP 2

typedef struct {
  PtAudioDecoder parent;
  char *name;        /* for messages */
  const char *guess; /* what the file is; static */
  gboolean is_cut;   /* its end is missing */
  GstElement *pipeline;
  GstElement *convert; /* where the sound goes in */
  GstElement *sink;
  GstSample *sample; /* being read */
  gsize used;        /* bytes of it */
  guint64 n_decoded;
  gint is_linked;  /* there is sound; atomic */
  gint n_elements; /* that were tried; atomic */
  gint is_known;   /* decodebin has exposed all tracks; atomic */
  char *missing;   /* name of a missing plug-in, for people */
  char *package;   /* that has it */
} GstDecoder;

/* ---- starting GStreamer ---- */

static gboolean
init (GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (gst_is_initialized ())
    return TRUE;
  /* A model's process starts no programs: it looks for plug-ins itself. */
  if (g_getenv ("PTERIS_HOST") != NULL)
    gst_registry_fork_set_enabled (FALSE);
  if (gst_init_check (NULL, NULL, &reason))
    return TRUE;
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "GStreamer cannot be started: %s",
                  reason != NULL ? reason->message : "no reason was given.");
}

/* ---- the pipeline ---- */

/*
 * Some formats are lists of URLs, and some plug-ins draw or open devices. A recording needs none of
 * these.
 */
static gboolean
is_wanted (const char *class)
{
  if (strstr (class, "Adaptive") != NULL || strstr (class, "Network") != NULL)
    return FALSE;
  return strstr (class, "Demuxer") != NULL ||
         ((strstr (class, "Parser") != NULL || strstr (class, "Decoder") != NULL) &&
          strstr (class, "Video") == NULL && strstr (class, "Image") == NULL &&
          strstr (class, "Subtitle") == NULL);
}

static int
on_autoplug_select (GstElement *bin, GstPad *pad, GstCaps *caps, GstElementFactory *factory,
                    GstDecoder *self)
{
  const char *class = gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS);

  if (class == NULL || !is_wanted (class) ||
      g_atomic_int_add (&self->n_elements, 1) >= MAX_ELEMENTS)
    return SELECT_SKIP;
  return SELECT_TRY;
}

/* Runs in a thread of GStreamer. The first audio track is used. */
static void
on_pad_added (GstElement *bin, GstPad *pad, GstDecoder *self)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstPad) target = gst_element_get_static_pad (self->convert, "sink");

  if (caps == NULL || gst_caps_is_empty (caps) ||
      !g_str_has_prefix (gst_structure_get_name (gst_caps_get_structure (caps, 0)),
                         "audio/x-raw") ||
      gst_pad_is_linked (target))
    return;
  if (gst_pad_link (pad, target) == GST_PAD_LINK_OK)
    g_atomic_int_set (&self->is_linked, TRUE);
}

static void
on_no_more_pads (GstElement *bin, GstDecoder *self)
{
  g_atomic_int_set (&self->is_known, TRUE);
}

static GstElement *
add_element (GstDecoder *self, const char *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element != NULL)
    gst_bin_add (GST_BIN (self->pipeline), element);
  return element;
}

/* This process may not open a given file by its path: it is mapped. */
static gboolean
set_stream (GstElement *source, const char *path, const char *name, GError **error)
{
  int fd = pt_input_open (path, O_RDONLY);
  g_autoptr (GMappedFile) file = fd >= 0 ? g_mapped_file_new_from_fd (fd, FALSE, NULL) : NULL;
  g_autoptr (GBytes) bytes = file != NULL ? g_mapped_file_get_bytes (file) : NULL;
  g_autoptr (GInputStream) stream = NULL;

  if (fd >= 0)
    g_close (fd, NULL);
  if (bytes == NULL)
    return pt_fail (error, PT_ERROR_FILE, "The recording “%s” cannot be opened.", name);
  stream = g_memory_input_stream_new_from_bytes (bytes);
  g_object_set (source, "stream", stream, NULL);
  return TRUE;
}

static gboolean
build (GstDecoder *self, const char *path, GError **error)
{
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("audio/x-raw");
  g_autoptr (GstCaps) wanted = gst_caps_new_simple (
      "audio/x-raw", "format", G_TYPE_STRING, G_BYTE_ORDER == G_LITTLE_ENDIAN ? "F32LE" : "F32BE",
      "layout", G_TYPE_STRING, "interleaved", "channels", G_TYPE_INT, 1, "rate", G_TYPE_INT,
      (int) self->parent.rate, NULL);
  GstElement *source, *bin, *resample;
  gboolean given;

  self->pipeline = gst_object_ref_sink (gst_pipeline_new (NULL));
  given = pt_given_has (path);
  source = add_element (self, given ? "giostreamsrc" : "filesrc");
  bin = add_element (self, "decodebin");
  self->convert = add_element (self, "audioconvert");
  resample = add_element (self, "audioresample");
  self->sink = add_element (self, "appsink");
  if (source == NULL || bin == NULL || self->convert == NULL || resample == NULL ||
      self->sink == NULL)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "“%s” is %s. Reading it needs GStreamer plug-ins: install the package "
                    "gstreamer1.0-plugins-base.",
                    self->name, self->guess);
  if (given && !set_stream (source, path, self->name, error))
    return FALSE;
  if (!given)
    g_object_set (source, "location", path, NULL);
  /* Video is not decoded. */
  g_object_set (bin, "caps", raw, "expose-all-streams", FALSE, NULL);
  g_object_set (self->sink, "caps", wanted, "sync", FALSE, "max-buffers", MAX_BUFFERS, NULL);
  g_signal_connect (bin, "autoplug-select", G_CALLBACK (on_autoplug_select), self);
  g_signal_connect (bin, "pad-added", G_CALLBACK (on_pad_added), self);
  g_signal_connect (bin, "no-more-pads", G_CALLBACK (on_no_more_pads), self);
  if (!gst_element_link (source, bin) ||
      !gst_element_link_many (self->convert, resample, self->sink, NULL))
    return pt_fail (error, PT_ERROR_INTERNAL, "GStreamer is incomplete. Install it again.");
  return TRUE;
}

/* ---- errors ---- */

/* @detail: ends in "decoder-" and the media type that cannot be decoded, of a container too. */
static const char *
find_package (const char *detail)
{
  static const struct {
    const char *part, *package;
  } PACKAGES[] = {
    { "quicktime", "gstreamer1.0-plugins-good" }, { "matroska", "gstreamer1.0-plugins-good" },
    { "webm", "gstreamer1.0-plugins-good" },      { "msvideo", "gstreamer1.0-plugins-good" },
    { "x-flv", "gstreamer1.0-plugins-good" },     { "x-id3", "gstreamer1.0-plugins-good" },
    { "wavpack", "gstreamer1.0-plugins-good" },   { "x-ms-asf", "gstreamer1.0-plugins-ugly" },
    { "vorbis", "gstreamer1.0-plugins-base" },    { "opus", "gstreamer1.0-plugins-base" },
    { "mpegts", "gstreamer1.0-plugins-bad" },     { "x-cdxa", "gstreamer1.0-plugins-bad" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (PACKAGES); i++)
    if (strstr (detail, PACKAGES[i].part) != NULL)
      return PACKAGES[i].package;
  return "gstreamer1.0-libav";
}

static void
note_missing (GstDecoder *self, GstMessage *message)
{
  g_autofree char *detail = gst_missing_plugin_message_get_installer_detail (message);

  if (self->missing != NULL)
    return;
  self->missing = gst_missing_plugin_message_get_description (message);
  self->package = g_strdup (find_package (detail != NULL ? detail : ""));
}

static gboolean
fail_damaged (const GstDecoder *self, const char *why, GError **error)
{
  if (self->n_decoded == 0 && self->is_cut)
    return pt_fail (
        error, PT_ERROR_AUDIO,
        "“%s” is %s whose end is missing, so that it cannot be read. Get the file again.",
        self->name, self->guess);
  if (self->n_decoded == 0)
    return pt_fail (error, PT_ERROR_FORMAT, "“%s” seems to be %s, but cannot be read: %s",
                    self->name, self->guess, why);
  return pt_fail (error, PT_ERROR_AUDIO,
                  "The recording “%s” is damaged %.1f seconds after its beginning (%s). Get the "
                  "file again, or repair it, for example with: ffmpeg -i FILE repaired.flac",
                  self->name, (double) self->n_decoded / self->parent.rate, why);
}

static gboolean
fail_missing (const GstDecoder *self, GError **error)
{
  if (g_atomic_int_get (&self->n_elements) >= MAX_ELEMENTS)
    return fail_damaged (self, "too many tags lie within each other", error);
  return pt_fail (error, PT_ERROR_FORMAT,
                  "“%s” is %s. Reading it needs a GStreamer plug-in (%s): install the package %s, "
                  "or convert the file, for example with: ffmpeg -i FILE new.flac",
                  self->name, self->guess, self->missing, self->package);
}

static gboolean
fail_silent (const GstDecoder *self, GError **error)
{
  return pt_fail (error, PT_ERROR_FORMAT, "“%s” is %s without audio.", self->name, self->guess);
}

static gboolean
fail_message (const GstDecoder *self, const GError *reason, GError **error)
{
  if (self->missing != NULL)
    return fail_missing (self, error);
  /* No plug-in was reported missing, so it is one for video, which is not searched for. */
  if (self->n_decoded == 0 &&
      (g_error_matches (reason, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN) ||
       g_error_matches (reason, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND)))
    return fail_silent (self, error);
  return fail_damaged (self, reason->message, error);
}

/* Checks the messages of the bus; FALSE: there was an error. */
static gboolean
check_bus (GstDecoder *self, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);
  gboolean good = TRUE;

  while (good) {
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT);
    g_autoptr (GError) reason = NULL;

    if (message == NULL)
      break;
    if (gst_is_missing_plugin_message (message)) {
      note_missing (self, message);
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &reason, NULL);
      good = fail_message (self, reason, error);
    }
  }
  return good;
}

static gboolean
has_running_task (GstElement *element)
{
  gboolean found = FALSE;
  GList *pads;

  GST_OBJECT_LOCK (element);
  pads = g_list_copy (element->pads);
  for (GList *link = pads; link != NULL; link = link->next)
    gst_object_ref (link->data);
  GST_OBJECT_UNLOCK (element);
  for (GList *link = pads; link != NULL && !found; link = link->next)
    found = gst_pad_get_task_state (link->data) == GST_TASK_STARTED;
  g_list_free_full (pads, gst_object_unref);
  return found;
}

/* Whether any thread of the pipeline is working or waiting for a lock. */
static gboolean
is_at_work (GstDecoder *self)
{
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (self->pipeline));
  GstIteratorResult result = GST_ITERATOR_OK;
  GValue value = G_VALUE_INIT;
  gboolean found = FALSE;

  while (!found && (result = gst_iterator_next (elements, &value)) == GST_ITERATOR_OK) {
    found = has_running_task (g_value_get_object (&value));
    g_value_reset (&value);
  }
  g_value_unset (&value);
  gst_iterator_free (elements);
  /* Elements are being added or removed: a new one will work. */
  return found || result == GST_ITERATOR_RESYNC;
}

/* Waiting for a decoder's output. */
typedef struct {
  gint64 since, patience;
  guint n_idle; /* consecutive checks in which no thread worked */
} Wait;

static gboolean
check_wait (GstDecoder *self, Wait *wait, GCancellable *cancellable, GError **error)
{
  wait->n_idle = is_at_work (self) ? 0 : wait->n_idle + 1;
  if (g_cancellable_is_cancelled (cancellable))
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  if (wait->n_idle >= IDLE_LOOKS)
    return fail_damaged (self, "the decoder gave up", error);
  if (g_get_monotonic_time () - wait->since > wait->patience)
    return fail_damaged (self, "the decoder makes no progress", error);
  return TRUE;
}

/* ---- the beginning ---- */

static gboolean
preroll (GstDecoder *self, GCancellable *cancellable, GError **error)
{
  Wait wait = { g_get_monotonic_time (), FIRST_PATIENCE, 0 };
  GstStateChangeReturn state = gst_element_set_state (self->pipeline, GST_STATE_PAUSED);

  while (state == GST_STATE_CHANGE_ASYNC || state == GST_STATE_CHANGE_SUCCESS) {
    if (!check_bus (self, error) || !check_wait (self, &wait, cancellable, error))
      return FALSE;
    if (g_atomic_int_get (&self->is_known) && !g_atomic_int_get (&self->is_linked))
      break;
    if (state == GST_STATE_CHANGE_SUCCESS)
      return TRUE;
    state = gst_element_get_state (self->pipeline, NULL, NULL, TICK);
  }
  if (!check_bus (self, error))
    return FALSE;
  if (self->missing != NULL)
    return fail_missing (self, error);
  return self->is_cut ? fail_damaged (self, "", error) : fail_silent (self, error);
}

/* ---- reading ---- */

static gboolean
gst_decoder_seek (PtAudioDecoder *decoder, guint64 frame)
{
  GstDecoder *self = (GstDecoder *) decoder;
  guint64 time = gst_util_uint64_scale (frame, GST_SECOND, decoder->rate);

  if (decoder->n_frames < 0 || frame >= (guint64) decoder->n_frames ||
      !gst_element_seek_simple (self->pipeline, GST_FORMAT_TIME,
                                GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, (gint64) time))
    return FALSE;
  self->n_decoded = frame;
  return TRUE;
}

/* Gets the next buffer; FALSE also at the end, without an error. */
static gboolean
pull (GstDecoder *self, GCancellable *cancellable, GError **error)
{
  Wait wait = { g_get_monotonic_time (), PATIENCE, 0 };

  g_clear_pointer (&self->sample, gst_sample_unref);
  self->used = 0;
  while (self->sample == NULL) {
    self->sample = gst_app_sink_try_pull_sample (GST_APP_SINK (self->sink), TICK);
    if (self->sample != NULL)
      break;
    if (!check_bus (self, error))
      return FALSE;
    if (gst_app_sink_is_eos (GST_APP_SINK (self->sink))) {
      if (self->n_decoded == 0)
        return pt_fail (error, PT_ERROR_AUDIO, "The recording “%s” is empty: its length is zero.",
                        self->name);
      return self->is_cut && fail_damaged (self, "the end of the file is missing", error);
    }
    if (!check_wait (self, &wait, cancellable, error))
      return FALSE;
  }
  return TRUE;
}

static gssize
gst_decoder_read (PtAudioDecoder *decoder, float *frames, gsize n, GCancellable *cancellable,
                  GError **error)
{
  GstDecoder *self = (GstDecoder *) decoder;
  gsize done = 0;

  if (GST_STATE_TARGET (self->pipeline) != GST_STATE_PLAYING)
    gst_element_set_state (self->pipeline, GST_STATE_PLAYING);
  while (done < n) {
    GstBuffer *buffer = self->sample != NULL ? gst_sample_get_buffer (self->sample) : NULL;
    gsize left = buffer != NULL ? gst_buffer_get_size (buffer) - self->used : 0;
    gsize count = MIN ((n - done), left / sizeof (float));

    if (count == 0) {
      g_autoptr (GError) reason = NULL;

      /* The samples decoded so far are returned first; the error follows in the next call. */
      if (done > 0)
        break;
      if (!pull (self, cancellable, &reason)) {
        if (reason == NULL)
          return 0;
        g_propagate_error (error, g_steal_pointer (&reason));
        return -1;
      }
      continue;
    }
    gst_buffer_extract (buffer, self->used, frames + done, count * sizeof (float));
    self->used += count * sizeof (float);
    done += count;
    self->n_decoded += count;
  }
  return (gssize) done;
}

static void
gst_decoder_free (PtAudioDecoder *decoder)
{
  GstDecoder *self = (GstDecoder *) decoder;

  g_clear_pointer (&self->sample, gst_sample_unref);
  if (self->pipeline != NULL) {
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
    gst_object_unref (self->pipeline);
  }
  g_free (self->missing);
  g_free (self->package);
  g_free (self->name);
  g_free (self);
}

PtAudioDecoder *
pt_gst_decoder_open (const char *path, const char *name, const char *guess, guint rate,
                     GCancellable *cancellable, GError **error)
{
  GstDecoder *self = g_new0 (GstDecoder, 1);
  g_autoptr (PtAudioDecoder) decoder = &self->parent;
  gint64 duration;

  self->parent.read = gst_decoder_read;
  self->parent.seek = gst_decoder_seek;
  self->parent.free = gst_decoder_free;
  self->parent.rate = rate > 0 ? rate : DEFAULT_RATE;
  self->parent.n_channels = 1;
  self->parent.n_frames = -1;
  self->name = g_strdup (name);
  self->guess = guess;
  self->is_cut = strstr (guess, "MPEG-4") != NULL && pt_mpeg4_is_cut_short (path);
  if (!init (error) || !build (self, path, error) || !preroll (self, cancellable, error))
    return NULL;
  if (gst_element_query_duration (self->pipeline, GST_FORMAT_TIME, &duration) && duration > 0)
    self->parent.n_frames =
        (gint64) gst_util_uint64_scale ((guint64) duration, self->parent.rate, GST_SECOND);
  return g_steal_pointer (&decoder);
}
