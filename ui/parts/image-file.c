/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/image-file.h"

#include <glib/gstdio.h>

#include "engine/error.h"
#include "ui/i18n.h"

#define MAX_BYTES (64 * 1024 * 1024)
#define MAX_PIXELS 50000000

/* Not those that draw (SVG) or that are for screens of long ago. */
static const char *const FORMATS[] = { "bmp", "gif", "jpeg", "png", "tiff", "webp", NULL };

static gboolean
is_plain_file (const char *path, GError **error)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0)
    return pt_fail (error, PT_ERROR_FILE, _ ("%s cannot be read: %s."), path, g_strerror (errno));
  if ((status.st_mode & S_IFMT) != S_IFREG)
    return pt_fail (error, PT_ERROR_FILE, _ ("%s is not a file. Choose an image."), path);
  if (status.st_size > MAX_BYTES)
    return pt_fail (error, PT_ERROR_FILE,
                    _ ("%s is larger than 64 MiB. Save the image at a smaller size."), path);
  return TRUE;
}

/* Only the beginning of the file is read for this. */
static gboolean
is_picture (const char *path, GError **error)
{
  int width = 0, height = 0;
  GdkPixbufFormat *format = gdk_pixbuf_get_file_info (path, &width, &height);
  g_autofree char *name = format != NULL ? gdk_pixbuf_format_get_name (format) : NULL;

  if (name == NULL || !g_strv_contains (FORMATS, name) || width < 1 || height < 1)
    return pt_fail (error, PT_ERROR_FILE,
                    _ ("%s is not an image that Pteris can read. Save it as PNG or JPEG."), path);
  if (width > MAX_PIXELS / height)
    return pt_fail (error, PT_ERROR_FILE,
                    _ ("%s has more than 50 megapixels. Save the image at a smaller size."), path);
  return TRUE;
}

GdkPixbuf *
pteris_image_file_read (const char *path, int side, GError **error)
{
  g_autoptr (GdkPixbuf) read = NULL;
  g_autoptr (GError) reason = NULL;

  if (!is_plain_file (path, error) || !is_picture (path, error))
    return NULL;
  read = side > 0 ? gdk_pixbuf_new_from_file_at_scale (path, side, side, TRUE, &reason)
                  : gdk_pixbuf_new_from_file (path, &reason);
  if (read == NULL) {
    pt_fail (error, PT_ERROR_FILE, _ ("%s is damaged: %s"), path, reason->message);
    return NULL;
  }
  return gdk_pixbuf_apply_embedded_orientation (read);
}
