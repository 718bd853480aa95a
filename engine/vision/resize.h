/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/vision.h>

G_BEGIN_DECLS

/*
 * Resizes pictures with the same filters as in training: bit-exact copies of Pillow's filters,
 * which average when they downscale (docs/formats/protocols.md, section 13.2). Any thread. Pictures
 * are freed with pt_image_free().
 */

typedef enum {
  PT_FILTER_BILINEAR,
  PT_FILTER_BICUBIC, /* Catmull-Rom, a = -1/2 */
} PtFilter;

/** @image stretched to @width by @height. NULL with PT_ERROR_MEMORY. */
PtImage *pt_image_resize (const PtImage *image, guint width, guint height, PtFilter filter,
                          GError **error);

/** The same shape with a shorter side of @side: torchvision's Resize(side). */
PtImage *pt_image_resize_shorter (const PtImage *image, guint side, PtFilter filter,
                                  GError **error);

/** The middle of @image, with black around it where it is too small: torchvision's CenterCrop. */
PtImage *pt_image_crop_center (const PtImage *image, guint width, guint height, GError **error);

/**
 * Planes of red, green and blue: (v / 255 - mean) / deviation. @out: 3 * height * width.
 */
void pt_image_to_planes (const PtImage *image, const float mean[3], const float deviation[3],
                         float *out);

G_END_DECLS
