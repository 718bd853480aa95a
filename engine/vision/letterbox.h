/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

G_BEGIN_DECLS

/*
 * Letterboxing as react-native-executorch does it with OpenCV (docs/formats/protocols.md, section
 * 4.6). Any thread. Pictures are freed with pt_image_free().
 */

/**
 * @image with OpenCV's INTER_AREA: means of areas where both sides shrink or stay, else its linear
 * filter between areas. NULL with PT_ERROR_MEMORY, or PT_ERROR_ARGUMENT for a size of 0.
 */
PtImage *pt_image_resize_area (const PtImage *image, guint width, guint height, GError **error);

/**
 * @image as large as fits into @width by @height with its shape kept, in the middle; the rest has
 * the mean colour of its four corners, rounded down.
 */
PtImage *pt_image_letterbox (const PtImage *image, guint width, guint height, GError **error);

/** Planes of red, green and blue with values 0 to 255. @out: 3 * height * width. */
void pt_image_to_raw_planes (const PtImage *image, float *out);

G_END_DECLS
