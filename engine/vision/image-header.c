/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vision/image-header.h"

#include <string.h>

#include "engine/program/checked.h"
#include "engine/vision/gif.h"

/* The file and its byte order. */
typedef struct {
  guint8 *data;
  gsize size;
  gboolean is_big;
} File;

typedef void (*HeaderReader) (File *file, PtImageHeader *out);

/* Reads a number of @n bytes at @at; 0 beyond the end. */
static guint32
get (const File *file, gsize at, guint n)
{
  guint32 number = 0;

  if (!pt_range_fits (at, n, file->size))
    return 0;
  for (guint i = 0; i < n; i++)
    number = number << 8 | file->data[at + (file->is_big ? i : n - 1 - i)];
  return number;
}

static gboolean
is_at (const File *file, gsize at, const char *bytes, gsize n)
{
  return pt_range_fits (at, n, file->size) && memcmp (file->data + at, bytes, n) == 0;
}

/* Both are below 2^32. A file with several sizes is counted by the largest. */
static void
set_size (PtImageHeader *out, guint64 width, guint64 height)
{
  out->pixels = MAX (out->pixels, width * height);
}

/* ---- PNG ---- */

#define PNG_SIGNATURE 8
#define PNG_CHUNK 12 /* bytes of a chunk around its content */

/* Ancillary chunks begin with a lower-case letter. Texts and profiles among them are compressed and
   would be decompressed. */
static gboolean
is_png_needed (const File *file, gsize at)
{
  return (get (file, at + 4, 1) & 0x20) == 0 || is_at (file, at + 4, "tRNS", 4);
}

static void
keep_png_chunks (File *file)
{
  gsize kept = PNG_SIGNATURE, n;

  for (gsize at = PNG_SIGNATURE; at < file->size; at += n) {
    n = MIN ((gsize) get (file, at, 4) + PNG_CHUNK, file->size - at);
    if (!is_png_needed (file, at))
      continue;
    memmove (file->data + kept, file->data + at, n);
    kept += n;
  }
  file->size = kept;
}

static void
read_png (File *file, PtImageHeader *out)
{
  if (!is_at (file, 12, "IHDR", 4))
    return;
  set_size (out, get (file, 16, 4), get (file, 20, 4));
  keep_png_chunks (file);
}

/* ---- JPEG ---- */

enum { TEM = 0x01, RST0 = 0xd0, RST7 = 0xd7, SOI = 0xd8, EOI = 0xd9, SOS = 0xda };
/* A block of 64 pixels takes at least one bit. */
#define JPEG_PIXELS_PER_BYTE (64 * 8)

enum { SOF0 = 0xc0, DHT = 0xc4, JPG = 0xc8, DAC = 0xcc, SOF15 = 0xcf };

/* Moves behind the next marker. Returns the marker; 0 at the end. */
static guint
next_marker (const File *file, gsize *at)
{
  for (;;) {
    const guint8 *found =
        *at < file->size ? memchr (file->data + *at, 0xff, file->size - *at) : NULL;

    if (found == NULL)
      return 0;
    *at = (gsize) (found - file->data);
    while (get (file, *at, 1) == 0xff)
      ++*at;
    /* 0 after 255: a data byte, not a marker. */
    if (get (file, (*at)++, 1) != 0)
      return file->data[*at - 1];
  }
}

static gboolean
is_jpeg_frame (guint marker)
{
  return marker >= SOF0 && marker <= SOF15 && marker != DHT && marker != JPG && marker != DAC;
}

static void
read_jpeg (File *file, PtImageHeader *out)
{
  gsize at = 2;
  guint marker;

  out->scans = 0;
  while ((marker = next_marker (file, &at)) != 0 && marker != EOI) {
    if (marker == TEM || (marker >= RST0 && marker <= SOI))
      continue;
    if (is_jpeg_frame (marker))
      set_size (out, get (file, at + 5, 2), get (file, at + 3, 2));
    out->scans += marker == SOS;
    at += get (file, at, 2);
  }
  if (marker == EOI)
    file->size = at;
  out->least = out->pixels / JPEG_PIXELS_PER_BYTE;
}

/* ---- GIF ---- */

/* The frame may be larger than the canvas. */
static void
read_gif (File *file, PtImageHeader *out)
{
  PtGif gif;

  if (!pt_gif_open (&gif, file->data, file->size) || gif.width == 0 || gif.height == 0)
    return;
  set_size (out, gif.width, gif.height);
  set_size (out, gif.frame_width, gif.frame_height);
}

/* ---- WebP, BMP, TIFF ---- */

static void
read_webp (File *file, PtImageHeader *out)
{
  guint32 bits = get (file, 21, 4);

  if (is_at (file, 12, "VP8 ", 4))
    set_size (out, get (file, 26, 2) & 0x3fff, get (file, 28, 2) & 0x3fff);
  else if (is_at (file, 12, "VP8L", 4))
    set_size (out, (bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1);
  else if (is_at (file, 12, "VP8X", 4))
    set_size (out, get (file, 24, 3) + 1, get (file, 27, 3) + 1);
}

static void
read_bmp (File *file, PtImageHeader *out)
{
  guint32 header = get (file, 14, 4), height = get (file, 22, 4);

  /* The decoder allocates as much as the header says. */
  if (header > file->size || get (file, 10, 4) > file->size)
    return;
  if (header == 12)
    set_size (out, get (file, 18, 2), get (file, 20, 2));
  else
    set_size (out, get (file, 18, 4), height >> 31 != 0 ? -height : height);
}

/* Counts the largest tile, and the samples per pixel if they are more than a colour has. */
static void
read_tiff (File *file, PtImageHeader *out)
{
  enum { WIDTH = 256, HEIGHT = 257, SAMPLES = 277, TILE_WIDTH = 322, TILE_HEIGHT = 323 };
  enum { SHORT = 3, COLOURS = 4 };
  guint32 sizes[5] = { 0 };
  gsize at = get (file, 4, 4);
  guint n = get (file, at, 2);

  for (guint i = 0; i < n; i++) {
    gsize entry = at + 2 + (gsize) 12 * i;
    guint32 value = get (file, entry + 8, get (file, entry + 2, 2) == SHORT ? 2 : 4);

    switch (get (file, entry, 2)) {
    case WIDTH: sizes[0] = MAX (sizes[0], value); break;
    case HEIGHT: sizes[1] = MAX (sizes[1], value); break;
    case TILE_WIDTH: sizes[2] = MAX (sizes[2], value); break;
    case TILE_HEIGHT: sizes[3] = MAX (sizes[3], value); break;
    case SAMPLES: sizes[4] = MAX (sizes[4], value); break;
    default: break;
    }
  }
  if (sizes[0] == 0 || sizes[1] == 0)
    return;
  set_size (out, MAX (sizes[0], sizes[2]), MAX (sizes[1], sizes[3]));
  if (sizes[4] > COLOURS && !g_uint64_checked_mul (&out->pixels, out->pixels, sizes[4]))
    out->pixels = G_MAXUINT64;
}

/* ---- which it is ---- */

/* Formats by their magic bytes; vector formats (SVG) and obsolete ones are not accepted. */
static const struct {
  const char *type;
  guint offset;
  const char *magic;
  guint length;
  gboolean is_big;
  HeaderReader read;
} FORMATS[] = {
  { "png", 0, "\x89PNG\r\n\x1a\n", 8, TRUE, read_png },
  { "jpeg", 0, "\xff\xd8\xff", 3, TRUE, read_jpeg },
  { "webp", 8, "WEBP", 4, FALSE, read_webp },
  { "gif", 0, "GIF8", 4, FALSE, read_gif },
  { "bmp", 0, "BM", 2, FALSE, read_bmp },
  { "tiff", 0, "II*\0", 4, FALSE, read_tiff },
  { "tiff", 0, "MM\0*", 4, TRUE, read_tiff },
};

void
pt_image_header_read (guint8 *data, gsize *size, PtImageHeader *out)
{
  File file = { data, *size, FALSE };

  *out = (PtImageHeader){ NULL, 0, 1, 0 };
  for (gsize i = 0; i < G_N_ELEMENTS (FORMATS) && out->type == NULL; i++)
    if (is_at (&file, FORMATS[i].offset, FORMATS[i].magic, FORMATS[i].length)) {
      out->type = FORMATS[i].type;
      file.is_big = FORMATS[i].is_big;
      FORMATS[i].read (&file, out);
    }
  *size = file.size;
}
