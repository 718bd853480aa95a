/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtImageHeader: the sizes in the header of a picture file, read without decoding. Decoders trust
 * these numbers and allocate accordingly. Plain data; any thread.
 */
typedef struct {
  const char *type; /* for gdk_pixbuf_loader_new_with_type(); or NULL */
  guint64 pixels;   /* pixels in memory while decoding; 0: unknown, so the file is damaged */
  guint64 scans;    /* passes over the pixels; a JPEG file may have many */
  guint64 least;    /* fewest bytes that a file with this many pixels has; 0: unknown */
} PtImageHeader;

/**
 * Read the header of the picture @data, and remove data that is not needed for its pixels: texts
 * and profiles of a PNG file, bytes behind the end of a JPEG file. @size: set to the new size.
 */
void pt_image_header_read (guint8 *data, gsize *size, PtImageHeader *out);

G_END_DECLS
