/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/reader.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#ifdef G_OS_WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <glib/gstdio.h>
#include <samplerate.h>
#include <sndfile.h>

#include "engine/allocate.h"
#include "engine/audio/source.h"

/* Floats per block, of all channels. */
#define BLOCK_FLOATS (16 * 1024)
#define MIN_RATE 1000
#define MAX_RATE 1000000
/* Larger values are not sound but a damaged float file; they would hide everything else. */
#define MAX_MAGNITUDE 1e6f
/* Missing sound that a decoder may lose at joints and at the end, in seconds. */
#define LENGTH_TOLERANCE 0.5
/* Medium keeps up to 90 % of the band (7.2 of 8 kHz; Fastest: 80 %) with 121 dB, and costs half a
 * percent of the recording's time. Best would cost 2 % for what the mel bands cannot show. */
#define CONVERTER SRC_SINC_MEDIUM_QUALITY

struct _PtAudioReader {
  PtAudioSource source;
  char *name; /* for messages */
  SNDFILE *file;
  SF_INFO info;
  guint rate;
  SRC_STATE *resampler; /* NULL: the rate is right already */
  float *frames;        /* a decoded block, channels interleaved; NULL: it is mono */
  float *mono;
  gsize block_frames;
  gsize begin, end; /* samples in mono that are not used yet */
  guint64 n_decoded;
  gboolean at_end;
};

/*
 * The MP3 decoder inside libsndfile reports every bad bit on the standard error stream and offers
 * no switch. What it has to say comes back to us as an error, so that stream is shut meanwhile.
 */
static int
mute_errors (const PtAudioReader *self)
{
  int saved, null;

  if (!self->source.is_mpeg)
    return -1;
#ifdef G_OS_WIN32
  saved = _dup (2);
  null = g_open ("NUL", O_WRONLY, 0);
  if (saved >= 0 && null >= 0)
    _dup2 (null, 2);
#else
  saved = fcntl (2, F_DUPFD_CLOEXEC, 3);
  null = g_open ("/dev/null", O_WRONLY | O_CLOEXEC, 0);
  if (saved >= 0 && null >= 0)
    dup2 (null, 2);
#endif
  if (null >= 0)
    g_close (null, NULL);
  return saved;
}

static void
unmute_errors (int saved)
{
  if (saved < 0)
    return;
#ifdef G_OS_WIN32
  _dup2 (saved, 2);
#else
  dup2 (saved, 2);
#endif
  g_close (saved, NULL);
}

static gboolean
fail_format (PtAudioReader *self, GError **error)
{
  const char *guess = pt_audio_source_guess (&self->source);
  if (guess == NULL)
    guess = "damaged or no recording that can be read here";
  return pt_fail (error, PT_ERROR_FORMAT,
                  "“%s” is %s. WAV, FLAC, Ogg Vorbis, Opus, MP3 and AIFF can be read: convert it, "
                  "for example with: ffmpeg -i FILE new.flac",
                  self->name, guess);
}

static gboolean
fail_damaged (const PtAudioReader *self, const char *why, GError **error)
{
  return pt_fail (
      error, PT_ERROR_AUDIO,
      "The recording “%s” is damaged %.1f seconds after its beginning (%s). Get the file "
      "again, or repair it, for example with: ffmpeg -i FILE repaired.flac",
      self->name, (double) self->n_decoded / self->info.samplerate, why);
}

static gboolean
length_is_known (const PtAudioReader *self)
{
  /* 30 years stand for "unknown" as well as the largest number does. */
  return self->info.frames > 0 &&
         self->info.frames / self->info.samplerate < (sf_count_t) 30 * 365 * 24 * 3600;
}

/* The decoder gave nothing more: is that the end? */
static gboolean
check_end (const PtAudioReader *self, GError **error)
{
  double missing;

  if (sf_error (self->file) != SF_ERR_NO_ERROR)
    return fail_damaged (self, sf_strerror (self->file), error);
  if (self->n_decoded == 0)
    return pt_fail (error, PT_ERROR_AUDIO, "The recording “%s” holds no sound: its length is zero.",
                    self->name);
  missing = ((double) self->info.frames - (double) self->n_decoded) / self->info.samplerate;
  if (length_is_known (self) && missing > LENGTH_TOLERANCE) {
    g_autofree char *why = g_strdup_printf ("%.1f seconds are missing", missing);

    return fail_damaged (self, why, error);
  }
  return TRUE;
}

/* A file of 0/0 or 1e38 must not poison the whole spectrum. The comparison is false for NaN. */
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

/* Decode the next block into mono. */
static gboolean
decode_block (PtAudioReader *self, GError **error)
{
  float *into = self->frames != NULL ? self->frames : self->mono;
  guint n_channels = (guint) self->info.channels;
  int saved = mute_errors (self);
  sf_count_t n = sf_readf_float (self->file, into, (sf_count_t) self->block_frames);

  unmute_errors (saved);
  /* Whatever the decoder makes of what it got. */
  if (self->source.failure != 0)
    return pt_audio_fail_read (self->name, self->source.failure, error);
  self->begin = 0;
  self->end = n > 0 ? (gsize) n : 0;
  self->n_decoded += self->end;
  if (self->end == 0) {
    self->at_end = TRUE;
    return check_end (self, error);
  }
  clean (into, self->end * n_channels);
  if (self->frames != NULL)
    mix_down (self->frames, n_channels, self->end, self->mono);
  return TRUE;
}

static gboolean
open_decoder (PtAudioReader *self, GError **error)
{
  int saved = mute_errors (self);

  self->file = sf_open_virtual (&pt_audio_source_io, SFM_READ, &self->info, &self->source);
  unmute_errors (saved);
  if (self->source.failure != 0)
    return pt_audio_fail_read (self->name, self->source.failure, error);
  if (self->file == NULL)
    return fail_format (self, error);
  if (self->info.channels <= 0)
    return pt_fail (error, PT_ERROR_AUDIO, "The recording “%s” has no channels.", self->name);
  if (self->info.samplerate < MIN_RATE || self->info.samplerate > MAX_RATE)
    return pt_fail (error, PT_ERROR_AUDIO,
                    "The recording “%s” claims %d samples per second, which is no usable rate.",
                    self->name, self->info.samplerate);
  return TRUE;
}

static gboolean
open_resampler (PtAudioReader *self, GError **error)
{
  int status = 0;

  if ((guint) self->info.samplerate == self->rate)
    return TRUE;
  self->resampler = src_new (CONVERTER, 1, &status);
  if (self->resampler == NULL)
    return pt_fail (error, PT_ERROR_MEMORY, "No resampler for “%s”: %s.", self->name,
                    src_strerror (status));
  return TRUE;
}

PtAudioReader *
pt_audio_reader_open (const char *path, guint rate, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtAudioReader) self = g_new0 (PtAudioReader, 1);

  self->name = g_filename_display_basename (path);
  self->rate = rate;
  if (!pt_audio_source_open (&self->source, path, self->name, cancellable, error) ||
      !open_decoder (self, error) || !open_resampler (self, error))
    return NULL;
  self->block_frames = MAX (1, BLOCK_FLOATS / (gsize) self->info.channels);
  self->mono = pt_allocate (self->block_frames, sizeof (float), error);
  if (self->mono == NULL)
    return NULL;
  if (self->info.channels > 1) {
    self->frames =
        pt_allocate (self->block_frames * (gsize) self->info.channels, sizeof (float), error);
    if (self->frames == NULL)
      return NULL;
  }
  /* The first block now: most bad files show here. */
  if (!decode_block (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_audio_reader_free (PtAudioReader *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->resampler, src_delete);
  if (self->file != NULL)
    sf_close (self->file);
  pt_audio_source_close (&self->source);
  g_free (self->frames);
  g_free (self->mono);
  g_free (self->name);
  g_free (self);
}

/* Move samples from mono to @out. FALSE: failed; *n = 0 is possible. */
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
  job.src_ratio = (double) self->rate / self->info.samplerate;
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
    if (self->begin == self->end && !self->at_end && !decode_block (self, error))
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
  if (!length_is_known (self))
    return -1;
  return (double) self->info.frames / self->info.samplerate;
}
