/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/error.h"

G_BEGIN_DECLS

/** A picture in memory: @height rows of @width pixels, red, green and blue, without gaps. */
typedef struct {
  guint width, height; /* both at least 1 */
  guint8 *pixels;      /* 3 * width * height */
} PtImage;

/**
 * Decode the file at @path: PNG, JPEG, WebP (where the system has a loader for it), GIF (its first
 * frame), BMP or TIFF. Upright, whatever its EXIF orientation; what is transparent lies on white.
 * What is no plain file of up to 64 MiB, none of these formats, or larger than 50 megapixels is
 * refused before it is decoded. NULL with PT_ERROR_FILE or PT_ERROR_MEMORY and a sentence.
 * Blocking; any thread. Free with pt_image_free().
 */
PtImage *pt_image_read (const char *path, GError **error);

/** Black; NULL with PT_ERROR_MEMORY when it is too large. */
PtImage *pt_image_new (guint width, guint height, GError **error);
void pt_image_free (PtImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtImage, pt_image_free)

G_END_DECLS
