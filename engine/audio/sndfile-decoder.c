/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/decoder.h"
#include "engine/base/set-error.h"

#include <fcntl.h>
#ifdef G_OS_WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <glib/gstdio.h>
#include <sndfile.h>

#include "engine/audio/audio-source.h"

#define MIN_RATE 1000
#define MAX_RATE 1000000
/* Seconds that a decoder may lose at joints and at the end. */
#define LENGTH_TOLERANCE 0.5

typedef struct {
  PtAudioDecoder parent;
  PtAudioSource source;
  char *name; /* for messages */
  SNDFILE *file;
  SF_INFO info;
  guint64 n_decoded;
} SndfileDecoder;

/*
 * libsndfile's MP3 decoder prints every error to stderr and has no option against it. Errors also
 * return to us, so stderr is closed while it decodes.
 */
static int
mute_errors (const SndfileDecoder *self)
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
fail_damaged (const SndfileDecoder *self, const char *why, GError **error)
{
  return pt_fail (
      error, PT_ERROR_AUDIO,
      "The recording “%s” is damaged %.1f seconds after its beginning (%s). Get the file "
      "again, or repair it, for example with: ffmpeg -i FILE repaired.flac",
      self->name, (double) self->n_decoded / self->info.samplerate, why);
}

static gboolean
length_is_known (const SndfileDecoder *self)
{
  /* Lengths above 30 years mean "unknown". */
  return self->info.frames > 0 &&
         self->info.frames / self->info.samplerate < (sf_count_t) 30 * 365 * 24 * 3600;
}

/* The decoder returned no more frames: checks that the recording really ends here. */
static gboolean
check_end (const SndfileDecoder *self, GError **error)
{
  double missing;

  if (sf_error (self->file) != SF_ERR_NO_ERROR)
    return fail_damaged (self, sf_strerror (self->file), error);
  if (self->n_decoded == 0)
    return pt_fail (error, PT_ERROR_AUDIO, "The recording “%s” is empty: its length is zero.",
                    self->name);
  missing = ((double) self->info.frames - (double) self->n_decoded) / self->info.samplerate;
  if (length_is_known (self) && missing > LENGTH_TOLERANCE) {
    g_autofree char *why = g_strdup_printf ("%.1f seconds are missing", missing);

    return fail_damaged (self, why, error);
  }
  return TRUE;
}

static gboolean
open_file (SndfileDecoder *self, const char **guess, GError **error)
{
  int saved = mute_errors (self);

  self->file = sf_open_virtual (&pt_audio_source_io, SFM_READ, &self->info, &self->source);
  unmute_errors (saved);
  if (self->source.failure != 0)
    return pt_audio_fail_read (self->name, self->source.failure, error);
  if (self->file == NULL) {
    *guess = pt_audio_source_guess (&self->source);
    return pt_fail (error, PT_ERROR_FORMAT, "“%s” is %s.", self->name,
                    *guess != NULL ? *guess : "damaged, or not a supported recording");
  }
  if (self->info.channels <= 0)
    return pt_fail (error, PT_ERROR_AUDIO, "The recording “%s” has no channels.", self->name);
  if (self->info.samplerate < MIN_RATE || self->info.samplerate > MAX_RATE)
    return pt_fail (error, PT_ERROR_AUDIO,
                    "The recording “%s” has an unsupported sample rate: %d Hz.", self->name,
                    self->info.samplerate);
  return TRUE;
}

static gssize
sndfile_read (PtAudioDecoder *decoder, float *frames, gsize n, GCancellable *cancellable,
              GError **error)
{
  SndfileDecoder *self = (SndfileDecoder *) decoder;
  int saved = mute_errors (self);
  sf_count_t got = sf_readf_float (self->file, frames, (sf_count_t) n);

  unmute_errors (saved);
  /* An error of the source precedes the result of the decoder. */
  if (self->source.failure != 0) {
    pt_audio_fail_read (self->name, self->source.failure, error);
    return -1;
  }
  if (got <= 0)
    return check_end (self, error) ? 0 : -1;
  self->n_decoded += (guint64) got;
  return (gssize) got;
}

/* libsndfile's seek in an MP3 is inexact. */
static gboolean
sndfile_seek (PtAudioDecoder *decoder, guint64 frame)
{
  SndfileDecoder *self = (SndfileDecoder *) decoder;

  if (self->source.is_mpeg || !self->info.seekable || !length_is_known (self) ||
      frame >= (guint64) self->info.frames ||
      sf_seek (self->file, (sf_count_t) frame, SEEK_SET) != (sf_count_t) frame)
    return FALSE;
  self->n_decoded = frame;
  return TRUE;
}

static void
sndfile_free (PtAudioDecoder *decoder)
{
  SndfileDecoder *self = (SndfileDecoder *) decoder;

  if (self->file != NULL)
    sf_close (self->file);
  pt_audio_source_close (&self->source);
  g_free (self->name);
  g_free (self);
}

PtAudioDecoder *
pt_sndfile_decoder_open (const char *path, const char *name, const char **guess,
                         GCancellable *cancellable, GError **error)
{
  SndfileDecoder *self = g_new0 (SndfileDecoder, 1);
  g_autoptr (PtAudioDecoder) decoder = &self->parent;

  *guess = NULL;
  self->parent.read = sndfile_read;
  self->parent.seek = sndfile_seek;
  self->parent.free = sndfile_free;
  self->name = g_strdup (name);
  if (!pt_audio_source_open (&self->source, path, name, cancellable, error) ||
      !open_file (self, guess, error))
    return NULL;
  self->parent.rate = (guint) self->info.samplerate;
  self->parent.n_channels = (guint) self->info.channels;
  self->parent.n_frames = length_is_known (self) ? self->info.frames : -1;
  return g_steal_pointer (&decoder);
}
