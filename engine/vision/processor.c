/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vision/processor.h"

#include <math.h>

#include "engine/base/set-error.h"
#include "engine/vision/letterbox.h"

/* Numbers of Pillow's filters. */
#define RESAMPLE_BILINEAR 2
#define RESAMPLE_BICUBIC 3
/* Downscaled sides become a multiple of this. */
#define EVEN 2

/* Limit of the pixels on a side of what an encoder takes. */
#define MAX_SIDE 4096

static gboolean
nonsense (const char *name, double value, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "The model's image settings are invalid: %s is %g.",
                  name, value);
}

/* A boolean option that defaults to TRUE. */
static gboolean
is_on (PtModule *module, const char *name)
{
  gint64 value;

  return !pt_module_constant_int (module, name, &value) || value != 0;
}

/* A list with one number for all channels, or one for each. */
static gboolean
read_channels (PtModule *module, const char *name, gboolean positive, double out[3], GError **error)
{
  double values[3];
  guint n = pt_module_constant_doubles (module, name, values, 3);

  for (guint i = 0; n > 0 && i < 3; i++) {
    double value = values[MIN (i, n - 1)];

    if (!isfinite (value) || fabs (value) > 1e6 || (positive && !(value > 1e-6)))
      return nonsense (name, value, error);
    out[i] = value;
  }
  return TRUE;
}

static gboolean
read_filter (PtImageProcessor *self, PtModule *module, GError **error)
{
  gint64 resample = RESAMPLE_BILINEAR;

  pt_module_constant_int (module, "resample", &resample);
  self->filter = resample == RESAMPLE_BICUBIC ? PT_FILTER_BICUBIC : PT_FILTER_BILINEAR;
  return resample == RESAMPLE_BILINEAR || resample == RESAMPLE_BICUBIC ||
         pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The model needs an image filter that Pteris does not support (%" G_GINT64_FORMAT
                  ").",
                  resample);
}

/* Values as (v * factor - mean) / deviation. */
typedef struct {
  gboolean rescales, normalizes;
  double factor, mean[3], deviation[3];
} Values;

#define USUAL_VALUES                                                                      \
  {                                                                                       \
    .rescales = TRUE, .normalizes = TRUE, .factor = 1.0 / 255, .mean = { 0.5, 0.5, 0.5 }, \
    .deviation = {                                                                        \
      0.5,                                                                                \
      0.5,                                                                                \
      0.5                                                                                 \
    }                                                                                     \
  }

/* Converts @values to terms of v / 255. */
static gboolean
take_values (PtImageProcessor *self, const Values *values, GError **error)
{
  double scale = 255 * (values->rescales ? values->factor : 1);

  if (!isfinite (scale) || !(scale > 255e-9) || scale > 255e6)
    return nonsense ("rescale_factor", values->factor, error);
  for (guint i = 0; i < 3; i++) {
    self->mean[i] = (float) (values->normalizes ? values->mean[i] / scale : 0);
    self->deviation[i] = (float) ((values->normalizes ? values->deviation[i] : 1) / scale);
  }
  return TRUE;
}

static gboolean
read_values (PtImageProcessor *self, PtModule *module, GError **error)
{
  Values values = USUAL_VALUES;

  pt_module_constant_double (module, "rescale_factor", &values.factor);
  values.rescales = is_on (module, "do_rescale");
  values.normalizes = is_on (module, "do_normalize");
  return read_channels (module, "image_mean", FALSE, values.mean, error) &&
         read_channels (module, "image_std", TRUE, values.deviation, error) &&
         take_values (self, &values, error);
}

static gboolean
read_list (const json_t *json, const char *name, gboolean positive, double out[3], GError **error)
{
  const json_t *list = json_object_get (json, name);
  gsize n = json_array_size (list);

  for (gsize i = 0; i < 3 && (n > 0 || json_is_number (list)); i++) {
    double value = json_number_value (n > 0 ? json_array_get (list, MIN (i, n - 1)) : list);

    if (!isfinite (value) || fabs (value) > 1e6 || (positive && !(value > 1e-6)))
      return nonsense (name, value, error);
    out[i] = value;
  }
  return TRUE;
}

gboolean
pt_image_processor_read_file (PtImageProcessor *self, const json_t *json, const char *path,
                              GError **error)
{
  Values values = USUAL_VALUES;
  g_autoptr (GError) reason = NULL;

  self->raw = FALSE;
  values.factor = pt_json_double (json, "rescale_factor", values.factor);
  values.rescales = pt_json_bool (json, "do_rescale", TRUE);
  values.normalizes = pt_json_bool (json, "do_normalize", TRUE);
  if (read_list (json, "image_mean", FALSE, values.mean, &reason) &&
      read_list (json, "image_std", TRUE, values.deviation, &reason) &&
      take_values (self, &values, &reason))
    return TRUE;
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "“%s”: %s", path, reason->message);
}

/* Passes bytes unchanged, for encoders that normalise them. */
static void
keep_values (PtImageProcessor *self)
{
  for (guint i = 0; i < 3; i++) {
    self->mean[i] = 0;
    self->deviation[i] = 1.0f / 255;
  }
}

gboolean
pt_image_processor_read (PtImageProcessor *self, PtModule *module, const PtTensorSpec *input,
                         GError **error)
{
  guint rank = input->rank;

  if ((rank != 3 && rank != 4) || (rank == 4 && input->sizes[0] != 1) ||
      input->sizes[rank - 3] != 3 || input->sizes[rank - 2] < EVEN || input->sizes[rank - 1] < EVEN)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The model's image encoder is not supported: it must take images [1, 3, "
                    "height, width] or [3, height, width].");
  if (input->sizes[rank - 2] > MAX_SIDE || input->sizes[rank - 1] > MAX_SIDE)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The model's image encoder is not supported: it takes images of %d × %d "
                    "pixels, and at most %d × %d are possible.",
                    (int) input->sizes[rank - 1], (int) input->sizes[rank - 2], MAX_SIDE, MAX_SIDE);
  *self = (PtImageProcessor){ .height = (guint) input->sizes[rank - 2],
                              .width = (guint) input->sizes[rank - 1],
                              .keeps_shape = rank == 3 };
  if (!read_filter (self, module, error))
    return FALSE;
  if (rank == 3 || input->dtype == PT_DTYPE_U8) {
    keep_values (self);
    return TRUE;
  }
  return read_values (self, module, error);
}

void
pt_image_processor_letterbox (PtImageProcessor *self)
{
  self->keeps_shape = FALSE;
  self->letterbox = TRUE;
  self->raw = TRUE;
}

void
pt_image_processor_units (PtImageProcessor *self)
{
  for (guint i = 0; i < 3; i++) {
    self->mean[i] = 0;
    self->deviation[i] = 1;
  }
}

static guint
even (double side, guint most)
{
  guint whole = (guint) (side / EVEN) * EVEN;

  return CLAMP (whole, EVEN, most / EVEN * EVEN);
}

void
pt_image_processor_size (const PtImageProcessor *self, const PtImage *image, guint *width,
                         guint *height)
{
  double scale = MIN ((double) self->width / image->width, (double) self->height / image->height);

  *width = self->keeps_shape ? even (image->width * scale + 0.5, self->width) : self->width;
  *height = self->keeps_shape ? even (image->height * scale + 0.5, self->height) : self->height;
}

gboolean
pt_image_processor_run (const PtImageProcessor *self, const PtImage *image, float *out,
                        GError **error)
{
  g_autoptr (PtImage) resized = NULL;
  guint width, height;

  pt_image_processor_size (self, image, &width, &height);
  if (width != image->width || height != image->height) {
    resized = self->letterbox ? pt_image_letterbox (image, width, height, error)
                              : pt_image_resize (image, width, height, self->filter, error);
    if (resized == NULL)
      return FALSE;
  }
  if (self->raw)
    pt_image_to_raw_planes (resized != NULL ? resized : image, out);
  else
    pt_image_to_planes (resized != NULL ? resized : image, self->mean, self->deviation, out);
  return TRUE;
}
