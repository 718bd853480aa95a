/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/vision/resize.h"

G_BEGIN_DECLS

/**
 * PtImageProcessor: turns a picture into the input of an encoder, by the metadata of the model,
 * else by its family (docs/formats/protocols.md, section 4.2). Plain data; any thread.
 */
typedef struct {
  guint width, height;  /* at most */
  gboolean keeps_shape; /* scale so that the longer side fits; else stretch */
  PtFilter filter;
  float mean[3], deviation[3]; /* of (v / 255 - mean) / deviation */
} PtImageProcessor;

/**
 * @input: of the encoder: [1, 3, height, width], or [3, height, width] for encoders that take any
 * size. PT_ERROR_UNSUPPORTED: another shape, or invalid metadata.
 */
gboolean pt_image_processor_read (PtImageProcessor *self, PtModule *module,
                                  const PtTensorSpec *input, GError **error);

/** The size of the input for @image. */
void pt_image_processor_size (const PtImageProcessor *self, const PtImage *image, guint *width,
                              guint *height);

/** @out: planes of red, green and blue of that size. */
gboolean pt_image_processor_run (const PtImageProcessor *self, const PtImage *image, float *out,
                                 GError **error);

G_END_DECLS
