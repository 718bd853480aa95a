/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtImageHeader: what the file of a picture says of it, read without decoding anything. Libraries
 * that decode pictures believe these numbers and allocate what they say. Plain data; any thread.
 */
typedef struct {
  const char *type; /* for gdk_pixbuf_loader_new_with_type(); static; NULL: none of our formats */
  guint64 pixels;   /* that decoding holds at once; 0: the file does not say, so it is damaged */
  guint64 scans;    /* passes over them; a JPEG file may have many */
  guint64 least;    /* bytes that the file must have for so many pixels; 0: not known */
} PtImageHeader;

/**
 * Read the header of the picture @data, and keep only what its pixels are made of: a PNG file loses
 * its texts and profiles, a JPEG file what follows its end. @size: what is left of it.
 */
void pt_image_header_read (guint8 *data, gsize *size, PtImageHeader *out);

G_END_DECLS
