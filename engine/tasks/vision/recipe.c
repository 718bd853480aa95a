/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/recipe.h"

#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/vision/resize-opencv.h"
#include "engine/tasks/models/model-root.h"

#define MAX_CONFIG (1 << 20)
#define MAX_SIDE 16384
/* The number of Pillow's bicubic filter. */
#define RESAMPLE_BICUBIC 3

static gboolean
nonsense (const char *name, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "The model's image settings are invalid: %s.", name);
}

/* ---- ImageNet ---- */

/* Takes the settings of torchvision's classifiers: the shorter side becomes 256 pixels for a middle
 * of 224, other sizes in proportion; 232 for weights of a second training. */
static void
take_imagenet (PtPictureRecipe *self, const char *name)
{
  static const float MEAN[3] = { 0.485f, 0.456f, 0.406f };
  static const float DEVIATION[3] = { 0.229f, 0.224f, 0.225f };
  guint side = MIN (self->width, self->height);
  g_autofree char *lower = g_ascii_strdown (name, -1);
  gboolean second = strstr (lower, "mobilenet_v2") != NULL ||
                    strstr (lower, "mobilenet-v2") != NULL || strstr (lower, "mv2") != NULL;

  self->shorter = (guint) ((second ? 232.0 : 256.0) * side / 224 + 0.5);
  self->filter = PT_FILTER_BILINEAR;
  memcpy (self->mean, MEAN, sizeof MEAN);
  memcpy (self->deviation, DEVIATION, sizeof DEVIATION);
}

/* ---- settings of the model ---- */

static gboolean
take_channels (const double *values, guint n, gboolean positive, const char *name, float out[3],
               GError **error)
{
  for (guint i = 0; n > 0 && i < 3; i++) {
    double value = values[MIN (i, n - 1)];

    if (!isfinite (value) || fabs (value) > 1e6 || (positive && !(value > 1e-6)))
      return nonsense (name, error);
    out[i] = (float) value;
  }
  return TRUE;
}

static gboolean
read_channels (const json_t *config, const char *name, gboolean positive, float out[3],
               GError **error)
{
  const json_t *list = json_object_get (config, name);
  double values[3];
  guint n = (guint) MIN (json_array_size (list), 3);

  for (guint i = 0; i < n; i++)
    values[i] = json_number_value (json_array_get (list, i));
  return take_channels (values, n, positive, name, out, error);
}

/* Reads how values are rescaled and normalised, in terms of v / 255. */
static gboolean
read_values (PtPictureRecipe *self, const json_t *config, GError **error)
{
  double factor = pt_json_bool (config, "do_rescale", TRUE)
                      ? pt_json_double (config, "rescale_factor", 1.0 / 255)
                      : 1;
  float mean[3] = { 0.5f, 0.5f, 0.5f }, deviation[3] = { 0.5f, 0.5f, 0.5f };

  if (!isfinite (factor) || !(factor > 1e-9) || factor > 1e6)
    return nonsense ("rescale_factor", error);
  if (!read_channels (config, "image_mean", FALSE, mean, error) ||
      !read_channels (config, "image_std", TRUE, deviation, error))
    return FALSE;
  for (guint i = 0; i < 3; i++) {
    gboolean normalizes = pt_json_bool (config, "do_normalize", TRUE);
    double scale = 255 * factor;

    self->mean[i] = (float) (normalizes ? mean[i] / scale : 0);
    self->deviation[i] = (float) ((normalizes ? deviation[i] : 1) / scale);
  }
  return TRUE;
}

static gboolean
is_side (gint64 side)
{
  return side >= 1 && side <= MAX_SIDE;
}

/* Reads the size that pictures get: that of the shorter side, or both sides. Old files have a
 * number, which is that of the input. */
static gboolean
read_size (PtPictureRecipe *self, const json_t *config, GError **error)
{
  const json_t *size = json_object_get (config, "size");
  gint64 shorter = pt_json_int (size, "shortest_edge", 0);
  double part = pt_json_double (config, "crop_pct", 1);

  self->stretched_width = self->width;
  self->stretched_height = self->height;
  if (!pt_json_bool (config, "do_resize", TRUE))
    return TRUE;
  if (shorter != 0) {
    if (!is_side (shorter) || !(part > 0.01) || part > 1)
      return nonsense ("size", error);
    /* The input is this part of the shorter side. */
    self->shorter = (guint) ((double) shorter / part);
    return TRUE;
  }
  if (json_is_object (size)) {
    gint64 width = pt_json_int (size, "width", self->width);
    gint64 height = pt_json_int (size, "height", self->height);

    if (!is_side (width) || !is_side (height))
      return nonsense ("size", error);
    self->stretched_width = (guint) width;
    self->stretched_height = (guint) height;
  }
  return TRUE;
}

static gboolean
take_config (PtPictureRecipe *self, const json_t *config, GError **error)
{
  self->filter = pt_json_int (config, "resample", 0) == RESAMPLE_BICUBIC ? PT_FILTER_BICUBIC
                                                                         : PT_FILTER_BILINEAR;
  return read_size (self, config, error) && read_values (self, config, error);
}

/* Takes the settings from the metadata of the program, which have the same names, but no objects.
 */
static gboolean
take_metadata (PtPictureRecipe *self, PtModule *module, GError **error)
{
  double mean[3], deviation[3];
  guint n_mean = pt_module_constant_doubles (module, "image_mean", mean, 3);
  guint n_deviation = pt_module_constant_doubles (module, "image_std", deviation, 3);

  self->shorter = 0;
  self->stretched_width = self->width;
  self->stretched_height = self->height;
  return take_channels (mean, n_mean, FALSE, "image_mean", self->mean, error) &&
         take_channels (deviation, n_deviation, TRUE, "image_std", self->deviation, error);
}

gboolean
pt_picture_recipe_read (PtPictureRecipe *self, PtModule *module, const char *folder,
                        const char *name, guint width, guint height, GError **error)
{
  g_autofree char *path = pt_model_find_file (folder, "preprocessor_config.json");
  g_autoptr (json_t) config = NULL;

  *self = (PtPictureRecipe){ .width = width, .height = height };
  if (path != NULL) {
    config = pt_json_load (path, MAX_CONFIG, error);
    return config != NULL && take_config (self, config, error);
  }
  take_imagenet (self, name);
  self->is_guess = !pt_module_has_method (module, "image_mean");
  return !pt_module_has_method (module, "image_mean") || take_metadata (self, module, error);
}

void
pt_picture_recipe_take_plain (PtPictureRecipe *self)
{
  self->is_plain = TRUE;
  for (guint i = 0; i < 3; i++) {
    self->mean[i] = 0;
    self->deviation[i] = 1;
  }
}

/* ---- pictures ---- */

static PtImage *
stretch (const PtPictureRecipe *self, const PtImage *image, GError **error)
{
  PtImage *out = pt_image_new (self->width, self->height, error);
  PtPixels from = { image->width, image->height, 3, image->pixels };

  if (out == NULL || pt_resample (&from, &(PtPixels){ self->width, self->height, 3, out->pixels },
                                  PT_RESAMPLE_LINEAR, error))
    return out;
  pt_image_free (out);
  return NULL;
}

static PtImage *
make_smaller (const PtPictureRecipe *self, const PtImage *image, GError **error)
{
  if (self->shorter > 0)
    return pt_image_resize_shorter (image, self->shorter, self->filter, error);
  return pt_image_resize (image, self->stretched_width, self->stretched_height, self->filter,
                          error);
}

gboolean
pt_picture_recipe_run (const PtPictureRecipe *self, const PtImage *image, float *out,
                       GError **error)
{
  g_autoptr (PtImage) smaller = NULL, middle = NULL;

  if (image->width == self->width && image->height == self->height) {
    pt_image_to_planes (image, self->mean, self->deviation, out);
    return TRUE;
  }
  smaller = self->is_plain ? stretch (self, image, error) : make_smaller (self, image, error);
  if (smaller != NULL)
    middle = pt_image_crop_center (smaller, self->width, self->height, error);
  if (middle == NULL)
    return FALSE;
  pt_image_to_planes (middle, self->mean, self->deviation, out);
  return TRUE;
}
