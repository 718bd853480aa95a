/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

G_BEGIN_DECLS

/*
 * Resizes pictures as OpenCV does, which the hosts of published vision models use. resize.h has the
 * filters of Pillow. Any thread. (docs/formats/protocols.md, section 16.1)
 */

typedef enum {
  PT_RESAMPLE_LINEAR,  /* between the two nearest pixels, also when it makes smaller */
  PT_RESAMPLE_AREA,    /* the mean of the pixels below a pixel; larger: as cv::INTER_AREA */
  PT_RESAMPLE_LANCZOS, /* over 8 pixels */
} PtResample;

/** Rows of @width pixels of @channels bytes, without gaps. Owns nothing. */
typedef struct {
  guint width, height, channels;
  guint8 *pixels;
} PtPixels;

/** Resize @from to the size of @to, whose pixels are allocated; both have the same @channels.
 * FALSE with PT_ERROR_MEMORY. */
gboolean pt_resample (const PtPixels *from, const PtPixels *to, PtResample how, GError **error);

/** The place of a picture within another one of other proportions. */
typedef struct {
  guint left, top, width, height;
} PtPlace;

/**
 * Scale @from so that it fits @to, put it in the middle, and fill the margins with the mean colour
 * of its corners. @place: set to where it lies, or NULL.
 */
gboolean pt_resample_padded (const PtPixels *from, const PtPixels *to, PtPlace *place,
                             GError **error);

G_END_DECLS
