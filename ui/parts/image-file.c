/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/image-file.h"

#include "engine/base/set-error.h"

#include <pteris/vision.h>

#include "ui/i18n.h"

/* Translates the errors of pt_image_read(). */
static gboolean
fail (const char *path, PtImageFault fault, GError **error)
{
  switch (fault) {
  case PT_IMAGE_FAULT_UNREADABLE:
    return pt_fail (
        error, PT_ERROR_FILE,
        _ ("%s cannot be read. Check that it exists and that you have permission to open it."),
        path);
  case PT_IMAGE_FAULT_NO_FILE:
    return pt_fail (error, PT_ERROR_FILE, _ ("%s is not a file. Choose an image."), path);
  case PT_IMAGE_FAULT_TOO_LONG:
    return pt_fail (error, PT_ERROR_FILE,
                    _ ("%s is larger than 64 MiB. Save the image at a smaller size."), path);
  case PT_IMAGE_FAULT_UNKNOWN:
    return pt_fail (error, PT_ERROR_FILE,
                    _ ("%s is not an image that Pteris can read. Save it as PNG or JPEG."), path);
  case PT_IMAGE_FAULT_TOO_LARGE:
    return pt_fail (error, PT_ERROR_FILE,
                    _ ("%s has more than 50 megapixels. Save the image at a smaller size."), path);
  case PT_IMAGE_FAULT_SCANS:
    return pt_fail (error, PT_ERROR_FILE,
                    _ ("%s is a progressive JPEG with too many scans. Save the image as PNG or as "
                       "baseline JPEG."),
                    path);
  case PT_IMAGE_FAULT_DAMAGED:
    return pt_fail (error, PT_ERROR_FILE,
                    _ ("%s is damaged. Get the file again, or choose another image."), path);
  case PT_IMAGE_FAULT_STOPPED: return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  case PT_IMAGE_FAULT_MEMORY:
  case PT_IMAGE_FAULT_NONE: break;
  }
  return pt_fail (error, PT_ERROR_MEMORY, _ ("There is not enough memory for the image %s."), path);
}

static void
free_image (guchar *pixels, gpointer image)
{
  pt_image_free (image);
}

/* Scales to the size, keeping the aspect ratio. */
static GdkPixbuf *
fit (const GdkPixbuf *whole, int side)
{
  double width = gdk_pixbuf_get_width (whole), height = gdk_pixbuf_get_height (whole);
  double scale = side / MAX (width, height);

  return gdk_pixbuf_scale_simple (whole, MAX ((int) (width * scale + 0.5), 1),
                                  MAX ((int) (height * scale + 0.5), 1), GDK_INTERP_BILINEAR);
}

GdkPixbuf *
pteris_image_file_read (const char *path, int side, GCancellable *cancellable, GError **error)
{
  PtImageFault fault;
  PtImage *image = pt_image_read (path, cancellable, &fault, NULL);
  g_autoptr (GdkPixbuf) whole = NULL;
  GdkPixbuf *small;

  if (image == NULL) {
    fail (path, fault, error);
    return NULL;
  }
  whole = gdk_pixbuf_new_from_data (image->pixels, GDK_COLORSPACE_RGB, FALSE, 8, (int) image->width,
                                    (int) image->height, (int) image->width * 3, free_image, image);
  if (side <= 0)
    return g_steal_pointer (&whole);
  small = fit (whole, side);
  if (small == NULL)
    fail (path, PT_IMAGE_FAULT_MEMORY, error);
  return small;
}
