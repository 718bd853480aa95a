/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <pteris/vision.h>

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>

#include "engine/base/allocate.h"
#include "engine/base/given-files.h"
#include "engine/base/set-error.h"
#include "engine/vision/gif.h"
#include "engine/vision/image-header.h"

#define CHANNELS 3

/* Bytes decoded between two checks for cancellation. */
#define PIECE 256

PtImage *
pt_image_new (guint width, guint height, GError **error)
{
  guint64 n = (guint64) width * height;
  PtImage *image;

  if (n == 0 || n > PT_IMAGE_MAX_PIXELS) {
    pt_fail (error, PT_ERROR_MEMORY, "An image of %u × %u pixels is too large.", width, height);
    return NULL;
  }
  image = g_new (PtImage, 1);
  *image = (PtImage){ width, height, pt_allocate ((gsize) n, CHANNELS, error), NULL };
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
  if (image->owner != NULL)
    g_object_unref (image->owner);
  else
    g_free (image->pixels);
  g_free (image);
}

/* ---- what goes wrong ---- */

/* The file to decode, and its fault. */
typedef struct {
  const char *path;
  GCancellable *cancellable;
  PtImageFault fault;
  int rows; /* the row down to which pixels are decoded */
} Reading;

/* Makes all error messages. @reason: for PT_IMAGE_FAULT_UNREADABLE and _DAMAGED. */
static gboolean
fail (Reading *reading, PtImageFault fault, const char *reason, GError **error)
{
  const char *path = reading->path;

  reading->fault = fault;
  switch (fault) {
  case PT_IMAGE_FAULT_UNREADABLE:
    return pt_fail (error, PT_ERROR_FILE, "“%s” cannot be read: %s.", path, reason);
  case PT_IMAGE_FAULT_NO_FILE:
    return pt_fail (error, PT_ERROR_FILE, "“%s” is not a file. Choose an image.", path);
  case PT_IMAGE_FAULT_TOO_LONG:
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” is larger than 64 MiB. Save the image at a smaller size.", path);
  case PT_IMAGE_FAULT_UNKNOWN:
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” is not an image that Pteris can read. Save it as PNG or JPEG.", path);
  case PT_IMAGE_FAULT_TOO_LARGE:
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” has more than 50 megapixels. Save the image at a smaller size.", path);
  case PT_IMAGE_FAULT_SCANS:
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” is a progressive JPEG with too many scans. Save the image as PNG or as "
                    "baseline JPEG.",
                    path);
  case PT_IMAGE_FAULT_DAMAGED:
    return pt_fail (error, PT_ERROR_FILE,
                    "The image “%s” is damaged (%s). Get the file again, or choose another image.",
                    path, reason != NULL ? reason : "it ends too early");
  case PT_IMAGE_FAULT_STOPPED: return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  case PT_IMAGE_FAULT_MEMORY:
  case PT_IMAGE_FAULT_NONE: break;
  }
  return pt_fail (error, PT_ERROR_MEMORY, "There is not enough memory for the image “%s”.", path);
}

/* ---- the file ---- */

static gboolean
check_file (Reading *reading, gsize *size, GError **error)
{
  GStatBuf status;

  if (g_stat (reading->path, &status) != 0)
    return fail (reading, PT_IMAGE_FAULT_UNREADABLE, g_strerror (errno), error);
  if ((status.st_mode & S_IFMT) != S_IFREG)
    return fail (reading, PT_IMAGE_FAULT_NO_FILE, NULL, error);
  if (status.st_size > PT_IMAGE_MAX_BYTES)
    return fail (reading, PT_IMAGE_FAULT_TOO_LONG, NULL, error);
  *size = (gsize) status.st_size;
  return TRUE;
}

/* Reads as many bytes as the file had when its size was checked. */
static guint8 *
read_file (Reading *reading, gsize *size, GError **error)
{
  guint8 *data;
  FILE *file;

  if (!check_file (reading, size, error))
    return NULL;
  file = pt_input_fopen (reading->path);
  if (file == NULL) {
    fail (reading, PT_IMAGE_FAULT_UNREADABLE, g_strerror (errno), error);
    return NULL;
  }
  data = g_try_malloc (MAX (*size, 1));
  if (data != NULL)
    *size = fread (data, 1, *size, file);
  else
    fail (reading, PT_IMAGE_FAULT_MEMORY, NULL, error);
  fclose (file);
  return data;
}

static gboolean
check_header (Reading *reading, const PtImageHeader *header, gsize size, GError **error)
{
  if (header->type == NULL)
    return fail (reading, PT_IMAGE_FAULT_UNKNOWN, NULL, error);
  if (header->pixels == 0)
    return fail (reading, PT_IMAGE_FAULT_DAMAGED, NULL, error);
  if (header->pixels > PT_IMAGE_MAX_PIXELS)
    return fail (reading, PT_IMAGE_FAULT_TOO_LARGE, NULL, error);
  if (header->scans > PT_IMAGE_MAX_SCANNED / header->pixels)
    return fail (reading, PT_IMAGE_FAULT_SCANS, NULL, error);
  if (header->least > size)
    return fail (reading, PT_IMAGE_FAULT_DAMAGED, NULL, error);
  return TRUE;
}

/* ---- decoding ---- */

/* Rejects a size other than the header's: for size 0 every decoder stops at once. */
static void
on_size (GdkPixbufLoader *loader, int width, int height, gpointer user_data)
{
  Reading *reading = user_data;

  if (width >= 1 && height >= 1 && width <= PT_IMAGE_MAX_PIXELS / height)
    return;
  reading->fault = PT_IMAGE_FAULT_TOO_LARGE;
  gdk_pixbuf_loader_set_size (loader, 0, 0);
}

static void
on_area (GdkPixbufLoader *loader, int x, int y, int width, int height, gpointer user_data)
{
  Reading *reading = user_data;

  reading->rows = MAX (reading->rows, y + height);
}

/* A piece ends where a scan of a JPEG file begins, since a few bytes may be many scans. */
static gsize
find_piece (const guint8 *data, gsize size)
{
  gsize n = MIN (size, PIECE);

  for (gsize i = 1; i + 1 < n; i++)
    if (data[i] == 0xff && data[i + 1] == 0xda)
      return i;
  return n;
}

/* FALSE without an error: cancelled. */
static gboolean
feed (GdkPixbufLoader *loader, const guint8 *data, gsize size, Reading *reading, GError **error)
{
  gsize piece;

  for (gsize done = 0; done < size && reading->fault == PT_IMAGE_FAULT_NONE; done += piece) {
    piece = find_piece (data + done, size - done);
    if (!gdk_pixbuf_loader_write (loader, data + done, piece, error))
      return FALSE;
    if (g_cancellable_is_cancelled (reading->cancellable))
      reading->fault = PT_IMAGE_FAULT_STOPPED;
  }
  return reading->fault == PT_IMAGE_FAULT_NONE;
}

/* For these formats the loader accepts a truncated file; they are decoded from the top. */
static gboolean
is_cut_off (GdkPixbuf *pixbuf, const char *format, const Reading *reading)
{
  return (strcmp (format, "png") == 0 || strcmp (format, "jpeg") == 0) &&
         reading->rows < gdk_pixbuf_get_height (pixbuf);
}

static GdkPixbuf *
load (Reading *reading, const char *type, const guint8 *data, gsize size, GError **error)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new_with_type (type, NULL);
  g_autoptr (GError) reason = NULL;
  GdkPixbuf *pixbuf = NULL;
  gboolean fed, closed;

  if (loader == NULL) {
    fail (reading, PT_IMAGE_FAULT_UNKNOWN, NULL, error);
    return NULL;
  }
  g_signal_connect (loader, "size-prepared", G_CALLBACK (on_size), reading);
  g_signal_connect (loader, "area-updated", G_CALLBACK (on_area), reading);
  fed = feed (loader, data, size, reading, &reason);
  closed = gdk_pixbuf_loader_close (loader, fed ? &reason : NULL);
  if (reading->fault != PT_IMAGE_FAULT_NONE) {
    fail (reading, reading->fault, NULL, error);
    return NULL;
  }
  if (fed && closed)
    pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  if (pixbuf != NULL && !is_cut_off (pixbuf, type, reading))
    return gdk_pixbuf_apply_embedded_orientation (pixbuf);
  fail (reading, PT_IMAGE_FAULT_DAMAGED, reason != NULL ? reason->message : NULL, error);
  return NULL;
}

/* ---- pixels ---- */

static guint8
over_white (guint8 colour, guint8 alpha)
{
  return (guint8) ((colour * alpha + 255 * (255 - alpha) + 127) / 255);
}

/* Both rows may be the same. */
static void
copy_row (guint8 *to, const guint8 *from, guint width, gboolean alpha)
{
  for (guint x = 0; x < width; x++, to += CHANNELS, from += alpha ? CHANNELS + 1 : CHANNELS)
    for (guint c = 0; c < CHANNELS; c++)
      to[c] = alpha ? over_white (from[c], from[CHANNELS]) : from[c];
}

/* Converts the pixels in place, since two copies of a large picture are too large. */
static PtImage *
take_pixels (GdkPixbuf *pixbuf)
{
  PtImage *image = g_new (PtImage, 1);
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (pixbuf);
  gboolean alpha = gdk_pixbuf_get_has_alpha (pixbuf);

  *image = (PtImage){ (guint) gdk_pixbuf_get_width (pixbuf), (guint) gdk_pixbuf_get_height (pixbuf),
                      gdk_pixbuf_get_pixels (pixbuf), pixbuf };
  for (guint y = 0; y < image->height; y++)
    copy_row (image->pixels + (gsize) y * image->width * CHANNELS,
              image->pixels + (gsize) y * stride, image->width, alpha);
  return image;
}

static PtImage *
decode_gif (Reading *reading, const guint8 *data, gsize size, GError **error)
{
  g_autoptr (GError) reason = NULL;
  PtImage *image;
  PtGif gif;

  image =
      pt_gif_open (&gif, data, size) ? pt_gif_decode (&gif, reading->cancellable, &reason) : NULL;
  if (image != NULL)
    return image;
  if (g_cancellable_is_cancelled (reading->cancellable))
    fail (reading, PT_IMAGE_FAULT_STOPPED, NULL, error);
  else
    fail (reading, reason != NULL ? PT_IMAGE_FAULT_MEMORY : PT_IMAGE_FAULT_DAMAGED, NULL, error);
  return NULL;
}

static PtImage *
decode (Reading *reading, guint8 *data, gsize size, GError **error)
{
  PtImageHeader header;
  GdkPixbuf *pixbuf;

  pt_image_header_read (data, &size, &header);
  if (!check_header (reading, &header, size, error))
    return NULL;
  if (strcmp (header.type, "gif") == 0)
    return decode_gif (reading, data, size, error);
  pixbuf = load (reading, header.type, data, size, error);
  return pixbuf != NULL ? take_pixels (pixbuf) : NULL;
}

GBytes *
pt_image_to_png (const PtImage *image, GError **error)
{
  g_autoptr (GdkPixbuf) pixbuf =
      gdk_pixbuf_new_from_data (image->pixels, GDK_COLORSPACE_RGB, FALSE, 8, (int) image->width,
                                (int) image->height, (int) image->width * CHANNELS, NULL, NULL);
  g_autoptr (GError) cause = NULL;
  gsize size;
  char *data;

  if (gdk_pixbuf_save_to_buffer (pixbuf, &data, &size, "png", &cause, NULL))
    return g_bytes_new_take (data, size);
  pt_fail (error, PT_ERROR_MEMORY, "The picture cannot be made into a PNG file: %s.",
           cause->message);
  return NULL;
}

PtImage *
pt_image_read (const char *path, GCancellable *cancellable, PtImageFault *fault, GError **error)
{
  Reading reading = { path, cancellable, PT_IMAGE_FAULT_NONE, 0 };
  gsize size = 0;
  g_autofree guint8 *data = read_file (&reading, &size, error);
  PtImage *image = data != NULL ? decode (&reading, data, size, error) : NULL;

  if (fault != NULL)
    *fault = reading.fault;
  return image;
}
