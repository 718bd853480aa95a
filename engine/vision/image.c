/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vision/image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>

#include "engine/allocate.h"

#define MAX_BYTES (64 * 1024 * 1024)
#define MAX_PIXELS 50000000
#define CHANNELS 3

/* What people have, by how it begins; not what draws (SVG) or is of long ago. */
static const struct {
  const char *type;
  guint offset;
  const char *magic;
  guint length;
} FORMATS[] = {
  { "png", 0, "\x89PNG\r\n\x1a\n", 8 },
  { "jpeg", 0, "\xff\xd8\xff", 3 },
  { "webp", 8, "WEBP", 4 },
  { "gif", 0, "GIF8", 4 },
  { "bmp", 0, "BM", 2 },
  { "tiff", 0, "II*\0", 4 },
  { "tiff", 0, "MM\0*", 4 },
};

PtImage *
pt_image_new (guint width, guint height, GError **error)
{
  guint64 n = (guint64) width * height;
  PtImage *image;

  if (n == 0 || n > MAX_PIXELS) {
    pt_fail (error, PT_ERROR_MEMORY, "An image of %u × %u pixels is too large.", width, height);
    return NULL;
  }
  image = g_new (PtImage, 1);
  *image = (PtImage){ width, height, pt_allocate ((gsize) n, CHANNELS, error) };
  if (image->pixels != NULL)
    return image;
  g_free (image);
  return NULL;
}

void
pt_image_free (PtImage *image)
{
  if (image == NULL)
    return;
  g_free (image->pixels);
  g_free (image);
}

/* --- the file --- */

static gboolean
check_file (const char *path, gsize *size, GError **error)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0)
    return pt_fail (error, PT_ERROR_FILE, "“%s” cannot be read: %s.", path, g_strerror (errno));
  if ((status.st_mode & S_IFMT) != S_IFREG)
    return pt_fail (error, PT_ERROR_FILE, "“%s” is not a file. Choose an image.", path);
  if (status.st_size > MAX_BYTES)
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” is larger than 64 MiB. Save the image at a smaller size.", path);
  *size = (gsize) status.st_size;
  return TRUE;
}

/* As long as it was when it was looked at. */
static GBytes *
read_file (const char *path, GError **error)
{
  gsize size = 0;
  guint8 *data;
  FILE *file;

  if (!check_file (path, &size, error))
    return NULL;
  file = g_fopen (path, "rb");
  if (file == NULL) {
    pt_fail (error, PT_ERROR_FILE, "“%s” cannot be read: %s.", path, g_strerror (errno));
    return NULL;
  }
  data = pt_allocate (size, 1, error);
  if (data != NULL)
    size = fread (data, 1, size, file);
  fclose (file);
  return data != NULL ? g_bytes_new_take (data, size) : NULL;
}

static const char *
find_format (GBytes *bytes)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  for (gsize i = 0; i < G_N_ELEMENTS (FORMATS); i++)
    if (length >= FORMATS[i].offset + FORMATS[i].length &&
        memcmp (data + FORMATS[i].offset, FORMATS[i].magic, FORMATS[i].length) == 0)
      return FORMATS[i].type;
  return NULL;
}

/* --- decoding --- */

/* What is seen on the way. */
typedef struct {
  gboolean too_large;
  int rows; /* down to which there are pixels */
} Progress;

/* Nothing is decoded of what is too large: one pixel of it is asked for, and not used. */
static void
on_size (GdkPixbufLoader *loader, int width, int height, gpointer user_data)
{
  Progress *progress = user_data;

  progress->too_large = width < 1 || height < 1 || width > MAX_PIXELS / height;
  if (progress->too_large)
    gdk_pixbuf_loader_set_size (loader, 1, 1);
}

static void
on_area (GdkPixbufLoader *loader, int x, int y, int width, int height, gpointer user_data)
{
  Progress *progress = user_data;

  progress->rows = MAX (progress->rows, y + height);
}

static gboolean
fail_damaged (const char *path, const GError *reason, GError **error)
{
  return pt_fail (error, PT_ERROR_FILE, "The image “%s” is damaged: %s", path,
                  reason != NULL ? reason->message : "it ends too early.");
}

/* In pieces, so that its size is known before much is decoded. */
static gboolean
feed (GdkPixbufLoader *loader, GBytes *bytes, const Progress *progress, GError **error)
{
  gsize length, piece;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  for (gsize done = 0; done < length && !progress->too_large; done += piece) {
    piece = MIN (length - done, 65536);
    if (!gdk_pixbuf_loader_write (loader, data + done, piece, error))
      return FALSE;
  }
  return TRUE;
}

/* The loader is content with the beginning of these, which are read from the top. */
static gboolean
is_cut_off (GdkPixbuf *pixbuf, const char *format, const Progress *progress)
{
  return (strcmp (format, "png") == 0 || strcmp (format, "jpeg") == 0) &&
         progress->rows < gdk_pixbuf_get_height (pixbuf);
}

static GdkPixbuf *
decode (const char *path, GBytes *bytes, GError **error)
{
  const char *format = find_format (bytes);
  g_autoptr (GdkPixbufLoader) loader = NULL;
  g_autoptr (GError) reason = NULL;
  GdkPixbuf *pixbuf = NULL;
  Progress progress = { FALSE, 0 };
  gboolean fed, closed;

  loader = format != NULL ? gdk_pixbuf_loader_new_with_type (format, NULL) : NULL;
  if (loader == NULL) {
    pt_fail (error, PT_ERROR_FILE,
             "“%s” is not an image that Pteris can read. Save it as PNG or JPEG.", path);
    return NULL;
  }
  g_signal_connect (loader, "size-prepared", G_CALLBACK (on_size), &progress);
  g_signal_connect (loader, "area-updated", G_CALLBACK (on_area), &progress);
  fed = feed (loader, bytes, &progress, &reason);
  closed = gdk_pixbuf_loader_close (loader, fed ? &reason : NULL);
  if (progress.too_large) {
    pt_fail (error, PT_ERROR_FILE,
             "“%s” has more than 50 megapixels. Save the image at a smaller size.", path);
    return NULL;
  }
  if (fed && closed)
    pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  if (pixbuf == NULL || is_cut_off (pixbuf, format, &progress)) {
    fail_damaged (path, reason, error);
    return NULL;
  }
  return gdk_pixbuf_apply_embedded_orientation (pixbuf);
}

/* --- pixels --- */

static guint8
over_white (guint8 colour, guint8 alpha)
{
  return (guint8) ((colour * alpha + 255 * (255 - alpha) + 127) / 255);
}

static void
copy_row (guint8 *to, const guint8 *from, guint width, gboolean alpha)
{
  for (guint x = 0; x < width; x++, to += CHANNELS, from += alpha ? CHANNELS + 1 : CHANNELS)
    for (guint c = 0; c < CHANNELS; c++)
      to[c] = alpha ? over_white (from[c], from[CHANNELS]) : from[c];
}

static PtImage *
copy_pixels (const GdkPixbuf *pixbuf, GError **error)
{
  PtImage *image = pt_image_new ((guint) gdk_pixbuf_get_width (pixbuf),
                                 (guint) gdk_pixbuf_get_height (pixbuf), error);
  const guint8 *from = gdk_pixbuf_read_pixels (pixbuf);
  gboolean alpha = gdk_pixbuf_get_has_alpha (pixbuf);

  for (guint y = 0; image != NULL && y < image->height; y++)
    copy_row (image->pixels + (gsize) y * image->width * CHANNELS,
              from + (gsize) y * (gsize) gdk_pixbuf_get_rowstride (pixbuf), image->width, alpha);
  return image;
}

PtImage *
pt_image_read (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = read_file (path, error);
  g_autoptr (GdkPixbuf) pixbuf = bytes != NULL ? decode (path, bytes, error) : NULL;

  return pixbuf != NULL ? copy_pixels (pixbuf, error) : NULL;
}
