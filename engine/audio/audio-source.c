/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/audio-source.h"

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/given-files.h"
#include "engine/base/set-error.h"

static gboolean
open_regular (PtAudioSource *self, const char *path, const char *name, guint64 *size,
              GError **error)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    return pt_fail (error, PT_ERROR_FILE, "The recording “%s” cannot be opened: %s.", name,
                    g_strerror (errno));
  /* Opening a pipe or a device could wait for ever. */
  if (!S_ISREG (info.st_mode))
    return pt_fail (error, PT_ERROR_FILE, "“%s” is not a file. Give a recording, e.g. a .wav.",
                    name);
  self->file = pt_input_fopen (path);
  if (self->file == NULL)
    return pt_fail (error, PT_ERROR_FILE, "The recording “%s” cannot be opened: %s.", name,
                    g_strerror (errno));
  if (info.st_size <= 0)
    return pt_fail (error, PT_ERROR_AUDIO, "The recording “%s” is an empty file.", name);
  *size = (guint64) info.st_size;
  return TRUE;
}

gboolean
pt_audio_source_open (PtAudioSource *self, const char *path, const char *name,
                      GCancellable *cancellable, GError **error)
{
  PtMpegStream stream;

  memset (self, 0, sizeof *self);
  if (!open_regular (self, path, name, &self->end, error) ||
      !pt_mpeg_scan (self->file, self->end, name, cancellable, &self->is_mpeg, &stream, error)) {
    pt_audio_source_close (self);
    return FALSE;
  }
  if (self->is_mpeg) {
    self->begin = stream.begin;
    self->end = stream.end;
    self->prefix_size = stream.prefix_size;
    memcpy (self->prefix, stream.prefix, stream.prefix_size);
  }
  return TRUE;
}

void
pt_audio_source_close (PtAudioSource *self)
{
  g_clear_pointer (&self->file, fclose);
}

static sf_count_t
source_length (void *user_data)
{
  PtAudioSource *self = user_data;

  return (sf_count_t) (self->prefix_size + (self->end - self->begin));
}

static sf_count_t
source_seek (sf_count_t offset, int whence, void *user_data)
{
  PtAudioSource *self = user_data;
  sf_count_t length = source_length (self);
  sf_count_t from = 0;

  if (whence == SEEK_CUR)
    from = (sf_count_t) self->position;
  else if (whence == SEEK_END)
    from = length;
  if (offset < -from || offset > length - from)
    return -1;
  self->position = (guint64) (from + offset);
  return from + offset;
}

static sf_count_t
source_read (void *data, sf_count_t n, void *user_data)
{
  PtAudioSource *self = user_data;
  sf_count_t left = source_length (self) - (sf_count_t) self->position;
  gsize wanted, done = 0;

  if (n <= 0 || left <= 0)
    return 0;
  wanted = (gsize) MIN (n, left);
  if (self->position < self->prefix_size) {
    done = MIN (wanted, self->prefix_size - (gsize) self->position);
    memcpy (data, self->prefix + self->position, done);
  }
  if (done < wanted)
    done += pt_audio_read_at (self->file, self->begin + (self->position + done - self->prefix_size),
                              (guint8 *) data + done, wanted - done, &self->failure);
  self->position += done;
  return (sf_count_t) done;
}

static sf_count_t
source_write (const void *data, sf_count_t n, void *user_data)
{
  return 0;
}

static sf_count_t
source_tell (void *user_data)
{
  PtAudioSource *self = user_data;

  return (sf_count_t) self->position;
}

SF_VIRTUAL_IO pt_audio_source_io = {
  .get_filelen = source_length,
  .seek = source_seek,
  .read = source_read,
  .write = source_write,
  .tell = source_tell,
};

/* The magic bytes of audio formats that libsndfile cannot read. */
static const struct {
  guint offset, size;
  const char *magic;
  const char *what;
} MAGIC[] = {
  { 4, 4, "ftyp", "an MPEG-4 file (M4A, MP4, MOV)" },
  { 4, 4, "moov", "a QuickTime video" },
  { 0, 4, "\x1a\x45\xdf\xa3", "a Matroska or WebM file" },
  { 0, 8, "\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a Windows Media file" },
  { 0, 5, "#!AMR", "an AMR recording" },
  { 8, 4, "AVI ", "an AVI video" },
  { 0, 4, "OggS", "an Ogg file without Vorbis or Opus" },
  { 0, 4, "FLV\x01", "a Flash video" },
  { 0, 4, "\x00\x00\x01\xba", "an MPEG video" },
  { 0, 4, ".RMF", "a RealMedia file" },
  { 0, 4, "wvpk", "a WavPack file" },
  { 0, 4, "MAC ", "a Monkey's Audio file" },
  { 0, 4, "TTA1", "a True Audio file" },
  { 0, 4, "MPCK", "a Musepack file" },
  { 0, 4, "DSD ", "a DSD recording" },
  { 0, 3, "ID3", "an MP3 file without audio" },
};

const char *
pt_audio_source_guess (PtAudioSource *self)
{
  guint8 head[16] = { 0 };

  if (source_seek (0, SEEK_SET, self) != 0 || source_read (head, sizeof head, self) < 12)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (MAGIC); i++)
    if (memcmp (head + MAGIC[i].offset, MAGIC[i].magic, MAGIC[i].size) == 0)
      return MAGIC[i].what;
  if (head[0] == 0xff && (head[1] & 0xf6) == 0xf0)
    return "an AAC stream";
  return NULL;
}
