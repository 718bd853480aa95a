/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/vision/resize.h"

G_BEGIN_DECLS

/**
 * PtPictureRecipe: how a picture becomes the input of a classifier (runners, section 10): made
 * smaller, its middle cut out, and its numbers moved. Plain data; any thread.
 */
typedef struct {
  guint width, height;                     /* of the input */
  guint shorter;                           /* that the shorter side becomes first; 0: @stretched */
  guint stretched_width, stretched_height; /* that the picture becomes first */
  PtFilter filter;
  float mean[3], deviation[3]; /* of (v / 255 - mean) / deviation */
} PtPictureRecipe;

/**
 * As preprocessor_config.json in @folder says; or the metadata of @module; or as torchvision's
 * classifiers of ImageNet were trained, of which @name may tell one from another. Fails with
 * PT_ERROR_UNSUPPORTED for what cannot be meant.
 */
gboolean pt_picture_recipe_read (PtPictureRecipe *self, PtModule *module, const char *folder,
                                 const char *name, guint width, guint height, GError **error);

/**
 * @out: 3 * height * width, planes of red, green and blue. A picture that has the size of the input
 * is neither resized nor cut.
 */
gboolean pt_picture_recipe_run (const PtPictureRecipe *self, const PtImage *image, float *out,
                                GError **error);

G_END_DECLS
