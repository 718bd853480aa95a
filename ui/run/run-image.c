/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/run-image.h"

#include "engine/base/set-error.h"

#include <string.h>

#include "ui/i18n.h"
#include "ui/parts/image-file.h"

/* Images with longer sides are not shown; bounds the sizes that a file declares. */
#define MAX_SIDE 8192

static const double MEAN[] = { 0.485, 0.456, 0.406 };
static const double DEVIATION[] = { 0.229, 0.224, 0.225 };

void
pteris_image_job_free (PterisImageJob *job)
{
  g_free (job->path);
  g_free (job->output);
  g_free (job);
}

/* The dimensions of channels, height and width. */
typedef struct {
  int channels, width, height;
  gboolean channels_last;
} Layout;

static gboolean
find_layout (guint rank, const gint64 *sizes, Layout *layout)
{
  if (rank == 4 && sizes[0] == 1) {
    sizes++;
    rank--;
  }
  if (rank != 3)
    return FALSE;
  for (guint i = 0; i < 3; i++)
    if (sizes[i] < 1 || sizes[i] > MAX_SIDE)
      return FALSE;
  layout->channels_last = sizes[0] != 1 && sizes[0] != 3;
  layout->channels = (int) (layout->channels_last ? sizes[2] : sizes[0]);
  layout->height = (int) (layout->channels_last ? sizes[0] : sizes[1]);
  layout->width = (int) (layout->channels_last ? sizes[1] : sizes[2]);
  return layout->channels == 1 || layout->channels == 3;
}

gboolean
pteris_image_fits (const char *dtype, guint rank, const gint64 *sizes)
{
  Layout layout;

  return (g_strcmp0 (dtype, "float32") == 0 || g_strcmp0 (dtype, "uint8") == 0) &&
         find_layout (rank, sizes, &layout) && layout.height > 1 && layout.width > 1;
}

/* A picture of exactly the size that is wanted, without transparency. */
static GdkPixbuf *
resize (const GdkPixbuf *image, const Layout *layout, PterisImageFit fit)
{
  GdkPixbuf *out = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, layout->width, layout->height);
  double x = (double) layout->width / gdk_pixbuf_get_width (image);
  double y = (double) layout->height / gdk_pixbuf_get_height (image);
  double left, top;
  int x0, y0, x1, y1;

  if (out == NULL)
    return NULL;
  if (fit == PTERIS_IMAGE_CROP)
    x = y = MAX (x, y);
  else if (fit == PTERIS_IMAGE_PAD)
    x = y = MIN (x, y);
  left = (layout->width - gdk_pixbuf_get_width (image) * x) / 2;
  top = (layout->height - gdk_pixbuf_get_height (image) * y) / 2;
  x0 = MAX ((int) left, 0);
  y0 = MAX ((int) top, 0);
  x1 = MIN ((int) (layout->width - left + 0.5), layout->width);
  y1 = MIN ((int) (layout->height - top + 0.5), layout->height);
  gdk_pixbuf_fill (out, 0x000000ff);
  gdk_pixbuf_composite (image, out, x0, y0, MAX (x1 - x0, 1), MAX (y1 - y0, 1), left, top, x, y,
                        GDK_INTERP_BILINEAR, 255);
  return out;
}

static double
convert (double byte, int channel, PterisImageRange range)
{
  switch (range) {
  case PTERIS_IMAGE_UNIT: return byte / 255;
  case PTERIS_IMAGE_IMAGENET: return (byte / 255 - MEAN[channel]) / DEVIATION[channel];
  case PTERIS_IMAGE_SIGNED: return byte / 127.5 - 1;
  case PTERIS_IMAGE_BYTES: break;
  }
  return byte;
}

/* Grey as television weighs it. */
static double
pick (const guint8 *pixel, int channel, const Layout *layout)
{
  if (layout->channels == 3)
    return pixel[channel];
  return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

static void
fill (const PterisImageJob *job, const Layout *layout, const GdkPixbuf *image, guint8 *out)
{
  const guint8 *pixels = gdk_pixbuf_read_pixels (image);
  gsize stride = (gsize) gdk_pixbuf_get_rowstride (image);
  gsize area = (gsize) layout->width * (gsize) layout->height;

  for (int y = 0; y < layout->height; y++) {
    for (int x = 0; x < layout->width; x++) {
      const guint8 *pixel = pixels + (gsize) y * stride + (gsize) x * 3;
      gsize at = (gsize) y * (gsize) layout->width + (gsize) x;

      for (int c = 0; c < layout->channels; c++) {
        gsize i = layout->channels_last ? at * (gsize) layout->channels + (gsize) c
                                        : (gsize) c * area + at;
        double byte = pick (pixel, c, layout);

        if (job->bytes)
          out[i] = (guint8) (byte + 0.5);
        else
          ((float *) (gpointer) out)[i] = (float) convert (byte, c, job->range);
      }
    }
  }
}

gboolean
pteris_image_write (const PterisImageJob *job, GCancellable *cancellable, GError **error)
{
  g_autoptr (GdkPixbuf) image = NULL;
  g_autoptr (GdkPixbuf) fitted = NULL;
  g_autofree guint8 *out = NULL;
  Layout layout;
  gsize size;

  if (!find_layout (job->rank, job->sizes, &layout))
    return pt_fail (error, PT_ERROR_ARGUMENT, _ ("An image cannot have this shape."));
  image = pteris_image_file_read (job->path, 0, cancellable, error);
  if (image == NULL)
    return FALSE;
  fitted = resize (image, &layout, job->fit);
  size = (gsize) layout.channels * (gsize) layout.width * (gsize) layout.height *
         (job->bytes ? 1 : sizeof (float));
  out = g_try_malloc (size);
  if (fitted == NULL || out == NULL)
    return pt_fail (error, PT_ERROR_MEMORY, _ ("There is not enough memory for the image."));
  fill (job, &layout, fitted, out);
  return g_file_set_contents (job->output, (const char *) out, (gssize) size, error);
}
