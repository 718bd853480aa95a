/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/vision/resize.h"

G_BEGIN_DECLS

/**
 * PtPictureRecipe: how a picture becomes the input of a classifier (docs/formats/protocols.md,
 * section 10.2): it is resized, its middle is cut out, and its values are normalised. Plain data;
 * any thread.
 */
typedef struct {
  guint width, height;                     /* of the input */
  guint shorter;                           /* first the shorter side becomes this; 0: see next */
  guint stretched_width, stretched_height; /* first the picture gets this size */
  PtFilter filter;
  float mean[3], deviation[3]; /* of (v / 255 - mean) / deviation */
  gboolean is_guess;           /* nothing beside or in the program says so */
  gboolean is_plain;           /* stretched as OpenCV does, values 0 to 1 */
} PtPictureRecipe;

/**
 * Read the settings from preprocessor_config.json in @folder, else from the metadata of @module;
 * else they are those that torchvision's classifiers of ImageNet were trained with, which @name may
 * tell apart. Fails with PT_ERROR_UNSUPPORTED for settings that make no sense.
 */
gboolean pt_picture_recipe_read (PtPictureRecipe *self, PtModule *module, const char *folder,
                                 const char *name, guint width, guint height, GError **error);

/** Take what programs want that normalise their input: the picture stretched, values 0 to 1. */
void pt_picture_recipe_take_plain (PtPictureRecipe *self);

/**
 * Make the input @out, 3 * height * width, planes of red, green and blue. A picture that has the
 * size of the input is neither resized nor cut.
 */
gboolean pt_picture_recipe_run (const PtPictureRecipe *self, const PtImage *image, float *out,
                                GError **error);

G_END_DECLS
