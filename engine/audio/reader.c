/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <pteris/audio.h>

#include <samplerate.h>

#include "engine/audio/decoder.h"
#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

/* Floats per block, of all channels. */
#define BLOCK_FLOATS (16 * 1024)
/* Larger values are damage in a float file; they would dominate the spectrum. */
#define MAX_MAGNITUDE 1e6f
/* Largest start position in seconds: a year. */
#define MAX_START (365.0 * 24 * 3600)
/* Medium keeps up to 90 % of the band (7.2 of 8 kHz; Fastest: 80 %) with 121 dB, and costs half a
 * percent of the recording's time. Best would cost 2 % for what the mel bands cannot show. */
#define CONVERTER SRC_SINC_MEDIUM_QUALITY
/* The advice for a file that cannot be used. */
#define CONVERT                                                                     \
  "WAV, FLAC, Ogg Vorbis, Opus, MP3 and AIFF can be read: convert it, for example " \
  "with: ffmpeg -i FILE new.flac"

struct _PtAudioReader {
  char *name; /* for messages */
  PtAudioDecoder *decoder;
  guint rate;
  SRC_STATE *resampler; /* NULL: no resampling is needed */
  float *frames;        /* a decoded block, channels interleaved; NULL: the recording is mono */
  float *mono;
  gsize block_frames;
  gsize begin, end;  /* unread samples in mono */
  guint64 n_skipped; /* frames before the start position that still have to be decoded */
  gboolean at_end;
};

/* NaN or 1e38 in a file would spoil the whole spectrum. The comparison is false for NaN. */
static void
clean (float *samples, gsize n)
{
  gsize i;

  for (i = 0; i < n; i++)
    samples[i] = fabsf (samples[i]) <= MAX_MAGNITUDE ? samples[i] : 0.0f;
}

static void
mix_down (const float *frames, guint n_channels, gsize n, float *mono)
{
  float scale = 1.0f / (float) n_channels;
  gsize i;
  guint c;

  for (i = 0; i < n; i++, frames += n_channels) {
    float sum = 0;

    for (c = 0; c < n_channels; c++)
      sum += frames[c];
    mono[i] = sum * scale;
  }
}

/* Decodes the next block and mixes it to mono. */
static gboolean
decode_block (PtAudioReader *self, GCancellable *cancellable, GError **error)
{
  float *into = self->frames != NULL ? self->frames : self->mono;
  guint n_channels = self->decoder->n_channels;
  gssize n = self->decoder->read (self->decoder, into, self->block_frames, cancellable, error);

  self->begin = 0;
  self->end = n > 0 ? (gsize) n : 0;
  self->at_end = n == 0;
  if (n < 0)
    return FALSE;
  clean (into, self->end * n_channels);
  if (self->frames != NULL)
    mix_down (self->frames, n_channels, self->end, self->mono);
  return TRUE;
}

/* Drops the samples before the start position. */
static gboolean
skip (PtAudioReader *self, GCancellable *cancellable, GError **error)
{
  while (self->n_skipped > 0 && !self->at_end) {
    guint64 n;

    if (self->begin == self->end && !decode_block (self, cancellable, error))
      return FALSE;
    if (g_cancellable_is_cancelled (cancellable))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    n = MIN (self->n_skipped, self->end - self->begin);
    self->begin += (gsize) n;
    self->n_skipped -= n;
  }
  return TRUE;
}

static gboolean
open_decoder (PtAudioReader *self, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) reason = NULL;
  const char *guess;

  self->decoder = pt_sndfile_decoder_open (path, self->name, &guess, cancellable, &reason);
  if (self->decoder == NULL && guess == NULL && g_error_matches (reason, PT_ERROR, PT_ERROR_FORMAT))
    return pt_fail (error, PT_ERROR_FORMAT, "%s " CONVERT, reason->message);
#ifdef PT_HAVE_GSTREAMER
  if (self->decoder == NULL && guess != NULL) {
    self->decoder = pt_gst_decoder_open (path, self->name, guess, self->rate, cancellable, error);
    return self->decoder != NULL;
  }
#elif defined(G_OS_WIN32)
  if (self->decoder == NULL && guess != NULL) {
    self->decoder = pt_mf_decoder_open (path, self->name, guess, cancellable, error);
    return self->decoder != NULL;
  }
#else
  if (self->decoder == NULL && guess != NULL)
    return pt_fail (error, PT_ERROR_FORMAT, "%s " CONVERT, reason->message);
#endif
  if (self->decoder == NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  return self->decoder != NULL;
}

static gboolean
open_resampler (PtAudioReader *self, GError **error)
{
  int status = 0;

  if (self->rate == 0)
    self->rate = self->decoder->rate;
  if (self->decoder->rate == self->rate)
    return TRUE;
  self->resampler = src_new (CONVERTER, 1, &status);
  if (self->resampler == NULL)
    return pt_fail (error, PT_ERROR_MEMORY, "The recording “%s” cannot be resampled: %s.",
                    self->name, src_strerror (status));
  return TRUE;
}

static gboolean
allocate_blocks (PtAudioReader *self, GError **error)
{
  gsize n_channels = self->decoder->n_channels;

  self->block_frames = MAX (1, BLOCK_FLOATS / n_channels);
  self->mono = pt_allocate (self->block_frames, sizeof (float), error);
  if (self->mono == NULL || n_channels == 1)
    return self->mono != NULL;
  self->frames = pt_allocate (self->block_frames * n_channels, sizeof (float), error);
  return self->frames != NULL;
}

/* Prepares everything behind the decoder. */
static gboolean
start_at (PtAudioReader *self, double start, GCancellable *cancellable, GError **error)
{
  guint64 frame;

  if (!open_resampler (self, error) || !allocate_blocks (self, error))
    return FALSE;
  frame = (guint64) (CLAMP (start, 0, MAX_START) * self->decoder->rate + 0.5);
  if (frame > 0 && !self->decoder->seek (self->decoder, frame))
    self->n_skipped = frame;
  /* The first block is decoded now, because most damaged files fail here. */
  return decode_block (self, cancellable, error) && skip (self, cancellable, error);
}

PtAudioReader *
pt_audio_reader_open_at (const char *path, double start, guint rate, GCancellable *cancellable,
                         GError **error)
{
  g_autoptr (PtAudioReader) self = g_new0 (PtAudioReader, 1);

  self->name = g_filename_display_basename (path);
  self->rate = rate;
  if (!open_decoder (self, path, cancellable, error) || !start_at (self, start, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

PtAudioReader *
pt_audio_reader_follow (const char *path, double start, guint rate, gboolean raw,
                        GCancellable *finish, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtAudioReader) self = g_new0 (PtAudioReader, 1);

  self->name = strcmp (path, "-") == 0 ? g_strdup (path) : g_filename_display_basename (path);
  self->rate = rate;
  self->decoder = pt_live_decoder_open (path, self->name, raw, finish, cancellable, error);
  if (self->decoder == NULL || !start_at (self, start, cancellable, error))
    return NULL;
  return g_steal_pointer (&self);
}

PtAudioReader *
pt_audio_reader_open (const char *path, guint rate, GCancellable *cancellable, GError **error)
{
  return pt_audio_reader_open_at (path, 0, rate, cancellable, error);
}

void
pt_audio_reader_free (PtAudioReader *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->resampler, src_delete);
  pt_audio_decoder_free (self->decoder);
  g_free (self->frames);
  g_free (self->mono);
  g_free (self->name);
  g_free (self);
}

/* Copies or resamples from mono to @out. FALSE: error; *n may be 0. */
static gboolean
take (PtAudioReader *self, float *out, gsize room, gsize *n, GError **error)
{
  SRC_DATA job = { 0 };
  int status;

  if (self->resampler == NULL) {
    *n = MIN (room, self->end - self->begin);
    memcpy (out, self->mono + self->begin, *n * sizeof (float));
    self->begin += *n;
    return TRUE;
  }
  job.data_in = self->mono + self->begin;
  job.input_frames = (long) (self->end - self->begin);
  job.data_out = out;
  job.output_frames = (long) MIN (room, G_MAXINT);
  job.end_of_input = self->at_end;
  job.src_ratio = (double) self->rate / self->decoder->rate;
  status = src_process (self->resampler, &job);
  if (status != 0)
    return pt_fail (error, PT_ERROR_AUDIO, "The recording “%s” cannot be resampled: %s.",
                    self->name, src_strerror (status));
  self->begin += (gsize) job.input_frames_used;
  *n = (gsize) job.output_frames_gen;
  return TRUE;
}

gssize
pt_audio_reader_read (PtAudioReader *self, float *samples, gsize n, GCancellable *cancellable,
                      GError **error)
{
  gsize done = 0, taken = 0;

  while (done < n) {
    if (g_cancellable_is_cancelled (cancellable)) {
      pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
      return -1;
    }
    if (self->begin == self->end && !self->at_end && !decode_block (self, cancellable, error))
      return -1;
    if (!take (self, samples + done, n - done, &taken, error))
      return -1;
    if (taken == 0 && self->at_end)
      break;
    done += taken;
  }
  return (gssize) done;
}

double
pt_audio_reader_duration (const PtAudioReader *self)
{
  return self->decoder->n_frames >= 0 ? (double) self->decoder->n_frames / self->decoder->rate : -1;
}

guint
pt_audio_reader_rate (const PtAudioReader *self)
{
  return self->rate;
}
