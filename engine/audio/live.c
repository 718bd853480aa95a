/* SPDX-License-Identifier: BSD-3-Clause */

/* Decodes recordings that are still being written: WAV files and raw samples. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#ifdef G_OS_WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <glib/gstdio.h>

#include "engine/audio/decoder.h"
#include "engine/base/given-files.h"
#include "engine/base/set-error.h"

/* Intervals in milliseconds: between checks of a file, and the longest wait for a pipe. */
#define FILE_WAIT 20
#define PIPE_WAIT 100
#define MAX_CHANNELS 64
#define MIN_RATE 1000
#define MAX_RATE 1000000
#define RAW_RATE 16000
/* Larger chunks before the samples are not a header. */
#define MAX_CHUNK (1 << 20)
/* Sizes from this on mean that the writer of a pipe does not know the length. */
#define UNKNOWN_SIZE 0x7fff0000u
#define BLOCK 8192

#define FORMAT_PCM 1
#define FORMAT_FLOAT 3
#define FORMAT_EXTENSIBLE 0xfffe

typedef struct {
  PtAudioDecoder parent;
  char *name;
  int fd;
  gboolean is_pipe;
  GCancellable *finish; /* or NULL */
  gboolean is_float;
  guint sample_size; /* bytes */
  guint64 left;      /* bytes of samples to come */
  guint8 block[BLOCK];
  gsize begin, end; /* unread bytes of the block */
} Live;

static void
live_free (PtAudioDecoder *decoder)
{
  Live *self = (Live *) decoder;

  if (self->fd >= 0 && !self->is_pipe)
    g_close (self->fd, NULL);
  g_clear_object (&self->finish);
  g_free (self->name);
  g_free (self);
}

/* ---- bytes ---- */

/* FALSE: timeout. */
static gboolean
wait_for_pipe (int fd)
{
#ifdef G_OS_WIN32
  return TRUE;
#else
  GPollFD poll = { fd, G_IO_IN | G_IO_HUP | G_IO_ERR, 0 };

  return g_poll (&poll, 1, PIPE_WAIT) != 0;
#endif
}

/* Reads at least one byte. 0: the end; -1 with an error. */
static gssize
read_some (Live *self, guint8 *bytes, gsize n, GCancellable *cancellable, GError **error)
{
  for (;;) {
    gboolean finished = self->finish != NULL && g_cancellable_is_cancelled (self->finish);
    gssize got;

    if (g_cancellable_is_cancelled (cancellable)) {
      pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
      return -1;
    }
    if (self->is_pipe && !wait_for_pipe (self->fd)) {
      if (finished)
        return 0;
      continue;
    }
    got = read (self->fd, bytes, (guint) MIN (n, G_MAXINT32));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      pt_fail (error, PT_ERROR_FILE, "“%s” cannot be read: %s.", self->name, g_strerror (errno));
      return -1;
    }
    if (got > 0 || self->is_pipe || finished)
      return got;
    g_usleep (FILE_WAIT * 1000);
#ifdef G_OS_WIN32
    /* Wine's C library keeps the end-of-file state; seeking clears it. */
    _lseeki64 (self->fd, 0, SEEK_CUR);
#endif
  }
}

static gboolean
read_all (Live *self, guint8 *bytes, gsize n, gsize *got, GCancellable *cancellable, GError **error)
{
  gssize count;

  for (*got = 0; *got < n; *got += (gsize) count) {
    count = read_some (self, bytes + *got, n - *got, cancellable, error);
    if (count < 0)
      return FALSE;
    if (count == 0)
      break;
  }
  return TRUE;
}

/* ---- the header ---- */

static guint
u16 (const guint8 *bytes)
{
  return bytes[0] | (guint) bytes[1] << 8;
}

static guint32
u32 (const guint8 *bytes)
{
  return u16 (bytes) | (guint32) u16 (bytes + 2) << 16;
}

static gboolean
fail_format (const Live *self, GError **error)
{
  return pt_fail (
      error, PT_ERROR_FORMAT,
      "“%s” is not a WAV recording that can be streamed. Samples without a header need --raw.",
      self->name);
}

static gboolean
take_format (Live *self, const guint8 *chunk, gsize size, GError **error)
{
  guint tag, bits;

  if (size < 16)
    return fail_format (self, error);
  tag = u16 (chunk);
  if (tag == FORMAT_EXTENSIBLE && size >= 26)
    tag = u16 (chunk + 24);
  bits = u16 (chunk + 14);
  self->parent.n_channels = u16 (chunk + 2);
  self->parent.rate = u32 (chunk + 4);
  self->is_float = tag == FORMAT_FLOAT;
  self->sample_size = bits / 8;
  if (self->parent.n_channels < 1 || self->parent.n_channels > MAX_CHANNELS ||
      self->parent.rate < MIN_RATE || self->parent.rate > MAX_RATE ||
      (tag != FORMAT_PCM && tag != FORMAT_FLOAT) || bits % 8 != 0 ||
      (self->is_float ? bits != 32 : bits < 16 || bits > 32))
    return fail_format (self, error);
  return TRUE;
}

/* Reads the header up to the samples. */
static gboolean
read_header (Live *self, GCancellable *cancellable, GError **error)
{
  guint8 head[12];
  gsize got;

  if (!read_all (self, head, sizeof head, &got, cancellable, error))
    return FALSE;
  if (got < sizeof head || memcmp (head, "RIFF", 4) != 0 || memcmp (head + 8, "WAVE", 4) != 0)
    return fail_format (self, error);
  for (;;) {
    g_autofree guint8 *chunk = NULL;
    guint32 size;

    if (!read_all (self, head, 8, &got, cancellable, error))
      return FALSE;
    if (got < 8)
      return fail_format (self, error);
    size = u32 (head + 4);
    if (memcmp (head, "data", 4) == 0) {
      /* A file that is still being written has no final length. */
      self->left = self->is_pipe && size > 0 && size < UNKNOWN_SIZE ? size : G_MAXUINT64;
      return self->sample_size > 0 || fail_format (self, error);
    }
    if (size > MAX_CHUNK)
      return fail_format (self, error);
    chunk = g_malloc ((gsize) size + 1);
    if (!read_all (self, chunk, size + (size & 1), &got, cancellable, error))
      return FALSE;
    if (got < size || (memcmp (head, "fmt ", 4) == 0 && !take_format (self, chunk, size, error)))
      return (error == NULL || *error == NULL) ? fail_format (self, error) : FALSE;
  }
}

/* ---- samples ---- */

static float
sample (const Live *self, const guint8 *bytes)
{
  guint32 value = 0;
  float out;

  if (self->is_float) {
    value = u32 (bytes);
    memcpy (&out, &value, sizeof out);
    return out;
  }
  /* Moves the bytes of an integer to the top of 32 bits. */
  for (guint i = 0; i < self->sample_size; i++)
    value |= (guint32) bytes[i] << (8 * (4 - self->sample_size + i));
  return (float) (gint32) value / 2147483648.0f;
}

/* Fills the block with at least one whole frame, unless the recording ends. */
static gboolean
fill (Live *self, gsize frame, GCancellable *cancellable, GError **error)
{
  memmove (self->block, self->block + self->begin, self->end - self->begin);
  self->end -= self->begin;
  self->begin = 0;
  while (self->end < frame && self->left > 0) {
    gssize got =
        read_some (self, self->block + self->end,
                   (gsize) MIN ((guint64) (BLOCK - self->end), self->left), cancellable, error);

    if (got < 0)
      return FALSE;
    if (got == 0)
      break;
    self->end += (gsize) got;
    self->left -= (guint64) got;
  }
  return TRUE;
}

static gssize
live_read (PtAudioDecoder *decoder, float *frames, gsize n, GCancellable *cancellable,
           GError **error)
{
  Live *self = (Live *) decoder;
  gsize frame = (gsize) self->sample_size * decoder->n_channels;

  if (self->end - self->begin < frame && !fill (self, frame, cancellable, error))
    return -1;
  n = MIN (n, (self->end - self->begin) / frame);
  for (gsize i = 0; i < n * decoder->n_channels; i++)
    frames[i] = sample (self, self->block + self->begin + i * self->sample_size);
  self->begin += n * frame;
  return (gssize) n;
}

/* Data before the reader started cannot be read. */
static gboolean
live_seek (PtAudioDecoder *decoder, guint64 frame)
{
  return FALSE;
}

static gboolean
open_source (Live *self, const char *path, GError **error)
{
  int flags = O_RDONLY;

#ifdef G_OS_WIN32
  flags |= O_BINARY;
#endif
  self->is_pipe = strcmp (path, "-") == 0;
  if (self->is_pipe) {
#ifdef G_OS_WIN32
    _setmode (0, O_BINARY);
#endif
    self->fd = 0;
    return TRUE;
  }
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return pt_fail (error, PT_ERROR_FILE, "“%s” is not a file. Give a recording, e.g. a .wav.",
                    self->name);
  self->fd = pt_input_open (path, flags);
  return self->fd >= 0 || pt_fail (error, PT_ERROR_FILE, "The recording “%s” cannot be opened: %s.",
                                   self->name, g_strerror (errno));
}

PtAudioDecoder *
pt_live_decoder_open (const char *path, const char *name, gboolean raw, GCancellable *finish,
                      GCancellable *cancellable, GError **error)
{
  Live *self = g_new0 (Live, 1);

  self->parent = (PtAudioDecoder){ live_read, live_seek, live_free, RAW_RATE, 1, -1 };
  self->fd = -1;
  self->name = g_strdup (name);
  self->sample_size = raw ? 2 : 0;
  self->left = G_MAXUINT64;
  if (finish != NULL)
    self->finish = g_object_ref (finish);
  if (!open_source (self, path, error) || (!raw && !read_header (self, cancellable, error))) {
    live_free (&self->parent);
    return NULL;
  }
  return &self->parent;
}
