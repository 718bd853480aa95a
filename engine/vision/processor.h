/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/base/json.h"
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
  gboolean letterbox;   /* keep the shape within @width by @height, which is always the size */
  gboolean raw;         /* values are 0 to 255; mean and deviation do not count */
  PtFilter filter;
  float mean[3], deviation[3]; /* of (v / 255 - mean) / deviation */
} PtImageProcessor;

/**
 * @input: of the encoder: [1, 3, height, width], or [3, height, width] for encoders that take any
 * size. PT_ERROR_UNSUPPORTED: another shape, or invalid metadata.
 */
gboolean pt_image_processor_read (PtImageProcessor *self, PtModule *module,
                                  const PtTensorSpec *input, GError **error);

/**
 * Prepare pictures as react-native-executorch does for its encoders, which normalise them:
 * letterboxed to the largest size, values 0 to 255.
 */
void pt_image_processor_letterbox (PtImageProcessor *self);

/** Values are 0 to 1, for encoders that do the rest. */
void pt_image_processor_units (PtImageProcessor *self);

/**
 * Take what a preprocessor_config.json says of values, also of letterboxed pictures: do_rescale,
 * rescale_factor, do_normalize, image_mean, image_std. @path: for messages. PT_ERROR_UNSUPPORTED:
 * invalid numbers.
 */
gboolean pt_image_processor_read_file (PtImageProcessor *self, const json_t *json, const char *path,
                                       GError **error);

/** The size of the input for @image. */
void pt_image_processor_size (const PtImageProcessor *self, const PtImage *image, guint *width,
                              guint *height);

/** @out: planes of red, green and blue of that size. */
gboolean pt_image_processor_run (const PtImageProcessor *self, const PtImage *image, float *out,
                                 GError **error);

G_END_DECLS
