/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vision/gif.h"

#include <string.h>

#include "engine/program/checked.h"

enum { HEADER = 13, EXTENSION = '!', FRAME = ',', FRAME_HEADER = 10, GRAPHIC_CONTROL = 0xf9 };
enum { HAS_TABLE = 0x80, TABLE_BITS = 7, INTERLACED = 0x40, HAS_TRANSPARENT = 1 };

/* GIF's LZW codes have at most 12 bits. */
#define MAX_BITS 12
#define MAX_CODES (1 << MAX_BITS)

/* ---- the header ---- */

/* Zero beyond the end. */
static guint
byte_at (const PtGif *self, gsize at)
{
  return at < self->size ? self->data[at] : 0;
}

static guint
short_at (const PtGif *self, gsize at)
{
  return byte_at (self, at) | byte_at (self, at + 1) << 8;
}

/* Reads the colour table at @at, if @flags announce one. Returns the offset behind it. */
static gsize
read_table (PtGif *self, guint flags, gsize at)
{
  if ((flags & HAS_TABLE) == 0)
    return at;
  self->colours = at;
  self->n_colours = 2u << (flags & TABLE_BITS);
  return at + (gsize) 3 * self->n_colours;
}

static gsize
skip_blocks (const PtGif *self, gsize at)
{
  while (byte_at (self, at) != 0)
    at += byte_at (self, at) + 1;
  return at + 1;
}

gboolean
pt_gif_open (PtGif *self, const guint8 *data, gsize size)
{
  gsize at;

  *self = (PtGif){ .data = data, .size = size, .transparent = -1 };
  self->width = short_at (self, 6);
  self->height = short_at (self, 8);
  at = read_table (self, byte_at (self, 10), HEADER);
  while (byte_at (self, at) == EXTENSION) {
    if (byte_at (self, at + 1) == GRAPHIC_CONTROL)
      self->transparent =
          (byte_at (self, at + 3) & HAS_TRANSPARENT) != 0 ? (int) byte_at (self, at + 6) : -1;
    at = skip_blocks (self, at + 2);
  }
  if (byte_at (self, at) != FRAME)
    return FALSE;
  self->left = short_at (self, at + 1);
  self->top = short_at (self, at + 3);
  self->frame_width = short_at (self, at + 5);
  self->frame_height = short_at (self, at + 7);
  self->is_interlaced = (byte_at (self, at + 9) & INTERLACED) != 0;
  self->codes = read_table (self, byte_at (self, at + 9), at + FRAME_HEADER);
  return self->codes < size && pt_range_fits (self->colours, 3 * (gsize) self->n_colours, size);
}

/* ---- codes ---- */

typedef struct {
  const PtGif *gif;
  GCancellable *cancellable;
  gsize at;
  guint left; /* bytes of this block */
  guint32 bits;
  guint n_bits;
} Codes;

/* Reads a code of @width bits; -1: the end, or cancelled. */
static int
next_code (Codes *self, guint width)
{
  guint code;

  while (self->n_bits < width) {
    if (self->left == 0) {
      self->left = byte_at (self->gif, self->at++);
      if (self->left == 0 || g_cancellable_is_cancelled (self->cancellable))
        return -1;
    }
    if (self->at >= self->gif->size)
      return -1;
    self->bits |= (guint32) self->gif->data[self->at++] << self->n_bits;
    self->n_bits += 8;
    self->left--;
  }
  code = self->bits & ((1u << width) - 1);
  self->bits >>= width;
  self->n_bits -= width;
  return (int) code;
}

/* ---- pixels ---- */

/* The position of the next pixel in the frame. */
typedef struct {
  const PtGif *gif;
  PtImage *image;
  guint x, y, pass;
  gboolean is_full;
} Canvas;

static void
next_row (Canvas *self)
{
  static const guint FIRST[] = { 0, 4, 2, 1 }, STEP[] = { 8, 8, 4, 2 };
  guint height = self->gif->frame_height;

  self->x = 0;
  self->y += self->gif->is_interlaced ? STEP[self->pass] : 1;
  while (self->gif->is_interlaced && self->y >= height && self->pass + 1 < G_N_ELEMENTS (STEP))
    self->y = FIRST[++self->pass];
  self->is_full = self->y >= height;
}

static void
put (Canvas *self, guint colour)
{
  static const guint8 BLACK[3] = { 0 };
  const PtGif *gif = self->gif;
  guint x = gif->left + self->x, y = gif->top + self->y;

  if (self->is_full)
    return;
  if ((int) colour != gif->transparent && x < gif->width && y < gif->height)
    memcpy (self->image->pixels + 3 * ((gsize) y * gif->width + x),
            colour < gif->n_colours ? gif->data + gif->colours + 3 * colour : BLACK, 3);
  if (++self->x == gif->frame_width)
    next_row (self);
}

/* ---- LZW strings ---- */

/* A string is an earlier string, or a colour, plus one colour. */
typedef struct {
  guint colours; /* codes below @clear are colours; @clear resets the table, @clear + 1 ends the
                    data */
  guint n, width;
  int last;    /* the string before, or -1 */
  guint first; /* its first colour */
  guint16 prefix[MAX_CODES];
  guint8 suffix[MAX_CODES];
} Strings;

static void
forget (Strings *self, guint bits)
{
  self->colours = 1u << bits;
  self->n = self->colours + 2;
  self->width = bits + 1;
  self->last = -1;
}

static void
remember (Strings *self)
{
  if (self->last < 0 || self->n == MAX_CODES)
    return;
  self->prefix[self->n] = (guint16) self->last;
  self->suffix[self->n] = (guint8) self->first;
  self->n++;
  if (self->n == 1u << self->width && self->width < MAX_BITS)
    self->width++;
}

/* Writes the string of a code; FALSE: it does not exist. The string that is just being added begins
   and ends with the first colour of the previous one. */
static gboolean
put_string (Strings *self, guint code, Canvas *canvas)
{
  guint8 stack[MAX_CODES];
  guint n = 0, at = code;

  if (code > self->n || (code == self->n && (self->last < 0 || self->n == MAX_CODES)))
    return FALSE;
  if (code == self->n) {
    stack[n++] = (guint8) self->first;
    at = (guint) self->last;
  }
  for (; at >= self->colours; at = self->prefix[at])
    stack[n++] = self->suffix[at];
  self->first = at;
  put (canvas, at);
  while (n > 0)
    put (canvas, stack[--n]);
  remember (self);
  self->last = (int) code;
  return TRUE;
}

/* Whether all pixels of the frame were decoded. */
static gboolean
decode_frame (Canvas *canvas, GCancellable *cancellable)
{
  guint bits = canvas->gif->data[canvas->gif->codes];
  g_autofree Strings *strings = g_new (Strings, 1);
  Codes codes = { canvas->gif, cancellable, canvas->gif->codes + 1, 0, 0, 0 };
  int code;

  if (bits < 1 || bits > 8)
    return FALSE;
  forget (strings, bits);
  while (!canvas->is_full && (code = next_code (&codes, strings->width)) >= 0) {
    if (code == (int) strings->colours)
      forget (strings, bits);
    else if (code == (int) strings->colours + 1 || !put_string (strings, (guint) code, canvas))
      return FALSE;
  }
  return canvas->is_full;
}

PtImage *
pt_gif_decode (const PtGif *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtImage) image = pt_image_new (self->width, self->height, error);
  Canvas canvas = { .gif = self, .image = image };

  if (image == NULL)
    return NULL;
  memset (image->pixels, 255, 3 * (gsize) self->width * self->height);
  canvas.is_full = self->frame_width == 0 || self->frame_height == 0;
  return decode_frame (&canvas, cancellable) ? g_steal_pointer (&image) : NULL;
}
