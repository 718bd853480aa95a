/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/audio/mpeg.h"

#include <errno.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

#define BLOCK_SIZE (64 * 1024)
/* Most bytes between the tags of a file and its first frame. */
#define SEARCH_LIMIT (64 * 1024)
/* Number of consecutive frames that prove a stream. */
#define CONVINCING 4
/* Most bytes between frames that the decoder skips; it fails on longer gaps. */
#define RESYNC_LIMIT 1024

typedef struct {
  guint version; /* 1: MPEG 1, 2: MPEG 2, 3: MPEG 2.5 */
  guint layer;   /* 1 .. 3 */
  guint rate;
  gboolean is_mono;
  gsize length; /* bytes of the frame */
  guint n_samples;
} Header;

typedef struct {
  FILE *file;
  guint64 size;
  guint64 at; /* of block[0] in the file */
  gsize filled;
  int failure; /* 0: no error; else errno or PT_AUDIO_SHORTER */
  guint8 block[BLOCK_SIZE];
} Window;

gsize
pt_audio_read_at (FILE *file, guint64 offset, gpointer data, gsize n, int *failure)
{
  gsize done = 0;

  if ((guint64) ftello (file) == offset || fseeko (file, (off_t) offset, SEEK_SET) == 0)
    done = fread (data, 1, n, file);
  if (done < n && *failure == 0)
    *failure = feof (file) ? PT_AUDIO_SHORTER : errno != 0 ? errno : EIO;
  return done;
}

gboolean
pt_audio_fail_read (const char *name, int failure, GError **error)
{
  if (failure == PT_AUDIO_SHORTER)
    return pt_fail (error, PT_ERROR_FILE,
                    "The recording “%s” became shorter while it was read. Wait until nothing "
                    "writes to it, and try again.",
                    name);
  return pt_fail (error, PT_ERROR_FILE,
                  "The recording “%s” could not be read to its end: %s. Check the file and its "
                  "disk, or copy it elsewhere.",
                  name, g_strerror (failure));
}

/* Returns @n bytes at @offset; NULL: the file is shorter or cannot be read. */
static const guint8 *
peek (Window *self, guint64 offset, gsize n)
{
  if (offset > self->size || self->size - offset < n)
    return NULL;
  if (offset < self->at || offset + n > self->at + self->filled) {
    self->at = offset;
    self->filled = pt_audio_read_at (self->file, offset, self->block,
                                     (gsize) MIN (BLOCK_SIZE, self->size - offset), &self->failure);
    if (self->failure != 0 || self->filled < n)
      return NULL;
  }
  return self->block + (offset - self->at);
}

static guint32
read_be32 (const guint8 *p)
{
  return (guint32) p[0] << 24 | (guint32) p[1] << 16 | (guint32) p[2] << 8 | p[3];
}

static gboolean
parse_header (const guint8 *p, Header *out)
{
  /* kbit/s: MPEG 1 layers 1, 2, 3; MPEG 2 layer 1, layers 2 and 3 */
  static const guint16 kbits[5][16] = {
    { 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 0 },
    { 0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0 },
    { 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0 },
    { 0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256, 0 },
    { 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0 },
  };
  static const guint rates[3] = { 44100, 48000, 32000 };
  static const guint versions[4] = { 3, 0, 2, 1 };
  guint rate_index = (p[2] >> 2) & 3;
  guint padding = (p[2] >> 1) & 1;
  guint bitrate;

  out->version = versions[(p[1] >> 3) & 3];
  out->layer = 4 - ((p[1] >> 1) & 3);
  if (p[0] != 0xff || (p[1] & 0xe0) != 0xe0 || out->version == 0 || out->layer == 4 ||
      rate_index == 3)
    return FALSE;
  bitrate = kbits[out->version == 1 ? out->layer - 1 : out->layer == 1 ? 3 : 4][p[2] >> 4];
  if (bitrate == 0)
    return FALSE;
  out->rate = rates[rate_index] >> (out->version - 1);
  out->is_mono = p[3] >> 6 == 3;
  if (out->layer == 1) {
    out->length = (12 * bitrate * 1000 / out->rate + padding) * 4;
    out->n_samples = 384;
  } else {
    out->n_samples = out->layer == 3 && out->version != 1 ? 576 : 1152;
    out->length = out->n_samples / 8 * bitrate * 1000 / out->rate + padding;
  }
  return TRUE;
}

static gboolean
header_at (Window *window, guint64 offset, const Header *like, Header *out)
{
  const guint8 *p = peek (window, offset, 4);

  if (p == NULL || !parse_header (p, out))
    return FALSE;
  return like == NULL ||
         (out->version == like->version && out->layer == like->layer && out->rate == like->rate);
}

/* Whether @n consecutive frames are at @offset, or as many as the file has left. */
static gboolean
has_frames (Window *window, guint64 offset, guint n, const Header *like)
{
  Header header;
  guint i;

  for (i = 0; i < n; i++) {
    if (!header_at (window, offset, like, &header))
      return i > 1 && offset + 4 > window->size;
    offset += header.length;
  }
  return TRUE;
}

/* The size of a tag at @offset; 0: there is none. */
static guint64
tag_size (Window *window, guint64 offset)
{
  const guint8 *p = peek (window, offset, 10);

  if (p != NULL && memcmp (p, "ID3", 3) == 0 && ((p[6] | p[7] | p[8] | p[9]) & 0x80) == 0)
    return 10u + ((guint64) p[6] << 21 | (guint64) p[7] << 14 | (guint64) p[8] << 7 | p[9]) +
           ((p[5] & 0x10) != 0 ? 10 : 0);
  if (p != NULL && memcmp (p, "TAG", 3) == 0 && window->size - offset <= 128)
    return window->size - offset;
  /* These tags follow the last frame, with only other tags behind them. */
  if (p != NULL && (memcmp (p, "APETAGEX", 8) == 0 || memcmp (p, "LYRICSBEGI", 10) == 0))
    return window->size - offset;
  return 0;
}

static gsize
info_offset (const Header *header)
{
  if (header->version == 1)
    return header->is_mono ? 4 + 17 : 4 + 32;
  return header->is_mono ? 4 + 9 : 4 + 17;
}

/* The number of frames that a Xing or VBRI header announces; 0: the frame is audio. */
static guint32
announced_frames (Window *window, guint64 offset, const Header *header, gboolean *has_info)
{
  const guint8 *p = peek (window, offset, header->length);
  gsize at = info_offset (header);

  *has_info = FALSE;
  if (p == NULL || header->layer != 3)
    return 0;
  if (at + 12 <= header->length &&
      (memcmp (p + at, "Xing", 4) == 0 || memcmp (p + at, "Info", 4) == 0)) {
    *has_info = TRUE;
    return (p[at + 7] & 1) != 0 ? read_be32 (p + at + 8) : 0;
  }
  if (36 + 18 <= header->length && memcmp (p + 36, "VBRI", 4) == 0) {
    *has_info = TRUE;
    return read_be32 (p + 36 + 14);
  }
  return 0;
}

/* Makes a frame in the stream's format that has no audio, only the number of frames ("Xing"). */
static void
make_prefix (Window *window, PtMpegStream *stream, const Header *first)
{
  const guint8 *p = peek (window, stream->begin, 4);
  gsize at = info_offset (first);
  guint8 header[4];
  Header made;
  guint index;

  if (p == NULL || first->layer != 3)
    return;
  memcpy (header, p, 4);
  header[1] |= 1; /* no checksum */
  for (index = 1; index < 15; index++) {
    header[2] = (guint8) (index << 4 | (header[2] & 0x0c));
    if (parse_header (header, &made) && made.length >= at + 12 && made.length <= PT_MPEG_PREFIX_MAX)
      break;
  }
  if (index == 15)
    return;
  memset (stream->prefix, 0, made.length);
  memcpy (stream->prefix, header, 4);
  memcpy (stream->prefix + at, "Xing\0\0\0\1", 8);
  stream->prefix[at + 8] = (guint8) (stream->n_frames >> 24);
  stream->prefix[at + 9] = (guint8) (stream->n_frames >> 16);
  stream->prefix[at + 10] = (guint8) (stream->n_frames >> 8);
  stream->prefix[at + 11] = (guint8) stream->n_frames;
  stream->prefix_size = made.length;
}

/* Finds the next offset with consecutive frames; FALSE: there is none. */
static gboolean
find_frames (Window *window, guint64 offset, guint64 limit, const Header *like, guint64 *found)
{
  guint64 end = MIN (limit, window->size);

  for (; offset < end; offset++) {
    const guint8 *p = peek (window, offset, 2);

    if (p == NULL)
      return FALSE;
    if (p[0] == 0xff && has_frames (window, offset, CONVINCING, like)) {
      *found = offset;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
find_first (Window *window, const char *name, guint64 *begin)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  gboolean named = g_str_has_suffix (lower, ".mp3");
  guint64 offset = 0, tag;

  while ((tag = tag_size (window, offset)) > 0 && tag < window->size - offset)
    offset += tag;
  if (offset == 0 && !named) {
    *begin = 0;
    return has_frames (window, 0, CONVINCING, NULL);
  }
  return find_frames (window, offset, offset + SEARCH_LIMIT, NULL, begin);
}

static gboolean
fail_damaged (const char *name, double seconds, GError **error)
{
  return pt_fail (error, PT_ERROR_AUDIO,
                  "The recording “%s” is damaged %.1f seconds after its beginning. Get the file "
                  "again, or repair it, for example with: ffmpeg -i FILE repaired.flac",
                  name, seconds);
}

static double
seconds_of (guint64 n_frames, const Header *header)
{
  return (double) n_frames * header->n_samples / header->rate;
}

/* Counts the frames from stream->begin on and finds the end of the last one. */
static gboolean
walk (Window *window, const char *name, const Header *first, GCancellable *cancellable,
      PtMpegStream *stream, GError **error)
{
  guint64 offset = stream->begin, tag, next;
  Header header;

  stream->n_frames = 0;
  stream->end = offset;
  for (;;) {
    if ((stream->n_frames & 0xfff) == 0 && g_cancellable_is_cancelled (cancellable))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    if (header_at (window, offset, first, &header)) {
      if (header.length > window->size - offset)
        return TRUE; /* a recording cut within its last frame loses that frame only */
      offset += header.length;
      stream->n_frames++;
      stream->end = offset;
    } else if ((tag = tag_size (window, offset)) > 0) {
      offset += MIN (tag, window->size - offset);
    } else if (window->size - offset <= RESYNC_LIMIT) {
      return TRUE;
    } else if (find_frames (window, offset + 1, offset + RESYNC_LIMIT, first, &next)) {
      offset = next;
    } else {
      return fail_damaged (name, seconds_of (stream->n_frames, first), error);
    }
  }
}

static gboolean
scan (Window *window, const char *name, GCancellable *cancellable, gboolean *is_mpeg,
      PtMpegStream *stream, GError **error)
{
  gboolean has_info;
  guint64 announced;
  Header first;

  *is_mpeg = FALSE;
  if (!find_first (window, name, &stream->begin) ||
      !header_at (window, stream->begin, NULL, &first))
    return TRUE;
  if (!walk (window, name, &first, cancellable, stream, error))
    return FALSE;
  *is_mpeg = TRUE;
  stream->prefix_size = 0;
  announced = announced_frames (window, stream->begin, &first, &has_info);
  if (has_info && stream->n_frames > 0)
    stream->n_frames--;
  if (announced > stream->n_frames + 1)
    return pt_fail (error, PT_ERROR_AUDIO,
                    "The recording “%s” is cut off: it should last %.1f seconds and ends after "
                    "%.1f. Get the file again, or keep what is left of it, for example with: "
                    "ffmpeg -i FILE repaired.flac",
                    name, seconds_of (announced, &first), seconds_of (stream->n_frames, &first));
  stream->seconds = seconds_of (stream->n_frames, &first);
  if (announced + 1 < stream->n_frames) {
    if (has_info)
      stream->begin += first.length;
    make_prefix (window, stream, &first);
  }
  return TRUE;
}

gboolean
pt_mpeg_scan (FILE *file, guint64 size, const char *name, GCancellable *cancellable,
              gboolean *is_mpeg, PtMpegStream *stream, GError **error)
{
  g_autofree Window *window = pt_allocate (1, sizeof (Window), error);
  g_autoptr (GError) verdict = NULL;
  gboolean ok;

  if (window == NULL)
    return FALSE;
  window->file = file;
  window->size = size;
  ok = scan (window, name, cancellable, is_mpeg, stream, &verdict);
  /* After a read error the result would be wrong. */
  if (window->failure != 0)
    return pt_audio_fail_read (name, window->failure, error);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&verdict));
  return ok;
}
