/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/vision/resize.h"

G_BEGIN_DECLS

/**
 * PtImageProcessor: turns a picture into the input of an encoder, as the metadata of the model say
 * and otherwise as its family does it (docs/formats/protocols.md, section 4.2). Plain data; any
 * thread.
 */
typedef struct {
  guint width, height;  /* at most */
  gboolean keeps_shape; /* longer sides of @width and @height; else both are filled */
  PtFilter filter;
  float mean[3], deviation[3]; /* of (v / 255 - mean) / deviation */
} PtImageProcessor;

/**
 * @input: of the encoder: [1, 3, height, width], or [3, height, width] for pictures that are only
 * made smaller. Fails with PT_ERROR_UNSUPPORTED for another, or for metadata that cannot be meant.
 */
gboolean pt_image_processor_read (PtImageProcessor *self, PtModule *module,
                                  const PtTensorSpec *input, GError **error);

/** How large @image becomes. */
void pt_image_processor_size (const PtImageProcessor *self, const PtImage *image, guint *width,
                              guint *height);

/** @out: planes of red, green and blue of that size. */
gboolean pt_image_processor_run (const PtImageProcessor *self, const PtImage *image, float *out,
                                 GError **error);

G_END_DECLS
